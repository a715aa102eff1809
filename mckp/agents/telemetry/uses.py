"""Finds what agents later used of their tools' results.

A leaf of a result was *used* if its value occurs, as whole words, in a later argument or message
of the assistant, but neither before the result nor in another result before the use. For example,
the id of an order is used if a later call cancels that order. Not considered are true, false, null,
empty values, texts of fewer than three characters, and values at more than six places. A small
number or common word counts only next to its key or a telling value of its record. A text of more
than six words counts if a run of six words occurs, with any blanks between them.

This misses nulls and booleans that mattered, and values that were computed with or reworded. The
rules err towards too few uses, since a wrong one rewards keeping what nobody needed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump, is_array, is_container, is_object
from mckp.parsers.embedded import extract, extract_from_text
from mckp.regexes import regex
from mckp.weights.leaves import data_leaves

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.plain import JsonValue

    Use = dict[str, Any]
    Steps = tuple[str | int, ...]

RUN: Final = 6
"""The number of consecutive words that show that a longer text was used."""
PLACES: Final = 6
"""A value at more places than this is ignored, since it is unclear which place was meant."""
NEAR: Final = 60
"""Characters before and after a weak value that are searched for its key or record."""
TELLING: Final = 4
"""A number with at least that many characters counts without a key next to it."""
_WORDS: Final = """
active all and any auto bad best blue body book both boy business car card city class clean
closed code color count data date day default delivered direct done draft email error failed
false fast file first food for free from full get good green group has high home house how item
items key large last left level line link list live local long low mail main man map media
medium member men merged model month more name new next none normal not note null number object
off old one online open other out owner page paid part pass passed pending person phone plan
post price private public read ready red right role round row same sent set size small status
store string student success table tag task team test text the this time title top total true
two type unknown update url user value web week white with word work year yes you
"""
COMMON: Final = frozenset(_WORDS.split())
"""Words, in lower case, that agents write anyway."""

_WORD: Final = regex(r"\w+")
_EDGE: Final = regex(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+")
_ESCAPE: Final = regex(r'\\[nrt"]')


@dataclass(frozen=True, eq=False)
class ConversationPart:
    """A part of a recorded conversation in which values may occur."""

    kind: str
    """``request`` (by user or system), ``message`` or ``argument`` (by assistant), ``result``."""
    text: str
    """Its text; for JSON, its names and values, one per line."""
    around: str = ""
    """For an argument: its name, and the other short arguments of the call with their names."""
    tool: str = ""
    """Of a result, its tool."""
    call: Any = None
    """Of a result, the arguments of its call."""
    payload: Any = None
    """The data of a result, or None if it has none."""

    @cached_property
    def runs(self) -> frozenset[tuple[str, ...]]:
        """All runs of `RUN` words in the text."""
        return frozenset(runs(words(self.text)))

    @property
    def is_own(self) -> bool:
        """Whether the assistant wrote this part."""
        return self.kind in ("message", "argument")

    @property
    def whole(self) -> str:
        """The text together with what is around it."""
        return f"{self.text}\n{self.around}"


def words(text: str) -> list[str]:
    """Return the words of a text."""
    return _WORD.findall(text)


def runs(words_of_text: Sequence[str]) -> list[tuple[str, ...]]:
    """Return all runs of `RUN` consecutive words, in order."""
    return [tuple(words_of_text[at : at + RUN]) for at in range(len(words_of_text) - RUN + 1)]


def literal(leaf: Any) -> str:
    """Return the text of a leaf: a string as it is, and anything else (or ``""``) as JSON."""
    return leaf if isinstance(leaf, str) and leaf else dump(leaf)


def call_parts(args: JsonValue) -> Iterator[ConversationPart]:
    r"""Yield a part for each argument of a call.

    Examples
    --------
    >>> [(part.text, part.around) for part in call_parts({"id": 7, "page": 2})]
    [('7', 'id\npage: 2'), ('2', 'page\nid: 7')]
    """
    named = [(" ".join(map(str, path)), literal(leaf)) for path, leaf in _leaves(args)]
    short = [f"{name}: {text}" for name, text in named if len(text) <= NEAR]
    for name, text in named:
        beside = (line for line in short if line != f"{name}: {text}")
        yield ConversationPart("argument", text, "\n".join([name, *beside]))


def result_part(tool: str, call: JsonValue, content: JsonValue) -> ConversationPart:
    """Return the part for a tool's result, which is a text, JSON or blocks of text.

    `call` has the arguments of the call. The payload of the part is what would be delivered: data
    inside texts and strings is parsed.
    """
    if is_array(content) and all(
        is_object(part) and part.get("type") == "text" for part in content
    ):
        content = "\n".join(block["text"] for block in content)
    payload = _parse_data(content) if isinstance(content, str) else extract(content)[0]
    text = str(content or "") if payload is None else "\n".join(_text_lines(payload))
    return ConversationPart("result", text, tool=tool, call=call, payload=payload)


def _text_lines(value: JsonValue) -> Iterator[str]:
    """Yield the names in a value, each once, then its leaves as text."""
    leaves = _leaves(value)
    steps = (step for path, _ in leaves for step in path)
    yield from dict.fromkeys(step for step in steps if isinstance(step, str))
    yield from (literal(leaf) for _, leaf in leaves)


def _leaves(value: JsonValue) -> list[tuple[Steps, JsonValue]]:
    """Return the leaves of a value, each after its path."""
    return [(leaf.path, leaf.value) for leaf in data_leaves(value)]


def _parse_data(text: str) -> JsonValue:
    """Return the object or array that a text is or contains, or None if there is none."""
    try:
        parsed: Any = json.loads(text)
    except (ValueError, RecursionError):
        return extract_from_text(text)[0]
    return extract(parsed)[0] if is_container(parsed) else None


@lru_cache(maxsize=4096)
def whole_word_pattern(form: str) -> re.Pattern[str]:
    """Return a pattern that finds a `form`, the text of a value, as whole words.

    A number is not found as a part of another number.

    Examples
    --------
    >>> [bool(whole_word_pattern("12").search(text)) for text in ("id=12.", "x12", "0.12", "12,5")]
    [True, False, False, True]
    """
    number = re.fullmatch(r"-?\d+(\.\d+)?", form)
    before, after = (r"(?<!\d\.)", r"(?!\.\d)") if number else ("", "")
    return re.compile(rf"(?<!\w){before}{re.escape(form)}(?!\w){after}")


def positions(form: str, text: str) -> Iterator[int]:
    """Yield the positions at which a form occurs in a text as whole words."""
    at = text.find(form)  # much faster than the pattern, which only checks the finds
    while at >= 0:
        if whole_word_pattern(form).match(text, at):
            yield at
        at = text.find(form, at + 1)


def occurs(form: str, text: str) -> bool:
    """Whether a form occurs in a text as whole words."""
    return any(True for _ in positions(form, text))


def is_telling(value: Any) -> bool:
    """Whether a value is telling: distinctive enough to look for.

    Examples
    --------
    >>> [is_telling(value) for value in (None, True, "", "ab", [], "abc", 0)]
    [False, False, False, False, False, True, True]
    """
    if isinstance(value, str):
        return len(value.strip()) >= 3
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_weak(value: Any) -> bool:
    """Whether a value means little without its key, as small numbers and common words do.

    Examples
    --------
    >>> [is_weak(value) for value in (42, 4200, "404", "Open", "KSC")]
    [True, False, True, True, False]
    """
    text = literal(value)
    if not isinstance(value, str) or text.isdigit():
        return len(text.lstrip("-")) < TELLING
    return text.lower() in COMMON


def find_uses(parts: Sequence[ConversationPart], index: int) -> list[Use]:
    """Return the later uses of the result at an index among the parts of a conversation.

    Each use has the ``value``, its ``paths``, the ``form`` that must survive (for a long text, the
    run of words), and ``how``: in an ``argument`` or in a ``message``.
    """
    payload = parts[index].payload
    values: dict[str, tuple[Any, list[Steps]]] = {}
    for path, value in _leaves(payload):
        if is_telling(value):
            values.setdefault(dump(value), (value, []))[1].append(path)
    search = _Search(parts, index)
    uses: list[dict[str, Any]] = []
    for value, paths in values.values():
        form_and_how = search.first_use(value, paths) if len(paths) <= PLACES else None
        if form_and_how:
            form, how = form_and_how
            uses.append({"value": value, "form": form, "paths": [*map(list, paths)], "how": how})
    return uses


class _Search:
    """Searches what the assistant wrote after a result for the values of the result."""

    def __init__(self, parts: Sequence[ConversationPart], index: int) -> None:
        self.payload = parts[index].payload
        self.earlier = "\n".join(part.whole for part in parts[:index])
        self.later = parts[index + 1 :]
        agent_parts = [part for part in self.later if part.is_own]
        self.own_text = "\n".join(part.text for part in agent_parts)
        self.own_runs = frozenset[tuple[str, ...]]().union(*(part.runs for part in agent_parts))

    @cached_property
    def earlier_runs(self) -> frozenset[tuple[str, ...]]:
        """All runs of `RUN` words in earlier parts."""
        return frozenset(runs(words(self.earlier)))

    def first_use(self, value: Any, paths: Sequence[Steps]) -> tuple[str, str] | None:
        """Return the form in which a value is first used, and how; None if it is not used."""
        form = literal(value)
        if isinstance(value, str) and len(words(value)) > RUN:
            return self.first_use_of_run(form)
        if not occurs(form, self.own_text) or occurs(form, self.earlier):
            return None
        near = (
            {name for path in paths for name in self.context_of(path)} if is_weak(value) else None
        )
        for part in self.later:
            if part.is_own and _is_used(form, part, near):
                return form, part.kind
            if part.kind == "result" and occurs(form, part.text):
                return None
        return None

    def first_use_of_run(self, text: str) -> tuple[str, str] | None:
        """Return the first used run of a long text, made as long as possible, and how, or None."""
        matches = list(_WORD.finditer(text))
        all_runs = runs([word[0] for word in matches])
        indexes = [index for index, run_words in enumerate(all_runs) if run_words in self.own_runs]
        indexes = [index for index in indexes if all_runs[index] not in self.earlier_runs]
        between = set[tuple[str, ...]]()
        for part in self.later if indexes else ():
            if not part.is_own:
                between |= part.runs if part.kind == "result" else set()
                continue
            for first in (
                index
                for index in indexes
                if all_runs[index] in part.runs and all_runs[index] not in between
            ):
                last = first
                while last + 1 < len(all_runs) and all_runs[last + 1] in part.runs:
                    last += 1
                return text[matches[first].start() : matches[last + RUN - 1].end()], part.kind
        return None

    def context_of(self, path: Steps) -> Iterator[str]:
        """Yield texts that confirm a weak value: its key, and telling values of its record."""
        key = next((step for step in reversed(path) if isinstance(step, str)), "")
        if key:
            yield f" {_uniform_words(key)} "
        record = self.payload
        for step in path[:-1]:
            record = record[step]
        for name, value in record.items() if is_object(record) else ():
            if name != path[-1] and is_telling(value) and not is_weak(value):
                yield f" {_uniform_words(literal(value))} "


def _is_used(form: str, part: ConversationPart, confirming: set[str] | None) -> bool:
    """Whether a form occurs in a part; if `confirming` is given, next to one of these texts."""
    if confirming is None:
        return occurs(form, part.text)
    for start in positions(form, part.text):
        end = start + len(form)
        before, after = part.text[max(0, start - NEAR) : start], part.text[end : end + NEAR]
        around = (
            f" {_uniform_words(before)} | {_uniform_words(after)} | {_uniform_words(part.around)} "
        )
        if any(name in around for name in confirming):
            return True
    return False


def _uniform_words(text: str) -> str:
    """Return the words of a name or text in lower case, with blanks in between.

    Examples
    --------
    >>> _uniform_words("pullNumber: "), _uniform_words("pull_number")
    ('pull number', 'pull number')
    """
    return _EDGE.sub(" ", text).strip().lower()


def survivals(uses: Iterable[Use], decoded: JsonValue) -> list[bool]:
    """Return, for each use, whether decoded data has its value, or a text with it, at its path.

    Indexes in the path need not be the same.

    Examples
    --------
    >>> use = {"value": "Ann", "form": "Ann", "paths": [["users", 7, "name"]]}
    >>> survivals([use], {"users": [{"name": "Ann"}]})
    [True]
    """
    values_there: dict[tuple[str | None, ...], list[Any]] = {}
    for path, value in _leaves(decoded):
        values_there.setdefault(_path_without_indexes(path), []).append(value)
    return [
        any(
            (value == use["value"] and value is not True)
            or (isinstance(value, str) and isinstance(use["value"], str) and still_has(value, use))
            for path in use["paths"]
            for value in values_there.get(_path_without_indexes(path), ())
        )
        for use in uses
    ]


def _path_without_indexes(path: Iterable[str | int]) -> tuple[str | None, ...]:
    """Return a path with None in place of each index."""
    return tuple(None if isinstance(step, int) else step for step in path)


def still_has(text: str, use: Use) -> bool:
    """Whether a text still has a use: its form, or its whole value.

    A form that is whole words in the value must be whole words in the text, too. For a run of
    words, only the words count, since records may omit case and punctuation.
    """
    form, value = str(use["form"]), literal(use["value"])
    for spelling in (form, value):
        spellings = dict.fromkeys((spelling, dump(spelling)[1:-1], json.dumps(spelling)[1:-1]))
        is_bounded = occurs(spelling, value)
        if any(occurs(written, text) if is_bounded else written in text for written in spellings):
            return True
    return len(words(form)) >= RUN and _bounded_words(form) in _bounded_words(text)


def _bounded_words(text: str) -> str:
    """Return the words of a text or JSON in lower case, with blanks between and around them."""
    return f" {' '.join(words(_ESCAPE.sub(' ', text).lower()))} "

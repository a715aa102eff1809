"""What agents used later of their tools' results, found in recorded runs.

A *run* is a list of messages, in the style of OpenAI (``tool_calls``, role ``tool``) or of
Anthropic (blocks ``tool_use`` and ``tool_result``). A leaf of a result was *used* if its value
stands, bounded by characters of no word, in a later argument or message of the assistant, nowhere
before the result, and in no other result between the result and the use. Left out are true, false,
null, what is empty, texts of fewer than three characters, and values at more than six places. Small
numbers and common words count only with their key, or a telling value of their record, beside them;
texts of more than six words by a run of six words, which may be broken differently.

What that cannot see: nulls and booleans that mattered, values that were computed with or put in
other words, and whether the agent would have fetched what it did not find. The rules err on the
side of fewer uses, as a wrong one rewards keeping what nobody needed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from leaves import leaves, literal

from mckp import tokenizers
from mckp.jsontext import dump, is_array, is_container, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    Record = dict[str, Any]
    Steps = tuple[str | int, ...]

RUN: Final = 6
"""Words in a row that show that a longer text was used."""
PLACES: Final = 6
"""A value at more places than this is left out: which of them was meant cannot be told."""
NEAR: Final = 60
"""Characters before and behind a weak value in which its key or record must stand."""
TELLING: Final = 4
"""Characters from which on a number tells enough by itself."""
LEAST, MOST = 200, 24_000
"""Tokens of compact JSON between which a result is taken."""
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
"""Words that agents write anyway, as they are or with a capital."""

_WORD: Final = re.compile(r"\w+")
_GAP: Final = r"\W+"
_EDGE: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+")


@dataclass(frozen=True, eq=False)
class Event:
    """A part of a run in which values may stand.

    Attributes
    ----------
    kind : str
        ``request`` (of the user or the system), ``message`` or ``argument`` (of the assistant),
        or ``result``.
    text : str
        What it says; of JSON the names and values, a line each.
    around : str
        Of an argument: its name, and the other short arguments of the call with theirs.
    tool, call, payload
        Of a result: who gave it, for which arguments, and its JSON, or None if it is none.
    """

    kind: str
    text: str
    around: str = ""
    tool: str = ""
    call: Any = None
    payload: Any = None

    @cached_property
    def runs(self) -> frozenset[tuple[str, ...]]:
        """All runs of words in it that are long enough to show a use."""
        return frozenset(runs(words(self.text)))

    @property
    def is_own(self) -> bool:
        """Whether the assistant made it."""
        return self.kind in ("message", "argument")

    @property
    def whole(self) -> str:
        """All of it, names included."""
        return f"{self.text}\n{self.around}"


def words(text: str) -> list[str]:
    """Return the words of a text."""
    return _WORD.findall(text)


def runs(found: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the runs of `RUN` words, one for each word they begin with."""
    return [tuple(found[at : at + RUN]) for at in range(len(found) - RUN + 1)]


def is_run(value: object) -> TypeGuard[list[dict[str, Any]]]:
    """Whether this is a list of messages."""
    return is_array(value) and bool(value) and all(is_object(m) and "role" in m for m in value)


def events(messages: Iterable[dict[str, Any]]) -> list[Event]:
    """Return what a run says, part by part.

    Examples
    --------
    >>> call = {"id": "1", "function": {"name": "get", "arguments": '{"id": 7}'}}
    >>> run = [{"role": "user", "content": "Go"}, {"role": "assistant", "tool_calls": [call]}]
    >>> [(event.kind, event.text) for event in events(run)]
    [('request', 'Go'), ('argument', '7')]
    """
    found: list[Event] = []
    calls: dict[str, tuple[str, Any]] = {}
    for message in messages:
        if message["role"] == "tool":
            tool, call = calls.get(message.get("tool_call_id", ""), (message.get("name", ""), None))
            found.append(_result(tool, call, message.get("content")))
            continue
        kind = "message" if message["role"] == "assistant" else "request"
        content: Any = message.get("content") or ()
        for block in [content] if isinstance(content, str) else content:
            if isinstance(block, str) or block.get("type") == "text":
                found.append(Event(kind, block if isinstance(block, str) else block["text"]))
            elif block.get("type") == "tool_use":
                calls[block["id"]] = block["name"], block["input"]
                found += _arguments(block["input"])
            elif block.get("type") == "tool_result":
                own = calls.get(block["tool_use_id"], ("", None))
                found.append(_result(*own, block.get("content")))
        asked: Any = message.get("tool_calls") or ()
        for each in asked:
            text = each["function"].get("arguments") or "{}"
            given = _parsed(text)
            given = text if given is None else given
            calls[each["id"]] = each["function"]["name"], given
            found += _arguments(given)
    return found


def _arguments(call: Any) -> Iterator[Event]:
    given = [(" ".join(map(str, path)), literal(leaf)) for path, leaf in leaves(call)]
    short = [f"{name}: {text}" for name, text in given if len(text) <= NEAR]
    for name, text in given:
        others = (line for line in short if line != f"{name}: {text}")
        yield Event("argument", text, "\n".join([name, *others]))


def _result(tool: str, call: Any, content: Any) -> Event:
    if is_array(content) and all(is_object(b) and b.get("type") == "text" for b in content):
        content = "\n".join(block["text"] for block in content)
    payload = _parsed(content) if isinstance(content, str) else content
    if is_object(payload) and payload.get("type") == "text" and "text" in payload:
        # Some clients pass on the block of a protocol as it came.
        content, payload = payload["text"], _parsed(payload["text"])
    text = str(content or "") if payload is None else "\n".join(_said(payload))
    return Event("result", text, tool=tool, call=call, payload=payload)


def _said(value: Any) -> Iterator[str]:
    steps = (step for path, _ in leaves(value) for step in path)
    yield from dict.fromkeys(step for step in steps if isinstance(step, str))
    yield from (literal(leaf) for _, leaf in leaves(value))


def _parsed(text: str) -> Any:
    """Return the object or array that a text is, None if it is none."""
    try:
        found: Any = json.loads(text)
    except ValueError:
        return None
    return found if is_container(found) else None


@cache
def bounded(form: str) -> re.Pattern[str]:
    """Return what finds a form with no character of a word beside it, nor decimals of its number.

    Examples
    --------
    >>> [bool(bounded("12").search(text)) for text in ("id=12.", "x12", "0.12", "12,5")]
    [True, False, False, True]
    """
    number = re.fullmatch(r"-?\d+(\.\d+)?", form)
    before, behind = (r"(?<!\d\.)", r"(?!\.\d)") if number else ("", "")
    return re.compile(rf"(?<!\w){before}{re.escape(form)}(?!\w){behind}")


def places(form: str, text: str) -> Iterator[int]:
    """Yield where a form begins in a text, bounded."""
    at = text.find(form)  # much faster than the pattern, which only judges what is found
    while at >= 0:
        if bounded(form).match(text, at):
            yield at
        at = text.find(form, at + 1)


def stands(form: str, text: str) -> bool:
    """Whether a form stands in a text, bounded."""
    return any(True for _ in places(form, text))


def is_telling(value: Any) -> bool:
    """Whether a value is worth looking for at all.

    Examples
    --------
    >>> [is_telling(value) for value in (None, True, "", "ab", [], "abc", 0)]
    [False, False, False, False, False, True, True]
    """
    if isinstance(value, str):
        return len(value.strip()) >= 3
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_weak(value: Any) -> bool:
    """Whether a value says nothing without its key or record: a small number, a common word.

    Examples
    --------
    >>> [is_weak(value) for value in (42, 4200, "404", "Open", "KSC")]
    [True, False, True, True, False]
    """
    text = literal(value)
    if not isinstance(value, str) or text.isdigit():
        return len(text.lstrip("-")) < TELLING
    return text.lower() in COMMON


def used(run: Sequence[Event], at: int) -> list[dict[str, Any]]:
    """Return what was used of one result of a run.

    Parameters
    ----------
    run : sequence of Event
        All of the run.
    at : int
        Which of its events is the result.

    Returns
    -------
    list of dict
        For each use the ``value``, its ``paths``, the ``form`` that must survive (of a long text
        the run of words), and ``how``: as an ``argument`` or in a ``message``.
    """
    payload = run[at].payload
    places: dict[str, tuple[Any, list[Steps]]] = {}
    for path, value in leaves(payload):
        if is_telling(value):
            places.setdefault(dump(value), (value, []))[1].append(path)
    search = _Search(run, at)
    found: list[dict[str, Any]] = []
    for value, paths in places.values():
        use = search.use(value, paths) if len(paths) <= PLACES else None
        if use:
            form, how = use
            found.append(
                {"value": value, "form": form, "paths": list(map(list, paths)), "how": how}
            )
    return found


class _Search:
    """Looks for values of one result in what comes after it."""

    def __init__(self, run: Sequence[Event], at: int) -> None:
        self.payload = run[at].payload
        self.earlier = "\n".join(event.whole for event in run[:at])
        self.later = run[at + 1 :]
        own = [event for event in self.later if event.is_own]
        self.own = "\n".join(event.text for event in own)
        self.own_runs = frozenset[tuple[str, ...]]().union(*(event.runs for event in own))

    def use(self, value: Any, paths: Sequence[Steps]) -> tuple[str, str] | None:
        """Return the form in which a value is first used, and how; None if it is not."""
        form = literal(value)
        if isinstance(value, str) and len(words(value)) > RUN:
            return self.long_use(form)
        if not stands(form, self.own) or stands(form, self.earlier):
            return None
        near = {name for path in paths for name in self.beside(path)} if is_weak(value) else None
        for event in self.later:
            if event.is_own and _is_used(form, event, near):
                return form, event.kind
            if event.kind == "result" and stands(form, event.text):
                return None
        return None

    def long_use(self, text: str) -> tuple[str, str] | None:
        """Return the first run of a long text that is used, as long as it goes on."""
        found = list(_WORD.finditer(text))
        every = runs([word[0] for word in found])
        known = [n for n, own in enumerate(every) if own in self.own_runs]
        between = [self.earlier]
        for event in self.later if known else ():
            if not event.is_own:
                between += [event.text] if event.kind == "result" else []
                continue
            for first in (n for n in known if every[n] in event.runs):
                pattern = re.compile(rf"\b{_GAP.join(every[first])}\b")
                if any(pattern.search(each) for each in between):
                    continue
                last = first
                while last + 1 < len(every) and every[last + 1] in event.runs:
                    last += 1
                return text[found[first].start() : found[last + RUN - 1].end()], event.kind
        return None

    def beside(self, path: Steps) -> Iterator[str]:
        """Yield what shows that a weak value is meant: its key, and telling values beside it."""
        key = next((step for step in reversed(path) if isinstance(step, str)), "")
        if key:
            yield f" {_names(key)} "
        record = self.payload
        for step in path[:-1]:
            record = record[step]
        for name, value in record.items() if is_object(record) else ():
            if name != path[-1] and is_telling(value) and not is_weak(value):
                yield f" {_names(literal(value))} "


def _is_used(form: str, event: Event, near: set[str] | None) -> bool:
    """Whether a form stands in an event, with one of some texts beside it if there are any."""
    if near is None:
        return stands(form, event.text)
    for start in places(form, event.text):
        end = start + len(form)
        before, behind = event.text[max(0, start - NEAR) : start], event.text[end : end + NEAR]
        around = f" {_names(before)} | {_names(behind)} | {_names(event.around)} "
        if any(each in around for each in near):
            return True
    return False


def _names(text: str) -> str:
    """Return the words of a name or a text alike, however it writes them.

    Examples
    --------
    >>> _names("pullNumber: "), _names("pull_number")
    ('pull number', 'pull number')
    """
    return _EDGE.sub(" ", text).strip().lower()


def found_in(messages: Sequence[dict[str, Any]], source: str, task: str) -> Iterator[Record]:
    """Yield a record for each result of a run of which something was used."""
    run, count = events(messages), tokenizers.get("o200k").count
    for at, event in enumerate(run):
        if event.kind != "result" or event.payload is None:
            continue
        tokens = count(dump(event.payload))
        uses = used(run, at) if LEAST <= tokens <= MOST else []
        if uses:
            said = {each.kind: each.text for each in run[:at]}
            yield {
                "id": sha256(f"{task} {at} {event.text}".encode()).hexdigest()[:12],
                "source": source,
                "task": task,
                "tool": event.tool,
                "tokens": tokens,
                "call": event.call,
                "user": said.get("request", ""),
                "said": said.get("message", ""),
                "used": uses,
                "payload": event.payload,
            }


def read(paths: Iterable[Path]) -> Iterator[Record]:
    """Yield the records of files and folders: those that are ready, and those found in runs.

    A file is JSON, or JSON lines; a run may stand anywhere in it, as lines that are one message
    each too. What stands beside a run as ``task_id``, ``task`` or ``id`` names its task.
    """
    for path in paths:
        files = sorted(path.rglob("*.json*")) if path.is_dir() else [path]
        for file in files:
            if file.suffix in (".json", ".jsonl"):
                yield from _of_file(file, path.name if path.is_dir() else file.stem)


def _of_file(file: Path, source: str) -> Iterator[Record]:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".jsonl":
        value: Any = [json.loads(line) for line in text.split("\n") if line.strip()]
    else:
        value = json.loads(text)
    for number, (found, task) in enumerate(_searched(value, None)):
        if is_object(found):
            yield found
        else:
            named = f"{file.stem}/{number}" if task is None else task
            yield from found_in(found, source, f"{source}/{named}")


def _searched(value: Any, task: object) -> Iterator[tuple[Any, object]]:
    """Yield each record and each run within a value, with the name of its task."""
    if is_run(value) or (is_object(value) and "payload" in value and "used" in value):
        yield value, task
    elif is_object(value):
        names = (value[name] for name in ("task_id", "task", "id") if name in value)
        own = next((name for name in names if isinstance(name, str | int)), task)
        system = value.get("system")
        for child in value.values():
            if is_run(child) and isinstance(system, str):
                yield [{"role": "system", "content": system}, *child], own
            else:
                yield from _searched(child, own)
    elif is_array(value):
        for child in value:
            yield from _searched(child, task)

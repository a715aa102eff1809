"""Data in strings: JSON or CSV in a JSON string, as clients log and deliver results.

The strings at a place are data if all are exactly in one spelling of JSON, or in one other form;
see `mckp.parsers.spelling` and `mckp.parsers.forms`. In the tree of a document the data replace the
strings, so they are treated like all other data, under a path such as ``$.text.builds[23].job``. A
line above the text lists the places, and `mckp.decode` turns the data into strings again::

    > [JSON: text, log[*].body indent=2 ascii; CSV: report; job<status]

A place is a path from the root, with ``[*]`` for all items of an array and ``.*`` for all members
of an object. Other values at such a place stay as they are: numbers, or strings that are not data.
The document itself has no array or object at such a place, so none is mistaken for a string. The
moves that restore the order of members follow the places; see `mckp.parsers.moves`.
"""

from __future__ import annotations

import json
from collections import Counter
from enum import Enum
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from mckp.errors import ParseError
from mckp.jsontext import (
    MAX_DEPTH,
    STRING,
    JsonValue,
    depth_of,
    dump_bytes,
    is_array,
    is_container,
    is_object,
    may_hold_data,
    step_text,
)
from mckp.parsers.detect import DocumentKind, detect
from mckp.parsers.forms import NAMES, WORD, Form, data_of, read_form
from mckp.parsers.moves import MOVES, Move, moves_to, read_moves, reorder
from mckp.parsers.spelling import Spelling, common_spelling, may_be_data, read_spelling
from mckp.regexes import regex
from mckp.tree import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mckp.tree import TreeNode


class Every(Enum):
    """A step that matches all items, or all members."""

    ITEM = "[*]"
    MEMBER = ".*"


Step: TypeAlias = str | Every
Steps: TypeAlias = tuple[Step, ...]

ROUNDS: Final = 8
"""Levels of strings within strings that are opened."""

MOST_PLACES: Final = 6
"""Most places that a line names; strings at other places stay strings."""

FEWEST_NAMES: Final = 3
"""From this number of members with data in one object on, ``.*`` stands for their names."""

LONGEST_PLACE: Final = 120
"""Most characters of a place."""

FEWEST_QUOTES: Final = 6
FEWEST_CHARACTERS: Final = 400
"""The strings of a place must have this in all, so that the line above is worth its tokens."""

SHORTEST_TEXT: Final = 60
"""Fewest characters of a string of several lines that may be data in a form other than JSON."""

LONGEST_LINE: Final = 2000
"""Most characters of the line above a text."""

JSON: Final = "JSON"
_GROUP: Final = regex(rf"({'|'.join([*NAMES, JSON])}): (.+)")
_MOVES: Final = regex(MOVES)
_PART: Final = regex(rf'(?:^|; )((?:{STRING}|(?!; )[^"])+)')
"""A part of the line above a text; semicolons separate them, except within names."""
_ONE_STEP: Final = rf"\.\*|\[\*\]|\.[^\W\d]\w*|\[{STRING}\]"
_STEP: Final = regex(_ONE_STEP)
_PLACE: Final = regex(
    rf"(\$|[^\W\d]\w*(?:{_ONE_STEP})*|\*(?:{_ONE_STEP})*|(?:{_ONE_STEP})+)((?: {WORD})*)"
)


class EmbeddedPlace(NamedTuple):
    """A place at which strings are data, and how they are written."""

    steps: Steps
    how: Spelling | Form

    @property
    def group(self) -> str:
        """The label before places of this form: ``JSON``, or the name of the form."""
        return JSON if isinstance(self.how, Spelling) else self.how.name

    def __str__(self) -> str:
        path = "".join(s.value if isinstance(s, Every) else step_text(s) for s in self.steps)
        words = str(self.how) if isinstance(self.how, Spelling) else " ".join(self.how.words)
        return f"{path.removeprefix('.') or '$'} {words}".rstrip()


class Embedding(NamedTuple):
    """All places of a document at which strings are data, outer places before inner ones."""

    places: tuple[EmbeddedPlace, ...]
    moves: tuple[Move, ...] = ()
    form: Form | None = None
    """The form of the document, if it is a text that is data."""

    @property
    def line(self) -> str:
        """The line above a text, with its line feed."""
        parts = [] if self.form is None else [str(self.form)]
        for group, places in groupby(self.places, lambda place: place.group):
            parts.append(f"{group}: {', '.join(map(str, places))}")
        if self.moves:
            parts.append(" ".join(map(str, self.moves)))
        return f"> [{'; '.join(parts)}]\n"

    @property
    def roots(self) -> tuple[tuple[str | None, ...], ...]:
        """The paths at which data from strings begin, and ``data`` if it has text around it.

        In a path, ``*`` is any index and None any name.
        """
        paths = [tuple(map(_name_or_wildcard, place.steps)) for place in self.places]
        is_around = self.form is not None and self.form.is_around
        return (*paths, ("data",)) if is_around else tuple(paths)

    def restore(self, value: JsonValue) -> JsonValue:
        """Return data with strings in place of the data from them.

        If the document is a text that is data, return that text. Data that cannot be written in
        the form of their place raise a `ParseError`.
        """
        value = _restore(value, self.places, self.moves)
        return value if self.form is None else self.form.write(reorder(value, self.moves))

    def with_moves(self, value: JsonValue, wanted: JsonValue) -> Embedding | None:
        """Return the embedding with moves that bring the members of `value` into `wanted`'s order.

        The two values are equal but for this order. Return None if moves cannot restore it, if too
        many are needed, or if the line would be too long.
        """
        form, pairs = self.form, list[tuple[JsonValue, JsonValue]]()
        if form is not None:
            pairs.append((form.ordered_part(value), form.ordered_part(wanted)))
        if form is None or form.is_around:  # the text around may have strings with data as well
            pairs += _string_pairs(value, wanted, self.places)
        moves = moves_to(pairs)
        if moves is None:
            return None
        embedding = self._replace(moves=moves)
        return embedding if read_embedding(embedding.line[:-1]) == embedding else None


def _name_or_wildcard(step: Step) -> str | None:
    """Return a step of a root: ``*`` for any index, None for any name, else the name."""
    return "*" if step is Every.ITEM else None if step is Every.MEMBER else step


def read_embedding(line: str) -> Embedding | None:
    r"""Parse the line above a text that lists embedded data; return None for any other line.

    Examples
    --------
    >>> embedding = read_embedding("> [JSON: text, log[*].body indent=2]")
    >>> embedding.restore({"text": [1, "a"], "log": [{"id": 1, "body": {"a": 1}}]})
    {'text': '[1,"a"]', 'log': [{'id': 1, 'body': '{\n  "a": 1\n}'}]}
    """
    if not line.startswith("> [") or not line.endswith("]") or len(line) > LONGEST_LINE:
        return None
    parts = _PART.findall(line[3:-1])
    form = read_form(parts[0]) if parts else None
    moves = read_moves(parts.pop()) if len(parts) > 1 and _MOVES.fullmatch(parts[-1]) else ()
    places: list[EmbeddedPlace] = []
    for part in parts[form is not None :]:
        group = _GROUP.fullmatch(part)
        group_places = None if group is None else _read_places(*group.groups())
        if group_places is None:
            return None
        places += group_places
    embedding = Embedding(tuple(places), moves, form)
    return embedding if (places or form) and embedding.line == f"{line}\n" else None


def _read_places(group: str, text: str) -> list[EmbeddedPlace] | None:
    """Parse the places after the label of a group, separated by commas; None for other texts."""
    places: list[EmbeddedPlace] = []
    start = 0
    while start < len(text):
        match = _PLACE.match(text, start)
        if match is None:
            return None
        words = match[2].strip()
        how = read_spelling(words) if group == JSON else read_form(f"{group} {words}".rstrip())
        if how is None:
            return None
        places.append(EmbeddedPlace(_read_steps(match[1]), how))
        start = match.end() + len(", ")
    return places


def _read_steps(path: str) -> Steps:
    """Parse the path of a place, such as ``log[*].body``, into its steps."""
    text = "" if path == "$" else path if path[0] in ".[" else f".{path}"
    steps: list[Step] = []
    for match in _STEP.finditer(text):
        part = match[0]
        if part in (Every.ITEM.value, Every.MEMBER.value):
            steps.append(Every(part))
        else:
            steps.append(part[1:] if part[0] == "." else str(json.loads(part[1:-1], strict=False)))
    return tuple(steps)


def extract(value: JsonValue) -> tuple[JsonValue, Embedding | None]:
    r"""Return data with embedded data in place of strings, and the `Embedding`.

    The argument is not changed. If there are no embedded data, or if the strings could not be
    restored exactly, return it and None.

    Examples
    --------
    >>> value, embedding = extract({"type": "text", "text": '{"id":1,"tags":["a","b","c"]}'})
    >>> value, embedding.line
    ({'type': 'text', 'text': {'id': 1, 'tags': ['a', 'b', 'c']}}, '> [JSON: text]\n')
    """
    return _extract(value, None)


def embedding_of(value: JsonValue, form: Form) -> tuple[JsonValue, Embedding | None]:
    """Return the data of a text in a form, with the data of its strings, and the `Embedding`.

    The latter is None if it would not restore the text.
    """
    return _extract(value, form)


def extract_from_text(text: str) -> tuple[JsonValue, Embedding | None]:
    r"""Return the data of a text and the `Embedding` that restores the text, or two Nones.

    Examples
    --------
    >>> extract_from_text('{"a":1}\n{"a":2}\n')[1].line, extract_from_text("a line")
    ('> [JSON lines]\n', (None, None))
    """
    value_and_form = data_of(text)
    if value_and_form is None:
        return None, None
    value, embedding = _extract(*value_and_form)
    return (value, embedding) if embedding else (None, None)


def extract_from_tree(tree: TreeNode) -> tuple[JsonValue, Embedding | None]:
    r"""Return the data of a document and the `Embedding` that restores it.

    The latter is None if nothing is embedded, and both are None if a text is not data. Nor is a
    text that was parsed as Markdown only because the caller named this kind.

    Examples
    --------
    >>> from mckp.parsers import parse
    >>> [extract_from_tree(parse("a,b\n1,2\n3,4", kind))[0] for kind in ("text", "markdown")]
    [[{'a': 1, 'b': 2}, {'a': 3, 'b': 4}], None]
    """
    if tree.is_json:
        return extract(tree.value)
    source = tree.source or ""
    data, embedding = extract_from_text(source)
    if embedding is None:
        return None, None
    is_named = tree.kind is Kind.DOCUMENT and detect(source) is not DocumentKind.MARKDOWN
    return (None, None) if is_named else (data, embedding)


def _extract(value: JsonValue, form: Form | None) -> tuple[JsonValue, Embedding | None]:
    """Return data with embedded data in place of strings, and the `Embedding`.

    `form` is the form of the text that the data come from, if any. If the embedding would not
    restore the data, or if there is nothing to restore, return the data unchanged and None.
    """
    if form is None and not _may_contain_data(value):
        return value, None
    original, places = value, list[EmbeddedPlace]()
    new_data: list[tuple[Steps, JsonValue]] = [((), value)]
    for _ in range(ROUNDS):
        strings = _Strings()
        for steps, item in new_data:
            strings.collect(item, steps)
        new_places = strings.places(MOST_PLACES - len(places))
        if not new_places:
            break
        opener = _StringOpener()
        value = opener.open_strings(value, new_places, 0)
        new_data = opener.opened
        places += [place for place in new_places if place.steps in opener.used]
    groups = list(dict.fromkeys(place.group for place in places))
    places.sort(key=lambda place: groups.index(place.group))
    embedding = Embedding(tuple(places), (), form)
    is_readable = (places or form) and read_embedding(embedding.line[:-1]) == embedding
    without_form = embedding._replace(form=None)
    if is_readable and _is_restored(without_form, value, original):
        return value, embedding
    return original, None


def _is_restored(embedding: Embedding, value: JsonValue, original: JsonValue) -> bool:
    """Whether restoring the strings gives the original data, with members in the same order."""
    try:
        return dump_bytes(embedding.restore(value)) == dump_bytes(original)
    except ParseError:  # data at the same place that were no string do not fit the form
        return False


def _may_contain_data(value: JsonValue) -> bool:
    """Whether a string in a value may be data, by a cheap check of the value's JSON text."""
    if isinstance(value, str):
        return _may_be_data_in_any_form(value)
    return is_container(value) and may_hold_data(value)


def _may_be_data_in_any_form(text: str) -> bool:
    """Whether a string may be JSON, or several lines in another form, by a cheap check."""
    return may_be_data(text) or (len(text) >= SHORTEST_TEXT and "\n" in text)


def _common_spelling_or_form(strings: Sequence[str]) -> Spelling | Form | None:
    """Return the spelling that strings share, else the form of the first one, or None.

    None means that the strings are not data.
    """
    if (spelling := common_spelling(strings)) is not None:
        return spelling
    if len(strings[0]) < SHORTEST_TEXT:
        return None
    value_and_form = data_of(strings[0])
    return None if value_and_form is None else value_and_form[1]


class _Strings:
    """The strings of a document that may be data, by place, and the places of containers."""

    def __init__(self) -> None:
        self.strings: dict[Steps, list[str]] = {}
        self.containers: set[Steps] = set()

    def collect(self, value: JsonValue, steps: Steps) -> None:
        """Add the strings and containers in a value, which is at the place `steps`."""
        pending: list[tuple[Steps, JsonValue]] = [(steps, value)]
        if isinstance(value, str):
            self.strings.setdefault(steps, []).append(value)
        while pending:
            path, container = pending.pop()
            if is_object(container):
                children = [((*path, key), child) for key, child in container.items() if child]
            elif is_array(container):
                item = (*path, Every.ITEM)
                children = [(item, child) for child in container]
            else:
                continue
            for place, child in children:
                if isinstance(child, str):
                    if _may_be_data_in_any_form(child):
                        self.strings.setdefault(place, []).append(child)
                elif is_container(child):
                    self.containers.add(place)
                    pending.append((place, child))

    def places(self, most: int) -> list[EmbeddedPlace]:
        """Return at most `most` places at which strings may be data, those with most text first.

        Left out are places with too little text or too long a path, and places of containers.
        """
        candidates: list[EmbeddedPlace] = []
        for steps, strings in self.strings.items():
            if (
                steps not in self.containers
                and (how := _common_spelling_or_form(strings)) is not None
            ):
                candidates.append(EmbeddedPlace(steps, how))
        paths = _Paths(self.strings)
        sizes: dict[Steps, int] = {}
        worthwhile: list[EmbeddedPlace] = []
        for place in self._merge_alike(candidates):
            texts = [text for steps in paths.matches(place.steps) for text in self.strings[steps]]
            size = sizes[place.steps] = sum(map(len, texts))
            is_worthwhile = (
                size >= FEWEST_CHARACTERS or sum(t.count('"') for t in texts) >= FEWEST_QUOTES
            )
            if is_worthwhile and len(str(place)) <= LONGEST_PLACE:
                worthwhile.append(place)
        return sorted(worthwhile, key=lambda place: -sizes[place.steps])[: max(0, most)]

    def _merge_alike(self, places: list[EmbeddedPlace]) -> list[EmbeddedPlace]:
        """Return the places, with a wildcard place for several that differ only in one name.

        There is none if it would also match a container, or strings of another form.
        """
        containers, refused = _Paths(self.containers), set[Steps]()
        while True:
            counts: Counter[EmbeddedPlace] = Counter()
            for place in places:
                for at, step in enumerate(place.steps):
                    if isinstance(step, str):
                        wildcard_steps = (*place.steps[:at], Every.MEMBER, *place.steps[at + 1 :])
                        counts[EmbeddedPlace(wildcard_steps, place.how)] += 1
            how_at = {place.steps: place.how for place in places}
            paths, merged, replaced = _Paths(how_at), list[EmbeddedPlace](), set[Steps]()
            for place, count in counts.most_common():
                if count < FEWEST_NAMES or place.steps in refused:
                    continue
                covered = paths.matches(place.steps)
                if containers.matches(place.steps) or any(how_at[s] != place.how for s in covered):
                    refused.add(place.steps)
                elif replaced.isdisjoint(covered):  # otherwise a later round merges it
                    replaced.update(covered)
                    merged.append(place)
            if not merged:
                return places
            places = [*(place for place in places if place.steps not in replaced), *merged]


class _Paths:
    """An index of paths, for looking up those that a path with wildcards matches."""

    def __init__(self, paths: Iterable[Steps]) -> None:
        self._paths = list(paths)
        self._by_wildcards: dict[tuple[int, ...], dict[Steps, list[Steps]]] = {}
        """For the indexes of wildcards in a pattern, the paths that each such pattern matches."""

    def matches(self, pattern: Steps) -> list[Steps]:
        """Return the indexed paths that match a path in which ``.*`` matches any name."""
        wildcard_indexes = tuple(
            number for number, step in enumerate(pattern) if step is Every.MEMBER
        )
        if wildcard_indexes not in self._by_wildcards:
            by_pattern = self._by_wildcards[wildcard_indexes] = {}
            for path in self._paths:
                if len(path) > max(wildcard_indexes, default=-1) and all(
                    path[n] is not Every.ITEM for n in wildcard_indexes
                ):
                    key = tuple(
                        Every.MEMBER if n in wildcard_indexes else step
                        for n, step in enumerate(path)
                    )
                    by_pattern.setdefault(key, []).append(path)
        return self._by_wildcards[wildcard_indexes].get(pattern, [])


def _places_with(places: Iterable[EmbeddedPlace], key: str | int, at: int) -> list[EmbeddedPlace]:
    """Return the places in which step number `at` matches a name or an index."""
    wildcard = Every.ITEM if isinstance(key, int) else Every.MEMBER
    return [
        place for place in places if len(place.steps) > at and place.steps[at] in (key, wildcard)
    ]


def _children_with_places(
    value: JsonValue, places: Sequence[EmbeddedPlace], at: int
) -> Iterator[tuple[str | int, JsonValue, list[EmbeddedPlace]]]:
    """Yield the children of a container that match step number `at` of a place.

    Each comes with its name or index, and with the places whose step it matches.
    """
    ahead = [place for place in places if len(place.steps) > at]
    if is_array(value):
        if matching := _places_with(ahead, 0, at):
            yield from ((index, item, matching) for index, item in enumerate(value))
    elif is_object(value) and ahead:
        steps = dict.fromkeys(place.steps[at] for place in ahead)
        names = value if Every.MEMBER in steps else [step for step in steps if step in value]
        for name in map(str, names):
            if matching := _places_with(ahead, name, at):
                yield name, value[name], matching


def _with_children(value: JsonValue, children: Mapping[str | int, JsonValue]) -> JsonValue:
    """Return a copy of a container in which some children are replaced; itself if none are."""
    if not children:
        return value
    if is_object(value):
        members: dict[str, JsonValue] = {**value}
        for name, child in children.items():
            members[str(name)] = child
        return members
    items: list[JsonValue] = [*value] if is_array(value) else []
    for index, child in children.items():
        items[int(index)] = child
    return items


def _restore(
    value: JsonValue, places: Sequence[EmbeddedPlace], moves: Sequence[Move], at: int = 0
) -> JsonValue:
    """Return a value with strings in place of the data from them.

    The value is `at` steps below the root, where all `places` match the steps to it.
    """
    restored: dict[str | int, JsonValue] = {}
    for key, child, below in _children_with_places(value, places, at):
        if is_container(child):
            new_child = _restore(child, below, moves, at + 1)
            if new_child is not child:
                restored[key] = new_child
    value = _with_children(value, restored)
    if is_container(value):
        for place in places:
            if len(place.steps) == at:
                return place.how.write(reorder(value, moves))
    return value


def _string_pairs(
    first: JsonValue, second: JsonValue, places: Sequence[EmbeddedPlace], at: int = 0
) -> Iterator[tuple[JsonValue, JsonValue]]:
    """Yield pairs of the outermost containers that replace strings in two equal values.

    The order of members may differ.
    """
    if not is_container(first):
        return
    if any(len(place.steps) == at for place in places):
        yield first, second
        return
    second_children = {key: child for key, child, _ in _children_with_places(second, places, at)}
    for key, child, below in _children_with_places(first, places, at):
        yield from _string_pairs(child, second_children[key], below, at + 1)


class _StringOpener:
    """Replaces the strings at the places by their data."""

    def __init__(self) -> None:
        self.opened: list[tuple[Steps, JsonValue]] = []
        """The data from each string that was replaced, with the steps of its place."""
        self.used: set[Steps] = set()
        """The steps of the places at which a string was replaced."""

    def open_strings(self, value: JsonValue, places: Sequence[EmbeddedPlace], at: int) -> JsonValue:
        """Return a value with data in place of strings.

        The value is `at` steps below the root, where all `places` match the steps to it.
        """
        if isinstance(value, str):
            return self._data_or_string(value, places, at)
        replaced: dict[str | int, JsonValue] = {}
        for key, child, below in _children_with_places(value, places, at):
            new_child = self.open_strings(child, below, at + 1)
            if new_child is not child:
                replaced[key] = new_child
        return _with_children(value, replaced)

    def _data_or_string(self, text: str, places: Sequence[EmbeddedPlace], at: int) -> JsonValue:
        """Return the data of a string at one of the places, else the string itself."""
        for place in places:
            if len(place.steps) == at:
                value = place.how.read(text)
                if value is not None and at + depth_of(value) <= MAX_DEPTH:
                    self.opened.append((place.steps, value))
                    self.used.add(place.steps)
                    return value
        return text

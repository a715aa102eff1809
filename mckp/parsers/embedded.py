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
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from mckp.errors import ParseError
from mckp.jsontext import MAX_DEPTH, STRING, depth_of, dump_bytes, is_array, is_container, is_object
from mckp.jsontext import step as step_text
from mckp.parsers.forms import NAMES, WORD, Form, data_of, read_form
from mckp.parsers.moves import MOVES, Move, moves_to, read_moves, reorder
from mckp.parsers.spelling import Spelling, common_spelling, may_be_data, read_spelling
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


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
        """The label before places of this form."""
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
        """The paths of data from strings or texts: ``*`` for any index, None for any name."""
        paths = [tuple(map(_as_name, place.steps)) for place in self.places]
        is_around = self.form is not None and self.form.is_around
        return (*paths, ("data",)) if is_around else tuple(paths)

    def restore(self, value: Any) -> Any:
        """Return data with its strings again, or the original text if that was data."""
        value = _restore(value, self.places, self.moves)
        return value if self.form is None else self.form.write(reorder(value, self.moves))

    def with_moves(self, value: Any, wanted: Any) -> Embedding | None:
        """Return the embedding with the moves that give `value` the order of members of `wanted`.

        Return None if moves cannot do it, if too many are needed, or if the line would be too long.
        """
        form, pairs = self.form, list[tuple[Any, Any]]()
        if form is not None:
            pairs.append((form.with_order(value), form.with_order(wanted)))
        if form is None or form.is_around:  # the text around may have strings with data as well
            pairs += _string_pairs(value, wanted, self.places)
        moves = moves_to(pairs)
        if moves is None:
            return None
        made = self._replace(moves=moves)
        return made if read_embedding(made.line[:-1]) == made else None


def _as_name(step: Step) -> str | None:
    return "*" if step is Every.ITEM else None if step is Every.MEMBER else step


def read_embedding(line: str) -> Embedding | None:
    r"""Parse the line above a text that lists embedded data; return None for any other line.

    Examples
    --------
    >>> found = read_embedding("> [JSON: text, log[*].body indent=2]")
    >>> found.restore({"text": [1, "a"], "log": [{"id": 1, "body": {"a": 1}}]})
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
    made = Embedding(tuple(places), moves, form)
    return made if (places or form) and made.line == f"{line}\n" else None


def _read_places(group: str, text: str) -> list[EmbeddedPlace] | None:
    places: list[EmbeddedPlace] = []
    at = 0
    while at < len(text):
        match = _PLACE.match(text, at)
        if match is None:
            return None
        words = match[2].strip()
        how = read_spelling(words) if group == JSON else read_form(f"{group} {words}".rstrip())
        if how is None:
            return None
        places.append(EmbeddedPlace(_read_steps(match[1]), how))
        at = match.end() + len(", ")
    return places


def _read_steps(path: str) -> Steps:
    text = "" if path == "$" else path if path[0] in ".[" else f".{path}"
    steps: list[Step] = []
    for match in _STEP.finditer(text):
        part = match[0]
        if part in (Every.ITEM.value, Every.MEMBER.value):
            steps.append(Every(part))
        else:
            steps.append(part[1:] if part[0] == "." else str(json.loads(part[1:-1], strict=False)))
    return tuple(steps)


def extract(value: Any) -> tuple[Any, Embedding | None]:
    r"""Return a copy of data with embedded data in place of strings, and the `Embedding`.

    If there are none, return the data itself and None.

    Examples
    --------
    >>> value, embedding = extract({"type": "text", "text": '{"id":1,"tags":["a","b","c"]}'})
    >>> value, embedding.line
    ({'type': 'text', 'text': {'id': 1, 'tags': ['a', 'b', 'c']}}, '> [JSON: text]\n')
    """
    return _extract(value, None)


def extract_from_text(text: str) -> tuple[Any, Embedding | None]:
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


def _extract(value: Any, form: Form | None) -> tuple[Any, Embedding | None]:
    if form is None and not _may_hold_data(value):
        return value, None
    original, places = value, list[EmbeddedPlace]()
    inside: list[tuple[Steps, Any]] = [((), value)]
    for _ in range(ROUNDS):
        strings_found = _Strings()
        for steps, item in inside:
            strings_found.collect(item, steps)
        new_places = strings_found.places(MOST_PLACES - len(places))
        if not new_places:
            break
        opening = _Opening(new_places)
        value = opening.open_strings(value, new_places, 0)
        inside = opening.inside
        places += [place for place in new_places if place.steps in opening.lengths]
    groups = list(dict.fromkeys(place.group for place in places))
    places.sort(key=lambda place: groups.index(place.group))
    embedding = Embedding(tuple(places), (), form)
    is_proved = (places or form) and read_embedding(embedding.line[:-1]) == embedding
    strings = embedding._replace(form=None)
    if is_proved and _is_restored(strings, value, original):
        return value, embedding
    return original, None


def _is_restored(embedding: Embedding, value: Any, original: Any) -> bool:
    """Whether data with their strings again are the original, in the same order."""
    try:
        return dump_bytes(embedding.restore(value)) == dump_bytes(original)
    except ParseError:  # a place is that of other data, too, which have another form
        return False


def _may_hold_data(value: Any) -> bool:
    if isinstance(value, str):
        return _may_be_any_data(value)
    if not is_container(value):
        return False
    text = dump_bytes(value)
    return b'"{' in text or b'"[' in text or b"\\n" in text


def _may_be_any_data(text: str) -> bool:
    """Whether a string may be data, by a cheap check."""
    return may_be_data(text) or (len(text) >= SHORTEST_TEXT and "\n" in text)


def _find_how(strings: Sequence[str]) -> Spelling | Form | None:
    """Return how strings of data are written, or None if they are not data."""
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

    def collect(self, value: Any, steps: Steps) -> None:
        """Add the strings and containers in a value."""
        ahead: list[tuple[Steps, Any]] = [(steps, value)]
        if isinstance(value, str):
            self.strings.setdefault(steps, []).append(value)
        while ahead:
            path, inner = ahead.pop()
            if is_object(inner):
                below = [((*path, key), child) for key, child in inner.items() if child]
            elif is_array(inner):
                item = (*path, Every.ITEM)
                below = [(item, child) for child in inner]
            else:
                continue
            for place, child in below:
                if isinstance(child, str):
                    if _may_be_any_data(child):
                        self.strings.setdefault(place, []).append(child)
                elif is_container(child):
                    self.containers.add(place)
                    ahead.append((place, child))

    def places(self, most: int) -> list[EmbeddedPlace]:
        """Return up to `most` places at which strings are data, those with the most text first."""
        candidates: list[EmbeddedPlace] = []
        for steps, strings in self.strings.items():
            if steps not in self.containers and (how := _find_how(strings)) is not None:
                candidates.append(EmbeddedPlace(steps, how))
        known = _Paths(self.strings)
        sizes: dict[Steps, int] = {}
        paying: list[EmbeddedPlace] = []
        for place in self._merge(candidates):
            texts = [text for steps in known.matches(place.steps) for text in self.strings[steps]]
            size = sizes[place.steps] = sum(map(len, texts))
            pays = size >= FEWEST_CHARACTERS or sum(t.count('"') for t in texts) >= FEWEST_QUOTES
            if pays and len(str(place)) <= LONGEST_PLACE:
                paying.append(place)
        return sorted(paying, key=lambda place: -sizes[place.steps])[: max(0, most)]

    def _merge(self, places: list[EmbeddedPlace]) -> list[EmbeddedPlace]:
        """Return places, with one wildcard place for several that differ only in one name."""
        containers, refused = _Paths(self.containers), set[Steps]()
        while True:
            alike: Counter[EmbeddedPlace] = Counter()
            for place in places:
                for at, step in enumerate(place.steps):
                    if isinstance(step, str):
                        wide = (*place.steps[:at], Every.MEMBER, *place.steps[at + 1 :])
                        alike[EmbeddedPlace(wide, place.how)] += 1
            hows = {place.steps: place.how for place in places}
            known, merged, gone = _Paths(hows), list[EmbeddedPlace](), set[Steps]()
            for place, count in alike.most_common():
                if count < FEWEST_NAMES or place.steps in refused:
                    continue
                covered = known.matches(place.steps)
                if containers.matches(place.steps) or any(hows[s] != place.how for s in covered):
                    refused.add(place.steps)
                elif gone.isdisjoint(covered):  # otherwise it waits for the next round
                    gone.update(covered)
                    merged.append(place)
            if not merged:
                return places
            places = [*(place for place in places if place.steps not in gone), *merged]


class _Paths:
    """Paths, to be looked up by paths with wildcards."""

    def __init__(self, paths: Iterable[Steps]) -> None:
        self._paths = list(paths)
        self._known: dict[tuple[int, ...], dict[Steps, list[Steps]]] = {}

    def matches(self, wide: Steps) -> list[Steps]:
        """Return the paths that match a path in which ``.*`` matches any name."""
        at = tuple(number for number, step in enumerate(wide) if step is Every.MEMBER)
        if at not in self._known:
            by_pattern = self._known[at] = {}
            for path in self._paths:
                if len(path) > max(at, default=-1) and all(path[n] is not Every.ITEM for n in at):
                    key = tuple(Every.MEMBER if n in at else step for n, step in enumerate(path))
                    by_pattern.setdefault(key, []).append(path)
        return self._known[at].get(wide, [])


def _places_below(places: Iterable[EmbeddedPlace], key: str | int, at: int) -> list[EmbeddedPlace]:
    """Return the places in which step number `at` matches a name or an index."""
    any_ = Every.ITEM if isinstance(key, int) else Every.MEMBER
    return [p for p in places if len(p.steps) > at and p.steps[at] in (key, any_)]


def _keys_with_places(
    value: Any, places: Sequence[EmbeddedPlace], at: int
) -> Iterable[tuple[Any, list[EmbeddedPlace]]]:
    """Yield each key of a container that a step of a place matches, with these places."""
    ahead = [place for place in places if len(place.steps) > at]
    if is_array(value):
        below = _places_below(ahead, 0, at)
        return ((index, below) for index in range(len(value))) if below else ()
    if not is_object(value) or not ahead:
        return ()
    if any(place.steps[at] is Every.MEMBER for place in ahead):
        return ((key, below) for key in value if (below := _places_below(ahead, key, at)))
    names = dict.fromkeys(place.steps[at] for place in ahead)
    return ((name, _places_below(ahead, str(name), at)) for name in names if name in value)


def _restore(
    value: Any, places: Sequence[EmbeddedPlace], moves: Sequence[Move], at: int = 0
) -> Any:
    made = value
    for key, below in _keys_with_places(value, places, at):
        child = value[key]
        new = _restore(child, below, moves, at + 1) if is_container(child) else child
        if new is not child:
            if made is value:
                made = dict(value) if is_object(value) else list(value)
            made[key] = new
    if is_container(value):
        for place in places:
            if len(place.steps) == at:
                return place.how.write(reorder(made, moves))
    return made


def _string_pairs(
    first: Any, second: Any, places: Sequence[EmbeddedPlace], at: int = 0
) -> Iterator[tuple[Any, Any]]:
    """Yield, from two equal values, pairs of the outermost containers that replace strings."""
    if not is_container(first):
        return
    if any(len(place.steps) == at for place in places):
        yield first, second
        return
    for key, below in _keys_with_places(first, places, at):
        yield from _string_pairs(first[key], second[key], below, at + 1)


class _Opening:
    """Replaces the strings at the places by their data."""

    def __init__(self, places: Sequence[EmbeddedPlace]) -> None:
        self.inside: list[tuple[Steps, Any]] = []
        self.lengths: set[Steps] = set()
        self._places = places

    def open_strings(self, value: Any, places: Sequence[EmbeddedPlace], at: int) -> Any:
        """Return a value, `at` steps below the root, with data in place of its strings."""
        if isinstance(value, str):
            return self._read(value, places, at)
        made = value
        for key, below in _keys_with_places(value, places, at):
            child = value[key]
            new = self.open_strings(child, below, at + 1)
            if new is not child:
                if made is value:
                    made = dict(value) if is_object(value) else list(value)
                made[key] = new
        return made

    def _read(self, text: str, places: Sequence[EmbeddedPlace], at: int) -> Any:
        for place in places:
            if len(place.steps) == at:
                value = place.how.read(text)
                if value is not None and at + depth_of(value) <= MAX_DEPTH:
                    self.inside.append((place.steps, value))
                    self.lengths.add(place.steps)
                    return value
        return text

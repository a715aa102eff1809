"""Whether a reply is right: what a model wrote, compared as what the answer is.

The perfect reader: our decoder and the query behind a question.

What it cannot answer, nobody can answer from the text; and it must be what the result told.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.accuracy.query import DIGITS, UNKNOWN, records
from mckp.accuracy.query import at as value_at
from mckp.accuracy.reader import Reply
from mckp.encoders.hints import NOTES
from mckp.encoders.scalars import ABSENT, read_json
from mckp.errors import ParseError
from mckp.jsontext import canonical, dump, is_array, is_container, is_object
from mckp.menu.members import ANY, is_keyed, is_records, is_table, name_of
from mckp.reading import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mckp.accuracy.query import Query, Question
    from mckp.accuracy.reader import Asked, Writing
    from mckp.paths import Path
    from mckp.result import Elided

NAMED: Final = frozenset({"columns", "facts"})
"""Cuts that name parts by where they stand in each record."""

_FIRST: Final = re.compile(r"(.*)\[(\d+):\]", re.S)
"""The name of a part that only the first records keep; of an array of which only they stay."""


@dataclass(frozen=True, slots=True)
class Left:
    """What a reader is left with.

    Attributes
    ----------
    data
        The data without what was cut, `mckp.ABSENT` if all was.
    shortened : tuple of paths
        Below these, texts may be shorter than they were.
    """

    data: Any
    shortened: tuple[Path, ...]


def left_of(data: Any, elided: Iterable[Elided]) -> Left:
    """Take what was cut out of data.

    Parameters
    ----------
    data
        The data that was encoded.
    elided : iterable of Elided
        `mckp.Result.elided`.

    Examples
    --------
    >>> import mckp
    >>> data = {"page": 1, "jobs": [{"id": n, "ok": n % 2 == 0} for n in range(9)]}
    >>> result = mckp.encode(data, budget=40)
    >>> left_of(data, result.elided).data == mckp.decode(result.text)
    True
    """
    cuts: dict[Path, list[Elided]] = {}
    for cut in elided:
        cuts.setdefault(cut.path, []).append(cut)
    shortened = tuple(
        dict.fromkeys(cut.path for own in cuts.values() for cut in own if _is_shorter(cut))
    )
    if any(not cut.path and cut.kind == "facts" and not cut.keys for cut in cuts.get((), [])):
        return Left(ABSENT, ())
    return Left(_Cutter(cuts).left(data, ()), shortened)


def _is_shorter(cut: Elided) -> bool:
    return cut.kind in NOTES and cut.kind not in NAMED and not cut.keys


class _Cutter:
    """Goes through data and leaves out what cuts name."""

    def __init__(self, cuts: dict[Path, list[Elided]]) -> None:
        self.cuts = cuts

    def left(self, value: Any, path: Path) -> Any:
        if not is_object(value) and not is_array(value):
            return value
        own = self.cuts.get(path, ())
        names = [str(key) for cut in own if cut.kind in NAMED for key in cut.keys]
        if names and is_array(value) and not is_records(value):
            firsts = [int(found[2]) for name in names if (found := _FIRST.fullmatch(name))]
            return value[: min(firsts, default=None)]
        found = self._inside(value, path)
        if names:
            found = _Named(names, self.gone).left(found, _Place(value, path), (), ())
            return ([] if is_array(value) else {}) if found is ABSENT else found
        return found

    def gone(self, path: Path) -> set[str | int]:
        """Return which items and members of a container were cut."""
        own = self.cuts.get(path, ())
        return {key for cut in own if cut.kind not in NAMED for key in cut.keys}

    def _inside(self, value: Any, path: Path) -> Any:
        gone = self.gone(path)
        if is_object(value):
            return {k: self.left(v, (*path, k)) for k, v in value.items() if k not in gone}
        return [self.left(v, (*path, n)) for n, v in enumerate(value) if n not in gone]


class _Place(NamedTuple):
    """A part of the document as it was, by which parts are named whatever is left of it."""

    value: Any
    path: Path

    def under(self, key: str | int) -> _Place:
        return _Place(self.value[key], (*self.path, key))


class _Named:
    """Goes through data and leaves out what has a name, in each record that has it."""

    def __init__(self, names: Iterable[str], gone: Callable[[Path], set[str | int]]) -> None:
        parts = [_FIRST.fullmatch(name) for name in names]
        self.kept = {found[1]: int(found[2]) for found in parts if found is not None}
        self.names, self.gone = frozenset(names), gone

    def left(
        self,
        value: Any,
        was: _Place,
        path: tuple[str, ...],
        whole: tuple[str, ...],
        *,
        is_record: bool = False,
    ) -> Any:
        """Return what is left of a value, `mckp.ABSENT` if nothing else was in it."""
        if is_container(value) and value and path and not whole and name_of(path) in self.names:
            return ABSENT
        if is_array(value) and value:
            around = whole or (() if is_table(was.value) else path)
            gone = self.gone(was.path)
            stayed = (was.under(n) for n in range(len(was.value)) if n not in gone)
            items = zip(range(len(value)), value, stayed, strict=True)
            return self._records(items, (*path, ANY), around, list)
        if is_object(value) and value:
            if not is_record and is_keyed(was.value):
                members = ((k, v, was.under(k)) for k, v in value.items())
                return self._records(members, (*path, ANY), whole, dict)
            found = {k: self.left(v, was.under(k), (*path, k), whole) for k, v in value.items()}
            return {k: v for k, v in found.items() if v is not ABSENT} or ABSENT
        return value if self._stays(name_of(whole or path)) else ABSENT

    def _stays(self, name: str) -> bool:
        if name in self.kept:
            self.kept[name] -= 1
            return self.kept[name] >= 0
        return name not in self.names

    def _records(
        self,
        each: Iterable[tuple[Any, Any, _Place]],
        path: tuple[str, ...],
        whole: tuple[str, ...],
        kind: type,
    ) -> Any:
        """Return what is left of records, which stay even if empty, unless all of them are."""
        found = {
            key: self.left(value, was, path, whole, is_record=True) for key, value, was in each
        }
        if len(path) > 1 and all(value is ABSENT for value in found.values()):
            return ABSENT
        empty: dict[str, Any] = {}
        left = {key: empty if value is ABSENT else value for key, value in found.items()}
        return list(left.values()) if kind is list else left


_FENCE: Final = re.compile(r"```\w*\n(.*?)\n?```", re.S)
_LABEL: Final = re.compile(r"(?:the )?(?:final )?answer(?: is)?\s*[:=]?\s+", re.I)
_NUMBER: Final = re.compile(
    r"[-+]?(?:[0-9]{1,3}(?:[,\u00a0\u202f\u2019'_][0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?",
    re.I,
)
_PARTS: Final = re.compile(r"[,\u00a0\u202f\u2019'_]")
_QUOTES: Final = "\"'`*\u201c\u201d\u2018\u2019"
_YES: Final = frozenset({"yes", "true", "y", "1"})
_NO: Final = frozenset({"no", "false", "n", "0"})
_UNKNOWN: Final = frozenset(
    {"unknown", "n/a", "na", "not given", "not available", "not known", "not told", "cannot tell"}
)


def is_unknown(reply: str) -> bool:
    """Whether a reply says that the text does not tell.

    Examples
    --------
    >>> [is_unknown(reply) for reply in ("Unknown.", "`unknown`", "unknown species", "")]
    [True, True, False, False]
    """
    return _plain(reply).casefold().rstrip(".") in _UNKNOWN


def is_right(reply: str, gold: Any, type: str) -> bool:
    r"""Whether a reply is the answer, whatever is written around it.

    Parameters
    ----------
    reply : str
        What a reader wrote.
    gold
        The answer.
    type : str
        What it is compared as; see `mckp.accuracy.Question`.

    Examples
    --------
    >>> is_right("1,204 builds", 1204, "integer"), is_right("1204.5", 1204, "integer")
    (True, False)
    >>> is_right("Answer: **yes**", True, "boolean"), is_right("12.501", 12.5, "number")
    (True, True)
    >>> is_right('```\n["b", "a"]\n```', ["a", "b"], "set"), is_right("b, a", ["a", "b"], "list")
    (True, False)
    """
    if type == "unknown":
        return is_unknown(reply)
    if is_unknown(reply) and not (isinstance(gold, str) and is_unknown(gold)):
        return False
    return _CHECKS[type](_plain(reply), gold)


def spelled(answer: Any) -> str:
    """Return how an answer is written.

    Examples
    --------
    >>> [spelled(answer) for answer in (True, "x", 2.5, ["a", 1], UNKNOWN)]
    ['yes', 'x', '2.5', '["a",1]', 'unknown']
    """
    if answer is UNKNOWN:
        return "unknown"
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    return answer if isinstance(answer, str) else dump(answer)


def _plain(reply: str) -> str:
    """Return a reply without fences, labels and quotes around it."""
    fenced = _FENCE.search(reply)
    text = unicodedata.normalize("NFC", fenced[1] if fenced else reply).strip()
    text = text[found.end() :] if (found := _LABEL.match(text)) else text
    return text.strip().strip(_QUOTES).strip()


def _first_number(reply: str) -> float | int | None:
    found = _NUMBER.search(reply)
    if found is None:
        return None
    whole, point, rest = found[0].lower().partition(".")
    digits = _PARTS.sub("", whole)
    return float(digits + point + rest) if point or "e" in digits else int(digits)


def _integer(reply: str, gold: int) -> bool:
    return _first_number(reply) == gold


def _number(reply: str, gold: float) -> bool:
    found = _first_number(reply)
    near = max(1e-6 * abs(gold), 0.5 * 10**-DIGITS if round(gold, DIGITS) == gold else 0)
    return found is not None and abs(found - gold) <= near + 1e-12


def _boolean(reply: str, gold: bool) -> bool:
    word = re.split(r"[^\w]+", reply.casefold(), maxsplit=1)[0]
    return word in (_YES if gold else _NO)


def _string(reply: str, gold: str) -> bool:
    wanted = unicodedata.normalize("NFC", gold).strip().strip(_QUOTES).casefold()
    found = reply.casefold()
    if wanted in (found, found.rstrip(".")):
        return True
    moment = _moment(gold)
    return moment is not None and moment == _moment(reply)


def _moment(text: str) -> datetime | None:
    """Return a date of ISO 8601, with its time if there is one."""
    try:
        found = datetime.fromisoformat(text.rstrip(".")) if len(text) >= len("2025-01-01") else None
    except ValueError:
        return None
    return found


def _list(reply: str, gold: list[Any]) -> bool:
    return _items(reply) == [_item(value) for value in gold]


def _set(reply: str, gold: list[Any]) -> bool:
    return sorted(_items(reply)) == sorted(_item(value) for value in gold)


def _items(reply: str) -> list[str]:
    try:
        found = read_json(reply) if reply.startswith("[") else None
    except (ParseError, ValueError):
        found = None
    if is_array(found):
        return [_item(value) for value in found]
    parts = re.split(r"[,\n;]", reply.strip("[]"))
    return [_item(part.strip().removeprefix("- ").strip(_QUOTES)) for part in parts if part.strip()]


def _item(value: Any) -> str:
    text = unicodedata.normalize("NFC", spelled(value))
    return text.strip().strip(_QUOTES).rstrip(".").casefold()


_CHECKS: Final[dict[str, Callable[[str, Any], bool]]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "string": _string,
    "list": _list,
    "set": _set,
}


_LUCKY: Final = frozenset({"count", "sum", "mean", "least", "most", "distinct", "has"})
"""What may come out the same though part of what it is made from is missing."""


class OracleReader:
    """Reads the text back, and asks what it finds.

    Examples
    --------
    >>> from mckp.accuracy import Asked, questions, writings
    >>> data = [{"id": n, "ok": n > 5} for n in range(9)]
    >>> [asked] = questions(data, each=1)[:1]
    >>> [native] = writings(data, ["native"])
    >>> OracleReader().read(Asked(asked, native)).text == ("yes" if asked.gold else "no")
    True
    """

    name = "oracle"

    def read(self, asked: Asked) -> Reply:
        return Reply(spelled(asked.question.query.answer(_decoded(asked.writing.text))))


@lru_cache(maxsize=4)
def _decoded(text: str) -> Any:
    return decode(text)


@dataclass(frozen=True, slots=True)
class Foretold:
    """What is known of an answer before the text is read.

    Attributes
    ----------
    answer
        What the oracle has to answer.
    sure : bool
        False where the answer is about a text that may have been shortened: how many texts of
        a table were is told, but not which.
    whole : bool
        Whether all that the answer is made from is there; else a right one is luck.
    """

    answer: Any
    sure: bool
    whole: bool


class Foresight:
    """Tells by `elided` alone what a text answers.

    Parameters
    ----------
    writing : Writing
        The text; only its data and what was cut of it are looked at.
    """

    def __init__(self, writing: Writing) -> None:
        self._data = writing.data
        self.left = left_of(writing.data, writing.elided)

    def of(self, question: Question) -> Foretold:
        """Return what is known of the answer to a question."""
        query, left = question.query, self.left.data
        answer = UNKNOWN if left is ABSENT else query.answer(left)
        return Foretold(answer, self._is_sure(query), self._is_whole(query))

    def _is_sure(self, query: Query) -> bool:
        return query.ask != "size" or not any(
            path[: len(query.at)] == query.at or query.at[: len(path)] == path
            for path in self.left.shortened
        )

    def _is_whole(self, query: Query) -> bool:
        if query.ask not in _LUCKY:
            return True
        left = self.left.data
        return left is not ABSENT and _basis(query, left) == _basis(query, self._data)


def _basis(query: Query, data: Any) -> list[list[str]]:
    """Return the values that an answer is made from, record by record."""
    table = value_at(data, query.at)
    fields = [query.field, *(test.field for test in query.tests)]
    return [[_text(each.get(field)) for field in fields if field] for each in records(table)]


def _text(value: Any) -> str:
    return "" if value is ABSENT else canonical(value)

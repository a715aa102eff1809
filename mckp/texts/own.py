"""Kinds of texts that users add: records in a ``kinds.toml`` of their own.

Such a kind is like a shipped one, and has rules of its own for what single lines are worth. A text
is of it if enough of its lines begin as the kind says, or if it is asked for by name.
"""

from __future__ import annotations

import re
import tomllib
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from mckp.errors import ConfigError, did_you_mean
from mckp.frozen import frozen
from mckp.jsontext import is_array
from mckp.texts.records import LineRule, kind_names, line_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from re import Pattern

SHARE: Final = 0.5
"""The share of its lines that begin as a kind says from which a text is of that kind."""

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
_TAKEN: Final = ("json", "text")
_TIMES: Final = 100
"""The largest factor or least worth that a rule may give."""


@frozen
class OwnKind:
    """A kind of text that a user added."""

    name: str
    like: str
    """The shipped kind whose values hold besides the rules."""
    begins: Pattern[str]
    """What its lines begin with."""
    share: float
    """The least share of lines that do so."""
    rules: tuple[LineRule, ...]
    example: str
    first: str
    """The line of the example that is worth most."""
    flags: Mapping[str, bool]
    """Values that differ from those of the shipped kind, such as whether lines are folded."""
    written: str
    """The text of the file."""
    file: str
    """The file that it is from, or what the caller calls the text."""

    def fits(self, rows: Iterable[str]) -> bool:
        """Whether enough of the rows, which are not blank, begin as this kind says."""
        found = [self.begins.match(row) is not None for row in rows]
        return sum(found) >= max(1, self.share * len(found))


_KINDS: dict[str, OwnKind] = {}
"""The registered kinds by name; those registered last are tried first."""

on_change: list[Callable[[], None]] = []
"""Called when kinds were added or removed: what forgets the kinds of texts seen before."""


def register(source: str | PathLike[str]) -> tuple[str, ...]:
    r'''Add kinds of texts from a file, or from its text; return their names.

    A kind with the name of a registered one replaces it. The order of kinds counts only for a text
    of which several are: the one that was registered last is taken.

    Parameters
    ----------
    source : str or path-like
        The text of a ``kinds.toml``, or the path of one: a table for each kind, with ``like``,
        ``begins``, ``rules``, ``example`` and ``first``.

    Raises
    ------
    ConfigError
        If the file is not valid; the message has the line and the reason.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> from mckp import encode
    >>> kinds = """
    ... [tide-log]
    ... like = "log"
    ... begins = 'tide'
    ... rules = [{ line = '.*slack', least = 3.0 }]
    ... example = "tide 1 flow, tide 2 slack"
    ... first = "tide 1 flow, tide 2 slack"
    ... """
    >>> log = "".join(f"tide {n} {'slack' if n == 40 else 'flow'}\n" for n in range(90))
    >>> register(kinds), "tide 40 slack" in encode(log, budget=60).text
    (('tide-log',), True)
    >>> unregister("tide-log")
    '''
    is_file = isinstance(cast("object", source), PathLike)
    file = str(source) if is_file else "kinds"
    text = Path(source).read_text("utf-8") if is_file else str(source)
    kinds = own_kinds(text, file)
    for kind in kinds:
        _KINDS.pop(kind.name, None)
        _KINDS[kind.name] = kind
    _changed()
    return tuple(kind.name for kind in kinds)


def unregister(*names: str) -> None:
    """Remove registered kinds; without names, all of them."""
    for name in names or [*_KINDS]:
        _KINDS.pop(name, None)
    _changed()


def registered() -> Mapping[str, OwnKind]:
    """Return the registered kinds by name."""
    return dict(_KINDS)


def digest() -> str:
    """Return what stands for all registered kinds in the key of a stored result."""
    return "".join(f"\n{name}: {kind.written}" for name, kind in _KINDS.items())


def own_kind(rows: Iterable[str]) -> OwnKind | None:
    """Return the registered kind of a text, given some of its rows without indentation, or None."""
    if not _KINDS:
        return None
    listed = [*rows]
    return next((kind for kind in reversed(_KINDS.values()) if listed and kind.fits(listed)), None)


def _changed() -> None:
    for forget in on_change:
        forget()


def own_kinds(text: str, file: str) -> tuple[OwnKind, ...]:
    """Return the kinds in the text of a file; raise a `ConfigError` with line and reason."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"this is not TOML: {error}", source=file) from None
    return tuple(_KindTable(text, file, name, table).kind() for name, table in tables.items())


class _KindTable:
    """The table of one kind in a file, of which each value is checked."""

    def __init__(self, text: str, file: str, name: str, table: Any) -> None:
        self._lines, self._file, self._name = text.split("\n"), file, name
        header = re.compile(rf"\s*\[\s*[\"']?{re.escape(name)}[\"']?\s*\]")
        found = (place for place, line in enumerate(self._lines) if header.match(line))
        self._first = next(found, 0)
        if not isinstance(table, dict):
            self._refuse(f"{name} is no table: a kind begins with a line such as [deploy-log]")
        self._table = cast("dict[str, Any]", table)

    def kind(self) -> OwnKind:
        """Return the kind; raise a `ConfigError` if a value is missing or wrong."""
        name, table = self._name, self._table
        if not _NAME.fullmatch(name):
            self._refuse(f"{name!r} is no name: use small letters, digits and hyphens")
        if name in _TAKEN or name in kind_names():
            self._refuse(f"{name!r} is the name of a shipped kind; choose another one")
        known = (*_REQUIRED, *_OPTIONAL, *_FLAGS)
        for key in table:
            if key not in known:
                self._refuse(f"unknown field {key!r};{_advice(key, known)}", key)
        for key in _REQUIRED:
            if key not in table:
                self._refuse(f"{key!r} is missing")
        like = self._text("like")
        if like not in kind_names():
            advice = _advice(like, kind_names())
            self._refuse(f"like = {like!r} is no shipped kind;{advice}", "like")
        share = table.get("share", SHARE)
        if not _is_number(share) or not 0 < share <= 1:
            self._refuse(f"share = {share!r} is no number above 0, up to 1", "share")
        rules = table["rules"]
        if not is_array(rules):
            self._refuse("rules is no array of rules, each in braces", "rules")
        example, first = self._text("example"), self._text("first")
        if first not in example.split("\n"):
            self._refuse(f"first = {first!r} is no line of the example", "first")
        flags: dict[str, Any] = {key: table[key] for key in _FLAGS if key in table}
        for key, value in flags.items():
            if not isinstance(value, bool):
                self._refuse(f"{key} = {value!r} is neither true nor false", key)
        return OwnKind(
            name=name,
            like=like,
            begins=self._pattern(self._text("begins"), "begins"),
            share=share,
            rules=tuple(self._rule(number, rule) for number, rule in enumerate(rules, 1)),
            example=example,
            first=first,
            flags=flags,
            written="\n".join(self._lines),
            file=self._file,
        )

    def _text(self, key: str) -> str:
        value = self._table[key]
        if not isinstance(value, str) or not value.strip():
            self._refuse(f"{key} = {value!r} is no text", key)
        return str(value)

    def _rule(self, number: int, rule: Any) -> LineRule:
        """Return a rule; raise a `ConfigError` if a value of it is wrong."""
        where = f"rule {number}"
        if not isinstance(rule, dict):
            self._refuse(f"{where} is no table such as {{ line = '...', factor = 0.1 }}", "rules")
        values = cast("dict[str, Any]", rule)
        at = values.get("line")
        place = at if isinstance(at, str) and at else "rules"
        for key, value in values.items():
            check = _RULE.get(key)
            if check is None:
                self._refuse(f"{where}: unknown field {key!r};{_advice(key, _RULE)}", place)
            elif not check[0](value):
                self._refuse(f"{where}: {key} = {value!r} is no {check[1]}", place)
            elif key in ("line", "below", "among"):
                self._pattern(value, place, f"{where}: {key}")
        if "line" not in values:
            self._refuse(f"{where}: 'line' is missing: what the lines begin with", place)
        if not {"factor", "times", "least", "then"} & set(values):
            self._refuse(f"{where} changes nothing: it needs factor, times, least or then", place)
        made = line_rule(values)
        needs_group = made.among is not None or made.tenfold
        if needs_group and not made.line.groups:
            self._refuse(f"{where}: 'among' and 'tenfold' need a group (...) in line", place)
        if made.among is not None and not made.among.groups:
            self._refuse(f"{where}: 'among' needs a group (...)", place)
        return made

    def _pattern(self, written: str, place: str, where: str = "begins") -> Pattern[str]:
        try:
            return line_rule({"line": written}).line
        except (re.error, AttributeError) as error:
            self._refuse(f"{where} = {written!r} is no pattern: {error}", place)

    def _refuse(self, reason: str, sought: str = "") -> NoReturn:
        """Raise a `ConfigError` with the line in which something is, or that of the section."""
        below = range(self._first + 1, len(self._lines))
        places = (place for place in below if sought and sought in self._lines[place])
        line = next(places, self._first) + 1
        raise ConfigError(f"line {line}: [{self._name}]: {reason}", source=self._file)


_REQUIRED: Final = ("like", "begins", "rules", "example", "first")
_OPTIONAL: Final = ("share",)
_FLAGS: Final = ("folds", "repeats", "tallies", "wrapped")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_worth(value: object) -> bool:
    return _is_number(value) and 0 <= cast("float", value) <= _TIMES


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _are_states(value: object) -> bool:
    return isinstance(value, str) and all(word.lstrip("+-") for word in value.split())


def _are_changes(value: object) -> bool:
    return isinstance(value, str) and all(re.fullmatch(r"[+-]\w+", one) for one in value.split())


_PATTERN: Final = (_is_text, "pattern")
_WORTH: Final = (_is_worth, f"number from 0 to {_TIMES}")
_RULE: Final[dict[str, tuple[Callable[[object], bool], str]]] = {
    "line": _PATTERN,
    "below": _PATTERN,
    "among": _PATTERN,
    "factor": _WORTH,
    "times": _WORTH,
    "least": _WORTH,
    "fading": _WORTH,
    "tenfold": (_is_flag, "true or false"),
    "usual": (_is_flag, "true or false"),
    "when": (_are_states, "list of states such as 'failed -done'"),
    "then": (_are_changes, "list of changes such as '+failed -done'"),
}
"""The fields of a rule, each with a check and what its value is."""


def _advice(name: str, known: Iterable[str]) -> str:
    """Return what was perhaps meant, or all that is known."""
    listed = sorted(known)
    return did_you_mean(name, listed) or f" known are {', '.join(listed)}"

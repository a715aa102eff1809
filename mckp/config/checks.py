"""What a value of a configuration may be: each check reads one, or says what is allowed.

Sections of a configuration as dataclasses, each field with the check that reads it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from reprlib import Repr
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from mckp.errors import ConfigError, PatternError
from mckp.jsontext import is_array, is_object
from mckp.regexes import regex
from mckp.weights.patterns import read_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_BARE: Final = regex(r"[A-Za-z0-9_-]+")
_MAX_NAME_CHARS: Final = 80
_MAX_NAMES: Final = 40
_SHORT: Final = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 40
_SHORT.maxlevel = 2


class Check(Protocol):
    """Reads a value of TOML, and gives it back as TOML has it."""

    def read(self, value: Any, key: str) -> Any:
        """Return what the value means, or raise a `ConfigError` that names the key."""
        ...

    def plain(self, value: Any) -> Any:
        """Return the value of TOML that means this."""
        ...


def below(key: str, name: str) -> str:
    """Return the path of a key in a table, with quotes where TOML wants them.

    Examples
    --------
    >>> below("endpoint_overrides", "a.b"), below("", "dedup")
    ('endpoint_overrides."a.b"', 'dedup')
    """
    name = _cut(name)
    step = name if _BARE.fullmatch(name) else '"' + name.replace('"', '\\"') + '"'
    return f"{key}.{step}" if key else step


def shown(value: Any) -> str:
    """Return a value for a message, cut where it is long.

    Examples
    --------
    >>> shown("x" * 99), shown(1 << 99999)
    ("'xxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxx'", 'a number of 100000 bits')
    """
    if isinstance(value, int) and value.bit_length() > 1000:  # Python refuses to print some
        return f"a number of {value.bit_length()} bits"
    try:
        return _SHORT.repr(value)
    except ValueError:
        return f"a {type(value).__name__}"


def refused(key: str, value: Any, allowed: str) -> ConfigError:
    """Return the error for a value that is not allowed."""
    return ConfigError(f"{shown(value)} is not allowed; expected {allowed}", key=key)


def unknown(key: str, name: str, known: Iterable[str], what: str = "key") -> ConfigError:
    """Return the error for a name that nobody knows, with the nearest one."""
    names = list(known)
    near = get_close_matches(name, names, 1)
    meant = f"; did you mean {_cut(near[0])!r}?" if near else ""
    listed = ", ".join(map(_cut, names[:_MAX_NAMES])) or "none"
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ConfigError(f"unknown {what} {shown(name)}{meant} (known: {listed}{more})", key=key)


def _cut(name: str) -> str:
    return name if len(name) <= _MAX_NAME_CHARS else name[:_MAX_NAME_CHARS] + "..."


class _Plain:
    """A check whose values are those of TOML."""

    def plain(self, value: Any) -> Any:
        """Return the value as it is."""
        return value


@dataclass(frozen=True, slots=True)
class Flag(_Plain):
    """True or false, and nothing that only looks like it.

    Examples
    --------
    >>> Flag().read(1, "dedup.near_ref_enabled")
    Traceback (most recent call last):
        ...
    mckp.errors.ConfigError: dedup.near_ref_enabled: 1 is not allowed; expected true or false
    """

    def read(self, value: Any, key: str) -> bool:
        """Return the flag."""
        if not isinstance(value, bool):
            raise refused(key, value, "true or false")
        return value


@dataclass(frozen=True, slots=True)
class Whole(_Plain):
    """A whole number in a range.

    Examples
    --------
    >>> Whole(1, 99).read(0, "dedup.lru_size")
    Traceback (most recent call last):
        ...
    mckp.errors.ConfigError: dedup.lru_size: 0 is not allowed; expected a whole number from 1 to 99
    """

    least: int
    most: int

    def read(self, value: Any, key: str) -> int:
        """Return the number."""
        right = isinstance(value, int) and not isinstance(value, bool)
        if not right or not self.least <= value <= self.most:
            raise refused(key, value, f"a whole number from {self.least} to {self.most}")
        return int(value)


@dataclass(frozen=True, slots=True)
class Number(_Plain):
    """A finite number in a range; whole ones count as well.

    Examples
    --------
    >>> Number(0, 1).read(1, "telemetry.sample_rate")
    1.0
    """

    least: float
    most: float

    def read(self, value: Any, key: str) -> float:
        """Return the number as a float."""
        right = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not right or not self.least <= value <= self.most:
            raise refused(key, value, f"a number from {self.least:g} to {self.most:g}")
        return float(value)


@dataclass(frozen=True, slots=True)
class Text(_Plain):
    """A string of one line that is not empty.

    Examples
    --------
    >>> Text().read("auto", "profiles.llm.active")
    'auto'
    """

    least: int = 1
    most: int = 4096

    def read(self, value: Any, key: str) -> str:
        """Return the string."""
        right = isinstance(value, str) and self.least <= len(value) <= self.most
        if not right or not value.isprintable():
            size = f"{self.least} to {self.most} printable characters"
            raise refused(key, value, f"a string of {size}")
        return str(value)


@dataclass(frozen=True, slots=True)
class OneOf(_Plain):
    """One of a few names, or another name for one of them.

    Examples
    --------
    >>> OneOf(("json", "csv"), {"csv_from_md": "csv"}).read("csv_from_md", "format")
    'csv'
    """

    names: tuple[str, ...]
    aliases: dict[str, str] | None = None

    def read(self, value: Any, key: str) -> str:
        """Return the name."""
        if not isinstance(value, str):
            raise refused(key, value, f"one of {', '.join(self.names)}")
        meant = (self.aliases or {}).get(value, value)
        if meant not in self.names:
            raise unknown(key, value, self.names, "name")
        return meant


@dataclass(frozen=True, slots=True)
class Each:
    """An array of values that all pass one check; what repeats is taken once.

    Examples
    --------
    >>> Each(Whole(0, 9)).read([1, 2, 1], "numbers")
    (1, 2)
    """

    check: Check
    least: int = 0

    def read(self, value: Any, key: str) -> tuple[Any, ...]:
        """Return what the array holds."""
        if not is_array(value) or len(value) < self.least:
            raise refused(key, value, f"an array of {self.least} values or more")
        found = (self.check.read(each, f"{key}[{n}]") for n, each in enumerate(value))
        return tuple(dict.fromkeys(found))

    def plain(self, value: Any) -> list[Any]:
        """Return the array."""
        return [self.check.plain(each) for each in value]


@dataclass(frozen=True, slots=True)
class ByName:
    """A table from names, or from patterns of paths, to values that all pass one check.

    Examples
    --------
    >>> ByName(Flag()).read({"Read": True}, "dedup.enabled_per_endpoint")
    {'Read': True}
    >>> ByName(Number(0, 9), of_paths=True).read({"a[": 2}, "salience.Read")
    Traceback (most recent call last):
        ...
    mckp.errors.ConfigError: salience.Read."a[": 'a[' is not allowed; expected a path such as \
items[*].name
    """

    check: Check
    of_paths: bool = False

    def read(self, value: Any, key: str) -> dict[str, Any]:
        """Return what the table holds."""
        found = as_table(value, key)
        for name in found if self.of_paths else ():
            try:
                read_pattern(name)
            except PatternError:
                raise refused(below(key, name), name, "a path such as items[*].name") from None
        return {name: self.check.read(each, below(key, name)) for name, each in found.items()}

    def plain(self, value: Any) -> dict[str, Any]:
        """Return the table."""
        return {name: self.check.plain(each) for name, each in value.items()}


def as_table(value: Any, key: str) -> dict[str, Any]:
    """Return a table of TOML, or raise where there is something else."""
    if not is_object(value):
        raise refused(key, value, "a table")
    return value


T = TypeVar("T")


def knob(default: Any, check: Check) -> Any:
    """Return a field with a default and a check."""
    return field(default=default, metadata={"check": check})


def knobs(make: Callable[[], Any], check: Check) -> Any:
    """Return a field whose default is made anew each time, with a check."""
    return field(default_factory=make, metadata={"check": check})


def read_over(base: T, table: Any, key: str) -> T:
    """Return a section with what a table says, and the rest as it was.

    Raises
    ------
    ConfigError
        For a key that nobody knows and a value that is not allowed.
    """
    checks = _checks(base)
    found = as_table(table, key)
    if wrong := [name for name in found if name not in checks]:
        raise unknown(below(key, wrong[0]), wrong[0], checks)
    said = {name: checks[name].read(value, below(key, name)) for name, value in found.items()}
    return replace(base, **said)  # type: ignore[type-var]


def plain_over(section: Any, base: Any) -> dict[str, Any]:
    """Return the table that says what a section has and its base has not.

    Examples
    --------
    >>> from mckp.config.config import Dedup
    >>> plain_over(Dedup(lru_size=9), Dedup())
    {'lru_size': 9}
    """
    found: dict[str, Any] = {}
    for name, check in _checks(base).items():
        value = getattr(section, name)
        if value is not None and value != getattr(base, name):
            found[name] = check.plain(value)
    return found


def _checks(section: Any) -> dict[str, Check]:
    return {each.name: each.metadata["check"] for each in fields(section)}


@dataclass(frozen=True, slots=True)
class Inner:
    """A section within a section."""

    make: Callable[[], Any]

    def read(self, value: Any, key: str) -> Any:
        """Return the section with what the table says."""
        return read_over(self.make(), value, key)

    def plain(self, value: Any) -> dict[str, Any]:
        """Return the table of what is no default."""
        return plain_over(value, self.make())


@dataclass(frozen=True, slots=True)
class Named:
    """A table of sections by name; what a section leaves out depends on its name.

    Parameters
    ----------
    base : callable
        From a name to the section whose values hold where nothing is said.
    known : tuple of str, optional
        The only names there may be; any if it is empty.
    """

    base: Callable[[str], Any]
    known: tuple[str, ...] = ()

    def read(self, value: Any, key: str) -> dict[str, Any]:
        """Return the sections by name."""
        found = as_table(value, key)
        if wrong := [name for name in found if self.known and name not in self.known]:
            raise unknown(below(key, wrong[0]), wrong[0], self.known, "name")
        return {
            name: read_over(self.base(name), each, below(key, name)) for name, each in found.items()
        }

    def plain(self, value: Any) -> dict[str, Any]:
        """Return the tables by name."""
        return {name: plain_over(each, self.base(name)) for name, each in value.items()}

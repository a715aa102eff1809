"""Sections of a configuration as dataclasses, each field with the check that reads it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from mckp.config.checks import as_table, below, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.config.checks import Check

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
    >>> from mckp.config.sections import Dedup
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

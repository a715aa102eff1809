"""A change to a configuration that a rule asks for, and why."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    Path = tuple[str, ...]
    Change = tuple[Path, Any]


@dataclass(frozen=True, slots=True)
class Proposal:
    """Values for some keys.

    Attributes
    ----------
    rule : str
        The rule's name, as ``R1``.
    changes : tuple of (path, value)
        Keys of the configuration, each as the names of its tables and its own.
    why : str
        What was seen that asks for it.
    saves : bool
        Whether it is for tokens. If so, it is only taken if it saves some; else, if it costs
        none.
    """

    rule: str
    changes: tuple[Change, ...]
    why: str
    saves: bool = True

    @property
    def said(self) -> str:
        """The changes in words."""
        return ", ".join(f"{'.'.join(path)} = {value!r}" for path, value in self.changes)

    def __str__(self) -> str:
        return f"{self.rule}: {self.said} ({self.why})"


def value_at(table: Mapping[str, Any], path: Path) -> Any:
    """Return the value of a key, or None.

    Examples
    --------
    >>> value_at({"dedup": {"lru_size": 3}}, ("dedup", "lru_size"))
    3
    """
    found: Any = table
    for name in path:
        found = found.get(name) if is_object(found) else None
    return found


def applied(proposal: Proposal, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with the changes in it.

    Examples
    --------
    >>> applied(Proposal("R3", ((("dedup", "lru_size"), 10),), "compactions"), {"dedup": {}})
    {'dedup': {'lru_size': 10}}
    """
    found: dict[str, Any] = deepcopy(dict(table))
    for path, value in proposal.changes:
        inner = found
        for name in path[:-1]:
            inner = inner.setdefault(name, {})
        inner[path[-1]] = value
    return found

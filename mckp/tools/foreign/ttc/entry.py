"""What TTC says of a tool, and the rules it has for that."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import ToolError
from mckp.jsontext import path_text

if TYPE_CHECKING:
    from collections.abc import Mapping

NOTHING: Final = "none"
"""The name that stands for an empty list of parameters, as TTC knows no empty list."""

NAME: Final = re.compile(r"[^\s:;,?|()\[\]]+\Z")
_TRIGGER: Final = re.compile(r"user (?:wants|requests|asks|needs|intends) to \S+ \S.*\Z")


@dataclass(frozen=True)
class Field:
    """A parameter or a result: its name, its type, and whether it may be missing."""

    name: str
    type: str
    optional: bool = False

    def __str__(self) -> str:
        return f"{self.name}:{self.type}{'?' if self.optional else ''}"


@dataclass(frozen=True)
class Entry:
    """A tool of a TTC catalog.

    Attributes
    ----------
    name, purpose, when : str
        Its id, what it does, and what a user wants who needs it.
    inputs, outputs : tuple of Field
        No inputs are written ``none:any``.
    errors : tuple of str
        Codes of what may go wrong.
    tags, chain, alias, auth : tuple of str
        Optional; all but tags are planned for TTC and not part of 1.0: tools this one
        depends on, other triggers, scopes.
    example, cost : str
        Optional and planned: a call with its result, what a call takes.
    notes : dict
        What the grammar has no place for: schemas by name of parameter, and under ``*``
        members of the tool itself. They are comments to other readers.
    server : str
        The server it belongs to.
    """

    name: str
    purpose: str
    when: str
    inputs: tuple[Field, ...] = ()
    outputs: tuple[Field, ...] = (Field("result", "any"),)
    errors: tuple[str, ...] = ("error",)
    tags: tuple[str, ...] = ()
    example: str = ""
    cost: str = ""
    chain: tuple[str, ...] = ()
    alias: tuple[str, ...] = ()
    auth: tuple[str, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    server: str = "server"


def check(entry: Entry) -> None:
    """Refuse an entry that breaks a rule of TTC.

    Examples
    --------
    >>> check(Entry("now", "The time.", "The time."))
    Traceback (most recent call last):
        ...
    mckp.errors.ToolError: WHEN must read 'user wants to <verb> <object>' at $.now
    """
    for name in (entry.name, *(each.name for each in (*entry.inputs, *entry.outputs))):
        if not NAME.match(name):
            raise ToolError(f"{name!r} cannot be a name in TTC", path=path_text((entry.name,)))
    if not _TRIGGER.match(entry.when):
        _refuse(entry, "WHEN must read 'user wants to <verb> <object>'")
    if entry.when == entry.purpose:
        _refuse(entry, "WHEN must say something else than PURPOSE")
    if not (entry.outputs and entry.errors and entry.purpose):
        _refuse(entry, "PURPOSE, OUT and ERR must not be empty")
    lists = {",": (*entry.tags, *entry.chain, *entry.alias, *entry.auth), "|": entry.errors}
    for separator, items in lists.items():
        if found := next((each for each in items if separator in each), None):
            _refuse(entry, f"{found!r} has a separator of its list in it")
    for text in (entry.purpose, entry.when, entry.example, entry.cost, *lists[","], *lists["|"]):
        if "\n" in text or ";" in text or text != text.strip():
            _refuse(entry, f"{text!r} must be one line without ';', which starts a comment,")


def _refuse(entry: Entry, why: str) -> None:
    raise ToolError(why, path=path_text((entry.name,)))

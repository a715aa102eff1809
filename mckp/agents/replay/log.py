"""What happens in a recorded session of an agent, one action after the other, a line each.

A line is a JSON object with ``do``: ``result`` (with the members of `Response`), ``edit``,
``compact`` or ``end``. What is as it is by default may be left out.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from typing import Any, Final, TypeAlias

import orjson

from mckp.agents.session.scopes import MAIN
from mckp.errors import ParseError
from mckp.jsontext import is_object


@dataclass(frozen=True, slots=True)
class Response:
    """A tool's result, as the agent would have read it.

    Attributes
    ----------
    tool : str
        Name of the tool, as the agent calls it.
    args : str
        The arguments, as any text that is equal for equal arguments.
    text : str
        What the tool returned.
    file : str or None
        The file it is about, if it is about one.
    agent : str
        Who called.

    Examples
    --------
    >>> Response("Read", '{"file_path":"a.py"}', "x = 1", file="a.py").agent
    'main'
    """

    tool: str
    args: str
    text: str
    file: str | None = None
    agent: str = MAIN


@dataclass(frozen=True, slots=True)
class Edit:
    """A file was changed, so what was read of it before no longer holds."""

    file: str
    agent: str = MAIN


@dataclass(frozen=True, slots=True)
class Compact:
    """An agent's context was summarised: what was delivered before has left it."""

    agent: str = MAIN


@dataclass(frozen=True, slots=True)
class End:
    """The session is over; what follows is another one."""


Action: TypeAlias = Response | Edit | Compact | End


_KINDS: Final[dict[str, type[Action]]] = {
    "result": Response,
    "edit": Edit,
    "compact": Compact,
    "end": End,
}


def from_line(line: str | bytes, number: int = 1, source: str = "") -> Action:
    """Return the action that a line of a log says.

    Parameters
    ----------
    line : str or bytes
        One line.
    number : int, default 1
        Which line it is, for errors.
    source : str, optional
        The file that it is in, for errors.

    Returns
    -------
    Response, Edit, Compact or End

    Raises
    ------
    ParseError
        If the line is no action: it says what is wrong and where.

    Examples
    --------
    >>> from_line('{"do":"compact","agent":"review"}')
    Compact(agent='review')
    """
    try:
        return _action(_record(line))
    except ParseError as error:
        told = f"{source}: {error.message}" if source else error.message
        raise ParseError(told, line=number, column=error.column or 1) from None


def _action(record: dict[str, Any]) -> Action:
    kind = _KINDS.get(str(record.get("do")))
    if kind is None:
        names = ", ".join(_KINDS)
        raise ParseError(f'"do" has to be one of {names}')
    known = fields(kind)
    missing = [each.name for each in known if each.default is MISSING and each.name not in record]
    if missing:
        raise ParseError(f'a line of this kind needs "{missing[0]}"')
    named = {each.name: record[each.name] for each in known if each.name in record}
    wrong = [name for name, value in named.items() if not isinstance(value, str)]
    if wrong:
        raise ParseError(f'"{wrong[0]}" has to be a string')
    return kind(**named)


def _record(line: str | bytes) -> dict[str, Any]:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise ParseError(f"not JSON: {error.msg}", column=error.colno) from None
    if not is_object(record):
        raise ParseError("a line of a log is a JSON object")
    return record

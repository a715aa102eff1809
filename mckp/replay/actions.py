"""What happens in a recorded session of an agent, one action after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mckp.session.scopes import MAIN


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
    """The session is over; what follows is another one.

    Attributes
    ----------
    model : str or None
        The model that read it, if known.
    """

    model: str | None = None


Action: TypeAlias = Response | Edit | Compact | End

__all__ = ["MAIN", "Action", "Compact", "Edit", "End", "Response"]

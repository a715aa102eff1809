"""What has been read of a call, when it ends, as a call or as what is wrong with it."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from mckp.tools.calls.bodies import read_body
from mckp.tools.calls.events import Call, CallError
from mckp.tools.calls.words import SyntaxProblem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.tools.calls.events import Form
    from mckp.tools.tool import Tool


class Catalog:
    """The tools that may be called; without any, all names are taken.

    Examples
    --------
    >>> Catalog(None).call("now", "zone=UTC", "<call>now zone=UTC</call>", "wire").arguments
    {'zone': 'UTC'}
    """

    def __init__(self, tools: Iterable[Tool] | None) -> None:
        self._tools = None if tools is None else {tool.name: tool for tool in tools}

    def call(self, name: str | None, body: str, source: str, form: Form) -> Call | CallError:
        """Return a call whose text is complete."""
        if name is None:
            return CallError(None, "the call has no name; write the name of a tool first", source)
        if self._tools is not None and name not in self._tools:
            return CallError(name, self._unknown(name), source)
        try:
            arguments = read_body(body, form, self._tools[name] if self._tools else None)
        except SyntaxProblem as problem:
            return CallError(name, str(problem), source)
        return Call(name, arguments, source, form)

    def _unknown(self, name: str) -> str:
        known = list(self._tools or ())
        near = get_close_matches(name, known, n=3) or known[:3]
        more = "" if len(near) == len(known) else f" and {len(known) - len(near)} more"
        return f"there is no tool {name}; there are {', '.join(near)}{more}"


def unclosed(name: str | None, source: str, closing: str) -> CallError:
    """Return what is to be said of a call that does not end."""
    return CallError(name, f"the call is not closed; end it with {closing}", source)

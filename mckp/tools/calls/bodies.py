"""The text within a call as arguments, whatever its form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mckp.tools.calls.native_body import read_native
from mckp.tools.calls.schema import Place
from mckp.tools.calls.wire_body import read_wire
from mckp.tools.calls.words import SyntaxProblem

if TYPE_CHECKING:
    from mckp.tools.calls.events import Form
    from mckp.tools.tool import Tool

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def read_body(body: str, form: Form, tool: Tool | None) -> dict[str, Any]:
    """Return the arguments that the body of a call gives.

    Raises
    ------
    SyntaxProblem
        If it is no body of a call, with what to do.
    """
    if not body.isascii() and _SURROGATE.search(body) is not None:
        raise SyntaxProblem("half of a surrogate pair is no character")
    place = Place(None if tool is None else tool.parameters)
    if form == "native":
        return read_native(body, place)
    if body.startswith("(") and body.rstrip().endswith(")"):
        # A model that mixes up both forms.
        return read_native(body.rstrip()[1:-1], place)
    return read_wire(body, place)

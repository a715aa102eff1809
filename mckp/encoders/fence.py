"""``fence``: a fenced code block: strings of several lines verbatim, other data as JSON.

The fence is longer than any run of backticks inside, so it closes where it should. A
container is indented JSON, as people paste it; nothing is cut from a fence.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.scalars import read_json
from mckp.jsontext import is_container, is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines

_TICKS = regex("`+")


def fence_for(text: str) -> str:
    """Return a run of backticks longer than any in the text, three at least."""
    return "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))


def body(value: Any) -> Body | None:
    """Write a string of several lines, or any container that is not empty."""
    if isinstance(value, str) and "\n" in value:
        return Body(f"({_shape(value)[1]})", _fenced(value, ""))
    if is_container(value) and value:
        bracket = "{}" if is_object(value) else "[]"
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
        return Body(f"{bracket[0]}{len(value)}{bracket[1]}", _fenced(text, "json"))
    return None


def _fenced(text: str, info: str) -> str:
    fence = fence_for(text)
    return f"{fence}{info}\n{text}\n{fence}\n"


def read(lines: Lines, header: Header) -> Any:
    """Read the value back."""
    bracket, count = header.bracket, header.size
    info = "" if bracket == "(" else "json"
    opening = lines.take()
    fence = opening.removesuffix(info)
    if _TICKS.fullmatch(fence) is None or opening != fence + info:
        lines.fail("a fence was expected")
    inner: list[str] = []
    while (line := lines.take()) != fence:
        inner.append(line)
    text = "\n".join(inner)
    value = text if bracket == "(" else read_json(text)
    if (bracket, count) != _shape(value):
        lines.fail("the fence holds something else than its header declares")
    return value


def _shape(value: Any) -> tuple[str, int]:
    if isinstance(value, str):
        return "(", value.count("\n") + 1
    return ("{" if is_object(value) else "["), len(value)


FENCE = Format("fence", DataLoss.NONE, body, read)

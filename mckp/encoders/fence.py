"""``fence``: a fenced code block: strings of several lines verbatim, other data as JSON.

The fence is longer than any run of backticks inside, so it closes where it should. A
container is indented JSON, as people paste it; nothing is cut from a fence.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mckp.encoders.base import Body, DataLoss, Format, shape_of
from mckp.encoders.scalars import read_json
from mckp.jsontext import is_container
from mckp.regexes import regex

if TYPE_CHECKING:
    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines

_TICKS = regex("`+")


def fence_for(text: str) -> str:
    """Return at least three backticks: a longer run than any in the text."""
    return "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))


def body(value: object) -> Body | None:
    """Write a string of several lines or a non-empty container; return None for other values."""
    if isinstance(value, str) and "\n" in value:
        text, info = value, ""
    elif is_container(value) and value:
        text, info = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2), "json"
    else:
        return None
    fence = fence_for(text)
    return Body(shape_of(value), f"{fence}{info}\n{text}\n{fence}\n")


def read(lines: Lines, header: Header) -> Any:
    """Read the value in a fence; fail without a fence, or if its size is not the declared one."""
    info = "" if header.bracket == "(" else "json"
    opening = lines.take()
    fence = opening.removesuffix(info)
    if _TICKS.fullmatch(fence) is None or opening != fence + info:
        lines.fail("a fence was expected")
    inner: list[str] = []
    while (line := lines.take()) != fence:
        inner.append(line)
    text = "\n".join(inner)
    value = read_json(text) if info else text
    if f"{header.bracket}{header.size}" != shape_of(value)[:-1]:
        lines.fail("the fence does not hold what its header declares")
    return value


FENCE = Format("fence", DataLoss.NONE, body, read)

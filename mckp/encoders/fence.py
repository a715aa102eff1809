"""``fence``: a fenced code block: strings of several lines verbatim, other data as JSON.

The fence is longer than any run of backticks inside, so it closes where it should. A
container is indented JSON, as people paste it; nothing is cut from a fence.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.scalars import read_json
from mckp.jsontext import is_container, is_object

if TYPE_CHECKING:
    from mckp.encoders.lines import Lines

_TICKS = re.compile("`+")


def fence_for(text: str) -> str:
    """Return a run of backticks longer than any in the text, three at least."""
    return "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))


def body(value: Any) -> Body | None:
    """Write a string of several lines, or any container that is not empty."""
    if isinstance(value, str) and "\n" in value:
        return Body(f"({value.count(chr(10)) + 1})", _fenced(value, ""))
    if is_container(value) and value:
        bracket = "{}" if is_object(value) else "[]"
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
        return Body(f"{bracket[0]}{len(value)}{bracket[1]}", _fenced(text, "json"))
    return None


def _fenced(text: str, info: str) -> str:
    fence = fence_for(text)
    return f"{fence}{info}\n{text}\n{fence}\n"


def read(lines: Lines, shape: tuple[str, int]) -> Any:
    """Read the value back."""
    opening = lines.take()
    fence = opening.rstrip("json")
    inner: list[str] = []
    while (line := lines.take()) != fence:
        inner.append(line)
    text = "\n".join(inner)
    return text if shape[0] == "(" else read_json(text)


FENCE = Format("fence", DataLoss.NONE, body, read)

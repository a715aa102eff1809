"""What tools answered, as text for a model to read."""

from __future__ import annotations

import re
from typing import Any, Final

from mckp.jsontext import dump
from mckp.tools.calls.parser import read_calls

_TAG: Final = re.compile(r"<(?=\\*/?(?:call|tool-result|tool-error)\b)")
_FENCE: Final = re.compile(r"(^[ \t\r]*)(?=```|~~~)", re.MULTILINE)
_MARKED_FENCE: Final = re.compile(r"(^[ \t\r]*)(?=\\+(?:```|~~~))", re.MULTILINE)


def escaped(text: str) -> str:
    r"""Return a text in which nothing is a call, a result, or a fence that stays open.

    Examples
    --------
    >>> print(escaped("see <call>f</call> and </tool-result>"))
    see <\call>f<\/call> and <\/tool-result>
    """
    text = _MARKED_FENCE.sub(r"\1\\", _TAG.sub(r"<\\", text))
    if _FENCE.search(text) and len(read_calls(f"{text}\n<call>f</call>")) == 1:
        return _FENCE.sub(r"\1\\", text)
    return text


def result_text(name: str, result: Any) -> str:
    r"""Return the answer of a tool for a model to read; what is no text is written as JSON.

    Examples
    --------
    >>> print(result_text("getWeather", {"sky": "clear"}))
    <tool-result name="getWeather">{"sky":"clear"}</tool-result>
    """
    return _tagged("result", name, result)


def error_text(name: str | None, *problems: object) -> str:
    """Return what is wrong with a call, or with the run of a tool, for a model to read.

    Examples
    --------
    >>> print(error_text("getWeather", "location: missing; it must be string"))
    <tool-error name="getWeather">location: missing; it must be string</tool-error>
    """
    return _tagged("error", name or "", "\n".join(map(str, problems)))


def _tagged(kind: str, name: str, content: Any) -> str:
    text = content if isinstance(content, str) else dump(content)
    shown = dump(name).replace("<", "\\u003c")
    return f"<tool-{kind} name={shown}>{escaped(text)}</tool-{kind}>"

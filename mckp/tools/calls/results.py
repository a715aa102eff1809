r"""What tools answer, as text, and the escapes that keep marks in other texts from being marks.

A mark within a text gets a backslash after its first character: ``<\call>``, ``→\f(1)``. One that
has backslashes there gets one more, so that nothing is lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump, load
from mckp.tools.calls.grammar import LETTER, MARK
from mckp.tools.calls.parser import read_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

_TAG: Final = re.compile(r"<(?=\\*/?(?:call|tool-result|tool-error)\b)")
_SHOWN_TAG: Final = re.compile(r"<\\(?=\\*/?(?:call|tool-result|tool-error)\b)")
_ARROW: Final = re.compile(rf"(^[ \t\r]*{MARK})(?=\\*(?:{LETTER}|\"))", re.MULTILINE)
_SHOWN_ARROW: Final = re.compile(rf"(^[ \t\r]*{MARK})\\(?=\\*(?:{LETTER}|\"))", re.MULTILINE)
_FENCE: Final = re.compile(r"(^[ \t\r]*)(?=```|~~~)", re.MULTILINE)
_SHOWN_FENCE: Final = re.compile(r"(^[ \t\r]*)\\(?=\\*(?:```|~~~))", re.MULTILINE)
_MARKED_FENCE: Final = re.compile(r"(^[ \t\r]*)(?=\\+(?:```|~~~))", re.MULTILINE)
_RESULT: Final = re.compile(
    r'<tool-(result|error) name=("(?:[^"\\]|\\.)*")>(.*?)</tool-\1>', re.DOTALL
)


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answered.

    Attributes
    ----------
    name, text : str
        The tool, and what it said.
    error : bool
        Whether it failed.
    """

    name: str
    text: str
    error: bool = False


def escaped(text: str) -> str:
    r"""Return a text in which nothing is a call, a result, or a fence that stays open.

    Examples
    --------
    >>> print(escaped("see <call>f</call> and </tool-result>"))
    see <\call>f<\/call> and <\/tool-result>
    """
    text = _ARROW.sub(r"\1\\", _TAG.sub(r"<\\", text))
    text = _MARKED_FENCE.sub(r"\1\\", text)
    if _FENCE.search(text) and len(read_calls(f"{text}\n<call>f</call>")) == 1:
        return _FENCE.sub(r"\1\\", text)
    return text


def unescaped_text(text: str) -> str:
    r"""Return what `escaped` made a text of.

    Examples
    --------
    >>> unescaped_text(escaped("→f(1)\n→\\f(1)\n```"))
    '→f(1)\n→\\f(1)\n```'
    """
    text = _SHOWN_FENCE.sub(r"\1", text)
    return _SHOWN_TAG.sub("<", _SHOWN_ARROW.sub(r"\1", text))


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


def read_results(text: str) -> list[str | ToolAnswer]:
    """Return the answers of tools in a text, and the text between them.

    Examples
    --------
    >>> read_results('<tool-result name="f">1</tool-result> and')
    [ToolAnswer(name='f', text='1', error=False), ' and']
    """
    return list(_results(text))


def _results(text: str) -> Iterator[str | ToolAnswer]:
    at = 0
    for match in _RESULT.finditer(text):
        if match.start() > at:
            yield unescaped_text(text[at : match.start()])
        yield ToolAnswer(load(match[2]), unescaped_text(match[3]), match[1] == "error")
        at = match.end()
    if at < len(text):
        yield unescaped_text(text[at:])

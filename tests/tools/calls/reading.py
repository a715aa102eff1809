"""How what tools answered is read back from the texts that say so."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mckp.jsontext import load

_SHOWN_TAG: Final = re.compile(r"<\\(?=\\*/?(?:call|tool-result|tool-error)\b)")
_SHOWN_FENCE: Final = re.compile(r"(^[ \t\r]*)\\(?=\\*(?:```|~~~))", re.MULTILINE)
_RESULT: Final = re.compile(
    r'<tool-(result|error) name=("(?:[^"\\]|\\.)*")>(.*?)</tool-\1>', re.DOTALL
)


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answered: its name, what it said, and whether it failed."""

    name: str
    text: str
    error: bool = False


def unescaped_text(text: str) -> str:
    return _SHOWN_TAG.sub("<", _SHOWN_FENCE.sub(r"\1", text))


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
        yield ToolAnswer(str(load(match[2])), unescaped_text(match[3]), match[1] == "error")
        at = match.end()
    if at < len(text):
        yield unescaped_text(text[at:])

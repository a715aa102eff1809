"""What a conversation asks for where a tool is called: it says what is kept of a cut result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_ASKED: Final = 2_000
"""Most characters of what the user, the model and the call have said that count each."""

_SPEAKERS: Final = ("user", "assistant")
_TEXTS: Final = ("text", "input_text", "output_text")


class Request:
    r"""The last words of the user, and those of the model since then.

    Examples
    --------
    >>> request = Request()
    >>> request.hear({"role": "user", "content": "Which build failed?"})
    >>> request.hear({"role": "assistant", "content": [{"type": "text", "text": "Let me see."}]})
    >>> request.of({"branch": "main", "limit": 9})
    'Which build failed?\nLet me see.\nmain 9'
    """

    def __init__(self) -> None:
        self._words = dict.fromkeys(_SPEAKERS, "")

    def hear(self, message: Mapping[str, Any]) -> None:
        """Note what a message says itself, without calls and results."""
        role: Any = message.get("role")
        content: Any = message.get("content")
        if role not in _SPEAKERS:
            return
        blocks: list[Any] = content if is_array(content) else [{"type": "text", "text": content}]
        named = [block for block in blocks if is_mapping(block)]
        texts = [
            block["text"] for block in named if block.get("type") in _TEXTS and "text" in block
        ]
        words = "\n".join(text for text in texts if isinstance(text, str))[:MOST_ASKED]
        if words:
            if role == "user":
                self._words = dict.fromkeys(_SPEAKERS, "")
            self._words[role] = words

    def of(self, args: Any) -> str:
        """Return what is asked for where a tool is called with some arguments."""
        words = [self._words[name] for name in _SPEAKERS]
        # Of the arguments alone a cut has more to lose than to win.
        return "\n".join(filter(None, [*words, _values(args)])) if any(words) else ""


def _values(args: Any) -> str:
    """Return the values of arguments, of which the first are enough."""
    values: list[str] = []
    open_: list[Any] = [args]
    while open_ and sum(map(len, values)) < MOST_ASKED:
        here = open_.pop()
        if is_mapping(here):
            open_ += reversed(list(here.values()))
        elif is_array(here):
            open_ += reversed(here)
        elif isinstance(here, str | int | float):
            values.append(str(here)[:MOST_ASKED])
    return " ".join(values)[:MOST_ASKED]

"""What a tool call is meant to find out, which decides what a cut result keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.plain import JsonValue

MAX_WORDS_CHARS: Final = 2_000
"""The most characters that count of the user's words, of the model's, and of the call."""

_SPEAKERS: Final = ("user", "assistant")
_TEXTS: Final = ("text", "input_text", "output_text")


class Request:
    r"""The user's last words, and what the model has said since.

    Examples
    --------
    >>> request = Request()
    >>> request.hear({"role": "user", "content": "Which build failed?"})
    >>> request.hear({"role": "assistant", "content": [{"type": "text", "text": "Let me see."}]})
    >>> request.text_for({"branch": "main", "limit": 9})
    'Which build failed?\nLet me see.\nmain 9'
    """

    def __init__(self) -> None:
        """Begin without words."""
        self._words = dict.fromkeys(_SPEAKERS, "")

    def hear(self, message: Mapping[str, Any]) -> None:
        """Note the words of a message, without calls and results; the user's replace all others."""
        role: Any = message.get("role")
        content: Any = message.get("content")
        if role not in _SPEAKERS:
            return
        blocks: list[Any] = content if is_array(content) else [{"type": "text", "text": content}]
        named = [block for block in blocks if is_mapping(block)]
        texts = [
            block["text"] for block in named if block.get("type") in _TEXTS and "text" in block
        ]
        words = "\n".join(text for text in texts if isinstance(text, str))[:MAX_WORDS_CHARS]
        if words:
            if role == "user":
                self._words = dict.fromkeys(_SPEAKERS, "")
            self._words[role] = words

    def text_for(self, args: JsonValue) -> str:
        """Return the request behind a tool call: the last words and the call's arguments.

        It is empty if nobody has said anything.
        """
        words = [self._words[name] for name in _SPEAKERS]
        # A cut by the arguments alone loses more than it gains.
        return "\n".join(filter(None, [*words, _argument_text(args)])) if any(words) else ""


def _argument_text(args: JsonValue) -> str:
    """Return the values of arguments as one text of at most `MAX_WORDS_CHARS` characters."""
    values: list[str] = []
    waiting: list[Any] = [args]
    while waiting and sum(map(len, values)) < MAX_WORDS_CHARS:
        value = waiting.pop()
        if is_mapping(value):
            waiting += reversed(list(value.values()))
        elif is_array(value):
            waiting += reversed(value)
        elif isinstance(value, str | int | float):
            values.append(str(value)[:MAX_WORDS_CHARS])
    return " ".join(values)[:MAX_WORDS_CHARS]

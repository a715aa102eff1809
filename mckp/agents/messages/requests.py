"""What a tool call is meant to find out, which decides what a cut result keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.agents.messages.shapes import words_of
from mckp.jsontext import is_array, is_mapping
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.plain import JsonValue

MAX_WORDS_CHARS: Final = 2_000
"""The most characters of each part of a request: the user's words, the model's, and the call's."""

LEAST_CHARS: Final = 3
"""The fewest characters of a word or number in arguments that says what a call is about.

With ``page=1``, rows that contain a 1 would take the places of those that were asked for. In other
scripts than Latin, one character can be a word.
"""
_PAGING: Final = regex(r"(?i)page|limit|offset|count|size|max|top|first|last|cursor|skip")
"""Names of arguments whose numbers say how much of a list is wanted, and from where."""

_SPEAKERS: Final = {"user": "user", "assistant": "assistant", "model": "assistant"}
"""By role of a message, in the APIs that `mckp.agents.messages.shapes` knows, who speaks in it."""


class Request:
    r"""The last words of the user, and the last words of the model since then.

    Examples
    --------
    >>> request = Request()
    >>> request.hear({"role": "user", "content": "Which build failed?"})
    >>> request.hear({"role": "assistant", "content": [{"type": "text", "text": "Let me see."}]})
    >>> request.text_for({"branch": "main", "build": 4711, "limit": 100, "page": 1})
    'Which build failed?\nLet me see.\nmain 4711'
    """

    def __init__(self) -> None:
        """Begin without words."""
        self._words = dict.fromkeys(_SPEAKERS.values(), "")

    def hear(self, message: Mapping[str, Any]) -> None:
        """Remember the words of a message by the user or the model; other messages are ignored.

        They replace earlier words of the same speaker, and the user's words also those of the
        model. Calls, results and thoughts are no words.
        """
        speaker = _SPEAKERS.get(str(message.get("role")))
        if speaker is None:
            return
        words = "\n".join(text for _, text in words_of(message))[:MAX_WORDS_CHARS]
        if words:
            if speaker == "user":
                self._words = dict.fromkeys(self._words, "")
            self._words[speaker] = words

    def text_for(self, args: JsonValue) -> str:
        """Return the request behind a tool call: the last words and the call's arguments.

        Numbers and words of one or two characters in the arguments are left out, as are numbers
        that only say which page is wanted: they match rows that have nothing to do with the call.
        It is empty if nobody has said anything.
        """
        words = [*self._words.values()]
        # A cut by the arguments alone loses more than it gains.
        return "\n".join(filter(None, [*words, _argument_text(args)])) if any(words) else ""


def _argument_text(args: JsonValue) -> str:
    """Return what arguments are about, joined and cut to `MAX_WORDS_CHARS`."""
    values: list[str] = []
    waiting: list[tuple[str, Any]] = [("", args)]
    while waiting and sum(map(len, values)) < MAX_WORDS_CHARS:
        name, value = waiting.pop()
        if is_mapping(value):
            waiting += [(str(key), member) for key, member in reversed(list(value.items()))]
        elif is_array(value):
            waiting += [(name, item) for item in reversed(value)]
        elif isinstance(value, str):
            words = value[:MAX_WORDS_CHARS].split()
            values.append(" ".join(word for word in words if not _is_short(word)))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            text = str(value)
            if not _is_short(text) and _PAGING.search(name) is None:
                values.append(text)
    return " ".join(filter(None, values))[:MAX_WORDS_CHARS]


def _is_short(word: str) -> bool:
    return len(word) < LEAST_CHARS and word.isascii()

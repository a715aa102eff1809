"""Lists of messages with their tool results encoded, for clients that are called by hand."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from mckp.messages.shapes import filled, slots
from mckp.messages.transcripts import Recent, Transcripts, key_after

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from mckp.messages.shapes import ToolText
    from mckp.messages.transcripts import Options
    from mckp.session import Session

_MAX_TEXTS: Final = 4096
"""Texts of ours that are known again if they come back."""


class MessageEncoder:
    """Encodes the tool results in lists of messages, and leaves all else as it is.

    What was returned for a conversation is the beginning of what is returned once it has gone
    on, so caches of prompts hold. No message is left out, so no result loses its call. Ids,
    ``cache_control``, images and errors stay. One encoder serves many conversations and threads.

    Give it the conversation with the results as they came. What it returned may be given back
    as well, as long as this encoder lives.

    Parameters
    ----------
    **options : Options
        How results are written: settings, budget, tokenizer, templates, tools to leave alone.

    Examples
    --------
    >>> call = {"id": "c1", "function": {"name": "jobs", "arguments": "{}"}}
    >>> rows = [{"id": n, "state": "done"} for n in range(40)]
    >>> encoder = MessageEncoder(budget=60)
    >>> said = encoder.encode([
    ...     {"role": "user", "content": "What is done?"},
    ...     {"role": "assistant", "tool_calls": [call]},
    ...     {"role": "tool", "tool_call_id": "c1", "content": str(rows).replace("'", '"')},
    ... ])
    >>> said[2]["tool_call_id"], said[2]["content"].splitlines()[:2]
    ('c1', ['> [#1 as compact]', '[40]{id state=done}'])
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        self._transcripts = Transcripts(**options)
        self._sent: Recent[tuple[str, str], ToolText] = Recent(_MAX_TEXTS)

    def encode(self, messages: Sequence[Any]) -> list[Any]:
        """Return the messages to send.

        Parameters
        ----------
        messages : sequence
            As OpenAI (chat or responses) or Anthropic have them; objects of their client
            libraries among them are taken as well.
        """
        places, results = self._found(messages)
        texts = self._transcripts.texts(results)
        changed: list[tuple[tuple[str | int, ...], str]] = []
        for place, result, text in zip(places, results, texts, strict=True):
            if text != result.text:
                changed.append((place, text))
                # In case it comes back as if a tool had said it.
                self._sent.put((result.call_id, text), result, len(result.text))
        return filled(messages, changed)

    def recall(
        self, messages: Sequence[Any], number: int | str, path: str = "", skip: int = 0
    ) -> str:
        """Return what a label or reference in a conversation stands for, within the budget.

        A tool of the name ``recall`` may offer this to the model.

        Parameters
        ----------
        messages : sequence
            The conversation.
        number : int or str
            As in ``[#3]``.
        path : str, optional
            A place in its data, such as ``$.jobs[3]``.
        skip : int
            Items, or lines of a text, to leave out at the beginning.
        """
        return self._transcripts.recall(self._found(messages)[1], number, path, skip)

    def session(self, messages: Sequence[Any]) -> Session:
        """Return the session of a conversation, which knows what was saved."""
        return self._transcripts.session(self._found(messages)[1])

    def key(self, messages: Sequence[Any]) -> bytes:
        """Return a hash of the results in a conversation."""
        return reduce(key_after, self._found(messages)[1], b"")

    def _found(self, messages: Sequence[Any]) -> tuple[list[tuple[str | int, ...]], list[ToolText]]:
        found = slots(messages)
        results = [self._sent.get((each.call_id, each.text)) or each for _, each in found]
        return [place for place, _ in found], results


def encode_messages(messages: Sequence[Any], **options: Unpack[Options]) -> list[Any]:
    """Return messages with their tool results encoded; see `MessageEncoder`.

    Nothing is remembered between calls: each works out all results again, to the same texts.

    Parameters
    ----------
    messages : sequence
        As OpenAI or Anthropic have them, results as they came.
    **options : Options
        How results are written: settings, budget, tokenizer, templates, tools to leave alone.

    Examples
    --------
    >>> encode_messages([{"role": "user", "content": "Hello"}], budget=500)
    [{'role': 'user', 'content': 'Hello'}]
    """
    return MessageEncoder(**options).encode(messages)

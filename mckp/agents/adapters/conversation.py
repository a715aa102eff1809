"""The base of adapters: turns a framework's messages into ones `mckp.agents.messages` reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mckp.agents.messages import MessageEncoder
from mckp.agents.messages.conversation import find_slots
from mckp.agents.messages.encoder import MAX_CONVERSATIONS
from mckp.agents.messages.transcripts import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Unpack

    from mckp.agents.messages.transcripts import ConversationOptions
    from mckp.agents.session import Session

M = TypeVar("M")
PlainMessage = dict[str, Any]


class Conversations(Generic[M]):
    """Base class of adapters: the conversations of one framework.

    A program that calls a model itself, such as a graph of its own, calls `encoded` first. An
    adapter has two functions: `plain` returns a message in the shape of Anthropic's messages, with
    its calls and results; `put` returns the message with the texts of such a plain one.
    """

    def __init__(
        self,
        plain: Callable[[Any], PlainMessage],
        put: Callable[[Any, PlainMessage], Any],
        **options: Unpack[ConversationOptions],
    ) -> None:
        """Keep the two functions of the adapter."""
        self._encoder, self._plain, self._put = MessageEncoder(**options), plain, put
        self._recent = Recent[bytes, list[PlainMessage]](MAX_CONVERSATIONS)

    def encoded(self, messages: Sequence[M], whole: Sequence[Any] | None = None) -> list[M]:
        """Return messages with their tool results encoded.

        Parameters
        ----------
        messages : sequence
            The messages that the model is shown.
        whole : sequence, optional
            The whole conversation, if some of its messages are not shown.
        """
        before = [self._plain(message) for message in messages]
        after = self._encoder.encode(before)
        if whole is not None:
            self._remember_shown(whole, before)
        return [
            message if encoded is old else self._put(message, encoded)
            for message, old, encoded in zip(messages, before, after, strict=True)
        ]

    def recalled(self, messages: Sequence[Any], **asked: Any) -> str:
        """Return the answer to a recall in a conversation; `asked` are its arguments."""
        plain = [self._plain(message) for message in messages]
        shown = self._recent.get(self._encoder.results_key(plain)) or plain
        return self._encoder.recall(shown, **asked)

    def session(self, messages: Sequence[Any]) -> Session:
        """Return the session of a conversation, which has the savings and the results."""
        return self._encoder.session([self._plain(message) for message in messages])

    def _remember_shown(self, whole: Sequence[Any], shown: list[PlainMessage]) -> None:
        """Remember the shown messages of a conversation, unless all of it is shown."""
        plain = [self._plain(message) for message in whole]
        if plain != shown:
            size = sum(len(result.text) for _, result, _ in find_slots(shown))
            self._recent.put(self._encoder.results_key(plain), shown, size)

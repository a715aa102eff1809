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

    A program that calls a model itself, such as a graph of its own, calls `encoded` first.

    An adapter has two functions. `to_plain` returns a message of the framework in the shape of
    Anthropic's messages, with its calls and results. `with_plain` returns a message of the
    framework with the texts of such a plain one.
    """

    def __init__(
        self,
        to_plain: Callable[[Any], PlainMessage],
        with_plain: Callable[[Any, PlainMessage], Any],
        **options: Unpack[ConversationOptions],
    ) -> None:
        """Keep the two functions of the adapter."""
        self._encoder = MessageEncoder(**options)
        self._to_plain, self._with_plain = to_plain, with_plain
        self._shown = Recent[bytes, list[PlainMessage]](MAX_CONVERSATIONS)

    def encoded(self, messages: Sequence[M], whole: Sequence[Any] | None = None) -> list[M]:
        """Return messages with their tool results encoded.

        Parameters
        ----------
        messages : sequence
            The messages that the model is shown.
        whole : sequence, optional
            The whole conversation, if some of its messages are not shown.
        """
        before = [self._to_plain(message) for message in messages]
        after = self._encoder.encode(before)
        if whole is not None:
            self._remember_shown(whole, before)
        return [
            message if encoded is old else self._with_plain(message, encoded)
            for message, old, encoded in zip(messages, before, after, strict=True)
        ]

    def recalled(self, messages: Sequence[Any], **asked: Any) -> str:
        """Return the answer to a recall in a conversation, with `asked` as its arguments."""
        plain_messages = [self._to_plain(message) for message in messages]
        shown = self._shown.get(self._encoder.results_key(plain_messages)) or plain_messages
        return self._encoder.recall(shown, **asked)

    def session(self, messages: Sequence[Any]) -> Session:
        """Return the session of a conversation, with its results and `Session.savings`."""
        return self._encoder.session([self._to_plain(message) for message in messages])

    def _remember_shown(self, whole: Sequence[Any], shown: list[PlainMessage]) -> None:
        """Remember which messages of a conversation are shown, unless all are: for `recalled`."""
        plain_messages = [self._to_plain(message) for message in whole]
        if plain_messages != shown:
            size = sum(len(result.text) for _, result, _ in find_slots(shown))
            self._shown.put(self._encoder.results_key(plain_messages), shown, size)

"""Finds the tool results in messages for OpenAI, Anthropic and other APIs, and encodes them."""

from __future__ import annotations

import logging
from functools import partial, reduce
from math import inf
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.messages.compaction import compact, tokens_of
from mckp.agents.messages.conversation import conversation_parts, find_slots, with_texts
from mckp.agents.messages.shapes import unknown_results
from mckp.agents.messages.transcripts import (
    Recent,
    Rules,
    Transcript,
    answer_recall,
    checked_options,
    key_after,
)
from mckp.agents.session.reader import Reader
from mckp.agents.session.short_names import EXPLAINED
from mckp.agents.session.tool import definition
from mckp.agents.telemetry.event import Anonymiser
from mckp.agents.telemetry.fields import Uses
from mckp.answers.primer import instruction
from mckp.budgets import checked_budget
from mckp.jsontext import path_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from mckp.agents.messages.compaction import Compacted
    from mckp.agents.messages.shapes import Path, Slot, ToolText
    from mckp.agents.messages.transcripts import ConversationOptions
    from mckp.agents.session import Session
    from mckp.agents.telemetry.fields import Figures
    from mckp.plain import JsonValue

_LOG: Final = logging.getLogger(__name__)


MAX_CONVERSATIONS: Final = 64
"""The most conversations that are remembered."""

_MAX_TEXTS: Final = 4096
"""The most delivered texts that are recognised when they come back."""


class MessageEncoder:
    """Encodes the tool results in lists of messages, and leaves everything else as it is.

    A longer conversation begins with the same bytes as before, so prompt caches stay valid. No
    message is left out, so every result keeps its call. Ids, ``cache_control``, images and errors
    do not change. You can use one encoder for many conversations, from several threads. You can
    also pickle it and continue in another process: it remembers the latest conversations, with
    their results, and need not encode them again. For this, its options (a tokenizer, ``on_event``)
    must be picklable.

    Pass it the conversation with the original results. The list may also contain messages that
    the same encoder returned.

    Parameters
    ----------
    **options : ConversationOptions
        How results are written: settings, budget, tokenizer, tools to leave alone and so on.

    Attributes
    ----------
    instruction : str
        A line for a model's instructions: it explains the signs in results, and how to get what
        was cut.
    signs : str
        The same without recall, for agents that have no such tool.

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
    >>> said[2]["tool_call_id"], said[2]["content"].splitlines()[:3]
    ('c1', ['> [#1 as compact]', '[40]{id}', '== state done'])
    """

    def __init__(self, **options: Unpack[ConversationOptions]) -> None:
        """Check the options, and begin without any conversation."""
        self._rules = Rules.from_options(**checked_options(options))
        self.instruction = instruction(self._rules.settings.formats)
        self.signs = instruction(self._rules.settings.formats, "")
        if self._rules.settings.short_names:
            self.instruction += EXPLAINED
            self.signs += EXPLAINED
        self._known = Recent[bytes, Transcript](MAX_CONVERSATIONS)
        self._compacted = Recent[bytes, tuple[dict[str, Any], list[str]]](MAX_CONVERSATIONS)
        self._warned_signs = set[str]()
        self._sent: Recent[tuple[str, str], ToolText] = Recent(_MAX_TEXTS)

    def encode(self, messages: Sequence[Any]) -> list[Any]:
        """Return the messages to send to the model, with their tool results encoded.

        Parameters
        ----------
        messages : sequence
            Messages of OpenAI (chat or responses), Anthropic, google-genai or Bedrock Converse,
            as dictionaries or as objects of their client libraries; see
            `mckp.agents.messages.shapes`. What looks like a result, but is none of these, is sent
            unchanged; a warning is logged once for each type.

        Returns
        -------
        list
            The messages. Those that change become dictionaries; the others are not copied.

        Raises
        ------
        TypeError
            If `messages` is not a list of messages. With ``on_error="raise"``, any error that a
            result causes is raised, too.
        """
        result_slots, results = self._find_results(messages)
        _, texts = self._deliver(results)
        changed: list[tuple[Path, Any]] = []
        for slot, result, text in zip(result_slots, results, texts, strict=True):
            if text != result.text:
                changed.append((slot.path, slot.wrap(text)))
                # It may come back as the result of a tool.
                self._sent.put((result.call_id, text), result, len(result.text))
        self._warn_unknown_results(messages)
        return with_texts(messages, changed)

    async def aencode(self, messages: Sequence[Any], *, seconds: float | None = None) -> list[Any]:
        """Encode messages without blocking the event loop; see `encode`.

        One thread serves the conversations of all encoders in turn. A call that is cancelled or
        takes too long is stopped; nothing of it is remembered, so it can be repeated.

        Parameters
        ----------
        messages : sequence
            As for `encode`.
        seconds : float, optional
            The most CPU time for the whole call; no limit if None. The option `seconds` of the
            encoder limits each result instead, and sends part of one that takes longer.

        Raises
        ------
        WorkLimitError
            If the call takes longer; for all others see `encode`.

        Examples
        --------
        >>> import asyncio
        >>> asyncio.run(MessageEncoder().aencode([{"role": "user", "content": "Hello"}]))
        [{'role': 'user', 'content': 'Hello'}]
        """
        from mckp.apart import run_apart  # needs asyncio

        return await run_apart(partial(self.encode, messages), inf if seconds is None else seconds)

    def compact(self, messages: Sequence[Any], budget: int | str) -> Compacted:
        r"""Return a conversation that has grown too long, cut to a budget.

        Instructions and the user's messages stay as they are, and calls keep their results. One
        choice (`mckp.pack`) shares the rest of the budget among all results and, before the user's
        last message or the model's last step, among long texts of the model and long arguments of
        calls. Results of the last step count twice, and what is related to the user's last request
        counts more. A note marks each cut, and `recall` returns what was cut. Messages before the
        first change are the same, so prompt caches hold for them.

        Give the returned messages, and those that follow, to the same encoder again: results that
        come later refer only to texts that are still there.

        Parameters
        ----------
        messages : sequence
            The conversation, as for `encode`.
        budget : int or str
            The most tokens of all texts in it: 20000, ``"20k"``, or ``"20%"`` of those that
            would be sent. What a provider adds to each message, and images, are not counted.

        Returns
        -------
        Compacted
            The messages, their tokens, and what changed.

        Raises
        ------
        BudgetError
            If what must stay does not fit; the error names a budget that works.
        TypeError
            If the budget is None.

        Examples
        --------
        >>> log = "".join(f"step {n} done\n" for n in range(400)) + "ERROR: disk full\n"
        >>> call = {"id": "c1", "function": {"name": "run", "arguments": "{}"}}
        >>> encoder = MessageEncoder()
        >>> compacted = encoder.compact([
        ...     {"role": "user", "content": "Why does it fail?"},
        ...     {"role": "assistant", "tool_calls": [call]},
        ...     {"role": "tool", "tool_call_id": "c1", "content": log},
        ...     {"role": "assistant", "content": "The disk is full."},
        ...     {"role": "user", "content": "Free some space."},
        ... ], budget=100)
        >>> compacted.tokens <= 100 < compacted.before, compacted.unchanged
        (True, 2)
        >>> [(change.what, change.state, change.handle) for change in compacted.changes]
        [('result', 'cut', '#1')]
        """
        sent, results = self.encode(messages), self._find_results(messages)[1]
        session, _ = self._deliver(results)
        counter = session.tokenizer
        limit = checked_budget(budget, lambda: tokens_of(sent, counter.count_batch))
        if limit is None:
            raise TypeError("compacting a conversation needs a budget")
        session = self._rules.session(session.to_dict())
        session.compact()
        is_named = session.settings.short_names
        shown = session.names.shorten if is_named else str
        whole = [shown(result.text) for result in results]
        compacted = compact(sent, whole, session, limit)
        if compacted.changes:
            self._remember_compacted(compacted.messages, session)
        return compacted

    def _remember_compacted(self, messages: Sequence[Any], session: Session) -> None:
        """Remember the results in compacted messages as sent, in place of those before."""
        result_slots, results = self._find_results(messages)
        texts = [slot.result.text for slot in result_slots]
        session_data = session.to_dict()
        transcript = self._compacted_transcript((session_data, texts), results)
        self._compacted.put(transcript.key, (session_data, texts), transcript.size)

    def _compacted_transcript(
        self, compacted: tuple[dict[str, JsonValue], list[str]], results: Sequence[ToolText]
    ) -> Transcript:
        """Return the transcript of a conversation that begins with compacted messages.

        `compacted` is what `_compacted` holds: the session as data, and the results in the messages
        as they were sent.
        """
        session_data, texts = compacted
        session = self._rules.session(session_data)
        transcript = Transcript(self._rules, session)
        for result, text in zip(results, texts, strict=False):
            transcript.record_sent(result, text)
        return transcript

    def _warn_unknown_results(self, messages: Sequence[JsonValue]) -> None:
        """Warn of what looks like a result but is of no known type, once for each type."""
        for index, message in enumerate(messages):
            for path, sign in unknown_results(message):
                if sign not in self._warned_signs:
                    self._warned_signs.add(sign)
                    place = path_text((index, *path)).replace("$", "messages", 1)
                    warning = "%s looks like the result of a tool (%s), and is sent as it is"
                    _LOG.warning(warning, place, sign)

    def recall(
        self,
        messages: Sequence[Any],
        handle: int | str | None = None,
        path: str | None = None,
        **asked: Any,
    ) -> str:
        """Return the result that a handle names, or the answer to a question about it.

        A tool named ``recall`` can offer this to the model: pass on its arguments. A wrong call
        gets an answer that explains the mistake; without a handle, the answer names the handles
        that exist. For a result that was cut, a handle alone returns what was not shown yet.

        Parameters
        ----------
        messages : sequence
            The conversation.
        handle : int or str
            The number, such as 3 or ``"#3"``; without one, the answer names the latest handles.
        path : str, optional
            A place in its data, such as ``$.jobs[3]`` or ``$.jobs[5:8]``, or a heading or function
            of a text; ``$`` is the whole result.
        **asked
            A question about its rows or lines: ``where``, ``fields``, ``group``, ``sort``,
            ``limit``, ``offset``, ``grep``, ``context``, ``lines``; see
            `mckp.recall.RecallQuestion`.
        """
        request = {"handle": handle, "path": path, **asked}
        return answer_recall(self.session(messages), self._rules, request)

    def resolve(self, messages: Sequence[Any], arguments: Any) -> Any:
        """Return the arguments of a call with ids in place of the short names of a conversation.

        With the setting `short_names`, call it before each call is run. A name is replaced
        wherever it occurs in a text: alone, in a path or URL, in a query.

        Parameters
        ----------
        messages : sequence
            The conversation.
        arguments : object
            Plain data, such as the arguments of a call; they are not changed.

        Returns
        -------
        object
            The arguments to run the call with. Without the setting, they are as they were.

        Raises
        ------
        MckpError
            If an argument is nothing but a name that stands for no id; the text is for the model.

        Examples
        --------
        >>> from mckp.agents.session import SessionSettings
        >>> encoder = MessageEncoder(settings=SessionSettings(short_names=True))
        >>> page = "1f0c2a44-91d3-4c51-a7a5-0be2f2a4c1d7"
        >>> call = {"id": "c1", "function": {"name": "find", "arguments": "{}"}}
        >>> messages = encoder.encode([
        ...     {"role": "assistant", "tool_calls": [call]},
        ...     {"role": "tool", "tool_call_id": "c1", "content": f'{{"page": "{page}"}}'},
        ... ])
        >>> messages[1]["content"]
        '{"page": "@p1"}'
        >>> encoder.resolve(messages, {"page_id": "@p1"}) == {"page_id": page}
        True
        """
        return self.session(messages).resolve(arguments)

    def resolve_text(self, messages: Sequence[Any], text: str) -> str:
        """Return a text of the model, such as its answer to the user, with ids for short names.

        Names that stand for no id stay. `messages` is the conversation.
        """
        return self.session(messages).names.resolve_text(text)

    def recall_tool(self, shape: str = "openai") -> dict[str, Any]:
        """Return the definition of a tool that offers `recall` to the model.

        Parameters
        ----------
        shape : str, default "openai"
            ``openai``, ``anthropic`` or ``mcp``.

        Examples
        --------
        >>> encoder = MessageEncoder(budget=2000)
        >>> list(encoder.recall_tool()["function"]["parameters"]["properties"])[:5]
        ['handle', 'path', 'where', 'fields', 'group']
        """
        return definition(shape)

    def session(self, messages: Sequence[Any]) -> Session:
        """Return the session of a conversation, with its results and `Session.savings`."""
        return self._deliver(self._find_results(messages)[1])[0]

    def uses(self, messages: Sequence[Any]) -> Figures:
        """Return how often values of results are used later in the conversation.

        Nothing is counted unless this is called. The figures contain only names and counts.

        Parameters
        ----------
        messages : sequence
            The conversation, once it has ended.

        Returns
        -------
        dict
            The figures by tool and field, for `mckp.agents.telemetry.Recorder.record_uses`; see
            `mckp.agents.telemetry.Uses`.
        """
        uses = Uses(Anonymiser(self._rules.settings.salt).tool)
        uses.add_parts(conversation_parts(self.encode(messages), Reader().seen))
        return uses.counts()

    def results_key(self, messages: Sequence[JsonValue]) -> bytes:
        """Return a hash of the results in a conversation."""
        return reduce(key_after, self._find_results(messages)[1], b"")

    def _deliver(self, results: Sequence[ToolText]) -> tuple[Session, list[str]]:
        """Return the session of a conversation, and the delivered text of each result.

        Only results after the longest remembered beginning are delivered. Its transcript is taken
        out of the memory meanwhile, so that no other thread uses it. A forgotten beginning is
        delivered again, with the same texts.
        """
        keys = [b""]
        for result in results:
            keys.append(key_after(keys[-1], result))
        transcript = self._longest_known(keys, results) or Transcript(self._rules)
        for result in results[len(transcript.texts) :]:
            transcript.add(result)
        session, texts = transcript.session, list(transcript.texts)
        self._known.put(transcript.key, transcript, transcript.size)
        return session, texts

    def _longest_known(
        self, keys: Sequence[bytes], results: Sequence[ToolText]
    ) -> Transcript | None:
        """Return the transcript of the longest remembered beginning, or None.

        `keys` are the hashes of the conversation before its first result and after each one.
        """
        for key in reversed(keys[1:]):
            if (transcript := self._known.take(key)) is not None:
                return transcript
            if (compacted := self._compacted.get(key)) is not None:
                return self._compacted_transcript(compacted, results)
        return None

    def _find_results(self, messages: Sequence[JsonValue]) -> tuple[list[Slot], list[ToolText]]:
        """Return the slots of results in messages, and the results as they first came."""
        result_slots = find_slots(messages)
        results = [slot.result for slot in result_slots]
        return result_slots, [
            self._sent.get((result.call_id, result.text)) or result for result in results
        ]


def encode_messages(messages: Sequence[Any], **options: Unpack[ConversationOptions]) -> list[Any]:
    """Return messages with their tool results encoded; see `MessageEncoder`.

    Nothing is remembered between calls: each call encodes all results again, to the same texts.

    Examples
    --------
    >>> encode_messages([{"role": "user", "content": "Hello"}], budget=500)
    [{'role': 'user', 'content': 'Hello'}]
    """
    return MessageEncoder(**options).encode(messages)

"""Tools for models that only write text: their calls are read from the stream and answered.

It uses `mckp.tools.calls`. What a model wrote stays in the conversation byte for byte, and answers
are added at its end, so that prompt caches hold.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from mckp.agents.messages import RECALL, ToolText
from mckp.agents.messages.shapes import as_mapping, calls_of, results_of, slots_of, words_of
from mckp.agents.messages.transcripts import Rules, Transcript, answer_recall, checked_options
from mckp.agents.session.tool import definition
from mckp.answers.primer import instruction
from mckp.jsontext import dump, is_array
from mckp.tools import parse_tools
from mckp.tools.calls import (
    Call,
    CallError,
    CallParser,
    check_arguments,
    error_text,
    escaped,
    manual,
    result_text,
    source_of,
    with_manual,
    write_call,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Unpack

    from mckp.agents.messages.shapes import MessageResult
    from mckp.agents.messages.transcripts import ConversationOptions
    from mckp.agents.session import Session
    from mckp.tools import Tool
    from mckp.tools.calls import Event

    Message = dict[str, Any]

_LOG = logging.getLogger(__name__)


class TextCalls:
    """One conversation with a model that only reads and writes text.

    Parameters
    ----------
    tools
        Definitions of tools, as `mckp.tools.parse_tools` reads them.
    run : callable
        Runs a tool: takes its name and its arguments, returns text or data. The model is notified
        of exceptions.
    history : sequence of dict or of objects of a client
        The conversation so far. Calls and answers that are data, as in the messages of OpenAI,
        Anthropic, Gemini and Bedrock clients, become text; answers are written as later ones are.
        Thoughts of a model are removed.
    recall : bool, default True
        Whether the model gets a tool that returns what was cut.
    header : str, optional
        An explanation of calls that replaces the manual's own.
    placement : str, default "last"
        Where the manual is in the system message: ``last`` or ``first``.
    **options : ConversationOptions
        How results are written: settings, budget (without tags), tokenizer, tools to leave alone.

    Attributes
    ----------
    messages : list of dict
        What to send to the model next: roles and texts.
    is_waiting : bool
        Whether the model must be asked again because its calls were answered.

    Examples
    --------
    >>> def model(messages):
    ...     asked = messages[-1]["content"]
    ...     return "It is noon." if "12:00" in asked else ["<call>now zo", "ne=UTC</call>"]
    >>> zone = {"type": "object", "properties": {"zone": {"type": "string"}}}
    >>> tools = [{"name": "now", "description": "The time.", "inputSchema": zone}]
    >>> chat = TextCalls(tools, lambda name, arguments: "12:00", recall=False)
    >>> chat.say("What time is it?")
    >>> for event in chat.converse(model):
    ...     print(event)
    CallStart(name='now')
    Call(name='now', arguments={'zone': 'UTC'}, source='<call>now zone=UTC</call>')
    Text(text='It is noon.')
    >>> chat.messages[3]["content"]
    '<tool-result name="now">12:00</tool-result>'
    """

    def __init__(
        self,
        tools: Any,
        run: Callable[[str, dict[str, Any]], Any],
        *,
        history: Sequence[Any] = (),
        recall: bool = True,
        header: str | None = None,
        placement: str = "last",
        **options: Unpack[ConversationOptions],
    ) -> None:
        """Read the tools, and write the first messages: the manual and the history."""
        all_tools = parse_tools(tools)
        self._recalls = recall and RECALL not in {tool.name for tool in all_tools}
        all_tools += parse_tools([definition("mcp")]) if self._recalls else []
        self._tools: dict[str, Tool] = {tool.name: tool for tool in all_tools}
        self._run = run
        self._rules = Rules.from_options(**checked_options(options))
        self._transcript = Transcript(self._rules)
        self._step = 0
        self._parser = CallParser(all_tools)
        self._events: list[Event] = []
        line = instruction(self._rules.settings.formats, RECALL if self._recalls else "")
        our_manual = f"{manual(all_tools, header)}\n\n{line}"
        messages = self._import_history(history)
        self.messages: list[Message] = with_manual(messages, our_manual, placement)
        self.is_waiting = False

    def _import_history(self, history: Sequence[Any]) -> list[Message]:
        """Return a history as text messages, in which calls and answers look like later ones.

        Calls become part of the assistant's message before them, if there is one, and answers that
        follow each other become one message.
        """
        messages: list[Message] = []
        calls_by_id: dict[str, tuple[str, Any]] = {}
        ends_with_answers = False
        for original in history:
            message = as_mapping(original)
            calls, results = list(calls_of(message)), list(results_of(message))
            if not calls and not results:
                messages += _spoken_messages(message)
                ends_with_answers = False
                continue
            calls_by_id.update(calls)
            texts = [escaped(text) for text in _spoken_texts(message, results)]
            calls_as_text = [
                write_call(tool, args, self._tools.get(tool)) for _, (tool, args) in calls
            ]
            self._step += bool(results)
            answers = [
                self._past_answer(result, *calls_by_id.get(result.call_id, ("", None)))
                for result in results
            ]
            text = "\n".join([*answers, *texts, *calls_as_text])
            is_continued = ends_with_answers if results else _ends_with_model(messages)
            if is_continued:
                messages[-1]["content"] += f"\n{text}"
            else:
                messages.append({"role": "user" if results else "assistant", "content": text})
            ends_with_answers = bool(results)
        return messages

    def _past_answer(self, result: MessageResult, called_tool: str, arguments: Any) -> str:
        """Return a result in an imported history as the text of an answer.

        `called_tool` and `arguments` are those of its call; they are empty if there is no call.
        """
        tool = result.tool or called_tool
        text = "\n".join(slot.result.text for slot in slots_of((), result.content))
        if result.is_error:
            return error_text(tool, text)
        self._transcript.add(ToolText(tool, text, arguments, step=self._step))
        return _result_block(tool, self._transcript.texts[-1])

    @property
    def session(self) -> Session:
        """The session of the conversation, with its results and `Session.savings`."""
        return self._transcript.session

    def say(self, text: str) -> None:
        """Add what the user says; call marks in it are escaped."""
        self.messages.append({"role": "user", "content": escaped(text)})

    def feed(self, chunk: str) -> list[Event]:
        """Read a chunk of the model's text; return the events that it completes."""
        return self._collect(self._parser.feed(chunk))

    def finish(self) -> bool:
        """End the model's text, run the calls in it, and add their answers.

        Return whether there were calls, so that the model must be asked again.
        """
        events = [*self._events, *self._parser.flush()]
        self._events = []
        self.messages.append({"role": "assistant", "content": "".join(map(source_of, events))})
        calls = [event for event in events if isinstance(event, Call | CallError)]
        self._step += 1
        answers = [self._answer(call, calls[index + 1 :]) for index, call in enumerate(calls)]
        if answers:
            self.messages.append({"role": "user", "content": "\n".join(answers)})
        self.is_waiting = bool(answers)
        return self.is_waiting

    def converse(
        self, model: Callable[[list[Message]], str | Iterable[str]], most: int = 20
    ) -> Iterator[Event]:
        """Ask a model until it calls no more tools; yield events while it writes.

        The model takes messages, and returns text or an iterable of its chunks. After `most`
        rounds it is not asked again, even if `is_waiting`.
        """
        for _ in range(most):
            reply = model(list(self.messages))
            for chunk in [reply] if isinstance(reply, str) else reply:
                yield from self.feed(chunk)
            yield from self._collect(self._parser.flush())
            if not self.finish():
                return

    def _collect(self, events: list[Event]) -> list[Event]:
        """Keep events for `finish`, and return them."""
        self._events += events
        return events

    def _answer(self, call: Call | CallError, later: Sequence[Call | CallError]) -> str:
        """Return the text that answers a call: its result, or what is wrong with it.

        `later` are the calls of the same step that follow, which share its budget.
        """
        if isinstance(call, CallError):
            return error_text(call.name, call.message)
        problems = check_arguments(call.arguments, self._tools[call.name])
        if problems:
            return error_text(call.name, *problems)
        try:
            result = self._run_call(call, later)
        except Exception as error:
            _LOG.warning("the tool %r failed", call.name, exc_info=True)
            return error_text(call.name, f"{type(error).__name__}: {error}")
        return _result_block(call.name, result)

    def _run_call(self, call: Call, later: Sequence[Call | CallError]) -> str:
        """Run a call, and return its encoded result, or the answer to a recall.

        `later` are the calls of the same step that follow, which share its budget.
        """
        if self._recalls and call.name == RECALL:
            return answer_recall(self.session, self._rules, call.arguments)
        outcome = self._run(call.name, call.arguments)
        text = outcome if isinstance(outcome, str) else dump(outcome)
        later_tools = tuple(other.name for other in later if isinstance(other, Call))
        result = ToolText(call.name, text, call.arguments, step=self._step, later=later_tools)
        self._transcript.add(result)
        return self._transcript.texts[-1]


def _spoken_messages(message: Mapping[str, Any]) -> list[Message]:
    """Return a message that has no calls or results as a list of at most one text message.

    What an assistant says becomes a text, and so do the words in blocks of the Responses API,
    Gemini and Bedrock. Any other message only loses its members that are None. The list is empty
    for thoughts, and for other items that are no messages.
    """
    plain = {key: value for key, value in message.items() if value is not None}
    words = [text for _, text in words_of(message)]
    is_responses_message = plain.get("type") == "message"
    if "role" not in plain and "type" in plain and not is_responses_message:
        return []
    blocks: Any = plain.get("parts", plain.get("content"))
    is_from_model = plain.get("role") in ("assistant", "model")
    can_be_text = (
        is_responses_message
        or "parts" in plain
        or not any("type" in as_mapping(block) for block in blocks or ())
    )
    if is_array(blocks) and (is_from_model or (can_be_text and len(words) == len(blocks))):
        role = "assistant" if is_from_model else plain.get("role", "user")
        return [{"role": role, "content": "\n".join(words)}] if words else []
    return [plain]


def _ends_with_model(messages: Sequence[Message]) -> bool:
    """Whether the last message is an assistant's, so that calls that follow belong to it."""
    return bool(messages) and messages[-1].get("role") == "assistant"


def _result_block(name: str, result: str) -> str:
    """Return the text of an answer with a result; a line of ours at its beginning stays a line."""
    return result_text(name, f"\n{result}" if result.startswith("> [") else result)


def _spoken_texts(message: Mapping[str, Any], results: Sequence[MessageResult]) -> list[str]:
    """Return the texts of a message that are not part of a call or a result.

    There are none if all of its content is a result.
    """
    if any(result.path[0] in ("output", "content") and len(result.path) == 1 for result in results):
        return []
    content: Any = message.get("content") or message.get("parts") or []
    if isinstance(content, str):
        return [content]
    texts: list[Any] = [as_mapping(block).get("text") for block in content]
    return [text for text in texts if isinstance(text, str) and text]

"""Finds the tool results in messages of OpenAI or Anthropic, and encodes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, cast

from mckp.agents.messages.transcripts import Recent, Rules, Transcript, key_after, recalled
from mckp.agents.session.classify import arguments
from mckp.agents.session.reader import Reader
from mckp.agents.session.tool import definition
from mckp.agents.telemetry.event import Anonymiser
from mckp.agents.telemetry.fields import Uses
from mckp.agents.telemetry.uses import Part, of_call, of_result
from mckp.answers.primer import instruction
from mckp.jsontext import is_array

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Unpack

    from mckp.agents.messages.transcripts import Options
    from mckp.agents.session import Session
    from mckp.agents.telemetry.fields import Figures


@dataclass(frozen=True, slots=True)
class ToolText:
    """One text that a tool returned."""

    tool: str
    """The tool's name; empty if the call is not in the conversation."""
    text: str
    args: Any = None
    call_id: str = ""
    is_error: bool = False
    parts: int = 1
    """How many texts the call returned; they share its budget."""
    request: str = ""
    """What the conversation asks for: the last words of the user and of the model, and the call."""


Path = tuple[str | int, ...]
Slot = tuple[Path, ToolText]

_CALLS: Final = ("function_call", "custom_tool_call")
_OUTPUTS: Final = ("function_call_output", "custom_tool_call_output")
_USES: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
_RESULTS: Final = ("tool_result", "mcp_tool_result")
_TEXTS: Final = ("text", "input_text", "output_text")


def slots(messages: Sequence[Any]) -> list[Slot]:
    """Return each text of a tool's result with its place, in the order of the conversation."""
    _check(messages)
    calls: dict[str, tuple[str, Any]] = {}
    words: dict[str, str] = {}
    found: list[Slot] = []
    for number, message in enumerate(messages):
        plain = as_mapping(message)
        calls.update(calls_of(plain))
        if plain.get("role") in _SPEAKERS and (own := _words(plain)):
            words = {**words, "assistant": ""} if plain["role"] == "user" else words
            words[plain["role"]] = own
        for path, call, content, failed in results_of(plain):
            name, args = calls.get(call, ("", None))
            request = _request(words, args)
            result = ToolText(name, "", args, call, failed, request=request)
            found.extend(texts_of((number, *path), content, result))
    return found


_SPEAKERS: Final = ("user", "assistant")
MOST_ASKED: Final = 2_000
"""Most characters of what one side has said that count as a request."""


def _words(message: Mapping[str, Any]) -> str:
    """Return what a message says itself, without calls and results."""
    texts = (each.text for _, each in texts_of((), message.get("content")))
    return "\n".join(texts)[:MOST_ASKED]


def _request(words: Mapping[str, str], args: Any) -> str:
    """Return what is asked for where a tool is called."""
    said = [words.get(name, "") for name in _SPEAKERS]
    # Without words, what a tool is called with says too little: at a tenth more was lost than won.
    return "\n".join(filter(None, [*said, _values(args)])) if any(said) else ""


def _values(args: Any) -> str:
    """Return the values of arguments, of which the first are enough."""
    found: list[str] = []
    open_ = [args]
    while open_ and sum(map(len, found)) < MOST_ASKED:
        here = open_.pop()
        if isinstance(here, Mapping):
            open_ += reversed(list(here.values()))
        elif is_array(here):
            open_ += reversed(here)
        elif isinstance(here, str | int | float):
            found.append(str(here)[:MOST_ASKED])
    return " ".join(found)[:MOST_ASKED]


def said(messages: Sequence[Any], read: Callable[[str], Any] = str) -> Iterator[Part]:
    """Yield the parts of a conversation, for `mckp.agents.telemetry.uses`.

    `read` returns the data that the text of a result stands for; by default the text itself.

    Examples
    --------
    >>> call = {"id": "1", "function": {"name": "get", "arguments": '{"id": 7}'}}
    >>> run = [{"role": "user", "content": "Go"}, {"role": "assistant", "tool_calls": [call]}]
    >>> [(part.kind, part.text) for part in said(run)]
    [('request', 'Go'), ('argument', '7')]
    """
    _check(messages)
    calls: dict[str, tuple[str, Any]] = {}
    for message in map(as_mapping, messages):
        for _, call, content, _ in results_of(message):
            name, args = calls.get(call, (_name(message), None))
            texts = [each.text for _, each in texts_of((), content)]
            for each in map(read, texts) if texts else [content]:
                yield of_result(name, args, each)
        if message.get("role") != "tool":
            kind = "message" if message.get("role") == "assistant" else "request"
            yield from (Part(kind, each.text) for _, each in texts_of((), message.get("content")))
        own = dict(calls_of(message))
        calls.update(own)
        for _, args in own.values():
            yield from of_call(args)


def _check(messages: object) -> None:
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes):
        raise TypeError(f"expected a list of messages, got {type(messages).__name__}")


def filled(messages: Sequence[Any], texts: Iterable[tuple[Path, str]]) -> list[Any]:
    """Return messages with new texts; only what changes is copied."""
    found = list(messages)
    for path, text in texts:
        found = put(found, path, text)
    return found


def put(value: Any, path: Path, text: str) -> Any:
    """Return data with a new text at a path; only containers on the path are copied."""
    if not path:
        return text
    copied: Any = list(value) if is_array(value) else dict(as_mapping(value))
    copied[path[0]] = put(copied[path[0]], path[1:], text)
    return copied


def as_mapping(value: Any) -> Mapping[str, Any]:
    """Return a message or block as a mapping; objects of client libraries are converted."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value)
    if not hasattr(value, "model_dump"):
        return {}
    return cast("Mapping[str, Any]", value.model_dump())


def calls_of(message: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, Any]]]:
    """Yield the calls of a message: the id, and the tool's name with its arguments."""
    if message.get("type") in _CALLS:
        args = message.get("arguments", message.get("input"))
        yield _id(message.get("call_id")), (_name(message), arguments(args))
    for each in _list(message.get("tool_calls")):
        call = as_mapping(each)
        function = as_mapping(call.get("function") or call.get("custom"))
        args = function.get("arguments", function.get("input"))
        yield _id(call.get("id")), (_name(function), arguments(args))
    for block in map(as_mapping, _list(message.get("content"))):
        if block.get("type") in _USES:
            yield _id(block.get("id")), (_name(block), block.get("input"))


def _id(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)


def _name(call: Mapping[str, Any]) -> str:
    name = call.get("name")
    return name if isinstance(name, str) else ""


def results_of(message: Mapping[str, Any]) -> Iterator[tuple[Path, str, Any, bool]]:
    """Yield the results in a message: path, id of the call, content, and whether it failed."""
    if message.get("role") == "tool":
        yield ("content",), _id(message.get("tool_call_id")), message.get("content"), False
    elif message.get("type") in _OUTPUTS:
        yield ("output",), _id(message.get("call_id")), message.get("output"), False
    elif message.get("role") == "user":
        for number, block in enumerate(map(as_mapping, _list(message.get("content")))):
            if block.get("type") in _RESULTS:
                path = ("content", number, "content")
                failed = bool(block.get("is_error"))
                yield path, _id(block.get("tool_use_id")), block.get("content"), failed


def texts_of(path: Path, content: Any, result: ToolText = ToolText("", "")) -> Iterator[Slot]:
    """Yield the texts in the content at a path, each as a text of the result."""
    if isinstance(content, str):
        yield path, replace(result, text=content)
        return
    blocks = [as_mapping(block) for block in _list(content)]
    places = [
        number
        for number, block in enumerate(blocks)
        if block.get("type") in _TEXTS and isinstance(block.get("text"), str)
    ]
    for number in places:
        text = blocks[number]["text"]
        yield (*path, number, "text"), replace(result, text=text, parts=len(places))


def _list(value: Any) -> list[Any]:
    return value if is_array(value) else []


MAX_CONVERSATIONS: Final = 64
"""Most conversations that are remembered."""

_MAX_TEXTS: Final = 4096
"""Most delivered texts that are recognised when they come back."""


class MessageEncoder:
    """Encodes the tool results in lists of messages, and leaves all else as it is.

    A longer conversation begins with the same bytes as before, so caches of prompts hold. No
    message is left out, so no result loses its call. Ids, ``cache_control``, images and errors
    stay. One encoder serves many conversations and threads.

    Give it the conversation with the results as they came. You may also give it messages that the
    same encoder has returned.

    Parameters
    ----------
    **options : Options
        How results are written: settings, budget, tokenizer, tools to leave alone.

    Attributes
    ----------
    instruction : str
        A line for the instructions of a model: it explains the signs in results, and how what was
        cut is had.
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

    def __init__(self, **options: Unpack[Options]) -> None:
        self._rules = Rules.of(**options)
        self.instruction = instruction(self._rules.settings.formats)
        self.signs = instruction(self._rules.settings.formats, "")
        self._known = Recent[bytes, Transcript](MAX_CONVERSATIONS)
        self._sent: Recent[tuple[str, str], ToolText] = Recent(_MAX_TEXTS)

    def encode(self, messages: Sequence[Any]) -> list[Any]:
        """Return the messages to send.

        Parameters
        ----------
        messages : sequence
            Messages of OpenAI (chat or responses) or Anthropic, as dictionaries or as objects of
            their client libraries.
        """
        places, results = self._found(messages)
        _, texts = self._delivered(results)
        changed: list[tuple[Path, str]] = []
        for place, result, text in zip(places, results, texts, strict=True):
            if text != result.text:
                changed.append((place, text))
                # It may come back as the result of a tool.
                self._sent.put((result.call_id, text), result, len(result.text))
        return filled(messages, changed)

    def recall(
        self,
        messages: Sequence[Any],
        handle: int | str,
        path: str | None = None,
        **asked: Any,
    ) -> str:
        """Return what stands behind a label or reference, or the answer to a question about it.

        A tool named ``recall`` can offer this to the model; mistakes are answered in words. For a
        result that was cut, a handle alone gives what was not shown yet.

        Parameters
        ----------
        messages : sequence
            The conversation.
        handle : int or str
            The number, such as 3 or ``"#3"``.
        path : str, optional
            A place in its data, such as ``$.jobs[3]`` or ``$.jobs[5:8]``, or a heading or function
            of a text; ``$`` for all of it.
        **asked
            A question about its rows or lines: ``where``, ``fields``, ``group``, ``sort``,
            ``limit``, ``offset``, ``grep``, ``context``, ``lines``, as `mckp.recall.Asked` has
            them.
        """
        given = {"handle": handle, "path": path, **asked}
        return recalled(self.session(messages), self._rules, given)

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
        """Return the session of a conversation, which knows what was saved."""
        return self._delivered(self._found(messages)[1])[0]

    def uses(self, messages: Sequence[Any]) -> Figures:
        """Return how often values of results are used later in the conversation.

        Nothing is counted unless this is called. It gives names and counts only.

        Parameters
        ----------
        messages : sequence
            The conversation, once it has ended.

        Returns
        -------
        dict
            By tool and field, for `mckp.agents.telemetry.Recorder.used`; see
            `mckp.agents.telemetry.Uses`.
        """
        found = Uses(Anonymiser(self._rules.settings.salt).tool)
        found.say(said(self.encode(messages), Reader().seen))
        return found.counts()

    def key(self, messages: Sequence[Any]) -> bytes:
        """Return a hash of the results in a conversation."""
        return reduce(key_after, self._found(messages)[1], b"")

    def _delivered(self, results: Sequence[ToolText]) -> tuple[Session, list[str]]:
        """Deliver the results that follow the longest known beginning of the conversation.

        That beginning is taken out of the memory meanwhile, so no other thread has it. A forgotten
        one is delivered again, with the same texts.
        """
        keys = [b""]
        for result in results:
            keys.append(key_after(keys[-1], result))
        known = filter(None, map(self._known.take, reversed(keys[1:])))
        transcript = next(known, None) or Transcript(self._rules)
        for result in results[len(transcript.texts) :]:
            transcript.add(result)
        found = transcript.session, list(transcript.texts)
        self._known.put(transcript.key, transcript, transcript.size)
        return found

    def _found(self, messages: Sequence[Any]) -> tuple[list[Path], list[ToolText]]:
        found = slots(messages)
        results = [self._sent.get((each.call_id, each.text)) or each for _, each in found]
        return [place for place, _ in found], results


def encode_messages(messages: Sequence[Any], **options: Unpack[Options]) -> list[Any]:
    """Return messages with their tool results encoded; see `MessageEncoder`.

    Nothing is remembered between calls: each call encodes all results again, to the same texts.

    Examples
    --------
    >>> encode_messages([{"role": "user", "content": "Hello"}], budget=500)
    [{'role': 'user', 'content': 'Hello'}]
    """
    return MessageEncoder(**options).encode(messages)

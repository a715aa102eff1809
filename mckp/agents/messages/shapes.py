"""The message formats of client libraries: where tool calls and results are in them.

=====================  ==================================================================
client                 a result
=====================  ==================================================================
OpenAI chat, LiteLLM   ``{"role": "tool", "tool_call_id", "content"}``, also ``function``
OpenAI Responses       ``{"type": "function_call_output", "call_id", "output"}`` and such
Anthropic              ``{"type": "tool_result", "tool_use_id", "content"}`` in a message
google-genai           ``{"function_response": {"name", "response"}}`` in ``parts``
Bedrock Converse       ``{"toolResult": {"toolUseId", "content"}}`` in a message
MCP                    a result of a call as the content of any of these
=====================  ==================================================================

The content is a string, bytes, a list of blocks, or Python data, which becomes a text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeGuard, cast

from mckp.agents.host import is_for_model
from mckp.agents.session.classify import parsed_arguments
from mckp.errors import DataError
from mckp.jsontext import dump, is_array, is_object
from mckp.parsers.python import from_python

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mckp.plain import JsonValue


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
    part: int = 0
    """How many of them come before this one."""
    step: int = 0
    """The step of the conversation, counted from 1; each message with calls begins one."""
    later: tuple[str, ...] = ()
    """The tools of the same step whose results are still to come."""
    request: str = ""
    """What the conversation asks for: the last words of the user and of the model, and the call."""


Path = tuple[str | int, ...]


class Slot(NamedTuple):
    """A text of a result, its place, and a function that wraps a new text for that place."""

    path: Path
    result: ToolText
    wrap: Callable[[str], Any] = str


class MessageResult(NamedTuple):
    """A result in a message: its place, the id of its call, its content, and whether it failed."""

    path: Path
    call_id: str
    content: Any
    is_error: bool = False
    tool: str = ""
    """The tool's name, if the result itself has it."""
    wrap: Callable[[str], Any] = str
    """Wraps a text that replaces the whole content, unless the content is text or blocks."""


_CALLS: Final = ("function_call", "custom_tool_call")
_OUTPUTS: Final = (
    *("function_call_output", "custom_tool_call_output"),
    *("local_shell_call_output", "apply_patch_call_output", "shell_call_output"),
)
_USES: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
_RESULTS: Final = ("tool_result", "mcp_tool_result")
_TEXTS: Final = ("text", "input_text", "output_text")
_ROLES: Final = ("tool", "function")
_SIGNS: Final = ("tool_result", "tool-result", "_output", "function_response", "toolResult")
"""Parts of the type of a result, or of the name of a member that holds one."""
_PROVIDER_RESULTS: Final = (
    *("computer_call_output", "web_search_tool_result", "web_fetch_tool_result"),
    *("code_execution_tool_result", "bash_code_execution_tool_result"),
    *("text_editor_code_execution_tool_result", "tool_search_tool_result"),
)
"""Results that only the provider reads, or images: they must be returned unchanged."""
_BEDROCK_MEMBERS: Final = frozenset({"text", "json", "image", "document", "video"})
"""Names of the only member of a Bedrock block."""
_BLOCKS: Final = frozenset(
    """
    text input_text output_text image image_url input_image input_file input_audio audio file
    document search_result resource resource_link refusal tool_reference video
    """.split()  # noqa: SIM905
)
"""Types of blocks; a list with other types is the caller's data."""


def as_mapping(value: Any) -> Mapping[str, Any]:
    """Return a message or block as a mapping; convert objects of client libraries.

    The mapping is empty for anything else.
    """
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value)
    if not hasattr(value, "model_dump"):
        return {}
    return cast("Mapping[str, Any]", value.model_dump())


class PlacedCall(NamedTuple):
    """A call in a message: its id, its tool, its arguments as they came, and their place."""

    call_id: str
    tool: str
    args: Any
    path: Path


def placed_calls(message: Mapping[str, JsonValue]) -> Iterator[PlacedCall]:
    """Yield the calls of a message, with the places of their arguments."""
    if message.get("type") in _CALLS:
        key = _member_name(message, "arguments", "input")
        yield PlacedCall(
            _id_text(message.get("call_id")), name_of(message), message.get(key), (key,)
        )
    for index, call in enumerate(map(as_mapping, _list_or_empty(message.get("tool_calls")))):
        member = _member_name(call, "function", "custom")
        function = as_mapping(call.get(member))
        key = _member_name(function, "arguments", "input")
        path: Path = ("tool_calls", index, member, key)
        yield PlacedCall(_id_text(call.get("id")), name_of(function), function.get(key), path)
    for index, block in enumerate(map(as_mapping, _list_or_empty(message.get("content")))):
        if block.get("type") in _USES:
            path = ("content", index, "input")
            yield PlacedCall(_id_text(block.get("id")), name_of(block), block.get("input"), path)
        elif use := as_mapping(block.get("toolUse")):
            path = ("content", index, "toolUse", "input")
            yield PlacedCall(_id_text(use.get("toolUseId")), name_of(use), use.get("input"), path)
    for index, part in enumerate(map(as_mapping, _list_or_empty(message.get("parts")))):
        key = _member_name(part, "function_call", "functionCall")
        if call := as_mapping(part.get(key)):
            tool, path = name_of(call), ("parts", index, key, "args")
            yield PlacedCall(_id_text(call.get("id") or tool), tool, call.get("args"), path)


def calls_of(message: Mapping[str, JsonValue]) -> Iterator[tuple[str, tuple[str, Any]]]:
    """Yield the id of each call in a message, with the tool's name and the arguments.

    Arguments that are JSON text are parsed.
    """
    for call in placed_calls(message):
        yield call.call_id, (call.tool, parsed_arguments(call.args))


def _member_name(value: Mapping[str, JsonValue], first: str, other: str) -> str:
    """Return `first` if the value has a member of that name that is not empty, else `other`."""
    return first if value.get(first) else other


def words_of(message: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield what the user or the model says in a message, text by text, each with its place.

    Calls, results in blocks and thoughts are left out. Do not pass messages whose whole content is
    a result.

    Examples
    --------
    >>> list(words_of({"role": "assistant", "content": [{"type": "text", "text": "Done."}]}))
    [(('content', 0, 'text'), 'Done.')]
    """
    if isinstance(message.get("content"), str):
        yield ("content",), message["content"]
    for name in ("content", "parts"):
        for index, block in enumerate(map(as_mapping, _list_or_empty(message.get(name)))):
            text = block.get("text")
            is_words = block.get("type") in (None, *_TEXTS) and not block.get("thought")
            if is_words and isinstance(text, str):
                yield (name, index, "text"), text


def results_of(message: Mapping[str, Any]) -> Iterator[MessageResult]:
    """Yield the results in a message."""
    if message.get("role") in _ROLES and "parts" not in message:
        tool = name_of(message) if message["role"] == "function" else ""
        call_id = tool or _id_text(message.get("tool_call_id"))
        yield MessageResult(("content",), call_id, message.get("content"), tool=tool)
    elif message.get("type") in _OUTPUTS:
        yield MessageResult(("output",), _id_text(message.get("call_id")), message.get("output"))
    elif message.get("role") == "user":
        for index, block in enumerate(map(as_mapping, _list_or_empty(message.get("content")))):
            if block.get("type") in _RESULTS:
                path, call_id = ("content", index, "content"), _id_text(block.get("tool_use_id"))
                is_error = bool(block.get("is_error"))
                yield MessageResult(path, call_id, block.get("content"), is_error)
            elif result := as_mapping(block.get("toolResult")):
                call_id = _id_text(result.get("toolUseId"))
                is_error = result.get("status") == "error"
                content_path = ("content", index, "toolResult", "content")
                yield MessageResult(
                    content_path, call_id, result.get("content"), is_error, wrap=_converse_content
                )
    yield from _genai_results(message)


def _genai_results(message: Mapping[str, JsonValue]) -> Iterator[MessageResult]:
    """Yield the results in the parts of a google-genai message."""
    for index, part in enumerate(map(as_mapping, _list_or_empty(message.get("parts")))):
        key = next((key for key in ("function_response", "functionResponse") if part.get(key)), "")
        if not (response := as_mapping(part.get(key))):
            continue
        path: Path = ("parts", index, key, "response")
        tool = name_of(response)
        call_id = _id_text(response.get("id") or tool)
        content = as_mapping(response.get("response"))
        # The API takes one of these members, or else the whole, as what the tool returned.
        member = next((key for key in ("error", "output", "result") if set(content) == {key}), None)
        if member is not None:
            yield MessageResult((*path, member), call_id, content[member], member == "error", tool)
        else:
            yield MessageResult(path, call_id, response.get("response"), False, tool, _genai_output)


def _genai_output(text: str) -> dict[str, str]:
    """Return a text as the response of a google-genai function."""
    return {"output": text}


def _converse_content(text: str) -> list[dict[str, str]]:
    """Return a text as the content of a Bedrock result."""
    return [{"text": text}]


def slots_of(
    path: Path, content: Any, result: ToolText = ToolText("", ""), wrap: Callable[[str], Any] = str
) -> Iterator[Slot]:
    """Yield a slot for each text in a result's content; there is none for None and an empty list.

    Bytes, data and an MCP result become one text each.

    Parameters
    ----------
    path : tuple
        Where the content is.
    content : object
        Text, bytes, blocks, an MCP result, or any other data.
    result : ToolText
        The result without its text, which is filled in.
    wrap : callable
        Wraps a text that replaces the whole content, unless the content is text or blocks.
    """
    if isinstance(content, str):
        yield Slot(path, replace(result, text=content))
    elif isinstance(content, bytes | bytearray):
        yield Slot(path, replace(result, text=_decoded(content)), wrap)
    elif is_blocks(content):
        blocks = [as_mapping(block) for block in content]
        texts = [
            (index, *entry) for index, block in enumerate(blocks) for entry in _block_texts(block)
        ]
        for part, (index, path_in_block, text, wrap_in_block) in enumerate(texts):
            part_result = replace(result, text=text, parts=len(texts), part=part)
            yield Slot((*path, index, *path_in_block), part_result, wrap_in_block)
    elif is_mcp_result(content):
        yield Slot(path, replace(result, text=_mcp_result_text(as_mapping(content))), wrap)
    elif content is not None and content != []:
        yield Slot(path, replace(result, text=_data_text(content)), wrap)


def _block_texts(block: Mapping[str, Any]) -> Iterator[tuple[Path, str, Callable[[str], Any]]]:
    """Yield each text in a block, with its path in the block and a function for `Slot.wrap`."""
    kind, text = block.get("type"), _decoded(block.get("text"))
    if isinstance(text, str) and (kind in _TEXTS or (kind is None and "text" in block)):
        yield ("text",), text, str
    elif kind is None and "json" in block:
        yield (), _data_text(block["json"]), lambda text: {"text": text}
    elif kind == "document" and as_mapping(block.get("source")).get("type") == "text":
        data = _decoded(as_mapping(block["source"]).get("data"))
        if isinstance(data, str):
            yield ("source", "data"), data, str
    elif kind == "search_result":
        for index, inner_block in enumerate(map(as_mapping, _list_or_empty(block.get("content")))):
            if isinstance(inner_block.get("text"), str):
                yield ("content", index, "text"), inner_block["text"], str
    elif "stdout" in block or "stderr" in block:
        for name in ("stdout", "stderr"):
            output = _decoded(block.get(name))
            if isinstance(output, str) and output:
                yield (name,), output, str


def _decoded(value: Any) -> Any:
    """Decode bytes, with surrogates for what is not UTF-8; return any other value unchanged."""
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "surrogateescape")
    return value


def is_blocks(content: JsonValue) -> bool:
    """Whether content is a list of message blocks, and not a list of the caller's data."""
    if not is_array(content) or not content:
        return False
    blocks = list(map(as_mapping, content))
    if any(block.get("type") in _BLOCKS for block in blocks):
        return True
    return all(
        block.keys() >= {"stdout", "outcome"}
        or (len(block) == 1 and not _BEDROCK_MEMBERS.isdisjoint(block))
        for block in blocks
    )


def is_mcp_result(content: JsonValue) -> bool:
    """Whether content looks like the result of an MCP call.

    It has blocks as ``content``, and either nothing else or a member that only such results have.
    """
    plain = as_mapping(content)
    return is_blocks(plain.get("content")) and bool(
        {"structuredContent", "structured_content", "isError", "is_error"} & plain.keys()
        or len(plain) == 1
    )


def _mcp_result_text(result: Mapping[str, JsonValue]) -> str:
    """Return the texts of an MCP result as one, or its data as JSON if there are no texts.

    Texts for the user alone are left out.

    Without texts and data, the text is empty.
    """
    blocks = [
        block
        for block in _list_or_empty(result["content"])
        if is_for_model(as_mapping(as_mapping(block).get("annotations")))
    ]
    texts = [slot.result.text for slot in slots_of((), blocks)]
    data = result.get("structuredContent", result.get("structured_content"))
    return "\n".join(texts) if texts or data is None else _data_text(data)


def _data_text(value: JsonValue) -> str:
    """Return data as JSON; values that JSON cannot hold become text."""
    try:
        return dump(from_python(value).value)
    except DataError:
        return json.dumps(_json_ready(value), default=str, ensure_ascii=False)


def _json_ready(value: Any) -> Any:
    """Return data with keys and bytes as strings, and with tuples and sets as lists."""
    if is_object(value):
        return {str(key): _json_ready(item) for key, item in value.items()}
    if isinstance(value, bytes | bytearray):
        return _decoded(value)
    if not isinstance(value, list | tuple | set):
        return value
    items = cast("Iterable[object]", value)
    return [_json_ready(item) for item in items]


def unknown_results(message: JsonValue) -> Iterator[tuple[Path, str]]:
    """Yield the places of what looks like a result of an unknown kind, each with its sign.

    The sign is the type or the member by which it looks like a result. The path of the message
    itself is empty.
    """
    plain = as_mapping(message)
    known_places = {result.path[:2] if len(result.path) > 1 else () for result in results_of(plain)}
    if () not in known_places and (sign := _result_sign(plain)):
        yield (), sign
    for name in ("content", "parts"):
        for index, block in enumerate(map(as_mapping, _list_or_empty(plain.get(name)))):
            if (name, index) not in known_places and (sign := _result_sign(block)):
                yield (name, index), sign


def _result_sign(block: Mapping[str, JsonValue]) -> str:
    """Return the type or the name of the member by which a block looks like a result, or ``""``.

    Results that only the provider reads do not count.
    """
    kind = block.get("type")
    if isinstance(kind, str):
        has_sign = any(sign in kind for sign in _SIGNS)
        return kind if has_sign and kind not in (*_PROVIDER_RESULTS, *_TEXTS) else ""
    members = cast("Mapping[object, Any]", block)
    keys = (key for key in members if isinstance(key, str) and members[key] is not None)
    return next((key for key in keys if key in _SIGNS or key == "tool_call_id"), "")


def name_of(value: Mapping[str, JsonValue]) -> str:
    """Return the name in a call or result, or an empty string if it has none."""
    name = value.get("name")
    return name if isinstance(name, str) else ""


def _id_text(value: JsonValue) -> str:
    """Return an id as text; an id that is not a string becomes its `repr`."""
    return value if isinstance(value, str) else repr(value)


def _list_or_empty(value: JsonValue) -> list[JsonValue]:
    """Return a value if it is a list, else an empty list."""
    return value if is_array(value) else []


def with_item(value: Any, path: Path, item: Any) -> Any:
    """Return data with another item at a path; only containers on the path are copied."""
    if not path:
        return item
    copied: Any = list(value) if is_array(value) else dict(as_mapping(value))
    copied[path[0]] = with_item(copied[path[0]], path[1:], item)
    return copied


def checked_messages(messages: object) -> Sequence[JsonValue]:
    """Return messages that are a list or another sequence; raise a `TypeError` for all else.

    A text is not a list of messages either.
    """
    if not _is_sequence(messages) or isinstance(messages, str | bytes):
        raise TypeError(f"expected a list of messages, got {type(messages).__name__}")
    return messages


def _is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether a value is a sequence."""
    return isinstance(value, Sequence)

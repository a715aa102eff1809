"""What tools answered as text, and conversations with calls as data, rewritten as text alone."""

from __future__ import annotations

import json
import re
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import DataError
from mckp.jsontext import dump, is_array, is_object, path_text
from mckp.tools.calls.parser import read_calls
from mckp.tools.calls.writer import write_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mckp.tools.tool import Tool

_TAG: Final = re.compile(r"<(?=\\*/?(?:call|tool-result|tool-error)\b)")
_FENCE: Final = re.compile(r"(^[ \t\r]*)(?=```|~~~)", re.MULTILINE)
_MARKED_FENCE: Final = re.compile(r"(^[ \t\r]*)(?=\\+(?:```|~~~))", re.MULTILINE)


def escaped(text: str) -> str:
    r"""Return a text in which nothing is a call, a result, or a fence that stays open.

    Examples
    --------
    >>> print(escaped("see <call>f</call> and </tool-result>"))
    see <\call>f<\/call> and <\/tool-result>
    """
    text = _MARKED_FENCE.sub(r"\1\\", _TAG.sub(r"<\\", text))
    if _FENCE.search(text) and len(read_calls(f"{text}\n<call>f</call>")) == 1:
        return _FENCE.sub(r"\1\\", text)
    return text


def result_text(name: str, result: Any) -> str:
    r"""Return the answer of a tool for a model to read; what is no text is written as JSON.

    Examples
    --------
    >>> print(result_text("getWeather", {"sky": "clear"}))
    <tool-result name="getWeather">{"sky":"clear"}</tool-result>
    """
    return _tagged("result", name, result)


def error_text(name: str | None, *problems: object) -> str:
    """Return what is wrong with a call, or with the run of a tool, for a model to read.

    Examples
    --------
    >>> print(error_text("getWeather", "location: missing; it must be string"))
    <tool-error name="getWeather">location: missing; it must be string</tool-error>
    """
    return _tagged("error", name or "", "\n".join(map(str, problems)))


def _tagged(kind: str, name: str, content: Any) -> str:
    text = content if isinstance(content, str) else dump(content)
    shown = dump(name).replace("<", "\\u003c")
    return f"<tool-{kind} name={shown}>{escaped(text)}</tool-{kind}>"


_Path = tuple[str | int, ...]
_Message = dict[str, Any]


def rewrite_history(
    messages: Sequence[Mapping[str, Any]], tools: Iterable[Tool] | None = None
) -> list[dict[str, Any]]:
    """Return a conversation in which calls of tools and their answers are text.

    Parameters
    ----------
    messages
        As OpenAI (``tool_calls``, role ``tool``) or Anthropic (blocks ``tool_use`` and
        ``tool_result``) have them. Other members and blocks are kept; marks that are in texts
        already are escaped.
    tools
        The tools, whose schemas say how calls are read.

    Raises
    ------
    DataError
        With the place: arguments that are no object, an answer to a call that is not there.

    Examples
    --------
    >>> use = {"type": "tool_use", "id": "1", "name": "now", "input": {"zone": "UTC"}}
    >>> done = {"type": "tool_result", "tool_use_id": "1", "content": "12:00"}
    >>> for message in rewrite_history(
    ...     [{"role": "assistant", "content": [use]}, {"role": "user", "content": [done]}]
    ... ):
    ...     print(message["role"], message["content"][0]["text"])
    assistant <call>now zone=UTC</call>
    user <tool-result name="now">12:00</tool-result>
    """
    rewriter = _Rewriter({tool.name: tool for tool in tools or ()})
    found: list[_Message] = []
    placed = enumerate(map(dict[str, Any], messages))
    for is_answer, group in groupby(placed, lambda each: each[1].get("role") == "tool"):
        if is_answer:
            found.append(rewriter.answers(list(group)))
        else:
            found += (rewriter.message(message, (at,)) for at, message in group)
    return found


class _Rewriter:
    """Rewrites messages one after another, and knows the calls so far by their ids."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._tools = tools
        self._names: dict[Any, str] = {}

    def answers(self, messages: list[tuple[int, _Message]]) -> _Message:
        """Return the message of answers that OpenAI has one by one, in the order of their calls."""
        written = [
            (each.get("tool_call_id"), list(self._answer(each, "tool_call_id", result_text, (at,))))
            for at, each in messages
        ]
        order = list(self._names)
        written.sort(key=lambda answer: order.index(answer[0]))
        text = "\n".join(blocks[0]["text"] for _, blocks in written)
        others = [block for _, blocks in written for block in blocks[1:]]
        return {"role": "user", "content": [_block(text), *others] if others else text}

    def message(self, message: _Message, path: _Path) -> _Message:
        """Return a message of another role."""
        if message.get("role") not in ("assistant", "user"):
            return message
        content = message.get("content")
        calls: list[Any] = message.pop("tool_calls", None) or []
        texts = [
            self._function(call, (*path, "tool_calls", number)) for number, call in enumerate(calls)
        ]
        if is_array(content):
            blocks = [
                block
                for number, each in enumerate(content)
                for block in self._rewritten(each, (*path, "content", number))
            ]
            message["content"] = [*blocks, *map(_block, texts)]
        else:
            said = [escaped(content)] if isinstance(content, str) and content else []
            message["content"] = "\n".join([*said, *texts])
        return message

    def _rewritten(self, block: Any, path: _Path) -> Iterator[_Message]:
        kind = block.get("type") if is_object(block) else None
        if kind == "text":
            yield {**block, "text": escaped(block.get("text") or "")}
        elif kind == "tool_use":
            yield _block(self._call(block, block.get("name"), block.get("input"), (*path, "input")))
        elif kind == "tool_result":
            write = error_text if block.get("is_error") else result_text
            yield from self._answer(block, "tool_use_id", write, path)
        else:
            yield block

    def _function(self, call: Any, path: _Path) -> str:
        """Return a call as OpenAI has it: its arguments are text."""
        function = call.get("function") if is_object(call) else None
        if not is_object(function):
            raise DataError("a call has no function", path=path_text(path))
        text = function.get("arguments") or "{}"
        try:
            arguments = json.loads(text) if isinstance(text, str) else text
        except ValueError:
            arguments = None
        place = (*path, "function", "arguments")
        return self._call(call, function.get("name"), arguments, place)

    def _call(self, call: _Message, name: Any, arguments: Any, path: _Path) -> str:
        if not is_object(arguments):
            raise DataError("arguments of a call are no object of JSON", path=path_text(path))
        self._names[call.get("id")] = name
        return write_call(name, arguments, self._tools.get(name))

    def _answer(
        self, answer: _Message, key: str, write: Callable[[str, str], str], path: _Path
    ) -> Iterator[_Message]:
        """Yield the text of an answer, and its blocks that are no text."""
        call, content = answer.get(key), answer.get("content")
        if call not in self._names:
            message = f"an answer to the call {call!r}, which is not there"
            raise DataError(message, path=path_text((*path, key)))
        others: list[Any] = []
        if is_array(content) and all(is_object(each) and "type" in each for each in content):
            texts = [each.get("text") or "" for each in content if each["type"] == "text"]
            others = [each for each in content if each["type"] != "text"]
            content = "\n".join(texts)
        elif not isinstance(content, str):
            content = "" if content is None else dump(content)
        yield _block(write(self._names[call], content))
        yield from others


def _block(text: str) -> _Message:
    return {"type": "text", "text": text}

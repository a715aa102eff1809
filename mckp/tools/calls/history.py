"""Conversations with calls as data, rewritten as text alone."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import DataError
from mckp.jsontext import dump, is_array, is_object, path_text
from mckp.tools.calls.grammar import LETTER, MARK
from mckp.tools.calls.parser import read_calls
from mckp.tools.calls.writer import write_call

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mckp.tools.calls.grammar import Form
    from mckp.tools.tool import Tool

_TAG: Final = re.compile(r"<(?=\\*/?(?:call|tool-result|tool-error)\b)")
_ARROW: Final = re.compile(rf"(^[ \t\r]*{MARK})(?=\\*(?:{LETTER}|\"))", re.MULTILINE)
_FENCE: Final = re.compile(r"(^[ \t\r]*)(?=```|~~~)", re.MULTILINE)
_MARKED_FENCE: Final = re.compile(r"(^[ \t\r]*)(?=\\+(?:```|~~~))", re.MULTILINE)


def escaped(text: str) -> str:
    r"""Return a text in which nothing is a call, a result, or a fence that stays open.

    Examples
    --------
    >>> print(escaped("see <call>f</call> and </tool-result>"))
    see <\call>f<\/call> and <\/tool-result>
    """
    text = _ARROW.sub(r"\1\\", _TAG.sub(r"<\\", text))
    text = _MARKED_FENCE.sub(r"\1\\", text)
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
    messages: Sequence[Mapping[str, Any]], tools: Iterable[Tool] | None = None, form: Form = "wire"
) -> list[dict[str, Any]]:
    """Return a conversation in which calls of tools and their answers are text.

    Parameters
    ----------
    messages
        As OpenAI (``tool_calls``, role ``tool``) or Anthropic (blocks ``tool_use`` and
        ``tool_result``) have them. Other members and blocks are kept; marks that are in texts
        already are escaped.
    tools
        The tools, whose schemas make calls shorter in our own form.
    form
        The form of calls.

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
    rewriter = _Rewriter(tools, form)
    found: list[_Message] = []
    for number, message in enumerate(messages):
        rewriter.add(dict(message), (number,), found)
    return found


class _Rewriter:
    """Rewrites messages one after another, and knows the calls so far by their ids."""

    def __init__(self, tools: Iterable[Tool] | None, form: Form) -> None:
        self._tools = {tool.name: tool for tool in tools or ()}
        self._form: Form = form
        self._names: dict[Any, str] = {}
        self._answers: list[tuple[int, str]] = []

    def add(self, message: _Message, path: _Path, found: list[_Message]) -> None:
        """Rewrite a message and add it; answers that follow one another become one message."""
        role = message.get("role")
        if role == "tool":
            self._add_answer(message, path, found)
            return
        self._answers = []
        if role in ("assistant", "user"):
            message = self._rewritten(message, path)
        found.append(message)

    def _rewritten(self, message: _Message, path: _Path) -> _Message:
        content = message.get("content")
        calls: list[Any] = message.pop("tool_calls", None) or []
        written = [
            self._call_of(call, (*path, "tool_calls", number)) for number, call in enumerate(calls)
        ]
        if is_array(content):
            blocks = list(self._blocks(content, (*path, "content")))
            blocks += [{"type": "text", "text": text} for text in written]
            message["content"] = _merged(blocks) if message["role"] == "assistant" else blocks
        else:
            texts = [escaped(content)] if isinstance(content, str) and content else []
            message["content"] = "\n".join([*texts, *written])
        return message

    # ------------------------------------------------------------ OpenAI

    def _call_of(self, call: Any, path: _Path) -> str:
        function = call.get("function") if is_object(call) else None
        if not is_object(function):
            raise DataError("a call has no function", path=path_text(path))
        text = function.get("arguments") or "{}"
        try:
            arguments = json.loads(text) if isinstance(text, str) else text
        except ValueError:
            arguments = None
        place = (*path, "function", "arguments")
        return self._call(call.get("id"), function.get("name"), arguments, place)

    def _add_answer(self, message: _Message, path: _Path, found: list[_Message]) -> None:
        """Add an answer to those before it, in the order of their calls."""
        key = message.get("tool_call_id")
        name = self._name(key, (*path, "tool_call_id"))
        text, others = _texts(message.get("content"))
        if self._answers:
            found.pop()
        self._answers.append((list(self._names).index(key), result_text(name, text)))
        self._answers.sort(key=lambda answer: answer[0])
        content: Any = "\n".join(answer for _, answer in self._answers)
        if others:
            content = [{"type": "text", "text": content}, *others]
        found.append({"role": "user", "content": content})

    # ------------------------------------------------------------ Anthropic

    def _blocks(self, blocks: list[Any], path: _Path) -> Iterator[_Message]:
        for number, block in enumerate(blocks):
            kind = block.get("type") if is_object(block) else None
            if kind == "text":
                yield {**block, "text": escaped(block.get("text") or "")}
            elif kind == "tool_use":
                yield {"type": "text", "text": self._use(block, (*path, number))}
            elif kind == "tool_result":
                yield from self._answer(block, (*path, number))
            else:
                yield block

    def _use(self, block: _Message, path: _Path) -> str:
        return self._call(block.get("id"), block.get("name"), block.get("input"), (*path, "input"))

    def _answer(self, block: _Message, path: _Path) -> Iterator[_Message]:
        name = self._name(block.get("tool_use_id"), (*path, "tool_use_id"))
        text, others = _texts(block.get("content"))
        write = error_text if block.get("is_error") else result_text
        yield {"type": "text", "text": write(name, text)}
        yield from others

    # ------------------------------------------------------------ both

    def _call(self, key: Any, name: Any, arguments: Any, path: _Path) -> str:
        if not is_object(arguments):
            raise DataError("arguments of a call are no object of JSON", path=path_text(path))
        self._names[key] = name
        return write_call(name, arguments, self._tools.get(name), self._form)

    def _name(self, key: Any, path: _Path) -> str:
        if key not in self._names:
            raise DataError(
                f"an answer to the call {key!r}, which is not there", path=path_text(path)
            )
        return self._names[key]


def _texts(content: Any) -> tuple[str, list[Any]]:
    """Return the text of an answer, and its blocks that are no text."""
    if not is_array(content) or not all(is_object(block) and "type" in block for block in content):
        return content if isinstance(content, str) else "" if content is None else dump(content), []
    texts = [block.get("text") or "" for block in content if block["type"] == "text"]
    return "\n".join(texts), [block for block in content if block["type"] != "text"]


def _merged(blocks: list[_Message]) -> list[_Message]:
    """Return blocks with texts that follow one another on lines of one block."""
    found: list[_Message] = []
    for block in blocks:
        if found and block.get("type") == found[-1].get("type") == "text":
            texts = filter(None, (found[-1]["text"], block["text"]))
            found[-1] = {**found[-1], "text": "\n".join(texts)}
        else:
            found.append(block)
    return found

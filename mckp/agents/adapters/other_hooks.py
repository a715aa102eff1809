"""Hooks of Codex CLI, Gemini CLI, Copilot CLI, opencode and pi, by that of Claude Code.

An event is written as Claude Code would have it, and the answer as its host takes it. Each form was
seen to replace a result when the host was run: Codex CLI 0.171.0, Gemini CLI 0.61.0 and Copilot CLI
1.0.102. Codex and Copilot cut a shell's output before their hooks get it, and Gemini shows what
replaces a result as an error, so its text says that it is none. opencode and pi load modules,
which are in ``plugins`` and run our program.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson

from mckp.errors import DataError
from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mckp.api import TokenizerLike

_LOG: Final = logging.getLogger(__name__)
_SHELL: Final = "Bash"
_ADVICE_TOKENS: Final = 120
"""Tokens that are kept for the line on how to get back what was cut."""


@dataclass(frozen=True, slots=True)
class Form:
    """How a host writes events and answers."""

    read: Callable[[Mapping[str, Any]], dict[str, Any] | None]
    """Returns an event as Claude Code has it; None if nothing is to be done."""
    answer: Callable[[str], dict[str, Any]]
    """Returns the answer that replaces a result by a text."""
    most_tokens: int | None = None
    """Most tokens of a text that the host takes whole; None: no limit was seen."""


def _event(session: Any, name: Any, **members: Any) -> dict[str, Any]:
    if not isinstance(session, str) or not session:
        raise DataError("the event has no session id", path="$")
    return {"session_id": session, "hook_event_name": name, **members}


def _result(tool: str, is_shell: bool, text: Any) -> dict[str, Any] | None:
    """Return the members that hold a result; None if it is not to be replaced."""
    if not isinstance(text, str) or text.startswith("> [#") or text.startswith("> [ref #"):
        return None  # the proxy has written it
    shown: Any = {"stdout": text} if is_shell else text
    return {"tool_name": _SHELL if is_shell else f"mcp__{tool}", "tool_response": shown}


def _codex(event: Mapping[str, Any]) -> dict[str, Any] | None:
    name, tool = event.get("hook_event_name"), str(event.get("tool_name", ""))
    members = ("tool_input", "cwd", "source", "agent_id", "prompt")
    kept = {key: event[key] for key in members if key in event}
    if name != "PostToolUse":
        return _event(event.get("session_id"), name, **kept)
    if tool == _SHELL:
        made = _result(tool, True, event.get("tool_response"))
    elif tool.startswith("mcp__"):
        made = _result(tool.removeprefix("mcp__"), False, _of_mcp(event.get("tool_response")))
    else:
        made = None
    return made and _event(event.get("session_id"), name, **kept, **made)


def _of_mcp(result: Any) -> str | None:
    """Return the texts of an MCP result as one, with its structured content among them."""
    from mckp.agents.mcp.structured import arranged, texts_of
    from mckp.agents.showing import DATA

    if not is_object(result) or result.get("isError") is True:
        return None
    content = arranged(result, "auto", DATA).get("content")
    texts = texts_of(content)
    is_all = is_array(content) and len(content) == len(texts) > 0
    return "\n".join(texts) if is_all else None  # a picture would be lost


def _gemini(event: Mapping[str, Any]) -> dict[str, Any] | None:
    name, tool = event.get("hook_event_name"), str(event.get("tool_name", ""))
    names = {"AfterTool": "PostToolUse", "PreCompress": "PreCompact"}
    kept = {key: event[key] for key in ("tool_input", "cwd", "source") if key in event}
    session = event.get("session_id")
    if name != "AfterTool":
        return _event(session, names.get(str(name), name), **kept)
    response = event.get("tool_response")
    if not is_object(response) or response.get("error"):
        return None
    text = response.get("llmContent")
    if is_array(text) and all(is_object(part) and set(part) == {"text"} for part in text):
        text = "\n".join(str(part["text"]) for part in text)
    if tool == "run_shell_command" or tool.startswith("mcp_"):
        made = _result(tool.removeprefix("mcp_"), tool == "run_shell_command", text)
        return made and _event(session, "PostToolUse", **kept, **made)
    return None


def _copilot(event: Mapping[str, Any]) -> dict[str, Any] | None:
    tool, result = str(event.get("toolName", "")), event.get("toolResult")
    kept = {"cwd": event["cwd"]} if "cwd" in event else {}
    args = event.get("toolArgs")
    if isinstance(args, str):
        try:
            args = orjson.loads(args)
        except ValueError:
            args = {"command": args}
    if not is_object(result) or result.get("resultType") != "success":
        return None
    # Tools of servers have a hyphen behind the server's name, and those of the host none.
    if tool in ("bash", "powershell") or "-" in tool:
        made = _result(tool, "-" not in tool, result.get("textResultForLlm"))
        session = event.get("sessionId")
        return made and _event(session, "PostToolUse", tool_input=args, **kept, **made)
    return None


def _of_module(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """Read the event of a module of ours in ``plugins``, which hosts load into themselves."""
    tool, is_shell = str(event.get("tool", "")), event.get("shell") is True
    text = _of_mcp(event["result"]) if "result" in event else event.get("text")
    made = _result(tool, is_shell, text)
    kept = {"cwd": event["cwd"]} if isinstance(event.get("cwd"), str) else {}
    args = event.get("args")
    return made and _event(event.get("session"), "PostToolUse", tool_input=args, **kept, **made)


def _text(text: str) -> dict[str, Any]:
    return {"text": text}


def _denying(text: str) -> dict[str, Any]:
    return {"decision": "deny", "reason": f"> [the tool succeeded; its result in short]\n{text}"}


FORMS: Final = {
    "codex": Form(_codex, lambda text: {"decision": "block", "reason": text}, most_tokens=2_300),
    "gemini-cli": Form(_gemini, _denying),
    "copilot-cli": Form(
        _copilot,
        lambda text: {"modifiedResult": {"textResultForLlm": text, "resultType": "success"}},
    ),
    "opencode": Form(_of_module, _text),
    "pi": Form(_of_module, _text),
}
"""The forms by the names of hosts."""


def respond_as(
    host: str, raw: bytes, *, budget: int | None = None, tokenizer: TokenizerLike | None = None
) -> bytes:
    """Return the answer of the hook of a host to an event as JSON; ``{}`` changes nothing.

    Parameters
    ----------
    host : str
        One of `FORMS`.
    raw : bytes
        The event, as the host writes it to standard input.
    budget : int, optional
        Most tokens of a result. Codex takes no more than some 2,300.
    tokenizer : str, Tokenizer or callable, optional
        What counts tokens.

    Examples
    --------
    >>> event = {"toolName": "view", "toolResult": {"resultType": "success"}, "sessionId": "s"}
    >>> respond_as("copilot-cli", orjson.dumps(event))
    b'{}'
    """
    from mckp.agents.adapters.claude_code.run import respond

    form = FORMS[host]
    try:
        raw_event: Any = orjson.loads(raw)
        if not is_object(raw_event):
            raise DataError("expected an event: a JSON object", path="$")
        event = form.read(raw_event)
    except (DataError, ValueError) as error:
        _LOG.warning("the result stays unchanged: %s", error)
        return b"{}"
    if event is None:
        return b"{}"
    event["session_id"] = f"{host}-{event['session_id']}"
    most, raw = form.most_tokens, orjson.dumps(event)
    limits: dict[str, Any] = {"budget": budget, "most": most, "spare": _ADVICE_TOKENS}
    response: Any = orjson.loads(respond(raw, tokenizer=tokenizer, **limits))
    frame: dict[str, Any] = response.get("hookSpecificOutput", {})
    shown: Any = frame.get("updatedToolOutput")
    if shown is None:
        return b"{}"
    text: str = shown["stdout"] if is_object(shown) else shown
    advice = frame.get("additionalContext")
    if isinstance(advice, str):
        text = f"{text}{'' if text.endswith(chr(10)) else chr(10)}> [{advice}]"
    return orjson.dumps(form.answer(text)) if _is_taken(text, most, tokenizer) else b"{}"


def _is_taken(text: str, most: int | None, tokenizer: TokenizerLike | None) -> bool:
    """Whether a host takes a text whole."""
    if most is None or len(text) <= most:
        return True
    from mckp import tokenizers

    counter = tokenizers.get("o200k" if tokenizer is None else tokenizer)
    return counter.count(text) <= most

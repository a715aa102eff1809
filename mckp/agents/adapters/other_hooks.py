"""Hooks for Codex CLI, Gemini CLI, Copilot CLI, opencode and pi, based on that for Claude Code.

An event is rewritten as Claude Code would send it, and the answer as its host expects it. Each form
was seen to replace a result in a run of the host: Codex CLI 0.171.0, Gemini CLI 0.61.0 and Copilot
CLI 1.0.102. Codex and Copilot cut a shell's output before their hooks get it. Gemini shows what
replaces a result as an error, so the text says that it is not one. opencode and pi load modules,
which are in ``plugins`` and run our program.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson

from mckp.agents.host import HOSTS
from mckp.errors import DataError
from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mckp.api import TokenizerLike

_LOG: Final = logging.getLogger(__name__)
_SHELL: Final = "Bash"
_ADVICE_TOKENS: Final = 120
"""Tokens reserved for the line on how to get what was cut."""


@dataclass(frozen=True, slots=True)
class HostForm:
    """How a host writes events and answers."""

    read: Callable[[Mapping[str, Any]], dict[str, Any] | None]
    """Returns an event as Claude Code would send it, or None if its result must not change."""
    answer: Callable[[str], dict[str, Any]]
    """Returns the answer that replaces a result with a text."""


def _new_event(session: Any, name: Any, **members: Any) -> dict[str, Any]:
    """Return an event as Claude Code would send it; raise a `DataError` without a session id."""
    if not isinstance(session, str) or not session:
        raise DataError("the event has no session id", path="$")
    return {"session_id": session, "hook_event_name": name, **members}


def _result_members(tool: str, is_shell: bool, text: Any) -> dict[str, Any] | None:
    """Return the members of an event that have a tool's name and result.

    They are None if the result is no text, or if the proxy has already encoded it. `is_shell` says
    whether the tool is the host's shell, whose results have another form.
    """
    if not isinstance(text, str) or text.startswith("> [#") or text.startswith("> [ref #"):
        return None  # a label of the proxy
    response: Any = {"stdout": text} if is_shell else text
    return {"tool_name": _SHELL if is_shell else f"mcp__{tool}", "tool_response": response}


def _codex_event(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an event of Codex CLI as Claude Code would send it, or None to leave its result."""
    name, tool = event.get("hook_event_name"), str(event.get("tool_name", ""))
    copied_names = ("tool_input", "cwd", "source", "agent_id", "prompt")
    copied = {key: event[key] for key in copied_names if key in event}
    if name != "PostToolUse":
        return _new_event(event.get("session_id"), name, **copied)
    if tool == _SHELL:
        result_members = _result_members(tool, True, event.get("tool_response"))
    elif tool.startswith("mcp__"):
        result_members = _result_members(
            tool.removeprefix("mcp__"), False, _mcp_text(event.get("tool_response"))
        )
    else:
        result_members = None
    return result_members and _new_event(event.get("session_id"), name, **copied, **result_members)


def _mcp_text(result: Any) -> str | None:
    """Return the texts and structured content of an MCP result as one text.

    It is None for an error, for an empty result, and if there is anything else, such as an image.
    """
    from mckp.agents.host import DATA
    from mckp.agents.mcp.structured import arrange_content, texts_of

    if not is_object(result) or result.get("isError") is True:
        return None
    content = arrange_content(result, "auto", DATA).get("content")
    texts = texts_of(content)
    has_only_texts = is_array(content) and len(content) == len(texts) > 0
    return "\n".join(texts) if has_only_texts else None  # an image would be lost


def _gemini_event(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an event of Gemini CLI as Claude Code would send it, or None to leave its result."""
    name, tool = event.get("hook_event_name"), str(event.get("tool_name", ""))
    claude_names = {"PreCompress": "PreCompact"}
    copied = {key: event[key] for key in ("tool_input", "cwd", "source") if key in event}
    session = event.get("session_id")
    if name != "AfterTool":
        return _new_event(session, claude_names.get(str(name), name), **copied)
    response = event.get("tool_response")
    if not is_object(response) or response.get("error"):
        return None
    text = response.get("llmContent")
    if is_array(text) and all(is_object(part) and set(part) == {"text"} for part in text):
        text = "\n".join(str(part["text"]) for part in text)
    if tool == "run_shell_command" or tool.startswith("mcp_"):
        result_members = _result_members(
            tool.removeprefix("mcp_"), tool == "run_shell_command", text
        )
        return result_members and _new_event(session, "PostToolUse", **copied, **result_members)
    return None


def _copilot_event(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an event of Copilot CLI as Claude Code would send it, or None to leave its result."""
    tool, result = str(event.get("toolName", "")), event.get("toolResult")
    copied = {"cwd": event["cwd"]} if "cwd" in event else {}
    args = event.get("toolArgs")
    if isinstance(args, str):
        try:
            args = orjson.loads(args)
        except ValueError:
            args = {"command": args}
    if not is_object(result) or result.get("resultType") != "success":
        return None
    # Tools of servers have a hyphen after the server's name; tools of the host have none.
    if tool in ("bash", "powershell") or "-" in tool:
        result_members = _result_members(tool, "-" not in tool, result.get("textResultForLlm"))
        session = event.get("sessionId")
        return result_members and _new_event(
            session, "PostToolUse", tool_input=args, **copied, **result_members
        )
    return None


def _plugin_event(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an event of our modules in ``plugins`` as Claude Code would send it, or None.

    It is None if its result must not change.
    """
    tool, is_shell = str(event.get("tool", "")), event.get("shell") is True
    text = _mcp_text(event["result"]) if "result" in event else event.get("text")
    result_members = _result_members(tool, is_shell, text)
    copied = {"cwd": event["cwd"]} if isinstance(event.get("cwd"), str) else {}
    args = event.get("args")
    return result_members and _new_event(
        event.get("session"), "PostToolUse", tool_input=args, **copied, **result_members
    )


def _text_answer(text: str) -> dict[str, Any]:
    """Return the answer that replaces a result by a text, for our modules in ``plugins``."""
    return {"text": text}


def _deny_answer(text: str) -> dict[str, Any]:
    """Return the answer that shows a text in place of a result, as the reason for a denial."""
    return {"decision": "deny", "reason": f"> [the tool succeeded; its result in short]\n{text}"}


FORMS: Final = {
    "codex": HostForm(_codex_event, lambda text: {"decision": "block", "reason": text}),
    "gemini-cli": HostForm(_gemini_event, _deny_answer),
    "copilot-cli": HostForm(
        _copilot_event,
        lambda text: {"modifiedResult": {"textResultForLlm": text, "resultType": "success"}},
    ),
    "opencode": HostForm(_plugin_event, _text_answer),
    "pi": HostForm(_plugin_event, _text_answer),
}
"""The forms by host name."""


def respond_as(
    host: str, raw: bytes, *, budget: int | None = None, tokenizer: TokenizerLike | None = None
) -> bytes:
    """Return the answer of a host's hook to an event, as JSON; ``{}`` changes nothing.

    Parameters
    ----------
    host : str
        One of `FORMS`.
    raw : bytes
        The event, as the host writes it to standard input.
    budget : int, optional
        The most tokens of a result. Codex takes at most about 2,300.
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
    limit = HOSTS[host].hook_tokens
    raw_answer = respond(
        orjson.dumps(event),
        budget=budget,
        tokenizer=tokenizer,
        host_limit=limit,
        reserved=_ADVICE_TOKENS,
    )
    frame: dict[str, Any] = orjson.loads(raw_answer).get("hookSpecificOutput", {})
    shown: Any = frame.get("updatedToolOutput")
    if shown is None:
        return b"{}"
    text: str = shown["stdout"] if is_object(shown) else shown
    advice = frame.get("additionalContext")
    if isinstance(advice, str):
        text = f"{text}{'' if text.endswith(chr(10)) else chr(10)}> [{advice}]"
    return orjson.dumps(form.answer(text)) if _is_within(text, limit, tokenizer) else b"{}"


def _is_within(text: str, limit: int | None, tokenizer: TokenizerLike | None) -> bool:
    """Whether a text has at most `limit` tokens; None is no limit."""
    if limit is None:
        return True
    from mckp import tokenizers

    counter = tokenizers.get("o200k" if tokenizer is None else tokenizer)
    return counter.count(text) <= limit

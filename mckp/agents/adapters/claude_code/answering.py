"""The hook's answer to an event."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.adapters.claude_code.brief import placed_texts, replacement, with_text
from mckp.agents.adapters.claude_code.persisted import MEMBERS, SHOWN_CHARS, persisted_output
from mckp.agents.messages.requests import Request
from mckp.agents.messages.transcripts import share_of_text
from mckp.agents.session import Session
from mckp.agents.session.scopes import EDITS, MAIN, SHELLS, file_of, shows_file
from mckp.jsontext import is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from mckp.agents.adapters.claude_code.memory import Memory
    from mckp.agents.session import SessionSettings
    from mckp.api import TokenizerLike

COMMAND: Final = "mckp hook recall"
"""The command that returns what was cut."""

_RECALL: Final = (
    "Notes such as > [+9 rows] say what was left out of a result. In a shell, "
    f"`{COMMAND} {{}} 3 --where \"status == 'failed'\" --fields id owner.name` queries the result "
    'with the label > [#3]; also --path --group --sort --limit, "count()", "sum(x)", and of texts '
    "--grep and --lines 3-9."
)
_CONTEXT_EMPTIED: Final = ("PreCompact", "PostCompact")
_SOURCES: Final = ("clear", "compact")


def answer(
    event: Mapping[str, Any],
    memory: Memory,
    settings: SessionSettings,
    tokenizer: TokenizerLike = "o200k",
    room: Callable[[int | None], int | None] = lambda budget: budget,
) -> dict[str, Any]:
    r"""Return the answer to an event, which is empty if nothing is to be replaced.

    The memory is updated with what the event changes. `room` returns how many tokens of a result's
    budget its text may have.

    Examples
    --------
    >>> from mckp.agents.adapters.claude_code.memory import Memory
    >>> from mckp.agents.session import SessionSettings
    >>> rows = str([{"id": n} for n in range(99)]).replace("'", '"')
    >>> event = {"hook_event_name": "PostToolUse", "tool_name": "mcp__ci__jobs"}
    >>> said = answer({**event, "tool_response": rows}, Memory(), SessionSettings())
    >>> said["hookSpecificOutput"]["updatedToolOutput"][:27]
    '> [#1 as compact]\n[99]{id}\n'
    """
    session = restore_session(memory, settings, tokenizer)
    for earlier_event in memory.noted:
        _replace_result(earlier_event, memory, session, room)
    name, agent, reply = event.get("hook_event_name"), _agent_id(event), dict[str, Any]()
    if name == "PostToolUse":
        reply = _replace_result(event, memory, session, room)
    elif name in _CONTEXT_EMPTIED or (name == "SessionStart" and event.get("source") in _SOURCES):
        session.compact(agent)
        memory.forget(agent)
        # Settings may change now, because no text is left to refer to.
        memory.habits = asdict(session.habits)
    elif name == "SubagentStop" and agent != MAIN:
        session.end(agent)
        memory.forget(agent)
    memory.session = session.to_dict()
    return reply


def _agent_id(event: Mapping[str, Any]) -> str:
    """Return the id of the agent that an event is about, or `MAIN`."""
    agent = event.get("agent_id")
    return agent if isinstance(agent, str) and agent else MAIN


def _request_text(event: Mapping[str, Any], memory: Memory) -> str:
    """Return what the agent wants to know: the user's last words and the arguments of the call.

    It is empty if there are no such words, and for a sub-agent, whose task is not known.
    """
    if not memory.prompt or _agent_id(event) != MAIN:
        return ""
    request = Request()
    request.hear({"role": "user", "content": memory.prompt})
    return request.text_for(event.get("tool_input"))


def _replace_result(
    event: Mapping[str, Any],
    memory: Memory,
    session: Session,
    room_in: Callable[[int | None], int | None],
) -> dict[str, Any]:
    """Return the answer that replaces a result, or an empty answer if the result stays.

    The first time that an agent's result is cut, the answer also explains how to get the rest.
    """
    tool, args = str(event.get("tool_name", "")), event.get("tool_input")
    response, agent = event.get("tool_response"), _agent_id(event)
    if _is_recall(tool, args):
        return {}
    budget = room_in(session.settings.of(tool).limit)
    output = None if budget is None else persisted_output(event)
    if budget is not None and output is not None:
        return _replace_preview(event, output, budget, memory, session)
    texts = placed_texts(tool, response)
    if tool in EDITS:
        session.changed(file_of(args, None))
    new_response, is_cut = response, False
    is_file = tool in SHELLS and shows_file(args)
    for path, text in texts:
        room = share_of_text(budget, len(texts))
        if is_file and (room is None or session.tokenizer.count(text) <= room):
            continue  # the model may edit the file, so it needs it verbatim
        call: dict[str, Any] = {"tool": tool, "args": args, "text": text, "agent": agent}
        call |= {"budget": room, "request": _request_text(event, memory)}
        delivery = session.add(**call)
        new_response = with_text(new_response, path, delivery.text)
        is_cut = is_cut or bool(delivery.elided)
    return (
        {} if new_response == response else _replacement_answer(event, new_response, is_cut, memory)
    )


def _replacement_answer(
    event: Mapping[str, Any], changed: Any, is_cut: bool, memory: Memory
) -> dict[str, Any]:
    """Return the answer that replaces the response of an event by a changed one.

    If it `is_cut`, an agent that was not informed yet also gets advice on how to get the rest.
    """
    if is_cut and _agent_id(event) not in memory.informed:
        memory.informed.append(_agent_id(event))
        return replacement(changed, _RECALL.format(event.get("session_id", "")))
    return replacement(changed)


def _replace_preview(
    event: Mapping[str, Any],
    output: tuple[Path, str],
    budget: int,
    memory: Memory,
    session: Session,
) -> dict[str, Any]:
    """Return the answer that replaces Claude Code's preview of long output by the encoded output.

    `output` is the file with the output, and its text. The new text, together with a line that
    names the file, is within the budget and within the characters that Claude Code shows.
    """
    response: dict[str, Any] = event["tool_response"]
    other_members = {name: value for name, value in response.items() if name not in MEMBERS}
    file, text = output
    file_note = f"> [all of it is in {file}]"
    call: dict[str, Any] = {"tool": event["tool_name"], "args": event.get("tool_input")}
    call |= {"text": text, "agent": _agent_id(event), "request": _request_text(event, memory)}
    call["budget"] = max(1, budget - session.tokenizer.count(f"\n{file_note}\n"))
    while True:
        delivery = session.add(**call)
        end = "" if delivery.text.endswith("\n") else "\n"
        shown = f"{delivery.text}{end}{file_note}\n"
        if len(shown) <= SHOWN_CHARS or delivery.number is None:
            break
        session.gone(delivery.number)
        smaller = int(delivery.tokens * 0.95 * SHOWN_CHARS / len(shown))
        call["budget"] = min(call["budget"] - 1, smaller)
    return _replacement_answer(
        event, {**other_members, "stdout": shown}, bool(delivery.elided), memory
    )


def restore_session(memory: Memory, settings: SessionSettings, tokenizer: TokenizerLike) -> Session:
    """Return the session in a memory with the current settings, or a new one if it is damaged.

    The numbers of a new session begin after those that are in use.
    """
    try:
        data = {**memory.session, "settings": settings.to_dict()}
        return Session.from_dict(data, tokenizer=tokenizer)
    except ValueError:
        data = Session(settings).to_dict()
        last = memory.session.get("last")
        data["last"] = max(memory.first - 1, last if isinstance(last, int) else 0)
        return Session.from_dict(data, tokenizer=tokenizer)


def _is_recall(tool: str, args: Any) -> bool:
    """Whether a call consists of recalls, whose results are shown unchanged.

    Their answers may go through pipes, and there may be other commands that print little. What
    quotes contain does not count.
    """
    command = args.get("command") if is_object(args) and tool in SHELLS else None
    if not isinstance(command, str) or COMMAND not in command:
        return False
    plain = _PIPED.sub("|", _QUOTED.sub("", command))
    parts = [part.strip() for part in _BETWEEN.split(plain) if part.strip()]
    firsts = [part for part in parts if not _PRINTS_LITTLE.match(part)]
    return bool(firsts) and all(map(_CALLS_RECALL.match, firsts))


_QUOTED: Final = regex(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"")
_PIPED: Final = regex(r"\|\s+")
_BETWEEN: Final = regex(r"&&|\|\||[;\n]|(?<![0-9>])&(?![0-9>])")
"""What is between commands; a pipe is part of one."""
_PRINTS_LITTLE: Final = regex(r"(?:cd|echo|printf|export|set|true|source|\.)(?:\s|\Z)|\w+=\S*\Z|#")
_CALLS_RECALL: Final = regex(
    r"[({\s]*(?:\w+=\S* )*(?:timeout \S+ |uvx? (?:run )?|python3? -m )?(?:\S*/)?mckp hook recall\b"
)

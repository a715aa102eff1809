"""What a hook answers to an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.agents.adapters.claude_code.brief import places
from mckp.agents.messages.encoder import put
from mckp.agents.messages.transcripts import share
from mckp.agents.session import Session
from mckp.agents.session.scopes import EDITS, file_of
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.agents.adapters.claude_code.memory import Memory
    from mckp.agents.session import Delivery, SessionSettings
    from mckp.api import TokenizerLike

MAIN: Final = "main"
COMMAND: Final = "mckp hook recall"
"""The command that gives back what was cut."""

_RECALL: Final = (
    "Where results have notes such as > [+9 rows], parts were left out. "
    f"`{COMMAND} {{}} HANDLE --path '$.a[3]' --offset N` in a shell gives back what the label "
    "> [#HANDLE] stands for, or a part of it."
)
_EMPTIED: Final = ("PreCompact", "PostCompact")
_SOURCES: Final = ("clear", "compact")


def answer(
    event: Mapping[str, Any],
    memory: Memory,
    settings: SessionSettings,
    tokenizer: TokenizerLike = "o200k",
) -> dict[str, Any]:
    r"""Return the answer to an event, and note in the memory what it changes.

    Parameters
    ----------
    event : mapping
        What Claude Code tells.
    memory : Memory
        What is known of the conversation.
    settings : SessionSettings
        The knobs.
    tokenizer : str, Tokenizer or callable, default "o200k"
        Who counts.

    Returns
    -------
    dict
        Empty if all shall stay as it is.

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
    session = restored(memory, settings, tokenizer)
    for noted in memory.noted:
        _Conversation(noted, memory, settings, session).result()
    conversation = _Conversation(event, memory, settings, session)
    name, said = event.get("hook_event_name"), dict[str, Any]()
    if name == "PostToolUse":
        said = conversation.result()
    elif name in _EMPTIED or (name == "SessionStart" and event.get("source") in _SOURCES):
        conversation.emptied()
    elif name == "SubagentStop":
        conversation.ended()
    memory.session = session.to_dict()
    return said


class _Conversation:
    """A conversation at one event."""

    def __init__(
        self,
        event: Mapping[str, Any],
        memory: Memory,
        settings: SessionSettings,
        session: Session,
    ) -> None:
        self._event, self._memory, self._settings = event, memory, settings
        agent = event.get("agent_id")
        self._agent = agent if isinstance(agent, str) and agent else MAIN
        self._session = session

    def result(self) -> dict[str, Any]:
        """Return what to show of a result."""
        tool, args = str(self._event.get("tool_name", "")), self._event.get("tool_input")
        response = self._event.get("tool_response")
        if _is_recall(tool, args):
            return {}
        found = places(tool, response)
        if tool in EDITS:
            self._session.changed(file_of(args, None))
        changed, is_cut = response, False
        for path, text in found:
            delivery = self._delivered(tool, args, text, len(found))
            changed = put(changed, path, delivery.text)
            is_cut = is_cut or bool(delivery.elided)
        return {} if changed == response else self._said(changed, is_cut=is_cut)

    def emptied(self) -> None:
        """Note that the context was compacted or cleared."""
        self._session.compact(self._agent)
        self._memory.forget(self._agent)

    def ended(self) -> None:
        """Note that a sub-agent has ended."""
        if self._agent != MAIN:
            self._session.end(self._agent)
            self._memory.forget(self._agent)

    def _delivered(self, tool: str, args: Any, text: str, parts: int) -> Delivery:
        """Return what to show of a text, in full if a reference was all that came last time.

        Claude Code clears old results without a word. Who asks again after a reference may
        not see what it refers to.
        """
        call: dict[str, Any] = {"tool": tool, "args": args, "text": text, "agent": self._agent}
        call["budget"] = share(self._settings.budget, parts)
        delivery = self._session.add(**call)
        if delivery.name != "hint_exact" or delivery.number is None:
            return delivery
        referred = self._memory.referred.setdefault(self._agent, [])
        if delivery.number not in referred:
            referred.append(delivery.number)
            return delivery
        referred.remove(delivery.number)
        self._session.gone(delivery.number)
        return self._session.add(**call)

    def _said(self, changed: Any, *, is_cut: bool) -> dict[str, Any]:
        said: dict[str, Any] = {"hookEventName": "PostToolUse", "updatedToolOutput": changed}
        if is_cut and self._agent not in self._memory.told:
            self._memory.told.append(self._agent)
            said["additionalContext"] = _RECALL.format(self._event.get("session_id", ""))
        return {"hookSpecificOutput": said}


def restored(memory: Memory, settings: SessionSettings, tokenizer: TokenizerLike) -> Session:
    """Return the session of a conversation, with the settings of today."""
    try:
        data = {**memory.session, "settings": settings.to_dict()}
        return Session.from_dict(data, tokenizer=tokenizer)
    except ValueError:
        new = Session(settings).to_dict()
        last = memory.session.get("last")
        new["last"] = max(memory.first - 1, last if isinstance(last, int) else 0)
        return Session.from_dict(new, tokenizer=tokenizer)


def _is_recall(tool: str, args: Any) -> bool:
    """Whether a result is what was asked to be given back, and so is shown as it is."""
    command = args.get("command") if is_object(args) and tool == "Bash" else None
    return isinstance(command, str) and command.lstrip().startswith(COMMAND)

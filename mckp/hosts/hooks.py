"""The hook of Claude Code in its settings: put in and taken out, as changes of their text."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from mckp.errors import MckpError
from mckp.hosts.wrapping import edited, read

if TYPE_CHECKING:
    from mckp.hosts.spans import Node
    from mckp.hosts.wrapping import Edit

MATCHER: Final = "^(Bash|Grep|WebFetch|Task|Agent|Write|.*Edit)$"
"""Tools whose results the hook shortens; those of servers are the proxy's."""

_EVENTS: Final = ("PostToolUse", "PreCompact", "SessionStart", "SubagentStop", "SessionEnd")
_OURS: Final = re.compile(r"\bmckp(?:\.exe)?['\"]? hook claude-code\b")


def with_hook(text: str, command: str) -> str:
    """Return settings in which Claude Code runs a command at each event that the hook needs.

    Events that have the hook already stay as they are.

    Examples
    --------
    >>> print(without_hook(with_hook('{"model": "x"}', "mckp hook claude-code")))
    {"model": "x"}
    """
    if not text.strip("\ufeff \t\r\n"):
        text += "{\n}\n"
    root = read(text, toml=False)
    hooks = root.at("hooks")
    known = {event: root.at("hooks", event) for event in _EVENTS}
    if root.members is None or (hooks is not None and hooks.members is None):
        raise MckpError("an object with an object of hooks is needed")
    new = [event for event, node in known.items() if node is None]
    edits: list[Edit] = []
    for event, node in known.items():
        if node is not None and not _elements(node):
            edits.append(_added(text, node, f"{_group(event, command)}"))
    line = "\r\n" if "\r\n" in text else "\n"
    made = [
        f"{json.dumps(event)}: [{line}      {_group(event, command)}{line}    ]" for event in new
    ]
    if hooks is None:
        body = f",{line}    ".join(made)
        edits.append(_added(text, root, f'"hooks": {{{line}    {body}{line}  }}'))
    elif made:
        edits.append(_added(text, hooks, f",{line}    ".join(made)))
    changed = edited(text, edits)
    if without_hook(changed) != without_hook(text):
        raise MckpError("it is written in a way that could not be given back; nothing was changed")
    return changed


def without_hook(text: str) -> str:
    """Return settings without what `with_hook` put in."""
    root = read(text, toml=False)
    hooks = root.at("hooks")
    if hooks is None or hooks.members is None:
        return text
    edits: list[Edit] = []
    empty: list[str] = []
    for event, member in hooks.members.items():
        ours = _elements(member.node)
        items = member.node.items or []
        if ours and len(ours) == len(items) and _is_made(member.node):
            empty.append(event)
        else:
            edits += _removed(member.node, [(x.start, x.end) for x in items], ours)
    members = [(each.start, each.node.end) for each in hooks.members.values()]
    if empty and len(empty) == len(members) and _is_made(hooks) and root.members is not None:
        places = [(each.start, each.node.end) for each in root.members.values()]
        return edited(text, _removed(root, places, [list(root.members).index("hooks")]))
    gone = [number for number, event in enumerate(hooks.members) if event in empty]
    return edited(text, edits + _removed(hooks, members, gone))


def has_hook(text: str) -> bool:
    """Whether the settings have the hook at any event."""
    return without_hook(text) != text


def _group(event: str, command: str) -> str:
    matcher = f'"matcher": {json.dumps(MATCHER)}, ' if event == "PostToolUse" else ""
    return f'{{{matcher}"hooks": [{{"type": "command", "command": {json.dumps(command)}}}]}}'


def _elements(node: Node) -> list[int]:
    """Return the numbers of the groups that hold nothing but our command."""
    found: list[int] = []
    for number, group in enumerate(node.items or ()):
        hooks = group.at("hooks")
        commands = [hook.at("command") for hook in (hooks.items or ()) if hooks] if hooks else []
        texts = [str(each.value) if each is not None else "" for each in commands]
        if texts and all(map(_OURS.search, texts)):
            found.append(number)
    return found


def _is_made(node: Node) -> bool:
    """Whether we made an array or object, and did not find it empty: see `mckp.hosts.wrapping`."""
    parts = node.items or [each.node for each in (node.members or {}).values()]
    starts = [each.start for each in (node.members or {}).values()] or [
        each.start for each in parts
    ]
    return bool(starts) and starts[0] > node.start + 1


def _added(text: str, node: Node, new: str) -> Edit:
    """Return what puts a part behind the last one of an array or object."""
    members = list((node.members or {}).values())
    starts = [each.start for each in members] or [each.start for each in node.items or ()]
    ends = [each.node.end for each in members] or [each.end for each in node.items or ()]
    if not ends:
        return node.start + 1, node.start + 1, new
    before = text[text.rfind("\n", 0, starts[-1]) + 1 : starts[-1]]
    line = "\r\n" if "\r\n" in text else "\n"
    gap = " " if before.strip(" \t") else line + before
    return ends[-1], ends[-1], f",{gap}{new}"


def _removed(node: Node, places: list[tuple[int, int]], gone: list[int]) -> list[Edit]:
    """Return what takes parts of an array or object away, with the commas that they had."""
    kept = [number for number in range(len(places)) if number not in gone]
    edits: list[Edit] = []
    for number in gone:
        before = max((n for n in kept if n < number), default=None)
        after = min((n for n in kept if n > number), default=None)
        if before is not None:
            edits.append((places[before][1], places[number][1], ""))
        elif after is not None:
            edits.append((places[number][0], places[after][0], ""))
        else:
            edits.append((places[0][0], places[-1][1], ""))
    return _joined(edits)


def _joined(edits: list[Edit]) -> list[Edit]:
    """Return removals of which none overlaps another."""
    found: list[Edit] = []
    for start, end, new in sorted(edits):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1]), new
        else:
            found.append((start, end, new))
    return found

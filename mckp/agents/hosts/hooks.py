"""Puts the hook into the settings of Claude Code and removes it, by edits of their text."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from mckp.agents.hosts.wrapping import apply_edits, read
from mckp.errors import MckpError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.agents.hosts.spans import ConfigNode
    from mckp.agents.hosts.wrapping import Edit

MATCHER: Final = "^(Bash|Grep|Glob|WebFetch|Task|Agent|Write|.*Edit)$"
"""A pattern for the tools whose results the hook handles; the proxy handles those of servers."""

_EVENTS: Final = (
    "UserPromptSubmit", "PostToolUse", "PreCompact", "SessionStart", "SubagentStop", "SessionEnd",
)  # fmt: skip
_OURS: Final = re.compile(r"\bmckp(?:\.exe)?['\"]? hook claude-code\b")


def with_hook(text: str, command: str) -> str:
    """Return settings in which Claude Code runs a command at each event that the hook needs.

    Events that already have the hook stay as they are. Settings that are no object, or that
    `without_hook` could not restore, raise an `MckpError`.

    Examples
    --------
    >>> print(without_hook(with_hook('{"model": "x"}', "mckp hook claude-code")))
    {"model": "x"}
    """
    if not text.strip("\ufeff \t\r\n"):
        text += "{\n}\n"
    root = read(text, toml=False)
    hooks = root.at("hooks")
    node_of_event = {event: root.at("hooks", event) for event in _EVENTS}
    if root.members is None or (hooks is not None and hooks.members is None):
        raise MckpError('expected a JSON object; its "hooks", if any, must be an object too')
    missing_events = [event for event, node in node_of_event.items() if node is None]
    existing = [
        (event, node) for event, node in node_of_event.items() if node and not _our_groups(node)
    ]
    edits = [_append_edit(text, node, _hook_group(event, command)) for event, node in existing]
    line_end = "\r\n" if "\r\n" in text else "\n"
    new_members = [
        f"{json.dumps(event)}: [{line_end}      {_hook_group(event, command)}{line_end}    ]"
        for event in missing_events
    ]
    if hooks is None:
        body = f",{line_end}    ".join(new_members)
        edits.append(_append_edit(text, root, f'"hooks": {{{line_end}    {body}{line_end}  }}'))
    elif new_members:
        edits.append(_append_edit(text, hooks, f",{line_end}    ".join(new_members)))
    changed = apply_edits(text, edits)
    if without_hook(changed) != without_hook(text):
        raise MckpError("uninstall could not restore this file exactly, so nothing was changed")
    return changed


def without_hook(text: str) -> str:
    """Return settings without what `with_hook` has added."""
    root = read(text, toml=False)
    hooks = root.at("hooks")
    if hooks is None or hooks.members is None:
        return text
    edits: list[Edit] = []
    removed_numbers: list[int] = []
    for number, member in enumerate(hooks.members.values()):
        ours = _our_groups(member.node)
        if ours and len(ours) == len(member.node.parts) and member.node.was_created:
            removed_numbers.append(number)
        else:
            edits += _removal_edits(member.node, ours)
    if (
        removed_numbers
        and len(removed_numbers) == len(hooks.parts)
        and hooks.was_created
        and root.members is not None
    ):
        return apply_edits(text, _removal_edits(root, [list(root.members).index("hooks")]))
    return apply_edits(text, edits + _removal_edits(hooks, removed_numbers))


def commands_of_hooks(text: str) -> Iterator[tuple[str, str]]:
    """Yield our commands in settings, each after its event."""
    hooks = read(text, toml=False).at("hooks")
    for event, member in (hooks.members or {}).items() if hooks is not None else ():
        for number in _our_groups(member.node):
            for hook in (member.node.items or [])[number].data["hooks"]:
                yield event, hook["command"]


def _hook_group(event: str, command: str) -> str:
    """Return the JSON text of the hook group that runs a command at an event."""
    matcher = f'"matcher": {json.dumps(MATCHER)}, ' if event == "PostToolUse" else ""
    return f'{{{matcher}"hooks": [{{"type": "command", "command": {json.dumps(command)}}}]}}'


def _our_groups(node: ConfigNode) -> list[int]:
    """Return the indexes of the hook groups that contain only our command."""
    numbers: list[int] = []
    for number, group in enumerate(node.items or ()):
        hooks = group.at("hooks")
        commands = [hook.at("command") for hook in (hooks.items or ()) if hooks] if hooks else []
        texts = [str(command.value) if command is not None else "" for command in commands]
        if texts and all(map(_OURS.search, texts)):
            numbers.append(number)
    return numbers


def _append_edit(text: str, node: ConfigNode, new: str) -> Edit:
    """Return the edit that appends a part to an array or object."""
    if not node.parts:
        return node.start + 1, node.start + 1, new
    start, end = node.parts[-1]
    before = text[text.rfind("\n", 0, start) + 1 : start]
    line_end = "\r\n" if "\r\n" in text else "\n"
    gap = " " if before.strip(" \t") else line_end + before
    return end, end, f",{gap}{new}"


def _removal_edits(node: ConfigNode, removed_numbers: list[int]) -> list[Edit]:
    """Return the edits that remove items of an array or object, with their commas."""
    edits: list[Edit] = []
    parts = node.parts
    kept_numbers = [number for number in range(len(parts)) if number not in removed_numbers]
    for number in removed_numbers:
        kept_before = [other for other in kept_numbers if other < number]
        start = parts[kept_before[-1]][1] if kept_before else parts[0][0]
        end = parts[number][1] if kept_before or not kept_numbers else parts[kept_numbers[0]][0]
        if edits and start <= edits[-1][1]:
            start = edits.pop()[0]
        edits.append((start, end, ""))
    return edits

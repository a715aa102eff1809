"""Puts the hook into the settings of Claude Code and removes it, by edits of their text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from mckp.agents.hosts.wrapping import apply_edits, read
from mckp.errors import MckpError
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.agents.hosts.spans import ConfigNode
    from mckp.agents.hosts.wrapping import Edit

MATCHER: Final = "^(Bash|Grep|Glob|WebFetch|Task|Agent|Write|.*Edit)$"
"""A pattern for the tools whose results the hook handles; the proxy handles those of servers."""

_EVENTS: Final = (
    "UserPromptSubmit", "PostToolUse", "PreCompact", "SessionStart", "SubagentStop", "SessionEnd",
)  # fmt: skip
_OURS: Final = regex(r"\bmckp(?:\.exe)?['\"]? hook claude-code\b")


def with_hook(text: str, command: str) -> str:
    """Return settings in which Claude Code runs a command at each event that the hook needs.

    Events that already have the hook do not change. An `MckpError` is raised if the settings are
    malformed, or if `without_hook` could not restore them.

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
    """Return settings without what `with_hook` added; nothing else changes."""
    root = read(text, toml=False)
    hooks = root.at("hooks")
    if hooks is None or hooks.members is None:
        return text
    edits: list[Edit] = []
    removed_indexes: list[int] = []
    for index, member in enumerate(hooks.members.values()):
        ours = _our_groups(member.node)
        if ours and len(ours) == len(member.node.spans) and member.node.was_created:
            removed_indexes.append(index)
        else:
            edits += _removal_edits(member.node, ours)
    if (
        removed_indexes
        and len(removed_indexes) == len(hooks.spans)
        and hooks.was_created
        and root.members is not None
    ):
        return apply_edits(text, _removal_edits(root, [list(root.members).index("hooks")]))
    return apply_edits(text, edits + _removal_edits(hooks, removed_indexes))


def commands_of_hooks(text: str) -> Iterator[tuple[str, str]]:
    """Yield each of our commands in settings: the event, and the command."""
    hooks = read(text, toml=False).at("hooks")
    for event, member in (hooks.members or {}).items() if hooks is not None else ():
        for index in _our_groups(member.node):
            for hook in (member.node.items or [])[index].data["hooks"]:
                yield event, hook["command"]


def _hook_group(event: str, command: str) -> str:
    """Return the JSON text of the hook group that runs a command at an event."""
    matcher = f'"matcher": {json.dumps(MATCHER)}, ' if event == "PostToolUse" else ""
    return f'{{{matcher}"hooks": [{{"type": "command", "command": {json.dumps(command)}}}]}}'


def _our_groups(node: ConfigNode) -> list[int]:
    """Return the indexes of the hook groups of an event that contain only our command."""
    indexes: list[int] = []
    for index, group in enumerate(node.items or ()):
        hooks = group.at("hooks")
        commands = [hook.at("command") for hook in (hooks.items or ()) if hooks] if hooks else []
        texts = [str(command.value) if command is not None else "" for command in commands]
        if texts and all(map(_OURS.search, texts)):
            indexes.append(index)
    return indexes


def _append_edit(text: str, node: ConfigNode, new_text: str) -> Edit:
    """Return the edit that appends the text of a new item or member to an array or object."""
    if not node.spans:
        return node.start + 1, node.start + 1, new_text
    start, end = node.spans[-1]
    before = text[text.rfind("\n", 0, start) + 1 : start]
    line_end = "\r\n" if "\r\n" in text else "\n"
    gap = " " if before.strip(" \t") else line_end + before
    return end, end, f",{gap}{new_text}"


def _removal_edits(node: ConfigNode, removed_indexes: list[int]) -> list[Edit]:
    """Return the edits that remove the items or members at some indexes, with their commas.

    The indexes are in ascending order.
    """
    edits: list[Edit] = []
    spans = node.spans
    kept_indexes = [index for index in range(len(spans)) if index not in removed_indexes]
    for index in removed_indexes:
        kept_before = [other for other in kept_indexes if other < index]
        start = spans[kept_before[-1]][1] if kept_before else spans[0][0]
        end = spans[index][1] if kept_before or not kept_indexes else spans[kept_indexes[0]][0]
        if edits and start <= edits[-1][1]:
            start = edits.pop()[0]
        edits.append((start, end, ""))
    return edits

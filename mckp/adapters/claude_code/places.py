"""Where the texts stand that the model reads of a tool's response.

A replacement has to be of the same shape, or Claude Code takes the original. What ``Read``
returns is left alone: it gets numbers before its lines, and edits rely on what it shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.messages.encoder import Path

MOST: Final = 1 << 22
"""Characters of a text that a hook has the time for; Claude Code cuts larger ones by itself."""

_MEMBERS: Final = {
    "Bash": "stdout",
    "BashOutput": "stdout",
    "Grep": "content",
    "WebFetch": "result",
}
_BLOCKS: Final = ("Agent", "Task")
_SERVER: Final = "mcp__"


def places(tool: str, response: Any) -> list[tuple[Path, str]]:
    """Return the texts in a response that may be replaced, with their places.

    Examples
    --------
    >>> places("Bash", {"stdout": "done", "stderr": "", "isImage": False})
    [(('stdout',), 'done')]
    >>> places("mcp__ci__jobs", [{"type": "text", "text": "[]"}, {"type": "image", "data": ""}])
    [((0, 'text'), '[]')]
    >>> places("Read", {"type": "text", "file": {"content": "a"}})
    []
    """
    found = _in_member(tool, response) if tool in _MEMBERS else _in_blocks(tool, response)
    return [(path, text) for path, text in found if isinstance(text, str) and len(text) <= MOST]


def _in_member(tool: str, response: Any) -> Iterator[tuple[Path, Any]]:
    """Yield the one text of a built-in tool, unless another is shown in its place."""
    if is_object(response) and not (response.get("isImage") or "persistedOutputPath" in response):
        yield (_MEMBERS[tool],), response.get(_MEMBERS[tool])


def _in_blocks(tool: str, response: Any) -> Iterator[tuple[Path, Any]]:
    """Yield texts of servers and sub-agents: a text, or blocks, alone or in a member."""
    if tool.startswith(_SERVER) and isinstance(response, str):
        yield (), response
    elif tool.startswith(_SERVER) and is_array(response):
        yield from _texts((), response)
    elif (tool.startswith(_SERVER) or tool in _BLOCKS) and is_object(response):
        content = response.get("content")
        yield from _texts(("content",), content) if is_array(content) else ()


def _texts(path: Path, blocks: list[Any]) -> Iterator[tuple[Path, Any]]:
    for number, block in enumerate(blocks):
        if is_object(block) and block.get("type") == "text":
            yield (*path, number, "text"), block.get("text")

"""Short results, which the hook answers without a session, whose import takes long.

A session would send a short result unchanged and never refer to it. But it must know about the
call, which may change a file that earlier results show. So the event is written to a file, which
the next hook that needs a session reads first.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.adapters.claude_code.notes import note
from mckp.agents.adapters.claude_code.persisted import MEMBERS
from mckp.agents.host import is_for_model
from mckp.agents.limits import MAX_CHARS
from mckp.agents.places import config_files
from mckp.plain import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mckp.agents.messages.shapes import Path as Place

_MEMBERS: Final = {
    "Bash": ("stdout", "stderr"),
    "BashOutput": ("stdout", "stderr"),
    "Grep": ("content", "filenames"),
    "Glob": ("filenames",),
    "WebFetch": ("result",),
}
"""The members of built-in tools' responses that are shown: a text, or a list of lines."""
_BLOCKS: Final = ("Agent", "Task")
_SERVER: Final = "mcp__"


def placed_texts(tool: str, response: Any) -> list[tuple[Place, str]]:
    r"""Return the texts in a response that may be replaced, each with its place.

    Texts of more than `MAX_CHARS` characters are left out.

    Examples
    --------
    >>> placed_texts("Bash", {"stdout": "done", "stderr": "", "isImage": False})
    [(('stdout',), 'done')]
    >>> placed_texts("Grep", {"mode": "files_with_matches", "filenames": ["a.py", "b.py"]})
    [(('filenames',), 'a.py\nb.py')]
    >>> placed_texts("mcp__ci__jobs", [{"type": "text", "text": "[]"}, {"type": "image"}])
    [((0, 'text'), '[]')]
    >>> placed_texts("Read", {"type": "text", "file": {"content": "a"}})
    []
    """
    texts = _member_texts(tool, response) if tool in _MEMBERS else _server_texts(tool, response)
    return [
        (path, text) for path, text in texts if isinstance(text, str) and len(text) <= MAX_CHARS
    ]


def _member_texts(tool: str, response: Any) -> Iterator[tuple[Place, Any]]:
    """Yield the values that may be texts in a built-in tool's response, with their places.

    There are none if it is an image, or if Claude Code has written the output to a file.
    """
    if not is_object(response) or response.get("isImage") or MEMBERS[0] in response:
        return
    for name in _MEMBERS[tool]:
        value = response.get(name)
        if is_array(value) and value and all(isinstance(line, str) for line in value):
            yield (name,), "\n".join(value)
        elif value:
            yield (name,), value


def _server_texts(tool: str, response: Any) -> Iterator[tuple[Place, Any]]:
    """Yield the texts of a server's or sub-agent's response, with their places."""
    if tool.startswith(_SERVER) and isinstance(response, str):
        yield (), response
    elif tool.startswith(_SERVER) and is_array(response):
        yield from _block_texts((), response)
    elif (tool.startswith(_SERVER) or tool in _BLOCKS) and is_object(response):
        content = response.get("content")
        yield from _block_texts(("content",), content) if is_array(content) else ()


def _block_texts(path: Place, blocks: list[Any]) -> Iterator[tuple[Place, Any]]:
    """Yield the texts of blocks, with their places; `path` is that of the blocks."""
    for index, block in enumerate(blocks):
        if (
            is_object(block)
            and block.get("type") == "text"
            and is_for_model(block.get("annotations"))
        ):
            yield (*path, index, "text"), block.get("text")


def with_text(response: Any, path: Place, text: str) -> Any:
    r"""Return a response with a new text, or new lines of a list, at a place from `placed_texts`.

    Examples
    --------
    >>> with_text({"filenames": ["a.py", "b.py", "c.py"]}, ("filenames",), "a.py\n> [+2 lines]")
    {'filenames': ['a.py', '> [+2 lines]']}
    """
    from mckp.agents.messages.shapes import with_item

    is_list = len(path) == 1 and is_object(response) and is_array(response.get(str(path[0])))
    return with_item(response, path, text.splitlines() if is_list else text)


def replacement(response: Any, line: str = "") -> dict[str, Any]:
    """Return the answer that replaces a result by `response`, and shows the model a `line`."""
    frame = {"hookEventName": "PostToolUse", "updatedToolOutput": response}
    return {"hookSpecificOutput": {**frame, "additionalContext": line} if line else frame}


MIN_CHARS: Final = 200
"""A result of fewer characters is sent as it came, unless a configuration says otherwise."""

_EXACT: Final = ("o200k", "cl100k", "o200k_base", "cl100k_base")
"""Tokenizers for which a text never has more tokens than bytes."""


def needs_no_answer(raw: bytes, budget: int | None, tokenizer: object) -> bool:
    """Whether an event certainly needs no answer; if it has a short result, it is also noted.

    `raw` is the event as JSON. The answer is False if there is no room for the note.
    """
    try:
        event: object = json.loads(raw)
    except ValueError:
        return False
    if is_from_cursor(event):
        return True
    # Half of a surrogate pair, which Node may write, needs a reader that repairs it.
    if not is_object(event) or b"\\u" in raw.lower():
        return False
    conversation = event.get("session_id")
    needs_note = isinstance(conversation, str) and is_brief(event, budget, tokenizer)
    return needs_note and note(str(conversation), raw)


def is_from_cursor(event: object) -> bool:
    """Whether an event is from Cursor, which runs Claude Code's hooks but takes other answers."""
    has_version = is_object(event) and "cursor_version" in event
    return has_version or bool(os.environ.get("CURSOR_VERSION"))


def is_brief(event: Mapping[str, Any], budget: int | None, tokenizer: object) -> bool:
    """Whether a result certainly stays as it is, whatever came before.

    It is False if there is a configuration, which may change anything. The `tokenizer` None is the
    default one.

    Examples
    --------
    >>> event = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "cwd": "/none"}
    >>> is_brief({**event, "tool_response": {"stdout": "done"}}, 4000, "o200k")
    True
    >>> is_brief({**event, "tool_response": {"stdout": "done " * 99}}, 4000, "o200k")
    False
    """
    if event.get("hook_event_name") != "PostToolUse" or tokenizer not in (None, *_EXACT):
        return False
    response = event.get("tool_response")
    if is_object(response) and MEMBERS[0] in response:
        return False
    texts = placed_texts(str(event.get("tool_name", "")), response)
    room = None if budget is None else budget // max(1, len(texts))
    project = event.get("cwd")
    # A text with lines that look like our notes needs marks.
    is_short = all(
        len(text) < MIN_CHARS
        and ">" not in text
        and (room is None or len(text.encode("utf-8", "surrogatepass")) <= room)
        for _, text in texts
    )
    return is_short and not any(
        file.exists() for file in config_files(Path(project) if isinstance(project, str) else None)
    )

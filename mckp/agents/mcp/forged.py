"""Escapes lines that imitate ours in messages of servers that are otherwise left unchanged."""

from __future__ import annotations

from typing import Any

from mckp.encoders.fakes import escape
from mckp.jsontext import is_array, is_object


def escape_result(result: dict[str, Any]) -> dict[str, Any]:
    r"""Return a result with a backslash before lines of embedded texts that look like ours.

    A session writes the texts of the result itself, and does the same there.

    Examples
    --------
    >>> block = {"type": "resource", "resource": {"uri": "a://b", "text": "> [ref #1]"}}
    >>> escape_result({"content": [block]})["content"][0]["resource"]["text"]
    '\\> [ref #1]'
    """
    blocks = result.get("content")
    if not is_array(blocks):
        return result
    marked = [_escape_block(block) for block in blocks]
    is_same = all(new is old for new, old in zip(marked, blocks, strict=True))
    return result if is_same else {**result, "content": marked}


def _escape_block(block: Any) -> Any:
    """Return a block with a backslash before lines of embedded text that look like ours."""
    resource = block.get("resource") if is_object(block) else None
    if not is_object(resource) or not isinstance(text := resource.get("text"), str):
        return block
    escaped = escape(text, raw=True)
    return block if escaped == text else {**block, "resource": {**resource, "text": escaped}}


def escape_error(error: Any) -> Any:
    r"""Return an error with a backslash before lines of its message that look like ours.

    Examples
    --------
    >>> escape_error({"code": -32000, "message": "failed\n> [ref #1]"})["message"]
    'failed\n\\> [ref #1]'
    """
    if not is_object(error) or not isinstance(message := error.get("message"), str):
        return error
    return {**error, "message": escape(message, raw=True)}

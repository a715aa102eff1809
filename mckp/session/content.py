"""What a response says: the data of JSON, or a text."""

from __future__ import annotations

from typing import Any

from mckp.errors import ParseError
from mckp.jsontext import canonical, is_container
from mckp.parsers import parse
from mckp.tree import TreeNode


def json_value(text: str) -> Any:
    """Return the object or array that a text is; None if it is none, or not strictly.

    Text with a name twice in an object is not the same as any data, so it is text.

    Examples
    --------
    >>> json_value(' {"a": 1}'), json_value('{"a": 1, "a": 2}'), json_value("7")
    ({'a': 1}, None, None)
    """
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = parse(text, "json").value
    except ParseError:
        return None
    return value if is_container(value) and not text.startswith("\ufeff") else None


def is_same(one: Any, other: Any) -> bool:
    """Whether two contents are the same: types apart, the order of members aside."""
    if isinstance(one, TreeNode) or isinstance(other, TreeNode):
        return bool(one == other)
    return type(one) is type(other) and canonical(one) == canonical(other)

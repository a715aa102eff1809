"""Paths as people write them, and the parts of a document that they name."""

from __future__ import annotations

import json
from collections.abc import Iterable
from operator import index
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, TypeAlias, cast

from mckp.errors import PathError
from mckp.jsontext import STRING, is_array, is_object, path_text
from mckp.regexes import regex
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    import re

Path: TypeAlias = tuple[str | int, ...]

_STEP: Final = regex(rf"\[(?P<index>[0-9]+)\]|\[(?P<quoted>{STRING})\]|\.?(?P<name>[^.\[\]]+)")


def as_path(place: str | Iterable[str | int]) -> Path:
    """Return a path, given as steps or as text, as a tuple of steps.

    A text that is no path raises a `PathError`, anything else that is none a `TypeError`.

    Examples
    --------
    >>> as_path('$.jobs[3]["build name"]'), as_path("jobs"), as_path("$")
    (('jobs', 3, 'build name'), ('jobs',), ())
    """
    if not isinstance(place, str):
        return _checked_steps(place)
    steps: list[str | int] = []
    at = 1 if place == "$" or place.startswith(("$.", "$[")) else 0
    while at < len(place):
        match = _STEP.match(place, at)
        step = None if match is None else _parse_step(match)
        if match is None or step is None:
            printed = place.encode("utf-8", "replace").decode()
            raise PathError(
                printed, f'{place[at:]!r} is not a step of a path; write .name, [3] or ["a name"]'
            )
        steps.append(step)
        at = match.end()
    return tuple(steps)


def _checked_steps(place: object) -> Path:
    """Return the steps of a path as plain str and int; raise a `TypeError` for anything else."""
    is_iterable = isinstance(place, Iterable) and not isinstance(place, bytes | bytearray)
    steps = tuple(map(_plain_step, cast("Iterable[object]", place))) if is_iterable else (None,)
    if None in steps:
        expected = "a path is a text such as $.jobs[3], or an iterable of names and indices"
        raise TypeError(f"{expected}, not {place!r:.40}")
    return cast("Path", steps)


def _plain_step(step: object) -> str | int | None:
    """Return a name or index as a plain str or int; None for anything else.

    A lone surrogate, which no document has, raises a `PathError`.
    """
    if isinstance(step, str):
        if any("\ud800" <= char <= "\udfff" for char in step):
            raise PathError(ascii(step), "no document has a lone surrogate")
        return step
    if isinstance(step, bool) or not isinstance(step, SupportsIndex):
        return None
    return index(step)


def _parse_step(match: re.Match[str]) -> str | int | None:
    """Return the key or index of a step; None if its digits or escapes cannot be read."""
    try:
        if match["index"] is not None:
            return int(match["index"])
        name = match["name"] if match["quoted"] is None else str(json.loads(match["quoted"]))
        name.encode()  # a lone surrogate is in no document
    except ValueError:
        return None
    return name


def content_at(document: object, path: Path) -> Any:
    """Return the part of a document at a path: plain data, a `TreeNode`, or a line of a paragraph.

    If nothing is there, a `PathError` names the nearest existing ancestor and its members.
    """
    content: Any = document
    for number, step in enumerate(path):
        inside = children_of(content)
        if step not in inside:
            raise PathError(path_text(path), missing_text(path[:number], content), path[:number])
        content = inside[step]
    return content


def children_of(content: object) -> dict[str | int, Any]:
    """Return the direct children of a part by their steps."""
    if is_object(content):
        return cast("dict[str | int, Any]", content)
    if is_array(content):
        return dict(enumerate(list[Any](content)))
    if isinstance(content, TreeNode) and content.kind is Kind.PARAGRAPH:
        return dict[str | int, Any](enumerate(str(content.value).split("\n")))
    if not isinstance(content, TreeNode):
        return {}
    return dict[str | int, Any](enumerate(content.children)) | dict(content.data)


def missing_text(above: Path, content: object) -> str:
    """Describe the children of a part, for an error about one that does not exist."""
    names = list(children_of(content))
    if not names:
        return f"{path_text(above)} has nothing below it"
    if isinstance(names[0], int):
        return f"{path_text(above)} has the items [0] to [{len(names) - 1}]"
    shown = ", ".join(map(str, names[:8])) + (", …" if len(names) > 8 else "")
    return f"{path_text(above)} has {shown}"

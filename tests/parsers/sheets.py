"""The golden cases of the contract sheets: a text, and the tree it is read as."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from mckp.jsontext import canonical, dump

if TYPE_CHECKING:
    from mckp.tree import TreeNode

_SHEETS = Path(__file__).parents[2] / "parsers"
_CASE = re.compile(
    r"^### (?P<title>.+)\n(?:(?!###|~~~~).*\n)*"
    r"~~~~in\n(?P<text>(?:.*\n)*?)~~~~\n+~~~~tree\n(?P<tree>(?:.*\n)*?)~~~~$",
    re.MULTILINE,
)


def cases(sheet: str) -> dict[str, tuple[str, str]]:
    """Return the cases of a sheet by title: the text, without its last line end, and the tree."""
    text = (_SHEETS / sheet).read_text(encoding="utf-8")
    found = {case["title"]: case for case in _CASE.finditer(text)}
    assert len(found) == text.count("\n~~~~in\n"), "a case is not of the form that is read"
    return {title: (case["text"].removesuffix("\n"), case["tree"]) for title, case in found.items()}


def outline(node: TreeNode, depth: int = 0) -> str:
    """Return a tree as sheets show it: a node a line, children indented below.

    A line has the kind, the value and attributes as JSON where there are any, and the
    lines the node spans.
    """
    assert node.span is not None
    parts = [node.kind.value]
    parts += [] if node.value is None else [dump(node.value)]
    parts += [canonical(dict(node.attrs))] if node.attrs else []
    parts += [f"[{node.span.start},{node.span.end})"]
    below = "".join(outline(child, depth + 1) for child in node.children)
    return "  " * depth + " ".join(parts) + "\n" + below

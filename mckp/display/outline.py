"""The nodes of a document in its order, and each as the text whose tokens are counted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

from mckp.jsontext import dump
from mckp.parsers.text import normalise
from mckp.tree import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mckp.tree import TreeNode

    Path: TypeAlias = tuple[str | int, ...]
    Placed: TypeAlias = tuple[Path, TreeNode]

_NOWHERE: Final = Span(0, 0)


def walk(tree: TreeNode, depth: int | None = None) -> Iterator[Placed]:
    """Yield nodes and paths in document order; nodes of text that was encoded know no path."""
    stack: list[Placed] = [((), tree)]
    while stack:
        path, node = stack.pop()
        yield path, node
        if depth is None or len(path) < depth:
            steps = enumerate(node.children)
            below = [((*path, i if child.key is None else child.key), child) for i, child in steps]
            stack.extend(reversed(below))


def text_of(tree: TreeNode) -> Callable[[TreeNode], str]:
    """Return what writes a node of a document: as lines of its source, or else as compact JSON."""
    if tree.source is None or tree.is_json:
        return lambda node: dump(node.value)
    source = lines(tree.source)

    def sliced(node: TreeNode) -> str:
        span = node.span or _NOWHERE
        return "".join(source[span.start : span.end])

    return sliced


def lines(source: str) -> list[str]:
    """Return the lines of a text, each with its end.

    Not by ``splitlines``: spans count line feeds, and no other line ends.
    """
    return re.findall(r"[^\n]*\n|[^\n]+", normalise(source))

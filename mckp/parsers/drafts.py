"""Drafts: nodes under construction, before their paths are known, and how headings nest them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mckp.tree import Kind, Span, TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(slots=True)
class Draft:
    """What will be a `TreeNode`, still open to change."""

    kind: Kind
    span: Span
    value: Any = None
    attrs: dict[str, Any] = field(default_factory=dict[str, Any])
    children: list[Draft] = field(default_factory=list["Draft"])


def freeze(drafts: Iterable[Draft], path: tuple[int, ...] = ()) -> tuple[TreeNode, ...]:
    """Return the nodes that drafts describe, as the children of the node at `path`.

    Examples
    --------
    >>> freeze([Draft(Kind.RULE, Span(0, 1))])
    (<rule $[0]>,)
    """
    return tuple([_node(draft, (*path, index)) for index, draft in enumerate(drafts)])


def _node(draft: Draft, path: tuple[int, ...]) -> TreeNode:
    return TreeNode(
        draft.kind,
        draft.value,
        attrs=draft.attrs,
        children=freeze(draft.children, path) if draft.children else (),
        path=path,
        span=draft.span,
    )


def nest(blocks: Iterable[Draft]) -> list[Draft]:
    """Put each block below the last heading before it, and sections below higher ones.

    Examples
    --------
    >>> levels = [Draft(Kind.SECTION, Span(i, i + 1), attrs={"level": n})
    ...           for i, n in enumerate([1, 3, 2])]
    >>> [top] = nest(levels)
    >>> [child.attrs["level"] for child in top.children], top.span.end
    ([3, 2], 3)
    """
    chain = [Draft(Kind.DOCUMENT, Span(0, 0), attrs={"level": 0})]
    for block in blocks:
        if block.kind is Kind.SECTION:
            while chain[-1].attrs["level"] >= block.attrs["level"]:
                chain.pop()
        for above in chain:
            above.span.end = block.span.end
        chain[-1].children.append(block)
        if block.kind is Kind.SECTION:
            chain.append(block)
    return chain[0].children

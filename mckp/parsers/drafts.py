"""Drafts: nodes under construction, before their paths are known."""

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

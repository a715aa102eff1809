"""The typed tree that every parser returns and every encoder reads."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import import_extra
from mckp.jsontext import CutObject, canonical, dump, path_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import networkx


class Kind(StrEnum):
    """The kind of a node; the first seven are JSON's, the others Markdown's and plain text's."""

    OBJECT = "object"
    ARRAY = "array"
    STRING = "string"
    INTEGER = "integer"
    FLOAT = "float"
    BOOLEAN = "boolean"
    NULL = "null"
    DOCUMENT = "document"
    TEXT = "text"
    SECTION = "section"
    PARAGRAPH = "paragraph"
    LIST = "list"
    ITEM = "item"
    TABLE = "table"
    ROW = "row"
    QUOTE = "quote"
    CODE = "code"
    HTML = "html"
    RULE = "rule"
    DEFINITION = "definition"
    FRONT_MATTER = "front_matter"


JSON_KINDS: Final = frozenset(list(Kind)[:7])
_KIND_OF_TYPE: Final[dict[type, Kind]] = {
    dict: Kind.OBJECT,
    CutObject: Kind.OBJECT,
    list: Kind.ARRAY,
    str: Kind.STRING,
    int: Kind.INTEGER,
    float: Kind.FLOAT,
    bool: Kind.BOOLEAN,
    type(None): Kind.NULL,
}


class Span:
    """The place of a block in a source text: lines ``[start, end)``, counted from 0."""

    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end


def _is_same(left: object, right: object) -> bool:
    """Whether two values are equal and of the same type; fast for strings and None."""
    if left is None or isinstance(left, str):
        return bool(left == right)
    return canonical(left) == canonical(right)


class TreeNode:
    """A node of a document: its kind, value, children, attributes and place.

    JSON nodes hold the plain Python value and create their children on demand, so a large document
    costs nothing until it is walked. Markdown nodes hold their text (with inline markup as written)
    in `value`, and everything else in `attrs`.

    Parameters
    ----------
    kind : Kind
        What the node is.
    value
        The plain value (JSON), the text of the block, or None.
    attrs
        Further facts that count for equality, such as ``{"level": 2}`` of a section.
    children
        Child nodes; leave empty for JSON, where they follow from `value`.
    path
        Steps from the root: member names and indices.
    span
        Lines of the source the node was read from; does not count for equality.
    source
        The text the tree was read from, kept at the root only.

    Attributes
    ----------
    notes : tuple of str
        How a text that is not clean was read, in words, at the root only: bytes that are not
        UTF-8, JSON that is none.
    looks_like : str or None
        The kind that its source was found to be, at the root only; None if that was not asked.
    text_kind : str
        The kind of text that a caller added and asked for, at the root only; mostly empty.
    data : mapping of str to object
        The parts of a text that `mckp.encode` wrote as data, by name, at the root only.

    Examples
    --------
    >>> tree = TreeNode.of({"jobs": [{"name": "build"}]})
    >>> [node.path_text for node in tree.walk()]
    ['$', '$.jobs', '$.jobs[0]', '$.jobs[0].name']
    """

    __slots__ = (
        "_children",
        "attrs",
        "data",
        "kind",
        "looks_like",
        "notes",
        "path",
        "source",
        "span",
        "text_kind",
        "value",
    )

    def __init__(
        self,
        kind: Kind,
        value: object = None,
        *,
        attrs: Mapping[str, object] | None = None,
        children: tuple[TreeNode, ...] = (),
        path: tuple[str | int, ...] = (),
        span: Span | None = None,
        source: str | None = None,
    ) -> None:
        self.kind, self.path = kind, path
        self.value: Any = value
        self.attrs: Mapping[str, Any] = attrs or {}
        self.span, self.source = span, source
        self.notes: tuple[str, ...] = ()
        self.looks_like: str | None = None
        self.text_kind = ""
        self.data: Mapping[str, Any] = {}
        self._children = children

    @classmethod
    def of(
        cls, value: Any, path: tuple[str | int, ...] = (), source: str | None = None
    ) -> TreeNode:
        """Wrap a plain value (as JSON parses to) without copying it."""
        return cls(_KIND_OF_TYPE[type(value)], value, path=path, source=source)

    @property
    def children(self) -> tuple[TreeNode, ...]:
        """Child nodes in document order."""
        if not self._children and self.value and self.kind in (Kind.OBJECT, Kind.ARRAY):
            members = self.value.items() if self.kind is Kind.OBJECT else enumerate(self.value)
            self._children = tuple(TreeNode.of(child, (*self.path, key)) for key, child in members)
        return self._children

    @property
    def is_json(self) -> bool:
        """Whether the node is JSON data rather than a part of a text document."""
        return self.kind in JSON_KINDS

    @property
    def source_kind(self) -> str:
        """The kind of document that was parsed, as in `mckp.parse`."""
        return "json" if self.is_json else "text" if self.kind is Kind.TEXT else "markdown"

    @property
    def source_text(self) -> str:
        """The source of a text document, or compact JSON for data.

        Examples
        --------
        >>> import mckp
        >>> mckp.parse("[1, 2]").source_text, mckp.parse("a b").source_text
        ('[1,2]', 'a b')
        """
        return dump(self.value) if self.is_json else self.source or ""

    @property
    def key(self) -> str | int | None:
        """The last step of the path: a member's name, an index, or None at the root."""
        return self.path[-1] if self.path else None

    @property
    def path_text(self) -> str:
        """The path as it is printed, such as ``$.jobs[0].name``."""
        return path_text(self.path)

    def walk(self) -> Iterator[TreeNode]:
        """Yield this node and all below it, parents first, in document order."""
        stack: list[TreeNode] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def at(self, *steps: str | int) -> TreeNode:
        """Return the node at a path of member names and indices; raise `KeyError` if it is missing.

        Examples
        --------
        >>> TreeNode.of({"a": [10, 20]}).at("a", 1).value
        20
        """
        node = self
        for step in steps:
            reached = next((child for child in node.children if child.key == step), None)
            if reached is None:
                raise KeyError(f"no {step!r} below {node.path_text}")
            node = reached
        return node

    def _content(self) -> object:
        """Return plain data that is the same for equal nodes."""
        if self.is_json:
            return self.value
        # Flat, for a deep document would be twice as deep as JSON that lists its children.
        return [[n.kind.value, n.value, dict(n.attrs), len(n.children)] for n in self.walk()]

    def __eq__(self, other: object) -> bool:
        """Compare kind, value, attributes and children; not path, place or key order."""
        if not isinstance(other, TreeNode):
            return NotImplemented
        pairs: list[tuple[TreeNode, TreeNode]] = [(self, other)]
        while pairs:
            left, right = pairs.pop()
            if left.kind is not right.kind or len(left.children) != len(right.children):
                return False
            if not _is_same(left.value, right.value):
                return False
            if not left.is_json:
                if (left.attrs or right.attrs) and not _is_same(
                    dict(left.attrs), dict(right.attrs)
                ):
                    return False
                pairs.extend(zip(left.children, right.children, strict=True))
        return True

    def __hash__(self) -> int:
        return hash(canonical(self._content()))

    def __repr__(self) -> str:
        shown = "" if self.value is None else f" {str(self.value)[:40]!r}"
        return f"<{self.kind} {self.path_text}{shown}>"

    def to_networkx(self) -> networkx.DiGraph[str]:
        """Return the tree as a directed graph, with edges to children; needs the extra ``graph``.

        A node's name in the graph is its path. It has ``kind``, ``value`` (of a leaf), and
        ``order`` (its index in document order).
        """
        graph: networkx.DiGraph[str] = import_extra("networkx", "networkx", "graph").DiGraph()
        for order, node in enumerate(self.walk()):
            value = None if node.children else node.value
            graph.add_node(node.path_text, kind=node.kind.value, value=value, order=order)
            graph.add_edges_from((node.path_text, child.path_text) for child in node.children)
        return graph

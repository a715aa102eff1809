"""A tree as readable lines: the kind, place and tokens of each node."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp import tokenizers
from mckp.cli.streams import printable
from mckp.jsontext import dump, step_text
from mckp.parsers import parse
from mckp.parsers.json import value_offsets
from mckp.parsers.text import node_writer
from mckp.tree import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from mckp.plain import JsonValue
    from mckp.tree import TreeNode

    Path: TypeAlias = tuple[str | int, ...]
    Place: TypeAlias = tuple[int | None, int | None]

_MAX_CHARS: Final = 60


class OutlineRow(NamedTuple):
    """One node with its measures; `column` is known only for JSON."""

    node: TreeNode
    line: int | None
    column: int | None
    tokens: int


class Survey(NamedTuple):
    """The nodes of a document, in its order."""

    tokenizer: str
    exact: bool
    rows: tuple[OutlineRow, ...]

    def to_text(self) -> str:
        """Return a table with the outline as its last column."""
        head = f"{'tokens':>8} {'place':>9}  node"
        body = [
            f"{row.tokens:8d} {_place_text(row):>9}  {_outline_line(row.node)}" for row in self.rows
        ]
        return "\n".join([head, *body])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can hold."""
        nodes = [_plain_row(row) for row in self.rows]
        return {"tokenizer": self.tokenizer, "exact": self.exact, "nodes": nodes}


def survey(tree: TreeNode, tokenizer: str, depth: int | None) -> Survey:
    """Return the measures of a parsed tree, down to `depth` levels below its root."""
    counter = tokenizers.get(tokenizer)
    nodes = [node for node in tree.walk() if depth is None or len(node.path) <= depth]
    tokens = counter.count_batch(list(map(node_writer(tree), nodes)))
    node_places = _data_places(tree, depth) if tree.is_json else _text_places(nodes)
    rows = [
        OutlineRow(node, *node_places[node.path], count)
        for node, count in zip(nodes, tokens, strict=True)
    ]
    return Survey(counter.name, counter.exact, tuple(rows))


def plain_tree(node: TreeNode) -> dict[str, JsonValue]:
    """Return a tree as plain data: kind, value, attributes and children."""
    return {
        "kind": node.kind.value,
        "value": node.value,
        "attrs": dict(node.attrs),
        "children": [plain_tree(child) for child in node.children],
    }


def _text_places(nodes: Iterable[TreeNode]) -> dict[Path, Place]:
    """Return the line of each node of a text."""
    return {node.path: (node.span.start + 1 if node.span else None, None) for node in nodes}


def _data_places(tree: TreeNode, depth: int | None) -> dict[Path, Place]:
    """Return the line and column of each node of data."""
    text = tree.source or ""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    shallow_places = (
        place for place in value_offsets(text) if depth is None or len(place[0]) <= depth
    )
    return {path: _line_and_column(starts, offset) for path, offset in shallow_places}


def _line_and_column(starts: list[int], offset: int) -> tuple[int, int]:
    """Return the line and column of an offset, both counted from 1.

    `starts` are the offsets at which lines start.
    """
    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


def _place_text(row: OutlineRow) -> str:
    """Return the place of a row as text: its line, and its column if that is known."""
    return ":".join(str(n) for n in (row.line, row.column) if n is not None)


def _outline_line(node: TreeNode) -> str:
    """Return a node as a line of the outline."""
    key = step_text(node.path[-1]).removeprefix(".") if node.path else "$"
    parts = (node.kind.value, _text_kind(node), _value_text(node), _attributes_text(node))
    details = " ".join(filter(None, parts))
    return f"{'  ' * len(node.path)}{printable(key)}: {details}"


def _text_kind(node: TreeNode) -> str:
    """Return the kind of a plain text, such as ``log``; empty for any other node."""
    if node.kind is not Kind.TEXT or not node.source:
        return ""
    from mckp.texts import kind_of  # needs numpy

    return kind_of(node.source).value


def _value_text(node: TreeNode) -> str:
    """Return a node's value, shortened, or the size of a container; empty for no value."""
    if node.kind is Kind.OBJECT:
        return f"{{{len(node.value)}}}"
    if node.kind is Kind.ARRAY:
        return f"[{len(node.value)}]"
    if node.value is None:
        return ""
    if isinstance(node.value, str):
        return _cut_text(dump(node.value[:_MAX_CHARS]), len(node.value) > _MAX_CHARS)
    return _cut_text(dump(node.value))


def _cut_text(text: str, is_beginning: bool = False) -> str:
    """Shorten a text to the width of a column; `is_beginning` if it was already shortened."""
    shown = printable(text)
    return shown[: _MAX_CHARS - 1] + "…" if is_beginning or len(shown) > _MAX_CHARS else shown


def _attributes_text(node: TreeNode) -> str:
    """Return the attributes of a node as text."""
    attributes = {name: value for name, value in node.attrs.items() if value not in (None, "")}
    return " ".join(f"{name}={_cut_text(dump(value))}" for name, value in attributes.items())


def _plain_row(row: OutlineRow) -> dict[str, JsonValue]:
    """Return a row as plain data."""
    node = row.node
    plain: dict[str, Any] = {"path": node.path_text, "kind": node.kind.value}
    if node.kind in (Kind.OBJECT, Kind.ARRAY):
        plain["size"] = len(node.value)
    else:
        plain["value"] = node.value
    plain |= {"attrs": dict(node.attrs)} if node.attrs else {}
    plain |= {"text_kind": kind} if (kind := _text_kind(node)) else {}
    return {**plain, "line": row.line, "column": row.column, "tokens": row.tokens}


def source_of(tree: TreeNode) -> str | None:
    r"""Return a text that is parsed into the given tree of Markdown or plain text, or None.

    Examples
    --------
    >>> from mckp.parsers import parse
    >>> print(source_of(parse("Title\n=====\n* a\n* b\n")))
    # Title
    <BLANKLINE>
    * a
    * b
    """
    kind = "text" if tree.kind is Kind.TEXT else "markdown"
    text = "\n\n".join(map(_markdown_of, tree.children))
    return text if parse(text, kind) == tree else None


def _markdown_of(node: TreeNode) -> str:
    """Return the Markdown of a block."""
    parts, attrs = [_markdown_of(child) for child in node.children], node.attrs
    match node.kind:
        case Kind.SECTION:
            return "\n\n".join([f"{'#' * attrs['level']} {node.value}".rstrip(), *parts])
        case Kind.QUOTE:
            return "\n".join(f"> {line}".rstrip() for line in "\n\n".join(parts).split("\n"))
        case Kind.LIST:
            first, marker = attrs["start"], attrs["marker"]
            numbers = range(first, first + len(parts)) if attrs["ordered"] else [""] * len(parts)
            return "\n".join(
                _list_item(f"{number}{marker} ", content)
                for number, content in zip(numbers, parts, strict=True)
            )
        case Kind.ITEM:
            task = {None: "", True: "[x] ", False: "[ ] "}[attrs["task"]]
            return task + "\n\n".join(parts)
        case Kind.TABLE:
            rules = {"left": ":--", "right": "--:", "center": ":-:"}
            ruled = [rules.get(alignment, "---") for alignment in attrs["align"]]
            rows = [attrs["header"], ruled, *(row.value for row in node.children)]
            return "\n".join(f"| {' | '.join(map(_table_cell, row))} |" for row in rows)
        case Kind.CODE:
            ticks = "`" * max(3, 1 + max(map(len, re.findall("`+", node.value)), default=0))
            return f"{ticks}{attrs['info']}\n{node.value}{ticks}"
        case Kind.RULE:
            return "***"
        case Kind.FRONT_MATTER:
            return f"---\n{node.value}\n---"
        case _:
            return str(node.value)


def _list_item(mark: str, text: str) -> str:
    """Return an item of a list with its mark, other lines indented."""
    return mark + text.replace("\n", "\n" + " " * len(mark))


def _table_cell(value: object) -> str:
    """Return a cell of a table with its bars escaped."""
    text = value if isinstance(value, str) else dump(value)
    return text.replace("|", "\\|")

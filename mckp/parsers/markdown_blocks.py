"""Turn markdown-it's flat tokens into nodes, nested by heading, with exact spans; type cells."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from markdown_it.common.utils import unescapeAll

from mckp.jsontext import LITERAL, dump
from mckp.parsers.joints import ItemSpan, split_task
from mckp.parsers.markdown_tokens import block_tokens
from mckp.regexes import regex
from mckp.tree import Kind, Span, TreeNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from markdown_it.token import Token

    Path = tuple[int, ...]

Cell: TypeAlias = str | int | float | bool | None

_SCALAR = regex(LITERAL)


def typed_cell(text: str) -> Cell:
    """Return the JSON scalar that a table cell spells, or the cell's text itself.

    Only canonical spellings count, those that writing the value gives again, so nothing is lost.

    Examples
    --------
    >>> [typed_cell(text) for text in ("7", "007", "7.0", "7.00", "true", "True", "null", "")]
    [7, '007', 7.0, '7.00', True, 'True', None, '']
    """
    if not _SCALAR.fullmatch(text):
        return text
    try:
        value: Cell = json.loads(text)
    except ValueError:  # more digits than Python converts
        return text
    return value if dump(value) == text else text


class _Section(NamedTuple):
    """A section under construction."""

    level: int
    heading: str
    span: Span
    path: Path
    blocks: list[TreeNode]


def read_blocks(text: str) -> tuple[TreeNode, ...]:
    r"""Return the top-level blocks of a normalised text; sections have the blocks below them.

    Examples
    --------
    >>> [top] = read_blocks("# A\nb\n### C\n## D\n")
    >>> [(node.value, node.path) for node in top.walk()]
    [('A', (0,)), ('b', (0, 0)), ('C', (0, 1)), ('D', (0, 2))]
    """
    tokens = iter(block_tokens(text))
    open_sections = [_Section(0, "", Span(0, 0), (), [])]
    for token in tokens:
        blocks = open_sections[-1].blocks
        if token.type != "heading_open":
            path = (*open_sections[-1].path, len(blocks))
            blocks.append(_READERS.get(token.type, _read_leaf)(token, tokens, path))
            continue
        level = int(token.tag[1:])
        while open_sections[-1].level >= level:
            _close_section(open_sections)
        heading = next(tokens).content
        path = (*open_sections[-1].path, len(open_sections[-1].blocks))
        open_sections.append(_Section(level, heading, _span_of(token), path, []))
    while len(open_sections) > 1:
        _close_section(open_sections)
    return tuple(open_sections[0].blocks)


def _close_section(open_sections: list[_Section]) -> None:
    """Move the last of the open sections, which is complete, into the one before it."""
    level, heading, span, path, blocks = open_sections.pop()
    if blocks and (last := blocks[-1].span):
        span.end = last.end
    attrs, children = {"level": level}, tuple(blocks)
    node = TreeNode(Kind.SECTION, heading, attrs=attrs, children=children, path=path, span=span)
    open_sections[-1].blocks.append(node)


def _span_of(token: Token) -> Span:
    """Return the span of the lines that a token covers."""
    start, end = token.map or (0, 0)
    return Span(start, end)


def _read_children(tokens: Iterator[Token], path: Path) -> tuple[TreeNode, ...]:
    """Read the blocks up to the end of their parent block, which is at `path`."""
    blocks: list[TreeNode] = []
    for token in tokens:
        if token.nesting < 0:
            break
        blocks.append(_READERS.get(token.type, _read_leaf)(token, tokens, (*path, len(blocks))))
    return tuple(blocks)


def _read_leaf(token: Token, tokens: Iterator[Token], path: Path) -> TreeNode:
    """Read a block without children: its value is its text, or None for a thematic break."""
    kind = _KIND_OF_LEAF[token.type]
    text = next(tokens).content if token.type == "paragraph_open" else token.content
    attrs = {"info": ""} if kind is Kind.CODE else None
    value = None if kind is Kind.RULE else text
    return TreeNode(kind, value, attrs=attrs, path=path, span=_span_of(token))


def _read_heading(token: Token, tokens: Iterator[Token], path: Path) -> TreeNode:
    """Read a heading inside another block, where it does not begin a section."""
    text = next(tokens).content
    level = {"level": int(token.tag[1:])}
    return TreeNode(Kind.SECTION, text, attrs=level, path=path, span=_span_of(token))


def _read_list(token: Token, tokens: Iterator[Token], path: Path) -> TreeNode:
    """Read a list with its items."""
    is_ordered = token.type == "ordered_list_open"
    start = token.attrs.get("start", 1) if is_ordered else None
    attrs = {"ordered": is_ordered, "start": start, "marker": token.markup}
    span, items = _span_of(token), _read_children(tokens, path)
    if last := items[-1].span:
        span.end = last.end
    return TreeNode(Kind.LIST, attrs=attrs, children=items, path=path, span=span)


def _read_item(token: Token, tokens: Iterator[Token], path: Path) -> TreeNode:
    """Read an item; its span has no blank lines below it, and its task box is an attribute."""
    blocks, span, task = _read_children(tokens, path), _span_of(token), None
    span.end = span.start + 1
    if blocks and (last := blocks[-1].span):
        span.end = last.end
    if blocks and blocks[0].kind is Kind.PARAGRAPH:
        task, blocks[0].value = split_task(blocks[0].value)
    if token.info:
        span = ItemSpan(span.start, span.end, int(token.info))
    return TreeNode(Kind.ITEM, attrs={"task": task}, children=blocks, path=path, span=span)


def _read_quote(token: Token, tokens: Iterator[Token], path: Path) -> TreeNode:
    """Read a block quote with the blocks in it."""
    return TreeNode(
        Kind.QUOTE, children=_read_children(tokens, path), path=path, span=_span_of(token)
    )


def _read_table(token: Token, tokens: Iterator[Token], path: Path) -> TreeNode:
    """Read a table: its header and alignment become attributes, and each row a node."""
    rows: list[tuple[Token, list[str]]] = []
    alignments: list[str | None] = []
    for inner_token in tokens:
        if inner_token.type == "inline":
            rows[-1][1].append(inner_token.content)
        elif inner_token.type == "tr_open":
            rows.append((inner_token, []))
        elif inner_token.type == "th_open":
            style = str(inner_token.attrs.get("style", ""))
            alignments.append(style.removeprefix("text-align:") or None)
        elif inner_token.type == "table_close":
            break
    (header_token, header_cells), *body_rows = rows
    children = tuple(
        TreeNode(
            Kind.ROW,
            list(map(typed_cell, (*cells, *row.meta.get("excess", ())))),
            path=(*path, place),
            span=_span_of(row),
        )
        for place, (row, cells) in enumerate(body_rows)
    )
    attrs = {"align": alignments, "header": [*header_cells, *header_token.meta.get("excess", ())]}
    return TreeNode(Kind.TABLE, attrs=attrs, children=children, path=path, span=_span_of(token))


def _read_fence(token: Token, tokens: Iterator[Token], path: Path) -> TreeNode:
    """Read fenced code, without the blank lines at the end if the fence is never closed."""
    span, lines = _span_of(token), token.content.split("\n")[:-1]
    if span.end - span.start == len(lines) + 1:
        _drop_blank_lines_at_end(lines)
        span.end = span.start + len(lines) + 1
    info = {"info": unescapeAll(token.info).strip()}
    text = "".join(line + "\n" for line in lines)
    return TreeNode(Kind.CODE, text, attrs=info, path=path, span=span)


def _read_html(token: Token, tokens: Iterator[Token], path: Path) -> TreeNode:
    """Read a block of HTML, without blank lines at its end."""
    span, lines = _span_of(token), token.content.split("\n")
    _drop_blank_lines_at_end(lines)
    span.end = span.start + len(lines)
    return TreeNode(Kind.HTML, "\n".join(lines), path=path, span=span)


def _drop_blank_lines_at_end(lines: list[str]) -> None:
    """Remove blank lines from the end of a list of lines."""
    while lines and not lines[-1].strip(" \t"):
        lines.pop()


_KIND_OF_LEAF: Final[dict[str, Kind]] = {
    "paragraph_open": Kind.PARAGRAPH,
    "code_block": Kind.CODE,
    "hr": Kind.RULE,
    "definition": Kind.DEFINITION,
    "front_matter": Kind.FRONT_MATTER,
}

_READERS: Final[dict[str, Callable[[Token, Iterator[Token], Path], TreeNode]]] = {
    "heading_open": _read_heading,
    "bullet_list_open": _read_list,
    "ordered_list_open": _read_list,
    "list_item_open": _read_item,
    "blockquote_open": _read_quote,
    "table_open": _read_table,
    "fence": _read_fence,
    "html_block": _read_html,
}

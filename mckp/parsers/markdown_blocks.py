"""From markdown-it's flat tokens to nested drafts with exact line spans, and typed cells."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from markdown_it.common.utils import unescapeAll

from mckp.jsontext import LITERAL, dump
from mckp.parsers.joints import ItemSpan, split_task
from mckp.regexes import regex
from mckp.tree import Kind, Span, TreeNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from markdown_it.token import Token


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


Cell: TypeAlias = str | int | float | bool | None

_SCALAR = regex(LITERAL)


def typed(text: str) -> Cell:
    """Return the JSON scalar that a cell spells out, or the text itself.

    Only canonical spellings count: a value is taken if writing it gives the same text
    again, so nothing is lost either way.

    Examples
    --------
    >>> [typed(text) for text in ("7", "007", "7.0", "7.00", "true", "True", "null", "")]
    [7, '007', 7.0, '7.00', True, 'True', None, '']
    """
    if not _SCALAR.fullmatch(text):
        return text
    try:
        value: Cell = json.loads(text)
    except ValueError:  # more digits than Python converts
        return text
    return value if dump(value) == text else text


def read_blocks(tokens: Iterable[Token]) -> list[Draft]:
    r"""Return the blocks that tokens describe, headings still flat among them.

    Examples
    --------
    >>> from mckp.parsers.markdown_tokens import block_tokens
    >>> [(block.kind.value, block.value) for block in read_blocks(block_tokens("# A\nb\n"))]
    [('section', 'A'), ('paragraph', 'b')]
    """
    top = Draft(Kind.DOCUMENT, Span(0, 0))
    stack = [top]
    for token in tokens:
        if token.nesting > 0:
            _open(stack, token)
        elif token.nesting < 0:
            _close(stack, token)
        else:
            _leaf(stack[-1], token)
    return top.children


_CONTAINERS: Final = {
    "paragraph": Kind.PARAGRAPH,
    "heading": Kind.SECTION,
    "bullet_list": Kind.LIST,
    "ordered_list": Kind.LIST,
    "list_item": Kind.ITEM,
    "blockquote": Kind.QUOTE,
    "table": Kind.TABLE,
    "tr": Kind.ROW,
}
_TRANSPARENT: Final = {"thead", "tbody", "th", "td"}


def _open(stack: list[Draft], token: Token) -> None:
    name = token.type.removesuffix("_open")
    if name == "th":
        stack[-2].attrs.setdefault("align", []).append(_align(token))
    if name in _TRANSPARENT:
        return
    kind = _CONTAINERS[name]
    draft = Draft(kind, _span(token), attrs=_attrs(kind, token))
    if kind is Kind.ROW:
        draft.value = []
    stack[-1].children.append(draft)
    stack.append(draft)


def _close(stack: list[Draft], token: Token) -> None:
    if token.type.removesuffix("_close") in _TRANSPARENT:
        return
    draft = stack.pop()
    if finish := _FINISH.get(draft.kind):
        finish(draft)


def _leaf(parent: Draft, token: Token) -> None:
    if token.type != "inline":
        parent.children.append(_LEAVES[token.type](token))
    elif parent.kind is Kind.ROW:
        parent.value.append(token.content)
    else:
        parent.value = token.content


def _span(token: Token) -> Span:
    start, end = token.map or (0, 0)
    numbered = token.type == "list_item_open" and token.info
    return ItemSpan(start, end, int(token.info)) if numbered else Span(start, end)


def _align(token: Token) -> str | None:
    style = str(token.attrs.get("style", ""))
    return style.removeprefix("text-align:") or None


def _attrs(kind: Kind, token: Token) -> dict[str, Any]:
    if kind is Kind.SECTION:
        return {"level": int(token.tag[1:])}
    if kind is Kind.LIST:
        ordered = token.type == "ordered_list_open"
        start = token.attrs.get("start", 1) if ordered else None
        return {"ordered": ordered, "start": start, "marker": token.markup}
    return {"excess": token.meta.get("excess", [])} if kind is Kind.ROW else {}


def _finish_item(item: Draft) -> None:
    """Leave out the blank lines below an item and take the task box from its text."""
    item.span.end = item.children[-1].span.end if item.children else item.span.start + 1
    item.attrs["task"] = None
    if item.children and item.children[0].kind is Kind.PARAGRAPH:
        first = item.children[0]
        item.attrs["task"], first.value = split_task(first.value)


def _finish_list(items: Draft) -> None:
    items.span.end = items.children[-1].span.end


def _finish_row(row: Draft) -> None:
    row.value += row.attrs.pop("excess")


def _finish_table(table: Draft) -> None:
    header, *table.children = table.children
    table.attrs["header"] = header.value
    for row in table.children:
        row.value = [typed(text) for text in row.value]


_FINISH: Final[dict[Kind, Callable[[Draft], None]]] = {
    Kind.ITEM: _finish_item,
    Kind.LIST: _finish_list,
    Kind.ROW: _finish_row,
    Kind.TABLE: _finish_table,
}


def _fence(token: Token) -> Draft:
    """Read a fenced code block; blank lines below one that is never closed are not its own."""
    span, lines = _span(token), token.content.split("\n")[:-1]
    if span.end - span.start == len(lines) + 1:
        _drop_blank_end(lines)
        span.end = span.start + len(lines) + 1
    info = unescapeAll(token.info).strip()
    return Draft(Kind.CODE, span, "".join(line + "\n" for line in lines), {"info": info})


def _indented(token: Token) -> Draft:
    return Draft(Kind.CODE, _span(token), token.content, {"info": ""})


def _html(token: Token) -> Draft:
    span, lines = _span(token), token.content.split("\n")
    _drop_blank_end(lines)
    span.end = span.start + len(lines)
    return Draft(Kind.HTML, span, "\n".join(lines))


def _drop_blank_end(lines: list[str]) -> None:
    while lines and not lines[-1].strip(" \t"):
        lines.pop()


def _rule(token: Token) -> Draft:
    return Draft(Kind.RULE, _span(token))


def _definition(token: Token) -> Draft:
    return Draft(Kind.DEFINITION, _span(token), token.content)


def _front_matter(token: Token) -> Draft:
    return Draft(Kind.FRONT_MATTER, _span(token), token.content)


_LEAVES: Final[dict[str, Callable[[Token], Draft]]] = {
    "fence": _fence,
    "code_block": _indented,
    "html_block": _html,
    "hr": _rule,
    "definition": _definition,
    "front_matter": _front_matter,
}

"""The menu of a text document, and that of plain text.

Blocks are slices of the source. If a block is cut, its neighbours come together. No two blocks
may then be read as one, so a block ends with a blank line where it needs one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders import PROSE, marks
from mckp.encoders.headers import read_header
from mckp.encoders.hints import Overflow, read_label
from mckp.errors import DataError
from mckp.jsontext import is_json
from mckp.menu.classes import Menu, MenuClass, Option
from mckp.menu.shorten import is_code, is_cut_by_lines, is_log, line_order, worths_of_parts
from mckp.menu.text_parts import (
    CLOSED,
    block_pieces,
    line_pieces,
    rows_of,
    shorter_paragraphs,
    shorter_program,
    shorter_rows,
    shorter_text,
)
from mckp.parsers.detect import begins_like_json, looks_like_program
from mckp.regexes import regex
from mckp.tree import Kind
from mckp.weights.leaves import leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mckp.encoders.base import Format
    from mckp.menu.classes import AnyOption, Rows
    from mckp.menu.markdown import Markdown
    from mckp.menu.weighing import Weighed
    from mckp.tree import TreeNode
    from mckp.weights import Weights

    Opened = tuple[list[AnyOption], Callable[[], Iterator[AnyOption]] | None]

MOST_CLASSES: Final = 200
"""Most blocks of a container that are classes of their own; more blocks are rows.

Each of so many blocks is a small part of its container. So one length for all of them, with some
left out, comes as close to any budget.
"""


def offer_text(
    document: Weighed, formats: tuple[Format, ...], reads_as: Callable[[str], str]
) -> Menu:
    """Return the menu of Markdown or plain text; see `mckp.menu.data.offer`.

    Tables are offered in the formats; all else keeps its form. It is a `DataError` if the tree is a
    part of a document, or was not parsed from a text.
    """
    tree, worth = document.tree, TextWorth(document.tree, document.worth)
    parsed = tree.source is not None and all(node.span for node in blocks_of(tree))
    if tree.kind not in (Kind.DOCUMENT, Kind.TEXT) or not parsed:
        message = "only a whole document, as it was parsed from its text, can be encoded"
        raise DataError(message, path=tree.path_text)
    offer: PlainText | Markdown
    if tree.kind is Kind.TEXT:
        offer = PlainText(tree, worth)
    else:
        from mckp.menu.markdown import Markdown

        offer = Markdown(tree, formats, worth)
    kind_of = cache(reads_as)
    options: list[AnyOption] = []
    for text in dict.fromkeys([offer.source, offer.source.rstrip("\n")]):
        texts = offer.pieces(text)
        if kind_of(text) != offer.kind:
            texts = (marks.kind_line(offer.kind) + text,)
        options.append(Option(PROSE.name, texts, offer.worth))
    is_misread = any(kind_of(text) != offer.kind for text in (offer.source, offer.joined))
    opened, narrower = offer.opened(is_misread=is_misread)
    missing = Overflow(len(tree.children), None, offer.unit)
    root = MenuClass(None, tree, offer.worth, (*options, *opened), narrower=narrower)
    return Menu(root, missing)


def blocks_of(node: TreeNode) -> Iterator[TreeNode]:
    """Yield the blocks of a document and of its sections in order, but no blocks inside blocks."""
    for child in node.children:
        if child.kind is Kind.SECTION:
            yield from blocks_of(child)
        else:
            yield child


# A line that begins so is flow notation, or may be if enough lines stand below it.
_FLOW: Final = regex(r"[\[{](?:.*<[1-9]|[0-9]+\{)")

_SUSPECT: Final = regex(r"^[^\S\n]*[\[{(>\"].*", re.MULTILINE)
"""The lines for which `misleads` may be true."""

_FENCE: Final = regex(r"^`{3,}\s*$", re.MULTILINE)
"""A line that closes a fence: a note below it would be read as that of a Markdown text."""


def may_mislead(text: str) -> bool:
    """Whether a text begins with a sign with which JSON or one of our formats may begin."""
    return text.lstrip().startswith(("[", "{", "(", ">", '"'))


def misleads(text: str) -> bool:
    """Whether a document that begins so would be taken for data, or for one with a label."""
    if not may_mislead(text):
        return False
    first = text.partition("\n")[0]
    if read_label(first) is not None:
        return True
    if read_header(first, 0) is not None or _FLOW.match(first) is not None:
        return True
    return begins_like_json(text) or (first.startswith('"') and is_json(first))


class TextWorth:
    """The worths of the blocks of a text; without weights, their numbers of facts."""

    def __init__(self, tree: TreeNode, weights: Weights | None) -> None:
        found = leaves(tree)
        self._own: dict[int, float] = {
            id(leaf.value): leaf.facts if weights is None else weights.of(number, 1)
            for number, leaf in enumerate(found)
        }
        pinned = () if weights is None else weights.pinned()
        self._pinned = {id(found[number].value) for number in pinned}
        self._all: dict[int, float] = {}
        self.whole = self._add(tree)

    def _add(self, node: TreeNode) -> float:
        found = self._all[id(node)] = self.own(node) + sum(map(self._add, node.children))
        return found

    def all(self, node: TreeNode) -> float:
        """Return the weight of a block and of all blocks in it."""
        return self._all[id(node)]

    def own(self, node: TreeNode) -> float:
        """Return the weight of a block without the blocks in it."""
        return self._own.get(id(node), 0)

    def is_pinned(self, node: TreeNode) -> bool:
        """Whether a block, or one in it, must stay."""
        return bool(self._pinned) and any(id(each) in self._pinned for each in node.walk())

    def rows(
        self, node: TreeNode, texts: Sequence[str], unit: str, *head: str, **more: Any
    ) -> Rows:
        """Return the children of a block as rows; see `rows_of`."""
        blocks = node.children
        pinned = frozenset(row for row, each in enumerate(blocks) if self.is_pinned(each))
        worths = list(map(self.all, blocks))
        return rows_of(node, blocks, texts, worths, unit, head, pinned=pinned, **more)


class PlainText:
    """The options of a plain text: its paragraphs and lines."""

    kind, unit = "text", "paragraphs"

    def __init__(self, tree: TreeNode, worth: TextWorth) -> None:
        self._tree, self._worth = tree, worth
        values = [node.value for node in tree.children]
        self.worth = worth.whole
        self._escaped = [marks.escape_paragraph(value) for value in values]
        self.joined = CLOSED.join(self._escaped)
        self.source = tree.source or "" if self._escaped == values else self.joined

    def pieces(self, text: str) -> tuple[str, ...]:
        """Return the fragments of the whole document."""
        blocks = block_pieces(text)
        if len(blocks) > MOST_CLASSES:
            return blocks
        return tuple(piece for block in blocks for piece in _but_last_line(block))

    def opened(self, *, is_misread: bool) -> Opened:
        """Return the options that open the text, and a function that yields narrower ones."""
        blocks = self._tree.children
        if not blocks:
            return [], None
        suspects = (line for node in blocks for line in _SUSPECT.findall(node.value))
        source = self._tree.source or ""
        is_misread = is_misread or _FENCE.search(source) is not None or any(map(misleads, suspects))
        head = (marks.kind_line(self.kind),) if is_misread else ()
        lines = source.split("\n")
        is_program = (is_code(lines) or looks_like_program(source)) and not is_log(lines)
        if is_program and not any(map(self._worth.is_pinned, blocks)):
            return [], lambda: shorter_program(source, self.worth, head)
        if len(blocks) > MOST_CLASSES:
            texts = [written(node.value) for node in blocks]
            rows = self._worth.rows(self._tree, texts, self.unit, *head)
            # The note of a shorter text stands apart, as it does in Markdown.
            told = (marks.kind_line(self.kind),)
            return [rows], lambda: shorter_paragraphs(
                self._tree, replace(rows, fragments=told), lambda _, form: written(form)
            )
        children = tuple(map(self._paragraph, blocks))
        return [Option(PROSE.name, head, 0, children, unit=self.unit, hint_end=CLOSED)], None

    def _paragraph(self, node: TreeNode) -> MenuClass:
        worth = self._worth.all(node)
        whole = Option(PROSE.name, _but_last_line(written(node.value)), worth)
        if self._worth.is_pinned(node):
            return MenuClass(node.path[-1], node, worth, (whole,), is_pinned=True)

        def narrower() -> Iterator[AnyOption]:
            if not is_cut_by_lines(node.value):
                yield from shorter_text(node, worth, len(node.value) / len(self.joined))
            if "\n" in node.value:
                yield from _lines(node, worth)

        return MenuClass(node.path[-1], node, worth, (whole,), narrower=narrower)


def _lines(node: TreeNode, worth: float) -> Iterator[Rows]:
    """Yield a paragraph as rows, a row a line: first with whole lines, then with shortened ones."""
    lines = node.value.split("\n")
    worths = worths_of_parts(worth, [len(line) + 1 for line in lines], line_order(lines))
    texts = [marks.escape_line(line) + "\n" for line in lines]
    rows = rows_of(node, lines, texts, worths, "lines", is_partial=True)
    yield rows
    yield from shorter_rows(
        node,
        replace(rows, hint_end="\n"),
        lines,
        lines,
        lambda _, form: (marks.escape_line(form) + "\n", form),
    )


def _but_last_line(paragraph: str) -> tuple[str, ...]:
    """Return a paragraph in two pieces: all lines but the last, and that, whose end varies."""
    *pieces, last = line_pieces(paragraph)
    return ("".join(pieces), last) if pieces else (last,)


def written(paragraph: str) -> str:
    """Return a paragraph of plain text as it is written if other paragraphs may be cut."""
    escaped = marks.escape_paragraph(paragraph)
    return (f"\\{escaped}" if escaped.startswith("/") else escaped) + CLOSED

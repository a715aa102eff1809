"""The menu of a Markdown document: sections, blocks, items of lists, rows of tables.

A container is not opened if two of its blocks would become one when a block between them is cut.
If much of a document cannot be opened, it may be cut line by line, as plain text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders import CSV, FENCE, PROSE, TABLE, grid, marks
from mckp.encoders.fence import fence_for
from mckp.menu.classes import MenuClass, Option
from mckp.menu.text import MOST_CLASSES, blocks_of, may_mislead, misleads
from mckp.menu.text_parts import (
    CLOSED,
    BlockPlan,
    Pieces,
    RowsPlan,
    is_normal,
    margin,
)
from mckp.parsers.joints import merge_as_lists, swallows
from mckp.parsers.text import normalise
from mckp.regexes import regex
from mckp.tokenizers.fragment import is_fragment
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.encoders.base import Format
    from mckp.menu.classes import AnyOption, Plan
    from mckp.menu.text import Opened, TextWorth

_HINT_LINE: Final = regex(r"^> \[\+", re.MULTILINE)
_OPENED: Final = frozenset({Kind.SECTION, Kind.LIST, Kind.TABLE})
"""Blocks parts of which may be left out."""

STIFF: Final = 0.2
"""If this share of a document cannot be opened, it may be cut like plain text."""

LONG_ITEM: Final = 1000
"""Characters of an item, from which on it counts as what cannot be opened: it has lists in it."""


class Markdown:
    """The options of a Markdown document, with its tables in the given formats."""

    kind, unit = "markdown", "blocks"

    def __init__(self, tree: TreeNode, formats: tuple[Format, ...], worth: TextWorth) -> None:
        self._tree, self._worth = tree, worth
        self._names = {format_.name for format_ in formats}
        self._lines = normalise(tree.source or "").split("\n")
        self._blocks = list(blocks_of(tree))
        escaped = [self._escape(node) for node in self._blocks]
        self.joined = "\n".join(self._lines)
        self.source = self.joined if any(escaped) else tree.source or ""
        self.texts = list(dict.fromkeys([self.source, self.source.rstrip("\n")]))
        self.worth = worth.whole
        self.total = len(tree.children)
        self.is_by_lines = False
        self._stiff = 0  # characters that cannot be opened
        self._starts = list(_starts(tree))
        self._pieces = Pieces(self.joined, self._starts)

    def _escape(self, node: TreeNode) -> bool:
        """Mark a block whose source looks like something we write."""
        line = node.span.start if node.span else 0
        if marks.note_text(node) is not None:
            # Besides the note, the quote holds blank lines only.
            while "[" not in self._lines[line]:
                line += 1
            self._lines[line] = marks.escape_note(self._lines[line])
        elif node.kind is Kind.CODE and marks.looks_like_csv_info(node.attrs["info"]):
            self._lines[line] = self._lines[line].rstrip() + "~"
        else:
            return False
        return True

    def pieces(self, text: str) -> tuple[str, ...]:
        """Return the fragments of the whole document."""
        end = text.rstrip("\r\n")
        if not self.joined.startswith(end):
            return Pieces(text, self._starts).all
        # Only the end of the last piece differs.
        *pieces, last = self._pieces.all
        return (*pieces, last.rstrip("\n") + text[len(end) :])

    def opened(self, *, is_misread: bool) -> Opened:
        """Return the options that open the document."""
        if any(swallows(node, self._lines) for node in self._blocks):
            self.is_by_lines = not self._worth.is_pinned(self._tree)
            return [], None
        has_hints = "> [+" in self.joined
        is_misread = is_misread or any(self._misleads(node, has_hints) for node in self._blocks)
        sections = (node for node in self._tree.walk() if node.kind is Kind.SECTION)
        is_misread = is_misread or any(misleads(self._heading(node)) for node in sections)
        head = (marks.kind_line(self.kind),) if is_misread else ()
        opened, plan = self._container(self._tree, head)
        if self._stiff >= STIFF * len(self.joined):
            self.is_by_lines = not self._worth.is_pinned(self._tree)
            plan = None if self.is_by_lines else plan
        if self.is_by_lines and all(block.kind is not Kind.TABLE for block in self._blocks):
            return [], None  # blocks that are cut whole would be worth more than their lines
        return opened, plan

    def _misleads(self, node: TreeNode, has_hints: bool) -> bool:
        """Whether a text with this block in it, or at its start, may be taken for another kind."""
        if has_hints and marks.note_text(node) is None and _HINT_LINE.search(self._slice(node)):
            return True
        return may_mislead(self._lines[_start(node)]) and misleads(self._slice(node))

    def _container(self, node: TreeNode, head: tuple[str, ...]) -> Opened:
        """Return the options that open a document or section, if its blocks cannot run together."""
        blocks = node.children
        if not blocks or self._run_together(blocks):
            self._stiff += sum(map(len, self._closed(node))) if blocks else 0
            return [], None
        if len(blocks) > MOST_CLASSES and not any(block.kind in _OPENED for block in blocks):
            return self._rows(node, head)
        apart = _apart(blocks)
        children = [
            replace(self._block(child), is_pinned=True) if number in apart else self._block(child)
            for number, child in enumerate(blocks)
        ]
        if not all(map(_stands, children)):
            return [], None
        opened = Option(
            PROSE.name,
            head,
            self._worth.own(node),
            tuple(children),
            below=node.kind is Kind.SECTION,
            unit=self.unit,
            hint_end=CLOSED,
        )
        return [opened], None

    def _run_together(self, blocks: Sequence[TreeNode]) -> bool:
        """Whether a block could become part of a list before it once others are cut."""
        lists = [node.kind is Kind.LIST for node in blocks]
        after = blocks[lists.index(True) + 1 :] if any(lists) else ()
        indented = any(self._slice(node).startswith((" ", "\t")) for node in after)
        return indented or any(merge_as_lists(*pair) for pair in pairwise(blocks))

    def _rows(self, node: TreeNode, head: tuple[str, ...]) -> Opened:
        """Return the option that opens a container of very many blocks as rows."""
        blocks = node.children
        texts = [self._closed(block)[0] for block in blocks]
        if not all(map(is_fragment, texts)) or not all(map(is_normal, texts)):
            return [], None
        node_worth, below = self._worth.own(node), node.kind is Kind.SECTION
        rows = self._worth.rows(node, texts, self.unit, *head, worth=node_worth, below=below)
        alike = frozenset(
            row
            for row, block in enumerate(blocks)
            if block.kind is Kind.PARAGRAPH and self._begins_alike(block)
        )
        return [rows], RowsPlan(node, rows, alike)

    def _block(self, node: TreeNode) -> MenuClass:
        options: list[AnyOption]
        plan: Plan | None = None
        worth, pinned = self._worth.all(node), self._worth.is_pinned(node)
        if node.kind is Kind.SECTION:
            opened, plan = self._container(node, (self._heading(node),))
            whole = Option(PROSE.name, self._closed(node), worth, below=True)
            options = [whole, *opened]
        elif node.kind is Kind.LIST:
            options, plan = self._list(node, worth)
        elif node.kind is Kind.TABLE:
            options = self._table(node, worth)
        else:
            name = FENCE.name if node.kind is Kind.CODE else PROSE.name
            options = [Option(name, self._closed(node), worth)]
            plan = self._shorter(node, worth)
        if pinned and node.kind is not Kind.SECTION:
            plan = None
        return MenuClass(node.path[-1], node, worth, tuple(options), pinned, plan)

    def _shorter(self, node: TreeNode, worth: float) -> Plan | None:
        """Return how a paragraph or code is shortened, if it may be."""
        share = len(node.value or "") / max(1, len(self.joined))
        begins_alike = node.kind is Kind.PARAGRAPH and self._begins_alike(node)
        if node.kind is Kind.CODE or begins_alike:
            return BlockPlan(node, worth, share)
        self._stiff += len(self._slice(node))
        return None

    def _begins_alike(self, node: TreeNode) -> bool:
        """Whether a paragraph's text begins like its source, blanks aside."""
        line: str = self._lines[_start(node)].lstrip(" ")
        return line.startswith(node.value.partition("\n")[0])

    def _heading(self, node: TreeNode) -> str:
        assert node.span is not None, "parsed from a text"
        end = _start(node.children[0]) if node.children else node.span.end
        text = self._cut(node.span.start, end)
        # With a row of dashes below it, a heading that has a pipe would be read as a table.
        return text + (CLOSED if "|" in text else "\n")

    def _list(self, node: TreeNode, worth: float) -> Opened:
        items = node.children
        texts = [self._slice(item) + "\n" for item in items]
        source = self._closed(node)
        options: list[AnyOption] = [Option(PROSE.name, source, worth)]
        self._stiff += sum(len(text) for text in texts if len(text) > LONG_ITEM)
        # An item that is indented more than another could become part of that, when others are
        # cut, or when the blank lines between them are.
        margins = {text[: len(text) - len(text.lstrip())] for text in texts}
        if len(margins) > 1 or texts[0][0] == "\t":
            self._stiff += len(texts[0]) * len(texts)
            return options, None
        joined = (*texts[:-1], texts[-1] + "\n")
        if joined != source:
            options.append(Option(PROSE.name, joined, worth))
        rows = self._worth.rows(node, texts, "items", is_partial=True)
        if len(texts) > 1:
            options.append(rows)
        return options, RowsPlan(node, rows)

    def _table(self, node: TreeNode, worth: float) -> list[AnyOption]:
        source = self._closed(node)
        options: list[AnyOption] = [Option(TABLE.name, source, worth)]
        table: dict[str, Any] = {"format": TABLE.name, "worth": self._worth.own(node)}
        if TABLE.name in self._names:
            head = grid.table_head(node)
            texts = [grid.table_row(row.value) for row in node.children]
            whole = (head, *texts[:-1], texts[-1] + "\n") if texts else (head + "\n",)
            if source != ("".join(whole),):
                options.append(Option(TABLE.name, whole, worth))
            if texts:
                options.append(
                    self._worth.rows(node, texts, "rows", head, is_partial=True, **table)
                )
        if CSV.name in self._names and grid.fits_csv(node):
            texts = [grid.csv_row(row.value) for row in node.children]
            table |= {"format": CSV.name, "hint_end": "\n", "tail": grid.CSV_TAIL}
            options.append(self._worth.rows(node, texts, "rows", grid.csv_head(node), **table))
        return options

    def _closed(self, node: TreeNode) -> tuple[str, ...]:
        """Return the fragments of a block with an end after which any block may follow."""
        assert node.span is not None, "parsed from a text"
        if node.kind is Kind.CODE:
            return (self._slice(node) + "\n",)
        first, *others = self._pieces.closed(node.span.start, node.span.end)
        return (margin(first), *others)

    def _slice(self, node: TreeNode) -> str:
        """Return a block's source as it may follow any other: indented code gets a fence."""
        assert node.span is not None, "parsed from a text"
        text = self._cut(node.span.start, node.span.end)
        if node.kind is Kind.CODE and not text.lstrip(" ").startswith(("```", "~~~")):
            fence = fence_for(node.value)
            return f"{fence}\n{node.value}{fence}"
        return text

    def _cut(self, start: int, end: int) -> str:
        return margin("\n".join(self._lines[start:end]).strip("\n"))


def _apart(blocks: Sequence[TreeNode]) -> set[int]:
    """Return the numbers of blocks that stay, as without them two lists would become one.

    Mostly it is the paragraph above the second list, which says what its items are.
    """
    fixed: set[int] = set()
    before: list[TreeNode] = []  # lists behind the last block that stays
    for number, block in enumerate(blocks):
        if block.kind is not Kind.LIST:
            continue
        if any(merge_as_lists(earlier, block) for earlier in before):
            fixed.add(number - 1)
            before = []
        before.append(block)
    return fixed


def _starts(node: TreeNode) -> Iterator[int]:
    """Yield the numbers of lines in which headings, blocks and items begin."""
    for child in node.children:
        yield _start(child)
        if child.kind is Kind.SECTION:
            yield from _starts(child)
        elif child.kind is Kind.LIST:
            yield from map(_start, child.children)


def _start(node: TreeNode) -> int:
    assert node.span is not None, "parsed from a text"
    return int(node.span.start)


def _stands(cls: MenuClass) -> bool:
    """Whether all options of a class may follow another block and are read as they are written."""
    for option in cls.options:
        texts = (
            option.fragments if isinstance(option, Option) else (*option.fragments, *option.rows)
        )
        if not all(map(is_normal, texts)) or (texts and not is_fragment(texts[0])):
            return False
    return True

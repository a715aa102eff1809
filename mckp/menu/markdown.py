"""The ways to write all of a Markdown document: its source, or with shorter tables and lists.

Within a budget it is cut line by line, as plain text is, so that each gap is marked at its place.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mckp.encoders import CSV, FENCE, PROSE, TABLE, grid, marks
from mckp.encoders.fence import fence_for
from mckp.menu.classes import MenuClass, Option
from mckp.menu.text import blocks_of, may_mislead, misleads
from mckp.menu.text_parts import CLOSED, Pieces, is_normalised, margin
from mckp.parsers.joints import is_unterminated, would_merge
from mckp.parsers.text import normalise
from mckp.regexes import regex
from mckp.tokenizers.fragment import is_fragment
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.encoders.base import Format
    from mckp.menu.text import TextWorth

_HINT_LINE: Final = regex(r"^> \[\+", re.MULTILINE)


class Markdown:
    """Makes the options of a Markdown document, whose tables may be in the given formats."""

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
        self._starts = list(_start_lines(tree))
        self._pieces = Pieces(self.joined, self._starts)

    def _escape(self, node: TreeNode) -> bool:
        """Escape a block whose source looks like what mckp writes; return whether it does."""
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
        """Return the fragments of the source, with or without the line feeds at its end."""
        end = text.rstrip("\r\n")
        if not self.joined.startswith(end):
            return Pieces(text, self._starts).all
        # Only the end of the last piece differs.
        *pieces, last = self._pieces.all
        return (*pieces, last.rstrip("\n") + text[len(end) :])

    def opening_options(self, *, is_misread: bool) -> list[Option]:
        """Return the options that write the document block by block, each in its shortest format.

        There is one, or none if the blocks could not be read back. `is_misread` says that the text
        would be taken for another kind, so that its kind must be written above it.
        """
        if any(is_unterminated(node, self._lines) for node in self._blocks):
            return []
        has_hints = "> [+" in self.joined
        is_misread = is_misread or any(self._misleads(node, has_hints) for node in self._blocks)
        sections = (node for node in self._tree.walk() if node.kind is Kind.SECTION)
        is_misread = is_misread or any(misleads(self._heading(node)) for node in sections)
        return self._container_options(
            self._tree, (marks.kind_line(self.kind),) if is_misread else ()
        )

    def _misleads(self, node: TreeNode, has_hints: bool) -> bool:
        """Whether a text with this block may be read as another kind."""
        if (
            has_hints
            and marks.note_text(node) is None
            and _HINT_LINE.search(self._block_source(node))
        ):
            return True
        return may_mislead(self._lines[_start_line(node)]) and misleads(self._block_source(node))

    def _container_options(self, node: TreeNode, head: tuple[str, ...]) -> list[Option]:
        """Return the options that open a document or section: one, or none if blocks may merge.

        `head` has the fragments above the blocks.
        """
        blocks = node.children
        if not blocks or self._run_together(blocks):
            return []
        children = tuple(map(self._block_class, blocks))
        if not all(map(_is_independent, children)):
            return []
        below = node.kind is Kind.SECTION
        return [Option(PROSE.name, head, self._worth.own(node), children, below=below)]

    def _run_together(self, blocks: Sequence[TreeNode]) -> bool:
        """Whether two blocks could merge, such as a list and an indented block below it."""
        lists = [node.kind is Kind.LIST for node in blocks]
        after = blocks[lists.index(True) + 1 :] if any(lists) else ()
        indented = any(self._block_source(node).startswith((" ", "\t")) for node in after)
        return indented or any(would_merge(*pair) for pair in pairwise(blocks))

    def _block_class(self, node: TreeNode) -> MenuClass:
        """Return the class of a block."""
        worth = self._worth.all(node)
        if node.kind is Kind.SECTION:
            whole = Option(PROSE.name, self._closed_fragments(node), worth, below=True)
            options = [whole, *self._container_options(node, (self._heading(node),))]
        elif node.kind is Kind.LIST:
            options = self._list_options(node, worth)
        elif node.kind is Kind.TABLE:
            options = self._table_options(node, worth)
        else:
            name = FENCE.name if node.kind is Kind.CODE else PROSE.name
            options = [Option(name, self._closed_fragments(node), worth)]
        return MenuClass(node.path[-1], node, worth, tuple(options))

    def _heading(self, node: TreeNode) -> str:
        """Return the lines of a section's heading, ended so that its first block can follow."""
        assert node.span is not None, "parsed from a text"
        end = _start_line(node.children[0]) if node.children else node.span.end
        text = self._source_lines(node.span.start, end)
        # With a row of dashes below it, a heading that has a pipe would be read as a table.
        return text + (CLOSED if "|" in text else "\n")

    def _list_options(self, node: TreeNode, worth: float) -> list[Option]:
        """Return the options of a list: its source, with and without blank lines between items."""
        texts = [self._block_source(item) + "\n" for item in node.children]
        source = self._closed_fragments(node)
        options = [Option(PROSE.name, source, worth)]
        # An item that is indented more than another could become part of that, when the blank
        # lines between them are cut.
        margins = {text[: len(text) - len(text.lstrip())] for text in texts}
        joined = (*texts[:-1], texts[-1] + "\n")
        if len(margins) == 1 and texts[0][0] != "\t" and joined != source:
            options.append(Option(PROSE.name, joined, worth))
        return options

    def _table_options(self, node: TreeNode, worth: float) -> list[Option]:
        """Return the options of a table: its source, and the table in each format on offer."""
        source = self._closed_fragments(node)
        options = [Option(TABLE.name, source, worth)]
        if TABLE.name in self._names:
            rows = (grid.table_head(node), *(grid.table_row(row.value) for row in node.children))
            whole = (*rows[:-1], rows[-1] + "\n")
            if source != ("".join(whole),):
                options.append(Option(TABLE.name, whole, worth))
        if CSV.name in self._names and grid.fits_csv(node):
            common = grid.common_columns(node)
            options.append(Option(CSV.name, grid.csv_lines(node), worth))
            if common:
                options.append(Option(CSV.name, grid.csv_lines(node, common), worth))
        return options

    def _closed_fragments(self, node: TreeNode) -> tuple[str, ...]:
        """Return the fragments of a block, ended so that any block can follow."""
        assert node.span is not None, "parsed from a text"
        if node.kind is Kind.CODE:
            return (self._block_source(node) + "\n",)
        first, *others = self._pieces.closed(node.span.start, node.span.end)
        return (margin(first), *others)

    def _block_source(self, node: TreeNode) -> str:
        """Return a block's source so that it can follow any other: indented code gets a fence."""
        assert node.span is not None, "parsed from a text"
        text = self._source_lines(node.span.start, node.span.end)
        if node.kind is Kind.CODE and not text.lstrip(" ").startswith(("```", "~~~")):
            fence = fence_for(node.value)
            return f"{fence}\n{node.value}{fence}"
        return text

    def _source_lines(self, start: int, end: int) -> str:
        """Return the source lines from `start` to before `end`, without line feeds around them."""
        return margin("\n".join(self._lines[start:end]).strip("\n"))


def _start_lines(node: TreeNode) -> Iterator[int]:
    """Yield the numbers of the lines in which the headings, blocks and items below a node begin."""
    for child in node.children:
        yield _start_line(child)
        if child.kind is Kind.SECTION:
            yield from _start_lines(child)
        elif child.kind is Kind.LIST:
            yield from map(_start_line, child.children)


def _start_line(node: TreeNode) -> int:
    """Return the number of the line in which a node begins."""
    assert node.span is not None, "parsed from a text"
    return int(node.span.start)


def _is_independent(cls: MenuClass) -> bool:
    """Whether all options of a class read back correctly below any other block."""
    for option in cls.options:
        texts = option.fragments
        if not all(map(is_normalised, texts)) or (texts and not is_fragment(texts[0])):
            return False
    return True

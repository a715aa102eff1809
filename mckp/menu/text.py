"""The menu of a Markdown document or of plain text.

Blocks are slices of the source; only tables have other forms. What is cut leaves its
neighbours as they stand, so everything here makes sure that no two blocks, put next to
each other, can be read as one: each is closed by a blank line where it needs one, and a
container with blocks that cannot be told apart is not opened at all.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mckp.encoders import CSV, FENCE, PROSE, TABLE, grid, marks, opens_document
from mckp.encoders.fence import fence_for
from mckp.encoders.hints import Overflow
from mckp.encoders.hints.label import read_label
from mckp.errors import DataError
from mckp.menu.base import Menu, MenuClass, Option
from mckp.menu.reduction import share
from mckp.menu.shorten import is_log
from mckp.menu.text_parts import shorter_code, shorter_items, shorter_lines, shorter_paragraph
from mckp.menu.worth import TextWorth
from mckp.parsers.detect import begins_like_json
from mckp.parsers.joints import one_list, swallows
from mckp.parsers.text import normalise
from mckp.tokenizers.fragment import is_fragment
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mckp.encoders.base import Format
    from mckp.menu.worth import Worth

_BLANK: Final = "\n\n"
_LONG_LINE: Final = 120
"""Characters of a line of plain text above which it is worth shortening."""
_HINT_LINE: Final = re.compile(r"^> \[\+", re.MULTILINE)


def offer_text(
    tree: TreeNode,
    formats: tuple[Format, ...],
    reads_as: Callable[[str], str],
    worth: Worth | None = None,
    *,
    reduced: bool = False,
) -> Menu:
    """Return the menu of a text document.

    Parameters
    ----------
    tree : TreeNode
        The root of a Markdown document or of plain text, as parsed.
    formats : tuple of Format
        Formats to offer for tables; everything else stands as it is.
    reads_as : callable
        The kind of document that a text would be taken for when read back.
    worth : Worth, optional
        The weights of the blocks; each has that of its facts if it is not given.
    reduced : bool, default False
        Whether shortened paragraphs and blocks of code are offered.

    Raises
    ------
    DataError
        If the tree is only a part of a document, or was not parsed from a text.
    """
    parsed = tree.source is not None and all(node.span for node in _blocks(tree))
    if tree.kind not in (Kind.DOCUMENT, Kind.TEXT) or not parsed:
        message = "only a whole document, as it was parsed from its text, can be encoded"
        raise DataError(message, path=tree.path_text)
    weights, reads_as = TextWorth(worth), cache(reads_as)
    offer = (
        _Plain(tree, weights, reduced=reduced)
        if tree.kind is Kind.TEXT
        else _Markdown(tree, formats, weights, reduced=reduced)
    )
    told = any(reads_as(source) != offer.kind for source in (offer.source, offer.joined))
    options = [Option(PROSE.name, (text,)) for text in _verbatim(offer, reads_as)]
    options += offer.opened(told)
    missing = Overflow(len(tree.children), None, offer.unit)
    return Menu(MenuClass(None, tree, offer.weight, options), missing)


def _verbatim(offer: _Plain | _Markdown, reads_as: Callable[[str], str]) -> Iterator[str]:
    """Yield the whole source, and the same without blank lines at its end."""
    for text in dict.fromkeys([offer.source, offer.source.rstrip("\n")]):
        yield text if reads_as(text) == offer.kind else marks.kind_line(offer.kind) + text


class _Plain:
    """Paragraphs and lines of plain text; each line counts as a fact."""

    kind, unit = "text", "paragraphs"

    def __init__(self, tree: TreeNode, worth: TextWorth, *, reduced: bool) -> None:
        self.tree, self.worth, self.reduced = tree, worth, reduced
        self.weight = sum(worth.lines(node, _lines(node)) for node in tree.children)
        values = [node.value for node in tree.children]
        escaped = [marks.escape_paragraph(value) for value in values]
        self.joined = _BLANK.join(escaped)
        self.source = tree.source or "" if escaped == values else self.joined

    def opened(self, told: bool) -> list[Option]:
        """Return the option that opens the text; its kind is `told` where it must be."""
        lines = [line for node in self.tree.children for line in node.value.split("\n")]
        if not lines or not all(is_fragment(marks.escape_line(line) + "\n") for line in lines):
            return []
        head = (marks.kind_line(self.kind),) if told or any(map(_misleads, lines)) else ()
        children = tuple(map(self.paragraph, self.tree.children))
        return [Option(PROSE.name, head, children, unit=self.unit, hint_end=_BLANK)]

    def paragraph(self, node: TreeNode) -> MenuClass:
        text = marks.escape_paragraph(node.value)
        whole = (f"\\{text}" if text.startswith("/") else text) + _BLANK
        options = [Option(PROSE.name, (whole,))]
        count = _lines(node)
        weight, pinned = self.worth.lines(node, count), self.worth.is_pinned(node)
        log = self.reduced and is_log(node.value.split("\n"))
        if count > 1 and not pinned and not log:
            each = share(weight, count - 1, count)
            children = tuple(
                MenuClass(
                    index, line, each, [Option(PROSE.name, (marks.escape_line(line) + "\n",))]
                )
                for index, line in enumerate(node.value.split("\n"))
            )
            opened = Option(PROSE.name, (), children, unit="lines", hint_end=_BLANK, partial=True)
            options.append(opened)
        if self.reduced and not pinned and (log or len(node.value) > _LONG_LINE * count):
            options += shorter_lines(node, weight)
        return MenuClass(node.path[-1], node, weight, options, pinned=pinned)


def _lines(paragraph: TreeNode) -> int:
    return int(paragraph.value.count("\n")) + 1


class _Markdown:
    """Sections, blocks, items and rows of a Markdown document."""

    kind, unit = "markdown", "blocks"

    def __init__(
        self, tree: TreeNode, formats: tuple[Format, ...], worth: TextWorth, *, reduced: bool
    ) -> None:
        self.tree, self.worth, self.reduced = tree, worth, reduced
        self.weight = worth.all(tree)
        self.names = {each.name for each in formats}
        self.lines = normalise(tree.source or "").split("\n")
        self.blocks = list(_blocks(tree))
        escaped = [self.escape(node) for node in self.blocks]
        self.joined = "\n".join(self.lines)
        self.source = self.joined if any(escaped) else tree.source or ""

    def escape(self, node: TreeNode) -> bool:
        """Mark a block whose source looks like something we write."""
        line = node.span.start if node.span else 0
        if marks.noted(node) is not None:
            # What the quote holds besides is blank, lines of it maybe before the note.
            while "[" not in self.lines[line]:
                line += 1
            self.lines[line] = marks.escape_note(self.lines[line])
        elif node.kind is Kind.CODE and marks.looks_like_csv_info(node.attrs["info"]):
            self.lines[line] = self.lines[line].rstrip() + "~"
        else:
            return False
        return True

    def opened(self, told: bool) -> list[Option]:
        """Return the option that opens the document; its kind is `told` where it must be."""
        if any(swallows(node, self.lines) for node in self.blocks):
            return []
        sections = [node for node in self.tree.walk() if node.kind is Kind.SECTION]
        told = told or any(map(self.misleads, self.blocks))
        told = told or any(_misleads(self.heading(node)) for node in sections)
        opened = self.container(self.tree, ())
        if told or (opened and any(map(_is_shortened, opened[0].children))):
            # Of a text that is cut no other way, a note alone does not tell the kind.
            opened = self.container(self.tree, (marks.kind_line(self.kind),))
        return opened

    def misleads(self, node: TreeNode) -> bool:
        """Whether a block may make the document be taken for one of another kind."""
        text = self.slice(node)
        return _misleads(text) or (
            marks.noted(node) is None and _HINT_LINE.search(text) is not None
        )

    def container(self, node: TreeNode, head: tuple[str, ...]) -> list[Option]:
        """Return the option that opens a document or a section, if its blocks keep apart."""
        if not node.children or self.runs_together(node.children):
            return []
        children = tuple(self.block(child) for child in node.children)
        options = [option for child in children for option in child.options]
        if not all(_stands(text) for option in options for text in option.fragments):
            return []
        below = node.kind is Kind.SECTION
        weight = self.worth.own(node)
        opened = Option(
            PROSE.name, head, children, below, unit=self.unit, weight=weight, hint_end=_BLANK
        )
        return [opened]

    def runs_together(self, blocks: Sequence[TreeNode]) -> bool:
        """Whether blocks could become part of a list before them."""
        lists = [node.kind is Kind.LIST for node in blocks]
        after = blocks[lists.index(True) + 1 :] if any(lists) else ()
        indented = any(self.slice(node).startswith((" ", "\t")) for node in after)
        return indented or any(one_list(*pair) for pair in pairwise(blocks))

    def block(self, node: TreeNode) -> MenuClass:
        if node.kind is Kind.SECTION:
            whole = Option(PROSE.name, (self.slice(node) + _BLANK,), below=True)
            options = [whole, *self.container(node, (self.heading(node),))]
        elif node.kind is Kind.LIST:
            options = self.items(node)
        elif node.kind is Kind.TABLE:
            options = self.table(node)
        elif node.kind is Kind.CODE:
            options = [Option(FENCE.name, (self.slice(node) + "\n",))]
        else:
            options = [Option(PROSE.name, (self.slice(node) + _BLANK,))]
        weight, pinned = self.worth.all(node), self.worth.is_pinned(node)
        if self.reduced and not pinned and node.kind in (Kind.CODE, Kind.PARAGRAPH):
            shorter = shorter_code if node.kind is Kind.CODE else shorter_paragraph
            options += shorter(node, weight)
        return MenuClass(node.path[-1], node, weight, options, pinned=pinned)

    def heading(self, node: TreeNode) -> str:
        assert node.span is not None, "parsed from a text"
        first = node.children[0].span if node.children else None
        text = self.cut(node.span.start, first.start if first else node.span.end)
        # With a row of dashes right below it, a heading that has a pipe would be a table's.
        return text + (_BLANK if "|" in text else "\n")

    def items(self, node: TreeNode) -> list[Option]:
        texts = [self.slice(item) + "\n" for item in node.children]
        options = [Option(PROSE.name, (self.slice(node) + _BLANK,))]
        # An indented item could become part of the one before it when others are cut, or
        # when the blank lines between them are.
        if any(text[0] in " \t" for text in texts):
            return options
        options.append(Option(PROSE.name, ("".join(texts) + "\n",)))
        if len(texts) > 1:
            items = self.leaves(PROSE.name, node.children, texts)
            options.append(
                Option(PROSE.name, (), items, unit="items", hint_end=_BLANK, partial=True)
            )
        if self.reduced and not self.worth.is_pinned(node):
            options += shorter_items(node, texts, self.worth)
        return options

    def table(self, node: TreeNode) -> list[Option]:
        options = [Option(TABLE.name, (self.slice(node) + _BLANK,))]
        if TABLE.name in self.names:
            options += self.unpadded(node)
        if CSV.name in self.names and grid.fits_csv(node):
            options.append(self.csv(node))
        return options

    def unpadded(self, node: TreeNode) -> list[Option]:
        head = grid.table_head(node)
        texts = [grid.table_row(row.value) for row in node.children]
        whole = Option(TABLE.name, ("".join([head, *texts]) + "\n",))
        if not texts:
            return [whole]
        rows = self.leaves(TABLE.name, node.children, texts)
        opened = Option(TABLE.name, (head,), rows, unit="rows", weight=self.worth.own(node))
        opened.hint_end, opened.partial = _BLANK, True
        return [whole, opened]

    def csv(self, node: TreeNode) -> Option:
        texts = [grid.csv_row(row.value) for row in node.children]
        rows = self.leaves(CSV.name, node.children, texts)
        head, weight = grid.csv_head(node), self.worth.own(node)
        return Option(CSV.name, (head,), rows, unit="rows", weight=weight, tail=grid.CSV_TAIL)

    def leaves(
        self, name: str, nodes: Iterable[TreeNode], texts: Sequence[str]
    ) -> tuple[MenuClass, ...]:
        worth = self.worth
        return tuple(
            MenuClass(
                index,
                node,
                worth.all(node),
                [Option(name, (text,))],
                pinned=worth.is_pinned(node),
            )
            for index, (node, text) in enumerate(zip(nodes, texts, strict=True))
        )

    def slice(self, node: TreeNode) -> str:
        """Return a block's source without blank lines around it, fit to stand at the margin."""
        assert node.span is not None, "parsed from a text"
        text = self.cut(node.span.start, node.span.end)
        if node.kind is Kind.CODE and not text.lstrip(" ").startswith(("```", "~~~")):
            fence = fence_for(node.value)
            return f"{fence}\n{node.value}{fence}"
        return text

    def cut(self, start: int, end: int) -> str:
        text = "\n".join(self.lines[start:end]).strip("\n")
        return f" {text}" if text.startswith("/") else text


def _blocks(node: TreeNode) -> Iterator[TreeNode]:
    """Yield the blocks of a document and its sections, in order, without what they hold."""
    for child in node.children:
        if child.kind is Kind.SECTION:
            yield from _blocks(child)
        else:
            yield child


def _is_shortened(cls: MenuClass) -> bool:
    """Whether shorter forms are offered of a block, or of one in it."""
    return any(
        option.reduction is not None or any(map(_is_shortened, option.children))
        for option in cls.options
    )


def _stands(text: str) -> bool:
    """Whether a slice may follow another and is read as it is written."""
    return is_fragment(text) and normalise(text) == text


# What begins so is flow notation, perhaps if as many lines as it says are left below it.
_FLOW = re.compile(r"[\[{](?:.*<[1-9]|[0-9]+\{)")


def _misleads(text: str) -> bool:
    """Whether a document that begins with this text would be taken for data, or for labelled."""
    first = text.partition("\n")[0]
    if read_label(first) is not None:
        return True
    return opens_document(first) or _FLOW.match(first) is not None or begins_like_json(text)

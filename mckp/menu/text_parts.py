"""Shortened blocks of a text: paragraphs, blocks of code, lines, and items of lists.

A shorter form is a prefix of a text that is known to be read as one block, or its lines with
gaps. Where such a form might be read as another kind of block it is not offered. Its look
tells, see `stays_paragraph` and `_Items`; nothing is parsed.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders import FENCE, PROSE, marks
from mckp.encoders.fence import fence_for
from mckp.menu.classes import Option, Part, Rows
from mckp.menu.pieces import CLOSED, line_pieces
from mckp.menu.render import restricted_to
from mckp.menu.shorten import GAP, LEAST, Shortener, ladder, notes, sizes, worth_of_part
from mckp.parsers.text import normalise, parse_text
from mckp.regexes import regex
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mckp.menu.shorten import Shortened

_LONE_MARKER: Final = regex(rf"(?:[-+*]|[0-9]{{1,9}}[.)]) {GAP}")
"""A line that was nothing but the marker of a list item, and has a text behind it now."""

_ITEM: Final = regex(r"((?:[-+*]|[0-9]{1,9}[.)]) {1,4})(?:\[[ xX]\][ \t]+)?")
"""The marker of an item whose text begins on its line, and its task box."""

_TASK_BOX: Final = regex(r"\[[ xX]\]")


ROW_SIZES: Final = (600, 240, 100)
"""Characters that each row may have where rows are shortened together."""

PROGRAM_STEP: Final = 0.94
"""What each form of a program has of the characters of the one before it."""


def rows_of(
    node: TreeNode,
    parts: Sequence[Any],
    texts: Sequence[str],
    worths: Sequence[float],
    unit: str,
    head: tuple[str, ...] = (),
) -> Rows:
    """Return what writes the parts of a block of text as rows, with a note that stands apart."""
    keys, kept = range(len(texts)), restricted_to(node, parts)
    return Rows(PROSE.name, head, texts, worths, keys, unit, kept, hint_end=CLOSED)


def is_normal(text: str) -> bool:
    """Whether a text is read with the characters it is written with."""
    return "\ufeff" not in text or normalise(text) == text


def stays_paragraph(form: str) -> bool:
    r"""Whether a shorter form of a paragraph is read as a paragraph.

    It is not if it is a definition now, or if its last line, which was cut, begins a
    fence or a list.

    Examples
    --------
    >>> stays_paragraph("one two …"), stays_paragraph("a\n1. …"), stays_paragraph("```a …")
    (True, False, False)
    """
    last = form.rpartition("\n")[2].lstrip(" \t")
    is_definition = form.startswith("[") and "]:" in form
    return not (is_definition or last.startswith("```") or _LONE_MARKER.fullmatch(last))


def shorter_paragraph(node: TreeNode, worth: float, share: float) -> Iterator[Option]:
    """Yield shorter forms of a paragraph of Markdown whose text begins as its source does."""
    for form in ladder(node.value, share):
        if stays_paragraph(form.text) and is_normal(form.text):
            yield _shorter(node, worth, PROSE.name, (margin(form.text) + CLOSED,), form, form.text)


def shorter_code(node: TreeNode, worth: float, share: float) -> Iterator[Option]:
    """Yield shorter forms of a block of code."""
    info = node.attrs["info"]
    if any(character in info for character in "`\\&\n") or marks.looks_like_csv_info(info):
        return
    for form in ladder(node.value.removesuffix("\n"), share, is_markup=False):
        value = f"{form.text}\n"
        if is_normal(value):
            fence = fence_for(value)
            texts = line_pieces(f"{fence}{info}\n{value}{fence}\n")
            yield _shorter(node, worth, FENCE.name, texts, form, value)


def shorter_text(node: TreeNode, worth: float, share: float) -> Iterator[Option]:
    """Yield shorter forms of a paragraph of plain text."""
    for form in ladder(node.value, share, is_markup=False):
        if is_normal(form.text):
            first, *lines = form.text.split("\n", 1)
            texts = line_pieces("\n".join([marks.escape_line(first), *map(_escaped, lines)]) + "\n")
            yield _shorter(node, worth, PROSE.name, texts, form, form.text)


def _escaped(paragraph: str) -> str:
    """Return a paragraph with marks on lines that look marked, or like a hint."""
    lines = paragraph.split("\n")
    return "\n".join(line if line[:1] == "/" else marks.escape_line(line) for line in lines)


def shorter_program(source: str, worth: float, head: tuple[str, ...]) -> Iterator[Option]:
    """Yield shorter forms of a program that is all of a plain text, below the mark of its kind."""
    for form in Shortener(source).forms(sizes(len(source), PROGRAM_STEP, LEAST)):
        if not is_normal(form.text):
            continue
        part = Part(notes(None, [form]))
        *above, last = [node.value for node in parse_text(form.text).children]
        texts = [*map(marks.escape_paragraph, above), f"{_escaped(last)}\n{part.note}\n"]
        yield Option(
            PROSE.name,
            line_pieces("".join(head) + CLOSED.join(texts)),
            worth_of_part(worth, len(form.text), len(source)),
            part=part,
            kept=partial(parse_text, form.text),
        )


def _shorter(
    node: TreeNode,
    worth: float,
    name: str,
    texts: tuple[str, ...],
    form: Shortened,
    value: str,
) -> Option:
    part = Part(notes(None, [form]))
    return Option(
        name,
        (*texts, f"{part.note}\n"),
        worth_of_part(worth, len(value), len(node.value)),
        part=part,
        kept=partial(TreeNode, node.kind, value, attrs=node.attrs, path=node.path),
    )


def margin(text: str) -> str:
    """Return a block of Markdown so that it begins as a fragment does."""
    return f" {text}" if text.startswith("/") else text


def shorter_rows(
    node: TreeNode,
    whole: Rows,
    items: Sequence[Any],
    values: Sequence[str],
    fits: Callable[[int, str], bool],
    write: Callable[[int, str], str],
    content: Callable[[int, str], Any],
) -> Iterator[Rows]:
    """Yield rows with those that are long shortened to ever fewer characters.

    `items` are what rows are read as and `values` their texts, empty if a row is never shortened.
    `fits` tells whether a row may have a form; `write` and `content` make of its number and a form
    the row, and what that is read as.
    """
    long = [row for row, value in enumerate(values) if len(value) >= ROW_SIZES[-1] + LEAST]
    parts = {row: Shortener(values[row]) for row in long}
    for most in ROW_SIZES:
        rows, worths, left = list(whole.rows), list(whole.worths), list(items)
        forms: list[Shortened] = []
        for row, own in parts.items():
            is_long = len(values[row]) >= most + LEAST
            form = own.within(most, LEAST) if is_long else None
            if form is not None and fits(row, form.text):
                rows[row], left[row] = write(row, form.text), content(row, form.text)
                worths[row] = worth_of_part(worths[row], len(form.text), len(values[row]))
                forms.append(form)
        if forms:
            part = Part(notes(None, forms))
            yield replace(
                whole,
                rows=rows,
                worths=worths,
                kept=restricted_to(node, left),
                tail=part.note.replace("\n", CLOSED)
                if whole.hint_end == CLOSED
                else f"{part.note}\n",
                part=part,
                is_partial=False,
            )


def shorter_paragraphs(
    node: TreeNode,
    whole: Rows,
    write: Callable[[str], str],
    fits: Callable[[int, str], bool],
) -> Iterator[Rows]:
    """Yield a document or section of many blocks with its long paragraphs shortened.

    `write` makes of the value of a paragraph its text.
    """
    blocks = node.children
    values = [
        each.value if each.kind is Kind.PARAGRAPH and row not in whole.pinned else ""
        for row, each in enumerate(blocks)
    ]
    return shorter_rows(
        node,
        whole,
        blocks,
        values,
        fits,
        lambda _, form: write(form),
        lambda row, form: TreeNode(Kind.PARAGRAPH, form, path=blocks[row].path),
    )


def shorter_items(node: TreeNode, whole: Rows) -> Iterator[Rows]:
    """Yield a list with its long items shortened; a blank line closes each, and the note."""
    items = _Items(node, whole.rows)
    closed = replace(whole, rows=[f"{text}\n" for text in whole.rows])
    return shorter_rows(
        node, closed, node.children, items.values, items.fits, items.text, items.content
    )


class _Items:
    """The items of a list that are one paragraph each, by the text of each item."""

    def __init__(self, node: TreeNode, texts: Sequence[str]) -> None:
        self._items, self._texts = node.children, texts
        self._markers = [_ITEM.match(text) for text in texts]
        self.values = [
            item.children[0].value if marker and self._is_plain(item, text, marker.end()) else ""
            for item, text, marker in zip(self._items, texts, self._markers, strict=True)
        ]

    @staticmethod
    def _is_plain(item: TreeNode, text: str, place: int) -> bool:
        """Whether an item is one paragraph that begins at a place of its text."""
        blocks = item.children
        if len(blocks) != 1 or blocks[0].kind is not Kind.PARAGRAPH:
            return False
        return text.startswith(blocks[0].value.partition("\n")[0], place)

    def fits(self, row: int, form: str) -> bool:
        """Whether an item may have a shorter form: further lines begin with letters, or a gap."""
        lines = form.split("\n")[1:]
        is_text = all(line[:1].isalpha() or line == GAP for line in lines)
        is_paragraph = stays_paragraph(form) and _TASK_BOX.match(form) is None
        return is_text and is_paragraph and is_normal(form)

    def text(self, row: int, form: str) -> str:
        """Return an item with another paragraph in it."""
        marker = self._markers[row]
        assert marker is not None, "one with a value"
        return marker[0] + form.replace("\n", "\n" + " " * len(marker[1])) + CLOSED

    def content(self, row: int, form: str) -> TreeNode:
        """Return what an item with another paragraph is read as."""
        item = self._items[row]
        inner = (TreeNode(Kind.PARAGRAPH, form),)
        return TreeNode(item.kind, attrs=item.attrs, children=inner, path=item.path, span=item.span)


def fits_any(row: int, form: str) -> bool:
    """Whether a row of plain text may have a shorter form."""
    return is_normal(form)

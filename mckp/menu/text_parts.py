"""The fragments of a text, and its blocks shortened: paragraphs, code, lines, items of lists.

A shorter form is a beginning of a block's text, or some of its lines with gaps. It is not offered
if it might be read as another kind of block. That is judged by its look, without parsing; see
`stays_paragraph` and `shorter_items`.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders import FENCE, PROSE, marks
from mckp.encoders.fence import fence_for
from mckp.menu.classes import Option, Part, Plan, Rows
from mckp.menu.render import Children
from mckp.menu.shorten import GAP, LEAST, Shortener, ladder, notes, worth_of_part
from mckp.parsers.text import normalise
from mckp.regexes import regex
from mckp.tokenizers.fragment import BLANKS, is_fragment
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mckp.menu.shorten import Shortened

CLOSED: Final = "\n\n"
"""The end of a block: the line feed of its last line, and a blank line."""

_START: Final = rf"\n(?=(?!/)[{BLANKS}\x1c-\x1f]*+[^\r\n])"
_LINE: Final = regex(_START)
"""The line feed before a line with which a fragment may begin."""
_LINES: Final = regex(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")
_LONE_MARKER: Final = regex(rf"(?:[-+*]|[0-9]{{1,9}}[.)]) {GAP}")
"""The marker of a list item that was alone on its line, with text after it now."""

_ITEM: Final = regex(r"((?:[-+*]|[0-9]{1,9}[.)]) {1,4})(?:\[[ xX]\][ \t]+)?")
"""The marker of a list item with text on the same line, and its task box."""

_TASK_BOX: Final = regex(r"\[[ xX]\]")

ROW_SIZES: Final = (600, 240, 100)
"""Most characters of each row if rows are shortened together; there is an option for each."""


def line_pieces(text: str) -> tuple[str, ...]:
    r"""Return the pieces of a text, which is cut before each line that a fragment may begin with.

    Examples
    --------
    >>> line_pieces("a\nb\n\n/c\nd")
    ('a\n', 'b\n\n/c\n', 'd')
    """
    return _split(_LINE, text)


def _split(place: re.Pattern[str], text: str) -> tuple[str, ...]:
    *pieces, last = place.split(text)
    return (*[f"{piece}\n" for piece in pieces], last)


class Pieces:
    r"""The pieces of a document, which is cut where its blocks begin.

    The whole document and the options of its blocks share these pieces, so each is counted once.
    `starts` has the numbers of lines where blocks begin; a carriage return ends a line as well.

    Examples
    --------
    >>> pieces = Pieces("# a\n\nb\n/c\n", [0, 2, 3])
    >>> pieces.all, pieces.closed(0, 2), pieces.closed(2, 4)
    (('# a\n\n', 'b\n/c\n'), ('# a\n\n',), ('b\n/c\n\n',))
    """

    def __init__(self, text: str, starts: Iterable[int]) -> None:
        self._lines = _LINES.findall(text)
        inner = (start for start in starts if start and is_fragment(self._lines[start] + "\n"))
        self._starts = [0, *dict.fromkeys(inner)]
        ends = [*self._starts[1:], len(self._lines)]
        self.all = tuple(map(self._text, self._starts, ends))

    def closed(self, start: int, end: int) -> tuple[str, ...]:
        """Return the pieces of some lines, with a blank line at the end."""
        first, after = bisect_left(self._starts, start), bisect_left(self._starts, end)
        if first >= after or self._starts[first] != start:
            return (self._text(start, end).strip("\n") + CLOSED,)
        last = self._text(self._starts[after - 1], end).rstrip("\n") + CLOSED
        return (*self.all[first : after - 1], last)

    def _text(self, start: int, end: int) -> str:
        return "".join(self._lines[start:end])


def rows_of(
    node: TreeNode,
    parts: Sequence[Any],
    texts: Sequence[str],
    worths: Sequence[float],
    unit: str,
    head: tuple[str, ...] = (),
    **more: Any,
) -> Rows:
    """Return the parts of a block of text as rows, with a blank line after the hint.

    `more` has further arguments of `Rows`.
    """
    left = Children(node, parts)
    usual: dict[str, Any] = {"format": PROSE.name, "hint_end": CLOSED, "unit": unit, "left": left}
    keys = range(len(texts))
    return Rows(fragments=head, rows=texts, worths=worths, keys=keys, **(usual | more))


def is_normal(text: str) -> bool:
    """Whether parsing leaves the characters of a text as they are."""
    return "\ufeff" not in text or normalise(text) == text


def stays_paragraph(form: str) -> bool:
    r"""Whether a shorter form of a paragraph is read as a paragraph.

    It is not if it became the definition of a link, or if its last line, which was cut, looks like
    the start of a fence or a list.

    Examples
    --------
    >>> stays_paragraph("one two …"), stays_paragraph("a\n1. …"), stays_paragraph("```a …")
    (True, False, False)
    """
    last = form.rpartition("\n")[2].lstrip(" \t")
    is_definition = form.startswith("[") and "]:" in form
    return not (is_definition or last.startswith("```") or _LONE_MARKER.fullmatch(last))


def _shorter(
    node: TreeNode,
    worth: float,
    name: str,
    forms: Iterable[Shortened],
    write: Callable[[str], tuple[str, ...]],
    end: str = "",
) -> Iterator[Option]:
    """Yield shorter forms of a block. `write` returns the fragments of one, none to refuse it."""
    for form in forms:
        texts = write(form.text) if is_normal(form.text) else ()
        if texts:
            part, value = Part(notes(None, [form])), form.text + end
            yield Option(
                name,
                (*texts, f"{part.note}\n"),
                worth_of_part(worth, len(value), len(node.value)),
                part=part,
                left=TreeNode(node.kind, value, attrs=node.attrs, path=node.path),
            )


def shorter_paragraph(node: TreeNode, worth: float, share: float) -> Iterator[Option]:
    """Return shorter forms of a paragraph of Markdown whose text begins as its source does."""

    def write(text: str) -> tuple[str, ...]:
        return (margin(text) + CLOSED,) if stays_paragraph(text) else ()

    return _shorter(node, worth, PROSE.name, ladder(node.value, share), write)


def shorter_code(node: TreeNode, worth: float, share: float) -> Iterator[Option]:
    """Return shorter forms of a block of code."""
    info = node.attrs["info"]
    if any(character in info for character in "`\\&\n") or marks.looks_like_csv_info(info):
        return iter(())

    def write(text: str) -> tuple[str, ...]:
        fence = fence_for(f"{text}\n")
        return line_pieces(f"{fence}{info}\n{text}\n{fence}\n")

    forms = ladder(node.value.removesuffix("\n"), share, is_markup=False)
    return _shorter(node, worth, FENCE.name, forms, write, "\n")


def margin(text: str) -> str:
    """Return a block of Markdown, with a blank before it if it begins with ``/``."""
    return f" {text}" if text.startswith("/") else text


def shorter_rows(
    node: TreeNode,
    whole: Rows,
    items: Sequence[Any],
    values: Sequence[str],
    shorter: Callable[[int, str], tuple[str, Any] | None],
) -> Iterator[Rows]:
    """Yield the rows with all long ones shortened, for each of `ROW_SIZES`.

    `items` has what each row is read as, `values` its text, empty if it is never shortened.
    `shorter` returns a row in a form and what that is read as, None to refuse the form.
    """
    long = [row for row, value in enumerate(values) if len(value) >= ROW_SIZES[-1] + LEAST]
    parts = {row: Shortener(values[row]) for row in long}
    for most in ROW_SIZES:
        rows, worths, remaining = list(whole.rows), list(whole.worths), list(items)
        forms: list[Shortened] = []
        for row, shortener in parts.items():
            is_long = len(values[row]) >= most + LEAST
            form = shortener.within(most, LEAST) if is_long else None
            written = shorter(row, form.text) if form is not None and is_normal(form.text) else None
            if form is not None and written is not None:
                rows[row], remaining[row] = written
                worths[row] = worth_of_part(worths[row], len(form.text), len(values[row]))
                forms.append(form)
        if forms:
            part = Part(notes(None, forms))
            yield replace(
                whole,
                rows=rows,
                worths=worths,
                left=Children(node, remaining),
                tail=part.note.replace("\n", CLOSED)
                if whole.hint_end == CLOSED
                else f"{part.note}\n",
                part=part,
                is_partial=False,
            )


def shorter_paragraphs(node: TreeNode, whole: Rows, alike: frozenset[int]) -> Iterator[Rows]:
    """Yield a document or section of many blocks with its long paragraphs shortened.

    Only those are that begin as their source does; `alike` has their numbers.
    """
    blocks = node.children
    values = [
        block.value if block.kind is Kind.PARAGRAPH and row not in whole.pinned else ""
        for row, block in enumerate(blocks)
    ]

    def shorter(row: int, form: str) -> tuple[str, TreeNode] | None:
        if row not in alike or not stays_paragraph(form):
            return None
        return margin(form) + CLOSED, TreeNode(Kind.PARAGRAPH, form, path=blocks[row].path)

    return shorter_rows(node, whole, blocks, values, shorter)


def shorter_items(node: TreeNode, whole: Rows) -> Iterator[Rows]:
    """Yield a list with those long items shortened that are one paragraph each.

    A blank line ends each item, and the note.
    """
    items, markers = node.children, list(map(_ITEM.match, whole.rows))
    values = [
        item.children[0].value if marker and _is_plain(item, text, marker.end()) else ""
        for item, text, marker in zip(items, whole.rows, markers, strict=True)
    ]

    def shorter(row: int, form: str) -> tuple[str, TreeNode] | None:
        marker, item = markers[row], items[row]
        lines = form.split("\n")[1:]
        is_text = all(line[:1].isalpha() or line == GAP for line in lines)
        if marker is None or not is_text or not stays_paragraph(form) or _TASK_BOX.match(form):
            return None
        text = marker[0] + form.replace("\n", "\n" + " " * len(marker[1])) + CLOSED
        inner = (TreeNode(Kind.PARAGRAPH, form),)
        left = TreeNode(item.kind, attrs=item.attrs, children=inner, path=item.path, span=item.span)
        return text, left

    closed = replace(whole, rows=[f"{text}\n" for text in whole.rows])
    return shorter_rows(node, closed, items, values, shorter)


def _is_plain(item: TreeNode, text: str, place: int) -> bool:
    """Whether an item is one paragraph, whose text begins at `place`."""
    blocks = item.children
    if len(blocks) != 1 or blocks[0].kind is not Kind.PARAGRAPH:
        return False
    return text.startswith(blocks[0].value.partition("\n")[0], place)


@dataclass(frozen=True, slots=True, eq=False)
class BlockPlan(Plan):
    """A paragraph of Markdown, or a block of code, that may be shortened."""

    node: TreeNode
    worth: float
    share: float
    """The share of the document that it is."""

    def options(self) -> Iterator[Option]:
        """Return its shorter forms."""
        shorter = shorter_code if self.node.kind is Kind.CODE else shorter_paragraph
        return shorter(self.node, self.worth, self.share)


@dataclass(frozen=True, slots=True, eq=False)
class RowsPlan(Plan):
    """A list, or a section of very many blocks, whose long rows may be shortened."""

    node: TreeNode
    rows: Rows
    alike: frozenset[int] = frozenset()
    """Of a section, the numbers of the paragraphs that begin as their source does."""

    def options(self) -> Iterator[Rows]:
        """Return the rows with long ones shortened, for some lengths."""
        if self.node.kind is Kind.LIST:
            return shorter_items(self.node, self.rows)
        return shorter_paragraphs(self.node, self.rows, self.alike)

"""The menu of a text document, and that of plain text.

Blocks are slices of the source. If a block is cut, its neighbours come together. No two blocks
may then be read as one, so a block ends with a blank line where it needs one.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from mckp.encoders import PROSE, marks, once
from mckp.encoders.headers import read_header
from mckp.encoders.hints import Overflow, read_label
from mckp.encoders.packs import is_pack
from mckp.errors import DataError
from mckp.jsontext import is_json
from mckp.menu.classes import LinesPlan, Menu, MenuClass, Option
from mckp.parsers.detect import begins_like_json
from mckp.regexes import regex
from mckp.tree import Kind
from mckp.weights.leaves import leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mckp.encoders.base import Format
    from mckp.menu.classes import AnyOption
    from mckp.menu.markdown import Markdown
    from mckp.menu.weighing import Weighed
    from mckp.paths import Path
    from mckp.tree import TreeNode
    from mckp.weights import Weights


def offer_text(
    document: Weighed, formats: tuple[Format, ...], reads_as: Callable[[str], str]
) -> Menu:
    """Return the menu of Markdown or plain text; see `mckp.menu.data.offer`.

    Tables are offered in the given formats; all else keeps its form. A tree that is part of a
    document, or was not parsed from a text, raises a `DataError`.
    """
    tree, worth = document.tree, TextWorth(document.tree, document.weights)
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
    for text in offer.texts:
        texts = offer.pieces(text)
        if kind_of(text) != offer.kind:
            texts = (marks.kind_line(offer.kind) + text,)
        options.append(Option(PROSE.name, texts, offer.worth))
    is_misread = any(kind_of(text) != offer.kind for text in (offer.source, offer.joined))
    is_by_lines = not (document.is_among_many and is_paragraph(offer.source))
    root = MenuClass(
        None,
        tree,
        offer.worth,
        (*options, *offer.opening_options(is_misread=is_misread)),
        is_pinned=worth.is_pinned(tree),
        plan=LinesPlan() if is_by_lines else None,
    )
    return Menu(root, Overflow(offer.total, None, offer.unit))


PARAGRAPH: Final = 4000
"""Among many documents, a single line of at most so many characters is written whole or cut."""


def is_paragraph(source: str) -> bool:
    """Whether a text is one line of at most `PARAGRAPH` characters, such as a chunk of a search."""
    return len(source) <= PARAGRAPH and "\n" not in source.removesuffix("\n")


def blocks_of(node: TreeNode) -> Iterator[TreeNode]:
    """Yield the blocks of a document and its sections in order, without nested blocks."""
    for child in node.children:
        if child.kind is Kind.SECTION:
            yield from blocks_of(child)
        else:
            yield child


# A line that begins so is flow notation, or may be if enough lines are below it.
_FLOW: Final = regex(r"[\[{](?:.*<[1-9]|[0-9]+\{)")


def may_mislead(text: str) -> bool:
    """Whether a text begins with a sign that may begin JSON or a format of mckp."""
    return text.lstrip().startswith(("[", "{", "(", ">", '"'))


def misleads(text: str) -> bool:
    """Whether a text document that begins like this would be read as data, a pack or a label."""
    if not may_mislead(text):
        return False
    first = text.partition("\n")[0]
    if read_label(first) is not None or is_pack(first):
        return True
    if read_header(first, 0) is not None or _FLOW.match(first) is not None:
        return True
    return begins_like_json(text) or (first.startswith('"') and is_json(first))


class TextWorth:
    """The worths of the blocks of a text; without weights, their numbers of facts."""

    def __init__(self, tree: TreeNode, weights: Weights | None) -> None:
        document_leaves = leaves(tree)
        self._own: dict[Path, float] = {
            leaf.path: leaf.facts if weights is None else weights.of(number, 1)
            for number, leaf in enumerate(document_leaves)
        }
        pinned = () if weights is None else weights.pinned()
        self._pinned = {document_leaves[number].path for number in pinned}
        self._all: dict[Path, float] = {}
        self.whole = self._store_worths(tree)

    def _store_worths(self, node: TreeNode) -> float:
        """Store the worth of a block and of each block in it, and return that of the block."""
        below = sum(map(self._store_worths, node.children))
        total = self._all[node.path] = self.own(node) + below
        return total

    def all(self, node: TreeNode) -> float:
        """Return the worth of a block with everything in it."""
        return self._all[node.path]

    def own(self, node: TreeNode) -> float:
        """Return the worth of a block without its children."""
        return self._own.get(node.path, 0)

    def is_pinned(self, node: TreeNode) -> bool:
        """Whether a block, or one in it, must stay."""
        return bool(self._pinned) and any(block.path in self._pinned for block in node.walk())


def _shorter_texts(source: str) -> list[str]:
    """Return the shorter forms of a plain text; lines that look like those of mckp are escaped."""
    texts: list[str] = []
    for text in once.forms(source):
        note, _, below = text.partition("\n\n")
        texts.append(f"{note}\n\n{marks.escape_lines(below)}")
    return texts


class PlainText:
    """The ways to write a whole plain text: as it is, or with shared parts of lines once.

    Within a budget it is cut by lines.
    """

    kind, unit = "text", "lines"

    def __init__(self, tree: TreeNode, worth: TextWorth) -> None:
        """Escape the lines of the source, and find its shorter forms."""
        source = tree.source or ""
        self.worth = worth.whole
        self.source = self.joined = marks.escape_lines(source)
        self.texts = [self.source, *_shorter_texts(source)]
        self.total = source.count("\n") + (not source.endswith("\n"))

    def pieces(self, text: str) -> tuple[str, ...]:
        """Return the fragments of the whole document: the text itself."""
        return (text,)

    def opening_options(self, *, is_misread: bool) -> list[Option]:
        """Return the options that open the text: none."""
        return []

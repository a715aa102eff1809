"""Shortened blocks of a text: paragraphs, and blocks of code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.encoders import FENCE, PROSE, marks
from mckp.encoders.fence import fence_for
from mckp.encoders.hints import Overflow
from mckp.menu.base import MenuClass, Option, Others
from mckp.menu.reduction import Reduction, ShorterTexts, share
from mckp.menu.shorten import LEAST, brief
from mckp.parsers.markdown import parse_markdown
from mckp.parsers.text import parse_text
from mckp.tokenizers.fragment import is_fragment
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    from mckp.menu.worth import TextWorth

    Write: TypeAlias = Callable[[Reduction], Iterable[Option]]

_BLANK: Final = "\n\n"
_FORMS: Final = (600, 240, 100, 40)
"""Characters that the items of a shortened list may have."""


def shorter_lines(node: TreeNode, weight: float) -> Iterable[Option]:
    """Return shorter forms of a paragraph of plain text."""

    def write(part: Reduction) -> Iterator[Option]:
        written = f"{_marked(part.content.value)}\n{part.note}\n"
        # A byte order mark that came after a blank would go where a line begins with it.
        if is_fragment(written) and parse_text(part.content.value).children == (part.content,):
            yield Option(PROSE.name, (written,))

    return _offered(ShorterTexts(node.value, weight, _paragraph), write)


def shorter_paragraph(node: TreeNode, weight: float) -> Iterable[Option]:
    """Return shorter forms of a paragraph of Markdown."""

    def write(part: Reduction) -> Iterator[Option]:
        if _reads_as(part.content.value, part.content):
            yield Option(PROSE.name, (f"{part.content.value}{_BLANK}{part.note}\n",))

    return _offered(ShorterTexts(node.value, weight, _paragraph), write)


def shorter_code(node: TreeNode, weight: float) -> Iterable[Option]:
    """Return shorter forms of a block of code."""
    if marks.looks_like_csv_info(node.attrs["info"]):
        return []

    def content(text: str) -> TreeNode:
        return TreeNode(Kind.CODE, text + "\n", attrs=node.attrs)

    def write(part: Reduction) -> Iterator[Option]:
        fence = fence_for(part.content.value)
        text = f"{fence}{node.attrs['info']}\n{part.content.value}{fence}\n"
        if _reads_as(text, part.content):
            yield Option(FENCE.name, (f"{text}{part.note}\n",))

    return _offered(ShorterTexts(node.value.removesuffix("\n"), weight, content), write)


class _ShorterItems:
    """A list whose long items are shortened, the more the further on.

    Parameters
    ----------
    node : TreeNode
        The list.
    worth : TextWorth
        What its items are worth.
    """

    def __init__(self, node: TreeNode, worth: TextWorth) -> None:
        self._node, self._worth = node, worth

    def places(self) -> Iterable[int]:
        longest = max(map(_length, self._node.children), default=0)
        return [place for place, most in enumerate(_FORMS) if longest > most + LEAST]

    def at(self, place: int) -> Reduction | None:
        weights: list[float] = []
        items: list[TreeNode] = []
        missing: dict[str, list[int]] = {}
        for item in self._node.children:
            weight = self._worth.all(item)
            form = brief(item.children[0].value, _FORMS[place]) if _length(item) else None
            if form is not None:
                weight = share(weight, form.missing, form.total)
                counts = missing.setdefault(form.unit, [0, 0])
                counts[0], counts[1] = counts[0] + form.missing, counts[1] + form.total
                item = _with(item, (_paragraph(form.text),))
            weights.append(weight)
            items.append(item)
        if not missing:
            return None
        hints = tuple(Overflow(gone, total, unit) for unit, (gone, total) in missing.items())
        content = _with(self._node, tuple(items))
        return Reduction(content, sum(weights), hints, place, weights=weights)

    def near(self, part: Reduction, known: Iterable[int]) -> Iterable[Reduction]:
        return ()


def shorter_items(node: TreeNode, texts: Sequence[str], worth: TextWorth) -> Iterable[Option]:
    """Return a list with shorter items, which can be cut as well."""

    def write(part: Reduction) -> Iterator[Option]:
        shorter = part.content.children
        lines = [
            text if item is whole else _spliced(text, whole, item)
            for text, whole, item in zip(texts, node.children, shorter, strict=True)
        ]
        if not _reads_as("".join(lines).removesuffix("\n"), part.content):
            return
        children = tuple(
            MenuClass(place, item, part.weights[place], [Option(PROSE.name, (line,))])
            for place, (item, line) in enumerate(zip(shorter, lines, strict=True))
        )
        note = part.note.replace("\n", _BLANK)
        yield Option(PROSE.name, (), children, unit="items", hint_end=_BLANK, tail=note)

    family = _ShorterItems(node, worth)
    return Others(family, write).offered(filter(None, map(family.at, family.places())))


def _length(item: TreeNode) -> int:
    """Return the characters of an item of one paragraph; 0 for any other."""
    is_plain = len(item.children) == 1 and item.children[0].kind is Kind.PARAGRAPH
    return len(item.children[0].value) if is_plain else 0


def _spliced(text: str, whole: TreeNode, item: TreeNode) -> str:
    """Return the source of an item with its paragraph shortened, or as it is if that is unclear."""
    first = whole.children[0].value.partition("\n")[0]
    marker, found, _ = text.partition(first)
    inner = item.children[0].value.replace("\n", "\n" + " " * len(marker))
    return f"{marker}{inner}\n" if found else text


def _with(node: TreeNode, children: tuple[TreeNode, ...]) -> TreeNode:
    attrs, path, span = node.attrs, node.path, node.span
    return TreeNode(node.kind, node.value, attrs=attrs, children=children, path=path, span=span)


def _offered(family: ShorterTexts, write: Write) -> Iterable[Option]:
    others = Others(family, write)
    return others.offered(map(family.at, family.places()))


def _paragraph(text: str) -> TreeNode:
    return TreeNode(Kind.PARAGRAPH, text)


def _marked(text: str) -> str:
    """Mark lines above a note that look like one, or marked, and a slash where a text begins."""
    first, *lines = text.split("\n")
    marked = (line if line.startswith("/") else marks.escape_line(line) for line in lines)
    return "\n".join([marks.escape_line(first), *marked])


def _reads_as(text: str, wanted: TreeNode) -> bool:
    """Whether a text is read as one block; a shorter form could be another kind of block."""
    return is_fragment(text + "\n") and parse_markdown(text).children == (wanted,)

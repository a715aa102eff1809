"""The parts of a document as a page shows them, with their tokens, their worth and the source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.jsontext import dump, is_array, is_container, is_object, step
from mckp.menu.worth import TextWorth
from mckp.parsers.text import source_lines, writer
from mckp.tree import Kind, Span, TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.answers.priced import Priced
    from mckp.menu.render import Path

    Line = tuple[str, int]


class Parts:
    """The parts of a document in its order, each before those in it.

    Attributes
    ----------
    found : list of (int, str, int, float)
        Of each part the number of the part that it stands in, or -1; its last step, or how a
        block of text begins; its tokens, as compact JSON or as it stands in the source; and what
        it is worth without the parts in it.
    ends : list of int
        By the number of a part, that of the next one that does not stand in it.
    """

    def __init__(self, priced: Priced) -> None:
        self.tree, self._worth = priced.document.tree, priced.document.worth
        self.places: dict[Path, int] = {}
        self.ends = list[int]()
        self._nodes, self._parents = list[TreeNode](), list[int]()
        self._add(self.tree, -1)
        tokens = priced.tokenizer.count_batch(list(map(writer(self.tree), self._nodes)))
        labels = map(_label, self._nodes)
        self.found = [*zip(self._parents, labels, tokens, self._worths(), strict=True)]

    def _add(self, node: TreeNode, parent: int) -> None:
        number = len(self._nodes)
        self.places[node.path] = number
        self._nodes.append(node)
        self._parents.append(parent)
        self.ends.append(number)
        for child in _below(node):
            self._add(child, number)
        self.ends[number] = len(self._nodes)

    def _worths(self) -> Iterator[float]:
        of_text, leaf, line = TextWorth(self._worth), 0, 0.0
        for number, node in enumerate(self._nodes):
            if not self.tree.is_json:
                own, below = of_text.own(node), self.ends[number] - number - 1
                is_split = node.kind is Kind.PARAGRAPH and below > 0
                line = own / below if is_split else line
                yield 0 if is_split else own or (line if node.kind is Kind.PARAGRAPH else 0)
            elif self.ends[number] == number + 1:
                yield 1.0 if self._worth is None else self._worth.of(leaf, 1)
                leaf += 1
            else:
                yield 0

    def number(self, path: Path) -> int:
        """Return the part at a path, or the least that it stands in."""
        while path not in self.places:
            path = path[:-1]
        return self.places[path]

    def members(self, number: int, value: Any) -> Iterator[tuple[Any, Any, int]]:
        """Yield the steps into the value of a part, what is there, and its number."""
        number += 1
        for key, item in _members(value):
            yield key, item, number
            number = self.ends[number]

    def source(self) -> list[Line]:
        """Return the lines of the document, each with its part; those of data are made."""
        if self.tree.is_json:
            return [*self._pretty(self.tree.value, 0, "", "", "")]
        at = dict[int, int]()
        for number, node in enumerate(self._nodes):
            if node.span is not None:
                at.update(dict.fromkeys(range(node.span.start, node.span.end), number))
        return [(line, at.get(n, 0)) for n, line in enumerate(source_lines(self.tree.source or ""))]

    def _pretty(
        self, value: Any, number: int, indent: str, name: str, after: str
    ) -> Iterator[Line]:
        """Yield data as JSON with a line for each part that is not short."""
        text = dump(value)
        if not value or not is_container(value) or (number and len(text) <= 72):
            yield f"{indent}{name}{text}{after}\n", number
            return
        yield f"{indent}{name}{text[0]}\n", number
        for key, item, place in self.members(number, value):
            named = f"{dump(key)}: " if is_object(value) else ""
            comma = "," if self.ends[place] < self.ends[number] else ""
            yield from self._pretty(item, place, f"{indent}  ", named, comma)
        yield f"{indent}{text[-1]}{after}\n", number


def _members(value: Any) -> Iterator[tuple[Any, Any]]:
    if is_object(value):
        yield from value.items()
    elif is_array(value):
        yield from enumerate(value)


def _below(node: TreeNode) -> Sequence[TreeNode]:
    """Return the nodes in a node; of a paragraph its lines, if there are many."""
    if node.kind is not Kind.PARAGRAPH or "\n" not in node.value:
        return node.children
    start = node.span.start if node.span else 0
    return [
        TreeNode(Kind.PARAGRAPH, line, path=(*node.path, n), span=Span(start + n, start + n + 1))
        for n, line in enumerate(node.value.split("\n"))
    ]


def _label(node: TreeNode) -> str:
    if node.is_json:
        return step(node.path[-1]) if node.path else "$"
    value: Any = node.value or ""
    text = " ".join(map(str, value)) if is_array(value) else str(value)
    first = text.strip().partition("\n")[0]
    return (first[:47] + "…" if len(first) > 48 else first) or node.kind.value

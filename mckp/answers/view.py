"""What a page shows of a document: its parts, and its text within some thirty budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from mckp.answers.frontier import Sampler, floor_of
from mckp.display.outline import lines, text_of
from mckp.display.page import View
from mckp.display.svg import colour
from mckp.errors import BudgetError
from mckp.jsontext import dump, is_array, is_object, step
from mckp.menu.classes import Option
from mckp.menu.render import kept_content, placed
from mckp.menu.worth import TextWorth
from mckp.tree import Kind, Span, TreeNode
from mckp.weights.leaves import facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.answers.answers import Answers
    from mckp.answers.priced import Priced
    from mckp.menu.render import Path, Pick
    from mckp.result import Report

    Line = tuple[str, int]

LEVELS = ("native", "standard", "dense", "json")
"""Levels and formats that a page has side by side."""
_ALL = 9
"""The state of a part that a text has whole; 0 is that of one that was cut."""


def view(priced: Priced, budget: int | None, title: str, report: Report) -> View:
    """Return the page of a document.

    Parameters
    ----------
    priced : Priced
        What texts are made from.
    budget : int or None
        The budget that the page begins with.
    title : str
        What the page is called.
    report : callable
        Called with how many texts are made, and of how many.
    """
    parts, budgets = Parts(priced), stops(priced, budget)
    names = [priced.formats, *(each for each in LEVELS if each != priced.formats)]
    if not priced.document.tree.is_json:
        names = names[:1]
    sheet = _Sheet(parts)
    levels: list[dict[str, Any]] = []
    for name in names:
        level = priced if name == priced.formats or priced.other is None else priced.other(name)
        found: list[dict[str, Any]] = []
        for each in budgets:
            report(len(levels) * len(budgets) + len(found), len(names) * len(budgets))
            found.append(sheet.stop(level, each))
        levels.append({"name": name, "stops": found, "states": sheet.states()})
    report(1, 1)
    used = sorted({name for level in levels for stop in level["stops"] for _, name in stop["formats"]})
    shown = {
        "title": title,
        "tokenizer": priced.tokenizer.name,
        "exact": priced.tokenizer.exact,
        "data": priced.document.tree.is_json,
        "sourceTokens": priced.source_tokens,
        "total": priced.menu.root.worth,
        "parts": [(p.parent, p.label, p.tokens, p.worth) for p in parts.found],
        "source": parts.source(),
        "lines": list(sheet.lines),
        "patterns": list(sheet.patterns),
        "colours": {name: colour(name) for name in used},
        "start": budgets.index(budget),
        "levels": levels,
    }
    return View(title or "mckp view", shown)


def stops(priced: Priced, budget: int | None, count: int = 28) -> list[int | None]:
    """Return budgets in even ratios up to all of a document, whose texts differ; None is none."""
    most, sampler = priced.whole.tokens, Sampler(priced)
    least = floor_of(sampler, most)
    first = max(least, most // 64, 1)
    ratio = (most / first) ** (1 / count) if first < most else 1.0
    even = {min(most - 1, round(first * ratio**n)) for n in range(count)}
    wanted = sorted({least, *even, budget or least} - {most})
    found: list[int | None] = []
    last: tuple[float, int] | None = None
    for each in wanted:
        figures = sampler.figures(each) if least <= each and sampler.fits(each) else None
        if each == budget or (figures is not None and figures != last):
            found.append(each)
        last = figures
    return [*found, None] if budget != most else [*found, most, None]


class Part(NamedTuple):
    """A part of a document, as wide as its tokens.

    Attributes
    ----------
    parent : int
        The number of the part that it stands in; -1 for all of the document.
    label : str
        Its last step, or how a block of text begins.
    at, count : int
        Its leaves, side by side; of a text, itself and the parts in it.
    worth : float
        What it is worth.
    tokens : int
        Tokens of it by itself, as compact JSON or as it stands in the source.
    """

    parent: int
    label: str
    at: int
    count: int
    worth: float
    tokens: int


class Parts:
    """The parts of a document in its order; small ones side by side are one.

    Parameters
    ----------
    priced : Priced
        The document.
    """

    def __init__(self, priced: Priced) -> None:
        self.tree, worth = priced.document.tree, priced.document.worth
        self.places: dict[Path, int] = {}
        self._texts, self._text_of = list[str](), text_of(self.tree)
        self._drafts = list[tuple[int, str, int, int, float]]()
        self._text_worth = TextWorth(worth)
        self._worth = worth
        self._sizes: dict[int, int] = {}
        # What is too small to be seen on a page is not looked at by itself.
        self._least = len(self._text_of(self.tree)) // 40_000
        self._add([self.tree], [self._text_of(self.tree)], -1, 0, 0)
        tokens = priced.tokenizer.count_batch(self._texts)
        self.found = [Part(*each, n) for each, n in zip(self._drafts, tokens, strict=True)]

    def _add(
        self, nodes: Sequence[TreeNode], texts: Sequence[str], parent: int, at: int, depth: int
    ) -> int:
        """Add a node with what is in it, or small ones as one; return where the next begins."""
        number, count = len(self._drafts), sum(map(self.count, nodes))
        label = " … ".join(_label(each) for each in {nodes[0]: 0, nodes[-1]: 0})
        worth = sum(map(self._text_worth.all, nodes)) if not self.tree.is_json else float(count)
        if self.tree.is_json and self._worth is not None:
            worth = self._worth.of(at, count)
        self._drafts.append((parent, label, at, count, worth))
        self._texts.append(",".join(texts))
        self.places.update((node.path, number) for node in nodes)
        below = _below(nodes[0]) if len(nodes) == 1 and depth < 24 else ()
        if not below:
            return at + count
        inner, small, start = at + (not self.tree.is_json), list[tuple[TreeNode, str]](), 0
        for node in below:
            text = self._text_of(node)
            is_small = len(text) < self._least
            if small and (not is_small or start >= self._least):
                inner = self._add(*zip(*small, strict=True), number, inner, depth + 1)
                small, start = [], 0
            if is_small:
                small.append((node, text))
                start += len(text)
            else:
                inner = self._add([node], [text], number, inner, depth + 1)
        if small:
            self._add(*zip(*small, strict=True), number, inner, depth + 1)
        return at + count

    def count(self, node: TreeNode) -> int:
        """Return the leaves of a node, or the blocks of a text."""
        return self.size(node.value) if self.tree.is_json else 1 + sum(map(self.count, _below(node)))

    def size(self, value: Any) -> int:
        """Return the leaves of a plain value."""
        if not value or not (is_object(value) or is_array(value)):
            return 1
        if id(value) not in self._sizes:
            self._sizes[id(value)] = facts(value)
        return self._sizes[id(value)]

    def number(self, path: Path) -> int:
        """Return the part at a path, or the least that it stands in."""
        while path not in self.places:
            path = path[:-1]
        return self.places[path]

    def source(self) -> list[Line]:
        """Return the lines of the document to look at, each with its part."""
        if self.tree.is_json:
            return [*self._pretty(self.tree.value, (), "", "")]
        if self.tree.source is None:
            return []
        found, at = lines(self.tree.source), dict[int, int]()
        for node in [each for block in self.tree.walk() for each in (block, *_below(block))]:
            if node.span is not None:
                at.update(dict.fromkeys(range(node.span.start, node.span.end), self.number(node.path)))
        return [(line, at.get(n, 0)) for n, line in enumerate(found)]

    def _pretty(self, value: Any, path: Path, before: str, after: str) -> Iterator[Line]:
        """Yield data as JSON with a line for each part that is not short."""
        text, is_long = dump(value), bool(value) and (is_object(value) or is_array(value))
        if not is_long or (len(text) <= 72 and path not in ((),)):
            yield f"{before}{text}{after}\n", self.number(path)
            return
        pairs = value.items() if is_object(value) else enumerate(value)
        yield f"{before}{text[0]}\n", self.number(path)
        inside = before[: len(before) - len(before.lstrip())] + "  "
        for n, (key, item) in enumerate(pairs, 1):
            name = f"{inside}{dump(key)}: " if is_object(value) else inside
            yield from self._pretty(item, (*path, key), name, "," if n < len(value) else "")
        yield f"{inside[2:]}{text[-1]}{after}\n", self.number(path)


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
    text = " ".join(map(str, node.value)) if isinstance(node.value, list) else str(node.value or "")
    first = text.strip().partition("\n")[0]
    return (first[:47] + "…" if len(first) > 48 else first) or node.kind.value


class _Sheet:
    """The texts of a page: lines and states that several of them have stand there once."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.lines: dict[Line, int] = {}
        self.patterns: dict[str, int] = {}
        self._states = list[bytearray]()

    def stop(self, priced: Priced, budget: int | None) -> dict[str, Any]:
        """Return the text within a budget, and all that is shown with it."""
        kept = bytearray(self.parts.count(self.parts.tree))
        self._states.append(kept)
        try:
            result = priced.result(budget)
        except BudgetError as error:
            return {"budget": budget, "floor": error.floor, "lines": [], "formats": [], "cuts": []}
        pick = cast("Answers", result.answers).pick
        self._mark(pick, kept)
        number = self.parts.number
        return {
            "budget": budget,
            "tokens": result.tokens,
            "value": result.value,
            "status": result.status,
            "gap": result.gap,
            "price": result.shadow_price,
            "lines": [
                self.lines.setdefault(line, len(self.lines)) for line in self._lines(result.text, pick)
            ],
            "formats": [(number(each.path), each.format) for each in result.choices],
            "cuts": [(number(cut.path), str(cut), cut.tokens) for cut in result.elided],
        }

    def _lines(self, text: str, pick: Pick) -> Iterator[Line]:
        found: list[Line] = []
        for each, row, fragment in placed(pick):
            path = each.path
            if row is not None and not isinstance(each.option, Option | None):
                path = (*path, each.option.keys[row])
            found += [(line, self.parts.number(path)) for line in _split(fragment)]
        rest = text[: len(text) - sum(len(line) for line, _ in found)]  # such as a primer
        yield from ((line, 0) for line in _split(rest))
        yield from found

    def states(self) -> list[int]:
        """Return for each part, by its number in `patterns`, how much of it each text has."""
        kept = np.frombuffer(b"".join(self._states), np.uint8).reshape(len(self._states), -1)
        self._states = []
        sums = np.zeros((len(kept), kept.shape[1] + 1), np.int64)
        kept.cumsum(axis=1, out=sums[:, 1:], dtype=np.int64)
        at = np.array([each.at for each in self.parts.found])
        count = np.array([each.count for each in self.parts.found])
        shares = (sums[:, at + count] - sums[:, at]) / (_ALL * count)
        whole = np.clip(np.rint(shares * _ALL), 1, _ALL - 1)
        found = np.where(shares == 0, 0, np.where(shares == 1, _ALL, whole)).astype(np.uint8) + ord("0")
        rows = (bytes(row).decode("ascii") for row in found.T)
        return [self.patterns.setdefault(row, len(self.patterns)) for row in rows]

    def _mark(self, pick: Pick, kept: bytearray) -> None:
        if self.parts.tree.is_json:
            self._mark_data(pick, self.parts.tree.value, 0, kept)
        else:
            self._mark_text(pick, kept)

    def _mark_data(self, pick: Pick, content: Any, at: int, kept: bytearray) -> None:
        """Mark the leaves that a text has of a value, whose first leaf stands at a place."""
        option, size = pick.option, self.parts.size
        if option is None:
            return
        if pick.is_whole:
            kept[at : at + size(content)] = bytes([_ALL]) * size(content)
        elif not isinstance(option, Option) or option.kept is not None:
            rows = None if isinstance(option, Option) else [option.keys[row] for row in pick.rows]
            self._compare(content, kept_content(pick), rows, at, kept)
        else:
            below = {child.cls.key: child for child in pick.children}
            if None in below:
                self._mark_data(below[None], content, at, kept)
                return
            for key, value in _members(content):
                if key in below:
                    self._mark_data(below[key], value, at, kept)
                at += size(value)

    def _compare(self, was: Any, now: Any, rows: Any, at: int, kept: bytearray) -> None:
        """Mark the leaves of a value that are in what a reader gets of it."""
        if is_object(was) and was and is_object(now):
            found = dict(now)
        elif is_array(was) and was and is_array(now):
            found = dict(zip(rows or _matched(was, now), now, strict=False))
        else:
            same = type(was) is type(now) and was == now
            kept[at : at + self.parts.size(was)] = bytes([_ALL if same else 4]) * self.parts.size(was)
            return
        for key, value in _members(was):
            if key in found:
                self._compare(value, found[key], None, at, kept)
            at += self.parts.size(value)

    def _mark_text(self, pick: Pick, kept: bytearray) -> None:
        """Mark the blocks that a text has; of a block that was shortened, how much of it."""
        option, part = pick.option, self.parts.found[self.parts.number(pick.path)]
        if option is None:
            return
        if pick.is_whole:
            kept[part.at : part.at + part.count] = bytes([_ALL]) * part.count
        elif isinstance(option, Option) and option.children:
            kept[part.at] = _ALL
            for child in pick.children:
                self._mark_text(child, kept)
        elif not isinstance(option, Option) and part.count > 1:
            kept[part.at] = 4
            for row in pick.rows:
                below = self.parts.found[self.parts.number((*pick.path, option.keys[row]))]
                kept[below.at : below.at + below.count] = bytes([_ALL]) * below.count
        else:
            share = _length(kept_content(pick)) / max(1, _length(pick.cls.content))
            kept[part.at : part.at + part.count] = bytes([int(1 + 7 * min(1, share))]) * part.count


def _split(text: str) -> list[str]:
    """Return the lines of a text, each with its end."""
    found = [f"{line}\n" for line in text.split("\n")]
    return [*found[:-1], *([found[-1][:-1]] if found[-1] != "\n" else [])]


def _members(value: Any) -> Iterator[tuple[Any, Any]]:
    return iter(value.items() if is_object(value) else enumerate(value))


def _matched(was: Sequence[Any], now: Sequence[Any]) -> Iterator[int]:
    """Yield the places of items in the array of which they are left, in order."""
    place = 0
    for item in now:
        while place < len(was) and len(was) > len(now) and not _is_of(item, was[place]):
            place += 1
        yield place
        place += 1


def _is_of(now: Any, was: Any) -> bool:
    """Whether a value may be what is left of another."""
    if is_object(now) and is_object(was):
        return all(key in was and _is_of(value, was[key]) for key, value in now.items())
    if isinstance(now, str) and isinstance(was, str):
        return now[:12] == was[:12]
    return is_array(now) and is_array(was) if not isinstance(was, str | int | float) else now == was


def _length(node: Any) -> int:
    return sum(len(str(each.value or "")) for each in node.walk()) if node is not None else 0

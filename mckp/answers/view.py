"""The page of a document: a table of its parts, and its text within about thirty budgets.

Each part is shown with its tokens, its worth and its source.
"""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any, cast

from mckp.answers.frontier import Sampler, floor_of
from mckp.display.blocks import colour
from mckp.display.page import View
from mckp.errors import BudgetError
from mckp.jsontext import dump, is_array, is_container, is_object, step_text
from mckp.menu.classes import BlockPlan, Option
from mckp.menu.render import PARTS, kept_content, placed_fragments
from mckp.menu.text import TextWorth
from mckp.parsers.text import node_writer, source_lines
from mckp.paths import children_of
from mckp.tree import Kind, Span, TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.answers.priced import Answers, Priced
    from mckp.menu.classes import Gap
    from mckp.menu.render import Pick
    from mckp.paths import Path
    from mckp.result import Elided, Report

    Line = tuple[str, int]

LEVELS = ("native", "standard", "dense", "json")
"""Levels and formats that a page has side by side."""
NONE, SOME, WHOLE = b"0", b"4", b"9"
"""How much a text keeps of a part. What has parts in it keeps what these keep together."""


def view(priced: Priced, budget: int | None, title: str, report: Report | None) -> View:
    """Return the page of a document that opens at a budget; see `mckp.Result.view`."""
    parts, budgets = PageParts(priced), stops(priced, budget)
    further = LEVELS if priced.document.tree.is_json else ()
    names = [
        priced.formats,
        *(further_name for further_name in further if further_name != priced.formats),
    ]
    done, most = 0, len(names) * len(budgets)
    sheet, limits, levels = _Sheet(parts), budgets, list[dict[str, Any]]()
    for name in names:
        level = priced if name == priced.formats else priced.again(name, priced.is_bare)
        level_stops, last = list[dict[str, Any]](), None
        for limit in limits:
            done += 1
            if report is not None:
                report(done, most)
            made = sheet.stop_at(level, limit)
            # Of budgets for one and the same text, the page needs the first.
            if level is not priced or made["lines"] != last or limit in (budget, None):
                level_stops.append(made)
            last = made["lines"]
        limits = [stop["budget"] for stop in level_stops]
        levels.append({"name": name, "states": sheet.states(level_stops), "stops": level_stops})
    used = {name for level in levels for stop in level["stops"] for _, name in stop["formats"]}
    page_data = {
        "title": title,
        "tokenizer": priced.tokenizer.name,
        "exact": priced.tokenizer.exact,
        "data": priced.document.tree.is_json,
        "sourceTokens": priced.source_tokens,
        "total": priced.menu.root.worth,
        "parts": parts.entries,
        "source": parts.source(),
        "lines": list(sheet.lines),
        "patterns": list(sheet.patterns),
        "colours": {name: colour(name) for name in sorted(used)},
        "start": limits.index(budget),
        "levels": levels,
    }
    return View(title or "mckp view", page_data)


def stops(priced: Priced, budget: int | None, count: int = 28) -> list[int | None]:
    """Return budgets from the smallest possible to the whole document, in a geometric series.

    The last one is None, for no limit. Very large tables, which take a second to solve, get fewer.
    """
    most, sampler = priced.whole.tokens, Sampler(priced)
    count = min(count, max(6, 2000 * count // priced.tabulated.table.options))
    least = floor_of(sampler, most)
    first = max(least, most // 64, 1)
    ratio = (most / first) ** (1 / count) if first < most else 1.0
    even = {round(first * ratio**number) for number in range(count)}
    between = {limit for limit in (least, *even) if least <= limit < most}
    return [*sorted(between | ({budget} if budget is not None else set())), None]


class _Sheet:
    """The texts of a page; lines and states that several texts share are stored once."""

    def __init__(self, parts: PageParts) -> None:
        self.parts = parts
        self.lines: dict[Line, int] = {}
        self.patterns: dict[str, int] = {}

    def stop_at(self, priced: Priced, budget: int | None) -> dict[str, Any]:
        """Return the text within a budget, and everything shown beside it, by name.

        If the budget is too small for any text, that has no lines, and the least budget instead of
        figures.
        """
        marks = bytearray(NONE * len(self.parts.entries))
        try:
            result = priced.within(budget)
        except BudgetError as error:
            none: dict[str, Any] = {"lines": [], "formats": [], "cuts": [], "kept": marks}
            return {"budget": budget, "floor": error.floor, **none}
        pick = cast("Answers", result.answers).pick
        tree = self.parts.tree
        self._mark(pick, 0, tree.value if tree.is_json else tree, marks)
        number = self.parts.number
        return {
            "budget": budget,
            "kept": marks,
            "tokens": result.tokens,
            "value": result.value,
            "status": result.status,
            "gap": result.gap,
            "price": result.shadow_price,
            "lines": [
                self.lines.setdefault(line, len(self.lines))
                for line in self._lines(result.text, pick)
            ],
            "formats": [(number(choice.path), choice.format) for choice in result.choices],
            "cuts": [
                (number(cut.path), self.parts.name_of_cut(cut), cut.tokens) for cut in result.elided
            ],
        }

    def _lines(self, text: str, pick: Pick) -> Iterator[Line]:
        """Yield the lines of a text, each with the number of its part."""
        lines: list[Line] = []
        for part, row, fragment in placed_fragments(pick):
            path = part.path
            if row is not None and not isinstance(part.option, Option | None):
                path = (*path, part.option.keys[row])
            lines += [(line, self.parts.number(path)) for line in StringIO(fragment, "\n")]
        rest = text[: len(text) - sum(len(line) for line, _ in lines)]  # such as a primer
        yield from [*((line, 0) for line in StringIO(rest, "\n")), *lines]

    def states(self, stops: Iterable[dict[str, Any]]) -> list[int]:
        """Return for each part an index into `patterns`, which has its state at every budget.

        The states are taken out of the given stops.
        """
        rows = (bytes(row).decode() for row in zip(*(s.pop("kept") for s in stops), strict=True))
        return [self.patterns.setdefault(row, len(self.patterns)) for row in rows]

    def _mark(self, pick: Pick, number: int, content: object, kept: bytearray) -> None:
        """Mark how much a text keeps of a part and of all parts inside it.

        `number` is that of the part, `content` all that it holds, and `kept` has the marks of all
        parts.
        """
        option, end = pick.option, self.parts.ends[number]
        if option is None:
            return
        if pick.is_whole:
            kept[number:end] = WHOLE * (end - number)
        elif isinstance(content, TreeNode):
            self._mark_text(pick, number, content, kept)
        elif not isinstance(option, Option) or option.part is not None:
            rows = None if isinstance(option, Option) else [option.keys[row] for row in pick.rows]
            self._mark_leaves(content, kept_content(pick), rows, number, kept)
        elif [child.cls.key for child in pick.children] == [None]:  # below a dictionary
            self._mark(pick.children[0], number, content, kept)
        else:
            children = {child.cls.key: child for child in pick.children}
            for key, item, place in self.parts.members(number, content):
                if key in children:
                    self._mark(children[key], place, item, kept)

    def _mark_leaves(self, was: Any, now: Any, rows: Any, number: int, marks: bytearray) -> None:
        """Mark the leaves of a value that are also in `now`, its kept content.

        `was` is the whole value, and `number` that of its part. `rows` has the keys of the kept
        rows, in the order of `now`; None if the value is no block of rows. `marks` has the marks of
        all parts.
        """
        if not was or not is_container(was) or not is_container(now):
            marks[number : number + 1] = WHOLE if type(was) is type(now) and was == now else SOME
            return
        # Of an array without rows of its own, the first items are left.
        items = dict(zip(range(len(was)) if rows is None else rows, now, strict=False))
        remaining = now if is_object(now) else items
        for key, item, place in self.parts.members(number, was):
            if key in remaining:
                self._mark_leaves(item, remaining[key], None, place, marks)

    def _mark_text(self, pick: Pick, number: int, content: TreeNode, kept: bytearray) -> None:
        """Mark the parts of a text that a pick keeps; for the parameters, see `_mark`."""
        option = pick.option
        kept[number : number + 1] = WHOLE if pick.children else SOME
        if option is not None and option.part is not None and option.part.gaps:
            self._mark_lines(option.part.gaps, kept)
            return
        if option is not None and option.unit == PARTS:
            gaps = [gap for child in pick.children for gap in _gaps_of(child)]
            self._mark_lines(gaps, kept, [_cut_lines(child) for child in pick.children])
            return
        for child in pick.children:
            if not child.cls.content.is_json:
                self._mark(child, self.parts.number(child.path), child.cls.content, kept)
        if not isinstance(option, Option | None):
            for row in pick.rows:
                place = self.parts.number((*pick.path, option.keys[row]))
                kept[place : self.parts.ends[place]] = WHOLE * (self.parts.ends[place] - place)

    def _mark_lines(self, gaps: Iterable[Gap], kept: bytearray, some: Iterable[range] = ()) -> None:
        """Mark the parts of a text outside all gaps; of the lines in `some`, not all is kept."""
        partly = {line for lines in some for line in lines}
        gone = {line for first, last, _ in gaps for line in range(first, last + 1)}
        for place, node in enumerate(self.parts.nodes[1:], 1):
            span = node.span or Span(0, 0)
            lines = range(span.start + 1, span.end + 1)
            missing = sum(line in gone for line in lines)
            state = SOME if missing < len(lines) else NONE
            is_whole = not missing and partly.isdisjoint(lines)
            kept[place : place + 1] = WHOLE if is_whole else state


def _gaps_of(pick: Pick) -> Iterable[Gap]:
    """Return the gaps of a stretch or a block of a text."""
    option = pick.option
    return () if option is None or option.part is None else option.part.gaps


def _cut_lines(pick: Pick) -> range:
    """Return the lines of a part that is data and of which some is cut, counted from 1."""
    plan = pick.cls.plan
    is_cut = isinstance(plan, BlockPlan) and not pick.is_whole and not _gaps_of(pick)
    return range(plan.first, plan.last + 1) if isinstance(plan, BlockPlan) and is_cut else range(0)


class PageParts:
    """The parts of a document in document order: a part comes before the parts inside it.

    Each entry of `entries` is a part: the number of the part around it or -1, its last path step or
    how a block begins, its tokens (as compact JSON or as in the source), and its own worth without
    that of the parts inside it. `ends` has the number of the first part after it and all parts
    inside it.
    """

    def __init__(self, priced: Priced) -> None:
        self.tree, self._worth = priced.document.tree, priced.document.weights
        self.places: dict[Path, int] = {}
        self.ends = list[int]()
        self.nodes, self._parents = list[TreeNode](), list[int]()
        self._add_part(self.tree, -1)
        tokens = priced.tokenizer.count_batch(list(map(node_writer(self.tree), self.nodes)))
        labels = map(_part_label, self.nodes)
        self.entries = [*zip(self._parents, labels, tokens, self._worths(), strict=True)]

    def _add_part(self, node: TreeNode, parent: int) -> None:
        """Add a part and the parts inside it."""
        number = len(self.nodes)
        self.places[node.path] = number
        self.nodes.append(node)
        self._parents.append(parent)
        self.ends.append(number)
        for child in _parts_of(node):
            self._add_part(child, number)
        self.ends[number] = len(self.nodes)

    def _worths(self) -> Iterator[float]:
        """Yield the worth of each part, without that of the parts inside it."""
        text_worth = None if self.tree.is_json else TextWorth(self.tree, self._worth)
        leaf, line_worth = 0, 0.0
        for number, node in enumerate(self.nodes):
            if text_worth is not None:
                own_worth, line_count = text_worth.own(node), self.ends[number] - number - 1
                is_paragraph = node.kind is Kind.PARAGRAPH
                if is_paragraph and line_count:  # its lines, which come next, share its worth
                    line_worth = own_worth / line_count
                    yield 0
                else:
                    yield own_worth or (line_worth if is_paragraph else 0)
            elif self.ends[number] == number + 1:
                yield 1.0 if self._worth is None else self._worth.of(leaf, 1)
                leaf += 1
            else:
                yield 0

    def number(self, path: Path) -> int:
        """Return the number of the part at a path, or of the smallest part around it."""
        while path not in self.places:
            path = path[:-1]
        return self.places[path]

    def name_of_cut(self, cut: Elided) -> str:
        """Return the name of a cut: its path in data, or its line numbers in a text."""
        return str(cut) if self.tree.is_json else str(cut).removeprefix("$: ")

    def members(self, number: int, value: object) -> Iterator[tuple[Any, Any, int]]:
        """Yield the path step, the value and the part number of each member of a value."""
        number += 1
        for key, item in children_of(value).items():
            yield key, item, number
            number = self.ends[number]

    def source(self) -> list[Line]:
        """Return the document as lines, each with its part number; data are indented JSON."""
        if self.tree.is_json:
            return [*self._indented_json(self.tree.value, 0, "", "", "")]
        part_of_line = dict[int, int]()
        for number, node in enumerate(self.nodes):
            if node.span is not None:
                part_of_line.update(dict.fromkeys(range(node.span.start, node.span.end), number))
        return [
            (line, part_of_line.get(line_number, 0))
            for line_number, line in enumerate(source_lines(self.tree))
        ]

    def _indented_json(
        self, value: object, number: int, indent: str, name: str, after: str
    ) -> Iterator[Line]:
        """Yield data as indented JSON; a short part takes one line.

        `number` is that of the part, `name` is in front of it, and `after` behind it, such as a
        comma.
        """
        text = dump(value)
        if not value or not is_container(value) or (number and len(text) <= 72):
            yield f"{indent}{name}{text}{after}\n", number
            return
        yield f"{indent}{name}{text[0]}\n", number
        for key, item, place in self.members(number, value):
            named = f"{dump(key)}: " if is_object(value) else ""
            comma = "," if self.ends[place] < self.ends[number] else ""
            yield from self._indented_json(item, place, f"{indent}  ", named, comma)
        yield f"{indent}{text[-1]}{after}\n", number


def _parts_of(node: TreeNode) -> Sequence[TreeNode]:
    """Return the children of a node; for a paragraph of several lines, its lines."""
    if node.kind is not Kind.PARAGRAPH or "\n" not in node.value:
        return node.children
    start = node.span.start if node.span else 0
    return [
        TreeNode(
            Kind.PARAGRAPH,
            line,
            path=(*node.path, line_number),
            span=Span(start + line_number, start + line_number + 1),
        )
        for line_number, line in enumerate(node.value.split("\n"))
    ]


def _part_label(node: TreeNode) -> str:
    """Return what a part is called: the step to it in data, else how its text begins."""
    if node.is_json:
        return step_text(node.path[-1]) if node.path else "$"
    if node.kind is Kind.ITEM and node.children:
        return _part_label(node.children[0])
    value: Any = node.value or ""
    text = " ".join(map(str, value)) if is_array(value) else str(value)
    first = text.strip().partition("\n")[0]
    return (first[:47] + "…" if len(first) > 48 else first) or node.kind.value

"""What a page shows of a document: its parts, and its text within some thirty budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from mckp.answers.frontier import Sampler, floor_of
from mckp.answers.parts import Parts
from mckp.display.page import View
from mckp.display.svg import colour
from mckp.errors import BudgetError
from mckp.jsontext import is_container, is_object
from mckp.menu.classes import Option
from mckp.menu.render import kept_content, placed
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mckp.answers.answers import Answers
    from mckp.answers.parts import Line
    from mckp.answers.priced import Priced
    from mckp.menu.render import Pick
    from mckp.result import Report

LEVELS = ("native", "standard", "dense", "json")
"""Levels and formats that a page has side by side."""
NONE, SOME, WHOLE = b"0", b"4", b"9"
"""How a text has a part; what has parts in it has as much as these together."""


def view(priced: Priced, budget: int | None, title: str, report: Report | None) -> View:
    """Return the page of a document, which begins with a budget; see `mckp.Result.view`."""
    parts, budgets = Parts(priced), stops(priced, budget)
    names = [priced.formats, *(each for each in LEVELS if each != priced.formats)]
    if not priced.document.tree.is_json:
        names = names[:1]
    done, most = 0, len(names) * len(budgets)
    sheet, kept, levels = _Sheet(parts), budgets, list[dict[str, Any]]()
    for name in names:
        level = priced if name == priced.formats or priced.other is None else priced.other(name)
        found, last = list[dict[str, Any]](), None
        for each in kept:
            done += 1
            if report is not None:
                report(done, most)
            made = sheet.stop(level, each)
            # Of budgets for one and the same text, the page needs the first.
            if level is not priced or made["lines"] != last or each in (budget, None):
                found.append(made)
            last = made["lines"]
        kept = [stop["budget"] for stop in found]
        levels.append({"name": name, "states": sheet.states(found), "stops": found})
    used = {name for level in levels for stop in level["stops"] for _, name in stop["formats"]}
    shown = {
        "title": title,
        "tokenizer": priced.tokenizer.name,
        "exact": priced.tokenizer.exact,
        "data": priced.document.tree.is_json,
        "sourceTokens": priced.source_tokens,
        "total": priced.menu.root.worth,
        "parts": parts.found,
        "source": parts.source(),
        "lines": list(sheet.lines),
        "patterns": list(sheet.patterns),
        "colours": {name: colour(name) for name in sorted(used)},
        "start": kept.index(budget),
        "levels": levels,
    }
    return View(title or "mckp view", shown)


def stops(priced: Priced, budget: int | None, count: int = 28) -> list[int | None]:
    """Return budgets in even ratios from the least one to all of a document; None is none.

    A very large table takes a second to solve, so there are fewer of them then.
    """
    most, sampler = priced.whole.tokens, Sampler(priced)
    count = min(count, max(6, 2000 * count // priced.tabulated.table.options))
    least = floor_of(sampler, most)
    first = max(least, most // 64, 1)
    ratio = (most / first) ** (1 / count) if first < most else 1.0
    even = {round(first * ratio**n) for n in range(count)}
    found = {each for each in (least, *even) if least <= each < most}
    return [*sorted(found | ({budget} if budget is not None else set())), None]


class _Sheet:
    """The texts of a page: lines and states that several of them have stand there once."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.lines: dict[Line, int] = {}
        self.patterns: dict[str, int] = {}

    def stop(self, priced: Priced, budget: int | None) -> dict[str, Any]:
        """Return the text within a budget, and all that is shown with it."""
        kept = bytearray(NONE * len(self.parts.found))
        try:
            result = priced.within(budget)
        except BudgetError as error:
            none: dict[str, Any] = {"lines": [], "formats": [], "cuts": [], "kept": kept}
            return {"budget": budget, "floor": error.floor, **none}
        pick = cast("Answers", result.answers).pick
        tree = self.parts.tree
        self._mark(pick, 0, tree.value if tree.is_json else tree, kept)
        number = self.parts.number
        return {
            "budget": budget,
            "kept": kept,
            "tokens": result.tokens,
            "value": result.value,
            "status": result.status,
            "gap": result.gap,
            "price": result.shadow_price,
            "lines": [
                self.lines.setdefault(line, len(self.lines))
                for line in self._lines(result.text, pick)
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

    def states(self, stops: Iterable[dict[str, Any]]) -> list[int]:
        """Return for each part, by its number in `patterns`, how each text has it."""
        rows = (bytes(row).decode() for row in zip(*(s.pop("kept") for s in stops), strict=True))
        return [self.patterns.setdefault(row, len(self.patterns)) for row in rows]

    def _mark(self, pick: Pick, number: int, content: Any, kept: bytearray) -> None:
        """Mark what a text has of a part."""
        option, end = pick.option, self.parts.ends[number]
        if option is None:
            return
        if pick.is_whole:
            kept[number:end] = WHOLE * (end - number)
        elif isinstance(content, TreeNode):
            self._mark_text(pick, number, content, kept)
        elif not isinstance(option, Option) or option.kept is not None:
            rows = None if isinstance(option, Option) else [option.keys[row] for row in pick.rows]
            self._compare(content, kept_content(pick), rows, number, kept)
        elif [child.cls.key for child in pick.children] == [None]:  # below a dictionary
            self._mark(pick.children[0], number, content, kept)
        else:
            below = {child.cls.key: child for child in pick.children}
            for key, item, place in self.parts.members(number, content):
                if key in below:
                    self._mark(below[key], place, item, kept)

    def _compare(self, was: Any, now: Any, rows: Any, number: int, kept: bytearray) -> None:
        """Mark the leaves of a value that are in what a reader gets of it."""
        if not was or not is_container(was) or not is_container(now):
            kept[number : number + 1] = WHOLE if type(was) is type(now) and was == now else SOME
            return
        # Of an array without rows of its own, the first items are left.
        found = dict(zip(range(len(was)) if rows is None else rows, now, strict=False))
        found = now if is_object(now) else found
        for key, item, place in self.parts.members(number, was):
            if key in found:
                self._compare(item, found[key], None, place, kept)

    def _mark_text(self, pick: Pick, number: int, content: TreeNode, kept: bytearray) -> None:
        option = pick.option
        kept[number : number + 1] = WHOLE if pick.children else SOME
        for child in pick.children:
            if not child.cls.content.is_json:
                self._mark(child, self.parts.number(child.path), child.cls.content, kept)
        if not isinstance(option, Option | None):
            for row in pick.rows:
                place = self.parts.number((*pick.path, option.keys[row]))
                kept[place : self.parts.ends[place]] = WHOLE * (self.parts.ends[place] - place)


def _split(text: str) -> list[str]:
    """Return the lines of a text, each with its end."""
    found = [f"{line}\n" for line in text.split("\n")]
    return [*found[:-1], *([found[-1][:-1]] if found[-1] != "\n" else [])]

"""The text of a selection, and reports on it, in the order of the document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.encoders.scalars import ABSENT
from mckp.menu.classes import Option, RowsOption
from mckp.result import Choice, Elided
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mckp.menu.classes import AnyOption, CutPart, Menu, MenuClass
    from mckp.menu.price import Prices
    from mckp.paths import Path


LINES: Final = "lines"
"""What is missing at a gap of a text."""


@dataclass(frozen=True, slots=True, eq=False)
class Pick:
    """The decision for one class of the menu, and below it for those that its option opens."""

    cls: MenuClass
    path: Path
    option: AnyOption | None
    """The option taken; None if the class was cut."""
    children: tuple[Pick, ...] = ()
    """Decisions for the option's children, in document order."""
    rows: Sequence[int] = ()
    """The ascending numbers of the kept rows, if the option is `RowsOption`."""
    call: str | None = None
    """What the hint says beside the number of missing rows: a call, places, or counts."""
    is_named: bool = False
    """Whether the class was cut and the hint names it."""
    said: float = 0.0
    """What it is worth that the hint says where rows are missing, or of which groups they are; or
    that it names the class, which is cut."""

    @property
    def kept(self) -> list[Pick]:
        """The children that were not cut."""
        return [child for child in self.children if child.option is not None]

    @property
    def missing_count(self) -> int:
        """The number of children or rows that were cut."""
        if self.children:
            return sum(child.option is None for child in self.children)
        return len(self.option.rows) - len(self.rows) if isinstance(self.option, RowsOption) else 0

    @property
    def more(self) -> str | None:
        """What the hint says after the number: a call, or the names of cut children."""
        names = " ".join(str(child.cls.key) for child in self.children if child.is_named)
        return self.call or names or None

    @property
    def is_noted(self) -> bool:
        """Whether there is a hint or a note below the pick's own text."""
        return self.missing_count > 0 or (self.option is not None and self.option.part is not None)

    @property
    def is_whole(self) -> bool:
        """Whether nothing was cut in this class or below it."""
        return (
            self.option is not None
            and not self.is_noted
            and all(child.is_whole for child in self.children)
        )


def whole_pick(cls: MenuClass, prices: Prices, path: Path = ()) -> Pick:
    """Return the pick that writes all of a class at the least cost."""
    return taken_pick(cls, prices.cheapest(cls)[1], prices, path)


def taken_pick(cls: MenuClass, option: AnyOption, prices: Prices, path: Path = ()) -> Pick:
    """Return the pick that takes an option of a class, with everything below it at least cost."""
    if not isinstance(option, Option):
        return Pick(cls, path, option, rows=range(len(option.rows)))
    children = (whole_pick(child, prices, child_path(path, child)) for child in option.children)
    return Pick(cls, path, option, tuple(children))


def child_path(path: Path, cls: MenuClass) -> Path:
    """Return the path of a child class, given the path of its parent."""
    return path if cls.key is None else (*path, cls.key)


def render(menu: Menu, pick: Pick) -> str:
    """Return the text of a pick that covers the whole document."""
    return "".join(fragments(pick)) if pick.option is not None else menu.nothing_text


def fragments(pick: Pick) -> Iterator[str]:
    """Yield the fragments of the text of a pick, in order."""
    return (text for _, _, text in placed_fragments(pick))


def placed_fragments(pick: Pick) -> Iterator[tuple[Pick, int | None, str]]:
    """Yield the fragments of the text in order, each with its pick and row number, if any."""
    option = pick.option
    if option is None:
        return
    if isinstance(option, Option) and option.head is not None:
        yield pick, None, option.head.line(len(pick.kept))
    for text in option.fragments:
        yield pick, None, text
    if isinstance(option, Option):
        for child in pick.kept:
            if child.option is not None and not child.option.below:
                yield from placed_fragments(child)
    else:
        for row in pick.rows:
            yield pick, row, option.rows[row]
    if missing := pick.missing_count:
        yield pick, None, option.hint(missing, pick.more)
    if option.tail:
        yield pick, None, option.tail
    for child in pick.kept:
        if child.option is not None and child.option.below:
            yield from placed_fragments(child)


def kept_worth(pick: Pick) -> float:
    """Return the worth that a pick keeps."""
    option = pick.option
    if option is None:
        return 0
    if not isinstance(option, Option):
        if option.part is None and not pick.missing_count:
            return pick.cls.worth
        return option.worth + sum(map(option.worths.__getitem__, pick.rows)) + pick.said
    if not option.children:
        return pick.cls.worth if option.part is None else option.worth
    named = sum(child.said for child in pick.children if child.is_named)
    return option.worth + sum(map(kept_worth, pick.children)) + named


def kept_content(pick: Pick) -> Any:
    """Return the kept part of the document: plain data, or the tree of a text.

    It is `ABSENT` for data that were wholly cut.
    """
    content, option = pick.cls.content, pick.option
    if option is None:
        return _emptied_node(content) if isinstance(content, TreeNode) else ABSENT
    if pick.is_whole:
        return content
    if not isinstance(option, Option):
        return option.left.of(pick.rows)
    if option.part is not None:
        return option.left
    kept = pick.kept
    if isinstance(content, dict):
        return {child.cls.key: kept_content(child) for child in kept}
    if isinstance(content, list):
        return [kept_content(child) for child in kept]
    return content


def _emptied_node(node: TreeNode) -> TreeNode:
    """Return a copy of a node without children and text."""
    return TreeNode(node.kind, node.value, attrs=node.attrs, path=node.path)


def choices(pick: Pick, prices: Prices, amount: Callable[[float], int | float]) -> list[Choice]:
    """Return the blocks of a text in document order, with tokens and worth of all in them.

    `amount` turns a worth into the number that is reported.
    """
    listed: list[Choice] = []

    def list_blocks(pick: Pick) -> int:
        """Return the tokens of a pick with everything below it, and list its blocks."""
        if pick.option is None:
            return 0
        place = len(listed)
        tokens = own_cost(pick, prices) + sum(map(list_blocks, pick.children))
        content = pick.cls.content
        is_block = isinstance(content, TreeNode) and content.kind not in (Kind.ROW, Kind.ITEM)
        if not pick.path or pick.option.below or is_block:
            kept = amount(kept_worth(pick))
            choice = Choice(pick.path, pick.option.format, round(tokens / prices.scale), kept)
            listed.insert(place, choice)
        return tokens

    list_blocks(pick)
    return listed


def cost(pick: Pick, prices: Prices) -> int:
    """Return the price of a pick with everything below it."""
    return own_cost(pick, prices) + sum(cost(child, prices) for child in pick.children)


def own_cost(pick: Pick, prices: Prices) -> int:
    """Return the price of a pick with its rows and hint, without its children."""
    option = pick.option
    if option is None:
        return 0
    price = prices.own_cost(option)
    if not isinstance(option, Option):
        price += sum(prices.of(map(option.rows.__getitem__, pick.rows)))
    if missing := pick.missing_count:
        price += prices[option.hint(missing, pick.more)]
    return price


def elisions(pick: Pick, prices: Prices, menu: Menu) -> Iterator[Elided]:
    """Yield an entry for what was cut from each container, in document order."""
    if pick.option is None:
        gone = menu.missing
        lost = round(prices.whole_cost(menu.root) / prices.scale)
        yield Elided((), gone.unit, gone.missing, gone.missing, lost, ())
        return
    if pick.missing_count:
        yield _cut_entry(pick, prices)
    if pick.option.part is not None:
        yield from _cut_parts(pick, pick.option, pick.option.part, prices)
    for child in pick.kept:
        yield from elisions(child, prices, menu)


def _cut_entry(pick: Pick, prices: Prices) -> Elided:
    """Return the entry of `elided` for the children or rows that a pick cuts."""
    option = pick.option
    assert option is not None, "only what is written has lost something"
    if isinstance(option, Option):
        cut_classes = [child.cls for child in pick.children if child.option is None]
        keys = tuple(cls.key for cls in cut_classes if cls.key is not None)
        lost_tokens = sum(map(prices.whole_cost, cut_classes))
        total = len(pick.children)
    else:
        kept = set(pick.rows)
        rows = [row for row in range(len(option.rows)) if row not in kept]
        keys = tuple(option.keys[row] for row in rows)
        lost_tokens = sum(prices.of(option.rows[row] for row in rows))
        total = len(option.rows)
    return Elided(
        pick.path, option.unit, pick.missing_count, total, round(lost_tokens / prices.scale), keys
    )


def _cut_parts(pick: Pick, option: AnyOption, part: CutPart, prices: Prices) -> Iterator[Elided]:
    """Yield the entries for what the option of a pick leaves out, such as columns or lines."""
    for first, last, tokens in part.gaps:
        lines = tuple(range(first, last + 1))
        lost = round(tokens / prices.scale)
        yield Elided(pick.path, LINES, len(lines), part.lines, lost, lines)
    if not part.hints:
        return
    whole = prices.whole_cost(pick.cls) - prices.full_cost(option)
    lost = max(0, round(whole / prices.scale))
    for number, hint in enumerate(part.hints):
        names = () if number else part.names
        total = hint.missing if hint.total is None else hint.total
        yield Elided(pick.path, hint.unit, hint.missing, total, 0 if number else lost, names)


def hint_places(pick: Pick, menu: Menu) -> Iterator[tuple[Path, str]]:
    """Yield the path and unit of each hint, in the order of the text."""
    option = pick.option
    if option is None:
        yield (), menu.missing.unit
        return
    for child in pick.kept:
        if child.option is not None and not child.option.below:
            yield from hint_places(child, menu)
    if pick.missing_count:
        yield pick.path, option.unit
    if option.part is not None:
        yield from ((pick.path, LINES) for _ in option.part.gaps)
        yield from ((pick.path, hint.unit) for hint in option.part.hints)
    for child in pick.kept:
        if child.option is not None and child.option.below:
            yield from hint_places(child, menu)


def has_note_first(option: AnyOption) -> bool:
    """Whether the note on what was dropped comes before all other hints of a document."""
    if isinstance(option, Option):
        return bool(option.children)
    return option.unit == "items"

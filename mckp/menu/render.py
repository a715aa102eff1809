"""The text of a selection, and reports on it, in the order of the document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.choices import Choice
from mckp.encoders.scalars import ABSENT
from mckp.frozen import frozen
from mckp.menu.classes import Option, RowsOption
from mckp.result import Elided
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mckp.menu.classes import AnyOption, CutPart, Menu, MenuClass
    from mckp.menu.price import Prices
    from mckp.paths import Path


PARTS: Final = "parts"
"""The unit of an option that opens a text into its parts, or a part into what it is written of."""

LINES: Final = "lines"
"""What is missing at a gap of a text."""


@frozen(eq=False)
class Pick:
    """The decision for a class of the menu, and for those that its option opens."""

    cls: MenuClass
    path: Path
    option: AnyOption | None
    """The option taken; None if the class was cut."""
    children: tuple[Pick, ...] = ()
    """Decisions for the option's children, in document order."""
    rows: Sequence[int] = ()
    """The ascending numbers of the kept rows, if the option is `RowsOption`."""
    about_rows: str | None = None
    """What the hint says about the missing rows beside their number: a call that fetches them,
    which rows they are, or how many there are of each group."""
    is_named: bool = False
    """Whether the class was cut and the hint names it."""
    hint_worth: float = 0.0
    """The worth of what the hint says about the missing rows, or of the name of the cut class."""

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
        """What the hint says after the number, if anything: `about_rows`, or names of children."""
        names = " ".join(str(child.cls.key) for child in self.children if child.is_named)
        return self.about_rows or names or None

    @property
    def has_cuts(self) -> bool:
        """Whether children, rows or other parts of the class itself were cut."""
        return self.missing_count > 0 or (self.option is not None and self.option.part is not None)

    @property
    def is_whole(self) -> bool:
        """Whether nothing was cut in this class or below it."""
        return (
            self.option is not None
            and not self.has_cuts
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
    """Return the path of a child class, given the path of its parent.

    A class without a key has the same path as its parent.
    """
    return path if cls.key is None else (*path, cls.key)


def render(menu: Menu, pick: Pick) -> str:
    """Return the text of a pick that covers the whole document."""
    return "".join(fragments(pick)) if pick.option is not None else menu.nothing_text


def fragments(pick: Pick) -> Iterator[str]:
    """Yield the fragments of the text of a pick, in order."""
    return (text for _, _, text in placed_fragments(pick))


def placed_fragments(pick: Pick) -> Iterator[tuple[Pick, int | None, str]]:
    """Yield the fragments of a pick's text in order, each with its pick and row number, if any."""
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
    if isinstance(option, Option) and option.head is not None and option.head.end:
        yield pick, None, option.head.end
    if isinstance(option, Option) and option.foot:
        yield pick, None, option.foot


def kept_worth(pick: Pick) -> float:
    """Return the worth of a pick's text, hints included."""
    option = pick.option
    if option is None:
        return 0
    if pick.is_whole:  # options may have children of another scale: blocks of Markdown, or parts
        return pick.cls.worth
    if not isinstance(option, Option):
        return option.worth + sum(map(option.worths.__getitem__, pick.rows)) + pick.hint_worth
    names_worth = sum(child.hint_worth for child in pick.children if child.is_named)
    return option.worth + sum(map(kept_worth, pick.children)) + names_worth


def kept_content(pick: Pick) -> Any:
    """Return what a pick keeps of its class: plain data, or the tree of a text.

    Of data that are cut, this is `ABSENT`; of a text, an empty node.
    """
    content, option = pick.cls.content, pick.option
    if option is None:
        return _emptied_node(content) if isinstance(content, TreeNode) else ABSENT
    if pick.is_whole:
        return content
    if not isinstance(option, Option):
        return option.left.of(pick.rows)
    if option.unit == PARTS:  # a text as it is; or the data of a part, without lines around them
        return content if isinstance(content, TreeNode) else kept_content(pick.kept[0])
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
    """Return an entry for each block of a text in document order, with its tokens and worth.

    Both include everything in the block. `amount` turns a worth into the number that is reported.
    """
    listed: list[Choice] = []

    def list_blocks(pick: Pick) -> int:
        """List the blocks of a pick, and return its price with everything below it."""
        if pick.option is None:
            return 0
        index = len(listed)  # of its own block, which comes before those below it
        full_cost = own_cost(pick, prices) + sum(map(list_blocks, pick.children))
        content = pick.cls.content
        is_block = isinstance(content, TreeNode) and content.kind not in (Kind.ROW, Kind.ITEM)
        if not pick.path or pick.option.below or is_block:
            kept, tokens = amount(kept_worth(pick)), round(full_cost / prices.scale)
            listed.insert(index, Choice(pick.path, pick.option.format, tokens, kept))
        return full_cost

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
        hint = menu.missing
        lost_tokens = round(prices.whole_cost(menu.root) / prices.scale)
        yield Elided((), hint.unit, hint.missing, hint.missing, lost_tokens, ())
        return
    if pick.missing_count:
        yield _cut_entry(pick, prices)
    if pick.option.part is not None:
        yield from _part_entries(pick, pick.option, pick.option.part, prices)
    for child in pick.kept:
        yield from elisions(child, prices, menu)


def _cut_entry(pick: Pick, prices: Prices) -> Elided:
    """Return the entry of `elided` for the children or rows that a pick cuts."""
    option = pick.option
    assert option is not None, "only what is written has lost something"
    if isinstance(option, Option):
        cut_classes = [child.cls for child in pick.children if child.option is None]
        keys = tuple(cls.key for cls in cut_classes if cls.key is not None)
        lost_cost = sum(map(prices.whole_cost, cut_classes))
        total = len(pick.children)
    else:
        kept = set(pick.rows)
        rows = [row for row in range(len(option.rows)) if row not in kept]
        keys = tuple(option.keys[row] for row in rows)
        lost_cost = sum(prices.of(option.rows[row] for row in rows))
        total = len(option.rows)
    return Elided(
        pick.path, option.unit, pick.missing_count, total, round(lost_cost / prices.scale), keys
    )


def _part_entries(pick: Pick, option: AnyOption, part: CutPart, prices: Prices) -> Iterator[Elided]:
    """Yield the entries of `elided` for what a pick's option leaves out, such as columns or lines.

    If there are several hints, the first entry has the tokens of all that they count.
    """
    for first, last, gap_cost in part.gaps:
        lines = tuple(range(first, last + 1))
        lost_tokens = round(gap_cost / prices.scale)
        yield Elided(pick.path, LINES, len(lines), part.line_count, lost_tokens, lines)
    if not part.hints:
        return
    lost_cost = prices.whole_cost(pick.cls) - prices.full_cost(option)
    lost_tokens = max(0, round(lost_cost / prices.scale))
    for number, hint in enumerate(part.hints):
        names = () if number else tuple(part.names)
        total = hint.missing if hint.total is None else hint.total
        tokens = 0 if number else lost_tokens
        yield Elided(pick.path, hint.unit, hint.missing, total, tokens, names)


def hint_places(pick: Pick, menu: Menu) -> Iterator[tuple[Path, str]]:
    """Yield the path and unit of each hint and each mark of a gap, in the order of the text."""
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
    """Whether the note on what priorities dropped comes before all other hints of a document.

    `option` is the one taken for the document.
    """
    if isinstance(option, Option):
        return bool(option.children)
    return option.unit == "items"

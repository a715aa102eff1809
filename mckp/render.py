"""From a choice to the text: what was taken is joined in the order of the document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mckp.encoders.scalars import ABSENT
from mckp.price import whole_cost
from mckp.restrict import restricted
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.menu.base import Menu, MenuClass, Option
    from mckp.tabulate import PricedTable

Path = tuple[str | int, ...]


@dataclass(slots=True, eq=False)
class Pick:
    """A class and what was decided for it.

    Attributes
    ----------
    cls : MenuClass
        The class.
    path : tuple
        Where it stands in the document.
    option : Option or None
        The option taken; None if the class was cut.
    children : list of Pick
        Decisions for the option's children, in document order.
    """

    cls: MenuClass
    path: Path
    option: Option | None
    children: list[Pick] = field(default_factory=list["Pick"])

    @property
    def kept(self) -> list[Pick]:
        """The children that were not cut."""
        return [child for child in self.children if child.option is not None]

    @property
    def missing(self) -> int:
        """How many children were cut."""
        return len(self.children) - len(self.kept)

    @property
    def is_noted(self) -> bool:
        """Whether a hint or a note stands below its own text."""
        return self.missing > 0 or (self.option is not None and self.option.reduction is not None)

    @property
    def is_whole(self) -> bool:
        """Whether nothing was cut, here or below."""
        return (
            self.option is not None
            and self.option.reduction is None
            and all(child.is_whole for child in self.children)
        )


def pick_whole(cls: MenuClass, path: Path = ()) -> Pick:
    """Return the cheapest way to write all of a class."""
    assert cls.whole is not None, "priced before"
    option = cls.whole[1]
    below = [pick_whole(child, _below(path, child)) for child in option.children]
    return Pick(cls, path, option, below)


def pick_chosen(priced: PricedTable, choice: list[int]) -> Pick:
    """Return what a solver's choice means; `choice` is one option a class, -1 if not reached."""
    parents: dict[int, Pick] = {}
    root: Pick | None = None
    start, parent_option = priced.table.start.tolist(), priced.table.parent_option.tolist()
    for number, taken in enumerate(choice):
        if taken < 0:
            continue
        row = start[number] + taken
        above = parents.get(parent_option[number])
        pick = _pick(priced, number, row, () if above is None else above.path)
        if above is None:
            root = pick
        else:
            above.children.append(pick)
        parents[row] = pick
    assert root is not None, "the root is always reached"
    return _settled(root)


def _settled(pick: Pick) -> Pick:
    """Add the children about which there was no choice; write whole what was not cut after all."""
    if pick.option is None:
        return pick
    if len(pick.children) < len(pick.option.children):
        known = {id(child.cls): child for child in pick.children}
        pick.children = [
            known.get(id(child)) or pick_whole(child, _below(pick.path, child))
            for child in pick.option.children
        ]
    if pick.option.partial and pick.is_whole:
        return pick_whole(pick.cls, pick.path)
    pick.children = [_settled(child) for child in pick.children]
    return pick


def _pick(priced: PricedTable, number: int, row: int, above: Path) -> Pick:
    cls, meaning = priced.classes[number], priced.rows[row]
    path = _below(above, cls)
    return pick_whole(cls, path) if meaning.whole else Pick(cls, path, meaning.option)


def _below(path: Path, cls: MenuClass) -> Path:
    return path if cls.key is None else (*path, cls.key)


def rendered(pick: Pick, menu: Menu) -> str:
    """Return the text of a decision for the whole document."""
    return "".join(fragments(pick)) if pick.option is not None else menu.nothing


def fragments(pick: Pick) -> Iterator[str]:
    """Yield the fragments of the text, in order."""
    option = pick.option
    if option is None:
        return
    yield from option.fragments
    yield from _of(pick.kept, below=False)
    if pick.missing:
        yield option.hint(pick.missing, call_for(pick))
    if option.tail:
        yield option.tail
    yield from _of(pick.kept, below=True)


def call_for(pick: Pick) -> str | None:
    """Return the call that gets the children that were cut, if it pays.

    A call for a part of an array gets its end, so there is none where others were cut.
    """
    more = None if pick.option is None else pick.option.more
    if more is None:
        return None
    gone = [child.option is None for child in pick.children]
    lost = sum(whole_cost(child.cls) for child in pick.children if child.option is None)
    first = gone.index(True)
    if lost < more.least or (more.pages and not all(gone[first:])):
        return None
    return more.call(first, len(gone) - first)


def _of(picks: list[Pick], *, below: bool) -> Iterator[str]:
    for pick in picks:
        if pick.option is not None and pick.option.below is below:
            yield from fragments(pick)


def kept_value(pick: Pick) -> float:
    """Return the information a pick keeps."""
    if pick.option is None:
        return 0
    if not pick.option.children:
        reduction = pick.option.reduction
        return pick.cls.weight if reduction is None else reduction.weight
    return pick.option.weight + sum(kept_value(child) for child in pick.children)


def kept_content(pick: Pick) -> Any:
    """Return the part of the document that was kept: plain data, or a tree of text.

    `ABSENT` stands for data of which nothing was kept, None for a block of text of which
    only a hint is left.
    """
    content = pick.cls.content
    if pick.option is None:
        return restricted(content, []) if isinstance(content, TreeNode) else ABSENT
    if pick.is_whole:
        return content
    if pick.option.reduction is not None and not pick.children:
        return pick.option.reduction.content
    kept = pick.kept
    if isinstance(content, dict):
        return {child.cls.key: kept_content(child) for child in kept}
    if isinstance(content, list):
        return [kept_content(child) for child in kept]
    return restricted(content, [(kept_content(child), child.is_noted) for child in kept])

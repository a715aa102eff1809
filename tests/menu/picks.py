"""All that may be picked from a menu, by the menu alone: no table, no frontier."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product

from hypothesis import strategies as st

from mckp.menu.classes import AnyOption, MenuClass, RowsOption
from mckp.menu.costs import COSTS, RowCosts
from mckp.menu.cuts.cuts import Cuts, Series
from mckp.menu.cuts.some import Some
from mckp.menu.line import ValueLine, Version
from mckp.menu.price import Prices
from mckp.menu.render import Pick, child_path
from mckp.menu.widening import Widening
from mckp.paths import Path
from mckp.tree import TreeNode

MOST_SETS = 200
"""Sets of members of one object among which one is drawn."""


def options_of(
    cls: MenuClass, prices: Prices, made: Cuts
) -> Iterator[tuple[AnyOption, int | None]]:
    """Yield all options of a class, those of each series one by one.

    With them comes how many rows are kept, if that is not open.
    """
    for option in offered(cls, made):
        if isinstance(option, Widening):
            costs = COSTS[Widening](option, prices)
            pairs = zip(costs.full_counts.tolist(), costs.kept_counts.tolist(), strict=True)
            for full, kept in pairs:
                yield option.option(full, kept), kept
        elif isinstance(option, ValueLine):
            for taken in taken_of(option):
                yield option.option(taken), None
        elif isinstance(option, Some):
            yield from ((option.option(number), None) for number in range(len(option.costs)))
        else:
            yield option, None


def offered(cls: MenuClass, made: Cuts) -> list[AnyOption | Series]:
    return [*cls.options, *made.options.get(cls, ())]


def taken_of(line: ValueLine) -> Iterator[Sequence[Version]]:
    """Yield the versions that a line may have, but for those that say all of the value or none."""
    for choice in product(*([None, *versions] for versions in line.pieces)):
        taken = [version for version in choice if version is not None]
        if taken and line.hints(taken):
            yield taken


def picks(cls: MenuClass, prices: Prices, made: Cuts, path: Path = ()) -> Iterator[Pick]:
    """Yield all decisions for a class and what is below it."""
    for option, count in options_of(cls, prices, made):
        if isinstance(option, RowsOption):
            if count is None:
                decisions: Iterable[Pick] = (
                    Pick(cls, path, option, rows=rows, about_rows=ranges, hint_worth=worth)
                    for rows, ranges, worth in prefixes(option, prices)
                )
            else:
                decisions = [Pick(cls, path, option, rows=range(count))]
        else:
            below_it = [
                [Pick(child, place, None), *picks(child, prices, made, place)]
                for child in option.children
                for place in [child_path(path, child)]
            ]
            decisions = (Pick(cls, path, option, children) for children in product(*below_it))
        yield from decisions


def prefixes(option: RowsOption, prices: Prices) -> Iterator[tuple[list[int], str | None, float]]:
    """Yield the first rows of a block by worth for a token, more and more of them.

    With them comes what the hint says of where rows are missing, and its worth. Rows that cannot
    be numbered by the reader, as the hint does not say which are missing, are no text to compare.
    """
    tokens, costs = prices.of(option.rows), RowCosts(option, prices)
    order = sorted(range(len(tokens)), key=lambda row: -option.worths[row] / max(1, tokens[row]))
    yield sorted(order), None, 0.0
    for count, worth in zip(costs.counts.tolist(), costs.hint_worths.tolist(), strict=True):
        if count < len(order):
            yield sorted(order[:count]), costs.ranges.get(count), worth


def _drawn(draw: st.DrawFn, cls: MenuClass, made: Cuts) -> AnyOption | tuple[RowsOption, list[int]]:
    options = offered(cls, made)
    option = options[draw(st.integers(0, len(options) - 1))]
    if isinstance(option, Widening):
        kept = draw(st.integers(2, len(option.keys)))
        rows = sorted(option.wider.order[:kept])
        return option.option(draw(st.integers(1, kept - 1)), kept), rows
    if isinstance(option, ValueLine):
        some = list(islice(taken_of(option), 1, MOST_SETS))
        if not some:
            return cls.options[0]
        return option.option(some[draw(st.integers(0, len(some) - 1))])
    if isinstance(option, Some):
        if not len(option.costs):
            return cls.options[0]
        return option.option(draw(st.integers(0, len(option.costs) - 1)))
    return option


def draw_pick(draw: st.DrawFn, cls: MenuClass, made: Cuts, path: Path = ()) -> Pick:
    """Return a random decision for a class: any option, any rows, any children cut."""
    option = _drawn(draw, cls, made)
    if isinstance(option, tuple):
        block, rows = option
        return Pick(cls, path, block, rows=rows)
    keeps = st.sampled_from([True, True, True, False])
    if isinstance(option, RowsOption):
        kept = [row for row in range(len(option.rows)) if draw(keeps)]
        return Pick(cls, path, option, rows=kept or [draw(st.integers(0, len(option.rows) - 1))])
    places = [(child, child_path(path, child)) for child in option.children]
    # A text is cut by lines: the option that opens it keeps all of its blocks.
    keeps = st.just(True) if isinstance(cls.content, TreeNode) else keeps
    children = [
        draw_pick(draw, child, made, place) if draw(keeps) else Pick(child, place, None)
        for child, place in places
    ]
    return Pick(cls, path, option, tuple(children))

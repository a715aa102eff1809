"""The shape of a frontier: the corners of its concave hull, and a drawing of its steps."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import MissingExtraError
from mckp.solvers.kernels import sweep
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.solvers.graph import Graph
    from mckp.table import Table

    Corner = tuple[int, int]

_WIDTH: Final = 480
_HEIGHT: Final = 160
_DETAIL: Final = 400


def hull(table: Table, budget: int) -> tuple[list[float], list[float]]:
    """Return costs and values of the corners of a table's hull, in the table's own units.

    No option that fits no selection of cost `budget` is used. Raises `ValueError` if values
    times budget do not fit 64 bits. Time and memory as for `corners`.
    """
    problem = Problem.of(table, budget)
    cut = problem.core()
    found = corners(cut.graph)
    costs = [float(cut.cost_off + cost * cut.cost_unit) for cost, _ in found]
    return costs, [cut.value_there(value) / problem.scaled.per_one for _, value in found]


def corners(graph: Graph) -> list[Corner]:
    """Return the corners of the upper hull of all paths, as cost and value, ascending.

    Between the cheapest path (of greatest value) and the most valuable (of least cost), the
    path that lies furthest above the line through two known corners is a corner, or there is
    none between them.

    Time O(options) for each corner, memory O(classes + corners). Costs are to be 0 or more
    with a path of cost 0, and value times cost within the room of `mckp.solvers.scaling`.

    The search is that of Y. P. Aneja and K. P. K. Nair, "Bicriteria transportation problem",
    Management Science 25 (1979), section 2. Without nesting the hull is the frontier of the
    linear relaxation of E. Zemel, Information Processing Letters 18 (1984).
    """
    found = [furthest(graph, 1, graph.most_value + 1)]
    ahead = [furthest(graph, 1, 0)]
    while ahead:
        (cost, value), (next_cost, next_value) = found[-1], ahead[-1]
        run, rise = next_cost - cost, next_value - value
        middle = furthest(graph, run, rise) if run > 1 else (cost, value)
        if (middle[1] - value) * run > rise * (middle[0] - cost):
            ahead.append(middle)
        else:
            ahead.pop()
            found += [(next_cost, next_value)] if run else []
    return found


def furthest(graph: Graph, scale: int, price: int) -> Corner:
    """Return cost and value of the path of greatest ``scale * value - price * cost``."""
    best, spent, _ = sweep.suffix(*graph.arrays, scale, price)
    cost = int(spent[0])
    return cost, (int(best[0]) + price * cost) // scale


def drawing(steps: Sequence[tuple[int, int | float]], last: int) -> str:
    """Return a step curve as SVG text, from its steps up to the last budget.

    Of more than `_DETAIL` steps an even selection is drawn. O(steps).

    Examples
    --------
    >>> drawing([(0, 0), (2, 5)], 4).count("<path")
    1
    """
    if not steps:
        return ""
    thinned = [steps[i * len(steps) // _DETAIL] for i in range(_DETAIL)]
    shown = [*thinned, steps[-1]] if len(steps) > _DETAIL else steps
    low, high = steps[0][1], steps[-1][1]
    across, up = _WIDTH / max(1, last), (_HEIGHT - 2) / ((high - low) or 1)
    places = [(budget * across, _HEIGHT - 1 - (value - low) * up) for budget, value in shown]
    bends = "".join(f"H{x:.1f}V{y:.1f}" for x, y in places[1:])
    path = f"M{places[0][0]:.1f},{places[0][1]:.1f}{bends}H{_WIDTH}"
    return (
        f"<svg width='{_WIDTH}' height='{_HEIGHT}' role='img'>"
        f"<title>value over budget, {low:g} .. {high:g} for 0 .. {last}</title>"
        f"<path d='{path}' fill='none' stroke='currentColor'/></svg>"
    )


def axes() -> Any:
    """Return the current axes of matplotlib, which is imported here."""
    try:
        return importlib.import_module("matplotlib.pyplot").gca()
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None

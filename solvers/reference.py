"""The multiple-choice knapsack in plain Python, and as a CP-SAT model: read these first.

``mckp/solvers`` has the fast solvers (NumPy, and Numba for large tables). They must agree with the
two functions here, which anyone can check by eye. A class is a list of options, and exactly one
option is taken from each class. An option is ``(cost, value, classes, setup, owing)``:

- ``classes`` exist only if the option is taken (the and-or tree of a document);
- ``setup`` is paid once if an *owing* option is taken from one of these classes (a line that says
  what was left out). The last three may be missing.

>>> skip = (0, 0)
>>> table, log = [skip, (40, 9), (25, 8)], [skip, (60, 5)]
>>> solve([table, log], budget=80)
Selection(cost=40, value=9, choice=(1, 0))

``python solvers/reference.py`` solves all files in ``instances`` with both.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

MOST_COSTS = 100_000
"""Budgets above this take `solve` more than some seconds."""

Option = tuple[Any, ...]
Class = list[Option]
States = dict[tuple[int, bool], tuple[float, tuple[int, ...]]]
"""The best (value, choice) for each cost, apart for selections that owe a setup cost or do not."""


class Selection(NamedTuple):
    """What was chosen: an option's number for each class in preorder, -1 for one not reached."""

    cost: int
    value: float
    choice: tuple[int, ...]


def solve(classes: list[Class], budget: int) -> Selection | None:
    """Return the selection worth most within the budget, the cheapest of these; None if none fits.

    Dynamic programming over costs: time O(options x costs), where no more than ``budget + 1``
    costs occur. K. Dudzinski and S. Walukiewicz, "Exact methods for the knapsack problem and its
    generalizations", EJOR 28 (1987).
    """
    found = [
        Selection(cost, value, choice) for (cost, _), (value, choice) in _join(classes, budget)
    ]
    return max(found, key=lambda each: (each.value, -each.cost), default=None)


def _join(classes: list[Class], budget: int) -> Any:
    """Take one option from each class."""
    joined: States = {(0, False): (0, ())}
    for options in classes:
        further: States = {}
        for (cost, owes), (value, choice) in joined.items():
            for (more, owing), (gain, chosen) in _one_class(options, budget - cost).items():
                _keep(further, (cost + more, owes or owing), (value + gain, choice + chosen))
        joined = further
    return joined.items()


def _one_class(options: Class, budget: int) -> States:
    """Take one option and, from the classes that it opens, one option each."""
    states: States = {}
    for number, option in enumerate(options):
        cost, value, classes, setup, owing = _whole(option)
        before = (-1,) * sum(map(_size, options[:number]))
        after = (-1,) * sum(map(_size, options[number + 1 :]))
        for (below, owes), (gain, choice) in _join(classes, budget - cost):
            total = cost + below + (setup if owes else 0)
            if total <= budget:
                chosen = (number, *before, *choice, *after)
                _keep(states, (total, owing), (value + gain, chosen))
    return states


def _keep(states: States, key: tuple[int, bool], state: tuple[float, tuple[int, ...]]) -> None:
    if key not in states or state[0] > states[key][0]:
        states[key] = state


def _whole(option: Option) -> tuple[int, float, list[Class], int, bool]:
    left_off: Option = ((), 0, False)
    cost, value, classes, setup, owing = tuple(option) + left_off[len(option) - 2 :]
    return cost, value, classes, setup, owing


def _size(option: Option) -> int:
    """Return how many classes are below an option."""
    return sum(1 + sum(map(_size, options)) for options in _whole(option)[2])


def solve_with_cpsat(classes: list[Class], budget: int) -> Selection | None:
    """Do the same with OR-Tools CP-SAT (extra ``cpsat``): a boolean for each option.

    Values must be integers. L. Perron and F. Didier, "CP-SAT", Google 2024.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    rows: list[list[Any]] = []
    costs: list[Any] = []
    values: list[Any] = []

    def add(options: Class, reached: Any) -> list[Any]:
        """Add a class that takes one option if it is reached; return its owing options."""
        taken = [model.new_bool_var("") for _ in options]
        rows.append(taken)
        model.add(sum(taken) == reached)
        owing_here: list[Any] = []
        for variable, option in zip(taken, options, strict=True):
            cost, value, below, setup, owing = _whole(option)
            costs.append(cost * variable)
            values.append(value * variable)
            owed = model.new_bool_var("")
            costs.append(setup * owed)
            for child in below:
                for owes in add(child, variable):
                    model.add(owed >= owes)
            if owing:
                owing_here.append(variable)
        return owing_here

    for options in classes:
        add(options, 1)
    model.add(sum(costs) <= budget)
    # First the value, then the cost: a selection costs at most the budget.
    model.maximize(sum(values) * (budget + 1) - sum(costs))
    solver = cp_model.CpSolver()
    if solver.solve(model) != cp_model.OPTIMAL:
        return None
    choice = tuple(
        next((n for n, variable in enumerate(row) if solver.boolean_value(variable)), -1)
        for row in rows
    )
    return Selection(
        int(sum(map(solver.value, costs))), int(sum(map(solver.value, values))), choice
    )


def main() -> None:
    """Solve every stored instance with both functions, and compare with its known optimum."""
    for file in sorted((Path(__file__).parent / "instances").glob("*.json")):
        instance = json.loads(file.read_text(encoding="utf-8"))
        classes, budget = instance["classes"], instance["budget"]
        if budget > MOST_COSTS:
            print(f"{file.stem:28} left out: up to {budget:,} costs, too many for this programme")
            continue
        found = [solve(classes, budget)]
        if all(isinstance(value, int) for value in _values(classes)):
            found.append(solve_with_cpsat(classes, budget))
        shown = [f"{each.value:g} at {each.cost}" if each else "none fits" for each in found]
        known = instance["optimum"]["value"]
        print(f"{file.stem:28} known {known:<12g} {', CP-SAT '.join(shown)}")


def _values(classes: list[Class]) -> list[float]:
    options = [option for each in classes for option in each]
    below = [value for option in options for value in _values(_whole(option)[2])]
    return [option[1] for option in options] + below


if __name__ == "__main__":
    main()

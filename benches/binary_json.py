"""The binary knapsack: each value of a document is in or out, and all is written as compact JSON.

It knows the tree: a value is in only if its object or array is. But there is one
way only to write a value, names included, so there is nothing to choose but whether.
"""

from __future__ import annotations

import json
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final

from cutters import recount

from mckp.jsontext import dump, is_array, is_object
from mckp.solvers import Table, solve
from mckp.tree import TreeNode
from mckp.weights.leaves import leaves
from mckp.weights.salience import Salience

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TRIES: Final = 8
"""Limits that are tried, since tokens of JSON do not quite add up."""

Class = list[tuple[Any, ...]]


def most_leaves(
    value: Any, budget: int, weights: Sequence[float] | None = None
) -> tuple[str, float]:
    """Return compact JSON of the leaves that fit and are worth most, and what those are worth.

    Each leaf is worth one unless there are weights, in the order of the document.

    Examples
    --------
    >>> most_leaves({"id": 1, "name": "Ann Lee", "ok": True}, 9)
    ('{"id":1,"ok":true}', 2.0)
    """
    worth = repeat(1.0) if weights is None else iter(weights)
    table = Table.nested([_class(value, "", worth, is_root=True)])
    limit, best = budget, ("", 0.0)
    for _ in range(TRIES):
        solution = solve(table, limit)
        if solution.status == "infeasible":
            break
        text = dump(_left(value, iter(solution.choice.tolist()))[0])
        tokens = recount(text)
        if tokens <= budget:
            best = max(best, (text, float(solution.value)), key=lambda candidate: candidate[1])
        if tokens == budget:
            break
        limit += budget - tokens
    return best


def cut_binary(text: str, budget: int) -> str:
    """Return compact JSON of as many leaves as fit."""
    return most_leaves(json.loads(text), budget)[0]


def cut_salient(text: str, budget: int) -> str:
    """Return compact JSON of the leaves of most salience that fit."""
    value = json.loads(text)
    return most_leaves(value, budget, Salience()(leaves(TreeNode.of(value))))[0]


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    if is_object(value):
        yield from ((f"{dump(key)}:", child) for key, child in value.items())
    elif is_array(value):
        yield from (("", child) for child in value)


def _class(value: Any, name: str, worth: Iterator[float], *, is_root: bool = False) -> Class:
    """Return a value as a class of a table: out, unless it is the root, or in."""
    below = [_class(child, key, worth) for key, child in _children(value)]
    empty = "{}" if is_object(value) else "[]"
    cost = recount(f"{name}{empty if below else dump(value)}{'' if is_root else ','}")
    inside = (cost, 0, below) if below else (cost, next(worth))
    return [inside] if is_root else [(0, 0), inside]


def _left(value: Any, choices: Iterator[int], *, is_root: bool = True) -> tuple[Any, bool]:
    """Return what is left of a value, and whether it is in; classes come in reading order."""
    is_in = next(choices) == (0 if is_root else 1)
    if is_object(value) and value:
        members = [(key, *_left(child, choices, is_root=False)) for key, child in value.items()]
        return {key: child for key, child, kept in members if kept}, is_in
    if is_array(value) and value:
        items = [_left(child, choices, is_root=False) for child in value]
        return [child for child, kept in items if kept], is_in
    return value, is_in

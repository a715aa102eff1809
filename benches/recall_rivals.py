"""What fits a tool result into a budget, all with one signature: payload, budget and record.

Every text is brought to the same budget: what a rival writes above it is cut off at its end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import bm25
from baselines import RULES
from binary_json import cut_binary, cut_salient
from cutters import CRUSHER, LIBRARIES, cut_head, recount

import mckp
from mckp.encoders import FLOW
from mckp.jsontext import dump, is_array, is_object
from mckp.menu.render import fragments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from cutters import Cutter

    from mckp.weights import Leaf
    from mckp.weights.salience import Salience


_URL: Final = re.compile(r"https?://")
Record = dict[str, Any]


class Written(NamedTuple):
    """A text, its worth as a share of that of the whole, and what of it is one-line notation."""

    text: str
    worth: float | None = None
    on_lines: float | None = None


SHOWN: Final = {"whole": "binary", "first": "in order"}
"""What tables call the rules of `baselines`, where not by their names."""
ORACLE: Final = 1000.0
"""What a leaf that is used later is worth to the oracle, beside 1."""


@dataclass(frozen=True)
class Rival:
    """Something that fits tool results into a budget.

    Attributes
    ----------
    name : str
        What tables call it.
    write : callable
        ``(payload, budget, record) -> Written``; only the oracle looks at the record.
    reads : bool
        Whether `mckp.decode` reads what it writes.
    """

    name: str
    write: Callable[[Any, int, Record], Written]
    reads: bool = False


def encoded(payload: Any, budget: int, _: Record, **settings: Any) -> Written:
    """Return what mckp makes of a payload with these settings of `mckp.encode`."""
    result = mckp.encode(payload, budget=budget, on_unmatched="ignore", **settings)
    return Written(
        result.text, result.value / result.total if result.total else None, _lines(result)
    )


def _lines(result: Any) -> float:
    """Return the share of the tokens of a text that are in one-line notation."""
    ahead, texts = [result.answers.pick], list[str]()
    for pick in ahead:
        ahead += pick.children
        if pick.option is not None and pick.option.format == FLOW.name:
            texts += fragments(pick)
    return float(recount("".join(texts)) / max(1, result.tokens))


def foreseen(payload: Any, budget: int, record: Record, **settings: Any) -> Written:
    """Return what mckp makes of a payload if it knows what will be used."""
    used = {tuple(path) for use in record["used"] for path in use["paths"]}

    def weights(leaves: Sequence[Leaf]) -> list[float]:
        return [ORACLE if leaf.path in used else 1.0 for leaf in leaves]

    return encoded(payload, budget, record, **(settings | {"weights": weights}))


def asked(payload: Any, budget: int, record: Record, **settings: Any) -> Written:
    """Return what mckp makes of a payload if it knows what the user asked for."""
    return encoded(payload, budget, record, **settings, query=record.get("user") or None)


def cut(payload: Any, budget: int, _: Record) -> Written:
    """Return compact JSON cut off at the end."""
    return Written(cut_head(dump(payload), budget))


def cut_ends(payload: Any, budget: int, _: Record) -> Written:
    """Return both ends of compact JSON with a mark between them."""
    text = dump(payload)
    if recount(text) <= budget:
        return Written(text)
    half = max(1, (budget - 3) // 2)
    return Written(f"{cut_head(text, half)}\n…\n{cut_head(text[::-1], half)[::-1]}")


def cut_by_bm25(payload: Any, budget: int, record: Record) -> Written:
    """Return the rows that BM25 ranks first for the request, as compact JSON."""
    (rows,) = bm25.cut(payload, record.get("user") or "", [budget], recount)
    return Written("" if rows is None else dump(rows))


def cut_lean(payload: Any, budget: int, _: Record) -> Written:
    """Return compact JSON without nulls, what is empty, and addresses, cut off at the end."""
    return Written(cut_head(dump(lean(payload)), budget))


def lean(value: Any) -> Any:
    """Drop members that are null, empty or an address, and what is empty without them.

    Examples
    --------
    >>> lean({"id": 7, "url": "https://x.y", "by": {"name": None}, "tags": [None, ""]})
    {'id': 7, 'tags': [None, '']}
    """
    if is_object(value):
        members = {key: lean(child) for key, child in value.items()}
        return {key: child for key, child in members.items() if not _is_idle(child)}
    return [lean(child) for child in value] if is_array(value) else value


def _is_idle(value: Any) -> bool:
    if isinstance(value, str):
        return not value or _URL.match(value) is not None
    return value is None or value == [] or value == {}


def cut_by(cutter: Cutter, payload: Any, budget: int, _: Record) -> Written:
    """Return what a library makes of compact JSON when it is given the budget."""
    return Written(cutter.cut(dump(payload), budget))


def rivals(
    weights: Sequence[str],
    settings: dict[str, Any],
    models: Sequence[Any],
    others: Mapping[str, Salience] | None = None,
) -> tuple[list[Rival], list[str]]:
    """Return all that are compared, and why some are not.

    Parameters
    ----------
    weights, models
        Names of weights and what `mckp.encode` takes for them; none is its default. Greedy and
        the binary knapsack choose by the first of them.
    settings : dict
        Further arguments of `mckp.encode`.
    others : mapping of str to Salience, optional
        For each source, weights that were fitted to all others.
    """
    named = [
        (name, settings | {"weights": model}) for name, model in zip(weights, models, strict=True)
    ]
    named = named or [("default", settings)]
    first, options_of_first = named[0]
    every_rival = [
        Rival(f"mckp {name}", partial(encoded, **options), True) for name, options in named
    ]
    every_rival += [
        Rival(f"mckp, query, {first}", partial(asked, **options_of_first), True),
        Rival(f"greedy, {first}", partial(encoded, **options_of_first, solver="greedy"), True),
        *(
            Rival(
                f"{SHOWN.get(rule, rule)}, {first}",
                partial(encoded, **options_of_first, solver=rule),
                True,
            )
            for rule in RULES
        ),
        Rival("mckp, facts", partial(encoded, **(settings | {"weights": "facts"})), True),
        Rival("binary, JSON", partial(leaf_by_leaf, cut_binary)),
        Rival("binary, JSON by salience", partial(leaf_by_leaf, cut_salient)),
        Rival("head cut", cut),
        Rival("lean head cut", cut_lean),
        Rival("both ends", cut_ends),
        Rival("BM25 rows, query", cut_by_bm25),
    ]
    if others:
        every_rival.insert(
            1, Rival("mckp, other sources", partial(of_others, others, settings), True)
        )
    skipped: list[str] = []
    for cutter in (*LIBRARIES, CRUSHER):
        if cutter.version is None:
            skipped.append(f"{cutter.name}: skipped, {cutter.distribution} is not installed")
        else:
            every_rival.append(Rival(cutter.name, partial(cut_by, cutter)))
    return [*every_rival, Rival("oracle", partial(foreseen, **settings), True)], skipped


def leaf_by_leaf(cut: Callable[[str, int], str], payload: Any, budget: int, _: Record) -> Written:
    """Return compact JSON of the leaves that are chosen, each in or out."""
    return Written(cut(dump(payload), budget))


def of_others(
    priors: Mapping[str, Salience], settings: dict[str, Any], payload: Any, budget: int, r: Record
) -> Written:
    """Return what mckp makes of a payload by weights that were fitted to other sources."""
    return encoded(payload, budget, r, **(settings | {"weights": priors[r["source"]]}))

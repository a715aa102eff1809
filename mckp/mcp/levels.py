"""Definitions of tools as JSON, each at the level that a budget for the list allows.

Each level accepts the same arguments but the last, which accepts any: there the reader asks for
the schema first. Which tool gets which level is a multiple-choice knapsack, as for all else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump, is_object
from mckp.solvers import Table, solve
from mckp.tools import hoisted, parse_tools, pruned
from mckp.tools.schema import changed
from mckp.tools.text.spell import first_sentence
from mckp.tools.tool import facts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mckp.tokenizers.base import Tokenizer

LEVELS: Final = ("full", "sentences", "types", "named")
"""All; of descriptions the first sentence; of those of parameters none; name and sentence."""

_OPEN: Final[dict[str, Any]] = {"type": "object"}


@dataclass(frozen=True, slots=True)
class Leveled:
    """A definition at a level.

    Attributes
    ----------
    definition : dict
        What the list has.
    level : str
        One of `LEVELS`.
    tokens : int
        Of the definition as compact JSON.
    """

    definition: dict[str, Any]
    level: str
    tokens: int


def ladder(definition: dict[str, Any], counter: Tokenizer) -> list[Leveled]:
    """Return a definition at all levels.

    Examples
    --------
    >>> from mckp import tokenizers
    >>> zone = {"type": "string", "description": "A zone. Default: UTC."}
    >>> schema = {"type": "object", "properties": {"zone": zone}}
    >>> now = {"name": "now", "description": "The time. Exact.", "inputSchema": schema}
    >>> [step.tokens for step in ladder(now, tokenizers.get("o200k"))]
    [38, 32, 26, 17]
    """
    whole = lossless(definition, counter)
    forms = [whole, _sentences(whole), _types(whole), _named(whole)]
    counts = counter.count_batch([dump(form) for form in forms])
    return [Leveled(*each) for each in zip(forms, LEVELS, counts, strict=True)]


def lossless(definition: dict[str, Any], counter: Tokenizer) -> dict[str, Any]:
    """Return a definition with schemas that accept the same values in fewer tokens."""
    (tool,) = hoisted(pruned(parse_tools([definition])), counter)
    return tool.definition()


def within(
    definitions: Sequence[dict[str, Any]], budget: int | None, counter: Tokenizer
) -> list[Leveled]:
    """Return each definition at the level at which all together say most.

    Parameters
    ----------
    definitions : sequence of dict
        As servers have them.
    budget : int or None
        Tokens for all; where not even names fit, there are names.
    counter : Tokenizer
        Who counts.
    """
    steps = [ladder(each, counter) for each in definitions]
    wholes, least = [each[0] for each in steps], [each[-1] for each in steps]
    if budget is None or _tokens(wholes) <= budget:
        return wholes
    if _tokens(least) >= budget:
        return least
    # A comma between two of them is a token at most.
    costs = [[step.tokens + 1 for step in each] for each in steps]
    values = [[_worth(step.definition) for step in each] for each in steps]
    solution = solve(Table.flat(costs, values), budget - 2)
    if solution.status == "infeasible":
        return least
    return [each[option] for each, option in zip(steps, solution.choice.tolist(), strict=True)]


def _tokens(chosen: Sequence[Leveled]) -> int:
    return sum(each.tokens + 1 for each in chosen) + 2


def _worth(definition: dict[str, Any]) -> int:
    return facts(parse_tools([definition])[0])


def _sentences(definition: dict[str, Any]) -> dict[str, Any]:
    return _schemas(_summed_up(definition), lambda text: first_sentence(text))


def _types(definition: dict[str, Any]) -> dict[str, Any]:
    return _schemas(_summed_up(definition), lambda text: "")


def _named(definition: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in definition.items() if key != "outputSchema"}
    return {**_summed_up(kept), "inputSchema": _OPEN}


def _summed_up(definition: dict[str, Any]) -> dict[str, Any]:
    text = definition.get("description")
    if not isinstance(text, str):
        return definition
    return {**definition, "description": first_sentence(text)}


def _schemas(definition: dict[str, Any], say: Callable[[str], str]) -> dict[str, Any]:
    found = dict(definition)
    for key in ("inputSchema", "outputSchema"):
        if is_object(found.get(key)):
            found[key] = _described(found[key], say)
    return found


def _described(schema: Any, say: Callable[[str], str]) -> Any:
    if not is_object(schema):
        return schema
    kept = changed(schema, lambda inner: _described(inner, say))
    text = kept.get("description")
    if isinstance(text, str):
        kept["description"] = say(text)
        if not kept["description"]:
            del kept["description"]
    return kept

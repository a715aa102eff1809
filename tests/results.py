"""Results of plans that are given, rather than chosen by the size of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mckp.answers.origin import Origin

if TYPE_CHECKING:
    from mckp import Result
    from mckp.plan import Plan
    from mckp.tokenizers.base import Tokenizer


class Both(NamedTuple):
    """One plan for everything."""

    whole: Plan
    part: Plan


def encoded(plan: Plan, tokenizer: Tokenizer, budget: int | None, solver: str) -> Result:
    """Return what comes of a plan, whether all of the document fits or not."""
    return Origin(Both(plan, plan), tokenizer, solver).result(budget)

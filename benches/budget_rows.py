"""What systems make of documents within a budget, one row for each of both."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from binary_json import cut_binary
from cutters import LIBRARIES, SIMPLE, Cutter, recount
from leaves import Kept, Recall, kept, leaves, recall
from solver_figures import timed

import mckp
from mckp.jsontext import dump

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

BINARY: Final = Cutter("binary, JSON", "", cut_binary, only_drops=True)
OWN: Final = "mckp "
"""What the names of mckp's own systems begin with."""
SOLVERS: Final = ("auto", "greedy", "binary")
"""The best one, and the baselines that choose from the same menu."""


@dataclass(frozen=True)
class System:
    """Something that fits a document into a budget.

    Attributes
    ----------
    name : str
        What tables call it.
    ask : callable
        ``(value, text, budget)`` to a result of mckp, or to a text.
    only_drops : bool
        As in `cutters.Cutter`.
    """

    name: str
    ask: Callable[[Any, str, int], mckp.Result | str]
    only_drops: bool = False


@dataclass(frozen=True)
class Row:
    """What one system makes of one document at one budget.

    Attributes
    ----------
    share, budget : float and int
        The budget, as a share of the tokens of compact JSON and as a number.
    tokens : int
        Tokens of the text, by tiktoken.
    cut : bool
        Whether something is missing from it.
    readable : bool
        Whether it reads as what is left by its result; whether it is JSON, for others.
    recall : Recall
        What is found in the text.
    total : int
        Leaves of the document.
    ms : float
        Milliseconds it took.
    failure : str
        Why there is no text.
    left : float or None
        Share of the leaves that are left, where that is known.
    kept, status, value : optional
        What mckp alone knows: its cuts, proof, and share of the value.
    """

    system: str
    share: float
    budget: int
    tokens: int
    cut: bool
    readable: bool
    recall: Recall
    total: int
    ms: float
    failure: str = ""
    left: float | None = None
    kept: Kept | None = None
    status: str = ""
    value: float = 0.0

    @property
    def used(self) -> float:
        """The tokens as a share of the budget."""
        return self.tokens / max(1, self.budget)

    @property
    def is_wrong(self) -> bool:
        """Whether a promise of mckp is broken."""
        if self.kept is None:
            return self.system.startswith(OWN) and self.failure != mckp.BudgetError.__name__
        return self.tokens > self.budget or not self.kept.faithful


def systems(levels: Sequence[str], console: Console) -> list[System]:
    """Return everything that is asked; libraries that are not installed are named."""
    found = [
        System(_own_name(level, solver), partial(_own, level, solver))
        for level in levels
        for solver in SOLVERS
    ]
    for cutter in (*SIMPLE, BINARY, *LIBRARIES):
        if cutter.version is None:
            console.print(f"{cutter.name}: skipped, {cutter.distribution} is not installed")
        else:
            found.append(System(cutter.name, partial(_cut, cutter), cutter.only_drops))
    return found


def _own_name(level: str, solver: str) -> str:
    return f"{OWN}{level}" + (f", {solver}" if solver != "auto" else "")


def _own(level: str, solver: str, value: Any, _: str, budget: int) -> mckp.Result:
    return mckp.encode(value, budget=budget, formats=level, solver=solver)


def _cut(cutter: Cutter, _: Any, text: str, budget: int) -> str:
    return cutter.cut(text, budget)


def measure(system: System, value: Any, share: float) -> Row:
    """Ask a system for a document within a share of its tokens as compact JSON."""
    text = dump(value)
    budget = int(recount(text) * share)
    answer: mckp.Result | str = ""
    failure, ms = "", 0.0
    try:
        answer, ms = timed(partial(system.ask, value, text, budget))
    except Exception as error:
        failure = type(error).__name__
    found = answer if isinstance(answer, str) else answer.text
    own = None if isinstance(answer, str) else kept(value, mckp.decode(found), answer)
    total = sum(1 for _ in leaves(value))
    left = own.leaves if own else _count(found) if system.only_drops else None
    return Row(
        system=system.name,
        share=share,
        budget=budget,
        tokens=recount(found),
        cut=found != text if isinstance(answer, str) else bool(answer.elided),
        readable=own.faithful if own else _is_json(found),
        recall=recall(value, found),
        total=total,
        ms=ms,
        failure=failure,
        left=None if left is None else left / total,
        kept=own,
        status="" if isinstance(answer, str) else answer.status,
        value=0.0 if isinstance(answer, str) else answer.value / answer.total,
    )


def _count(text: str) -> int:
    """Return the leaves of a part of a document, of which an empty one is no part."""
    value: Any = json.loads(text) if text else None
    return sum(1 for _ in leaves(value)) if value else 0


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True

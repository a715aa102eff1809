"""The solvers that `solver_grid` compares with, each timed from the table to its choice."""

from __future__ import annotations

import importlib
import importlib.util
import signal
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from solver_figures import median_ms, timed

from mckp.errors import MissingExtraError
from mckp.solvers import cpsat, highs

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import FrameType

    from instances import Instance

    from mckp.solvers import Solution

REPEAT: Final = 3
LLMSLIM_CLASSES: Final = 1000
"""Classes up to which llmslim's planner is asked; its states are Python objects."""


@dataclass(frozen=True)
class Answer:
    """What a peer gives.

    Attributes
    ----------
    ms
        Milliseconds of a call, building its model included; the median of three, or the only
        one if it takes longer than a second.
    status
        ``optimal``, ``feasible``, or ``none`` if it has nothing at the limit.
    value
        What its selection is worth; None without one.
    bound
        What no selection exceeds, as far as it proves that; else None.
    """

    ms: float
    status: str
    value: float | None
    bound: float | None

    @classmethod
    def of(cls, solution: Solution, ms: float) -> Answer:
        """Take over what a solver of this library says."""
        return cls(ms, str(solution.status), solution.value, solution.bound)


@dataclass(frozen=True)
class Peer:
    """A solver to compare with.

    Attributes
    ----------
    name
        What it is called in tables.
    package
        What must be installed for it.
    ask
        Solves an instance within some seconds; None if it is too large for this peer.
    """

    name: str
    package: str
    ask: Callable[[Instance, float], Answer | None]

    @property
    def available(self) -> bool:
        """Whether its package is installed."""
        return importlib.util.find_spec(self.package) is not None


def _ask_cpsat(instance: Instance, seconds: float) -> Answer | None:
    return _own(lambda: cpsat.solve(instance.table, instance.budget, time_limit=seconds))


def _ask_highs(instance: Instance, seconds: float) -> Answer | None:
    return _own(lambda: highs.solve(instance.table, instance.budget, time_limit=seconds))


def _own(solved: Callable[[], Solution]) -> Answer | None:
    try:
        solution, ms = timed(solved)
    except MissingExtraError:
        return None
    return Answer.of(solution, ms if ms > 1000 else median_ms(solved, REPEAT))


def _ask_llmslim(instance: Instance, seconds: float) -> Answer | None:
    """Ask the planner of llmslim.

    It has no limit of its own, and from a budget of 40,000 on rounds costs up.
    """
    table = instance.table
    if table.classes > LLMSLIM_CLASSES:
        return None
    planner: Any = importlib.import_module("llmslim.planning.budget")
    groups = _groups(instance)
    try:
        with _limit(seconds):
            plan, ms = timed(lambda: planner.allocate_candidates(groups, instance.budget))
            if ms < 1000:
                ms = median_ms(lambda: planner.allocate_candidates(groups, instance.budget), REPEAT)
    except TimeoutError:
        return Answer(seconds * 1000, "none", None, None)
    value = sum(int(candidate.utility) for candidate in plan.selected)
    exact = plan.feasible and plan.granularity_tokens == 1
    return Answer(ms, "optimal" if exact else "feasible", value, value if exact else None)


def _groups(instance: Instance) -> list[Any]:
    models: Any = importlib.import_module("llmslim.planning.models")
    candidates: Any = importlib.import_module("llmslim.planning.candidates")
    table, raw = instance.table, models.CandidateMethod.RAW
    rows = list(zip(table.cost.tolist(), table.value.tolist(), strict=True))
    start = table.start.tolist()
    groups: list[Any] = []
    for i in range(table.classes):
        made = [
            models.ContextCandidate(str(i), raw, "", cost, float(value), 0.0, "", 1.0)
            for cost, value in rows[start[i] : start[i + 1]]
        ]
        groups.append(candidates.CandidateSet(None, tuple(made), None, 0.0))
    return groups


@contextmanager
def _limit(seconds: float) -> Generator[None]:
    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _late(_: int, __: FrameType | None) -> None:
    raise TimeoutError("too slow")


PEERS: Final = (
    Peer("cpsat", "ortools", _ask_cpsat),
    Peer("highs", "ortools", _ask_highs),
    Peer("llmslim", "llmslim", _ask_llmslim),
)
"""Peers of the chosen cells."""

"""Try each proposal on what was recorded, and take those that a replay shows to be better."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from mckp.config.tuner.habits import Habits, Seen, habits
from mckp.config.tuner.rules import Proposal, applied, proposals, value_at
from mckp.config.tuner.simulate import settings_by, simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mckp.config.tuner.habits import Mark
    from mckp.config.tuner.savings import LayerSavings


class Replay(Protocol):
    """Plays a record under a configuration."""

    def __call__(self, table: Mapping[str, Any], /) -> LayerSavings:
        """Return what it would have saved."""
        ...


class Verdict(StrEnum):
    """What became of a proposal."""

    TAKEN = "taken"
    SAME = "saves nothing"
    WORSE = "worse"


@dataclass(frozen=True, slots=True)
class Trial:
    """A proposal, the tokens before and after it, and what became of it."""

    proposal: Proposal
    before: int
    after: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Tuning:
    """What tuning found.

    Attributes
    ----------
    habits : Habits
        What the rules looked at.
    trials : tuple of Trial
        In the order in which they were made.
    before, after : LayerSavings
        Of the configuration as it was, and as it is proposed.
    table : dict
        The configuration that is proposed, as TOML has it.
    """

    habits: Habits
    trials: tuple[Trial, ...]
    before: LayerSavings
    after: LayerSavings
    table: dict[str, Any]

    @property
    def is_worse(self) -> bool:
        """Whether it costs more tokens than before, and must not be written."""
        return self.after.tokens > self.before.tokens

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain data."""
        return {
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "is_worse": self.is_worse,
            "config": self.table,
            "trials": [
                {
                    "rule": trial.proposal.rule,
                    "changes": [[list(path), value] for path, value in trial.proposal.changes],
                    "why": trial.proposal.why,
                    "tokens_before": trial.before,
                    "tokens_after": trial.after,
                    "verdict": trial.verdict.value,
                }
                for trial in self.trials
            ],
        }


def of_marks(marks: Sequence[Mark]) -> Replay:
    """Return a replay of marks."""
    endpoints = sorted({mark.endpoint for mark in marks if isinstance(mark, Seen)})
    return lambda table: simulate(marks, settings_by(table, endpoints))


def tune(
    marks: Sequence[Mark],
    table: Mapping[str, Any],
    *,
    replay: Replay | None = None,
    on_trial: Callable[[int, int], object] | None = None,
) -> Tuning:
    """Return a configuration that saves at least as much on what was recorded.

    Parameters
    ----------
    marks : sequence of marks
        What was recorded.
    table : mapping
        The configuration as it is, as TOML has it.
    replay : callable, optional
        Plays the record under a configuration; by default the marks.
    on_trial : callable, optional
        Told how many proposals were tried, and of how many.

    Returns
    -------
    Tuning
    """
    replay = of_marks(marks) if replay is None else replay
    found = habits(marks)
    asked = list(proposals(found, table))
    before = best = replay(table)
    current, trials = dict(table), list[Trial]()
    for number, proposal in enumerate(asked, 1):
        trial, after = _tried(proposal, current, best, replay)
        trials.append(trial)
        if trial.verdict is Verdict.TAKEN:
            current, best = applied(proposal, current), after
        if on_trial is not None:
            on_trial(number, len(asked))
    return Tuning(found, tuple(trials), before, best, current)


def _tried(
    proposal: Proposal, table: dict[str, Any], best: LayerSavings, replay: Replay
) -> tuple[Trial, LayerSavings]:
    if all(value_at(table, path) == value for path, value in proposal.changes):
        return Trial(proposal, best.tokens, best.tokens, Verdict.SAME), best
    after = replay(applied(proposal, table))
    verdict = Verdict.TAKEN
    if after.tokens > best.tokens:
        verdict = Verdict.WORSE
    elif after.tokens == best.tokens and proposal.saves:
        verdict = Verdict.SAME
    return Trial(proposal, best.tokens, after.tokens, verdict), after

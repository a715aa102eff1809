"""Rules that propose, and their trial on what was recorded: what a replay shows is better stays."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from typing import TYPE_CHECKING, Any, Final, Protocol

from mckp.config.hints import best
from mckp.config.profiles import AGENTS, LLMS
from mckp.config.resolving import SessionStats, agent_of
from mckp.config.tuner.habits import Endpoint, Habits, Seen, habits, quantile
from mckp.config.tuner.simulate import settings_by, simulate
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mckp.config.tuner.habits import Mark
    from mckp.config.tuner.simulate import LayerSavings

    Path = tuple[str, ...]
    Change = tuple[Path, Any]


@dataclass(frozen=True, slots=True)
class Proposal:
    """Values for some keys.

    Attributes
    ----------
    rule : str
        The rule's name, as ``R1``.
    changes : tuple of (path, value)
        Keys of the configuration, each as the names of its tables and its own.
    why : str
        What was seen that asks for it.
    saves : bool
        Whether it is for tokens. If so, it is only taken if it saves some; else, if it costs
        none.
    """

    rule: str
    changes: tuple[Change, ...]
    why: str
    saves: bool = True

    @property
    def said(self) -> str:
        """The changes in words."""
        return ", ".join(f"{'.'.join(path)} = {value!r}" for path, value in self.changes)

    def __str__(self) -> str:
        return f"{self.rule}: {self.said} ({self.why})"


def value_at(table: Mapping[str, Any], path: Path) -> Any:
    """Return the value of a key, or None.

    Examples
    --------
    >>> value_at({"dedup": {"lru_size": 3}}, ("dedup", "lru_size"))
    3
    """
    found: Any = table
    for name in path:
        found = found.get(name) if is_object(found) else None
    return found


def applied(proposal: Proposal, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with the changes in it.

    Examples
    --------
    >>> applied(Proposal("R3", ((("dedup", "lru_size"), 10),), "compactions"), {"dedup": {}})
    {'dedup': {'lru_size': 10}}
    """
    found: dict[str, Any] = deepcopy(dict(table))
    for path, value in proposal.changes:
        inner = found
        for name in path[:-1]:
            inner = inner.setdefault(name, {})
        inner[path[-1]] = value
    return found


MIN_CALLS: Final = 20
"""Calls of an endpoint below which nothing is concluded about it."""

MAX_TEXTS: Final = 64
"""Texts that N2 lets a context remember."""

_OFTEN, _SELDOM = 0.30, 0.05
_LOGGED: Final = {"log", "url", "hash"}


def proposals(habits: Habits, table: Mapping[str, Any]) -> Iterator[Proposal]:
    """Yield what the rules ask for.

    Parameters
    ----------
    habits : Habits
        What was seen.
    table : mapping
        The configuration as it is, as TOML has it.

    Yields
    ------
    Proposal
        In the order in which they are to be tried.
    """
    often = {
        name: endpoint
        for name, endpoint in sorted(habits.endpoints.items())
        if endpoint.calls >= MIN_CALLS
    }
    if not habits.events:
        return
    yield from _again(habits, table)
    yield from _near(often, table)
    yield _lru_by_contexts(habits)
    for name, endpoint in often.items():
        yield from _repeats(name, endpoint, table)
    yield from _lru_by_distance(habits)
    for name, endpoint in often.items():
        yield from _template(name, endpoint)
    yield _depth(habits)
    yield _least_chars(habits)
    yield from _profiles(habits)


def _again(habits: Habits, table: Mapping[str, Any]) -> Iterator[Proposal]:
    """N0; what few calls cannot bring back alone comes back with the others."""
    settings = settings_by(table, habits.endpoints)
    off = [name for name in sorted(habits.endpoints) if not settings.may_refer(name)]
    if off:
        changes = tuple(_switched(name, True, table) for name in off)
        yield Proposal("N0", changes, f"{len(off)} endpoints are switched off")


def _repeats(name: str, endpoint: Endpoint, table: Mapping[str, Any]) -> Iterator[Proposal]:
    """R1; what is switched off is measured by its repeats, not by its references."""
    rate, is_on = endpoint.repeat_rate, settings_by(table, [name]).may_refer(name)
    far = quantile(endpoint.distances, 0.9)
    seen = f"{rate:.0%} of {endpoint.calls} calls repeat, 9 of 10 at most {far} texts on"
    if rate >= _OFTEN:
        yield Proposal("R1", _referred(name, min(10, 1 + far), table), seen)
    elif rate <= _SELDOM and is_on:
        yield Proposal("R1", (_switched(name, False, table),), seen)
    if not is_on and (endpoint.repeats or endpoint.near):
        size, why = min(MAX_TEXTS, 1 + far), f"switched off, but {seen}"
        yield Proposal("R1", _referred(name, size, table), why)


def _referred(name: str, size: int, table: Mapping[str, Any]) -> tuple[Change, ...]:
    """Return the changes that refer to an endpoint's texts, and remember enough of them."""
    return _switched(name, True, table), (("endpoint_overrides", name, "lru_size"), size)


def _switched(name: str, on: bool, table: Mapping[str, Any]) -> Change:
    """Return the change of the switch that decides: an override comes first where there is one."""
    own = ("endpoint_overrides", name, "dedup_enabled")
    general = ("dedup", "enabled_per_endpoint", name)
    return (general if value_at(table, own) is None else own), on


def _template(name: str, endpoint: Endpoint) -> Iterator[Proposal]:
    """R2."""
    inner, columns = endpoint.top_inner, endpoint.columns
    if endpoint.shape == "markdown_table" and sum(columns) >= 2 * max(1, len(columns)):
        template, why = "csv_from_md", "mostly tables"
    elif inner >= _LOGGED:
        template, why = "pipeline_deep_mckp", "logs, urls and hashes inside"
    elif "diff" in inner:
        template, why = "mr_diff_fence", "diffs inside"
    else:
        return
    yield Proposal("R2", ((("templates", "endpoint_overrides", name), template),), why)


def _lru_by_contexts(habits: Habits) -> Proposal:
    """R3."""
    rate, contexts = habits.compactions / habits.events, habits.sessions + habits.compactions
    average = habits.events / max(1, contexts)
    long, short = max(10, ceil(0.2 * average)), 3 if average < 20 else 5
    why = f"{average:.0f} responses a context, {rate:.3f} compactions a response"
    return Proposal("R3", ((("dedup", "lru_size"), long if rate > 0.05 else short),), why)


def _depth(habits: Habits) -> Proposal:
    """R4."""
    depth = quantile([each for one in habits.endpoints.values() for each in one.depths], 0.95)
    change = (("mckp", "recursion_depth"), 3 if depth < 3 else 5)
    return Proposal("R4", (change,), f"p95 of depths is {depth}", saves=False)


def _least_chars(habits: Habits) -> Proposal:
    """R5."""
    chars = quantile([each for one in habits.endpoints.values() for each in one.chars], 0.25)
    change = (("dedup", "min_body_chars"), min(500, max(100, chars)))
    return Proposal("R5", (change,), f"p25 of sizes is {chars}")


def _near(often: Mapping[str, Endpoint], table: Mapping[str, Any]) -> Iterator[Proposal]:
    """N1; it switches on what else no near reference would be seen to save."""
    path, settings = ("dedup", "near_ref_enabled"), settings_by(table, often)
    near = {name: each.near for name, each in often.items() if each.near}
    if near:
        off = [name for name in near if not settings.may_refer(name)]
        changes = [(path, True), *(_switched(name, True, table) for name in off)]
        why = f"{sum(near.values())} responses nearly repeat another"
        yield Proposal("N1", tuple(changes), why)


def _lru_by_distance(habits: Habits) -> Iterator[Proposal]:
    """N2."""
    far = quantile(habits.distances, 0.95)
    if habits.distances:
        size = min(MAX_TEXTS, 1 + far)
        why = f"19 of 20 repeats are at most {far} texts on"
        yield Proposal("N2", ((("dedup", "lru_size"), size),), why)


def _profiles(habits: Habits) -> Iterator[Proposal]:
    """P1 to P3."""
    names = [name for name in LLMS if name != "default"]
    known = best(names, habits.model) if habits.model else None
    if known:
        why = f"{habits.models[habits.model or '']} of {habits.models.total()} sessions"
        yield Proposal("P1", ((("profiles", "llm", "active"), known),), why, saves=False)
    kind, why = agent_kind(habits)
    yield Proposal("P2", ((("profiles", "agent", "active"), kind),), why, saves=False)
    for name in sorted(habits.endpoints):
        if name.startswith("mcp__"):
            path = ("profiles", "data", "variants", name, "pattern")
            number = habits.endpoints[name].calls
            calls = f"{number} call{'s' * (number != 1)}"
            yield Proposal("P3", ((path, name),), calls, saves=False)
    for other in AGENTS:
        if other != kind:
            why = f"references as {other} makes them"
            yield Proposal("N3", ((("profiles", "agent", "active"), other),), why)


def agent_kind(habits: Habits) -> tuple[str, str]:
    """Return the agent profile that sessions are like on average, and why."""
    sessions = max(1, habits.sessions)
    events, compactions = habits.events / sessions, habits.compactions / sessions
    reads = habits.reads / max(1, habits.events)
    why = f"{events:.0f} responses and {compactions:.1f} compactions a session, {reads:.0%} reads"
    return agent_of(SessionStats(events, compactions, reads)), why


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

"""Tuning from logs: marks decide on each proposal, and texts on all of them together.

What fields are worth is learnt from what was used, and tried on other sessions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mckp.config import Config
from mckp.config.tuner import Seen, Trial, Tuning, Verdict, tune
from mckp.config.tuner.tune import Proposal, applied
from mckp.replay.marking import marks
from mckp.replay.recall import lessons, taken, used_in
from mckp.replay.run import replay, settings_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mckp.api import TokenizerLike
    from mckp.config.tuner import Mark, Replay
    from mckp.replay.log import Action
    from mckp.replay.recall import Counted


def of_texts(
    log: Callable[[], Iterable[Action]],
    endpoints: Sequence[str],
    *,
    tokenizer: TokenizerLike = "o200k",
    model: str | None = None,
) -> Replay:
    """Return a replay of texts through sessions, for `mckp.config.tuner.tune`.

    Parameters
    ----------
    log : callable
        Returns the log from its beginning, each time.
    endpoints : sequence of str
        The tools in it.
    tokenizer : str, Tokenizer or callable, default "o200k"
        Who counts.
    model : str, optional
        Who reads.
    """

    def played(table: Mapping[str, Any]) -> Any:
        settings = settings_for(Config.of_table(dict(table)), endpoints, model)
        return replay(log(), settings, tokenizer=tokenizer, checks=False).savings

    return played


def tune_log(
    log: Callable[[], Iterable[Action]],
    table: Mapping[str, Any],
    *,
    tokenizer: TokenizerLike = "o200k",
    exact: bool = False,
    counts: Counted | None = None,
    on_mark: Callable[[int], object] | None = None,
    on_trial: Callable[[int, int], object] | None = None,
) -> Tuning:
    """Tune on a log with texts; what comes of it is replayed with these.

    Parameters
    ----------
    log : callable
        Returns the log from its beginning, each time.
    table : mapping
        The configuration as it is, as TOML has it.
    tokenizer : str, Tokenizer or callable, default "o200k"
        Who counts.
    exact : bool, default False
        Whether texts decide on each proposal. Else marks do, which is much faster, and texts
        on all that was taken.
    counts : callable, optional
        Returns what telemetry has counted of the uses of a tool, to learn from in place of the
        log; see `mckp.replay.recall.lessons`.
    on_mark, on_trial : callable, optional
        Told how many responses were read, and how many proposals were tried of how many.

    Returns
    -------
    Tuning
        With the savings before and after as the texts say; see `Tuning.is_worse`.

    Examples
    --------
    >>> from mckp.replay import Response
    >>> page = " ".join(f"part {n}" for n in range(99))
    >>> log = [Response("Read", "a.py", page) for _ in range(9)]
    >>> off = {"dedup": {"enabled_per_endpoint": {"Read": False}}}
    >>> tuning = tune_log(lambda: log, off)
    >>> tuning.is_worse, tuning.table["dedup"]["enabled_per_endpoint"]["Read"]
    (False, True)
    """
    found = gathered(marks(log(), tokenizer=tokenizer), on_mark)
    endpoints = sorted({mark.endpoint for mark in found if isinstance(mark, Seen)})
    by_texts = of_texts(log, endpoints, tokenizer=tokenizer)
    if exact:
        tuning = tune(found, table, replay=by_texts, on_trial=on_trial)
    else:
        tuning = tune(found, table, on_trial=on_trial)
        tuning = replace(tuning, before=by_texts(table), after=by_texts(tuning.table))
    return with_salience(tuning, log(), counts, tokenizer)


def with_salience(
    tuning: Tuning, log: Iterable[Action], counts: Counted | None, tokenizer: TokenizerLike
) -> Tuning:
    """Return a tuning with weights of fields (U1), of those tools where more is left of uses."""
    trials, table, tokens = list(tuning.trials), tuning.table, tuning.after.tokens
    before = Config.of_table(table).salience
    found = list(lessons(used_in(log), before, counts, tokenizer=tokenizer))
    kept = {each.tool for each in taken(found)}
    for each in found:
        why = f"use recall {each.before:.3f}, then {each.after:.3f} of {each.results} results"
        proposal = Proposal("U1", ((("salience", each.tool), each.factors),), why)
        verdict = Verdict.WORSE if each.after < each.before else Verdict.SAME
        if each.tool in kept:
            verdict, table = Verdict.TAKEN, applied(proposal, table)
        trials.append(Trial(proposal, tokens, tokens, verdict))
    return replace(tuning, trials=tuple(trials), table=table)


def gathered(found: Iterable[Mark], on_mark: Callable[[int], object] | None = None) -> list[Mark]:
    """Return all marks, and tell how many responses there were so far."""
    kept, responses = list[Any](), 0
    for mark in found:
        kept.append(mark)
        if isinstance(mark, Seen):
            responses += 1
            if on_mark is not None:
                on_mark(responses)
    return kept

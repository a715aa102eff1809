"""Tuning never makes it worse, and undoes what an earlier run switched off."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from mckp.config.config import Config
from mckp.config.tuner import Ended, LayerSavings, Mark, Tuning, Verdict, of_marks, tune
from mckp.config.tuner.simulate import settings_by, simulate
from tests.config.tuner.made import ENDPOINTS, MARKS, TABLES, seen

_READS: list[Mark] = [seen(content=n % 2) for n in range(40)]


def _rules(tuning: Tuning, verdict: Verdict) -> set[str]:
    return {trial.proposal.rule for trial in tuning.trials if trial.verdict is verdict}


@given(MARKS, TABLES)
def test_never_worse(marks: list[Mark], table: dict[str, Any]) -> None:
    for times in (1, 4):  # four times, so that endpoints have calls enough
        tuning = tune(marks * times, table)
        assert not tuning.is_worse
        again = simulate(marks * times, settings_by(tuning.table, ENDPOINTS))
        assert again.tokens == tuning.after.tokens <= tuning.before.tokens


@given(MARKS, TABLES)
def test_what_is_proposed_is_a_configuration(marks: list[Mark], table: dict[str, Any]) -> None:
    Config.of_table(tune(marks * 2, table).table)


@given(MARKS, TABLES)
def test_a_second_run_changes_nothing(marks: list[Mark], table: dict[str, Any]) -> None:
    once = tune(marks * 2, table)
    for _ in range(4):
        twice = tune(marks * 2, once.table)
        if twice.table == once.table:
            return
        assert twice.after.tokens <= once.after.tokens
        once = twice
    raise AssertionError("it goes on and on")


def test_what_was_switched_off_comes_back() -> None:
    spoiled: list[dict[str, Any]] = [
        {"dedup": {"enabled_per_endpoint": {"Read": False}}},
        {"endpoint_overrides": {"Read": {"dedup_enabled": False}}},
        {
            "dedup": {"enabled_per_endpoint": {"Read": True}},
            "endpoint_overrides": {"Read": {"dedup_enabled": False}},
        },
    ]
    for table in spoiled:
        tuning = tune(_READS, table)
        assert settings_by(tuning.table, ENDPOINTS).may_refer("Read") is True
        assert tuning.after.tokens < tuning.before.tokens / 5


@given(MARKS)
def test_switched_off_is_no_worse_a_start(marks: list[Mark]) -> None:
    off = {"dedup": {"enabled_per_endpoint": dict.fromkeys(ENDPOINTS, False)}}
    assert (
        tune(marks * 4, off).after.tokens <= simulate(marks * 4, settings_by({}, ENDPOINTS)).tokens
    )


def test_seldom_repeats_come_back_too() -> None:
    marks: list[Mark] = [seen(content=n // 2 if n < 10 else n) for n in range(40)]
    tuning = tune(marks, {"dedup": {"enabled_per_endpoint": {"Read": False}}})
    assert settings_by(tuning.table, ENDPOINTS).may_refer("Read") is True


def test_what_never_repeats_is_switched_off() -> None:
    tuning = tune([seen(content=n) for n in range(40)], {})
    assert settings_by(tuning.table, ENDPOINTS).may_refer("Read") is False
    assert tuning.after.tokens == 40 * 300


def test_few_calls_prove_nothing() -> None:
    tuning = tune([seen(content=n) for n in range(19)], {})
    assert "R1" not in {trial.proposal.rule for trial in tuning.trials}


def test_what_is_worse_is_flagged_and_left() -> None:
    tables: list[Mark] = [
        seen(
            content=n,
            shape="markdown_table",
            columns=3,
            ways={"knapsack": 250, "csv_from_md": 200, "pipeline_deep_mckp": 90},
        )
        for n in range(30)
    ]
    tuning = tune(tables, {})
    assert "R2" in _rules(tuning, Verdict.WORSE)
    assert "templates" not in tuning.table


def test_another_replay_may_judge() -> None:
    def refuses(table: Any) -> LayerSavings:
        found = of_marks(_READS)(table)
        if table:
            found.add("Read", next(iter(found.sums["Read"])), 0, 100_000)
        return found

    tuning = tune(_READS, {}, replay=refuses)
    assert tuning.table == {}
    assert _rules(tuning, Verdict.TAKEN) == set()


def test_near_repeats_switch_near_references_on() -> None:
    marks: list[Mark] = [seen(content=n, bases={n - 1: 20, 0: 20} if n else {}) for n in range(30)]
    assert tune(marks, {}).table["dedup"]["near_ref_enabled"] is True


def test_a_known_model_is_pinned_and_an_unknown_one_is_not() -> None:
    for model, pinned in (("claude-sonnet-4-6-20260201", "claude-sonnet-4.6"), ("muse-1", None)):
        table = tune([*_READS, Ended(model)], {}).table
        assert table["profiles"].get("llm", {}).get("active") == pinned


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    tuning = tune(_READS, {}, on_trial=lambda done, all_: told.append((done, all_)))
    assert told[-1] == (len(tuning.trials), len(tuning.trials))


def test_nothing_recorded_changes_nothing() -> None:
    assert tune([], {"dedup": {"lru_size": 7}}).table == {"dedup": {"lru_size": 7}}

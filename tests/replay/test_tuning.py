"""Tuning on logs with texts: never worse by what these texts say."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from mckp.config.tuner import Verdict
from mckp.replay import Response
from mckp.replay.tuning import tune_log
from tests.replay.sessions import PROFILES, generate


def _spoiled(profile: str) -> dict[str, Any]:
    tools = {each.tool for each in generate(profile, 2, 60) if isinstance(each, Response)}
    return {"endpoint_overrides": {tool: {"dedup_enabled": False} for tool in sorted(tools)}}


@pytest.mark.parametrize("profile", PROFILES)
def test_no_profile_becomes_worse(profile: str) -> None:
    log = partial(generate, profile, 2, 60)
    fresh, again = tune_log(log, {}), tune_log(log, _spoiled(profile))
    assert not fresh.is_worse
    assert again.after.tokens < again.before.tokens
    assert again.after.tokens <= fresh.before.tokens


def test_texts_may_decide_on_each_proposal() -> None:
    log = partial(generate, "file_search_heavy", 2, 50)
    tuning = tune_log(log, {}, exact=True)
    taken = [each for each in tuning.trials if each.verdict is Verdict.TAKEN]
    assert all(each.after <= each.before for each in taken)
    assert tuning.after.tokens == tuning.trials[-1].after <= tuning.before.tokens


def test_how_far_it_is_is_told() -> None:
    read, tried = list[int](), list[tuple[int, int]]()
    log = partial(generate, "file_search_heavy", 2, 30)
    tune_log(log, {}, on_mark=read.append, on_trial=lambda n, of: tried.append((n, of)))
    assert read == list(range(1, 31))
    assert tried[-1][0] == tried[-1][1] == len(tried)

"""Made-up sessions: the same everywhere, and of the kind that their profile promises."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from itertools import pairwise

import pytest

from mckp.errors import UnknownNameError
from mckp.replay.generate import PROFILES, generate
from mckp.replay.log import Compact, Edit, End, Response, to_line


def _responses(profile: str, events: int = 400) -> list[Response]:
    return [each for each in generate(profile, 3, events) if isinstance(each, Response)]


@pytest.mark.parametrize("profile", PROFILES)
def test_as_many_responses_as_asked_for(profile: str) -> None:
    actions = list(generate(profile, 5, 130))
    assert sum(isinstance(action, Response) for action in actions) == 130
    assert isinstance(actions[-1], End)


def _digest(profile: str, seed: int) -> str:
    text = "\n".join(map(to_line, generate(profile, seed, 200)))
    return sha256(text.encode()).hexdigest()[:16]


@pytest.mark.parametrize("profile", PROFILES)
def test_another_seed_gives_other_sessions(profile: str) -> None:
    assert _digest(profile, 1) == _digest(profile, 1) != _digest(profile, 2)


@pytest.mark.parametrize(
    ("profile", "digest"),
    [
        ("file_search_heavy", "786a16e42def70f1"),
        ("pipeline_monitor", "a4f5f72239082e93"),
        ("marathon_refactor", "1b9f1027d69f9b8f"),
    ],
)
def test_the_same_on_every_platform(profile: str, digest: str) -> None:
    assert _digest(profile, 1) == digest


def test_searching_repeats_exactly() -> None:
    texts = Counter(each.text for each in _responses("file_search_heavy"))
    assert 0.25 < 1 - len(texts) / 400 < 0.75


def test_polls_change_a_little() -> None:
    polls = [each for each in _responses("pipeline_monitor") if "latest_pipeline" in each.tool]
    pairs = [(a, b) for a, b in pairwise(polls) if a.args == b.args]
    changed = [a for a, b in pairs if a.text != b.text]
    assert 0.3 < len(changed) / len(pairs) < 0.95
    assert all(abs(len(a.text) - len(b.text)) < 8 for a, b in pairs)


def test_a_marathon_edits_compacts_and_sends_others() -> None:
    actions = list(generate("marathon_refactor", 1, 500))
    kinds = Counter(type(action) for action in actions)
    assert kinds[Edit] > 50
    assert kinds[Compact] >= 3
    assert len({each.agent for each in actions if isinstance(each, Response)}) > 3


def test_what_was_edited_is_read_differently() -> None:
    last: dict[str, str] = {}
    edited: set[str] = set()
    for action in generate("marathon_refactor", 1, 500):
        if isinstance(action, Edit):
            edited.add(action.file)
        elif isinstance(action, Response) and action.tool == "Read" and action.file:
            same = last.get(action.file) == action.text
            assert same != (action.file in edited) or action.file not in last
            last[action.file] = action.text
            edited.discard(action.file)


def test_an_unknown_profile_is_named() -> None:
    with pytest.raises(UnknownNameError, match="file_search_heavy"):
        generate("night_shift", 1, 10)

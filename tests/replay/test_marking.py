"""Marks say what a session would save, and nothing of what was said."""

from __future__ import annotations

from itertools import product

import pytest

from mckp.config import Config
from mckp.config.tuner import Changed, Ended, Layer, Seen, of_marks
from mckp.config.tuner.simulate import (
    EXPLANATION_TOKENS,
    LABEL_TOKENS,
    NUMBER_TOKENS,
    REFERENCE_TOKENS,
)
from mckp.encoders.hints import COMPACT, Label, Reference
from mckp.replay import Edit, End, Response, replay, settings_for
from mckp.replay.marking import marks
from mckp.session.sender import EXPLAINED
from mckp.tokenizers import get
from tests.replay.sessions import PROFILES, generate

_LAYERS = (Layer.REFERENCE, Layer.NEAR, Layer.ENCODED, Layer.PLAIN)


@pytest.mark.parametrize(("profile", "near", "size"), [*product(PROFILES, (False, True), (3, 12))])
def test_a_replay_of_marks_is_close_to_one_of_texts(profile: str, near: bool, size: int) -> None:
    table = {"dedup": {"near_ref_enabled": near, "lru_size": size}}
    actions = list(generate(profile, 4, 150))
    tools = {each.tool for each in actions if isinstance(each, Response)}
    settings = settings_for(Config.of_table(table), tools)
    told = replay(actions, settings, checks=False).savings
    made = of_marks(list(marks(actions, settings)))(table)
    assert made.of().baseline == told.of().baseline
    if near:  # the texts that may be referred to are few, so some near repeats are missed
        assert made.tokens == pytest.approx(told.tokens, rel=0.03)
    else:
        layers = [made.of(layer) for layer in _LAYERS]
        assert layers == [told.of(layer) for layer in _LAYERS]


def test_lines_of_a_session_have_as_many_tokens_as_is_thought() -> None:
    count = get("o200k").count
    assert count(f"{Label(10)}\n") == LABEL_TOKENS
    assert count(str(Reference(10))) == REFERENCE_TOKENS
    assert (
        count(f"{Reference(10)}\n{EXPLAINED.format(10)}") == REFERENCE_TOKENS + EXPLANATION_TOKENS
    )
    for form in (COMPACT, "csv_from_md", "pipeline_deep_mckp", "mr_diff_fence"):
        assert count(f"{Label(10, form)}\n") == count(f"{Label(None, form)}\n") + NUMBER_TOKENS


def _seen(*actions: Response | Edit | End) -> list[Seen]:
    return [each for each in marks(actions) if isinstance(each, Seen)]


def test_what_is_equal_has_equal_numbers() -> None:
    first, second, third = _seen(
        Response("Read", "{}", "a" * 300, "f"),
        Response("Read", "{}", "b" * 300, "f"),
        Response("Read", "[]", "a" * 300, "g"),
    )
    assert first.content == third.content != second.content
    assert first.call == second.call != third.call
    assert first.source == second.source != third.source


def test_an_edit_touches_what_was_read_of_its_file() -> None:
    read = Response("Read", "{}", "text", "src/a.py")
    other = Response("Read", "{}", "text", "src/b.py")
    found = list(marks([read, other, Edit("src/a.py"), Edit("src/a.py"), read, End()]))
    changed = [each for each in found if isinstance(each, Changed)]
    assert [len(each.sources) for each in changed] == [1]
    assert isinstance(found[-1], Ended)


def test_nothing_that_was_said_is_in_a_mark() -> None:
    secret = '{"password": "hunter2", "path": "/home/amara/x.py", "log": "2026-03-02 11:22:33"}'
    found = list(marks([Response("Read", '{"file_path":"/home/amara/x.py"}', secret, "/home/x")]))
    said = repr(found)
    assert not any(word in said for word in ("hunter2", "amara", "/home", "2026"))

"""What a replay reports is so: what was saved, what can be had again, and what is left of uses."""

import json
from pathlib import Path

import pytest

from mckp.agents.config import Config, settings_for
from mckp.agents.messages import ToolPolicy
from mckp.agents.replay import Compact, Edit, End, Response, read_log, replay
from mckp.agents.session import Session, SessionSettings
from tests.replay.test_learning import log

EXAMPLE = Path(__file__).parents[2] / "examples" / "session.jsonl"
PAGE = json.dumps([{"id": n, "state": "open", "title": f"job {n}"} for n in range(30)])


@pytest.mark.slow
@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("budget", [None, 150])
def test_all_of_the_example_can_be_had_again(near: bool, budget: int | None) -> None:
    """Every result of the example log can be recalled, with and without a budget and deltas."""
    config = Config.of_table({"dedup": {"near_ref_enabled": near}})
    played = replay(read_log(EXAMPLE), settings_for(config, budget=budget))
    assert played.failures == []
    assert played.restored == played.total.responses == 30
    assert (played.total.cut > 0) == (budget is not None)
    assert played.sessions == 1


def test_sums_are_those_of_the_sessions() -> None:
    """The figures of a replay are the savings of a session, in all and for each tool."""
    actions = [Response("find", "1", PAGE), Response("find", "1", PAGE), Response("ls", "", "a b")]
    played, session = replay(actions, SessionSettings()), Session()
    for action in actions:
        session.add(tool=action.tool, text=action.text)
    assert played.total == session.savings
    assert list(played.tools) == ["find", "ls"]
    assert sum(sums.baseline for sums in played.tools.values()) == played.total.baseline
    assert (played.tools["find"].hits, played.tools["ls"].hits) == (1, 0)
    said = played.to_dict()
    assert said["tools"]["find"]["hits"] == 1
    assert json.loads(json.dumps(said)) == said


@pytest.mark.parametrize("between", [Edit("a.py"), Compact(), End()])
def test_what_is_no_longer_there_is_not_referred_to(between: Edit | Compact | End) -> None:
    """After an edit, a compaction or the end, a repeated result is no hit."""
    read = Response("Read", "a.py", PAGE, file="a.py")
    assert replay([read, read], SessionSettings()).total.hits == 1
    played = replay([read, between, read], SessionSettings())
    assert (played.total.hits, played.restored) == (0, 2)
    assert played.sessions == (2 if isinstance(between, End) else 1)


def test_agents_have_contexts_of_their_own() -> None:
    """What one was sent the other has not read."""
    actions = [Response("find", "", PAGE, agent=name) for name in ("main", "sub", "main")]
    assert replay(actions, SessionSettings()).total.hits == 1


@pytest.mark.slow
def test_a_budget_is_judged_by_what_later_calls_used() -> None:
    """Without one nothing is looked for; the smaller, the less of it is left."""
    assert replay(log(4), SessionSettings()).uses == 0
    plays = [replay(log(4), SessionSettings(budget=budget)) for budget in (9000, 300, 120)]
    assert [play.uses for play in plays] == [16, 16, 16]
    uses_kept = [play.uses_kept for play in plays]
    assert uses_kept == sorted(uses_kept, reverse=True)
    assert uses_kept[0] == 16 > uses_kept[2]
    factors = {"machines[*].fuse": 16.0, "machines[*].title": 0.05}
    learnt = replay(
        log(4), SessionSettings(budget=120, policies={"list": ToolPolicy(priorities=factors)})
    )
    assert learnt.uses_kept > uses_kept[2]


def test_what_says_something_else_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that loses something is found out, and the first failures are named."""

    def other(_: Session, __: int) -> str:
        return "something"

    monkeypatch.setattr(Session, "recall", other)
    played = replay([Response("find", str(n), f"{PAGE}{n}") for n in range(30)], SessionSettings())
    assert played.restored == 0
    assert len(played.failures) == 20
    assert played.failures[0] == "response 1 of find: recalling #1 gives something else"


def test_progress_counts_the_results() -> None:
    """The callback gets the number of results so far."""
    seen: list[int] = []
    replay(log(2), SessionSettings(), on_response=seen.append)
    assert seen == [1, 2, 3, 4]

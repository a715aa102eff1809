"""What fields are worth is learnt from sessions, and kept if it holds in others."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.agents.messages import ToolPolicy
from mckp.agents.replay import Action, End, Response
from mckp.agents.replay.learning import Lesson, learnt_factors, lessons, lessons_to_keep, used_in
from mckp.agents.session import Session, SessionSettings
from mckp.agents.telemetry import Uses
from mckp.weights import Priorities


def machines(session: int) -> dict[str, Any]:
    """Return a result in which a field that nobody would expect is what matters."""
    rows = [
        {
            "id": n,
            "title": f"Machine {n} of hall {session}, where the nightly builds are run",
            "owner": f"team-{7 * n + session}",
            "since": f"20{10 + n % 9}-0{1 + n % 8}-1{n % 7}",
            "fuse": f"{'abcdefgh'[n % 8]}{session}{'kqz'[n % 3]}{n // 2}",
        }
        for n in range(14)
    ]
    return {"machines": rows, "total": 14}


def log(sessions: int = 8) -> Iterator[Action]:
    """Yield sessions in which the fuses of a few machines are asked for again."""
    for session in range(sessions):
        data = machines(session)
        yield Response("list", "{}", json.dumps(data))
        fuses = [data["machines"][n]["fuse"] for n in range(8, 12)]
        yield Response("replace", json.dumps({"fuses": fuses}), "done")
        yield End()


def test_what_was_used_is_found() -> None:
    """The values that later calls used are found for each result; factors change their recall."""
    results = used_in(log(2))
    assert [(result.tool, result.session_number, len(result.uses)) for result in results] == [
        ("list", 0, 4),
        ("list", 1, 4),
    ]
    assert results[0].recall({"machines[*].fuse": 16.0}) > results[0].recall(
        {"machines[*].fuse": 0.01}
    )


@pytest.mark.slow
def test_factors_are_tried_on_other_sessions() -> None:
    """Learnt factors raise what is left of uses in other sessions, and are in the configuration."""
    (lesson,) = lessons(used_in(log()), {})
    assert lesson.results == 8
    assert lesson.after > lesson.before
    assert lesson.factors["machines[*].fuse"] > 2
    assert lessons_to_keep([lesson]) == [lesson]
    (again,) = lessons(used_in(log()), {"list": lesson.factors})
    assert lessons_to_keep([again]) == []


def test_one_session_proves_nothing() -> None:
    """A lesson from one session is tried on no result and not kept."""
    (lesson,) = lessons(used_in(log(1)), {})
    assert lesson.results == 0
    assert lessons_to_keep([lesson]) == []


def test_what_gains_nothing_is_not_kept() -> None:
    """A lesson that gains nothing is dropped; an untried one needs a good one beside it."""
    good = Lesson("a", {"x": 2.0}, 0.5, 0.9, 9)
    worse, even = Lesson("b", {"x": 2.0}, 0.5, 0.49, 9), Lesson("c", {"x": 2.0}, 0.5, 0.5, 9)
    untried = Lesson("d", {"x": 2.0}, 0.0, 0.0, 0)
    assert lessons_to_keep([worse, good, even, untried]) == [good, untried]
    assert lessons_to_keep([worse, even, untried]) == []


@pytest.mark.slow
def test_counts_of_telemetry_are_learnt_from() -> None:
    """A session counts what the log shows, and what is learnt from that is tried on the log."""
    uses = Uses()
    for number in range(4):
        session = Session(uses=uses)
        for action in [logged for logged in log() if isinstance(logged, Response)][2 * number :][
            :2
        ]:
            session.add(tool=action.tool, args=json.loads(action.args), text=action.text)
    counts = uses.counts()
    assert counts["list"]["machines[*].fuse"]["used"] == 4

    def counted(tool: str) -> list[Mapping[str, Any]]:
        return [counts.get(tool, {})]

    (lesson,) = lessons_to_keep(list(lessons(used_in(log()), {}, counted)))
    assert lesson.factors["machines[*].fuse"] > 2


def test_a_session_keeps_what_is_worth_more() -> None:
    """Within a budget, a session keeps the fields with learnt worth; whole results stay."""
    factors = {"machines[*].fuse": 16.0, "machines[*].title": 0.05}
    settings = SessionSettings(policies={"list": ToolPolicy(priorities=factors)})
    data = machines(1)
    text = json.dumps(data)
    plain = Session().add(tool="list", text=text, budget=110).text
    learnt_text = Session(settings).add(tool="list", text=text, budget=110).text
    fuses = [machine["fuse"] for machine in data["machines"]]
    assert sum(fuse in learnt_text for fuse in fuses) > sum(fuse in plain for fuse in fuses)
    other_text = Session(settings).add(tool="other", text=text, budget=110).text
    assert other_text == plain
    whole = Session(settings).add(tool="list", text=text).text
    assert whole == Session().add(tool="list", text=text).text


def test_what_was_cut_is_not_counted_against_a_field() -> None:
    """What nobody could read cannot be used, so it has no vote."""
    uses = Uses()
    session = Session(uses=uses)
    text = json.dumps(machines(2))
    sent = session.add(tool="list", text=text, budget=70)
    assert "team-16" in sent.text
    assert "h2q3" not in sent.text
    session.add(tool="get", args={"of": "team-16"}, text="done")
    kept = {f"machines[*].{name}" for name in ("id", "owner")}
    assert uses.counts()["list"].keys() == kept | {"total"}


FIELDS = st.sampled_from(["id", "rows[*].id", "rows[*].name", "rows[*].by.*", "rows", "[*].a"])
VOTES = st.floats(0, 50)
COUNTS = st.dictionaries(
    FIELDS,
    st.fixed_dictionaries({"results": st.integers(2, 99), "expected": VOTES, "used": VOTES}),
)


def votes(results: int, expected: float, used: float) -> dict[str, float]:
    return {"results": results, "expected": expected, "used": used}


@given(st.lists(COUNTS, max_size=3))
def test_factors_are_priorities(counts: list[dict[str, Any]]) -> None:
    """Learnt factors are valid priorities from 0.06 to 16."""
    factors = learnt_factors(counts)
    Priorities(factors)
    assert all(0.06 <= factor <= 16 for factor in factors.values())


def test_few_counts_hardly_move_anything() -> None:
    """One vote of two results is worth less than a doubling; twenty are worth all."""
    assert learnt_factors([{"a": votes(1, 0.1, 1)}]) == {}
    few = learnt_factors([{"a": votes(2, 0.2, 0.5), "b": votes(2, 0.2, 0)}])
    assert all(0.7 < factor < 1.5 for factor in few.values())
    many = learnt_factors([{"a": votes(40, 8, 20), "b": votes(40, 20, 0)}])
    assert many["a"] > 3
    assert many["b"] < 0.1


@given(st.floats(0.5, 20), st.floats(0.5, 20))
def test_what_is_used_more_is_worth_more(less: float, more: float) -> None:
    """A field that is used more often has no smaller factor."""
    less, more = sorted((less, more))
    factors = learnt_factors([{"a": votes(20, 10, less), "b": votes(20, 10, more)}])
    assert factors.get("a", 1) <= factors.get("b", 1) * 1.06


def test_new_fields_are_worth_what_is_beside_them() -> None:
    """The factor of an object is that of its fields, so that new fields have it too."""
    factors = learnt_factors([{"rows[*].a": votes(30, 4, 20), "fields[*].name": votes(30, 20, 0)}])
    assert factors["rows"] > 2
    assert factors["fields"] < 0.1
    assert not any(field.endswith("[*]") for field in factors)


@pytest.mark.parametrize(
    "counts",
    [
        {"a[": votes(9, 1, 9)},
        {"a": 7},
        {"a": {"results": 9}},
        {"a": votes(9, float("nan"), 1)},
        {"a": votes(9, -1, 1)},
        {"a": {"results": "9", "expected": 1, "used": 1}},
        {"a": {"results": True, "expected": 1, "used": 1}},
        {"": votes(9, 1, 9)},
    ],
)
def test_what_is_no_count_is_left_out(counts: dict[str, Any]) -> None:
    """Counts with wrong patterns or numbers teach nothing."""
    assert learnt_factors([counts]) == {}

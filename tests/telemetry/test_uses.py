"""Counts of uses hold names of fields and numbers, and nothing that was in a document."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.agents.telemetry import Anonymiser, Recorder, Uses, fields, read_telemetry
from mckp.agents.telemetry.fields import MEMBERS, count_votes, fields_of
from mckp.weights.leaves import data_leaves
from mckp.weights.patterns import read_pattern

RESULTS = 6
NAMES = st.one_of(
    st.sampled_from(["id", "title", "user", "createdAt", "$ref"]),
    st.emails(),
    st.uuids().map(str),
    st.text(max_size=8),
)
DATA = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), NAMES, st.text(max_size=12)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


def steps(field: str) -> list[str]:
    return [step for step in read_pattern(field) if isinstance(step, str)]


@given(DATA)
def test_no_value_is_in_a_field(data: Any) -> None:
    """No counted field holds a value, or a name that looks like one."""
    said = set(_strings(data))
    for path, field in fields_of(data).items():
        if field != "$":
            assert said.isdisjoint(steps(field)), (path, field)
            assert not any("@" in name[1:] or " " in name for name in steps(field))


def _strings(value: Any) -> list[str]:
    return [leaf.value for leaf in data_leaves(value) if isinstance(leaf.value, str)]


@pytest.mark.parametrize(
    "names",
    [
        ["ann@example.org", "bob"],
        ["ann lee", "bob"],
        ["2026-01-02", "total"],
        ["card_4196779", "card"],
        ["550e8400-e29b-41d4-a716-446655440000"],
        ["x" * 41],
        [f"user{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(MEMBERS + 1)],
    ],
)
def test_names_of_maps_are_stars(names: list[str]) -> None:
    """Keys that may be data are counted as `*`."""
    assert {*fields_of({"by": dict.fromkeys(names, 1)}).values()} == {"by.*"}


def test_a_map_is_known_by_its_alike_members() -> None:
    """Objects of the same members are records of a map, whatever they are called."""
    accounts = {name: {"plan": "free", "seats": 2} for name in ("ann", "bob")}
    assert {*fields_of(accounts).values()} == {"*.plan", "*.seats"}
    parts = {"author": {"login": "x1"}, "labels": {"total": 2}}
    assert {*fields_of(parts).values()} == {"author.login", "labels.total"}


def test_deep_fields_end() -> None:
    """The name of a very deep field is short and a valid pattern."""
    data: Any = 1
    for _ in range(200):
        data = {"in": [data]}
    (field,) = fields_of(data).values()
    assert len(field) < 100
    assert read_pattern(field)


def test_a_result_has_one_vote() -> None:
    """The votes of a result add up to one, shared by its used values."""
    payload = {"rows": [{"id": 70412, "name": "kestrel"}, {"id": 70413, "name": "kestrel"}]}
    uses: list[dict[str, Any]] = [
        {"value": 70412, "paths": [["rows", 0, "id"]]},
        {"value": "kestrel", "paths": [["rows", 0, "name"], ["rows", 1, "name"]]},
    ]
    counts = count_votes(payload, uses)
    assert {field: field_counts["used"] for field, field_counts in counts.items()} == {
        "rows[*].id": 0.5,
        "rows[*].name": 0.5,
    }
    assert sum(field_counts["expected"] for field_counts in counts.values()) == pytest.approx(1)
    assert {field_counts["results"] for field_counts in counts.values()} == {1}
    assert count_votes(payload, []) == {}


def run(uses: Uses, number: int) -> None:
    uses.add_call({"job": number})
    uses.add_result("find", {"job": number}, json.dumps({"host": f"kestrel-{number}", "ok": True}))
    uses.add_call({"host": f"kestrel-{number}"})
    uses.add_result("restart", {"host": f"kestrel-{number}"}, "done")


def test_long_conversations_are_counted_as_they_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what may still be used, or says what is known, is kept."""
    monkeypatch.setattr(fields, "WINDOW", RESULTS)
    uses = Uses()
    for number in range(3 * RESULTS):
        run(uses, number)
        assert len(uses) < 10 * RESULTS
    counts = uses.counts()
    assert counts["find"]["host"] == {
        "expected": pytest.approx(2 * RESULTS, rel=0.2),
        "used": 3 * RESULTS,
        "results": 3 * RESULTS,
    }
    assert counts["find"]["ok"]["used"] == 0
    assert "restart" not in counts


@pytest.mark.parametrize("odd", [{1, 2}, object(), float("nan"), {"a": b"x"}, "[NaN]", "\ud800"])
def test_odd_data_stops_nothing(odd: Any) -> None:
    """Odd arguments and texts do not keep later uses from being counted."""
    uses = Uses()
    uses.add_call(odd)
    uses.add_result("find", odd, "[NaN, 1e999, 70412]")
    run(uses, 1)
    assert uses.counts()["find"]["host"]["used"] == 1


def test_what_is_written_has_no_value(tmp_path: Path) -> None:
    """Servers are hashed as in events; what is written has counts, and comes back as it was."""
    names = Anonymiser("ours")
    uses, session = Uses(names.tool), names.session("one")
    secret = {"ann@example.org": {"card": "4196-7790"}, "bob": {"card": "5521-0031"}}
    uses.add_result("mcp__acme__accounts", {"who": "bob"}, json.dumps(secret))
    uses.add_call({"pay_with": "4196-7790"})
    Recorder(tmp_path, session).record_uses(uses.counts())
    written = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    for value in (b"ann", b"bob", b"4196", b"5521", b"acme", b"pay_with"):
        assert value not in written
    (counts,) = read_telemetry(tmp_path).uses
    assert counts[names.tool("mcp__acme__accounts")]["*.card"]["used"] == 1

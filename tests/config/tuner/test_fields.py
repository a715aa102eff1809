"""Factors of fields follow counts, hardly move for few of them, and survive hostile ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.config import SessionContext, dumps, load, loads, resolve
from mckp.config.tuner.fields import learnt
from mckp.errors import ConfigError
from mckp.session import SessionSettings, settings_for
from mckp.weights import Priorities

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = st.sampled_from(["id", "rows[*].id", "rows[*].name", "rows[*].by.*", "rows", "[*].a"])
VOTES = st.floats(0, 50)
COUNTS = st.dictionaries(
    FIELDS,
    st.fixed_dictionaries({"results": st.integers(2, 99), "expected": VOTES, "used": VOTES}),
)


def votes(results: int, expected: float, used: float) -> dict[str, float]:
    """Return the counts of one field."""
    return {"results": results, "expected": expected, "used": used}


@given(st.lists(COUNTS, max_size=3))
def test_factors_are_priorities(counts: list[dict[str, Any]]) -> None:
    found = learnt(counts)
    Priorities(found)
    assert all(0.06 <= factor <= 16 for factor in found.values())


def test_few_counts_hardly_move_anything() -> None:
    """One vote of two results is worth less than a doubling; twenty are worth all."""
    assert learnt([{"a": votes(1, 0.1, 1)}]) == {}
    few = learnt([{"a": votes(2, 0.2, 0.5), "b": votes(2, 0.2, 0)}])
    assert all(0.7 < factor < 1.5 for factor in few.values())
    many = learnt([{"a": votes(40, 8, 20), "b": votes(40, 20, 0)}])
    assert many["a"] > 3
    assert many["b"] < 0.1


@given(st.floats(0.5, 20), st.floats(0.5, 20))
def test_what_is_used_more_is_worth_more(less: float, more: float) -> None:
    less, more = sorted((less, more))
    found = learnt([{"a": votes(20, 10, less), "b": votes(20, 10, more)}])
    assert found.get("a", 1) <= found.get("b", 1) * 1.06


def test_new_fields_are_worth_what_stands_beside_them() -> None:
    """A field that nobody has seen gets the factor of what it is in."""
    found = learnt([{"rows[*].a": votes(30, 4, 20), "fields[*].name": votes(30, 20, 0)}])
    assert found["rows"] > 2
    assert found["fields"] < 0.1
    assert not any(field.endswith("[*]") for field in found)


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
    assert learnt([counts]) == {}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('"a[" = 2', 'salience.find."a[": '),
        ('"" = 2', 'salience.find."": '),
        ("title = -1", "salience.find.title: -1 is not allowed; expected a number from 0 to 1000"),
        ("title = nan", "salience.find.title: "),
        ('title = "pin"', "salience.find.title: "),
        ("title = true", "salience.find.title: "),
        ("title = 1e9", "salience.find.title: "),
    ],
)
def test_hostile_factors_are_told(tmp_path: Path, line: str, told: str) -> None:
    """File, key and what is expected."""
    file = tmp_path / "config.toml"
    file.write_text(f"schema_version = 2\n[salience.find]\n{line}\n")
    with pytest.raises(ConfigError) as caught:
        load(file)
    assert told in str(caught.value)
    assert "config.toml" in str(caught.value)
    assert "expected" in str(caught.value)


def test_factors_come_to_sessions_under_names_of_telemetry() -> None:
    """A file may call a tool as telemetry does, and be written again."""
    from mckp.telemetry import Anonymiser

    tool = "mcp__acme__find"
    own = Anonymiser("ours").tool(tool)
    config = loads(f'schema_version = 2\n[salience."{own}"]\n"[*].title" = 3\n')
    settings = settings_for(resolve(config, SessionContext()), tools=[tool], salt="ours")
    assert settings.salience[tool] == {"[*].title": 3.0}
    assert SessionSettings.from_dict(settings.to_dict()) == settings
    assert loads(dumps(config)) == config


@pytest.mark.parametrize("factors", [{"a[": 1.0}, {"a": -1.0}, {"a": "2"}])
def test_settings_check_factors(factors: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        SessionSettings(salience={"find": factors})

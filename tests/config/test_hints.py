"""All hints pass one gate, which knows the model and counts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from mckp.config import HintGate, HintRule, SessionContext, loads, resolve
from mckp.config.hints import HINTS
from mckp.errors import UnknownNameError
from mckp.session import settings_for


@pytest.mark.parametrize("model", ["gpt-oss:20b", "gemma4:26b", "openai/gpt-oss-20b"])
def test_inline_format_hint_can_fire(model: str) -> None:
    """A hint for some models is given to them: the gate is asked with the model's id."""
    gate = HintGate()
    assert [gate.allow("inline_format_hint", model) for _ in range(12)] == [True] * 10 + [False] * 2


@pytest.mark.parametrize("model", ["*", "glm-5.1", "gpt-4o", "gpt-oss:120b", ""])
def test_inline_format_hint_is_for_no_other_model(model: str) -> None:
    """It fires for none but those, not even for the pattern of all."""
    assert not HintGate().allow("inline_format_hint", model)


@pytest.mark.parametrize("kind", HINTS)
def test_the_limit_of_a_session_holds(kind: str) -> None:
    """No type is given more often than its rule says, and each session counts anew."""
    gates = [HintGate({kind: HintRule(max_per_session=3)}) for _ in range(2)]
    for gate in gates:
        assert sum(gate.allow(kind, "x") for _ in range(9)) == 3
        assert gate.given() == {kind: 3}


def test_the_limit_holds_among_threads() -> None:
    """Calls at the same time share one count."""
    gate = HintGate({"delta": HintRule(max_per_session=100)})
    with ThreadPoolExecutor(8) as pool:
        allowed = list(pool.map(gate.allow, ["delta"] * 1000, ["x"] * 1000))
    assert sum(allowed) == 100


def test_types_that_are_off_stay_off() -> None:
    """Those measured not to help are never given by default."""
    gate = HintGate()
    assert not gate.allow("schema_explainer", "gpt-4o")
    assert not gate.allow("delta", "gpt-4o")
    assert gate.given() == {}


def test_what_might_be_given_does_not_count() -> None:
    """Only what is allowed does, in this gate or in the one that it goes on from."""
    gate = HintGate({"delta": HintRule(max_per_session=1)})
    assert gate.may("delta", "x")
    assert gate.allow("delta", "x")
    again = HintGate({"delta": HintRule(max_per_session=1)})
    again.fill(gate.given())
    assert not gate.may("delta", "x")
    assert not again.allow("delta", "x")


def test_types_that_nobody_knows_are_refused() -> None:
    """A misspelt type is no hint that is silently off."""
    with pytest.raises(UnknownNameError, match="near_ref"):
        HintGate().allow("near-ref", "x")


def test_rules_of_a_file_reach_the_gate_of_a_session() -> None:
    """What a file says of a type is what the session's gate goes by, the rest as built in."""
    text = "schema_version = 2\n[hints.types.inline_format_hint]\nmax_per_session = 2\n"
    for model, count in (("gemma4:26b-it-q4_K_M", 2), ("glm-5.1", 0)):
        effective = resolve(loads(text), SessionContext(model))
        gate = effective.gate()
        assert sum(gate.allow("inline_format_hint", model) for _ in range(5)) == count
        assert settings_for(effective).hints["inline_format_hint"].enabled == bool(count)

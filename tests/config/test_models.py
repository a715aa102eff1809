"""Ids of models as APIs have them are found under the names that profiles have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.config.hints import applies, best, is_model
from mckp.config.profiles import LLMS


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("claude-sonnet-4.6", "claude-sonnet-4.6"),
        ("claude-sonnet-4.6", "claude-sonnet-4-6"),
        ("claude-sonnet-4.6", "claude-sonnet-4-6-20260201"),
        ("claude-sonnet-4.6", "anthropic/claude-sonnet-4.6"),
        ("claude-sonnet-4.6", "us.anthropic.claude-sonnet-4-6-20260201-v1:0"),
        ("claude-sonnet-4.6", "claude-sonnet-4-6@20260201"),
        ("claude-sonnet-4.6", "Claude-Sonnet-4-6-latest"),
        ("claude-sonnet-4.6", "claude-sonnet-4-6[1m]"),
        ("glm-5.1", "z-ai/glm-5.1:free"),
        ("gpt-oss:20b", "openai/gpt-oss-20b"),
        ("gpt-oss:20b", "gpt-oss:20b-q4_K_M"),
        ("gemma4:26b", "gemma4:26b-it-fp16"),
    ],
)
def test_ids_of_a_model(name: str, model: str) -> None:
    """A date, a stage, a region or a way of storing makes no other model."""
    assert is_model(name, model)
    assert best(LLMS, model) == name


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("claude-sonnet-4", "claude-sonnet-4-6-20260201"),
        ("claude-sonnet-4.6", "claude-sonnet-4-5-20250929"),
        ("claude-sonnet-4.6", "claude-sonnet-4-20250514"),
        ("claude-sonnet-4.6", "claude-opus-4-6"),
        ("gpt-oss:20b", "gpt-oss:120b"),
        ("gpt-4o", "gpt-4o-mini"),
        ("glm-5", "glm-5.1"),
        ("glm-5.1", "glm-5.1-air"),
        ("o1", "o10"),
        ("", "claude"),
    ],
)
def test_ids_of_other_models(name: str, model: str) -> None:
    """Another version or size is another model."""
    assert not is_model(name, model)


@given(st.sampled_from(sorted(LLMS)), st.dates())
def test_every_name_is_found_with_a_date(name: str, day: object) -> None:
    """Whatever the day, the id of a profile's model is found."""
    assert is_model(name, f"{name}-{str(day).replace('-', '')}")


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_is_answered(name: str, model: str) -> None:
    """Ids come from outside: none of them is an error."""
    assert is_model(name, model) in (True, False)
    assert applies(["*"], model)
    assert not applies([], model)

"""The estimate for Claude: never below a reconstruction's counts, and called an estimate."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.tokenizers import get

BUILDS = json.loads((Path(__file__).parents[2] / "examples" / "builds.json").read_text("utf-8"))
SAMPLES = json.loads(Path(__file__).with_name("claude.json").read_text("utf-8"))
TEXTS = {kind: each["text"] * each["times"] for kind, each in SAMPLES.items()}
COUNTS = {kind: each["count"] for kind, each in SAMPLES.items()}
"""What ctok 1.3.0 counts for Claude 4.8, the frame of a message included."""


@pytest.mark.parametrize("kind", TEXTS)
def test_the_estimate_is_below_no_count(kind: str) -> None:
    """A budget for Claude holds, by what is publicly known of it."""
    assert get("claude-sonnet-4").count(TEXTS[kind]) >= COUNTS[kind]


@pytest.mark.parametrize("kind", ["JSON", "JSON, indented", "nested JSON", "CSV", "code", "HTML"])
def test_the_estimate_of_data_and_code_wastes_little(kind: str) -> None:
    assert get("claude-sonnet-4").count(TEXTS[kind]) <= 1.3 * COUNTS[kind]


def test_an_estimate_is_never_called_a_count() -> None:
    result = mckp.encode(BUILDS, budget=400, tokenizer="claude-opus-4-8")
    assert (result.tokenizer, result.exact) == ("anthropic_class", False)
    assert result.tokens <= 400
    assert "estimated by anthropic_class" in result.summary()


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens_by_much(first: str, second: str) -> None:
    """A joint may save what it saves o200k, never more; one text is one of many."""
    estimate = get("claude")
    apart = estimate.count(first) + estimate.count(second)
    assert estimate.count_batch([first, second]) == [estimate.count(first), estimate.count(second)]
    assert 100 * estimate.count(first + second) <= 100 * apart + 4 * 126

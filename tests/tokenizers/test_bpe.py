"""Counts of the shipped vocabularies."""

import pickle
from functools import cache
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiktoken import Encoding
from tiktoken_ext import openai_public

from mckp.tokenizers.backends import Bpe
from mckp.tokenizers.encodings import VOCABULARIES, load, token_file
from tests.strategies import examples, size

both = pytest.mark.parametrize("name", VOCABULARIES)
signs = st.sampled_from([" ", "\t", "\n", "\r", "\u3000", "\x1c", "a", ";", "/", "1"])
blanks = st.lists(signs | st.builds(str.__mul__, signs, st.integers(1, 60)))


@pytest.fixture(params=VOCABULARIES, scope="module")
def bpe(request: pytest.FixtureRequest) -> Bpe:
    return Bpe(str(request.param))


@cache
def by(pattern: str, name: str) -> Encoding:
    ranks = token_file(name).all()
    return Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


@pytest.mark.slow
@both
@given(texts=st.lists(blanks.map("".join), max_size=50))
def test_blanks_are_split_as_by_tiktoken(name: str, texts: list[str]) -> None:
    """Runs of blanks of any length, with other white space in them, have the very same tokens."""
    due = by(VOCABULARIES[name].pattern, name)
    texts += [f"a{' ' * length}{end}" for length in range(99) for end in ("", "a", "\n", "\n a")]
    assert load(name).encode_ordinary_batch(texts) == due.encode_ordinary_batch(texts)


@pytest.mark.slow
def test_run_of_a_million_blanks(bpe: Bpe) -> None:
    """A run of blanks on which tiktoken panics is counted, wherever it is."""
    run = " " * size(1_000_000)
    alone = bpe.count(run)
    assert alone == len(by("(?s:.+)", bpe.name).encode_ordinary(run))
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
    """A batch has the counts of its texts."""
    bpe = Bpe("o200k_base")
    assert bpe.count_batch(batch) == [bpe.count(text) for text in batch]


def test_pickles(bpe: Bpe) -> None:
    """A tokenizer survives pickling."""
    assert pickle.loads(pickle.dumps(bpe)) == bpe


@both
def test_patterns_are_those_of_tiktoken(name: str) -> None:
    """The patterns by which texts are split are the ones of the installed tiktoken."""
    with patch("tiktoken_ext.openai_public.load_tiktoken_bpe"):
        assert getattr(openai_public, name)()["pat_str"] == VOCABULARIES[name].pattern

"""Encodings that hold a part of a vocabulary only."""

from collections.abc import Callable

import pytest
from hypothesis import given

from mckp.errors import MckpError
from mckp.tokenizers import encodings
from mckp.tokenizers.encodings import VOCABULARIES, VocabularySubset, encoding_for, load
from tests.strategies import examples
from tests.tokenizers.test_fragment import texts

both = pytest.mark.parametrize("name", VOCABULARIES)
short = texts.map(lambda text: text[:100])
"""Texts whose substrings are few enough for a part, whatever they are made of."""


@both
@given(first=short, second=short)
@examples(100)
def test_same_tokens(name: str, first: str, second: str) -> None:
    """A part of the vocabulary gives the tokens of the whole, also when it has grown."""
    part = VocabularySubset(name)
    for text in (first, second, first + second):
        encoding = part.encoding_for([text])
        assert encoding is not None
        assert encoding.encode_ordinary(text) == load(name).encode_ordinary(text)


def test_known_texts_change_nothing() -> None:
    """A text of known words adds nothing to the partial vocabulary."""
    part = VocabularySubset("cl100k_base")
    assert part.encoding_for(["id: 1, id: 2"]) is part.encoding_for(["id: 2, id: 1", ""])


def test_much_text_needs_all() -> None:
    """Too many substrings, or too many texts one by one, need the whole vocabulary."""
    part = VocabularySubset("cl100k_base")
    assert part.encoding_for(["é" * 600]) is not None
    assert part.encoding_for(["à" * 600, "ü" * 600, "ö" * 600]) is None
    part = VocabularySubset("cl100k_base")
    is_enough = [
        part.encoding_for([word * 60]) is not None for word in "abcdefghijklmnopqrstuvwxyz"
    ]
    assert is_enough == [True] * sum(is_enough) + [False] * (26 - sum(is_enough))
    assert 9 < sum(is_enough) < 26


@pytest.fixture
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "_LOADED", {})
    monkeypatch.setattr(encodings, "_SUBSETS", {})


@pytest.mark.usefixtures("_fresh")
def test_the_whole_vocabulary_is_kept_to() -> None:
    """Once a text needed the whole vocabulary, it is used from then on."""
    small = encoding_for("cl100k_base", ["a"])
    assert small is encoding_for("cl100k_base", ["a"])
    whole = encoding_for("cl100k_base", ["x y " * 99_999])
    assert whole is encoding_for("cl100k_base", ["a"]) is load("cl100k_base")
    assert whole is not small


def part(name: str) -> object:
    return encoding_for(name, ["a"])


@pytest.mark.usefixtures("_fresh")
@pytest.mark.parametrize("load_one", [load, part])
def test_canary_guards_encodings(
    load_one: Callable[[str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An encoding that miscounts the canary text is refused, the whole one and a part."""
    monkeypatch.setattr(encodings, "CANARY", "a b")
    with pytest.raises(
        MckpError, match=r"with cl100k_base, .* counts 2 tokens in a test text instead of 37"
    ):
        load_one("cl100k_base")

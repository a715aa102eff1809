"""Which library counts, and that it makes no difference."""

import re
import sys
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given

from mckp.tokenizers import backends, by_toktok, encodings
from mckp.tokenizers.backends import Bpe
from mckp.tokenizers.encodings import VOCABULARIES
from tests.strategies import SCALE, examples, size
from tests.tokenizers.test_fragment import texts

both = pytest.mark.parametrize("name", VOCABULARIES)
STEP = max(1, round(16 / SCALE))
"""Every how many-th code point is tried."""


@pytest.fixture
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "_COUNTED", Counter[str]())
    monkeypatch.setattr(by_toktok, "_USABLE", {})


@pytest.fixture
def pretend(_fresh: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[list[str]]]:
    def install(canary: int) -> list[list[str]]:
        asked: list[list[str]] = []

        def batch_count(texts: Any, name: str, threads: int, with_special: bool) -> list[int]:
            assert (threads, with_special) == (1, False)
            asked.append(list(texts))
            return [canary] * len(asked[-1])

        monkeypatch.setitem(sys.modules, "toktok", SimpleNamespace(batch_count=batch_count))
        return asked

    return install


@pytest.fixture
def _toktok() -> None:
    pytest.importorskip("toktok", reason="needs the extra fast")


@pytest.mark.usefixtures("_toktok")
class TestSameCounts:
    @both
    @given(text=texts)
    @example(text="'s'\u017f'lldon't")
    @examples(300)
    def test_texts(self, name: str, text: str) -> None:
        """Both libraries count the same."""
        assert by_toktok.is_usable(name)
        assert by_toktok.count_batch(name, [text, "a"]) == encodings.count_batch(name, [text, "a"])

    @both
    @pytest.mark.parametrize("around", ["\n{}/x", "A{}sA's", " {} 1{}\n"])
    def test_code_points(self, name: str, around: str) -> None:
        """Every character on its own, those that the two know differently sent to tiktoken."""
        newer = re.findall(f"[{by_toktok.NEWER}]", "".join(map(chr, range(0x110000))))
        some = [chr(code) for code in range(0, 0x110000, STEP)]
        batch = [around.format(char, char) for char in (*newer, *some)]
        assert by_toktok.count_batch(name, batch) == encodings.count_batch(name, batch)

    @both
    def test_long_runs_of_blanks(self, name: str) -> None:
        """A run of blanks on which tiktoken panics."""
        run = " " * size(1_000_000)
        batch = [run, f"a{run}é", f"{run}\n\ud800"]
        assert by_toktok.count_batch(name, batch) == encodings.count_batch(name, batch)

    def test_it_is_started_when_much_was_counted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Until starting toktok pays tiktoken counts, and whatever is small."""
        monkeypatch.setattr(backends, "_COUNTED", Counter[str]())
        monkeypatch.setattr(by_toktok, "_USABLE", {})
        monkeypatch.setattr(backends, "SMALL", 3)
        monkeypatch.setattr(backends, "WORTH", 6)
        bpe = Bpe("cl100k_base")
        for text in ("abc", "ab", "ab", "ab"):
            assert bpe.count(text) == 1
            assert not by_toktok.is_started(bpe.name)
        assert bpe.count("abc") == 1
        assert by_toktok.is_started(bpe.name)
        assert backends.fastest_library(bpe.name) == "toktok"


@pytest.mark.slow
def test_newer_characters_start_with_four_bytes() -> None:
    """The first look at a text sees every character that the second is to find."""
    for code in range(0x110000):
        if not 0xD800 <= code < 0xE000 and re.match(f"[{by_toktok.NEWER}]", chr(code)):
            assert by_toktok.is_counted_differently(chr(code))


@pytest.mark.usefixtures("_fresh")
def test_without_toktok(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without toktok, tiktoken counts."""
    monkeypatch.setitem(sys.modules, "toktok", None)
    monkeypatch.setattr(backends, "WORTH", 1)
    monkeypatch.setattr(backends, "SMALL", 1)
    assert backends.fastest_library("o200k_base") == "tiktoken"
    assert Bpe("o200k_base").count("Hello world") == 2


@pytest.mark.slow
def test_miscounting_toktok_is_left_out(pretend: Callable[[int], list[list[str]]]) -> None:
    """A backend that miscounts its probe is not used."""
    asked = pretend(32)
    assert backends.fastest_library("o200k_base") == "tiktoken"
    assert Bpe("o200k_base").count("a" * backends.WORTH) > 0
    assert len(asked) == 1


def test_strange_texts_go_to_tiktoken(pretend: Callable[[int], list[list[str]]]) -> None:
    """Of a batch only the texts that toktok does not count like tiktoken are kept from it."""
    asked = pretend(33)
    assert by_toktok.is_usable("o200k_base")
    strange = ["\ud800", "\n\u088f/x", "'s'\u017f'lldon't"]
    counts = by_toktok.count_batch("o200k_base", ["a", *strange, "é", "\u017f's"])
    assert counts == [33, *encodings.count_batch("o200k_base", strange), 33, 33]
    assert asked[1:] == [["a", "é", "\u017f's"]]

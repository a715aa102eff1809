"""After Ctrl-C, or an exception of a timer, counts are what they always were."""

import sys
from types import FrameType
from typing import Any

import pytest

from mckp.tokenizers import encodings
from mckp.tokenizers.encodings import VocabularySubset, load

WORDS = [f"{first}{second} interrupted counting" for first in "abcdef" for second in "ghijkl"]
PLACES = 60


def interrupted(subset: VocabularySubset, texts: list[str], place: int) -> bool:
    """Interrupt a subset before its n-th line; return whether it has so many."""
    left = place

    def on_line(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename != encodings.__file__:
            return None
        if event == "line":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return on_line

    before = sys.gettrace()
    sys.settrace(on_line)
    try:
        subset.encoding_for(texts)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def begun() -> VocabularySubset:
    subset = VocabularySubset("o200k_base")
    assert subset.encoding_for(["before"]) is not None
    return subset


@pytest.fixture(scope="module")
def places() -> list[int]:
    """Return numbers of lines all over the run of a subset that learns new texts."""
    low, high = 1, 1
    while interrupted(begun(), WORDS, high):
        low, high = high, high * 2
    return sorted({1 + n * low // PLACES for n in range(PLACES)} | {*range(1, 12)})


@pytest.mark.slow
def test_counts_are_right_wherever_an_earlier_one_was_interrupted(places: list[int]) -> None:
    """After an interruption anywhere, a partial vocabulary encodes as the whole one does."""
    whole = load("o200k_base")
    assert len(places) >= PLACES
    for place in places:
        subset = begun()
        assert interrupted(subset, WORDS, place)
        encoding = subset.encoding_for(WORDS)
        assert encoding is not None
        for text in WORDS:
            assert encoding.encode_ordinary(text) == whole.encode_ordinary(text)

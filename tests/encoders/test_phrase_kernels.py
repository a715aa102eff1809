"""The kernels of the search for phrases give what the plain steps give."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.encoders import hands, phrase_search, repeats
from mckp.encoders.atoms import PIECE, UNIT, Atoms, Tally
from mckp.encoders.dictionary import CODES, abridge, expand, spell
from mckp.encoders.hands import PLAIN
from mckp.encoders.kernels import hand, writing
from mckp.encoders.kernels.cutting import cut
from mckp.encoders.kernels.kinds import PIECE_MOVES
from mckp.encoders.kernels.sorting import sort_pairs
from mckp.encoders.kernels.suffixes import sort_suffixes
from tests.strategies import examples

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.encoders.dictionary import Dictionary

COMPILED = hands.of(hands.SMALL + 1)

WORDS = ["https://example.org/", "jobs", "id", "2024-05-", "17", "3.14", '"', "{", "}", "=", "/"]
ODD = [
    "  ",
    "\t",
    "\r",
    "\n",
    "\x1c",
    "\u2028",
    "\u00a0",
    "²",
    "½",
    "\u0663",
    "_",
    "é",
    "ǅ",
    "日本",
]
ODDER = [
    "\U0001f40d",
    "\ud800",
    "\udc00",
    "\u0301",
    "β",
    ".",
    "1.",
    ".5",
    "1.2.3",
    "AbcDEf",
    "\x00",
]
SCRAPS = st.sampled_from([*WORDS, *WORDS, " ", *ODD, *ODDER]) | st.characters()
TEXTS = st.lists(SCRAPS, max_size=60).map("".join)
REPEATING = st.tuples(TEXTS, TEXTS, st.integers(0, 6)).map(
    lambda drawn: drawn[0] + drawn[1] * drawn[2]
)
SYMBOLS = st.lists(st.integers(-1, 3) | st.integers(-1, 60), max_size=200)


def characters(texts: list[str]) -> list[int]:
    return [len(text) for text in texts]


def quarters(texts: list[str]) -> list[int]:
    return [-(-len(text) // 4) for text in texts]


def same_atoms(left: Atoms, right: Atoms) -> bool:
    return all(map(np.array_equal, left, right))


def atoms(symbols: list[int], weights: list[int], inner: list[bool]) -> Atoms:
    places = np.arange(len(symbols))
    return Atoms(
        np.array(symbols, dtype=np.int64),
        np.array(weights, dtype=np.int64),
        np.array(inner, dtype=np.bool_),
        places,
        places + 1,
    )


@given(document=REPEATING)
@examples(300)
def test_cut(document: str) -> None:
    """Both cut a document into the same atoms of the same weights."""
    assert PLAIN.alphabet(document) == COMPILED.alphabet(document)
    for count in (characters, quarters):
        plain, compiled = (each.cut(document, Tally(count)) for each in (PLAIN, COMPILED))
        assert same_atoms(plain, compiled)
    assert sum(plain.ends - plain.starts) == len(document)


@given(texts=st.lists(TEXTS, min_size=1, max_size=5))
@examples(200)
def test_pieces_end_where_a_text_ends(texts: list[str]) -> None:
    """Several texts are cut at once as each is alone."""
    text = hand.characters("".join(texts))
    kinds = hand.kinds_in(text)[text]
    stops = np.cumsum([len(each) for each in texts])
    _, ends, _ = cut(text, kinds, stops, PIECE_MOVES, 0)
    pieces = [piece for each in texts for piece in PIECE.findall(each)]
    assert ends.tolist() == np.cumsum([len(piece) for piece in pieces], dtype=np.int64).tolist()


@given(symbols=SYMBOLS)
@examples(300)
def test_suffixes(symbols: list[int]) -> None:
    """Suffixes are sorted alike, with as much in common."""
    given_symbols = np.array(symbols, dtype=np.int64)
    plain, compiled = repeats.sort_suffixes(given_symbols), sort_suffixes(given_symbols)
    assert all(map(np.array_equal, plain, compiled))


@pytest.mark.parametrize(
    "symbols",
    [
        [0] * 3000,
        [0, 1] * 1500,
        [*range(900)] * 3,
        [-1] * 2000,
        [0, 0, -1] * 700,
        [5, *[7] * 200] * 9,
    ],
    ids=["one", "two", "thrice", "breaks", "lines", "runs"],
)
def test_long_repeats(symbols: list[int]) -> None:
    """Repeats longer than what is compared at first, and groups too large to insert into."""
    given_symbols = np.array(symbols, dtype=np.int64)
    plain, compiled = repeats.sort_suffixes(given_symbols), sort_suffixes(given_symbols)
    assert all(map(np.array_equal, plain, compiled))
    text = atoms(symbols, [UNIT] * len(symbols), [symbol < 0 for symbol in symbols])
    assert PLAIN.worthwhile(text, 9) == COMPILED.worthwhile(text, 9)


@given(numbers=st.lists(st.integers(0, 2**20 - 1), max_size=120), bits=st.integers(20, 40))
@examples(100)
def test_sorting(numbers: list[int], bits: int) -> None:
    """Pairs are sorted by key, and equal ones stay in order."""
    keys, values = np.array(numbers, dtype=np.int64), np.arange(len(numbers))
    sort_pairs(keys, values, len(keys), bits, (np.empty_like(keys), np.empty_like(keys)))
    assert list(zip(keys.tolist(), values.tolist(), strict=True)) == sorted(
        (number, i) for i, number in enumerate(numbers)
    )


@given(symbols=SYMBOLS, most=st.integers(1, 12), data=st.data())
@examples(300)
def test_worthwhile(symbols: list[int], most: int, data: st.DataObject) -> None:
    """The same repeats are chosen, round after round, whatever symbols weigh."""
    size = len(symbols)
    weights = data.draw(st.lists(st.integers(0, 6 * UNIT), min_size=size, max_size=size))
    inner = data.draw(
        st.lists(st.integers(0, 3).map(lambda n: n == 0), min_size=size, max_size=size)
    )
    text = atoms(symbols, weights, inner)
    assert PLAIN.worthwhile(text, most) == COMPILED.worthwhile(text, most)


@st.composite
def dictionaries(draw: st.DrawFn) -> tuple[str, dict[str, str]]:
    """Draw a document without codes, and phrases that stand in it, the longest first."""
    document = draw(REPEATING.map(lambda text: "".join(c for c in text if c not in CODES)))
    places = st.integers(0, len(document))
    spans = draw(st.lists(st.tuples(places, places), max_size=12))
    phrases = {document[start:end].replace("\n", "") for start, end in spans} - {""}
    longest = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return document, dict(zip(CODES, longest, strict=False))


@given(drawn=dictionaries())
@examples(400)
def test_abridge(drawn: tuple[str, dict[str, str]]) -> None:
    """One pass over a document gives what one replacement after the other gives."""
    document, phrases = drawn
    assert abridge(document, phrases) == COMPILED.abridge(document, phrases)


@given(drawn=dictionaries())
@examples(200)
def test_what_is_done_in_codes(drawn: tuple[str, dict[str, str]]) -> None:
    """Codes are spelt, counted and weighed alike."""
    document, phrases = drawn
    text, bodies = abridge(document, phrases)
    assert spell(text, bodies) == COMPILED.spell(text, bodies)
    assert PLAIN.uses(text, bodies) == COMPILED.uses(text, bodies)
    for count in (characters, quarters):
        for asked in (list(bodies), list(bodies)[::2]):
            found = COMPILED.gains(text, bodies, Tally(count), asked)
            assert PLAIN.gains(text, bodies, Tally(count), asked) == found


def test_too_many_occurrences(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where phrases stand in one another at every place, the plain way is taken."""
    easy: list[bool] = []
    put_codes = writing.put_codes

    def watched(*args: object) -> object:
        done = put_codes(*args)  # type: ignore[arg-type]
        easy.append(done[0])
        return done

    monkeypatch.setattr(writing, "put_codes", watched)
    document = "ab" * 4000 + "\n"
    phrases = {code: "ab" * size for code, size in zip(CODES, range(90, 2, -1), strict=False)}
    assert COMPILED.abridge(document, phrases) == abridge(document, phrases)
    assert easy == [False]


def test_phrases_in_another_order() -> None:
    """Phrases that are not given the longest first are replaced in the order given."""
    phrases = {"β": "to", "δ": "to be"}
    assert COMPILED.abridge("to be\n", phrases) == abridge("to be\n", phrases)


def by(
    used: hands.Hand, fragments: list[str], count: Callable[[list[str]], list[int]]
) -> Dictionary | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hands, "of", {len("".join(fragments)): used}.__getitem__)
        return phrase_search.find(fragments, count)


LINES = st.lists(SCRAPS.filter(lambda scrap: "\n" not in scrap), max_size=40).map("".join)


@given(lines=st.lists(LINES, max_size=6), times=st.integers(1, 5))
@examples(200)
def test_find(lines: list[str], times: int) -> None:
    """The same phrases get the same codes, and every fragment is written alike."""
    fragments = [f"{line}\n" for line in lines] * times
    for count in (characters, quarters):
        plain, compiled = by(PLAIN, fragments, count), by(COMPILED, fragments, count)
        assert plain == compiled
        if plain and compiled:
            assert plain.head == compiled.head
            assert plain.written == compiled.written


def hostile() -> dict[str, str]:
    draw = random.Random(1)
    fibonacci = ["a", "b"]
    while len(fibonacci[-1]) < 9000:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    words = " ".join("".join(draw.choices("abcdefgh", k=6)) for _ in range(1500))
    return {
        "one letter": "a" * 40_000,
        "blanks": " " * 40_000,
        "one word": "ab " * 10_000,
        "two words": " ".join(draw.choices(["a", "b"], k=10_000)),
        "fibonacci": " ".join(fibonacci[-1]),
        "no repeats": words,
        "twice": f"{words},{words}",
        "marks": "".join(draw.choices("/.-:", k=10_000)),
        "codes": CODES + "word " * 2000,
    }


@pytest.mark.parametrize("name", hostile())
def test_hostile(name: str) -> None:
    """What is hard to search is searched in little time, with the same result."""
    fragments = [hostile()[name] + "\n"]
    plain, compiled = by(PLAIN, fragments, characters), by(COMPILED, fragments, characters)
    assert plain == compiled
    if compiled:
        assert expand(compiled.head + compiled.write(fragments[0])) == fragments[0]


def test_small_documents_need_no_kernels() -> None:
    """Numba is not loaded for a small document, and is for a large one."""
    script = (
        "import sys\n"
        "from mckp.encoders.phrase_search import find\n"
        "rows = [f'https://example.org/jobs/{i} done by octocat\\n' for i in range(3000)]\n"
        "for size in (100, 3000):\n"
        "    assert find(rows[:size], lambda texts: [len(text) for text in texts])\n"
        "    print('numba' in sys.modules)\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert ran.stdout.split() == [b"False", b"True"]

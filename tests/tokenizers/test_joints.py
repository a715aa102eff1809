"""Joints at blanks and line feeds, digits that are alike, and portions of long texts."""

import re
from collections.abc import Iterable
from itertools import chain, pairwise, product
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mckp.tokenizers import encodings, get
from mckp.tokenizers.backends import Bpe
from mckp.tokenizers.encodings import VOCABULARIES, load, token_file
from mckp.tokenizers.fragment import BLANKS, JOINT, is_fragment, portions, words
from mckp.tokenizers.joints import pricing_for
from mckp.tokenizers.vocabularies import SHIPPED, is_installed
from tests.strategies import examples
from tests.tokenizers.test_fragment import PIECES

both = pytest.mark.parametrize("name", VOCABULARIES)
texts = st.lists(st.sampled_from((*PIECES, *[" ", "\n", " x"] * 5)), max_size=14).map("".join)
"""Of all that is special to the patterns, with more joints than by chance."""


def is_joint(before: str, after: str) -> bool:
    """Whether one of the laws lets a text be cut between two parts; there are other joints."""
    if after[0] == " ":
        return _is_ink(before[-1]) or _is_ink(after[1:2])
    return before[-1] == "\n" and is_fragment(f"{after}\n")


def _is_ink(character: str) -> bool:
    return re.match(rf"[^{BLANKS}\r\n]", character) is not None


def tokens(name: str, text: str) -> list[int]:
    return load(name).encode_ordinary(text)


def joints(text: str) -> Iterable[int]:
    return (place for place in range(1, len(text)) if is_joint(text[:place], text[place:]))


@both
@given(text=texts)
@examples(500)
def test_tokens_are_those_of_the_parts(name: str, text: str) -> None:
    """At every joint, alone and all together, a text has the tokens of its parts."""
    due, places = tokens(name, text), [0, *joints(text), len(text)]
    for place in places:
        assert tokens(name, text[:place]) + tokens(name, text[place:]) == due
    parts = [text[start:stop] for start, stop in pairwise(places)]
    assert [token for part in parts for token in tokens(name, part)] == due


@pytest.mark.slow
@both
def test_a_blank_among_all_kinds_of_characters(name: str) -> None:
    """Tokens add up at each joint, whatever characters surround a blank."""
    around = [piece for piece in PIECES if not re.search("[\ud800-\udfff]", piece)] + [""]
    for before, blank, after in product(around, [" ", "  "], around):
        text = before + blank + after
        for place in joints(text):
            assert tokens(name, text[:place]) + tokens(name, text[place:]) == tokens(name, text)


def test_which_blanks_are_joints() -> None:
    """One side without white space is enough; the end of a text is white space."""
    assert is_joint("a", " b")
    assert is_joint("a", " ")
    assert is_joint("a", "   b")
    assert is_joint("\t", " b")
    assert is_joint("\x1c", " \x1c")  # white space to Python alone
    assert not is_joint("\t", " ")
    assert not is_joint("\xa0", " \u2028")
    assert not is_joint(" ", "  b")


@both
def test_no_other_place_among_three_blanks(name: str) -> None:
    """The law cannot say more: cut elsewhere, a text has other counts."""
    assert len(tokens(name, "a   b")) < len(tokens(name, "a ")) + len(tokens(name, "  b"))
    assert len(tokens(name, "a\t\n")) < len(tokens(name, "a\t")) + len(tokens(name, "\n"))


def test_white_space_of_the_patterns() -> None:
    """The white space of the laws is Unicode's, as the patterns have it."""
    known = {char for char in map(chr, range(0x3001)) if re.match(f"[{BLANKS}]", char)}
    assert known == {char for char in map(chr, range(0x3001)) if re.match(r"\s", char)} - set(
        "\r\n\x1c\x1d\x1e\x1f"
    )


@both
def test_few_digits_are_one_token(name: str) -> None:
    """Every number of up to three digits is one token."""
    digits = [
        "".join(combination)
        for size in (1, 2, 3)
        for combination in product("0123456789", repeat=size)
    ]
    assert len(token_file(name).find(number.encode() for number in digits)) == 1110


@both
@given(text=texts, digits=st.lists(st.integers(0, 99999), min_size=1, max_size=5))
@examples(300)
def test_digits_are_alike(name: str, text: str, digits: list[int]) -> None:
    """Replacing digits by zeros does not change the number of tokens."""
    plain = text.replace("\ud800", "x")
    mixed = "".join(chain.from_iterable(zip(map(str, digits), [plain] * 5, strict=False)))
    assert len(tokens(name, re.sub("[0-9]", "0", mixed))) == len(tokens(name, mixed))


@both
@given(batch=st.lists(texts.map(lambda text: re.sub("[\0\ud800]", "\x1c", text)), max_size=5))
@examples(300)
def test_words_are_parts(name: str, batch: list[str]) -> None:
    """The tokens of a text are those of its words, in order."""
    for text, parts in zip(batch, words(batch) if batch else [], strict=True):
        assert "".join(parts) == text
        assert [token for part in parts for token in tokens(name, part)] == tokens(name, text)


@pytest.fixture
def _eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "MANY", 0)
    monkeypatch.setattr(encodings, "PAYS", 0.5)
    monkeypatch.setattr(encodings, "_AT_ONCE", 3)


@both
@pytest.mark.usefixtures("_eager")
@given(batch=st.lists(texts, max_size=9), again=st.lists(st.integers(0, 9), max_size=9))
@examples(300)
def test_same_counts(name: str, batch: list[str], again: list[int]) -> None:
    """Counts by words are those of the library."""
    mixed = [*batch, *[f"{batch[n % len(batch)]} {n}" for n in again if batch]]
    assert encodings.count_batch(name, mixed) == [len(tokens(name, text)) for text in mixed]


@pytest.mark.parametrize("repeated", ["x", '{"name":"Ada 7","town":null},', '"é1"2"', " a\n"])
def test_long_texts_have_the_tokens_that_the_library_counts(repeated: str) -> None:
    """A text of a megabyte has the tokens that tiktoken counts."""
    text = repeated * 2000 + "".join(f'"{n}a{n * n}"' for n in range(40_000))
    assert Bpe("cl100k_base").count_batch([text, "a"]) == [len(tokens("cl100k_base", text)), 1]


@both
@given(
    batch=st.lists(texts, max_size=9),
    joint=st.sampled_from(['"a1"', "a\n"]),
    size=st.integers(1, 20),
)
@example(batch=["a", "\n\nb1", "  x\r\n"], joint="a\n", size=1)
@examples(300)
def test_portions_add_up(name: str, batch: list[str], joint: str, size: int) -> None:
    """A text may be cut before a quotation mark or a line feed behind a letter or digit."""
    line = joint.join(batch)
    for parts in (JOINT.split(line), list(portions(line, size))):
        assert "".join(parts) == line
        assert sum(len(tokens(name, part)) for part in parts) == len(tokens(name, line))


def test_portions_are_no_shorter_than_said_and_not_much_longer() -> None:
    """Portions of a text have the asked size and at most a line more."""
    parts = list(portions("some words\n" * 1000, 100))
    assert all(100 <= len(part) <= 111 for part in parts[:-1])
    assert list(portions("-\n" * 1000, 100)) == ["-\n" * 1000]


def test_a_long_text_is_counted_in_portions() -> None:
    """A long text is counted as the sum of its portions."""
    text = "some words\n" * 40_000
    with patch("mckp.tokenizers.backends.count_batch", return_value=[7]) as counted:
        count = Bpe("o200k_base").count(text)
    assert count == 7 * counted.call_count > 7
    assert "".join(call.args[1][0] for call in counted.call_args_list) == text
    assert Bpe("o200k_base").count_batch([text, "a"]) == [len(tokens("o200k_base", text)), 1]


@pytest.mark.parametrize("name", SHIPPED)
def test_digits_that_are_one_token_are_declared(name: str) -> None:
    """All numbers of one to three digits are tried, for `optimal` needs each of them."""
    if not is_installed(name):
        pytest.skip("its package is not installed")
    tokenizer = get(name)
    counts = set(tokenizer.count_batch([f"> [+{number} items]\n" for number in range(1, 1000)]))
    assert SHIPPED[name].joins_digits == (len(counts) == 1)
    if name == "glm4":  # 123 is one token, 345 is two
        assert not pricing_for(tokenizer).proves

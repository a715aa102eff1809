"""Phrases are written once, and every text reads back."""

import re
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.encoders import phrase_search
from mckp.encoders.dictionary import CODES, Dictionary, expand, height
from mckp.encoders.phrase_search import find
from mckp.errors import ParseError
from mckp.tokenizers import get, is_fragment
from tests.cases import cases
from tests.strategies import examples

O200K = get("o200k_base").count_batch
CL100K = get("cl100k_base").count_batch


def characters(texts: list[str]) -> list[int]:
    return [len(text) for text in texts]


COUNTERS = [O200K, CL100K, characters]

WORDS = ["https://example.org/", "jobs", "id", "2024-05-", "17", '"', "{", "}", "=", "/", ".", "é"]
SCRAPS = st.sampled_from(
    [*WORDS, " ", "  ", "\t", "\r", "β", "ω", "\x1c", "\u2028", "\U0001f40d", "\ud800"]
)
LINES = st.lists(SCRAPS | st.sampled_from(WORDS), min_size=1, max_size=30).map("".join)
FRAGMENTS = st.lists(LINES, min_size=1, max_size=6).map(lambda lines: "\n".join(lines) + "\n")
LAWFUL = st.lists(FRAGMENTS.filter(is_fragment), max_size=8).map(lambda drawn: drawn * 2)


def rows(count: int) -> list[str]:
    return [
        f"https://api.example.org/repos/octo/tools/jobs/{i} {{login octocat id 7}} 2024-05-{i}\n"
        for i in range(count)
    ]


@given(fragments=LAWFUL, data=st.data())
@examples(200)
def test_any_fragments_read_back(fragments: list[str], data: st.DataObject) -> None:
    """All or some of the fragments expand to what they were, at no higher price."""
    kept = data.draw(st.lists(st.booleans(), min_size=len(fragments), max_size=len(fragments)))
    for count in COUNTERS:
        check_dictionary(fragments, kept, count)


def check_dictionary(
    fragments: list[str], kept: list[bool], count: Callable[[list[str]], list[int]]
) -> None:
    dictionary = find(fragments, count)
    if dictionary is None:
        return
    written = [dictionary.write(fragment) for fragment in fragments]
    for chosen in ([True] * len(written), kept):
        text = "".join(line for line, keep in zip(written, chosen, strict=True) if keep)
        due = "".join(fragment for fragment, keep in zip(fragments, chosen, strict=True) if keep)
        assert expand(dictionary.head + text) == due
    assert all(map(is_fragment, [dictionary.head, *written]))
    assert height(dictionary.head.partition("\n")[0])
    assert sum(count([dictionary.head, *written])) < sum(count(fragments))


@given(fragments=LAWFUL)
@examples(100)
def test_what_is_known_already(fragments: list[str]) -> None:
    """What the search leaves in a dictionary is what the dictionary would find out itself."""
    dictionary = find(fragments, characters)
    if dictionary is not None:
        again = Dictionary(dictionary.phrases)
        assert again == dictionary
        assert again.head == dictionary.head
        assert list(map(again.write, fragments)) == list(map(dictionary.write, fragments))


@given(text=st.text(alphabet="ab", min_size=1, max_size=300))
@examples(200)
def test_overlapping_repeats(text: str) -> None:
    """Repeats that overlap expand to the same text."""
    dictionary = find([text + "\n"], characters)
    assert dictionary is None or expand(dictionary.head + dictionary.write(text)) == text


def test_endless_runs_end_soon() -> None:
    """A line of one thing over and over repeats at every place; the search does not try all."""
    document = ["ab " * 20_000 + "\n"]
    dictionary = find(document, characters)
    assert dictionary is not None
    assert expand(dictionary.head + dictionary.write(document[0])) == document[0]
    assert len(dictionary.head + dictionary.write(document[0])) < 2000


def test_long_and_short_phrases_pay() -> None:
    """The dictionary of phrases more than halves the tokens of repeated rows."""
    document = rows(40)
    dictionary = find(document, O200K)
    assert dictionary is not None
    assert 2 * sum(O200K([dictionary.head, *map(dictionary.write, document)])) < sum(
        O200K(document)
    )


def test_phrases_hold_phrases() -> None:
    """What is within a phrase and outside of it is defined once."""
    user = "{login octocat id 583231 url https://api.example.org/users/octocat type User}"
    document = [f"{role} {user}\n" for role in ("author", "owner", "editor", "reader")]
    names = ["alice", "bobby", "carol", "david", "frank", "grace", "heidi", "mallory"]
    document += [f"fork https://api.example.org/users/{name}\n" for name in names]
    dictionary = find(document, O200K)
    assert dictionary is not None
    assert any(
        code in line for code in dictionary.phrases for line in re.findall("=(.*)", dictionary.head)
    )


def test_nothing_to_repeat() -> None:
    """Texts without repeats get no dictionary."""
    assert find([], O200K) is None
    assert find(["one two three\n"], O200K) is None


def test_codes_do_not_occur_in_the_document() -> None:
    """Letters that are in use are left to the document; without any left there is no layer."""
    document = rows(20)
    dictionary = find([*document, "βδε\n"], O200K)
    assert dictionary is not None
    assert not {"β", "δ", "ε"} & dictionary.phrases.keys()
    assert find([*document, CODES + "\n"], O200K) is None


def test_few_codes() -> None:
    """Symbols that occur in the text are not used as codes."""
    dictionary = find([*rows(20), CODES.replace("ω", "") + "\n"], O200K)
    assert dictionary is not None
    assert list(dictionary.phrases) == ["ω"]


def test_codes_are_letters_of_one_token() -> None:
    """All codes are different letters, each one token in both tokenizers."""
    assert len(set(CODES)) == len(CODES)
    assert CODES.isalpha()
    assert set(O200K(list(CODES))) == set(CL100K(list(CODES))) == {1}


def test_a_text_that_was_not_searched() -> None:
    """A dictionary also shortens texts that it was not built from, and they expand again."""
    dictionary = Dictionary({"δ": "to be or not", "β": "to be"})
    text = "not to be\n"
    assert dictionary.write(text) == "not β\n"
    assert expand(dictionary.head + dictionary.write(text)) == text


@pytest.mark.parametrize(
    ("text", "line", "column"),
    cases(__file__, "test_damage_is_named"),
)
def test_damage_is_named(text: str, line: int, column: int) -> None:
    """Damage to a text with phrases is an error with its line and column."""
    with pytest.raises(ParseError) as caught:
        expand(text)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_no_line_below() -> None:
    """A dictionary without a text below expands to an empty text."""
    assert expand("(1) phrases\nβ=one") == expand("(1) phrases\nβ=one\n") == ""


def test_bombs_are_refused() -> None:
    """Definitions that double each other stop before they fill the memory."""
    codes = CODES[:60]
    lines = [f"{codes[0]}=lol"]
    lines += [f"{code}={before * 2}" for before, code in pairwise(codes)]
    with pytest.raises(ParseError, match="phrases written out") as caught:
        expand(f"({len(lines)}) phrases\n" + "\n".join(lines) + "\n")
    assert caught.value.line is not None
    assert caught.value.line < 30
    wide = "(1) phrases\nβ=" + "x" * 10_000 + "\n" + "β" * 20_000
    with pytest.raises(ParseError, match=r"line 3"):
        expand(wide)


def test_what_could_not_be_read_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound on reading holds for writing as well."""
    document = rows(20)
    size = sum(map(len, document))
    for largest in (size - 1, size + 1):
        monkeypatch.setattr(phrase_search, "LARGEST", largest)
        assert find(document, O200K) is None
    monkeypatch.setattr(phrase_search, "LARGEST", 2 * size)
    dictionary = find(document, O200K)
    assert dictionary is not None
    assert expand(dictionary.head + "".join(map(dictionary.write, document))) == "".join(document)


@given(text=st.text(alphabet="(1) phrases\nβδ=x", max_size=60))
@examples(300)
def test_any_text_is_read_or_refused(text: str) -> None:
    """Any text below a head of phrases expands or is a `ParseError`."""
    with suppress(ParseError):
        assert isinstance(expand("(1) phrases\n" + text), str)

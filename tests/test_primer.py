"""A line above a text that says what its signs mean: short, counted, and no part of the data."""

from contextlib import suppress
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp import tokenizers
from mckp.answers.primer import MOST_TOKENS
from mckp.encoders import ALL, LEVELS
from tests.strategies import TABLES, VALUES, examples

COUNT = tokenizers.get("o200k").count


@pytest.mark.parametrize(
    "formats", [*LEVELS, *([format_.name] for format_ in ALL), [format_.name for format_ in ALL]]
)
def test_the_signs_of_formats_take_few_tokens(formats: list[str]) -> None:
    """The primer of any formats is one line of few tokens."""
    line = mckp.primer(formats)
    assert COUNT(line) <= MOST_TOKENS
    assert line.endswith("]\n")
    assert line.count("\n") == 1


@given(st.one_of(VALUES, TABLES), st.integers(0, 150), st.sampled_from(["native", "dense"]))
@examples(200)
def test_a_text_with_its_signs_is_within_its_budget_and_reads_back(
    data: Any, over: int, level: str
) -> None:
    """A text with a primer keeps its budget and reads back, also without that line."""
    try:
        result = mckp.encode(data, budget=60 + over, formats=[level], primer=True)
    except mckp.BudgetError as error:
        result = mckp.encode(data, budget=error.floor, formats=[level], primer=True)
    assert result.tokens == COUNT(result.text)
    assert result.budget is not None
    assert result.tokens <= result.budget
    line, feed, text = result.text.partition("\n")
    if line.startswith("> [data: "):
        assert COUNT(line + feed) <= MOST_TOKENS
        assert repr(mckp.decode(text)) == repr(mckp.decode(result.text))


def test_only_signs_that_the_text_has_are_explained() -> None:
    """A table of numbers has neither constants nor free text."""
    line = mckp.primer(mckp.encode([{"id": n, "size": n * 3} for n in range(20)]))
    assert line == "> [data: [2]{a b} 2 rows, cells in that order]\n"


@pytest.mark.slow
@pytest.mark.parametrize("formats", [["standard"], ["csv"], ["json"], ["native"]])
def test_names_that_look_like_signs_keep_within_budgets(formats: list[str]) -> None:
    """Room is kept for the signs of the formats, and no others are explained."""
    data = {"a b": 1, "c": [{"x y": n, "z": "q w e r t y" * 3} for n in range(9)]}
    for budget in range(20, 60):
        with suppress(mckp.BudgetError):
            assert mckp.encode(data, budget=budget, formats=formats, primer=True).tokens <= budget


@pytest.mark.parametrize("piece", ["]{", "1{", "0}{a", "{a", " <1", "json{", "> [+"])
def test_signs_of_a_long_line_are_found_soon(piece: str) -> None:
    """The primer of a long line takes less than three seconds."""
    start = process_time()
    mckp.primer(mckp.encode({"a": piece * 50_000}))
    assert process_time() - start < 3


def test_a_text_that_begins_like_a_primer_is_a_text() -> None:
    """A text that begins like a primer reads back whole."""
    for kind in ("markdown", "text"):
        for below in ("[2]{id}\n1\n2\n", '{"id": 1}', "words", "> [data: x]\n[1]\n"):
            source = f"> [data: x]\n{below}"
            result = mckp.encode(source, kind=kind, primer=True)
            tree = mckp.decode(result.text)
            assert isinstance(tree, mckp.TreeNode)
            assert tree == mckp.parse(source, kind)


def test_what_is_below_a_damaged_line_is_refused_in_its_place() -> None:
    """A line of the primer is one line of the text in errors as well."""
    with pytest.raises(mckp.ParseError) as error:
        mckp.decode("> [data: x]\n[2]{id}\n1\n")
    assert error.value.line == 4

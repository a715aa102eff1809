"""Lines of a text in groups: the contract that the engine of cuts builds on."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.texts import outline
from tests.strategies import examples

_LINES = st.sampled_from(
    [
        "",
        "  ",
        "def total(rows):",
        "    return sum(rows)",
        "\tif rows:",
        "- item one",
        "  - item two",
        "# Title",
        "   12\tx = 1",
        "13: y",
        "14→z",
        "E  ValueError: no rows",
        "\x1b[31mred\x1b[0m",
        "a\rb",
        "日本語 の 行",
        "@@ -1,2 +1,2 @@",
    ]
)
_TEXTS = st.text(max_size=60) | st.lists(_LINES | st.text(max_size=8), max_size=20).map("\n".join)


@given(_TEXTS, st.none() | st.text(max_size=20))
@examples(400)
def test_lines_are_the_text_and_heads_a_forest_in_its_order(text: str, request: str | None) -> None:
    made = outline(text, request=request)
    starts = made.starts.tolist()
    lines = [text[a:b] for a, b in pairwise(starts)]
    assert "".join(lines) == text
    assert all(line.endswith("\n") for line in lines[:-1])
    assert all(line and "\n" not in line[:-1] for line in lines)
    size = len(lines)
    assert made.heads.shape == made.worths.shape == (size,)
    assert {made.starts.dtype, made.heads.dtype, made.worths.dtype} == {np.dtype(np.int64)}
    assert (made.worths >= 0).all()
    heads = made.heads.tolist()
    for line, head in enumerate(heads):
        assert -1 <= head < line
        for between in range(head + 1, line):
            above = between
            while above > head:
                above = heads[above]
            assert head == -1 or above == head


@pytest.mark.parametrize(
    ("text", "numbered"),
    [
        ("  7→def f():\n  8→    return 1\n  9→\n 10→x = f()\n", True),
        ("7\tone\n8\ttwo\n9\tthree\n", True),
        ("12: one\n13: two\n14: three\n", True),
        ("12 apples\n13 pears\n40 plums\n", False),
        ("3: one\n3: two\n1: three\n", False),
        ("def f():\n    return 1\n", False),
    ],
)
def test_a_text_that_shows_numbers_of_lines_is_numbered(text: str, numbered: bool) -> None:
    assert outline(text).numbered is numbered


def test_lines_of_a_numbered_program_stand_below_their_function() -> None:
    text = "  7→def f(x):\n  8→    y = x\n  9→    return y\n 10→z = f(1)\n"
    assert outline(text).heads.tolist() == [-1, 0, 0, -1]


def test_a_request_raises_the_lines_that_have_its_rare_words() -> None:
    text = "".join(f"berth {i} is free\n" for i in range(30)) + "the fee for a yacht is 38 euro\n"
    asked = outline(text, request="what does a yacht pay?").worths
    plain = outline(text).worths
    assert asked[-1] > plain[-1]
    assert (asked[:-4] == plain[:-4]).all()

"""Programs are cut between statements: what is kept reads as a quotation, whatever the language."""

from time import process_time
from typing import Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mckp.menu.code import statements
from mckp.menu.shorten import Shortener, is_code
from tests.cases import cases
from tests.strategies import examples

LINES: Final = cases(__file__, "LINES")

PROGRAMS: Final = st.lists(st.sampled_from(LINES), min_size=1, max_size=40)


@given(PROGRAMS)
@examples(1000)
def test_statements_are_all_lines_in_order(lines: list[str]) -> None:
    """Each line is in one statement at most, and in one at least if it is not blank."""
    listed = statements(lines)
    ends = [0, *(statement.end for statement in listed)]
    assert all(statement.start >= end for statement, end in zip(listed, ends, strict=False))
    assert all(statement.start < statement.end <= len(lines) for statement in listed)
    places = {place for statement in listed for place in range(statement.start, statement.end)}
    assert {place for place, line in enumerate(lines) if line.strip()} <= places


@given(PROGRAMS, st.floats(0.05, 0.95))
@examples(500)
def test_what_is_kept_is_a_quotation(lines: list[str], share: float) -> None:
    """Runs of lines are in the program as they are, and each gap has its sign."""
    program = ["import sys", "def start(path):", "    return open(path)", "", *lines]
    assume(is_code(program))  # many blank lines are none, and what is none is cut in its lines
    text = "\n".join(program)
    form = Shortener(text).within(int(len(text) * share))
    if form is None:
        return
    source = text.split("\n")
    # Lines may be in a program several times: all places are followed where one may be.
    places = {0}
    for line in form.text.split("\n"):
        if line.strip() == "…":
            places = set(range(min(places), len(source) + 1))
            continue
        if line.strip():  # blank lines at the ends of a run are no loss
            places = {_after_blanks(source, place) for place in places}
        places = {n + 1 for n in places if n < len(source) and source[n] == line}
        assert places
    assert len(source) in {_after_blanks(source, place) for place in places}


def _after_blanks(source: list[str], place: int) -> int:
    while place < len(source) and not source[place].strip():
        place += 1
    return place


@pytest.mark.slow
@pytest.mark.parametrize("opened", ["/* x", '"""', "f(", "@x", "# x"])
def test_what_never_ends_takes_linear_time(opened: str) -> None:
    """Comments, texts and brackets that stay open are not searched again for each line."""
    lines = [opened] * 20_000
    begin = process_time()
    listed = statements(lines)
    assert process_time() - begin < 4
    assert listed[-1].end == len(lines)


def test_a_text_that_never_ends_may_end_in_blank_lines() -> None:
    """Blank lines at the end of an unclosed string are not part of its statement."""
    assert [tuple(statement) for statement in statements(['"""Text', "", " "])] == [(0, 3, 0)]

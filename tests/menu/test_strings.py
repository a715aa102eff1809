"""Lines of long strings in data: what is kept reads as a quotation, whatever the language."""

import json
from time import process_time
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.menu.shorten import Shortener
from tests.cases import cases
from tests.strategies import examples

LINES: Final = cases(__file__, "LINES")

PROGRAMS: Final = st.lists(st.sampled_from(LINES), min_size=1, max_size=40)


@given(PROGRAMS, st.floats(0.05, 0.95))
@examples(500)
def test_what_is_kept_is_a_quotation(lines: list[str], share: float) -> None:
    """Runs of lines are in the program as they are, and each gap has its sign."""
    text = "\n".join(["import sys", "def start(path):", "    return open(path)", "", *lines])
    form = Shortener(text).within(int(len(text) * share))
    if form is None or form.unit != "lines":
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
def test_many_equal_lines_take_linear_time(opened: str) -> None:
    """Comments, texts and brackets that stay open are not searched again for each line."""
    begin = process_time()
    assert Shortener((opened + "\n") * 20_000).within(50_000)
    assert process_time() - begin < 4


def test_a_program_keeps_its_definitions_and_not_its_licence() -> None:
    """Of a program in a member, a reader needs the licence last."""
    licence = "# Copyright 2020 by Ann Smith and others.\n# Licensed under the terms of the MIT.\n"
    bodies = "".join(
        f"\ndef moor_{n}(ship, berth):\n    rope = take(ship, {n})\n    rope.tie(berth)\n"
        for n in range(9)
    )
    text = mckp.encode({"path": "a.py", "content": licence + bodies}, budget=110).text
    assert sum(f"def moor_{n}" in text for n in range(9)) >= 4
    assert "Copyright" not in text


PAGE: Final = "".join(
    f"## The {word}\n\nThe {word} is below the bridge. It was built in 19{n}0.\n\n"
    "- It opens at six.\n- Cars are not allowed in it, and dogs need a leash at all times.\n\n"
    for n, word in enumerate(
        ["harbour", "tide", "berth", "crane", "anchor", "rope", "sail", "mast", "pilot", "buoy"]
    )
)


@pytest.mark.parametrize("share", [90, 50, 20])
@pytest.mark.parametrize("is_alone", [True, False])
def test_a_page_in_a_string_fills_its_budget(share: int, is_alone: bool) -> None:
    """A document that is one string of Markdown is cut by lines, as a member is."""
    data = PAGE if is_alone else {"id": 7, "body": PAGE}
    result = mckp.encode(json.dumps(data), budget=f"{share}%")
    assert result.budget is not None
    assert result.tokens > 0.85 * result.budget
    assert "The pilot" in result.text
    decoded = mckp.decode(result.text)
    kept = decoded if is_alone else decoded["body"]
    assert set(kept.split("\n")) <= {"…", *PAGE.split("\n")}


def test_a_line_of_a_string_is_cut_between_words() -> None:
    """A long line takes no other line with it."""
    long = "The quay is closed on Mondays, and so is the crane at its end. " * 40
    text = f"# Notice\n\n{long}\n\nERROR berth 4411 is flooded\n\nbye\n"
    kept = mckp.encode({"note": text}, budget=120).text
    assert "# Notice" in kept
    assert "berth 4411" in kept
    assert "The quay is closed" in kept


def test_letters_and_descriptions_keep_their_first_lines() -> None:
    """Prose and Markdown without sections are not cut to their last lines."""
    letter = (
        "Dear students,\n\nThis course has no final exam.\n\nYou will be assessed by projects.\n"
        "Each of them counts the same.\n\nBest regards,\nThe instructor\n"
    )
    form = Shortener(letter).within(70)
    assert form is not None
    assert form.text == "Dear students,\n\nThis course has no final exam.\n\n…"

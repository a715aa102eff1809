"""Questions about texts: lines by number, by pattern, and by heading or function."""

from typing import Any

import pytest

from mckp.errors import RecallError
from mckp.recall import Lines, answered
from mckp.recall.lines import Source
from tests.recall.data import CODE, NOTES


def asked(text: str, **call: Any) -> list[tuple[int, str]]:
    found = answered(text, call)
    assert isinstance(found, Lines)
    return [(line.number, line.text) for line in found.lines]


@pytest.mark.parametrize(
    ("place", "first", "last"),
    [
        ("first", 6, 12),
        ("first()", 6, 12),
        ("Store", 14, 19),
        ("get", 15, 17),
        ("lines 3-4", 3, 4),
    ],
)
def test_functions_are_places(place: str, first: int, last: int) -> None:
    numbers = [number for number, _ in asked(CODE, path=place)]
    assert numbers[0] == first
    assert last - 2 <= numbers[-1] <= last


def test_headings_are_places() -> None:
    found = asked(NOTES, path="Install")
    assert [found[0], found[-1][0]] == [(5, "## Install"), 11]
    assert asked(NOTES, path="## Use")[0] == (13, "## Use")
    assert asked(NOTES, path="from source", limit=1) == [(9, "### From source")]


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ({"grep": "def "}, [6, 15, 18]),
        ({"grep": "def|class"}, [6, 14, 15, 18]),
        ({"grep": "def\\|class"}, [6, 14, 15, 18]),
        ({"grep": "get("}, [15]),
        ({"grep": "LIMIT", "context": 1}, [2, 3, 4, 7, 8, 9]),
        ({"grep": "limit"}, [3, 8]),
        ({"lines": "3-4,6"}, [3, 4, 6]),
        ({"lines": "17-"}, [17, 18, 19]),
        ({"offset": 17}, [18, 19]),
        ({"offset": 1, "limit": 2}, [2, 3]),
        ({"path": "Store", "grep": "def"}, [15, 18]),
    ],
)
def test_lines_are_chosen(call: dict[str, Any], wanted: list[int]) -> None:
    assert [number for number, _ in asked(CODE, **call)] == wanted


def test_a_text_that_shows_numbers_is_asked_by_these() -> None:
    shown = "".join(f"{n:6}→line {n}\n" for n in range(313, 350))
    assert Source(shown).shown is not None
    assert asked(shown, lines="320-321") == [(320, "   320→line 320"), (321, "   321→line 321")]
    times = "".join(f"{n}: started\n" for n in (7, 90, 3, 55))
    assert Source(times).shown is None


def test_lines_are_rows_as_well() -> None:
    found = answered("a 3\nb 9\na 4\n", {"group": "split(line)[0]", "fields": ["count()"]})
    assert not isinstance(found, Lines)
    assert found.value == [
        {"split(line)[0]": "a", "count()": 2},
        {"split(line)[0]": "b", "count()": 1},
    ]


def test_data_in_a_text_are_asked_as_data() -> None:
    text = 'Found 2 jobs:\n[{"id": 1, "ok": true},\n {"id": 2, "ok": false}]\n'
    found = answered(text, {"where": "not ok", "fields": ["id"]})
    assert not isinstance(found, Lines)
    assert found.value == [{"id": 2}]
    lines = answered('{"id": 1}\n{"id": 2}\n', {"where": "id > 1"})
    assert not isinstance(lines, Lines)
    assert lines.value == [{"id": 2}]


def test_a_long_line_is_shown_around_what_was_searched_for() -> None:
    text = "x " * 2_000 + "needle" + " y" * 2_000
    ((number, shown),) = asked(text, grep="needle")
    assert number == 1
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) < 500
    assert "needle" in shown


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"path": "Instal it"}, "no heading or function 'Instal it'; it has Install"),
        ({"lines": "90-99"}, "the text has lines 1 to 15"),
        ({"lines": "x"}, "lines is as '313-349'"),
    ],
)
def test_mistakes_are_named_with_a_call_that_works(call: dict[str, Any], said: str) -> None:
    with pytest.raises(RecallError) as caught:
        answered(NOTES, call)
    assert said in str(caught.value)
    assert caught.value.call is not None
    answered(NOTES, caught.value.call)


def test_nothing_that_matches_is_an_answer() -> None:
    found = answered(NOTES, {"grep": "uninstall"})
    assert isinstance(found, Lines)
    assert found.lines == ()
    assert found.note.startswith("0 of 15 lines have it; the text has the headings Install")

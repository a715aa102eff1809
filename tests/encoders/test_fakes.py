"""The lines of a session, and what tools write that looks like them."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.encoders.fakes import escape, unescape
from mckp.encoders.hints import Reference, TextLabel, read_hint, read_label, read_patch, write_patch
from tests.cases import cases
from tests.session.responses import FAKES, TEXTS
from tests.strategies import examples

ODD = st.sampled_from("\u200b\ufeff\u3164\xad\x00 \u00a0\u0301.|*->[]#\\\uff1e\uff3b\uff03\uff11")
ENDS = st.sampled_from(["\n", "\r", "\r\n", "\u2028", "\x0b", "\x85", " ", "\\"])
MIXED = st.lists(st.one_of(st.sampled_from(FAKES), ENDS, ODD, st.text(max_size=3))).map("".join)


@pytest.mark.parametrize(
    "label", [TextLabel(3), TextLabel(3, "compact"), TextLabel(None, "a_1"), TextLabel(0)]
)
def test_labels_are_read_as_written(label: TextLabel) -> None:
    """A label reads back from its own text."""
    assert read_label(str(label)) == label


@pytest.mark.parametrize(
    "line",
    ["> []", "> [#]", "> [#03]", "> [#3as x]", "> [ as x]", "> [#3 as X]", "> [#3] ", "[#3]"],
)
def test_what_is_no_label(line: str) -> None:
    """Lines that only look like a label are not read as one."""
    assert read_label(line) is None


def test_lines_of_a_session_are_no_other_hints() -> None:
    """A label with a number and a reference to lines are read by the reader of sessions alone."""
    assert read_hint(str(TextLabel(3))) is None
    assert read_hint(write_patch(3)) is None
    assert read_patch(write_patch(3)) == 3
    assert read_patch("> [ref #3]") is None


@examples(500)
@given(text=st.one_of(TEXTS, MIXED), raw=st.booleans())
def test_marks_come_and_go(text: str, raw: bool) -> None:
    """What is marked is unmarked, and no line of ours is left after any line end."""
    marked = escape(text, raw=raw)
    assert unescape(marked, raw=raw) == text
    for line in marked.splitlines():
        assert read_label(line.strip()) is None
        assert read_patch(line.strip()) is None
        assert not isinstance(read_hint(line.strip()), Reference)
        assert not raw or read_hint(line.strip()) is None


@pytest.mark.parametrize(
    "fake",
    cases(__file__, "test_nobody_minds_how_it_is_spelled"),
)
@pytest.mark.parametrize("raw", [True, False])
def test_nobody_minds_how_it_is_spelled(fake: str, raw: bool) -> None:
    """A line that resembles a session line is marked with one backslash, however it is spelled."""
    marked = escape(fake, raw=raw)
    assert marked.count("\\") == 1
    assert marked.replace("\\", "") == fake
    assert unescape(marked, raw=raw) == fake
    assert escape(f"a\n{fake}\u2028b", raw=raw) == f"a\n{marked}\u2028b"


@pytest.mark.parametrize(
    "fake", ["> [+3 rows]", "> [+ 3 rows]", "> [+3  Rows]", "> [+1,000 of 2 items x]"]
)
def test_lookalikes_of_notes_are_marked_in_what_came(fake: str) -> None:
    """A line that resembles a note is marked in raw text, and in no encoded text."""
    assert escape(fake, raw=True) == f"\\{fake}"
    assert escape(fake, raw=False) == fake


@pytest.mark.parametrize(
    "line",
    cases(__file__, "test_what_does_not_look_like_ours_stays"),
)
def test_what_does_not_look_like_ours_stays(line: str) -> None:
    """Other lines are not marked."""
    assert escape(line, raw=True) == line


HOSTILE = cases(__file__, "HOSTILE")


@pytest.mark.parametrize("part", HOSTILE)
@pytest.mark.parametrize("start", ["", "> [ref #1", "> [+1 ", "\uff1e [", "> [9;"])
def test_time_grows_with_length(part: str, start: str) -> None:
    """Twice the text takes at most some three times the calls."""
    texts = [start + part * count for count in (2_000, 4_000)]
    short, two = map(_steps, texts)
    assert two <= 3 * short + 1000
    for text in texts:
        assert unescape(escape(text * 20, raw=True), raw=True) == text * 20


def _steps(text: str) -> int:
    """Return how many calls it takes to escape a text."""
    count = 0

    def note(*_: object) -> None:
        nonlocal count
        count += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        escape(text, raw=True)
    finally:
        sys.setprofile(before)
    return count

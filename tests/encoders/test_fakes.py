"""The lines of a session, and what tools write that looks like them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.encoders.fakes import escape, unescape
from mckp.encoders.hints import Label, Patch, Reference, read_hint, read_label, read_patch
from tests.session.responses import FAKES, TEXTS
from tests.strategies import examples

ENDS = st.sampled_from(["\n", "\r", "\r\n", "\u2028", "\x0b", "\x85", " ", "\\"])
MIXED = st.lists(st.one_of(st.sampled_from(FAKES), ENDS, st.text(max_size=3))).map("".join)


@pytest.mark.parametrize("label", [Label(3), Label(3, "compact"), Label(None, "a_1"), Label(0)])
def test_labels_are_read_as_written(label: Label) -> None:
    """Each has one spelling."""
    assert read_label(str(label)) == label


@pytest.mark.parametrize(
    "line",
    ["> []", "> [#]", "> [#03]", "> [#3as x]", "> [ as x]", "> [#3 as X]", "> [#3] ", "[#3]"],
)
def test_what_is_no_label(line: str) -> None:
    """What is not written so is none."""
    assert read_label(line) is None


def test_lines_of_a_session_are_no_other_hints() -> None:
    """A label with a number, and a reference to lines, are read by nobody else."""
    assert read_hint(str(Label(3))) is None
    assert read_hint(str(Patch(3))) is None
    assert read_patch(str(Patch(3))) == Patch(3)
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


@pytest.mark.parametrize(
    "fake",
    [
        ">[ref #1]",
        "> [ ref  #1 ]",
        "\t>  [Ref #1]",
        "> [REF #2 AS DIFF]",
        "> [\u00a0#1 As Compact]",
    ],
)
@pytest.mark.parametrize("raw", [True, False])
def test_nobody_minds_blanks_and_capitals(fake: str, raw: bool) -> None:
    """So lines that differ by them only are marked as well."""
    assert "\\>" in escape(fake, raw=raw)
    assert unescape(escape(fake, raw=raw), raw=raw) == fake


@pytest.mark.parametrize("fake", ["> [#1]", "> [ref #1]", "> [ref #2 as diff]", "> [+3 rows]"])
def test_each_kind_of_fake_is_marked(fake: str) -> None:
    """In a text as it came, all are."""
    assert escape(f"a\n{fake}\nb", raw=True) == f"a\n\\{fake}\nb"


def test_notes_of_the_encoder_are_no_fakes() -> None:
    """What `mckp.encode` wrote keeps its hints."""
    assert escape("> [+3 rows]", raw=False) == "> [+3 rows]"
    assert escape("> [ref #1]", raw=False) == "\\> [ref #1]"

"""A log is read back as it was written, and what is no log is refused with its place."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.agents.replay import Action, Compact, Edit, End, Response, from_line, read_log
from mckp.errors import ParseError
from tests.cases import cases
from tests.replay.lines import to_line, write_log

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_NAME = _TEXT.filter(bool)
_ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(Response, tool=_TEXT, args=_TEXT, text=_TEXT, file=st.none() | _NAME, agent=_TEXT),
    st.builds(Edit, file=_TEXT, agent=_TEXT),
    st.builds(Compact, agent=_TEXT),
    st.just(End()),
)


@given(_ACTIONS)
def test_a_line_is_read_back(action: Action) -> None:
    """Any action is one line that reads back."""
    line = to_line(action)
    assert "\n" not in line
    assert from_line(line) == action


def test_a_file_is_read_back(tmp_path: Path) -> None:
    """A log reads back as the actions that were written."""
    actions: list[Action] = [
        Response("Read", "{}", "x\ny", file="a"),
        Edit("a"),
        Compact("sub"),
        End(),
    ]
    write_log(actions, tmp_path / "log.jsonl")
    assert list(read_log(tmp_path / "log.jsonl")) == actions


@pytest.mark.parametrize(
    ("line", "message"),
    cases(__file__, "test_what_is_no_action_is_refused"),
)
def test_what_is_no_action_is_refused(line: str, message: str) -> None:
    """A line that is no action is an error with its file and line."""
    with pytest.raises(ParseError, match=message) as caught:
        from_line(line, 7, "log.jsonl")
    assert caught.value.line == 7
    assert str(caught.value).startswith("log.jsonl: ")


def test_utf_8_may_have_a_mark_and_another_encoding_is_an_error(tmp_path: Path) -> None:
    """A log may begin with the mark of UTF-8; another encoding is an error."""
    file = tmp_path / "log.jsonl"
    file.write_text('{"do":"edit","file":"a"}\n', "utf-8-sig")
    assert list(read_log(file)) == [Edit("a")]
    file.write_text('{"do":"edit","file":"a"}\n', "utf-16")
    with pytest.raises(ParseError, match=r"log\.jsonl: the bytes are not UTF-8, from byte 0"):
        list(read_log(file))

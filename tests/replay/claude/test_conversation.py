"""What the lines of a session file stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.replay.claude import Conversation, Counts, marks_of_files, read_claude, session_files
from mckp.replay.log import Action, Compact, Edit, End, Response
from tests.replay.claude.lines import BOUNDARY, SUMMARY, Record, as_bytes, call, result, side

if TYPE_CHECKING:
    from pathlib import Path


def _actions(*records: Record) -> list[Action]:
    conversation = Conversation(Counts())
    lines = as_bytes(list(records)).splitlines()
    return [action for line in lines for action in conversation.read(line)]


def test_a_call_and_its_result_are_a_response() -> None:
    found = _actions(call("Read", 1, file_path="a.py"), result(1, "     1→x"))
    assert found == [Response("Read", '{"file_path":"a.py"}', "     1→x", "a.py")]


def test_results_come_in_another_order_than_calls() -> None:
    found = _actions(call("A", 1), call("B", 2), result(2, "two"), result(1, "one"))
    assert [(each.tool, each.text) for each in found if isinstance(each, Response)] == [
        ("B", "two"),
        ("A", "one"),
    ]


def test_blocks_of_text_are_joined_and_pictures_left_out() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]
    (found,) = _actions(call("mcp__x__y", 1), result(1, blocks))
    assert isinstance(found, Response)
    assert found.text == "a\nb"


def test_an_edit_comes_before_its_result() -> None:
    found = _actions(call("Edit", 1, file_path="a.py"), result(1, "done"))
    assert found[0] == Edit("a.py")
    assert isinstance(found[1], Response)


def test_an_edit_that_failed_changed_nothing() -> None:
    assert _actions(call("Edit", 1, file_path="a.py"), result(1, "no", is_error=True)) == []


def test_a_compaction_is_one_though_two_lines_say_so() -> None:
    read = [call("Read", 1, file_path="a.py"), result(1, "x")]
    found = _actions(*read, BOUNDARY, SUMMARY)
    assert found[1:] == [Compact()]


def test_sub_agents_are_told_apart_by_id_or_branch() -> None:
    found = _actions(
        side(call("Read", 1, file_path="a"), None, "x1"),
        side(result(1, "1"), "a1", "x1"),
        side(call("Read", 2, file_path="a"), None),
        side(result(2, "2"), "a2"),
        side(call("Read", 3, file_path="a"), None),
        side(result(3, "3"), "a3"),
        call("Read", 4, file_path="a"),
        result(4, "4"),
    )
    assert [each.agent for each in found if isinstance(each, Response)] == [
        "x1",
        "a2",
        "a3",
        "main",
    ]


def test_odd_lines_are_counted_and_passed_over(tmp_path: Path) -> None:
    odd = b'\n{"type":"queue"}\n{"torn\n[]\n{"type":"user","message":{"content":[3]}}\n'
    file = tmp_path / "s.jsonl"
    read = [call("Read", 1, file_path="a"), result(1, "x"), result(9, "?")]
    file.write_bytes(odd + as_bytes(read))
    counts, seen = Counts(), list[int]()
    found = list(read_claude(file, counts, seen.append))
    assert found == [Response("Read", '{"file_path":"a"}', "x", "a"), End("claude-sonnet-4-6")]
    assert (counts.lines, counts.broken, counts.unknown, counts.orphans) == (8, 2, 1, 1)
    assert sum(seen) == file.stat().st_size


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["user", "tool_use", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "message", "content", "id", "input", "tool_use_id", "name"]),
            inner,
            max_size=4,
        )
    ),
)


@given(st.lists(st.dictionaries(st.sampled_from(["type", "message", "isSidechain"]), _JSON)))
def test_nothing_in_a_line_raises(records: list[Record]) -> None:
    assert all(isinstance(each, Response | Edit | Compact) for each in _actions(*records))


@pytest.mark.parametrize("depth", [230, 600, 990])
def test_arguments_may_be_nested_deeply(depth: int) -> None:
    """JSON is read deeper than it is written."""
    line = as_bytes([call("a", 1, x="here")]).replace(b'"here"', b"[" * depth + b"]" * depth)
    conversation = Conversation(Counts())
    found = [*conversation.read(line), *conversation.read(as_bytes([result(1, "one")]))]
    assert [each.text for each in found if isinstance(each, Response)] == ["one"]


def test_files_are_found_by_project(tmp_path: Path) -> None:
    for name in ("b/2.jsonl", "a/1.jsonl", "a/notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [each.name for each in session_files(tmp_path)] == ["1.jsonl", "2.jsonl"]
    assert [each.name for each in session_files(tmp_path, "b")] == ["2.jsonl"]
    assert session_files(tmp_path / "a/1.jsonl") == [tmp_path / "a/1.jsonl"]


def test_many_files_over_processes_say_the_same(tmp_path: Path) -> None:
    for number in range(3):
        read = [call("Read", 1, file_path="a"), result(1, f"text {number}")]
        (tmp_path / f"{number}.jsonl").write_bytes(as_bytes(read) + b"{")
    files, one, more = session_files(tmp_path), Counts(), Counts()
    alone = list(marks_of_files(files, one, processes=1))
    assert list(marks_of_files(files, more, processes=2)) == alone
    assert one == more
    assert (one.files, one.lines, one.broken, len(alone)) == (3, 9, 3, 6)

"""What the lines of a session file stand for, and which files a place has."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.agents.replay import Action, Compact, Edit, End, LeftOut, ModelRequest, Response, read_log
from mckp.agents.replay.learning import used_in
from mckp.agents.replay.log import Conversation
from mckp.agents.replay.run import replay
from mckp.agents.session import SessionSettings
from mckp.errors import MckpError, ParseError
from tests.replay.lines import BOUNDARY, SUMMARY, Record, as_bytes, call, result, side


def _all_actions(*records: Record) -> list[Action]:
    conversation = Conversation()
    lines = as_bytes(list(records)).splitlines()
    return [action for line in lines for action in conversation.read(line)]


def _read(place: Path) -> list[Action]:
    """Return the actions of a place but requests."""
    return [action for action in read_log(place) if not isinstance(action, ModelRequest)]


def _actions(*records: Record) -> list[Action]:
    """Return the actions but requests."""
    return [action for action in _all_actions(*records) if not isinstance(action, ModelRequest)]


def test_each_answer_of_the_model_is_a_request() -> None:
    """Calls of one message are one request, with its model and agent."""
    first, two = call("A", 1), call("B", 2)
    first["message"]["id"] = two["message"]["id"] = "m1"
    records = [first, two, result(1, "x"), result(2, "y"), call("A", 3), side(call("A", 4), "a3")]
    asked = [action for action in _all_actions(*records) if isinstance(action, ModelRequest)]
    assert [request.agent for request in asked] == ["main", "main", "a4"]
    assert {request.model for request in asked} == {"claude-sonnet-4-6"}


def test_a_call_and_its_result_are_a_response() -> None:
    """A call and its result are one response with arguments, text and file."""
    actions = _actions(call("Read", 1, file_path="a.py"), result(1, "     1→x"))
    assert actions == [Response("Read", '{"file_path":"a.py"}', "     1→x", "a.py")]


def test_results_come_in_another_order_than_calls() -> None:
    """Results belong to their calls by id, in any order."""
    actions = _actions(call("A", 1), call("B", 2), result(2, "two"), result(1, "one"))
    assert [(action.tool, action.text) for action in actions if isinstance(action, Response)] == [
        ("B", "two"),
        ("A", "one"),
    ]


def test_blocks_of_text_are_joined_and_pictures_left_out() -> None:
    """Blocks of text are joined by line feeds, and pictures are left out."""
    blocks = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]
    (response,) = _actions(call("mcp__x__y", 1), result(1, blocks))
    assert isinstance(response, Response)
    assert response.text == "a\nb"


def test_an_edit_comes_before_its_result() -> None:
    """The edit of a file is an action before its result."""
    actions = _actions(call("Edit", 1, file_path="a.py"), result(1, "done"))
    assert actions[0] == Edit("a.py")
    assert isinstance(actions[1], Response)


def test_an_edit_that_failed_changed_nothing() -> None:
    """A failed edit is no action."""
    assert _actions(call("Edit", 1, file_path="a.py"), result(1, "no", is_error=True)) == []


def test_a_compaction_is_one_though_two_lines_say_so() -> None:
    """The boundary and the summary of a compaction are one action."""
    read = [call("Read", 1, file_path="a.py"), result(1, "x")]
    actions = _actions(*read, BOUNDARY, SUMMARY)
    assert actions[1:] == [Compact()]


def test_sub_agents_are_known_by_id_or_branch() -> None:
    """Results belong to a sub-agent by its id or by the branch of their call."""
    actions = _actions(
        side(call("Read", 1, file_path="a"), None, "x1"),
        side(result(1, "1"), "a1", "x1"),
        side(call("Read", 2, file_path="a"), None),
        side(result(2, "2"), "a2"),
        side(call("Read", 3, file_path="a"), None),
        side(result(3, "3"), "a3"),
        call("Read", 4, file_path="a"),
        result(4, "4"),
    )
    assert [action.agent for action in actions if isinstance(action, Response)] == [
        "x1",
        "a2",
        "a3",
        "main",
    ]


def test_odd_lines_are_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Lines of other kinds are skipped; those that are not JSON are counted in a warning."""
    odd = b'\n{"type":"queue"}\n{"torn\n[]\n{"type":"user","message":{"content":[3]}}\n'
    file = tmp_path / "s.jsonl"
    read = [call("Read", 1, file_path="a"), result(1, "x"), result(9, "?")]
    file.write_bytes(odd + as_bytes(read))
    assert _read(file) == [Response("Read", '{"file_path":"a"}', "x", "a"), End()]
    (record,) = caplog.records
    assert "skipped 2 lines that are not JSON" in record.getMessage()


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
    """No record of a session file raises an error."""
    assert all(isinstance(action, Response | Edit | Compact) for action in _actions(*records))


@pytest.mark.parametrize("depth", [230, 600, 990])
def test_arguments_may_be_nested_deeply(depth: int) -> None:
    """A call with deeply nested arguments keeps its result."""
    line = as_bytes([call("a", 1, x="here")]).replace(b'"here"', b"[" * depth + b"]" * depth)
    conversation = Conversation()
    actions = [*conversation.read(line), *conversation.read(as_bytes([result(1, "one")]))]
    assert [action.text for action in actions if isinstance(action, Response)] == ["one"]


def test_a_folder_has_sessions_of_both_kinds(tmp_path: Path) -> None:
    """A folder is read as its logs and session files in order of their names, each with an end."""
    (tmp_path / "b").mkdir()
    pair = [call("Read", 1, file_path="a"), result(1, "one")]
    (tmp_path / "b" / "2.jsonl").write_bytes(as_bytes(pair))
    (tmp_path / "1.jsonl").write_text('{"do":"compact"}\n')
    (tmp_path / "notes.txt").touch()
    kinds = [type(action) for action in _read(tmp_path) if not isinstance(action, End)]
    assert kinds == [Compact, Response]
    assert _read(tmp_path)[1] == End()


def test_what_is_no_session_is_an_error(tmp_path: Path) -> None:
    """A folder without sessions and a file of something else are errors."""
    with pytest.raises(MckpError, match="it has no"):
        _read(tmp_path)
    file = tmp_path / "log.jsonl"
    file.write_text('\n{"what": 1}\n')
    with pytest.raises(ParseError, match=r"log\.jsonl: .*line 2"):
        _read(file)


LONG = "".join(f"step {n} of the build is done, with {n * 7} files\n" for n in range(900))


@pytest.mark.parametrize(
    "shown",
    [
        "> [#3 as compact]\nstep 0 of the build\n> […1-898]\n> [all of it is in {path}]\n",
        "<persisted-output>\nOutput too large (45.2KB). Full output saved to: {path}\n\nPreview "
        "(first 2KB):\nstep 0 of the build\n</persisted-output>",
        "Error: result (45,201 characters across 900 lines) exceeds maximum allowed tokens. "
        "Output has been saved to {path}.\nstep 0",
        "> [ref #3]\n(the same text as #3 above)",
        "> [#3]\nstep 0",
        "[Old tool result content cleared]",
    ],
)
@pytest.mark.parametrize("is_there", [True, False])
def test_shortened_results_are_counted_whole_or_not_at_all(
    shown: str, is_there: bool, tmp_path: Path
) -> None:
    """Results that a hook or the host shortened count with their whole text or not at all."""
    stored = tmp_path / "3f0c" / "tool-results" / "b1.txt"
    if is_there:
        stored.parent.mkdir(parents=True)
        stored.write_text(LONG, "utf-8")
    text = shown.format(path=stored)
    log = tmp_path / "3f0c.jsonl"
    log.write_bytes(as_bytes([call("Bash", 1, command="make"), result(1, text)]))
    action, _ = _read(log)
    if is_there and "{path}" in shown:
        assert isinstance(action, Response)
        assert action.text == LONG
    else:
        assert action == LeftOut("Bash")
        played = replay(read_log(log), SessionSettings(budget=200))
        assert (played.left_out, played.total.responses, played.sessions) == (1, 0, 0)
        assert list(used_in(read_log(log))) == []


def test_no_file_outside_of_the_session_is_counted(tmp_path: Path) -> None:
    """Stored output behind a link out of the session is left out."""
    (tmp_path / "secret").write_text(LONG, "utf-8")
    stored = tmp_path / "3f0c" / "tool-results"
    stored.mkdir(parents=True)
    (stored / "b1.txt").symlink_to(tmp_path / "secret")
    log = tmp_path / "3f0c.jsonl"
    text = f"<persisted-output>\nsaved to: {stored / 'b1.txt'}\n"
    log.write_bytes(as_bytes([call("Bash", 1, command="make"), result(1, text)]))
    assert _read(log)[0] == LeftOut("Bash")


def test_a_recall_is_no_result_of_its_own() -> None:
    """The output of a recall command is left out."""
    command = "mckp hook recall 3f0c '#3'"
    assert _actions(call("Bash", 1, command=command), result(1, "x")) == [LeftOut("Bash")]

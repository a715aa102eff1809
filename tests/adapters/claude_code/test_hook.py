"""The hook of Claude Code: answers of the right shape, one memory, and never a failure."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mckp.agents.adapters.claude_code import memory, notes
from mckp.agents.adapters.claude_code.answering import answer
from mckp.agents.adapters.claude_code.brief import MIN_CHARS, is_brief
from mckp.agents.adapters.claude_code.memory import Memory
from mckp.agents.adapters.claude_code.run import recall_in_conversation, respond
from mckp.agents.session import Reader, SessionSettings
from mckp.errors import MckpError
from mckp.tokenizers import get

ROWS = json.dumps([{"id": n, "state": "done", "job": f"job {n % 3}"} for n in range(60)])
BASH = {"stdout": ROWS, "stderr": "", "interrupted": False, "isImage": False}
MCP = [{"type": "text", "text": ROWS}, {"type": "image", "data": "…"}]


def _broken(*_: object, **__: object) -> str:
    raise ZeroDivisionError


def answer_to(name: str = "PostToolUse", **members: Any) -> dict[str, Any]:
    """Tell the hook of an event; return what it answers within its frame."""
    return told_of({"session_id": "s", "hook_event_name": name, "tool_name": "Bash", **members})


def told_of(event: dict[str, Any], budget: int | None = None) -> dict[str, Any]:
    said = json.loads(respond(json.dumps(event).encode(), budget=budget))
    frame: dict[str, Any] = said.get("hookSpecificOutput", {})
    assert not frame or frame["hookEventName"] == "PostToolUse"
    return frame


def shown(**members: Any) -> str:
    text: str = answer_to(tool_response=BASH, **members)["updatedToolOutput"]["stdout"]
    return text


@pytest.mark.parametrize(
    ("tool", "response", "path"),
    [
        ("Bash", BASH, ["stdout"]),
        ("Bash", {**BASH, "stdout": "", "stderr": ROWS}, ["stderr"]),
        ("Grep", {"mode": "content", "content": ROWS, "numLines": 1}, ["content"]),
        ("WebFetch", {"result": ROWS, "code": 200}, ["result"]),
        ("mcp__ci__jobs", MCP, [0, "text"]),
        ("mcp__ci__jobs", {"content": MCP, "isError": False}, ["content", 0, "text"]),
        ("mcp__ci__jobs", ROWS, []),
        ("Task", {"content": MCP, "totalTokens": 7}, ["content", 0, "text"]),
    ],
)
def test_a_replacement_has_the_shape_of_the_response(
    tool: str, response: Any, path: list[str | int]
) -> None:
    """A replaced output has the shape of the response, and nothing of the data is lost."""
    said = answer_to(tool_name=tool, tool_response=response)["updatedToolOutput"]
    expected, place, text = json.loads(json.dumps(response)), None, said
    for step in path:
        text = text[step]
    assert Reader().read(text) == json.loads(ROWS)
    place = expected
    for step in path[:-1]:
        place = place[step]
    if path:
        place[path[-1]] = text
        assert said == expected


@pytest.mark.parametrize("tool", ["Grep", "Glob"])
def test_a_list_of_files_stays_a_list(tool: str) -> None:
    """A cut list of files is a list of single lines within the budget, with real names in it."""
    files = [f"src/part{n % 40}/module_{n}.py" for n in range(900)]
    response = {"mode": "files_with_matches", "filenames": files, "numFiles": 900}
    event = {"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": tool}
    said = told_of({**event, "tool_response": response}, budget=300)["updatedToolOutput"]
    assert {**said, "filenames": files} == response
    assert all(isinstance(line, str) and "\n" not in line for line in said["filenames"])
    assert get("o200k").count("\n".join(said["filenames"])) <= 300
    assert sum(line in files for line in said["filenames"]) > 5


def test_standard_error_shares_the_budget_with_the_output() -> None:
    """Output and standard error together keep the budget."""
    log = "".join(f"step {n} failed with {n * 7} files\n" for n in range(400))
    event = {"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash"}
    said = told_of({**event, "tool_response": {**BASH, "stdout": log, "stderr": log}}, budget=400)
    texts = said["updatedToolOutput"]
    assert get("o200k").count(texts["stdout"] + texts["stderr"]) <= 400


@pytest.mark.parametrize(
    ("tool", "response"),
    [
        ("Read", {"type": "text", "file": {"content": ROWS, "numLines": 1}}),
        ("Bash", {**BASH, "isImage": True}),
        ("Bash", {**BASH, "persistedOutputPath": "/tmp/x"}),
        ("Bash", {**BASH, "stdout": "short"}),
        ("Bash", {**BASH, "stdout": "x" * (1 << 23)}),
        ("Bash", {**BASH, "stdout": ""}),
        ("Bash", None),
        ("Other", ROWS),
        ("mcp__ci__jobs", {"content": None}),
        ("mcp__ci__jobs", [7, None, {"type": "text"}]),
    ],
)
def test_all_else_stays_as_it_is(tool: str, response: Any) -> None:
    """Numbered lines, pictures, other places and unknown results stay as they are."""
    assert answer_to(tool_name=tool, tool_response=response) == {}


def test_a_budget_holds_and_what_was_cut_can_be_had() -> None:
    """A cut output keeps the budget and names the command that recalls it, once."""
    event = {"session_id": "s'", "hook_event_name": "PostToolUse", "tool_response": BASH}
    said = told_of({**event, "tool_name": "Bash"}, budget=80)
    assert get("o200k").count(said["updatedToolOutput"]["stdout"]) <= 80
    assert "mckp hook recall s' 3 --where" in said["additionalContext"]
    again = told_of({**event, "tool_name": "Bash", "tool_response": {"stdout": f"[{ROWS}]"}}, 80)
    assert "additionalContext" not in again
    assert recall_in_conversation("s'", {"handle": "1", "path": "$[59].id"}) == "59"
    for conversation, handle in (("s'", "9"), ("unknown", "1")):
        with pytest.raises(MckpError, match=f"#{handle} is not there; "):
            recall_in_conversation(conversation, {"handle": handle})
    with pytest.raises(MckpError, match="""try mckp hook recall 's'"'"'' 1 --fields job"""):
        recall_in_conversation("s'", {"handle": "1", "fields": ["jobb"]})


@pytest.mark.parametrize(
    ("command", "is_whole"),
    [
        ("mckp hook recall s 1", True),
        ("mckp hook recall s 1 --grep 'a|b' | head -300", True),
        ("cd /srv && mckp hook recall s 1 | jq '.[0]' > out.json; cat", False),
        ("cd /srv && mckp hook recall s 1 2>&1 | tail -5", True),
        ("for n in 1 2\nmckp hook recall s $n", False),
        ("mckp hook recall s 1; echo; mckp hook recall s 2 | wc -l", True),
        ("LANG=C .venv/bin/mckp hook recall s 1 |\n grep x", True),
        ("LANG=C .venv/bin/mckp hook recall s 1 | grep x", True),
        ("grep 'mckp hook recall' notes.md", False),
        ("cat app.log; mckp hook recall s 1", False),
        ("git log | grep -v 'x' && mckp hook recall s 1", False),
    ],
)
def test_the_answer_of_a_recall_stays_whole_in_a_pipe(command: str, is_whole: bool) -> None:
    """What a recall prints is not cut again, whatever filters it goes through."""
    big = {"stdout": json.dumps([{"id": n, "state": "ok"} for n in range(400)]), "stderr": ""}
    event = {"session_id": "pipes", "hook_event_name": "PostToolUse", "tool_name": "Bash"}
    said = told_of({**event, "tool_input": {"command": command}, "tool_response": big}, budget=80)
    assert (said == {}) is is_whole


def test_a_repeat_is_a_reference_and_in_full_when_asked_for_again() -> None:
    """Claude Code clears old results without a word, so a reference may lead nowhere."""
    assert shown().startswith("> [#1 as compact]")
    assert shown().startswith("> [ref #1]")
    assert shown().startswith("> [#2 as compact]")
    assert shown().startswith("> [ref #2]")


@pytest.mark.parametrize(
    "event",
    [
        {"hook_event_name": "PreCompact", "trigger": "auto"},
        {"hook_event_name": "SessionStart", "source": "clear"},
        {"hook_event_name": "SessionStart", "source": "compact"},
    ],
)
def test_nothing_is_referred_to_once_the_context_was_emptied(event: dict[str, Any]) -> None:
    """After a compaction or a cleared session, a repeated result is shown in full."""
    shown()
    assert answer_to(event.pop("hook_event_name"), **event) == {}
    assert shown().startswith("> [#2 as compact]")


def test_the_kind_of_agent_follows_from_the_session_once_its_context_is_emptied(
    tmp_path: Path,
) -> None:
    """The agent profile changes only once no text is left that a reference could lead to."""
    (tmp_path / ".mckp").mkdir()
    config = tmp_path / ".mckp" / "pipeline_config.toml"
    when = "when = {min_results = 2, min_compactions = 1}"
    config.write_text(f"schema_version = 2\n[profiles.agent.long]\n{when}\nlabels = false\n")
    shown(cwd=str(tmp_path))
    assert answer_to("PreCompact", cwd=str(tmp_path)) == {}
    assert shown(cwd=str(tmp_path)).startswith("> [#2 as compact]")  # one result is not enough
    assert shown(cwd=str(tmp_path)).startswith("> [ref #2]")
    for name in ("PreCompact", "PostCompact"):
        assert answer_to(name, cwd=str(tmp_path)) == {}
    assert shown(cwd=str(tmp_path)).startswith("> [as compact]")


def test_what_the_user_asked_is_kept_of_a_result(tmp_path: Path) -> None:
    """The last prompt weighs results of the main agent until the session ends."""
    goods = ["amber", "basalt", "copper", "dolomite", "enamel", "feldspar", "granite", "hematite"]
    log = [
        f"{one} and {other_good} were put into the cellar" for one in goods for other_good in goods
    ]

    def keeps_line(**members: Any) -> bool:
        event: dict[str, Any] = {"session_id": "s", "hook_event_name": "PostToolUse"}
        text = "\n".join(f"{line} {members}" for line in log)
        event |= {"tool_name": "Bash", "tool_response": {**BASH, "stdout": text}, **members}
        return log[37] in told_of(event, 160)["updatedToolOutput"]["stdout"]

    assert not keeps_line()
    assert (
        answer_to("UserPromptSubmit", prompt="Was enamel put beside feldspar: enamel and feldspar?")
        == {}
    )
    (file,) = notes.folder().glob("*.prompt")
    assert os.name == "nt" or file.stat().st_mode & 0o777 == 0o600
    assert keeps_line(a=1)
    assert not keeps_line(agent_id="other")
    assert "beside" not in "".join(note.read_text() for note in notes.folder().glob("*.json"))
    answer_to("SessionEnd")
    assert not file.exists()
    (tmp_path / ".mckp").mkdir()
    config = tmp_path / ".mckp" / "pipeline_config.toml"
    config.write_text("schema_version = 2\n[mckp]\nheeds_request = false\n")
    answer_to(
        "UserPromptSubmit",
        prompt="Was enamel put beside feldspar: enamel and feldspar?",
        cwd=str(tmp_path),
    )
    assert not file.exists()


def test_a_session_taken_up_again_goes_on() -> None:
    """After a resumed session, a repeated result is a reference."""
    shown()
    assert answer_to("SessionStart", source="resume") == {}
    assert shown().startswith("> [ref #1]")


def test_each_agent_sees_its_own_context() -> None:
    """A sub-agent is not referred to what the other one saw, nor is the next one of its name."""
    shown()
    assert shown(agent_id="a").startswith("> [#2 as compact]")
    assert shown(agent_id="a").startswith("> [ref #2]")
    answer_to("SubagentStop", agent_id="a")
    assert shown(agent_id="a").startswith("> [#3 as compact]")
    assert shown().startswith("> [ref #1]")


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"step {n} of the build is done" for n in range(40)),
        "def f(x):\n    return x\n\n" * 30,
        json.dumps(
            ["a word", "another word", "a third one", "and so on"] * 8, separators=(",", ":")
        ),
    ],
)
def test_a_result_never_gets_longer(text: str) -> None:
    """What is not shorter without a budget stays as it is, however often it comes."""
    for _ in range(3):
        said = answer_to(tool_response={**BASH, "stdout": text})
        new = said["updatedToolOutput"]["stdout"] if said else text
        assert get("o200k").count(new) <= get("o200k").count(text)
        assert said == {} or not text.startswith(("step", "def"))


def test_an_edit_ends_references_to_a_file() -> None:
    """After an edit of its file, a repeated result is shown in full."""
    look = {"tool_input": {"command": "git show a.py", "path": "/a.py"}}
    shown(**look)
    answer_to(
        tool_name="Edit", tool_input={"file_path": "/a.py"}, tool_response={"filePath": "/a.py"}
    )
    assert shown(**look).startswith("> [#2 as compact]")


@pytest.mark.parametrize(
    "command", ["cat a.json", "cd src && sed -n 1,40p a.json", "head -9 a.json"]
)
def test_a_file_that_the_shell_shows_stays_to_the_letter(command: str) -> None:
    """The model may edit it next; above the budget it is cut like any result."""
    event = event_of(tool_input={"command": command}, tool_response=BASH)
    assert told_of(event) == {}
    assert told_of(event, budget=4000) == {}
    assert told_of(event, budget=200) != {}
    assert told_of({**event, "tool_input": {"command": f"{command} | sort"}}) != {}


@pytest.mark.slow
def test_hooks_at_once_share_one_memory() -> None:
    """Hooks that run at once give each result its own number, by which it is recalled."""
    texts = [f"[{n},{ROWS}]" for n in range(12)]

    def tell(text: str) -> str:
        output: str = answer_to(tool_response={**BASH, "stdout": text})["updatedToolOutput"][
            "stdout"
        ]
        return output

    with ThreadPoolExecutor(6) as pool:
        said = list(pool.map(tell, texts))
    numbers = sorted(int(text.split("#")[1].split(" ")[0]) for text in said)
    assert numbers == list(range(1, 13))
    for number, text in zip((int(t.split("#")[1].split(" ")[0]) for t in said), texts, strict=True):
        assert recall_in_conversation("s", {"handle": str(number)}).startswith("> [as compact]")
        assert (
            json.loads(recall_in_conversation("s", {"handle": str(number), "path": "$[0]"}))
            == json.loads(text)[0]
        )


def test_labels_of_a_memory_that_was_lost_are_not_used_again(tmp_path: Path) -> None:
    """After a lost memory, numbers go on from those in the transcript."""
    transcript = tmp_path / "s.jsonl"
    transcript.write_text('{"text":"> [#7 as compact]\\n…"}\n{"text":"> [#12]"}\n', "utf-8")
    assert shown(transcript_path=str(transcript)).startswith("> [#13 as compact]")
    for file in notes.folder().glob("*.json"):
        file.write_text("{", "utf-8")
    assert shown(transcript_path=str(transcript)).startswith("> [#13 as compact]")


def test_texts_are_for_their_owner_alone() -> None:
    """Nobody but their owner may read the folder of notes and its files."""
    shown()
    [file] = notes.folder().glob("*.json")
    assert file.stat().st_mode & 0o077 == 0
    assert notes.folder().stat().st_mode & 0o077 == 0


def test_old_conversations_are_forgotten() -> None:
    """The end of a session deletes memories that are forty days old, and no new ones."""
    shown()
    [file] = notes.folder().glob("*.json")
    answer_to("SessionEnd")
    assert file.exists()
    old = time.time() - 40 * 86400
    os.utime(file, (old, old))
    answer_to("SessionEnd")
    assert list(notes.folder().iterdir()) == []


@pytest.mark.parametrize(
    "raw",
    [b"", b"[]", b"{", b"\xff", b'{"session_id": 7}'],
)
def test_broken_events_are_answered_with_an_empty_object(
    raw: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """A broken event is answered with `{}` and a warning, without a traceback."""
    assert respond(raw) == b"{}"
    assert "stays unchanged" in caplog.text
    assert "Traceback" not in caplog.text


def test_what_is_no_character_of_an_event_is_replaced() -> None:
    """Half of a surrogate pair in an event is replaced, and the event is answered."""
    raw = json.dumps({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash"})
    said = {**BASH, "stdout": f"\ud83d{ROWS}", "stderr": "\udc00"}
    event = {**json.loads(raw), "tool_response": said}
    shown = json.loads(respond(json.dumps(event).encode(), budget=100))["hookSpecificOutput"]
    assert get("o200k").count(shown["updatedToolOutput"]["stdout"]) <= 100
    assert shown["updatedToolOutput"]["stderr"] == "\ufffd"


def test_failures_never_switch_a_budget_off(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A broken state folder, a broken configuration and a defect leave the budget on."""
    event = {"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash"}
    project = tmp_path / ".mckp" / "pipeline_config.toml"
    project.parent.mkdir()
    project.write_text("schema_version = 99\n", "utf-8")

    def cut(**members: Any) -> str:
        said = told_of({**event, "tool_response": BASH, **members}, budget=60)
        text: str = said["updatedToolOutput"]["stdout"]
        assert get("o200k").count(text) <= 60
        return text

    assert "characters left out" in cut(cwd=str(tmp_path))
    with monkeypatch.context() as broken:
        broken.setenv("MCKP_STATE_DIR", str(project))
        assert "characters left out" in cut()
    assert "Traceback" not in caplog.text
    monkeypatch.setattr("mckp.agents.session.sender.labelled_text", _broken)
    assert "characters left out" in cut()
    assert caplog.text.count("cut without being parsed") == 3
    assert "Traceback" in caplog.text


def test_an_unknown_tokenizer_leaves_the_budget_on() -> None:
    """With a tokenizer that does not exist, bytes are counted: the hook still answers."""
    event = {"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash"}
    raw = json.dumps({**event, "tool_response": BASH}).encode()
    said = json.loads(respond(raw, budget=60, tokenizer="none such"))["hookSpecificOutput"]
    assert "characters left out" in said["updatedToolOutput"]["stdout"]
    assert len(said["updatedToolOutput"]["stdout"].encode()) <= 60
    assert respond(raw, tokenizer="none such") == b"{}"


def test_failures_leave_results_as_they_are_without_a_budget(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Without a budget, a broken folder or configuration leaves the result as it is."""
    event = {"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash"}
    project = tmp_path / ".mckp" / "pipeline_config.toml"
    project.parent.mkdir()
    project.write_text("schema_version = 99\n", "utf-8")
    assert told_of({**event, "tool_response": BASH, "cwd": str(tmp_path)}) == {}
    monkeypatch.setenv("MCKP_STATE_DIR", str(project))
    assert told_of({**event, "tool_response": BASH}) == {}
    assert caplog.text.count("stays unchanged") == 2
    assert "Traceback" not in caplog.text


def test_a_locked_memory_leaves_the_output_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook that cannot lock the memory in time leaves the output unchanged."""
    monkeypatch.setattr(notes, "LOCK_SECONDS", 0.05)
    with memory.open_memory("s"):
        assert answer_to(tool_response=BASH) == {}
    assert answer_to(tool_response=BASH) != {}


def test_a_memory_of_another_version_is_not_read() -> None:
    """A memory of another format version is read as an empty one."""
    shown()
    [file] = notes.folder().glob("*.json")
    file.write_text(file.read_text("utf-8").replace('"format":1', '"format":2', 1), "utf-8")
    assert memory.read_memory("s") == Memory()


def test_a_broken_memory_is_begun_again() -> None:
    """A memory without a session is replaced by a new one."""
    first = shown()
    [file] = notes.folder().glob("*.json")
    kept = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**kept, "session": None}), "utf-8")
    assert shown() == first


@pytest.mark.slow
def test_the_command_answers() -> None:
    """The command reads an event, writes an answer and exits with 0, whatever happens."""
    command = [sys.executable, "-m", "mckp", "hook", "claude-code"]
    event = {"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash"}
    raw = json.dumps({**event, "tool_response": BASH}).encode()
    done = subprocess.run(command, input=raw, capture_output=True, check=True)
    said = json.loads(done.stdout)["hookSpecificOutput"]["updatedToolOutput"]
    assert (said["stdout"][:17], done.stderr) == ("> [#1 as compact]", b"")
    broken = subprocess.run(command, input=b"{", capture_output=True, check=True)
    assert broken.stdout == b"{}\n"
    assert b"stays unchanged" in broken.stderr
    asked = [*command[:-1], "recall", "s", "1", "--path", "$[3].job"]
    assert subprocess.run(asked, capture_output=True, check=True).stdout == b"job 0\n"


SHORT = {"stdout": "3 passed", "stderr": "", "isImage": False}


def files_of(kind: str) -> list[Path]:
    return list(notes.folder().glob(f"*.{kind}"))


def event_of(**facts: Any) -> dict[str, Any]:
    return {"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", **facts}


def test_short_results_are_noted_and_remembered_later() -> None:
    """A short result stays; the session hears of it before the next one, and of what it did."""
    rows = json.dumps([{"id": n, "name": f"n{n}"} for n in range(40)])
    long = event_of(tool_response={"stdout": rows}, tool_input={"command": "jq . a.json"})
    first = told_of(long)
    assert told_of(event_of(tool_response=SHORT, tool_input={"command": "rm a.json"})) == {}
    (notes,) = files_of("notes")
    assert len(notes.read_bytes().splitlines()) == 1
    second = told_of(long)
    assert not files_of("notes")
    assert (memory.read_memory("s").session["savings"]["responses"], bool(first)) == (3, True)
    assert second["updatedToolOutput"]["stdout"] != "> [ref #1]"


@pytest.mark.parametrize("budget", [None, 4000])
@pytest.mark.parametrize(
    "text", ["", "done", "é" * 199, "語" * 199, '[{"a": 1}, {"a": 2}]', "x " * 99]
)
def test_the_session_would_have_left_it(text: str, budget: int | None) -> None:
    """What is decided without a session is what a session says."""
    event = event_of(tool_response={**SHORT, "stdout": text})
    assert is_brief(event, budget, "o200k")
    kept = Memory()
    settings = SessionSettings(budget=budget)
    assert answer(event, kept, settings) == {}
    assert SessionSettings().min_body_chars == MIN_CHARS


def test_what_is_not_brief(tmp_path: Path) -> None:
    """Longer texts, labels, small budgets, other tokenizers and configurations ask the session."""
    event = event_of(tool_response=SHORT, cwd=str(tmp_path))
    assert is_brief(event, 40, "o200k")
    assert not is_brief(event, 5, "o200k")
    assert not is_brief(event, None, "chars:0.1")
    assert not is_brief({**event, "hook_event_name": "SubagentStop"}, None, "o200k")
    for text in ("x" * 200, "> [ref #1]"):
        assert not is_brief({**event, "tool_response": {"stdout": text}}, None, "o200k")
    (tmp_path / ".mckp").mkdir()
    (tmp_path / ".mckp" / "pipeline_config.toml").write_text("")
    assert not is_brief(event, None, "o200k")


def test_an_event_of_several_lines_is_one_note() -> None:
    """An event on several lines is noted as one line with the same data."""
    raw = json.dumps(event_of(tool_response=SHORT), indent=2).encode()
    assert respond(raw) == b"{}"
    (noted,) = files_of("notes")
    assert json.loads(noted.read_bytes()) == event_of(tool_response=SHORT)
    assert noted.read_bytes().count(b"\n") == 1


def test_notes_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """After enough notes the session is updated, and half a line is no event."""
    monkeypatch.setattr(notes, "MAX_NOTES_BYTES", 300)
    event = event_of(tool_response=SHORT)
    for _ in range(2):
        assert told_of(event) == {}
    (noted,) = files_of("notes")
    with noted.open("ab") as file:
        file.write(b'{"half')
    for _ in range(2):
        assert told_of(event) == {}
    assert memory.read_memory("s").session["savings"]["responses"] == 3
    notes.purge(days=-1)
    assert not list(notes.folder().iterdir())


def test_old_files_are_deleted_and_new_ones_stay() -> None:
    """A message of the user that no lock belongs to is deleted too; a lock that is new stays."""
    notes.keep_prompt("old-talk", "the words of the user")
    (prompt,) = files_of("prompt")
    os.utime(prompt, (0, 0))
    with notes.lock_conversation("new-talk"):
        notes.purge()
        (left,) = notes.folder().iterdir()
        assert left.name == "new-talk.lock"


def test_cursor_gets_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cursor, which runs the same hooks, gets no answer."""
    assert answer_to(tool_response=BASH, cursor_version="2.0.1") == {}
    monkeypatch.setenv("CURSOR_VERSION", "2.0.1")
    assert answer_to(tool_response=BASH) == {}

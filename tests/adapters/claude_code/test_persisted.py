"""Long output of commands is read from its file, and from no other."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from mckp.agents.adapters.claude_code.persisted import SHOWN_CHARS
from mckp.agents.adapters.claude_code.run import recall_in_conversation, respond
from mckp.tokenizers import get

LINES = [f"step {n} of the build is done, with {n * 7} files" for n in range(4_000)]
LINES[2_345] = "ERROR: step 2345 failed: no such file src/lost.c"
LOG = "\n".join(LINES) + "\n"


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Return the folder of a session, with its transcript beside it and one long output in it."""
    folder = tmp_path / "projects" / "-work" / "3f0c"
    (folder / "tool-results").mkdir(parents=True)
    folder.with_suffix(".jsonl").write_text("{}\n", "utf-8")
    (folder / "tool-results" / "b1.txt").write_text(LOG, "utf-8")
    return folder


def event(session: Path, file: Any = None, **members: Any) -> dict[str, Any]:
    path = session / "tool-results" / "b1.txt" if file is None else file
    response = {
        **{"stdout": LOG[:30_000], "stderr": "", "interrupted": False, "isImage": False},
        **{"noOutputExpected": False, "persistedOutputPath": str(path)},
        "persistedOutputSize": len(LOG),
    }
    return {
        **{"session_id": session.name, "transcript_path": f"{session}.jsonl", "cwd": "/none"},
        **{"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": response},
        "tool_input": {"command": "make"},
        **members,
    }


def replaced(raw_event: dict[str, Any], budget: int | None = 1_000) -> Any:
    said = json.loads(respond(json.dumps(raw_event).encode(), budget=budget))
    return said.get("hookSpecificOutput", {}).get("updatedToolOutput")


@pytest.mark.slow
@pytest.mark.parametrize("budget", [100, 1_000, 20_000])
def test_long_output_is_encoded_whole(session: Path, budget: int) -> None:
    """Output that Claude Code has stored is encoded whole, and what is cut can be recalled."""
    replacement = replaced(event(session), budget)
    response = event(session)["tool_response"]
    assert {**replacement, "stdout": 0} == {
        **{name: value for name, value in response.items() if not name.startswith("persisted")},
        "stdout": 0,
    }
    text = replacement["stdout"]
    assert get("o200k").count(text) <= budget
    assert len(text) <= SHOWN_CHARS
    assert text.endswith(f"\n> [all of it is in {session / 'tool-results' / 'b1.txt'}]\n")
    assert recall_in_conversation(session.name, {"handle": "#1", "lines": 2_346}).endswith(
        LINES[2_345]
    )


def test_without_a_budget_the_preview_stays(session: Path) -> None:
    """Without a budget, the preview of stored output stays."""
    assert replaced(event(session), None) is None


@pytest.mark.slow
def test_of_very_long_output_both_ends_are_read(session: Path) -> None:
    """Of a very long file the beginning and the end are read, and a note says what is missing."""
    file = session / "tool-results" / "b2.txt"
    file.write_text("the first line\n" + LOG * 15 + "the last line\n", "utf-8")
    text = replaced(event(session, file))["stdout"]
    assert get("o200k").count(text) <= 1_000
    assert "bytes are only in the file" in recall_in_conversation(session.name, {"handle": "#1"})
    assert "the last line" in recall_in_conversation(session.name, {"handle": "#1"})


@pytest.mark.parametrize(
    "place",
    [
        *("tool-results/../../secret", "secret", "../secret", "tool-results/none.txt"),
        *("tool-results/link.txt", "tool-results/pipe", "tool-results/folder", "tool-results"),
        *("tool-results/folder/inner.txt", "tool-results/folder/../b1.txt", "/etc/passwd", ""),
    ],
)
def test_no_other_file_is_read(session: Path, place: str, caplog: pytest.LogCaptureFixture) -> None:
    """A path out of the folder, a link, a pipe or a folder is not read, and the output stays."""
    for secret in (session / "secret", session.parent / "secret"):
        secret.write_text(LOG, "utf-8")
    results = session / "tool-results"
    (results / "link.txt").symlink_to(session / "secret")
    (results / "folder").mkdir()
    (results / "folder" / "inner.txt").write_text(LOG, "utf-8")
    if hasattr(os, "mkfifo"):
        os.mkfifo(results / "pipe")
    assert replaced(event(session, f"{session}/{place}" if place[:1] != "/" else place)) is None
    assert "stays unchanged" in caplog.text
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize("linked", ["", "tool-results"])
def test_no_folder_of_the_session_may_be_a_link(session: Path, linked: str) -> None:
    """A file below a linked folder is not read."""
    elsewhere = session.with_name("elsewhere")
    (session / linked).rename(elsewhere)
    (session / linked).symlink_to(elsewhere)
    assert (session / "tool-results" / "b1.txt").exists()
    assert replaced(event(session)) is None


def test_a_file_is_read_only_with_the_transcript_of_its_session(session: Path) -> None:
    """A file is not read if the transcript of the event belongs to another session."""
    for transcript in (None, "", "x.jsonl", f"{session.with_name('other')}.jsonl"):
        assert replaced(event(session, transcript_path=transcript)) is None

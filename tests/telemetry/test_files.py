"""Files of telemetry: what is torn, what is forgotten, and what never gets there."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from mckp.agents.config.config import Telemetry
from mckp.agents.places import config_files, telemetry_folder
from mckp.agents.telemetry import Event, Recorder, purge, read_telemetry, recorder_for
from mckp.agents.telemetry.recorder import DAY_S, EVENTS, append_line
from mckp.errors import ParseError
from tests.cases import cases
from tests.telemetry.events import event, line

SESSION = "5" * 16
TEXT = "grep -r 'my password' /home/ada"


def files(folder: Path) -> list[str]:
    return sorted(file.name for file in (folder / EVENTS).iterdir())


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Events and counts of uses are read as they were written."""
    counts = {"Read": {"id": {"used": 1.0}}}
    recorder = Recorder(tmp_path, SESSION)
    for n in range(60):
        recorder.record(event(ts_ms=n))
    recorder.record_uses(counts)
    recorder.record_uses({})
    recorded = read_telemetry(tmp_path)
    assert ([written.ts_ms for written in recorded.events], recorded.skipped) == ([*range(60)], 0)
    assert recorded.uses == [counts]
    assert files(tmp_path) == [f"{SESSION}.jsonl"]


@pytest.mark.skipif(os.name == "nt", reason="permissions are others there")
def test_only_the_owner_may_read(tmp_path: Path) -> None:
    """Folder and files of telemetry are readable by their owner alone."""
    folder = tmp_path / "telemetry"
    Recorder(folder, SESSION).record(event())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / EVENTS / f"{SESSION}.jsonl").stat().st_mode) == 0o600


def test_lines_that_are_torn_or_foreign_are_counted(tmp_path: Path) -> None:
    """Torn and foreign lines are skipped and counted."""
    file = tmp_path / EVENTS / f"{SESSION}.jsonl"
    append_line(file, line(ts_ms=1))
    with file.open("ab") as torn:
        torn.write(line()[:50])
    for raw in (b"[]", b'{"version": 9}', b"\xff", line(ts_ms=2)):
        append_line(file, raw)
    recorded = read_telemetry(tmp_path)
    assert [written.ts_ms for written in recorded.events] == [1, 2]
    assert recorded.skipped == 4


KILLED = """
import os, signal, sys
from pathlib import Path
from mckp.agents.telemetry import Recorder, Event
recorder = Recorder(Path(sys.argv[1]), "5" * 16)
for n in range(60):
    recorder.record(Event(session_hash="5" * 16, tool_name_anon="Read", ts_ms=n))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there is no signal 9")
def test_a_killed_session_keeps_its_events(tmp_path: Path) -> None:
    """The events of a killed process are all there."""
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    recorded = read_telemetry(tmp_path)
    assert [written.ts_ms for written in recorded.events] == [*range(60)]
    assert recorded.skipped == 0


def test_threads_share_a_recorder(tmp_path: Path) -> None:
    """Threads that share a recorder lose no event."""
    recorder = Recorder(tmp_path, SESSION)

    def some() -> None:
        for _ in range(50):
            recorder.record(event())

    threads = [Thread(target=some) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorded = read_telemetry(tmp_path)
    assert (len(recorded.events), recorded.skipped) == (300, 0)


def test_a_disk_that_fails_stops_no_session(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Faults are counted and said once; what comes when it is possible again is written."""
    blocked = tmp_path / "telemetry"
    blocked.write_text("a file where the folder should be")
    recorder = Recorder(blocked, SESSION)
    for n in range(3):
        recorder.record(event(ts_ms=n))
    assert recorder.faults == 3
    assert len(caplog.records) == 1
    blocked.unlink()
    recorder.record(event(ts_ms=3))
    assert [written.ts_ms for written in read_telemetry(blocked).events] == [3]


@pytest.mark.parametrize(
    ("since", "most", "left"),
    [(0, 99, [1, 2, 3]), (-2.5, 99, [1, 2]), (-9, 2, [1, 2]), (-9, 0, [1]), (1, 99, [])],
)
def test_what_is_old_or_too_much_is_forgotten(
    tmp_path: Path, since: float, most: int, left: list[int]
) -> None:
    """Telemetry that is old or too large is deleted from the oldest file on."""
    for days in (3, 2, 1):
        file = tmp_path / EVENTS / f"{days:016d}.jsonl"
        append_line(file, b"\n".join([line()] * 10))
        os.utime(file, (DAY_S * (10 - days), DAY_S * (10 - days)))
    start = 0 if since == 0 else (10 + since) * DAY_S
    assert purge(tmp_path, start, most * 10 * (len(line()) + 1)) == 3 - len(left)
    assert [int(name.split(".")[0]) for name in files(tmp_path)] == left


def test_an_empty_folder_has_nothing_to_forget(tmp_path: Path) -> None:
    """A folder that does not exist has no events, and purging it removes nothing."""
    assert purge(tmp_path / "none", DAY_S, 1) == 0
    recorded = read_telemetry(tmp_path / "none")
    assert (recorded.events, recorded.uses, recorded.skipped) == ([], [], 0)


def test_a_configuration_is_obeyed(tmp_path: Path) -> None:
    """Telemetry goes to the configured folder, and old files are purged."""
    telemetry = Telemetry(enabled=True, path=str(tmp_path), event_days=3)
    append_line(tmp_path / EVENTS / "a.jsonl", line())
    os.utime(tmp_path / EVENTS / "a.jsonl", (0, 0))
    recorder_for(telemetry, SESSION, now_ms=4000 * DAY_S).record(event())
    assert files(tmp_path) == [f"{SESSION}.jsonl"]


def test_telemetry_is_off_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default, no file is written."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MCKP_TELEMETRY_DIR", str(tmp_path / "telemetry"))
    recorder_for(Telemetry(), SESSION).record(event())
    assert [*tmp_path.iterdir()] == []


def test_who_writes_and_who_reads_agree_on_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tuning looks where sessions write, by default, by variable and by configuration."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("MCKP_TELEMETRY_DIR", raising=False)
    assert telemetry_folder(None) == tmp_path / "xdg" / "mckp" / "telemetry"
    assert config_files(Path("p"))[0].parent == tmp_path / "xdg" / "mckp"
    for telemetry in (Telemetry(enabled=True), Telemetry(enabled=True, path=str(tmp_path / "p"))):
        recorder_for(telemetry, SESSION).record(event())
        assert len(read_telemetry(telemetry_folder(telemetry.path)).events) == 1
    monkeypatch.setenv("MCKP_TELEMETRY_DIR", str(tmp_path / "env"))
    assert telemetry_folder(None) == tmp_path / "env"


def test_no_text_reaches_a_file(tmp_path: Path) -> None:
    """Texts in place of names are recorded as "other"."""
    recorder = Recorder(tmp_path, SESSION)
    recorder.record(event(tool_name_anon=TEXT, tokenizer=f"{TEXT}\n"))
    written = (tmp_path / EVENTS / f"{SESSION}.jsonl").read_text()
    assert written.count('"other"') == 2
    assert "password" not in written
    assert "ada" not in written


def test_names_that_are_paths_are_refused(tmp_path: Path) -> None:
    """A session name that is a path is an error."""
    with pytest.raises(ValueError, match="not a session hash"):
        Recorder(tmp_path, "../x")


def test_round_trip() -> None:
    """An event is read back from JSON; unknown members are ignored."""
    data = json.loads(json.dumps(event(tokens_cut=9, is_dedup_hit=True).to_dict()))
    assert Event.from_dict(data) == event(tokens_cut=9, is_dedup_hit=True)
    assert Event.from_dict({**data, "mood": "calm", "shape": "prose"}) == Event.from_dict(data)


@pytest.mark.parametrize(
    ("facts", "message"),
    cases(__file__, "test_what_is_no_event_is_refused"),
)
def test_what_is_no_event_is_refused(facts: dict[str, Any], message: str) -> None:
    """The error names the field; a newer version has changed a meaning, which is not guessed."""
    with pytest.raises(ParseError, match=message):
        Event.from_dict({**event().to_dict(), **facts})


def test_what_is_missing_is_named() -> None:
    """An event without a field is an error that names it."""
    data = event().to_dict()
    del data["session_hash"]
    with pytest.raises(ParseError, match="session_hash"):
        Event.from_dict(data)

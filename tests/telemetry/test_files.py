"""Files of telemetry: portions, rotation, what is torn, what is forgotten."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from mckp.agents.config.config import Telemetry
from mckp.agents.config.places import config_files, telemetry_folder
from mckp.agents.telemetry import (
    Event,
    Recorder,
    Retention,
    purge,
    read_events,
    read_sessions,
    recorder_for,
)
from mckp.agents.telemetry.jsonl import EVENTS, SESSIONS, append, line
from mckp.agents.telemetry.recorder import DAY_S, MOST_WAITING, PORTION
from tests.telemetry.events import event

SESSION = "5" * 16
DAY_MS = 1000 * DAY_S
TEXT = "grep -r 'my password' /home/ada"


def files(folder: Path) -> list[str]:
    """Return the names of the files of events."""
    return sorted(each.name for each in (folder / EVENTS).iterdir())


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Events and the summary come back, in order."""
    with Recorder(tmp_path, SESSION) as recorder:
        for n in range(60):
            recorder.record(event(ts_ms=n))
    found = read_events(tmp_path)
    assert ([each.ts_ms for each in found.records], found.skipped) == ([*range(60)], 0)
    summaries = read_sessions(tmp_path).records
    assert [each.total_events for each in summaries] == [60]
    assert files(tmp_path) == [f"{SESSION}.jsonl"]


def test_a_portion_is_written_as_soon_as_it_is_full(tmp_path: Path) -> None:
    """A session that is killed loses less than a portion."""
    recorder = Recorder(tmp_path, SESSION)
    seen: list[int] = []
    for _ in range(2 * PORTION + 1):
        recorder.record(event())
        seen.append(len(read_events(tmp_path).records))
    assert seen == [0] * (PORTION - 1) + [PORTION] * PORTION + [2 * PORTION] * 2
    recorder.close()
    assert len(read_events(tmp_path).records) == 2 * PORTION + 1


def test_a_full_file_is_followed_by_another(tmp_path: Path) -> None:
    """Rotation keeps every event, in order, past ten files as well."""
    with Recorder(tmp_path, SESSION, rotate_bytes=500) as recorder:
        for n in range(12 * PORTION):
            recorder.record(event(ts_ms=n))
    assert len(files(tmp_path)) == 12
    size = max(each.stat().st_size for each in (tmp_path / EVENTS).iterdir())
    assert size < 500 + PORTION * len(line(event(ts_ms=12 * PORTION)))
    assert [each.ts_ms for each in read_events(tmp_path).records] == [*range(12 * PORTION)]


@pytest.mark.skipif(os.name == "nt", reason="permissions are others there")
def test_only_the_owner_may_read(tmp_path: Path) -> None:
    """Folders and files are closed to others, after summaries were purged as well."""
    folder = tmp_path / "telemetry"
    for ended in (0, 200 * DAY_MS):
        with Recorder(folder, SESSION) as recorder:
            recorder.record(event(ts_ms=ended))
    purge(folder, Retention(), 200 * DAY_MS)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for file in (folder / EVENTS / f"{SESSION}.jsonl", folder / SESSIONS):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_lines_that_are_torn_or_foreign_are_counted(tmp_path: Path) -> None:
    """The rest is read; and after a torn line the next one is whole."""
    file = tmp_path / EVENTS / f"{SESSION}.jsonl"
    append(file, [line(event(ts_ms=1))])
    with file.open("ab") as torn:
        torn.write(line(event())[:50])
    append(file, [b"[]\n", b'{"version": 9}\n', b"\xff\n", line(event(ts_ms=2))])
    found = read_events(tmp_path)
    assert [each.ts_ms for each in found.records] == [1, 2]
    assert found.skipped == 4


KILLED = """
import os, signal, sys
from pathlib import Path
from mckp.agents.telemetry import Recorder, Event
recorder = Recorder(Path(sys.argv[1]), "5" * 16)
for n in range(60):
    recorder.record(Event(session_hash="5" * 16, tool_call_id_hash="c" * 8, tool_name_anon="Read",
                          endpoint_class="Read", ts_ms=n))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no signal 9")
def test_a_killed_session_keeps_its_portions(tmp_path: Path) -> None:
    """Kill -9 loses what waited, and nothing else."""
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    found = read_events(tmp_path)
    assert [each.ts_ms for each in found.records] == [*range(50)]
    assert found.skipped == 0


def test_threads_share_a_recorder(tmp_path: Path) -> None:
    """Nothing is lost or torn."""
    recorder = Recorder(tmp_path, SESSION)

    def some() -> None:
        for _ in range(50):
            recorder.record(event())

    threads = [Thread(target=some) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert recorder.close().total_events == 300
    found = read_events(tmp_path)
    assert (len(found.records), found.skipped) == (300, 0)


def test_a_disk_that_fails_stops_no_session(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Faults are counted and said once; what waits is written when it is possible again."""
    blocked = tmp_path / "telemetry"
    blocked.write_text("a file where the folder should be")
    recorder = Recorder(blocked, SESSION)
    for n in range(3 * PORTION):
        recorder.record(event(ts_ms=n))
    assert (recorder.faults, recorder.lost) == (3, 0)
    assert len(caplog.records) == 1
    blocked.unlink()
    recorder.close()
    assert [each.ts_ms for each in read_events(blocked).records] == [*range(3 * PORTION)]


@pytest.mark.parametrize("there", [b"", b"torn"])
def test_a_portion_that_fails_midway_is_written_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bytes
) -> None:
    """What a full disk took of it is not there twice once there is room again."""
    path, write, room = tmp_path / "a.jsonl", os.write, [5, 0]
    path.write_bytes(there)

    def full(handle: int, data: bytes) -> int:
        if not (left := room.pop(0)):
            raise OSError(28, "No space left on device")
        return write(handle, data[:left])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            append(path, [b"one\n", b"two\n"])
    assert path.read_bytes() == there
    append(path, [b"one\n", b"two\n"])
    assert path.read_bytes().splitlines() == [*there.splitlines(), b"one", b"two"]


def test_what_cannot_be_written_does_not_fill_the_memory(tmp_path: Path) -> None:
    """After ten portions the oldest are given up, and counted."""
    (tmp_path / "telemetry").write_text("")
    recorder = Recorder(tmp_path / "telemetry", SESSION)
    for _ in range(MOST_WAITING + 3 * PORTION):
        recorder.record(event())
    assert recorder.lost == 3 * PORTION


def test_old_events_and_summaries_are_forgotten(tmp_path: Path) -> None:
    """Events after 30 days, summaries after 90."""
    now = 1000 * DAY_MS
    for days in (1, 29, 31, 89, 91):
        name = f"{days:016d}"
        written = now - days * DAY_MS
        with Recorder(tmp_path, name) as recorder:
            recorder.record(event(session_hash=name, ts_ms=written))
        os.utime(tmp_path / EVENTS / f"{name}.jsonl", (written / 1000, written / 1000))
    assert purge(tmp_path, Retention(), now) == 3 + 1
    assert [int(name.split(".")[0]) for name in files(tmp_path)] == [1, 29]
    assert [int(each.session_hash) for each in read_sessions(tmp_path).records] == [1, 29, 31, 89]


def test_too_much_is_forgotten_from_the_oldest(tmp_path: Path) -> None:
    """The newest file stays, however large it is."""
    for days in (3, 2, 1):
        name = f"{days:016d}"
        append(tmp_path / EVENTS / f"{name}.jsonl", [line(event())] * 10)
        os.utime(tmp_path / EVENTS / f"{name}.jsonl", (DAY_MS - days * 1000, DAY_MS - days * 1000))
    size = 10 * len(line(event()))
    purge(tmp_path, Retention(most_bytes=2 * size), DAY_MS)
    assert [int(name.split(".")[0]) for name in files(tmp_path)] == [1, 2]
    purge(tmp_path, Retention(most_bytes=1), DAY_MS)
    assert [int(name.split(".")[0]) for name in files(tmp_path)] == [1]


def test_an_empty_folder_has_nothing_to_forget(tmp_path: Path) -> None:
    """The first session of a user is no special case."""
    assert purge(tmp_path / "none", Retention(), DAY_MS) == 0
    assert read_events(tmp_path / "none").records == []
    assert read_sessions(tmp_path / "none").records == []


def test_a_configuration_is_obeyed(tmp_path: Path) -> None:
    """Path and days are those of the file."""
    telemetry = Telemetry(enabled=True, path=str(tmp_path), event_days=3)
    append(tmp_path / EVENTS / "a.jsonl", [line(event())])
    os.utime(tmp_path / EVENTS / "a.jsonl", (0, 0))
    with recorder_for(telemetry, SESSION, now_ms=4 * DAY_MS) as recorder:
        recorder.record(event())
    assert files(tmp_path) == [f"{SESSION}.jsonl"]


def test_the_size_of_files_is_obeyed(tmp_path: Path) -> None:
    """The megabytes of a configuration are those after which a file is full."""
    telemetry = Telemetry(enabled=True, path=str(tmp_path), rotate_mib=1)
    with recorder_for(telemetry, SESSION) as recorder:
        for _ in range(4000):
            recorder.record(event())
    assert len(files(tmp_path)) == 2
    assert len(read_events(tmp_path).records) == 4000


def test_telemetry_is_off_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without consent nothing is written anywhere."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    with recorder_for(Telemetry(), SESSION) as recorder:
        recorder.record(event())
    assert [*tmp_path.iterdir()] == []


def test_who_writes_and_who_reads_agree_on_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tuning looks where sessions write, by default, by variable and by configuration."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("MCKP_TELEMETRY_DIR", raising=False)
    assert telemetry_folder(Telemetry()) == tmp_path / "xdg" / "mckp" / "telemetry"
    assert config_files(Path("p"))[0].parent == tmp_path / "xdg" / "mckp"
    for telemetry in (Telemetry(enabled=True), Telemetry(enabled=True, path=str(tmp_path / "p"))):
        with recorder_for(telemetry, SESSION) as recorder:
            recorder.record(event())
        assert len(read_events(telemetry_folder(telemetry)).records) == 1
    monkeypatch.setenv("MCKP_TELEMETRY_DIR", str(tmp_path / "env"))
    assert telemetry_folder(Telemetry()) == tmp_path / "env"


def test_no_text_reaches_a_file(tmp_path: Path) -> None:
    """Whatever a session hands over by mistake, the file has none of it."""
    mistakes = {"text": TEXT, "args": {"command": TEXT}}
    given = {**event(endpoint_class=TEXT, template_id=TEXT).to_dict(), **mistakes}
    with Recorder(tmp_path, SESSION) as recorder:
        recorder.record(Event.from_dict(given))
    for file in (tmp_path / EVENTS / f"{SESSION}.jsonl", tmp_path / SESSIONS):
        assert "password" not in file.read_text()
        assert "ada" not in file.read_text()


def test_a_session_is_summed_up_once(tmp_path: Path) -> None:
    """Also where it fails; and what comes after its end is an error."""
    recorder = Recorder(tmp_path, SESSION)
    recorder.record(event())
    with pytest.raises(RuntimeError, match="the session's"), recorder:
        raise RuntimeError("the session's")
    recorder.close()
    assert len(read_sessions(tmp_path).records) == 1
    with pytest.raises(ValueError, match="was closed"):
        recorder.record(event())


def test_names_that_are_paths_are_refused(tmp_path: Path) -> None:
    """The name of a session becomes that of a file."""
    with pytest.raises(ValueError, match="no hash of a session"):
        Recorder(tmp_path, "../x")

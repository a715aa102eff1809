"""A file that is replaced holds the old content or the new, whatever happens."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mckp.agents.places import write_atomically

ROUNDS = 5

WRITER = """
import itertools, sys
from mckp.agents.places import write_atomically
print("ready", flush=True)
for letter in itertools.cycle([b"a", b"b"]):
    write_atomically(sys.argv[1], letter * 1_000_000)
"""


def killed(program: str, file: Path, after: float) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", program, str(file)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "ready\n"
    time.sleep(after)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there is no signal 9")
def test_a_writer_that_is_killed_leaves_one_content_whole(tmp_path: Path) -> None:
    """Kill -9 in the middle of megabytes leaves those of before or those of after."""
    file = tmp_path / "large"
    file.write_bytes(b"a" * 1_000_000)
    for number in range(ROUNDS):
        killed(WRITER, file, 0.02 + 0.013 * number)
        content = file.read_bytes()
        assert len(content) == 1_000_000
        assert content in (b"a" * 1_000_000, b"b" * 1_000_000)


def test_a_failure_leaves_the_file_and_no_rubbish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that fails leaves the old content and no temporary file."""
    file = tmp_path / "config.toml"
    file.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(file, b"new")
    assert file.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["config.toml"]


@pytest.mark.skipif(os.name == "nt", reason="files have owners elsewhere")
def test_a_file_keeps_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may write the file of a user; nobody else can give files away, and is not stopped."""
    file = tmp_path / "config.toml"
    file.write_text("old")
    owner, given = file.stat(), list[tuple[int, int]]()

    def give(path: Path, user: int, group: int) -> None:
        assert path.name.startswith(".mckp-")
        given.append((user, group))
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", give)
    write_atomically(file, b"new")
    write_atomically(tmp_path / "another.toml", b"new")
    assert (file.read_text(), given) == ("new", [(owner.st_uid, owner.st_gid)])

"""Public sets are brought at one revision, and refused if they are not what the manifest says."""

import importlib
import re
import subprocess
import tomllib
from hashlib import sha256
from pathlib import Path

import pytest

from tests.benches import BENCHES


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    source = tmp_path / "source"
    (source / "csv").mkdir(parents=True)
    (source / "run.json").write_text("[1]\n", encoding="utf-8")
    (source / "csv/a.csv").write_text("x,y\n", encoding="utf-8")

    def git(*arguments: str) -> str:
        command = "git", "-C", str(source), "-c", "user.name=a", "-c", "user.email=a@b.example"
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "--quiet")
    git("add", "-A")
    git("commit", "--quiet", "-m", "data")
    digest = sha256(b"[1]\n").hexdigest()
    text = f"""
[[sets]]
name = "one"
what = "a set"
address = "{source.as_uri()}"
revision = "{git("rev-parse", "HEAD")}"
licence = "MIT"
fitted = false
files = [
    {{ from = "run.json", to = "runs/one.json", sha256 = "{digest}" }},
    {{ from = "csv", to = "questions/csv", tree = "{git("rev-parse", "HEAD:csv")}" }},
]
"""
    path = tmp_path / "data.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_sets_are_brought_and_held_to_their_digest(
    manifest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files are fetched once; a changed file and an unknown set are errors."""
    bench, folder = importlib.import_module("public_data"), tmp_path / "data"
    given = [str(folder), "--manifest", str(manifest)]
    assert bench.main(given) == 0
    assert (folder / "runs/one.json").read_text(encoding="utf-8") == "[1]\n"
    assert (folder / "questions/csv/a.csv").exists()
    assert bench.main(given) == 0
    assert "was there" in capsys.readouterr().out
    (folder / "runs/one.json").write_text("[2]\n", encoding="utf-8")
    assert bench.main(given) == 1
    assert "runs/one.json is" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        bench.main([*given, "--only", "two"])
    assert "no set is named 'two'" in capsys.readouterr().err


def test_the_manifest_is_complete() -> None:
    """Every set of the manifest has all keys, a revision, and a digest for each file."""
    sets = tomllib.loads((BENCHES / "data.toml").read_text(encoding="utf-8"))["sets"]
    assert len(sets) > 2
    for entry in sets:
        assert entry["files"]
        assert entry.keys() == {
            "name", "what", "address", "revision", "licence", "fitted", "files",
        }  # fmt: skip
        assert re.fullmatch(r"[0-9a-f]{40}", entry["revision"])
        for file in entry["files"]:
            pattern = r"[0-9a-f]{64}" if "sha256" in file else r"[0-9a-f]{40}"
            assert re.fullmatch(pattern, file.get("sha256") or file["tree"])

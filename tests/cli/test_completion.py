"""Completion: the scripts are what their shells take, and know all commands."""

import shutil
import subprocess

import pytest

from mckp.cli import COMMANDS
from mckp.cli.options import words_of_commands
from tests.cli.conftest import Run


def test_every_command_has_words() -> None:
    """Each command is completed with its options and choices."""
    words = words_of_commands()
    assert words.keys() == COMMANDS.keys()
    assert {"-b", "--budget", "--kind", "markdown"} <= {*words["encode"]}
    assert {"claude-code", "cursor", "--yes"} <= {*words["install"]}


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("mckp enc", ["encode"]),
        ("mckp encode --bud", ["--budget"]),
        ("mckp install cu", ["cursor"]),
    ],
)
def test_bash_completes(run: Run, words: str, wanted: list[str]) -> None:
    """The script for bash completes commands, options and choices."""
    script = run("completion", "bash")[1].decode()
    ask = f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _mckp"
    command = ["bash", "-c", f'{script}\n{ask}; echo "${{COMPREPLY[@]}}"']
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.split() == wanted


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_take_their_scripts(run: Run, shell: str) -> None:
    """The scripts for zsh and fish name commands, and pass the shell's own check if it is there."""
    script = run("completion", shell)[1]
    assert script.count(b"encode") > 1
    if shutil.which(shell):
        assert subprocess.run([shell, "-n"], input=script, check=False).returncode == 0

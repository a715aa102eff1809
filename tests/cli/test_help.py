"""The examples in the help of every command."""

import re
import shlex
import shutil
from itertools import takewhile
from pathlib import Path
from typing import Final

import pytest

from mckp.cli.options import COMMANDS, examples_of, parse_arguments
from tests.shell import calls, codes

ROOT: Final = Path(__file__).parents[2]
EXAMPLE: Final = re.compile(r"(?m)^  (?:[\w ./>&-]+ \| )?(mckp .*)$")
"""A line of examples, without the program that feeds a pipe."""
APART: Final = ("--base-url", "~/", "theirs.json", "claude", "--open")
"""Parts of examples that ask a model, read files of a user, warn, or open a browser."""
OF_HOSTS: Final = {"mcp", "install", "uninstall", "doctor", "hook", "stats", "gain", "discover"}
"""Commands that read or change what belongs to a user; `tests/hosts` runs them."""


def examples(name: str) -> list[list[str]]:
    """Return the words of each example of a command, without remarks and pipes."""
    _, _, text = examples_of(name).partition("examples:\n")
    lines = [re.split(r"\s{2,}", line)[0] for line in EXAMPLE.findall(text)]
    return [
        list(takewhile(lambda word: word not in {"|", ">", ">>"}, words))
        for words in map(shlex.split, lines)
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_can_be_parsed(name: str) -> None:
    """Each command has an example, and each example has options that exist."""
    commands = [parse_arguments(words[1:]).command for words in examples(name)]
    assert name in commands
    assert set(commands) <= {name, "encode", "install"}


@pytest.mark.slow
def test_examples_run(tmp_path: Path) -> None:
    """Examples with files of the repository run as they are written."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    lines = [
        shlex.join(words[1:])
        for name in COMMANDS.keys() - OF_HOSTS
        for words in examples(name)
        if "examples" in " ".join(words) and not any(part in " ".join(words) for part in APART)
    ]
    printed, _ = calls(sorted(lines), tmp_path)
    assert [line for line, code in zip(sorted(lines), codes(printed), strict=True) if code] == []
    assert len(lines) > 30

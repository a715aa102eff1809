"""A made-up repository: files that are read, searched, listed and changed."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Final

from mckp.jsontext import dump
from mckp.replay.actions import MAIN, Action, Edit, Response
from mckp.replay.generate import words

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDERS: Final = ("src/api", "src/core", "src/store", "tests", "docs")


class Repository:
    """Files by path, each with how often it was changed; texts are made when asked for.

    Parameters
    ----------
    seed : str
        What the files are made from.
    files : int
        How many there are.
    """

    def __init__(self, seed: str, files: int) -> None:
        rng = Random(f"{seed}/paths")
        self._seed = seed
        self.paths = [
            f"{rng.choice(_FOLDERS)}/{words.name(rng)}_{number}.py" for number in range(files)
        ]
        self._versions = dict.fromkeys(self.paths, 0)

    def read(self, path: str, agent: str = MAIN) -> Response:
        """Return what ``Read`` says about a file: its lines, numbered."""
        lines = _lines(f"{self._seed}/{path}", self._versions[path])
        text = "\n".join(f"{number:6}→{line}" for number, line in enumerate(lines, 1))
        return Response("Read", dump({"file_path": path}), text, path, agent)

    def edit(self, path: str, agent: str = MAIN) -> Iterator[Action]:
        """Change a line of a file, and yield that and what ``Edit`` says about it."""
        self._versions[path] += 1
        args = dump({"file_path": path, "change": self._versions[path]})
        yield Edit(path, agent)
        yield Response("Edit", args, f"The file {path} has been updated.", path, agent)

    def grep(self, word: str, agent: str = MAIN) -> Response:
        """Return what ``Grep`` says about a word, in the first files that have it."""
        found: list[str] = []
        for path in self.paths[:40]:
            lines = _lines(f"{self._seed}/{path}", self._versions[path])
            found += [f"{path}:{n}:{line}" for n, line in enumerate(lines, 1) if word in line]
        text = "\n".join(found[:60]) or "No matches found"
        return Response("Grep", dump({"pattern": word, "path": "."}), text, None, agent)

    def glob(self, part: str, agent: str = MAIN) -> Response:
        """Return what ``Glob`` says about a part of a path."""
        found = sorted(path for path in self.paths if part in path)
        text = "\n".join(found) or "No files found"
        return Response("Glob", dump({"pattern": f"**/*{part}*"}), text, None, agent)

    def test(self, rng: Random, agent: str = MAIN) -> Response:
        """Return what a run of the tests says, which is never twice the same."""
        failed = rng.randrange(3)
        lines = [f"FAILED {rng.choice(self.paths)}::test_{words.name(rng)}" for _ in range(failed)]
        seconds = rng.randrange(100, 4_000) / 100
        lines.append(f"{failed} failed, {300 - failed} passed in {seconds:.2f}s")
        return Response("Bash", dump({"command": "pytest -q"}), "\n".join(lines), None, agent)


@lru_cache(maxsize=4096)
def _lines(key: str, version: int) -> tuple[str, ...]:
    if version:
        lines = list(_lines(key, version - 1))
        rng = Random(f"{key}/{version}")
        lines[rng.randrange(len(lines))] = f"    {words.name(rng)} = {rng.randrange(1000)}"
        return tuple(lines)
    return tuple(_function_lines(Random(key)))


def _function_lines(rng: Random) -> Iterator[str]:
    for _ in range(rng.randrange(2, 9)):
        yield f"def {words.name(rng)}({rng.choice(words.NOUNS)}, {rng.choice(words.NOUNS)}):"
        yield f'    """{words.sentence(rng, 7)}"""'
        for _ in range(rng.randrange(2, 9)):
            yield f"    {rng.choice(words.NOUNS)} = {words.name(rng)}({rng.randrange(100)})"
        yield f"    return {rng.choice(words.NOUNS)}"
        yield ""

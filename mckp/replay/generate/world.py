"""What made-up agents work on: a repository, a tracker of issues, and a CI with its logs."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any, Final

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


_STATES: Final = ("opened", "closed", "blocked")


def _issue(rng: Random, number: int) -> dict[str, Any]:
    return {
        "iid": number,
        "title": words.sentence(rng, rng.randrange(3, 9)),
        "state": rng.choice(_STATES),
        "author": {"username": rng.choice(words.PEOPLE), "id": rng.randrange(100)},
        "labels": [rng.choice(words.NOUNS) for _ in range(rng.randrange(3))],
        "web_url": f"https://ci.example.org/harbour/tide-tables/-/issues/{number}",
        "updated_at": words.moment(rng.randrange(900_000)),
    }


def listed(rng: Random) -> Response:
    """Return a page of issues as JSON."""
    page = rng.randrange(1, 9)
    found = [_issue(rng, page * 100 + place) for place in range(rng.randrange(5, 30))]
    return Response("mcp__gitlab__list_issues", dump({"page": page}), dump(found))


def tabled(rng: Random) -> Response:
    """Return issues as a Markdown table below a heading, padded as tools do."""
    lines = ["## Issues", "", f"| {'iid':<6} | {'state':<8} | {'title':<60} |", "|---|---|---|"]
    for number in range(rng.randrange(4, 25)):
        issue = _issue(rng, number)
        lines.append(f"| {number:<6} | {issue['state']:<8} | {issue['title']:<60} |")
    label = rng.choice(words.NOUNS)
    return Response("mcp__tracker__get_issues", dump({"label": label}), "\n".join(lines) + "\n")


def diffs(rng: Random) -> Response:
    """Return the changes of a merge request."""
    number = rng.randrange(1000)
    found = {"iid": number, "diffs": [_diff(rng) for _ in range(rng.randrange(1, 5))]}
    return Response("mcp__gitlab__get_mr_diff", dump({"iid": number}), dump(found))


def _diff(rng: Random) -> dict[str, Any]:
    path = f"src/{words.name(rng)}.py"
    lines = [f"@@ -{rng.randrange(1, 90)},6 +{rng.randrange(1, 90)},7 @@"]
    lines += [f"{rng.choice(' +-')}    {words.name(rng)}()" for _ in range(rng.randrange(4, 30))]
    return {"old_path": path, "new_path": path, "diff": "\n".join(lines) + "\n"}


_HOST: Final = "https://ci.example.org/harbour/tide-tables"
_STAGES: Final = ("build", "lint", "unit", "integration", "package", "deploy")


class Pipeline:
    """One pipeline, whose jobs get on a little between two polls.

    Parameters
    ----------
    rng : Random
        Where everything about it comes from.
    number : int
        Its id.
    """

    def __init__(self, rng: Random, number: int) -> None:
        self._rng, self._number = rng, number
        self._sha, self._duration = words.digest(rng), 0
        self._started = rng.randrange(86_400)
        self._jobs = [self._job(place) for place in range(rng.randrange(3, 7))]

    def _job(self, place: int) -> dict[str, Any]:
        number = self._number * 10 + place
        return {
            "id": number,
            "name": f"{_STAGES[place]} {self._rng.choice(words.NOUNS)}",
            "status": "pending",
            "web_url": f"{_HOST}/-/jobs/{number}",
            "commit": self._sha,
            "log": "",
        }

    @property
    def is_done(self) -> bool:
        """Whether no job can change any more."""
        return all(job["status"] in ("success", "failed") for job in self._jobs)

    def tick(self) -> None:
        """Let some time pass: seconds always, now and then a line of a log or a status."""
        self._duration += self._rng.randrange(5, 40)
        job = next((job for job in self._jobs if job["status"] in ("pending", "running")), None)
        if job is None or self._rng.random() < 0.55:
            return
        if job["status"] == "pending":
            job["status"] = "running"
        elif self._rng.random() < 0.5:
            job["log"] += self._log_line() + "\n"
        else:
            job["status"] = "failed" if self._rng.random() < 0.1 else "success"

    def _log_line(self) -> str:
        stamp = words.moment(self._started + self._duration)
        return f"{stamp} INFO {words.sentence(self._rng, self._rng.randrange(4, 11))}"

    def poll(self) -> Response:
        """Return what a call for the pipeline says now."""
        running = "success" if self.is_done else "running"
        found = {
            "id": self._number,
            "sha": self._sha,
            "ref": "main",
            "status": running,
            "duration": self._duration,
            "created_at": words.moment(self._started),
            "web_url": f"{_HOST}/-/pipelines/{self._number}",
            "jobs": self._jobs,
        }
        args = dump({"pipeline_id": self._number})
        return Response("mcp__gitlab__get_merge_request_pipeline", args, dump(found))

    def status(self) -> Response:
        """Return the short answer: scalars only, of which most stay as they are."""
        done = sum(job["status"] == "success" for job in self._jobs)
        found: dict[str, Any] = {
            "id": self._number,
            "project": "harbour/tide-tables",
            "sha": self._sha,
            "before_sha": self._sha[::-1],
            "ref": "refs/heads/main",
            "tag": False,
            "source": "merge_request_event",
            "user": words.PEOPLE[self._number % len(words.PEOPLE)],
            "web_url": f"{_HOST}/-/pipelines/{self._number}",
            "created_at": words.moment(self._started),
            "committed_at": words.moment(self._started - self._number % 600),
            "coverage": None,
            "queued_duration": self._number % 17,
            "yaml_errors": None,
            "detailed_status": "The pipeline waits for its jobs, one stage after the other.",
            "help": f"{_HOST}/-/help/pipelines/what-the-states-of-a-pipeline-mean",
            "duration": self._duration,
            "done": done,
        }
        args = dump({"pipeline_id": self._number, "short": True})
        return Response("mcp__gitlab__get_latest_pipeline", args, dump(found))

    def log(self) -> Response:
        """Return the log of one job: seldom the same, and long."""
        job = self._rng.choice(self._jobs)
        lines = [self._log_line() for _ in range(self._rng.randrange(10, 60))]
        args = dump({"job_id": job["id"]})
        return Response("mcp__gitlab__get_job_log", args, "\n".join(lines))

"""Made-up sessions of agents: the same profile, seed and number give the same, everywhere.

Agents work on a repository, a tracker of issues, and a CI with its logs, all made of a few words.
Those of different kinds go about their work as endless courses of actions.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import UnknownNameError
from mckp.jsontext import dump
from mckp.replay.log import MAIN, Action, Compact, Edit, End, Response

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    _Habit = Callable[[Random, str], Iterator[Action]]

NOUNS: Final = (
    "anchor",
    "beacon",
    "buoy",
    "cargo",
    "chart",
    "crane",
    "current",
    "depth",
    "dock",
    "ferry",
    "gauge",
    "harbour",
    "hull",
    "jetty",
    "keel",
    "ledger",
    "lock",
    "manifest",
    "mooring",
    "pilot",
    "quay",
    "rudder",
    "sail",
    "signal",
    "tide",
    "tug",
    "vessel",
    "wharf",
)
VERBS: Final = (
    "add",
    "bind",
    "check",
    "close",
    "drop",
    "fetch",
    "find",
    "fold",
    "guard",
    "hold",
    "join",
    "keep",
    "load",
    "merge",
    "open",
    "parse",
    "plan",
    "read",
    "send",
    "sort",
    "split",
    "store",
    "trim",
    "wait",
    "write",
)
PEOPLE: Final = ("amara", "björn", "chen", "dmitri", "elif", "farah", "goran", "hana")


def name(rng: Random) -> str:
    """Return a name of a function."""
    return f"{rng.choice(VERBS)}_{rng.choice(NOUNS)}"


def sentence(rng: Random, words: int) -> str:
    """Return a sentence of so many words."""
    found = [rng.choice(NOUNS if place % 2 else VERBS) for place in range(words)]
    return " ".join(found).capitalize() + "."


def digest(rng: Random, digits: int = 40) -> str:
    """Return something that looks like the hash of a commit."""
    return f"{rng.getrandbits(4 * digits):0{digits}x}"


def moment(seconds: int) -> str:
    """Return a time of the day as a timestamp, so many seconds into a made-up week.

    Examples
    --------
    >>> moment(93_784)
    '2026-03-03T02:03:04Z'
    """
    day, rest = divmod(seconds, 86_400)
    hour, rest = divmod(rest, 3_600)
    return f"2026-03-{2 + day % 28:02d}T{hour:02d}:{rest // 60:02d}:{rest % 60:02d}Z"


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
        self.paths = [f"{rng.choice(_FOLDERS)}/{name(rng)}_{number}.py" for number in range(files)]
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
        lines = [f"FAILED {rng.choice(self.paths)}::test_{name(rng)}" for _ in range(failed)]
        seconds = rng.randrange(100, 4_000) / 100
        lines.append(f"{failed} failed, {300 - failed} passed in {seconds:.2f}s")
        return Response("Bash", dump({"command": "pytest -q"}), "\n".join(lines), None, agent)


@lru_cache(maxsize=4096)
def _lines(key: str, version: int) -> tuple[str, ...]:
    if version:
        lines = list(_lines(key, version - 1))
        rng = Random(f"{key}/{version}")
        lines[rng.randrange(len(lines))] = f"    {name(rng)} = {rng.randrange(1000)}"
        return tuple(lines)
    return tuple(_function_lines(Random(key)))


def _function_lines(rng: Random) -> Iterator[str]:
    for _ in range(rng.randrange(2, 9)):
        yield f"def {name(rng)}({rng.choice(NOUNS)}, {rng.choice(NOUNS)}):"
        yield f'    """{sentence(rng, 7)}"""'
        for _ in range(rng.randrange(2, 9)):
            yield f"    {rng.choice(NOUNS)} = {name(rng)}({rng.randrange(100)})"
        yield f"    return {rng.choice(NOUNS)}"
        yield ""


_STATES: Final = ("opened", "closed", "blocked")


def _issue(rng: Random, number: int) -> dict[str, Any]:
    return {
        "iid": number,
        "title": sentence(rng, rng.randrange(3, 9)),
        "state": rng.choice(_STATES),
        "author": {"username": rng.choice(PEOPLE), "id": rng.randrange(100)},
        "labels": [rng.choice(NOUNS) for _ in range(rng.randrange(3))],
        "web_url": f"https://ci.example.org/harbour/tide-tables/-/issues/{number}",
        "updated_at": moment(rng.randrange(900_000)),
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
    label = rng.choice(NOUNS)
    return Response("mcp__tracker__get_issues", dump({"label": label}), "\n".join(lines) + "\n")


def diffs(rng: Random) -> Response:
    """Return the changes of a merge request."""
    number = rng.randrange(1000)
    found = {"iid": number, "diffs": [_diff(rng) for _ in range(rng.randrange(1, 5))]}
    return Response("mcp__gitlab__get_mr_diff", dump({"iid": number}), dump(found))


def _diff(rng: Random) -> dict[str, Any]:
    path = f"src/{name(rng)}.py"
    lines = [f"@@ -{rng.randrange(1, 90)},6 +{rng.randrange(1, 90)},7 @@"]
    lines += [f"{rng.choice(' +-')}    {name(rng)}()" for _ in range(rng.randrange(4, 30))]
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
        self._sha, self._duration = digest(rng), 0
        self._started = rng.randrange(86_400)
        self._jobs = [self._job(place) for place in range(rng.randrange(3, 7))]

    def _job(self, place: int) -> dict[str, Any]:
        number = self._number * 10 + place
        return {
            "id": number,
            "name": f"{_STAGES[place]} {self._rng.choice(NOUNS)}",
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
        stamp = moment(self._started + self._duration)
        return f"{stamp} INFO {sentence(self._rng, self._rng.randrange(4, 11))}"

    def poll(self) -> Response:
        """Return what a call for the pipeline says now."""
        running = "success" if self.is_done else "running"
        found = {
            "id": self._number,
            "sha": self._sha,
            "ref": "main",
            "status": running,
            "duration": self._duration,
            "created_at": moment(self._started),
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
            "user": PEOPLE[self._number % len(PEOPLE)],
            "web_url": f"{_HOST}/-/pipelines/{self._number}",
            "created_at": moment(self._started),
            "committed_at": moment(self._started - self._number % 600),
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


def searches_files(rng: Random, seed: str) -> Iterator[Action]:
    """Read, search and list, often the same again; hardly ever change anything."""
    repository, recent = Repository(seed, 60), deque[str](maxlen=8)
    asked = [rng.choice(NOUNS) for _ in range(12)]
    while True:
        draw = rng.random()
        if draw < 0.50:
            path = _path(rng, repository, recent, again=0.45)
            yield repository.read(path)
        elif draw < 0.75:
            yield repository.grep(rng.choice(asked))
        elif draw < 0.90:
            yield repository.glob(rng.choice(asked[:6]))
        elif draw < 0.97:
            yield repository.test(rng)
        else:
            yield from repository.edit(_path(rng, repository, recent, again=0.8))


def watches_pipelines(rng: Random, seed: str) -> Iterator[Action]:
    """Poll pipelines until they are done, and look at issues and logs meanwhile."""
    number = int(seed.rsplit("/", 1)[-1]) * 1000
    pipeline = Pipeline(rng, number)
    while True:
        draw = rng.random()
        if draw < 0.40:
            yield pipeline.poll()
        elif draw < 0.75:
            yield pipeline.status()
        elif draw < 0.83:
            yield pipeline.log()
        else:
            yield rng.choice((listed, tabled, diffs))(rng)
        if rng.random() < 0.5:
            pipeline.tick()
        if pipeline.is_done and rng.random() < 0.3:
            number += 1
            pipeline = Pipeline(rng, number)


def refactors(rng: Random, seed: str) -> Iterator[Action]:
    """Read and change files for hours, compact now and then, and send sub-agents."""
    repository, recent = Repository(seed, 120), deque[str](maxlen=12)
    helpers = 0
    while True:
        for _ in range(rng.randrange(80, 160)):
            yield from _refactoring_step(rng, repository, recent)
            if rng.random() < 0.03:
                helpers += 1
                yield from _errand(rng, repository, recent, f"agent-{helpers}")
        recent.clear()
        yield Compact()


def _refactoring_step(rng: Random, repository: Repository, recent: deque[str]) -> Iterator[Action]:
    draw = rng.random()
    path = _path(rng, repository, recent, again=0.6)
    if draw < 0.45:
        yield repository.read(path)
    elif draw < 0.72:
        yield from repository.edit(path)
        if rng.random() < 0.5:
            yield repository.read(path)
    elif draw < 0.85:
        yield repository.test(rng)
    elif draw < 0.97:
        yield repository.grep(rng.choice(NOUNS))
    else:
        yield diffs(rng)


def _errand(
    rng: Random, repository: Repository, recent: deque[str], agent: str
) -> Iterator[Action]:
    """Let a sub-agent, which has read nothing yet, read what the main one has read too."""
    own = deque[str](maxlen=6)
    for _ in range(rng.randrange(5, 20)):
        known = recent if recent and rng.random() < 0.6 else own
        yield repository.read(_path(rng, repository, known, again=0.5), agent)
        if rng.random() < 0.3:
            yield repository.grep(rng.choice(NOUNS), agent)


def _path(rng: Random, repository: Repository, recent: deque[str], again: float) -> str:
    """Choose a file: one of the last ones, or any, the first ones more often."""
    if recent and rng.random() < again:
        return rng.choice(recent)
    drawn = rng.random()
    path = repository.paths[int(drawn * drawn * len(repository.paths))]
    recent.append(path)
    return path


__all__ = ["PROFILES", "Profile", "generate"]


@dataclass(frozen=True, slots=True)
class Profile:
    """A way to work, or several in turn.

    Attributes
    ----------
    habits : sequence of functions
        Each from a generator of random numbers and a seed to endless actions; one session
        follows one of them.
    shortest, longest : int
        Responses a session has.
    """

    habits: Sequence[_Habit]
    shortest: int
    longest: int


PROFILES: Final = {
    "file_search_heavy": Profile((searches_files,), 60, 200),
    "pipeline_monitor": Profile((watches_pipelines,), 40, 160),
    "marathon_refactor": Profile((refactors,), 500, 900),
    "mixed": Profile((searches_files, watches_pipelines, refactors), 60, 240),
}
"""The profiles by name; in `mixed`, sessions of all kinds follow each other."""


def generate(profile: str, seed: int, events: int) -> Iterator[Action]:
    """Make up sessions of one kind, up to so many responses in all.

    Parameters
    ----------
    profile : str
        One of `PROFILES`.
    seed : int
        Another seed, other sessions.
    events : int
        How many responses; edits, compactions and ends of sessions come on top.

    Yields
    ------
    Response, Edit, Compact or End
        The last one is an `End`.

    Raises
    ------
    UnknownNameError
        For a profile that does not exist.

    Examples
    --------
    >>> actions = list(generate("file_search_heavy", seed=1, events=3))
    >>> [action.tool for action in actions if isinstance(action, Response)]
    ['Read', 'Read', 'Read']
    >>> actions[-1]
    End(model='claude-sonnet-4-6')
    """
    if profile not in PROFILES:
        raise UnknownNameError("profile", profile, PROFILES)
    return _sessions(PROFILES[profile], f"{profile}/{seed}", events)


def _sessions(profile: Profile, seed: str, events: int) -> Iterator[Action]:
    rng, left, number = Random(seed), events, 0
    while left > 0:
        length = min(left, rng.randrange(profile.shortest, profile.longest))
        habit, number = profile.habits[number % len(profile.habits)], number + 1
        own = f"{seed}/{number}"
        yield from _first(habit(Random(own), own), length)
        yield End("claude-sonnet-4-6")
        left -= length


def _first(actions: Iterator[Action], responses: int) -> Iterator[Action]:
    """Yield actions up to and with so many responses."""
    for action in actions:
        yield action
        responses -= isinstance(action, Response)
        if not responses:
            return

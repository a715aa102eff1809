"""A made-up CI: pipelines that are polled until they are done, and their logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump
from mckp.replay.actions import Response
from mckp.replay.generate import words

if TYPE_CHECKING:
    from random import Random

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

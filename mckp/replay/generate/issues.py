"""A made-up tracker: issues as records and as a table, and merge requests with their diffs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump
from mckp.replay.actions import Response
from mckp.replay.generate import words

if TYPE_CHECKING:
    from random import Random

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

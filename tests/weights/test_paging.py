"""What says that there is more is left in answers of ten kinds of APIs, whatever the budget."""

import random
from typing import Any

import pytest

import mckp
from mckp import tokenizers
from mckp.jsontext import dump, is_object

COUNT = tokenizers.get("o200k").count
WORDS = ["harbour", "gauge", "tide", "crane", "berth", "lamp", "rope", "valve", "ferry", "quay"]


def records(chance: random.Random, size: int) -> list[dict[str, Any]]:
    return [
        {
            "id": chance.randrange(10**6),
            "title": " ".join(chance.choices(WORDS, k=6)).capitalize(),
            "state": chance.choice(["open", "closed"]),
            "created_at": f"2026-0{chance.randrange(1, 9)}-1{chance.randrange(9)}T08:00:00Z",
            "author": {"login": chance.choice(WORDS), "id": chance.randrange(10**5)},
            "url": f"https://api.example.org/items/{n}",
        }
        for n in range(size)
    ]


def token(chance: random.Random, size: int = 24) -> str:
    return "".join(chance.choices("abcdefghkmnpqrstuvwxyzABCDEFG23456789", k=size))


def answers(seed: int) -> dict[str, tuple[Any, list[tuple[str, ...]]]]:
    """Return an answer of each API, and the paths of what says that there is more."""
    chance = random.Random(seed)
    rows, mark, total = records(chance, chance.randrange(12, 60)), token(chance), 100 + seed
    following = f"https://api.example.org/items?page={seed + 2}&limit=50"
    return {
        "stripe": ({"object": "list", "data": rows, "has_more": True}, [("has_more",)]),
        "slack": (
            {"ok": True, "messages": rows, "response_metadata": {"next_cursor": mark}},
            [("response_metadata", "next_cursor")],
        ),
        "notion": (
            {"object": "list", "results": rows, "next_cursor": mark, "has_more": True},
            [("has_more",), ("next_cursor",)],
        ),
        "google": ({"kind": "list", "items": rows, "nextPageToken": mark}, [("nextPageToken",)]),
        "s3": (
            {"Name": "tides", "Contents": rows, "IsTruncated": True, "NextContinuationToken": mark},
            [("IsTruncated",), ("NextContinuationToken",)],
        ),
        "graphql": (
            {
                "data": {
                    "search": {
                        "totalCount": total,
                        "pageInfo": {"hasNextPage": True, "endCursor": mark},
                        "edges": [{"cursor": token(chance), "node": row} for row in rows],
                    }
                }
            },
            [
                ("data", "search", "pageInfo", "hasNextPage"),
                ("data", "search", "pageInfo", "endCursor"),
            ],
        ),
        "jira": (
            {"startAt": 0, "maxResults": 50, "total": total, "isLast": False, "issues": rows},
            [("total",), ("isLast",)],
        ),
        "django": (
            {"count": total, "next": following, "previous": None, "results": rows},
            [("next",)],
        ),
        "odata": (
            {"@odata.context": "x#items", "value": rows, "@odata.nextLink": following},
            [("@odata.nextLink",)],
        ),
        "hal": (
            {
                "_links": {"self": {"href": "/items"}, "next": {"href": following}},
                "total": total,
                "_embedded": {"items": rows},
            },
            [("_links", "next", "href"), ("total",)],
        ),
    }


APIS = sorted(answers(0))


def missing(seed: int, share: float) -> list[str]:
    """Return the APIs of whose answer something that says that there is more is gone."""
    gone: list[str] = []
    for name, (value, paths) in answers(seed).items():
        decoded = mckp.decode(mckp.encode(value, budget=int(share * COUNT(dump(value)))).text)
        for path in paths:
            remaining: Any = decoded
            whole: Any = value
            for step in path:
                remaining, whole = (
                    remaining.get(step, {}) if is_object(remaining) else {},
                    whole[step],
                )
            if remaining != whole:
                gone.append(f"{name} {'.'.join(path)}")
    return gone


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.3, 0.2, 0.1])
def test_answers_say_that_there_is_more(share: float) -> None:
    """Cursors, totals and flags of paging are there at any budget that holds some records."""
    assert [missing(seed, share) for seed in (3, 7)] == [[], []]

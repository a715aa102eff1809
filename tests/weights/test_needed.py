"""Documents of which the old choice by number of leaves lost what mattered: now it is there."""

from __future__ import annotations

import random
from typing import Any

import pytest

import mckp

RANDOM = random.Random(7)
NOUNS = ["garlic", "ginger", "pork mince", "soy sauce", "tofu", "chili oil", "spring onion", "rice"]
VERBS = ["Heat", "Stir in", "Simmer", "Chop", "Season with", "Cover", "Fold in", "Garnish with"]
PLACES = ["Busan", "Daegu", "Incheon", "Jeju", "Gwangju", "Ulsan", "Suwon", "Sejong"]


def sentence(words: int) -> str:
    """Return a made-up sentence."""
    return " ".join([RANDOM.choice(VERBS), *(RANDOM.choice(NOUNS) for _ in range(words))]) + "."


RECIPE = {
    "id": "dishes/meat/mapo-tofu",
    "name": "Mapo tofu",
    "category": "meat",
    "difficulty": 3,
    "servings": 2,
    "image_path": None,
    "tags": [],
    "ingredients": [
        {
            "name": noun,
            "quantity": None,
            "unit": None,
            "text_quantity": f"{noun} {n}0 g",
            "notes": "",
        }
        for n, noun in enumerate(NOUNS, 1)
    ],
    "steps": [{"step": n, "description": sentence(9)} for n in range(1, 13)],
    "prep_time_minutes": None,
    "cook_time_minutes": None,
    "total_time_minutes": None,
    "additional_notes": [],
}

GRANTS = [
    "MANAGE",
    "BROWSE",
    "EDIT",
    "DELETE",
    "ASSIGN",
    "RESOLVE",
    "CLOSE",
    "MOVE",
    "LINK",
    "VIEW",
]
PERMISSIONS = {
    "id": 10000,
    "name": "Default permission scheme",
    "permissions": [
        {
            "id": 10500 + n,
            "self": f"https://example.com/rest/api/3/permissionscheme/10000/permission/{10500 + n}",
            "holder": {"type": "projectRole", "parameter": "10002", "value": "10002"},
            "permission": f"{GRANTS[n % 10]}_{NOUNS[n % 8].upper().replace(' ', '_')}",
        }
        for n in range(40)
    ],
}

REQUESTS: list[dict[str, Any]] = [
    {
        "id": 15400 + n,
        "iid": n,
        "title": f"{sentence(4)[:-1]} in {PLACES[n % 8]}",
        "description": "## What does this MR do?\n\n" + sentence(20),
        "state": "opened",
        "created_at": f"2026-04-{n + 1:02d}T08:15:0{n % 9}.123Z",
        "merged_by": None,
        "merged_at": None,
        "upvotes": 0,
        "downvotes": 0,
        "author": {"id": n * 7, "username": f"dev{n}", "state": "active", "avatar_url": None},
        "assignees": [],
        "draft": False,
        "sha": f"{RANDOM.getrandbits(160):040x}",
        "web_url": f"https://example.com/group/project/-/merge_requests/{n}",
        "time_stats": {"time_estimate": 0, "total_time_spent": 0},
        "squash": False,
    }
    for n in range(12)
]

SYMBOLS = {
    "count": 12,
    "quotes": [
        {
            "exchange": "KSC",
            "shortname": f"{PLACES[n % 8]}{NOUNS[n % 7].title()}",
            "quoteType": "Equity",
            "symbol": f"{RANDOM.randrange(10**5):06d}.KS",
            "index": "quotes",
            "score": 20000.0 + n,
            "typeDisp": "Equity",
            "longname": f"{PLACES[n % 8]} {NOUNS[n % 7].title()} Co., Ltd.",
            "exchDisp": "Korea",
            "isYahooFinance": True,
        }
        for n in range(12)
    ],
}


def kept(value: Any, share: float) -> Any:
    """Return what is kept of a document within a share of its tokens as compact JSON."""
    tokens = mckp.encode(value, formats=["json"]).tokens
    return mckp.decode(mckp.encode(value, budget=int(tokens * share)).text)


def test_recipe() -> None:
    """A recipe at a fifth has steps that say something, or amounts; numbers alone are none."""
    found = kept(RECIPE, 0.2)
    assert found["name"] == "Mapo tofu"
    assert "steps" in found or "ingredients" in found
    assert all("description" in step for step in found.get("steps", []))
    assert all("text_quantity" in each for each in found.get("ingredients", []))


def test_permissions() -> None:
    """The only column that says something is there, in as many rows as fit."""
    found = kept(PERMISSIONS, 0.2)["permissions"]
    assert len(found) >= 20
    assert all("permission" in row for row in found)


@pytest.mark.parametrize("share", [0.1, 0.2])
def test_merge_requests(share: float) -> None:
    """Titles and people come before what did not happen; a count of zero is said once at most."""
    found = kept(REQUESTS, share)
    assert sum("title" in row for row in found) >= 6
    assert not any({"merged_by", "time_stats", "squash"} & row.keys() for row in found)
    assert found[0]["author"]["username"] == "dev0"


def test_symbols() -> None:
    """What is searched for is in each row, and the first ones have a name."""
    found = kept(SYMBOLS, 0.2)["quotes"]
    assert found
    assert all("symbol" in row for row in found)
    assert {"longname", "shortname"} & found[0].keys()


def users(count: int) -> list[dict[str, Any]]:
    """Return users as a directory lists them."""
    return [
        {
            "id": 100_000 + n * 37,
            "login": f"user{n * 7919 % 100_003}",
            "email": f"user{n * 7919 % 100_003}@example.com",
            "state": "active" if n % 9 else "blocked",
            "followers": n * 31 % 997,
            "city": PLACES[n % 8],
            "is_admin": False,
        }
        for n in range(count)
    ]


USERS = users(3000)


@pytest.mark.parametrize("budget", [1_000, 4_000, 10_000, 20_000])
def test_users(budget: int) -> None:
    """Some hundred rows that say something come before thousands of bare ids."""
    result = mckp.encode(USERS, budget=budget)
    found = mckp.decode(result.text)
    assert all("id" in row for row in found)
    assert sum("login" in row for row in found) >= min(budget, 10_000) // 13
    assert result.tokens > 0.93 * budget


ENTITIES = {
    "entities": [
        {
            "name": f"{PLACES[n % 8]} plant {n}",
            "entityType": "site",
            "observations": [sentence(6), f"Output {n * 7919 % 997} tonnes, {sentence(4)}"],
        }
        for n in range(200)
    ],
    "relations": [],
}


@pytest.mark.parametrize("budget", [2_000, 3_000, 4_000])
def test_entities(budget: int) -> None:
    """A graph within half of its tokens has names and observations, and uses the budget."""
    result = mckp.encode(ENTITIES, budget=budget)
    found = mckp.decode(result.text)["entities"]
    assert all("name" in each for each in found)
    assert sum("observations" in each for each in found) >= budget // 120
    assert result.tokens > 0.93 * budget

"""Documents of which the old choice by number of leaves lost what mattered: now it is there."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

import mckp
from mckp.weights import Salience

RANDOM = random.Random(7)
NOUNS = ["garlic", "ginger", "pork mince", "soy sauce", "tofu", "chili oil", "spring onion", "rice"]
VERBS = ["Heat", "Stir in", "Simmer", "Chop", "Season with", "Cover", "Fold in", "Garnish with"]
PLACES = ["Busan", "Daegu", "Incheon", "Jeju", "Gwangju", "Ulsan", "Suwon", "Sejong"]


def sentence(words: int) -> str:
    return " ".join([RANDOM.choice(VERBS), *(RANDOM.choice(NOUNS) for _ in range(words))]) + "."


DOCUMENTS = json.loads(Path(__file__).with_name("needed.json").read_text("utf-8"))


def decoded_within(value: Any, share: float) -> Any:
    """Return what is kept of a document within a share of its tokens as compact JSON."""
    tokens = mckp.encode(value, formats=["json"]).tokens
    return mckp.decode(mckp.encode(value, budget=int(tokens * share)).text)


def test_recipe() -> None:
    """A recipe at a fifth has steps that say something, or amounts; numbers alone are none."""
    recipe = decoded_within(DOCUMENTS["recipe"], 0.2)
    assert recipe["name"] == "Mapo tofu"
    assert "steps" in recipe or "ingredients" in recipe
    assert all("description" in step for step in recipe.get("steps", []))
    assert all("text_quantity" in ingredient for ingredient in recipe.get("ingredients", []))


def test_permissions() -> None:
    """The only column that says something is there, in as many rows as fit."""
    rows = decoded_within(DOCUMENTS["permissions"], 0.2)["permissions"]
    assert len(rows) >= 20
    assert all("permission" in row for row in rows)


@pytest.mark.parametrize("share", [0.1, 0.2])
def test_merge_requests(share: float) -> None:
    """Titles and people come before what did not happen; what is equal in all is said once."""
    requests = decoded_within(DOCUMENTS["requests"], share)
    assert sum("title" in row for row in requests) >= 6
    assert not any({"time_stats"} & row.keys() for row in requests)
    assert all(row["author"]["username"].startswith("dev") for row in requests)


def test_symbols() -> None:
    """What is searched for is in each row, and the first ones have a name."""
    quotes = decoded_within(DOCUMENTS["symbols"], 0.2)["quotes"]
    assert quotes
    assert all("symbol" in row for row in quotes)
    assert {"longname", "shortname"} & quotes[0].keys()


def users(count: int) -> list[dict[str, Any]]:
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


@pytest.mark.slow
def test_users() -> None:
    """Some hundred rows that say something come before thousands of bare ids."""
    whole = mckp.encode(users(3000))
    for budget in (1_000, 4_000, 10_000, 20_000):
        result = whole.at(budget)
        rows = mckp.decode(result.text)
        assert all("id" in row for row in rows)
        assert sum("login" in row for row in rows) >= min(budget, 10_000) // 13
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


def test_entities() -> None:
    """A graph within half of its tokens has names and observations, and uses the budget."""
    whole = mckp.encode(ENTITIES)
    for budget in (2_000, 3_000, 4_000):
        result = whole.at(budget)
        graph = mckp.decode(result.text)["entities"]
        assert all("name" in entity for entity in graph)
        assert sum("observations" in entity for entity in graph) >= budget // 120
        assert result.tokens > 0.93 * budget


def test_what_people_said_stays_in_a_conversation() -> None:
    """At a tenth, messages of users and the system are whole, whatever tools answered."""
    rows: list[dict[str, Any]] = [
        {"role": "system", "content": "You answer in short sentences."},
        {"role": "user", "content": "Move the pumps to Busan. Never touch the table of invoices."},
    ]
    for n in range(20):
        rows += [
            {"role": "assistant", "content": f"I look at pump {n}."},
            {"role": "tool", "tool_call_id": f"call_{n * 7919:024x}", "content": sentence(30)},
        ]
    rows.insert(25, {"role": "user", "content": "Leave pump 17 alone, it is not ours."})
    text = mckp.encode(rows, budget="10%").text
    for row in rows:
        if row["role"] in ("user", "system"):
            assert row["content"] in text


def test_one_answer_of_many_stays_with_its_record() -> None:
    """The one value that differs, at the end of an array too, is there with what names it."""
    rows = [
        {"metric": {"instance": f"10.4.0.{n}:91"}, "value": [1764201600.5, "1"]} for n in range(90)
    ]
    rows[61]["value"] = [1764201600.5, "0"]
    for share in (0.1, 0.2, 0.5):
        rows_kept = decoded_within(rows, share)
        assert {"metric": {"instance": "10.4.0.61:91"}, "value": [1764201600.5, "0"]} in rows_kept


def test_names_that_repeat_others_are_worth_little() -> None:
    """Titles of fields repeat their names, and names of columns those of rows beside them."""
    title, note = Salience().weigh_data(
        {"pump": {"title": "Pump"}, "note": {"text": "Lifts water"}}
    )
    assert 3 * title < note
    title, text, *_ = Salience().weigh_data(
        {
            "pump": {"title": "Pump", "text": "It lifts."},
            "valve": {"title": "Valve", "text": "It lets through."},
        }
    )
    assert 3 * title < text
    *fields, _, _, _, _ = Salience().weigh_data(
        {"fields": [{"name": "pump"}, {"name": "bar"}], "rows": [{"pump": "a", "bar": 2}] * 2}
    )
    *plain, _, _, _, _ = Salience().weigh_data(
        {"fields": [{"name": "left"}, {"name": "right"}], "rows": [{"pump": "a", "bar": 2}] * 2}
    )
    assert all(3 * repeated < original for repeated, original in zip(fields, plain, strict=True))


def test_a_record_written_twice_is_worth_little_the_second_time() -> None:
    """The second copy of a record is worth less than a third of the first."""
    entry = {"id": 57, "grade": "B+", "grader_id": 183, "state": "graded", "note": "well done"}
    worths = Salience().weigh_data({**entry, "all": [{**entry, "late": "no"}]})
    assert all(3 * second < first for first, second in zip(worths[:5], worths[5:10], strict=True))


def test_the_end_of_a_word_is_a_name() -> None:
    """A key that ends in "name" is worth more than twice one that does not."""
    known, unknown = Salience().weigh_data({"shipname": "Aurora", "shipnamx": "Aurora"})
    assert known > 2 * unknown


def test_pods_that_fail_are_there_by_their_state_and_not_by_their_name() -> None:
    """A name that begins like an alarm is none; odd states stay with their names at a tenth."""
    rows = [
        {"name": f"{app}-{n * 7919:x}", "status": "Running", "restarts": 0, "age": f"{n + 2}d"}
        for app in ("error-reporter", "failover-proxy", "tides", "gate")
        for n in range(18)
    ]
    states = "CrashLoopBackOff", "ImagePullBackOff", "OOMKilled"
    for row, state in zip(rows[20::18], states, strict=True):
        row["status"] = state
    decoded = decoded_within(rows, 0.1)
    assert all(
        any(
            pod.get("name") == row["name"] and pod.get("status") == row["status"] for pod in decoded
        )
        for row in rows
        if row["status"] != "Running"
    )


def test_data_in_a_string_is_worth_what_it_is_alone() -> None:
    """Its own names say what it is, not those of the envelope around it."""
    order = {"order_id": "W7", "total": 12.5, "items": [{"sku": "a", "n": 1}, {"sku": "b", "n": 2}]}
    alone = Salience().weigh_data(order)
    kind, *inside = Salience().weigh_data({"type": "text", "text": order}, [("text",)])
    assert inside == alone
    assert kind < min(alone[:2])
    listed = Salience().weigh_data({"content": [{"body": order}]}, [("content", "*", "body")])
    assert listed == alone
    assert Salience().weigh_data({"text": order}) != alone

"""Following above data: what follows from other values."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

import mckp
from mckp.encoders import RULES, write
from mckp.encoders.follow_columns import column_rules
from mckp.encoders.follow_search import find
from mckp.encoders.records import Records
from mckp.errors import ParseError
from mckp.jsontext import canonical
from tests.strategies import size

PICTURE = "https://pictures.example.org/u/{}?size=large"
LOGINS = ("ann", "ben", "cleo", "dora")


def user(login: str, number: int = 7) -> dict[str, Any]:
    """Return a user with addresses that follow from the login."""
    url = f"https://api.example.org/users/{login}"
    below = {f"{name}_url": f"{url}/{name}{{/id}}" for name in ("gists", "repos", "events", "keys")}
    return {"login": login, "id": number, "url": url, "html_url": f"https://x.org/{login}", **below}


def text_of(value: Any) -> str:
    """Return a document in the format `rules`, after checking that it reads back."""
    text = write(value, RULES)
    assert text is not None
    assert canonical(mckp.decode(text)) == canonical(value)
    return text


USERS: Any = [user(login, number) for number, login in enumerate(LOGINS)]


def test_users() -> None:
    """Addresses of users are written once, by the shortest text that has all of it."""
    result = mckp.encode(USERS)
    assert result.text.startswith("[4]{login id}\n== ")
    assert "\n== url = https://api.example.org/users/${login}\n" in result.text
    assert "\n== gists_url = ${url}/gists{/id}\n" in result.text
    assert mckp.decode(result.text) == USERS
    without = mckp.encode(USERS, formats=["native", "-rules"])
    assert result.tokens < 0.6 * without.tokens
    assert result.value == without.value


def test_budget() -> None:
    """Within a budget in which the rules fit, everything is kept; below it, parts are cut."""
    tokens = mckp.encode(USERS).tokens
    whole = mckp.encode(USERS, budget=tokens)
    assert whole.tokens == tokens
    assert not whole.elided
    cut = mckp.encode(USERS, budget=tokens - 1)
    assert cut.elided
    assert cut.tokens < tokens


@pytest.mark.parametrize(
    "value",
    [
        # A source and what follows from it, in nested objects that both have the member.
        {"items": [{**user(name), "owner": user(name)} for name in LOGINS]},
        # A member of an object from one in it, and one in it from the object around it.
        [{**user(a), "child": {"self": user(a)["url"] + "/child", "up": a}} for a in LOGINS],
        # An object in a side table has objects in it that need the same table.
        {"a": user("ann") | {"by": user("ben")}, "b": [user("ann") | {"by": user("ben")}]},
        # The same objects in many places.
        {"x": {"sender": user("ann"), "owner": user("ann")}, "y": {"sender": user("ann")}},
        # Texts and numbers that look alike.
        [{"id": n, "no": str(n), "url": f"https://x.example.org/items/{n}"} for n in range(40)],
        # Lines of texts that look like rules.
        [{**user(a), "body": "x\ndata:\nobjects with id:\ny = ${id}\n(3) rules"} for a in LOGINS],
        # Literal signs.
        [{**user(a), "t": "${login}", "s": "$${login}", "r": "${$.a}"} for a in LOGINS],
        # A text of which only a part is written.
        [{**user(a), "pic": PICTURE.format(n)} for n, a in enumerate(LOGINS)],
        # Members with the name that a part would have.
        [{**user(a), "pic": PICTURE.format(n), "pic.part": n} for n, a in enumerate(LOGINS)],
    ],
)  # fmt: skip
def test_round_trips(value: Any) -> None:
    """Documents in which rules depend on each other, or look like data, read back."""
    text = text_of(value)
    assert " rules\n" in text
    for share in (0.1, 0.3, 0.6, 0.9, 1):
        budget = max(30, int(share * mckp.encode(value).tokens))
        assert mckp.encode(value, budget=budget).tokens <= budget


NAMES = (
    "id",
    "login",
    "url",
    "html_url",
    "a.b",
    "^x",
    "${id}",
    "key",
    "owner",
    "data",
    "",
    "url.part",
)
TEXTS = (
    "ann", "https://x.example/u/ann", "${id}", "$${id}", "$", "${", "{id}", "${$.owner}", "data:",
    "",     "a\ndata:\nb", "null", "7", "https://x.example/${login}", "objects with id:", "x" * 60,
    "ü;\\\"",
)  # fmt: skip


def made_up(source: random.Random, depth: int = 0) -> Any:
    """Return a value full of signs, nulls, missing members and equal objects."""
    draw = source.random()
    if depth > 3 or (depth and draw < 0.4):
        return source.choice([*TEXTS, 0, 7, -1, 1.5, True, False, None, 10**20])
    if draw < 0.7:
        names = source.sample(NAMES, source.randint(0, 6))
        return {name: made_up(source, depth + 1) for name in names}
    pool = [user(name) for name in ("ann", "ben", "${id}", "a/b")]
    rows: list[Any] = []
    for number in range(source.randint(1, 6)):
        row = dict(source.choice(pool)) | {"id": source.choice([number, 7, "7"])}
        row["owner"] = source.choice(pool)
        for name in source.sample(NAMES, 3):
            row[name] = source.choice(
                [f"{row['url']}/{number}", row["login"], made_up(source, depth + 1)]
            )
        row.pop(source.choice(list(row)))
        rows.append(row)
    return rows


@pytest.mark.parametrize("seed", range(size(400)))
def test_made_up(seed: int) -> None:
    """Made-up documents read back, with and without a budget."""
    value = made_up(random.Random(seed))
    whole = mckp.encode(value)
    assert canonical(mckp.decode(whole.text)) == canonical(value)
    assert whole.tokens <= mckp.encode(value, formats=["native", "-rules"]).tokens


def repository(name: str, owner: str = "github") -> dict[str, Any]:
    """Return a repository whose host has the name of its owner."""
    url, home = f"https://api.github.com/repos/{owner}/{name}", f"https://github.com/{owner}"
    of = {"login": owner, "html_url": home, "id": len(name)}
    return {"name": name, "owner": of, "full_name": f"{owner}/{name}", "url": url} | {
        "html_url": f"{home}/{name}",
        "tags_url": f"{url}/tags",
        "ssh_url": f"git@github.com:{owner}/{name}.git",
    }


def test_the_name_of_a_host_is_no_coincidence() -> None:
    """An owner called like the host is no part of its name, in one repository or several."""
    names = ("tides-of-the-northern-sea", "harbours", "moon")
    single = {"about": "tides " * 80, **repository(names[0])}
    for value in ([repository(name) for name in names], single):
        text = text_of(value)
        assert "https://api.github.com/repos/${full_name}" in text
        assert not re.search(r"//[^/\n]*\$\{|@[^:\n]*\$\{", text)


def test_hosts_may_follow() -> None:
    """Hosts that are made from many names follow from them, and whole ones from a single name."""
    pages = [{"login": a, "page": f"https://{a}.pages.example.org/notes/of/{a}"} for a in LOGINS]
    rules = column_rules(Records.of(pages))
    assert rules["page",] == "https://${login}.pages.example.org/notes/of/${login}"
    hosts = [{"host": "tide.example.org", "n": n} for n in range(900, 905)]
    calls = [{**host, "url": f"https://{host['host']}/records/{host['n']}"} for host in hosts]
    assert column_rules(Records.of(calls))["url",] == "https://${host}/records/${n}"


def test_addresses_are_made_from_members_of_the_same_object() -> None:
    """Where the owner's address is cut, that of the repository still follows."""
    rows = [repository(name, owner) for name in LOGINS for owner in ("harbours", "moorings")]
    rules = column_rules(Records.of(rows))
    assert rules["html_url",] == "https://github.com/${full_name}"


def test_exceptions_say_their_own_value() -> None:
    """One null or other address among those that follow does not undo the rule."""
    users = [dict(of) for of in (*USERS, *(user(f"{name}-2", 99) for name in LOGINS))]
    users[2]["html_url"], users[5]["keys_url"] = None, "https://elsewhere.example.com/ben"
    text = text_of(users)
    assert "\nhtml_url = https://x.org/${login}\n" in text
    assert "cleo 2 html_url null" in text
    assert "keys_url https://elsewhere.example.com/ben" in text
    assert mckp.encode(users).tokens < mckp.encode(USERS * 2).tokens + 30


def test_many_exceptions_are_no_rule() -> None:
    """If most objects say their own value, there is no rule for it."""
    users = [dict(of) for of in USERS * 2]
    for number, of in enumerate(users):
        of["html_url"] = of["html_url"] if number % 2 else f"https://other.example.com/{number}"
    assert "html_url =" not in text_of(users)


def test_nothing_follows() -> None:
    """Values that do not follow from others are no rules."""
    assert find([{"a": n, "b": f"note {n * n}"} for n in range(99)]) is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("(2) rules\ndata:\n{a 1}\n", 1),
        ("(1) rules\ndata:\n", 3),
        ("(2) rules\nnot a rule\ndata:\n{a 1}\n", 2),
        ("(3) rules\nobjects with a:\nb = ${c}\ndata:\n{a 1}\n", 1),
        ("(1) rules\ndata:\n{a ${$.a}}\n", 1),
        ("(1) rules\ndata:\n{a ${b} b ${a}}\n", 1),
    ],
)
def test_damaged(text: str, line: int) -> None:
    """Damaged rules are an error with a line."""
    with pytest.raises(ParseError) as caught:
        mckp.decode(text)
    assert caught.value.line == line

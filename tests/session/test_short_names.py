"""Long ids have short names, and each call gets its ids back."""

import json
import pickle
import random
import re
from typing import Any
from uuid import UUID

import pytest

from mckp.agents.messages import MessageEncoder, ToolPolicy
from mckp.agents.session import Session, SessionSettings
from mckp.agents.session.recall import answer
from mckp.agents.session.short_names import ShortNames
from mckp.errors import MckpError
from mckp.jsontext import dump
from tests.strategies import SCALE

SETTINGS = SessionSettings(short_names=True)
PAGE = "1f0c2a44-91d3-4c51-a7a5-0be2f2a4c1d7"
NAME = re.compile(r"@[a-z][1-9][0-9]*")


def new_id(draw: random.Random) -> str:
    """Return an id of one of the kinds that get names."""
    number = draw.getrandbits(128)
    kinds = [
        str(UUID(int=number)),
        f"{number:032x}a",
        str(UUID(int=number)).upper(),
        f"I_kwDO{number:025X}",
        f"01HZ{number % 36**22:022d}K",
    ]
    return draw.choice(kinds)


def result_of(draw: random.Random, ids: list[str]) -> str:
    """Return a result that has some of the ids: data, a log, or addresses; and signs like ours."""
    rows = [
        {"page_id": draw.choice(ids), "title": draw.choice(["Ferry", "see @p1", "@a2", "v@3"])}
        for _ in range(draw.randint(1, 12))
    ]
    forms = [
        dump(rows),
        json.dumps({"results": rows}, indent=2),
        "\n".join(f"commit {row['page_id']}\n    {row['title']}" for row in rows),
        "\n".join(f"GET https://example.org/pages/{row['page_id']}/edit?x=1" for row in rows),
    ]
    return draw.choice(forms)


@pytest.mark.parametrize("seed", range(max(1, int(200 * SCALE))))
def test_every_call_gets_its_ids_back(seed: int) -> None:
    """In random conversations, a text with names resolves to the text, and arguments to ids."""
    draw, names = random.Random(seed), ShortNames()
    ids = [new_id(draw) for _ in range(draw.randint(1, 9))]
    for _ in range(draw.randint(1, 6)):
        text = result_of(draw, ids)
        shown = names.shorten(text)
        assert names.resolve_text(shown) == text
        assert not any(identifier in shown for identifier in ids)
        known = dict(names.to_list())
        assert len(set(known.values())) == len(known), "two names for one id"
        for name in set(NAME.findall(shown)) & known.keys():
            arguments = {"id": name, "at": [f"/pages/{name}/edit", f"id = '{name}' and 1"]}
            long = known[name]
            wanted = {"id": long, "at": [f"/pages/{long}/edit", f"id = '{long}' and 1"]}
            assert names.resolve(arguments) == wanted


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("the snake case of test_parse_long_identifier_name_2", id="a name of words"),
        pytest.param('{"n": 12345678901234567890123456}', id="a number"),
        pytest.param("image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAA/" * 60, id="encoded data"),
        pytest.param("uses: actions/checkout@v4, mail to a@b.example", id="signs within words"),
        pytest.param("abc123 7f3e9a1", id="short ids"),
    ],
)
def test_what_is_no_long_id_stays(text: str) -> None:
    """Words, numbers, encoded data and short ids are as they came."""
    assert ShortNames().shorten(text) == text


def conversation(count: int) -> list[Any]:
    """Return a conversation with so many calls, each with rows that share ids."""
    messages: list[Any] = [{"role": "user", "content": "Archive the page on the ferry"}]
    for number in range(count):
        call = {"id": f"c{number}", "function": {"name": "find", "arguments": "{}"}}
        ids = [str(UUID(int=1000 + (number + row) % 7)) for row in range(20)]
        rows = [{"page_id": identifier, "row": row} for row, identifier in enumerate(ids)]
        messages.append({"role": "assistant", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": dump(rows)})
    return messages


def test_a_conversation_keeps_its_names() -> None:
    """A longer conversation begins with the same bytes, in another process too."""
    encoder = MessageEncoder(settings=SETTINGS, budget=300)
    sent = [encoder.encode(conversation(count)) for count in (1, 2, 4)]
    assert sent[2][:3] == sent[0]
    assert sent[2][:5] == sent[1]
    again = pickle.loads(pickle.dumps(encoder))
    assert again.encode(conversation(6))[:9] == sent[2]
    fresh = MessageEncoder(settings=SETTINGS, budget=300)
    assert fresh.encode(conversation(4)) == sent[2]
    assert fresh.resolve(conversation(4), "@p2") == str(UUID(int=1001))


def test_fewer_tokens_with_names() -> None:
    """Rows with UUIDs take less than half of the tokens."""
    rows = dump([{"page_id": str(UUID(int=n**9)), "row": n} for n in range(50)])
    with_names = Session(SETTINGS).add(tool="find", text=rows)
    without = Session().add(tool="find", text=rows)
    assert with_names.tokens < without.tokens / 2
    assert with_names.baseline == without.baseline


def test_a_session_answers_in_names_and_programs_get_ids() -> None:
    """The model asks and is answered in names, or with an id that it knows; programs get ids."""
    session = Session(SETTINGS)
    rows = [{"page_id": PAGE if n == 7 else str(UUID(int=n)), "n": n} for n in range(30)]
    session.add(tool="find", text=dump(rows), budget=100)
    name = next(name for name, identifier in session.names.to_list() if identifier == PAGE)
    for asked in (name, PAGE):
        question = {"handle": "#1", "where": f"page_id == '{asked}'"}
        text, is_error = answer(session, question)
        assert not is_error
        assert name in text
        assert PAGE not in text
        assert session.recall(1, where=f"page_id == '{asked}'") == [rows[7]]
    assert session.recall(1) == dump(rows)
    assert session.recall(1, "$[7].page_id") == PAGE
    resumed = Session.from_dict(json.loads(json.dumps(session.to_dict())))
    assert resumed.resolve({"id": name}) == {"id": PAGE}


def test_unknown_names_are_errors() -> None:
    """A value that is nothing but an unknown name is an error that has the nearest one."""
    names = ShortNames()
    names.shorten(f'"page_id": "{PAGE}"')
    with pytest.raises(MckpError, match="@p11 is the short name of no id; did you mean '@p1'"):
        names.resolve({"id": "@p11"})
    assert names.resolve("cc @p11, please") == "cc @p11, please"
    assert ShortNames().resolve("@p1") == "@p1"


def test_errors_and_tools_left_alone_keep_their_ids() -> None:
    """What must be sent unchanged has its ids."""
    session = Session(SessionSettings(short_names=True, policies={"raw": ToolPolicy(leave=True)}))
    text = dump({"page_id": PAGE})
    assert session.add(tool="raw", text=text).text == text
    assert session.add(tool="find", text=text, is_error=True).text == text
    assert PAGE not in session.add(tool="find", text=text).text

"""Structured content: what repeats the text goes, and nothing else is lost."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp.server.mcpserver import MCPServer

from mckp import decode, tokenizers
from mckp.agents.mcp import STRUCTURED
from mckp.agents.mcp.desk import Desk, RoutedCall
from mckp.agents.mcp.servers import ProxySettings
from mckp.agents.mcp.structured import arrange_content, holds_same_data
from mckp.agents.session import Reader, Session, SessionSettings
from tests.cases import cases
from tests.mcp.fakes import Through, deliverer, first_text, full_server, rows, text
from tests.strategies import VALUES, examples

COUNTER = tokenizers.get("o200k")
IMAGE = {"type": "image", "data": "AA==", "mimeType": "image/png"}


def result(data: Any, *texts: str, **more: Any) -> dict[str, Any]:
    blocks: list[Any] = [IMAGE, *({"type": "text", "text": text} for text in texts)]
    return {"content": blocks, "structuredContent": data, **more}


def said_by(result: dict[str, Any]) -> list[str]:
    return [block["text"] for block in result["content"] if block["type"] == "text"]


@pytest.mark.parametrize(
    ("data", "texts"),
    cases(__file__, "test_the_same_data_is_sent_once"),
)
def test_the_same_data_is_sent_once(data: Any, texts: list[str]) -> None:
    """A text stays, whatever the SDK of the server has made of it; a text an item becomes one."""
    assert holds_same_data(texts, data)
    for way in ("auto", "drop", "encode"):
        shaped = arrange_content(result(data, *texts), way)
        assert "structuredContent" not in shaped
        if len(texts) == 1 or way == "drop":
            assert said_by(shaped) == texts
        else:
            assert [json.loads(text) for text in said_by(shaped)] == [data["result"]]
        assert shaped["content"][0] == IMAGE
    assert arrange_content(result(data, *texts), "keep") == result(data, *texts)


@pytest.mark.parametrize(
    ("data", "texts"),
    cases(__file__, "test_other_data_is_not_lost"),
)
def test_other_data_is_not_lost(data: Any, texts: list[str]) -> None:
    """Data that the texts lack follow them as a text, and are dropped only on request."""
    assert not holds_same_data(texts, data)
    for way in ("auto", "encode"):
        encoded = arrange_content(result(data, *texts), way)
        assert "structuredContent" not in encoded
        assert said_by(encoded)[:-1] == texts
        assert json.loads(said_by(encoded)[-1]) == data
    dropped = said_by(arrange_content(result(data, *texts), "drop"))
    assert dropped == (texts or [said_by(encoded)[-1]])
    assert IMAGE in arrange_content(result(data, *texts), "drop")["content"]


@examples(200)
@given(data=st.dictionaries(st.text(max_size=3), VALUES), way=st.sampled_from(STRUCTURED))
def test_data_is_somewhere(data: Any, way: str) -> None:
    """Data are kept as they are or as a text, unless they may be dropped."""
    for texts in ([json.dumps(data)], [], ["other"]):
        shaped = arrange_content(result(data, *texts), way)
        if "structuredContent" in shaped:
            assert shaped["structuredContent"] == data
        elif way != "drop" or texts != ["other"]:
            assert any(_loaded(text) == data for text in said_by(shaped))


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def test_several_texts_become_one_table() -> None:
    """Items that are a text each cost more than a table of them."""
    data = {"result": rows(30)}
    texts = [json.dumps(row, indent=2) for row in rows(30)]
    tokens: dict[str, int] = {}
    for way in ("drop", "auto"):
        some = deliverer(ProxySettings(structured={"": way}))
        delivered = some.deliver(RoutedCall("s", "t", {}), result(data, *texts)).result
        tokens[way] = sum(map(COUNTER.count, said_by(delivered)))
        assert "structuredContent" not in delivered
    (only,) = said_by(delivered)
    assert Reader().read(only) == rows(30)
    assert 2 * tokens["auto"] < tokens["drop"]


def test_limits_hold_for_what_was_structured() -> None:
    """Structured data that become a text keep the limit."""
    some = deliverer(ProxySettings({"": 200}, {"": "encode"}))
    delivered = some.deliver(RoutedCall("s", "t", {}), result({"jobs": rows(300)})).result
    assert COUNTER.count(said_by(delivered)[0]) <= 200


@pytest.mark.parametrize("way", STRUCTURED)
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_that_checks_takes_all_ways(way: str, mode: str) -> None:
    """The SDK's refuses results without the structured content that the list has promised."""
    settings = ProxySettings(structured={"": way})
    async with Client(Through({"full": full_server()}, settings), mode=mode) as client:
        await client.list_tools()
        result = await client.call_tool("weather", {"city": "Oslo"})
        assert (result.structured_content is not None) == (way == "keep")
        assert Reader().read(first_text(result))["city"] == "Oslo"


ROWS = [
    {"id": n, "title": f"issue {n}", "user": {"login": "ann"}, "url": "x" * 40} for n in range(20)
]


def issues() -> MCPServer:
    server = MCPServer("issues")

    @server.tool(structured_output=False)
    def list_issues(state: str = "open") -> Any:
        """List issues."""
        return text(json.dumps([{**row, "state": state} for row in ROWS]))

    return server


async def test_fields_are_kept_by_rule_and_by_call() -> None:
    """A rule in the configuration, or what the call asks for, which the server never sees."""
    rule = {"issues.list_issues": ("[*].id", "[*].title")}
    settings = ProxySettings(fields=rule, ask_fields=True)
    async with Client(Through({"issues": issues()}, settings)) as client:
        (tool, _) = (await client.list_tools()).tools
        assert "fields" in tool.input_schema["properties"]
        by_rule = await client.call_tool("list_issues", {})
        wanted = [{"id": row["id"], "title": row["title"]} for row in ROWS]
        assert Reader().read(first_text(by_rule)) == wanted
        assert first_text(by_rule, 1) == "> [only the fields asked for; handle #1]"
        args = {"state": "closed", "fields": ["[*].user.login", "[:1].state"]}
        by_call = Reader().read(first_text(await client.call_tool("list_issues", args)))
        assert by_call[0] == {"user": {"login": "ann"}, "state": "closed"}
        assert by_call[1] == {"user": {"login": "ann"}}
        whole = await client.call_tool("recall", {"handle": "#1", "path": "[3]"})
        assert decode(first_text(whole)) == {**ROWS[3], "state": "open"}


async def test_wrong_fields_are_errors() -> None:
    """A wrong pattern of fields is an error; one without a match gets all data and their fields."""
    settings = ProxySettings(ask_fields=True)
    async with Client(Through({"issues": issues()}, settings)) as client:
        await client.list_tools()
        for fields in ("title", [1], ["a["]):
            wrong = await client.call_tool("list_issues", {"fields": fields})
            assert wrong.is_error
        missing = await client.call_tool("list_issues", {"fields": ["[*].titel"]})
        assert len(Reader().read(first_text(missing))) == len(ROWS)
        assert "the data has [*].id, [*].title, [*].user.login" in first_text(missing, 1)


@pytest.mark.parametrize("limit", [80, 300])
def test_notes_on_fields_are_within_the_limit(limit: int) -> None:
    """Text and notes on hidden fields together keep the limit."""
    settings = ProxySettings({"": limit}, fields={"": ("[*].title",)})
    some = deliverer(settings)
    delivered = some.deliver(
        RoutedCall("s", "t", {}), {"content": [_text(json.dumps(ROWS))]}
    ).result
    assert 0 < sum(map(COUNTER.count, said_by(delivered))) <= limit


def test_a_rule_that_fits_nothing_hides_nothing() -> None:
    """A rule on fields leaves a result without them as it is."""
    some = deliverer(ProxySettings(fields={"": ("items[*].x",)}))
    given_ = {"content": [_text('{"error": "rate limit"}')]}
    assert some.deliver(RoutedCall("s", "t", {}), given_).result == given_


def _text(body: str) -> dict[str, Any]:
    return {"type": "text", "text": body}


async def test_a_shadow_changes_nothing_and_counts() -> None:
    """Lists, instructions and results are the server's; what would be saved is counted."""
    settings = ProxySettings({"": 100}, shadow=True, ask_fields=True, catalog="on-demand")
    way = Through({"full": full_server()}, settings)
    async with Client(full_server()) as direct, Client(way) as client:
        assert client.instructions == direct.instructions
        assert (await client.list_tools()).tools == (await direct.list_tools()).tools
        for _ in range(2):
            for name, args in (("list_jobs", {}), ("weather", {"city": "Oslo"})):
                wanted = await direct.call_tool(name, args)
                assert await client.call_tool(name, args) == wanted
        assert way.relay is not None
        shadow = way.relay.desk.shadow
        assert shadow is not None
        assert shadow.result_count == 4
        assert 0 < shadow.after < shadow.before / 4
        assert str(shadow).startswith("4 results of ")
        assert "list of tools" in str(shadow)


def test_a_shadow_of_several_servers_keeps_their_names() -> None:
    """In shadow mode, tools keep prefixed names and schemas, and the proxy adds none."""
    desk = Desk(ProxySettings(shadow=True), ["a", "b"], Session, SessionSettings)
    tool = {"name": "t", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}
    assert desk.list({"a": [tool], "b": [tool]}) == [
        {**tool, "name": "a__t"},
        {**tool, "name": "b__t"},
    ]
    assert desk.own_function("recall") == ""

"""Texts of results within their tokens, and all else as it came."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import decode, tokenizers
from mckp.agents.config import loads
from mckp.agents.limits import MAX_CHARS
from mckp.agents.mcp.desk import REFERENCE, Desk, RoutedCall
from mckp.agents.mcp.results import Deliverer, shares
from mckp.agents.mcp.serve import Sessions
from mckp.agents.mcp.servers import ProxySettings
from mckp.agents.session import Session, SessionSettings
from mckp.agents.session.recall import answer
from mckp.answers.primer import instruction
from tests.mcp.fakes import deliverer as new_deliverer
from tests.mcp.fakes import rows

COUNTER = tokenizers.get("o200k")
LOG = "\n".join(f"step {n} of the build is done, with {n * 7} files" for n in range(120))
TABLE = json.dumps(rows(90))


def called(tool: str = "list_jobs") -> RoutedCall:
    return RoutedCall("ci", tool, {"a": 1})


def deliverer(**limits: int) -> Deliverer:
    """Return one with limits, of which ``rest`` is for all that is not named."""
    named = {("" if name == "rest" else name.replace("__", ".")): n for name, n in limits.items()}
    return new_deliverer(ProxySettings(named))


def result(*texts: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text} for text in texts], **more}


def tokens(result: dict[str, Any]) -> int:
    return sum(COUNTER.count(block["text"]) for block in result["content"])


@pytest.mark.parametrize("limit", [64, 400])
@pytest.mark.parametrize("texts", [(TABLE,), (LOG,), (TABLE, LOG), (TABLE,) * 9, (LOG,) * 25])
def test_limits_hold(texts: tuple[str, ...], limit: int) -> None:
    """However many texts there are, all together are within the limit, and say something."""
    delivered = deliverer(rest=limit).deliver(called(), result(*texts)).result
    assert 0 < tokens(delivered) <= limit


def test_the_closest_limit_counts() -> None:
    """The limit of a tool wins over that of its server, and that over the general one."""
    words = ["moor", "quay", "ferry", "berth", "tide", "keel", "mast", "rope", "sail", "hull"]
    lines = [" ".join((a, b, c)) for a in words for b in words for c in words if a < b < c]
    some = deliverer(rest=900, ci=500, ci__read_log=200)
    calls = (called("list_jobs"), 500), (called("read_log"), 200), (RoutedCall("git", "x", 0), 900)
    for number, (call, limit) in enumerate(calls):
        delivered = some.deliver(call, result("\n".join([str(number), *lines * 3]))).result
        assert tokens(delivered) in range(limit // 2, limit + 1)


def test_without_limits_nothing_is_lost() -> None:
    """Without limits, each text block decodes to its original."""
    delivered = deliverer().deliver(called(), result(TABLE, LOG)).result
    assert [decode(block["text"]) for block in delivered["content"]] == [json.loads(TABLE), LOG]


def test_what_is_no_text_for_the_model_stays() -> None:
    """Pictures, resources, texts for the user and notes are the same."""
    given_: dict[str, Any] = {
        "content": [
            {"type": "image", "data": "AA==", "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "a://b", "text": LOG}},
            {"type": "text", "text": LOG, "annotations": {"audience": ["user"]}},
            {
                "type": "text",
                "text": TABLE,
                "annotations": {"audience": ["assistant"], "priority": 1},
            },
            {"type": "unheard-of", "text": LOG},
        ],
        "_meta": {"a/b": 1},
    }
    delivered = deliverer(rest=300).deliver(called(), given_).result
    assert delivered["content"][:3] == given_["content"][:3]
    assert delivered["content"][4] == given_["content"][4]
    assert delivered["content"][3]["annotations"] == given_["content"][3]["annotations"]
    assert delivered["content"][3]["text"] != TABLE
    assert {**delivered, "content": 0} == {**given_, "content": 0}


@pytest.mark.parametrize(
    "odd", [{}, {"content": None}, {"content": [7, {"type": "text"}]}, {"x": 1}]
)
def test_odd_results_stay(odd: dict[str, Any]) -> None:
    """A result of an unknown shape stays as it is."""
    assert deliverer(rest=99).deliver(called(), odd).result == odd


def test_errors_stay_unless_they_are_too_long() -> None:
    """Whoever reads an error is to read all of it, but within the limit."""
    short = result("no such file: a\n" * 20, isError=True)
    assert deliverer(rest=300).deliver(called(), short).result == short
    long = deliverer(rest=300).deliver(called(), result(LOG, isError=True)).result
    assert tokens(long) <= 300
    assert long["isError"] is True


@pytest.mark.parametrize("limit", [{}, {"rest": 300}])
@pytest.mark.parametrize("fakes", [1, 60, 1 << 14])
@pytest.mark.parametrize("failed", [True, False])
def test_fakes_are_marked_wherever_they_are(
    limit: dict[str, int], fakes: int, failed: bool
) -> None:
    """Lines that imitate the proxy are marked anywhere in a result, within the limit."""
    text = f"oh{'!' * 20}\n" + "> [ref #1]\n" * fakes
    delivered = deliverer(**limit).deliver(called(), result(text, isError=failed)).result
    lines = delivered["content"][0]["text"].split("\n")
    assert "> [ref #1]" not in lines
    assert "\\> [ref #1]" in lines or (limit and fakes > 1)
    assert not limit or tokens(delivered) <= 300


def test_texts_beyond_all_measure_are_cut_at_once() -> None:
    """Their beginning and end are there, and all of it can be had again."""
    some = deliverer(rest=200)
    huge = f"first\n{'x' * 40}\n" + ("y" * 79 + "\n") * (MAX_CHARS // 80 + 1) + "last\n"
    delivered = some.deliver(called(), result(huge)).result
    text = delivered["content"][0]["text"]
    assert tokens(delivered) <= 200
    assert text.startswith("first\n")
    assert text.endswith("last\n")
    again = answer(some.session, {"handle": "#1", "limit": 2}, 200)
    assert not again[1]
    assert again[0].startswith(f"first\n{'x' * 40}\n> [+")
    whole = deliverer().deliver(called(), result(huge)).result
    assert whole["content"][0]["text"] == huge
    many = result(*(f"step {n} is done" for n in range(40_000)))  # which took minutes
    assert tokens(deliverer(rest=200).deliver(called(), many).result) <= 200


@pytest.mark.slow
def test_rows_of_some_megabytes_are_rows() -> None:
    """Data of three megabytes are encoded like any other, within the limit."""
    rows = [{"id": n, "state": "done", "job": f"job {n * 7 % 9973}"} for n in range(50_000)]
    text = json.dumps(rows)
    assert len(text) > 2 << 20
    delivered = deliverer(rest=300).deliver(called(), result(text)).result
    assert tokens(delivered) <= 300
    assert delivered["content"][0]["text"].startswith("> [#1 as compact]\n[50000]{")


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=9), st.integers(0, 2000))
def test_shares_are_fair(wants: list[int], whole: int) -> None:
    """Shares add up to the limit, and none exceeds what it needs."""
    parts = shares(wants, whole)
    assert all(share <= want for share, want in zip(parts, wants, strict=True))
    assert sum(parts) <= whole
    assert sum(parts) >= min(whole - len(wants), sum(wants))


def test_what_else_fails_in_a_recall_is_an_error() -> None:
    """An unexpected error of a recall is an error result."""
    desk = Desk(ProxySettings(), ["ci"], refuse, SessionSettings)
    assert desk.answer("recall", {"handle": "#1"})["isError"] is True


def test_signs_are_explained_where_there_are_tools() -> None:
    """A greeting explains the session's signs if it offers tools, and never fails."""
    tools: dict[str, Any] = {"capabilities": {"tools": {}}}
    desk = Desk(ProxySettings(), ["ci"], refuse, lambda: SessionSettings(formats=("kv", "rows")))
    assert desk.greet(tools) == {**tools, "instructions": instruction(("kv", "rows")) + REFERENCE}
    assert desk.greet({"capabilities": {"prompts": {}}}) == {"capabilities": {"prompts": {}}}
    desk = Desk(ProxySettings(), ["ci"], refuse, refuse_settings)
    assert desk.greet(tools) is tools


def test_the_signs_are_those_of_the_configuration() -> None:
    """Sessions use the formats that the configuration enables."""
    config = loads('schema_version = 2\n[mckp]\nformats_enabled = ["csv", "kv"]\n')
    sessions = Sessions(ProxySettings(), config)
    assert set(sessions.settings().formats) == {"csv", "kv"}


def refuse_settings() -> SessionSettings:
    raise RuntimeError("no settings")


def refuse() -> Session:
    raise RuntimeError("no session")

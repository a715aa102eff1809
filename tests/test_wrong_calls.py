"""Some two hundred wrong calls: each gives one line that says what, where, and what to do."""

import io
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import mckp
from mckp import solvers, tokenizers
from mckp.accuracy import measure
from mckp.agents.config import loads
from mckp.agents.hosts import unwrapped, wrapped
from mckp.agents.hosts.hooks import with_hook
from mckp.agents.mcp.servers import ProxySettings, read_servers, server_of_url
from mckp.agents.messages import MessageEncoder
from mckp.agents.session import SessionSettings
from mckp.answers import frames
from tests.cases import cases
from tests.cli.conftest import Run

ROWS: list[dict[str, Any]] = [{"id": n, "state": "done"} for n in range(40)]
RESULT = mckp.encode(ROWS, budget=60)
TOOLS = [{"name": "now", "description": "The time."}]
TOP: list[tuple[str, ...]] = [("mcpServers",)]
LOOP: list[Any] = []
LOOP.append(LOOP)

ARGUMENTS: dict[str, dict[str, Any]] = cases(__file__, "ARGUMENTS")
"""Arguments of `mckp.encode` for `ROWS`, by what is wrong with them."""

CALLS: dict[str, Callable[[], object]] = {
    **{name: partial(mckp.encode, ROWS, **arguments) for name, arguments in ARGUMENTS.items()},
    "pins over the budget": lambda: mckp.encode(ROWS, budget=20, priorities={"**": "pin"}),
    "tokenizer a class": lambda: mckp.encode(ROWS, tokenizer=int),
    "tokenizer of floats": lambda: mckp.encode(ROWS, tokenizer=lambda text: len(text) / 2),  # type: ignore[arg-type,return-value] # pyright: ignore[reportArgumentType]
    "tokenizer below 0": lambda: mckp.encode(ROWS, tokenizer=lambda text: -len(text)),
    "weights below 0": lambda: mckp.encode(ROWS, weights=lambda leaves: [-1.0] * len(leaves)),
    "weights too few": lambda: mckp.encode(ROWS, weights=lambda leaves: [1.0]),
    "priority not a number": lambda: mckp.encode(ROWS, priorities={"**.id": float("nan")}),
    "kind unknown": lambda: mckp.encode("{}", kind="yaml"),
    "template without a call": lambda: mckp.encode(ROWS, budget=60, more="more {row}"),
    "template open": lambda: mckp.encode(ROWS, budget=60, more="more({offset"),
    "data an object": lambda: mckp.encode(object()),
    "data a set": lambda: mckp.encode({1, 2}),
    "data deep inside": lambda: mckp.encode({"a": [{"b": object()}]}),
    "data not a number": lambda: mckp.encode({"a": float("nan")}),
    "data infinite": lambda: mckp.encode([float("inf")]),
    "data with other keys": lambda: mckp.encode({(1, 2): 3}),
    "data in a circle": lambda: mckp.encode(LOOP),
    "data a function": lambda: mckp.encode(len),
    "data a class": lambda: mckp.encode(int),
    "json open": lambda: mckp.encode('{"a": [1, 2}', kind="json"),
    "json NaN": lambda: mckp.encode('{"a": NaN}', kind="json"),
    "json twice a key": lambda: mckp.encode('{"a": 1, "a": 2}', kind="json"),
    "json empty": lambda: mckp.encode("", kind="json"),
    "json half": lambda: mckp.parse('{"a":', "json"),
    "json rest": lambda: mckp.parse("[1] 2", "json"),
    "bytes no UTF-8": lambda: mckp.encode(b'{"a": "\xff"}', kind="json"),
    "surrogate": lambda: mckp.encode('{"a": "\ud800"}', kind="json"),
    "data a result": lambda: mckp.encode(RESULT),
    "data a generator": lambda: mckp.encode(row for row in ROWS),
    "data a file": lambda: mckp.encode(io.StringIO("[]")),
    "weights of paths": lambda: mckp.encode(ROWS, weights={"**.id": 2}),  # type: ignore[dict-item] # pyright: ignore[reportArgumentType]
    "parse data": lambda: mckp.parse(ROWS),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    "decode a result": lambda: mckp.decode(RESULT),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    "sweep one budget": lambda: mckp.sweep(ROWS, {"a": {}}, 60),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    "sweep no ways": lambda: mckp.sweep(ROWS, {}, [60]),
    "frame of a list": lambda: frames.decode("a 1", like=ROWS),
    "result of nothing": lambda: mckp.Result.from_dict({}),
    "solve a word": lambda: solvers.solve("table", 3),
    "pack a text": lambda: mckp.pack("text", 100),
    "pack a pin": lambda: mckp.pack({"a": "x"}, 100, pin="a"),  # pyright: ignore[reportArgumentType]
    "why of nothing": lambda: RESULT.why(),  # type: ignore[call-overload] # pyright: ignore[reportCallIssue]
    "recall of nothing": lambda: RESULT.recall(),
    "instance without a budget": lambda: mckp.instance(ROWS).solve(),
    "cache a file": lambda: mckp.encode(ROWS, cache="file.db"),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    "path nowhere": lambda: mckp.encode(Path("no such file.json")),
    "path a folder": lambda: mckp.encode(Path(__file__).parent),
    "parse a number": lambda: mckp.parse(7),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    "parse kind": lambda: mckp.parse("{}", "jsn"),
    "decode a number": lambda: mckp.decode(7),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    "decode damaged rows": lambda: mckp.decode("[3]{id name}\n1 Ann\n"),
    "decode damaged csv": lambda: mckp.decode("[2] csv\nid\n1\n"),
    "decode a label": lambda: mckp.decode("> [#1 as mine]\nx"),
    "decode no UTF-8": lambda: mckp.decode(b"\xff"),
    "at a float": lambda: RESULT.at(1.5),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    "at too small": lambda: RESULT.at(1),
    "at a word": lambda: RESULT.at("all"),
    "why nowhere": lambda: RESULT.why("$.nope"),
    "why a row beyond": lambda: RESULT.why("$[99]"),
    "why no path": lambda: RESULT.why("[["),
    "recall beyond": lambda: RESULT.recall(99),
    "recall 0": lambda: RESULT.recall(0),
    "recall nowhere": lambda: RESULT.recall("$.nope"),
    "recall detached": lambda: RESULT.detached().recall(1),
    "frontier detached": lambda: RESULT.detached().frontier(),
    "price detached": lambda: RESULT.detached().shadow_price,
    "many of one": lambda: mckp.encode_many({"a": 1}),
    "many of a text": lambda: mckp.encode_many("[]"),
    "many by 0": lambda: mckp.encode_many([1], processes=0),
    "many by a word": lambda: mckp.encode_many([1], processes="two"),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    "many formats": lambda: mckp.encode_many([1], formats="yaml"),  # type: ignore[arg-type]
    "many budget": lambda: mckp.encode_many([1], budget="many"),
    "tools a number": lambda: mckp.encode_tools(7),
    "tools without names": lambda: mckp.encode_tools([{"description": "x"}]),
    "tools twice": lambda: mckp.encode_tools([*TOOLS, *TOOLS]),
    "tools level": lambda: mckp.encode_tools(TOOLS, level="most"),
    "tools pin": lambda: mckp.encode_tools(TOOLS, pins=["then"]),
    "tools budget": lambda: mckp.encode_tools(TOOLS, budget=1),
    "tools budget a word": lambda: mckp.encode_tools(TOOLS, budget="few"),
    "tools schema": lambda: mckp.parse_tools([{"name": "a", "inputSchema": 3}]),
    "tools text": lambda: mckp.parse_tools("[{]"),
    "decorator of a number": lambda: mckp.tool()(7),  # type: ignore[call-overload] # pyright: ignore[reportCallIssue, reportArgumentType]
    "decorator budget": lambda: mckp.tool(budget="x"),
    "decorator format": lambda: mckp.tool(formats="yaml"),  # type: ignore[arg-type]
    "decorator solver": lambda: mckp.tool(solver="magic"),  # type: ignore[arg-type]
    "decorated result": lambda: mckp.tool()(object)(),
    "session budget": lambda: SessionSettings(budget=-1),
    "session share": lambda: SessionSettings(budget="50%"),  # pyright: ignore[reportArgumentType]
    "session size": lambda: SessionSettings(lru_size=0),
    "session words": lambda: SessionSettings(formats="[x]\n"),
    "session text": lambda: mckp.Session().add(tool="t", text=b"x"),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    "session recall": lambda: mckp.Session().recall("#1"),
    "session handle": lambda: mckp.Session().recall("one"),
    "session data": lambda: mckp.Session.from_dict({}),
    "messages budget": lambda: MessageEncoder(budget=3),
    "messages option": lambda: MessageEncoder(budgt=300),  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    "messages a text": lambda: MessageEncoder().encode("hello"),
    "config no TOML": lambda: loads("a = ]"),
    "config unknown": lambda: loads("schema_version = 2\nnope = 1\n"),
    "config newer": lambda: loads("schema_version = 99\n"),
    "proxy limit": lambda: ProxySettings(limits={"": 3}),
    "proxy catalog": lambda: ProxySettings(catalog="short"),
    "proxy url": lambda: server_of_url("ftp://x", {}),
    "proxy file": lambda: read_servers("no such file.json"),
    "host json": lambda: wrapped('{"mcpServers": {,}}', TOP),
    "host toml": lambda: wrapped("a = ]", [("mcp_servers",)], toml=True),
    "host servers": lambda: wrapped('{"mcpServers": 3}', TOP),
    "host no object": lambda: unwrapped("[]", TOP),
    "host hooks": lambda: with_hook('{"hooks": []}', "mckp hook claude-code"),
    "accuracy way": lambda: measure({"a": ROWS}, ways=["yaml"]),
    "accuracy budget": lambda: measure({"a": ROWS}, budgets=[-3.0]),
    "table costs": lambda: solvers.Table.flat(costs=[[-1]], values=[[1]]),
    "table lengths": lambda: solvers.Table.flat(costs=[[1]], values=[[1, 2]]),
    "solve solver": lambda: solvers.solve(
        solvers.Table.flat(costs=[[1]], values=[[1]]), budget=3, solver="magic"
    ),
    "register built-in": lambda: tokenizers.register("o200k", lambda: tokenizers.get(len)),
    "name of the package": lambda: getattr(mckp, "encoed"),  # noqa: B009
}

COMMANDS = Path(__file__).with_name("wrong_commands.txt").read_text("utf-8").splitlines()
"""Commands that are wrong, one a line."""

FILES = {**cases(__file__, "FILES"), "data": json.dumps(ROWS)}


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_call_is_an_error_of_one_line(name: str) -> None:
    """A wrong call is an error of one line, and never one from within."""
    known = (mckp.MckpError, ValueError, TypeError, OSError, AttributeError)
    with pytest.raises(known) as caught:
        CALLS[name]()
    said = str(caught.value)
    assert "\n" not in said
    assert re.search(r"\w+ \w+", said), said


ADVICE = {
    "data a result": "pass the data, or its .text",
    "data a generator": "make it a list first",
    "data a file": "read it first",
    "weights of paths": "use priorities",
    "decode a result": "pass its .text",
    "parse data": "to encode data, use encode",
}
"""What to do instead, of wrong calls that are likely."""


@pytest.mark.parametrize("name", ADVICE)
def test_a_likely_mistake_is_answered_with_what_to_do(name: str) -> None:
    """The error names the call or the step that was meant."""
    with pytest.raises((TypeError, mckp.MckpError)) as caught:
        CALLS[name]()
    assert ADVICE[name] in str(caught.value)


def test_a_warning_points_to_the_line_of_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A warning points to the line of the caller."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_text("{}", "utf-8")
    with pytest.warns(UserWarning, match="pass pathlib.Path") as caught:
        mckp.encode("a.json")
    with pytest.warns(mckp.UnmatchedWarning) as unmatched:
        mckp.encode(ROWS, priorities={"**.nope": 2})
    assert {warning.filename for warning in (*caught, *unmatched)} == {__file__}


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("encode -budget 4 -", "did you mean '--budget'?"),
        ("encode data broken", "mckp pack takes several"),
        ("encode https://example.org/a.json", "mckp reads only files"),
        ("encode --max-loss none -b 9 -", "or allow cuts"),
        ("install claude-desktop --project", "leave out --project"),
        ("stats --days few", "a whole number of 1 or more"),
    ],
)
def test_a_likely_wrong_command_is_answered_with_what_to_do(
    run: Run, line: str, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line on standard error ends with the option or command that was meant."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    code, _, errors = run(*line.split(), stdin=json.dumps(ROWS))
    assert code in (1, 2, 3)
    assert advice in errors


@pytest.mark.slow
@pytest.mark.parametrize("line", COMMANDS)
def test_a_wrong_command_is_an_error_of_one_line(
    run: Run, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exit code says that; standard output has a diff at most, or what became of each line."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    (tmp_path / "latin").write_bytes(b'{"a": "\xe9"}')
    code, shown, errors = run(*line.split(), stdin=json.dumps(ROWS))
    assert code in (1, 2, 3)
    assert not shown or line.startswith(("batch", "install cursor --config servers"))
    assert "Traceback" not in errors
    lines = [
        error_line
        for error_line in errors.splitlines()
        if not error_line.startswith(("usage: ", "  "))
    ]
    assert len(lines) == 1, errors
    assert re.match(r"mckp[\w -]*: error: .*\w+ \w+", lines[0]), errors

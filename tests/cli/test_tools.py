"""The command for catalogs of tools."""

import json

import pytest

from mckp.jsontext import dump
from mckp.tools import encode_tools, parse_tools
from mckp.tools.renderings import RENDERINGS
from tests.cli.conftest import Run
from tests.tools.catalogs import made

CATALOG = dump(made()).encode()


def test_tools_writes_the_text_and_nothing_else(run: Run) -> None:
    """The output is the text of `encode_tools`, and `--level` chooses how much of each tool."""
    assert run("tools", stdin=CATALOG) == (0, encode_tools(made()).text.encode(), "")
    assert run("tools", "--level", "typed", stdin=CATALOG)[1].count(b"\n") == 7


def test_tools_keeps_a_budget_and_shows_tokens_per_tool(run: Run) -> None:
    """Budget, pins and recall reach the library, and `--stats` lists tokens of each tool."""
    code, out, err = run(
        "tools", "--budget", "120", "--pin", "list_tags", "--recall", "help(x)", "--stats", "-",
        stdin=CATALOG,
    )  # fmt: skip
    assert code == 0
    wanted = encode_tools(made(), budget=120, pins=["list_tags"], recall="help(x)")
    assert out == wanted.text.encode()
    assert "list_tags" in err
    assert wanted.status in err


def test_tools_as_json(run: Run) -> None:
    """``--as json`` writes the tools as JSON, ``--json`` the text with its figures."""
    assert run("tools", "--as", "json", stdin=CATALOG)[1] == CATALOG + b"\n"
    result = json.loads(run("tools", "--json", "--budget", "120", stdin=CATALOG)[1])
    assert result["tokens"] <= 120
    assert {choice["format"] for choice in result["choices"]} <= {
        "args",
        "typed",
        "summary",
        "full",
    }


@pytest.mark.parametrize("name", RENDERINGS)
def test_tools_in_any_other_format(run: Run, name: str) -> None:
    """`--as` writes each rendering as the library does."""
    text = RENDERINGS[name](parse_tools(CATALOG))
    assert run("tools", "--as", name, stdin=CATALOG)[1].decode() == text + "\n"


def test_wrong_catalogs_and_budgets_are_errors(run: Run) -> None:
    """A budget that is too small, a wrong catalog and an unknown format have their exit codes."""
    assert run("tools", "--budget", "3", stdin=CATALOG)[0] == 3
    code, out, err = run("tools", stdin=b'[{"name": 7}]')
    assert (code, out) == (1, b"")
    assert "expected a string, got an integer at $[0].name" in err
    assert run("tools", "--as", "yaml", stdin=CATALOG)[0] == 1


@pytest.mark.parametrize("option", ["--budget=0", "--level=typed", "--pin=list_tags", "--json"])
def test_another_format_heeds_no_budget_and_says_so(run: Run, option: str) -> None:
    """Other formats refuse options that they do not heed."""
    code, out, err = run("tools", "--as", "tscg", option, stdin=CATALOG)
    assert (code, out) == (2, b"")
    assert "--as tscg always writes everything: remove" in err


@pytest.mark.parametrize("name", ["[/x]", "[red]x", ":smile:"])
def test_names_are_no_markup(run: Run, name: str) -> None:
    """Names of tools with markup characters are written as they are."""
    catalog = json.dumps([{"name": name, "inputSchema": {"type": "object"}}])
    code, _, err = run("tools", "--stats", "-", stdin=catalog)
    assert code == 0
    assert name in err

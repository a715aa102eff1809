"""TSCG as its paper means it: each operator keeps its promise."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest
from foreign.tscg import operators_for, tscg
from foreign.tscg_frames import sad
from hypothesis import given
from hypothesis import strategies as st

from mckp import tokenizers
from mckp.errors import MissingExtraError, UnknownNameError
from mckp.jsontext import dump, is_object
from mckp.tools import Tool, parse_tools
from mckp.tools.renderings.schema import members
from mckp.tools.renderings.tscg import cas, cfo, dependencies
from mckp.tools.renderings.tscg import tscg as balanced
from mckp.tools.renderings.tscg_layout import (
    COMPACT,
    PLAIN,
    VARIANTS,
    Words,
    tas,
    value_text,
    written,
)
from mckp.tools.renderings.tscg_wording import dro_text, keeps, meaning, sdm, sdm_text
from mckp.tools.schema import every, without_unreached
from tests.tools.harbour import HARBOUR, real
from tests.tools.strategies import schemas

_O200K = tokenizers.get("o200k")
_CHUNKS = st.sampled_from(
    [
        "This tool will ",
        "use this function when you need to ",
        "Note that ",
        "not ",
        "delete the file",
        "in order to ",
        "corresponds to ",
        ". ",
        "\n",
        "  ",
        "the name of ",
        "3.5 ",
        "if needed",
        "It is used for ",
        "prior to",
    ]
)
_PROSE = st.lists(_CHUNKS, max_size=8).map("".join)
_DAMAGED = [
    "The name of the label",
    "If omitted, the output is returned inline",
    "must match the value passed to X",
    "LEFT indicates the previous state",
    "a .network-request file",
    "The name is not case sensitive",
    "Whether to perform a double click",
    "no period was here",
]


# ---------------------------------------------------------------- words


@pytest.mark.parametrize("text", _DAMAGED)
def test_sdm_leaves_what_the_package_damages(text: str) -> None:
    """No word with a meaning goes, no period comes."""
    assert sdm_text(text) == text


@given(_PROSE)
def test_rewrites_keep_the_meaning(text: str) -> None:
    """All words that mean something stay, and nothing gets longer."""
    for shorten in (sdm_text, dro_text):
        shorter = shorten(text)
        assert meaning(text) <= meaning(shorter)
        assert len(shorter) <= len(text)
        assert shortened_ending(text, shorter)


def shortened_ending(text: str, shorter: str) -> bool:
    """Whether no period was added."""
    return not shorter.endswith(".") or text.rstrip().endswith(".")


def test_keeps_sees_losses() -> None:
    """The check finds a missing negation, number or noun, and is not fooled by filler."""
    assert keeps("Use this tool to find a file", "Find file")
    assert not keeps("do not delete", "delete")
    assert not keeps("at most 3 files", "at most files")
    assert not keeps("files and files", "files")


def test_code_keeps_its_blanks() -> None:
    """Blanks are as they were where a text looks like code or a nested list."""
    text = "This tool will run:\n  if x:\n    go"
    assert sdm_text(text) == "Run:\n  if x:\n    go"


def test_sdm_goes_below_properties_alone() -> None:
    """Nested descriptions are rewritten, defaults with the same name are not."""
    said = {"description": "Note that it is deep and so on"}
    schema = {"properties": {"a": {"items": {"properties": {"b": said}}, "default": said}}}
    [tool] = sdm(parse_tools({"t": {"inputSchema": schema}}), _O200K)
    outer = tool.parameters["properties"]["a"]
    assert outer["default"] == said
    assert outer["items"]["properties"]["b"] == {"description": "It is deep and so on"}


# ---------------------------------------------------------------- types and delimiters


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "str|null"),
        ({"$ref": "#/$defs/place"}, "{lat*:num min=-90}"),
        ({"$ref": "#/$defs/tree"}, "{sub:arr[tree]}"),
        ({"const": 3}, "3"),
        ({}, "any"),
        (False, "never"),
        ({"type": ["integer", "null"]}, "int|null"),
        (
            {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
            "arr[arr[num]]",
        ),
        ({"enum": ["a", "int", "a b", 1, "1", None, ""]}, 'a|"int"|"a b"|1|"1"|null|""'),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "map[int]"),
        ({"type": "object", "anyOf": [{"required": ["a"]}]}, "obj"),
        (
            {"properties": {"a": {}}, "anyOf": [{"properties": {"b": {"type": "string"}}}]},
            "{a:any}&({b:str})",
        ),
        ({"anyOf": [{"type": "string"}, {}]}, "any"),
    ],
)
def test_types(schema: Any, text: str) -> None:
    """Every schema has a type that is true, nothing is taken for a string."""
    place = {"properties": {"lat": {"type": "number", "minimum": -90}}, "required": ["lat"]}
    tree = {"properties": {"sub": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
    assert Words({"$defs": {"place": place, "tree": tree}}).of(schema) == text


def test_layouts() -> None:
    """The layout before DRO has whole words, that of DRO short ones."""
    tool = parse_tools(HARBOUR[1:2])
    assert written(tool, PLAIN) == (
        "book_berth: Book a berth for a ship. It cannot be undone.\n"
        "  - ship_id (required) (integer): The id, as list_ships has it\n"
        "  - office (required) ({street*:string, city*:string, floor:integer})\n"
        "  - notes (optional) (array[string])"
    )
    assert written(tool, COMPACT).split("\n")[1] == (
        "  ship_id* (int): The id, as list_ships has it | "
        "office* ({street*:str, city*:str, floor:int}) | notes (arr[str])"
    )


@given(st.lists(schemas, min_size=1, max_size=3))
def test_any_schema_is_written(found: list[Any]) -> None:
    """Whatever a schema says, there is a text, and the names of parameters stand in it."""
    names = [f"name{number}" for number in range(len(found))]
    schema = {"type": "object", "properties": dict(zip(names, found, strict=True))}
    text = tscg({"t": {"inputSchema": schema}}, "balanced")
    assert all(name in text for name in names)


def test_tas_asks_the_tokenizer() -> None:
    """No other way to write one delimiter is cheaper, and another tokenizer may differ."""
    tools = parse_tools(HARBOUR)
    for tokenizer in (_O200K, tokenizers.get(len)):
        best = tas(tools, tokenizer)
        least = tokenizer.count(written(tools, best))
        assert least <= tokenizer.count(written(tools, COMPACT))
        for way in (way for ways in VARIANTS for way in ways):
            assert tokenizer.count(written(tools, type(best)(**{**vars(best), **way}))) >= least


# ---------------------------------------------------------------- order


def _tools(*names: str) -> list[Tool]:
    return parse_tools([{"name": name} for name in names])


def _needing(name: str, *needed: str, said: str = "") -> dict[str, Any]:
    members = {each: {"description": said} for each in needed}
    return {"name": name, "inputSchema": {"properties": members, "required": list(needed)}}


def test_cas_puts_the_fragile_at_the_ends() -> None:
    """By importance alone, and by the place alone."""
    tools = _tools("a", "b", "c", "d", "e")
    weights = {"c": 1.0, "d": 0.8, "b": 0.5}
    assert [tool.name for tool in cas(tools, weights, 1.0)] == ["c", "b", "e", "a", "d"]
    assert [tool.name for tool in cas(tools, alpha=0.0)] == ["c", "d", "e", "a", "b"]


def test_cfo_follows_names_parameters_and_outputs() -> None:
    """Whoever gives what another needs comes first; the rest stays where it was."""
    catalog: list[dict[str, Any]] = [
        _needing("merge_pull_request", "pull_number"),
        _needing("first"),
        _needing("pay", "invoiceId"),
        _needing("ship", "parcel", said="As weigh_parcel has it."),
        _needing("list_pulls"),
        {"name": "bill", "outputSchema": {"properties": {"invoiceId": {}}}},
        _needing("weigh_parcel"),
    ]
    found = [tool.name for tool in cfo(parse_tools(catalog))]
    assert found == [
        "first",
        "list_pulls",
        "merge_pull_request",
        "bill",
        "pay",
        "weigh_parcel",
        "ship",
    ]


@given(st.lists(st.sampled_from(["get_a", "list_bs", "drop_a", "move_b", "c"]), unique=True))
def test_cfo_is_a_stable_topological_order(names: list[str]) -> None:
    """Tools come after those they need; without dependencies nothing moves."""
    needs = {"drop_a": ["a_id"], "move_b": ["b_id", "a_key"], "list_bs": ["a_id"]}
    tools = parse_tools([_needing(name, *needs.get(name, [])) for name in names])
    ordered = cfo(tools)
    assert sorted(names) == sorted(tool.name for tool in ordered)
    place = {tool.name: number for number, tool in enumerate(ordered)}
    pairs = list(dependencies(tools))
    for first, second in pairs:
        assert place[names[first]] < place[names[second]]
    if not pairs:
        assert ordered == tools


def test_words_are_no_tools() -> None:
    """A description with the name of a tool in it means the tool if no plain word is its name."""
    for name, found in (("search", []), ("do_search", [(1, 0)])):
        tools = parse_tools([_needing("a", "b", said=f"What to {name} for"), {"name": name}])
        assert list(dependencies(tools)) == found


def test_cfo_keeps_circles_together() -> None:
    """Tools that need each other stay in their order."""
    tools = parse_tools([_needing("get_a", "b_id"), _needing("x"), _needing("get_b", "a_id")])
    assert [tool.name for tool in cfo(tools)] == ["get_a", "get_b", "x"]


def test_cfo_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without networkx there is an error that names the extra."""
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtraError, match="graph"):
        cfo(_tools("a", "b"))


# ---------------------------------------------------------------- what is said twice


@pytest.mark.parametrize(("most", "budget"), [(4, 32), (2, 32), (9, 6), (4, 0)])
def test_sad_keeps_its_budget(most: int, budget: int) -> None:
    """Neither more atoms nor more tokens than allowed are added."""
    tools = parse_tools(HARBOUR)
    text = written(tools, COMPACT)
    longer = sad(text, tools, _O200K, most=most, budget=budget)
    assert longer.startswith(text)
    assert _O200K.count(longer) - _O200K.count(text) <= budget
    assert longer.count(",", len(text)) < most


def test_sad_takes_the_densest() -> None:
    """Of two atoms as fragile as each other the shorter is said again."""
    tools = _tools("z", "a_rather_long_name_of_a_tool", "q", "y")
    assert sad("", tools, _O200K, most=1).endswith("[ANCHOR:q]")


# ---------------------------------------------------------------- profiles


@pytest.mark.parametrize(
    ("profile", "size", "model", "wanted"),
    [
        ("auto", 20, None, "sdm"),
        ("auto", 21, None, "cas ccp dro sdm tas"),
        ("auto", 41, None, "sdm"),
        ("balanced", 29, None, "cas ccp cfo dro sdm tas"),
        ("balanced", 30, None, "cas ccp dro sdm tas"),
        ("aggressive", 5, "claude-opus-4-7", "cas ccp cfl cfo dro sad sdm tas"),
        ("aggressive", 5, "gpt-4o", "cas ccp cfo dro sdm tas"),
        ("auto", 5, "claude-opus-4-7", "cas ccp cfl cfo dro sad sdm tas"),
        ("auto", 30, "qwen3-14b", "sdm"),
        ("auto", 30, "Mistral-7B", "sdm"),
        ("auto", 30, "org/new-8b", "sdm"),
        ("auto", 10, "gpt-5.2", "cas ccp dro sdm tas"),
    ],
)
def test_profiles(profile: str, size: int, model: str | None, wanted: str) -> None:
    """Which operators are applied goes by profile, size and model."""
    assert " ".join(sorted(operators_for(profile, size, model))) == wanted


def test_unknown_profile() -> None:
    """The error names those there are."""
    with pytest.raises(UnknownNameError, match="known: conservative, balanced, aggressive, auto"):
        tscg(HARBOUR, "fast")


def test_aggressive_text() -> None:
    """All parts stand where they belong."""
    lines = tscg(HARBOUR, "aggressive").split("\n")
    assert lines[0] == "[ANSWER:function_call]"
    assert lines[-2].startswith("[ANCHOR:")
    assert lines[-1].startswith("[CLOSURE:")
    assert lines.index("list_ships\tList ships") < lines.index(
        "book_berth\tBook a berth for a ship. It cannot be undone."
    )


@pytest.mark.parametrize("profile", ["conservative", "balanced"])
@pytest.mark.parametrize("name", ["github_mcp_default", "notion", "firecrawl", "wire_13"])
def test_real_catalogs_keep_their_words(name: str, profile: str) -> None:
    """All that descriptions mean stands in the text of a real catalog."""
    tools = parse_tools(real(name))
    text = meaning(tscg(tools, profile))
    for tool in tools:
        assert meaning(tool.description) <= text


@pytest.mark.parametrize("name", ["gitlab_zereight", "notion", "firecrawl", "memory"])
def test_real_catalogs_keep_their_parameters(name: str) -> None:
    """Names of parameters, nested ones too, and what is said of them, stand in the text."""
    for tool in parse_tools(real(name)):
        text = tscg([tool], "balanced").partition("\n[CLOSURE:")[0]
        words = set(re.findall(r"[\w$-]+", text))
        for inner in every(without_unreached(tool.parameters)):
            assert members(inner).keys() <= words
            if is_object(inner):
                assert all(value_text(value) in text for value in inner.get("enum", []))
                said = inner.get("description", "")
                ways = (said, sdm_text(said), dro_text(said), dro_text(sdm_text(said)))
                assert any(way in text or dump(way) in text for way in ways)


@given(st.lists(schemas, min_size=1, max_size=3), st.sampled_from([1, 15]))
def test_what_is_installed_writes_the_balanced_profile(given: list[Any], times: int) -> None:
    """The pipeline of the package is that of the profile, for few tools and for many."""
    given = [{"properties": {"a": each}} for each in given * times]
    tools = parse_tools([{"name": f"t{n}", "inputSchema": each} for n, each in enumerate(given)])
    assert balanced(tools) == tscg(tools, "balanced")

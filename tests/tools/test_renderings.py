"""Catalogs in the formats of other projects."""

from typing import Any

import pytest

from mckp.errors import ParseError, UnknownNameError
from mckp.tools import parse_tools
from mckp.tools.renderings import render
from mckp.tools.renderings.tscg import PROFILES, tscg
from mckp.tools.renderings.ttc import parse_ttc, ttc
from tests.cases import cases

_TOOLS = parse_tools(
    [{"name": "go_to", "description": "Go.  Now.", "inputSchema": cases(__file__, "_SCHEMA")}]
)

_TEXTS = {
    "tscg": """\
go_to: Go. Now.
 to*({city*:str "Where.", zone:str minLength=2|null})
 via(arr[{city*:str "Where.", zone:str minLength=2|null}])
 node({next:node})
 pair(arr[int, a|1])
 more(map[num max=5])
 kind(obj&(x|bool))
 all(str): All of it.
 never(never)
[CLOSURE:go_to(to)]""",
    "ts": (
        "go_to(to: { city: string, zone?: string | null }, "
        "via?: ({ city: string, zone?: string | null })[], node?: { next?: any }, "
        'pair?: [number, "a" | 1], more?: object, kind?: "x" | boolean, all?: string, '
        "never?: never) // Go. Now."
    ),
    "ttc": (
        "  IN: to:any, via:array[object]?, node:any?, pair:array[object]?, more:object?, "
        "kind:object?, all:any?, never:any?\n"
        "  OUT: result:any\n  ERR: error\n  WHEN: user wants to go to"
    ),
    "wire": (
        "\n- go_to: <json> to:{city:string, zone?:string|null}, "
        "via?:[{city:string, zone?:string|null}], node?:any, pair?:array, more?:object, "
        "kind?:object, all?:any, never?:any — Go. Now."
    ),
}


@pytest.mark.parametrize("name", _TEXTS)
def test_every_kind_of_type(name: str) -> None:
    """Each kind of type is written like this."""
    assert render(_TOOLS, name).endswith(_TEXTS[name])


def test_what_is_fragile_is_at_the_ends() -> None:
    """Fragile tools are listed at both ends."""
    many = {"inputSchema": {"properties": dict.fromkeys("abcd", True)}}
    text = tscg(parse_tools({"one": {}, "two": many, "three": {}, "four": {}}))
    assert [line.split()[0] for line in text.split("\n")[:-1] if line[0] != " "] == [
        "two",
        "one",
        "four",
        "three",
    ]


MIXED = parse_tools(
    [
        {"name": "send", "description": "Use this tool to send a file prior to noon."},
        {"name": "list_files", "description": "Each id corresponds to a file."},
        {"name": "wait", "annotations": {"readOnlyHint": False}},
        {
            "name": "find",
            "description": "Find.",
            "inputSchema": {"properties": {"q": {"type": "string"}}, "required": ["q"]},
        },
    ]
)


@pytest.mark.parametrize(
    ("operator", "holds"),
    [
        ("sdm", "send: Send a file before noon.\n\nlist_files: Each id corresponds"),
        ("dro", "id \u2192 a file.\nwait\nfind: Find.\n  q* (str)"),
        ("tas", "find: Find.\n q(string)"),
        ("cfl", "[ANSWER:function_call]\nsend: Use this"),
        ("cas", "find: Find.\n  - q (required) (string)\n\nlist_files: Each"),
        ("sad-f", "\n[ANCHOR:send,list_files,wait,find]"),
        ("ccp", "\n[CLOSURE:send(),list_files(),wait(),find(q)]"),
    ],
)
def test_each_operator_does_its_own(operator: str, holds: str) -> None:
    """Each operator of TSCG makes its own change."""
    assert holds in tscg(MIXED, operators=[operator])


def test_what_reads_comes_before_what_writes() -> None:
    """Tools that read are listed before those that write."""
    lines = tscg(MIXED, operators=["cfo"]).split("\n")
    names = [line.split(":")[0] for line in lines if line and line[0] != " "]
    assert names == ["list_files", "find", "send", "wait"]


def test_profiles_are_lists_of_operators() -> None:
    """A profile is a set of operators, and `auto` chooses one by the number of tools."""
    for profile, operators in PROFILES.items():
        assert tscg(MIXED, profile) == tscg(MIXED, operators=operators)
    assert tscg(MIXED, "auto") == tscg(MIXED, "conservative")
    middle = parse_tools({f"get_{n}": {} for n in range(21)})
    assert tscg(middle, "auto") == tscg(middle, operators={*PROFILES["balanced"]} - {"cfo"})
    many = parse_tools({f"{verb}_{n}": {} for n in range(15) for verb in ("set", "get")})
    assert tscg(many) == tscg(many, operators={*PROFILES["balanced"]} - {"cfo"})
    assert tscg([], "aggressive") == ""


@pytest.mark.parametrize("wrong", [{"profile": "all"}, {"operators": ["sdm", "abc"]}])
def test_unknown_names_are_refused(wrong: dict[str, Any]) -> None:
    """An unknown profile or operator is an error."""
    with pytest.raises(UnknownNameError):
        tscg(MIXED, **wrong)


def test_ttc_is_read_back_with_what_a_server_declares() -> None:
    """TTC reads back with errors, conditions and tags."""
    declared = {"errors": ["not_found", "a|b"], "when": "user asks to pay; now", "tags": ["money"]}
    given = [*_TOOLS, *MIXED, *parse_tools([{"name": "pay", "_meta": declared}])]
    text = ttc(given)
    assert "  ERR: not_found\n  WHEN: user asks to pay, now\n  TAGS: money" in text
    decoded = parse_ttc(text)
    assert ttc(decoded) == text
    assert [tool.name for tool in decoded] == [tool.name for tool in given]
    assert decoded[-1].extra == {
        "errors": ["not_found"],
        "when": "user asks to pay, now",
        "tags": ["money"],
    }


@pytest.mark.parametrize("line", ["  IN: a", "  SO: it", "PURPOSE: x", "TOOL"])
def test_what_is_no_ttc_is_refused(line: str) -> None:
    """A broken line of TTC is an error with its number."""
    with pytest.raises(ParseError, match="line 2"):
        parse_ttc(f"{'TOOL a' if line[0] == ' ' else ''}\n{line}")

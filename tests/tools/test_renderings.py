"""Catalogs in the formats of other projects."""

import pytest

from mckp.tools import parse_tools
from mckp.tools.renderings import render
from mckp.tools.renderings.tscg import tscg
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
    assert render(_TOOLS, name).endswith(_TEXTS[name])


def test_what_is_fragile_stands_at_the_ends() -> None:
    """Half by its parameters, half by how far it was from them."""
    many = {"inputSchema": {"properties": dict.fromkeys("abcd", True)}}
    text = tscg(parse_tools({"one": {}, "two": many, "three": {}, "four": {}}))
    assert [line.split()[0] for line in text.split("\n")[:-1] if line[0] != " "] == [
        "two",
        "one",
        "four",
        "three",
    ]

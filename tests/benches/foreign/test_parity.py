"""Real catalogs are as long in each format as the originals made them.

`sizes.json` holds the o200k tokens counted of the originals' own output, once: TSCG 1.4.3, TTC
1.0, mcp-compressor 0.38.2, and TypeScript renderings in which two references may lie within
each other. All are met exactly; the tests allow for 1 %.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from foreign.mcpc import mcpc, mcpc_cost
from foreign.ts_namespace import ts_namespace
from foreign.tscg_released import tscg_descriptions, tscg_released
from foreign.tscg_released.meter import claimed
from foreign.tscg_released.pipeline import applied, operators_of
from foreign.ttc_released import ttc_released

from mckp import tokenizers
from mckp.jsontext import dump
from mckp.tools import parse_tools
from mckp.tools.renderings.typescript import ts_lines
from tests.tools.harbour import real

if TYPE_CHECKING:
    from collections.abc import Callable

_SIZES: Final = json.loads(Path(__file__).with_name("sizes.json").read_text(encoding="utf-8"))
_O200K: Final = tokenizers.get("o200k")


def _functions(tools: Any) -> str:
    wrapped = [
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool["description"],
                "parameters": tool["inputSchema"],
            },
        }
        for tool in tools
    ]
    return dump(wrapped)


_WRITERS: Final[dict[str, Callable[[Any], str]]] = {
    "compact": dump,
    "OpenAI FC": _functions,
    "TSCG desc-only": tscg_descriptions,
    "TSCG cons": partial(tscg_released, profile="conservative"),
    "TSCG bal": tscg_released,
    "TSCG aggr": partial(tscg_released, profile="aggressive"),
    "mcpc low": partial(mcpc, level="low"),
    "med": partial(mcpc, level="medium"),
    "high": partial(mcpc, level="high"),
    "max": partial(mcpc, level="max"),
    "TS ns": partial(ts_namespace, refs=2),
    "TS line": partial(ts_lines, refs=2),
    "TS no-desc": partial(ts_lines, descriptions=False, refs=2),
}


@pytest.mark.parametrize("name", _SIZES["rows"])
def test_sizes(name: str) -> None:
    """Every format is as long as its original."""
    tools = real(name)
    wanted = dict(zip(_SIZES["columns"], _SIZES["rows"][name], strict=True))
    found = {column: _O200K.count(write(tools)) for column, write in _WRITERS.items()}
    found["TTC"] = _O200K.count(ttc_released(tools, name))
    assert found.keys() == wanted.keys()
    off = {key: (found[key], size) for key, size in wanted.items() if _is_off(found[key], size)}
    assert not off


def _is_off(found: int, wanted: int) -> bool:
    return abs(found - wanted) > wanted / 100


@pytest.mark.parametrize(
    ("name", "without", "added"),
    [
        ("github_mcp_default", {"ccp": 357, "dro": -962, "sdm": 58, "tas": -12}, 5),
        ("github_ref", {"ccp": 231, "dro": -447, "sdm": 33, "tas": -53}, 5),
        ("gitlab_zereight", {"ccp": 2020, "dro": -3718, "sdm": 538, "tas": -57}, 5),
        ("playwright", {"ccp": 124, "dro": -277, "sdm": 14, "tas": 0}, 5),
        ("tscg_mcp_combined", {"ccp": 298, "dro": -546, "sdm": 80, "tas": -6}, 5),
    ],
)
def test_single_operators(name: str, without: dict[str, int], added: int) -> None:
    """What each released operator adds to the profile balanced, with CFO at any size."""
    tools = parse_tools(real(name))
    all_of_it = operators_of("balanced", 1)
    count = {op: _O200K.count(applied(tools, all_of_it - {op})) for op in without}
    balanced = _O200K.count(applied(tools, all_of_it))
    assert {op: balanced - each for op, each in count.items()} == without
    assert _O200K.count(applied(tools, all_of_it | {"cfl"})) - balanced == added


@pytest.mark.parametrize(
    ("name", "natural", "dro", "sad"),
    [
        ("github_mcp_default", 7785, 6747, 15),
        ("github_ref", 2281, 1766, 19),
        ("gitlab_zereight", 41172, 36934, 23),
        ("playwright", 2419, 2114, 19),
        ("tscg_mcp_combined", 3159, 2548, 21),
    ],
)
def test_operators_alone(name: str, natural: int, dro: int, sad: int) -> None:
    """The text without operators, with DRO alone, and what SAD-F alone adds."""
    tools = parse_tools(real(name))
    alone: list[set[str]] = [set(), {"dro"}, {"sad"}]
    counts = [_O200K.count(applied(tools, each)) for each in alone]
    assert counts == [natural, dro, natural + sad]


@pytest.mark.parametrize(
    ("name", "levels"),
    [
        ("github_mcp_default", (21.3, 23.4, 24.9, 26.3)),
        ("firecrawl", (5.7, 18.9, 19.3, 19.8)),
        ("filesystem", (3.2, 6.6, 7.5, 7.6)),
    ],
)
def test_break_even(name: str, levels: tuple[float, ...]) -> None:
    """Distinct tools from which on the whole JSON is cheaper than to fetch schemas."""
    tools = real(name)
    found = [mcpc_cost(tools, level).break_even for level in ("low", "medium", "high", "max")]
    assert found == pytest.approx(levels, abs=0.15)


@pytest.mark.parametrize(("name", "size"), [("gitlab_zereight", 39438), ("wire_13", 450)])
def test_released_auto_does_not_adapt(name: str, size: int) -> None:
    """The released profile auto is balanced with CFO, whatever the number of tools."""
    assert _O200K.count(tscg_released(real(name), "auto")) == size


def test_order_of_released_tscg() -> None:
    """CFO goes over what CAS has shuffled, and cuts its order apart."""
    text = tscg_released(real("wire_13"))
    names = [line.partition(":")[0] for line in text.split("\n") if line[0] not in " ["]
    assert names[:4] == ["getWeather", "webFetch", "listFiles", "searchProducts"]
    assert names[-3:] == ["sendEmail", "askDb", "updateUserProfile"]


@pytest.mark.parametrize(
    ("name", "claude", "gpt"),
    [
        ("github_mcp_default", 52.2, 57.3),
        ("github_ref", 64.6, 68.4),
        ("gitlab_zereight", 24.1, 24.1),
        ("notion", 92.3, 93.1),
        ("memory", 78.0, 80.4),
        ("tscg_claude_code", 53.6, None),
    ],
)
def test_claims(name: str, claude: float, gpt: float | None) -> None:
    """The released meter claims what it did for the original."""
    assert claimed(real(name)) == claude
    if gpt is not None:
        assert claimed(real(name), model="gpt-4") == gpt

"""Catalogs as text: what is promised of them, with and without a budget."""

import itertools
import json
import sys
import time
from collections import Counter
from math import inf
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import BudgetError, ParseError, tokenizers
from mckp.errors import MissingExtraError, UnknownNameError
from mckp.jsontext import dump
from mckp.menu.classes import Option
from mckp.menu.price import Prices
from mckp.menu.render import Pick, kept_worth, render
from mckp.solvers import SOLVERS
from mckp.solvers.outside import SolverName
from mckp.tokenizers import is_fragment
from mckp.tools import LEVELS, Tool, decode_tools, encode_tools, parse_tools
from mckp.tools.encode import identity
from mckp.tools.offer import FINENESS, Offer, count_losses, shown_part, written_fragment
from mckp.tools.renderings.ttc import ttc
from mckp.tools.text.header import CatalogHeader
from mckp.tools.text.write import Writer, in_normal_form
from mckp.tools.tool import bm25, importance
from tests.cases import cases
from tests.tools import catalogs
from tests.tools.strategies import catalogs as any_catalog

O200K = tokenizers.get("o200k")
ROOT = Path(__file__).parents[2]


def equal(actual: list[Tool], wanted: list[Tool]) -> bool:
    return list(map(identity, actual)) == list(map(identity, wanted))


@pytest.mark.slow
@given(any_catalog)
def test_any_catalog_is_read_back(catalog: list[dict[str, Any]]) -> None:
    """Any catalog reads back whole and has no more tokens than its JSON."""
    result = encode_tools(catalog)
    decoded = [in_normal_form(tool) for tool in decode_tools(result.text)]
    assert equal(decoded, [in_normal_form(tool) for tool in parse_tools(catalog)])
    compact = dump([tool.definition() for tool in parse_tools(catalog)])
    assert result.tokens == O200K.count(result.text) <= O200K.count(compact)


@given(any_catalog, st.sampled_from(LEVELS))
def test_every_level_of_any_tool_is_a_fragment_that_is_read_back(
    catalog: list[dict[str, Any]], level: str
) -> None:
    """Each level of any tool is a fragment that reads back as what it shows."""
    for tool in parse_tools(catalog):
        cut = tool if level == "json" else shown_part(in_normal_form(tool), level)
        text = written_fragment(cut, in_normal_form(tool), level, Writer())
        (decoded,) = decode_tools(f"[1 tools]\n{text}")
        assert is_fragment(text)
        assert identity(decoded) == identity(cut)


@given(any_catalog, st.integers(0, 400))
def test_no_text_is_over_its_budget(catalog: list[dict[str, Any]], budget: int) -> None:
    """A catalog keeps any budget above its floor, and counts the tools left out."""
    least = floor(catalog, budget)
    if least > budget:
        assert encode_tools(catalog, budget=least).tokens == least
        return
    result = encode_tools(catalog, budget=budget)
    assert result.tokens == O200K.count(result.text) <= budget
    assert result.bound is not None
    assert result.value <= result.bound
    left_out = sum(cut.count for cut in result.elided if cut.kind == "tools")
    assert len(result.choices) + left_out == len(catalog)


def floor(catalog: Any, budget: int) -> int:
    """Return the least budget that works, or 0 if this one does."""
    try:
        encode_tools(catalog, budget=budget)
    except BudgetError as error:
        return error.floor
    return 0


@catalogs.real
def test_real_catalogs_are_read_back_at_every_level(path: Path) -> None:
    """Real catalogs read back at every level."""
    raw = catalogs.load(path)
    whole = encode_tools(raw)
    assert equal(decode_tools(whole.text), [in_normal_form(tool) for tool in parse_tools(raw)])
    for level in LEVELS:
        assert encode_tools(raw, level=level).status == "optimal"  # read back within


@catalogs.real
def test_real_catalogs_keep_within_budgets(path: Path) -> None:
    """Real catalogs keep budgets, and worth grows with them."""
    raw = catalogs.load(path)
    whole = encode_tools(raw)
    values = [0.0]
    for share in (10, 30, 60, 90):
        result = encode_tools(raw, budget=max(80, whole.tokens * share // 100))
        values.append(result.value)
        assert result.gap is not None
        assert result.gap < 0.5
        assert (result.status == "optimal") == (result.value == result.bound)
    assert values == sorted(values)
    assert values[-1] <= whole.value


def test_what_is_shared_is_written_once() -> None:
    """Sentences and parameters that tools share are written once above them."""
    result = encode_tools(catalogs.made())
    assert result.text == (
        "[tools, a? optional, untyped: str]\n"
        "shared:\n"
        " §1 It reads only, e.g. it never writes; what is missing is returned as an error.\n"
        " owner Who owns the repository, a user or an organisation\n"
        " repo The name of the repository without its owner\n"
        " page:int(1..)=1 Which page to return\n"
        + "".join(
            f"list_{kind}(owner repo page? state?:open|closed|{kind}): "
            f"List {kind} of a repository. §1\n"
            for kind in ("issues", "pulls", "branches", "tags", "commits", "forks")
        )
        + "[6 tools]\n"
    )
    assert result.status == "optimal"
    assert result.elided == ()


@pytest.mark.parametrize("name", ["made", "examples"])
def test_one_tool_more_comes_last(name: str) -> None:
    """A catalog begins like one with fewer tools, so that the prompt may be cached up to there."""
    examples = json.loads((ROOT / "examples/tools.json").read_bytes())
    tools = catalogs.made() if name == "made" else examples
    *before, last = encode_tools(tools[:-1]).text.splitlines(keepends=True)
    assert encode_tools(tools).text.startswith("".join(before))
    assert last == f"[{len(tools) - 1} tools]\n"
    assert len(decode_tools("".join(before) + last)) == len(tools) - 1
    with pytest.raises(ParseError, match="a line with the number of tools at the end"):
        decode_tools("".join(before))


def test_a_budget_cuts_levels_and_says_so() -> None:
    """A cut catalog counts its tools, names the call for more, and lists what was cut."""
    result = encode_tools(catalogs.made(), budget=120, recall="tool_help(name)")
    assert result.text.startswith("[6/6 tools, ")
    assert "; more: tool_help(name)]\n" in result.text
    assert {cut.path[0] for cut in result.elided} == {
        choice.path[0] for choice in result.choices if choice.format != "full"
    }
    assert result.tokens <= 120
    assert 0 < result.value < result.total


@pytest.mark.slow
def test_the_choice_is_the_best_of_all_choices() -> None:
    """At each budget, the value is the best among all combinations of levels."""
    raw = catalogs.made(3)
    offer = Offer(tuple(parse_tools(raw)), Prices(O200K), (1.0, 1.0, 1.0))
    menu = offer.within()
    worths: list[tuple[float, int]] = []
    for root in menu.root.options:
        assert isinstance(root, Option)
        for options in itertools.product(*([*cls.options, None] for cls in root.children)):
            pairs = zip(root.children, options, strict=True)
            picks = tuple(Pick(cls, (), option) for cls, option in pairs)
            tokens = O200K.count(render(menu, Pick(menu.root, (), root, picks)))
            worths.append((sum(map(kept_worth, picks)) / FINENESS, -tokens))
    for budget in (40, 60, 80, 100, 120, 140):
        result = encode_tools(raw, budget=budget)
        best = max(option for option in worths if -option[1] <= budget)
        assert (result.value, -result.tokens) == best
        assert result.status == "optimal"


@pytest.mark.slow
@given(any_catalog, st.lists(st.integers(0, 400), min_size=2, max_size=2).map(sorted))
def test_more_tokens_never_say_less(catalog: list[dict[str, Any]], budgets: list[int]) -> None:
    """A larger budget for any catalog is never worth less."""
    less, more = (floor(catalog, budget) or budget for budget in budgets)
    assert encode_tools(catalog, budget=less).value <= encode_tools(catalog, budget=more).value


def test_a_catalog_of_which_nothing_fits_is_a_hint() -> None:
    """A catalog of which no tool fits is a hint that counts them."""
    result = encode_tools(catalogs.made(), budget=20, recall="tool_help(name)")
    assert result.text == "> [+6 tools tool_help(name)]\n"
    assert decode_tools(result.text) == []
    assert [(cut.kind, cut.count) for cut in result.elided] == [("tools", 6)]
    assert result.status == "optimal"


def test_headers_have_as_many_tokens_for_any_number_of_tools() -> None:
    """The header has the same number of tokens for any number of shown tools."""
    for total in (9, 10, 999, 1000, 23456):
        shown = {0, 1, 7, 10, 99, 100, 999, 1000, total} & set(range(total + 1))
        headers = [str(CatalogHeader(number, total, is_cut=True)) for number in sorted(shown)]
        assert len(set(O200K.count_batch(headers))) == 1


def test_pins_are_there_in_full_and_cost_others() -> None:
    """A pinned tool is shown in full; an unknown one, or too small a budget, is an error."""
    raw = catalogs.made()
    result = encode_tools(raw, budget=150, pins=["list_forks"])
    levels = {choice.path[0]: choice.format for choice in result.choices}
    assert levels["list_forks"] == "full"
    with pytest.raises(UnknownNameError, match="list_fork"):
        encode_tools(raw, pins=["list_fork"])
    with pytest.raises(BudgetError):
        encode_tools(raw, budget=60, pins=["list_forks"])


def test_usage_moves_the_budget() -> None:
    """The tool that is used most is shown in full."""
    raw = catalogs.made()
    for name in ("list_issues", "list_forks"):
        result = encode_tools(raw, budget=150, usage={name: 1000, "gone": 3})
        levels = {choice.path[0]: choice.format for choice in result.choices}
        assert levels[name] == "full"


_WISHES: list[tuple[dict[str, Any], type[Exception], str]] = [
    (
        {"usage": {"list_tags": -1}},
        ValueError,
        "a number of calls, 0 or more, for 'list_tags', not -1",
    ),
    ({"usage": {"list_tags": inf}}, ValueError, "a number of calls, 0 or more"),
    (
        {"usage": {"list_tags": "x"}},
        TypeError,
        "a number of calls, 0 or more, for 'list_tags', not 'x'",
    ),
    ({"usage": 5}, TypeError, "usage must map names of tools to numbers of calls, not be 5"),
    ({"pins": "list_tags"}, TypeError, "pins must be a list of names of tools, not 'list_tags'"),
    ({"pins": 5}, TypeError, "pins must be a list of names of tools, not 5"),
    ({"pins": [5]}, TypeError, "a pinned tool must be a name, not 5"),
    ({"recall": 5}, TypeError, "recall must be a string, not 5"),
    ({"query": 5}, TypeError, "query must be a string, not 5"),
]


@pytest.mark.parametrize(("wishes", "error", "message"), _WISHES)
def test_wishes_that_cannot_be_are_refused_with_words(
    wishes: dict[str, Any], error: type[Exception], message: str
) -> None:
    """A wrong budget, weight or other wish is an error that says what is right."""
    with pytest.raises(error, match=message):
        encode_tools(catalogs.made(), **wishes)


def test_no_level_is_worth_more_than_all_there_is() -> None:
    """No level of a tool is worth more than the full one."""
    raw: list[dict[str, Any]] = [
        {"name": "now"},
        {"name": "untyped", "inputSchema": {"properties": {"a": {}}}},
    ]
    offer = Offer(tuple(parse_tools(raw)), Prices(O200K), (1.0, 1.0))
    for worths in offer.worths:
        assert max(worths.values()) == worths["full"]
    assert encode_tools(raw).value == offer.total / FINENESS == 18


def test_a_query_favours_tools_that_fit_it() -> None:
    """The tool that a query asks for is described; a query without a match changes nothing."""
    pytest.importorskip("bm25s")
    raw = catalogs.made()
    result = encode_tools(raw, budget=120, query="which branches are there?")
    levels = {choice.path[0]: choice.format for choice in result.choices}
    assert levels["list_branches"] in ("described", "full")
    unknown = encode_tools(raw, budget=120, query="zzz")
    assert unknown.text == encode_tools(raw, budget=120).text


def test_tags_that_a_server_declares_count_for_a_query() -> None:
    """Tags of a tool are searched, wherever the server declares them."""
    pytest.importorskip("bm25s")
    tools = [{"name": f"tool_{n}", "description": "It works."} for n in range(6)]
    beside = [*tools[:5], {**tools[5], "tags": ["weather"]}]
    within = [*tools[:5], {**tools[5], "_meta": {"fastmcp": {"tags": ["weather"]}}}]
    for catalog in (beside, within):
        parsed = parse_tools(catalog)
        scores = importance(parsed, "the weather of tomorrow", {})
        assert scores == [0.1] * 5 + [1.0]
        assert "TAGS: weather" in ttc(parsed)


def test_scores_of_a_query_are_bm25() -> None:
    """A word that is asked for twice counts twice; without a match, all are 0."""
    pytest.importorskip("bm25s")
    once, twice = (bm25([["a", "b"], ["b"]], asked)[0] for asked in (["a"], ["a", "a"]))
    assert twice == pytest.approx(2 * once)
    assert bm25([["a"], []], []) == bm25([["a"], []], ["z"]) == [0.0, 0.0]
    assert bm25([], ["z"]) == []


def test_a_query_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """A query without the extra is an error that names it and its package."""
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(MissingExtraError, match=r"bm25s is not installed; run: pip install bm25s"):
        encode_tools(catalogs.made(), budget=120, query="zzz")


@pytest.mark.parametrize("solver", ["dp", "large", "brute", "greedy"])
def test_any_solver_keeps_the_promises(solver: SolverName) -> None:
    """Each solver keeps the budget, and exact ones reach the best value."""
    assert solver in SOLVERS
    best = encode_tools(catalogs.made(3), budget=90)
    result = encode_tools(catalogs.made(3), budget=90, solver=solver)
    assert result.tokens <= 90
    assert result.value <= best.value
    assert solver == "greedy" or result.value == best.value


@pytest.mark.parametrize("tokenizer", ["cl100k", "chars:3.5", len])
def test_any_tokenizer_keeps_the_budget(tokenizer: Any) -> None:
    """A budget is kept by the tokenizer that was asked for."""
    counter = tokenizers.get(tokenizer)
    whole = encode_tools(catalogs.made(), tokenizer=tokenizer)
    for share in (3, 2):
        budget = whole.tokens * share // 4
        result = encode_tools(catalogs.made(), tokenizer=tokenizer, budget=budget)
        assert result.tokens == counter.count(result.text) <= budget
        assert result.exact == counter.exact


def test_a_fixed_level_over_its_budget_is_refused() -> None:
    """A fixed level that does not fit, an unknown level and a broken recall are errors."""
    with pytest.raises(BudgetError):
        encode_tools(catalogs.made(), level="described", budget=20)
    with pytest.raises(UnknownNameError, match="level"):
        encode_tools(catalogs.made(), level="fullest")
    with pytest.raises(UnknownNameError, match="unknown level '3'"):
        encode_tools(catalogs.made(), level=3)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="recall"):
        encode_tools(catalogs.made(), recall="a]\nb")


def test_json_is_json() -> None:
    """The level ``json`` is the compact JSON of the tools."""
    assert encode_tools(catalogs.made(), level="json").text == dump(catalogs.made())
    assert encode_tools([]).text == "[]"


@pytest.mark.parametrize("level", LEVELS)
def test_what_a_level_loses_is_counted(level: str) -> None:
    """The losses of each level are counted."""
    lost: Counter[str] = Counter()
    for tool in parse_tools(catalogs.made()):
        lost.update(count_losses(in_normal_form(tool), shown_part(in_normal_form(tool), level)))
    assert lost == cases(__file__, "LOST")[level]


@pytest.mark.slow
def test_attacks_are_survived() -> None:
    """Names like headers, loops, deep schemas and dangling references read back at every level."""
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
    deep: Any = {"type": "string"}
    for _ in range(90):
        deep = {"type": "array", "items": deep}
    raw = [
        {"name": "shared:\n [1/1 tools]", "description": "\n\nx()\n"},
        {"name": "many", "inputSchema": {"type": "string", "enum": [str(n) for n in range(3000)]}},
        {"name": "loop", "inputSchema": {"properties": {"a": {"$ref": "#/$defs/node"}},
                                         "type": "object", "$defs": {"node": node}}},
        {"name": "deep", "inputSchema": {"type": "object", "properties": {"a": deep}}},
        {"name": "gone", "inputSchema": {"type": "object",
                                         "properties": {"a": {"$ref": "#/$defs/missing"}}}},
    ]  # fmt: skip
    result = encode_tools(raw)
    decoded = [in_normal_form(tool) for tool in decode_tools(result.text)]
    assert equal(decoded, [in_normal_form(tool) for tool in parse_tools(raw)])
    for level in LEVELS:
        assert encode_tools(raw, level=level).status == "optimal"


@pytest.mark.slow
def test_much_prose_takes_little_time() -> None:
    """Descriptions of 7,000 sentences are shared in less than 20 seconds."""
    prose = " ".join(f"Sentence {n % 700} of very many is here." for n in range(7000))
    raw = [{"name": name, "description": prose} for name in ("a", "b")]
    start = time.process_time()
    result = encode_tools(raw)
    assert result.tokens < O200K.count(dump(raw)) / 2
    assert time.process_time() - start < 20

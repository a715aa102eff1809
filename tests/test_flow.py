"""One flow, no way back: the menu is made once, and what is chosen from it is the best there is."""

import json
from bisect import bisect_right
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, pairwise, product
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import mckp
from mckp import solvers, tokenizers
from mckp.answers.reading import document_kind
from mckp.encoders import PHRASES, select
from mckp.menu.classes import Menu
from mckp.menu.cuts.cuts import cuts
from mckp.menu.data import offer
from mckp.menu.dictionary import with_dictionary
from mckp.menu.price import Prices, price
from mckp.menu.render import Pick, kept_worth, render
from mckp.menu.signed import signed, with_parsed_strings
from mckp.menu.tabulate import Tabulated, tabulate
from mckp.menu.weighing import weigh
from mckp.table import Table
from mckp.tree import TreeNode
from tests.menu.picks import picks
from tests.shell import python
from tests.strategies import KEYS, SCALARS, TABLES, VALUES, examples
from tests.tools import catalogs

COUNTER = tokenizers.get("o200k")
LEVELS = st.sampled_from(
    ["standard", "native", "dense", ["json"], ["flow"], ["kv"], ["kv", "rows"]]
)
SENTENCES = st.integers(1, 12).map(lambda n: " ".join(f"It failed {k} times." for k in range(n)))
WEIGHTS = st.sampled_from(["facts", "tokens", "position", ["tokens", "position"]])
FACTORS = st.sampled_from([0, 0.3, 3, "pin", "drop"])
PATTERNS = st.sampled_from(["**.id", "**.name", "*", "[0]", "a", "**[*].b"])
WISHES = st.dictionaries(PATTERNS, FACTORS, max_size=2)
OPTIONS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "formats": LEVELS,
        "weights": WEIGHTS,
        "priorities": WISHES,
        "on_unmatched": st.just("ignore"),
    }
)

SMALL = st.recursive(
    SCALARS | SENTENCES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=7,
)
"""Documents of which all selections can be tried."""


def tabulated(value: Any, formats: Any = "native", **wishes: Any) -> Tabulated:
    """Return the table of a value, and what it stands for."""
    weights, priorities = wishes.get("weights", "facts"), wishes.get("priorities")
    prices, chosen = Prices(COUNTER), select(formats)
    tree, embedding = with_parsed_strings(TreeNode.of(value), chosen, None)
    document = weigh(tree, weights, priorities, None, COUNTER)._replace(embedding=embedding)
    menu = offer(document, chosen, document_kind)
    prices = price(menu, prices)
    if PHRASES in chosen:
        menu = with_dictionary(menu, prices, COUNTER)
    menu = menu if embedding is None else signed(menu, embedding.line)
    return tabulate(menu, prices, cuts(menu, document, prices, document_kind))


def figures(menu: Menu, pick: Pick) -> tuple[float, int]:
    """Return worth and tokens of what is written, of all of the text."""
    return kept_worth(pick), COUNTER.count(render(menu, pick))


UNIT = 2.0**30
"""What makes integers of all worths: they are multiples of a power of two."""


def in_integers(table: Table) -> Table:
    values = (table.value * UNIT).tolist()
    assume(all(map(float.is_integer, map(float, values))))
    arrays = (table.cost, [int(value) for value in values], table.parent_option)
    return Table(table.start, *arrays, setup=table.setup, owing=table.owing)


NOTES = 20
"""Tokens of two notes, and of where a line begins and ends."""

MOST = 3000
"""Selections that are tried."""


def all_figures(tabulated_value: Tabulated) -> list[tuple[float, int]]:
    """Return worth and tokens of all selections there are, by writing each of them."""
    menu = tabulated_value.menu
    some = list(islice(picks(menu.root, tabulated_value.prices, tabulated_value.cuts), MOST))
    assume(len(some) < MOST)
    return [figures(menu, pick) for pick in (*some, Pick(menu.root, (), None))]


class Best:
    """What is best within each budget, of all selections that there are.

    It changes at a few budgets, its steps; a budget just below the next step is the last for
    which it is the same.
    """

    def __init__(self, every: list[tuple[float, int]]) -> None:
        self.steps: list[tuple[float, int]] = []
        for tokens, worth in sorted((tokens, -worth) for worth, tokens in every):
            if not self.steps or -worth > self.steps[-1][0]:
                self.steps.append((-worth, tokens))
        self.largest = max(tokens for _, tokens in every)

    def __call__(self, budget: int) -> tuple[float, int]:
        """Return the best worth within a budget, and its least tokens."""
        return self.steps[bisect_right(self.steps, budget, key=itemgetter(1)) - 1]

    def ends(self) -> Iterator[int]:
        """Yield the first and the last budget of each step."""
        starts = [tokens for _, tokens in self.steps]
        for first, after in pairwise([*starts, max(self.largest, starts[-1] + 1)]):
            yield from {first, after - 1}


# ---------------------------------------------------------------- the best there is


@pytest.mark.slow
@given(value=SMALL, budget=st.integers(0, 70), options=OPTIONS)
@examples(2000)
def test_optimal_is_true(value: Any, budget: int, options: dict[str, Any]) -> None:
    """Trying every selection of the table finds the same worth, in the same number of tokens."""
    try:
        result = mckp.encode(TreeNode.of(value), budget=budget, **options)
    except mckp.WeightError:
        return
    except mckp.BudgetError:
        best = solvers.solve(tabulated(value, **options).table, budget, "brute", work_limit=20_000)
        assert best.status != "optimal"
        return
    assert result.status == "optimal"
    if not result.elided or result.value == result.total:
        return
    table = in_integers(tabulated(value, **options).table)
    best = solvers.solve(table, budget, "brute", work_limit=20_000)
    assume(best.status == "optimal")  # where there are too many to try
    if not result.value:  # where nothing can be kept, names of what there was take free tokens
        assert best.value == 0
        assert best.cost <= result.tokens <= budget
        return
    assert (result.value * UNIT, result.tokens) == (best.value, best.cost)


def kept_table(result: Any) -> Any:
    return attrgetter("_priced.tabulated")(result.answers)


FEW: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([1, "two", "x y z", [], None]) | SENTENCES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=4,
)


@pytest.mark.slow
@given(value=FEW, formats=st.sampled_from(["standard", ["json"], ["kv"], ["kv", "rows"]]))
@examples(400)
def test_no_text_that_may_be_written_is_better(value: Any, formats: Any) -> None:
    """Texts of all selections, made and counted one by one, hold nothing better."""
    table = tabulated(value, formats)
    best = Best(all_figures(table))
    for budget in best.ends():
        solution = solvers.solve(table.table, budget)
        assert (solution.value, solution.cost) == best(budget)


@given(value=FEW, formats=st.sampled_from(["native", "dense", ["flow"]]))
@examples(400)
def test_objects_on_a_line_are_hardly_worse_than_the_best(value: Any, formats: Any) -> None:
    """Which of their members stay is found by prices without the notes on what is cut."""
    table = tabulated(value, formats)
    best = Best(all_figures(table))
    least = best.steps[0][1]
    for budget in best.ends():
        solution = solvers.solve(table.table, budget)
        worth, tokens = best(budget)
        assert (solution.value, -solution.cost) <= (worth, -tokens)
        assert solution.value >= best(max(least, budget - NOTES))[0]


# ---------------------------------------------------------------- one menu, made once


def refused(*_: object, **__: object) -> None:
    raise AssertionError("a menu does not depend on a solution")


@given(value=VALUES | TABLES | SMALL, options=OPTIONS)
@examples(100)
def test_the_menu_depends_on_no_solution(value: Any, options: dict[str, Any]) -> None:
    """The table is made without a solver, twice the same, and stands for all budgets."""
    try:
        with mock.patch("mckp.solvers.solve", refused), mock.patch("mckp.solvers.get", refused):
            first, second = tabulated(value, **options), tabulated(value, **options)
    except mckp.WeightError:
        return
    assert first.table.to_json() == second.table.to_json()
    result = mckp.encode(TreeNode.of(value), **options)
    before = kept_table(result)
    for budget in range(0, result.tokens, max(1, result.tokens // 5)):
        try:
            result = result.at(budget)
        except mckp.BudgetError:
            continue
    assert kept_table(result) is before
    assert before.table.to_json() == first.table.to_json() or options["formats"] == "dense"


@given(value=VALUES | TABLES | SMALL, options=OPTIONS)
@examples(300)
def test_no_larger_budget_is_worth_less(value: Any, options: dict[str, Any]) -> None:
    """With every token more, as much is kept or more; what is kept is counted right."""
    try:
        whole = mckp.encode(TreeNode.of(value), **options)
    except mckp.WeightError:
        return
    before = -1.0
    for budget in range(0, whole.tokens + 1, max(1, whole.tokens // 16)):
        try:
            result = whole.at(budget)
        except mckp.BudgetError:
            assert before < 0
            continue
        assert result.value >= before
        assert result.tokens == COUNTER.count(result.text) <= budget
        before = result.value


@given(value=VALUES | TABLES | SMALL, share=st.floats(0.1, 1), formats=LEVELS)
@examples(300)
def test_prices_are_counts(value: Any, share: float, formats: Any) -> None:
    """What the table says a selection costs, its text has, whatever adds up counts it."""
    table = tabulated(value, formats)
    whole = table.prices.whole_cost(table.menu.root)
    solution = solvers.solve(table.table, int(whole * share))
    if solution.status != "infeasible":
        pick = table.pick(solution.choice.tolist())
        assert figures(table.menu, pick) == (solution.value, solution.cost)


# ---------------------------------------------------------------- the same bytes


DOCUMENTS: list[Any] = [
    {
        "page": 1,
        "jobs": [{"id": n, "name": f"job {n}", "by": {"login": f"u{n % 3}"}} for n in range(20)],
        "note": "It failed on one. It works on all others. " * 4,
    },
    {f"k{n}": {"a": n, "b": ["x", "y"] * (n % 4), "c": "text " * n} for n in range(9)},
    "# Title\n\nOne line of it.\n\n- first of them\n- second of them\n\n" + "So many words. " * 20,
    [f"https://example.org/{n % 7}/jobs/{n} done by octocat, job {n % 5}" for n in range(60)],
]
BUDGETS = (25, 110, None)
TOOLS = catalogs.made()
SCRIPT = """
import json, sys
import mckp
documents, budgets, tools = json.loads(sys.argv[1])
found = [mckp.encode(each, budget=most, formats=level)
    for each in documents for most in budgets for level in ("native", "dense")]
print(json.dumps([each.text for each in (*found, mckp.encode_tools(tools, budget=150))]))
"""


def outputs(**environment: str) -> list[str]:
    texts: list[str] = json.loads(
        python(SCRIPT, json.dumps([DOCUMENTS, BUDGETS, TOOLS]), **environment)
    )
    return texts


def here(order: int = 1) -> list[str]:
    """Return the same in this process, whatever it did before."""
    calls = [*product(DOCUMENTS, BUDGETS, ("native", "dense"))][::order]
    texts = [
        mckp.encode(document, budget=most, formats=[level]).text for document, most, level in calls
    ]
    return [*texts[::order], mckp.encode_tools(TOOLS, budget=150).text]


@pytest.mark.slow
def test_same_bytes_in_every_process(tmp_path: Path) -> None:
    """Neither hash seeds nor what was compiled or cached before make a difference."""
    wanted = here()
    assert here(-1) == wanted
    assert any("phrases\n" in text for text in wanted)
    for seed in range(2):
        folder = str(tmp_path / "numba")
        assert outputs(PYTHONHASHSEED=str(seed), NUMBA_CACHE_DIR=folder) == wanted
    assert outputs(PYTHONHASHSEED="7", NUMBA_CACHE_DIR="", NUMBA_NUM_THREADS="1") == wanted


@pytest.mark.slow
def test_same_bytes_in_threads() -> None:
    """Threads write the same bytes, in any order of documents."""
    wanted = here()
    with ThreadPoolExecutor(4) as pool:
        assert all(texts == wanted for texts in pool.map(here, [1, -1, 1, -1]))


def test_records_under_names_are_one_class() -> None:
    """Their rows are choices of one table, so time does not grow with a class for each of them."""
    sizes: set[int] = set()
    for count in (20, 60):
        records = {
            f"item_{n}": {"id": n, "who": f"user {n % 7}", "ok": n > 3} for n in range(count)
        }
        sizes.add(len(tabulated(records).table.start))
    assert len(sizes) == 1

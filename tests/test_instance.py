"""The knapsack of a document: solved by anything, turned back into text, saved and read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mckp
from mckp.solvers import Solution, Status, Table, greedy, solve

if TYPE_CHECKING:
    from pathlib import Path

DATA = {
    "page": 1,
    "owner": {"name": "Ann", "team": "harbour", "mail": "ann@example.org"},
    "jobs": [{"id": n, "state": "done" if n % 3 else "failed", "runs": n * 7} for n in range(20)],
}
PROSE = "\n\n".join(f"## Part {n}\n\nThe gauge of berth {n} shows {n * 3} cm." for n in range(12))


@pytest.mark.parametrize("document", [DATA, PROSE, "one line\nand another\n" * 30])
@pytest.mark.parametrize("share", ["50%", "20%"])
def test_what_is_solved_is_what_encode_writes(document: Any, share: str) -> None:
    """The solved instance of a document has the text and tokens of `encode`."""
    instance = mckp.instance(document, budget=share)
    result = mckp.encode(document, budget=share)
    solution = instance.solve()
    assert instance.text(solution) == result.text
    assert instance.tokens(solution) == result.tokens
    assert instance.budget == result.budget
    assert solution.is_optimal


def test_a_solver_of_ones_own_goes_all_the_way() -> None:
    """A function is given the table alone, and its text fits; `encode` takes the same function."""

    def cheapest_first(table: Table, budget: int, **_: Any) -> list[int]:
        return list(map(int, greedy.solve(table, budget).choice))

    instance = mckp.instance(DATA, budget=120)
    solution = instance.solve(cheapest_first)
    assert instance.tokens(solution) <= 120
    assert instance.text(solution) == mckp.encode(DATA, budget=120, solver=cheapest_first).text
    assert solution.value <= instance.solve().value <= solution.bound


def test_what_a_solver_says_of_its_answer_is_not_believed() -> None:
    """Value, cost and status of a caller's solver are computed from its choice."""

    def boasts(table: Table, budget: int, **_: Any) -> Solution:
        return Solution(np.zeros(2, np.int64), 10**6, 0, Status.OPTIMAL, 10**6, 0)

    solution = solve([[(0, 0), (40, 9)], [(0, 0), (60, 5)]], 80, boasts)
    assert (solution.value, solution.cost, solution.status) == (0, 0, "feasible")
    assert solution.bound >= 9


@pytest.mark.parametrize(
    ("choice", "why"),
    [
        ([0], "one number for each of 3 classes"),
        ([0, 0, -1], "class 1 takes option 0, but no chosen option opens it"),
        ([1, 0, 5], "class 2 has options 0 to 1, not 5"),
        ([1, 1, 1], "costs 13, more than the budget of 12"),
        (["a", "b", "c"], "whole number per class"),
    ],
)
def test_an_answer_that_is_none_is_refused(choice: list[Any], why: str) -> None:
    """A choice of a wrong shape, option or cost is an error that says why."""
    table = Table.nested([[(0, 0), (2, 0, [[(0, 0), (5, 3)], [(0, 0), (6, 4)]])]])

    def wrong(table: Table, budget: int, **_: Any) -> list[Any]:
        return choice

    with pytest.raises(ValueError, match=f"the answer of .*wrong is not usable: .*{why}"):
        solve(table, 12, wrong)


def test_finding_nothing_where_something_fits_is_refused() -> None:
    """A solver's "infeasible" is refused if a selection fits, and believed if none does."""

    def lazy(table: Table, budget: int, **_: Any) -> Solution:
        return Solution(np.full(1, -1), 0, 0, Status.INFEASIBLE, 0, None)

    with pytest.raises(ValueError, match="lazy found no selection, but one with a cost of 3 fits"):
        solve([[(3, 1)]], 5, lazy)
    assert solve([[(3, 1)]], 2, lazy).status is Status.INFEASIBLE


@pytest.mark.parametrize("option", [5, (1,), (1, 2, (), 0, True, 6), "ab"])
def test_lists_that_are_no_table_name_the_place(option: Any) -> None:
    """A wrong option is an error with its class and number."""
    with pytest.raises(ValueError, match=r"class 1, option 0: got .*, expected"):
        solve([[(0, 0)], [option]], 9)


def test_what_is_no_solver_is_said() -> None:
    """A solver of another type is an error that names the type."""
    with pytest.raises(TypeError, match="a solver must be a name or a function, not int"):
        solve([[(0, 0)]], 9, 5)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


def test_labels_say_what_each_option_is() -> None:
    """Labels have path, cost, class and kind of each option, and the whole one the full text."""
    instance = mckp.instance(DATA, budget=100)
    table = instance.table
    assert [label.cost for label in instance.labels] == table.cost.tolist()
    assert [label.cls for label in instance.labels] == table.class_of.tolist()
    keeps = {label.keeps for label in instance.labels}
    assert keeps >= {"whole", "part", "nothing"}
    assert {label.path for label in instance.labels} >= {"$"}
    whole = next(label for label in instance.labels if label.keeps == "whole")
    assert instance.fragment(whole.number) == mckp.encode(DATA).text


def test_an_instance_is_saved_and_read(tmp_path: Path) -> None:
    """A saved instance reads back with its table, labels and texts."""
    for number, document in enumerate((DATA, PROSE)):
        file = tmp_path / f"{number}.json"
        instance = mckp.instance(document, budget=90, query="harbour", priorities={"**": 3})
        instance.save(file)
        again = mckp.read_instance(file)
        assert again.table.to_json() == instance.table.to_json()
        assert again.text(again.solve()) == instance.text(instance.solve())
        assert again.labels == instance.labels
        stored = json.loads(file.read_text("utf-8"))
        assert solve(Table.from_json(stored["table"]), stored["capacity"]).is_optimal


def test_what_cannot_be_saved_or_read_is_said(tmp_path: Path) -> None:
    """Instances with functions, foreign files and altered tables are errors."""
    file = tmp_path / "instance.json"
    with pytest.raises(ValueError, match="weights is a function"):
        mckp.instance(DATA, weights=lambda leaves: [1.0 for _ in leaves]).save(file)
    file.write_text("{}", "utf-8")
    with pytest.raises(ValueError, match="was not written by Instance"):
        mckp.read_instance(file)
    mckp.instance(DATA, budget=50).save(file)
    stored = json.loads(file.read_text("utf-8"))
    stored["table"]["value"][0] += 1
    file.write_text(json.dumps(stored), "utf-8")
    with pytest.raises(ValueError, match="another version of mckp"):
        mckp.read_instance(file)


def test_without_a_budget_solving_asks_for_one() -> None:
    """An instance without a budget needs one to be solved, and refuses empty choices."""
    instance = mckp.instance(DATA)
    with pytest.raises(ValueError, match="has no budget"):
        instance.solve()
    assert instance.tokens(instance.solve(budget=60)) <= 60
    with pytest.raises(ValueError, match="not a selection"):
        instance.text([-1] * instance.table.classes)


def test_a_notebook_shows_options_as_a_table() -> None:
    """The HTML of an instance is a table of its first options."""
    page = mckp.instance(DATA, budget=50)._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert page.count("<tr>") == 13
    assert "Instance(classes=" in page


def test_a_pin_that_matches_nothing_is_an_error(tmp_path: Path) -> None:
    """A pin without a match is an error, another pattern warns once, before it is saved."""
    with pytest.raises(mckp.UnmatchedError, match="did you mean 'state'"):
        mckp.instance(DATA, budget=60, priorities={"jobs[*].stat": "pin"})
    with pytest.warns(mckp.UnmatchedWarning, match="did you mean 'state'"):
        instance = mckp.instance(DATA, budget=60, priorities={"jobs[*].stat": 2})
    instance.save(tmp_path / "instance.json")
    read = mckp.read_instance(tmp_path / "instance.json")  # it was said before
    assert read.table.to_json() == instance.table.to_json()


@pytest.mark.parametrize("document", [DATA, PROSE])
def test_a_result_has_its_instance(document: Any) -> None:
    """Made with or without a budget, it is the one that `mckp.instance` gives."""
    result = mckp.encode(document, budget="30%")
    instance = result.instance
    assert isinstance(instance, mckp.Instance)
    assert instance.table.to_json() == mckp.instance(document).table.to_json()
    assert instance.text(instance.solve()) == result.text
    whole = mckp.encode(document).instance
    assert whole.text(whole.solve(budget=result.budget)) == result.text
    with pytest.raises(ValueError, match=r"only instances created by"):
        instance.save("nowhere")


@pytest.mark.parametrize("document", [DATA["jobs"], DATA, PROSE])
@pytest.mark.parametrize("share", ["50%", "25%"])
def test_the_binary_knapsack_fills_its_budget(document: Any, share: str) -> None:
    """Each subtree has one format and is taken or left; nothing is narrowed or named."""
    result = mckp.encode(document, budget=share, solver="binary")
    best = mckp.encode(document, budget=share)
    assert result.budget is not None
    assert result.bound is not None
    assert 0 < result.value <= best.value <= result.bound
    assert result.tokens > result.budget * 0.7
    assert not any(cut.kind == "columns" for cut in result.elided)
    binary = mckp.instance(document, budget=share).binary
    assert binary.text(binary.solve()) == result.text
    assert binary.table.options < mckp.instance(document).table.options or document == PROSE

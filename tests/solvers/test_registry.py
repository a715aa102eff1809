"""Solvers are found by name, imported on use, and refuse what makes no sense."""

import sys
from importlib import import_module

import pytest

from mckp.errors import MissingExtraError, UnknownNameError
from mckp.solvers import SOLVERS, Status, Table, auto, get, jit, solve
from tests.solvers.instances import TABLE

NEED_ORTOOLS = {"cpsat", "highs"}
every = pytest.mark.parametrize("name", SOLVERS)


@pytest.fixture(autouse=True)
def _installed(request: pytest.FixtureRequest) -> None:
    """Skip what asks OR-Tools where it is not installed."""
    if hasattr(request.node, "callspec") and request.node.callspec.params["name"] in NEED_ORTOOLS:
        pytest.importorskip("ortools")


@every
@pytest.mark.parametrize("budget", [-1, 2.5, "80", None])
def test_senseless_budgets_are_refused(name: str, budget: object) -> None:
    """A budget that is negative or not a whole number is a ValueError everywhere."""
    with pytest.raises(ValueError, match="budget"):
        get(name)(TABLE, budget)  # type: ignore[arg-type]


@every
def test_infeasible_says_how_much_is_needed(name: str) -> None:
    """A budget that is too small has the status infeasible and the needed floor, in each solver."""
    solution = solve(Table.flat([[7, 4], [2]], [[1, 1], [1]]), 5, name)
    assert (solution.status, solution.floor) == (Status.INFEASIBLE, 6)
    assert solution.choice.tolist() == [-1, -1]
    assert (solution.value, solution.cost, solution.bound, solution.gap) == (0, 0, 0, 0)


@every
def test_a_class_without_options_has_no_floor(name: str) -> None:
    """A class without options is infeasible at any budget, in each solver."""
    solution = solve(Table.flat([[0], []], [[1], []]), 5, name)
    assert (solution.status, solution.floor) == (Status.INFEASIBLE, None)


@every
def test_nothing_to_choose_is_optimal(name: str) -> None:
    """An empty table is optimal with value zero, in each solver."""
    solution = solve(Table.flat([], []), 0, name)
    assert (solution.status, solution.value, solution.cost) == (Status.OPTIMAL, 0, 0)


def test_unknown_names_are_answered_with_the_known() -> None:
    """An unknown solver is an error that lists the known ones."""
    with pytest.raises(UnknownNameError, match="auto, dp") as error:
        get("simplex")
    assert error.value.known == tuple(SOLVERS)


def test_missing_ortools_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without OR-Tools, `cpsat` names the package to install."""
    monkeypatch.setitem(sys.modules, "ortools.sat.python.cp_model", None)
    with pytest.raises(MissingExtraError, match=r"pip install ortools"):
        solve(TABLE, 80, "cpsat")


def test_the_default_solver_begins_without_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """A flat table of any size goes to `dp` first, and no further if the optimum is proven."""
    monkeypatch.setitem(sys.modules, "mckp.solvers.large", None)
    table = Table.flat([[0, n % 7 + 1] for n in range(4_000)], [[0, n % 5] for n in range(4_000)])
    assert auto.solve(table, 6_000).is_optimal


def test_without_numba_the_compiled_solver_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The kernels run as plain Python; only the module of compiled code needs the extra."""
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setitem(sys.modules, "numba.extending", None)
    monkeypatch.delitem(sys.modules, "mckp.solvers.compiled", raising=False)
    with pytest.raises(MissingExtraError, match="jit"):
        import_module("mckp.solvers.compiled")


def test_hard_tables_say_once_that_numba_would_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line on stderr, and only where Numba is missing."""
    monkeypatch.setattr(jit, "_PRINTED", set[str]())
    monkeypatch.setattr(jit, "is_installed", lambda: False)
    jit.advise()
    jit.advise()
    assert capsys.readouterr().err == jit.ADVICE + "\n"
    monkeypatch.setattr(jit, "_PRINTED", set[str]())
    monkeypatch.setattr(jit, "is_installed", lambda: True)
    jit.advise()
    assert capsys.readouterr().err == ""

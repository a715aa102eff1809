"""The contract of solvers/instances: every solver reaches the known optimum."""

import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from instances import FAMILIES, RENDERINGS
from instances import read as read_instance

from mckp.solvers import Table, auto, cpsat, dp
from mckp.solvers.evaluation import cost_of, taken_options
from tests.solvers import agreement, instances

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "solvers"
MADE = runpy.run_path(str(ROOT / "scripts" / "make_instances.py"))["made"]()
FILES = sorted((FOLDER / "instances").glob("*.json"))
HUGE = {"burkardt-p08"}


def read(file: Path) -> tuple[Table, int, dict[str, Any]]:
    data = json.loads(file.read_text(encoding="utf-8"))
    assert {"source", "optimum_by"} <= data.keys()
    made = read_instance(file)
    return made.table, made.budget, data["optimum"]


def test_every_family_is_there() -> None:
    """The stored instances contain each family."""
    names = " ".join(file.stem for file in FILES)
    assert all(family in names for family in (*FAMILIES, *RENDERINGS, "document"))


@pytest.mark.parametrize("name", MADE)
def test_made_instances_are_what_the_script_makes(name: str) -> None:
    """Nothing in a made file was changed by hand, and nothing in the script since."""
    made = read_instance(FOLDER / "instances" / f"{name}.json")
    assert made.table.to_json() == MADE[name].table.to_json()
    assert made.budget == MADE[name].budget
    assert made.table.classes <= 60


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.parametrize("solve", [auto.solve, dp.solve], ids=["auto", "dp"])
def test_exact_solvers_reach_the_known_optimum(file: Path, solve: Any) -> None:
    """The exact solvers give the known optimum, by any choice that reaches it."""
    if instances.JIT_OFF and file.stem in HUGE:
        pytest.skip("slow without compilation")
    table, budget, optimum = read(file)
    solution = solve(table, budget)
    agreement.assert_valid(table, budget, solution)
    known = optimum.pop("choice")
    assert {name: getattr(solution, name) for name in optimum} == optimum
    if optimum["status"] != "infeasible":
        assert cost_of(table, np.array(known)) == optimum["cost"]
        value = table.value[taken_options(table, np.array(known))].sum()
        assert value == pytest.approx(optimum["value"])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_cpsat_reaches_the_known_optimum(file: Path) -> None:
    """CP-SAT reaches the stored optimum of each instance."""
    pytest.importorskip("ortools")
    table, budget, optimum = read(file)
    solution = cpsat.solve(table, budget)
    for name in ("status", "value", "cost", "floor"):
        assert getattr(solution, name) == optimum[name]

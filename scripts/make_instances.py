"""Write the made instances of solvers/instances, the same bytes on every run.

    python scripts/make_instances.py

Each is solved by the dynamic program and by CP-SAT, which must agree in status, value, cost and
floor, and where it can by brute force, whose choice is kept: of all optima the one with the
earliest options. The instances from publications, and those written by hand, are left alone.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "benches"))

import instances
from instances import Instance

from mckp.solvers import Solution, Status, Table, brute, cpsat, dp

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDER = Path(__file__).parent.parent / "solvers" / "instances"


def made() -> dict[str, Instance]:
    """Return all made instances by the names of their files."""
    return families() | renderings() | documents() | rare()


def families() -> dict[str, Instance]:
    """Return one small instance of each family of the literature."""
    sizes = {
        "uncorrelated": (40, 5, 100),
        "weakly": (30, 5, 100),
        "strongly": (12, 4, 60),
        "inversely": (12, 4, 60),
        "subsetsum": (15, 3, 60),
        "monotone": (40, 6, 100),
        "zigzag": (30, 7, 100),
        "kp01s": (16, 2, 100),
    }
    return {
        f"family-{name}": instances.flat(name, seed=1, classes=n, options=k, largest=most)
        for name, (n, k, most) in sizes.items()
    }


def renderings() -> dict[str, Instance]:
    """Return pieces of text in several formats, one of them with values that are no decimals."""
    make = instances.renderings
    return {
        "pieces-equal": make("equal", seed=1, classes=20, options=4, part=0.7),
        "pieces-fidelity-floats": make(
            "fidelity", seed=1, classes=8, options=3, part=0.4, whole=False
        ),
        "pieces-density": make("density", seed=1, classes=12, options=3),
        "pieces-proportional": make("proportional", seed=1, classes=15, options=3, part=0.6),
    }


def documents() -> dict[str, Instance]:
    """Return small nested instances: documents, one with decimal values, a chain, a star."""
    tenths = instances.document(seed=5, nodes=40, layouts=2, part=0.4)
    return {
        "document-of-objects": instances.document(seed=3, nodes=14, layouts=1, part=0.6),
        "document-two-layouts": instances.document(seed=1, nodes=60, layouts=2),
        "document-three-layouts": instances.document(seed=4, nodes=60, layouts=3, part=0.5),
        "document-decimals": changed(tenths, "tenths", np.round(tenths.table.value / 10, 1)),
        "chain": instances.chain(30),
        "star": instances.star(40, largest=30),
    }


def rare() -> dict[str, Instance]:
    """Return what is rare elsewhere: at most one, ties, nothing to spare, nothing that fits."""
    plain = instances.flat("weakly", seed=2, classes=10, options=3, largest=40)
    ties = instances.flat("uncorrelated", seed=7, classes=8, options=4, largest=3, part=0.6)
    return {
        "at-most-one": at_most_one(plain),
        "at-the-floor": changed(plain, "floor", budget=floor(plain)),
        "infeasible": changed(plain, "below the floor", budget=floor(plain) - 1),
        "ties-in-value-and-cost": ties,
        "ties-in-every-value": changed(ties, "ones", values=np.ones_like(ties.table.value)),
    }


def at_most_one(instance: Instance) -> Instance:
    """Return the instance with a skip last in every class, and half of its budget."""
    old, ends = instance.table, instance.table.start[1:]
    table = Table(
        old.start + np.arange(old.classes + 1),
        np.insert(old.cost, ends, 0),
        np.insert(old.value, ends, 0),
        old.parent_option,
    )
    return Instance(f"{instance.name}, skips", table, instance.budget // 2, instance.source)


def changed(
    instance: Instance,
    how: str,
    values: NDArray[Any] | None = None,
    budget: int | None = None,
) -> Instance:
    """Return the instance with other values, or another budget."""
    table = instance.table
    if values is not None:
        table = Table(table.start, table.cost, values, table.parent_option)
    size = instance.budget if budget is None else budget
    return Instance(f"{instance.name}, {how}", table, size, instance.source)


def floor(instance: Instance) -> int:
    """Return the least cost of any selection of a table without nesting."""
    return int(np.minimum.reduceat(instance.table.cost, instance.table.start[:-1]).sum())


def solved(instance: Instance) -> tuple[Solution, str]:
    """Return the optimum and how it is known; fail if the solvers differ."""
    table, budget = instance.table, instance.budget
    best, peer = dp.solve(table, budget), cpsat.solve(table, budget)
    assert best.status is not Status.FEASIBLE, instance.name
    for fact in ("status", "value", "cost", "floor"):
        assert getattr(best, fact) == getattr(peer, fact), (instance.name, fact)
    if selections(table) >= brute.LIMIT:
        return best, "dp and cpsat agree; choice by dp"
    every = brute.solve(table, budget)
    assert (every.value, every.cost, every.floor) == (best.value, best.cost, best.floor)
    return every, "exhaustive search (brute); dp and cpsat agree"


def selections(table: Table) -> int:
    """Return how many selections there are, counted from the last class to the first."""
    ways, total = [1] * table.options, 1
    for i in range(table.classes - 1, -1, -1):
        here, owner = sum(ways[table.start[i] : table.start[i + 1]]), int(table.parent_option[i])
        if owner < 0:
            total *= here
        else:
            ways[owner] *= here
    return total


def text(instance: Instance) -> str:
    """Return the instance with its optimum as JSON."""
    best, how = solved(instance)
    optimum = {
        "status": best.status.value,
        "value": best.value,
        "cost": best.cost,
        "choice": best.choice.tolist(),
        "floor": best.floor,
    }
    source = f"{instance.source} (made: {instance.name})"
    copy = Instance(instance.name, instance.table, instance.budget, source)
    return instances.to_json(copy, optimum_by=how, optimum=optimum)


def main() -> None:
    """Write all files."""
    for name, instance in made().items():
        (FOLDER / f"{name}.json").write_text(text(instance), encoding="utf-8")


if __name__ == "__main__":
    main()

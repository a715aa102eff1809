"""The exact solver in NumPy: its parts by definition, its limits, what it never loads."""

import pytest

from mckp.solvers import Table, dp, lists
from tests.shell import python
from tests.solvers import agreement, instances

SCRIPT = """
import sys
from mckp.solvers import Table, frontier, solve
cut = (0, 0, (), 0, True)
table = Table.nested([[(0, 0), (2, 0, [[cut, (5, 3)], [cut, (6, 4)]], 1)]])
assert solve(table, 9).value == 4
assert frontier(table, 9).value[9] == 4
assert "numba" not in sys.modules
"""


@pytest.mark.slow
def test_numba_is_never_loaded() -> None:
    """Encoding and solving never import numba."""
    python(SCRIPT)


def test_dense_and_sorted_lists_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dense and sorted lists of states give the same solution."""
    for seed in range(instances.count(40)):
        table = instances.document(seed, 40)
        for budget in (60, 200, 500):
            best = agreement.facts(dp.solve(table, budget))
            monkeypatch.setattr(lists, "FEW", 0)
            for dense in (0, 10**9):
                monkeypatch.setattr(lists, "DENSE", dense)
                assert agreement.facts(dp.solve(table, budget)) == best
            monkeypatch.undo()


def test_lists_far_from_each_other_take_little_room() -> None:
    """Short lists whose costs differ by far are sorted, not laid out cost by cost."""
    far, rows = 2**45, [[(0, 0), (1, 3), (2, 5)]] * 3
    wide_class = [(0, 0), (5, 7, rows), (far, 9, rows), (far + 1, 11, rows)]
    table = Table.nested([wide_class, [(0, 0), (far, 9, rows), (far + 3, 12, rows)]])
    best = agreement.assert_exact(table, far + 9)
    assert agreement.assert_brute(table, far + 9, best)

"""Tables on pages say which documents they are over, as the code that makes them counts."""

from math import prod

import page_tables
import pytest
from solver_figures import stored


def test_data_sets_are_counted_once() -> None:
    """Means over data sets leave out small versions of the same ones, and the bench's questions."""
    sets = stored("formats-corpus.json")["tokenizers"]["o200k"]
    counted = page_tables.data_sets(sets)
    assert len(counted) == 8 < sets["toon_bench"]["documents"]
    mean = prod(figures["mckp native"] for figures in counted) ** (1 / 8)
    assert page_tables.data_set_ratios(sets)["mckp native"] == pytest.approx(mean)
    assert (
        f"| 8 data sets, mostly tables (geometric mean) | 0.79 | {mean:.2f} " in page_tables.saves()
    )

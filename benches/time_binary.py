"""How long the binary and the multiple-choice knapsack of the same documents take.

``pytest benches/time_binary.py`` by name. Loading is not timed: each solver has solved the table
before. `binary_knapsack.py` says what both keep.
"""

from __future__ import annotations

from typing import Any

import pytest
from samples import samples

import mckp

DOCUMENTS = dict(samples(1))


@pytest.mark.parametrize("table", ["multiple-choice", "binary"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(benchmark: Any, name: str, table: str) -> None:
    """Solve the table of a document within a fifth of its tokens, with what it keeps."""
    instance = mckp.instance(DOCUMENTS[name], budget="20%")
    solved = instance.binary if table == "binary" else instance
    solved.solve()  # which loads what it needs
    solution = benchmark(solved.solve)
    sizes = {"classes": solved.table.classes, "options": solved.table.options}
    benchmark.extra_info.update(sizes, value=float(solution.value), tokens=solved.tokens(solution))
    assert solution.is_optimal
    assert solution.value <= instance.solve().value

"""Burkardt's 0-1 knapsacks: capacity, weights and profits, each in a file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from instances.dialects import table_of
from instances.scanner import Scanner, text_of
from mckp.errors import ParseError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from mckp.table import Table

SOURCE: Final = "J. Burkardt, KNAPSACK_01 data sets, Florida State University"
ENDING: Final = "_c.txt"
"""How the name of the file with the capacity ends; the others end in _w.txt and _p.txt."""


def read(path: Path) -> tuple[Table, int]:
    r"""Read the data set of which this is the file with the capacity.

    Each item becomes a class of two options: to take it, and then to skip it.

    Parameters
    ----------
    path
        Such as ``p01_c.txt``, beside which lie ``p01_w.txt`` and ``p01_p.txt``. The optimal
        selection, ``p01_s.txt``, is not read.

    Raises
    ------
    ParseError
        If a file is damaged, or has more or fewer numbers than the others.
    FileNotFoundError
        If one of the three is missing.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for letter, text in zip("cwp", ("26\n", "12\n 7\n", "24\n13\n")):
    ...         _ = Path(folder, f"p02_{letter}.txt").write_text(text)
    ...     table, budget = read(Path(folder, "p02_c.txt"))
    >>> table.cost.tolist(), table.value.tolist(), budget
    ([12, 0, 7, 0], [24, 0, 13, 0], 26)
    """
    if not path.name.endswith(ENDING):
        raise ParseError(f"{path.name} does not end in {ENDING}; name the file of the capacity")
    [budget] = _column(path, "c", "capacity", 1)
    weight = _column(path, "w", "weight")
    profit = _column(path, "p", "profit", weight.size)
    start = np.arange(weight.size + 1)
    return table_of(start, weight, profit, at_most_one=True, name=path.name), int(budget)


def _column(path: Path, letter: str, what: str, expected: int | None = None) -> NDArray[np.int64]:
    file = path.with_name(path.name.removesuffix(ENDING) + f"_{letter}.txt")
    text = text_of(file)
    count = len(text.split())
    if expected is not None and count != expected:
        raise ParseError(f"{file.name} has {count} numbers and should have {expected}")
    return Scanner(text, file.name).wholes(range(count), what)

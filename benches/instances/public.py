"""Published instances of the 0-1 knapsack problem, read from local copies: each item a class.

A class of an item is {skip, take}, so that a solver of the multiple-choice problem solves it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from instances.instance import Instance
from instances.jsonfile import from_json
from mckp.errors import ParseError
from mckp.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

JOOKEN: Final = "J. Jooken et al., European Journal of Operational Research 301 (2022), 841-854"
PISINGER: Final = "D. Pisinger, Computers & Operations Research 32 (2005), 2271-2284"


def read(path: Path) -> Instance:
    r"""Read a file of one instance: JSON, as in the folder solvers/instances, or numbers.

    The first number is that of the items. Two layouts are known: a line ``number value weight`` for
    each item and the capacity at the end (Jooken), and the capacity after the number of items,
    then a line ``value weight`` for each (kplib, the Bologna group).

    Raises
    ------
    ParseError
        If the numbers are not those of either layout.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "test.in")
    ...     _ = file.write_text("2\n1 9 40\n2 5 60\n80\n")
    ...     found = read(file)
    >>> found.table, found.budget
    (Table(classes=2, options=4, depth=1), 80)
    """
    text = path.read_text(encoding="utf-8")
    if text.lstrip().startswith("{"):
        return from_json(text, path.stem)
    try:
        numbers = [int(word) for word in text.split()]
    except ValueError as error:
        raise ParseError(f"{path}: {error}; an instance holds whole numbers only") from None
    count = numbers[0] if numbers else 0
    if numbers and len(numbers) == 3 * count + 2:
        items, budget, source = np.array(numbers[1:-1]).reshape(-1, 3)[:, 1:], numbers[-1], JOOKEN
    elif numbers and len(numbers) == 2 * count + 2:
        items, budget, source = np.array(numbers[2:]).reshape(-1, 2), numbers[1], PISINGER
    else:
        raise ParseError(f"{path}: {len(numbers)} numbers are no knapsack of {count} items")
    cost, value = (np.insert(items[:, at], np.arange(count), 0) for at in (1, 0))
    table = Table(np.arange(count + 1) * 2, cost, value, np.full(count, -1))
    return Instance(
        path.parent.name if path.name == "test.in" else path.stem, table, budget, source
    )


def below(folder: Path) -> Iterator[tuple[Instance, int | None]]:
    """Yield each instance below a folder, and its optimum where ``outp.out`` is beside it."""
    for path in sorted(folder.rglob("*.in")) or sorted(folder.rglob("*.kp")):
        known = path.with_name("outp.out")
        text = known.read_text(encoding="utf-8").split() if known.exists() else []
        yield read(path), int(text[0]) if text else None

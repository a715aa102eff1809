"""The numbers of the paper, each found by a path in a file of results.

`paper/numbers.toml` names them, as ``name = "how path"`` below the file's name. A path goes down
from the top of the file: ``a/b`` is the member b of a, ``rows[document=table;MB=10]`` the one entry
of rows with these members, ``a/0`` the first of a, ``a/#`` how many a has, ``rows/most ms`` the
greatest ms of rows. How a number is written: see `HOW`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from solver_figures import shown, stored

from mckp.jsontext import is_array

if TYPE_CHECKING:
    from collections.abc import Callable

PAPER: Final = Path(__file__).parents[1] / "paper"
HOW: Final[dict[str, Callable[[Any], str]]] = {
    "text": str,
    "count": lambda number: f"{number:,.0f}",
    "digits": lambda number: shown(number),
    "share": lambda number: f"{number:.3f}",
    "short": lambda number: f"{number:.2f}",
    "thousands": lambda number: f"{number / 1000:.0f}",
    "tenth": lambda number: f"{number:.1f}",
    "percent": lambda number: f"{100 * number:.1f}\u00a0%",
    "opposite": lambda number: f"{-number:.3f}",
    "minus": lambda number: f"{-100 * number:.1f}\u00a0%",
    "less": lambda number: f"{100 * (1 - number):.1f}\u00a0%",
}
"""``less`` is by how many percent something is below 1, ``digits`` has three that count."""

_STEP: Final = re.compile(r"([^/\[]*)((?:\[[^\]]*\])?)(?:/|$)")


@dataclass(frozen=True, slots=True)
class Number:
    """A number of the paper.

    Attributes
    ----------
    file : str
        The file of results, without folder and ending.
    how : str
        How it is written, a key of `HOW`.
    path : str
        Where it is in the file.
    """

    file: str
    how: str
    path: str

    def text(self, results: Callable[[str], dict[str, Any]] = stored) -> str:
        """Return the number as it is printed; of two paths with `` : `` between, the ratio."""
        data = results(f"{self.file}.json")
        values = [found(data, path) for path in self.path.split(" : ")]
        return HOW[self.how](values[0] if len(values) == 1 else values[0] / values[1])


def found(data: Any, path: str) -> Any:
    """Return what is at a path.

    Examples
    --------
    >>> data = {"rows": [{"name": "a", "n": 1}, {"name": "b", "n": 2}]}
    >>> found(data, "rows[name=b]/n"), found(data, "rows/#"), found(data, "rows/most n")
    (2, 2, 2)
    """
    for name, chosen in _STEP.findall(path):
        if name == "#":
            data = len(data)
        elif name.startswith("most "):
            data = max(row[name.removeprefix("most ")] for row in data)
        elif name:
            data = data[int(name)] if is_array(data) else data[name]
        if chosen:
            data = _only(
                data, dict(condition.split("=", 1) for condition in chosen[1:-1].split(";")), path
            )
    return data


def _only(rows: Any, members: dict[str, str], path: str) -> Any:
    own = [row for row in rows if all(str(row.get(key)) == members[key] for key in members)]
    if len(own) != 1:
        raise LookupError(f"{len(own)} entries where one was looked for: {path}")
    return own[0]


def numbers() -> dict[str, Number]:
    """Return the numbers of the paper by name."""
    files = tomllib.loads((PAPER / "numbers.toml").read_text(encoding="utf-8"))
    return {
        name: Number(file, *entry.split(" ", 1))
        for file, entries in files.items()
        for name, entry in entries.items()
    }

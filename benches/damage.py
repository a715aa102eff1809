"""Whether a reader can notice that a text was damaged on its way.

    python benches/damage.py [--json OUT]

does to texts what the structural validation of TOON's benchmark does: of 20 made-up employees,
three rows at the end are lost, three are there twice, one row lacks a cell, or all rows lack their
email. It is done to the lines of the texts in which each record has its own; to JSON it is done
as JSON, for that stays valid. *Noticed* is what `mckp.decode` refuses; what it reads as if nothing
had happened, nobody could notice by form alone.
"""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING, Any, Final

from samples import samples
from solver_figures import add_common, show, store

import mckp
from mckp.accuracy import writings
from mckp.jsontext import dump, load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROWS: Final = 20
WAYS: Final = ("json", "kv+csv", "kv+table", "native", "toon")
_MAIL: Final = re.compile(r"[ ,|]*\"?[\w.]+@[\w.]+\"?")
_CELL: Final = re.compile(r"[ ,|]+(?:true|false)\b")

DAMAGES: Final[dict[str, Callable[[Any], Any]]] = {
    "nothing": lambda rows: rows,
    "three rows lost": lambda rows: rows[:-3],
    "three rows twice": lambda rows: rows + rows[-3:],
    "a cell lost": lambda rows: [*rows[:-1], _without_cell(rows[-1])],
    "emails lost": lambda rows: [_without_mail(row) for row in rows],
}


def _without_cell(row: Any) -> Any:
    if isinstance(row, str):
        return _CELL.sub("", row, count=1)
    return {key: value for key, value in row.items() if key != "active"}


def _without_mail(row: Any) -> Any:
    if isinstance(row, str):
        return _MAIL.sub("", row, count=1)
    return {key: value for key, value in row.items() if key != "email"}


def damaged(way: str, text: str, damage: str) -> str:
    """Return a text with the damage done."""
    change = DAMAGES[damage]
    if way == "json":
        document: Any = load(text)
        return dump({"users": change(document["users"])})
    lines = text.split("\n")
    rows = [n for n, line in enumerate(lines) if "@example.com" in line]
    changed = change([lines[n] for n in rows])
    return "\n".join([*lines[: rows[0]], *changed, *lines[rows[-1] + 1 :]])


def noticed(text: str, data: Any) -> str:
    """Return what a reader makes of a text: ``right``, ``noticed`` or ``misread``."""
    try:
        return "right" if mckp.decode(text) == data else "misread"
    except mckp.ParseError:
        return "noticed"


def main(arguments: Sequence[str] | None = None) -> int:
    """Do damage, and look who notices."""
    parser = argparse.ArgumentParser(description="Damage texts, and look who notices.")
    add_common(parser)
    options = parser.parse_args(arguments)
    data = dict(samples(rows=ROWS))["table"]
    outcomes = {
        writing.way: {
            damage: noticed(damaged(writing.way, writing.text, damage), data) for damage in DAMAGES
        }
        for writing in writings(data, WAYS)
    }
    show(
        f"{ROWS} records",
        ({"way": way} | counts for way, counts in outcomes.items()),
        "way",
        *DAMAGES,
    )
    store(options.json, {"rows": ROWS, "ways": outcomes})
    return 0


if __name__ == "__main__":
    sys.exit(main())

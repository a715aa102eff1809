"""Write examples/budget.ipynb from the cells below, without outputs.

python scripts/make_notebook.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

PAGE: Final = Path(__file__).parents[1] / "examples/budget.ipynb"

CELLS: Final = (
    """# What a budget buys

A page of builds from an API, within 300 tokens. The first bar is the compact JSON, the second the
text; below it are its blocks, and hatched what was cut.""",
    """>from pathlib import Path

import mckp

result = mckp.encode(Path("builds.json").read_bytes(), budget=300)
result""",
    """The same document within every budget. The areas are the formats of the text.""",
    """>curve = result.frontier()
curve""",
    """Another budget takes no parsing and no pricing.""",
    """>result.at(150)""",
    """Why the table is written as it is, and why a member is not there.""",
    """>result.why("builds")""",
    """>result.why("$.filters")""",
    """What was cut can be had back: by its path, by its entry in `elided`, or by the number of its
hint in the text.""",
    """>result.recall(1)""",
)


def notebook() -> str:
    """Return the notebook as JSON text."""
    page: dict[str, Any] = {
        "cells": [_cell(number, source) for number, source in enumerate(CELLS)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(page, indent=1) + "\n"


def _cell(number: int, source: str) -> dict[str, Any]:
    code = source.startswith(">")
    cell: dict[str, Any] = {
        "cell_type": "code" if code else "markdown",
        "id": f"cell-{number}",
        "metadata": {},
        "source": source.removeprefix(">").splitlines(keepends=True),
    }
    return cell | ({"execution_count": None, "outputs": []} if code else {})


if __name__ == "__main__":
    PAGE.write_text(notebook(), encoding="utf-8")

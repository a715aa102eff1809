"""The paper: its numbers and tables from the stored results, then a PDF and a page of HTML.

    python benches/paper.py [--only-numbers] [--pictures DIR]

writes paper/numbers.json, paper/mckp.pdf and paper/mckp.html, without a network; needs typst.
``--pictures`` writes the pages of the PDF as PNG as well, to be looked at.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import paper_tables
from paper_numbers import PAPER, numbers
from plots import FIGURE
from solver_figures import stored

import mckp

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS: Final = Path(__file__).with_name("commands.toml")
BUILDS: Final = Path(__file__).parents[1] / "examples/builds.json"
CITATION: Final = Path(__file__).parents[1] / "CITATION.cff"
STYLE: Final = PAPER / "page.css"
BUDGET: Final = 120
"""Tokens of the example."""
CONSTANTS: Final = {"reduced": "512", "filled": "20,000"}
"""Limits of the state that the stored figures were measured in: kilobytes, and tokens."""


def commands() -> dict[str, dict[str, str]]:
    """Return which command made which file of results, and what it gives."""
    by_file: dict[str, dict[str, str]] = tomllib.loads(COMMANDS.read_text(encoding="utf-8"))
    return by_file


def sources(names: Sequence[str]) -> list[dict[str, str]]:
    """Return what is to be known about files of results: command, date, machine, commit."""
    by_file = commands()
    return [
        {
            "name": name,
            "command": by_file[name]["command"],
            "date": stored(f"{name}.json")["date"][:10],
            "commit": stored(f"{name}.json").get("commit") or "",
            "machine": stored(f"{name}.json")["machine"],
        }
        for name in names
    ]


def example() -> dict[str, Any]:
    """Return the example: a document within a budget, and its tokens."""
    data = BUILDS.read_bytes()
    result, whole = mckp.encode(data, budget=BUDGET), mckp.encode(data)
    json_tokens = next(row.tokens for row in mckp.compare(data).rows if row.format == "json")
    return {
        "text": result.text,
        "budget": str(BUDGET),
        "tokens": str(result.tokens),
        "value": f"{result.value:g}",
        "total": f"{result.total:g}",
        "whole": f"{whole.tokens:,}",
        "json": f"{json_tokens:,}",
        "head": "\n".join(whole.text.split("\n")[:10]),
    }


def gathered() -> dict[str, Any]:
    """Return all that the paper prints and does not say itself."""
    named = numbers()
    files = {number.file for number in named.values()} | {
        f for f, _ in paper_tables.TABLES.values()
    }
    used = [name for name in commands() if name in files | set(FIGURE)]
    return {
        "numbers": {
            name: {"text": number.text(), "file": number.file, "path": number.path}
            for name, number in named.items()
        },
        "tables": {
            name: {"file": file, **make()} for name, (file, make) in paper_tables.TABLES.items()
        },
        "figures": {draw.__name__: file for file, draw in FIGURE.items()},
        "sources": sources(used),
        "example": example(),
        "constants": CONSTANTS,
        "version": mckp.__version__,
        "date": released(),
    }


def released() -> str:
    """Return the date of the version, as ``CITATION.cff`` has it."""
    line = re.search(r"^date-released: (\S+)$", CITATION.read_text(encoding="utf-8"), re.MULTILINE)
    if line is None:
        raise ValueError(f"{CITATION} has no line `date-released: ...`")
    return line[1]


def written() -> str:
    """Return the text of paper/numbers.json."""
    return json.dumps(gathered(), indent=1, ensure_ascii=False) + "\n"


def compiler() -> Any:
    """Return the compiler of the paper, with its own fonts alone."""
    try:
        typst: Any = importlib.import_module("typst")
    except ImportError:
        sys.exit("the compiler is missing: run `uv sync`, or `python -m pip install typst`")
    return typst.Compiler(str(PAPER / "main.typ"), root=str(PAPER), ignore_system_fonts=True)


def typeset(folder: Path, pictures: Path | None = None) -> None:
    """Write the PDF and the page of HTML, and the pages as pictures if a folder is given."""
    paper = compiler()
    folder.mkdir(parents=True, exist_ok=True)
    paper.compile(output=str(folder / "mckp.pdf"))
    page = folder / "mckp.html"
    paper.compile(output=str(page), format="html")
    style = f"<style>\n{STYLE.read_text(encoding='utf-8')}</style></head>"
    text = page.read_text(encoding="utf-8").replace("</head>", style, 1)
    page.write_text(text, encoding="utf-8")
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
        paper.compile(output=str(pictures / "page-{0p}.png"), format="png", ppi=100)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the numbers, and the paper."""
    parser = argparse.ArgumentParser(description="Typeset the paper from the stored results.")
    parser.add_argument("--only-numbers", action="store_true", help="write numbers.json alone")
    parser.add_argument("--pictures", type=Path, metavar="DIR", help="also write the pages as PNG")
    chosen = parser.parse_args(arguments)
    (PAPER / "numbers.json").write_text(written(), encoding="utf-8")
    if not chosen.only_numbers:
        typeset(PAPER, chosen.pictures)
    return 0


if __name__ == "__main__":
    sys.exit(main())

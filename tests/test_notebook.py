"""The example notebooks run from top to bottom, and every cell shows something."""

import json
import re
import runpy
import sys
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import pytest

ROOT: Final = Path(__file__).parents[1]
MADE: Final = runpy.run_path(str(ROOT / "scripts/make_notebook.py"))
FOLDER: Final = ROOT / "examples"
SHOWN: Final = {
    "card": (7, 4, "CP-SAT"),
    "quick-start": (8, 3, "list_issues["),
    "budget": (6, 3, "2026-03-02T02:05:00Z"),
    "solvers": (10, 1, "best value"),
    "formats": (6, 3, "{'o200k': "),
}
"""By notebook, how many cells of code and pictures there are, and what some cell shows."""


PACKED: Final = re.compile(r"[A-Za-z0-9+/=]{200,}")
NUMBERS: Final = re.compile(r"[ ]*[0-9][0-9.,]*")


def plain(cell: dict[str, Any]) -> str:
    """Return a cell as text; numbers are blanks if there are times among them."""
    text = json.dumps(cell, ensure_ascii=False)
    text = PACKED.sub("", text)  # the same data take other bytes in other versions of zlib
    return NUMBERS.sub(" 0", text) if "times" in cell["metadata"].get("tags", ()) else text


@pytest.mark.parametrize("name", SHOWN)
def test_the_notebook_is_stored_as_it_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells run in order in one fresh namespace; what they show is static and well formed."""
    monkeypatch.chdir(FOLDER)
    monkeypatch.setattr(sys, "path", [*sys.path])
    stored = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    made = json.loads(MADE["notebook"](name))
    assert list(map(plain, stored["cells"])) == list(map(plain, made["cells"]))
    shown = [cell["outputs"] for cell in stored["cells"] if cell["cell_type"] == "code"]
    assert all(shown), "every cell shows something"
    data = [out["data"] for cell_outputs in shown for out in cell_outputs if "data" in out]
    pages = ["".join(shapes["text/html"]) for shapes in data if "text/html" in shapes]
    codes, pictures, said = SHOWN[name]
    drawn = sum(len(re.findall(r"role='(?:group|img)'", page)) for page in pages)
    assert (len(shown), drawn) == (codes, pictures)
    for page in pages:
        assert "<script" not in page
        ElementTree.fromstring(f"<div>{page}</div>".replace("<br>", "<br/>"))
    texts = (
        "".join(out["text"]) for cell_outputs in shown for out in cell_outputs if "text" in out
    )
    plains = ("".join(shapes["text/plain"]) for shapes in data)
    assert any(said in content for content in (*pages, *texts, *plains))


def test_the_notebooks_are_those_that_are_made() -> None:
    """The notebooks in the folder are those that the script makes."""
    assert set(MADE["NOTEBOOKS"]) == set(SHOWN) == {path.stem for path in FOLDER.glob("*.ipynb")}


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_needs_no_checkout(name: str) -> None:
    """Beside the package and the documents next to it there is nothing that a notebook reads."""
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    assert "sys.path" not in text
    assert "../" not in text

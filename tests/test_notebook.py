"""The example notebook runs from top to bottom, and every cell shows something."""

from __future__ import annotations

import ast
import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "examples/budget.ipynb"


def shown(source: str, names: dict[str, Any]) -> str:
    """Run a cell, and return what a notebook shows for its last expression."""
    *body, last = ast.parse(source).body
    assert isinstance(last, ast.Expr)
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    show = getattr(value, "_repr_html_", None)
    return repr(value) if show is None else str(show())


def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells run in order in one fresh namespace; what they show is static and well formed."""
    monkeypatch.chdir(PAGE.parent)
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {}
    pages = [shown("".join(c["source"]), names) for c in cells if c["cell_type"] == "code"]
    assert len(pages) == 6
    assert sum(page.count("<svg") for page in pages) == 5
    for page in pages[:-1]:
        assert "<script" not in page
        ElementTree.fromstring(f"<div>{page}</div>".replace("<br>", "<br/>"))
    assert "harbour/tide-tables" in pages[-1]


def test_the_notebook_is_the_one_that_is_made() -> None:
    """The file is what its script writes."""
    spec = importlib.util.spec_from_file_location("make", ROOT / "scripts/make_notebook.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert PAGE.read_text(encoding="utf-8") == made.notebook()

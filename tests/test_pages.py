"""Pages of figures, and what notebooks show, fit their window; their bars can be compared."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import mckp
from tests.browser import BROWSER, DRIVER, WHY_NOT, Browser, browser
from tests.cli.conftest import Run

ROOT: Final = Path(__file__).parents[1]
BUILDS: Final = ROOT / "examples/builds.json"
PAGES: Final = ("compare", "compare-text", "replay", "pack", "frontier", "result", "why", "sweep")
opened = pytest.mark.skipif(BROWSER is None or DRIVER is None, reason=WHY_NOT)


def framed(html: str) -> str:
    """Return a part that a notebook shows, as a page with no style but that of the browser."""
    viewport = "<meta name='viewport' content='width=device-width, initial-scale=1'>"
    return f"<!doctype html><html><head>{viewport}</head><body>{html}</body></html>"


def shown(part: object) -> str:
    return str(getattr(part, "_repr_html_")())  # noqa: B009


def written(name: str, file: Path, run: Run) -> None:
    """Write one of `PAGES`, as people get it."""
    if name == "compare":
        assert run("compare", str(BUILDS), "--html", str(file))[0] == 0
    elif name == "compare-text":
        assert run("compare", str(ROOT / "examples/release.md"), "--html", str(file))[0] == 0
    elif name == "replay":
        assert run("replay", str(ROOT / "examples/session.jsonl"), "--html", str(file))[0] == 0
    elif name == "pack":
        files = ("test-run.txt", "release.md", "builds.json")
        texts = {
            f"a folder/with a long name/{n}": (ROOT / "examples" / n).read_text() for n in files
        }
        file.write_text(mckp.pack(texts, budget=400).to_html(), "utf-8")
    else:
        result = mckp.encode(BUILDS, budget=200)
        parts: dict[str, Any] = {
            "frontier": result.frontier,
            "result": lambda: result,
            "why": lambda: result.why("$.builds[5]"),
            "sweep": lambda: mckp.sweep(BUILDS, {"native": {}, "dense": {"formats": "dense"}}),
        }
        file.write_text(framed(shown(parts[name]())), "utf-8")


def test_other_commands_write_pages_of_one_look(run: Run, tmp_path: Path) -> None:
    """Pages of `compare` and `replay` hold bars, no script and no raw HTML."""
    page = tmp_path / "page.html"
    odd = json.dumps([{"<b>": n} for n in range(9)])
    for command in (("compare", "-"), ("replay", str(ROOT / "examples/session.jsonl"))):
        assert run(*command, "--html", str(page), stdin=odd)[:2] == (0, b"")
        text = page.read_text("utf-8")
        assert "default-src 'none'; style-src 'unsafe-inline'; script-src 'none'" in text
        assert "role='group'" in text
        assert "<script" not in text
        assert "<b>" not in text


def test_bars_keep_their_room_beside_long_remarks() -> None:
    """A name, a bar and a figure may wrap, and a remark has a line of its own."""
    html = shown(mckp.compare(BUILDS))
    widths = [
        float(width) for width in re.findall(r"<i title='[^']*' style='width:([0-9.]+)%", html)
    ]
    assert max(widths) == 100
    assert "nowrap" not in html
    assert re.search(r"<small style='flex:1 0 100%[^>]*>needs formats=dense; one long line", html)


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    with browser() as started:
        yield started


OUTSIDE: Final = """
const wide = document.documentElement.clientWidth;
const scrolls = (part) => part
  && (/auto|scroll/.test(getComputedStyle(part).overflowX) || scrolls(part.parentElement));
return [...document.querySelectorAll('body *')]
  .filter((part) => part.getBoundingClientRect().right > wide + 1)
  .filter((part) => !scrolls(part.parentElement))
  .map((part) => part.outerHTML.slice(0, 80));
"""
"""What is right of the window, and in no part that scrolls."""
HIDDEN: Final = """
const wide = (part) => part.scrollWidth > part.clientWidth + 1;
return [...document.querySelectorAll('.scroll')].some(wide);
"""
"""Whether a table is wider than its place."""
SHARES: Final = """
return [...document.querySelectorAll("[role='group'] > div")].map((row) =>
  [...row.querySelectorAll('i')].reduce((sum, i) => sum + i.getBoundingClientRect().width, 0)
  / row.getBoundingClientRect().width);
"""
"""The lengths of the bars, as shares of their rows."""


@opened
@pytest.mark.parametrize("name", PAGES)
def test_pages_fit_their_window(window: Browser, run: Run, tmp_path: Path, name: str) -> None:
    """At 1280 and 390 pixels, light and dark, nothing is clipped, and bars are no hairlines."""
    page = tmp_path / f"{name}.html"
    written(name, page, run)
    for width in (1280, 390):
        for dark in (False, True):
            window.open(page, width=width, dark=dark)
            assert window.run("return document.documentElement.scrollWidth") <= width
            assert window.run(OUTSIDE) == []
            shares = window.run(SHARES)
            assert max(shares, default=1) >= 1 / 3
            assert window.log() == []
        assert width < 500 or not window.run(HIDDEN)

"""Draw the pictures of the README from the library and the stored results.

python scripts/make_pictures.py

writes docs/pictures/budget.svg and formats.svg; tests/test_pictures.py holds that they are what
this writes. Where Chromium is installed it also writes view.png, the page that `mckp view` makes.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import mckp
from mckp.display.bars import colour

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ROOT: Final = Path(__file__).parents[1]
PICTURES: Final = ROOT / "docs/pictures"
BUDGET: Final = 120
INK, PAPER = "#1b1f24", "#ffffff"
GREY, BLUE, GREEN, ORANGE = "#b8b8b8", "#0072b2", "#009e73", "#d55e00"
FORMATS: Final = ("toon", "agon", "gcf", "soon", "bpp", "terse")
LEVELS: Final = {"mckp standard": ORANGE, "mckp native": GREEN, "mckp dense": BLUE}


def page(width: int, height: int, title: str, parts: Iterable[str]) -> str:
    """Return a picture on white, since it stands on dark pages too."""
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' "
        f"height='{height}' role='img' font-family='sans-serif' font-size='12'>\n"
        f"<title>{escape(title)}</title>\n"
        f"<rect width='{width}' height='{height}' rx='8' fill='{PAPER}'/>\n"
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def words(x: float, y: float, text: str, style: str = "") -> str:
    """Return a line of text."""
    fill = "" if "fill=" in style else f" fill='{INK}'"
    return f"<text x='{x:g}' y='{y:g}'{fill} {style}>{escape(text)}</text>"


def budget() -> str:
    """Draw the best value for every budget, and below it the formats of the text."""
    data = (ROOT / "examples/builds.json").read_bytes()
    curve = mckp.encode(data, budget=BUDGET).frontier()
    shown = curve._repr_html_()  # pyright: ignore[reportPrivateUsage]
    found = re.search(r"<svg viewBox='0 0 (\d+) (\d+)'[^>]*>(.*?)</svg>", shown, re.DOTALL)
    assert found is not None
    inner = found[3].replace("currentColor", INK)
    said = f"Facts kept by tokens, and the formats of the text, from a menu made for {BUDGET}"
    title = words(16, 24, said)
    body = f"<g transform='translate(8 34)'>{inner}</g>"
    legend: list[str] = []
    for number, name in enumerate(dict.fromkeys(n for _, split in curve.areas() for n in split)):
        x, y = 54 + 110 * number, int(found[2]) + 46
        legend.append(f"<rect x='{x}' y='{y - 10}' width='10' height='10' fill='{colour(name)}'/>")
        legend.append(words(x + 15, y, name))
    size = int(found[1]) + 24, int(found[2]) + 62
    return page(*size, "value over budget", [title, body, *legend])


def formats() -> str:
    """Draw the tokens of formats on responses of APIs, as a share of compact JSON."""
    stored = ROOT / "benches/results/formats-corpus.json"
    found: dict[str, Any] = json.loads(stored.read_text(encoding="utf-8"))
    data = found["tokenizers"]["o200k"]["responses"]
    rows = {name: data["formats"][name]["ratio"] for name in (*FORMATS, *LEVELS)}
    rows = dict(sorted({"compact JSON": 1.0, **rows}.items(), key=lambda row: -row[1]))
    title = f"Tokens of {data['documents']} responses of APIs, as a share of compact JSON (o200k)"
    parts = [words(16, 24, title)]
    for number, (name, ratio) in enumerate(rows.items()):
        y, width = 40 + 22 * number, 480 * ratio
        weight = "font-weight='bold'" if name in LEVELS else ""
        parts += [
            words(16, y + 12, name, weight),
            f"<rect x='130' y='{y}' width='{width:.1f}' height='16' rx='2' "
            f"fill='{LEVELS.get(name, GREY)}'/>",
            words(138 + width, y + 12, f"{ratio:.3f}", weight),
        ]
    return page(700, 52 + 22 * len(rows), "formats side by side", parts)


MADE: Final[dict[str, Callable[[], str]]] = {
    "budget": budget,
    "formats": formats,
}


def photograph(file: Path) -> None:
    """Write a picture of the page of the example, if there is a browser to open it."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("view.png stays as it is: no Chromium is installed")
        return
    result = mckp.encode(ROOT / "examples/builds.json", budget="25%")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page = Path(folder) / "page.html"
        result.view(title="builds.json").save(page)
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
        options += ["--hide-scrollbars", "--window-size=1280,800", "--virtual-time-budget=3000"]
        options += [f"--user-data-dir={folder}/profile", f"--screenshot={file}", page.as_uri()]
        subprocess.run([browser, *options], check=True, capture_output=True)


def main() -> None:
    """Write all pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    photograph(PICTURES / "view.png")
    for name, draw in MADE.items():
        (PICTURES / f"{name}.svg").write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()

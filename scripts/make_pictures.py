"""Draw the pictures of the README from the library and the stored results.

python scripts/make_pictures.py

writes docs/pictures/budget.svg and formats.svg; tests/test_pictures.py holds that they are what
this writes. Where Chromium is installed it also writes view.png, the page that `mckp view` makes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import mckp
from mckp.display.blocks import colour

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
    """Return a picture on white, since it is shown on dark pages too."""
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
    """Draw the best value for every budget, in front of the formats of the text."""
    data = (ROOT / "examples/builds.json").read_bytes()
    curve = mckp.encode(data, budget=BUDGET).frontier()
    budgets: list[int] = curve.budgets.tolist()
    values, areas = curve.values.tolist(), curve.areas()
    left, top, width, height, last = 62, 40, 660, 220, budgets[-1]

    def x(tokens: float) -> float:
        return left + width * tokens / last

    def y(share: float) -> float:
        return top + height * (1 - share)

    heading = "builds.json: highest value at each budget (line), tokens of each format (areas)"
    parts = [words(16, 24, heading)]
    for (tokens, split), (end, _) in zip(areas, [*areas[1:], (last, {})], strict=True):
        below = 0
        for name, count in split.items():
            below += count
            parts.append(
                f"<rect x='{x(tokens):.1f}' y='{y(below / last):.1f}' fill='{colour(name)}' "
                f"width='{x(end) - x(tokens):.1f}' height='{height * count / last:.1f}' "
                "fill-opacity='.6'/>"
            )
    steps = zip(budgets, values, strict=True)
    bends = "".join(f"H{x(tokens):.1f}V{y(value / curve.total):.1f}" for tokens, value in steps)
    for path, style in (
        (f"M{x(budgets[0]):.1f},{y(0)}{bends}", "stroke-width='1.6'"),
        (f"M{left},{top}V{y(0)}H{left + width}", "stroke-width='.6'"),
        (f"M{x(BUDGET):.1f},{top}V{y(0)}", "stroke-dasharray='3 3'"),
    ):
        parts.append(f"<path d='{path}' fill='none' stroke='{INK}' {style}/>")
    parts += [words(16, top + 10, f"{curve.total:g}"), words(16, y(0), "value 0")]
    parts += [words(left, y(0) + 16, "0 tokens")]
    parts += [words(left + width, y(0) + 16, f"{last}", "text-anchor='end'")]
    for number, name in enumerate(dict.fromkeys(name for _, split in areas for name in split)):
        at = left + 110 * number
        parts.append(
            f"<rect x='{at}' y='{y(0) + 26}' width='10' height='10' fill='{colour(name)}'/>"
        )
        parts.append(words(at + 15, y(0) + 36, "notes" if name == "hint" else name))
    return page(744, 310, "value over budget", parts)


def formats() -> str:
    """Draw the tokens of formats on responses of APIs, as a share of compact JSON."""
    stored = ROOT / "benches/results/formats-corpus.json"
    figures: dict[str, Any] = json.loads(stored.read_text(encoding="utf-8"))
    data = figures["tokenizers"]["o200k"]["responses"]
    rows = {name: data["formats"][name]["ratio"] for name in (*FORMATS, *LEVELS)}
    rows = dict(sorted({"compact JSON": 1.0, **rows}.items(), key=lambda row: -row[1]))
    heading = f"Tokens of {data['documents']} API responses in each format"
    parts = [words(16, 24, f"{heading}, divided by compact JSON (o200k)")]
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

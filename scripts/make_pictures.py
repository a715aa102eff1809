"""Draw the pictures of the README from the library and the stored results.

python scripts/make_pictures.py

writes docs/pictures/before-after.svg, budget.svg and formats.svg; tests/test_pictures.py holds that
they are what this writes.
"""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import mckp
from mckp.jsontext import dump

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ROOT: Final = Path(__file__).parents[1]
PICTURES: Final = ROOT / "docs/pictures"
BUDGET: Final = 120
LINES: Final = 14
"""Lines of text that a card shows."""
LETTERS: Final = 44
"""Letters of a line that a card shows."""
CARD: Final = 300
WIDTH: Final = 3 * CARD + 20
INK, FAINT, PAPER, LINE = "#1b1f24", "#59636e", "#ffffff", "#d1d9e0"
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


def wrapped(text: str) -> Iterator[str]:
    """Yield the lines that a card shows, long ones broken."""
    for line in text.rstrip("\n").split("\n"):
        yield from (line[at : at + LETTERS] for at in range(0, max(1, len(line)), LETTERS))


def card(number: int, tokens: int, most: int, title: str, text: str) -> Iterator[str]:
    """Yield a text with its tokens as a number and as a bar."""
    x = 10 + number * CARD
    yield words(x + 12, 30, f"{tokens:,} tokens", "font-size='17' font-weight='bold'")
    yield words(x + 12, 48, title, f"fill='{FAINT}'")
    colour = (GREY, GREEN, BLUE)[number]
    yield f"<rect x='{x + 12}' y='56' width='{CARD - 34}' height='7' rx='3' fill='#eef1f4'/>"
    width = max(3, (CARD - 34) * tokens / most)
    yield f"<rect x='{x + 12}' y='56' width='{width:.1f}' height='7' rx='3' fill='{colour}'/>"
    lines = list(wrapped(text))
    shown = lines[:LINES] + (["…"] if len(lines) > LINES else [])
    mono = "font-family='monospace' font-size='10' xml:space='preserve'"
    yield from (words(x + 12, 84 + 14 * at, line, mono) for at, line in enumerate(shown))
    if number:
        yield f"<path d='M{x} 16V290' stroke='{LINE}'/>"


def before_after() -> str:
    """Draw compact JSON, the same with nothing lost, and what a budget keeps."""
    data = (ROOT / "examples/builds.json").read_bytes()
    plain = dump(json.loads(data))
    whole, some = mckp.encode(data), mckp.encode(data, budget=BUDGET)
    count = mckp.compare(data).rows
    tokens = next(row.tokens for row in count if row.format == "json")
    kept = f"within {BUDGET}: {some.value:g} of {some.total:g} facts, {some.status}"
    cards = (
        (tokens, "compact JSON", plain),
        (whole.tokens, "mckp, nothing lost", whole.text),
        (some.tokens, f"mckp {kept}", some.text),
    )
    parts = [part for at, each in enumerate(cards) for part in card(at, each[0], tokens, *each[1:])]
    return page(WIDTH, 306, "a document as JSON, whole, and within a budget", parts)


def budget() -> str:
    """Draw the best value for every budget, and below it the formats of the text."""
    data = (ROOT / "examples/builds.json").read_bytes()
    shown = mckp.encode(data, budget=BUDGET).frontier()._repr_html_()  # pyright: ignore[reportPrivateUsage]
    found = re.search(r"<svg viewBox='0 0 (\d+) (\d+)'[^>]*>(.*?)</svg>", shown, re.DOTALL)
    assert found is not None
    inner = found[3].replace("currentColor", INK)
    said = f"Facts kept by tokens, and the formats of the text, from a menu made for {BUDGET}"
    title = words(16, 24, said)
    body = f"<g transform='translate(8 34)'>{inner}</g>"
    return page(int(found[1]) + 24, int(found[2]) + 44, "value over budget", [title, body])


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
    "before-after": before_after,
    "budget": budget,
    "formats": formats,
}


def main() -> None:
    """Write all pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, draw in MADE.items():
        (PICTURES / f"{name}.svg").write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Pieces of SVG, boxes with labels and colours of formats: a result, and a curve of budgets."""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mckp.display.blocks import HINTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Steps = Sequence[tuple[int, float]]
    Areas = Sequence[tuple[int, Mapping[str, int]]]

_ROW_HEIGHT_PX: Final = 22


def bar(source: int | None, split: Mapping[str, int]) -> str:
    """Return a picture of the tokens of a text by format, beside those of its source if known.

    Examples
    --------
    >>> bar(60, {"rows": 20, "kv": 10}).count("<g><title>")
    3
    """
    tokens = sum(split.values())
    title = f"{tokens} tokens" + ("" if source is None else f" of {source} in the source")
    return picture(2 * _ROW_HEIGHT_PX, title, _parts(source or 0, tokens, split))


def _parts(source: int, tokens: int, split: Mapping[str, int]) -> Iterator[str]:
    scale, x = WIDTH_PX / max(1, source, tokens), 0.0
    for name, count in split.items():
        tip = f"{name}: {count} tokens"
        yield box(x, 0, count * scale, _ROW_HEIGHT_PX - 4, colour(name), tip, f"{count} tokens")
        x += count * scale
    if source > tokens:
        tip = f"source: {source} tokens, {source - tokens} more than the text"
        yield box(x, 0, WIDTH_PX - x, _ROW_HEIGHT_PX - 4, CUT, tip, f"{tokens} of {source} tokens")
    yield legend(split, 2 * _ROW_HEIGHT_PX - 6, 0)


def formats(rows: Sequence[tuple[str, int, bool]], names: int = 130) -> str:
    """Return a bar for each of some formats, hatched where something is lost.

    Examples
    --------
    >>> formats([("kv", 7, False), ("csv", 12, True)]).count("<g><title>")
    2
    """
    scale = (WIDTH_PX - names - 60) / max(1, *(tokens for _, tokens, _ in rows))
    parts: list[str] = []
    for number, (name, tokens, is_lossy) in enumerate(rows):
        y, fill = number * _ROW_HEIGHT_PX, CUT if is_lossy else colour(name)
        parts.append(words(0, y + 13, name))
        tip = f"{name}: {tokens} tokens"
        parts.append(box(names, y, tokens * scale, _ROW_HEIGHT_PX - 4, fill, tip))
        parts.append(words(names + tokens * scale + 6, y + 13, f"{tokens:,}"))
    return picture(_ROW_HEIGHT_PX * len(rows), "tokens by format", parts)


def shown(
    text: str, split: Mapping[str, int], facts: Iterable[tuple[str, str]], source: int | None
) -> str:
    """Return facts, a text of which some twenty lines are in sight, and its tokens by format."""
    line = " · ".join(f"{escape(name)} <b>{escape(fact)}</b>" for name, fact in facts)
    style = "max-height:27em;overflow:auto;line-height:1.35;white-space:pre-wrap"
    return f"<div><p>{line}</p><pre style='{style}'>{escape(text)}</pre>{bar(source, split)}</div>"


_COLOURS: Final = {
    "json": "#e69f00",
    "kv": "#56b4e9",
    "csv": "#f0e442",
    "table": "#cc79a7",
    "prose": "#9ad0b8",
    "fence": "#d9a679",
    "mckp_v2": "#b3a2d0",
    "rows": "#2fb38a",
    "flow": "#7480d8",
    "derived": "#e58a5b",
    "phrases": "#c9b458",
    "toon": "#a3c586",
    HINTS: "#bbbbbb",
}
"""Light enough for black letters, and apart for most of the colour-blind (after Okabe and Ito)."""

OTHER: Final = "#b8b8b8"
"""What has no colour of its own, such as the source."""


def colour(format_: str) -> str:
    """Return the colour of a format."""
    return _COLOURS.get(format_, OTHER)


WIDTH_PX: Final = 720
_LETTER_PX: Final = 6.6
_HATCH: Final = (
    "<defs><pattern id='mckp-cut' width='6' height='6' patternUnits='userSpaceOnUse' "
    "patternTransform='rotate(45)'><rect width='6' height='6' fill='#808080' fill-opacity='.18'/>"
    "<rect width='2' height='6' fill='#808080' fill-opacity='.55'/></pattern></defs>"
)
CUT: Final = "url(#mckp-cut)"
"""The fill of what was cut."""


def picture(height: float, title: str, parts: Iterable[str]) -> str:
    """Return a picture that shrinks with the page."""
    return (
        f"<svg viewBox='0 0 {WIDTH_PX} {height:g}' width='{WIDTH_PX}' role='img' "
        "font-family='sans-serif' font-size='11' style='max-width:100%;height:auto' "
        f"xmlns='http://www.w3.org/2000/svg'><title>{escape(title)}</title>{_HATCH}"
        f"{''.join(parts)}</svg>"
    )


def box(
    x: float, y: float, width: float, height: float, fill: str, tip: str, label: str = ""
) -> str:
    """Return a box with a tooltip, and with a label if there is room for some of it."""
    shown = fitted(label, width - 6)
    ink = "currentColor" if fill == CUT else "#000"
    text = (
        f"<text x='{x + 3:.1f}' y='{y + height / 2 + 4:.1f}' fill='{ink}'>{escape(shown)}</text>"
        if shown
        else ""
    )
    return (
        f"<g><title>{escape(tip)}</title><rect x='{x:.1f}' y='{y:.1f}' width='{width:.1f}' "
        f"height='{height:.1f}' fill='{fill}' stroke='#808080' stroke-width='.5'/>{text}</g>"
    )


def column(x: float, y: float, width: float, height: float, name: str, tip: str) -> str:
    """Return a box in the colour of a format, without a frame, to stand close to others."""
    return (
        f"<g><title>{escape(tip)}</title><rect x='{x:.1f}' y='{y:.1f}' width='{width + 0.2:.1f}' "
        f"height='{height:.1f}' fill='{colour(name)}'/></g>"
    )


def words(x: float, y: float, text: str, anchor: str = "start") -> str:
    """Return a line of text in the colour of the page."""
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' fill='currentColor' text-anchor='{anchor}'>"
        f"{escape(text)}</text>"
    )


def legend(names: Iterable[str], y: float, x: float = 0) -> str:
    """Return the formats with their colours, on one line."""
    parts: list[str] = []
    for name in names:
        parts.append(
            f"<rect x='{x:.1f}' y='{y - 9:.1f}' width='10' height='10' "
            f"fill='{colour(name)}' stroke='#808080' stroke-width='.5'/>"
        )
        parts.append(words(x + 14, y, name))
        x += 28 + _LETTER_PX * len(name)
    return "".join(parts)


def fitted(label: str, width: float) -> str:
    """Return as much of a label as fits a width; nothing if that is next to nothing.

    Examples
    --------
    >>> fitted("repository", 90), fitted("repository", 40), fitted("repository", 9)
    ('repository', 'repos…', '')
    """
    room = int(width / _LETTER_PX)
    if len(label) <= room:
        return label
    return f"{label[: room - 1]}…" if room >= 3 else ""


_LEFT_PX: Final = 46
_TOP_PX: Final = 16
_HEIGHT_PX: Final = 170
_SHARES_PX: Final = 70
_GAP_PX: Final = 26
_MAX_POINTS: Final = 500


def drawing(steps: Steps, areas: Areas, total: float, budget: int | None, method: str) -> str:
    """Return a picture of the curve, the value to its best and the formats to a whole.

    Examples
    --------
    >>> drawing([(3, 0), (9, 5)], [(3, {"hint": 3}), (9, {"kv": 9})], 5, 6, "all").count("<path")
    3
    """
    height = _TOP_PX + _HEIGHT_PX + _GAP_PX + (_SHARES_PX + 24 if areas else 0)
    plot = _Plot(steps[0][0], max(steps[-1][0], steps[0][0] + 1), total or 1)
    title = f"value over budget; {method}"
    return f"<div>{picture(height, title, plot.parts(steps, areas, budget))}<p>{method}</p></div>"


class _Plot:
    def __init__(self, first: int, last: int, total: float) -> None:
        self.first, self.last, self.total = first, last, total

    def x(self, budget: float) -> float:
        return _LEFT_PX + (WIDTH_PX - _LEFT_PX - 8) * (budget - self.first) / (
            self.last - self.first
        )

    def y(self, value: float) -> float:
        return _TOP_PX + _HEIGHT_PX * (1 - value / self.total)

    def parts(self, steps: Steps, areas: Areas, budget: int | None) -> Iterator[str]:
        yield from self.frame()
        yield self.curve(steps)
        if budget is not None and self.first <= budget <= self.last:
            yield self.mark(budget)
        if areas:
            yield from self.shares(areas)

    def frame(self) -> Iterator[str]:
        bottom = self.y(0)
        yield (
            f"<path d='M{_LEFT_PX},{_TOP_PX}V{bottom:.1f}H{WIDTH_PX - 8}' fill='none' "
            "stroke='currentColor' stroke-width='.6'/>"
        )
        for part in (0, 0.5, 1):
            yield words(
                _LEFT_PX - 4, self.y(part * self.total) + 4, f"{part * self.total:g}", "end"
            )
        for budget in (self.first, (self.first + self.last) // 2, self.last):
            anchor = "end" if budget == self.last else "middle"
            yield words(self.x(budget), bottom + 14, f"{budget}", anchor)
        yield words(_LEFT_PX + 6, _TOP_PX - 4, "value")

    def curve(self, steps: Steps) -> str:
        size = len(steps)
        places = (
            [n * size // _MAX_POINTS for n in range(_MAX_POINTS)]
            if size > _MAX_POINTS
            else range(size)
        )
        shown = [*(steps[place] for place in places), steps[-1]]
        bends = "".join(f"H{self.x(b):.1f}V{self.y(v):.1f}" for b, v in shown)
        first = f"M{self.x(shown[0][0]):.1f},{self.y(shown[0][1]):.1f}"
        return f"<path d='{first}{bends}' fill='none' stroke='currentColor' stroke-width='1.4'/>"

    def mark(self, budget: int) -> str:
        x = self.x(budget)
        return (
            f"<g><title>budget {budget}</title><path d='M{x:.1f},{_TOP_PX}V{self.y(0):.1f}' "
            "stroke='currentColor' stroke-dasharray='3 3' stroke-width='.8'/></g>"
        )

    def shares(self, areas: Areas) -> Iterator[str]:
        """Yield a column for each budget, up to halfway to the next."""
        top = _TOP_PX + _HEIGHT_PX + _GAP_PX
        middles = [(a[0] + b[0]) / 2 for a, b in pairwise(areas)]
        edges = [self.first, *middles, self.last]
        for (budget, split), (begin, end) in zip(areas, pairwise(edges), strict=True):
            x, width, y = self.x(begin), self.x(end) - self.x(begin), float(top)
            for name, count in split.items():
                height = _SHARES_PX * count / max(1, sum(split.values()))
                yield column(x, y, width, height, name, f"{name}: {count} of {budget}")
                y += height
        yield words(_LEFT_PX - 4, top + 10, "tokens", "end")
        names = dict.fromkeys(name for _, split in areas for name in split)
        yield legend(names, top + _SHARES_PX + 18, _LEFT_PX)

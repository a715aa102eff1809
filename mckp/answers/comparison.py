"""One document in every format: what `compare` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.encoders import BASELINES, DENSE, JSON, NATIVE, write_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mckp.result import Result
    from mckp.tokenizers.base import Tokenizer
    from mckp.tree import TreeNode


MIXES: Final = ("mckp", "mckp dense")
"""Rows of a comparison that mix formats."""


class Measured(NamedTuple):
    """The figures of a format: its tokens, their ratio to the reference, and what it loses.

    If it takes fewer tokens than ``mckp``, `note` says why the mix does not use it.
    """

    format: str
    tokens: int
    ratio: float
    loss: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Tokens of one document in every format that fits it: fewest first, lossy ones last.

    Attributes
    ----------
    rows : tuple of Measured
        One for each format; ``mckp`` and ``mckp dense`` are mixes.
    reference : str
        What ratios refer to: ``json`` for data, ``source`` for text documents.
    tokenizer : str
        The tokenizer that counted.
    """

    rows: tuple[Measured, ...]
    reference: str
    tokenizer: str

    def to_text(self) -> str:
        """Return the table as aligned text."""
        lines = [f"{'format':12} {'tokens':>6} {'ratio':>6}  loss"]
        for row in self.rows:
            line = f"{row.format:12} {row.tokens:6d} {row.ratio:6.2f}  {row.loss:11}{row.note}"
            lines.append(line.rstrip())
        return "\n".join(lines)

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain data that JSON can hold."""
        rows = [row._asdict() for row in self.rows]
        return {"tokenizer": self.tokenizer, "reference": self.reference, "rows": rows}

    def to_html(self, title: str = "Formats side by side") -> str:
        """Return a page with a bar for each format."""
        from mckp.display.page import sheet

        return sheet(title, self._repr_html_())

    def _repr_html_(self) -> str:
        from mckp.display.blocks import CUT, Bar, BarPart, bars, colour

        shown: list[Bar] = []
        for row in self.rows:
            fill = colour(row.format) if row.loss == "none" else CUT
            part = BarPart(f"{row.format}: {row.tokens} tokens", row.tokens, fill)
            remark = row.note if row.loss == "none" else f"loses data: {row.loss}"
            shown.append(Bar(row.format, [part], f"{row.tokens:,} tokens, {row.ratio:.2f}", remark))
        note = f"<p class='note'>tokens by {self.tokenizer}; ratio to {self.reference}</p>"
        return note + bars("tokens by format", shown)


def comparison_of(tree: TreeNode, mixes: Mapping[str, Result], tokenizer: Tokenizer) -> Comparison:
    """Count a document in every format that fits it, and in the named `mixes`."""
    reference = tokenizer.count(tree.source_text)
    name = JSON.name if tree.is_json else "source"
    entries = [(mix, result.tokens, "none") for mix, result in mixes.items()]
    entries.append((name, reference, "none"))
    for format_ in (*DENSE, *BASELINES) if tree.is_json else ():
        texts = [] if format_ is JSON else list(write_all(tree.value, format_))
        if texts:  # some formats have several layouts
            tokens, loss = min(tokenizer.count_batch(texts)), format_.loss.name.lower()
            entries.append((format_.name, tokens, loss.replace("_", " ")))
    mixed, dense = (mixes[mix].tokens if mix in mixes else 0 for mix in ("mckp", "mckp dense"))
    rows = [
        Measured(
            label,
            tokens,
            tokens / max(1, reference),
            loss,
            _reason_unused(label, loss, is_below_dense=tokens < dense) if tokens < mixed else "",
        )
        for label, tokens, loss in entries
    ]
    ordered = sorted(rows, key=lambda row: (row.loss != "none", row.tokens))
    return Comparison(tuple(ordered), name, tokenizer.name)


def _reason_unused(format_: str, loss: str, *, is_below_dense: bool) -> str:
    """Return why the default mix does not use a format that takes fewer tokens than the mix.

    `is_below_dense` says that it also takes fewer than the mix of dense formats.
    """
    if loss != "none":
        return "loses data"
    if format_ in {native.name for native in NATIVE}:
        return ONE_LINE
    return f"{DENSE_ONLY}; {ONE_LINE}" if is_below_dense else DENSE_ONLY


DENSE_ONLY: Final = "needs formats=dense"
ONE_LINE: Final = "one long line; mckp gives each row its own line"
"""Why a mix does not use a format that is shorter."""


def side_by_side(comparisons: Sequence[Comparison]) -> str:
    """Return the tokens of each format as a table of text, with a column for each tokenizer.

    Formats are in the order of the first comparison. ``*`` marks the fewest tokens of a format
    that loses nothing and is no mix.
    """
    columns = [{row.format: row for row in comparison.rows} for comparison in comparisons]
    widths = [max(len(comparison.tokenizer), 7) for comparison in comparisons]
    fewest = [
        min(
            (
                row.tokens
                for row in comparison.rows
                if row.loss == "none" and row.format not in MIXES
            ),
            default=0,
        )
        for comparison in comparisons
    ]
    heads = (
        f"{comparison.tokenizer:>{width}} "
        for comparison, width in zip(comparisons, widths, strict=True)
    )
    lines = [f"{'format':12} {' '.join(heads)} loss"]
    for row in comparisons[0].rows:
        counted = [column.get(row.format) for column in columns]
        cells = (
            f"{'-' if cell is None else cell.tokens:>{width}}"
            f"{'*' if cell and cell.tokens == least and cell.loss == 'none' else ' '}"
            for cell, width, least in zip(counted, widths, fewest, strict=True)
        )
        lines.append(f"{row.format:12} {' '.join(cells)} {row.loss}".rstrip())
    return "\n".join(lines)

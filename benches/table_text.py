"""Tables as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def markdown(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a table.

    Examples
    --------
    >>> print(markdown(["a", "b"], [["1", ""]]), end="")
    | a | b |
    |---|---|
    | 1 |  |
    """
    lines = [list(heads)]
    text = "| " + " | ".join(lines[0]) + " |\n" + "|---" * len(lines[0]) + "|\n"
    return text + "".join("| " + " | ".join(row) + " |\n" for row in rows)

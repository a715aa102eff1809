"""Sections: a flat run of blocks, nested by the levels of its headings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.parsers.drafts import Draft
from mckp.tree import Kind, Span

if TYPE_CHECKING:
    from collections.abc import Iterable


def nest(blocks: Iterable[Draft]) -> list[Draft]:
    """Put each block below the last heading before it, and sections below higher ones.

    Examples
    --------
    >>> levels = [Draft(Kind.SECTION, Span(i, i + 1), attrs={"level": n})
    ...           for i, n in enumerate([1, 3, 2])]
    >>> [top] = nest(levels)
    >>> [child.attrs["level"] for child in top.children], top.span.end
    ([3, 2], 3)
    """
    chain = [Draft(Kind.DOCUMENT, Span(0, 0), attrs={"level": 0})]
    for block in blocks:
        if block.kind is Kind.SECTION:
            while chain[-1].attrs["level"] >= block.attrs["level"]:
                chain.pop()
        for above in chain:
            above.span.end = block.span.end
        chain[-1].children.append(block)
        if block.kind is Kind.SECTION:
            chain.append(block)
    return chain[0].children

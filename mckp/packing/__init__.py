"""Packs several documents into one budget: each whole, cut, named or skipped, by one choice.

The steps are those of `mckp.api`, and one more: the tables of all documents become one.

::

    items  = read(documents)                  parse, weigh and price each; equal ones are one
    table  = joined(items)                    a class for each item above its own classes
    picks  = solve(table, budget)             how each is written
    result = verify(render(items, picks))     count the text, decode it, compare
"""

from __future__ import annotations

from mckp.packing.call import pack as pack
from mckp.packing.result import PackResult as PackResult
from mckp.packing.result import Share as Share

__all__ = ("PackResult", "Share", "pack")

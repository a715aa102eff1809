"""How long counting takes; run ``pytest benches/time_pricing.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from samples import samples

from mckp.encoders import select
from mckp.jsontext import dump
from mckp.menu_plan import MenuPlan
from mckp.parsers import as_tree
from mckp.tokenizers import get

if TYPE_CHECKING:
    from mckp.plan import Plan

TOKENIZERS = ["o200k", "cl100k"]


@pytest.mark.parametrize("name", TOKENIZERS)
def test_count(benchmark: Any, rows: int, name: str) -> None:
    """Orders as compact JSON, as one text."""
    text = dump(dict(samples(rows=rows))["orders"])
    assert 0 < benchmark(get(name).count, text) < len(text)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_count_many(benchmark: Any, rows: int, name: str) -> None:
    """Orders as compact JSON, a text each, in one batch."""
    texts = [dump(order) + "\n" for order in dict(samples(rows=rows))["orders"]]
    counts = benchmark(get(name).count_batch, texts)
    assert sum(counts) == get(name).count("".join(texts))


@pytest.mark.parametrize("level", ["standard", "native"])
def test_menu(benchmark: Any, rows: int, level: str) -> None:
    """The menu of orders, all of its texts counted."""
    tree, formats = as_tree(dict(samples(rows=rows))["orders"], None), select(level)
    plan: Plan = benchmark(MenuPlan, tree, formats, get("o200k"))
    assert plan.most > 0

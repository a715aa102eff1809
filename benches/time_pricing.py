"""How long counting takes; run ``pytest benches/time_pricing.py``."""

from __future__ import annotations

from typing import Any

import pytest
from samples import samples

import mckp
from mckp.jsontext import dump
from mckp.tokenizers import get

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


@pytest.mark.parametrize("name", TOKENIZERS)
def test_compare(benchmark: Any, rows: int, name: str) -> None:
    """Orders written in every format and counted."""
    data = dict(samples(rows=rows))["orders"]
    assert benchmark(mckp.compare, data, tokenizer=name).rows

"""Prices made of units are the counts of the texts themselves."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mckp.columns.count import priced
from mckp.columns.decide import write_each
from mckp.columns.document import document_tape
from mckp.columns.fill import filled
from mckp.columns.scratch import scratch_for
from mckp.jsontext import dumped
from mckp.tokenizers.bpe import Bpe
from tests.strategies import KEYS, SCALARS, TABLES, VALUES, examples

FORMATS = {"standard": 0b111111, "native": 0b11111111, "derived": 0b111111111}

_PHRASES = st.lists(
    st.sampled_from(
        [
            *("a", "Zz", "ok", "12", "1234 5", "2019-03-01", "-5", "a_b", "x.", "(y)", "...", "__"),
            *(
                "don't",
                "'s",
                "It's",
                "'ll",
                "won't 'll",
                "\u017f",
                "é",
                "naïve",
                "日本 a",
                "a 日本",
            ),
            *("/p", "/ q", "  ", "b  c", ", d", "e, f", "g|h", '"q"', "\\n", "a\nb"),
            "<|endoftext|>",
        ]
    ),
    min_size=1,
    max_size=6,
).map(" ".join)


def _nested(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    records = st.dictionaries(st.sampled_from("abcd"), values, max_size=4)
    return (
        st.lists(values, max_size=4)
        | st.dictionaries(KEYS | _PHRASES, values, max_size=4)
        | st.lists(records, max_size=5)
    )


PHRASED = st.recursive(SCALARS | _PHRASES, _nested, max_leaves=25)
"""Values whose strings are words between which counts may and may not add up."""


@pytest.mark.parametrize("vocabulary", ["o200k_base", "cl100k_base"])
@given(value=PHRASED | VALUES | TABLES)
@example(value="a{b")
@example(value=[["x"], [-1, "it's"], ["a b", True]])
@example(value={"a": {"b": [None, "/", "c."]}, "": [{"x": "1,2", "y": "|"}, {"x": ">"}]})
@examples(300)
def test_sums_of_units_are_counts_of_texts(vocabulary: str, value: Any) -> None:
    tape = document_tape(dumped(value))
    assert tape is not None
    counter, scratch = Bpe(vocabulary), scratch_for(tape)
    menu = filled(tape, FORMATS["derived"], scratch)
    options = np.arange(len(menu.options))
    out, ends = np.empty(1 << 20, np.uint8), np.empty(len(options) + 1, np.int64)
    assert write_each(tape, menu, scratch, options, out, ends) <= out.size
    texts = [out[start:end].tobytes().decode() for start, end in pairwise(ends)]
    assert priced(tape, menu, scratch, counter).tolist() == counter.count_batch(texts)

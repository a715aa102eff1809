"""Where a document counts its own rows, and some are cut, the hint at the cut has the count."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.encoders.hints import Overflow
from tests.strategies import examples
from tests.within import fitted, notes_in

FORMATS = ["csv", "table", "kv", "rows", "derived", "prose", "fence", "flow", "mckp_v2"]
LEVELS: list[Any] = ["standard", "native", "dense", *(["json", "kv", name] for name in FORMATS)]


@st.composite
def counted(draw: st.DrawFn) -> dict[str, Any]:
    texts = st.sampled_from(["open", "closed now", "a text of more words than one", "1", ""])
    record = st.fixed_dictionaries({"id": st.integers(0, 999)}, optional={"s": texts, "t": texts})
    items = draw(st.sampled_from([record, texts, st.lists(texts, max_size=3)]))
    rows = draw(st.lists(items, min_size=2, max_size=24))
    return {"total": len(rows), "rows": rows, "has_more": False}


@pytest.mark.parametrize("formats", LEVELS, ids=str)
@given(value=counted(), budget=st.integers(15, 200))
@examples(40)
def test_count_stands_at_the_cut(formats: Any, value: dict[str, Any], budget: int) -> None:
    """Fewer rows than counted are never left without a hint and an entry of what was cut."""
    result = fitted(value, budget=budget, formats=formats)
    found = mckp.decode(result.text)
    if found is mckp.ABSENT or "rows" not in found:
        return
    kept, total = len(found["rows"]), len(value["rows"])
    hints = notes_in(result.text)
    of_rows = [hint for hint in hints if hint.unit in ("rows", "items")]
    cuts = [
        cut
        for cut in result.elided
        if cut.path == ("rows",) and cut.keys and cut.kind in ("rows", "items")
    ]
    if kept == total:
        assert (of_rows, cuts) == ([], [])
        return
    if not of_rows:  # the first items on a line, with a note that counts facts
        assert any(cut.kind == "facts" and cut.count >= total - kept for cut in result.elided)
        assert any(hint.unit == "facts" for hint in hints)
        return
    assert [hint.missing for hint in of_rows] == [total - kept]
    assert [(cut.count, cut.total) for cut in cuts] == [(total - kept, total)]
    assert f"$.rows: {total - kept} of {total} " in result.summary()


def test_the_hint_follows_the_last_row() -> None:
    """The hint is the line behind the rows that were kept, in every format with lines for rows."""
    rows = [{"name": f"item {n}"} for n in range(20)]
    for name in ("csv", "table", "rows", "kv"):
        result = mckp.encode({"total": 20, "rows": rows}, budget=60, formats=["json", "kv", name])
        kept, lines = mckp.decode(result.text)["rows"], result.text.split("\n")
        written = [str(Overflow(20 - len(kept), 20, unit)) for unit in ("rows", "items")]
        [place] = [number for number, line in enumerate(lines) if line in written]
        assert kept[-1]["name"] in lines[place - 1]

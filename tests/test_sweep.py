"""One document in several ways within many budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

import mckp

if TYPE_CHECKING:
    from mckp.result import Result

DATA = {
    "page": 1,
    "jobs": [{"id": n, "state": "done" if n % 3 else "failed", "runs": n * 7} for n in range(20)],
}
WAYS: Final[dict[str, dict[str, Any]]] = {
    "auto": {},
    "binary": {"solver": "binary"},
    "kv": {"formats": ["kv"]},
}


def failed(result: Result) -> float:
    """Return the share of the failed jobs that a text shows."""
    return result.text.count("failed") / 7


@pytest.mark.slow
def test_a_row_is_what_encode_gives() -> None:
    """Each row has the figures of one call, and the exact choice never keeps less."""
    swept = mckp.sweep(DATA, WAYS, [90, 40, 40], recall=failed)
    assert swept.budgets == (40, 90)
    assert swept.ways == tuple(WAYS)
    for row in swept.rows:
        result = mckp.encode(DATA, budget=row.budget, **WAYS[row.way])
        assert (row.tokens, row.status) == (result.tokens, result.status)
        assert row.value == pytest.approx(result.value / result.total)
        assert row.recall == failed(result)
    best = {row.budget: row.value for row in swept.rows if row.way == "auto"}
    assert all(row.value <= best[row.budget] + 1e-9 for row in swept.rows)


def test_a_budget_too_small_has_no_row() -> None:
    """A way that has no text within a budget leaves a gap, also in the table and the picture."""
    data = {"jobs": [{"id": n} for n in range(9)]}
    swept = mckp.sweep(data, {"a": {"priorities": {"**.id": "pin"}}, "b": {}}, [5, 60])
    assert [(row.way, row.budget) for row in swept.rows] == [("a", 60), ("b", 5), ("b", 60)]
    assert swept.to_text().splitlines()[1].split() == ["5", "0.000"]
    page = getattr(swept, "_repr_html_")()  # noqa: B009
    assert "<table>" in page


@pytest.mark.slow
def test_budgets_reach_the_whole() -> None:
    """Without budgets there are twenty; the last one holds everything."""
    swept = mckp.sweep(DATA, {"auto": {}})
    assert len(swept.budgets) == 20
    assert swept.rows[-1].value == 1
    assert swept.to_dict()["budgets"] == list(swept.budgets)


@pytest.mark.slow
def test_a_picture_has_a_line_for_each_way() -> None:
    """The picture needs matplotlib; recall is drawn only if it was asked for."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    swept = mckp.sweep(DATA, WAYS, [40, 90], recall=failed)
    axes = swept.plot(pyplot.figure().gca(), y="recall")
    assert [line.get_label() for line in axes.get_lines()] == list(WAYS)
    assert axes.get_lines()[0].get_ydata()[0] == swept.rows[0].recall
    with pytest.raises(ValueError, match="recall="):
        mckp.sweep(DATA, {"auto": {}}, [40]).plot(y="recall")
    with pytest.raises(ValueError, match="'value' or 'recall'"):
        swept.plot(y="tokens")


def test_what_cannot_be_compared_is_an_error() -> None:
    """There are ways and budgets, and all ways share the budget, the tokenizer and the kind."""
    with pytest.raises(ValueError, match="ways is empty"):
        mckp.sweep(DATA, {})
    bad: Any
    for bad in ([], ["50%", 40], [40.0]):
        with pytest.raises(ValueError, match="whole numbers"):
            mckp.sweep(DATA, {"auto": {}}, bad)
    for option in ({"tokenizer": "cl100k"}, {"budget": 9}, {"kind": "json"}):
        with pytest.raises(ValueError, match=f"{next(iter(option))} is the same"):
            mckp.sweep(DATA, {"auto": option}, [40])


def test_a_way_without_a_text_keeps_its_name() -> None:
    """A way that fits no budget is a column without figures."""
    swept = mckp.sweep(DATA, {"all": {"priorities": {"**": "pin"}}}, [5])
    assert (swept.rows, swept.ways) == ((), ("all",))
    assert swept.to_text().split() == ["budget", "all", "5"]

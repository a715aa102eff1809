"""What callers say matters decides what is kept."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import mckp
from mckp.parsers.embedded import extract
from mckp.weights import facts
from tests.strategies import TABLES, VALUES, examples

JOBS = [
    {"id": n, "ok": n % 2 == 0, "url": f"https://example.com/jobs/{n * 7919}", "name": f"job {n}"}
    for n in range(12)
]
DOCUMENT = {"page": 1, "jobs": JOBS}


def one_token(_: str) -> int:
    return 1


def decoded_within(budget: int, **wishes: Any) -> Any:
    return mckp.decode(mckp.encode(DOCUMENT, budget=budget, **wishes).text)


def test_columns_go_where_more_rows_are_worth_more() -> None:
    """Dear columns are cut so that all rows are kept."""
    jobs = decoded_within(110)["jobs"]
    assert len(jobs) == 12
    assert jobs[3] == {"id": 3, "ok": False, "name": "job 3"}


def test_a_factor_keeps_what_is_dear() -> None:
    """A large factor keeps its column at the cost of another one."""
    decoded = decoded_within(110, weights="facts", priorities={"**.url": 50})
    assert sum("url" in job for job in decoded["jobs"]) == 8
    assert not any("name" in job for job in decoded["jobs"])


def test_position_keeps_what_comes_first() -> None:
    """Weights by position keep the first rows."""
    ids = [job["id"] for job in decoded_within(60, weights="position")["jobs"]]
    assert ids == list(range(len(ids)))


def test_pins_that_do_not_fit_are_named() -> None:
    """Pins that do not fit are an error that names them and a floor."""
    with pytest.raises(
        mckp.BudgetError, match=r"pinned \(\$\.jobs\[0\]\.url, .* and 8 more\)"
    ) as e:
        mckp.encode(DOCUMENT, budget=20, priorities={"**.url": "pin"})
    assert len(e.value.pinned) == 12
    assert mckp.encode(DOCUMENT, budget=e.value.floor + 12, priorities={"**.url": "pin"})


@pytest.mark.slow
@pytest.mark.parametrize("count", ["o200k", "chars:3.5", one_token])
@pytest.mark.parametrize("pins", [None, {"page": "pin", "jobs[3].url": "pin"}])
def test_what_does_not_fit_is_less_than_what_may(pins: Any, count: Any) -> None:
    """Pinned or not, whoever counts, the least budget that is named is above the one given."""
    for budget in range(40):
        try:
            mckp.encode(DOCUMENT, budget=budget, priorities=pins, tokenizer=count)
        except mckp.BudgetError as error:
            floor = error.floor
        else:
            break
        assert floor > budget


def test_least_text_with_pins_fits_and_one_token_less_does_not() -> None:
    """With pins, a budget just above the floor works, and one below it does not."""
    with pytest.raises(mckp.BudgetError) as error:
        mckp.encode(DOCUMENT, budget=1, priorities={"page": "pin"})
    floor = error.value.floor
    assert mckp.encode(DOCUMENT, budget=floor + 8, priorities={"page": "pin"}).tokens <= floor + 8
    with pytest.raises(mckp.BudgetError):
        mckp.encode(DOCUMENT, budget=floor - 1, priorities={"page": "pin"})


@pytest.mark.parametrize("formats", ["standard", "native", "dense", ["json"], ["json", "kv"]])
@pytest.mark.parametrize("budget", [None, 80])
def test_what_is_dropped_is_gone_and_counted(formats: Any, budget: int | None) -> None:
    """What is dropped is in no text, and a note counts it."""
    wishes = {"**.url": "drop", "page": "drop"}
    result = mckp.encode(DOCUMENT, budget=budget, formats=formats, priorities=wishes)
    assert "url" not in result.text
    assert "> [+13 facts]" in result.text
    assert str(result.elided[0]).startswith("$: 13 of 49 facts")
    if budget is None:
        wanted = [{k: v for k, v in job.items() if k != "url"} for job in JOBS]
        assert mckp.decode(result.text) == {"jobs": wanted}


@pytest.mark.parametrize("formats", [["json"], ["flow"], ["csv"], "native"])
def test_what_is_dropped_is_noted_by_all_that_is_shorter(formats: Any) -> None:
    """Parts of a document say it too; where nothing is left, one hint says all there was."""
    note = ". ".join(f"Sentence {n} is about {'it ' * (n % 7)}again" for n in range(60))
    value = [{"id": 1, "url": "x", "note": note}, {"id": 2, "note": note[:700]}]
    whole = mckp.encode(value, priorities={"**.url": "drop"}, formats=formats)
    for budget in range(40, whole.tokens, 29):
        result = whole.at(budget)
        assert "> [+1 facts]\n" in result.text or result.text == "> [+5 facts]\n"
        assert sum(cut.count for cut in result.elided if cut.kind == "facts") >= 1


def equal(weight: float, leaves: Sequence[Any]) -> list[float]:
    return [weight] * len(leaves)


@pytest.mark.parametrize("weight", [1e12, 1e300, 5e305])
def test_large_weights_are_shared_exactly(weight: float) -> None:
    """Enormous weights lead to an optimal result with shortened texts."""
    value = [{"id": n, "note": "It works. " * 30} for n in range(9)]
    result = mckp.encode(value, budget=60, weights=partial(equal, weight))
    assert result.status == "optimal"
    assert "…" in result.text
    assert 0.5 < result.value / result.total < 1


def test_all_dropped_is_an_error() -> None:
    """Dropping the whole document is an error."""
    with pytest.raises(mckp.WeightError, match="the whole document is dropped"):
        mckp.encode(DOCUMENT, priorities={"**": "drop"})


def test_patterns_that_match_nothing_warn() -> None:
    """A pattern without a match warns, and is listed by the result."""
    with pytest.warns(mckp.UnmatchedWarning, match="did you mean 'name'"):
        result = mckp.encode(DOCUMENT, priorities={"jobs[*].nmae": 3, "**.id": 2})
    assert result.unmatched == ("jobs[*].nmae",)
    assert "jobs[*].nmae" in result.summary()


def test_a_query_finds_its_record() -> None:
    """The record that a query names is kept."""
    names = [
        job.get("name") for job in decoded_within(45, query="job 7", formats="standard")["jobs"]
    ]
    assert "job 7" in names


@given(
    value=TABLES | VALUES,
    budget=st.integers(0, 80),
    factor=st.sampled_from([0, 0.1, 1, 3, "pin", "drop"]),
    pattern=st.sampled_from(["**.id", "**", "*", "[0]", "a.b", "**[*].name"]),
    level=st.sampled_from(["standard", "native"]),
)
@examples(200)
def test_wishes_keep_the_promises(
    value: Any, budget: int, factor: Any, pattern: str, level: str
) -> None:
    """With any priorities, a result keeps its budget and is optimal."""
    try:
        tree = mckp.TreeNode.of(value)
        wishes = {pattern: factor}
        result = mckp.encode(
            tree,
            budget=budget,
            formats=[level],
            weights="facts",
            priorities=wishes,
            on_unmatched="ignore",
        )
    except (mckp.BudgetError, mckp.WeightError) as error:
        event(re.sub("[0-9]+", "n", str(error))[:40])
        return
    assert result.tokens <= budget
    assert result.status == "optimal"
    assert result.value <= result.total
    if factor == 1:
        assert result.total == facts(extract(value)[0])

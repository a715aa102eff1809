"""The promises, held against random documents and budgets."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import mckp
from mckp import tokenizers
from mckp.jsontext import difference, dump
from mckp.parsers import KindName
from mckp.parsers.python import from_python
from mckp.solvers.outside import SolverName
from tests.parsers.strategies import documents, noise
from tests.strategies import TEXTS, VALUES, examples
from tests.test_display import page
from tests.within import notes_in

EXACT = ("o200k", "cl100k")
LEVELS = st.sampled_from(["standard", "native", "dense"])
REPEATED = VALUES | VALUES.map(lambda value: [value, {"again": [value, value]}, value, value])
RECORDS = [{"id": n, "name": f"item {n}", "tags": ["a", "b"]} for n in range(12)]


def check_result(result: mckp.Result, budget: int) -> None:
    """A result keeps its budget and owns up to what it cut."""
    assert result.tokens == tokenizers.get(result.tokenizer).count(result.text) <= budget
    assert result.value == result.total or result.elided or result.notes
    noted = [(hint.missing, hint.unit) for hint in notes_in(result.text)]
    assert sorted(noted) == sorted((cut.count, cut.kind) for cut in result.elided)


def encoded(data: Any, budget: int, **options: Any) -> mckp.Result | None:
    """Return the result, or None if the budget is honestly too small."""
    try:
        return mckp.encode(data, budget=budget, **options)
    except mckp.BudgetError as error:
        if error.floor <= budget:
            raise
        assert mckp.encode(data, budget=error.floor, **options).tokens == error.floor  # noqa: PT017
        return None


@given(value=REPEATED, tokenizer=st.sampled_from(EXACT), level=LEVELS)
@examples(300)
def test_whole_data(value: Any, tokenizer: str, level: str) -> None:
    """Without a budget data comes back equal, in no more tokens than compact JSON."""
    result = mckp.encode(from_python(value), tokenizer=tokenizer, formats=[level])
    assert difference(mckp.decode(result.text), value) is None
    assert result.tokens <= tokenizers.get(tokenizer).count(dump(value))
    assert (result.status, result.elided) == ("optimal", ())


@given(text=documents | noise | st.lists(TEXTS, max_size=6).map("\n".join), level=LEVELS)
@examples(300)
def test_whole_text(text: str, level: str) -> None:
    """Without a budget a text comes back as the same tree; only look-alikes cost more."""
    try:
        tree = mckp.parse(text)
    except mckp.ParseError:
        return
    assume(not tree.is_json)
    result = mckp.encode(tree, formats=[level])
    assert mckp.decode(result.text) == tree
    begins = text.lstrip().startswith(("\\", "{", "[", "("))
    ours = "> [" in text or "csv" in text or begins
    assert ours or result.tokens <= tokenizers.get("o200k").count(text)


@given(value=REPEATED, budget=st.integers(0, 60), tokenizer=st.sampled_from(EXACT), level=LEVELS)
@examples(300)
def test_data_within_a_budget(value: Any, budget: int, tokenizer: str, level: str) -> None:
    """Whatever the budget, the text fits it, is proved best, and names what was cut."""
    result = encoded(from_python(value), budget, tokenizer=tokenizer, formats=level)
    if result is not None:
        check_result(result, budget)
        assert result.status == "optimal"


@given(
    text=documents,
    budget=st.integers(0, 60),
    kind=st.sampled_from(["markdown", "text"]),
    level=LEVELS,
)
@examples(300)
def test_text_within_a_budget(text: str, budget: int, kind: str, level: str) -> None:
    """Texts keep the promises within any budget."""
    result = encoded(mckp.parse(text, kind), budget, formats=level)
    if result is not None:
        check_result(result, budget)


def test_the_smallest_budget_of_a_text_may_be_that_of_a_line() -> None:
    """The mark for all lines costs more than a short line and the mark for the other."""
    text = "3.5\n===\n"
    with pytest.raises(mckp.BudgetError) as caught:
        mckp.encode(mckp.parse(text, "text"), budget=0)
    assert mckp.encode(mckp.parse(text, "text"), budget=caught.value.floor).tokens == 4
    assert caught.value.floor == 4


def thirds(text: str) -> int:
    """Count a token for every three characters, and one more."""
    return len(text) // 3 + 1


@pytest.mark.parametrize("tokenizer", ["chars:3.5", "claude_estimate", thirds])
@pytest.mark.parametrize("budget", [9, 20, 60, 120, 400, None])
def test_any_tokenizer(tokenizer: Any, budget: int | None) -> None:
    """Budgets hold whether counts add up, in parts of a token or not; then nothing is proved."""
    result = mckp.encode({"total": 12, "items": RECORDS}, budget=budget, tokenizer=tokenizer)
    assert result.tokens == tokenizers.get(tokenizer).count(result.text)
    assert budget is None or result.tokens <= budget
    whole = budget is None or budget >= 400
    assert result.status == "feasible" or (whole and result.value == result.total)


@pytest.mark.parametrize("name", ["auto", "dp", "cpsat", "greedy", "binary"])
def test_any_solver(name: SolverName) -> None:
    """Every solver keeps the promises; exact ones reach the best value."""
    if name == "cpsat":
        pytest.importorskip("ortools")
    result = mckp.encode({"total": 12, "items": RECORDS}, budget=90, solver=name)
    check_result(result, 90)
    best = mckp.encode({"total": 12, "items": RECORDS}, budget=90)
    assert result.bound is not None
    assert result.value <= best.value <= result.bound
    assert name in ("greedy", "binary") or (result.value, result.tokens) == (
        best.value,
        best.tokens,
    )


@pytest.mark.parametrize("budget", [-1, 1.5, "9.5", "-9", "0.5", "9 %", "k", "", "½%", "9kk", True])
def test_bad_budgets(budget: Any) -> None:
    """What is neither tokens nor a share of them is refused before anything is done."""
    with pytest.raises(ValueError, match=r"a budget must be a (whole )?number of tokens"):
        mckp.encode(RECORDS, budget=budget)


def test_budget_error_has_the_floor() -> None:
    """The floor of the error is the smallest budget that works."""
    with pytest.raises(mckp.BudgetError) as caught:
        mckp.encode(RECORDS, budget=2)
    assert mckp.encode(RECORDS, budget=caught.value.floor).tokens == caught.value.floor
    with pytest.raises(mckp.BudgetError):
        mckp.encode(RECORDS, budget=caught.value.floor - 1)


@pytest.mark.parametrize("most", ["none", mckp.DataLoss.TOP_LEVEL])
def test_nothing_is_cut_below_a_ceiling_on_loss(most: Any) -> None:
    """With a ceiling on loss, a result is whole, or an error says how much that takes."""
    whole = mckp.encode(RECORDS)
    with pytest.raises(mckp.BudgetError, match="lossless output") as caught:
        mckp.encode(RECORDS, budget=whole.tokens - 1, max_loss=most)
    assert caught.value.floor == whole.tokens
    assert mckp.encode(RECORDS, budget=whole.tokens, max_loss=most).text == whole.text
    with pytest.raises(ValueError, match="did you mean 'none'"):
        mckp.encode(RECORDS, max_loss="nome")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


def test_formats_can_be_chosen() -> None:
    """Only the formats asked for are used, JSON where nothing else can carry a value."""
    assert mckp.encode(RECORDS, formats=["table"]).text.startswith("[12] table\n| id |")
    assert mckp.encode(RECORDS, formats="fence").text.startswith("[12] fence\n```json\n")
    assert mckp.encode(5, formats=["csv"]).text == "5"


def test_results_show_themselves() -> None:
    """Summary, picture, data and comparison show the tokens and cuts of a result."""
    result = mckp.encode(RECORDS, budget=60)
    assert str(result.tokens) in result.summary()
    assert f"<b>{result.tokens} (" in page(result)
    assert result.to_dict()["elided"][0]["path"] == "$"
    assert "role='group'" in page(mckp.compare(RECORDS))


LABELS = ("> [#1]", "> [#1 as compact]", "> [as compact]", "> [as diffs]", "> [ref #1 as diff]")
PLACES = (
    *("{}", "{}\n", "{}\ntext", "{}\n\ntext", "{}\n{{id 7}}\n"),
    "\n{0}\n{0}\n\n{0}\n{0}\n\n{0}\na",
)


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", ["markdown", "text", None])
def test_documents_that_begin_like_labels(label: str, place: str, kind: KindName | None) -> None:
    """A document that begins like a label reads back, whole or cut."""
    text = place.format(label)
    assert mckp.decode(mckp.encode(text, kind=kind).text) == mckp.parse(text, kind)
    for budget in (20, 30):
        mckp.encode(text, kind=kind, budget=budget)  # reads back what it cut


@pytest.mark.parametrize("formats", [3, None, [3], ["json", None], [["json"]]])
def test_formats_are_names(formats: Any) -> None:
    """Formats that are no names are an error."""
    with pytest.raises(TypeError, match="formats must be names"):
        mckp.encode([1], formats=formats)


@pytest.mark.parametrize("digits", ["01", "0000", "007"])
def test_one_text_of_digits_above_a_note(digits: str) -> None:
    """A string of digits that alone is kept reads back as a string."""
    result = mckp.encode([digits, "0" * 40, None, None], budget=10)
    assert mckp.decode(result.text) == [digits]
    assert result.elided


def test_a_denser_level_holds_the_whole_where_it_fits() -> None:
    """`auto` takes it where much would be lost; otherwise the result says that there is one."""
    host = {"image": "registry.example.com/team/service", "zone": "europe-west1-b"}
    rows = [f"started {host} on node {n}" for n in range(30)]
    native = mckp.encode(rows, budget=320)
    whole = native.whole_as("dense")
    assert native.elided
    assert whole is not None
    assert whole.tokens <= 320
    assert mckp.decode(whole.text) == rows
    auto = mckp.encode(rows, budget=320, formats="auto")
    assert auto.text == whole.text
    assert whole.whole_as() is None
    assert mckp.encode(rows, budget=40, formats=["auto"]).elided  # nothing holds all of it
    assert mckp.encode(rows, budget=40).whole_as() is None
    assert mckp.encode(rows, formats="auto").text == mckp.encode(rows).text


def test_what_is_done_about_unmatched_patterns_is_a_word() -> None:
    """A wrong `on_unmatched` is an error that lists the right words."""
    with pytest.raises(
        TypeError, match="on_unmatched must be one of pins, error, warn, ignore, not None"
    ):
        mckp.encode([1], on_unmatched=None)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]

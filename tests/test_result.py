"""A result answers: other budgets, every budget, why, and what was cut."""

import contextlib
import copy
import json
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp import Result
from mckp.errors import DetachedError, PathError, UnknownNameError
from mckp.jsontext import difference, dump, is_array, is_object
from mckp.menu import weighing as priced_weigh
from mckp.parsers.embedded import extract
from mckp.tree import Kind, TreeNode
from tests.parsers.strategies import documents
from tests.solvers.test_slopes import above
from tests.strategies import TABLES, VALUES, examples
from tests.within import notes_in

NOTE = "It works on most machines. It was tried on three. It fails on the last of them, though. "
RECORDS: dict[str, Any] = {
    "page": 1,
    "jobs": [
        {"id": n, "name": f"job {n}", "note": NOTE * 2, "user": {"login": "ann", "id": n % 3}}
        for n in range(12)
    ],
    "settings": {"mode": "fast", "tags": ["a", "b", "c"], "deep": {"x": 1, "y": [1, 2]}},
}
MARKDOWN = Path(__file__).with_name("result.md").read_text("utf-8").replace("NOTE", NOTE)
SOURCES: list[Any] = [
    RECORDS,
    [{"id": n, "ok": n % 2 == 0} for n in range(40)],
    MARKDOWN,
    "a line\nanother line\na third\n\n" + NOTE * 2,
]


def same(left: Result, right: Result) -> None:
    for field in fields(left):
        if field.name != "answers":
            assert getattr(left, field.name) == getattr(right, field.name), field.name


def outcome_of(call: Callable[[], Result]) -> Result | str:
    try:
        return call()
    except mckp.BudgetError as error:
        return str(error)


# ---------------------------------------------------------------- other budgets


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES, ids=["records", "rows", "markdown", "text"])
def test_another_budget_is_another_call(source: Any) -> None:
    """`at` gives what `encode` gives, field by field, whatever was asked before."""
    random = Random(1)
    result = mckp.encode(source)
    for _ in range(50):
        budget = random.randint(0, result.tokens + 20)
        again = outcome_of(partial(result.at, budget))
        fresh = outcome_of(partial(mckp.encode, source, budget=budget))
        if isinstance(again, str) or isinstance(fresh, str):
            assert again == fresh
        else:
            same(again, fresh)
            result = again


@pytest.mark.parametrize("tokenizer", ["cl100k", "chars:3.5"])
def test_another_budget_with_other_settings(tokenizer: str) -> None:
    """`at` gives what `encode` gives, with tokenizer, formats, weights and priorities."""
    options: dict[str, Any] = {
        "tokenizer": tokenizer,
        "formats": "dense",
        "weights": "tokens",
        "priorities": {"**.note": "drop", "jobs[*].name": 3},
    }
    result = mckp.encode(RECORDS, **options)
    for budget in (40, 90, None):
        same(result.at(budget), mckp.encode(RECORDS, budget=budget, **options))


def test_many_threads_may_ask() -> None:
    """Threads that ask one result get the answers of one thread."""
    result = mckp.encode(RECORDS)
    budgets = [60 + 13 * n for n in range(24)]
    alone = [result.at(budget) for budget in budgets]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(result.at, budgets)) == alone


def test_plans_stay_where_they_are() -> None:
    """A pickled result is equal, small and asks to be attached; a copied one answers."""
    result = mckp.encode(RECORDS, budget=100)
    away = pickle.loads(pickle.dumps(result))
    assert away == result
    assert hash(away) == hash(result)
    for ask in (lambda: away.at(50), away.frontier, lambda: away.shadow_price):
        with pytest.raises(DetachedError, match=r"call result[.]attach\(document\) first"):
            ask()
    assert copy.deepcopy(result).at(50) == copy.copy(result).at(50) == result.at(50)
    assert "answers" not in repr(result)
    assert "answers" not in result.to_dict()
    assert len(pickle.dumps(result)) < 3 * len(pickle.dumps(result.to_dict()))


def test_batches_hand_out_results_without_plans() -> None:
    """A result of `encode_many` asks to be attached."""
    (result,) = mckp.encode_many([RECORDS], processes=1)
    assert isinstance(result, mckp.Result)
    with pytest.raises(DetachedError):
        result.at(50)


# ---------------------------------------------------------------- every budget


@pytest.mark.parametrize("source", SOURCES[:3], ids=["records", "rows", "markdown"])
def test_the_frontier_is_reached(source: Any) -> None:
    """Each point of the frontier is the value and cost of solving for its budget."""
    result = mckp.encode(source, budget=60)
    curve = result.frontier()
    assert curve.values[-1] == curve.total
    for place in range(0, len(curve.budgets), max(1, len(curve.budgets) // 25)):
        budget, value = int(curve.budgets[place]), float(curve.values[place])
        best = result.at(budget)
        assert best.value == value
        # Where nothing is kept, the text may use the budget to name what there was.
        assert best.tokens == curve.tokens[place] or (not value and best.tokens <= budget)
        assert (best.status, best.bound) == ("optimal", value)
    with pytest.raises(mckp.BudgetError):
        result.at(int(curve.budgets[0]) - 1)


def test_a_frontier_without_a_table() -> None:
    """Where counts do not add up, some budgets are solved one by one, and it says so."""
    result = mckp.encode(RECORDS["jobs"], budget=120, tokenizer="chars:4")
    curve = result.frontier()
    assert "one by one" in curve.method
    assert [result.at(b).value for b in curve.budgets.tolist()] == curve.values.tolist()
    assert curve.areas()[-1][1] == curve.split(curve.budgets[-1]) if curve.split else False


def words(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize("tokenizer", ["chars:3.5", words])
def test_a_frontier_with_pins(tokenizer: Any) -> None:
    """The frontier of a pinned document begins where the pins fit."""
    text = "\n\n".join(f"Line {n} of it,\nand what is below it." for n in range(30))
    pins = {"[0]": "pin", "[2]": "pin", "[7]": "pin", "[21]": "pin"}
    result = mckp.encode(text, kind="text", priorities=pins, tokenizer=tokenizer)
    curve = result.frontier()
    assert 0 < curve.budgets[0] <= curve.tokens[-1] == result.tokens
    assert curve.values[-1] == result.total
    assert (curve.tokens <= curve.budgets).all()


def test_a_frontier_as_data_and_pictures() -> None:
    """A frontier is data, areas within the budget, one picture, and survives pickling."""
    curve = mckp.encode(RECORDS, budget=100).frontier()
    assert json.loads(json.dumps(curve.to_dict()))["budgets"] == curve.budgets.tolist()
    for budget, split in curve.areas():
        assert 0 < sum(split.values()) <= budget
    page = getattr(curve, "_repr_html_")()  # noqa: B009
    assert page.count("role='group'") == 1
    assert f"value {curve.values[-1]:g} of" in page
    assert "<script" not in page
    away = pickle.loads(pickle.dumps(curve))
    assert away.values.tolist() == curve.values.tolist()
    with pytest.raises(DetachedError):
        away.areas()


@pytest.mark.slow
def test_a_frontier_in_matplotlib() -> None:
    """The plot has its axes named and two lines."""
    matplotlib: Any = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    axes = mckp.encode(RECORDS, budget=100).frontier().plot()
    assert axes.get_xlabel() == "budget, tokens"
    assert len(axes.lines) == 2
    axes.figure.clear()


def test_the_shadow_price_is_a_slope() -> None:
    """It is what tokens buy to the right, falls with the budget, and ends at 0."""
    rows = [{"id": n, "note": "long " * (n % 5)} for n in range(12)]
    result = mckp.encode(rows)
    assert result.shadow_price == 0
    prices = [result.at(budget).shadow_price for budget in range(20, result.tokens + 1, 9)]
    assert all(left >= right - 1e-9 for left, right in pairwise(prices))
    curve = result.frontier()
    points = list(zip(curve.budgets.tolist(), curve.values.tolist(), strict=True))
    for budget in range(points[0][0], result.tokens):
        here = above(points, budget)
        ahead = max((v - here) / (b - budget) for b, v in points if b > budget)
        assert result.at(budget).shadow_price == pytest.approx(ahead)


def test_the_shadow_price_below_what_estimates_allow() -> None:
    """Where counts do not add up, prices may say that not even the least text fits."""
    value = {"page": 1, "items": [{"id": n, "note": "word " * 20} for n in range(9)]}
    pins = {"$": "pin"}
    result = mckp.encode(value, tokenizer="claude_estimate", priorities=pins, formats=["kv"])
    for budget in range(result.tokens - 4, result.tokens + 1):
        with contextlib.suppress(mckp.BudgetError):
            assert result.at(budget).shadow_price >= 0


# ---------------------------------------------------------------- why


def test_why_of_what_is_written_and_what_is_cut() -> None:
    """`why` says whether a place was kept, and which ways its table had."""
    rows = [{"id": n, "ok": n % 2 == 0} for n in range(40)]
    result = mckp.encode(rows, budget=60, weights="facts")
    kept, cut = result.why("[0].ok"), result.why((39,))
    # The rows of a table are one choice: the table as a whole says which are there.
    assert (kept.decided, kept.left_out, kept.taken.kept) == ((), False, "part")
    assert (cut.decided, cut.left_out, cut.taken.kept) == ((), True, "part")
    table = result.why("$")
    assert (table.taken.tokens, table.taken.value) == (result.tokens, result.value)
    assert [(way.format, way.kept) for way in table.ways] == [
        ("rows", "part"),
        ("rows", "whole"),
        ("", "cut"),
        ("flow", "part"),
    ]
    assert str(cut).startswith("$[39] is left out: $ is written as rows, part")


def test_why_of_a_member_that_is_cut() -> None:
    """A member that is a choice of its own says what it was not written as."""
    value = {"page": 1, "note": NOTE * 4, "jobs": RECORDS["jobs"]}
    result = mckp.encode(value, budget=120, formats=["json", "kv", "rows"], weights="facts")
    cut, kept = result.why("note"), result.why("jobs")
    assert (cut.decided, cut.taken.kept, cut.taken.tokens) == (("note",), "cut", 0)
    assert {way.kept for way in cut.ways} == {"cut", "part", "whole"}
    assert (kept.decided, kept.taken.format, kept.taken.kept) == (("jobs",), "rows", "part")
    assert str(cut).startswith("$.note is cut")


@pytest.mark.parametrize("budget", [19, 28, 46, 64])
def test_only_what_writes_nothing_is_called_cut(budget: int) -> None:
    """Parts of an object on a line are parts among the ways that were not taken."""
    jobs = [{"id": n, "tags": ["a", "b"]} for n in range(4)]
    value = {"page": 1, "note": NOTE * 3, "jobs": jobs, "set": {"mode": "fast", "x": {"y": 1}}}
    for way in mckp.encode(value, budget=budget).why("set.mode").ways:
        assert (way.kept == "cut") == (way.format == "")
        assert way.value > 0 or way.kept == "cut"
        assert way.value == 0 or way.tokens > 0  # the name of what is cut is worth something


def test_why_of_a_column_that_was_left_out() -> None:
    """`why` of a column that was cut says that it is left out, and names it."""
    result = mckp.encode(RECORDS["jobs"], budget=75, weights="facts")
    (names,) = [cut.keys for cut in result.elided if cut.kind == "columns"]
    assert names
    reason = result.why(f"[0].{names[0]}")
    assert reason.left_out
    assert reason.decided == ()
    assert names[0] in reason.missing
    assert "left out" in str(reason)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES[:3], ids=["records", "rows", "markdown"])
def test_what_was_taken_is_the_best_at_its_price(source: Any) -> None:
    """Where the frontier meets its concave hull, no way is better at the shadow price."""
    result = mckp.encode(source)
    curve = result.frontier()
    points = list(zip(curve.tokens.tolist(), curve.values.tolist(), strict=True))
    for here in dict.fromkeys(points):
        price = result.at(here[0]).shadow_price
        if any(
            value - price * tokens > here[1] - price * here[0] + 1e-9 for tokens, value in points
        ):
            continue
        first, *others = result.at(here[0]).why("$").ways
        mine = first.value - price * first.tokens
        assert all(way.value - price * way.tokens <= mine + 1e-9 for way in others)


def test_why_of_a_text() -> None:
    """`why` answers for each part of a text."""
    result = mckp.encode(MARKDOWN, budget=60)
    for node in mckp.parse(MARKDOWN).walk():
        reason = result.why(node.path)
        assert reason.decided == node.path[: len(reason.decided)]
        assert reason.taken.kept in ("whole", "part", "cut")


LOG = "".join(f"step {n} of 40: wrote part {n * 7919}\n" for n in range(40)) + "ERROR: no disk\n"


def test_why_of_a_line() -> None:
    """A reason for each line agrees with the text, whether lines are kept, folded, or cut."""
    result = mckp.encode(LOG, budget=40)
    reasons = [result.why(line=number) for number in range(1, 42)]
    assert [reason.line for reason in reasons] == LOG.splitlines()
    written = result.text.splitlines()
    assert all((reason.kept == "whole") == (reason.line in written) for reason in reasons)
    error = reasons[-1]
    assert error.kept == "whole"
    assert error.density > error.price > 0
    assert error.share == max(reason.share for reason in reasons)
    assert sum(reason.share for reason in reasons) == pytest.approx(1)
    assert json.loads(json.dumps(error.to_dict()))["line"] == "ERROR: no disk"
    assert str(error).startswith(
        f"line 41 is kept: it has {error.share:.2%} of the value of the text ("
    )


def test_why_explains_lines_on_the_wrong_side_of_the_price() -> None:
    """A reason says that marks of gaps and heads cost tokens, where worth alone would mislead."""
    text = (Path(__file__).parents[1] / "examples" / "test-run.txt").read_text(encoding="utf-8")
    result = mckp.encode(text, budget="10%")
    reasons = [result.why(line=number) for number in range(1, text.count("\n") + 1)]
    cheap = [reason for reason in reasons if reason.kept == "whole"]
    saves = [reason for reason in cheap if reason.density < reason.price]
    assert saves
    assert all("cutting it would save little" in str(reason) for reason in saves)
    dear = [reason for reason in reasons if reason.kept == "cut" and reason.density > reason.price]
    assert dear
    assert all("keeping it would cost more" in str(reason) for reason in dear)


def test_why_of_a_piece_and_of_heads() -> None:
    """A long line may be kept in part, and a line goes with its heads."""
    line = " ".join(f"word{n}" for n in range(400))
    text = f"files:\n  a.py\n  {line}\nERROR: no disk\n"
    result = mckp.encode(text, budget=400)
    reason = result.why(line=3)
    assert (reason.kept, reason.heads) == ("part", (1,))
    assert "kept in part" in str(reason)
    assert mckp.encode(text).why(line=3).kept == "whole"


def test_why_of_a_line_of_a_text_that_lost_its_colours_alone() -> None:
    """A text that fits without its colour codes keeps all of its lines."""
    text = "".join(f"\x1b[3{n % 8}mline {n} of colours\x1b[0m\n" for n in range(30))
    result = mckp.encode(text)
    plain = result.at(result.tokens - 1)
    assert "line 29 of colours" in plain.text
    assert {plain.why(line=number).kept for number in range(1, 31)} == {"whole"}
    nothing = mckp.encode(LOG, budget=6)
    assert {nothing.why(line=number).kept for number in range(1, 42)} == {"cut"}


def test_why_of_lines_that_are_not_there() -> None:
    """`why` of a wrong line or argument is an error that says what is right."""
    result = mckp.encode(LOG, budget=40)
    for number in (0, 42, -1):
        with pytest.raises(PathError, match="the text has lines 1 to 41"):
            result.why(line=number)
    with pytest.raises(PathError, match="not cut by lines"):
        mckp.encode(RECORDS, budget=100).why(line=1)
    why: Any = result.why
    for odd in ("1", 2.5, True):
        with pytest.raises(TypeError, match="line must be a whole number"):
            why(line=odd)
    for asked in ({}, {"path": "$", "line": 1}):
        with pytest.raises(TypeError, match="takes a path, or a line number"):
            why(**asked)
    with pytest.raises(TypeError, match=r"call why\(line=7\)"):
        why(7)


def test_why_of_words_in_a_text() -> None:
    """A pattern reaches what is below a block; the block decides."""
    result = mckp.encode(LOG, budget=40)
    assert result.why("**").others
    assert result.why("$[0][0]").decided == ()


@pytest.mark.parametrize("source", SOURCES[:2], ids=["records", "rows"])
def test_the_budgets_of_other_ways_are_true(source: Any) -> None:
    """From the budget that `why` gives, the whole is written; with less, it is not."""
    result = mckp.encode(source)
    half = result.at(result.tokens // 2).why("$")
    (whole,) = [way for way in half.ways if way.kept == "whole" and way.turns]
    assert whole.turns is not None
    assert result.at(whole.turns).why("$").taken.kept == "whole"
    assert result.at(whole.turns - 1).why("$").taken.kept == "part"


def test_unknown_paths_name_what_is_there() -> None:
    """`why` of an unknown path is an error that names what is there."""
    result = mckp.encode(RECORDS, budget=100, weights="facts")
    with pytest.raises(PathError, match=r"\$\.jobs has the items \[0\] to \[11\]") as caught:
        result.why("$.jobs[12].name")
    assert caught.value.nearest == ("jobs",)
    with pytest.raises(PathError, match="has page, jobs, settings"):
        result.why("steps")
    with pytest.raises(PathError, match="is not a step"):
        result.why("jobs[x]")
    why: Any = result.why
    with pytest.raises(TypeError, match="a path is a text such as"):
        why((1.5,))


def test_a_reason_is_data_and_html() -> None:
    """A reason is JSON data, and its HTML is escaped."""
    reason = mckp.encode({"<b>": [1] * 40, "a": "x"}, budget=12).why('$["<b>"]')
    assert json.loads(json.dumps(reason.to_dict()))["path"] == '$["<b>"]'
    page = getattr(reason, "_repr_html_")()  # noqa: B009
    assert "<b>" not in page
    assert "&lt;b&gt;" in page


# ---------------------------------------------------------------- what was cut


def restored(value: Any, path: tuple[Any, ...], by_path: dict[tuple[Any, ...], Any]) -> Any:
    """Return kept data with what was recalled put back; what was recalled whole replaces it."""
    recalled = by_path.get(path)
    if recalled is not None and not isinstance(recalled, Missing):
        return recalled
    missing: dict[Any, Any] = {} if recalled is None else recalled.items
    is_below = any(len(cut) > len(path) and cut[: len(path)] == path for cut in by_path)
    if isinstance(value, str) and (missing or is_below):  # it holds data, of which a part is kept
        value = json.loads(value)
    if is_object(value):
        below = {k: restored(v, (*path, k), by_path) for k, v in value.items()}
        return {**below, **missing}
    if is_array(value):
        items = iter(value)
        size = len(value) + len(missing)
        return [
            missing[i] if i in missing else restored(next(items), (*path, i), by_path)
            for i in range(size)
        ]
    return value


class Missing:
    """What is missing of a container, by name or index."""

    def __init__(self, items: dict[Any, Any]) -> None:
        self.items = items


def everything(result: Result) -> dict[tuple[Any, ...], Any]:
    listed = {"rows", "fields", "items"}
    by_path: dict[tuple[Any, ...], Any] = {}
    for path in dict.fromkeys(cut.path for cut in result.elided):
        kinds = {cut.kind for cut in result.elided if cut.path == path}
        back = result.recall(path)
        by_path[path] = Missing(back) if kinds <= listed else back
    return by_path


@given(value=VALUES | TABLES | st.just(RECORDS), budget=st.integers(0, 120))
@examples(200)
def test_kept_and_recalled_are_the_input(value: Any, budget: int) -> None:
    """What was kept, with all that was cut put back, is what was given."""
    result = outcome_of(lambda: mckp.encode(mckp.parse(dump(value)), budget=budget))
    if not isinstance(result, str):
        kept = mckp.decode(result.text)
        whole = restored(kept, (), everything(result))
        # What strings of JSON hold is recalled as data.
        assert difference(extract(whole)[0], extract(value)[0]) is None


@given(text=documents, budget=st.integers(0, 80))
@examples(100)
def test_what_is_recalled_of_a_text_is_in_it(text: str, budget: int) -> None:
    """What is given back of a text are its own blocks, and the lines of paragraphs."""
    tree = mckp.parse(text, "markdown")
    result = outcome_of(lambda: mckp.encode(tree, budget=budget))
    for number, cut in enumerate(() if isinstance(result, str) else result.elided, 1):
        assert not isinstance(result, str)
        back = result.recall(cut)
        assert result.recall(number) is not None
        if isinstance(back, TreeNode):
            assert back == tree.at(*cut.path)
        else:
            assert len(back) == cut.count
            node = tree.at(*cut.path)
            if cut.kind == "lines" and not cut.path:  # of a document that is cut as plain text
                assert back == {key: text.split("\n")[int(key) - 1] for key in cut.keys}
                continue
            for key, block in back.items():
                lines = node.value.split("\n") if node.kind is Kind.PARAGRAPH else node.children
                assert block == lines[key]


@pytest.mark.parametrize("source", SOURCES, ids=["records", "rows", "markdown", "text"])
def test_hints_are_numbered_in_their_order(source: Any) -> None:
    """The notes of a text are recalled by number, in the order of the text."""
    result = mckp.encode(source, budget=40)
    hints = notes_in(result.text)
    assert hints
    for number, hint in enumerate(hints, 1):
        back = result.recall(number)
        cuts = [cut for cut in result.elided if result.recall(cut) == back]
        assert (hint.missing, hint.unit) in [(cut.count, cut.kind) for cut in cuts]
    with pytest.raises(ValueError, match="there is no note"):
        result.recall(len(hints) + 1)


def test_what_was_dropped_comes_back_too() -> None:
    """What a priority dropped can be recalled."""
    result = mckp.encode(RECORDS, priorities={"**.note": "drop"})
    assert "note" not in result.text
    assert result.recall(1) == result.recall(result.elided[0]) == RECORDS


def test_only_what_was_cut_can_be_recalled() -> None:
    """Recalling what was kept, or a cut of another result, is an error."""
    result = mckp.encode(RECORDS, budget=100, weights="facts")
    with pytest.raises(PathError, match="no part of it was cut; there are cuts at"):
        result.recall("page")
    other = mckp.encode(RECORDS, budget=60, weights="facts").elided[0]
    with pytest.raises(ValueError, match="did not cut"):
        result.recall(other)


@pytest.mark.parametrize(
    ("place", "error"),
    [
        (["a", True], TypeError),
        (["a", 1.0], TypeError),
        (b"a", TypeError),
        (("\ud800",), PathError),
        (["a", "\udfff"], PathError),
    ],
)
def test_what_is_no_place_is_an_error(place: Any, error: type[Exception]) -> None:
    """Neither truth nor bytes are steps, and half a character is no name."""
    result = mckp.encode({"a": [{"id": n} for n in range(9)]}, budget=20)
    for ask in (result.why, result.recall):
        with pytest.raises(error, match=r"path|a lone surrogate"):
            ask(place)
    with pytest.raises(TypeError, match="path"):
        result.recall(True)


def test_numbers_of_numpy_are_numbers() -> None:
    """Integers of NumPy do as steps and numbers."""
    result = mckp.encode({"a": [{"id": n} for n in range(9)]}, budget=20)
    index: Any = np.int64(1)
    assert result.why(["a", index]) == result.why("a[1]")
    assert result.recall(index) == result.recall(1)


@pytest.mark.slow
@pytest.mark.parametrize("data", [RECORDS, [{"id": n, "to": n % 3, "on": True} for n in range(30)]])
def test_facts_are_whole_numbers(data: Any) -> None:
    """What is whole is an int, whatever is cut; other sums of weights are floats."""
    whole = mckp.encode(data, weights="facts")
    for budget in range(30, whole.tokens, 23):
        result = whole.at(budget)
        assert result.bound is not None
        figures = [result.value, result.total, result.bound, *(x.value for x in result.choices)]
        cut_short = any(cut.kind in {"sentences", "words", "characters"} for cut in result.elided)
        assert cut_short or all(type(figure) is int for figure in figures)
        assert all(type(figure) is int or figure % 1 for figure in figures)
        weighted = mckp.encode(data, budget=budget, weights=["facts", "position"])
        assert type(weighted.total) is float


def test_a_result_is_asked_as_the_tool_is() -> None:
    """Questions are about the whole document, also about what the caller dropped."""
    jobs = [{"id": n, "state": "failed" if n == 7 else "ok"} for n in range(99)]
    result = mckp.encode({"jobs": jobs}, budget=60, priorities={"**.state": "drop"})
    assert result.recall(where="state == 'failed'") == [jobs[7]]
    assert result.recall("$.jobs[7].state", fields=["len(@)"]) == {"len(@)": 6}
    lines = mckp.encode("\n".join(f"line {n}" for n in range(500)), budget=40)
    assert lines.recall(grep="line 77$") == [(78, "line 77")]
    with pytest.raises(TypeError, match="handle of a cut, or a query"):
        result.recall()


def test_a_text_without_worth_can_be_explained() -> None:
    """A line of a text of which nothing has a value has no price either."""
    reason = mckp.encode("-\n").why(line=1)
    assert (reason.kept, reason.price) == ("whole", 0.0)


WAITING_ROWS = [{"id": n, "name": f"name {n}", "ok": n % 7 > 0} for n in range(60)]


@pytest.mark.parametrize("options", [{}, {"query": "name 7"}, {"weights": ["position"]}])
@pytest.mark.parametrize("data", [WAITING_ROWS, "# Title\n\nA text.\n", "step 1\nERROR: no disk\n"])
def test_value_has_one_unit(data: Any, options: Any) -> None:
    """The value of a whole document is the same without a budget and within a large one."""
    whole, fits = mckp.encode(data, **options), mckp.encode(data, budget=5000, **options)
    # Within a budget below the source, a document is weighed at once.
    near = mckp.encode(data, budget=whole.tokens, **options)
    for result in (whole, fits):
        assert (result.text, result.elided) == (near.text, near.elided)
        assert (result.value, result.total, result.bound) == (near.value, near.total, near.bound)
        assert result.choices == near.choices
        assert result.gap == 0
    assert whole.at(5000) == fits
    assert whole.at(20) == mckp.encode(data, budget=20, **options)
    assert whole.at(20).total == whole.total


def test_what_fits_is_weighed_when_its_value_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that nothing is cut from needs no weights, unless somebody asks for figures."""
    models = list[Any]()
    kept = priced_weigh.weigh

    def watched(tree: Any, weights: Any, *rest: Any) -> Any:
        models.append(weights)
        return kept(tree, weights, *rest)

    monkeypatch.setattr("mckp.api.weigh", watched)
    result = mckp.encode(WAITING_ROWS, budget=5000, query="name 7")
    assert models == ["facts"]
    assert result.value == result.total > 0
    assert models == ["facts", "salience"]
    assert mckp.encode(WAITING_ROWS, budget=100).elided
    assert models[2:] == ["salience"]
    with pytest.raises(UnknownNameError):
        mckp.encode(WAITING_ROWS, weights="salience2")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a query must be a string"):
        mckp.encode(WAITING_ROWS, query=7)  # type: ignore[arg-type]


def test_figures_that_wait_are_not_lost() -> None:
    """Detached, pickled, copied and stored results give the same figures."""
    result = mckp.encode(WAITING_ROWS)
    value = mckp.encode(WAITING_ROWS, budget=100).total
    moved = [result.detached(), pickle.loads(pickle.dumps(result)), copy.copy(result)]
    moved += [Result.from_dict(result.to_dict()), copy.deepcopy(mckp.encode(WAITING_ROWS))]
    assert [other.value for other in moved] == [value] * len(moved)
    assert all(other == result for other in moved)
    own = mckp.encode(WAITING_ROWS, tokenizer=lambda text: len(text))  # cannot be pickled
    assert pickle.loads(pickle.dumps(own)).value == value
    with pytest.raises(AttributeError, match="no attribute 'worth'"):
        result.worth  # type: ignore[attr-defined]  # noqa: B018

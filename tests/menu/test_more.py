"""Calls for the rest of an array: they get what is missing, no more and no less."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp import tokenizers
from mckp.encoders.hints import Overflow
from mckp.errors import PatternError, TemplateError
from mckp.jsontext import path_text
from mckp.menu.classes import Menu, MenuClass, Option, RowsOption
from mckp.menu.cuts.cuts import menu_cuts
from mckp.menu.more import More, Templates
from mckp.menu.price import Prices
from mckp.menu.render import render
from mckp.menu.tabulate import tabulate
from mckp.menu.values import CuttableRows
from tests.cases import cases
from tests.strategies import TABLES, examples
from tests.within import fitted, notes_in

LEVELS = st.sampled_from(["standard", "native", "dense"])
WEIGHTS = st.sampled_from(["facts", "position"])
TEMPLATE = "get {path} {offset} {limit}"
JOBS = [{"id": n, "name": f"job {n}", "state": "open" if n % 3 else "done"} for n in range(40)]


@st.composite
def documents(draw: st.DrawFn) -> Any:
    names = st.sampled_from(["jobs", "a b", "ü", '"'])
    text = st.sampled_from(["open", "closed now", "a longer text of some words", "x", "1"])
    record = st.fixed_dictionaries({"id": st.integers(0, 9999), "s": text}, optional={"t": text})
    rows = st.lists(record, min_size=4, max_size=30) | st.lists(text, min_size=4, max_size=30)
    groups = st.lists(st.fixed_dictionaries({"n": text, "in": rows}), min_size=2, max_size=4)
    return draw(rows | st.dictionaries(names, rows | groups | TABLES, min_size=1, max_size=3))


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@given(
    value=documents(),
    budget=st.integers(20, 300),
    level=LEVELS,
    weights=WEIGHTS,
    tokenizer=st.sampled_from(["o200k", "cl100k", "chars:3.5"]),
)
@examples(250)
def test_followed_calls_get_what_is_missing(
    value: Any, budget: int, level: str, weights: str, tokenizer: str
) -> None:
    """Every call asks for exactly the items that were cut, which are the end of their array."""
    options = {"formats": level, "weights": weights, "tokenizer": tokenizer}
    result = fitted(value, budget=budget, more={"**": TEMPLATE}, **options)
    assert result.tokens == tokenizers.get(tokenizer).count(result.text) <= budget
    assert result.status == "optimal" or not result.exact
    cuts = {(path_text(cut.path), cut.kind): cut for cut in result.elided if cut.keys}
    for hint in notes_in(result.text):
        if hint.more is None or not hint.more.startswith("get "):
            continue  # a note alone, where nothing fits, has names
        path, offset, limit = hint.more.removeprefix("get ").rsplit(" ", 2)
        cut = cuts[path, hint.unit]
        items = at(value, cut.path)
        assert list(cut.keys) == list(range(len(items)))[int(offset) : int(offset) + int(limit)]
        assert (hint.missing, len(items)) == (int(limit), cut.total)
        assert hint.missing == cut.count


def test_call_is_where_the_end_is_cut() -> None:
    """Where earlier items are worth more, the end goes, and the call gets it."""
    result = mckp.encode(
        {"total": 40, "jobs": JOBS},
        budget=100,
        weights="position",
        formats="standard",
        more="get_jobs(offset={offset}, limit={limit})",
    )
    [hint] = [hint for hint in notes_in(result.text) if hint.unit == "rows"]
    kept = 40 - hint.missing
    assert hint.more == f"get_jobs(offset={kept}, limit={hint.missing})"
    assert mckp.decode(result.text)["jobs"][-1]["id"] == kept - 1


def rows_hint(**options: Any) -> Overflow:
    """Return the hint on the jobs of a document in which one of the last is pinned."""
    pins = {"jobs[37].id": "pin"}
    result = mckp.encode({"jobs": JOBS}, budget=150, weights="position", priorities=pins, **options)
    [hint] = [hint for hint in notes_in(result.text) if hint.unit == "rows"]
    return hint


def test_no_call_would_repeat_what_is_kept() -> None:
    """If a late item stays, a call for the end has no place; one for all of the array has."""
    assert "get(" not in str(rows_hint(more="get({offset})").more)
    assert "get(" not in str(rows_hint(more="get({limit})").more)
    assert rows_hint(more="get_all({path})").more == "get_all($.jobs)"


def test_no_call_where_items_were_dropped_before() -> None:
    """Places in an array whose items are dropped are not those of its source."""
    options: dict[str, Any] = {"budget": 150, "weights": "position", "more": "get({offset})"}
    dropped = mckp.encode({"jobs": JOBS}, priorities={"jobs[3]": "drop"}, **options)
    assert "get(" not in dropped.text
    columns = mckp.encode({"jobs": JOBS}, priorities={"jobs[*].state": "drop"}, **options)
    assert any(hint.more for hint in notes_in(columns.text))


def test_no_call_that_does_not_pay() -> None:
    """What is missing must have four times the tokens of the hint."""
    few = mckp.encode({"a": [1, 2, 3, 4, 5, 6, 7, 8]}, budget=22, more="get_the_rest({offset})")
    assert not any(hint.more for hint in notes_in(few.text))


@pytest.mark.parametrize(
    ("more", "expected"),
    cases(__file__, "test_arrays_that_have_templates"),
)
def test_arrays_that_have_templates(
    more: str | Mapping[str, str], expected: dict[str, str]
) -> None:
    """One template is for arrays in no other; a pattern is for the arrays that it ends at."""
    value: dict[str, Any] = {"a": [{"d": [1, 2], "e": {}}, {"e": []}], "b": {"f": 1, "c": [3]}}
    calls = Templates(more)
    arrays = [node for node in mckp.TreeNode.of(value).walk() if isinstance(node.value, list)]
    calling = [calls.at(array.path) for array in arrays if array.value]
    assert {call.path: call.template for call in calling if call} == expected


@pytest.mark.parametrize(
    ("template", "message"),
    cases(__file__, "test_bad_templates"),
)
def test_bad_templates(template: str, message: str) -> None:
    """A template that cannot work is refused, with a budget or without, whatever the document."""
    for data in (JOBS, "# Title", 5):
        with pytest.raises(TemplateError, match=message):
            mckp.encode(data, more=template)


def test_bad_mappings() -> None:
    """Templates of a wrong type or with a wrong pattern are refused."""
    with pytest.raises(PatternError):
        mckp.encode(JOBS, more={"a..b": "get()"})
    with pytest.raises(TypeError, match="templates must be"):
        mckp.encode(JOBS, more=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a pattern must be a string, not 3"):
        Templates({3: "get()"})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="a template must be"):
        mckp.encode(JOBS, more={"a": None})  # type: ignore[dict-item]


def rows_of(total: int, more: More | None) -> RowsOption:
    texts = [f"{n}\n" for n in range(total)]
    return RowsOption(
        "rows",
        (),
        rows=texts,
        worths=[1000.0] * total,
        keys=range(total),
        unit="rows",
        left=CuttableRows(texts),
        more=more,
    )


@pytest.mark.parametrize("name", ["o200k", "cl100k"])
def test_hints_are_priced_at_their_longest(name: str) -> None:
    """No hint has more tokens than are set aside for it, and few have two or three fewer."""
    count = tokenizers.get(name).count
    for total in (7, 64, 999, 1000, 1234):
        option = rows_of(total, None)
        most = count(option.hint(total))
        for missing in {1, 2, total // 2, total - 9, total - 1, total} & set(range(1, total + 1)):
            assert most - 3 <= count(option.hint(missing)) <= most


@pytest.mark.slow
@pytest.mark.parametrize(
    "template", ["f({offset}, {limit})", "p{offset}", "1{limit}{offset}7", "x"]
)
@pytest.mark.parametrize("name", ["o200k", "cl100k"])
def test_calls_are_priced_as_they_are_written(name: str, template: str) -> None:
    """The cost of an option with a call is the tokens of its text with that call."""
    counter = tokenizers.get(name)
    prices = Prices(counter)
    for total in (7, 64, 999, 1234):
        option = rows_of(total, More(template, "$"))
        whole = Option("rows", ("".join(option.rows),), total)
        cls = MenuClass(None, list(range(total)), total, (whole, option))
        menu = Menu(cls, Overflow(total, None, "facts"))
        tabulated = tabulate(menu, prices, menu_cuts(menu, prices))
        calls = 0
        for number in range(tabulated.table.options):
            meaning = tabulated.meaning(number)
            if meaning.about_rows is not None:
                calls += 1
                text = render(tabulated.menu, tabulated.pick([number]))
                assert meaning.about_rows in text
                assert tabulated.table.cost[number] == counter.count(text)
        assert (calls > 0) == (total > 7)


def test_braces_and_odd_characters() -> None:
    """Braces written twice are braces; whatever a call holds, the text is read back."""
    for template in ('"{offset}" ]', 'get {{"from": {offset}}}', "β λ δ ] \u2028 {path}"):
        for level in ("standard", "native", "dense"):
            result = mckp.encode(
                {"jobs": JOBS * 2}, budget=250, weights="position", formats=level, more=template
            )
            for hint in notes_in(result.text):
                if hint.more is not None and not hint.more.startswith("with "):
                    offset = len(mckp.decode(result.text)["jobs"])
                    assert hint.more == template.format(offset=offset, path="$.jobs")


def test_a_call_may_ask_for_pages() -> None:
    """A page has as many items as were kept, so that the second one goes on where the text ends."""
    notes = [f"note {n} of some words" for n in range(90)]
    result = mckp.encode(notes, budget=100, more="list(page={page}, per_page={page_size})")
    (hint,) = notes_in(result.text)
    kept = len(notes) - hint.missing
    assert hint.more == f"list(page=2, per_page={kept})"
    assert [key for cut in result.elided for key in cut.keys] == list(range(kept, 90))
    with pytest.raises(TemplateError, match=r"\{page\} needs \{page_size\}"):
        mckp.encode(JOBS, budget=200, more="get_jobs(page={page})")


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        (
            [{"cursor": f"c{n}==", "node": {"id": n, "title": f"title {n}"}} for n in range(60)],
            "c{}==",
        ),
        ([{"id": f"ch_{n}", "title": f"the title of {n}"} for n in range(60)], "ch_{}"),
    ],
)
def test_a_call_may_begin_after_a_cursor(rows: list[Any], last: str) -> None:
    """The cursor is that of the last row kept, or its id, so that the call goes on after it."""
    result = mckp.encode({"items": rows}, budget=150, more="list(after={cursor})")
    (hint,) = [hint for hint in notes_in(result.text) if hint.unit == "rows"]
    assert hint.more == f"list(after={last.format(len(rows) - hint.missing - 1)})"


@pytest.mark.parametrize(
    "rows", [[{"id": 7, "n": n} for n in range(90)], [{"id": f"{n}\n", "n": n} for n in range(90)]]
)
def test_rows_without_a_cursor_have_no_call(rows: list[Any]) -> None:
    """Where ids are equal, or no text of one line, no call would go on after a row."""
    result = mckp.encode(rows, budget=150, more="list(after={cursor})")
    assert result.elided
    assert "list(after" not in result.text

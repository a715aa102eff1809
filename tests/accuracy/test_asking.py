"""Questions are the same every time, differ from each other, and their answers are right."""

from typing import Any

import pytest
from hypothesis import given

from mckp.accuracy import KINDS, questions
from mckp.accuracy.asking import SHORT_CHARS, tables_in
from mckp.accuracy.query import UNKNOWN, Condition, Query
from mckp.menu.shorten import LEAST
from tests.strategies import VALUES, examples

JOBS: list[dict[str, Any]] = [
    {"id": 7, "state": "ok", "took": 3, "by": {"name": "Ann"}},
    {"id": 8, "state": "failed", "took": 5, "by": {"name": "Bob"}, "note": None},
    {"id": 9, "state": "ok", "took": 4, "by": {"name": "Ann"}},
    {"id": 10, "state": "ok", "took": 0.25, "by": {"name": "Bob"}, "tags": ["a", "b"]},
]
DATA: dict[str, Any] = {"page": 1, "jobs": JOBS}


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        (Query("scalar", ("page",)), 1),
        (Query("scalar", ("jobs",)), UNKNOWN),
        (Query("value", ("jobs",), ("by", "name"), (Condition(("id",), "is", 8),)), "Bob"),
        (Query("value", ("jobs",), ("took",), (Condition(("state",), "is", "ok"),)), UNKNOWN),
        (Query("value", ("jobs",), ("note",), (Condition(("id",), "is", 7),)), UNKNOWN),
        (Query("count", ("jobs",), (), (Condition(("note",), "absent"),)), 3),
        (Query("count", ("jobs",), (), (Condition(("note",), "null"),)), 1),
        (Query("count", ("jobs",), (), (Condition(("took",), "above", 3),)), 2),
        (Query("sum", ("jobs",), ("took",)), 12.25),
        (Query("sum", ("jobs",), ("took",), (Condition(("id",), "below", 9),)), 8),
        (Query("mean", ("jobs",), ("took",)), 3.06),
        (Query("most", ("jobs",), ("took",)), 5),
        (Query("least", ("jobs",), ("note",)), UNKNOWN),
        (Query("distinct", ("jobs",), ("by", "name")), 2),
        (Query("names", ("jobs",), ("id",), (Condition(("state",), "is", "ok"),)), [7, 9, 10]),
        (Query("first", ("jobs",), ("id",)), 7),
        (Query("last", ("jobs",), ("id",)), 10),
        (Query("has", ("jobs",), ("note",), (Condition(("id",), "is", 8),)), True),
        (Query("size", ("jobs",), ("tags",), (Condition(("id",), "is", 10),)), 2),
        (Query("records", ("jobs",)), 4),
        (Query("columns", ("jobs",)), ["id", "state", "took", "by", "note", "tags"]),
        (Query("members", ()), ["page", "jobs"]),
        (Query("records", ("nothing",)), UNKNOWN),
        (Query("count", ("page",)), UNKNOWN),
    ],
)
def test_answers(query: Query, answer: Any) -> None:
    """A query gives the right value, of the right type."""
    answered = query.answer(DATA)
    assert (answered, type(answered)) == (answer, type(answer))


def test_what_is_missing_is_not_there() -> None:
    """No question asks for what should be missing, and is there as null."""
    assert [question.prompt for question in questions({"a": 1, "a_before": None}, each=9)] == [
        "What is `a`?",
        "What are the names at the top of the document, with commas between?",
    ]


def test_types_are_kept_apart() -> None:
    """A number is not its text, nor is true 1."""
    rows = [{"k": 1}, {"k": "1"}, {"k": True}, {"k": None}, {}]
    for value in (1, "1", True, None):
        query = Query("count", (), (), (Condition(("k",), "is", value),))
        assert query.answer(rows) == 1


def test_records_under_names() -> None:
    """An object of records is a table, whose records are known by their names."""
    flags = {f"flag-{n}": {"on": n > 2, "share": n} for n in range(5)}
    [table] = tables_in({"flags": flags})
    assert (table.name, table.is_map, table.key and table.key.name) == ("`flags`", True, "name")
    asked = questions({"flags": flags}, each=99)
    assert not [question for question in asked if question.query.ask in ("first", "last")]
    assert {question.type for question in asked if question.query.ask == "names"} == {"set"}


def test_questions_are_the_same_every_time() -> None:
    """The same seed gives the same ones, another one others; more are asked if wanted."""
    once, again = questions(DATA, seed=3), questions(DATA, seed=3)
    assert once == again
    assert [question.prompt for question in questions(DATA, seed=4)] != [
        question.prompt for question in once
    ]
    assert len(questions(DATA, each=1)) < len(once) < len(questions(DATA, each=99))


def test_kinds() -> None:
    """Questions of all kinds are asked; only questions about missing fields have no answer."""
    asked = questions(DATA, each=99)
    assert {question.kind for question in asked} == set(KINDS)
    unknown = [question for question in asked if question.gold is UNKNOWN]
    assert {question.kind for question in unknown} == {"missing"}
    assert {question.type for question in unknown} == {"unknown"}


def test_what_is_asked_for_is_never_shortened() -> None:
    """Questions never ask for a text that is long enough to be shortened."""
    assert SHORT_CHARS < LEAST
    long = [{"id": n, "text": "x" * LEAST, "word": "y" * SHORT_CHARS} for n in range(5)]
    asked = questions(long, each=99)
    assert {question.query.ask for question in asked if question.query.field == ("text",)} == {
        "size"
    }
    assert any(question.query.field == ("word",) for question in asked)


@pytest.mark.slow
@examples(60)
@given(VALUES)
def test_any_data(data: Any) -> None:
    """Whatever JSON can hold is asked about; ids and prompts differ, and golds are the data's."""
    asked = questions(data, each=3)
    assert (
        len({question.id for question in asked})
        == len({question.prompt for question in asked})
        == len(asked)
    )
    for question in asked:
        assert question.query.answer(data) == question.gold or question.gold is UNKNOWN

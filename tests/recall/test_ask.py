"""Questions about data: one grammar, the tolerances that it has, and what it says of mistakes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.errors import MissingExtraError, RecallError
from mckp.recall import DataAnswer, RecallQuestion, answered, programs, rows
from mckp.recall.evaluate import FUNCTIONS, KNOWN
from mckp.recall.grammar import GrammarError, read, read_steps
from tests.recall.data import BUILDS
from tests.strategies import examples

IDS = [build["id"] for build in BUILDS["builds"]]


def asked(document: Any = BUILDS, **call: Any) -> Any:
    answer = answered(document, call)
    assert isinstance(answer, DataAnswer)
    return answer.value


def ids(where: str) -> list[int]:
    return [row["id"] for row in asked(where=where, fields=["id"])]


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        ("status == 'failed'", [101]),
        ("status = 'failed'", [101]),
        ('status == "failed"', [101]),
        ("STATUS == 'failed'", [101]),
        ("$.status == 'failed'", [101]),
        ("@.status == 'failed' && cost > 2", [101]),
        ("status == 'failed' or owner.name == 'Bob'", [101, 102]),
        ("status == 'failed' || !(cost < 4)", [101, 103]),
        ("not status", [104, 105]),
        ("status is null", [104, 105]),
        ("status == null", [104, 105]),
        ("status is not null and cost >= 2.5", [101, 103]),
        ("status exists", [101, 102, 103]),
        ("exists status", [101, 102, 103]),
        ("status != 'failed'", [102, 103]),
        ("status <> 'failed'", [102, 103]),
        ("not (status == 'failed')", [102, 103, 104, 105]),
        ("status in ['failed', 'passed'] and cost < 3", [101, 102]),
        ("status not in ('failed')", [102, 103, 104, 105]),
        ("'ci' in labels.name", [101, 102]),
        ("labels.name == 'slow'", [101]),
        ("labels[*].name contains 'slow'", [101]),
        ("labels contains 'slow'", [101]),
        ("contains(status, 'fail')", [101]),
        ("status.startswith('pass')", [102, 103]),
        ("status startswith 'pass' and status endswith 'ed'", [102, 103]),
        ("status starts with 'fa'", [101]),
        ("status like 'pa%'", [102, 103]),
        ("status matches '^f|x'", [101]),
        ("status =~ 'f.i'", [101]),
        ("len(steps) > 1", [101, 104, 105]),
        ("steps.length() > 2", [101]),
        ("count(steps) == 0", [103]),
        ("cost between 2 and 3", [101, 104]),
        ("size > 100", [101, 102]),
        ("size < '100'", [103]),
        ("end - start > 60", [102]),
        ("start >= 2026-05-02", [102, 103]),
        ("start startswith '2026-05'", [101, 102]),
        ("start[:7] == '2026-06'", [103]),
        ("log.errors > 1", [101]),
        ("len(log.lines) == 2", [101]),
        ("loss/mean < 0.5", [102]),
        ("@['loss/mean'] < 0.5", [102]),
        ('x["loss/mean"] < 0.5', []),
        ("flag-a", [105]),
        ("owner.siteAdmin", [102]),
        ("cost * 2 + 1 == 9", [103]),
        ("-cost < -3", [103]),
        ("+-cost < -+3", [103]),
        ("---cost < -3", [103]),
        ("cost % 2 == 1", [102, 104]),
        ("builds[*].cost > 3", [103]),
        ("milestone.title == 'x'", []),
        ("name == 'x' or cost > 3", []),
    ],
)
def test_rows_are_chosen(where: str, wanted: list[int]) -> None:
    """Each expression chooses the rows that it describes, or is an error about its field."""
    if not wanted and "milestone" not in where:
        with pytest.raises(RecallError, match="nothing in 5 rows"):
            ids(where)
        return
    answer = answered(BUILDS, {"where": where, "fields": ["id"]})
    assert isinstance(answer, DataAnswer)
    assert [row["id"] for row in answer.value] == wanted


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ({"fields": ["count()"]}, {"count()": 5}),
        ({"fields": "count(*)"}, {"count(*)": 5}),
        ({"count": True}, {"count()": 5}),
        ({"fields": ["sum(cost)", "avg(cost)"]}, {"sum(cost)": 10.5, "avg(cost)": 2.1}),
        ({"fields": ["min(start)"]}, {"min(start)": "2026-05-01T10:00:00Z"}),
        ({"fields": ["sum(big)"]}, {"sum(big)": 2**61 + 4}),
        ({"fields": ["avg(len(steps))"]}, {"avg(len(steps))": 1.6}),
        ({"fields": ["sum(cost) / count()"]}, {"sum(cost) / count()": 2.1}),
        ({"fields": ["count(owner.site_admin)"]}, {"count(owner.site_admin)": 1}),
        ({"fields": ["sum(status == 'passed')"]}, {"sum(status == 'passed')": 2}),
        ({"fields": ["count(distinct owner.name)"]}, {"count(distinct owner.name)": 4}),
        ({"fields": {"all": "count()"}}, {"all": 5}),
        ({"fields": ["sum(cost) as money"]}, {"money": 10.5}),
        ({"where": "cost > 99", "fields": ["count()"]}, {"count()": 0}),
        ({"where": "cost > 99", "fields": ["sum(cost)"]}, {"sum(cost)": 0}),
        ({"where": "cost > 99", "fields": ["max(cost)"]}, {"max(cost)": None}),
        (
            {"group": "owner.name"},
            [
                {"owner.name": "Ann", "count()": 2},
                {"owner.name": "Bob", "count()": 1},
                {"owner.name": "Cyd", "count()": 1},
                {"owner.name": "Dee", "count()": 1},
            ],
        ),
        (
            {"group": "labels.name", "where": "labels"},
            [{"labels.name": "ci", "count()": 2}, {"labels.name": "slow", "count()": 1}],
        ),
        (
            {"group": "start[:7]", "fields": ["sum(cost)"], "sort": "start", "where": "start"},
            [{"start[:7]": "2026-05", "sum(cost)": 3.5}, {"start[:7]": "2026-06", "sum(cost)": 4}],
        ),
        (
            {"group": "status", "where": "count() > 1 and status"},
            [{"status": "passed", "count()": 2}],
        ),
        (
            {"fields": ["owner.name", "count()"], "limit": 1},
            [{"owner.name": "Ann", "count()": 2}],
        ),
        ({"fields": ["id", "max(cost)"]}, [{"id": 103, "max(cost)": 4}]),
        ({"sort": "-cost", "limit": 2, "fields": ["id"]}, [{"id": 103}, {"id": 104}]),
        ({"order_by": "cost desc", "top": "1", "select": "id"}, [{"id": 103}]),
        ({"sort": "-(end - start)", "limit": 1, "fields": ["id"]}, [{"id": 102}]),
        ({"sort": "-end - start", "limit": 1, "fields": ["id"]}, [{"id": 102}]),
        (
            {"sort": ["status", "-id"], "fields": ["id"]},
            [{"id": n} for n in (101, 103, 102, 105, 104)],
        ),
        (
            {"path": "$.repository", "fields": ["updated_at - created_at"]},
            {"updated_at - created_at": 25},
        ),
        (
            {"path": "repository", "fields": ["has_wiki + has_pages + has_issues"]},
            {"has_wiki + has_pages + has_issues": 2},
        ),
        ({"path": "$.repository", "fields": ["len(topics)"]}, {"len(topics)": 2}),
        ({"fields": ["has_wiki"], "path": "$.repository"}, {"has_wiki": True}),
        ({"path": "$.builds[?(@.id == 104)].cost"}, [3]),
        ({"path": "$.builds[1].owner"}, {"name": "Bob", "site_admin": True}),
        ({"path": "builds[-1].id"}, 105),
        ({"path": "$..site_admin"}, [False, True, False]),
        ({"path": "$.builds.id"}, IDS),
        ({"path": "$.builds[1:3].cost"}, [{"id": 102, "cost": 1}, {"id": 103, "cost": 4}]),
        ({"path": "$.builds[0].log.errors"}, 3),
        ({"where": {"status": "failed"}, "fields": ["id"]}, [{"id": 101}]),
        ({"where": ["cost > 1", "status == 'passed'"], "fields": ["id"]}, [{"id": 103}]),
        (
            {"fields": ["split(start, 'T')[0]"], "limit": 1, "where": "id == 101"},
            [{"split(start, 'T')[0]": "2026-05-01"}],
        ),
        ({"grep": "Cyd", "fields": ["id"]}, [{"id": 104}]),
        (
            {"where": "id == 101", "fields": ["keys(owner)"]},
            [{"keys(owner)": ["name", "site_admin"]}],
        ),
    ],
)
def test_answers(call: dict[str, Any], wanted: Any) -> None:
    """Each question has its answer."""
    assert asked(**call) == wanted


def test_a_missing_array_has_no_elements() -> None:
    """An array that a row lacks, or that is null, has the length 0, as an empty one has."""
    rows: Any = [
        {"id": 1, "tags": ["a"]},
        {"id": 2},
        {"id": 3, "tags": []},
        {"id": 4, "tags": None},
    ]
    assert asked(rows, where="len(tags) == 0", fields=["id"]) == [{"id": n} for n in (2, 3, 4)]
    assert asked(rows, where="len(tags) < 2", fields=["count()"]) == {"count()": 4}


def test_rows_elsewhere_are_found_by_their_names() -> None:
    """A question without a path whose names are all in another object is about that."""
    answer = answered(BUILDS, {"fields": ["has_wiki"]})
    assert isinstance(answer, DataAnswer)
    assert (answer.value, answer.place) == ({"has_wiki": True}, "$.repository")


def test_no_match_is_an_answer_with_the_values_that_are_there() -> None:
    """An answer without rows counts the values that the field has."""
    answer = answered(BUILDS, {"where": "status == 'broken'"})
    assert isinstance(answer, DataAnswer)
    assert answer.value == []
    assert answer.note == "0 of 5 rows match; status is: passed 2, failed 1"


def test_an_object_that_does_not_match_is_no_row() -> None:
    """An object that does not match is an empty answer that says so."""
    answer = answered(BUILDS, {"path": "$.repository", "grep": "nowhere", "fields": ["has_wiki"]})
    assert isinstance(answer, DataAnswer)
    assert (answer.value, answer.note) == ([], "it does not match")


def test_the_main_array_may_be_in_the_only_element_of_another() -> None:
    """Rows are found in an array within the only element of another."""
    sheet = {"sheets": [{"title": "x", "rows": [{"n": n, "text": "cell"} for n in range(9)]}]}
    assert asked(sheet, where="n == 3") == [{"n": 3, "text": "cell"}]


def test_an_object_of_nulls_is_nothing() -> None:
    """An object of nulls counts as empty; where it is no null, the answer says what it is."""
    hollow = {"url": None, "at": {"day": None}}
    table = [{"id": n, "pull": {**hollow, "url": "x"} if n == 4 else hollow} for n in range(9)]

    def found(where: str) -> DataAnswer:
        return rows.ask(table, RecallQuestion.of({"where": where}))

    assert found("pull").value == [table[4]]
    assert len(found("not pull").value) == 8
    answer = found("pull != null and id > 2")
    assert (len(answer.value), answer.note) == (6, "in 5 of them, pull is an object of nulls")
    assert found("exists(pull)").note.startswith("in 8 of them, pull is")


def test_rows_that_a_difference_leaves_out_are_said() -> None:
    """An answer to `!=` counts the rows that lack the field."""
    answer = answered(BUILDS, {"where": "status != 'failed'"})
    assert isinstance(answer, DataAnswer)
    assert answer.note == "2 rows without status are not among them"


@pytest.mark.parametrize(
    ("call", "said", "better"),
    [
        (
            {"where": "state == 'failed'"},
            "'state'; they have status",
            {"where": "status == 'failed'"},
        ),
        (
            {"where": "status == failed"},
            "(a text needs quotes: 'failed')",
            {"where": "status == 'failed'"},
        ),
        ({"fields": ["name"]}, "'name'; they have owner.name", {"fields": ["owner.name"]}),
        ({"fields": ["lenght(steps)"]}, "no function 'lenght'", {"fields": ["len(steps)"]}),
        ({"path": "$.build"}, "has no 'build'; it has builds", {"path": "$.builds"}),
        ({"path": "$.builds[9]"}, "$.builds has the items [0] to [4]", {"path": "$.builds[4]"}),
        ({"path": "$.site_admin"}, "site_admin is at $.builds[*].owner.site_admin", None),
        ({"feilds": ["id"]}, "no parameter 'feilds'", {"fields": ["id"]}),
        ({"where": "status =="}, "a field or a value is missing", None),
        (
            {"where": "status = 'failed' ORDER BY id"},
            "before 'ORDER' at column 19",
            {"where": "status = 'failed'"},
        ),
        ({"fields": ["ownre.name"]}, "'ownre.name'", {"fields": ["owner.name"]}),
        ({"where": "(cost > 1"}, ", or ) is missing", None),
        ({"where": "cost > 1 status"}, "an operator such as == or and is missing", None),
        ({"where": "status == 'x"}, "a quote is not closed", None),
        ({"limit": "many"}, "limit must be a whole number", None),
        ({"fields": 3}, "fields must be a list", None),
        ({"where": "status matches '(a+)+$' or cost > costs"}, "'costs'; they have cost", None),
    ],
)
def test_mistakes_are_named_with_a_call_that_works(
    call: dict[str, Any], said: str, better: dict[str, Any] | None
) -> None:
    """An error about a call says what is wrong and offers a call that works."""
    with pytest.raises(RecallError) as caught:
        answered(BUILDS, call)
    assert said in str(caught.value)
    assert caught.value.call is not None
    assert better is None or caught.value.call == better
    answered(BUILDS, caught.value.call)


FIELDS = ["id", "status", "owner.name", "owner", "labels.name", "cost", "log.errors", "nmae", "x.y"]
WORDS = st.sampled_from(
    [*FIELDS, "==", "and", "or", "not", "(", ")", "'a'", "3", "len(", "sum(", "count()", "[0]", "-"]
)
TEXTS = st.one_of(st.lists(WORDS, max_size=7).map(" ".join), st.text(max_size=12))
CALLS = st.fixed_dictionaries(
    {},
    optional={
        "path": st.one_of(
            st.sampled_from(["$", "$.builds", "builds[1:]", "$.repo", "$..name"]), TEXTS
        ),
        "where": TEXTS,
        "fields": st.one_of(TEXTS, st.lists(TEXTS, max_size=3)),
        "group": TEXTS,
        "sort": TEXTS,
        "limit": st.one_of(st.integers(-1, 4), st.text(max_size=2)),
        "grep": st.text(max_size=6),
        "offset": st.integers(0, 9),
        "wher": st.just("x"),
    },
)


@examples(400)
@given(call=CALLS)
def test_any_call_is_answered_or_mended(call: dict[str, Any]) -> None:
    """Whatever is asked: an answer that JSON can hold, or a call that works."""
    try:
        answer = answered(BUILDS, call)
    except RecallError as error:
        answered(BUILDS, error.call or {"where": "no call is named"})
        return
    assert isinstance(answer, DataAnswer)
    json.dumps(answer.value)


@examples(200)
@given(TEXTS)
def test_expressions_and_paths_are_read_or_refused(text: str) -> None:
    """Any text is read as an expression or path, or is an error with a column in it."""
    columns: list[int] = []
    for reader in (read, read_steps):
        try:
            reader(text)
        except GrammarError as error:
            columns.append(error.column)
    assert all(1 <= column <= len(text) + 1 for column in columns)


def test_signs_are_read_without_depth() -> None:
    """Many signs before a value are no deep nesting."""
    assert read(f"{'+-' * 1001}3") == read("-3")
    assert read("--x") != read("x")  # the first is a number


@pytest.mark.slow
def test_work_is_bounded() -> None:
    """Steps to any depth look at each place once, and patterns are given little time."""
    deep: Any = 1
    for number in range(60):
        deep = {"a": deep, "b": [number]}
    assert len(asked(deep, path="$" + "..a" * 40)) <= 60
    slow = [{"text": "a" * 5_000 + "!"}]
    with pytest.raises(RecallError, match="takes too long"):
        answered(slow, {"where": "text matches '(a|a)+$'"})


def test_functions_take_any_value() -> None:
    """Every function takes values of each type."""
    rows = [
        {"v": value} for value in (None, True, 3, 2.5, "a", "2026-05-01", [], [1], {}, {"a": 1})
    ]
    for name in KNOWN:
        answer = asked(rows, fields={"x": f"{name}(v)"}, where="exists(v) or not v")
        assert isinstance(answer, dict if name in ("sum", "avg") else (dict, list)), name
    assert set(FUNCTIONS) <= set(KNOWN)


def test_a_question_is_read_from_many_shapes() -> None:
    """Fields and lines may be strings, numbers or lists, and empty arguments are none."""
    assert RecallQuestion.of({"fields": "a, b(c, d)"}).fields == {"a": "a", "b(c, d)": "b(c, d)"}
    assert RecallQuestion.of({"lines": "3-9, 12"}).lines == ((3, 9), (12, 12))
    assert RecallQuestion.of({"lines": 7}).lines == ((7, 7),)
    assert RecallQuestion.of({"lines": [3, 9]}).lines == ((3, 9),)
    assert RecallQuestion.of({"where": "", "fields": [], "limit": None, "handle": 3}).is_bare


def test_grep_looks_at_names_too() -> None:
    """A pattern that only names have is answered with these; in one object, with the places."""
    answer = answered(BUILDS, {"grep": "statu"})
    assert isinstance(answer, DataAnswer)
    assert answer.value == []
    assert "in names of fields: " in answer.note
    pages = {"info": {"hasNext": False, "end": "x"}, "owner": {"login": "ann", "id": 1}}
    assert asked(pages, grep="hasNext|ann") == [
        {"path": "$.info.hasNext", "value": False},
        {"path": "$.owner.login", "value": "ann"},
    ]


def test_an_open_bracket_is_closed_in_the_call_that_works() -> None:
    """The call that an error offers closes an open bracket."""
    with pytest.raises(RecallError) as caught:
        asked(where="id in (1, 2")
    assert caught.value.call == {"where": "id in (1, 2)"}


def test_groups_of_an_array_count_its_elements() -> None:
    """Each element counts; a sum over rows takes a row once a group all the same."""
    tables = [{"n": 1, "columns": [{"type": "int"}, {"type": "int"}, {"type": "text"}]}, {"n": 5}]
    counted = asked(tables, group="columns.type")
    assert {"columns.type": "int", "count()": 2} in counted
    assert {"columns.type": "int", "sum(n)": 1} in asked(
        tables, group="columns.type", fields=["sum(n)"]
    )


LONG = [
    {"id": n, "body": f"{'word ' * 300}{'Needle' if n == 3 else ''}{' tail' * 300}"} for n in (1, 3)
]


def test_a_long_value_is_shown_around_what_was_searched_for() -> None:
    """A long value is shown around the match, in rows, in a field and in one object."""
    answer = answered(LONG, {"grep": "Needle", "fields": ["body"]})
    assert isinstance(answer, DataAnswer)
    (row,) = answer.value
    assert 300 < len(row["body"]) < 400
    assert "Needle" in row["body"]
    assert "whole without grep" in answer.note
    (hit,) = asked(LONG, grep="Needle")
    assert {**hit, "value": ""} == {"path": "[1].body", "row": "id 3", "value": ""}
    assert "Needle" in hit["value"]
    place = answered({"a": {"text": LONG[1]["body"]}, "b": 1}, {"grep": "Needle"})
    assert isinstance(place, DataAnswer)
    assert len(place.value[0]["value"]) < 400


def test_hits_in_long_rows_are_lines_not_rows() -> None:
    """A pattern gives the path and the matching line of a value, and one value of many alike."""
    pages = [
        {
            "number": n,
            "body": f"first line\nthe {'tide' if n else 'ebb'} is here\nlast {'line ' * 40}",
            "user": {
                "login": "ann",
                **{f"{name}_url": f"https://x.org/ann/{name}" for name in "abcd"},
            },
        }
        for n in range(2)
    ]
    assert asked(pages, grep="tide") == [
        {"path": "[1].body", "row": "number 1", "line": 2, "value": "the tide is here"}
    ]
    answer = answered(pages, {"grep": "ann"})
    assert isinstance(answer, DataAnswer)
    assert [(hit["path"], hit["value"]) for hit in answer.value] == [
        ("[0].user.login", "ann"),
        ("[1].user.login", "ann"),
    ]
    assert answer.note == "8 more values contain it, in user.a_url and 3 more fields"
    assert asked(pages, path=answer.value[1]["path"]) == "ann"


@pytest.mark.parametrize(
    ("pattern", "rows", "note"),
    [
        ("NEEDLE", 1, "these differ in case"),
        ("needling", 0, "rows with its words: needl 1"),
        ("xyzzy", 0, "0 of 2 rows have 'xyzzy' in a value"),
    ],
)
def test_a_pattern_of_rows_says_what_is_near(pattern: str, rows: int, note: str) -> None:
    """A pattern in another case or word form finds or counts what is near."""
    answer = answered(LONG, {"grep": pattern})
    assert isinstance(answer, DataAnswer)
    assert len(answer.value) == rows
    assert note in answer.note


@pytest.mark.parametrize(
    ("call", "said", "rows"),
    [
        ({"lines": "0"}, "only texts have lines, and this is JSON", 1),
        ({"lines": "0-1"}, "a path such as $[0:2]", 2),
        ({"rows": "0-1"}, "for rows by index, use a path such as [0:2]", 2),
        ({"index": 1}, "as [1]", None),
    ],
)
def test_rows_by_number_are_a_path(call: dict[str, Any], said: str, rows: int | None) -> None:
    """Rows asked for by number are an error that offers the path to them."""
    with pytest.raises(RecallError) as caught:
        answered(LONG, call)
    assert said in str(caught.value)
    mended = asked(LONG, **(caught.value.call or {}))
    assert mended == LONG[1] if rows is None else len(mended) == rows


def test_other_types_are_read_as_they_are_meant() -> None:
    """Sort orders as objects, limits as floats and patterns as booleans are read."""
    assert [row["id"] for row in asked(LONG, sort={"id": "desc"}, fields=["id"])] == [3, 1]
    assert len(asked(LONG, limit=1.0)) == 1
    assert [row["ok"] for row in asked([{"ok": True}, {"ok": False}], grep=True)] == [True]


def test_a_total_without_numbers_says_so() -> None:
    """A sum over values that are no numbers is null with a note."""
    answer = answered(BUILDS, {"fields": ["sum(status)"]})
    assert isinstance(answer, DataAnswer)
    assert answer.value == {"sum(status)": None}
    assert "values is a number" in answer.note


@pytest.mark.slow
def test_a_program_of_jq_is_run_with_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """It sees neither the environment nor files, and has little time; integers keep all digits."""
    pytest.importorskip("jq")
    monkeypatch.setenv("SECRET", "x")
    monkeypatch.setattr(programs, "SECONDS", 2.0)
    big = 2**53 + 1
    rows = [{"id": big + n, "é": "\u2028\n"} for n in range(4)]
    assert asked(rows, jq=".[0].id # the first") == big
    assert asked(rows, jq=".[] | .id", offset=1, limit=2) == [big + 1, big + 2]
    assert asked('{"a": 1}\n{"a": 2}\n', jq="map(.a) | add") == 3
    assert asked(rows, jq='[env, $ENV] | map(has("SECRET")) | any') is False
    assert answered(rows, {"jq": "empty"}).note == "the program gives nothing"
    monkeypatch.setattr(programs, "MOST_CHARACTERS", 100)
    answer = answered(rows, {"jq": 'repeat(.[0]["é"])'})
    assert isinstance(answer, DataAnswer)
    assert answer.value == ["\u2028\n"] * answer.total
    assert answer.total < 30
    assert "first 100 characters" in answer.note
    monkeypatch.setattr(programs, "SECONDS", 1.0)
    for program, wrong in {
        "def f: f; f": "took over",
        'import "x" as $x {search: "/"}; $x': "unexpected import",
        ".[0].id.b": "Cannot index number",
        ".[0": "syntax error",
    }.items():
        with pytest.raises(RecallError, match=wrong):
            answered(rows, {"jq": program})
    with pytest.raises(RecallError, match="cannot be combined with where"):
        answered(rows, {"jq": ".", "where": "id > 3"})

    def none(_: str) -> None:
        """Find no package."""

    monkeypatch.setattr(programs, "find_spec", none)
    with pytest.raises(MissingExtraError, match=r"'\.\[jq\]'"):
        answered(rows, {"jq": "."})


def test_a_search_without_a_path_goes_through_the_whole_document() -> None:
    """Rows of the main array come first; what matches elsewhere is not hidden."""
    trip = {
        "passengers": [{"first": "Anya"}, {"first": "Omar"}],
        "flights": [{"no": f"HAT{n}", "price": 100 + n} for n in range(30)],
    }
    answer = rows.ask(trip, RecallQuestion.of({"grep": "Anya"}))
    assert answer.value == [{"path": "$.passengers[0].first", "value": "Anya"}]
    assert answer.note.startswith("no row of $.flights has it")
    answer = rows.ask(trip, RecallQuestion.of({"grep": "HAT12|Omar"}))
    assert answer.value == [{"no": "HAT12", "price": 112}]
    assert "1 more outside of $.flights, such as $.passengers[1].first" in answer.note
    assert not rows.ask(trip, RecallQuestion.of({"grep": "price"})).value


def test_rows_without_a_value_to_sort_by_are_counted() -> None:
    """A row without the field sorts last, which a limit must not hide."""
    tables: list[dict[str, Any]] = [
        {"name": "a", "size": 2},
        {"name": "b"},
        {"name": "c", "size": 1},
    ]
    for sort, names in (("size", ["c", "a"]), ("-size", ["a", "c"])):
        answer = rows.ask(tables, RecallQuestion.of({"sort": sort, "limit": 2}))
        assert [row["name"] for row in answer.value] == names
        assert answer.note == "1 row comes last: it has no size"
    assert not rows.ask(tables, RecallQuestion.of({"sort": "name", "limit": 2})).note


def test_differences_of_times_say_their_unit() -> None:
    """A difference of times is in seconds and says so; one of numbers has no unit."""
    rows = [{"id": 1, "start": "2026-03-01T10:00:00Z", "end": "2026-03-01T10:01:05Z", "n": 3}]
    answer = answered(rows, {"fields": ["id", "end - start"]})
    assert isinstance(answer, DataAnswer)
    assert answer.value == [{"id": 1, "end - start": 65}]
    assert "seconds" in answer.note
    plain = answered(rows, {"fields": ["n - id"]})
    assert isinstance(plain, DataAnswer)
    assert "seconds" not in plain.note

"""Parts of data: by patterns, and what was not shown yet."""

import json
import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import decode, encode, tokenizers
from mckp.agents.limits import MAX_CHARS
from mckp.agents.session import Reader, Session
from mckp.agents.session.excerpts import excerpt
from mckp.agents.session.recall import MAX_CUT, answer
from mckp.agents.session.selection import outline, projected, selected
from mckp.errors import PathError, PatternError
from mckp.jsontext import is_array, is_json, is_object
from tests.cases import cases
from tests.mcp.jobs import rows
from tests.strategies import VALUES, examples

COUNTER = tokenizers.get("o200k")
USERS: dict[str, Any] = {
    "items": [
        {"login": f"user{n}", "id": n, "at": {"city": f"c{n}"}, "tags": [n, n + 1]}
        for n in range(9)
    ],
    "total": None,
}


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [*cases(__file__, "test_patterns_name_parts"), ("$", USERS), ("**", [USERS])],
)
def test_patterns_name_parts(pattern: str, wanted: Any) -> None:
    """One place gives a value, whatever may be several a list."""
    assert selected(USERS, pattern) == wanted


@pytest.mark.parametrize(
    ("pattern", "message"),
    cases(__file__, "test_what_is_not_there_is_answered_by_what_is"),
)
def test_what_is_not_there_is_answered_by_what_is(pattern: str, message: str) -> None:
    """A pattern without a match is an error that lists what is there."""
    with pytest.raises(PathError, match=message):
        selected(USERS, pattern)


@pytest.mark.parametrize(
    "pattern", ["", "a[", "a[1:2:3]", "a[x:]", "a b[", '["\\ud800"]', "[--1:]"]
)
def test_what_is_no_pattern_is_an_error(pattern: str) -> None:
    """A broken pattern is an error with its column."""
    with pytest.raises(PatternError, match="column"):
        selected(USERS, pattern)


def test_a_projection_keeps_the_shape() -> None:
    """Names, places and nulls stay; records without what is asked for are empty."""
    projection = projected(USERS, ["items[*].login", "items[:2].at.city", "total"])
    items: list[Any] = [{"login": f"user{n}"} for n in range(9)]
    items[0] = {"login": "user0", "at": {"city": "c0"}}
    items[1] = {"login": "user1", "at": {"city": "c1"}}
    assert projection == {"items": items, "total": None}
    assert projected([{"a": 1}, {"b": 2}], ["[*].a"]) == [{"a": 1}, {}]
    assert projected(USERS, ["**.city"])["items"][3] == {"at": {"city": "c3"}}
    with pytest.raises(PathError, match=r"the data has items\[\*\]\.login, .*total"):
        projected(USERS, ["items[*].logon", "x"])


@examples(300)
@given(value=VALUES, data=st.data())
def test_all_that_is_there_is_all(value: Any, data: st.DataObject) -> None:
    """Every pattern of the outline names something, and all of them together leave nothing out."""
    assert projected(value, ["$"]) == selected(value, "$") == value
    assert projected(value, ["**"]) == value
    names = list(outline(value))
    if names:
        name = data.draw(st.sampled_from(names))
        part = selected(value, name)
        assert projected(value, [name]) == value or part != value


TABLE = [{**row, "note": f"something about {n}" * 3} for n, row in enumerate(rows(120))]
LOG = "".join(f"step {n} of the build is done\n" for n in range(200))
NESTED = {"users": TABLE[:40], "meta": {"pages": [*range(300)], "next": "abc"}}


ODD = {"x": {"> [+1 facts]": {f"a]{n}": {"b": n} for n in range(9)}, "é.[": [*range(300)]}}


@pytest.mark.slow
@pytest.mark.parametrize(
    "document", [TABLE, NESTED, LOG, {"a.b": {"c d": [*range(300)]}}, {"odd": [ODD] * 3, **ODD}]
)
@pytest.mark.parametrize("budget", [120, 400])
def test_all_is_shown_bit_by_bit(document: Any, budget: int) -> None:
    """What is recalled by default was not shown before, and in the end all was."""
    session = Session()
    text = document if isinstance(document, str) else json.dumps(document)
    given_ = session.add(tool="t", text=text, budget=budget)
    assert given_.elided
    assert given_.number == 1
    seen = [_leaves(Reader().seen(given_.text), document)]
    while session.unshown.next(1) is not None:
        said = asked(session, budget)
        assert COUNTER.count(said) <= budget
        rows = re.sub(r"(?m)(^#+ [^{\n]*\[[0-9]+\]\n)(?:- .*\n)+", r"\1", said)  # no lists of items
        assert not re.search(r"(?m)(?:^|[ \t])-(?:[ \t]|$)", rows), "nothing is absent in these"
        seen.append(_leaves(_read(said, document), document))
        assert len(seen) < 200
    everything = _leaves(document, document)
    assert everything <= set().union(*seen)
    whole = COUNTER.count(encode(document).text)
    assert len(seen) <= 2.5 * whole / budget + 1, "what comes again are names of records"
    again = asked(session, path="$")
    assert _leaves(_read(again, document), document) == everything


def _read(said: str, document: Any) -> Any:
    """Return what a text says, which is JSON as it came where that is short."""
    content = Reader().seen(re.sub(r"\n> \[.* are still not shown: .*\]\Z", "", said))
    if isinstance(content, str) > isinstance(document, str):
        return json.loads(content) if content[0] in "[{" and is_json(content) else decode(content)
    return content


def _leaves(value: Any, document: Any) -> set[str]:
    """Return what is said, wherever it is."""
    if isinstance(document, str):
        return {line for line in str(value).splitlines() if line.startswith("step")}
    if is_object(value):
        return set[str]().union(*(_leaves(member, document) for member in value.values()))
    if is_array(value):
        return set[str]().union(*(_leaves(item, document) for item in value))
    return {repr(value)}


def test_what_cannot_get_less_is_not_left() -> None:
    """After the rest of a text was recalled, nothing of it is unshown."""
    session, text = Session(), json.dumps({"text": "word " * 400})
    session.add(tool="t", text=text, budget=40)
    assert session.unshown.next(1) == json.loads(text)
    asked(session, 40)
    assert session.unshown.next(1) is None


@pytest.mark.slow
def test_little_is_remembered() -> None:
    """The unshown parts of the last results alone are remembered."""
    session = Session()
    for number in range(MAX_CUT + 3):
        session.add(tool="t", text=json.dumps([number, *TABLE]), budget=120)
    forgotten = [session.unshown.next(number) is None for number in range(1, MAX_CUT + 4)]
    assert forgotten == [True] * 3 + [False] * MAX_CUT


def test_columns_are_recalled() -> None:
    """Rows and columns are recalled by path and fields, and an error names the right column."""
    session = Session()
    session.add(tool="t", text=json.dumps(TABLE))

    def recall(**args: Any) -> Any:
        return decode(asked(session, 400, **args))

    assert recall(path="$[5:8]") == TABLE[5:8]
    assert recall(path="$[:3].id") == [0, 1, 2]
    columns = recall(path="$[:4]", fields=["id", "state"])
    assert columns == [{"id": r["id"], "state": r["state"]} for r in TABLE[:4]]
    assert recall(path="$[:4].state") == columns, "a column comes with the key of its rows"
    wrong, is_error = answer(session, {"handle": "#1", "path": "$[*].nmae"}, 400)
    assert is_error
    assert "it has name, id, state" in wrong
    assert wrong.endswith('try {"handle":"#1","path":"$[*].name"}')


RECALLS: list[tuple[dict[str, Any], Any]] = [
    ({}, TABLE),
    ({"handle": 1}, TABLE),
    ({"handle": "[#1]", "path": "$[3]"}, TABLE[3]),
    ({"handle": "1", "offset": 118, "limit": 2}, TABLE[118:]),
    ({"handle": "1", "offset": "118", "limit": "2"}, TABLE[118:]),
    ({"path": "[5].name"}, "job 5"),
    ({"offset": 120}, "nothing follows"),
]


@pytest.mark.parametrize(("args", "wanted"), RECALLS)
def test_recall_gives_back(args: dict[str, Any], wanted: Any) -> None:
    """Each question about a table has its exact answer."""
    session = Session()
    session.add(tool="t", text=json.dumps(TABLE))
    recalled = asked(session, **args)
    assert recalled == wanted or decode(recalled) == wanted


@pytest.mark.parametrize(
    "args",
    [
        *cases(__file__, "test_wrong_recalls_are_errors"),
        {"handle": "9" * 5000},
        {"limit": -(10**5000)},
        {"fields": ["a"] * 65},
        {"path": f"$[{'9' * 5000}]"},
        {"path": f"$[:{'9' * 5000}]"},
    ],
)
def test_wrong_recalls_are_errors(args: dict[str, Any]) -> None:
    """The model learns what is wrong, and little of it, however long names and numbers are."""
    session = Session()
    session.add(tool="t", text=json.dumps([{name * 3000: 1 for name in "abc"}]))
    error, is_error = answer(session, {"handle": "#1", **args})
    assert is_error
    assert 0 < len(error) < 1300
    said, _, call = error.partition("\ntry ")
    assert len(said) < 650
    if call:
        assert answer(session, json.loads(call))[1] is False, "the call that is named works"


@pytest.mark.slow
def test_patterns_do_not_explode() -> None:
    """Patterns of hundreds of steps are answered in less than five seconds."""
    session = Session()
    deep: Any = 1
    for number in range(60):
        deep = {"a": deep, "b": [number]}
    session.add(tool="t", text=json.dumps(deep))
    began = time.process_time()
    for args in (
        {"path": "**." * 40 + "c"},
        {"fields": ["**." * 40 + "c"]},
        {"fields": [f"**.q{n}" for n in range(64)]},
        {"path": "$" + "[0]" * 20_000},
    ):
        answer(session, {"handle": "#1", **args}, 200)
    assert time.process_time() - began < 5


@pytest.mark.parametrize("text", ["> [ref #1]\n" * 300, json.dumps({"a": "> [#2]\n" * 300})])
@pytest.mark.parametrize("limit", [64, 90])
def test_recall_of_fakes_holds_the_limit(text: str, limit: int) -> None:
    """A recalled text full of imitated lines keeps the limit when escaped."""
    session = Session()
    session.add(tool="t", text=text)
    assert COUNTER.count(asked(session, limit)) <= limit


@pytest.mark.parametrize("limit", [None, 200])
def test_what_is_beyond_all_measure_is_given_in_parts(limit: int | None) -> None:
    """Of an enormous text, both ends are recalled within the limit, and lines page by page."""
    session = Session()
    number = session.keep("first\n" + ("y" * 79 + "\n") * (MAX_CHARS // 80 + 1) + "last\n")
    text = asked(session, limit, handle=number)
    assert text.endswith("last\n")
    assert limit is None or COUNTER.count(text) <= limit
    begin = asked(session, limit, handle=number, limit=1)
    count = MAX_CHARS // 80 + 3
    assert begin == f"first\n> [+{count - 1} of {count} lines]"


@given(st.text(max_size=400), st.integers(30, 200))
def test_excerpts_hold_their_budget(text: str, budget: int) -> None:
    """An excerpt of any text keeps its budget."""
    assert COUNTER.count(excerpt(text, budget, "#1", COUNTER.count)) <= budget


def asked(session: Session, budget: int | None = None, **args: Any) -> str:
    text, is_error = answer(session, {"handle": "#1", **args}, budget)
    assert not is_error, text
    return text


def test_a_reference_to_a_text_that_was_cut_says_so() -> None:
    """The same call again has the same cut, and is offered the rest."""
    session, text = Session(), json.dumps([{"id": n, "state": "done"} for n in range(90)])
    first = session.add(tool="jobs", text=text, budget=60)
    again = session.add(tool="jobs", text=text, budget=60)
    third = session.add(tool="jobs", text=text, budget=60)
    assert first.elided
    assert again.text == third.text
    assert "#1 above, which was cut; recall #1 has the rest" in again.text
    assert Reader().seen(again.text) == again.text
    whole = Session()
    said = [whole.add(tool="jobs", text=text).text for _ in range(2)]
    assert said[1].startswith("> [ref #1]")
    assert "which was cut" not in said[1]


def test_a_handle_alone_gives_lines_not_shown_with_their_numbers() -> None:
    """They come in order, and end with how many are left and how to get them."""
    session = Session()
    lines = [f"step {n} of the build does what it has to do" for n in range(1, 301)]
    lines[149] = "ERROR step 150 of the build has failed"
    delivered = session.add(tool="t", text="\n".join(lines) + "\n", budget=300)
    cut = {key for cut_part in delivered.elided for key in cut_part.keys}
    given_, said = list[int](), ""
    for _ in range(40):
        said = asked(session, 300)
        assert COUNTER.count(said) <= 300
        number = 0
        for line in said.splitlines():
            if head := re.fullmatch(r"> \[lines (\d+)-\d+ of 300\]", line):
                number = int(head[1])
            elif not line.startswith("> ["):
                match = re.fullmatch(r"(\d+):(.*)", line)
                number, text = (int(match[1]), match[2]) if match else (number, line)
                assert text == lines[number - 1]
                given_.append(number)
                number += 1
        if "still not shown" not in said:
            break
        assert f"> [{len(cut) - len(given_)} of " in said
        assert f'recall("#1"), or lines="{sorted(cut)[len(given_)]}-"' in said
    assert given_ == sorted(cut)


def test_a_handle_alone_goes_on_within_a_line() -> None:
    """A page in one line is given in parts, none of them twice."""
    session = Session()
    words = " ".join(f"word{n}" for n in range(3000))
    session.add(tool="t", text=words, budget=300)
    seen = list[str]()
    while session.unshown.next(1) is not None:
        said = asked(session, 400)
        assert COUNTER.count(said) <= 400
        seen += re.findall(r"word\d+", said)
        assert len(seen) < 4000
    assert len(seen) == len(set(seen))
    assert "word2999" in seen


def test_folders_that_all_hits_share_are_said_once() -> None:
    """A folder shared by all hits is written once above them."""
    session = Session()
    folder = "/srv/app/node_modules/some-long-name/dist"
    hits = [f"{folder}/f{n % 4}.js:{n}:const use{n} = {n % 3}" for n in range(1, 40)]
    session.add(tool="grep", text="\n".join(hits))
    said = asked(session, grep="use[123] ").splitlines()
    assert said[0] == f"> [each line begins with {folder}/]"
    assert [f"{n}:{folder}/{line[len(str(n)) + 1 :]}" for n, line in enumerate(said[1:], 1)] == [
        f"{n}:{hit}" for n, hit in enumerate(hits[:3], 1)
    ]
    first, *rows = asked(session, group="file").splitlines()
    assert first == f"> [file begins with {folder}/ in each row]"
    assert decode("\n".join(rows))[0] == {"file": "f1.js", "count()": 10}
    assert folder in asked(session, grep="use1 "), "one hit has its path"
    mixed = asked(session, grep="use[12] ", fields=["file", "number"])
    assert mixed.count(folder) == 1


def test_rows_that_do_not_fit_are_counted_of_all() -> None:
    """A note counts the rows that did not fit, of all, and says how to go on."""
    session = Session()
    session.add(tool="t", text=json.dumps(TABLE))
    said = asked(session, 120, fields=["name", "state"])
    kept = decode(said.rpartition("\n>")[0])
    assert said.endswith(f"> [+{120 - len(kept)} of 120 rows next: offset={len(kept)}]")


def test_what_goes_on_goes_on() -> None:
    """The call at the end of the beginning of a long text returns what follows."""
    session, words = Session(), " ".join(f"word{n}" for n in range(900))
    lines = "".join(f"line {n}\n" for n in range(300))
    data = {
        "a": {"words": words, "lines": lines},
        "rows": [{"id": 1, "t": words}, {"id": 2, "t": "x"}],
    }
    session.add(tool="t", text=json.dumps(data))
    calls: list[dict[str, Any]] = [
        {"path": "$.a.words"},
        {"path": "$.a", "fields": ["words"]},
        {"path": "$.rows", "where": "id == 1", "fields": ["t"]},
    ]
    for call in calls:
        text, call_now = "", call
        for _ in range(20):
            said = asked(session, 400, **call_now)
            body, sign, end = said.rpartition("\n> [")
            text += body if sign else said
            match = re.search(r"next: (.*), or grep", end)
            if match is None:
                break
            more = json.loads("{" + re.sub(r"(\w+) ([\"\[])", r'"\1": \2', match[1]) + "}")
            call_now = {**call, **more}
        assert "word899" in text
        assert [f"word{n}" in text for n in range(900)].count(False) <= 4, "some are split"
    said = asked(session, 200, path="$.a.lines")
    shown = said.count("line ")
    assert said.endswith(f"> [+{300 - shown} of 300 lines next: offset={shown}]")
    assert asked(session, 200, path="$.a.lines", offset=shown).splitlines()[1] == f"line {shown}"


@pytest.mark.parametrize(
    ("path", "above"), [("$", ""), ("$.repositories", "== ")], ids=["a document", "a table"]
)
def test_an_answer_gives_what_follows_by_rules(path: str, above: str) -> None:
    """A budget below compact JSON may hold all rows, with rules for what follows from others."""
    session = Session()
    names = [f"harbour-{n * n}" for n in range(12)]
    about = "https://git.example.org/api/repositories"
    rows = [
        {"id": n, "name": name, "url": f"{about}/{name}", "hooks": f"{about}/{name}/hooks"}
        for n, name in enumerate(names)
    ]
    session.add(tool="t", text=json.dumps({"repositories": rows, "next": None}))
    whole = asked(session, path=path)
    assert f"\n{above}url = https://git.example.org/api/repositories/${{name}}\n" in whole
    assert decode(whole) == (rows if path != "$" else {"repositories": rows, "next": None})
    assert asked(session, COUNTER.count(whole), path=path) == whole
    part = asked(session, 60, path=path)
    assert "next: offset=" in part or "part of it" in part


@pytest.mark.parametrize("document", [TABLE, LOG])
def test_after_a_compaction_a_recall_begins_again(document: Any) -> None:
    """What was shown before a compaction is returned again, from its first part on."""
    session, text = Session(), document if isinstance(document, str) else json.dumps(document)
    session.add(tool="t", text=text, budget=300)
    for _ in range(2):
        asked(session, 300)
    session.compact()
    again = asked(session, 300)
    assert "step 0 of the build" in again or decode(again.partition("\n> [")[0]) == TABLE[:15]


def test_columns_out_of_order_have_a_reason() -> None:
    """Columns come in the order asked for; where that is much longer, the answer says so."""
    rows = [{"name": f"the job {n}", "url": f"https://a.b/c/{n}/jobs", "n": n} for n in range(30)]
    session = Session()
    session.add(tool="jobs", text=json.dumps({"rows": rows}))
    said = asked(session, fields=["n", "name"])
    assert said.startswith("[30]{n name>}\n0 the job 0\n")
    said = asked(session, fields=["name", "url", "n"])
    in_order = re.search(r"\{.*name.*url.*n.*\}\n", said) is not None
    assert in_order or said.endswith("> [columns in another order: this is shorter]")


def test_several_questions_have_one_answer() -> None:
    """A call may ask several questions; an error in one of them leaves the others."""
    session = Session()
    log = "".join(f"{n} {'FAIL' if n == 70 else 'ok'} case {n % 7}\n" for n in range(200))
    session.add(tool="log", text=log)
    queries = [{"grep": "FAIL"}, {"lines": "3-4"}, {"where": "size > 3"}, "case 6"]
    said = asked(session, 180, queries=queries)
    parts = re.split(r"(?m)^> \[[0-9]\]\n", said)[1:]
    assert parts[0] == "71:70 FAIL case 0\n"
    assert parts[1] == "> [lines 3-4 of 200]\n2 ok case 2\n3 ok case 3\n"
    assert parts[2].startswith("where: nothing in 200 rows of $ has 'size'")
    assert "next: offset=" in parts[3], "only the long answer is cut"
    assert COUNTER.count(said) <= 180
    said = asked(session, 120, queries=queries)
    assert said.startswith("> [1]\n71:70 FAIL case 0\n> [2]\n> [lines 3-4 of 200]\n2 ok case 2\n")
    left_out = '> [4 not answered for lack of room; next: "grep":"case 6"]'
    assert said.endswith(left_out), "no stub"
    said = asked(session, 120, queries=["case 6", *queries[:2], {"lines": "90-93"}])
    assert said.endswith(left_out.replace("4 not", "1 not")), "the longest is left out"
    assert said.count("> [lines ") == 2
    assert COUNTER.count(said) <= 120
    assert COUNTER.count(said) <= 120
    assert asked(session, grep=["FAIL", "^3 "]) == "> [1]\n71:70 FAIL case 0\n> [2]\n4:3 ok case 3"
    assert asked(session, grep=["FAIL", "^3 "], group="match").count("\n") == 0, "one pattern"
    said, is_error = answer(session, {"handle": "#1", "queries": [{"where": "x > 1"}]}, None)
    assert is_error
    said, is_error = answer(session, {"handle": "#1", "queries": [7]}, None)
    assert (said, is_error) == ('queries must be a list of calls such as {"grep": "a"}', True)


def test_columns_keep_the_order_asked_for() -> None:
    """Fields and groups come in the order of the call."""
    session = Session()
    jobs = [{"id": n, "title": f"job {n} of the tide", "n": n * n} for n in range(9)]
    session.add(tool="jobs", text=json.dumps(jobs))
    said = asked(session, fields=["title", "n", "id"], limit=3)
    assert said.splitlines()[:2] == ["[3]{title\tn id}", "job 0 of the tide\t0 0"]
    said = asked(session, fields=["count()", "max(n)"], group="title[:3]")
    assert re.findall("title|count|max", said) == ["title", "count", "max"]


def test_an_answer_says_where_hits_are_if_not_all_fit() -> None:
    """Hits come in order; if not all fit, the answer counts them by file, and refuses the limit."""
    session = Session()
    hits = "".join(f"src/{name}.py:{n}: tide_{n} = load()\n" for name in "ab" for n in range(40))
    session.add(tool="rg", text=hits)
    said = asked(session, 120, grep="tide", limit=60)
    shown = said.count("load()")
    assert f"> [+{80 - shown} of 80 lines; {shown} of the 60 fit in one answer]" in said
    assert "> [lines with src/a.py 40, src/b.py 40]" in said
    assert asked(session, grep="tide", limit=2).endswith("> [+78 of 80 lines]")


def test_a_few_long_hits_are_all_given() -> None:
    """Of a few hits that do not fit in full, each is given around its match."""
    session = Session()
    start, text = "/srv/harbour/projects/backend/services", "value = compute(a, b) " * 10
    hits = [f"{start}/{name}.py:{n}: {text}needle {text}" for n, name in enumerate("abcd", 1)]
    session.add(
        tool="grep", text="\n".join([*hits, *[f"{start}/z.py:{n}: none" for n in range(9)]])
    )
    said = asked(session, 220, grep="needle")
    assert said.count("needle") == 4
    assert COUNTER.count(said) <= 220
    assert said.endswith("> [… lines gives long lines whole]")
    assert "…" not in asked(session, 900, grep="needle")

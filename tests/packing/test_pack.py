"""What `mckp.pack` promises: the budget, each document as it was, nothing lost without a word."""

import itertools
import json
import pickle
from operator import attrgetter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp import tokenizers
from mckp.answers.verify import first_difference
from mckp.encoders import packs
from mckp.errors import UnknownNameError
from mckp.packing import call
from mckp.packing.relevance import relevance_factors
from tests.strategies import KEYS, VALUES, examples

COUNTER = tokenizers.get("o200k")
STEPS = ("load", "check", "sort", "join", "write", "sign", "send")
LOG = "".join(
    f"2026-03-01 10:{n // 60:02} {STEPS[n % 7]} {chr(97 + n % 23) * 3}-{n} done\n"
    for n in range(900)
)
PLAN = "# Plan\n\n1. Free the disk.\n2. Run it again.\n3. Tell Ann.\n"

WORDS = [
    "harbour",
    "tide",
    "berth",
    "crane",
    "anchor",
    "rope",
    "sail",
    "mast",
    "pilot",
    "buoy",
    "lantern",
    "quay",
    "gull",
]

LINES = st.sampled_from(
    ["", "=== b", "==== c same as b", "> [2 items]", "> [+1 items]", "a b", "/x"]
)
TEXTS = st.lists(LINES | KEYS, max_size=5).map("\n".join)
PACKS = st.dictionaries(KEYS.filter(bool) | LINES.filter(bool), TEXTS | VALUES, max_size=4)


@given(PACKS)
@examples(100)
def test_all_of_it_reads_back(items: dict[str, Any]) -> None:
    """Without a budget, the text decodes to each document under its name, in order."""
    result = mckp.pack(items)
    assert result.tokens == COUNTER.count(result.text)
    documents = mckp.decode(result.text)
    assert set(documents) == set(items)
    for name in items:
        assert result[name].value == result[name].total
        assert first_difference(result.recall(name), documents[name]) is None
    assert isinstance(mckp.decode(mckp.encode(result.text).text), mckp.TreeNode)


@given(PACKS, st.floats(0, 1), st.floats(0, 1))
@examples(100)
def test_a_budget_is_kept_and_what_is_missing_is_said(
    items: dict[str, Any], share: float, more: float
) -> None:
    """What is here, what is named and what is counted as missing are all documents there were."""
    whole = mckp.pack(items)
    try:
        result = whole.at(int(whole.tokens * share))
    except mckp.BudgetError as error:
        result = whole.at(error.floor)
    assert result.budget is not None
    assert result.tokens == COUNTER.count(result.text) <= result.budget
    documents = mckp.decode(result.text)
    states = {row.name: row.state for row in result.shares()}
    there = {name for name, state in states.items() if state in ("whole", "cut")}
    assert there <= set(documents)
    for part in packs.split(result.text):
        assert (part.same_as or part.name) in there
        if part.same_as is None:
            part_result = result[part.name]
            assert part_result.text.removesuffix("\n") == part.text.removesuffix("\n")
            assert bool(part_result.elided) == (states[part.name] == "cut")
    assert all(result[name].elided for name in items if name not in documents)
    better = whole.at(result.budget + int(more * (whole.tokens - result.budget)))
    assert better.value >= result.value or "optimal" not in (better.status, result.status)


@pytest.mark.slow
def test_a_long_log_does_not_swallow_a_plan() -> None:
    """Ten lines beside a megabyte stay, and so does the failure in the megabyte."""
    log = LOG * 5 + "ERROR: no space left on device\n" + LOG
    result = mckp.pack({"run.log": log, "plan.md": PLAN}, 200)
    assert PLAN in result.text
    assert "ERROR: no space left on device" in result.text
    assert result.status == "optimal"


@pytest.mark.slow
def test_a_hit_in_the_longest_document_wins() -> None:
    """Length takes nothing from the passage that is asked for."""
    items = {f"note{n}.txt": f"A note on step {n}.\nIt went well.\n" * 9 for n in range(9)}
    items["long.log"] = LOG + "the quota of tenant kestrel was exceeded\n" + LOG
    result = mckp.pack(items, 150, query="which tenant exceeded the quota")
    assert "the quota of tenant kestrel was exceeded" in result.text
    names = list(items)
    factors = relevance_factors(names, list(items.values()), "which tenant exceeded the quota")
    assert factors.index(max(factors)) == names.index("long.log")


def test_names_are_searched() -> None:
    """A document whose name matches the query is more relevant; without a match, all are equal."""
    factors = relevance_factors(["src/auth.py", "src/db.py"], ["x = 1\n", "y = 2\n"], "auth")
    assert factors[0] > 1 > factors[1]
    assert relevance_factors(["a", "b"], ["x", "y"], "nothing of it") == [1.0, 1.0]


def test_equal_documents_are_written_once() -> None:
    """A document equal to an earlier one is written as "same as", and reads back."""
    result = mckp.pack({"a": LOG, "b": PLAN, "c": LOG}, 400)
    assert "=== c same as a\n" in result.text
    documents = mckp.decode(result.text)
    assert documents["a"] == documents["c"]
    assert [share.state for share in result.shares()][2] == "same"
    assert mckp.pack({"a": "x\n", "b": "x"}).text == "> [2 items]\n=== a\nx\n=== b same as a\n"


def test_nearly_equal_documents_are_paid_once() -> None:
    """Of the second one, what it alone says stays; a line that says nothing new is skipped."""
    steps = "".join(f"2026-03-01 step {n} took {n * 7 % 13} seconds\n" for n in range(200))
    logs = {"one.log": f"{steps}ERROR: disk a full\n", "two.log": f"{steps}ERROR: disk b full\n"}
    result = mckp.pack(logs, 300)
    assert "=== two.log\n…1-200\nERROR: disk b full\n" in result.text
    assert "ERROR: disk a full\n" in result["one.log"].text
    assert result["one.log"].tokens > 10 * result["two.log"].tokens
    once, much_said = (
        "Refunds take five days. They go to the card that paid.",
        "Write to us if not.",
    )
    chunks = {"a": f"{once} {much_said}", "b": f"{once} Call us if not.", "c": "Ships from Hull."}
    assert set(mckp.pack(chunks, 48).states().values()) == {"whole", "named"}
    assert mckp.pack(chunks, 48).states()["c"] == "whole"
    assert mckp.pack(chunks, 48, pin=["a", "c"]).states()["b"] == "named"


@pytest.mark.parametrize("more", [{"pin": ["two"]}, {"least": {"two": 100}}])
def test_what_the_caller_speaks_of_is_worth_as_much_beside_its_like(more: dict[str, Any]) -> None:
    """A pinned document gets its tokens although another one is almost the same."""
    rows = [{"id": n, "name": f"job {n}", "state": "ok"} for n in range(30)]
    changed = [{**row, "state": "failed"} if row["id"] == 7 else row for row in rows]
    with_it = mckp.pack({"one": rows, "two": changed}, 250, **more)
    without = mckp.pack({"one": rows, "two": changed}, 250)
    assert with_it["two"].tokens > without["two"].tokens
    assert "7 failed job 7" in without["two"].text


def test_all_of_what_is_worth_nothing_is_worth_as_much_as_some_of_it() -> None:
    """With a weight of 0 each part counts as little as can be, and all of them no more than all."""
    ship = {"name": "Aurora " * 9, "port": "Bergen " * 9, "cargo": {"kind": "fish " * 9, "t": 3}}
    items = {"a": "ERROR: disk full\nstep done\n", "b": ship}
    result = mckp.pack(items, 30, weights={"b": 0})
    assert result.packed is not None
    item = result.packed.items[1]
    tabulated, values = item.priced.tabulated, result.packed.joined.values(item).tolist()
    whole, values[tabulated.whole_option] = values[tabulated.whole_option], 0
    starts = tabulated.table.start.tolist()
    most = sum(max(values[first:last]) for first, last in itertools.pairwise(starts))
    assert whole >= most > 1


@pytest.mark.slow
def test_what_is_pinned_and_the_least() -> None:
    """A pinned document is whole; one with a least has at least what it would have alone."""
    items = {"a": LOG, "b": PLAN, "c": [{"id": n, "name": f"job {n}"} for n in range(200)]}
    query = "free the disk"
    assert mckp.pack(items, 300, query=query, pin=["b"])["b"].elided == ()
    less = {"c": 0.001}
    without = mckp.pack(items, 600, query=query, weights=less)
    wishes: dict[str, Any] = {"weights": less, "least": {"c": 200, "a": "1%"}}
    result = mckp.pack(items, 600, query=query, **wishes)
    shares = {share.name: share for share in result.shares()}
    assert shares["c"].tokens > 150
    assert without["c"].tokens < 50
    assert shares["a"].tokens > 100
    with pytest.raises(mckp.BudgetError, match="pinned"):
        mckp.pack(items, 300, pin=["a"])


def test_weights_and_order() -> None:
    """The heaviest document comes first, and one with the weight 0 is hardly there."""
    items = {"a": LOG, "b": LOG.replace("step", "task"), "c": LOG.replace("done", "over")}
    result = mckp.pack(items, 200, weights={"b": 9, "c": 0}, order="worth")
    assert packs.split(result.text)[0].name == "b"
    assert result.shares()[2].state in ("named", "skipped")


def test_priorities_are_those_of_encode() -> None:
    """Priorities of one document drop its members and are listed as its cuts."""
    items = {"a": {"x": 1, "log": "text " * 50}, "b": PLAN}
    result = mckp.pack(items, 60, priorities={"a": {"log": "drop"}})
    assert mckp.decode(result.text)["a"] == {"x": 1}
    assert [str(cut) for cut in result["a"].elided] == ["$: 1 of 2 facts"]


@pytest.mark.slow
def test_questions() -> None:
    """A pack answers what a result does, and by the name of a document."""
    rows = [{"id": n, "state": "failed" if n == 7 else "ok"} for n in range(90)]
    result = mckp.pack({"log": LOG, "jobs": rows}, 100)
    assert "is written with $ as rows" in str(result["jobs"].why("[7]"))
    assert result.recall("jobs", where="state == 'failed'", fields=["id"]) == [{"id": 7}]
    assert result.recall("log", lines="2-2") == [LOG.split("\n")[1]]
    assert result.recall("jobs", 1)
    assert result.recall("jobs") == rows
    curve = result.frontier()
    assert list(curve.values) == sorted(curve.values)
    assert curve.tokens[-1] == mckp.pack({"log": LOG, "jobs": rows}).tokens
    json.dumps(result.to_dict())
    assert "role='group'" in attrgetter("_repr_html_")(result)()
    page = result.to_html("<a & b>")
    assert page.startswith("<!doctype html>")
    assert "&lt;a &amp; b&gt;" in page
    assert "100 more would add" in page
    assert "jobs" in result.summary()
    copy = pickle.loads(pickle.dumps(result))
    assert (copy.text, copy.names, len(copy)) == (result.text, result.names, 2)
    with pytest.raises(mckp.MckpError, match="pack"):
        copy.shares()
    shares = result.shares()
    assert all(0 <= share.kept <= 1 and 0 <= share.gain <= 1 for share in shares)


def test_paths_and_lists(tmp_path: Path) -> None:
    """A list has paths and data; a text that names a file is a warning."""
    path = tmp_path / "a.md"
    path.write_text(PLAN, "utf-8")
    result = mckp.pack([path, {"a": 1}])
    assert result.names == (str(path), "2")
    with pytest.warns(UserWarning, match="packed as text"):
        mckp.pack([str(path)])


@pytest.mark.parametrize("text", ["x" * 257, "x\0y"])
def test_what_can_be_no_path_is_a_text(text: str) -> None:
    """A line too long for the name of a file, or with a NUL, is looked for nowhere."""
    assert mckp.decode(mckp.pack([text]).text)["1"].source == f"{text}\n"


@pytest.mark.slow
@pytest.mark.parametrize("tokenizer", ["cl100k", "chars:3.5", len])
def test_other_tokenizers(tokenizer: Any) -> None:
    """A budget holds where counts do not add up."""
    items = {"a": "\n\n" + LOG, "(b)": "// x\n" * 40, "c": {"x": [1, 2, 3]}}
    counter = tokenizers.get(tokenizer)
    for budget in (200, 1000, 3000):
        result = mckp.pack(items, budget, tokenizer=tokenizer)
        assert counter.count(result.text) == result.tokens <= budget
        assert result.tokens > budget * 0.8
        is_whole = result.value == result.total
        assert (result.bound is None) == (tokenizer != "cl100k" and not is_whole)


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        ({"items": "text"}, TypeError, "a mapping from names"),
        ({"items": {1: "a"}}, TypeError, "the name of a document"),
        ({"pin": "a"}, TypeError, "a list of names"),
        ({"pin": ["b"]}, ValueError, "unknown pinned document 'b'"),
        ({"weights": {"b": 1}}, ValueError, "document in weights"),
        ({"weights": {"a": -1}}, mckp.WeightError, "0 or more"),
        ({"weights": [1]}, TypeError, "weights must be a mapping"),
        ({"least": {"a": "x"}}, ValueError, "not 'x'"),
        ({"least": {"a": None}}, ValueError, "the least of a document"),
        ({"order": "size"}, ValueError, "unknown order 'size'"),
        ({"query": 7}, TypeError, "a query must be a string"),
        ({"budget": 1}, mckp.BudgetError, "raise the budget to"),
        ({"budget": 9, "least": {"a": 3}}, mckp.BudgetError, "the least of a; .* a smaller least"),
        ({"items": {"a": object()}}, mckp.DataError, "object"),
    ],
)
def test_wrong_calls(wrong: dict[str, Any], error: type[Exception], said: str) -> None:
    """Wrong arguments are refused with their name."""
    call: dict[str, Any] = {"items": {"a": "x\n"}, **wrong}
    with pytest.raises(error, match=said):
        mckp.pack(**call)


def test_a_damaged_pack_is_an_error() -> None:
    """A pack with a missing heading or document is an error."""
    text = mckp.pack({"a": "x\n", "b": "y\n"}).text
    for damaged in (text.replace("=== b\n", ""), text.replace("=== a\n", ""), "> [1 items]\nx\n"):
        with pytest.raises(mckp.ParseError):
            mckp.decode(damaged)
    with pytest.raises(mckp.ParseError, match="which is missing"):
        mckp.decode("> [1 items]\n=== b same as a\n")


def test_a_paragraph_is_whole_or_not_there() -> None:
    """A line among many other documents, as a search chunk is, has no gaps."""
    chunks = {f"c{n}": " ".join(f"word{n + k}" for k in range(80)) for n in range(60)}
    result = mckp.pack(chunks, 900)
    assert {share.state for share in result.shares()} <= {"whole", "named", "skipped"}
    assert result.tokens > 500


def test_a_passage_that_is_too_long_keeps_the_sentence_that_is_asked_for() -> None:
    """Of few documents, a paragraph is cut rather than left out."""
    fill = " ".join(f"The sample number {n} was weighed and stored again." for n in range(20))
    answer = "The kestrel nests on the northern tower of the mill."
    passages = {f"p{n}": f"{fill} It rained on day {n}." for n in range(9)}
    passages["p9"] = f"{fill} {answer} {fill}"
    result = mckp.pack(passages, 160, query="where does the kestrel nest")
    assert answer in result["p9"].text
    assert result.states()["p9"] == "cut"


def test_a_question_counts_for_more_than_a_long_request() -> None:
    """A short question tells documents apart more clearly than a long request does."""
    names, texts = ["a", "b"], ["the gateway timed out\n", "nothing of it\n"]
    question = "which gateway timed out"
    long = f"{question} {' '.join(f'topic{n}' for n in range(40))} gateway gateway"
    short, other = relevance_factors(names, texts, question), relevance_factors(names, texts, long)
    assert short[0] / short[1] > 2 * other[0] / other[1] > 2


def test_a_pin_that_matches_nothing_is_an_error() -> None:
    """A pin without a match is an error, another pattern a warning, and both can be ignored."""
    jobs = [{"id": n, "state": "ok"} for n in range(9)]
    call: dict[str, Any] = {"items": {"a": jobs, "b": jobs}, "budget": 60}
    with pytest.raises(mckp.UnmatchedError, match=r"'b' matches.*did you mean 'state'"):
        mckp.pack(**call, priorities={"a": {"[*].id": 2}, "b": {"[*].stat": "pin"}})
    with pytest.warns(mckp.UnmatchedWarning, match="the document 'b'") as said:
        mckp.pack(**call, priorities={"b": {"[*].stat": 2}})
    assert said[0].filename == __file__
    ignored = mckp.pack(**call, priorities={"b": {"[*].stat": 2}}, on_unmatched="ignore")
    assert ignored.tokens <= 60


def test_what_the_query_is_about_fades_later() -> None:
    """Of five documents of the same kind, the one with the word of the query has the most room."""
    random = Random(3)
    documents = {
        name: "".join(
            f"{' '.join(random.choices(WORDS, k=9))}{' gateway' * ((name, n) == ('c', 20))}\n"
            for n in range(60)
        )
        for name in "abcde"
    }
    packed = mckp.pack(documents, 300, query="gateway")
    assert "gateway" in packed["c"].text
    assert packed["c"].tokens > 1.6 * max(packed[name].tokens for name in "abde")


def _notes(count: int) -> dict[str, str]:
    random = Random(5)
    return {
        f"n{number}.txt": "".join(
            f"{' '.join(random.choices(WORDS, k=9))}{' gateway' * (number % 20 == 3 == line)}\n"
            for line in range(30)
        )
        for number in range(count)
    }


@pytest.mark.slow
def test_of_many_documents_those_far_from_a_part_are_not_priced() -> None:
    """Another budget gives the same pack as a call with it; more are open with more."""
    notes = _notes(80)
    result = mckp.pack(notes, 300, query="gateway")
    assert result.packed is not None
    items = result.packed.items
    opened = [item.name for item in items if "priced" in vars(item)]
    assert {name for name, state in result.states().items() if state == "cut"} <= set(opened)
    assert len(opened) < 20
    shares = {share.name: share for share in result.shares()}
    assert shares["n0.txt"].of == COUNTER.count(notes["n0.txt"])
    more = result.at(6000)
    assert more.text == mckp.pack(notes, 6000, query="gateway").text
    assert more.value >= result.value
    assert more.at(300).text == result.text
    assert result.at("10%").tokens <= sum(map(COUNTER.count, notes.values())) / 10
    assert result.total > more.value


def test_what_the_caller_speaks_of_is_priced_though_it_is_far_from_a_part() -> None:
    """Pins and least shares hold for documents that the query does not match."""
    notes = _notes(80)
    result = mckp.pack(notes, 700, query="gateway", least={"n0.txt": 40}, pin=["n1.txt"])
    states = result.states()
    assert (states["n0.txt"], states["n1.txt"]) == ("cut", "whole")


def no_paragraph(_group: object, _formats: object) -> bool:
    return False


def test_paragraphs_that_need_no_menu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many paragraphs, most are priced as they are; the text is that of the slower way."""
    odd = ["# a heading", "> quoted", "[1, 2]", '{"a": 1}', "=== x", "!!!", "\\> escaped", "a: 1"]
    choice = Random(3)
    items = {f"p{n}": " ".join(choice.choices(WORDS, k=n % 30 + 5)) for n in range(90)}
    items |= {f"odd {n}": text for n, text in enumerate(odd)}
    query, budgets = "tide or berth", (150, 600, 2000, 100_000)
    fast = [mckp.pack(items, budget, query=query).text for budget in budgets]
    opened = mckp.pack(items, 600, query=query).packed
    assert opened is not None
    assert sum(item.is_only_whole for item in opened.items) in range(90, 96)
    monkeypatch.setattr(call, "is_only_whole", no_paragraph)
    assert fast == [mckp.pack(items, budget, query=query).text for budget in budgets]


def test_documents_have_queries_of_their_own() -> None:
    """A document's own query chooses among its lines, and changes nothing for the others."""
    items = {"a": LOG, "b": LOG.replace("sign", "seal")}
    plain, own = (mckp.pack(items, 400, queries=asked) for asked in (None, {"a": "aaa-23"}))
    assert "aaa-23 done" in own["a"].text
    assert "aaa-23 done" not in plain["a"].text
    with pytest.raises(UnknownNameError):
        mckp.pack(items, 400, queries={"c": "x"})
    with pytest.raises(TypeError, match="a query must be a string"):
        mckp.pack(items, 400, queries={"a": 3})  # type: ignore[dict-item]


_CAUSES = (
    "PoolExhausted: no free connection", "StopIteration", "app.TideTooLow: berth 7 has 2 m",
    "KeyboardInterrupt", "sqlite3.Warning: one statement only", "ValueError: no such berth",
    "Retry: 5 attempts", "SystemExit: 3", "jobs.Cancelled", "zmq.Again: resource unavailable",
)  # fmt: skip


@pytest.mark.parametrize("budget", [300, 600, 1000])
@pytest.mark.parametrize("cause", _CAUSES)
def test_the_cause_of_what_a_question_is_about_is_kept(cause: str, budget: int) -> None:
    """The message of the traceback below the line that a question is about stays."""
    deployment = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: runner\n  labels:\n"
        + "".join(f"    label-{n}: value-{n}\n" for n in range(60))
    )
    log = [
        f"2026-04-01 10:00:{n % 60:02d} INFO worker-{n % 4} job {1200 + n} ok" for n in range(90)
    ]
    log[51:52] = [
        "2026-04-01 10:00:51 ERROR worker-3 job 1251 failed",
        "Traceback (most recent call last):",
        *(f'  File "run{n}.py", line {n}, in run{n}\n    step_{n}(job)' for n in range(6)),
        cause,
    ]
    documents = {
        "deploy.yaml": deployment,
        "worker.log": "\n".join(log) + "\n",
        "helpers.py": "".join(f"def helper_{n}(x):\n    return x * {n}\n\n\n" for n in range(40)),
        "README.md": "# Runner\n\nRuns the tasks.\n\n" + "- install a package\n" * 40,
        "pages.json": json.dumps([{"id": n, "title": f"Improve page {n}"} for n in range(60)]),
    }
    packed = mckp.pack(documents, budget=budget, query="why did job 1251 fail?")
    assert "job 1251 failed" in packed.text
    assert f"\n{cause}\n" in packed.text

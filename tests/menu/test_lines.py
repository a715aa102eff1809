"""Plain texts within a budget: unaltered lines, each gap marked at its place, heads kept."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp import tokenizers
from mckp.menu.cuts.lines import plan_of
from mckp.texts import outline, plain
from tests.aligned import MisalignedError, kept_lines
from tests.strategies import examples

LINES = st.sampled_from(
    [
        "def total(rows):",
        "    return sum(rows)",
        "/etc/hosts:12: no such file",
        "//",
        "}",
        "- item one",
        "  - item two of it",
        "# heading",
        "",
        "   ",
        "\t",
        "…",
        "…3",
        "…12-40",
        "\\…12",
        "> [+3 rows]",
        "\\> [+3 rows]",
        "> [all 25 lines: all of them]",
        "> [text]",
        "[3] csv",
        '{"a": 1,',
        "error: it failed …",
        "\r50 %\r100 %",
        "a\r",
        "é漢字 naïve",
        "\ufeffbom",
        "nul\0nul",
        "===\u2028===",
        "12: x = 1",
        "13: y = 2",
        "word " * 90,
        "x" * 300,
        '{"name":"a b","value":1,"items":["x1","y2"]},' * 12,
        "Sentences. " * 40 + "End",
        "\n".join(f"at 10:{n} INFO step {n * n} is done" for n in range(9)),
        "\n\n".join(f"worker {7**n:x} went away" for n in range(9)),
        "\n".join(f"job {n} state {'done' if n % 5 else 'failed'} port {n}" for n in range(20)),
    ]
)
TEXTS = (
    st.tuples(st.lists(LINES, min_size=1, max_size=25), st.booleans())
    .map(lambda made: "\n".join(made[0]) + "\n" * made[1])
    .filter(lambda text: text.strip() and text[0] != "\ufeff")
)


def encoded(text: str, budget: int, **options: object) -> mckp.Result | None:
    try:
        return mckp.encode(text, budget=budget, kind="text", **options)  # type: ignore[arg-type]
    except mckp.BudgetError:
        return None


@pytest.mark.slow
@given(text=TEXTS, budget=st.integers(5, 400), tokenizer=st.sampled_from(["o200k", "cl100k"]))
@examples(400)
def test_lines_are_those_of_the_source(text: str, budget: int, tokenizer: str) -> None:
    """What is kept is verbatim, and what is missing is marked where it was."""
    result = encoded(text, budget, tokenizer=tokenizer)
    if result is None or result.text.startswith("> [+"):
        return
    assert result.tokens == tokenizers.get(tokenizer).count(result.text) <= budget
    # Several lines of slashes are one word to the tokenizer, so prices of lines do not add up.
    assert result.status == "optimal" or "//\n//" in text
    text = plain(text).text if result.notes else text
    kept = kept_lines(text, result.text)
    gone = {key for cut in result.elided for key in cut.keys}
    whole = set(range(1, text.count("\n") + (not text.endswith("\n")) + 1)) - gone
    assert whole <= set(kept)
    assert all(cut.count == len(cut.keys) for cut in result.elided)
    heads = outline(text).heads.tolist()
    lines = text.split("\n")
    assert all(heads[n - 1] < 0 or heads[n - 1] + 1 in kept for n in kept if lines[n - 1].strip())
    read = mckp.decode(result.text)
    for node in read.children:
        assert all(line.strip() for line in node.value.split("\n"))
    if not result.elided:
        assert read == mckp.parse(text, "text")
        assert read.source == text


@given(text=TEXTS)
@examples(200)
def test_without_a_budget_texts_are_their_sources(text: str) -> None:
    """Without a budget, a text is its source to the byte, but for escaped lines and named kinds."""
    result = mckp.encode(text, kind="text")
    assert kept_lines(text, result.text) == list(range(1, len(kept_lines(text, result.text)) + 1))
    assert mckp.decode(result.text).source == text
    if "…" not in text and "> [" not in text and not result.text.startswith("> [text]"):
        assert result.text == text


@given(text=TEXTS, data=st.data())
@examples(100)
def test_more_budget_never_has_less_worth(text: str, data: st.DataObject) -> None:
    """A larger budget never has a result of less worth, nor of more than the whole."""
    whole = mckp.encode(text, kind="text")
    budgets = sorted(data.draw(st.lists(st.integers(5, 300), min_size=2, max_size=6)))
    values: list[float] = []
    for budget in budgets:
        try:
            values.append(whole.at(budget).value)
        except mckp.BudgetError:
            values.append(0)
    assert values == sorted(values)
    assert values[-1] <= whole.total


LOG = "\n".join(
    f"10:{n // 60:02}:{n % 60:02} INFO step {n} of the build is done" for n in range(300)
)


def test_gaps_name_their_lines() -> None:
    """A mark names the lines that are missing, and they can be had by them."""
    result = mckp.encode(LOG, budget=200)
    numbers = kept_lines(LOG, result.text)
    assert 5 < len(numbers) < 30
    gone = [key for cut in result.elided for key in cut.keys]
    assert sorted([*gone, *numbers]) == list(range(1, 301))
    place = max(range(len(result.elided)), key=lambda number: len(result.elided[number].keys))
    longest = result.elided[place]
    assert f"…{longest.keys[0]}-{longest.keys[-1]} alike\n" in result.text
    lines = LOG.split("\n")
    wanted = {key: lines[int(key) - 1] for key in longest.keys}
    assert result.recall(place + 1) == result.recall(longest) == wanted
    assert len(result.recall("$")) == len(gone)


def test_numbered_lines_have_bare_marks() -> None:
    """A text that shows the numbers of its lines says itself which are missing."""
    text = "".join(f"{n:>4}\tvalue_{n} = {n}\n" for n in range(1, 80))
    result = mckp.encode(text, budget=120)
    assert "\n…\n" in f"\n{result.text}"
    assert not any(line.startswith("…") and line != "…" for line in result.text.split("\n"))
    assert kept_lines(text, result.text)


def test_a_long_line_does_not_take_its_block_with_it() -> None:
    """A sentence and a line of JSON: some of the line stays."""
    line = '{"result":[' + ",".join(f'{{"id":{n},"name":"user {n}"}}' for n in range(300)) + "]}"
    text = f"Below is the result of the query.\n{line}\nUse it.\n"
    result = mckp.encode(text, budget=600, kind="text")
    assert result.tokens > 500
    assert kept_lines(text, result.text)[0] == 1
    assert " …" in result.text


def test_pinned_lines_stay_and_dropped_ones_go_first() -> None:
    """A pinned paragraph is kept, a dropped one goes first, and too many pins are an error."""
    text = "\n\n".join(
        f"Paragraph {n} says that {n} is a number.\nIt has two lines." for n in range(40)
    )
    result = mckp.encode(text, budget=60, priorities={"[33]": "pin"})
    assert "Paragraph 33 says" in result.text
    assert {67 + 33, 68 + 33} <= {*kept_lines(text, result.text)}
    result = mckp.encode(text, budget=300, priorities={"[0]": "drop"})
    assert "Paragraph 0 says" not in result.text
    with pytest.raises(mckp.BudgetError):
        mckp.encode(text, budget=20, priorities={"[*]": "pin"})


def test_texts_of_old_versions_are_refused_by_name() -> None:
    """A text of an old format names the version that reads it."""
    with pytest.raises(mckp.ParseError, match=r"0\.2\.0"):
        mckp.decode("> [text]\n\none line\n> [+3 of 9 lines]\n")


def test_lines_that_look_like_marks_are_escaped() -> None:
    """Lines that resemble marks are escaped, and read back as they were."""
    text = "one\n…2-4\n…\n\\…5\n> [+3 rows]\ntwo\n"
    result = mckp.encode(text, kind="text")
    assert result.text == "one\n\\…2-4\n\\…\n\\\\…5\n\\> [+3 rows]\ntwo\n"
    assert mckp.decode(result.text).source == text


def test_markdown_is_cut_by_lines() -> None:
    """Whatever its blocks are, each gap is marked at its place, below the headings above it."""
    code = "\n".join(f"    value_{n} = compute(value_{n - 1}, {n})" for n in range(1, 60))
    items = "\n".join(f"- item {n} of the list" for n in range(30))
    rows = "\n".join(f"| {n} | name {n} |" for n in range(30))
    text = f"# Title\n\nSome words.\n\n```python\ndef f():\n{code}\n```\n\n## List\n\n{items}\n"
    text += f"\n## Table\n\n| id | name |\n|---|---|\n{rows}\n\nThe end.\n"
    whole = mckp.encode(text)
    assert mckp.decode(whole.text).kind == "document"
    for budget in range(100, whole.tokens, 100):
        result = whole.at(budget)
        kept = kept_lines(text, result.text)
        gone = {int(key) for cut in result.elided if cut.kind == "lines" for key in cut.keys}
        heading = text.split("\n").index("## Table") + 1
        table = set(range(heading, text.count("\n") - 1))  # it may be written as data
        assert gone - table == set(range(1, text.count("\n") + 1)) - table - set(kept)
        assert heading in kept or max(kept) < heading or "\n```[Markdown table]" in result.text
        lines = {int(number): line for number, line in result.recall("$").items()}
        assert lines == {int(n): text.split("\n")[int(n) - 1] for n in gone}


def test_the_checker_can_fail() -> None:
    """The checker of gaps refuses texts with a wrong, missing or altered line."""
    source = "a\nb\nc\nd\n"
    assert kept_lines(source, "a\n…2-3\nd\n") == [1, 4]
    for text in ("a\nd\n", "a\n…2\nd\n", "a\nB\nc\nd\n", "a\n…3-4\n", "a\nb\n", " a\nb\nc\nd\n"):
        with pytest.raises(MisalignedError):
            kept_lines(source, text)


def test_parts_are_all_of_a_text() -> None:
    """Each character is in one part, and each part begins on the line that it says."""
    text = "\n\nfirst\n\n  below it\n" + "word " * 200 + "\nlast"
    plan = plan_of(text, outline(text), "")
    assert plan.source(0, plan.size) == text
    for part in range(plan.size):
        assert text[: plan.starts[part]].count("\n") + 1 == plan.first[part]
    assert plan.total == 7
    kept = np.ones(plan.size, dtype=np.bool_)
    assert plan.write(kept) == text


def test_codes_of_terminals_go_first_within_a_budget_and_are_counted() -> None:
    """No line is cut while colours are paid for; what is kept has its number of the source."""
    passed = "".join(f"\x1b[32m✓\x1b[0m \x1b[1mtest {n}\x1b[0m passes\n" for n in range(1, 20))
    text = f"{passed}\x1b[31m✗ test 20\x1b[0m fails: 3 is not 4\n 10%\r 50%\r100%\ndone\n"
    bare = mckp.encode(plain(text).text).tokens
    result = mckp.encode(text, budget=bare)
    assert result.text == plain(text).text
    assert result.tokens == bare
    assert not result.elided
    assert result.notes == (
        "removed what only terminals need: 78 colour codes, 2 earlier states of lines",
    )
    less = result.at(bare // 2)
    assert "✗ test 20 fails: 3 is not 4" in less.text
    assert "\x1b" not in less.text
    assert {key for cut in less.elided for key in cut.keys} == {
        n + 1 for n, line in enumerate(plain(text).text.split("\n")[:-1]) if line not in less.text
    }
    assert mckp.encode(text).text == text
    assert not mckp.encode(text).notes


def test_a_piece_of_a_long_line_that_is_asked_for_stays() -> None:
    """The sentence of a long line that the query asks for is kept."""
    text = ". ".join(f"Sentence {n} is about topic{n}" for n in range(400))
    plain = mckp.encode(text, budget=200)
    asked = mckp.encode(text, budget=200, query="topic317")
    assert "topic317" not in plain.text
    assert "topic317" in asked.text
    assert mckp.encode(text, budget=200, query="nothing of it").text == plain.text


ONE_LINE = {
    "Chinese": "".join(
        f"\u7b2c{n}\u7ae0\u8bf4\u660e\u65b9\u6cd5{n}\u7684\u4f18\u70b9\u3002" for n in range(60)
    ),
    "rows in a string": "Row 1: {'d': '"
    + "\\n".join(f"Ship{n}|{n * 331}|Z" for n in range(60))
    + "'}",
    "words in cells": ",".join(f"ship{n}" for n in range(300)),
    "numbers": ",".join(str(n * 7919) for n in range(300)),
}


@pytest.mark.parametrize("share", [0.5, 0.2])
@pytest.mark.parametrize("name", ONE_LINE)
def test_a_long_line_without_blanks_is_cut(name: str, share: float) -> None:
    """Some of it stays, between two of its sentences, rows or cells."""
    text = ONE_LINE[name]
    budget = int(mckp.encode(text).tokens * share)
    result = mckp.encode(text, budget=budget)
    assert result.tokens > 0.75 * budget
    left = result.text.partition(" \u2026")[0]
    assert len(left) > 20
    assert text.startswith(left)
    is_end = {
        "Chinese": left.endswith("\u3002"),
        "rows in a string": text[len(left) :].startswith("\\n"),
    }
    assert is_end.get(name, text[len(left)] == ",")


def test_one_line_of_many_numbers_is_cut() -> None:
    """Where it may be cut is looked for once, and not in all the rest again for each piece."""
    text = ",".join(str(n * 7919) for n in range(80_000))
    result = mckp.encode(text, budget=400)
    assert 300 < result.tokens <= 400
    assert text.startswith(result.text.partition(" \u2026")[0])


SYLLABLES = [f"{a}{b}" for a in "bdfgklm" for b in "aeiou"]
DUMPS = {
    "numbers": " ".join(f"key{n}={n * 7919 % 9973 / 9973:.6f}" for n in range(1500)),
    "keys": ",".join(f"{n * 2654435761 % 2**32:08x}" for n in range(900)),
    "names": " ".join(f"{a}{b}{c}" for a in SYLLABLES for b in SYLLABLES for c in "stv"),
}


@pytest.mark.parametrize("name", DUMPS)
def test_a_dump_in_a_log_leaves_room_for_the_lines_around_it(name: str) -> None:
    """The beginning of a very long line stays, and so do the other lines that are not alike."""
    lines = [f"12:00:{n % 60:02d} INFO request {n} took {n * 37 % 90} ms" for n in range(200)]
    lines[37] = "12:00:37 INFO cache warmed with 312 entries"
    lines[100] = f"12:01:40 DEBUG body {DUMPS[name]}"
    lines[150] = "12:02:30 WARN slow query on orders took 2.4 s"
    text = mckp.encode("\n".join(lines), budget=500).text
    assert name == "names" or lines[0] in text  # the request that all others are like
    assert all(line in text for line in (lines[37], lines[100][:60], lines[150]))
    asked = mckp.encode("\n".join(lines), budget=500, query=f"what is {DUMPS['numbers'][-15:]}?")
    assert name != "numbers" or DUMPS[name][-15:] in asked.text


@examples(50)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.data())
def test_folds_of_nested_sets_are_those_of_each_set(kinds: list[int], data: st.DataObject) -> None:
    """Counted from ranks at once, gaps of folded lines are those that each set has by itself."""
    text = "".join(f"INFO worker: job {'abcdefghij'[kind]} took 3 ms\n" for kind in kinds)
    plan = replace(plan_of(text, outline(text), ""), alike=np.array(kinds) - 1)
    ranks = st.lists(st.integers(0, 9), min_size=plan.size, max_size=plan.size)
    rank = np.array(data.draw(ranks))
    sets = rank <= np.arange(9)[:, None]
    assert plan.count_nested_folds(rank, 9).tolist() == plan.count_folds(sets).tolist()

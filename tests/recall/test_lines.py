"""Questions about texts: lines by number, by pattern, and by heading or function."""

import re
from typing import Any

import pytest

from mckp.errors import RecallError
from mckp.recall import LinesAnswer, answered
from mckp.recall.lines import NumberedText
from mckp.recall.query import DataAnswer
from tests.recall.data import CODE, NOTES


def asked(text: Any, **call: Any) -> list[tuple[int, str]]:
    answer = answered(text, call)
    assert isinstance(answer, LinesAnswer)
    return [(line.number, line.text) for line in answer.lines]


@pytest.mark.parametrize(
    ("place", "first", "last"),
    [
        ("first", 6, 12),
        ("first()", 6, 12),
        ("Store", 14, 19),
        ("get", 15, 17),
        ("lines 3-4", 3, 4),
    ],
)
def test_functions_are_places(place: str, first: int, last: int) -> None:
    """A path names a function, a class or a range of lines."""
    numbers = [number for number, _ in asked(CODE, path=place)]
    assert numbers[0] == first
    assert last - 2 <= numbers[-1] <= last


def test_headings_are_places() -> None:
    """A path names the section below a heading."""
    section = asked(NOTES, path="Install")
    assert [section[0], section[-1][0]] == [(5, "## Install"), 11]
    assert asked(NOTES, path="## Use")[0] == (13, "## Use")
    assert asked(NOTES, path="from source", limit=1) == [(9, "### From source")]


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ({"grep": "def "}, [6, 15, 18]),
        ({"grep": "def|class"}, [6, 14, 15, 18]),
        ({"grep": "def\\|class"}, [6, 14, 15, 18]),
        ({"grep": "get("}, [15]),
        ({"grep": "LIMIT", "context": 1}, [2, 3, 4, 7, 8, 9]),
        ({"grep": "limit"}, [3, 8]),
        ({"lines": "3-4,6"}, [3, 4, 6]),
        ({"lines": "17-"}, [17, 18, 19]),
        ({"offset": 17}, [18, 19]),
        ({"offset": 1, "limit": 2}, [2, 3]),
        ({"path": "Store", "grep": "def"}, [15, 18]),
    ],
)
def test_lines_are_chosen(call: dict[str, Any], wanted: list[int]) -> None:
    """Patterns, ranges, offsets and places choose lines by number."""
    assert [number for number, _ in asked(CODE, **call)] == wanted


def test_a_text_that_shows_numbers_is_asked_by_these() -> None:
    """Line numbers shown in a text are those that a question means, if they count up."""
    shown = "".join(f"{n:6}→line {n}\n" for n in range(313, 350))
    assert NumberedText(shown).shown_numbers is not None
    assert asked(shown, lines="320-321") == [(320, "   320→line 320"), (321, "   321→line 321")]
    times = "".join(f"{n}: started\n" for n in (7, 90, 3, 55))
    assert NumberedText(times).shown_numbers is None


def test_lines_are_rows_as_well() -> None:
    """Lines can be grouped and counted like rows."""
    answer = answered("a 3\nb 9\na 4\n", {"group": "split(line)[0]", "fields": ["count()"]})
    assert not isinstance(answer, LinesAnswer)
    assert answer.value == [
        {"split(line)[0]": "a", "count()": 2},
        {"split(line)[0]": "b", "count()": 1},
    ]


def test_data_in_a_text_are_asked_as_data() -> None:
    """Questions about rows reach JSON within a text and JSON lines."""
    text = 'Found 2 jobs:\n[{"id": 1, "ok": true},\n {"id": 2, "ok": false}]\n'
    answer = answered(text, {"where": "not ok", "fields": ["id"]})
    assert not isinstance(answer, LinesAnswer)
    assert answer.value == [{"id": 2}]
    lines = answered('{"id": 1}\n{"id": 2}\n', {"where": "id > 1"})
    assert not isinstance(lines, LinesAnswer)
    assert lines.value == [{"id": 2}]


def test_a_long_line_is_shown_around_what_was_searched_for() -> None:
    """Of a long line, the part around the match is shown."""
    text = "x " * 2_000 + "needle" + " y" * 2_000
    ((number, shown),) = asked(text, grep="needle")
    assert number == 1
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) < 500
    assert "needle" in shown


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"path": "Instal it"}, "no heading, function or file 'Instal it'; it has Install"),
        ({"lines": "90-99"}, "the text has lines 1 to 15"),
        ({"lines": "x"}, "lines must be like '313-349'"),
        ({"lines": ","}, "lines must be like '313-349'"),
    ],
)
def test_mistakes_are_named_with_a_call_that_works(call: dict[str, Any], said: str) -> None:
    """An error about lines says what is wrong and offers a call that works."""
    with pytest.raises(RecallError) as caught:
        answered(NOTES, call)
    assert said in str(caught.value)
    assert caught.value.call is not None
    answered(NOTES, caught.value.call)


def test_nothing_that_matches_is_an_answer() -> None:
    """A pattern without a match is an empty answer that lists the headings."""
    answer = answered(NOTES, {"grep": "uninstall"})
    assert isinstance(answer, LinesAnswer)
    assert answer.lines == ()
    assert answer.note.startswith("0 of 15 lines have it; the text has the headings Install")


LISTING = """total 12
drwxr-xr-x 3 root root 4096 Mar 27 14:58 src
-rw-r--r-- 1 root root  515 Mar 27 14:58 a b.go
-rw-r--r-- 1 root root  2.5K Mar 27 14:58 c.go
lrwxrwxrwx 1 root root    4 2026-03-27 14:58 d -> a.go
"""
HITS = """src/a.py:3:def f(): return x[1:2]
src/a.py-4-    return 1
--
src/b-2-c.py:9:7:x = f()
C:\\lib\\c.py:12:f()
"""
BELOW = """src/a.py
3:def f():
4-    return 1

src/b.py
9:f()
"""
LOG = """2026-02-09 16:21:53,120 WARN disk: full
  at the second line
2026-02-09T16:21:54Z [main] ERROR net: gone
"""
PAIRS = """time=10 level=INFO msg="a \\"b\\" c" size=9
time=11 level=WARN msg=x size=11
"""


@pytest.mark.parametrize(
    ("text", "call", "wanted"),
    [
        (
            LISTING,
            {"sort": "-size", "fields": ["name", "size"], "limit": 2},
            [{"name": "src", "size": 4096}, {"name": "c.go", "size": 2560}],
        ),
        (
            LISTING,
            {"where": "type == 'file'", "fields": ["name"]},
            [{"name": "a b.go"}, {"name": "c.go"}],
        ),
        (
            LISTING,
            {"where": "target exists", "fields": ["name", "target"]},
            [{"name": "d", "target": "a.go"}],
        ),
        (
            HITS,
            {"group": "file"},
            [
                {"file": "src/a.py", "count()": 2},
                {"file": None, "count()": 1},
                {"file": "src/b-2-c.py", "count()": 1},
                {"file": "C:\\lib\\c.py", "count()": 1},
            ],
        ),
        (HITS, {"where": "number > 3 and column > 1", "fields": ["text"]}, [{"text": "x = f()"}]),
        (
            BELOW,
            {"where": "file == 'src/b.py'", "fields": ["number", "text"]},
            [{"number": 9, "text": "f()"}],
        ),
        (
            LOG,
            {"where": "level == 'ERROR'", "fields": ["time", "text"]},
            [{"time": "2026-02-09T16:21:54Z", "text": "net: gone"}],
        ),
        (
            PAIRS,
            {"where": "size < 10", "fields": ["level", "msg"]},
            [{"level": "INFO", "msg": 'a "b" c'}],
        ),
        (
            "src/a.py\nsrc/b.go\nREADME.md\n",
            {"group": "ext", "limit": 1},
            [{"ext": ".py", "count()": 1}],
        ),
        ("10:02:03 one\n10:02:04 two\n", {"fields": ["count()"]}, {"count()": 2}),
    ],
)
def test_lines_of_a_shape_are_rows_with_fields(
    text: str, call: dict[str, Any], wanted: list[Any]
) -> None:
    """Listings, search hits, logs and pairs are rows with named fields."""
    answer = answered(text, call)
    assert not isinstance(answer, LinesAnswer)
    assert answer.value == wanted


def test_whole_rows_of_a_text_are_its_lines() -> None:
    """Rows without chosen fields are the lines themselves, and an error lists the fields."""
    largest = asked(LISTING, sort="-size", limit=1)
    assert largest == [(2, "drwxr-xr-x 3 root root 4096 Mar 27 14:58 src")]
    with pytest.raises(RecallError) as caught:
        answered(LISTING, {"where": "byte > 3"})
    assert "they have n, line, name, size" in str(caught.value)
    assert "path" not in (caught.value.call or {})


@pytest.mark.parametrize(
    ("text", "pattern", "note"),
    [
        ("an error\nErrors\nERROR\n", "error", "2 more lines in another case: 2:Errors | 3:ERROR"),
        (
            "an error\n" + "Error " * 40,
            "error",
            "1 more line in another case: grep (?i)error",
        ),
        ("an error\n", "error", ""),
        ("an Error\n", "error", "0 of 1 lines have it in this case; these differ in case"),
        (
            "it configures x\n",
            "configuring the y",
            "0 of 1 lines have it; lines with its words: configur 1",
        ),
        ("nothing\n", "disk", "0 of 1 lines have it"),
    ],
)
def test_a_pattern_says_what_else_is_near(text: str, pattern: str, note: str) -> None:
    """A note to a pattern counts lines in another case or with its words."""
    answer = answered(text, {"grep": pattern})
    assert isinstance(answer, LinesAnswer)
    assert answer.note == note


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("3\u20135", [3, 4, 5]), ("5-3", [3, 4, 5]), ("3,", [3]), (3.0, [3])],
)
def test_ranges_are_read_as_they_are_meant(given: object, wanted: list[int]) -> None:
    """Ranges with dashes, in reverse, with a comma at the end or as floats are read."""
    assert [number for number, _ in asked(NOTES, lines=given)] == wanted


LOADS = "".join(
    f"/srv/app/lib/{name}.py:{n}:    value_{n} = load({n})\n"
    for name in ("main", "util")
    for n in range(9)
)
DIFF = """\
diff --git a/src/main.py b/src/main.py
--- a/src/main.py
+++ b/src/main.py
@@ -1,3 +1,4 @@
 import os
+import sys
@@ -40,3 +41,3 @@ def run():
-    check(os)
+    check(sys)
diff --git a/src/util.py b/src/util.py
@@ -7,2 +7,2 @@
-    check(None)
"""


@pytest.mark.parametrize("path", ["util.py", "/srv/app/lib/util.py", "lib/util.py"])
def test_files_of_search_hits_are_places(path: str) -> None:
    """A path names the hits of one file, by any part of its path."""
    assert [number for number, _ in asked(LOADS, path=path)] == list(range(10, 19))
    assert asked(LOADS, path=path, grep="load.3")[0][0] == 13
    assert len(asked(LOADS, path="lib/")) == 18
    with pytest.raises(RecallError, match=r"no heading, function or file 'utli.py'; it has .*util"):
        answered(LOADS, {"path": "utli.py"})


@pytest.mark.parametrize("name", ["file", "path"])
def test_files_of_search_hits_are_fields(name: str) -> None:
    """Hits below the name of a file have it as a field, by either name."""
    answer = answered(LOADS, {"where": f"{name} endswith 'main.py'", "fields": [name, "number"]})
    assert not isinstance(answer, LinesAnswer)
    assert answer.total == 9
    assert answer.value[3] == {name: "/srv/app/lib/main.py", "number": 3}


def test_lines_of_a_diff_say_their_file_and_hunk() -> None:
    """Each matching line of a diff names its file and hunk."""
    answer = answered(DIFF, {"grep": "check|import sys"})
    assert isinstance(answer, LinesAnswer)
    assert [line.place for line in answer.lines] == [
        "src/main.py @@ -1,3 +1,4 @@",
        "src/main.py @@ -40,3 +41,3 @@",
        "src/main.py @@ -40,3 +41,3 @@",
        "src/util.py @@ -7,2 +7,2 @@",
    ]


def test_lines_with_alternatives_stay_in_order() -> None:
    """Lines come in the order of the text; frequent alternatives may be left out."""
    log = "".join(f"{'FAIL' if n in (70, 90) else 'ok'} case {n}\n" for n in range(99))
    answer = answered(log, {"grep": "ok|FAIL|panic"})
    assert isinstance(answer, LinesAnswer)
    assert answer.counts == "panic 0, FAIL 2, ok 97"
    assert [line.number for line in answer.lines] == list(range(1, 100))
    ((left_out, lines),) = answer.fewer
    assert (left_out, [line.number for line in lines]) == ("ok 97", [71, 91])
    assert asked(log, grep="ok|FAIL", limit=2) == [(1, "ok case 0"), (2, "ok case 1")]
    even = answered("a\nb\n" * 9, {"grep": "a|b"})
    assert isinstance(even, LinesAnswer)
    assert even.fewer == (), "neither hides the other"


def test_an_alternative_of_every_line_is_left_out() -> None:
    """An alternative that matches every line would hide the others, so it is left out."""
    log = "".join(f"{n} {'FAIL' if n == 70 else 'ok'}\n" for n in range(99))
    answer = answered(log, {"grep": "FAIL|.*"})
    assert isinstance(answer, LinesAnswer)
    assert [line.number for line in answer.lines] == [71]
    assert answer.note == "'.*' is in every line, so it was left out"


def test_hits_say_the_heading_above_them() -> None:
    """Hits below a Markdown heading name it, and an answer counts the hits of each."""
    plan = "# Plan\n\n## One\n- [x] a\n- [ ] b\n\n## Two\n- [x] c\n- [ ] d\n"
    answer = answered(plan, {"grep": r"^- \["})
    assert isinstance(answer, LinesAnswer)
    assert [line.place for line in answer.lines] == ["One", "One", "Two", "Two"]
    assert answer.spread == "One 2, Two 2"


# What a pattern means is what it means in Python.
PATTERNS = (
    r"a\|b", r"\|", r"\| ok \|", "a|b", "^a", "b$", r"f\(", r"f\(x\)", r"\[x\]", "[\\[]", r"\.",
    ".", r"a.c", r"\d+", r"\bok\b", r"\w+\.py", "(ok|no) [0-9]", "(?i)OK", r"\s{2,}", "[^a-z ]",
    "[a-c]+$", r"x\+y", "x+y", "x?y", r"x\?", r"\*", "a{2}", r"a\{2\}", r"\$\d", "\\^", r"\\",
    r"C:\\", '"', r"\"ok\"", "'", "it's", "\u4e2d", "[\u4e00-\u9fff]+", "\u7b2c\\d+", "caf\u00e9",
    r"\u00e9", "(a)(b)?", "(?:no|ok)", "a(?=b)", "(?<=x)y", r"^\s*$", r"^.{3}$",
    "[\\w.-]+@[\\w.-]+", r"https?://\S+", r"\t", r"a\tb", "#", "(a|b)+", r"^(?!a)", "a*?b",
    r"(\d)\1", "x{1,2}y", r"[\]]", r"[-+]\d", r"\Aa", "b\\Z", "[0-9]{2}:[0-9]{2}",
)  # fmt: skip
ODD_LINES = (
    "a|b", "abc", "| ok | 3 |", "f(x)", "f(y) no 4", "- [x] done", "main.py", "aa", "a{2}", "x+y",
    "xxy", "x? $5", "2 * 3", "C:\\dir", 'say "ok"', "it's", "\u4e2d\u6587 \u7b2c3\u7ae0",
    "caf\u00e9", "", "   ", "me@x.org https://x.org/a", "a\tb", "# head", "11:45 -3 +4", "OK",
    "ok 1", "b^c", "no]",
)  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_mean_what_they_mean_in_python(pattern: str) -> None:
    """A pattern that matches any line matches the same lines as in Python."""
    wanted = [n for n, line in enumerate(ODD_LINES, 1) if re.search(pattern, line)]
    answer = answered("\n".join(ODD_LINES), {"grep": pattern})
    assert isinstance(answer, LinesAnswer)
    assert [line.number for line in answer.lines] == wanted, answer.note
    assert len(PATTERNS) >= 60


def test_escapes_of_basic_grep_are_a_second_reading() -> None:
    """If nothing matches, escapes are read as grep without -E reads them."""
    answer = answered("an error\na warning\n", {"grep": r"error\|warning"})
    assert isinstance(answer, LinesAnswer)
    assert [line.number for line in answer.lines] == [1, 2]
    assert answer.note == r"0 lines have it with \| for a plain |; this is error|warning"


def test_parts_of_a_long_line_are_placed() -> None:
    """The note on a shortened line has the places of its parts."""
    page = " ".join(f"word{n} {'needle' if n % 400 == 7 else 'straw'}" for n in range(3000))
    answer = answered(page, {"grep": "needle"})
    assert isinstance(answer, LinesAnswer)
    assert len(answer.lines) == answer.total == 8
    for line in answer.lines:
        whole = answered(page, {"where": "n == 1", "fields": [f"line[{line.start}:] as x"]})
        assert not isinstance(whole, LinesAnswer)
        assert whole.value[0]["x"].startswith(line.text.strip("…"))
    start = answer.lines[0].start
    assert f'where "n == 1", fields ["line[{start}:]"]' in answer.note


def test_lines_of_a_text_in_data_are_asked_by_its_path() -> None:
    """A text within data is asked for lines by its path, and a number has none."""
    data = {"log": {"text": "start\nerror: disk\nretry\n"}, "n": 3}
    assert asked(data, path="$.log.text", grep="error") == [(2, "error: disk")]
    assert asked(data, path="$.log.text", lines="2-3") == [(2, "error: disk"), (3, "retry")]
    assert asked(data, path="$.log.text", offset=2) == [(3, "retry")]
    count = answered(
        data, {"path": "$.log.text", "where": "line contains 'r'", "fields": "count()"}
    )
    assert not isinstance(count, LinesAnswer)
    assert count.value == {"count()": 3}
    count = answered(data, {"path": "$.log.text", "grep": "r", "fields": ["count()"], "limit": 9})
    assert not isinstance(count, LinesAnswer)
    assert count.value == {"count()": 3}
    with pytest.raises(RecallError, match="only texts have lines"):
        answered(data, {"path": "$.n", "lines": "1"})


def test_hits_are_grouped_by_what_matched() -> None:
    """Lines can be grouped by the words that the pattern matched."""
    text = "a.py:1: E10 long\na.py:4: W61 unused\nb.py:2: E10 long\n"
    answer = answered(text, {"grep": "E10|W61", "group": "match"})
    assert not isinstance(answer, LinesAnswer)
    assert answer.value == [{"match": "E10", "count()": 2}, {"match": "W61", "count()": 1}]
    answer = answered(text, {"grep": "(E|W)[0-9]+", "group": "match"})
    assert not isinstance(answer, LinesAnswer)
    assert answer.value == [{"match": "E", "count()": 2}, {"match": "W", "count()": 1}]
    assert answer.note == "match is what the first brackets of grep match"


def test_resources_of_a_plan_are_places() -> None:
    """A path names the block of a resource in a plan."""
    plan = (
        "What will be done:\n\n"
        "  # aws_db_instance.tides must be replaced\n"
        '-/+ resource "aws_db_instance" "tides" {\n        engine = "16.4"\n    }\n\n'
        "  # aws_sqs_queue.jobs will be updated in-place\n"
        '  ~ resource "aws_sqs_queue" "jobs" {\n        engine = "none"\n    }\n'
    )
    assert asked(plan, path="aws_db_instance.tides", grep="engine") == [
        (5, '        engine = "16.4"')
    ]


TRAINS = "Trains to Visp\n\n" + "".join(
    f"{'IC' if n % 3 else 'EC'} {300 + n} dep {6 + n // 4:02d}:{n % 4 * 15:02d} Basel "
    f"platform {n % 5} arr Visp, {2 + n % 2} h {n:02d} min, "
    f"{n % 3} change{'s' * (n % 3 != 1)}, CHF {30 + n}.50, "
    f"{'cancelled' if n == 17 else 'delayed 5 min' if n == 8 else 'punctual'}\n"
    for n in range(53)
)
PACKAGES = "".join(
    f"Package: p{n}\nSize: {n * 10}\nEssential: {'yes' if n % 2 else 'no'}\n"
    f"Description: package {n}\n It does {n} things.\n\n"
    for n in range(9)
)


@pytest.mark.parametrize(
    ("text", "call", "wanted"),
    [
        (TRAINS, {"group": "c1"}, [{"c1": "IC", "count()": 35}, {"c1": "EC", "count()": 18}]),
        (
            TRAINS,
            {"where": "c3 == 'cancelled'", "fields": ["c2", "dep"]},
            [{"c2": 317, "dep": "10:15"}],
        ),
        (
            TRAINS,
            {"sort": "-CHF", "limit": 1, "fields": ["CHF", "platform"]},
            [{"CHF": 82.5, "platform": 2}],
        ),
        (TRAINS, {"where": "dep > '18:00' and change == 0", "fields": ["count()"]}, {"count()": 1}),
        (PACKAGES, {"sort": "-Size", "limit": 1, "fields": ["Package"]}, [{"Package": "p8"}]),
        (PACKAGES, {"where": "Essential == 'yes'", "fields": ["count()"]}, {"count()": 4}),
        (PACKAGES, {"grep": "does 3", "fields": ["n", "Package"]}, [{"n": 19, "Package": "p3"}]),
    ],
)
def test_lines_of_one_shape_and_blocks_are_records(
    text: str, call: dict[str, Any], wanted: list[Any]
) -> None:
    """Lines between whose words values differ, and blocks of keys, are asked as records."""
    answer = answered(text, call)
    assert not isinstance(answer, LinesAnswer)
    assert answer.value == wanted


def test_text_that_is_no_list_has_no_records() -> None:
    """Prose, code and notes have no shape."""
    for text in (NOTES, CODE, "One is here.\n\nIt is two.\n\nThis: is three.\n"):
        source = NumberedText(text)
        assert source.template is None
        assert source.blocks == []
    answer = answered(TRAINS, {"grep": "IC"})
    assert isinstance(answer, LinesAnswer)
    assert answer.spread == "fields c1 c2 dep platform h min change CHF c3: where, group, sort"


def test_hits_are_counted_by_heading_and_by_file_of_a_diff() -> None:
    """The heading above a line, and the file of a line of a diff, are fields."""
    guide = "".join(f"## Part {n % 3}\n\nan error here\n\n" for n in range(4))
    answer = answered(guide, {"grep": "error", "group": "heading"})
    assert isinstance(answer, DataAnswer)
    assert answer.value == [
        {"heading": "Part 0", "count()": 2},
        {"heading": "Part 1", "count()": 1},
        {"heading": "Part 2", "count()": 1},
    ]
    with pytest.raises(RecallError, match="they have n, line, heading") as caught:
        answered(guide, {"group": "file"})
    assert caught.value.call == {"group": "heading"}
    diff = "".join(
        f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1,2 +1,3 @@\n one\n+two\n"
        for name in ("x.py", "y.py")
    )
    answer = answered(diff, {"grep": "two", "group": "file"})
    assert isinstance(answer, DataAnswer)
    assert answer.value == [{"file": "x.py", "count()": 1}, {"file": "y.py", "count()": 1}]

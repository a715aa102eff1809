"""Inputs that once broke a promise; each was found by an attack, none may come back."""

import enum
import importlib
import re
from typing import Any
from unittest.mock import Mock

import pytest

import mckp
from mckp import tokenizers
from mckp.agents.config import loads, settings_for
from mckp.answers.verify import first_difference
from mckp.jsontext import difference, dump
from mckp.parsers import KindName
from mckp.parsers.forms import data_of
from mckp.recall.lines import NumberedText
from tests.cases import cases

TEXTS = [
    *cases(__file__, "TEXTS"),
    "> " * 191 + "x",
    "# x\n\n```\n> [+" + "1" * 4301 + " rows]\n```\n",
    "# T\r\n\r\n```\r\n> [+1 of 2 paragraphs]\r\na\r\nb\r\n```\r\n\r\n" + "So many words. " * 20,
    "# T\n\n    > [+1 of 2 paragraphs]\n" + "    line\n" * 8 + "\n" + "text " * 40 + "\n",
]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["markdown", "text"])
@pytest.mark.parametrize("text", TEXTS)
def test_texts(text: str, kind: str) -> None:
    """Texts that once failed read back and keep their budgets."""
    tree = mckp.parse(text, kind)
    assert mckp.decode(mckp.encode(tree).text) == tree
    for budget in (6, 9, 12, 16, 22, 25, 32, 40, 55, 60, 90):
        assert mckp.encode(tree, budget=budget).tokens <= budget


def test_a_wrapper_owes_no_hint() -> None:
    """What only wraps one container costs no hint, so its content is kept where it fits."""
    data = {"data": {"user": {"profile": {"id": 7, "bio": "word " * 60, "tags": ["a", "b"]}}}}
    result = mckp.encode(data, budget=32, formats="standard", weights="facts")
    assert (result.value, result.text.count("> [+")) == (3, 1)


def test_hints_of_many_rows_are_priced_exactly() -> None:
    """Of 1,200 rows, three are left out, with an exact price of the note."""
    data = [{"i": n % 10} for n in range(1200)]
    result = mckp.encode(data, budget=2407, formats="standard", weights="facts")
    assert (result.value, result.status) == (1197, "optimal")
    assert "\n> [+3 rows]\n" in result.text


def tenths(text: str) -> int:
    """Count nothing for short texts."""
    return len(text) // 10


def framed(text: str) -> int:
    """Count a frame around each text."""
    return len(text) // 4 + 2


def negative(text: str) -> int:
    return -len(text)


def halves(text: str) -> Any:
    return len(text) / 2


@pytest.mark.parametrize("count", [tenths, framed])
def test_tokenizers_with_odd_joints(count: Any) -> None:
    """A budget a little below the whole keeps a little less than the whole."""
    data = [{"i": n % 9, "o": n % 7} for n in range(200)]
    whole = mckp.encode(data, tokenizer=count)
    result = mckp.encode(data, tokenizer=count, budget=whole.tokens - 1)
    assert result.tokens < whole.tokens
    assert result.value > 0.9 * whole.value


def test_more_budget_never_keeps_less() -> None:
    """A larger budget for Markdown of many short blocks is never worth less."""
    tree = mckp.parse("\n".join(["-"] * 10) + "\n\nText. More text.\n\n---\n\n- a\n- b\n")
    results = [mckp.encode(tree, budget=budget) for budget in range(6, 40)]
    values = [result.value for result in results]
    assert values == sorted(values)
    assert values[-1] <= results[-1].total


class Name(str, enum.Enum):  # noqa: UP042
    """A key that is a string and prints as something else."""

    A = "a"


class Other(str):
    """A string that prints as another."""

    def __str__(self) -> str:
        return "other"


def test_strings_are_their_text() -> None:
    """Enumerations and subclasses of strings are encoded as their text."""
    data: Any = {Name.A: 1, "b": Name.A, "c": Other("x"), Other("d"): 1}
    assert mckp.decode(mckp.encode(data).text) == {"a": 1, "b": "a", "c": "x", "d": 1}


REFUSED: list[tuple[str, Any]] = [
    ("two columns have the same name", lambda: pyarrow().table([[1], [2]], names=["a", "a"])),
    ("NaTType is not JSON data", lambda: {"a": optional("pandas").NaT}),
    ("datetime64 is not JSON data", lambda: {"a": optional("numpy").datetime64("NaT")}),
    ("longdouble is not JSON data", lambda: {"a": optional("numpy").longdouble(1)}),
    ("Mock is not JSON data", lambda: {"a": Mock()}),
    ("nan is not JSON", lambda: mckp.TreeNode.of({"a": float("nan")})),
    ("more than 4300 digits", lambda: {"a": 10**5000}),
]


def optional(name: str) -> Any:
    return pytest.importorskip(name)


def pyarrow() -> Any:
    pytest.importorskip("pyarrow")
    return importlib.import_module("pyarrow")


@pytest.mark.parametrize(("message", "make"), REFUSED)
def test_data_that_is_refused(message: str, make: Any) -> None:
    """Data without a counterpart in JSON is refused with its place."""
    with pytest.raises(mckp.DataError, match=message):
        mckp.encode(make())


DAMAGED = cases(__file__, "DAMAGED")


@pytest.mark.parametrize("text", DAMAGED)
def test_damaged_texts(text: str) -> None:
    """A text that was damaged on the way is refused, never read as something else."""
    with pytest.raises(mckp.ParseError) as caught:
        mckp.decode(text)
    assert caught.value.line is not None


@pytest.mark.slow
def test_records_with_nothing_in_common() -> None:
    """Records of disjoint keys do not become a table of empty cells."""
    data = [{f"k{n}": n} for n in range(3000)]
    assert mckp.decode(mckp.encode(data).text) == data


@pytest.mark.parametrize("line", ["…", "…4-9"])
def test_a_string_with_the_mark_of_a_gap_is_data(line: str) -> None:
    """A string with a line like the mark of a gap reads back."""
    value = [False, f'true\n"5"\n{line}\n"b"\n"a"\n"5"\n#\n"x"', 8]
    assert mckp.decode(mckp.encode(value).text) == value


def test_json_that_was_refused() -> None:
    """Digits inside a string are not taken for an integer."""
    text = '["\\u00000000000000000000000000", %s]' % ("1" * 400)
    assert mckp.parse(text).value == ["\x00" + "0" * 22, int("1" * 400)]


def test_blanks_take_linear_time() -> None:
    """400,000 blanks are read, and 100,000 quotes are an error, without delay."""
    text = " " * 400_000 + "x"
    assert mckp.parse(text).kind.value == "text"
    with pytest.raises(mckp.ParseError):
        mckp.decode("[1] csv\na\n" + '"' * 100_001 + "x\n")


def test_callbacks_must_count() -> None:
    """A tokenizer that returns negative or broken counts is an error."""
    for bad in (negative, halves):
        with pytest.raises(TypeError, match=r"must return an int \(0 or more\)"):
            tokenizers.get(bad).count("text!")


ODD_TABLES: list[Any] = cases(__file__, "ODD_TABLES")


@pytest.mark.parametrize("level", ["native", "dense"])
@pytest.mark.parametrize("value", ODD_TABLES)
def test_odd_tables_read_back(value: Any, level: str) -> None:
    """Tables whose cells look like the signs around them come back, alone and repeated."""
    for document in (value, [value, value, {"x": value}]):
        assert (
            difference(document, mckp.decode(mckp.encode(document, formats=[level]).text)) is None
        )


def test_templates_are_not_searched_for_ever() -> None:
    """Columns that all occur in one another at every place are tried a bounded number of times."""
    columns: dict[str, list[int]] = {f"c{k}": [1, 11] for k in range(16)}
    rows = [{**{k: v[i] for k, v in columns.items()}, "url": "1" * (60 + 9 * i)} for i in (0, 1)]
    assert mckp.decode(mckp.encode(rows, formats="dense").text) == rows


@pytest.mark.slow
@pytest.mark.parametrize(("text", "kinds", "formats"), cases(__file__, "CUT").values())
def test_texts_that_were_cut_wrong(text: str, kinds: list[KindName], formats: str) -> None:
    """At each budget they are counted right, and read back, as texts."""
    for kind in kinds:
        whole = mckp.encode(text, kind=kind, formats=[formats])
        for budget in range(8, whole.tokens):
            result = whole.at(budget)
            assert result.tokens == tokenizers.get("o200k").count(result.text) <= budget
            assert isinstance(mckp.decode(result.text), mckp.TreeNode)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("(1) phrases\nβ=x\n(1) phrases\nλ=y\nλ\n", (1, 1)),
        ("[2]{a}\n1\n\ud800\n", (3, 1)),
        ("(1) phrases\nβ=x\n[2]{a b}\n1 2\n1\n", (5, 2)),
    ],
)
def test_hostile_tables_are_errors(text: str, place: tuple[int, int]) -> None:
    """A hostile table is an error with its line and column."""
    with pytest.raises(mckp.ParseError) as caught:
        mckp.decode(text)
    assert (caught.value.line, caught.value.column) == place


SHORT = [
    "[1]{a}\n== b = ${a}${a}${a}\n== c = ${a}${a}\n" + "x" * 300 + "\n",
    "[90]{a=[x x x x x x] b}\n" + "1\n" * 90,
]


@pytest.mark.parametrize("text", SHORT)
def test_tables_that_spell_too_much_are_errors(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Headers say for many rows what a short text may not spell out without end."""
    monkeypatch.setattr("mckp.encoders.lines.LARGEST", 1000)
    monkeypatch.setattr("mckp.encoders.lines.MOST_TIMES", 1)
    with pytest.raises(mckp.ParseError, match="too short for what it declares"):
        mckp.decode(text)


def test_records_share_no_constants() -> None:
    """Changing a value of one record that was read leaves the others alone."""
    decoded = mckp.decode("[2]{id tags=[a b]}\n1\n2\n")
    decoded[0]["tags"].append("c")
    assert decoded[1]["tags"] == ["a", "b"]


def test_a_row_without_a_border_is_damaged() -> None:
    """A table row without its border is an error."""
    with pytest.raises(mckp.ParseError):
        mckp.decode("[1] table\n| a |\n| --- |\nx\\|y\n")


def test_data_in_place_of_nothing_is_a_broken_promise() -> None:
    """Data where nothing was kept are a difference at the root."""
    assert first_difference(mckp.ABSENT, [1, 2]) == "$"


@pytest.mark.parametrize("data", [[1, 1, 1, 1], [1, 2**63], [1, {"json1": " x"}]])
def test_an_array_of_which_a_number_is_left_is_no_header(data: Any) -> None:
    """The first item alone, above a note, is not read as the count of a block."""
    whole = mckp.encode(data, weights="facts")
    for budget in range(5, whole.tokens):
        result = whole.at(budget)
        assert result.elided
        assert mckp.decode(result.text) in (mckp.ABSENT, [1])


@pytest.mark.parametrize("first", [["x"] * 97, [["x"] * 50, {"a": ["y"] * 60}]])
def test_what_is_behind_a_long_item_of_a_line_does_not_take_its_place(first: Any) -> None:
    """If the first item does not fit, the next does not replace it."""
    result = mckp.encode([first, {}], budget=8)
    assert result.elided[0].count == result.elided[0].total
    assert mckp.decode(result.text) is mckp.ABSENT


@pytest.mark.parametrize("row", ["1  2", "1 a[ 2", "1 <4 2", "1 =x 2"])
def test_what_is_no_name_is_an_error_where_rows_are_split_by_a_pattern(row: str) -> None:
    """A row with more members than there are columns ends with names and values."""
    with pytest.raises(mckp.ParseError) as caught:
        mckp.decode(f"[2]{{id *}}\n1 b 2\n{row}\n")
    assert caught.value.line == 3


def test_tables_within_rows_are_counted_alike_whatever_rows_are_full() -> None:
    """A record that fits its columns without a member, and not with it, has a table in it."""
    first: Any = {"[0]": {"1": [], "…": 1}, "…": 1}
    second = {"a": {"id": True, "@": None, "x": [{}, {"…": 1}]}, "[0]": {"…": 1}, "": 1, "…": 1}
    third = {"a": {"id": True, "@": 1, "x": [{"…": 1}, {"…": 37}]}, "[0]": {"…": None}, "…": "1.0"}
    data: Any = {"**": [first, second, third], "a": 1, "m": []}
    whole = mckp.encode(data)
    assert all(whole.at(budget).tokens <= budget for budget in range(20, 90))


def test_a_bracket_that_opens_a_plain_text_is_no_link() -> None:
    """A list as Python prints it, on one line, was cut to nothing within any budget."""
    printed = str([{"id": n, "place": f"harbour {n}"} for n in range(150)])
    result = mckp.encode(printed, budget=500, kind="text")
    assert 300 < result.tokens <= 500
    assert result.text.startswith(printed[:60])
    assert {cut.kind for cut in result.elided} == {"lines"}


def test_why_says_how_many_rows_are_missing() -> None:
    """Of an array with fewer rows the number that is cut follows the names."""
    jobs = [
        {
            "id": n,
            "by": {"name": f"user{n % 9}"},
            "log": f"step {n} took {n * n} seconds of the job",
        }
        for n in range(40)
    ]
    reason = mckp.encode(jobs, budget=200).why("$[39]")
    assert reason.left_out
    assert re.search(r"\d+ of 40 rows\Z", reason.missing[-1])
    assert reason.missing[-1] in str(reason)


def test_two_lists_are_counted_apart() -> None:
    """More comments than discussions, in a tight budget: each list has a hint of its own."""
    data: dict[str, list[Any]] = {
        "comments": [{"id": n, "body": f"comment {n}"} for n in range(40)],
        "discussions": [{"id": n, "open": True} for n in range(3)],
    }
    for budget in (30, 120):
        result = mckp.encode(data, budget=budget)
        decoded = mckp.decode(result.text)
        for name, items in data.items():
            rows = decoded.get(name, [])
            missing = sum(
                cut.count for cut in result.elided if cut.path == (name,) and cut.kind == "rows"
            )
            # On a line a note stands for both lists, and says where each of them ends.
            ends = [cut for cut in result.elided if f"{name}[{len(rows)}:]" in cut.keys]
            assert name not in decoded or len(rows) + missing == len(items) or ends
            ids = [row["id"] for row in rows if "id" in row]
            assert ids == sorted({*ids})


@pytest.mark.parametrize("large", ["x " * 900, ["word"] * 900, {"a": "x " * 900}])
def test_one_large_item_leaves_something(large: Any) -> None:
    """A large record does not drive the small one beside it out."""
    data = [{"id": 1, "body": large}, {"id": 2, "body": "short"}]
    kept = mckp.decode(mckp.encode(data, budget=60).text)
    assert 2 in [row.get("id") for row in kept]


def test_what_is_worth_nothing_may_still_stay() -> None:
    """Data of no worth are kept if they fit."""
    data = {"id": 7, "name": "Ann"}
    result = mckp.encode(data, budget=60, priorities={"**": 0})
    assert dump(mckp.decode(result.text)) == dump(data)


def test_endpoints_of_one_last_name_are_two() -> None:
    """Two tools whose names end alike have settings of their own."""
    names = ("mcp__one__get_issues", "mcp__two__get_issues")
    lines = ["schema_version = 2"]
    for name, form in zip(names, ("csv", "kv"), strict=True):
        lines += [f"[endpoint_overrides.{name}]", f"format = '{form}'"]
    settings = settings_for(loads("\n".join(lines)))
    assert [settings.of(name).formats for name in names] == [("csv",), ("kv",)]


def _kept_lines(text: str) -> list[str]:
    """The lines of a text within half of its tokens, without marks of gaps."""
    result = mckp.encode(text, budget=mckp.encode(text).tokens // 2)
    return [line for line in result.text.split("\n") if line and not line.startswith(("…", ">"))]


@pytest.mark.parametrize("sign", ["\x1f", "\x1d", "\x1c", "\x01", "\x0b", "\x0c", "\x7f"])
def test_signs_that_part_fields_stay(sign: str) -> None:
    """Only what terminals need is removed; ``git log --format=%h%x1f%an`` keeps its fields."""
    text = "".join(f"{n}{sign}name{n}{sign}x y\n" for n in range(20))
    assert mckp.encode(text).text == text
    kept = _kept_lines(text)
    assert kept
    assert set(kept) <= set(text.split("\n"))


@pytest.mark.parametrize("sign", ["\0", "\x1e"])
def test_lines_parted_by_nul_are_lines(sign: str) -> None:
    """Names of ``find -print0`` are cut one by one, and recalled by number."""
    names = [f"src/part{n % 4}/file{n}.py" for n in range(40)]
    text = "".join(name + sign for name in names)
    assert mckp.encode(text).text == text
    result = mckp.encode(text, budget=80)
    assert "40 NUL or U+001E between lines are line feeds" in result.notes
    kept = _kept_lines(text)
    assert len(kept) > 10
    assert set(kept) <= set(names)
    assert NumberedText(text).lines == names


@pytest.mark.parametrize(
    "text",
    [
        "id|name|total\n" + "".join(f"{n}|ann|{7 * n}\n" for n in range(1, 31)) + "(30 rows)\n",
        "".join(f"{n}|ann|{7 * n}\n" for n in range(1, 31)),
        "".join(f"{n}\tann\t{7 * n}\t\n" for n in range(1, 31)),
        "id  name\n--  ----\n" + "".join(f"{n:<2}  ann {n}\n" for n in range(1, 31)),
        "   Num:    Value  Size\n" + "".join(f"{n:6}: 00000000 {n}  FUNC\n" for n in range(30)),
        "".join(f'"2026/01/{n:02}","","Opening","Assets:\\"Cash\\"",{n}\n' for n in range(1, 30)),
        "path|size\n" + "".join(f"src/folder/file{n}.py|{n}\n" for n in range(30)),
    ],
)
def test_first_cells_of_rows_are_no_line_numbers(text: str) -> None:
    """The first cells of a table stay in their rows, below the names of the columns."""
    whole = mckp.encode(text).text
    assert whole == text or not whole.startswith("> [text,")


@pytest.mark.parametrize(
    "title", ["", "[File: /a/b.py (386 lines total)]\n", "Lines 1-30 of b.py:\n"]
)
def test_numbers_of_lines_are_left_out_below_a_title(title: str) -> None:
    """A colon in the title of a file is no sign of columns."""
    text = title + "".join(f"{n}:    value_{n} = call(a, b)\n" for n in range(1, 31))
    assert mckp.encode(text).text.startswith("> [text, a line without a number")


@pytest.mark.parametrize("opening", ["{|\n", '{| class="wikitable"\n', "== A ==\n{|\n|+ B\n"])
@pytest.mark.parametrize("cell", ["| {0}\n| {1}\n", '| {0}\n|align="r"| {1}\n', "| {0} || {1}\n"])
def test_a_table_of_a_wiki_stays_as_it_is(opening: str, cell: str) -> None:
    """``|-`` parts rows of a wiki's table, and is no rule of a Markdown table."""
    rows = "".join("|-\n" + cell.format(f"item {n}", 7 * n) for n in range(1, 9))
    text = f"{opening}! name\n! count\n{rows}|}}\n"
    assert mckp.encode(text).text == text
    assert set(_kept_lines(text)) <= set(text.split("\n"))


@pytest.mark.parametrize(
    "text",
    [
        "A B\n  - x\n  - y\n  - z\n",
        "RELEASE NOTES\n  - Fixed the crash on start\n  - Point 1\n  - Point 2\n",
        "NOTE: READ\n    sentences are here\n    and more of them\n    are below\n",
        "STEP ONE\n  1. do\n  2. and\n  3. or\n",
        "TODO LIST\n - a b\n - c d\n - e f\n",
        "CHANGES MADE\n* a\n* b\n* c\n",
        "TO DO\n[ ] a\n[x] b\n[ ] c\n",
        "KEY VALUE\n a  1\n b  2\n c  3\n",
    ],
)
def test_a_title_in_capitals_is_no_row_of_names(text: str) -> None:
    """A list or indented sentences below a title of two words are no table."""
    assert data_of(text) is None


@pytest.mark.parametrize(
    "text",
    ["NAME READY\na-1  0\nb-2  1\nc-3  2\n", "PID CMD\n  1 init\n 22 bash\n333 ls\n"],
)
def test_narrow_tables_of_two_columns_are_read(text: str) -> None:
    """Names with one blank between them are two if both have cells below."""
    data, form = data_of(text) or (None, None)
    assert form is not None
    assert form.write(data) == text


def test_telling_records_with_names_are_kept_as_records() -> None:
    """Named records, of which telling ones have more columns, are read back at any budget."""
    jobs = {
        f"job_{n}": {"state": "ok", "seconds": 300 + n % 7, "note": f"step {n} {'as planned ' * 9}"}
        for n in range(24)
    }
    note = "out of memory in the third step, see the log of the worker for the trace"
    jobs["job_11"] = {"state": "failed", "seconds": 4, "note": note, "error": "exit code 137"}
    for budget in range(130, 700, 20):
        decoded = mckp.decode(mckp.encode({"jobs": jobs}, budget=budget).text)
        assert isinstance(decoded["jobs"]["job_11"], dict)

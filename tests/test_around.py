"""Around faults that were found: inputs of the same kind, ten or more of each."""

import asyncio
import collections
import dataclasses
import json
import sqlite3
import sys
import types
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import pytest

import mckp
from mckp import MessageEncoder, tokenizers
from mckp.encoders import marks
from mckp.errors import PathError
from mckp.parsers.forms import data_of
from tests.cli.conftest import Run

ROWS: list[dict[str, Any]] = [
    {"id": n, "state": "done" if n % 7 else "failed", "by": f"user {n % 5}"} for n in range(40)
]
COUNT = tokenizers.get("o200k").count


def cut_lines(text: str) -> list[str]:
    """The lines of a text within half of its tokens, without marks of gaps."""
    result = mckp.encode(text, budget=COUNT(text) // 2)
    assert result.elided
    return [line for line in result.text.split("\n") if line and not line.startswith(("…", "> ["))]


def rows_of(row: str, count: int = 8) -> str:
    return "".join(row.format(f"item {n}", 7 * n) for n in range(1, count + 1))


# Lines that stay are lines of the source.

WIKI_TABLES = {
    "caption": '{| class="wikitable sortable"\n|+ Counts\n! name !! count\n'
    + rows_of("|-\n| {0} || {1}\n")
    + "|}\n",
    "pandoc": '{|\n! style="text-align: left;"| name\n'
    + rows_of('|-\n| {0}\n| style="text-align: right;"| {1}\n')
    + "|}\n",
    "two tables": ("{|\n! a\n" + rows_of("|-\n| {0}\n") + "|}\n\n") * 2,
    "table in a cell": "{|\n" + rows_of("|-\n|\n{{|\n| {0}\n|}}\n| {1}\n") + "|}\n",
    "links": "{|\n! n\n" + rows_of("|-\n| [[{0}|{1}]]\n") + "|}\n",
    "templates": "== Results ==\n{{Infobox|name=x}}\n{|\n"
    + rows_of("|-\n| {{{{flag|{0}}}}} || '''{1}'''\n")
    + "|}\n",
    "headers of rows": "{|\n" + rows_of("|-\n! {0}\n| {1}\n") + "|}\n",
    "CRLF": "{|\r\n! name\r\n" + rows_of("|-\r\n| {0}\r\n| {1}\r\n") + "|}\r\n",
    "below a list": "* a\n* b\n{|\n" + rows_of("|-\n| {0} || {1}\n") + "|}\n",
    "spans": "{|\n" + rows_of('|- valign="top"\n|rowspan="2"| {0}\n| {1}\n|-\n| c\n') + "|}\n",
    "not closed": "{|\n! name\n" + rows_of("|-\n| {0}\n| {1}\n"),
}


@pytest.mark.parametrize("name", WIKI_TABLES)
def test_tables_of_wikis_stay_lines(name: str) -> None:
    """Whole they are unaltered, and cut each line is one of the source."""
    text = WIKI_TABLES[name]
    assert mckp.encode(text).text == text
    assert set(cut_lines(text)) <= set(text.split("\n"))


SIGNS = {
    "start of text": "\x02",
    "end of text": "\x03",
    "end of transmission": "\x04",
    "acknowledge": "\x06",
    "enquiry": "\x05",
    "data link": "\x10",
    "file": "\x1c",
    "group": "\x1d",
    "unit": "\x1f",
    "delete": "\x7f",
}


@pytest.mark.parametrize("name", SIGNS)
def test_histories_with_separators_keep_their_fields(name: str) -> None:
    """``git log --format=%h%x02%an%x02%s`` with any sign that parts fields."""
    sign = SIGNS[name]
    text = "".join(f"{n:07x}{sign}Ann {n}{sign}Mend part {n}\n" for n in range(20))
    assert mckp.encode(text).text == text
    kept = cut_lines(text)
    assert kept
    assert set(kept) <= set(text.split("\n"))
    assert all(line.count(sign) == 2 for line in kept)


PARTED = {
    "find -print0": ("\0", "./src/part{0}.py"),
    "git ls-files -z": ("\0", "docs/page-{0}.md"),
    "git status -z": ("\0", " M tests/test_{0}.py"),
    "xargs -0": ("\0", "a file with blanks {0}"),
    "/proc/self/environ": ("\0", "NAME_{0}=value {0}"),
    "/proc/self/cmdline": ("\0", "--option-{0}"),
    "grep -Z": ("\0", "src/a{0}.c:12:int x;"),
    "sort -z": ("\0", "wörter {0}"),
    "sqlite3 -ascii": ("\x1e", "{0}\x1fname {0}\x1fx y"),
    "GeoJSON text": ("\x1e", "feature {0} of a list"),
}


@pytest.mark.parametrize("name", PARTED)
def test_lists_parted_by_signs_are_cut_one_by_one(name: str) -> None:
    """A text without a line feed whose names are parted by NUL or U+001E."""
    sign, entry = PARTED[name]
    names = [entry.format(n) for n in range(40)]
    text = "".join(each + sign for each in names)
    assert mckp.encode(text).text == text
    kept = cut_lines(text)
    assert len(kept) > 8
    assert set(kept) <= set(names)


NUMBERED = {
    "ps": "  PID TTY          TIME CMD\n"
    + "".join(f"{31 * n:5} ?        00:00:{n:02} proc{n}\n" for n in range(30)),
    "wc": "".join(f"{n:5} src/file{n}.py\n" for n in range(30)) + "  435 total\n",
    "uniq -c": "".join(f"{n:7} word{n}\n" for n in range(30)),
    "ls -i": "".join(f"{1000 + n} file{n}.txt\n" for n in range(30)),
    "du": "".join(f"{4 * n}\t./folder{n}\n" for n in range(1, 31)),
    "nm": "".join(f"{64 * n:016x} T symbol{n}\n" for n in range(30)),
    "ss": "Recv-Q Send-Q Local\n" + "".join(f"{n}      {n}      :{n}\n" for n in range(30)),
    "comma": "id, name\n" + "".join(f"{n}, ann {n}\n" for n in range(1, 31)),
    "semicolon": "id;name\n" + "".join(f"{n};ann {n}\n" for n in range(1, 31)),
    "psql": " id | name\n----+------\n" + "".join(f"{n:3} | ann {n}\n" for n in range(1, 31)),
    "sqlite3 -column": "id  name\n--  -----\n" + "".join(f"{n:<2}  ann{n:2}\n" for n in range(30)),
}


@pytest.mark.parametrize("name", NUMBERED)
def test_numbers_of_rows_are_no_numbers_of_lines(name: str) -> None:
    """The first cell of a row stays in it, and the source comes back to the byte."""
    text = NUMBERED[name]
    whole = mckp.encode(text)
    assert not whole.text.startswith("> [text, a line without a number")
    assert data_of(text) is not None or whole.text == text


TITLES = {
    "stars": "TODO NOW\n  * write\n  * read\n  * rest\n",
    "after a blank line": "BREAKING CHANGES\n\n  - a b\n  - c d\n  - e f\n",
    "numbers with brackets": "RELEASE NOTES\n  1) one thing\n  2) two things\n  3) three\n",
    "sentences as wide as the title": "KNOWN ISSUES\n  The first.\n  The second.\n  The third.\n",
    "pages of a manual": "SEE ALSO\n  git(1)\n  hg(1)\n  svn(1)\n",
    "steps": "NEXT STEPS\n    build it\n    ship it\n    sell it\n",
    "plus": "IN OUT\n + a\n + b\n + c\n",
    "bullets": "WHAT WHY\n • a\n • b\n • c\n",
    "quotes": "HOW TO\n> a\n> b\n> c\n",
    "codes": "EXIT STATUS\n  0  if OK\n  1  if minor problems\n  2  if serious trouble\n",
    "a sentence": "NOTE: READ\n  The part 0 says this.\n  The part 1 says that.\n",
    "a name alone in one row": "RELEASE NOTES\nbig old new.\nrun\nnot not do big.\n",
}


@pytest.mark.parametrize("name", TITLES)
def test_what_is_below_a_title_is_no_table(name: str) -> None:
    """Lists and sentences below two words in capitals are lines."""
    assert data_of(TITLES[name]) is None


# One unit of worth, and a bound that is true or none.

DOCUMENTS: dict[str, Any] = {
    "records": ROWS,
    "object": {"build": {"id": 7, "state": "failed"}, "jobs": ROWS, "total": 40},
    "nested": [{"id": n, "of": {"a": n, "b": [n, n + 1]}} for n in range(20)],
    "strings": [f"sentence number {n} of a list" for n in range(30)],
    "one long string": {"body": "It failed in a way. " * 60, "id": 1},
    "matrix": [[n, n * n, n**3] for n in range(30)],
    "log": "".join(f"2026-03-01 12:00:{n:02} INFO step {n} done\n" for n in range(60)),
    "page": "# Title\n\n" + "".join(f"## Part {n}\n\nSay {n} things.\n\n" for n in range(15)),
    "search": "".join(f"src/a.py:{n}: def part_{n}():\n" for n in range(1, 50)),
    "rows of text": "id,name\n" + "".join(f"{n},name {n}\n" for n in range(50)),
    "mixture": "It was seen:\n\n```json\n" + json.dumps(ROWS, indent=2) + "\n```\n\nThat is all.\n",
}


@pytest.mark.parametrize("tokenizer", ["o200k", "mistral_spm"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_value_has_one_unit(name: str, tokenizer: str) -> None:
    """A whole document is worth the same with and without a budget, and a part of it less."""
    whole = mckp.encode(DOCUMENTS[name], tokenizer=tokenizer)
    beside = mckp.encode(DOCUMENTS[name], tokenizer=tokenizer, budget=10 * whole.tokens)
    assert whole.value == beside.value == whole.bound == beside.bound
    part = mckp.encode(DOCUMENTS[name], tokenizer=tokenizer, budget=whole.tokens // 2)
    assert part.elided
    assert 0 < part.value < whole.value
    assert part.total == whole.total
    if tokenizer == "mistral_spm":
        assert (part.status, part.bound, part.gap) == ("feasible", None, None)
    else:
        assert part.bound is not None
        assert part.value <= part.bound < whole.value


# What is said.

MODULES: dict[str, tuple[str, Callable[[], object]]] = {
    "networkx": ("graph", lambda: mckp.TreeNode.of(ROWS).to_networkx()),
    "pandas": ("", lambda: mckp.instance(ROWS, budget=90).to_frame()),
    "polars": ("", lambda: mckp.instance(ROWS, budget=90).to_frame("polars")),
    "matplotlib": ("plot", lambda: mckp.encode(ROWS, budget=90).frontier().plot()),
    "toon_format": ("toon", lambda: mckp.encode(ROWS, formats="toon")),
    "bm25s": ("query", lambda: mckp.encode_tools([{"name": "a"}], budget=9, query="a")),
    "ortools": ("cpsat", lambda: mckp.encode(ROWS, budget=90, solver="cpsat")),
    "numba": ("jit", lambda: import_module("mckp.solvers.compiled")),
    "langchain": ("langchain", lambda: import_module("mckp.agents.adapters.langchain")),
    "langchain_core": ("langchain", lambda: import_module("mckp.agents.adapters.langchain")),
    "jq": ("jq", lambda: mckp.encode(ROWS, budget=90).recall(jq=".")),
}


@pytest.mark.parametrize("module", MODULES)
def test_a_missing_package_is_named(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the package, as it is called, and the extra with it."""
    extra, call = MODULES[module]
    for name in ("mckp.solvers.compiled", "mckp.agents.adapters.langchain"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in [*sys.modules]:
        if name.partition(".")[0] == module:
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match="is not installed; run: pip install") as caught:
        call()
    assert f"[{extra}]" in str(caught.value) or not extra


class Point(NamedTuple):
    """A named tuple."""

    a: int
    b: int


@dataclasses.dataclass(slots=True)
class Slotted:
    """A dataclass."""

    a: int
    b: int


class Keyed:
    """What has keys and items, as rows of many drivers."""

    def keys(self) -> list[str]:
        return ["a", "b"]

    def __getitem__(self, key: str) -> int:
        return {"a": 1, "b": 2}[key]


class Mapped:
    """A row of SQLAlchemy."""

    _mapping = types.MappingProxyType({"a": 1, "b": 2})


def sqlite_row() -> Any:
    base = sqlite3.connect(":memory:")
    base.row_factory = sqlite3.Row
    return base.execute("select 1 as a, 2 as b").fetchone()


RECORDS: dict[str, Callable[[], Any]] = {
    "keys": Keyed,
    "_mapping": Mapped,
    "sqlite3": sqlite_row,
    "named tuple": lambda: Point(1, 2),
    "dataclass": lambda: Slotted(1, 2),
    "proxy": lambda: types.MappingProxyType({"a": 1, "b": 2}),
    "UserDict": lambda: collections.UserDict(a=1, b=2),
    "ChainMap": lambda: collections.ChainMap({"a": 1}, {"b": 2}),
    "OrderedDict": lambda: collections.OrderedDict[str, int](a=1, b=2),
    "defaultdict": lambda: collections.defaultdict(int, a=1, b=2),
    "Counter": lambda: collections.Counter(a=1, b=2),
}


@pytest.mark.parametrize("name", RECORDS)
def test_records_of_all_kinds_are_objects(name: str) -> None:
    """What has names and values is an object."""
    row = RECORDS[name]()
    assert mckp.decode(mckp.encode([row, row]).text) == [{"a": 1, "b": 2}] * 2
    assert mckp.decode(mckp.encode({"in": row}).text) == {"in": {"a": 1, "b": 2}}


RESEMBLING = [
    *("gpt5-turbo", "gpt-5-vision", "gpt-5.9", "gpt-5.99-mini", "o1-turbo", "gpt-4o-foo"),
    *("gpt-4-lite", "gpt-5.6-cyber", "deepseek-v3-abliterated", "qwen3-32b-uncensored"),
]


@pytest.mark.parametrize("name", RESEMBLING)
def test_a_name_that_only_resembles_a_model_is_said(name: str) -> None:
    """Its tokens are counted as those of its like, with a warning that names it."""
    with pytest.warns(UserWarning, match=f"no table lists the model '{name}'"):
        tokenizers.get(name)


COMMENTED = {
    "above": "// c\n[1, 2]\n",
    "inside": '{\n// c\n"a": 1\n}\n',
    "between": '{"a": 1, /* x */ "b": 2}',
    "below": '{"a": 1} // end',
    "behind a member": '{\n  "a": 1, // one\n  "b": 2\n}\n',
    "of several lines": "/* a\n   b */\n[1, 2, 3]\n",
    "with a comma at the end": '{\n  // c\n  "a": 1,\n}\n',
    "in a list": "[\n  1, // one\n  2\n]\n",
    "with a quote": '[\n  "//", // "x"\n  2\n]\n',
    "tsconfig": '{\n  /* Language */\n  "options": {"target": "es2020", /* x */ "lib": []}\n}\n',
}


@pytest.mark.parametrize("name", COMMENTED)
def test_json_with_comments_is_said(name: str) -> None:
    """It is a text, and a note says why."""
    result = mckp.encode(COMMENTED[name])
    assert any("JSON with comments" in note for note in result.notes)


NO_TOOLS = [
    '{"a": 1}',
    '{"id": 7, "name": 3}',
    "[1]",
    "[null]",
    '[{"id": 1}]',
    '["x"]',
    '{"tools": [{"name": 3}]}',
    '{"rows": [{"id": 1}]}',
    '{"total": 2, "ok": true}',
    "3",
]


@pytest.mark.parametrize("text", NO_TOOLS)
def test_json_without_tools_is_no_catalog(text: str, run: Run) -> None:
    """The command says what it did not find, instead of giving the JSON back."""
    code, shown, errors = run("tools", "-", stdin=text)
    assert (code, shown) == (1, b"")
    assert "\n" not in errors.strip()


LINES = ["", "x", "\n", "a\nb\n", "{}", "[]", "# h\n", "1", '"s"', "a" * 500, "\n\n\na\n"]


@pytest.mark.parametrize("text", LINES)
def test_any_line_of_a_small_text_is_explained(text: str) -> None:
    """A line without worth, or one that is not there, is no division by zero."""
    result = mckp.encode(text)
    for line in (1, 2, 4):
        try:
            said = str(result.why(line=line))
        except PathError as error:
            said = str(error)
        assert said.startswith((f"line {line} is kept", f"nothing at line {line}"))


# Long calls.

CALLS: dict[str, Callable[[], Any]] = {
    "rows": lambda: json.dumps(ROWS * 500),
    "rows with an indent": lambda: json.dumps(ROWS * 300, indent=2),
    "objects": lambda: json.dumps({f"k{n}": {"id": n, "at": [n]} for n in range(20_000)}),
    "log": lambda: "".join(f"12:00:{n % 60:02} INFO step {n}\n" for n in range(60_000)),
    "search": lambda: "".join(f"src/a{n % 9}.py:{n}: x = {n}\n" for n in range(60_000)),
    "page": lambda: "".join(f"## Part {n}\n\nIt is {n}.\n\n" for n in range(15_000)),
    "csv": lambda: "id,name\n" + "".join(f"{n},name {n}\n" for n in range(60_000)),
    "one line": lambda: "word and more of it " * 60_000,
    "json lines": lambda: "".join(json.dumps(row) + "\n" for row in ROWS * 500),
    "xml": lambda: "<r>" + "".join(f"<a id='{n}'>x</a>\n" for n in range(40_000)) + "</r>",
}


def conversation(text: str) -> list[dict[str, Any]]:
    call = {"id": "c", "function": {"name": "jobs", "arguments": "{}"}}
    return [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": text},
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_long_results_are_sent_in_time(name: str) -> None:
    """What takes too long is there in part; a limit of the whole call is an error with words."""
    messages = conversation(CALLS[name]())
    sent = MessageEncoder(budget=200, seconds=0.02).encode(messages)[1]["content"]
    assert COUNT(sent) <= 200
    assert "left out" in sent
    with pytest.raises(mckp.WorkLimitError, match=r"0\.02 seconds"):
        asyncio.run(MessageEncoder(budget=200).aencode(messages, seconds=0.02))


# Shortened twice.

ROW_OF: dict[str, Callable[[int], str]] = {
    "log": lambda n: f"12:00:{n % 60:02} {'ERROR' if n % 17 == 3 else 'INFO'} step {n}",
    "sentences": lambda n: (
        f"Part {7 * n % 13} of {'xyz'[n % 3]} is {'fine' if n % 19 else 'wrong'}"
    ),
    "warnings": lambda n: f"src/a{n % 5}.c:{n}:1: {'error' if n % 23 == 7 else 'note'}: x{n}",
    "numbered": lambda n: (
        f"{n + 1:6}\t{'raise Error' if n % 29 == 9 else 'x = call'}({n * 7 % 13})"
    ),
    "names": lambda n: f"src/part{n % 7}/file{n}.py",
    "code": lambda n: [f"def part_{n}(x):", f"    y = x + {n}", "    return y", ""][n % 4],
    "tests": lambda n: f"tests/test_{n % 9}.py::test_{n} {'FAILED' if n % 13 == 6 else 'PASSED'}",
    "settings": lambda n: f"key_{n} = value {n * n}",
    "states": lambda n: f"job {n}: {'failed' if n % 11 == 5 else 'passed'}",
    "difference": lambda n: f"{'-+ '[n % 3]}line {n}",
}
FIRSTS = {name: "".join(f"{row(n)}\n" for n in range(90)) for name, row in ROW_OF.items()}


@pytest.mark.parametrize("name", FIRSTS)
def test_a_gap_over_gaps_says_so(name: str) -> None:
    """Where a text that was cut is cut again, no mark hides that more is missing than its lines."""
    once = mckp.encode(FIRSTS[name], budget=COUNT(FIRSTS[name]) // 2).text
    lines = once.split("\n")
    has_over = False
    for share in (0.6, 0.4, 0.2, 0.1):
        twice = mckp.encode(once, budget=int(share * COUNT(once)), kind="text")
        assert twice.tokens == COUNT(twice.text) <= int(share * COUNT(once))
        found = [line for line in twice.text.split("\n") if marks.is_gap(line)]
        gaps = [cut for cut in twice.elided if cut.kind == "lines"]
        assert len(found) == len(gaps)
        for mark, gap in zip(found, gaps, strict=True):
            over = any(marks.says_missing(lines[int(number) - 1]) for number in gap.keys)
            assert mark.endswith(marks.WITH_GAPS) is over
            has_over = has_over or over
        assert isinstance(mckp.decode(twice.text), mckp.TreeNode)
    assert has_over

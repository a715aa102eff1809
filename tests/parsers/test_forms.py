"""Texts that are data are written as these, and come back to the byte; all others stay texts."""

import csv
import html
import io
import json
from pathlib import Path
from typing import Any, Final, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.agents.session import Session
from mckp.agents.session.recall import answer
from mckp.agents.telemetry.uses import result_part
from mckp.jsontext import is_array, is_object
from mckp.parsers import boxed, toml, xml
from mckp.parsers.embedded import extract_from_text, read_embedding
from mckp.parsers.forms import NAMES, data_of, read_form
from mckp.parsers.yaml import write as written
from mckp.recall import answered
from mckp.tree import Kind, TreeNode
from tests.strategies import TABLES, TEXTS, VALUES, examples

ROWS = [
    {"id": n, "name": f"pump {n}", "open": n % 2 == 0, "bar": n / 4, "note": None if n % 3 else "ü"}
    for n in range(40)
]


def as_csv(rows: Any, **options: Any) -> str:
    made = io.StringIO(newline="")
    given: dict[str, Any] = {"lineterminator": "\n", **options}
    writer = csv.DictWriter(made, list(rows[0]), **given)
    writer.writeheader()
    writer.writerows(rows)
    return made.getvalue()


def as_table(rows: Any, gap: int, rule: str = "", *, is_padded: bool = False) -> str:
    """Return records as tools of Go, Python and others print them."""
    cells = [list(map(str.upper, rows[0])), *([str(cell) for cell in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    if rule:
        sizes = widths if rule == "all" else map(len, cells[0])
        cells.insert(1, ["-" * size for size in sizes])
    ends = [*(width + gap for width in widths[:-1]), widths[-1] + gap if is_padded else 0]
    return "".join("".join(map(str.ljust, row, ends)) + "\n" for row in cells)


PODS: list[dict[str, Any]] = [
    {
        "name": f"pod-{n % 7}-{n:04x}",
        "seen": "2 (3h ago)" if n == 9 else n,
        "node": None,
        "up": "x y",
    }
    for n in range(40)
]
MANIFESTS: list[Any] = [
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"pod-{n}", "labels": {}, "on": "no", "at": "2026-01-01T00:00:00Z"},
        "spec": {"containers": [{"args": ["-c", "*", f"a: {n}"], "cpu": 0.5, "id": "0644"}] * 2},
        "status": {"ready": n % 3 > 0, "message": None, "script": "a\n  b\n", "log": " a\n\nb"},
    }
    for n in range(9)
]
AS_GO: dict[str, Any] = {"width": 10**6, "sort_keys": False, "allow_unicode": True}
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)
FORMS: dict[str, str] = {
    "JSON lines spaced ascii": LINES,
    "JSON lines spaced ascii open": LINES[:-1],
    "text with JSON spaced ascii open": f"Found 40 pumps:\n{json.dumps(ROWS)}",
    "text with JSON spaced ascii lines": f"Found 40 pumps:\n{LINES}That is all.\n",
    "text with JSON indent=2 above=1": f"```json\n{json.dumps(ROWS[1], indent=2)}\n```\n",
    "CSV": as_csv(ROWS),
    "CSV tab crlf": as_csv(ROWS, delimiter="\t", lineterminator="\r\n"),
    "CSV semicolon quoted": as_csv(ROWS, delimiter=";", quoting=csv.QUOTE_ALL),
    "CSV price=.2": "id,price,in\n" + "".join(f"{n},{n / 2:.2f},Rome\n" for n in range(40)),
    "CSV semicolon": "id;left;at\n" + "".join(f"{n};{None};north side\n" for n in range(40)),
    "Python": f"{ROWS!r}\n",
    "aligned table gap=3": as_table(PODS, 3),
    "aligned table gaps=9.3.9": "".join(
        f"{name:<16}{ready:<8}{status:<16}{node}\n"
        for name, ready, status, node in [
            ("NAME", "READY", "STATUS", "NOMINATED NODE"),
            *((f"pod-{n:03}", "1/1", "Running", "<none>") for n in range(30)),
        ]
    ),
    "aligned table indent=3 gaps=4.1.3 align=lrrl": "".join(
        f"   {name:<9}{size:>6}{used:>5}   {mount}\n"
        for name, size, used, mount in [
            ("Volume", "Size", "Use%", "Mounted on"),
            *((f"vda{n:03}", f"{n * 37}K", f"{n}%", f"/{n}") for n in range(60)),
        ]
    ),
    "aligned table gap=1 ruled padded": as_table(PODS, 1, "all", is_padded=True),
    "aligned table gap=2 ruled=1 stripped open": "\n".join(
        line.rstrip()
        for line in as_table(
            [{**row, "up": "" if "3" in row["name"] else "a", "seen": 1} for row in PODS], 2, "each"
        ).splitlines()
    ),
    "YAML": written({"items": MANIFESTS}, ()) + "\n",
    "YAML single indented": written(MANIFESTS, ("single", "indented")) + "\n",
    "YAML core empty documents start open": written(
        MANIFESTS, ("core", "empty", "documents", "start")
    ),
}
CASES = [
    {"classname": "tests.test_pump", "name": f"test_{n}", "time": n / 8, "failure": None}
    if n % 9
    else {"classname": "tests.test_pump", "name": 'a <b> & "c"', "failure": {"#text": "x < 1\n"}}
    for n in range(40)
]
SUITES: Any = {"suites": {"tests": 40, "suite": [{"name": "one", "case": CASES}, {"case": CASES}]}}
COMMENTED: Any = [
    {"#above": f" pump {n} ", "id": n, "size": {"#above": "2", "#text": n * 7}}
    if n % 5 == 0
    else {"id": n, "size": n * 7}
    for n in range(20)
]
FEED: Any = {
    "rss": {
        "@version": 2.0,
        "channel": {
            "title": "Pumps",
            "item": [
                {
                    "title": f"No. {n} & more",
                    "link": {"@to": f"https://x.org/{n}"},
                    "tag": ["a", "b"][: n % 3] or None,
                }
                for n in range(20)
            ],
        },
    }
}
PACKAGES: Any = {
    "version": 3,
    "marks": ["a > '3'", "b"],
    "package": [
        {
            "name": f"p-{n}",
            "version": f"0.{n}",
            "size": n / 4,
            "source": {"registry": "https://x.org/simple"},
            "dependencies": [{"name": f"p-{n - 1}", "extra": ["a", "b"]}] if n else [],
            **({"dev.x": {"on": True, "left": {"a": '\\d"\t'}}} if n % 5 == 0 else {}),
        }
        for n in range(30)
    ],
    "tool": {"x": {"y": {"z": []}}},
}


def as_piped(rows: Any, names: Any, rule: str, sizes: Any = None) -> str:
    """Return rows as a table of Markdown, padded to sizes if these are given."""
    sizes = sizes or [0] * len(names)
    cells = [[str(cell).ljust(n) for cell, n in zip(row, sizes, strict=True)] for row in rows]
    lines = ["| " + " | ".join(row) + " |\n" for row in cells]
    head = " | ".join(name.ljust(size) for name, size in zip(names, sizes, strict=True))
    return f"| {head} |\n{rule}\n" + "".join(lines)


PIPED = [(n, f"pump {n % 7} \\| {n}", f"{n / 2:.2f}", "NaN" if n % 9 else "x") for n in range(30)]


def as_html(rows: Any, names: Any = ()) -> str:
    """Return rows as pandas prints them."""
    lines = [
        "      "
        + "\n      ".join(f"<{tag}>{html.escape(str(cell), quote=False)}</{tag}>" for cell in row)
        for tag, row in (*(("th", name) for name in names), *(("td", row) for row in rows))
    ]
    body = "".join(f"    <tr>\n{line}\n    </tr>\n" for line in lines[len(names) :])
    head = "".join(
        f'    <tr style="text-align: right;">\n{line}\n    </tr>\n' for line in lines[: len(names)]
    )
    return (
        f'<table border="1">\n  <thead>\n{head}  </thead>\n  <tbody>\n{body}  </tbody>\n</table>\n'
    )


FORMS.update(
    {
        "CSV quoted bare _3=.2": "".join(
            f'"{n}","pump {n % 7} at home","{n / 2:.2f}","ok"\n' for n in range(40)
        ),
        "HTML table price=.2": as_html(
            [(n, f"a & {n}", f"{n / 2:.2f}") for n in range(40)], [["", "name", "price"]]
        ),
        "Markdown table rule=1 nan price=.2": as_piped(
            PIPED, ["id", "", "price", "in"], "| --- | --- | --- | --- |"
        ),
        "Markdown table above=2 below=1 rule=2 align=lrcn nan price=.2 open": "".join(
            [
                "# Pumps\n\nAll of them:\n\n",
                as_piped(PIPED, ["id", "", "price", "in"], "|:---|---:|:---:|---|"),
                "That is all.",
            ]
        ),
        "Markdown table padded least=3 rule=4 nan price=.2": as_piped(
            PIPED, ["id", "", "price", "in"], "|-----|--------------|-------|-----|", [3, 12, 5, 3]
        ),
        "HTML table bare": as_html([(n, "a < b") for n in range(40)]),
        "TOML literal": toml.write(PACKAGES, ("literal",)) + "\n",
        "TOML above=2 indent=4 last literal headed dependencies={} source={} open": toml.write(
            {"above": "# Made by a program.\n# Do not edit.", "data": PACKAGES},
            ("above=2", "indent=4", "last", "literal", "headed", "dependencies={}", "source={}"),
        ),
        "XML attributes declared=4 gap time=.3 open": xml.write(
            SUITES, ("attributes", "declared=4", "gap", "time=.3")
        ),
        "XML attributes tabs go": xml.write(SUITES, ("attributes", "tabs", "go")) + "\n",
        "XML declared=1 indent=2 closed loose": xml.write(
            {"set": {"#above": "\n  Made by hand.\n", "pump": COMMENTED, "#end": [" a ", " b "]}},
            ("declared=1", "indent=2", "closed", "loose"),
        )
        + "\n",
        "XML declared=1 indent=2 loose item/title=cdata": xml.write(
            FEED, ("declared=1", "indent=2", "loose", "item/title=cdata")
        )
        + "\n",
    }
)
for form in ("TOML literal", "JSON lines spaced ascii"):
    FORMS[f"{form} feeds=3"] = f"{FORMS[form]}\n\n"
FORMS["text with JSON indent=2"] = FORMS.pop("text with JSON indent=2 above=1")


def test_versions_are_no_numbers() -> None:
    """4.10 is not 4.1; prices may lose a zero, as the line above the text says."""
    text = "name,version,price\n" + "".join(f"pump {n},4.{n}0,{n}.50\n" for n in range(1, 9))
    made: Any = data_of(text)
    assert made is not None
    assert str(made[1]) == "CSV price=.2"
    assert made[0][0] == {"name": "pump 1", "version": "4.10", "price": 1.5}
    items = "".join(f"<p><minVersion>4.{n}0</minVersion><n>{n}</n></p>" for n in range(1, 9))
    made = data_of(f"<ps>{items}</ps>")
    assert made is not None
    assert made[0]["ps"]["p"][0] == {"minVersion": "4.10", "n": 1}


@pytest.mark.parametrize("form", FORMS)
def test_a_text_of_each_form_is_shorter_and_comes_back(form: str) -> None:
    """A text of each form is encoded as data, is shorter, and reads back to the byte."""
    text = FORMS[form]
    value_and_form = data_of(text)
    assert value_and_form is not None
    assert str(value_and_form[1]) == form
    assert read_form(form) == value_and_form[1]
    result = mckp.encode(text)
    assert result.answers is not None
    assert result.tokens < result.answers.source_tokens
    assert result.text.startswith(f"> [{form}")
    tree = mckp.decode(result.text)
    assert tree == mckp.parse(text)
    assert tree.source == text
    some = mckp.encode(text, budget="50%")
    assert isinstance(mckp.decode(some.text), TreeNode)
    # Whoever says that it is a text gets its lines.
    assert not mckp.encode(text, kind="text").text.startswith(f"> [{form}")


@pytest.mark.parametrize(
    "text",
    [
        "a line\nanother\n",
        "Dear all, thank you\nfor coming, and see you\nsoon, I hope\n",
        "a,b\n1,2\n",
        "a,a\n1,2\n3,4\n",
        "a,b\n1,2\n3\n",
        'a,b\n"1",2\n3,4\n',
        "a,b\n1,2\r\n3,4\n",
        '{"a": 1}\n{"a":2}\n',
        '{"a": 1}\n{"a": 1, "a": 2}\n',
        '{"a": 1.50}\n{"a": 2}\n',
        "{'a': 1, 'b': (2, 3)}",
        "{'a': 1,  'b': 2}",
        "{1: 'a', 2: 'b'}",
        "[{'a': __import__('os')}]",
        "{'a': float('nan')}",
        "[" * 9000 + "'a'" + "]" * 9000,
        '{"a": 1}\n' + "[" * 9000 + "]" * 9000 + "\n",
        "# Title\n\n" + "Some words about it. " * 20 + '\n\n```json\n{"a": 1}\n```\n',
        "[1] see below\n[2] see above\n",
        "INFO   Started\nWARN   Stopped  \nINFO  Started\n",
        "INFO   started   now\nINFO   ended     now\nWARN   started   now\n",
        "NAME   READY\nlong name   1\nb      2\n",
        "NAME   OWNER REVISION\na      anna  1\nb      ben   2\n",
        "NAME   NAME\na      1\nb      2\n",
        "Note: it works.\nTodo: nothing\nSee: below\n",
        "- Fix: the lock\n- Add: a key\n",
        "a:\n- b: 1\n  c: &x 2\n- b: *x\n  c: 1\n",
        "a:\n- b: 1  # one\n  c: 2\n",
        "a:\n- b: 1\n  b: 2\n",
        "a:\n- b: 1.50\n  c: 2\n",
        "a:\n- b: !!str 1\n  c: 2\n",
        "a:\n- b: no\n  c: 'no'\n- b: \"no\"\n  c: 1\n",
        "".join(f"{'  ' * n}a:\n" for n in range(99)) + "  " * 99 + "b: 1\n",
        "- " * 99 + "a: 1\n",
        "a:\n- b: " + "[" * 9000 + "\n  c: 2\n",
        "1,2\n3,4\n",
        "Yes, 1\nNo, 2\nNever, 3\nOnce, 4\n",
        "1,a\n2,b\n3,c\n4,d,e\n",
        "a = 1\nb = [1, 2]\n",
        "[a]\nb = 1 # one\n",
        "[a]\nb = 2026-01-01\n",
        "[a]\nb = inf\nc = 1\n",
        "[a]\nb.c = 1\n",
        "[a]\nb = 0x10\n",
        "[a]\nb = " + "[" * 9000 + "]" * 9000 + "\n",
        "[" + "a." * 90_000 + "a]\nb = 1\n",
        '[a]\nb = """c\nd"""\n',
        "[section]\nkey = some words\n",
        "<a><b>1</b><c/><b>2</b></a>",
        "<a><b>1</b><b>2</b></a><!-- no -->",
        "<a>\n  <b>1</b>\n  <b>2</b> <!-- no -->\n</a>",
        "<a><b>1</b> and <b>2</b></a>",
        "<a><b>1</b><b>2</b></a",
        "<a><b x='1'>1</b><b>2</b></a>",
        '<!DOCTYPE a [<!ENTITY b "c">]><a><b>&b;</b><b>2</b></a>',
        "<a><b>&c;</b><b>2</b></a>",
        "<a><b>&#65;</b><b>2</b></a>",
        "<a><b><![CDATA[x]]>y</b><b>2</b></a>",
        "<a>" * 9000 + "</a>" * 9000,
        "<a>" + "<b>" * 90 + "</b>" * 90 + "<c/><c/></a>",
        "<table><tr><td>1</td></tr><tr><td>2</td></tr><tr><td><b>3</b> 4</td></tr></table>",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 20 + "| 1 |\n",
        "NAME  SIZE\na        1\nbb      2 \nc     3\n",
        "NAME  SIZE\n\na        1\nbb       2\n",
        "Name of all  The size\na            1\nbb           2\nc            3\n",
        "A B\nis it\nor no\na tea\n",
        "| a | a |\n|---|---|\n" + "| 1 | 2 |\n" * 20,
        "| a | b |\n|---|---|\n" + "| 1 | 2  |\n| 1 | 2 |\n" * 20,
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 20 + "\n" + "many words " * 40,
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 20 + "\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        "<table><tr><td>1</td></tr><tr ><td>2</td></tr><tr><td>3</td></tr></table>",
        r"[{'file': 'caf\udce9.txt', 'size': 7}, {'file': '\ud83d x', 'size': 8}]",
    ],
)
def test_all_other_texts_stay_texts(text: str) -> None:
    """A text that no form gives back to the byte is encoded as text."""
    assert data_of(text) is None
    result = mckp.encode(text)
    assert mckp.decode(result.text) == mckp.parse(text)


_STYLES = st.lists(
    st.sampled_from(["single", "core", "indented", "empty", "tilde", "start"]), unique=True
)
ODD_NAMES = [
    "; x",
    "a; JSON: b",
    '"',
    "]",
    "a<b",
    "x>]",
    ">",
    "#",
    " ",
    "é\n",
    "\n\n",
    "\t",
    "[a]: b",
    "JSON: a",
    "> [+1 rows]",
    "a>b b<c",
    "==",
    "\\",
    "[*]",
    ".*",
    "$",
    "0;0",
    "",
    "CSV",
]
"""Names of members that look like a piece of the line above a text, or of Markdown."""

_FORMS = st.sampled_from(
    ["lines", "python", "around", "csv", "table", "yaml", "bare", "html", "toml", "xml", "piped"]
)
_RENAMED = st.dictionaries(
    st.sampled_from(["id", "name", "a", "b", "c", "type"]), st.sampled_from(ODD_NAMES)
)
_BESIDE = st.lists(TEXTS, max_size=2).map("\n".join)


def renamed(value: Any, names: dict[str, str]) -> Any:
    if is_object(value):
        return {names.get(name, name): renamed(member, names) for name, member in value.items()}
    return [renamed(item, names) for item in value] if is_array(value) else value


@given(
    st.one_of(TABLES, st.lists(VALUES, min_size=2, max_size=4)),
    _RENAMED,
    _FORMS,
    _BESIDE,
    st.data(),
)
@examples(60)
def test_any_data_in_any_form_come_back(
    data: Any, names: dict[str, str], form: str, beside: str, drawn: st.DataObject
) -> None:
    """Any data in any form read back, and keep any budget."""
    data = renamed(data, names)
    if form == "lines":
        text = "".join(json.dumps(item) + "\n" for item in data)
    elif form == "python":
        text = repr(data)
    elif form == "around":
        text = f"{beside}\n{json.dumps(data)}\n{beside}"
    elif form == "csv":
        text = as_csv([{"a": str(item), "b": beside, "c": n} for n, item in enumerate(data)])
    elif form == "table":
        text = as_table([{"a": beside[:9], "b": str(item)[:30]} for item in data], 2)
    elif form == "bare":
        text = "".join(f"{n},{json.dumps(item)[:9]!r},{n / 4:.2f}\n" for n, item in enumerate(data))
    elif form == "html":
        text = as_html(
            [[n, item, beside] for n, item in enumerate(data)], [["id", beside[:9], "c"]]
        )
    elif form == "piped":
        cells = [(n, item, n / 4) for n, item in enumerate([*data, beside] * 6)]
        text = f"{beside}\n\n{as_piped(cells, ['id', beside[:9], 'c'], '|---|---|---|')}"
    elif form == "toml":
        text = toml.write({"above": "# x", "data": {"items": data, "b": 1}}, ("above=1", "literal"))
    elif form == "xml":
        names = {name: f"n{n}" for n, name in enumerate(ODD_NAMES)}
        words = ("attributes", "tabs") if drawn.draw(st.booleans()) else ("indent=1", "n1=cdata")
        text = xml.write({"items": {"item": renamed(data, names)}}, words) + "\n"
    else:
        text = written({"items": data}, drawn.draw(_STYLES, label="style")) + "\n"
    tree = mckp.parse(text)
    result = mckp.encode(text)
    if tree.source is not None and not tree.is_json:
        decoded = mckp.decode(result.text)
        assert decoded == tree
        assert tree.kind is not Kind.TEXT or decoded.source == text.removeprefix("\ufeff")
    budget = drawn.draw(st.integers(1, max(1, result.tokens)), label="budget")
    try:
        some = mckp.encode(text, budget=budget)
    except mckp.BudgetError:
        return
    assert some.tokens <= budget
    mckp.decode(some.text)


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_in_the_line_above_may_have_all_signs(name: str) -> None:
    """Names with any signs are written in the line above and read back."""
    rows: list[Any] = [
        {"kind": "view", "b": []},
        {name: [], "kind": "buy"},
        {"a": 1, name: [2], "b": [3]},
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows * 4)
    result = mckp.encode(text)
    assert result.text.startswith("> [JSON lines spaced")
    assert mckp.decode(result.text).source == text
    document = {"a": 1, name: {"body": text, name: json.dumps(rows)}}
    assert mckp.decode(mckp.encode(document).text) == document


@pytest.mark.parametrize("words", [(), ("single",), ("indented", "tilde"), ("empty", "single")])
def test_yaml_is_what_another_reader_takes_it_for(words: tuple[str, ...]) -> None:
    """The YAML that is written is read alike by another library and by ours."""
    library = pytest.importorskip("yaml")
    strange = [
        "no",
        "1e3",
        "0644",
        "12:30:45",
        "~",
        "- a",
        "a\nb",
        "\n",
        "a ",
        " a\nb",
        "a #b",
        "=",
        "<<",
    ]
    strange += [
        "2026-01-01",
        "1_000",
        "%",
        ".5",
        "+1",
        ".inf",
        "\x85",
        "\u2028",
        "...",
        "? a",
        "",
        "y: z",
    ]
    inner: list[Any] = [[None, {"d": 0.5, "e": []}], -7]
    data: Any = {"a": [{"b": strange, "c": dict.fromkeys(strange, inner)}]}
    text = written(data, words) + "\n"
    assert library.safe_load(text) == data
    value_and_form = data_of(text)
    assert value_and_form is not None
    assert value_and_form[0] == data


BODIES: Final = [
    *("[1 2]", "{data 1}", "{data[1 2]}", "7", '"x"', "null", "[]", "{}", "[[1];[2]]"),
    *("{data[{a 1}{a 2}]}", "[{a{b 1}}{a[1]}]", "{above{a 1} data[1]}", "{data null}"),
]


@pytest.mark.parametrize("form", NAMES)
def test_a_damaged_text_of_a_form_is_a_clear_error_or_some_text(form: str) -> None:
    """A damaged text of a form is read or is an error of mckp."""
    read = refused = 0
    for words in ("", " open", " above=1", " bare", " documents", " attributes", " raw bare"):
        for body in BODIES:
            for text in (f"> [{form}{words}]\n{body}\n", f"> [{form}: k{words}]\n{{k{body}}}\n"):
                try:
                    mckp.decode(text)
                    read += 1
                except mckp.MckpError:
                    refused += 1
    assert read
    assert read + refused == 14 * len(BODIES)


@pytest.mark.parametrize("other", [[], {}, [1], "x", None])
def test_what_is_beside_strings_with_data_may_be_anything(other: Any) -> None:
    """An empty array at the place of a text with JSON in it ended `encode` with an error."""
    rows = json.dumps([{"id": n, "name": f"pump {n}"} for n in range(9)])
    value = [{"k": f"Found these:\n\n{rows}"}, {"k": other}]
    assert mckp.decode(mckp.encode(value).text) == value
    nested = {"text": json.dumps(value)}
    assert mckp.decode(mckp.encode(nested).text) == nested


def test_a_sheet_keeps_what_its_rows_are_called_and_its_few_remarks() -> None:
    """Names of columns that look like data are no keys, and blank rows hide no key column."""
    head = ["Mill works, plan 2031 (kNOK)", *(f"Unnamed: {n}" for n in range(1, 7))]
    rows = [["Site", "NaN", "Lead", "Q1", "Q2", "Q3", "Notes"]]
    for n in range(40):
        noted = {11: "sold in May", 29: "roof leaks: closed until further notice"}.get(n, "NaN")
        numbers = [str(n * k % 97 + 5 * k) for k in (31, 57, 83)]
        rows.append([f"{700 + n} mill", "NaN", ["Eva", "Jon"][n % 2], *numbers, noted])
        rows += [["NaN"] * 7] if n % 8 == 7 else []
    rows.append(["Sum", "NaN", "NaN", "2014", "2271", "2388", "NaN"])
    text = as_piped(rows, head, "|" + " --- |" * 7)
    few = mckp.encode(text, budget="25%")
    for said in ("Sum", "2271", "Site", "Notes", "sold in May", "roof leaks"):
        assert said in few.text
    kept = mckp.decode(few.text)
    assert all(line.split("|")[1].strip() for line in str(kept.source).splitlines()[2:])


WORDS_OF_TEXT: Final = [
    *("the", "it's", "x: y", "HPA", "-", "deployments/scale.apps", "#1", '"q"', "", "é", "no", ":"),
    "long-word-" * 5,
]


def test_data_in_the_text_around_data_keep_the_order_of_their_columns() -> None:
    """`encode` ended with an error where a format moves a column of that text."""
    rows = [*("a,b,c", '007,"{""a"": 1, ""b"": [1, 2]}",0', "<[|é|bé,=,1", '"null,x",],2')]
    rows += ['"{""a"": 1, ""b"": [1, 2]}",+1,3', "", ""]
    data: list[Any] = [
        {"c": [[1], [{"body": 'bé,\n #}"'}, {"body": "--"}, {"body": "0a"}]], "a{b}[c]": []}
    ]
    data += [{"name": "2026-01-02", "a": "a>b b<c", "body": "null"}, {"body": "0|-", "a": "- x"}]
    text = "\n".join(rows) + "".join(json.dumps(item) + "\n" for item in data)
    result = mckp.encode(text)
    assert "CSV: above open; a<b]" in result.text
    assert mckp.decode(result.text).source == text


@pytest.mark.parametrize("above", ["[2]{a b}", "[1{a}2]", "> [+3 rows]", "{2}", "> [CSV]"])
def test_words_above_a_table_may_look_like_signs(above: str) -> None:
    """Words above a table that resemble signs read back, and keep any budget."""
    text = f"{above}\n\n{as_piped([(n, n / 4) for n in range(12)], ['id', 'c'], '|---|---|')}"
    result = mckp.encode(text)
    assert mckp.decode(result.text) == mckp.parse(text)
    for budget in (5, 20, result.tokens - 1):
        assert mckp.encode(text, budget=budget).tokens <= budget


@given(st.lists(st.lists(st.sampled_from(WORDS_OF_TEXT), max_size=40), min_size=2, max_size=5))
@examples(40)
def test_long_strings_of_yaml_break_like_those_of_libyaml(texts: list[list[str]]) -> None:
    """`kubectl get -o yaml` and PyYAML break a long string at the first blank beyond column 80."""
    library = pytest.importorskip("yaml")
    data = [{"message": " ".join(words), "deep": {"list": [" ".join(words)]}} for words in texts]
    text = library.safe_dump({"items": data}, sort_keys=False, allow_unicode=True)
    value_and_form = data_of(text)
    assert value_and_form is not None
    value, form = value_and_form
    assert value == {"items": data}
    assert form.write(value) == text


def test_cuts_are_rows_and_columns_and_strings_in_them_are_data_as_well() -> None:
    """JSON lines are cut by rows and columns, and strings of JSON in them are data."""
    rows = [{"id": n, "body": json.dumps({"state": "ok", "size": n})} for n in range(30)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    result = mckp.encode(text)
    above = "> [JSON lines spaced; JSON: [*].body spaced; size>state]\n"
    assert result.text.startswith(f"{above}[30]{{id body{{size}}}}\n== body{{state ok}}\n")
    assert mckp.decode(result.text).source == text
    some = mckp.encode(text, budget=60)
    kept = [json.loads(line) for line in mckp.decode(some.text).source.splitlines()]
    assert kept
    assert all(row.keys() <= {"id", "body"} for row in kept)
    assert some.elided[0].kind in ("rows", "columns", "facts")


def test_strings_in_these_forms_are_data_too() -> None:
    """CSV and JSON lines within strings are cut as data and heed pins."""
    document = {"status": 200, "body": FORMS["CSV"], "logs": [{"n": 1, "log": LINES}], "a": "x\ny"}
    result = mckp.encode(document)
    assert result.text.startswith(
        "> [JSON lines: logs[*].log spaced ascii; CSV: body; "
    ) or result.text.startswith("> [CSV: body; JSON lines: logs[*].log spaced ascii")
    assert mckp.decode(result.text) == document
    some = mckp.encode(document, budget="30%", priorities={"body[39].name": "pin"})
    last = mckp.decode(some.text)["body"].splitlines()[-1].split(",")
    assert {"39", "pump 39"} <= set(last)


def test_a_session_cuts_them_and_answers_by_path() -> None:
    """A session cuts texts with data, and answers about paths within them."""
    text = "Found:\n" + json.dumps(
        [{**row, "name": f"pump {row['id']} of the yard"} for row in ROWS]
    )
    session = Session()
    sent = session.add(tool="pumps", text=text, budget=120)
    assert sent.tokens <= 120
    assert "> [text with JSON" in sent.text
    handle = f"#{sent.number}"
    assert answer(session, {"handle": handle, "path": "$.data[39].id"}) == ("39", False)
    rest, _ = answer(session, {"handle": handle})
    assert "pump 39 of the yard" in sent.text + rest
    envelope = json.dumps({"type": "text", "text": json.dumps(ROWS)})
    other = session.add(tool="pumps", text=envelope, budget=120)
    asked = {"handle": f"#{other.number}", "where": "id == 7", "fields": ["name"]}
    assert "pump 7" in answer(session, asked)[0]


def test_learning_sees_what_is_delivered() -> None:
    """The envelope of a protocol stays, and what its string holds is data, as in the text."""
    part = result_part("pumps", {}, json.dumps({"type": "text", "text": json.dumps(ROWS)}))
    assert part.payload == {"type": "text", "text": ROWS}
    assert result_part("pumps", {}, LINES).payload == ROWS


def test_questions_may_be_about_the_strings_too() -> None:
    """A question reads a string of JSON as text and as data."""
    document = {"type": "text", "text": json.dumps(ROWS)}
    answer: Any = answered(document, {"where": "text contains 'pump 7'"})
    assert answer.value
    answer = answered(document, {"path": "$.text[7].name"})
    assert answer.value == "pump 7"


@pytest.mark.parametrize("line", ["> []", "> [CSV big=big]", "> [JSON lines 7]", "> [Python tab]"])
def test_other_lines_name_no_form(line: str) -> None:
    """Lines with wrong words name no form."""
    assert read_embedding(line) is None


@pytest.mark.parametrize("is_string", [True, False])
def test_a_result_says_that_only_the_order_of_members_is_lost(is_string: bool) -> None:
    """A result that loses only the order of members has a note that says so."""
    orders = ["id note ok n", "n note id ok", "ok n id note", "note ok n id"]
    rows: list[Any] = []
    for n in range(30):
        row = {"id": n, "note": f"a b {n}", "ok": n % 3 > 0, "n": n * 7}
        rows.append({name: row[name] for name in orders[n % 4].split()})
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    text = json.dumps({"text": json.dumps(rows), "n": 1}) if is_string else lines
    whole = mckp.encode(text)
    some = mckp.encode(text, budget=whole.tokens - 1)
    assert not some.elided
    end = f"with members in another order; keeping the order would take {whole.tokens} tokens"
    assert some.notes[-1].endswith(end)
    assert not any(note.endswith(end) for note in whole.notes)
    assert not any("another order" in note for note in mckp.encode(text, budget="10%").notes)


def test_a_text_that_begins_with_such_a_line_is_none() -> None:
    """A text that begins like the line of a form reads back as text."""
    for source in ("> [CSV]\n[2]{a b}\n1 2\n3 4\n", "> [JSON lines]\n\nwords\n"):
        assert extract_from_text(source) == (None, None)
        assert mckp.decode(mckp.encode(source).text) == mckp.parse(source)


@pytest.mark.parametrize("text", ["[1]", "[1.5]", "[[a]]", "[0]\n[1]\n"])
@pytest.mark.parametrize("kind", ["markdown", "text"])
def test_words_in_brackets_are_no_tables(text: str, kind: Literal["markdown", "text"]) -> None:
    """TOML has at least one value; without any, what was given as a text stays one."""
    tree = mckp.parse(text, kind=kind)
    assert mckp.decode(mckp.encode(tree).text) == tree


@pytest.mark.parametrize("text", ["a,b\n1,2\n3,4", '{"a":1}\n{"a":2}\n', "<a><b>1</b><b>2</b></a>"])
def test_what_was_parsed_as_markdown_stays_markdown(text: str) -> None:
    """Data that were named Markdown are written as such and read back as the same document."""
    tree = mckp.parse(text, kind="markdown")
    assert mckp.decode(mckp.encode(tree).text) == tree


DRAWN = {
    heading: text
    for heading, _, text in (
        case.partition("\n")
        for case in (Path(__file__).parent / "drawn_tables.txt")
        .read_text("utf-8")
        .split("### ")[1:]
    )
}


@pytest.mark.parametrize("case", DRAWN)
def test_a_drawn_table_is_data(case: str) -> None:
    """A table with lines around its cells, as tools draw it, is data and comes back to the byte."""
    text, form = DRAWN[case], case.partition(": ")[2]
    made: Any = data_of(text)
    assert made is not None
    assert str(made[1]) == form
    rows = made[0]["data"] if made[1].is_around else made[0]
    assert rows[1] == {"id": 1, "pump": "south", "litres": 8.25, "state": "ok", "note": "late"}
    assert [row["note"] == "late" for row in rows] == [n in (1, 4, 7) for n in range(8)]
    result = mckp.encode(text)
    assert result.answers is not None
    assert result.tokens < 0.8 * result.answers.source_tokens
    assert mckp.decode(result.text) == mckp.parse(text)
    assert "failed" in mckp.encode(text, budget="50%").text


@given(
    st.sampled_from(sorted(boxed.STYLES)),
    st.lists(
        st.tuples(
            st.text("ab\u6c34", min_size=1, max_size=4),
            st.integers(-99, 99),
            st.integers(0, 999).map(lambda n: n / 8 + 0.25),
        ),
        min_size=3,
        max_size=6,
    ),
    st.sets(st.sampled_from(["ruled", "wide", "padded", "null", "stripped"])),
    st.sampled_from(["", "align=lrr", "align=rcd", "align=cld"]),
    st.sampled_from(["", "centered", "centered=2", "left"]),
)
def test_drawn_tables_come_back(
    style: str, rows: list[tuple[str, int, float]], flags: set[str], align: str, names: str
) -> None:
    """A table in any style is read as the rows that it was drawn from."""
    records: Any = [dict(zip(("name", "n", "x"), row, strict=True)) for row in rows]
    flags -= {"ruled"} if style in ("psql", "org") else set()
    text = boxed.write(records, [style, *sorted(flags), *filter(None, (align, names))]) + "\n"
    made: Any = data_of(text)
    assert made is not None
    assert made[1].name == "drawn table"
    assert made[0] == records
    tree = mckp.parse(text)
    assert mckp.decode(mckp.encode(tree).text) == tree


@pytest.mark.parametrize(
    "text",
    [
        " a | b\n---+---\n 1 | 2\n 3 | 4\n",
        " a | a\n---+---\n 1 | 2\n 3 | 4\n 5 | 6\n",
        " a | b\n---+---\n 1 | 2\n 3 | 4\n  5 | 6\n",
        "+---+---+\n| a | b |\n+---+---+\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n+---+---+\n" * 2,
        "+---+---+\n| a | b |\n+---+---+\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n",
        "\u250c\u2500\u2500\u2500\u252c\u2500\u2500\u2500\u2510\n" * 3,
        "+---+---+\n" + "| a | b |\n" * 9,
        "a long story. " * 40 + "\n a | b\n---+---\n 1 | 2\n 3 | 4\n 5 | 6\n",
    ],
)
def test_other_drawings_stay_texts(text: str) -> None:
    """What is not exactly one table of a few rows, which is most of the text, is a text."""
    assert data_of(text) is None
    tree = mckp.parse(text)
    assert mckp.decode(mckp.encode(tree).text) == tree

"""Records one below the other, and cells of several lines, as clients of databases print them."""

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.parsers import vertical
from mckp.parsers.forms import data_of
from tests.strategies import examples

STARS: Final = "*" * 27
PRINTED: Final = {
    # mysql and mariadb with \G
    "records mysql null price=.2": f"""\
{STARS} 1. row {STARS}
   id: 1
 name: north pump
price: 12.50
 note: NULL
{STARS} 2. row {STARS}
   id: 2
 name: Jos\u00e9: the mill
price: 8.25
 note: late
""",
    # psql with \x
    "records psql": """\
-[ RECORD 1 ]----------------
id          | 1
description | north pump     +
            |   with a margin+
            | and a last line
-[ RECORD 2 ]----------------
id          | 2
description | south
""",
    # sqlite3 with .mode line
    "records sqlite": """\
   id = 1
 name = north = a
price = 12.5

   id = 2
 name = south
price = 8.25

   id = 3
 name =\x20
price = 0.5
""",
    # ClickHouse with FORMAT Vertical
    "records clickhouse": """\
Row 1:
──────
id:    1
name:  north
price: 12.5

Row 2:
──────
id:    2
name:  south
price: 8.25
""",
    # PowerShell with Format-List
    "records shell": """\
Name   : north
Status : Running

Name   : south
Status : Stopped

Name   : mill
Status : Running
""",
}


@pytest.mark.parametrize("form", PRINTED)
def test_records_are_data(form: str) -> None:
    """What a program prints is read as its records, and comes back to the byte."""
    text = PRINTED[form]
    made: Any = data_of(text)
    assert made is not None
    assert str(made[1]) == form
    assert made[1].write(made[0]) == text
    assert len({tuple(record) for record in made[0]}) == 1
    tree = mckp.parse(text)
    assert mckp.decode(mckp.encode(tree).text) == tree


def test_values_of_records_are_typed() -> None:
    """Numbers are numbers, NULL is null, and a value may have several lines."""
    made: Any = data_of(PRINTED["records mysql null price=.2"])
    assert made[0][1] == {"id": 2, "name": "Jos\u00e9: the mill", "price": 8.25, "note": "late"}
    assert made[0][0]["note"] is None
    made = data_of(PRINTED["records psql"])
    assert made[0][0]["description"] == "north pump\n  with a margin\nand a last line"


NAMES: Final = st.lists(
    st.sampled_from(["id", "name", "job_name", "\u6c34", "state"]), min_size=2, unique=True
)
VALUE: Final = st.one_of(
    st.integers(-9, 999).map(str), st.text("ab:=| +.1\u00e9", max_size=9), st.just("NULL")
)


@given(st.sampled_from(sorted(vertical.STYLES)), NAMES, st.data())
@examples(300)
def test_any_records_come_back(style: str, names: list[str], data: st.DataObject) -> None:
    """A text of records is read as what it says, or stays a text; always to the byte."""
    rows = data.draw(st.lists(st.tuples(*(VALUE for _ in names)), min_size=3, max_size=5))
    records: Any = [dict(zip(names, row, strict=True)) for row in rows]
    text = vertical.write(records, [style]) + "\n"
    made: Any = data_of(text)
    if made is not None:
        assert made[1].write(made[0]) == text
        if made[1].words[0] == style:
            assert [list(record) for record in made[0]] == [names] * len(rows)
            read = [[str(v) for v in record.values() if v is not None] for record in made[0]]
            assert all(value in text for row in read for value in row if "." not in value)
    tree = mckp.parse(text)
    assert mckp.decode(mckp.encode(tree).text) == tree


@given(st.sampled_from(sorted(PRINTED)), st.data())
@examples(300)
def test_near_misses_come_back(form: str, data: st.DataObject) -> None:
    """With a character more, less or changed, or a line more or less, nothing is altered."""
    text = PRINTED[form]
    place = data.draw(st.integers(0, len(text) - 1))
    sign = data.draw(st.sampled_from(["", " ", "+", '"', "\n", "x", ":", "\r\n"]))
    length = data.draw(st.sampled_from([0, 1, 30]))
    changed = text[:place] + sign + text[place + length :]
    tree = mckp.parse(changed)
    assert mckp.decode(mckp.encode(tree).text) == tree
    made: Any = data_of(changed)
    assert made is None or made[1].write(made[0]) == changed


def test_records_within_a_text_are_data_where_they_are() -> None:
    """A prompt above records and what the client says below them stay lines."""
    rows = "".join(
        f"{STARS} {n}. row {STARS}\n  id: {n}\nname: pump {n}\nwell: dry\n" for n in range(1, 31)
    )
    text = f"mysql> select * from pump\\G\n{rows}30 rows in set (0.00 sec)\n\nmysql> quit\nBye\n"
    result = mckp.encode(text)
    assert result.answers is not None
    assert result.tokens < 0.5 * result.answers.source_tokens
    assert result.text.startswith("mysql> select * from pump\\G\n```[records mysql")
    assert mckp.decode(result.text).source == text
    assert "pump 17" in mckp.encode(text, budget="50%").text


def test_columns_as_wide_as_bytes_are_read() -> None:
    """The client mariadb draws a column as wide as the most bytes of a name with accents."""
    rows = [
        {"id": n, "name": "Jos\u00e9 N\u00fa\u00f1ez" if n == 4 else f"ann {n}"} for n in range(9)
    ]
    rule = f"+----+{'-' * 15}+"
    body = "".join(f"| {row['id']:>2} | {row['name']:<13} |\n" for row in rows)
    text = f"{rule}\n| id | {'name':<13} |\n{rule}\n{body}{rule}\n"
    made: Any = data_of(text)
    assert made is not None
    assert made[0] == rows
    assert "bytes" in made[1].words
    assert made[1].write(made[0]) == text


LINED: Final = """\
 id | note  | total\x20
----+-------+-------
  1 | one  +|     7
    |   two+|\x20\x20\x20\x20\x20\x20
    | three |\x20\x20\x20\x20\x20\x20
  2 | plain |    14
  3 | a    +|    21
    | b     |\x20\x20\x20\x20\x20\x20
"""


def test_cells_of_several_lines_are_read() -> None:
    """Psql ends a line of a cell with a plus if the cell goes on."""
    made: Any = data_of(LINED)
    assert made is not None
    assert [row["note"] for row in made[0]] == ["one\n  two\nthree", "plain", "a\nb"]
    assert [row["total"] for row in made[0]] == [7, 14, 21]
    assert made[1].write(made[0]) == LINED
    tree = mckp.parse(LINED)
    assert mckp.decode(mckp.encode(tree).text) == tree


@given(st.integers(0, len(LINED) - 1), st.sampled_from(["", "+", " ", "x", "|"]))
@examples(200)
def test_near_misses_of_cells_of_several_lines_come_back(place: int, sign: str) -> None:
    """With one sign changed, the text is data that give it exactly, or stays a text."""
    changed = LINED[:place] + sign + LINED[place + 1 :]
    tree = mckp.parse(changed)
    assert mckp.decode(mckp.encode(tree).text) == tree


def test_csv_of_sqlite_is_data() -> None:
    """The program sqlite3 quotes texts with blanks, apostrophes or signs beyond ASCII."""
    rows = ["id,name,w", '1,"north; a",12.5', '2,"\u00e9",8.25', '3,"it\'s",1.0', "4,x=b;c,3.0"]
    text = "".join(f"{row}\r\n" for row in [*rows, '5,"a,b ""c""",1.5'])
    made: Any = data_of(text)
    assert made is not None
    assert str(made[1]) == "CSV crlf unsafe"
    assert [row["name"] for row in made[0]] == ["north; a", "\u00e9", "it's", "x=b;c", 'a,b "c"']
    assert made[1].write(made[0]) == text


LOG: Final = [
    '2026-11-02 10:00:11 INFO [web] served {"id": "r-1", "ms": 193}',
    '2026-11-02 10:00:12 ERROR [pay] card was declined {"id": "r-2", "code": "E51"}',
    '2026-11-02 10:00:14 INFO [web] served {"id": "r-3", "ms": 17, "of": {"user": [7]}}',
    '2026-11-02 10:00:15 INFO [web] served {"id": "r-4", "ms": 201}',
]


def test_lines_that_end_with_an_object_are_data() -> None:
    """What is before the object of a structured log is its message."""
    made: Any = data_of("\n".join(LOG) + "\n")
    assert made is not None
    assert str(made[1]) == "JSON lines spaced message"
    declined = "2026-11-02 10:00:12 ERROR [pay] card was declined"
    assert made[0][1] == {"message": declined, "id": "r-2", "code": "E51"}
    with_messages = [line.replace('"id"', '"message"') for line in LOG]
    made = data_of("\n".join(with_messages))
    assert str(made[1]) == "JSON lines spaced label open"
    assert made[0][1] == {"label": declined, "message": "r-2", "code": "E51"}
    assert made[1].write(made[0]) == "\n".join(with_messages)


@given(st.integers(0, sum(map(len, LOG)) - 1), st.sampled_from(["", " ", "{", "}", '"', "x", "\n"]))
@examples(200)
def test_near_misses_of_such_lines_come_back(place: int, sign: str) -> None:
    """With one sign changed, lines that end with an object are data to the byte, or lines."""
    text = "\n".join(["The log of May:", "", *LOG, *LOG, ""])
    changed = text[:place] + sign + text[place + 1 :]
    tree = mckp.parse(changed)
    assert mckp.decode(mckp.encode(tree).text) == tree


def test_such_lines_within_a_log_are_data_where_they_are() -> None:
    """Lines without an object stay lines, above and below."""
    rows = [
        f'10:00:{n:02} INFO job was done {{"job": "J{7000 + n}", "queue": "pdf", "ms": {n * 7}}}'
        for n in range(10, 40)
    ]
    text = "\n".join(["worker is starting", "it has three queues", *rows, "worker has ended", ""])
    result = mckp.encode(text)
    assert result.answers is not None
    assert result.tokens < 0.8 * result.answers.source_tokens
    assert "```[JSON lines spaced message" in result.text
    assert mckp.decode(result.text).source == text


def test_results_of_a_search_stay_lines() -> None:
    """Paragraphs of titles and links are no records: as lines, more of their use is kept."""
    text = "\n\n".join(
        f"Title: Pump {n}\nLink: https://x.org/{n}\nSnippet: It is the {n}th." for n in range(9)
    )
    assert data_of(text) is None

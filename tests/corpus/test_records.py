"""Each record of a corpus is in one part, however large parts are."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.corpus import storage
from mckp.corpus.records import Record, records
from mckp.corpus.storage import Store
from mckp.errors import ParseError
from tests.strategies import examples

LINES = st.lists(st.binary(max_size=30).map(lambda raw: raw.replace(b"\n", b"") + b"\n"))
CELLS = st.text(st.sampled_from('ab",\n\r ü'), max_size=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all examples of a test share."""
    return tmp_path_factory.mktemp("corpus")


def found(path: Path, size: int, column: str | None = None) -> list[Record]:
    """Return the records of all parts of a corpus, in parts of a size."""
    store = Store(str(path))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "MIN_PART_BYTES", size)
        cut = storage.parts_of(store, store.files())
    assert [part.number for part in cut] == list(range(len(cut)))
    return [record for part in cut for record in records(store, part, column)]


@given(lines=LINES, size=st.integers(1, 40))
@examples(40)
def test_lines(folder: Path, lines: list[bytes], size: int) -> None:
    """Lines come once, in order, with the byte they begin at; blank ones do not."""
    path = folder / "lines.jsonl"
    path.write_bytes(b"".join(lines).removesuffix(b"\n"))
    wanted: list[tuple[int, bytes]] = []
    at = 0
    for line in path.read_bytes().split(b"\n"):
        if line and not line.isspace():
            wanted.append((at, line))
        at += len(line) + 1
    assert [(each.at, each.data.removesuffix(b"\n")) for each in found(path, size)] == wanted


@given(rows=st.lists(st.lists(CELLS, min_size=2, max_size=2)), size=st.integers(1, 40))
@examples(40)
def test_csv(folder: Path, rows: list[list[str]], size: int) -> None:
    """Rows with quotes and line ends in their cells come once, as text, where they begin."""
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([["a", "b"], *rows])
    path = folder / "rows.csv"
    path.write_bytes(text.getvalue().encode())
    given = found(path, size)
    assert [each.data for each in given] == [{"a": a, "b": b} for a, b in rows]
    whole = path.read_bytes()
    assert all(whole[each.at :].startswith(each.raw.encode()) for each in given)


def test_csv_that_is_none(tmp_path: Path) -> None:
    """A row that does not fit the names is an error of its own; so are bad bytes."""
    path = tmp_path / "rows.csv"
    path.write_bytes(b'\xef\xbb\xbfa,b\n1,2\n3\n\n"4"x,5\n\xff,6\n7,8\n')
    given = [each.data for each in found(path, 1000)]
    assert [str(each) for each in given if isinstance(each, ParseError)] == [
        "1 cells below 2 names",
        "no CSV: ',' expected after '\"'",
    ]
    assert [each for each in given if isinstance(each, dict)] == [
        {"a": "1", "b": "2"},
        {"a": "\udcff", "b": "6"},
        {"a": "7", "b": "8"},
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b'a,b\n1,"x\n2,y\n3,z\n', ["no CSV: this quote is not closed (line 2, column 3)"]),
        (b'a,b\n5" x,"1""\n2"\n"x ""\n', ["no CSV: this quote is not closed (line 4, column 1)"]),
        (b'a,b\n1,"x\n2,"y"\n3,z\n', ["no CSV: ',' expected after '\"'; it opens 1 line before"]),
        (b'a,b\n"c\nd\n"e,2\n3,"', ["2 lines before", "not closed (line 5, column 3)"]),
    ],
)
def test_quotes_that_are_not_closed(tmp_path: Path, text: bytes, told: list[str]) -> None:
    """All lines after one are its own, so the error says where it opens."""
    path = tmp_path / "rows.csv"
    path.write_bytes(text)
    errors = [str(each.data) for each in found(path, 1000) if isinstance(each.data, ParseError)]
    assert len(errors) == len(told)
    assert all(error.endswith(end) for error, end in zip(errors, told, strict=True))


def test_names_that_stand_twice(tmp_path: Path) -> None:
    """Rows below such names are errors: one cell would hide the other."""
    (tmp_path / "rows.tsv").write_text("a\ta\n1\t2\n")
    assert "twice" in str(found(tmp_path, 1000)[0].data)


def test_parquet(tmp_path: Path) -> None:
    """Rows are numbered in their file, through all groups."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = [{"n": n, "tags": ["x"] * n} for n in range(7)]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "r.parquet", row_group_size=3)
    assert [(each.at, each.data) for each in found(tmp_path, 1)] == list(enumerate(rows))


@pytest.mark.parametrize(
    ("line", "data"),
    [
        ({"doc": '{"a": 1}', "id": 2}, '{"a": 1}'),
        ({"doc": {"a": 1}}, {"a": 1}),
        ({"doc": 10**30}, 10**30),
    ],
)
def test_column(tmp_path: Path, line: Any, data: Any) -> None:
    """One member may be the document; a text in it is parsed later, data is data."""
    (tmp_path / "a.jsonl").write_text(json.dumps(line))
    assert found(tmp_path, 10, "doc")[0].data == data


@pytest.mark.parametrize("line", ['{"id": 1}', "[1]", "{", "7"])
def test_no_such_column(tmp_path: Path, line: str) -> None:
    """A record without the column is an error, not an empty document."""
    (tmp_path / "a.jsonl").write_text(line)
    assert isinstance(found(tmp_path, 10, "doc")[0].data, ParseError)


def test_folder(tmp_path: Path) -> None:
    """Other files are documents; hidden ones are left out; small ones share a part."""
    for name in ("b.md", "a.json", "sub/c.jsonl", ".hidden/d.json", "_SUCCESS", ".e.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text('{"a": 1}')
    given = found(tmp_path, 1000)
    assert [(each.file, each.kind) for each in given] == [
        ("a.json", "json"),
        ("b.md", "markdown"),
        ("sub/c.jsonl", "json"),
    ]
    store = Store(str(tmp_path))
    assert len(storage.parts_of(store, store.files())) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links(tmp_path: Path) -> None:
    """They are followed, but not back to where they stand, not even a few of them."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.json").write_text("1")
    for name in ("x", "y", "z"):
        (tmp_path / "sub" / name).symlink_to("..")
    (tmp_path / "other").symlink_to("sub")
    (tmp_path / "lost").symlink_to("nowhere")
    assert [each.file for each in found(tmp_path, 1000)] == ["other/a.json", "sub/a.json"]


@pytest.mark.skipif(sys.platform != "linux", reason="names are text elsewhere")
def test_names_that_are_no_text(tmp_path: Path) -> None:
    """The error shows them."""
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.json"))).write_text("1")
    with pytest.raises(OSError, match=r"a\\+udcff\.json"):
        Store(str(tmp_path)).files()


def test_damaged_parquet(tmp_path: Path) -> None:
    """What cannot be decoded is one error, and the files beside it go on."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    table = arrow.table({"n": list(range(4000))})
    parquet.write_table(table, path, row_group_size=2000, use_dictionary=False)
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2 : len(raw) // 2 + 200] = b"\xff" * 200
    path.write_bytes(raw)
    (tmp_path / "b.parquet").write_bytes(b"none")
    (tmp_path / "c.json").write_text("1")
    given = found(tmp_path, 1000)
    errors = [each.file for each in given if isinstance(each.data, ParseError)]
    assert errors == ["a.parquet", "b.parquet"]
    assert (given[0].data, given[-1].file) == ({"n": 0}, "c.json")


def test_uri(tmp_path: Path) -> None:
    """A place may be named by a URI."""
    store = Store((tmp_path / "new").as_uri())
    store.put("sub/a.json", b"1")
    store.put("sub/a.json", b"23")
    assert [(file.name, file.size) for file in store.files()] == [("sub/a.json", 2)]
    assert (store.read("sub/a.json"), store.read("sub/b.json")) == (b"23", None)
    assert Store(str(tmp_path / "new" / "sub")) in store
    assert Store(str(tmp_path / "newer")) not in store


def test_nothing_there(tmp_path: Path) -> None:
    """A corpus that does not exist is an error with its name."""
    with pytest.raises(FileNotFoundError, match="nowhere"):
        Store(str(tmp_path / "nowhere")).files()

"""Columns of documents: what Arrow can hold, record by record."""

import importlib
import pickle
from typing import Any

import pytest

import mckp
from mckp.batch import Encode
from mckp.errors import UnknownNameError
from mckp.jsontext import dump, load

pa: Any = importlib.import_module("pyarrow")
BUILDS = [{"id": n, "status": "failed" if n == 7 else "passed"} for n in range(40)]
TEXTS = ['{"a": 1}', None, '{"a": [}', "# Title\n\nText.\n", mckp.encode(BUILDS).text, ""]


def rows(column: Any) -> list[Any]:
    return list(column.to_pylist())


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "dictionary", "binary"])
def test_each_type_of_strings_gives_the_texts_of_encode(kind: str) -> None:
    """Each Arrow type of strings gives texts, tokens and cuts of `encode`, and null for null."""
    if kind == "dictionary":
        column = pa.array(TEXTS).dictionary_encode()
    else:
        column = pa.array(TEXTS, getattr(pa, kind)())
    encoded = rows(Encode(budget=40)(column))
    assert encoded[1] is None
    for text, row in zip(TEXTS, encoded, strict=True):
        if text is not None:
            right = mckp.encode(text, budget=40)
            assert (row["text"], row["tokens"]) == (right.text, right.tokens)
            assert row["cuts"] == dump(right.to_dict()["elided"])


def test_a_bad_document_has_an_error_and_nothing_else() -> None:
    """A document that fails has its error and no text."""
    encoded = rows(Encode(kind="json")(pa.array(["[1]", '{"a": [}', None])))
    assert encoded[0]["error"] is None
    assert encoded[1].pop("error").startswith("ParseError: ")
    assert encoded[1] == {"text": None, "tokens": None, "cuts": None}


def test_cuts_say_what_is_left_out() -> None:
    """The column of cuts lists what the budget left out."""
    [encoded] = rows(Encode(budget=60)(pa.array([BUILDS])))
    assert encoded["tokens"] <= 60
    cuts: Any = load(encoded["cuts"])
    assert cuts[0]["count"] > 0


def test_a_batch_gets_columns_and_keeps_its_own() -> None:
    """A table or batch keeps its columns and type, and gets four more."""
    table = pa.table({"id": [3, 1, 2], "doc": ["[1]", None, "{"]})
    for batch in (table, table.to_batches()[0], pa.table({"id": [], "doc": []}, table.schema)):
        encoded = Encode("doc", budget=60)(batch)
        assert type(encoded) is type(batch)
        assert encoded.column_names == ["id", "doc", "text", "tokens", "cuts", "error"]
        assert encoded.select(["id", "doc"]).equals(batch)
    encoded = Encode("doc", kind="json")(table)
    assert encoded["text"].to_pylist() == ["[1]", None, None]
    assert encoded["error"].null_count == 2


def test_chunks_stay_chunks_and_nothing_is_of_the_same_type() -> None:
    """Chunks stay as they are, and an empty column has the same type."""
    column = pa.chunked_array([["[1]"], [], ["[2]", None]], pa.string())
    encoded = Encode()(column)
    assert [len(chunk) for chunk in encoded.chunks] == [1, 0, 2]
    assert Encode()(pa.array([], pa.string())).type == encoded.type
    assert rows(Encode()(pa.nulls(2))) == [None, None]


def test_it_is_pickled_and_gives_the_same_bytes() -> None:
    """A pickled call gives the same table, with its prefix and priorities."""
    call = Encode("doc", budget=40, prefix="short_", priorities={"**.status": 3})
    table = pa.table({"doc": TEXTS, "text": ["a"] * len(TEXTS)})
    assert pickle.loads(pickle.dumps(call))(table).equals(call(table))
    assert "short_text" in call(table).column_names


def test_what_is_too_long_or_too_little_is_an_error_of_its_record() -> None:
    """A document that is too long, or a budget too small for it, is an error of that record."""
    encoded = rows(
        Encode(budget=4, longest=30)(
            pa.array(["[1]", "[" + "1," * 40 + "1]", '{"aaaa": "bb cc dd"}'])
        )
    )
    assert encoded[0]["text"] == "[1]"
    assert encoded[1]["error"] == "MckpError: the document has 83 characters, more than longest=30"
    assert encoded[2]["error"].startswith("BudgetError: ")


@pytest.mark.parametrize(
    ("call", "batch", "message"),
    [
        (
            Encode("doc"),
            pa.table({"a": [1]}),
            "expected one column 'doc', got 0; the columns are: a",
        ),
        (Encode(), pa.table({"a": ["1"]}), "say which column holds the documents"),
        (Encode("a"), pa.table({"a": ["1"], "text": ["1"]}), "already has the columns text; give"),
        (Encode(), ["[1]"], "not list"),
    ],
)
def test_wrong_batches_are_refused_with_what_to_do(call: Encode, batch: Any, message: str) -> None:
    """A batch without the right columns is an error that says what to do."""
    with pytest.raises((ValueError, TypeError), match=message):
        call(batch)


def test_wrong_options_are_refused_before_any_document() -> None:
    """Wrong options are errors when the call is made."""
    with pytest.raises(UnknownNameError):
        Encode(tokenizer="nobody")
    with pytest.raises(ValueError, match="longest"):
        Encode(longest=0)


def test_frames_of_polars_go_as_they_are() -> None:
    """Frames and columns of Polars are encoded like those of Arrow."""
    polars: Any = importlib.import_module("polars")
    frame = polars.DataFrame({"doc": ["[1]", None]})
    assert Encode("doc")(frame)["text"].to_pylist() == ["[1]", None]
    assert polars.Series(Encode()(frame["doc"])).struct.field("text").to_list() == ["[1]", None]

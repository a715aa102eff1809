"""Flow notation: any value on one line, and what JSON means in it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import encode, parse
from mckp.answers.reading import decode, document_kind
from mckp.encoders import FLOW, read, write
from mckp.encoders.native import Written, flow_of
from mckp.errors import ParseError
from mckp.jsontext import difference, dump, is_container, is_object
from mckp.tokenizers import is_fragment
from tests.cases import cases
from tests.strategies import TABLES, VALUES, examples


def flow(value: Any) -> str:
    text = write(value, FLOW)
    assert text is not None
    return text


@given(value=TABLES | VALUES)
@examples(600)
def test_round_trip(value: Any) -> None:
    """An object or array reads back as itself, types included, from lines that are a fragment."""
    text = write(value, FLOW)
    assert (text is not None) is (is_container(value) and bool(value))
    if text is not None:
        assert is_fragment(text)
        assert document_kind(text) == "blocks"
        assert difference(value, decode(text)) is None


@given(
    value=TABLES | VALUES, key=st.sampled_from(["a", "first name", "", "x=y", "[1]", "3", "# a"])
)
@examples(300)
def test_member_and_item_read_back(value: Any, key: str) -> None:
    """Any value in flow notation reads back as a member, as an item, and between other lines."""
    document = {key: [value], "next": "x\ny\nz\nw", "then": {"v": value}, "last": 1}
    for whole in (document, [document, [value], "x"]):
        text = encode(whole, formats=["kv", "flow"]).text
        assert difference(whole, decode(text)) is None


@given(value=TABLES | VALUES)
@examples(300)
def test_written_from_within(value: Any) -> None:
    """A container is written from what is in it as it is written alone."""

    def from_within(part: Any) -> Written:
        inner = part.values() if is_object(part) else part
        return flow_of(part, (from_within(item) for item in inner if is_container(item)))

    if is_container(value):
        assert from_within(value) == flow_of(value)


@given(value=VALUES)
@examples(300)
def test_json_means_the_same(value: Any) -> None:
    """Any JSON text decodes to its value, also when it is read as flow notation."""
    text = dump(value)
    assert difference(value, decode(text)) is None
    if is_container(value):
        try:
            flow = read(text)
        except ParseError:
            return
        assert difference(value, flow) is None


@pytest.mark.parametrize(
    ("value", "text"),
    cases(__file__, "test_look"),
)
def test_look(value: Any, text: str) -> None:
    """Each value is written on one line as shown."""
    assert flow(value) == f"{text}\n"


@pytest.mark.parametrize("text", ["[link]", "[x] done", "{a}", "[1] note", "[ ] task", "[a b]"])
def test_prose_in_brackets_is_prose(text: str) -> None:
    """A text that could be flow, or begins like it, is read back as the text that it is."""
    tree = parse(text)
    assert not tree.is_json
    assert decode(encode(tree).text) == tree


def test_long_strings_follow_in_order() -> None:
    """Lines below a line belong to its strings, one after the other, nested ones too."""
    value = {
        "a": "1\n2\n3\n4",
        "b": [{"c": "\n\n\n", "d": 1}, {"c": "]\n}\n;\n", "d": 2}],
        "e": "5",
    }
    assert flow(value).count("<4") == 3
    assert decode(flow(value)) == value


@pytest.mark.parametrize(
    "text",
    cases(__file__, "test_broken_flow_has_a_place"),
)
def test_broken_flow_has_a_place(text: str) -> None:
    """An error in flow notation has the line of the fault."""
    with pytest.raises(ParseError) as caught:
        read(f"{{1}}\nkey{text}\n")
    assert caught.value.line is not None
    assert caught.value.line >= 2

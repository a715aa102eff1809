"""Types are read back as the schemas they stand for."""

from typing import Any

import pytest
from hypothesis import given

from mckp import ParseError
from mckp.jsontext import difference, is_array, is_object
from mckp.tools.text.read import TypeReader
from mckp.tools.text.spell import Speller
from tests.cases import cases
from tests.tools.strategies import schemas

_LONG = "9" * 5000
_GOLDEN: dict[str, Any] = cases(__file__, "_GOLDEN")


@pytest.mark.parametrize("text", _GOLDEN)
def test_types_look_as_they_should_and_are_read_back(text: str) -> None:
    """Each golden type is written as shown and reads back as its schema."""
    assert Speller().full(_GOLDEN[text]) == text
    assert TypeReader(text).full() == _GOLDEN[text]


@given(schemas)
def test_any_schema_is_read_back(schema: Any) -> None:
    """Any schema is written on one line and reads back whole."""
    text = Speller().full(schema)
    reader = TypeReader(text)
    decoded = reader.full()
    assert "\n" not in text
    assert reader.at == len(text)
    assert difference(_sorted(schema), _sorted(decoded)) is None


def _sorted(schema: Any) -> Any:
    if is_array(schema):
        return [_sorted(item) for item in schema]
    if not is_object(schema):
        return schema
    return {
        key: sorted(data) if key == "required" and is_array(data) else _sorted(data)
        for key, data in schema.items()
    }


@pytest.mark.parametrize(
    "text",
    [
        *cases(__file__, "test_what_is_no_type_is_refused"),
        _LONG,
        f"int({_LONG}..)",
        f"str=[{_LONG}]",
    ],
)
def test_what_is_no_type_is_refused(text: str) -> None:
    """A text that is no type is an error."""
    with pytest.raises(ParseError):
        TypeReader(text).members("}") if text == "a~2" else TypeReader(text).full()

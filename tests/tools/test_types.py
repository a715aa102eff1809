"""Types are read back as the schemas they stand for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from mckp import ParseError
from mckp.jsontext import difference, is_array, is_object
from mckp.tools.text.read import Reader
from mckp.tools.text.spell import Speller
from tests.tools.strategies import schemas

_STR = {"type": "string"}
_LONG = "9" * 5000
_GOLDEN: dict[str, Any] = {
    "str": _STR,
    "any": {},
    "anything": True,
    "nothing": False,
    "str/null": {"type": ["string", "null"]},
    "open|closed": {"type": "string", "enum": ["open", "closed"]},
    "a|null": {"enum": ["a", None]},
    'open|"str"|"1"|""': {"type": "string", "enum": ["open", "str", "1", ""]},
    "1|2(int)": {"type": "integer", "enum": [1, 2]},
    "a|b(any)": {"enum": ["a", "b"]},
    "page": {"type": "string", "const": "page"},
    "true": {"const": True},
    "int(1..100)=30": {"type": "integer", "minimum": 1, "maximum": 100, "default": 30},
    "str(..9,uuid)": {"type": "string", "format": "uuid", "maxLength": 9},
    "[str]": {"type": "array", "items": _STR},
    "[]": {"type": "array"},
    "[str]/null": {"type": ["array", "null"], "items": _STR},
    '[{id:int tag? "Of it."}]': {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"id": {"type": "integer"}, "tag": {**_STR, "description": "Of it."}},
            "required": ["id"],
        },
    },
    "{*:num}": {"type": "object", "additionalProperties": {"type": "number"}},
    "{}": {"type": "object", "properties": {}},
    "{!}": {"type": "object", "additionalProperties": False},
    "{a *}": {
        "type": "object",
        "properties": {"a": _STR},
        "required": ["a"],
        "additionalProperties": True,
    },
    "obj": {"type": "object"},
    "@node|null": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
    "(str(uri))^(int(0..))": {
        "oneOf": [{**_STR, "format": "uri"}, {"type": "integer", "minimum": 0}]
    },
    'any(not={"type":"null"})': {"not": {"type": "null"}},
    "any(type=null)": {"type": None},
    "page(type=null)": {"type": None, "const": "page"},
    'any(""=1,"1..2"=3,"..."=true)': {"": 1, "1..2": 3, "...": True},
}


@pytest.mark.parametrize("text", _GOLDEN)
def test_types_look_as_they_should_and_are_read_back(text: str) -> None:
    assert Speller().full(_GOLDEN[text]) == text
    assert Reader(text).full() == _GOLDEN[text]


@given(schemas)
def test_any_schema_is_read_back(schema: Any) -> None:
    text = Speller().full(schema)
    reader = Reader(text)
    found = reader.full()
    assert "\n" not in text
    assert reader.at == len(text)
    assert difference(_sorted(schema), _sorted(found)) is None


def _sorted(schema: Any) -> Any:
    """Return a schema with required names in an order of their own."""
    if is_array(schema):
        return [_sorted(one) for one in schema]
    if not is_object(schema):
        return schema
    return {
        key: sorted(data) if key == "required" and is_array(data) else _sorted(data)
        for key, data in schema.items()
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a|str",
        "{a",
        "[str",
        "str(1",
        "str(",
        "a~2",
        "(a",
        "bool(1..)",
        _LONG,
        f"int({_LONG}..)",
        f"str=[{_LONG}]",
        "num=1e999",
        "str=[NaN]",
        "str=[-1e999]",
    ],
)
def test_what_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        Reader(text).members("}") if text == "a~2" else Reader(text).full()

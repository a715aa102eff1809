"""What does not meet a schema is named with its place and with what is allowed."""

from typing import Any

import pytest
from hypothesis import given

from mckp.tools import parse_tools
from mckp.tools.calls import Call, check_arguments, manual, read_calls
from tests.cases import cases
from tests.strategies import examples
from tests.tools.calls.test_roundtrip import ARGUMENTS, SCHEMAS, survives, tool_of

_SCHEMA: dict[str, Any] = cases(__file__, "_SCHEMA")


_CASES: Any = cases(__file__, "_CASES")


@pytest.mark.parametrize(("arguments", "problems"), _CASES)
def test_problems(arguments: dict[str, Any], problems: list[str]) -> None:
    """Each broken keyword of a schema is a problem with its place, and a met one is none."""
    whole = {"to": "a@b", **arguments}
    assert [str(problem) for problem in check_arguments(whole, tool_of(_SCHEMA))] == problems


def test_what_is_required() -> None:
    """What is missing is named with its type, and nothing else is said of an empty call."""
    [problem] = check_arguments({}, tool_of(_SCHEMA))
    assert (problem.path, problem.message) == ("to", "missing; it must be string")


def test_other_members_are_allowed_unless_the_schema_says_no() -> None:
    """Members that a schema does not name are allowed, as in JSON Schema."""
    assert not check_arguments({"a": 1}, tool_of({"type": "object", "properties": {}}))


_NONSENSE: list[dict[str, Any]] = cases(__file__, "_NONSENSE")


def test_circles_and_broken_schemas() -> None:
    """A schema that refers to itself, to nothing, or is nonsense raises nothing."""
    for schema in _NONSENSE:
        for value in (1, "x", [1], {"a": 1}):
            problems = check_arguments({"a": value}, tool_of(schema))
            assert len({str(problem) for problem in problems}) == len(problems)


@pytest.mark.parametrize("schema", _NONSENSE)
def test_tools_with_broken_schemas_are_listed_and_called(schema: dict[str, Any]) -> None:
    """Their calls are written and read as those of others."""
    tool = tool_of(schema)
    assert "f" in manual([tool])
    survives({"a": [1], "b": {"c": None}}, tool)


def test_all_parts_of_all_are_asked() -> None:
    """All parts of `allOf` are checked, and names are not where patterns of them are allowed."""
    schema: dict[str, Any] = {
        "properties": {"a": {"allOf": [{"type": "integer"}, {"minimum": 2}]}},
        "additionalProperties": False,
    }
    problems = check_arguments({"a": 1, "y": 1}, tool_of(schema))
    assert [str(problem) for problem in problems] == [
        "a: 1 is below the minimum of 2",
        "y: not known; there are a",
    ]
    schema["patternProperties"] = {"^x_": {"type": "integer"}}
    assert not check_arguments({"a": 2, "x_1": 1}, tool_of(schema))


def test_a_tree() -> None:
    """References to the whole schema are followed as deep as the value goes."""
    node = {"type": "object", "properties": {"child": {"$ref": "#"}, "n": {"type": "integer"}}}
    [problem] = check_arguments({"child": {"child": {"n": "x"}}}, tool_of(node))
    assert problem.path == "child.child.n"


@examples(100)
@given(arguments=ARGUMENTS, schema=SCHEMAS)
def test_any_schema(arguments: dict[str, Any], schema: dict[str, Any]) -> None:
    """Whatever comes, problems are text and nothing is raised."""
    properties = dict.fromkeys(arguments, schema)
    for problem in check_arguments(arguments, tool_of({"properties": properties})):
        assert problem.message


def test_unions_that_multiply_are_checked_once_a_place() -> None:
    """Each level of the value meets each part of the union once, not once for every way."""
    way = {"type": "object", "properties": {"not": {"$ref": "#/$defs/n"}}}
    node = {"anyOf": [{**way, "required": ["x"]}, {**way, "required": ["y"]}]}
    schema = {"properties": {"f": {"$ref": "#/$defs/n"}}, "$defs": {"n": node}}
    value: dict[str, Any] = {}
    for _ in range(30):
        value = {"not": value}
    problems = check_arguments({"f": value}, tool_of(schema))
    assert [problem.path for problem in problems] == ["f" + n * ".not" + ".x" for n in range(31)]


@pytest.mark.parametrize("join", ["anyOf", "oneOf", "allOf"])
def test_unions_of_the_whole_are_met(join: str) -> None:
    """A circle of references asks for nothing, beside what else the schema says."""
    schema = {join: [{"$ref": "#"}, {"$ref": "#"}], "properties": {"a": {"type": "integer"}}}
    assert not check_arguments({"a": 1}, tool_of(schema))
    [problem] = check_arguments({"a": "x"}, tool_of(schema))
    assert problem.path == "a"


def test_numbers_without_end_are_no_integers() -> None:
    """Infinity is no integer, and the problem names its argument."""
    schema = {"properties": {"a": {"type": "integer"}}}
    [problem] = check_arguments({"a": float("inf")}, tool_of(schema))
    assert problem.path == "a"


def test_arrays_of_an_enumeration_can_be_given() -> None:
    """An array among the allowed values is read as an array, as the schema and the errors say."""
    properties = {"pair": {"enum": [[1, 2], "none"]}, "word": {"enum": ["[x]", "none"]}}
    tools = parse_tools([{"name": "f", "inputSchema": {"properties": properties}}])
    call = read_calls("<call>f pair=[1,2] word=[x]</call>", tools)[-1]
    assert isinstance(call, Call)
    assert call.arguments == {"pair": [1, 2], "word": "[x]"}
    assert check_arguments(call.arguments, tools[0]) == []

"""What a catalog says once because a library writes it everywhere."""

import json
from typing import Any

import pytest

from mckp import encode_tools
from mckp.errors import ParseError
from mckp.tools import decode_tools, parse_tools
from mckp.tools.calls import manual
from mckp.tools.encode import identity
from mckp.tools.renderings.ttc import ttc
from mckp.tools.text.conventions import Conventions, conventions
from mckp.tools.text.write import in_normal_form

TIME = {"type": "string", "format": "date-time", "pattern": "^\\d{4}-\\d\\d(?:T[0-9:.]+Z)$"}
NULL = {"type": "null"}


def named(kind: str, title: str, **rest: Any) -> dict[str, Any]:
    return {"type": kind, "title": title, **rest}


def tool(name: str, **properties: Any) -> dict[str, Any]:
    """Return a tool as the Python SDK and FastMCP write it."""
    return {
        "name": name,
        "title": name.replace("_", " ").title(),
        "description": f"{name} does it.",
        "inputSchema": {"title": f"{name}Arguments", "type": "object", "properties": properties},
        "outputSchema": {
            "title": f"{name}Output",
            "type": "object",
            "properties": {"result": {"type": "string", "title": "Result"}},
        },
        "_meta": {"fastmcp": {"tags": []}},
    }


CATALOG = [
    tool("get_issue", owner=named("string", "Owner"), since={"anyOf": [TIME, NULL]}),
    tool("close_issue", owner=named("string", "Owner"), by={"$ref": "#/$defs/User"}, at=TIME),
    tool("find_issue", per_page=named("integer", "Items"), free={"type": "string"}, at=TIME),
    tool("move_issue", to={"type": "string", "title": "To", "format": "date-time"}, at=TIME),
]
for _each in CATALOG:
    _each["inputSchema"]["$defs"] = {"User": named("object", "User", properties={})}
    _each["inputSchema"]["properties"]["who"] = {"$ref": "#/$defs/User"}


def same(text: str, tools: list[dict[str, Any]]) -> bool:
    wanted = [identity(in_normal_form(tool_wanted)) for tool_wanted in parse_tools(tools)]
    return [identity(tool_read) for tool_read in decode_tools(text)] == wanted


def test_titles_members_and_patterns_are_said_once_and_read_back() -> None:
    """Titles, members and patterns that all tools share are written once and read back."""
    text = encode_tools(CATALOG).text
    assert same(text, CATALOG)
    assert " &titles follow names: members inputs outputs tools\n" in text
    assert text.count("_meta") == text.count("(?:T") == 1
    assert "title=Items" in text  # what follows no rule is said
    assert "title=null" in text  # and what has none
    assert "Owner" not in text


@pytest.mark.parametrize("budget", range(30, 420, 45))
def test_a_cut_tool_has_none_of_it(budget: int) -> None:
    """A tool that was cut has no shared members, and a whole one has all of them."""
    result = encode_tools(CATALOG, budget=budget)
    assert result.tokens <= budget
    levels = {choice.path[0]: choice.format for choice in result.choices}
    known = {definition["name"]: definition for definition in CATALOG}
    tools_read = decode_tools(result.text)
    assert [tool_read.name for tool_read in tools_read] == list(levels)
    for tool_read in tools_read:
        assert bool(tool_read.extra) == (levels[tool_read.name] == "full")
        if tool_read.extra:
            assert identity(tool_read) == identity(
                in_normal_form(parse_tools([known[tool_read.name]])[0])
            )


def test_few_tools_and_what_cannot_be_read_back_go_without() -> None:
    """One tool has no conventions, nor has a catalog with an exception that they cannot express."""
    assert not conventions([in_normal_form(parsed) for parsed in parse_tools(CATALOG[:1])])
    odd = [*CATALOG, {**tool("x", a={"title": None}), "_meta": CATALOG[0]["_meta"]}]
    assert not conventions([in_normal_form(parsed) for parsed in parse_tools(odd)])
    assert same(encode_tools(odd).text, odd)


@pytest.mark.parametrize("line", ["&titles follow names: all", "&patterns []", '&patterns {"a":1}'])
def test_wrong_lines_are_refused(line: str) -> None:
    """A line of conventions in another notation is an error."""
    with pytest.raises(ParseError):
        decode_tools(f"[1 tools, a? optional, untyped: str]\nshared:\n {line}\nnow()\n")


def test_nothing_agreed_on_changes_nothing() -> None:
    """Empty conventions neither shorten nor extend a tool."""
    (parsed,) = parse_tools(CATALOG[:1])
    assert Conventions().shorter(parsed) is Conventions().whole(parsed) is parsed


TWO = {"minItems": 2, "maxItems": 2}


TUPLES: list[tuple[dict[str, Any], str]] = [
    ({"prefixItems": [{"type": "number"}, {"type": "string"}], **TWO}, "[num, str]"),
    ({"prefixItems": [{"type": "number"}, {}], **TWO, "items": False}, "[num, any, !]"),
    ({"prefixItems": [{}], "minItems": 1, "maxItems": 1, "items": False}, "[any, !]"),
    ({"items": {"$ref": "#"}}, "[@#]"),
]


@pytest.mark.parametrize(("schema", "text"), TUPLES)
def test_tuples_and_the_schema_itself_read_well(schema: dict[str, Any], text: str) -> None:
    """Tuples and references to the root have short notations that read back."""
    whole = [
        {
            "name": "f",
            "inputSchema": {"type": "object", "properties": {"t": {"type": "array", **schema}}},
        }
    ]
    full = encode_tools(whole)
    assert f"f(t?:{text})\n" in full.text
    assert same(full.text, whole)
    assert f"t?:{text}" in encode_tools(whole, level="typed").text


A, B = "#/$defs/A", "#/$defs/B"


def union(member: Any, mapping: Any, *refs: str, **rest: Any) -> dict[str, Any]:
    """Return a union of definitions as pydantic writes it."""
    discriminator = {"propertyName": member, "mapping": mapping}
    return {
        "oneOf": [{"$ref": ref} for ref in refs or (A, B)],
        "discriminator": discriminator,
        **rest,
    }


UNIONS: list[tuple[dict[str, Any], str | None]] = [
    (union("kind", {"a": A, "b": B}), "@A^@B(by kind=a|b)"),
    (union("kind", {"b": B, "a": A}, title="T"), "@A^@B(by kind=a|b,title=T)"),
    (union("a kind", {"true": A, "x|y": B}), '@A^@B(by "a kind"="true"|"x|y")'),
    (union("by", {"by": A, "1": B}, type="object"), '@A^@B(obj,by by=by|"1")'),
    (union("kind", {"a": A, "b": B, "c": B}), None),  # two names of one definition
    (union("kind", {"a": A}), None),
    (union("kind", {"a": "#/other", "b": B}), None),
    (union("kind", {"a": A, "b": B}, A, A), None),
    ({"oneOf": [{"$ref": A}, {"type": "null"}], "discriminator": {"propertyName": "kind"}}, None),
    ({**union("kind", {"a": A, "b": B}), "discriminator": "kind"}, None),
    ({**union("kind", {"a": A, "b": B}), "anyOf": [{}, {"type": "null"}]}, None),
]


@pytest.mark.parametrize(("schema", "text"), UNIONS)
def test_a_union_names_its_discriminator(schema: dict[str, Any], text: str | None) -> None:
    """A union names the member that distinguishes its definitions, and reads back."""
    definitions = {"A": {"type": "object"}, "B": {"type": "object"}}
    root = {"type": "object", "properties": {"u": schema}, "$defs": definitions}
    whole = [{"name": "f", "inputSchema": root}]
    written = encode_tools(whole).text
    assert same(written, whole)
    assert ("(by" in written or ",by" in written) == (text is not None)
    if text is not None:
        assert f"f(u?:{text})\n" in written
        assert "mapping" not in written


@pytest.mark.parametrize("items", ["by kind=a", "by kind=a|1", "by kind", "by kind=a|b|c"])
def test_a_union_with_a_wrong_discriminator_is_refused(items: str) -> None:
    """A wrong discriminator of a union is an error."""
    with pytest.raises(ParseError, match="expected "):
        decode_tools(f"[1 tools, a? optional, untyped: str]\nf(u:@A^@B({items}))\n")


NODE: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {}, "kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
    "required": ["name"],
}
RECURSIVE: dict[str, Any] = {"$ref": "#/$defs/Node", "$defs": {"Node": NODE}}


def test_definitions_below_a_reference_and_of_outputs_are_lines() -> None:
    """Definitions that inputs and outputs refer to have lines of their own."""
    whole: list[dict[str, Any]] = [
        {"name": "add", "inputSchema": RECURSIVE, "outputSchema": RECURSIVE}
    ]
    text = encode_tools(whole).text
    lines = "\nadd=@Node -> @Node\n @Node:{name:any kids?:[@Node]}\n -> @Node:{name:any kids?"
    assert lines in text
    assert same(text, whole)
    with pytest.raises(ParseError, match="a schema above"):
        decode_tools("[1 tools, a? optional, untyped: str]\nadd()\n -> @Node:{name}\n")


def test_a_reference_at_the_root_is_followed_for_who_calls() -> None:
    """A reference at the root of a schema is followed for the parameters."""
    tools = parse_tools([{"name": "add", "parameters": RECURSIVE}])
    assert "- add: <json> name:any, kids?:[{name:any, kids?:" in manual(tools)
    assert "add[name kids]" in encode_tools(tools, level="args").text
    assert "IN: name:any, kids:array[object]?" in ttc(tools)
    flat = {**RECURSIVE, "$defs": {"Node": {**NODE, "properties": {"name": {"type": "string"}}}}}
    assert "- add: name:string" in manual([{"name": "add", "parameters": flat}])


def test_marks_of_wrapped_results_are_said_once() -> None:
    """FastMCP marks each schema of outputs that it has made of a plain value."""
    schema: dict[str, Any] = {"type": "object", "properties": {"result": {"type": "string"}}}
    wrapped = {**schema, "x-fastmcp-wrap-result": True}
    tools: list[dict[str, Any]] = [
        {"name": f"f{n}", "inputSchema": {}, "outputSchema": wrapped} for n in range(3)
    ]
    tools.append({"name": "g", "inputSchema": {}, "outputSchema": {"type": "object"}})
    text = encode_tools(tools).text
    assert text.count("x-fastmcp") == 1
    assert same(text, tools)
    tools[1] = {**tools[1], "outputSchema": schema}
    assert same(encode_tools(tools).text, tools)


class Held:
    """A tool as FastMCP holds it."""

    def to_mcp_tool(self) -> dict[str, Any]:
        return CATALOG[0]


class Function:
    """A function tool of the Agents SDK."""

    name, description, params_json_schema = "now", "The time.", {"type": "object"}


def test_objects_that_hold_functions_are_read_by_their_definitions() -> None:
    """Objects of other libraries that hold a function are read as tools."""
    tools = parse_tools([Held(), Function()])
    assert [tool_read.name for tool_read in tools] == ["get_issue", "now"]
    assert tools[1].parameters == {"type": "object"}


@pytest.mark.parametrize("as_text", [False, True])
def test_an_infinite_default_is_its_name(as_text: bool) -> None:
    """Pydantic puts it into a schema, and Python's JSON writes a word that is not JSON."""
    top = {"type": "number", "default": float("inf")}
    least = {"type": "number", "default": float("-inf")}
    cost = {"anyOf": [{"type": "number"}, {"type": "string"}], "default": "2.50"}
    schema = {"type": "object", "properties": {"top": top, "least": least, "cost": cost}}
    given: Any = [{"name": "buy", "description": "Buy.", "inputSchema": schema}]
    (found_tool,) = parse_tools(json.dumps(given) if as_text else given)
    properties = found_tool.parameters["properties"]
    assert [properties[name]["default"] for name in properties] == ["Infinity", "-Infinity", "2.50"]
    assert decode_tools(encode_tools([found_tool]).text)[0].parameters == found_tool.parameters
    with pytest.raises(ParseError):
        parse_tools('[{"name": NaN,}]')

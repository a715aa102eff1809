"""A text has the same calls however it is cut, and no character of it is lost."""

import random
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mckp.tools import Tool
from mckp.tools.calls import (
    Call,
    CallError,
    CallParser,
    Event,
    Text,
    check_arguments,
    joined,
    manual,
    read_calls,
    source_of,
    write_call,
)
from tests.cases import cases
from tests.strategies import TEXTS, VALUES, examples
from tests.tools.calls.test_roundtrip import ARGUMENTS, tool_of
from tests.tools.calls.twin import frames

TOOLS = [tool_of({"properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]})]
_WORDS = """<call> </call> <call>g < </ call ca > f( ) ( [ ] { } a=1 a= , = . : " ' \\ \\ud ` ``
``` ```` ~~~ f 0 <call>f {a:x,b=2"""
_PIECES = st.sampled_from(
    [
        *(*_WORDS.split(), "<call>f ", "b: x", '"f g"', "<call>f a=1</call>", "<call>f {}</call>"),
        *("\n", "\n\n", " ", "\t", "\r", "\n```py\n", "\n```\n", "\ud800"),
    ]
)
SOUP = st.lists(_PIECES | TEXTS, max_size=14).map("".join)
"""Text made of what calls and fences are made of."""
_CALLS = st.builds(write_call, st.just("f"), ARGUMENTS)
_ANSWERS = st.lists(_CALLS | _PIECES | st.text(max_size=30), max_size=6).map("\n".join)
_SHORT = cases(__file__, "_SHORT")


def fed(chunks: Iterable[str], tools: Sequence[Tool] | None = None) -> list[Event]:
    parser = CallParser(tools)
    return joined([*(event for chunk in chunks for event in parser.feed(chunk)), *parser.flush()])


@pytest.mark.slow
def test_every_split_of_short_texts() -> None:
    """A text has the same calls for every split into three portions."""
    for text in _SHORT:
        whole = read_calls(text)
        assert "".join(map(source_of, whole)) == text
        assert fed(text) == whole
        for i in range(len(text)):
            for j in range(i, len(text)):
                assert fed((text[:i], text[i:j], text[j:])) == whole, (text[:i], text[i:j])


@examples(400)
@given(text=SOUP)
def test_soup(text: str) -> None:
    """Whatever the text is, all of it comes back, nothing is raised, and cuts change nothing."""
    for tools in (None, TOOLS):
        whole = read_calls(text, tools)
        assert "".join(map(source_of, whole)) == text
        assert fed(text, tools) == whole
        assert all(fed((text[:at], text[at:]), tools) == whole for at in range(len(text)))


_WORDS_OF_SCHEMAS = "type properties required enum anyOf items prefixItems $ref a const"
_KEYWORDS = st.sampled_from(_WORDS_OF_SCHEMAS.split())
_NONSENSE = st.recursive(
    VALUES | st.sampled_from(["string", "object", "array", "integer", "#", "#/a"]),
    lambda inner: st.dictionaries(_KEYWORDS, inner, max_size=3) | st.lists(inner, max_size=2),
    max_leaves=8,
)


@examples(200)
@given(schema=st.dictionaries(_KEYWORDS, _NONSENSE, max_size=5), text=SOUP)
@example(schema={"properties": 5, "required": [{}], "type": [[]]}, text="<call>f a=[x] b=1")
@example(schema={"properties": {"a": {"type": [{}], "enum": 1}}}, text="<call>f a=1</call>")
@example(schema={"properties": {"a": {"type": ["string", []]}}}, text="<call>f a=[x)]</call>")
def test_schemas_that_are_none(schema: dict[str, Any], text: str) -> None:
    """Whatever is in place of a schema, nothing is raised and no text is lost."""
    tool = tool_of(schema)
    for piece in (text, "<call>f a={a:b} b=true</call>", "<call>f a=1 b.c=[x] c={</call>"):
        events = read_calls(piece, [tool])
        assert "".join(map(source_of, events)) == piece
        for event in events:
            if isinstance(event, Call):
                assert all(map(str, check_arguments(event.arguments, tool)))
    assert manual([tool])


@examples(200)
@given(text=_ANSWERS, seed=st.integers(0, 2**32))
def test_answers_in_random_chunks(text: str, seed: int) -> None:
    """Calls with any arguments are read alike in portions of any size."""
    cuts = random.Random(seed)
    whole = read_calls(text)
    for most in (1, 3, 20, 200):
        chunks, at = list[str](), 0
        while at < len(text):
            size = cuts.randint(0, most)
            chunks.append(text[at : at + size])
            at += size
        assert fed(chunks) == whole


def _kinds(events: Iterable[Event]) -> list[tuple[str, str]]:
    kinds: list[tuple[str, str]] = []
    for event in events:
        if isinstance(event, Text):
            kinds.append(("text", event.text))
        elif isinstance(event, Call | CallError):
            cut = isinstance(event, CallError) and "not closed" in event.message
            kinds.append(("unclosed" if cut else "call", event.source))
    return kinds


@examples(600)
@given(text=SOUP | _ANSWERS)
@example(text="\n".join(_SHORT))
def test_like_the_twin(text: str) -> None:
    """The parser cuts texts where its twin does."""
    assert _kinds(read_calls(text)) == frames(text)


_HELD = {
    "so <": "<", "so <cal": "<cal", "so <cab": "", "a < b": "", "x `": "", "x\n``": "``",
    "x\n  `": "  `", "```py": "```py", "```py\n": "", "```py`": "", "```\nx\n  ``": "  ``",
    "```\nx ``": "x ``", "</call": "", "<<": "<",
}  # fmt: skip


@pytest.mark.parametrize(("chunk", "held"), _HELD.items())
def test_what_is_held_back(chunk: str, held: str) -> None:
    """The parser holds back at most the longest end that may become a mark."""
    parser = CallParser()
    assert "".join(map(source_of, parser.feed(chunk))) + held == chunk
    assert "".join(map(source_of, parser.flush())) == held


def test_start_comes_early() -> None:
    """The name of a call is given before its arguments are there."""
    parser = CallParser()
    assert not parser.feed("<call>f")
    assert [type(event).__name__ for event in parser.feed(" ")] == ["CallStart"]


def test_a_parser_can_be_used_again() -> None:
    """After `flush`, a parser has nothing left of the text before."""
    parser = CallParser()
    parser.feed("```\n<call>f a='")
    parser.flush()
    assert len(parser.feed("<call>f</call>")) == 2


def test_a_path_of_many_steps_and_a_number_beyond_floats() -> None:
    """A path of many steps is too deep; a number beyond floats is a whole number."""
    _, deep = read_calls(f"<call>f {'.'.join('a' * 3000)}=1</call>")
    assert isinstance(deep, CallError)
    assert "nested deeper" in deep.message
    _, long = read_calls(f"<call>f a=1{'0' * 309}</call>")
    assert isinstance(long, Call)
    assert long.arguments == {"a": 10**309}


def test_too_deep_and_too_long() -> None:
    """Depth and numbers beyond what is read are errors with what to do, in any spelling."""
    schema = {"properties": {"a": {"type": "string"}}}
    for value in ("[" * 300 + "]" * 300, "[" * 300 + "x" + "]" * 300, "[" * 5000 + "]" * 5000):
        end = read_calls(f"<call>f b={value}</call>")[-1]
        assert isinstance(end, CallError)
        assert end.message == "arrays and objects are nested deeper than 200"
    digits = "9" * 5000
    end = read_calls(f"<call>f a={digits}</call>")[-1]
    assert isinstance(end, CallError)
    assert "too long; give it as a string" in end.message
    [_, call] = read_calls(f"<call>f a={digits}</call>", [tool_of(schema)])
    assert isinstance(call, Call)
    assert call.arguments == {"a": digits}


def test_unknown_tools_are_named_with_what_is_near() -> None:
    """An unknown tool is named with three near ones at most, and the number of others."""
    tools = [tool_of({}, f"get_{name}") for name in ("weather", "time", "tide", "moon", "sun")]
    end = read_calls("<call>get_wether</call>", tools)[-1]
    assert isinstance(end, CallError)
    assert end.message.startswith("there is no tool get_wether; there are get_weather")
    assert end.message.endswith("more")


@pytest.mark.slow
def test_long_texts_take_linear_time() -> None:
    """Neither single characters nor marks that are none make reading slow."""
    for text in (
        "<call>f a='" + "x" * 200_000,
        "```" * 100_000,
        "<call>" * 20_000,
        "\n```" * 50_000,
    ):
        assert "".join(map(source_of, fed(text[:20_000]))) == text[:20_000]
        assert "".join(map(source_of, read_calls(text))) == text


@pytest.mark.parametrize("text", [None, 3, b"x"])
def test_what_is_no_text_is_an_error(text: Any) -> None:
    """What is no text is an error, whole or in portions."""
    with pytest.raises(TypeError, match="expected a text, got"):
        read_calls(text)

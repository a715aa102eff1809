"""Whatever a file holds, reading it ends in a configuration or in an error that names it."""

import random
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.agents.config import Config, loads, settings_for
from mckp.errors import ConfigError
from mckp.jsontext import is_object
from tests.config.documents import V2
from tests.strategies import examples

ODD = st.sampled_from(
    [
        *("[", "]", "[[", "]]", "{", "}", "=", ".", ",", '"', "'", '"""', "'''", "#", "\n", "\r"),
        *("\x00", "\ufeff", "é", "-1", "1e999", "nan", "inf", "0x" + "f" * 9000, "9" * 5000, "_"),
        *("true", "1979-05-27", "1979-02-30", "[" * 4000, "{a=" * 4000, "a." * 4000, "\\u0000"),
        *("[dedup]", "[dedup.lru_size]", "dedup.x = 1", "schema_version = 2", "[[hints]]"),
    ]
)


def check(text: str | bytes) -> None:
    """Read a text; what can be read makes settings as well."""
    config = fault = None
    try:
        config = loads(text, source="fuzz.toml")
    except ConfigError as error:
        fault = str(error)
    if config is not None:
        settings_for(config)
    if fault is not None:
        assert "fuzz.toml" in fault
        assert len(fault) < 1000


@examples(200)
@given(st.binary(max_size=200) | st.text(max_size=200))
def test_any_text(text: str | bytes) -> None:
    """Any text is a configuration or a ConfigError."""
    check(text)


@examples(300)
@given(st.randoms(use_true_random=False), st.lists(ODD | st.text(max_size=3), max_size=4))
def test_mutations_of_a_configuration(rng: random.Random, pieces: list[str]) -> None:
    """A damaged configuration is a configuration or a ConfigError."""
    text = V2
    for piece in pieces:
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice([0, 0, 1, 5, 40]))
        text = text[:start] + (piece or text[start:end] * 2) + text[end:]
    check(text)
    check(text.encode("utf-8", "surrogatepass"))


LONG = "f" * 9000
CUT = r"f{80}\.{3}f{80}\""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"schema_version = 2\n[{LONG}]\n", rf"\A\"{CUT}: unknown key 'f{{17}}\.{{3}}f{{18}}'"),
        (f"schema_version = 2\n[endpoint_overrides.{LONG}]\nx = 1\n", rf"{CUT}\.x: unknown"),
        (f"[a.{LONG}]\n" * 2, r"Cannot declare .* twice \(at line 2"),
    ],
    ids=["long", "below", "twice"],
)
def test_messages_stay_short(text: str, message: str) -> None:
    """A message about a long name shortens it."""
    with pytest.raises(ConfigError, match=message) as error:
        loads(text)
    assert len(str(error.value)) < 1000


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats()
    | st.text(max_size=9)
    | st.datetimes()
    | st.sampled_from(["csv", "csv_from_md", 0, 1, -1]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


def places(table: dict[str, Any], path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    paths: list[tuple[str, ...]] = []
    for name, value in table.items():
        paths.append((*path, name))
        paths += places(value, (*path, name)) if is_object(value) else []
    return paths


PLACES = places(tomllib.loads(V2))


@examples(400)
@given(st.sampled_from(PLACES), VALUES)
def test_wrong_types(path: tuple[str, ...], value: Any) -> None:
    """A value of a wrong type is refused with its key."""
    table = tomllib.loads(V2)
    table.pop("schema_version")
    inner = table
    for step in path[:-1]:
        inner = inner.get(step, {})
    inner[path[-1]] = value
    config = key = None
    try:
        config = Config.of_table(table)
    except ConfigError as error:
        key = error.key
    if config is not None:
        settings_for(config)
    assert key != ""


@pytest.mark.parametrize("text", ["a = " + "[" * 9000, "a = " + "{b=" * 9000, "[a" * 9000])
def test_deep_nesting(text: str) -> None:
    """A deeply nested table is a ConfigError."""
    with pytest.raises(ConfigError):
        loads("schema_version = 2\n" + text)


@pytest.mark.parametrize("number", ["9" * 5000, "0x" + "f" * 9000, "1e9999", "-inf"])
def test_huge_numbers(number: str) -> None:
    """Huge numbers are refused in a short message."""
    for key in ("schema_version", "dedup.lru_size", "salience.find.title"):
        head = "" if key == "schema_version" else "schema_version = 2\n"
        with pytest.raises(ConfigError) as caught:
            loads(f"{head}{key} = {number}\n")
        assert len(str(caught.value)) < 300


def test_long_files_are_refused() -> None:
    """A file of two million characters is an error that names the limit."""
    with pytest.raises(ConfigError, match="the limit is"):
        loads("#" * (1 << 21))
    with pytest.raises(ConfigError, match="has 1,400,001 bytes; the limit is"):
        loads("#" + "\u00e9" * 700_000)

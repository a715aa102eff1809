"""Patterns: what they are, where they are wrong, and what they match."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import TreeNode
from mckp.errors import PatternError
from mckp.jsontext import dump, path_text
from mckp.weights.leaves import leaves
from mckp.weights.patterns import Matcher, Step, Wild, read_pattern
from tests.cases import cases
from tests.strategies import KEYS, VALUES, examples

_NAMES = st.sampled_from(["a", "b", "id", "0", "*", "a.b"])
_STEPS: st.SearchStrategy[Step] = st.sampled_from(list(Wild)) | _NAMES | st.integers(0, 2)
_PATTERNS = st.lists(_STEPS, max_size=5).map(tuple)
_PATHS = st.lists(_NAMES | st.integers(0, 3), max_size=5).map(tuple)


def covers(pattern: tuple[Step, ...], path: tuple[str | int, ...]) -> bool:
    """Whether a pattern covers what is at a path, step by step: the slow twin."""
    if not pattern:
        return True
    first, *rest = pattern
    if first is Wild.DEEP:
        return any(covers(tuple(rest), path[start:]) for start in range(len(path) + 1))
    if not path:
        return False
    if first is Wild.STEP or (first is Wild.ELEMENT and isinstance(path[0], int)):
        return covers(tuple(rest), path[1:])
    same = first == path[0] and type(first) is type(path[0])
    return same and covers(tuple(rest), path[1:])


@examples(400)
@given(st.lists(_PATTERNS, max_size=5), st.lists(_PATHS, min_size=1, max_size=8))
def test_matches_are_those_of_the_slow_twin(
    patterns: list[tuple[Step, ...]], paths: list[tuple[str | int, ...]]
) -> None:
    """One walk finds exactly the patterns that cover a path, whatever was asked before."""
    matcher = Matcher(patterns)
    for path in paths:
        expected = [n for n, pattern in enumerate(patterns) if covers(pattern, path)]
        assert list(matcher.match_path(path)) == expected


def _spelled(step: Step) -> str:
    if isinstance(step, str):
        return f"[{dump(step)}]"
    if isinstance(step, int):
        return f"[{step}]"
    return step.value if step is Wild.ELEMENT else f".{step.value}"


@given(st.lists(_STEPS | KEYS, max_size=6))
def test_patterns_are_read_as_they_are_written(steps: list[Step]) -> None:
    """A pattern reads back as the steps that it was written of."""
    assert read_pattern("$" + "".join(map(_spelled, steps))) == tuple(steps)


@given(VALUES)
def test_printed_paths_are_patterns(value: Any) -> None:
    """The printed path of each leaf is a pattern of its steps."""
    for leaf in leaves(TreeNode.of(value)):
        assert read_pattern(path_text(leaf.path)) == leaf.path


@pytest.mark.parametrize(
    ("pattern", "steps"),
    [
        ("**.id", (Wild.DEEP, "id")),
        ("items[*].user.login", ("items", Wild.ELEMENT, "user", "login")),
        ("$.a[0].b", ("a", 0, "b")),
        ("$[0]", (0,)),
        ("[0][12]", (0, 12)),
        ("*.name", (Wild.STEP, "name")),
        ("$", ()),
        ("$ref", ("$ref",)),
        ("**.$ref", (Wild.DEEP, "$ref")),
        ("a b.c-d", ("a b", "c-d")),
        ("""['it\\'s "a.b"']""", ('it\'s "a.b"',)),
        ("""["\\"x\\u00e9\\""].y""", ('"xé"', "y")),
        (r"['a\\']", ("a\\",)),
    ],
)
def test_patterns(pattern: str, steps: tuple[Step, ...]) -> None:
    """A pattern is read as these steps."""
    assert read_pattern(pattern) == steps


@pytest.mark.parametrize(
    ("pattern", "column", "expected"),
    cases(__file__, "test_bad_patterns"),
)
def test_bad_patterns(pattern: str, column: int, expected: str) -> None:
    """The error has the pattern, the column, and what would have been right there."""
    with pytest.raises(PatternError, match=f"at column {column}: expected {expected}") as caught:
        read_pattern(pattern)
    assert (caught.value.pattern, caught.value.column) == (pattern, column)


def test_many_different_names_are_few_states() -> None:
    """Keys and indices that no pattern names do not make the automaton grow."""
    matcher = Matcher([read_pattern("**.id"), read_pattern("*.x[3]")])
    for number in range(2000):
        assert matcher.match_path((f"k{number}", "x", number, "id")) == (
            (0, 1) if number == 3 else (0,)
        )
    assert len(matcher.states) < 20

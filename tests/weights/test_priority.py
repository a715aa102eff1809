"""Priorities: the last pattern counts, what is wrong is said, and what is idle is reported."""

import pickle
from typing import Any

import pytest

from mckp import TreeNode, parse
from mckp.errors import PatternError, WeightError
from mckp.weights import Leaf, Priorities
from mckp.weights.leaves import leaves

DATA = {"jobs": [{"id": 1, "log": ["a", "b"]}, {"id": 2}], "next": {"id": 3}}
LEAVES = leaves(TreeNode.of(DATA))


def test_the_last_pattern_counts() -> None:
    """Neither the first nor the longest pattern wins, and factors are not multiplied."""
    assert Priorities({"jobs": 2, "**.id": 3}).assign(LEAVES)[0] == [3, 2, 2, 3, 3]
    assert Priorities({"**.id": 3, "jobs": 2}).assign(LEAVES)[0] == [2, 2, 2, 2, 3]
    pairs = [("$", "drop"), ("jobs[0]", "pin"), ("jobs[*].log[1]", 0)]
    assert Priorities(pairs).assign(LEAVES)[0] == ["pin", "pin", 0, "drop", "drop"]


def test_idle_patterns_are_reported() -> None:
    """Patterns that match no leaf are reported."""
    priorities = Priorities({"jobs.id": 2, "**.id": 3, "$": 1, "jobs[2]": "pin"})
    assert priorities.assign(LEAVES)[1] == ["jobs.id", "jobs[2]"]


def test_blocks_of_text_have_priorities() -> None:
    """Blocks of a text get priorities by pattern, or by a function of path and block."""
    blocks = leaves(parse("# A\n\none\n\n## B\n\ntwo\n\n# C\n"))
    assert Priorities({"[0]": 2, "[0][1]": "pin"}).assign(blocks)[0] == [2, 2, "pin", "pin", 1]
    kinds: list[str] = []

    def ask(_path: object, value: Any) -> float:
        kinds.append(value.kind.value)
        return 1

    assert Priorities(ask).assign(blocks)[0] == [1] * 5
    assert kinds == ["section", "paragraph", "section", "paragraph", "section"]


def test_functions_are_given_path_and_value() -> None:
    """A function gets path and value of each leaf."""
    priorities = Priorities(lambda path, value: "pin" if "log" in path else value)
    assert priorities.assign(LEAVES)[0] == [1, "pin", "pin", 2, 3]
    assert priorities.assign(LEAVES)[1] == []


@pytest.mark.parametrize("bad", [-1, float("nan"), float("inf"), True, "keep", None, 10**400, "2"])
def test_bad_priorities(bad: Any) -> None:
    """A wrong priority is refused with its pattern or its leaf."""
    with pytest.raises(WeightError, match=r"\"pin\" or \"drop\", not .* \(for 'a'\)"):
        Priorities({"a": bad})
    with pytest.raises(WeightError, match=r"ask, at \$\.a\[0\]: a priority must be"):
        Priorities(_asking(bad)).assign([Leaf(("a", 0), 1, 1)])


def _asking(answer: Any) -> Any:
    def ask(_path: object, _value: object) -> Any:
        return answer

    return ask


@pytest.mark.parametrize("bad", [7, "**.id", ["**.id"], [("a", 1, 2)], [(1, 2)]])
def test_what_are_no_priorities(bad: Any) -> None:
    """Anything else than priorities is refused."""
    with pytest.raises(TypeError, match=r"not|expected"):
        Priorities(bad)


def test_bad_patterns_are_refused_at_once() -> None:
    """A wrong pattern is an error with its column before anything is weighed."""
    with pytest.raises(PatternError, match="column 3"):
        Priorities({"ok": 1, "a[x]": 2})


def test_priorities_cross_processes() -> None:
    """Pickled priorities are the same."""
    priorities = Priorities({"jobs": 2, "**.id": "pin"})
    assert pickle.loads(pickle.dumps(priorities)).assign(LEAVES)[0] == priorities.assign(LEAVES)[0]

"""Classes and methods are found under their former names, and are the same."""

from importlib import import_module

import pytest

from mckp.weights import Leaf, Priorities, Salience


@pytest.mark.parametrize(
    ("module", "former", "current"),
    [
        ("mckp.accuracy", "Asked", "TextQuestion"),
        ("mckp.accuracy", "Reader", "AnsweringReader"),
        ("mckp.accuracy", "Report", "AccuracyReport"),
        ("mckp.recall", "Asked", "RecallQuestion"),
        ("mckp.recall", "Found", "DataAnswer"),
        ("mckp.recall", "Lines", "LinesAnswer"),
        ("mckp.tools.calls", "Problem", "ArgumentProblem"),
    ],
)
def test_a_class_is_the_same_by_both_names(module: str, former: str, current: str) -> None:
    """A former class name is the class with the current name, and the warning names it."""
    with pytest.warns(DeprecationWarning, match=f"^{module}.{former} is {current} now$"):
        renamed = getattr(import_module(module), former)
    assert renamed is getattr(import_module(module), current)


def test_a_name_that_a_module_never_had_is_no_attribute() -> None:
    """A module that knows former names still reports other names as missing."""
    with pytest.raises(AttributeError, match=r"'mckp\.recall' has no attribute 'nothing'"):
        _ = import_module("mckp.recall").nothing


def test_a_method_does_the_same_by_both_names() -> None:
    """A former method name returns what the method returns, and the warning names it."""
    with pytest.warns(DeprecationWarning, match=r"^Salience.of_data is weigh_data now$"):
        worths = Salience().of_data({"id": 7, "state": "open"})
    assert worths == Salience().weigh_data({"id": 7, "state": "open"})
    leaves = [Leaf(("a",), 1, 1), Leaf(("b",), 2, 1)]
    with pytest.warns(DeprecationWarning, match=r"^Priorities.found is assign now$"):
        assigned = Priorities({"$.a": 3}).found(leaves)
    assert assigned == Priorities({"$.a": 3}).assign(leaves)

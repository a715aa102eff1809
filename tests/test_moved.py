"""Modules and classes are found under their former names, and are the same."""

import sys
from importlib import import_module

import pytest

import mckp


@pytest.mark.parametrize(
    ("earlier", "current"),
    [
        ("mckp.messages", "mckp.agents.messages"),
        ("mckp.adapters.text_calls", "mckp.agents.adapters.text_calls"),
        ("mckp.frames", "mckp.answers.frames"),
    ],
)
def test_a_module_is_the_same_by_both_names(
    earlier: str, current: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An earlier name of a module gives the same module with a warning."""
    for name in [name for name in sys.modules if name == earlier]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.warns(DeprecationWarning, match=" now$") as warned:
        module = import_module(earlier)
    assert f"{earlier} is {current} now" in [str(warning.message) for warning in warned]
    assert module is import_module(current)
    assert module.__spec__ is not None
    assert (module.__name__, module.__spec__.name) == (current, current)


def test_what_never_was_is_not_found() -> None:
    """A module that never was is not found."""
    with pytest.raises(ModuleNotFoundError, match=r"mckp\.nothing"):
        import_module("mckp.nothing")
    with pytest.raises(ModuleNotFoundError):
        import_module("mckp.agents.nothing")


def test_each_earlier_name_has_a_module() -> None:
    """Each module that was moved can be imported by its current name."""
    for name in mckp.MOVED.values():
        assert import_module(name)


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

"""Modules are found under the names that they had before 0.2, and are the same modules."""

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

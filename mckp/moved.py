"""Modules and classes under their former names, for one minor version."""

from __future__ import annotations

import warnings
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType


def moved_module_spec(name: str, now: str) -> ModuleSpec:
    """Return a spec that loads a module by its former name, and warns with the new name."""
    warnings.warn(f"{name} is {now} now", DeprecationWarning, stacklevel=3)
    return ModuleSpec(name, _LoadedModule(now))


def renamed_in(module: str, new_names: Mapping[str, str]) -> Callable[[str], object]:
    """Return a ``__getattr__`` for a module that finds its classes by former names, and warns.

    Examples
    --------
    >>> getattr_in_errors = renamed_in("mckp.errors", {"ParsingError": "ParseError"})
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     former = getattr_in_errors("ParsingError")
    >>> former, str(caught[0].message)
    (<class 'mckp.errors.ParseError'>, 'mckp.errors.ParsingError is ParseError now')
    """

    def find_renamed(name: str) -> object:
        if name not in new_names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        new_name = new_names[name]
        warnings.warn(f"{module}.{name} is {new_name} now", DeprecationWarning, stacklevel=2)
        return getattr(import_module(module), new_name)

    return find_renamed


class _LoadedModule(Loader):
    def __init__(self, name: str) -> None:
        self._module = import_module(name)
        self._spec = self._module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module as it is."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module the name back by which the import found its parts."""
        module.__spec__ = self._spec

"""Modules under the names that they had before 0.2, for one version."""

from __future__ import annotations

import warnings
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def moved_module_spec(name: str, now: str) -> ModuleSpec:
    """Return a spec that loads a module by its former name, and warns with the new name."""
    warnings.warn(f"{name} is {now} now", DeprecationWarning, stacklevel=3)
    return ModuleSpec(name, _LoadedModule(now))


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

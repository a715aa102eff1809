"""Modules under the names that they had before 0.2, for one version."""

from __future__ import annotations

import warnings
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import ModuleType

AGENTS: Final = frozenset(
    ["adapters", "config", "hosts", "mcp", "messages", "replay", "session", "stats", "telemetry"]
)
"""Packages that are in `mckp.agents` now."""

OTHERS: Final = {"frames": "mckp.answers.frames"}


def find(name: str) -> ModuleSpec | None:
    """Return what loads a module that was moved, with a warning; None for any other."""
    if (new := moved_to(name)) is None:
        return None
    warnings.warn(f"{name} is {new} now", DeprecationWarning, stacklevel=3)
    return ModuleSpec(name, _Same(new))


class _Same(Loader):
    def __init__(self, name: str) -> None:
        self._module = import_module(name)
        self._spec = self._module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module as it is."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module the name back by which the import found its parts."""
        module.__spec__ = self._spec


def moved_to(name: str) -> str | None:
    """Return where a module is now, None if it was not moved.

    Examples
    --------
    >>> moved_to("mckp.adapters.langchain"), moved_to("mckp.frames"), moved_to("mckp.tools")
    ('mckp.agents.adapters.langchain', 'mckp.answers.frames', None)
    """
    package, _, rest = name.partition(".")
    first = rest.partition(".")[0]
    if package != "mckp":
        return None
    return f"mckp.agents.{rest}" if first in AGENTS else OTHERS.get(rest)

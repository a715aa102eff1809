"""Names of a package that are imported when they are first used."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def homes_of(names_of_modules: Mapping[str, str]) -> dict[str, str]:
    """Return the module of each name; the names that a module has are separated by blanks.

    Examples
    --------
    >>> homes_of({"json": "dumps loads", "re": "compile"})
    {'dumps': 'json', 'loads': 'json', 'compile': 're'}
    """
    return {name: module for module, names in names_of_modules.items() for name in names.split()}


def importer(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return a ``__getattr__`` for a package, which imports the module that has a name.

    `homes` has the module of each name. A process then loads only what it uses.

    Examples
    --------
    >>> importer("mckp", {"dumps": "json"})("dumps").__module__
    'json'
    """

    def import_name(name: str) -> object:
        """Return what a name means, and keep it; raise `AttributeError` for other names."""
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return import_name

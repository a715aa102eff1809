"""Classes and methods under their former names, for one minor version."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


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
        """Return the class that had this name, and warn; raise `AttributeError` for other names."""
        if name not in new_names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        new_name = new_names[name]
        warnings.warn(f"{module}.{name} is {new_name} now", DeprecationWarning, stacklevel=2)
        return getattr(import_module(module), new_name)

    return find_renamed


def warn_of_method(former: str, current: str) -> None:
    """Warn the caller of a method that it has another name now."""
    warnings.warn(f"{former} is {current} now", DeprecationWarning, stacklevel=3)

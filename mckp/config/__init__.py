"""Configurations: files, profiles, what a session goes by, and which hints it may give.

The public names are imported when they are first used: a hook asks only where the files are.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mckp.config.config import SCHEMA_VERSION, Config
    from mckp.config.files import dumps, in_project, layered, load, loads, save
    from mckp.config.hints import HINTS, HintGate, HintRule, is_model
    from mckp.config.resolving import (
        EffectiveConfig,
        Endpoint,
        SessionContext,
        SessionStats,
        resolve,
    )

__all__ = [
    "HINTS",
    "SCHEMA_VERSION",
    "Config",
    "EffectiveConfig",
    "Endpoint",
    "HintGate",
    "HintRule",
    "SessionContext",
    "SessionStats",
    "dumps",
    "in_project",
    "is_model",
    "layered",
    "load",
    "loads",
    "resolve",
    "save",
]

_HOME: Final = {
    "Config": "config",
    "EffectiveConfig": "resolving",
    "Endpoint": "resolving",
    "HINTS": "hints",
    "HintGate": "hints",
    "HintRule": "hints",
    "SCHEMA_VERSION": "config",
    "SessionContext": "resolving",
    "SessionStats": "resolving",
    "dumps": "files",
    "is_model": "hints",
    "in_project": "files",
    "layered": "files",
    "load": "files",
    "loads": "files",
    "resolve": "resolving",
    "save": "files",
}


if not TYPE_CHECKING:  # type checkers are to find names that do not exist

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)

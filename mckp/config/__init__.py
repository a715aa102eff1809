"""Configurations: files, profiles, what a session goes by, and which hints it may give."""

from __future__ import annotations

from mckp.config.config import SCHEMA_VERSION, Config
from mckp.config.context import SessionContext, SessionStats
from mckp.config.effective import EffectiveConfig
from mckp.config.endpoints import Endpoint
from mckp.config.hints import HINTS, HintGate, HintRule
from mckp.config.inline import formats_for
from mckp.config.layers import layered
from mckp.config.models import is_model
from mckp.config.options import SessionOptions, session_options
from mckp.config.read import load, loads
from mckp.config.resolve import resolve
from mckp.config.write import dumps, save

__all__ = [
    "HINTS",
    "SCHEMA_VERSION",
    "Config",
    "EffectiveConfig",
    "Endpoint",
    "HintGate",
    "HintRule",
    "SessionContext",
    "SessionOptions",
    "SessionStats",
    "dumps",
    "formats_for",
    "is_model",
    "layered",
    "load",
    "loads",
    "resolve",
    "save",
    "session_options",
]

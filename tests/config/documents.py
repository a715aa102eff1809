"""Configurations that say something in every section, and one of keys that are no more."""

from pathlib import Path

_FILES = (Path(__file__).with_name(f"{name}.toml") for name in ("v1", "v2", "gone"))
V1, V2, GONE = (file.read_text("utf-8") for file in _FILES)

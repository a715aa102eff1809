"""Reads configuration files, one by one or in layers."""

from __future__ import annotations

import logging
import os
import tomllib
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config.checks import cut_middle, not_allowed_error, shown_value
from mckp.agents.config.config import SCHEMA_VERSION, Config
from mckp.agents.places import FOLDER, config_files, read_whole
from mckp.errors import ConfigError
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

_LOG: Final = logging.getLogger(__name__)
MAX_BYTES: Final = 1 << 20
"""The most bytes of a file; a configuration for many tools has a few kilobytes."""


def load(path: str | PathLike[str]) -> Config:
    """Read the configuration in a file; a missing file is read as an empty one.

    A file of version 1 is read with its present meaning.

    Raises
    ------
    ConfigError
        With the key and what is allowed, if the file is not a configuration, or is of a newer
        version.
    OSError
        If the file exists, but cannot be read.
    """
    return layered([path])


def loads(text: str | bytes, *, source: str = "") -> Config:
    r"""Read a configuration.

    Parameters
    ----------
    text : str or bytes
        TOML; bytes must be UTF-8.
    source : str, optional
        Where it came from, for messages.

    Raises
    ------
    ConfigError
        With the key and what is allowed, if it is not a configuration.

    Examples
    --------
    >>> loads("schema_version = 1\n[dedup]\nlru_size = 9\n").settings.lru_size
    9
    >>> loads("schema_version = 2\n[dedup]\nlru_sise = 9\n")
    Traceback (most recent call last):
        ...
    mckp.errors.ConfigError: dedup.lru_sise: unknown key 'lru_sise'; did you mean 'lru_size'? ...
    """
    return _table_and_config(text, source)[1]


def _table_and_config(text: str | bytes, source: str) -> tuple[dict[str, Any], Config]:
    """Return the table in a TOML text, without its ``schema_version``, and its configuration.

    Errors name `source`.
    """
    try:
        table = table_of(text)
        _check_version(table)
        table.pop("schema_version", None)
        return table, Config.of_table(table, origin_of(table, source))
    except ConfigError as error:
        raise ConfigError(error.message, key=error.key, source=source) from error.__cause__


def table_of(text: str | bytes) -> dict[str, Any]:
    """Parse a TOML document; raise a `ConfigError` if it is not valid, or too long."""
    size = len(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise ConfigError(f"the file has {size:,} bytes; the limit is {MAX_BYTES:,}")
    try:
        plain = text.decode() if isinstance(text, bytes) else text
        return tomllib.loads(plain.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"this is not valid TOML: {cut_middle(error)}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"this is not valid UTF-8: byte {error.start} cannot be decoded"
        ) from error
    except RecursionError as error:
        raise ConfigError("the tables or arrays are nested too deeply") from error
    except ValueError as error:  # a number or date that Python cannot hold
        raise ConfigError(f"a value cannot be read: {cut_middle(error)}") from error


def _check_version(table: dict[str, Any]) -> None:
    """Raise a `ConfigError` if a table that is not empty has no version, or an unknown one."""
    version = table.get("schema_version")
    if not table or (type(version) is int and version in (1, SCHEMA_VERSION)):
        return
    if version is None:
        message = f"the version is missing: begin the file with schema_version = {SCHEMA_VERSION}"
    elif type(version) is int and version > SCHEMA_VERSION:
        message = (
            f"version {shown_value(version)} is newer than {SCHEMA_VERSION}, the newest that this "
            f"mckp can read"
        )
        message += "; upgrade mckp, or rewrite the file"
    else:
        raise not_allowed_error("schema_version", version, f"1 or {SCHEMA_VERSION}")
    raise ConfigError(message, key="schema_version")


def layered(paths: Iterable[str | PathLike[str]]) -> Config:
    """Read several files as one configuration, in which a later file overrides earlier ones.

    They are merged key by key: a key that a later file lacks keeps its value from earlier files.
    An array is overridden as a whole.

    Parameters
    ----------
    paths : iterable of path-like
        From the most general to the most specific; missing files are skipped.

    Raises
    ------
    ConfigError
        If one of them, or all of them together, is not a valid configuration.
    OSError
        If a file exists, but cannot be read.
    """
    contents = _read_existing(paths)
    if len(contents) == 1:
        return next(iter(contents.values()))[1]
    origin: dict[str, str] = {}
    for file, (table, _) in contents.items():
        origin |= origin_of(table, str(file))
    return Config.of_table(
        reduce(merged_table, (table for table, _ in contents.values()), {}), origin
    )


def table_in(paths: Iterable[str | PathLike[str]]) -> dict[str, Any]:
    """Return the table that several files give together; each must be a valid configuration."""
    return reduce(merged_table, (table for table, _ in _read_existing(paths).values()), {})


def _read_existing(
    paths: Iterable[str | PathLike[str]],
) -> dict[Path, tuple[dict[str, Any], Config]]:
    """Return the table and the configuration of each file that exists."""
    files = [file for file in map(Path, paths) if file.exists()]
    return {file: _table_and_config(read_whole(file), str(file)) for file in files}


def in_project(project: Path, *, asked: bool = False) -> Config:
    """Return the configuration of a project, whose own file cannot turn telemetry on.

    The folder may come from someone else, and only the user may agree to telemetry: with
    ``telemetry.enabled`` in the user's file, with ``MCKP_TELEMETRY_DIR``, or with an option of a
    command (`asked`). Errors are those of `layered`.
    """
    files = config_files(project)
    config = layered(files)
    if asked or os.environ.get(FOLDER) or (telemetry := layered(files[:1]).telemetry).enabled:
        return config
    if config.telemetry.enabled:
        warning = (
            "no telemetry is written: %s asks for it, but only you may turn it on, in %s or with %s"
        )
        _LOG.warning(warning, files[-1], files[0], FOLDER)
    return replace(config, telemetry=telemetry)


def origin_of(table: dict[str, Any], file: str) -> dict[str, str]:
    """Return a dictionary from each section and key of a table to the file that it is in.

    Examples
    --------
    >>> origin_of({"mckp": {"budget": 900}}, "own.toml")
    {'mckp': 'own.toml', 'mckp.budget': 'own.toml'}
    """
    keys = [
        f"{name}.{key}" for name, section in table.items() if is_object(section) for key in section
    ]
    return dict.fromkeys([*table, *keys], file)


def merged_table(base: dict[str, Any], top: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of the table `base` in which the keys of `top` override its own, at any depth.

    Examples
    --------
    >>> merged_table({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}})
    {'a': {'b': 3, 'c': 2}}
    """
    joined = dict(base)
    for name, value in top.items():
        base_value = joined.get(name)
        are_tables = is_object(base_value) and is_object(value)
        joined[name] = merged_table(base_value or {}, value) if are_tables else value
    return joined

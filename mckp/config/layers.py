"""One configuration over another: that of a project over that of its user."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mckp.config.config import Config
from mckp.config.read import loads, table_of
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike


def layered(paths: Iterable[str | PathLike[str]]) -> Config:
    """Read several files as one configuration, the later before the earlier.

    Key by key, not section by section: what a later file does not say stays as the earlier
    ones have it. Values of arrays are one value.

    Parameters
    ----------
    paths : iterable of path-like
        From the most general to the most particular; those that are not there say nothing.

    Raises
    ------
    ConfigError
        If one of them is no configuration, or they are none together.

    Examples
    --------
    >>> layered(["/nowhere/config.toml"]) == Config()
    True
    """
    table: dict[str, Any] = {}
    for path in paths:
        file = Path(path)
        if file.exists():
            text = file.read_bytes()
            loads(text, source=str(file))  # a message that names the file
            table = _over(table, table_of(text))
    table.pop("schema_version", None)
    return Config.of_table(table)


def _over(base: dict[str, Any], top: dict[str, Any]) -> dict[str, Any]:
    joined = dict(base)
    for name, value in top.items():
        below = joined.get(name)
        both = is_object(below) and is_object(value)
        joined[name] = _over(below or {}, value) if both else value
    return joined

"""Writing configurations: only what changed, with the comments of what was there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mckp.config.atomic import write_atomically
from mckp.config.config import SCHEMA_VERSION, Config
from mckp.config.read import loads
from mckp.errors import ConfigError, MissingExtraError
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from os import PathLike

_HEAD = f"schema_version = {SCHEMA_VERSION}\n"
_STUCK = "the file cannot be changed in place; move it away and save again"


def save(config: Config, path: str | PathLike[str]) -> None:
    """Write a configuration to a file, as a whole or not at all.

    Comments, order and blank lines of a file that is there stay; a file of version 1 becomes
    one of version 2. Needs the extra ``config``.

    Parameters
    ----------
    config : Config
        What to write.
    path : path-like
        The file.

    Raises
    ------
    ConfigError
        If the file that is there is no configuration: it is not overwritten.
    OSError
        If it cannot be written; then it is as it was.
    """
    file = Path(path)
    try:
        there = file.read_bytes()
    except FileNotFoundError:
        there = b""
    loads(there, source=str(file))
    # Bytes all along, so that the ends of lines stay as they are.
    write_atomically(file, dumps(config, there.decode("utf-8-sig")).encode())


def dumps(config: Config, there: str = "") -> str:
    r"""Return the text of a configuration.

    Parameters
    ----------
    config : Config
        What to write; defaults are left out.
    there : str, optional
        A configuration whose comments and order stay.

    Raises
    ------
    ConfigError
        If `there` is no configuration, or is written so that it cannot be changed in place.
    MissingExtraError
        Without tomlkit.

    Examples
    --------
    >>> from mckp.config import Config, loads
    >>> old = "schema_version = 1\n# many repeats\n[dedup]\nlru_size = 9  # was 5\n"
    >>> print(dumps(loads(old.replace("9", "7")), old))
    schema_version = 2
    # many repeats
    [dedup]
    lru_size = 7  # was 5
    <BLANKLINE>
    """
    old, new = loads(there).to_table(), config.to_table()
    for keeping in (True, False):  # sections that are empty now, with their comments
        text = _changed(there or _HEAD, old, new, keeping)
        if loads(text) == config:
            return text
    raise ConfigError(_STUCK)


def _changed(text: str, old: dict[str, Any], new: dict[str, Any], keeping: bool) -> str:
    try:
        import tomlkit
        from tomlkit.exceptions import TOMLKitError
    except ImportError:
        raise MissingExtraError("tomlkit", "config") from None
    try:
        document = tomlkit.parse(text)
        document["schema_version"] = SCHEMA_VERSION
        _put(document, old, new, keeping)
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, ValueError, AttributeError) as error:
        # What tomllib reads and tomlkit cannot change: dotted keys that meet tables, mostly.
        raise ConfigError(_STUCK) from error


def _put(container: Any, old: dict[str, Any], new: dict[str, Any], keeping: bool) -> None:
    """Change what differs; what is the same stays as it is written."""
    for name in dict.fromkeys([*old, *new]):
        before: Any = old.get(name)
        value: Any = new.get(name)
        if value is None and keeping and is_object(before):
            value = {}
        if before == value:
            continue
        there: Any = container.get(name)
        if is_object(value) and is_object(there):
            said: dict[str, Any] = before if is_object(before) else {}
            _put(there, said, value, keeping)
        elif value is None:
            del container[name]
        else:
            container[name] = value

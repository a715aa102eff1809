"""Checks of settings: each returns the meaning of a value, or raises what is wrong with it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import field, fields
from fnmatch import fnmatchcase
from functools import cache
from reprlib import Repr
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast, get_args, get_type_hints

from mckp.errors import ConfigError, PatternError, did_you_mean
from mckp.regexes import regex
from mckp.weights.patterns import read_pattern

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

Check: TypeAlias = Callable[[Any, str], Any]
"""Takes a value and its key; returns its meaning, or raises a `ConfigError` with the key."""

_LOG: Final = logging.getLogger(__name__)
_REMOVED_KEYS: Final = (
    *("templates", "dedup.hint_verbosity", "hints.default_verbosity", "hints.types.delta"),
    *(f"hints.types.{name}" for name in ("timestamp_ref", "schema_explainer")),
    *("hints.types.inline_format_hint", "profiles.agent.auto_detect_window"),
    *(f"profiles.tokenizer.*.{name}" for name in ("chars_per_token", "inline_json_cost")),
    *("profiles.tokenizer.*.toon_overhead", "profiles.llm.*.prefer_explicit_keys"),
    *("profiles.llm.*.max_inline_nested", "profiles.agent.*.recursion*"),
    *("profiles.agent.*.hint_aggr*",),
    *("mckp.shape_thresholds", "mckp.recursion_depth"),
    *("endpoint_overrides.*.lru_size", "endpoint_overrides.*.template_id"),
    *("telemetry.sample_rate", "telemetry.flush_every_n", "telemetry.rotate_mib"),
    *("telemetry.share_endpoints_with_team", "telemetry.team_salt", "telemetry.session_days"),
)
"""Keys of earlier versions; a file with them is read, but they are ignored with a warning."""

MAX_TEXT_CHARS: Final = 4096
"""The most characters of a string; the longest strings are paths."""

SHOWN_CHARS: Final = 80
"""The characters at each end of a long name or message that are shown."""

_BARE: Final = regex(r"[A-Za-z0-9_-]+")
_SHORT: Final = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 40
_SHORT.maxlevel = 2


def subkey(key: str, name: str) -> str:
    """Return the path of the key `name` in the table `key`, with quotes where TOML requires them.

    The path is for messages, so a long name is shortened.

    Examples
    --------
    >>> subkey("endpoint_overrides", "a.b"), subkey("", "dedup")
    ('endpoint_overrides."a.b"', 'dedup')
    """
    name = cut_middle(name)
    step = name if _BARE.fullmatch(name) else '"' + name.replace('"', '\\"') + '"'
    return f"{key}.{step}" if key else step


def shown_value(value: Any) -> str:
    """Return a value as a message shows it, shortened if it is long.

    Examples
    --------
    >>> shown_value("x" * 99), shown_value(1 << 99999)
    ("'xxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxx'", 'a number of 100000 bits')
    """
    if isinstance(value, int) and value.bit_length() > 1000:  # Python refuses to print longer ones
        return f"a number of {value.bit_length()} bits"
    try:
        return _SHORT.repr(value)
    except ValueError:
        return f"a {type(value).__name__}"


def not_allowed_error(key: str, value: Any, allowed: str) -> ConfigError:
    """Return the error for a value that is not allowed; `allowed` describes what is."""
    return ConfigError(f"{shown_value(value)} is not allowed; expected {allowed}", key=key)


def unknown_name_error(key: str, name: str, known: Iterable[str], noun: str = "key") -> ConfigError:
    """Return the error for an unknown name; its message lists the known ones.

    It suggests one that is similar, if there is one. `noun` says what is named.
    """
    names = list(known)
    advice = did_you_mean(name, names)
    message = (
        f"unknown {noun} {shown_value(name)}{advice and ';'}{advice} (known: {', '.join(names)})"
    )
    return ConfigError(message, key=key)


def cut_middle(message: object) -> str:
    """Return a message or name as text; if it is long, its middle is left out.

    The end is kept because it often names a place.
    """
    text, size = str(message), SHOWN_CHARS
    return text if len(text) <= 2 * size else f"{text[:size]}...{text[-size:]}"


def flag(value: Any, key: str) -> bool:
    """Return a value that is true or false; raise a `ConfigError` for any other, such as 1.

    Examples
    --------
    >>> flag(1, "dedup.near_ref_enabled")
    Traceback (most recent call last):
        ...
    mckp.errors.ConfigError: dedup.near_ref_enabled: 1 is not allowed; expected true or false
    """
    if not isinstance(value, bool):
        raise not_allowed_error(key, value, "true or false")
    return value


def number(least: float, most: float = 10**15, kind: type[float] = float) -> Check:
    """Return the check for a number from `least` to `most`, which is whole if `kind` is int.

    Examples
    --------
    >>> number(0, 1000)(1, "salience.Read.title")
    1.0
    >>> number(1, 99, int)(0, "dedup.lru_size")
    Traceback (most recent call last):
        ...
    mckp.errors.ConfigError: dedup.lru_size: 0 is not allowed; expected a whole number from 1 to 99
    """
    allowed = f"a {'whole ' if kind is int else ''}number from {least} to {most}"

    def read(value: Any, key: str) -> float:
        """Return a number as `kind`; raise a `ConfigError` for anything else."""
        is_number = isinstance(value, int if kind is int else (int, float))
        if not is_number or isinstance(value, bool) or not least <= value <= most:
            raise not_allowed_error(key, value, allowed)
        return kind(value)

    return read


def text(value: Any, key: str) -> str:
    """Return a string of one line that is neither empty nor very long.

    A `ConfigError` is raised for anything else.
    """
    has_length = isinstance(value, str) and 0 < len(value) <= MAX_TEXT_CHARS
    if not has_length or not value.isprintable():
        raise not_allowed_error(
            key, value, f"a string of 1 to {MAX_TEXT_CHARS} printable characters"
        )
    return str(value)


def string(value: Any, key: str) -> str:
    """Return a value that is a string; raise a `ConfigError` for any other."""
    if not isinstance(value, str):
        raise not_allowed_error(key, value, "a string")
    return value


def one_of(names: Iterable[str], aliases: Mapping[str, str] | None = None) -> Check:
    """Return the check for one of the given names, or an alias; it returns the name.

    Examples
    --------
    >>> one_of(("json", "csv"), {"csv_from_md": "csv"})("csv_from_md", "format")
    'csv'
    """
    known, names_of_aliases = tuple(names), aliases or {}

    def read(value: Any, key: str) -> str:
        """Return a name, or what an alias means; raise a `ConfigError` for anything else."""
        if not isinstance(value, str):
            raise not_allowed_error(key, value, f"one of {', '.join(known)}")
        meant = names_of_aliases.get(value, value)
        if meant not in known:
            raise unknown_name_error(key, value, known, "name")
        return meant

    return read


def array_of(check: Check, least: int = 0) -> Check:
    """Return the check for an array of `least` or more values, each of which passes `check`.

    It returns the values without repeats.

    Examples
    --------
    >>> array_of(number(0, 9, int))([1, 2, 1], "numbers")
    (1, 2)
    """

    def read(value: Any, key: str) -> tuple[Any, ...]:
        """Return the checked values; raise a `ConfigError` if one is wrong."""
        if not isinstance(value, list | tuple) or len(items := cast("list[Any]", value)) < least:
            raise not_allowed_error(key, value, f"an array of {least} or more values")
        return tuple(
            dict.fromkeys(check(item, f"{key}[{index}]") for index, item in enumerate(items))
        )

    return read


def pattern(value: Any, key: str) -> str:
    """Return a value that is a path pattern; raise a `ConfigError` for any other.

    Examples
    --------
    >>> by_name(number(0, 9), pattern)({"a[": 2}, "salience.Read")
    Traceback (most recent call last):
        ...
    mckp.errors.ConfigError: salience.Read."a[": 'a[' is not allowed; expected a path such as ...
    """
    try:
        read_pattern(value)
    except PatternError:
        raise not_allowed_error(key, value, "a path such as items[*].name") from None
    return str(value)


def by_name(check: Check, check_name: Check = string) -> Check:
    """Return the check for a table whose values pass `check`, and whose names `check_name`."""

    def read(value: Any, key: str) -> dict[str, Any]:
        """Return the checked table; raise a `ConfigError` if a name or a value is wrong."""
        members = [(subkey(key, name), name, item) for name, item in as_table(value, key).items()]
        return {check_name(name, place): check(item, place) for place, name, item in members}

    return read


def section(checks: Mapping[str, Check]) -> Check:
    """Return the check for a table with known keys, each with its own check.

    Keys of earlier versions that no longer mean anything are left out, with a warning.
    """

    def read(value: Any, key: str) -> dict[str, Any]:
        """Return the checked table; raise a `ConfigError` if a key is unknown or a value wrong."""
        members = {
            name: content
            for name, content in as_table(value, key).items()
            if not is_removed(key, name)
        }
        if wrong := [name for name in members if name not in checks]:
            raise unknown_name_error(subkey(key, wrong[0]), wrong[0], checks)
        return {name: checks[name](content, subkey(key, name)) for name, content in members.items()}

    return read


def is_removed(key: str, name: str) -> bool:
    """Whether the setting `name` in the table `key` no longer exists; if so, warn of it."""
    place = subkey(key, name)
    matches = any(fnmatchcase(place, pattern) for pattern in _REMOVED_KEYS)
    if matches:
        _LOG.warning("%s is ignored: this setting no longer exists", place)
    return matches


def as_table(value: Any, key: str) -> dict[str, Any]:
    """Return a table as a dict; raise a `ConfigError` for other values or keys of other types."""
    if not isinstance(value, Mapping):
        raise not_allowed_error(key, value, "a table")
    table = dict(cast("dict[Any, Any]", value))
    if wrong := [name for name in table if not isinstance(name, str)]:
        raise not_allowed_error(key, wrong[0], "only strings as keys")
    return table


def checked_field(default: Any, check: Check) -> Any:
    """Return a dataclass field with a check; `default` is a value, or a function that makes one."""
    if callable(default):
        return field(default_factory=default, metadata={"check": check})
    return field(default=default, metadata={"check": check})


def checks_of(kind: type[Any]) -> dict[str, Check]:
    """Return the checks of a dataclass's fields by name; `checked_field` made each field."""
    return {field.name: field.metadata["check"] for field in fields(kind)}


def checked_values(checks: Mapping[str, Check], table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a table, each after its check; all of its keys must have one."""
    return {name: checks[name](value, name) for name, value in table.items()}


def check_types(record: Any) -> None:
    """Raise a `TypeError` if a field of a dataclass object, read from a file, has a wrong type.

    The types are classes, and unions of them.

    Examples
    --------
    >>> from mckp.agents.session.record import Savings
    >>> check_types(Savings("o200k", exact=True, hits="3"))
    Traceback (most recent call last):
        ...
    TypeError: hits='3' has the wrong type
    """
    for name, kind in _field_types(cast("Hashable", type(record))).items():
        value = getattr(record, name)
        if type(value) not in (get_args(kind) or (kind,)):
            raise TypeError(f"{name}={shown_value(value)} has the wrong type")


@cache
def _field_types(kind: Hashable) -> dict[str, Any]:
    """Return the type of each field of a dataclass, by name."""
    return get_type_hints(kind)

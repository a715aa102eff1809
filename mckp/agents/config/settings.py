"""What a session may do: knobs with their defaults, checked."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Final, cast, get_args, get_origin, get_type_hints

from mckp.agents.config.checks import below, shown
from mckp.budgets import checked_budget
from mckp.errors import UnknownNameError
from mckp.jsontext import is_array, is_object
from mckp.weights.priority import Priorities

_WORDS: Final[dict[Any, str]] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a str",
    NoneType: "None",
}
_NUMBERS: Final[dict[Any, type]] = {int: Integral, float: Real}


def check_fields(record: Any, name: str = "") -> None:
    """Raise where a field holds something else than its annotation says.

    Examples
    --------
    >>> from mckp.agents.session.record import Savings
    >>> check_fields(Savings("o200k", exact=True))
    >>> check_fields(Savings("o200k", exact=True, hits="3"))
    Traceback (most recent call last):
        ...
    TypeError: hits='3' is not allowed; expected a whole number
    """
    for member, kind in _kinds(cast("Hashable", type(record))).items():
        _check(getattr(record, member), kind, below(name, member))


@cache
def _kinds(record: Hashable) -> dict[str, Any]:
    return get_type_hints(cast("type", record), localns={"Mapping": Mapping})


def _check(value: Any, kind: Any, name: str) -> None:
    if isinstance(value, Mapping) and (values := _values(kind)) is not None:
        for key, each in _items(value):
            _check(key, str, f"a name in {name}")
            _check(each, values, below(name, key))
    elif not _is_of(value, kind):
        raise TypeError(f"{name}={shown(value)} is not allowed; expected {_said(kind)}")
    elif is_dataclass(kind):
        check_fields(value, name)


def _items(value: Any) -> list[tuple[Any, Any]]:
    return list(value.items())


def _values(kind: Any) -> Any:
    """Return what the values of a mapping are; None for other types."""
    return get_args(kind)[1] if get_origin(kind) in (Mapping, dict) else None


def _is_of(value: Any, kind: Any) -> bool:
    if kind is Any:
        return True
    if isinstance(kind, UnionType):
        return any(_is_of(value, each) for each in get_args(kind))
    if get_origin(kind) is tuple:
        each = get_args(kind)[0]
        several = isinstance(value, tuple | list)
        return several and all(_is_of(item, each) for item in cast("tuple[Any, ...]", value))
    if kind in _NUMBERS:
        return isinstance(value, _NUMBERS[kind]) and not isinstance(value, bool)
    return get_origin(kind) is None and isinstance(value, kind)


def _said(kind: Any) -> str:
    if isinstance(kind, UnionType):
        return " or ".join(map(_said, get_args(kind)))
    if get_origin(kind) is tuple:
        return f"a tuple, each of it {_said(get_args(kind)[0])}"
    if _values(kind) is not None:
        return "a mapping from names"
    return _WORDS.get(kind) or f"a {kind.__name__}"


TEMPLATES: Final = {
    "csv_from_md": ("csv",),
    "pipeline_deep_mckp": ("json",),
    "mr_diff_fence": ("fence", "kv", "json"),
    "deep_mckp_with_inner_table": ("mckp_v2", "json"),
    "mckp_v2": ("mckp_v2", "json"),
}
"""Templates, each as the formats that it stands for; none of them loses anything here."""

ACTIVE: Final = ("csv_from_md", "pipeline_deep_mckp", "mr_diff_fence")
"""Templates that are active where nothing is said."""

VERBOSITIES: Final = ("terse", "standard", "verbose")
"""How often a reference is explained in words."""


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """The knobs of a session.

    Attributes
    ----------
    lru_size : int
        Texts of a context that an exact repeat may refer to.
    enabled_per_endpoint : mapping of str to bool
        Whether repeats of a tool's results become references; absent is yes.
    hint_verbosity : str
        Whether a reference is explained in words: ``terse`` never, ``standard`` the first one
        of a context, ``verbose`` each.
    near_ref_enabled : bool
        Whether near repeats become references with a delta.
    min_body_chars : int
        Bytes below which a result is sent as it came, and never referred to.
    min_body_per_endpoint : mapping of str to int
        The same for some tools.
    active_templates : tuple of str
        Templates that are tried on what they are made for.
    endpoint_overrides : mapping of str to str
        The one template that a tool's results may take.
    salience : mapping of str to mapping
        By tool, factors on what the fields of its results are worth within a budget, by path; see
        `mckp.weights.Priorities`.
    recursion_depth : int
        How deep in JSON values strings are looked at for what they hold.
    preferred_formats : mapping of str to str
        By the beginnings of tools' names, the longest of which decides: the one format that
        the knapsack has for their results.
    formats : str or tuple of str
        Formats of the knapsack, as `mckp.encode` takes them.
    labels : bool
        Whether results get a label, without which nothing can refer to them.
    labels_raw : bool
        Whether what is sent as it came gets a label, so that repeats can refer to it.
    budget : int or None
        Tokens that a response may have.
    invalidates : mapping of str to tuple of str
        Tools after whose calls results of other tools are no longer referred to.
    max_bytes : int
        Memory for texts that can be recalled; the newest is kept in any case.
    salt : str
        A secret of this installation, so that hashes in events tell others nothing.

    Raises
    ------
    TypeError, ValueError
        For what is not of its type, or out of its range.
    """

    lru_size: int = 5
    enabled_per_endpoint: Mapping[str, bool] = field(default_factory=dict[str, bool])
    hint_verbosity: str = "standard"
    near_ref_enabled: bool = False
    min_body_chars: int = 200
    min_body_per_endpoint: Mapping[str, int] = field(default_factory=dict[str, int])
    active_templates: tuple[str, ...] = ACTIVE
    endpoint_overrides: Mapping[str, str] = field(default_factory=dict[str, str])
    salience: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, dict[str, float]])
    recursion_depth: int = 5
    preferred_formats: Mapping[str, str] = field(default_factory=dict[str, str])
    formats: str | tuple[str, ...] = "native"
    labels: bool = True
    labels_raw: bool = True
    budget: int | None = None
    invalidates: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    max_bytes: int = 1 << 26
    salt: str = ""

    def __post_init__(self) -> None:
        checked_budget(self.budget)
        check_fields(self)
        if self.lru_size < 1:
            raise ValueError(f"lru_size={self.lru_size} keeps no text; use 1 or more")
        for name in _NOT_NEGATIVE:
            if getattr(self, name) < 0:
                raise ValueError(f"{name}={getattr(self, name)} is not allowed; expected 0 or more")
        if self.hint_verbosity not in VERBOSITIES:
            known = ", ".join(VERBOSITIES)
            raise ValueError(f"hint_verbosity={self.hint_verbosity!r} is none of {known}")
        for factors in self.salience.values():
            Priorities(factors)

    def may_refer(self, tool: str) -> bool:
        """Whether repeats of a tool's results become references."""
        return self.enabled_per_endpoint.get(tool, True)

    def least_body(self, tool: str) -> int:
        """Return the bytes below which a tool's results are sent as they came."""
        return self.min_body_per_endpoint.get(tool, self.min_body_chars)

    def preferred(self, tool: str) -> str | None:
        """Return the one format for a tool's results; None for no wish.

        Examples
        --------
        >>> SessionSettings(preferred_formats={"mcp__ci__": "csv"}).preferred("mcp__ci__get_jobs")
        'csv'
        """
        fitting = [name for name in self.preferred_formats if tool.startswith(name)]
        return self.preferred_formats[max(fitting, key=len)] if fitting else None

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain data that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SessionSettings:
        """Return the settings that `to_dict` wrote.

        Raises
        ------
        TypeError, ValueError
            For what is no setting, or not of its type, or out of its range.
        """
        if not is_object(data):
            raise TypeError(f"settings are a mapping from names, not {type(data).__name__}")
        plain = {name: _untold(value) for name, value in data.items() if name not in _GONE}
        known = [each.name for each in fields(cls)]
        if wrong := [name for name in plain if name not in known]:
            raise UnknownNameError("setting of a session", wrong[0], known)
        return cls(**plain)


_GONE: Final = frozenset(
    """
    near_window least_gain inline_json_cost max_inline_nested shape_thresholds sample_rate
    flush_every_n model hints tool_salt
    """.split()  # noqa: SIM905
)
"""Settings of earlier versions, which sessions that were kept may still have."""

_NOT_NEGATIVE: Final = ("min_body_chars", "recursion_depth", "max_bytes")


def _untold(value: Any) -> Any:
    """Return tuples for the arrays of JSON."""
    if is_object(value):
        return {name: _untold(each) for name, each in value.items()}
    return tuple(value) if is_array(value) else value

"""What a session may do: knobs with their defaults, checked, and read from a configuration."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from functools import cache
from math import inf
from numbers import Integral, Real
from sys import maxsize
from types import MappingProxyType, NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, cast, get_args, get_origin, get_type_hints

from mckp.config.checks import below, shown
from mckp.config.hints import HINTS, VERBOSITIES, HintRule
from mckp.config.profiles import ACTIVE
from mckp.errors import UnknownNameError
from mckp.jsontext import is_array, is_object
from mckp.limits import checked_budget
from mckp.weights.priority import Priorities

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mckp.config.resolving import EffectiveConfig

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
    >>> from mckp.session.record import Savings
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


THRESHOLDS: Final[Mapping[str, float]] = MappingProxyType({"markdown_table_min_cols": 2})
"""The least columns of a table for `csv_from_md`.

``array_of_objects_min_items`` and ``array_of_objects_min_key_stability`` may say where CSV is
tried, ``flat_object_min_fields`` where lines of keys and values are. By default tokens decide.
"""


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
    near_window : int or None
        How many of the newest texts of a context a near repeat is looked for in; None for all.
    least_gain : float
        What a reference to the same text has to save, as a multiple of its tokens.
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
    inline_json_cost, max_inline_nested : float, int
        What JSON in cells of tables costs the model as a multiple of its tokens; where that is
        above 1, formats that write it are left out for cells of more characters than this.
    shape_thresholds : mapping of str to number
        See `THRESHOLDS`.
    sample_rate : float
        Share of events that a sink keeps; the session makes all of them.
    flush_every_n : int
        Events after which a sink writes.
    labels_raw : bool
        Whether what is sent as it came gets a label, so that repeats can refer to it.
    budget : int or None
        Tokens that a response may have.
    model : str or None
        Who reads; see `HintRule`.
    hints : mapping of str to HintRule
        By type: ``reference``, ``near_ref``, ``label``; where absent, `mckp.config.hints.HINTS`.
    invalidates : mapping of str to tuple of str
        Tools after whose calls results of other tools are no longer referred to.
    max_bytes : int
        Memory for texts that can be recalled; the newest is kept in any case.
    salt : str
        A secret of this installation, so that hashes in events tell others nothing.
    tool_salt : str or None
        A secret of a team, for the names of servers alone.

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
    near_window: int | None = None
    least_gain: float = 1.0
    active_templates: tuple[str, ...] = ACTIVE
    endpoint_overrides: Mapping[str, str] = field(default_factory=dict[str, str])
    salience: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, dict[str, float]])
    recursion_depth: int = 5
    preferred_formats: Mapping[str, str] = field(default_factory=dict[str, str])
    formats: str | tuple[str, ...] = "native"
    inline_json_cost: float = 1.0
    max_inline_nested: int = 256
    shape_thresholds: Mapping[str, float] = field(default_factory=lambda: dict(THRESHOLDS))
    sample_rate: float = 1.0
    flush_every_n: int = 25
    labels_raw: bool = True
    budget: int | None = None
    model: str | None = None
    hints: Mapping[str, HintRule] = field(default_factory=dict[str, HintRule])
    invalidates: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    max_bytes: int = 1 << 26
    salt: str = ""
    tool_salt: str | None = None

    def __post_init__(self) -> None:
        checked_budget(self.budget)
        check_fields(self)
        if self.lru_size < 1:
            raise ValueError(f"lru_size={self.lru_size} keeps no text; use 1 or more")
        for name, most in _RANGES.items():
            _check_range(name, getattr(self, name), most)
        if self.hint_verbosity not in VERBOSITIES:
            known = ", ".join(VERBOSITIES)
            raise ValueError(f"hint_verbosity={self.hint_verbosity!r} is none of {known}")
        for factors in self.salience.values():
            Priorities(factors)
        if wrong := [kind for kind in self.hints if kind not in HINTS]:
            raise UnknownNameError("type of hint", wrong[0], HINTS)

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
        plain = {name: _untold(value) for name, value in data.items()}
        known = [each.name for each in fields(cls)]
        if wrong := [name for name in plain if name not in known]:
            raise UnknownNameError("setting of a session", wrong[0], known)
        if is_object(rules := plain.get("hints")):
            plain["hints"] = {name: _rule(rule) for name, rule in rules.items()}
        return cls(**plain)


_RANGES: Final = {
    **dict.fromkeys(("min_body_chars", "recursion_depth", "max_inline_nested"), inf),
    **dict.fromkeys(("max_bytes", "flush_every_n", "least_gain", "inline_json_cost"), inf),
    "near_window": maxsize,
    "sample_rate": 1,
}
"""The most that numbers may be; the least is 0."""


def _check_range(name: str, value: float | None, most: float) -> None:
    if value is not None and not 0 <= value <= most:
        allowed = "0 or more" if most == inf else f"0 to {most}"
        raise ValueError(f"{name}={value!r} is not allowed; expected {allowed}")


def _untold(value: Any) -> Any:
    """Return tuples for the arrays of JSON."""
    if is_object(value):
        return {name: _untold(each) for name, each in value.items()}
    return tuple(value) if is_array(value) else value


def _rule(data: Any) -> Any:
    known = {each.name for each in fields(HintRule)}
    return HintRule(**data) if is_object(data) and data.keys() <= known else data


def settings_of(
    effective: EffectiveConfig,
    tools: Iterable[Sequence[str]] = (),
    *,
    salt: str = "",
    budget: int | None = None,
) -> SessionSettings:
    """Return the settings that a configuration asks for.

    Parameters
    ----------
    effective : EffectiveConfig
        What `mckp.config.resolve` found.
    tools : iterable of sequence of str
        The names of each tool that there is, its own first.
    salt, budget
        As for `mckp.session.settings_for`.
    """
    config, telemetry = effective.endpoints.config, effective.telemetry
    enabled = dict(config.dedup.enabled_per_endpoint)
    templates, preferred, least = dict[str, str](), dict[str, str](), dict[str, int]()
    # All names, so that a template of a profile is known to who only looks at this table.
    salience = dict[str, dict[str, float]]()
    named = {"", *config.salience, *config.templates.endpoint_overrides, *config.endpoint_overrides}
    named |= {each.pattern for each in config.profiles.data.all().values()}
    for names in (*([name] for name in sorted(named)), *tools):
        tool, endpoint = names[0], effective.endpoint(*names)
        if not endpoint.dedup_enabled or tool in enabled:
            enabled[tool] = endpoint.dedup_enabled
        if endpoint.template_id is not None:
            templates[tool] = endpoint.template_id
        if endpoint.salience:
            salience[tool] = endpoint.salience
        if endpoint.preferred_format is not None:
            preferred[tool] = endpoint.preferred_format
        if endpoint.min_body_chars != config.dedup.min_body_chars:
            least[tool] = endpoint.min_body_chars
    return SessionSettings(
        lru_size=effective.lru_size,
        enabled_per_endpoint=enabled,
        hint_verbosity=effective.hint_verbosity,
        near_ref_enabled=effective.near_ref_enabled,
        min_body_chars=config.dedup.min_body_chars,
        min_body_per_endpoint=least,
        near_window=effective.near_window,
        least_gain=effective.least_gain,
        active_templates=effective.templates,
        endpoint_overrides=templates,
        salience=salience,
        recursion_depth=effective.recursion_depth,
        preferred_formats=preferred,
        formats=effective.formats,
        inline_json_cost=effective.tokenizer.inline_json_cost,
        max_inline_nested=effective.llm.max_inline_nested,
        shape_thresholds=asdict(effective.thresholds),
        sample_rate=telemetry.sample_rate,
        flush_every_n=telemetry.flush_every_n,
        budget=effective.llm.context if budget is None and effective.knows_reader else budget,
        model=effective.model_id,
        hints=effective.hints,
        salt=salt,
        tool_salt=telemetry.team_salt if telemetry.share_endpoints_with_team else None,
    )

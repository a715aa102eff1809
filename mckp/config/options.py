"""What a session needs of a configuration, as plain data that it can be handed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from mckp.config.profiles import AUTO, INLINE, TEMPLATES, expanded
from mckp.jsontext import dumped, is_array, is_container, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.config.config import Telemetry
    from mckp.config.hints import HintRule
    from mckp.config.resolving import EffectiveConfig


def suiting(formats: str | tuple[str, ...], value: Any, most: int) -> tuple[str, ...]:
    """Return formats without those that write long JSON in cells, if a value has such cells.

    Examples
    --------
    >>> suiting(("csv", "json"), [{"tags": ["a", "b"]}], 4)
    ('json',)
    """
    names = (formats,) if isinstance(formats, str) else formats
    if not any(len(dumped(each)) > most for each in nested_cells(value)):
        return names
    left = tuple(name for name in expanded(names) if name not in INLINE)
    return left or ("json",)


def nested_cells(value: Any) -> Iterator[Any]:
    """Yield every array and object that is a member of a record of an array.

    Examples
    --------
    >>> list(nested_cells({"jobs": [{"id": 1, "tags": ["a"]}]}))
    [['a']]
    """
    open_ = [value]
    while open_:
        found = open_.pop()
        if is_object(found):
            open_.extend(found.values())
        elif is_array(found):
            records = [each for each in found if is_object(each)]
            members = (each for record in records for each in record.values())
            yield from (each for each in members if each and is_container(each))
            open_.extend(found)


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """Knobs under the names that a session has for them; see `EffectiveConfig`.

    Attributes
    ----------
    tokenizer : str
        A name that `mckp.tokenizers.get` knows.
    per_endpoint : dict
        Only what differs: sizes and templates by tool.
    preferred_formats : dict
        Formats by the beginnings of tools' names; the longest that fits decides.
    context_tokens : int
        Tokens that the model reads at most.
    tool_salt : str or None
        What names of servers are hashed with in telemetry, if a team shares its figures.
    inline_json_cost, max_inline_nested
        From which size on, and if at all, JSON in cells costs more than its tokens; see
        `suiting`.
    """

    model: str | None
    tokenizer: str
    context_tokens: int
    lru_size: int
    enabled_per_endpoint: dict[str, bool]
    hint_verbosity: str
    near_ref_enabled: bool
    near_window: int
    min_body_chars: int
    active_templates: tuple[str, ...]
    endpoint_overrides: dict[str, str]
    per_endpoint: dict[str, dict[str, Any]]
    preferred_formats: dict[str, str]
    recursion_depth: int
    formats: tuple[str, ...]
    inline_json_cost: float
    max_inline_nested: int
    shape_thresholds: dict[str, float]
    sample_rate: float
    flush_every_n: int
    tool_salt: str | None
    least_gain: float
    hints: dict[str, HintRule]


def session_options(effective: EffectiveConfig) -> SessionOptions:
    """Return what a session needs.

    Examples
    --------
    >>> from mckp.config import Config, SessionContext, resolve
    >>> options = session_options(resolve(Config(), SessionContext("gpt-4o")))
    >>> options.tokenizer, options.lru_size, options.hint_verbosity
    ('o200k', 5, 'standard')
    """
    config = effective.endpoints.config
    # All names, so that a template of a profile is known to who only looks at this table.
    named = {*config.templates.endpoint_overrides, *config.endpoint_overrides}
    named |= {each.pattern for each in config.profiles.data.all().values()}
    found = {name: effective.endpoint(name) for name in sorted(named)}
    templates = {name: each.template_id for name, each in found.items() if each.template_id}
    switched = {name: each.dedup_enabled for name, each in found.items()}
    return SessionOptions(
        model=effective.model_id,
        tokenizer=effective.tokenizer.counter(),
        context_tokens=effective.llm.context,
        lru_size=effective.lru_size,
        enabled_per_endpoint={**config.dedup.enabled_per_endpoint, **_off(switched)},
        hint_verbosity=effective.hint_verbosity,
        near_ref_enabled=effective.near_ref_enabled,
        near_window=effective.near_window,
        min_body_chars=config.dedup.min_body_chars,
        active_templates=effective.templates,
        endpoint_overrides=templates,
        per_endpoint={name: _said(asdict(found[name])) for name in config.endpoint_overrides},
        preferred_formats=_preferred(effective),
        recursion_depth=effective.recursion_depth,
        formats=effective.formats,
        inline_json_cost=effective.tokenizer.inline_json_cost,
        max_inline_nested=effective.llm.max_inline_nested,
        shape_thresholds=asdict(effective.thresholds),
        sample_rate=effective.telemetry.sample_rate,
        flush_every_n=effective.telemetry.flush_every_n,
        tool_salt=_tool_salt(effective.telemetry),
        least_gain=effective.least_gain,
        hints=effective.hints,
    )


def _preferred(effective: EffectiveConfig) -> dict[str, str]:
    axis = effective.endpoints.config.profiles.data
    if axis.active != AUTO:  # for all tools
        name = axis.all()[axis.active].preferred_format
        return {"": name} if name and name not in TEMPLATES else {}
    named = {each.pattern: each.preferred_format for each in axis.all().values()}
    return {each: name for each, name in sorted(named.items()) if name and name not in TEMPLATES}


def _tool_salt(telemetry: Telemetry) -> str | None:
    return telemetry.team_salt if telemetry.share_endpoints_with_team else None


def _off(switched: dict[str, bool]) -> dict[str, bool]:
    return {name: False for name, enabled in switched.items() if not enabled}


def _said(endpoint: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in endpoint.items() if value is not None}

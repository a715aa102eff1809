"""The knobs of a configuration that decide what is saved, read from its table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mckp.config.config import Config
from mckp.config.resolving import SessionContext, SessionStats, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Knobs:
    """What a replay of marks has to know.

    Attributes
    ----------
    lru_size : int
        Texts of a context that can be referred to.
    min_body_chars : int
        Bytes below which a result stays as it came.
    near_refs : bool
        Whether near repeats become references with a delta.
    most_near : int or None
        How many of them in a session.
    near_window : int or None
        Among how many of the newest texts they are looked for; None for all.
    least_gain : float
        How many times the tokens of a reference it has to save.
    verbosity : str
        When a reference is explained in words.
    templates : tuple of str
        Those that are tried.
    enabled : mapping of str to bool
        By endpoint, whether it is referred to.
    overrides : mapping of str to str
        By endpoint, the one template that is tried.
    """

    lru_size: int = 5
    min_body_chars: int = 200
    near_refs: bool = False
    most_near: int | None = None
    near_window: int | None = None
    least_gain: float = 1.0
    verbosity: str = "standard"
    templates: tuple[str, ...] = ()
    enabled: Mapping[str, bool] = field(default_factory=dict[str, bool])
    overrides: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(
        cls,
        table: Mapping[str, Any],
        endpoints: Iterable[str] = (),
        model: str | None = None,
        stats: SessionStats | None = None,
    ) -> Knobs:
        """Read the knobs of a configuration as TOML has it.

        Parameters
        ----------
        table : mapping
            What the file says.
        endpoints : iterable of str
            The tools that matter.
        model : str, optional
            Who reads.
        stats : SessionStats, optional
            What sessions are like.

        Examples
        --------
        >>> table = {"endpoint_overrides": {"Read": {"dedup_enabled": False}}}
        >>> Knobs.of(table, ["Read", "Grep"]).enabled
        {'Read': False, 'Grep': True}
        """
        context = SessionContext(model, stats or SessionStats())
        found = resolve(Config.of_table(dict(table)), context)
        own = {name: found.endpoint(name) for name in endpoints}
        near = found.hints["near_ref"]
        return cls(
            lru_size=found.lru_size,
            min_body_chars=found.endpoints.config.dedup.min_body_chars,
            near_refs=found.near_ref_enabled and near.enabled,
            most_near=near.max_per_session,
            near_window=found.near_window,
            least_gain=found.least_gain,
            verbosity=found.hint_verbosity,
            templates=found.templates,
            enabled={name: each.dedup_enabled for name, each in own.items()},
            overrides={name: each.template_id for name, each in own.items() if each.template_id},
        )

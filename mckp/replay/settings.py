"""From a configuration to the settings that a session is replayed with."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from mckp.config import SessionContext, resolve, session_options
from mckp.session import HintRule, SessionSettings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.config import Config

_HINTS = ("reference", "near_ref")


def settings_for(
    config: Config, endpoints: Iterable[str] = (), model: str | None = None
) -> SessionSettings:
    """Return the settings of a session.

    Parameters
    ----------
    config : Config
        What the files say.
    endpoints : iterable of str
        The tools it will see.
    model : str, optional
        Who reads.

    Returns
    -------
    SessionSettings

    Examples
    --------
    >>> from mckp.config import Config
    >>> dedup = {"lru_size": 9, "enabled_per_endpoint": {"Bash": False}}
    >>> settings = settings_for(Config.of_table({"dedup": dedup}), ["Bash", "Read"])
    >>> settings.lru_size, settings.enabled_per_endpoint
    (9, {'Bash': False, 'Read': True})
    """
    effective = resolve(config, SessionContext(model))
    options = session_options(effective)
    own = {name: effective.endpoint(name) for name in endpoints}
    hints = {
        name: HintRule(**asdict(options.hints[name])) for name in _HINTS if name in options.hints
    }
    return SessionSettings(
        lru_size=options.lru_size,
        enabled_per_endpoint={name: each.dedup_enabled for name, each in own.items()},
        hint_verbosity=options.hint_verbosity,
        near_ref_enabled=options.near_ref_enabled,
        min_body_chars=options.min_body_chars,
        active_templates=options.active_templates,
        endpoint_overrides={
            name: each.template_id for name, each in own.items() if each.template_id
        },
        recursion_depth=options.recursion_depth,
        formats=options.formats,
        shape_thresholds=options.shape_thresholds,
        model=model,
        hints=hints,
    )

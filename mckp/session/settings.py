"""The settings of a session that obeys a configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.config.settings import settings_of
from mckp.telemetry.event import Anonymiser

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.config.resolving import EffectiveConfig
    from mckp.config.settings import SessionSettings


def settings_for(
    effective: EffectiveConfig,
    *,
    tools: Iterable[str] = (),
    salt: str = "",
    budget: int | None = None,
) -> SessionSettings:
    r"""Return the settings that a configuration asks for.

    Parameters
    ----------
    effective : EffectiveConfig
        What `mckp.config.resolve` found.
    tools : iterable of str
        Names of tools that there are. A configuration may speak of them by the names of
        telemetry or by how they begin, so it is asked for each.
    salt : str
        The secret of the installation; see `mckp.telemetry.installation_salt`.
    budget : int, optional
        Tokens that a response may have; for models of a profile, all that they read if absent.

    Examples
    --------
    >>> from mckp.config import SessionContext, loads, resolve
    >>> config = loads("schema_version = 2\n[endpoint_overrides.Read]\ndedup_enabled = false\n")
    >>> settings = settings_for(resolve(config, SessionContext("glm-5.1")), tools=["Read"])
    >>> settings.enabled_per_endpoint, settings.model
    ({'Read': False}, 'glm-5.1')
    """
    names = names_of(settings_of(effective, salt=salt))
    own = Anonymiser(salt)
    known = ((tool, names.tool(tool), own.tool(tool)) for tool in tools)
    return settings_of(effective, known, salt=salt, budget=budget)


def names_of(settings: SessionSettings) -> Anonymiser:
    """Return what names tools, files and contents in telemetry."""
    return Anonymiser(settings.salt, settings.tool_salt)

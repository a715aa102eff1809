"""A session as a configuration wants it."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from mckp.config.options import session_options
from mckp.session.settings import SessionSettings
from mckp.telemetry.names import Anonymiser

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.config.effective import EffectiveConfig


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
    options = session_options(effective)
    known = {each.name for each in fields(SessionSettings)}
    said: dict[str, Any] = {
        each.name: getattr(options, each.name) for each in fields(options) if each.name in known
    }
    if budget is None and effective.knows_reader:
        budget = options.context_tokens
    settings = SessionSettings(**said, salt=salt, budget=budget)
    return _for_tools(settings, effective, list(tools))


def _for_tools(
    settings: SessionSettings, effective: EffectiveConfig, tools: list[str]
) -> SessionSettings:
    """Return settings that name each tool for which something else goes."""
    enabled = dict(settings.enabled_per_endpoint)
    templates = dict(settings.endpoint_overrides)
    preferred, least = dict(settings.preferred_formats), dict[str, int]()
    own, names = Anonymiser(settings.salt), settings.names()
    for tool in tools:
        endpoint = effective.endpoint(tool, names.tool(tool), own.tool(tool))
        if not endpoint.dedup_enabled or tool in enabled:
            enabled[tool] = endpoint.dedup_enabled
        if endpoint.template_id is not None:
            templates[tool] = endpoint.template_id
        if endpoint.preferred_format is not None:
            preferred[tool] = endpoint.preferred_format
        if endpoint.min_body_chars != settings.min_body_chars:
            least[tool] = endpoint.min_body_chars
    return replace(
        settings,
        enabled_per_endpoint=enabled,
        endpoint_overrides=templates,
        min_body_per_endpoint=least,
        preferred_formats=preferred,
    )

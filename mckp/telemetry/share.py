"""Which fingerprints may leave an installation: by consent, of many sessions, and no more."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mckp.telemetry.blend import LEAST_SESSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.config.sections import Telemetry
    from mckp.telemetry.fingerprint import Fingerprint
    from mckp.telemetry.names import Anonymiser


def for_team(found: Iterable[Fingerprint], consent: Telemetry) -> list[Fingerprint]:
    """Return the fingerprints that a team may have: none without consent.

    Parameters
    ----------
    found : iterable of Fingerprint
        One's own, whose servers are hashed with the team's salt.
    consent : Telemetry
        ``share_endpoints_with_team`` of the configuration.
    """
    if not consent.share_endpoints_with_team:
        return []
    return [_bare(each) for each in found if each.source_sessions >= LEAST_SESSIONS]


def for_provider(
    found: Iterable[Fingerprint], provider: str, consent: Telemetry, names: Anonymiser
) -> list[Fingerprint]:
    """Return the fingerprints that a provider may have: of its own tools, by their own names.

    Parameters
    ----------
    found : iterable of Fingerprint
        One's own.
    provider : str
        The server, as in ``mcp__<provider>__<tool>``.
    consent : Telemetry
        ``share_with_provider`` of the configuration.
    names : Anonymiser
        The one that the fingerprints' names come from.
    """
    if consent.share_with_provider.get(provider) is not True:
        return []
    prefix = f"mcp__{names.server(provider)}__"
    return [
        _bare(
            replace(each, endpoint_class=f"mcp__{provider}__{each.endpoint_class[len(prefix) :]}")
        )
        for each in found
        if each.endpoint_class.startswith(prefix) and each.source_sessions >= LEAST_SESSIONS
    ]


def from_provider(
    found: Iterable[Fingerprint], provider: str, names: Anonymiser
) -> list[Fingerprint]:
    """Return what a provider published, under the names of this installation.

    What it says of the tools of others is left out.
    """
    prefix = f"mcp__{provider}__"
    return [
        replace(each, endpoint_class=names.tool(each.endpoint_class))
        for each in found
        if each.endpoint_class.startswith(prefix) and "__" not in each.endpoint_class[len(prefix) :]
    ]


def _bare(each: Fingerprint) -> Fingerprint:
    """Return a fingerprint without what newer versions may have put into it."""
    return replace(each, extra={})

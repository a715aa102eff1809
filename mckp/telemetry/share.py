"""Fingerprints of several sources as one, and which of them may leave an installation."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final

from mckp.telemetry.fingerprint import DAY_MS, Fingerprint, entropy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mckp.config.config import Telemetry
    from mckp.telemetry.event import Anonymiser

TEAM_SHARE: Final = 0.7
"""What a team says, against what one's own sessions say."""

PROVIDER_SHARE: Final = 0.4
"""What a provider says at most; who serves the results must not decide how they are written."""

MIN_SESSIONS: Final = 5
"""Sessions behind a fingerprint that others may see, or that is taken from others."""

MAX_DAYS: Final = 14
"""How long what others said holds."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Fingerprints by where they come from.

    Attributes
    ----------
    own, team, provider : tuple of Fingerprint
        Of one's own sessions; of a team, whose members send theirs; of who serves the tools.
    """

    own: tuple[Fingerprint, ...] = ()
    team: tuple[Fingerprint, ...] = ()
    provider: tuple[Fingerprint, ...] = ()


def blended(
    sources: Sources, *, now_ms: int, provider_share: float = PROVIDER_SHARE
) -> list[Fingerprint]:
    """Return one fingerprint for each endpoint that the user or the team has.

    A provider alone is not heard: nothing could outvote it. Figures are weighted means;
    sessions and calls are those of the larger of user and team, who may be in each other.

    Parameters
    ----------
    sources : Sources
        What there is.
    now_ms : int
        The present, in milliseconds since 1970: team and provider hold for 14 days.
    provider_share : float, default 0.4
        What the provider's figures weigh, at most 0.4.

    Raises
    ------
    ValueError
        For a share that is negative or above 0.4.

    Examples
    --------
    >>> own = Fingerprint(endpoint_class="Read", call_count=9, dup_rate=0.0, source_sessions=2)
    >>> team = replace(own, dup_rate=1.0, source_sessions=8)
    >>> blended(Sources((own,), (team,)), now_ms=0)[0].dup_rate
    0.7
    """
    if not 0 <= provider_share <= PROVIDER_SHARE:
        raise ValueError(f"a provider weighs from 0 to {PROVIDER_SHARE}, not {provider_share}")
    own = {each.endpoint_class: each for each in sources.own}
    team = _by_name(sources.team, now_ms)
    provider = _by_name(sources.provider, now_ms)
    found: list[Fingerprint] = []
    for name in sorted(own | team):
        local = _local(own.get(name), team.get(name))
        heard = provider.get(name)
        if heard is not None and provider_share:
            parts = [(1 - provider_share, local), (provider_share, heard)]
            local = replace(local, **_means(parts))
        found.append(local)
    return found


def _by_name(found: Iterable[Fingerprint], now_ms: int) -> dict[str, Fingerprint]:
    """Return those that enough sessions are behind, and that are not too old."""
    since = now_ms - MAX_DAYS * DAY_MS
    return {
        each.endpoint_class: each
        for each in found
        if each.source_sessions >= MIN_SESSIONS and each.last_seen_ms >= since
    }


def _local(own: Fingerprint | None, team: Fingerprint | None) -> Fingerprint:
    if own is None or team is None:
        only = own or team
        assert only is not None
        return only
    return replace(
        own,
        **_means([(1 - TEAM_SHARE, own), (TEAM_SHARE, team)]),
        call_count=max(own.call_count, team.call_count),
        first_seen_ms=min(own.first_seen_ms, team.first_seen_ms),
        last_seen_ms=max(own.last_seen_ms, team.last_seen_ms),
        source_sessions=max(own.source_sessions, team.source_sessions),
    )


_FIGURES: Final = tuple(
    each.name
    for each in fields(Fingerprint)
    if str(each.type).startswith("float") and each.name != "format_entropy"
)


def _means(parts: list[tuple[float, Fingerprint]]) -> dict[str, Any]:
    """Return the weighted means of all that has one, and what follows from them."""
    means: dict[str, Any] = {name: _mean(parts, name) for name in _FIGURES}
    mix = _mixed([(weight, each.shape_mix) for weight, each in parts])
    inner = _mixed([(weight, _ranks(each.inner_formats_top3)) for weight, each in parts])
    top = sorted(inner, key=lambda kind: (-inner[kind], kind))
    return {
        **means,
        "shape_mix": mix,
        "shape_dominant": max(mix, key=lambda shape: mix[shape], default=_dominant(parts)),
        "format_entropy": entropy(mix.values()),
        "inner_formats_top3": tuple(top[:3]),
    }


def _mean(parts: list[tuple[float, Fingerprint]], name: str) -> float | None:
    known = [(weight, getattr(each, name)) for weight, each in parts]
    there = [(weight, value) for weight, value in known if value is not None]
    total = sum(weight for weight, _ in there)
    return sum(weight * value for weight, value in there) / total if total else None


def _mixed(parts: list[tuple[float, Mapping[str, float]]]) -> dict[str, float]:
    sums: dict[str, float] = {}
    total = sum(weight for weight, mix in parts if mix)
    for weight, mix in parts:
        for name, share in mix.items():
            sums[name] = sums.get(name, 0.0) + weight * share / total
    return {name: sums[name] for name in sorted(sums)}


def _ranks(names: tuple[str, ...]) -> dict[str, float]:
    return {name: 1 / (place + 1) for place, name in enumerate(names)}


def _dominant(parts: list[tuple[float, Fingerprint]]) -> str:
    return max(parts, key=lambda part: part[0])[1].shape_dominant


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
    return [_bare(each) for each in found if each.source_sessions >= MIN_SESSIONS]


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
        if each.endpoint_class.startswith(prefix) and each.source_sessions >= MIN_SESSIONS
    ]


def _bare(each: Fingerprint) -> Fingerprint:
    """Return a fingerprint without what newer versions may have put into it."""
    return replace(each, extra={})

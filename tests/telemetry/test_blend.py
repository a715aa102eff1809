"""What others say is heard by consent, of many sessions, not for long, and not too loud."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.config.config import Telemetry
from mckp.telemetry import (
    Anonymiser,
    Fingerprint,
    Sources,
    blended,
    for_provider,
    for_team,
)
from mckp.telemetry.fingerprint import DAY_MS
from mckp.telemetry.share import MAX_DAYS, MIN_SESSIONS

NOW = 100 * DAY_MS
BASE = Fingerprint(
    endpoint_class="Read",
    call_count=50,
    dup_rate=0.0,
    shape_mix={"prose": 1.0},
    shape_dominant="prose",
    last_seen_ms=NOW,
    source_sessions=9,
)
LOUD = replace(BASE, dup_rate=1.0, shape_mix={"empty": 1.0}, shape_dominant="empty")
NAMES = Anonymiser("ours")


def test_a_team_weighs_seventy_to_thirty() -> None:
    """Figures and shapes are blended, and what follows from them follows."""
    found = blended(Sources((BASE,), (LOUD,)), now_ms=NOW)[0]
    assert found.dup_rate == pytest.approx(0.7)
    assert found.shape_mix == pytest.approx({"prose": 0.3, "empty": 0.7})
    assert found.shape_dominant == "empty"
    assert found.format_entropy == pytest.approx(0.8813, abs=1e-4)


@given(st.floats(0, 0.4), st.integers(5, 10**6), st.integers(1, 10**6))
def test_a_provider_never_weighs_more_than_forty(share: float, sessions: int, calls: int) -> None:
    """However many sessions it says it saw, who is local is the majority."""
    provider = replace(LOUD, source_sessions=sessions, call_count=calls)
    found = blended(Sources((BASE,), (), (provider,)), now_ms=NOW, provider_share=share)[0]
    assert found.dup_rate == pytest.approx(share)
    assert found.shape_dominant == "prose"
    assert (found.call_count, found.source_sessions) == (50, 9)
    both = blended(Sources((BASE,), (BASE,), (provider,)), now_ms=NOW)[0]
    assert both.dup_rate == pytest.approx(0.4)


@pytest.mark.parametrize("share", [-0.1, 0.41, 1.0])
def test_a_louder_provider_is_refused(share: float) -> None:
    """The bound is no default that can be turned up."""
    with pytest.raises(ValueError, match=r"from 0 to 0\.4"):
        blended(Sources(), now_ms=NOW, provider_share=share)


def test_a_provider_alone_is_not_heard() -> None:
    """Nothing could outvote it."""
    assert blended(Sources(provider=(LOUD,)), now_ms=NOW) == []


def test_what_others_said_holds_for_a_fortnight() -> None:
    """Older fingerprints of others are as good as none; one's own stay."""
    days = MAX_DAYS * DAY_MS
    fresh, stale = (replace(LOUD, last_seen_ms=NOW - days - late) for late in (0, 1))
    assert blended(Sources((BASE,), (fresh,)), now_ms=NOW)[0].dup_rate == pytest.approx(0.7)
    assert blended(Sources((BASE,), (stale,), (stale,)), now_ms=NOW) == [BASE]
    old = replace(BASE, last_seen_ms=0)
    assert blended(Sources((old,)), now_ms=NOW) == [old]


def test_fingerprints_of_few_sessions_are_not_taken_from_others() -> None:
    """They may be about one person; one's own may be of one session."""
    few = replace(LOUD, source_sessions=MIN_SESSIONS - 1)
    assert blended(Sources((BASE,), (few,), (few,)), now_ms=NOW) == [BASE]
    assert blended(Sources((few,)), now_ms=NOW) == [few]


@given(st.integers(0, 20), st.booleans())
def test_a_team_gets_nothing_without_consent_nor_of_few(sessions: int, consent: bool) -> None:
    """Both are needed, always."""
    telemetry = Telemetry(share_endpoints_with_team=consent, team_salt="t" * 16)
    found = for_team([replace(BASE, source_sessions=sessions)], telemetry)
    assert bool(found) == (consent and sessions >= 5)


def test_a_provider_gets_its_own_tools_only() -> None:
    """By consent for this provider, under the names that it knows."""
    mine = replace(BASE, endpoint_class=NAMES.tool("mcp__gitlab__get_issues"))
    others = replace(BASE, endpoint_class=NAMES.tool("mcp__github__list_pulls"))
    few = replace(mine, source_sessions=4)
    given_ = Telemetry(share_with_provider={"gitlab": True, "github": False})
    found = for_provider([mine, others, BASE, few], "gitlab", given_, NAMES)
    assert [each.endpoint_class for each in found] == ["mcp__gitlab__get_issues"]
    for provider, telemetry in (("github", given_), ("gitlab", Telemetry()), ("acme", given_)):
        assert for_provider([mine, others], provider, telemetry, NAMES) == []


def test_what_is_shared_has_no_fields_that_nobody_knows() -> None:
    """What a newer version put into a record was not consented to."""
    telemetry = Telemetry(share_endpoints_with_team=True)
    assert for_team([replace(BASE, extra={"who": "ada"})], telemetry) == [BASE]

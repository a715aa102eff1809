"""Marks for tests: short to write, and at random."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from mckp.config.tuner import Changed, Compacted, Ended, Mark, Seen

ENDPOINTS = ("Read", "Grep", "mcp__x__y")


def seen(
    endpoint: str = "Read",
    content: int = 0,
    *,
    agent: int = 0,
    call: int = 0,
    source: int = 0,
    chars: int = 1000,
    tokens: int = 300,
    shape: str = "prose",
    inner: frozenset[str] = frozenset(),
    columns: int = 0,
    depth: int = 0,
    ways: dict[str, int] | None = None,
    bases: dict[int, int] | None = None,
) -> Seen:
    """A response with as little said as matters."""
    return Seen(
        endpoint,
        agent,
        content,
        call,
        source,
        chars,
        tokens,
        {"": tokens, **(ways or {})},
        shape,
        inner,
        columns,
        depth,
        bases or {},
    )


_FEW = st.integers(0, 7)
_SEEN = st.builds(
    seen,
    st.sampled_from(ENDPOINTS),
    _FEW,
    agent=st.integers(0, 1),
    call=st.integers(0, 2),
    source=st.integers(0, 3),
    chars=st.sampled_from([50, 150, 400, 2000]),
    tokens=st.integers(0, 600),
    shape=st.sampled_from(["prose", "markdown_table", "nested_object"]),
    inner=st.frozensets(st.sampled_from(["log", "url", "hash", "diff"])),
    columns=st.integers(0, 4),
    depth=st.integers(0, 6),
    ways=st.dictionaries(
        st.sampled_from(["knapsack", "csv_from_md", "mr_diff_fence"]), st.integers(0, 600)
    ),
    bases=st.dictionaries(_FEW, st.integers(5, 60), max_size=3),
)
MARKS: st.SearchStrategy[list[Mark]] = st.lists(
    st.one_of(
        _SEEN,
        _SEEN,
        _SEEN,
        st.builds(Changed, st.frozensets(st.integers(0, 3))),
        st.builds(Compacted, st.integers(0, 1)),
        st.builds(Ended, st.sampled_from([None, "claude-sonnet-4-6"])),
    ),
    max_size=40,
)

_AGENTS = st.sampled_from(["auto", "default", "file_search_heavy", "marathon_refactor"])
_SWITCHES = st.dictionaries(st.sampled_from(ENDPOINTS), st.booleans())
TABLES: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "dedup": st.fixed_dictionaries(
            {},
            optional={
                "lru_size": st.integers(1, 20),
                "near_ref_enabled": st.booleans(),
                "min_body_chars": st.sampled_from([0, 100, 300]),
                "enabled_per_endpoint": _SWITCHES,
                "hint_verbosity": st.sampled_from(["terse", "standard", "verbose"]),
            },
        ),
        "endpoint_overrides": st.dictionaries(
            st.sampled_from(["Read", "Grep"]),
            st.fixed_dictionaries(
                {}, optional={"dedup_enabled": st.booleans(), "lru_size": st.integers(1, 9)}
            ),
        ),
        "profiles": st.fixed_dictionaries(
            {}, optional={"agent": st.fixed_dictionaries({"active": _AGENTS})}
        ),
    }
)
"""Configurations, also ones that an earlier run spoiled."""

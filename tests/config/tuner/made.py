"""Marks for tests: short to write, and at random."""

from __future__ import annotations

from hypothesis import strategies as st

from mckp.config.tuner import Changed, Compacted, Ended, Mark, Seen


def seen(
    endpoint: str = "Read",
    content: str = "a",
    *,
    agent: int = 0,
    file: str = "",
    chars: int = 1000,
    tokens: int = 300,
    encoded: int | None = None,
    shape: str = "prose",
    inner: frozenset[str] = frozenset(),
    columns: int = 0,
    depth: int = 0,
    templates: dict[str, int] | None = None,
    bases: dict[str, int] | None = None,
) -> Seen:
    """A response with as little said as matters."""
    return Seen(
        endpoint,
        agent,
        content.encode(),
        file.encode(),
        chars,
        tokens,
        tokens,
        tokens if encoded is None else encoded,
        shape,
        inner,
        columns,
        depth,
        templates or {},
        {base.encode(): cost for base, cost in (bases or {}).items()},
    )


_LETTERS = st.sampled_from("abcdefgh")
_SEEN = st.builds(
    seen,
    st.sampled_from(["Read", "Grep", "mcp__x__y"]),
    _LETTERS,
    agent=st.integers(0, 1),
    file=st.sampled_from(["", "f", "g"]),
    chars=st.sampled_from([50, 150, 400, 2000]),
    tokens=st.integers(0, 600),
    encoded=st.integers(0, 700),
    shape=st.sampled_from(["prose", "markdown_table", "nested_object"]),
    inner=st.frozensets(st.sampled_from(["log", "url", "hash", "diff"])),
    columns=st.integers(0, 4),
    depth=st.integers(0, 6),
    templates=st.dictionaries(
        st.sampled_from(["csv_from_md", "mr_diff_fence"]), st.integers(0, 600), max_size=2
    ),
    bases=st.dictionaries(_LETTERS, st.integers(5, 60), max_size=3),
)
MARKS: st.SearchStrategy[list[Mark]] = st.lists(
    st.one_of(
        _SEEN,
        _SEEN,
        _SEEN,
        st.builds(Changed, st.sampled_from([b"f", b"g"])),
        st.builds(Compacted, st.integers(0, 1)),
        st.builds(Ended, st.sampled_from([None, "claude-sonnet-4-6"])),
    ),
    max_size=40,
)

_SWITCHES = st.dictionaries(st.sampled_from(["Read", "Grep", "mcp__x__y"]), st.booleans())
TABLES = st.fixed_dictionaries(
    {
        "dedup": st.fixed_dictionaries(
            {},
            optional={
                "lru_size": st.integers(1, 20),
                "near_ref_enabled": st.booleans(),
                "min_body_chars": st.sampled_from([0, 100, 300]),
                "enabled_per_endpoint": _SWITCHES,
            },
        ),
        "endpoint_overrides": st.dictionaries(
            st.sampled_from(["Read", "Grep"]),
            st.fixed_dictionaries(
                {}, optional={"dedup_enabled": st.booleans(), "lru_size": st.integers(1, 9)}
            ),
        ),
    }
)
"""Configurations, also ones that an earlier run spoiled."""

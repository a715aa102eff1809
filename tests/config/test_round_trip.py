"""Any configuration is saved and loaded as it is, over any other, with the other's comments."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mckp.config import Config, dumps, loads
from mckp.config.hints import HINTS, VERBOSITIES
from mckp.config.profiles import FORMATS, TEMPLATES
from tests.strategies import examples

NAMES = st.sampled_from(["Read", "mcp__a__b", "a.b", "é", 'say "x"', "a b", "#", "[x]", "'"])
FLAGS = st.booleans()
TEMPLATE = st.sampled_from(sorted(TEMPLATES))


def some(**values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for tables with some of these keys."""
    return st.fixed_dictionaries({}, optional=values)


V1 = some(
    dedup=some(
        lru_size=st.integers(1, 99),
        enabled_per_endpoint=st.dictionaries(NAMES, FLAGS, max_size=3),
        hint_verbosity=st.sampled_from(VERBOSITIES),
        near_ref_enabled=FLAGS,
        min_body_chars=st.integers(0, 999),
    ),
    templates=some(
        active=st.lists(TEMPLATE, max_size=3, unique=True),
        endpoint_overrides=st.dictionaries(NAMES, TEMPLATE, max_size=3),
    ),
    mckp=some(
        recursion_depth=st.integers(0, 64),
        formats_enabled=st.lists(st.sampled_from(FORMATS), min_size=1, max_size=3, unique=True),
        shape_thresholds=some(array_of_objects_min_key_stability=st.floats(0, 1)),
    ),
    telemetry=some(sample_rate=st.floats(0, 1), flush_every_n=st.integers(1, 99), enabled=FLAGS),
    endpoint_overrides=st.dictionaries(
        NAMES, some(dedup_enabled=FLAGS, lru_size=st.integers(1, 9), template_id=TEMPLATE)
    ),
)
"""What version 1 could say."""

V2 = some(
    profiles=some(
        llm=some(
            active=st.sampled_from(["auto", "glm-5.1"]),
            variants=st.dictionaries(
                st.sampled_from(["default", "own", "glm-5.1"]),
                some(context=st.integers(256, 10**6), prefer_explicit_keys=FLAGS),
                max_size=2,
            ),
        ),
        agent=some(variants=st.dictionaries(NAMES, some(near_ref=FLAGS), max_size=2)),
    ),
    hints=some(
        default_verbosity=st.sampled_from(VERBOSITIES),
        types=st.dictionaries(
            st.sampled_from(sorted(HINTS)), some(enabled=FLAGS, max_per_session=st.integers(0, 9))
        ),
    ),
)
"""What came with version 2."""

TABLES = st.tuples(V1, V2).map(lambda both: both[0] | both[1])


def commented(config: Config, version: int) -> tuple[str, int]:
    """Return a file with a comment on each line, and how many there are."""
    lines = dumps(config).replace("schema_version = 2", f"schema_version = {version}").split("\n")
    said = [f"{line}  # comment {n}" for n, line in enumerate(lines) if line]
    return "\n".join(said) + "\n", len(said)


@examples(150)
@given(TABLES)
def test_what_is_saved_is_loaded(table: dict[str, Any]) -> None:
    """Every key that there is, with names that TOML has to quote."""
    config = Config.of_table(table)
    text = dumps(config)
    assert loads(text) == config
    assert dumps(config, text) == text


@examples(150)
@given(V1)
def test_version_1_becomes_version_2(table: dict[str, Any]) -> None:
    """It means the same, is saved with all comments, and then has the new version."""
    config = Config.of_table(table)
    text, comments = commented(config, 1)
    assert loads(text) == config
    saved = dumps(loads(text), text)
    assert loads(saved) == config
    assert saved == text.replace("schema_version = 1", "schema_version = 2")
    assert saved.count("# comment") == comments


@examples(150)
@given(TABLES, TABLES)
def test_any_configuration_is_saved_over_any_other(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    """The file then says the new one, and the comment of its first line is still there."""
    config = Config.of_table(new)
    there, _ = commented(Config.of_table(old), 1 if old.keys() <= {"dedup", "mckp"} else 2)
    text = dumps(config, there)
    assert loads(text) == config
    assert "# comment 0" in text

"""Profiles are chosen by what a session is like, and every choice changes what it gets."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import encode, tokenizers
from mckp.config import (
    Config,
    EffectiveConfig,
    SessionContext,
    SessionStats,
    loads,
    resolve,
)
from mckp.config.profiles import AGENTS, LLMS, TOKENIZERS
from mckp.encoders import select
from mckp.session import SessionSettings, settings_for
from mckp.session.layers import suiting

SONNET = "claude-sonnet-4-6-20260201"


def effective(text: str = "", model: str | None = None, **stats: Any) -> EffectiveConfig:
    """Resolve what a file says below its version."""
    config = loads(f"schema_version = 2\n{text}\n")
    return resolve(config, SessionContext(model, SessionStats(**stats)))


@pytest.mark.parametrize(
    ("model", "llm", "tokenizer", "context"),
    [
        (None, "default", "openai_o200k", 32_000),
        ("gpt-4o-mini", "default", "openai_o200k", 32_000),
        ("gpt-4-turbo", "default", "openai_cl100k", 32_000),
        ("claude-opus-4-7", "default", "anthropic_class", 32_000),
        ("qwen3:8b", "default", "ollama_bpe", 32_000),
        ("unheard-of", "default", "openai_o200k", 32_000),
        (SONNET, "claude-sonnet-4.6", "anthropic_class", 200_000),
        ("glm-5.1", "glm-5.1", "anthropic_class", 128_000),
        ("gpt-oss:20b", "gpt-oss:20b", "ollama_bpe", 8_192),
        ("gemma4:26b", "gemma4:26b", "ollama_bpe", 8_192),
    ],
)
def test_auto_follows_the_model(model: str | None, llm: str, tokenizer: str, context: int) -> None:
    """The tokenizer is the model's, not one for all."""
    found = effective(model=model)
    assert (found.chosen.llm, found.chosen.tokenizer) == (llm, tokenizer)
    assert found.llm.context == context


@pytest.mark.parametrize(
    ("stats", "agent", "depth", "near"),
    [
        ((0, 0, 0.0), "default", 5, False),
        ((200, 0, 0.5), "file_search_heavy", 3, False),
        ((201, 0, 0.5), "default", 5, False),
        ((200, 0, 0.49), "default", 5, False),
        ((500, 3, 0.9), "marathon_refactor", 7, True),
        ((499, 3, 0.9), "default", 5, False),
        ((500, 2, 0.9), "default", 5, False),
    ],
)
def test_auto_follows_the_way_of_working(
    stats: tuple[int, int, float], agent: str, depth: int, near: bool
) -> None:
    """The bounds of the rules are those that are documented."""
    found = resolve(Config(), SessionContext(None, SessionStats(*stats)))
    assert found.chosen.agent == agent
    assert (found.recursion_depth, found.near_ref_enabled) == (depth, near)


def test_what_a_file_says_goes_before_profiles() -> None:
    """Profiles fill in what nobody said."""
    text = "[dedup]\nnear_ref_enabled = false\n[mckp]\nrecursion_depth = 2\n"
    found = effective(text, event_count=900, compaction_count=9)
    assert found.chosen.agent == "marathon_refactor"
    assert (found.recursion_depth, found.near_ref_enabled) == (2, False)


def test_an_axis_can_be_pinned() -> None:
    """A name in place of auto wins over what the session is like."""
    text = (
        "[profiles.llm]\nactive = 'glm-5.1'\n[profiles.agent]\nactive = 'marathon_refactor'\n"
        "[profiles.tokenizer]\nactive = 'openai_cl100k'\n"
    )
    chosen = effective(text, model=SONNET).chosen
    assert (chosen.llm, chosen.agent) == ("glm-5.1", "marathon_refactor")
    assert chosen.tokenizer == "openai_cl100k"


def test_endpoint_overrides_go_before_sections_before_data_profiles() -> None:
    """The order of who is heard, for a template and for repeats."""
    name = "mcp__gitlab__get_issues"
    data, section = "", f"[templates.endpoint_overrides]\n{name} = 'mr_diff_fence'\n"
    override = f"[endpoint_overrides.{name}]\ntemplate_id = 'pipeline_deep_mckp'\n"
    texts = [data, section, section + override]
    found = [effective(text).endpoint(name).template_id for text in texts]
    assert found == ["csv_from_md", "mr_diff_fence", "pipeline_deep_mckp"]
    text = f"[dedup.enabled_per_endpoint]\n{name} = false\n"
    assert not effective(text).endpoint(name).dedup_enabled
    text += f"[endpoint_overrides.{name}]\ndedup_enabled = true\n"
    assert effective(text).endpoint(name).dedup_enabled


def test_an_override_is_found_under_any_name_of_a_tool() -> None:
    """What was tuned from telemetry has the names of telemetry."""
    text = "[endpoint_overrides.mcp__p12ab34__get]\nlru_size = 9\nmin_body_chars = 7\n"
    found = effective(text)
    endpoint = found.endpoint("mcp__ours__get", "mcp__p12ab34__get")
    assert (endpoint.lru_size, endpoint.min_body_chars) == (9, 7)
    assert found.endpoint("mcp__ours__get").lru_size == 5
    assert found.lru_size == 9


def test_the_longest_pattern_of_data_decides() -> None:
    """Not the first by the alphabet."""
    text = (
        "[profiles.data.variants.a]\npattern = 'mcp__x__'\npreferred_format = 'json'\n"
        "[profiles.data.variants.b]\npattern = 'mcp__x__get'\npreferred_format = 'rows'\n"
    )
    assert effective(text).endpoint("mcp__x__get").preferred_format == "rows"
    assert effective(text).endpoint("mcp__x__list").preferred_format == "json"
    assert effective(text).endpoint("other").preferred_format is None


def test_templates_that_are_not_active_are_given_to_nobody() -> None:
    """Switching a template off switches it off everywhere."""
    found = effective("[templates]\nactive = []\n")
    assert found.endpoint("mcp__gitlab__get_issues").template_id is None
    assert settings_for(found).endpoint_overrides == {}


def test_formats_that_suit_no_reader_are_left_out_with_a_reason() -> None:
    """What a profile takes away of what is enabled is said, not silent."""
    text = "[mckp]\nformats_enabled = ['dense', 'toon']\n"
    claude, gemma = effective(text, SONNET), effective(text, "gemma4:26b")
    assert {*gemma.formats} - {*claude.formats} == {"derived", "phrases", "toon"}
    assert [reason.split(":")[0] for reason in claude.reasons] == ["derived, phrases", "toon"]
    assert gemma.reasons == ()
    assert effective("[mckp]\nformats_enabled = ['toon']\n", SONNET).formats == ("json",)


def test_nested_cells_cost_where_the_profile_says_so() -> None:
    """The limit of JSON in cells decides, for models to which it costs extra."""
    rows = [{"id": n, "tags": ["x" * 40, "y" * 40]} for n in range(3)]
    claude, gemma = effective(model=SONNET), effective(model="gemma4:26b")
    most = claude.llm.max_inline_nested
    left = suiting(claude.formats, rows, most)
    assert {*claude.formats} - {*left} == {"csv", "table", "mckp_v2"}
    assert claude.tokenizer.inline_json_cost > 1 >= gemma.tokenizer.inline_json_cost
    assert suiting(claude.formats, rows, 500) == claude.formats


CHANGES = {
    "counts_with": ("tokenizer", "o200k"),
    "inline_json_cost": ("tokenizer", 9.0),
    "toon_overhead": ("tokenizer", 3.0),
    "tokenizer": ("llm", "openai_cl100k"),
    "prefer_explicit_keys": ("llm", True),
    "context": ("llm", 999),
    "max_inline_nested": ("llm", 1),
    "priority": ("agent", "latency"),
    "recursion_depth": ("agent", 1),
    "hint_aggressiveness": ("agent", 0.1),
    "near_ref": ("agent", True),
}


@pytest.mark.parametrize("name", CHANGES)
def test_no_field_of_a_profile_is_dead(name: str) -> None:
    """Changing any field of a profile changes what a session is handed."""
    axis, value = CHANGES[name]
    base = "[mckp]\nformats_enabled = ['dense', 'toon']\n"
    word = f"'{value}'" if isinstance(value, str) else str(value).lower()
    variants = {"tokenizer": "ollama_bpe", "llm": "gemma4:26b", "agent": "default"}
    text = f'{base}[profiles.{axis}.variants."{variants[axis]}"]\n{name} = {word}\n'
    before, after = (effective(each, "gemma4:26b") for each in (base, text))
    counters = before.tokenizer.counter(), after.tokenizer.counter()
    assert settings_for(before) != settings_for(after) or counters[0] != counters[1]


def test_every_field_of_profiles_is_changed_above() -> None:
    """The list above is complete; characters of a token are tested below."""
    profiles = (TOKENIZERS["ollama_bpe"], LLMS["default"], AGENTS["default"])
    names = {each.name for profile in profiles for each in fields(profile)}
    assert names - {*CHANGES} == {"chars_per_token"}


def test_a_tokenizer_without_a_counter_is_estimated() -> None:
    """A profile that only says how many characters a token has is obeyed."""
    text = "[profiles.tokenizer.variants.own]\nchars_per_token = 2.5\n"
    text += "[profiles.tokenizer]\nactive = 'own'\n"
    assert tokenizers.get(effective(text).tokenizer.counter()).count("x" * 10) == 4


KNOBS = {
    "dedup.lru_size": "9",
    "dedup.enabled_per_endpoint": "{Read = false}",
    "dedup.hint_verbosity": "'terse'",
    "dedup.near_ref_enabled": "true",
    "dedup.min_body_chars": "1",
    "templates.active": "[]",
    "templates.endpoint_overrides": "{Read = 'mr_diff_fence'}",
    "mckp.recursion_depth": "1",
    "mckp.formats_enabled": "['standard']",
    "mckp.shape_thresholds": "{flat_object_min_fields = 3}",
    "telemetry.sample_rate": "0.5",
    "telemetry.flush_every_n": "1",
    "hints.default_verbosity": "'verbose'",
    "endpoint_overrides.Read.lru_size": "50",
    "endpoint_overrides.Read.min_body_chars": "50",
    "endpoint_overrides.Read.dedup_enabled": "false",
    "endpoint_overrides.Read.template_id": "'mr_diff_fence'",
    "profiles.data.variants.x": "{pattern = 'Read', preferred_format = 'mr_diff_fence'}",
    "profiles.data.variants.y": "{pattern = 'Read', preferred_format = 'rows'}",
}


@pytest.mark.parametrize("key", KNOBS)
def test_no_knob_is_dead(key: str) -> None:
    """Each of the twelve knobs, and each override, changes what a session is handed."""
    found = settings_for(effective(f"{key} = {KNOBS[key]}"), tools=["Read"])
    assert found != settings_for(effective(), tools=["Read"])


def test_options_are_what_the_library_takes() -> None:
    """Formats and tokenizers of every profile are known to those who are handed them."""
    rows = [{"id": n, "ok": True} for n in range(9)]
    for model in (None, *LLMS, SONNET):
        found = effective(model=model)
        counter, formats = found.tokenizer.counter(), settings_for(found).formats
        assert select(formats)
        result = encode(rows, tokenizer=counter, formats=formats)
        assert result.tokens == tokenizers.get(counter).count(result.text)


@given(st.text(max_size=20), st.integers(0, 999), st.integers(0, 9), st.floats(0, 1))
def test_resolving_is_a_pure_function(model: str, events: int, cuts: int, share: float) -> None:
    """Any session gets settings, and the same ones each time."""
    context = SessionContext(model, SessionStats(events, cuts, share))
    first = settings_for(resolve(Config(), context))
    assert first == settings_for(resolve(Config(), context))
    assert isinstance(first, SessionSettings)

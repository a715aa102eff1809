"""What is known of tokenizers, models, ways of working and data: four axes of profiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mckp.config.checks import Flag, Number, OneOf, Text, Whole, knob
from mckp.config.hints import TYPES
from mckp.encoders import ALL, DENSE, LEVELS, NATIVE

FORMATS: Final = (*LEVELS, *(each.name for each in ALL))
"""Levels and formats that may be enabled."""

OLD_NAMES: Final = {
    "csv_from_md": "csv",
    "deep_mckp": "json",
    "deep_mckp_inner_table": "mckp_v2",
    "json_compact": "json",
}
"""Names that files of version 1 have for formats of today."""

LOOK_UP: Final = frozenset(each.name for each in DENSE) - {each.name for each in NATIVE}
"""Formats whose reader has to look things up: keys and values may stand elsewhere."""

INLINE: Final = frozenset({"csv", "table", "mckp_v2"})
"""Formats that write a nested value as JSON in a cell of a table."""

TEMPLATES: Final = {
    "csv_from_md": ("csv",),
    "pipeline_deep_mckp": ("json",),
    "mr_diff_fence": ("fence", "kv", "json"),
    "deep_mckp_with_inner_table": ("mckp_v2", "json"),
    "mckp_v2": ("mckp_v2", "json"),
}
"""Templates, each as the formats that it stands for; none of them loses anything here."""

ACTIVE: Final = ("csv_from_md", "pipeline_deep_mckp", "mr_diff_fence")
"""Templates that are active where nothing is said."""


def expanded(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the formats that levels and formats stand for, in the order of ties.

    Examples
    --------
    >>> expanded(("standard", "rows"))
    ('json', 'kv', 'csv', 'table', 'prose', 'fence', 'mckp_v2', 'rows')
    """
    wanted = {each.name for name in names for each in LEVELS.get(name, ())} | set(names)
    return tuple(each.name for each in ALL if each.name in wanted)


AUTO: Final = "auto"
"""What an axis says that finds its profile by what a session is like."""

PRIORITIES: Final = ("latency", "balanced", "accuracy")


@dataclass(frozen=True, slots=True)
class TokenizerProfile:
    """How a family of models counts.

    Attributes
    ----------
    chars_per_token : float
        Characters of a token, for estimates where there is no tokenizer.
    counts_with : str or None
        A name that `mckp.tokenizers.get` knows; without one, it is estimated.
    inline_json_cost : float
        What JSON in a cell of a table costs, as a multiple of its tokens.
    toon_overhead : float
        What TOON takes, as a multiple of the tokens of compact JSON.
    """

    chars_per_token: float = knob(4.0, Number(0.1, 100))
    counts_with: str | None = knob(None, Text(most=200))
    inline_json_cost: float = knob(1.0, Number(0.1, 100))
    toon_overhead: float = knob(1.0, Number(0.1, 100))

    def counter(self) -> str:
        """Return a name that `mckp.tokenizers.get` knows.

        Examples
        --------
        >>> TokenizerProfile(3.5).counter()
        'chars:3.5'
        """
        return self.counts_with or f"chars:{self.chars_per_token:g}"


@dataclass(frozen=True, slots=True)
class LlmProfile:
    """What a model is like.

    Attributes
    ----------
    tokenizer : str
        The tokenizer's profile.
    prefer_explicit_keys : bool
        Whether formats that make the reader look things up are left out.
    context : int
        Tokens that it reads at most.
    max_inline_nested : int
        Characters of JSON that a cell of a table may hold, where that costs extra.
    """

    tokenizer: str = knob("openai_o200k", Text())
    prefer_explicit_keys: bool = knob(True, Flag())
    context: int = knob(32_000, Whole(256, 1 << 31))
    max_inline_nested: int = knob(256, Whole(0, 1 << 31))


@dataclass(frozen=True, slots=True)
class AgentProfile:
    """How a session works.

    Attributes
    ----------
    priority : str
        What counts most: how far back near repeats are looked for depends on it.
    recursion_depth : int
        How deep strings that hold documents are opened, where the configuration does not say.
    hint_aggressiveness : float
        How soon a hint is worth its tokens: at 0.5 it has to save four times as much.
    near_ref : bool
        Whether near repeats become references, where the configuration does not say.
    """

    priority: str = knob("balanced", OneOf(PRIORITIES))
    recursion_depth: int = knob(5, Whole(0, 64))
    hint_aggressiveness: float = knob(0.5, Number(0.01, 1))
    near_ref: bool = knob(False, Flag())


@dataclass(frozen=True, slots=True)
class DataProfile:
    """What the results of some tools are like.

    Attributes
    ----------
    pattern : str
        The name of a tool, or how it begins.
    preferred_format : str or None
        A template or a format.
    hints : str or None
        The type of hint that suits it.
    """

    pattern: str = knob("", Text())
    preferred_format: str | None = knob(None, OneOf((*TEMPLATES, *FORMATS)))
    hints: str | None = knob(None, OneOf(TYPES))


TOKENIZERS: Final = {
    "anthropic_class": TokenizerProfile(3.5, "anthropic_class", 2.2, 1.13),
    "openai_o200k": TokenizerProfile(4.0, "o200k", 1.0, 0.60),
    "openai_cl100k": TokenizerProfile(3.7, "cl100k", 1.0, 0.60),
    "ollama_bpe": TokenizerProfile(3.8, "ollama_bpe", 1.0, 1.00),
}

LLMS: Final = {
    "default": LlmProfile(),
    "glm-5.1": LlmProfile("anthropic_class", True, 128_000, 128),
    "claude-sonnet-4.6": LlmProfile("anthropic_class", True, 200_000, 64),
    "gpt-oss:20b": LlmProfile("ollama_bpe", False, 8_192, 512),
    "gemma4:26b": LlmProfile("ollama_bpe", False, 8_192, 512),
}

AGENTS: Final = {
    "default": AgentProfile(),
    "file_search_heavy": AgentProfile("latency", 3, 0.3, False),
    "marathon_refactor": AgentProfile("accuracy", 7, 0.7, True),
}

DATA: Final = {
    "gitlab_issues": DataProfile("mcp__gitlab__get_issues", "csv_from_md", "near_ref"),
    "github_pulls": DataProfile("mcp__github__list_pulls", "csv_from_md", "near_ref"),
    "k8s_logs": DataProfile("mcp__k8s__get_logs", "pipeline_deep_mckp", "timestamp_ref"),
    "mr_diffs": DataProfile("mcp__gitlab__get_mr_diff", "mr_diff_fence", None),
}

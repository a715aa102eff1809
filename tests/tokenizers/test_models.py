"""The table of models."""

from __future__ import annotations

import pytest

from mckp.tokenizers import get, names
from mckp.tokenizers.registry import MODELS, tokenizer_of


@pytest.mark.parametrize(
    ("model", "due"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-mini-2024-07-18", "o200k_base"),
        ("chatgpt-4o-latest", "o200k_base"),
        ("gpt-4.1-nano", "o200k_base"),
        ("gpt-5", "o200k_base"),
        ("gpt-5.1-codex", "o200k_base"),
        ("o1", "o200k_base"),
        ("o3-pro", "o200k_base"),
        ("o4-mini", "o200k_base"),
        ("gpt-oss:20b", "o200k_base"),
        ("openai/gpt-oss-120b", "o200k_base"),
        ("ft:gpt-4o:acme", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-0613", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo-16k", "cl100k_base"),
        ("text-embedding-3-small", "cl100k_base"),
        ("Claude-Opus-4-1", "anthropic_class"),
        ("anthropic/claude-3.5-haiku", "anthropic_class"),
        ("glm-4.6", "anthropic_class"),
        ("llama3.2:1b", "ollama_bpe"),
        ("qwen3:8b", "ollama_bpe"),
        ("gemma3", "ollama_bpe"),
        ("mistral-nemo", "ollama_bpe"),
        ("gpt-4x", None),
        ("o11", None),
        ("gpt", None),
        ("phial", None),
        ("", None),
    ],
)
def test_longest_beginning_decides(model: str, due: str | None) -> None:
    """A model is counted by the longest beginning in the table that ends where a word does."""
    assert tokenizer_of(model) == due


def test_table_leads_to_known_names() -> None:
    """Each row of the table leads to a built-in tokenizer, under its canonical name."""
    for model, tokenizer in MODELS.items():
        assert tokenizer in names()
        assert get(model).name == tokenizer

"""Which tokenizer a model is counted with."""

from __future__ import annotations

MODELS = {
    "chatgpt-4o": "o200k_base",
    "gpt-4o": "o200k_base",
    "gpt-4.1": "o200k_base",
    "gpt-4.5": "o200k_base",
    "gpt-5": "o200k_base",
    "gpt-oss": "o200k_base",
    "o1": "o200k_base",
    "o3": "o200k_base",
    "o4": "o200k_base",
    "gpt-4": "cl100k_base",
    "gpt-3.5": "cl100k_base",
    "gpt-35": "cl100k_base",
    "text-embedding-3": "cl100k_base",
    "text-embedding-ada-002": "cl100k_base",
    "claude": "anthropic_class",
    "glm": "anthropic_class",
    "codellama": "ollama_bpe",
    "codestral": "ollama_bpe",
    "deepseek": "ollama_bpe",
    "devstral": "ollama_bpe",
    "gemma": "ollama_bpe",
    "llama": "ollama_bpe",
    "magistral": "ollama_bpe",
    "ministral": "ollama_bpe",
    "mistral": "ollama_bpe",
    "mixtral": "ollama_bpe",
    "phi": "ollama_bpe",
    "qwen": "ollama_bpe",
    "qwq": "ollama_bpe",
}
"""Beginnings of model names. The longest that fits decides."""


def tokenizer_of(model: str) -> str | None:
    """Find the tokenizer of a model.

    Capitals, what stands before a slash and a leading ``ft:`` do not matter. A beginning fits if
    it is not followed by a letter, nor by a digit after a digit: ``gpt-4`` fits ``gpt-4-turbo``
    and not ``gpt-4x``, ``qwen`` fits ``qwen3:8b``.

    Parameters
    ----------
    model : str
        A name as used in an API call, such as ``"openai/gpt-4o-mini"``.

    Returns
    -------
    str or None
        A tokenizer's name, or None for a model not in the table.

    Examples
    --------
    >>> tokenizer_of("gpt-4.1-mini"), tokenizer_of("gpt-4-turbo"), tokenizer_of("claude-opus-4")
    ('o200k_base', 'cl100k_base', 'anthropic_class')
    >>> tokenizer_of("gpt-9000") is None
    True
    """
    name = model.lower().rpartition("/")[2].removeprefix("ft:")
    fitting = [prefix for prefix in MODELS if _fits(prefix, name)]
    return MODELS[max(fitting, key=len)] if fitting else None


def _fits(prefix: str, name: str) -> bool:
    following = name[len(prefix) : len(prefix) + 1]
    joined = following.isalpha() or (following.isdigit() and prefix[-1].isdigit())
    return name.startswith(prefix) and not joined

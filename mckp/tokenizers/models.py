"""Which vocabulary a model has, by its name as people write it.

Every model has a *family*, for which there is an estimate. It also has a *vocabulary* if that is
certain: because its publisher says so, or because two packages that ship it agree. A version that
is not listed has its family's estimate only.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from mckp.regexes import regex


class Model(NamedTuple):
    """The known facts about a model's tokenizer."""

    family: str
    """The family of its estimate, or OpenAI's, which needs no estimate."""
    vocabulary: str | None
    """The vocabulary, if it is known."""


_BY_VOCABULARY: Final = {
    ("openai", "o200k_base"): "chatgpt4o codex-mini gpt4o gpt4.1 gpt4.5 gpt5 gpt5. gpt-oss "
    "o1 o3 o4",
    ("openai", "cl100k_base"): "gpt4 gpt3.5 gpt35 text-embedding3 text-embedding-ada002 "
    # Their ranks are those of cl100k_base, their pattern is Llama 3's: the counts are the same.
    "olmo2 phi4",
    ("llama", "llama2"): "code-llama codellama llama2 tinyllama vicuna",
    ("llama3", "llama3"): "deepseek-r1-distill-llama llama3 llama3.1 llama3.2 llama3.3",
    ("qwen", "qwen3"): "deepseek-r1-distill-qwen qwen1.5 qwen2 qwen2.5 qwen2.5vl qwen3 qwq",
    ("qwen", "qwen3.5"): "qwen3.5 qwen3.6",
    ("deepseek", "deepseek_v3"): "deepseek-chat deepseek-r1:671b deepseek-reasoner deepseek-v3 "
    "deepseek-v3.1 deepseek-v3.2 deepseek-v4",
    ("glm", "glm4"): "glm4 glm4.5",
    ("kimi", "kimi_k2"): "kimi-k2 kimi-k2.5 kimi-k3 kimi-linear",
    ("mistral", "mistral_spm"): "codestral:22b codestral22b mathstral mistral:7b mistral7b mixtral "
    "open-mistral7b open-mixtral",
    ("tekken", "tekken"): "devstral-small magistral-small ministral8b mistral-nemo "
    "mistral-small3 mistral-small3.1 mistral-small3.2 mistral-small24b mistral-small:24b "
    "open-mistral-nemo pixtral12b",
    ("gemma", "gemma2"): "gemma2",
    ("gemma", "gemma3"): "embeddinggemma gemma3",
    ("gemma", "gemma4"): "gemma4",
}
_BY_FAMILY: Final = {
    "claude": "anthropic_class claude",
    "llama": "llama",
    "llama4": "llama4",
    "qwen": "qwen qwen2.5-max qwen3-coder-flash qwen3-coder-plus qwen3-max",
    "deepseek": "deepseek",
    "glm": "chatglm glm",
    "kimi": "kimi moonshot",
    "phi": "phi phi4-mini phi4-multimodal",
    "mistral": "codestral devstral magistral ministral mistral open-mistral pixtral voxtral",
    "gemma": "codegemma gemma medgemma shieldgemma",
    "open": "aya baichuan command deepseek-coder deepseek-llm deepseek-r1 deepseek-v2 dbrx ernie "
    "exaone falcon granite hermes hunyuan internlm jamba lfm ling longcat mimo minimax nemotron "
    "olmo orca ring seed-oss smollm solar stablelm starcoder starling step wizardlm yi zephyr",
    "wide": "gemini gpt6 grok nova palm reka sonar",
}
MODELS: Final = {
    **{name: Model(family, None) for family, names in _BY_FAMILY.items() for name in names.split()},
    **{name: Model(*key) for key, names in _BY_VOCABULARY.items() for name in names.split()},
    **{key[1]: Model(*key) for key in _BY_VOCABULARY if key[0] != "openai"},
}
"""Beginnings of names, as `_normalised_name` returns them. The longest that fits decides."""

ESTIMATED: Final = tuple(sorted({model.family for model in MODELS.values()} - {"openai"}))
"""The families that have an estimate: all but OpenAI's, whose vocabularies are at hand."""

_VENDOR: Final = regex(
    r"^(?:ft:|meta-|(?:us|eu|apac|jp|au|global)\.|(?:ai21|amazon|anthropic|cohere|google|meta"
    r"|minimax|mistral|moonshot|moonshotai|nvidia|openai|qwen|zai)\.(?=[a-z]))*"
)
_BEFORE_NUMBER: Final = regex("(?<=[a-z])[-_ ](?=[0-9])")


def model_of(name: str) -> Model | None:
    """Return what is known about the tokenizer of a model, or None if no table lists its name.

    Case, anything before a slash, and vendor prefixes (``meta-``, ``us.anthropic.``) are ignored,
    and so is a dash between a word and a number (``llama-3``, ``llama3``). A listed beginning
    matches unless a letter follows it, or after a number another digit or a further part: ``gpt-4``
    matches ``gpt-4-turbo`` but not ``gpt-4x``; ``qwen3`` matches ``qwen3:8b`` but not ``qwen3.9``.

    Examples
    --------
    >>> model_of("meta-llama/Llama-3.3-70B-Instruct")
    Model(family='llama3', vocabulary='llama3')
    >>> model_of("qwen3:8b").vocabulary, model_of("qwen3.9:8b").vocabulary
    ('qwen3', None)
    >>> model_of("gpt-4-turbo").vocabulary, model_of("gpt-9000") is None
    ('cl100k_base', True)
    """
    normalised = _normalised_name(name)
    for size in range(len(normalised), 0, -1):
        if (model := MODELS.get(normalised[:size])) and _is_word_end(
            normalised[:size], normalised[size:]
        ):
            return model
    return None


def _normalised_name(name: str) -> str:
    """Return a model's name in lower case, without vendor and without dashes before numbers."""
    model = name.lower().rpartition("/")[2].replace("deepseek.", "deepseek-")
    return _BEFORE_NUMBER.sub("", _VENDOR.sub("", model))


def _is_word_end(beginning: str, rest: str) -> bool:
    """Whether a word or a number in a name ends between `beginning` and `rest`."""
    if rest[:1].isalpha():
        return False
    if not beginning[-1].isdigit():
        return True
    return not (rest[:1].isdigit() or (rest[:1] == "." and rest[1:2].isdigit()))

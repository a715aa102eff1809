"""The list of all tokenizers: whether each is exact, its library, and its vocabulary's owner."""

from __future__ import annotations

from typing import NamedTuple

from mckp.tokenizers.models import ESTIMATED, MODELS, model_of
from mckp.tokenizers.profiles import PROFILES, ratio_estimate
from mckp.tokenizers.registry import names
from mckp.tokenizers.vocabularies import SHIPPED, is_installed, package_version

_OPENAI = {"o200k": "o200k_base", "cl100k": "cl100k_base"}


class ListedTokenizer(NamedTuple):
    """A tokenizer in the list that ``mckp tokenizers`` prints."""

    name: str
    counts: str
    """``exact``, ``estimate``, or the package with which it would be exact; empty for a plug-in."""
    by: str
    """What counts: mostly a package with its version."""
    licence: str
    """The licence of the vocabulary."""
    models: str
    """The owner of the vocabulary, and how the names of models begin that use it."""


def list_tokenizers() -> list[ListedTokenizer]:
    """Return all tokenizers: exact ones, also by extras, estimates, registered ones and plug-ins.

    Examples
    --------
    >>> [entry.name for entry in list_tokenizers()][:3], list_tokenizers()[0].counts
    (['o200k', 'cl100k', 'llama2'], 'exact')
    """
    entries = [_openai_entry(name, base) for name, base in _OPENAI.items()]
    entries += [_vendor_entry(name) for name in SHIPPED]
    entries += [_estimate_entry(family) for family in ESTIMATED]
    known = {*(entry.name for entry in entries), *_OPENAI.values()}
    for name in names():
        if name in PROFILES:
            entries.append(
                ListedTokenizer(
                    name, "estimate", "characters", "", "none: 2 to 2.5 a token in data"
                )
            )
        elif name not in known:
            entries.append(ListedTokenizer(name, "", "a plug-in", "", ""))
    return entries


def _openai_entry(name: str, base: str) -> ListedTokenizer:
    """Return the entry of one of OpenAI's vocabularies."""
    models = " ".join(model for model, entry in MODELS.items() if entry.vocabulary == base)
    return ListedTokenizer(
        name, "exact", f"tiktoken {package_version('tiktoken')}", "MIT", f"OpenAI: {models}"
    )


def _vendor_entry(name: str) -> ListedTokenizer:
    """Return the entry of another vendor's vocabulary, which a package ships."""
    vocabulary, has_package = SHIPPED[name], is_installed(name)
    models = " ".join(
        model for model, entry in MODELS.items() if entry.vocabulary == name and model != name
    )
    return ListedTokenizer(
        name,
        "exact" if has_package else f"exact with {vocabulary.package}",
        f"{vocabulary.package} {package_version(vocabulary.package)}".strip(),
        vocabulary.licence,
        f"{vocabulary.source}: {models}",
    )


def _estimate_entry(family: str) -> ListedTokenizer:
    """Return the entry of the estimate for a family of models."""
    models = " ".join(model for model, entry in MODELS.items() if entry == (family, None))
    return ListedTokenizer(f"{family}_estimate", "estimate", "mckp, by o200k", "", models or family)


def accuracy_advice(name: str) -> str:
    """Return how to count exactly instead of by the estimate `name`, or how far off that is."""
    if ratio_estimate(name) is not None:
        return "data may have twice as many tokens; to be safe, pass the name of a model"
    model = model_of(name)
    if model is not None and model.vocabulary is not None and not is_installed(model.vocabulary):
        package = SHIPPED[model.vocabulary].package
        return f"pip install {package} counts {model.vocabulary} exactly"
    return "most estimates are about a fifth too high"

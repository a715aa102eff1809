"""The list of all tokenizers: whether each is exact, its library, and its vocabulary's owner."""

from __future__ import annotations

import warnings
from typing import NamedTuple

from mckp.tokenizers.models import estimated_families, model_of, models, percent_above, resembled
from mckp.tokenizers.profiles import PROFILES, ratio_estimate
from mckp.tokenizers.registry import get, names
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
    entries += [_estimate_entry(family) for family in estimated_families()]
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
    used_by = " ".join(name for name, entry in models().items() if entry.vocabulary == base)
    return ListedTokenizer(
        name, "exact", f"tiktoken {package_version('tiktoken')}", "MIT", f"OpenAI: {used_by}"
    )


def _vendor_entry(name: str) -> ListedTokenizer:
    """Return the entry of another vendor's vocabulary, which a package ships."""
    vocabulary, has_package = SHIPPED[name], is_installed(name)
    used_by = " ".join(
        model for model, entry in models().items() if entry.vocabulary == name and model != name
    )
    return ListedTokenizer(
        name,
        "exact" if has_package else f"exact with {vocabulary.package}",
        f"{vocabulary.package} {package_version(vocabulary.package)}".strip(),
        vocabulary.licence,
        f"{vocabulary.source}: {used_by}",
    )


def _estimate_entry(family: str) -> ListedTokenizer:
    """Return the entry of the estimate for a family of models."""
    used_by = " ".join(
        name
        for name, entry in models().items()
        if entry.family == family and entry.vocabulary is None
    )
    return ListedTokenizer(
        f"{family}_estimate", "estimate", "mckp, by o200k", "", used_by or family
    )


def accuracy_advice(name: str) -> str:
    """Return how to count exactly instead of by the estimate `name`, or how far off that is."""
    if ratio_estimate(name) is not None:
        return "data may have twice as many tokens; to be safe, pass the name of a model"
    model = model_of(name)
    wanted = (model.vocabulary or model.bound) if model is not None else None
    if wanted and not is_installed(wanted):
        how = "exactly" if model and model.vocabulary else "nearly exactly, and never too low"
        return f"pip install {SHIPPED[wanted].package} counts {wanted} {how}"
    if wanted:
        return f"{wanted} never counts too few tokens for this model"
    family = model.family if model else name.removesuffix("_estimate")
    above = percent_above(family)
    if above is None:
        return "the count is not known, so the estimate is on the safe side"
    least, most = above
    shown = f"{least} %" if least == most else f"{least} to {most} %, by the vocabulary,"
    return f"it is mostly {shown} above the count"


def facts_of(name: str) -> dict[str, str]:
    """Return what is known about one name: its tokenizer, whether that is exact, and by what.

    Examples
    --------
    >>> facts_of("gpt-5-mini")["tokenizer"], facts_of("gpt-5-mini")["counts"]
    ('o200k_base', 'exact')
    """
    with warnings.catch_warnings():  # what would be warned of is among the facts
        warnings.simplefilter("ignore")
        tokenizer, model = get(name), model_of(name)
    facts = {
        "name": name,
        "tokenizer": tokenizer.name,
        "counts": "exact" if tokenizer.exact else "estimate",
    }
    if model is not None:
        facts["family"] = model.family
        facts["evidence"] = model.evidence or "no table names the vocabulary of this model"
    if (listed := resembled(name)) is not None:
        facts["note"] = f"no table lists this name; it is counted as for {listed}"
    if not tokenizer.exact:
        facts["accuracy"] = accuracy_advice(name)
    return facts

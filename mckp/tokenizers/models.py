"""Which vocabulary a model has, by its name as people write it.

Every model has a *family*, for which there is an estimate. It also has a *vocabulary* if there is
evidence: its publisher says so, or packages that ship it agree. A version that is not listed has
its family's estimate only. The table is ``models.toml``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.regexes import regex

if TYPE_CHECKING:
    import re


class Model(NamedTuple):
    """The known facts about a model's tokenizer."""

    family: str
    """The family of its estimate, or OpenAI's, which needs no estimate."""
    vocabulary: str | None
    """The vocabulary, if it is known."""
    bound: str | None = None
    """A vocabulary that never counts too few tokens for this model, if one is known."""
    evidence: str = ""
    """How the vocabulary or the bound is known: packages and versions."""


@cache
def models() -> dict[str, Model]:
    """Return the models by the beginnings of their names, as `_normalised_name` returns them.

    The longest beginning that fits decides. The names of vocabularies are names of models, too.
    """
    by_name = dict[str, Model]()
    for record in _records()["models"]:
        vocabulary, bound = record.get("vocabulary"), record.get("bound")
        model = Model(record["family"], vocabulary, bound, record.get("evidence", ""))
        by_name |= dict.fromkeys(record["names"].split(), model)
        if vocabulary and model.family != "openai":
            by_name.setdefault(vocabulary, model)
    return by_name


@cache
def _records() -> dict[str, Any]:
    import tomllib  # names of vocabularies have no need of it
    from importlib.resources import files

    return tomllib.loads(files("mckp.tokenizers").joinpath("models.toml").read_text("utf-8"))


@cache
def estimated_families() -> tuple[str, ...]:
    """Return the families that have an estimate: all but OpenAI's, whose vocabularies are here."""
    return tuple(sorted({model.family for model in models().values()} - {"openai"}))


def percent_above(family: str) -> tuple[int, int] | None:
    """Return by how many per cent a family's estimate is above counts, least and most, if known."""
    found = _records()["above"].get(family)
    return None if found is None else (found[0], found[1])


_VENDOR: Final = regex(
    r"^(?:ft:|meta-|(?:us-gov|us|eu|apac|jp|au|in|global|regional)\."
    r"|(?:ai21|amazon|anthropic|cohere|google|meta|minimax|mistral|moonshot|moonshotai|nvidia"
    r"|openai|qwen|writer|xai|zai)\.(?=[a-z]))*"
)
_GATEWAY: Final = regex(
    r"^(?:abliterated|alibaba|anthropic|cc|code|coding|cohere|databricks|fw|labs|meta|nvidia|openai"
    r"|perplexity|snowflake|spot|system\.ai|together|xai|xiaomi|zai)[-_.]"
)
"""How clouds and gateways begin names of their own, where the rest is a model's name."""
_BEFORE_NUMBER: Final = regex("(?<=[a-z])[-_ ](?=[0-9])")


def model_of(name: str) -> Model | None:
    """Return what is known about the tokenizer of a model, or None if no table lists its name.

    Case, anything before a slash, and vendor prefixes (``meta-``, ``us.anthropic.``) are ignored,
    and so is a dash between a word and a number (``llama-3``, ``llama3``). A listed beginning
    matches unless a letter follows it, or after a number another digit or a further part: ``gpt-4``
    matches ``gpt-4-turbo`` but not ``gpt-4x``; ``qwen3`` matches ``qwen3:8b`` but not ``qwen3.9``.

    Examples
    --------
    >>> model_of("meta-llama/Llama-3.3-70B-Instruct").vocabulary
    'llama3'
    >>> model_of("qwen3:8b").vocabulary, model_of("qwen3.9:8b").vocabulary
    ('qwen3', None)
    >>> model_of("gpt-4-turbo").vocabulary, model_of("gpt-9000") is None
    ('cl100k_base', True)
    """
    return _entry_of(name)[1]


def resembled(name: str) -> str | None:
    """Return the listed name by which an unlisted name is counted, or None if it is listed.

    Only a name that is counted exactly, or by a bound, needs to be listed. It goes on with a date,
    a size or a usual word; a name that goes on in another way may be another model.

    Examples
    --------
    >>> resembled("gpt-4o-2024-11-20"), resembled("gpt-4o-mini"), resembled("gpt5-turbo")
    (None, None, 'gpt5')
    >>> resembled("Qwen3-Coder-480B-A35B-Instruct-FP8"), resembled("llama-3-lumimaid-70b")
    (None, 'llama3')
    """
    beginning, model, rest = _entry_of(name)
    if model is None or not (model.vocabulary or model.bound):
        return None
    group = "openai" if model.family == "openai" else "others"
    is_listed = not beginning.endswith(".") and _goes_on(group).fullmatch(rest)
    return None if is_listed else beginning.rstrip(".")


@cache
def _goes_on(group: str) -> re.Pattern[str]:
    """Return what may follow a listed name of OpenAI or of others."""
    words = "|".join(_records()["words"][group].split())
    if group == "openai":
        return regex(
            rf"(?:[-_:.@ ]?[0-9]{{2,8}}[bk]?|[-_:.@ ](?:v[0-9]|{words}))*(?:(?:-?[0-9])?[:@].*)?"
        )
    size = r"(?:[ae]|v)?[0-9]+(?:[.px_][0-9]+)*[bkt]?(?:it)?"
    return regex(rf"(?:[-_:.@ ]?(?:{size}|x[0-9]+b)|[-_:.@ ]?(?:{words}))*(?:[:@].*)?")


def _entry_of(name: str) -> tuple[str, Model | None, str]:
    """Return the listed beginning of a name, its model, and the rest of the name.

    What is before a colon goes if the rest is a model's name (``openai:gpt-5``, but not
    ``llama3:8b``), and so does what gateways write before it.
    """
    whole = name.lower().rpartition("/")[2]
    shorter = [whole.partition(":")[2], whole, _GATEWAY.sub("", whole)]
    for candidate in filter(None, shorter):
        normalised = _normalised_name(candidate)
        for size in range(len(normalised), 0, -1):
            beginning, rest = normalised[:size], normalised[size:]
            if (model := models().get(beginning)) and _is_word_end(beginning, rest):
                return beginning, model, rest
    return "", None, whole


def _normalised_name(name: str) -> str:
    """Return a name in lower case without its vendor and without dashes before numbers."""
    model = name.replace("deepseek.", "deepseek-")
    return _BEFORE_NUMBER.sub("", _VENDOR.sub("", model))


def _is_word_end(beginning: str, rest: str) -> bool:
    """Whether a word or a number in a name ends between `beginning` and `rest`."""
    if rest[:1].isalpha():
        return False
    if not beginning[-1].isdigit():
        return True
    return not (rest[:1].isdigit() or (rest[:1] == "." and rest[1:2].isdigit()))

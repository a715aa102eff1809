"""Counting tokens: exactly for OpenAI's vocabularies, by plug-in or by estimate for others.

Importing this package is cheap; vocabularies are loaded at the first count, never over a network.
For a few short texts only the tokens are taken that they may need, of many texts each distinct word
is counted once, and the extra ``fast`` brings a faster library, whose counts are the same.
"""

from mckp.tokenizers.base import Tokenizer
from mckp.tokenizers.fragment import is_fragment
from mckp.tokenizers.registry import get, kept, names, register

__all__ = ["Tokenizer", "get", "is_fragment", "kept", "names", "register"]

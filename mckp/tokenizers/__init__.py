"""Token counts: exact for OpenAI's vocabularies, by plug-in or by estimate for others.

Importing this package is cheap; a vocabulary is loaded at the first count, never over a network. A
few short texts load only the tokens that can occur in them, and of many texts each distinct word is
counted once. The extra ``fast`` adds a faster library with the same counts.
"""

from mckp.tokenizers.base import Tokenizer
from mckp.tokenizers.fragment import is_fragment
from mckp.tokenizers.registry import get, kept, names, register

__all__ = ["Tokenizer", "get", "is_fragment", "kept", "names", "register"]

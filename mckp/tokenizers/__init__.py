"""Token counts: exact for OpenAI's models; for others, estimates, or exact with an extra.

A vocabulary is loaded at the first count, never over a network. For a few short texts, only those
tokens are loaded that can occur in them. If there are many texts, each distinct word is counted
only once. The extra ``fast`` adds a faster library, which gives the same counts.
"""

from mckp.tokenizers.base import Tokenizer
from mckp.tokenizers.fragment import is_fragment
from mckp.tokenizers.registry import get, kept, names, register

__all__ = ["Tokenizer", "get", "is_fragment", "kept", "names", "register"]

"""tiktoken encodings, made from the shipped vocabularies without network, cache or settings."""

from __future__ import annotations

from importlib import import_module
from threading import Lock, get_ident
from typing import TYPE_CHECKING, Any

from mckp.errors import MckpError
from mckp.tokenizers.vocabularies import CANARY, VOCABULARIES, token_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from tiktoken import Encoding

_LOCK = Lock()
_LOADED: dict[tuple[str, bool], Encoding] = {}


def load(name: str, *, whole: bool = False) -> Encoding:
    """Give the encoding of a shipped vocabulary, building it on the first call.

    Parameters
    ----------
    name : str
        A name in `VOCABULARIES`.
    whole : bool
        Merge a text as one piece instead of splitting it by the vocabulary's pattern first.

    Returns
    -------
    tiktoken.Encoding
        The same object on every call.

    Raises
    ------
    MckpError
        If the installed tiktoken does not count the canary text as it should.

    Examples
    --------
    >>> load("o200k_base").encode_ordinary("Hello world")
    [13225, 2375]
    >>> load("o200k_base") is load("o200k_base")
    True
    """
    found = _LOADED.get((name, whole))
    if found is not None:
        return found
    with _LOCK:
        if (name, whole) not in _LOADED:
            arguments = _arguments(name, token_file(name).all())
            _LOADED[name, whole] = _unsplit(arguments) if whole else _checked(name, arguments)
        return _LOADED[name, whole]


def is_loaded(name: str) -> bool:
    """Tell whether `load` has built the encoding of a vocabulary before."""
    return (name, False) in _LOADED


def build(name: str, found: dict[bytes, int]) -> Encoding:
    """Make an encoding of some tokens of a shipped vocabulary.

    Parameters
    ----------
    name : str
        A name in `VOCABULARIES`.
    found : dict of bytes to int
        The tokens with their ranks; all that are part of the canary text among them.

    Returns
    -------
    tiktoken.Encoding
        A new one.

    Raises
    ------
    MckpError
        If it does not count the canary text as it should.
    """
    return _checked(name, _arguments(name, found) | {"explicit_n_vocab": None})


def _checked(name: str, arguments: dict[str, Any]) -> Encoding:
    encoding = _encoding(arguments)
    counted, due = len(encoding.encode_ordinary(CANARY)), VOCABULARIES[name].canary
    if counted != due:
        raise MckpError(
            f"the installed tiktoken counts {counted} tokens of {name} where {due} are due; "
            "install another version of tiktoken"
        )
    return encoding


def _unsplit(arguments: dict[str, Any]) -> Encoding:
    """Make an encoding that merges a text as one piece."""
    return _encoding(arguments | {"name": f"{arguments['name']}/whole", "pat_str": "(?s:.+)"})


def _encoding(arguments: dict[str, Any]) -> Encoding:
    from tiktoken import Encoding

    return Encoding(**arguments)


def _arguments(name: str, found: dict[bytes, int]) -> dict[str, Any]:
    """Call tiktoken's own constructor, for its pattern and special tokens, with our ranks."""
    public: Any = import_module("tiktoken_ext.openai_public")
    original = public.load_tiktoken_bpe
    public.load_tiktoken_bpe = _loader(found, original)
    try:
        return dict(getattr(public, name)())
    finally:
        public.load_tiktoken_bpe = original


def _loader(found: dict[bytes, int], original: Callable[..., Any]) -> Callable[..., Any]:
    owner = get_ident()

    def load_ranks(*args: Any, **kwargs: Any) -> Any:
        # Another thread may be loading an encoding of its own through tiktoken right now.
        return found if get_ident() == owner else original(*args, **kwargs)

    return load_ranks

"""Tokenizers by name: built-in and registered ones, plug-ins, and those of models."""

from __future__ import annotations

from functools import partial
from threading import RLock
from typing import TYPE_CHECKING

from mckp.errors import UnknownNameError, warn_caller
from mckp.tokenizers.backends import Bpe
from mckp.tokenizers.base import Tokenizer
from mckp.tokenizers.estimates import estimate_for
from mckp.tokenizers.models import Model, estimated_families, model_of, resembled
from mckp.tokenizers.own import is_file_name, read_tokenizer_file, wrap_object
from mckp.tokenizers.profiles import Callback, ratio_estimate
from mckp.tokenizers.vocabularies import BOUND, BoundTokenizer, VendorTokenizer, is_installed

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.metadata import EntryPoint

    from mckp.tokenizers.base import Factory
    from mckp.tokenizers.own import HasEncode

GROUP = "mckp.tokenizers"


def plug_ins() -> dict[str, EntryPoint]:
    """Return the installed plug-ins by name, in alphabetical order, without loading any."""
    from importlib import metadata

    points = metadata.entry_points(group=GROUP)
    return {point.name: point for point in sorted(points, key=lambda p: (p.name, p.value))}


def checked_tokenizer(made: object, name: str) -> Tokenizer:
    """Return what the factory of `name` made; raise a `TypeError` if it is not a tokenizer."""
    if not isinstance(made, Tokenizer):
        kind = type(made).__name__
        raise TypeError(f"the factory of {name!r} returned {kind}, which is not a Tokenizer")
    return made


BUILT_IN: dict[str, Callable[[], object]] = {
    "o200k_base": partial(Bpe, "o200k_base"),
    "cl100k_base": partial(Bpe, "cl100k_base"),
    "o200k": partial(Bpe, "o200k_base"),
    "cl100k": partial(Bpe, "cl100k_base"),
    "ollama_bpe": partial(ratio_estimate, "ollama_bpe"),
}

ESTIMATE = "_estimate"
"""How the name of an estimate ends, after that of its family."""

_LOCK = RLock()
_REGISTERED: dict[str, Factory] = {}
_MADE: dict[str, Tokenizer] = {}


def get(tokenizer: str | Tokenizer | HasEncode | Callable[[str], int]) -> Tokenizer:
    """Return the tokenizer for a name, a file, a model name, a function or an object.

    A name is looked up among built-in and registered tokenizers, then as ``chars:<ratio>``, then
    among installed plug-ins and vocabularies, then in the table of models, which gives the model's
    own vocabulary if that is installed, else an estimate that is rarely too low. A name that ends
    with ``.json`` or ``.model`` is the path of a tokenizer file. Estimates by characters
    (``chars:<ratio>``, ``ollama_bpe``) warn once about their quality.

    Parameters
    ----------
    tokenizer : str, Tokenizer, object or callable
        A callable takes a text and returns its number of tokens. An object may be of
        ``tokenizers``, ``transformers``, ``tiktoken``, ``mistral_common`` or ``sentencepiece``.

    Returns
    -------
    Tokenizer
        The same object each time a name is asked for.

    Raises
    ------
    UnknownNameError
        If the name is unknown; the message lists the names that are known.
    MckpError
        If a file has no tokenizer, or if a library counts incorrectly.
    TypeError
        If `tokenizer` is of another type.

    Examples
    --------
    >>> get("o200k").count("Hello world")
    2
    >>> get("gpt-4").name, get("claude-sonnet-4").name, get(len).name
    ('cl100k_base', 'claude_estimate', 'len')
    >>> get("o300k")
    Traceback (most recent call last):
        ...
    mckp.errors.UnknownNameError: unknown tokenizer 'o300k'; did you mean 'o200k'? known: ...
    """
    if isinstance(tokenizer, str):
        return _tokenizer_named(tokenizer)
    if isinstance(tokenizer, type):
        raise TypeError(f"{tokenizer.__name__} is a class; pass an instance of it")
    if isinstance(tokenizer, Tokenizer):
        return tokenizer
    if (wrapped := wrap_object(tokenizer)) is not None:
        return wrapped
    if callable(tokenizer):
        return Callback(tokenizer)
    raise TypeError(f"expected a tokenizer, a name or a function, got {type(tokenizer).__name__}")


def kept(tokenizer: str | Tokenizer | HasEncode | Callable[[str], int], before: str) -> Tokenizer:
    """Return the tokenizer that a conversation began with, if only the installed packages changed.

    Installing or removing an extra can change which tokenizer a model's name stands for: the exact
    one or an estimate. Their counts cannot be compared, so a conversation keeps the first one.

    Parameters
    ----------
    tokenizer : str, Tokenizer, object or callable
        The current choice, as for `get`.
    before : str
        The name of the tokenizer that the conversation began with.

    Returns
    -------
    Tokenizer
        The tokenizer named `before` if it belongs to the same model; otherwise that of `get`.
    """
    current = get(tokenizer)
    if isinstance(tokenizer, str) and (model := model_of(tokenizer)) is not None:
        estimated = f"{model.family}{ESTIMATE}"
        if before == estimated or (before == model.vocabulary and is_installed(before)):
            return get(before)
    return current


def register(name: str, factory: Factory) -> None:
    """Make a tokenizer available by name in this process.

    Parameters
    ----------
    name : str
        A name that is not built in. One registered before is replaced.
    factory : callable
        Called without arguments, once, when the name is first asked for.

    Raises
    ------
    ValueError
        If the name is built in: results that carry it must mean the same everywhere.

    Examples
    --------
    >>> register("letters", lambda: get(len))
    >>> get("letters").count("abc")
    3
    """
    if is_built_in(name) or ratio_estimate(name):
        raise ValueError(f"the tokenizer {name!r} is built in; choose another name")
    with _LOCK:
        _REGISTERED[name] = factory
        _MADE.pop(name, None)


def names() -> tuple[str, ...]:
    """Return the names that `get` knows, except models: built-in, registered and plug-ins."""
    estimates = dict.fromkeys(f"{family}{ESTIMATE}" for family in estimated_families())
    return tuple(BUILT_IN | estimates | _REGISTERED | plug_ins())


def is_built_in(name: str) -> bool:
    """Return whether a name is built in; only names of estimates need the table of models."""
    family = name.removesuffix(ESTIMATE)
    return name in BUILT_IN or (family != name and family in estimated_families())


def _tokenizer_named(name: str) -> Tokenizer:
    """Return the tokenizer of a name; it is made only once."""
    with _LOCK:
        if name not in _MADE:
            _MADE[name] = _make_tokenizer(name)
        return _MADE[name]


def _make_tokenizer(name: str) -> Tokenizer:
    """Make the tokenizer of a name; raise an `UnknownNameError` if nothing has that name.

    An estimate by characters warns about its quality.
    """
    if (ratio := ratio_estimate(name)) is not None:
        warn_caller(ratio.warning)
        return ratio
    family = name.removesuffix(ESTIMATE)
    if family != name and family in estimated_families():
        return estimate_for(family)
    factory = BUILT_IN.get(name) or _REGISTERED.get(name)
    if factory:
        return checked_tokenizer(factory(), name)
    if is_file_name(name):
        return read_tokenizer_file(name)
    tokenizer = _load_plug_in(name)
    if tokenizer is None and is_installed(name):
        tokenizer = VendorTokenizer(name)
    bound = name.removesuffix(BOUND)
    if tokenizer is None and bound != name and is_installed(bound):
        tokenizer = BoundTokenizer(bound)
    if tokenizer is None and (model := model_of(name)) is not None:
        tokenizer = _tokenizer_named(tokenizer_name_for(model))
        if (listed := resembled(name)) is not None:
            warn_caller(
                f"no table lists the model {name!r}; tokens are counted as for {listed} "
                f"({tokenizer.name})"
            )
    if tokenizer is None:
        raise UnknownNameError("tokenizer", name, _known_names())
    return tokenizer


def tokenizer_name_for(model: Model) -> str:
    """Return the name of a model's own tokenizer, of a bound, or of the estimate: what there is."""
    if model.vocabulary and (model.vocabulary in BUILT_IN or is_installed(model.vocabulary)):
        return model.vocabulary
    if model.bound and is_installed(model.bound):
        return model.bound + BOUND
    return f"{model.family}{ESTIMATE}"


def _load_plug_in(name: str) -> Tokenizer | None:
    """Return the tokenizer of an installed plug-in, or None if there is no such plug-in.

    A plug-in that cannot be loaded raises an `UnknownNameError` with the reason.
    """
    point = plug_ins().get(name)
    if point is None:
        return None
    try:
        target = point.load()
        tokenizer = (
            target() if isinstance(target, type) or not isinstance(target, Tokenizer) else target
        )
        return checked_tokenizer(tokenizer, name)
    except Exception as load_error:
        known = [other for other in _known_names() if other != name]
        error = UnknownNameError("tokenizer", name, known)
        error.args = (f"{error}; its plug-in could not be loaded: {load_error!r}",)
        raise error from load_error


def _known_names() -> tuple[str, ...]:
    """Return the names that a tokenizer may have, as error messages list them."""
    return (
        *names(),
        "chars:<ratio>",
        "names of models, such as qwen3:8b (mckp tokenizers lists all)",
    )

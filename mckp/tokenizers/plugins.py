"""Tokenizers of other distributions, found through entry points.

An entry point of the group `mckp.tokenizers` names a tokenizer and leads to a `Tokenizer` or to
a factory: a callable without arguments that returns one. None is loaded before it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.errors import UnknownNameError
from mckp.tokenizers.base import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from importlib.metadata import EntryPoint

GROUP = "mckp.tokenizers"


class BrokenPlugInError(UnknownNameError):
    """A tokenizer was not found, and installed plug-ins could not be loaded.

    Attributes
    ----------
    broken : dict of str to Exception
        What went wrong with each of them.
    """

    def __init__(self, name: str, known: Iterable[str], broken: Mapping[str, Exception]) -> None:
        self.broken = dict(broken)
        super().__init__("tokenizer", name, known)

    def __str__(self) -> str:
        """Add the broken plug-ins to the message."""
        faults = ", ".join(f"{name} ({fault!r})" for name, fault in self.broken.items())
        return f"{super().__str__()}; plug-ins that could not be loaded: {faults}"


def found() -> dict[str, EntryPoint]:
    """List the installed plug-ins without loading any.

    Returns
    -------
    dict of str to importlib.metadata.EntryPoint
        By name, in alphabetical order.
    """
    from importlib import metadata

    points = metadata.entry_points(group=GROUP)
    return {point.name: point for point in sorted(points, key=lambda p: (p.name, p.value))}


def make(point: EntryPoint) -> Tokenizer:
    """Load a plug-in.

    Parameters
    ----------
    point : importlib.metadata.EntryPoint
        One of those `found`.

    Returns
    -------
    Tokenizer
        What it leads to, called if it is a factory.

    Raises
    ------
    TypeError
        If that is no tokenizer.
    """
    target = point.load()
    made = target() if isinstance(target, type) or not isinstance(target, Tokenizer) else target
    return checked(made, point.name)


def checked(made: object, name: str) -> Tokenizer:
    """Refuse what a factory returned if it is no tokenizer.

    Parameters
    ----------
    made : object
        What it returned.
    name : str
        The name it is registered under, for the message.

    Returns
    -------
    Tokenizer
        The same object.

    Raises
    ------
    TypeError
        If a member is missing.

    Examples
    --------
    >>> checked(3, "three")
    Traceback (most recent call last):
        ...
    TypeError: the factory of 'three' returned int, which lacks members of Tokenizer
    """
    if not isinstance(made, Tokenizer):
        kind = type(made).__name__
        raise TypeError(
            f"the factory of {name!r} returned {kind}, which lacks members of Tokenizer"
        )
    return made


def faults() -> dict[str, Exception]:
    """Load every plug-in to see which cannot be.

    Returns
    -------
    dict of str to Exception
        The reason for each that failed.
    """
    return {name: fault for name, point in found().items() if (fault := _fault(point))}


def _fault(point: EntryPoint) -> Exception | None:
    try:
        make(point)
    except Exception as fault:
        return fault
    return None

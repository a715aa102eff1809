"""Patterns of priorities that match nothing: raises or warns, and suggests what may be meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

from mckp.errors import (
    UnknownNameError,
    UnmatchedError,
    UnmatchedWarning,
    did_you_mean,
    warn_caller,
)
from mckp.jsontext import path_text
from mckp.weights.patterns import Wild, fits, read_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mckp.weights.leaves import Leaf
    from mckp.weights.patterns import Step

OnUnmatched: TypeAlias = Literal["pins", "error", "warn", "ignore"]
"""``pins``: a pin that matches nothing is an error, any other pattern a warning."""

CHOICES: Final = ("pins", "error", "warn", "ignore")


def checked(on_unmatched: OnUnmatched) -> OnUnmatched:
    """Return the choice of how to report unmatched patterns; raise if it is not valid."""
    if not isinstance(cast("object", on_unmatched), str):
        raise TypeError(
            f"on_unmatched must be one of {', '.join(CHOICES)}, not {on_unmatched!r:.40}"
        )
    if on_unmatched not in CHOICES:
        raise UnknownNameError("value of on_unmatched", on_unmatched, CHOICES)
    return on_unmatched


def report(
    unmatched: Iterable[str],
    pins: Iterable[str],
    leaves: Callable[[], Sequence[Leaf]],
    on_unmatched: OnUnmatched,
    document: str = "the document",
) -> None:
    """Raise or warn about patterns that match nothing in a document.

    A pattern that leads to an empty array, an empty object or null is not a mistake.

    Parameters
    ----------
    unmatched
        The patterns.
    pins
        Those patterns whose priority is ``"pin"``.
    leaves
        Returns the leaves of the document.
    on_unmatched
        What to do.
    document
        What the document is called.
    """
    if on_unmatched == "ignore" or not (patterns := tuple(unmatched)):
        return
    document_leaves, pinned = leaves(), set(pins)
    for pattern in patterns:
        steps = read_pattern(pattern)
        if _ends_in_nothing(steps, document_leaves):
            continue
        message = f"nothing in {document} matches {pattern!r}{_hint(steps, document_leaves)}"
        if on_unmatched == "error" or (on_unmatched == "pins" and pattern in pinned):
            raise UnmatchedError(pattern, message)
        warn_caller(message, UnmatchedWarning)


def _common(steps: Sequence[Step], path: Sequence[str | int]) -> int:
    """Return the number of leading steps of a path that a pattern without ``**`` matches."""
    for number, (wanted, step) in enumerate(zip(steps, path, strict=False)):
        if not fits(wanted, step):
            return number
    return min(len(steps), len(path))


def _ends_in_nothing(steps: Sequence[Step], leaves: Sequence[Leaf]) -> bool:
    """Whether a pattern leads to an empty value, or the whole document is empty."""
    deep = Wild.DEEP in steps
    begin = steps[: steps.index(Wild.DEEP)] if deep else steps
    for leaf in leaves:
        is_empty = leaf.value is None or leaf.value == [] or leaf.value == {}
        # What is behind ** may be missing for any reason, but not below what is empty.
        is_near = len(leaf.path) == len(begin) if deep else len(leaf.path) < len(begin)
        if is_empty and is_near and _common(begin, leaf.path) == len(leaf.path):
            return True
    return False


def _hint(steps: tuple[Step, ...], leaves: Sequence[Leaf]) -> str:
    """Return what is there at the point where a pattern fails, and a pattern that may be meant."""
    deep = Wild.DEEP in steps
    if deep:
        there = {step for leaf in leaves for step in leaf.path}
        at = next(
            (step_number for step_number, step in enumerate(steps) if step not in (*Wild, *there)),
            None,
        )
        if at is None:
            return ""
        above = ""
    else:
        at = max((_common(steps, leaf.path) for leaf in leaves), default=0)
        if at == len(steps):
            return ""
        there = {
            leaf.path[at]
            for leaf in leaves
            if len(leaf.path) > at and _common(steps, leaf.path) == at
        }
        above = f"{_printed(steps[:at])} has "
    names = sorted(str(step) for step in there if isinstance(step, str))
    meant = did_you_mean(str(steps[at]), names) if isinstance(steps[at], str) else ""
    if meant:
        return f";{meant}"
    if deep or not there:
        return ""
    if not names:
        last = max(step for step in there if isinstance(step, int))
        return f"; {above}[0] to [{last}]"
    return f"; {above}{', '.join(names[:8])}{', …' if len(names) > 8 else ''}"


def _printed(steps: Sequence[Step]) -> str:
    """Return steps as a path from the root, as it is printed."""
    return "$" + "".join(
        (step.value if step is Wild.ELEMENT else f".{step.value}")
        if isinstance(step, Wild)
        else path_text((step,)).removeprefix("$")
        for step in steps
    )

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
from mckp.weights.patterns import Wild, matches_step, read_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mckp.weights.leaves import Leaf
    from mckp.weights.patterns import Step

OnUnmatched: TypeAlias = Literal["pins", "error", "warn", "ignore"]
"""``pins``: a pin that matches nothing is an error, any other pattern a warning."""

CHOICES: Final = ("pins", "error", "warn", "ignore")


def check_choice(on_unmatched: OnUnmatched) -> OnUnmatched:
    """Return the argument if it is a valid choice, else raise `TypeError` or `UnknownNameError`."""
    if not isinstance(cast("object", on_unmatched), str):
        raise TypeError(
            f"on_unmatched must be one of {', '.join(CHOICES)}, not {on_unmatched!r:.40}"
        )
    if on_unmatched not in CHOICES:
        raise UnknownNameError("value of on_unmatched", on_unmatched, CHOICES)
    return on_unmatched


def report_patterns(
    unmatched: Iterable[str],
    pins: Iterable[str],
    leaves: Callable[[], Sequence[Leaf]],
    on_unmatched: OnUnmatched,
    document: str = "the document",
) -> None:
    """Raise an error or warn about patterns that match nothing in a document.

    A pattern that leads to an empty array, an empty object or null is not a mistake.

    Parameters
    ----------
    unmatched : iterable of str
        The patterns that matched nothing.
    pins : iterable of str
        The patterns whose priority is ``"pin"``.
    leaves : callable
        Returns the leaves of the document; called only if there is something to report.
    on_unmatched : {"pins", "error", "warn", "ignore"}
        Which patterns are errors: pins, all, or none; ``ignore`` does not even warn.
    document : str, default "the document"
        What messages call the document.

    Raises
    ------
    UnmatchedError
        For the first pattern that is an error.
    """
    if on_unmatched == "ignore" or not (patterns := tuple(unmatched)):
        return
    document_leaves, pinned = leaves(), set(pins)
    for pattern in patterns:
        steps = read_pattern(pattern)
        if _leads_to_empty(steps, document_leaves):
            continue
        message = f"nothing in {document} matches {pattern!r}{_suggestion(steps, document_leaves)}"
        if on_unmatched == "error" or (on_unmatched == "pins" and pattern in pinned):
            raise UnmatchedError(pattern, message)
        warn_caller(message, UnmatchedWarning)


def _count_common_steps(steps: Sequence[Step], path: Sequence[str | int]) -> int:
    """Return how many steps of a path, from the root on, match a pattern without ``**``."""
    for number, (wanted, step) in enumerate(zip(steps, path, strict=False)):
        if not matches_step(wanted, step):
            return number
    return min(len(steps), len(path))


def _leads_to_empty(steps: Sequence[Step], leaves: Sequence[Leaf]) -> bool:
    """Whether a pattern leads to an empty value, so that nothing can match the rest of it."""
    has_deep = Wild.DEEP in steps
    leading_steps = steps[: steps.index(Wild.DEEP)] if has_deep else steps
    for leaf in leaves:
        is_empty = leaf.value is None or leaf.value == [] or leaf.value == {}
        # What ** may stand for is unknown, so only the value in front of it counts.
        is_near = (
            len(leaf.path) == len(leading_steps)
            if has_deep
            else len(leaf.path) < len(leading_steps)
        )
        if is_empty and is_near and _count_common_steps(leading_steps, leaf.path) == len(leaf.path):
            return True
    return False


def _suggestion(steps: tuple[Step, ...], leaves: Sequence[Leaf]) -> str:
    """Return the end of a message: a name that may be meant, else what the document has there.

    *There* is the first step at which no path matches the pattern. The text may be empty.
    """
    has_deep = Wild.DEEP in steps
    if has_deep:
        present_steps = {step for leaf in leaves for step in leaf.path}
        position = next(
            (
                step_number
                for step_number, step in enumerate(steps)
                if step not in (*Wild, *present_steps)
            ),
            None,
        )
        if position is None:
            return ""
        context = ""
    else:
        position = max((_count_common_steps(steps, leaf.path) for leaf in leaves), default=0)
        if position == len(steps):
            return ""
        present_steps = {
            leaf.path[position]
            for leaf in leaves
            if len(leaf.path) > position and _count_common_steps(steps, leaf.path) == position
        }
        context = f"{_path_text(steps[:position])} has "
    names = sorted(str(step) for step in present_steps if isinstance(step, str))
    close_names = (
        did_you_mean(str(steps[position]), names) if isinstance(steps[position], str) else ""
    )
    if close_names:
        return f";{close_names}"
    if has_deep or not present_steps:
        return ""
    if not names:
        last = max(step for step in present_steps if isinstance(step, int))
        return f"; {context}[0] to [{last}]"
    return f"; {context}{', '.join(names[:8])}{', …' if len(names) > 8 else ''}"


def _path_text(steps: Sequence[Step]) -> str:
    """Return the steps of a pattern as text, such as ``$.jobs[*]``."""
    return "$" + "".join(
        (step.value if step is Wild.ELEMENT else f".{step.value}")
        if isinstance(step, Wild)
        else path_text((step,)).removeprefix("$")
        for step in steps
    )

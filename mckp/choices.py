"""The blocks of a text with their formats, and figures that wait until they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Choice:
    """One block of the text and the format it was written in.

    Attributes
    ----------
    path : tuple
        Steps from the root of the document.
    format : str
        The format's name.
    tokens : int
        Tokens of the block, all that is below it included.
    value : int or float
        Information the block keeps, as in `Result.value`.
    """

    path: tuple[str | int, ...]
    format: str
    tokens: int
    value: int | float


def split_of(choices: Sequence[Choice], tokens: int) -> dict[str, int]:
    """Return the tokens of each format in a text, largest first; ``hint`` if nothing is left.

    Examples
    --------
    >>> split_of([Choice((), "kv", 30, 9), Choice(("jobs",), "rows", 20, 8)], 30)
    {'rows': 20, 'kv': 10}
    """
    if not choices:
        return {"hint": tokens}
    own_tokens = [choice.tokens for choice in choices]  # less those of the blocks in each
    above: list[int] = []
    for number, choice in enumerate(choices):
        while above and not _is_below(choice.path, choices[above[-1]].path):
            above.pop()
        if above:
            own_tokens[above[-1]] -= choice.tokens
        above.append(number)
    shares: dict[str, int] = {}
    for choice, count in zip(choices, own_tokens, strict=True):
        shares[choice.format] = shares.get(choice.format, 0) + max(0, count)
    return dict(sorted(shares.items(), key=lambda item: (-item[1], item[0])))


def _is_below(path: tuple[str | int, ...], above: tuple[str | int, ...]) -> bool:
    """Whether a path is below another one."""
    return len(path) > len(above) and path[: len(above)] == above


WAITING: Final = ("value", "total", "bound", "choices")
"""The figures of a result that need its weights; of a whole document, they may wait."""


class WaitingFigures(Protocol):
    """Computes the figures of a result when they are first read."""

    @property
    def is_portable(self) -> bool:
        """Whether it can be pickled."""
        ...

    def __call__(self) -> Mapping[str, Any]:
        """Return the figures by name."""
        ...

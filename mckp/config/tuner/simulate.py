"""What a session would have written under other knobs, told from marks alone."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from mckp.config.tuner.marks import Changed, Compacted, Mark, Seen
from mckp.config.tuner.savings import Layer, Savings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.config.tuner.knobs import Knobs

LABEL: Final = 5
"""Tokens of the line above a text that can be referred to."""

REFERENCE: Final = 7
"""Tokens of a reference to it."""


class Context:
    """The texts of one agent that can be referred to: the newest ones, by content.

    Parameters
    ----------
    size : int
        How many there are at most.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._files: OrderedDict[bytes, bytes] = OrderedDict()

    def has(self, content: bytes) -> bool:
        """Whether a text is there, which then counts as new."""
        if content not in self._files:
            return False
        self._files.move_to_end(content)
        return True

    def base(self, mark: Seen) -> int | None:
        """Return the tokens of a reference to the newest text that this nearly repeats."""
        if not mark.bases:
            return None
        found = (mark.bases.get(content) for content in reversed(self._files))
        return next((tokens for tokens in found if tokens is not None), None)

    def keep(self, mark: Seen) -> None:
        """Add a text; the oldest goes if there are too many."""
        self._files[mark.content] = mark.file
        if len(self._files) > self._size:
            self._files.popitem(last=False)

    def change(self, file: bytes) -> None:
        """Forget what was read of a file."""
        for content in [each for each, of in self._files.items() if of == file]:
            del self._files[content]


def simulate(marks: Iterable[Mark], knobs: Knobs) -> Savings:
    """Return what would have been saved.

    Parameters
    ----------
    marks : iterable of marks
        What happened, in its order.
    knobs : Knobs
        What the session would have been allowed to do.

    Returns
    -------
    Savings

    Notes
    -----
    Labels and references are taken to have so many tokens each; a replay of texts, if there
    are texts, counts them.
    """
    savings, contexts = Savings(), dict[int, Context]()
    for mark in marks:
        if isinstance(mark, Seen):
            context = contexts.get(mark.agent)
            if context is None:
                context = contexts[mark.agent] = Context(knobs.lru_size)
            layer, tokens = _delivered(mark, context, knobs)
            savings.add(mark.endpoint, layer, mark.baseline, tokens)
        elif isinstance(mark, Changed):
            for context in contexts.values():
                context.change(mark.file)
        elif isinstance(mark, Compacted):
            contexts.pop(mark.agent, None)
        else:
            contexts.clear()
    return savings


def _delivered(mark: Seen, context: Context, knobs: Knobs) -> tuple[Layer, int]:
    if mark.chars < knobs.least.get(mark.endpoint, knobs.min_body_chars):
        return Layer.PLAIN, mark.tokens
    if not knobs.enabled.get(mark.endpoint, True):
        return _written(mark, knobs, 0)
    if context.has(mark.content):
        return Layer.REFERENCE, REFERENCE
    tokens = context.base(mark) if knobs.near_refs else None
    context.keep(mark)
    return _written(mark, knobs, LABEL) if tokens is None else (Layer.NEAR, tokens + LABEL)


def _written(mark: Seen, knobs: Knobs, label: int) -> tuple[Layer, int]:
    template = knobs.templates.get(mark.endpoint)
    tokens = mark.encoded if template is None else mark.templates.get(template, mark.tokens)
    layer = Layer.ENCODED if tokens < mark.tokens else Layer.PLAIN
    return layer, min(tokens, mark.tokens) + label

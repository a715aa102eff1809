"""What tools could cost at the least, if all that stands twice were written for nothing."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

from mckp.tools.text.sentences import sentences
from mckp.tools.text.share import members, prose_of
from mckp.tools.text.words import SIGN, label
from mckp.tools.text.write import Writer, takes_codes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mckp.tools.text.parts import Part, Parts
    from mckp.tools.tool import Tool


class LeastWriter(Writer):
    """Writes tools as if everything that could be shared were, whatever its own line costs.

    Whatever is shared in earnest, no tool is shorter than this, which makes a bound.

    Parameters
    ----------
    told : iterable of sequence of Tool
        For each tool, what is said of it at the levels that can share.
    parts : Parts
        What spells parameters.
    """

    def __init__(self, told: Iterable[Sequence[Tool]], parts: Parts) -> None:
        super().__init__(parts=parts)
        parameters: Counter[tuple[str, str]] = Counter()
        prose: Counter[str] = Counter()
        for versions in told:
            parameters.update({(part.key, part.identity) for part in members(versions, parts)})
            pieces = [Counter(_pieces(prose_of([version], parts))) for version in versions]
            prose.update({text: max(one[text] for one in pieces) for one in pieces for text in one})
        self._parameters_twice = {place for place, uses in parameters.items() if uses > 1}
        self._prose_twice = {text for text, uses in prose.items() if uses > 1}

    def known(self, part: Part) -> str | None:
        """Return the name of a parameter that could be shared."""
        return label(part.key) if (part.key, part.identity) in self._parameters_twice else None

    def _coded(self, text: str) -> str:
        # One code for each run of sentences that could be shared.
        if not takes_codes(text):
            return super()._coded(text)
        runs = groupby(sentences(text), key=lambda piece: piece.strip() in self._prose_twice)
        shown = [f"{SIGN}1 " if twice else "".join(run) for twice, run in runs]
        return super()._coded("".join(shown).rstrip().replace(SIGN, "1"))


def _pieces(texts: Iterable[str]) -> Iterable[str]:
    return (piece.strip() for text in texts for piece in sentences(text) if piece.strip())

"""Which hints may be written, and how many more."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mckp.session.settings import HintRule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.session.settings import SessionSettings

_FREE = HintRule()


class HintGate:
    """Counts the hints of a session by type, and asks their rules.

    Parameters
    ----------
    settings : SessionSettings
        The rules, and the model.
    """

    def __init__(self, settings: SessionSettings) -> None:
        self._rules, self._model = settings.hints, settings.model
        self.written: Counter[str] = Counter()

    def allows(self, kind: str) -> bool:
        """Whether one more of a type may be written."""
        return self._rules.get(kind, _FREE).allows(self._model, self.written[kind])

    def note(self, kind: str) -> None:
        """Note that one was written."""
        self.written[kind] += 1

    def fill(self, written: Mapping[str, int]) -> None:
        """Take over what another gate had written."""
        self.written.update(written)

"""What was found in session files, and what could not be used of them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Counts:
    """How much was read.

    Attributes
    ----------
    files, lines : int
        Session files, and lines in them.
    broken : int
        Lines that are no JSON object.
    unknown : int
        Lines of a kind that says nothing about tools.
    errors, orphans : int
        Results that say a call failed, and results whose call is not in the file.
    models : dict of str to int
        Messages by the model that wrote them.
    """

    files: int = 0
    lines: int = 0
    broken: int = 0
    unknown: int = 0
    errors: int = 0
    orphans: int = 0
    models: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, other: Counts) -> None:
        """Add what was found elsewhere.

        Examples
        --------
        >>> counts = Counts(files=1, models={"muse": 2})
        >>> counts.add(Counts(files=1, models={"muse": 1}))
        >>> counts.files, counts.models
        (2, {'muse': 3})
        """
        for name in ("files", "lines", "broken", "unknown", "errors", "orphans"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for model, messages in other.models.items():
            self.models[model] = self.models.get(model, 0) + messages

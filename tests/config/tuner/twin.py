"""The slow, obvious way to replay marks: one list of all texts that are still there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mckp.config.tuner import Changed, Compacted, Mark, Seen
from mckp.config.tuner.simulate import (
    EXPLANATION_TOKENS,
    LABEL_TOKENS,
    NUMBER_TOKENS,
    REFERENCE_TOKENS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.config.settings import SessionSettings


@dataclass
class Held:
    """A text that is still there."""

    mark: Seen
    tokens: int
    place: int
    stale: bool = False


class Twin:
    """Counts what `mckp.config.tuner.simulate` counts."""

    def __init__(self, settings: SessionSettings) -> None:
        self.settings = settings
        self.held: list[Held] = []
        self.explained: set[int] = set()
        self.exact = self.near = self.near_here = self.tokens = 0

    def run(self, marks: Sequence[Mark]) -> tuple[int, int, int]:
        """Exact and near references, and the tokens of all."""
        for place, mark in enumerate(marks):
            if isinstance(mark, Seen):
                self.tokens += self.delivered(mark, place)
            elif isinstance(mark, Changed):
                for each in self.held:
                    each.stale |= each.mark.source in mark.sources
            elif isinstance(mark, Compacted):
                self.held = [each for each in self.held if each.mark.agent != mark.agent]
                self.explained.discard(mark.agent)
            else:
                self.held, self.explained, self.near_here = [], set(), 0
        return self.exact, self.near, self.tokens

    def delivered(self, mark: Seen, place: int) -> int:
        """The tokens of one response."""
        if mark.chars < self.settings.least_body(mark.endpoint):
            return mark.ways[""]
        if not self.settings.may_refer(mark.endpoint):
            return self.whole(mark, 0)
        mine = [each for each in self.held if each.mark.agent == mark.agent]
        return self.exactly(mark, mine) or self.nearly(mark, mine) or self.fully(mark, mine, place)

    def exactly(self, mark: Seen, mine: list[Held]) -> int:
        """Tokens of a reference to the same text, 0 if there is none."""
        same = [each for each in mine if each.mark.content == mark.content]
        entry = max(same, key=lambda each: each.place, default=None)
        first = self.settings.hint_verbosity == "standard" and mark.agent not in self.explained
        always = self.settings.hint_verbosity == "verbose"
        cost = REFERENCE_TOKENS + EXPLANATION_TOKENS * (first or always)
        if entry is None or entry.stale or cost > entry.tokens:
            return 0
        if REFERENCE_TOKENS * self.settings.least_gain > entry.tokens:
            return 0
        self.exact += 1
        self.explained.add(mark.agent)
        self.renew(entry)
        return cost

    def nearly(self, mark: Seen, mine: list[Held]) -> int:
        """Tokens of a reference with a delta, 0 if there is none."""
        rule, window = self.settings.hints["near_ref"], self.settings.near_window
        newest = mine[-window:] if window else mine
        same = [each for each in newest if each.mark.call == mark.call]
        is_allowed = self.settings.near_ref_enabled and rule.enabled
        if not same or not is_allowed or self.near_here >= rule.max_per_session:
            return 0
        cost = mark.bases.get(same[-1].mark.content, 10**9)
        if cost >= self.whole(mark, LABEL_TOKENS):
            return 0
        self.near, self.near_here = self.near + 1, self.near_here + 1
        self.renew(same[-1])
        return cost

    def fully(self, mark: Seen, mine: list[Held], place: int) -> int:
        """Tokens of the text."""
        cost = self.whole(mark, LABEL_TOKENS)
        self.held.append(Held(mark, cost, place))
        if len(mine) == self.settings.lru_size:
            self.held.remove(mine[0])
        return cost

    def renew(self, entry: Held) -> None:
        """Make a text the newest."""
        self.held = [each for each in self.held if each is not entry]
        self.held.append(entry)

    def whole(self, mark: Seen, label: int) -> int:
        """Tokens of the shortest way."""
        override = self.settings.endpoint_overrides.get(mark.endpoint)
        names = self.settings.active_templates if override is None else (override,)
        form = NUMBER_TOKENS if label else 0
        allowed = [mark.ways[each] + form for each in (*names, "knapsack") if each in mark.ways]
        return min([mark.ways[""] + label, *allowed])

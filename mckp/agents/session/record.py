"""What was sent for a response and why, and the tokens that a session saved."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mckp.result import Elided

BASELINE: Final = "json_compact of JSON, the text as it came otherwise"
"""What savings are measured against."""


@dataclass(slots=True)
class Savings:
    """Tokens of results as they came, and as delivered with labels and references."""

    tokenizer: str
    exact: bool
    """Whether the tokenizer counts what a model's provider charges for."""
    responses: int = 0
    hits: int = 0
    """How many responses became references; ``hit_baseline`` and so on are their tokens."""
    baseline: int = 0
    final: int = 0
    hit_baseline: int = 0
    hit_final: int = 0
    cut: int = 0
    """Tokens that were cut for a budget, which are no savings."""
    hit_cut: int = 0

    def note(self, baseline: int, final: int, *, cut: int, hit: bool) -> None:
        """Add a response.

        `baseline` and `final` are its tokens as it came and as sent, and `cut` the tokens that were
        cut. `hit` says whether it became a reference.
        """
        self.responses += 1
        self.baseline += baseline
        self.final += final
        self.cut += cut
        if hit:
            self.hits += 1
            self.hit_baseline += baseline
            self.hit_final += final
            self.hit_cut += cut

    @property
    def dedup_savings_pct(self) -> float:
        """Percent saved by references, of the baseline of all responses; cuts are no savings."""
        return _percent(self.hit_baseline - self.hit_final - self.hit_cut, self.baseline)

    @property
    def encoder_savings_pct(self) -> float:
        """Percent saved by encoding, of the baseline of responses that are not references.

        It is negative if labels and marks cost more than encoding saves.
        """
        baseline = self.baseline - self.hit_baseline
        final = self.final - self.hit_final
        return _percent(baseline - final - (self.cut - self.hit_cut), baseline)

    @property
    def combined_savings_pct(self) -> float:
        """Percent saved in all, of the baseline of all responses; cuts are no savings."""
        return _percent(self.baseline - self.final - self.cut, self.baseline)

    @property
    def cut_pct(self) -> float:
        """Percent cut for a budget, of the baseline of all responses."""
        return _percent(self.cut, self.baseline)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, the percentages, and what the baseline is."""
        names = ("dedup_savings_pct", "encoder_savings_pct", "combined_savings_pct", "cut_pct")
        percentages = {name: getattr(self, name) for name in names}
        return {**asdict(self), "against": BASELINE, **percentages}


@dataclass(slots=True, kw_only=True)
class Tally:
    """What was saved in total and by tool, and the number of sessions that had responses."""

    total: Savings
    tools: dict[str, Savings] = field(default_factory=dict[str, Savings])
    sessions: int = 0
    kinds: dict[str, Savings] = field(default_factory=dict[str, Savings])
    """By kind of response, where that was recorded: ``json``, ``markdown``, ``log``, …"""

    def note(
        self, tool: str, baseline: int, final: int, *, cut: int, hit: bool, content: str = ""
    ) -> None:
        """Add a response of a tool; `content` is its kind, and the rest is as in `Savings.note`."""
        tallies = [self.total, self._sums_of(self.tools, tool)]
        if content:
            tallies.append(self._sums_of(self.kinds, content))
        for sums in tallies:
            sums.note(baseline, final, cut=cut, hit=hit)

    def _sums_of(self, group: dict[str, Savings], name: str) -> Savings:
        """Return the sums under a name in a group; they are new if it has none."""
        return group.setdefault(name, Savings(self.total.tokenizer, self.total.exact))

    def sort(self) -> None:
        """Sort the tools and the kinds by their baselines, largest first."""

        def sort_key(item: tuple[str, Savings]) -> tuple[int, str]:
            """Return the sort key: by baseline, largest first, then by name."""
            return -item[1].baseline, item[0]

        self.tools = dict(sorted(self.tools.items(), key=sort_key))
        self.kinds = dict(sorted(self.kinds.items(), key=sort_key))

    def to_dict(self) -> dict[str, Any]:
        """Return the tally as plain data that JSON can hold."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in ("tools", "kinds"):
            plain[name] = {key: sums.to_dict() for key, sums in plain[name].items()}
        return {**plain.pop("total").to_dict(), **plain}


def _percent(part: int, whole: int) -> float:
    """Return a part in percent of a whole, or 0 if the whole is 0."""
    return 100 * part / whole if whole else 0.0


@dataclass(frozen=True, slots=True)
class Delivery:
    """What to send for a response.

    Attributes
    ----------
    text : str
        The text to send.
    number : int or None
        The handle by which `mckp.agents.session.Session.recall` returns the response; None if it
        was not kept, such as an error or a short response.
    layer, name : str
        What wrote it: ``L0`` with ``hint_exact`` or ``hint_near``, ``L2`` with ``compact``,
        ``L3`` with ``raw``.
    tokens, baseline : int
        Tokens of the text; tokens of the response, as compact JSON if it is JSON.
    cut : int
        Tokens that were cut for a budget.
    why : str
        The reason in words.
    tried : tuple of (str, int)
        The ways that were compared, with their tokens.
    elided : tuple of Elided
        What was cut for a budget.
    notes : tuple of str
        What was replaced in a response that was not clean, in words.
    unmatched : tuple of str
        The patterns of the tool's priorities that match nothing in a response that was cut.
    """

    text: str
    number: int | None
    layer: str
    name: str
    tokens: int
    baseline: int
    cut: int
    why: str
    tried: tuple[tuple[str, int], ...]
    elided: tuple[Elided, ...]
    notes: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text

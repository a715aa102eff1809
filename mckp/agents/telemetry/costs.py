"""What results cost with prompt caching: they are written once, and read by each later request."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelPrices:
    """What a model's provider charges for prompt tokens.

    A result is written to the cache by the first request that has it, and read from there by each
    request after that, until the conversation is compacted or ends. That the cache expires after a
    long pause is not considered.

    Attributes
    ----------
    per_million : mapping of str to float
        Dollars per million tokens of a prompt that is not cached, by name or pattern of models;
        ``*`` is for any other.
    write, read : float
        The price of a token written to the cache, and of one read from it, as multiples of the
        price of one that is not cached. By default, those of Anthropic's five-minute caches:
        https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching.

    Examples
    --------
    >>> ModelPrices().cost(1_000_000, 11)
    6.75
    >>> ModelPrices({"*": 3.0, "claude-opus-*": 5.0}).of("claude-opus-4-5")
    5.0
    """

    per_million: Mapping[str, float] = field(default_factory=lambda: {"*": 3.0})
    write: float = 1.25
    read: float = 0.1

    def of(self, model: str) -> float:
        """Return the price for a model: by its name, else by the longest pattern that matches.

        It is 0 if none matches.
        """
        if model in self.per_million:
            return self.per_million[model]
        fitting = [pattern for pattern in self.per_million if fnmatchcase(model, pattern)]
        return self.per_million[max(fitting, key=len)] if fitting else 0.0

    def cost(self, tokens: float, requests: int, model: str = "") -> float:
        """Return the dollars for tokens that are in the prompts of so many requests to a model."""
        times = self.write + self.read * (requests - 1) if requests > 0 else 0.0
        return tokens * times * self.of(model) / MILLION

    def __str__(self) -> str:
        listed = ", ".join(
            f"${price:g}" if name == "*" else f"{name} ${price:g}"
            for name, price in self.per_million.items()
        )
        return (
            f"{listed} per million tokens; a token written to the prompt cache costs "
            f"{self.write:g} times as much, one read from it {self.read:g} times"
        )


@dataclass(slots=True)
class Cost:
    """Dollars for results as they came, and as they were or would be delivered."""

    before: float = 0.0
    after: float = 0.0

    @property
    def saved(self) -> float:
        """Dollars saved."""
        return self.before - self.after

    def add(self, before: float, after: float) -> None:
        """Add the cost of results, as they came and as delivered."""
        self.before += before
        self.after += after


class Ledger:
    """Adds up what results cost, from the order of results and requests in sessions.

    In a session without requests, each result counts as a request.

    Examples
    --------
    >>> ledger = Ledger(ModelPrices())
    >>> ledger.note("main", "Bash", 90_000, 10_000)
    >>> for _ in range(11):
    ...     ledger.ask("main")
    >>> ledger.close()
    >>> round(ledger.total.before, 4), round(ledger.total.saved, 4)
    (0.6075, 0.54)
    """

    def __init__(self, prices: ModelPrices) -> None:
        self.prices = prices
        self.total = Cost()
        self.tools: dict[str, Cost] = {}
        self._results: dict[str, list[tuple[str, int, int, int]]] = {}
        self._request_counts: dict[str, int] = {}
        self._models: dict[str, str] = {}

    def note(self, agent: str, tool: str, before: int, after: int) -> None:
        """Note a result that an agent's context gets: its tool, and its tokens before and after."""
        requests_before = self._request_counts.get(agent, 0)
        self._results.setdefault(agent, []).append((tool, before, after, requests_before))

    def ask(self, agent: str, model: str = "") -> None:
        """Note a request with an agent's context; an empty `model` is that of the last one."""
        self._request_counts[agent] = self._request_counts.get(agent, 0) + 1
        self._models[agent] = model or self._models.get(agent, "")

    def close(self, agent: str | None = None) -> None:
        """Add up the costs of an agent's context, which was emptied.

        Without an agent, they are those of all contexts, which ended. If no request with a context
        was noted, each of its results counts as a request.
        """
        for name in [*self._results] if agent is None else [agent]:
            request_count = self._request_counts.get(name)
            model = self._models.get(name, "")
            results = self._results.pop(name, [])
            for index, (tool, before, after, requests_before) in enumerate(results):
                requests = (
                    len(results) - index
                    if request_count is None
                    else request_count - requests_before
                )
                self._add_cost(tool, (before, after), requests, model)
        if agent is None:
            self._request_counts.clear()
            self._models.clear()

    def _add_cost(self, tool: str, tokens: Sequence[int], requests: int, model: str) -> None:
        """Add the cost of a tool's tokens: those before, and those after."""
        costs = [self.prices.cost(size, requests, model) for size in tokens]
        self.total.add(*costs)
        self.tools.setdefault(tool, Cost()).add(*costs)

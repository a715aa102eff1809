"""Documents that are offered and priced together, and the packs that are made from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.answers.verify import check_budget, check_text
from mckp.encoders import packs
from mckp.errors import BudgetError, VerifyError
from mckp.packing.joined import UNITS, Joined, Taken, body, written_text
from mckp.packing.level import documents_to_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.menu.price import Prices
    from mckp.menu.select import Solving
    from mckp.packing.items import Item
    from mckp.packing.result import PackResult
    from mckp.table import Table
    from mckp.tokenizers.base import Tokenizer

TRIES: Final = 24
"""The most texts that are tried if token counts do not add up."""


class Chosen(NamedTuple):
    """How all documents are written, the text, and its quality in units of the table."""

    taken: Sequence[Taken]
    text: str
    tokens: int
    value: int
    bound: int | None
    is_optimal: bool


class Packed:
    """Makes packs of the same documents for any budget."""

    def __init__(
        self,
        items: Sequence[Item],
        prices: Prices,
        tokenizer: Tokenizer,
        solver: Solving,
        names: Sequence[str],
    ) -> None:
        self.items, self.prices, self.tokenizer = items, prices, tokenizer
        self.solver, self.names = solver, names
        self.joined = Joined(items, prices, solver, len(names))

    def within(self, budget: int | None) -> PackResult:
        """Return the checked pack within a budget; see `mckp.pack` for errors."""
        from mckp.packing.result import PackResult

        chosen = self.chosen(budget)
        check_budget(chosen.tokens, budget)
        self._check_reads_back(chosen)
        return PackResult(
            text=chosen.text,
            tokens=chosen.tokens,
            budget=budget,
            tokenizer=self.tokenizer.name,
            exact=self.tokenizer.exact,
            value=chosen.value / UNITS,
            bound=None if chosen.bound is None else chosen.bound / UNITS,
            status="optimal" if chosen.is_optimal else "feasible",
            names=tuple(self.names),
            packed=self,
            taken=tuple(chosen.taken),
        )

    def source_tokens(self) -> int:
        """Return the tokens of all sources as they were given."""
        sources = [item.source for item in self.items for _ in (item.name, *item.equals)]
        return sum(self.tokenizer.count_batch(sources))

    def closed(self, budget: int | None) -> frozenset[int]:
        """Return the numbers of the documents that are at most named within a budget."""
        return documents_to_name(self.items, budget) if self.prices.adds_up else frozenset()

    def chosen(self, budget: int | None) -> Chosen:
        """Return the best choice within a budget; raise a `BudgetError` if nothing fits.

        If the tokens of parts do not add up, smaller limits are tried, and no optimum is claimed.
        """
        joined, prices = self.joined, self.prices
        closed_documents = self.closed(budget)
        joined.add_lines(closed_documents)
        fits = not closed_documents and prices.adds_up
        if budget is None or (fits and prices.tokens(joined.whole_cost) <= budget):
            everything, total = joined.whole(), joined.total
            choice = self._written_choice(everything, total, total, is_optimal=prices.proves)
            if budget is None or choice.tokens <= budget:
                return choice
        limit = budget * prices.scale - prices.frame
        best: Chosen | None = None
        joint = joined.joint(closed_documents)
        for _ in range(TRIES):
            solution = self.solver(joint.table, max(0, limit))
            if limit < 0 or solution.status == "infeasible":
                break
            taken = joined.picked(joint, solution.choice.tolist())
            choice = self._written_choice(taken, int(solution.value), None, is_optimal=False)
            if choice.tokens > budget:  # counts do not add up
                over = (choice.tokens - budget) * prices.scale
                limit = min(limit, solution.cost) - max(1, over)
                continue
            proves = (
                prices.proves and best is None and limit == budget * prices.scale - prices.frame
            )
            is_priced = choice.tokens == prices.tokens(solution.cost)
            proved = solution.is_optimal and is_priced and proves
            bound = choice.value if proved else max(choice.value, int(solution.bound))
            is_known = proves or choice.value >= joined.total
            best = choice._replace(bound=bound if is_known else None, is_optimal=proved)
            break
        if best is None:
            raise self._too_small_error(budget, joint.table)
        return best

    def _written_choice(
        self, taken: Sequence[Taken], value: int, bound: int | None, *, is_optimal: bool
    ) -> Chosen:
        """Return the text of a pack with its tokens, value and bound."""
        text = written_text(self.items, taken, len(self.names))
        return Chosen(taken, text, self.tokenizer.count(text), value, bound, is_optimal)

    def _too_small_error(self, budget: int, table: Table) -> BudgetError:
        """Return the error for a budget below the least tokens of any pack."""
        floor = self.solver(table, 0).floor or 0
        least = [item.name for item in self.items if item.least is not None and not item.is_pinned]
        pinned = [
            item.name
            for item in self.items
            if item.name not in least and not _may_be_left_out(item)
        ]
        least_tokens = max(budget + 1, self.prices.tokens(floor))
        return BudgetError(budget, least_tokens, pinned, least=least)

    def _check_reads_back(self, chosen: Chosen) -> None:
        """Check that a pack reads back as chosen, or raise a `VerifyError`."""
        picks = [
            (item, decision.pick)
            for item, decision in zip(self.items, chosen.taken, strict=True)
            if decision.pick is not None
        ]
        expected = list[packs.PackedDocument]()
        for item, pick in picks:
            expected.append(packs.PackedDocument(item.name, body(item, pick)))
            expected += (packs.PackedDocument(equal, "", item.name) for equal in item.equals)
        if packs.split(chosen.text) != expected:
            message = "decoding the pack does not give the documents that were kept; please report"
            raise VerifyError(message)
        for item, pick in picks:
            try:
                priced = item.priced
                text, embedding = body(item, pick), priced.document.embedding
                check_text(text, pick, embedding, is_exact=priced.is_exact(pick))
            except VerifyError as error:
                error.add_note(f"in the document {item.name!r} of a pack")
                raise


def _may_be_left_out(item: Item) -> bool:
    """Whether a document may be left out."""
    return not item.is_spoken_of or not (item.is_pinned or item.priced.menu.root.is_pinned)

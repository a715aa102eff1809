"""A document with its menu and prices, the results made from it, and their answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, cast
from weakref import ref

from mckp.answers.reading import decoded_as, document_kind
from mckp.answers.verify import check_budget, check_text, first_difference
from mckp.budgets import checked_budget
from mckp.choices import WAITING
from mckp.encoders import JSON, marks
from mckp.encoders.base import DataLoss
from mckp.errors import BudgetError, ParseError, PathError
from mckp.jsontext import dump, path_text
from mckp.menu.classes import Option
from mckp.menu.render import (
    LINES,
    Pick,
    choices,
    elisions,
    has_note_first,
    hint_places,
    kept_worth,
    render,
    taken_pick,
)
from mckp.menu.select import Selection, Solving, best_selection, cheapest_selection, least_tokens
from mckp.paths import as_path, children_of, content_at
from mckp.result import Elided, Result
from mckp.tree import Kind, TreeNode
from mckp.weights.patterns import Wild, matches_step, read_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mckp.answers.instance import Instance
    from mckp.budgets import BudgetLike
    from mckp.display.curve import BudgetCurve
    from mckp.display.page import View
    from mckp.display.reasons import LineReason, Reason
    from mckp.menu.classes import Menu
    from mckp.menu.cuts.cuts import Cuts
    from mckp.menu.price import Prices
    from mckp.menu.tabulate import Tabulated
    from mckp.menu.weighing import Weighed
    from mckp.paths import Path
    from mckp.result import Handle, Report
    from mckp.solvers.frontiers import Slopes
    from mckp.tokenizers.base import Tokenizer


LARGE: Final = 20_000
LONGER: Final = 1.25
"""A text of more than `LARGE` characters, `LONGER` times as long as another, is not counted."""


@dataclass(eq=False)
class Priced:
    """A document with its menu and prices: the source of all results and answers for it.

    If `primed` names formats, each text begins with a line that explains their signs, and every
    budget keeps room for all of these signs. `formats` is the name for all formats of the menu,
    such as a level. `again` prices the same document with other formats, with or without weights.
    If `is_bare`, nothing will be cut, so nothing was weighed, and each fact has the worth 1.
    """

    document: Weighed
    menu: Menu
    prices: Prices
    tokenizer: Tokenizer
    solver: Solving
    primed: tuple[str, ...]
    formats: str
    again: Callable[[str, bool], Priced]
    is_bare: bool

    @cached_property
    def kept_room(self) -> int:
        """The tokens of a budget that are reserved for the line that explains signs."""
        if not self.primed:
            return 0
        from mckp.answers.primer import primer

        return self.tokenizer.count(primer(self.primed))

    @cached_property
    def cuts(self) -> Cuts:
        """Every way to shorten each part; computed once and used for all budgets."""
        from mckp.menu.cuts.cuts import cuts  # needs numpy, as all below

        return cuts(self.menu, self.document, self.prices, document_kind)

    @cached_property
    def tabulated(self) -> Tabulated:
        """The knapsack table; computed once and used for all budgets."""
        from mckp.menu.tabulate import tabulate

        return tabulate(self.menu, self.prices, self.cuts)

    @cached_property
    def whole(self) -> Selection:
        """The selection that writes the whole document in the fewest tokens."""
        return self._with_primer(self.exact)

    @cached_property
    def exact(self) -> Selection:
        """The whole document without a line on signs; strings of data restored byte for byte."""
        return self._restored(cheapest_selection(self.menu, self.prices, self.tokenizer))

    def is_exact(self, pick: Pick) -> bool:
        """Whether a pick is that of `exact`, and the document has strings of data to restore."""
        return self.document.embedding is not None and pick is self.exact.pick

    def text_of(self, pick: Pick) -> str:
        """Return the text of a pick."""
        return self.exact.text if self.is_exact(pick) else render(self.menu, pick)

    def result(self, wanted: BudgetLike | None) -> Result:
        """Return the checked result within a budget; see `mckp.encode` for errors."""
        budget = checked_budget(wanted, lambda: self.source_tokens)
        must_cut = self.is_bare and budget is not None and not self._fits(budget)
        return (self.weighed if must_cut else self).within(budget)

    @property
    def weighed(self) -> Priced:
        """The same document with weights, so that a budget can cut it anywhere."""
        return self._with_weights if self.is_bare else self

    @cached_property
    def _with_weights(self) -> Priced:
        """The document priced again, with weights."""
        return self.again(self.formats, False)

    def within(self, budget: int | None) -> Result:
        """Return the checked result within a budget from these prices, weighted or not.

        Raises `BudgetError` if no text fits, or if something would have to be cut but may not be.
        """
        is_exact = budget is None or self._fits(budget)
        if budget is None or is_exact:
            selection = self.whole
        else:
            if not self.solver.may_cut:
                raise BudgetError(budget, self.whole.tokens, is_whole=True)
            room = max(0, budget - self.kept_room)
            best = best_selection(self.tabulated, self.tokenizer, room, self.solver)
            if best is None:
                raise self._budget_error(budget)
            selection = self._with_primer(self._with_names(best, room))
        check_budget(selection.tokens, budget)
        check_text(selection.text, selection.pick, self.document.embedding, is_exact=is_exact)
        return self._result(selection, budget)

    def result_of_whole(self, budget: int | None) -> Result:
        """Return the whole document as a result, unchecked."""
        return self._result(self.whole, budget)

    def whole_as(self, formats: str, budget: int) -> Result | None:
        """Return the whole document in other formats, or None if that exceeds the budget."""
        priced = self.weighed
        reformatted = priced.again(formats, priced.is_bare)
        return reformatted.within(budget) if reformatted.whole.tokens <= budget else None

    def result_of(self, pick: Pick | None) -> Result:
        """Return the result for a pick that some other code made; None gives an empty text.

        No better pick is known, so its value is its own bound.
        """
        decisions = Pick(self.menu.root, (), None) if pick is None else pick
        text = "" if pick is None else self.text_of(pick)
        tokens, worth = self.tokenizer.count(text), kept_worth(decisions)
        selection = Selection(decisions, text, tokens, worth, worth, is_optimal=True)
        return self._result(selection, tokens)

    def _with_names(self, selection: Selection, room: int) -> Selection:
        """Return a selection; one that keeps nothing gets as many names of cut members as fit."""
        if selection.pick.option is not None:
            return selection
        from mckp.menu.naming import texts_with_names

        for text in texts_with_names(self.menu):
            if (tokens := self.tokenizer.count(text)) <= room:
                return replace(selection, text=text, tokens=tokens)
        return selection

    def _fits(self, budget: int) -> bool:
        """Whether the whole document fits a budget; if counts add up, prices can answer that."""
        prices = self.prices
        is_known = prices.adds_up and self.document.embedding is None
        if is_known and prices.tokens(prices.whole_cost(self.menu.root)) > budget:
            return False
        return self.whole.tokens <= budget

    def _restored(self, selection: Selection) -> Selection:
        """Return the selection with a text from which strings of data are restored byte for byte.

        The text notes the order of members where its format loses it. Compact JSON keeps that
        order, both with data and with the original strings, so it is used if it has fewer tokens.
        """
        embedding, root = self.document.embedding, self.menu.root
        if embedding is None:
            return selection
        ordered = embedding.with_moves(decoded_as(selection.text, None, embedding), root.content)
        texts: list[tuple[Pick, str]] = []
        if ordered is not None:
            above, below = ordered.line, selection.text.removeprefix(embedding.line)
            texts.append((selection.pick, above + below))
        for option in root.options:
            if option.format == JSON.name and isinstance(option, Option) and not option.children:
                pick = taken_pick(root, option, self.prices)
                texts.append((pick, render(self.menu, pick)))
                if self.document.dropped is None and (plain := self._given_text) is not None:
                    texts.append((pick, plain))
        if ordered is not None:  # what is large and much longer takes more tokens for sure
            most = max(LARGE, int(LONGER * len(texts[0][1])))
            texts = [texts[0], *(candidate for candidate in texts[1:] if len(candidate[1]) <= most)]
        counts = self.tokenizer.count_batch([text for _, text in texts])
        tokens, (pick, text) = min(
            zip(counts, texts, strict=True), key=lambda candidate: candidate[0]
        )
        return replace(selection, pick=pick, text=text, tokens=tokens)

    @property
    def _given_text(self) -> str | None:
        """The text of the document as given; None for Markdown that would not be read back."""
        document = self.document
        source, form = document.source_text, document.embedding and document.embedding.form
        if not form:
            return source
        if (original := document.given).kind is Kind.TEXT:
            text = marks.escape_lines(source)
            return text if document_kind(text) == "text" else marks.kind_line("text") + text
        try:
            is_read = first_difference(original, decoded_as(source, None)) is None
        except ParseError:
            return None
        return source if is_read else None

    def _with_primer(self, selection: Selection) -> Selection:
        """Return the selection, below a line that explains its signs if the caller wants one."""
        if not self.primed:
            return selection
        from mckp.answers.primer import primer_of

        def fits(line: str) -> bool:
            """Whether a line fits in front of the text."""
            return self.tokenizer.count(line) <= self.kept_room

        text = primer_of(selection.text, self.primed, fits) + selection.text
        return replace(selection, text=text, tokens=self.tokenizer.count(text))

    def _budget_error(self, budget: int) -> BudgetError:
        """Return the error that a budget is too small, with the least budget."""
        floor = self.kept_room + least_tokens(self.tabulated, self.solver)
        if pinned := self.document.pinned:
            return BudgetError(budget, max(budget + 1, floor), pinned)
        # A short line of a text can cost less than a mark for all of its lines.
        nothing = self.kept_room + self.tokenizer.count(self.menu.nothing_text)
        return BudgetError(budget, max(budget + 1, min(floor, nothing, self.whole.tokens)))

    def dropped_entries(self) -> list[Elided]:
        """Return what priorities dropped, as a list of at most one item."""
        if (hint := self.document.dropped) is None:
            return []
        return [Elided((), "facts", hint.missing, hint.total or hint.missing, 0, ())]

    def _result(self, selection: Selection, budget: int | None) -> Result:
        """Return a selection as a result; `budget` is the one that the caller gave."""
        pick, amount = selection.pick, self.document.amount
        self.prices.learn(selection.text, selection.tokens)
        cut = tuple(elisions(pick, self.prices, self.menu))
        notes = (self.document.original or self.document.tree).notes + self._removal_notes(pick)
        # Where nothing is left, one hint counts all that there was.
        dropped = () if pick.option is None else self.dropped_entries()
        result = Result(
            text=selection.text,
            tokens=selection.tokens,
            budget=budget,
            tokenizer=self.tokenizer.name,
            exact=self.tokenizer.exact,
            value=amount(selection.worth),
            total=amount(self.menu.root.worth),
            bound=self._bound(selection),
            status="optimal" if selection.is_optimal else "feasible",
            choices=() if self.is_bare else tuple(choices(pick, self.prices, amount)),
            elided=(*dropped, *cut),
            loss=DataLoss.NONE,
            unmatched=self.document.unmatched,
            notes=notes if cut else (*notes, *self._order_notes(pick)),
            answers=Answers(self, pick, None if budget is None else budget - self.kept_room),
        )
        return result.waiting(WholeFigures(self, budget)) if self.is_bare else result

    def _bound(self, selection: Selection) -> int | float | None:
        """Return the most that a selection within its budget could be worth, if that is known."""
        total = self.menu.root.worth
        if selection.worth >= total:
            return self.document.amount(total)
        return None if selection.bound is None else self.document.amount(selection.bound)

    def _order_notes(self, pick: Pick) -> tuple[str, ...]:
        """Return a note if strings keep their data but are not spelled as before, else ()."""
        embedding = self.document.embedding
        if embedding is None or self.is_exact(pick) or pick.option is None:
            return ()
        wanted = embedding.restore(self.menu.root.content)
        decoded = decoded_as(render(self.menu, pick), None)
        if decoded.source == wanted if embedding.form else dump(decoded) == dump(wanted):
            return ()
        subject = "the text decodes" if embedding.form else "strings of data decode"
        return (
            f"{subject} with members in another order; keeping the order would take "
            f"{self.exact.tokens} tokens",
        )

    def _removal_notes(self, pick: Pick) -> tuple[str, ...]:
        """Return a note on what was removed besides lines, such as terminal codes, else ()."""
        tree, option = self.document.tree, pick.option
        if tree.is_json or not isinstance(option, Option) or option.part is None:
            return ()
        from mckp.texts import plain

        cleaned = plain(tree.source or "")
        return () if cleaned.is_source or not cleaned.text.strip() else (cleaned.summary,)

    @cached_property
    def source_tokens(self) -> int:
        """The tokens of the data as compact JSON, or of the source of a text."""
        return self.tokenizer.count(self.document.source_text)


class WholeFigures:
    """Computes the figures of a whole document that was not weighed; see `Result`.

    Until then, only what the document is made from stays in memory.
    """

    def __init__(self, priced: Priced, budget: int | None) -> None:
        self._again, self._formats, self._budget = priced.again, priced.formats, budget
        self._parts = priced.tokenizer, priced.solver
        self._known: ref[Priced] | None = ref(priced)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the menu where it is."""
        return {**self.__dict__, "_known": None}

    @property
    def is_portable(self) -> bool:
        """Whether another process can compute the figures: not with functions of the caller's."""
        import pickle

        try:
            pickle.dumps(self._parts)
        except Exception:  # each object has its own reasons
            return False
        return True

    def __call__(self) -> Mapping[str, Any]:
        """Weigh the document, and return the figures by name."""
        priced = None if self._known is None else self._known()
        priced = self._again(self._formats, False) if priced is None else priced.weighed
        result = priced.result_of_whole(self._budget)
        return {name: getattr(result, name) for name in WAITING}


class Answers:
    """Answers to questions about one result; see `mckp.result.Answering`.

    It holds the prices that the result was made from, the pick, and the budget.
    """

    def __init__(self, priced: Priced, pick: Pick, budget: int | None) -> None:
        self._priced, self.pick, self._budget = priced, pick, budget

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickled result is the text and what is known about it; the menu stays where it is.
        """Become None in another process, which has no document."""
        return type(None), ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Answers:
        """Share the prices with the copy."""
        return self

    @property
    def source_tokens(self) -> int:
        """The tokens of the source."""
        return self._priced.source_tokens

    def at(self, budget: BudgetLike | None) -> Result:
        """Return the result within another budget."""
        return self._priced.result(budget)

    def whole_as(self, formats: str) -> Result | None:
        """Return the whole document in other formats, or None if that exceeds the budget.

        It is also None if the result has no budget.
        """
        return None if self._budget is None else self._priced.whole_as(formats, self._budget)

    def frontier(self) -> BudgetCurve:
        """Return the curve of all budgets."""
        from mckp.answers.frontier import curve  # needs numpy

        return curve(self._priced.weighed, self._budget)

    def view(self, budget: int | None, title: str, report: Report | None) -> View:
        """Return the page of the document; see `mckp.Result.view`."""
        from mckp.answers.view import view  # needs numpy

        return view(self._priced.weighed, budget, title, report)

    def instance(self, budget: int | None) -> Instance:
        """Return the knapsack problem of the document."""
        from mckp.answers.instance import Instance  # needs numpy

        priced = self._priced.weighed
        return Instance(priced.tabulated.table, budget, priced, None)

    @property
    def shadow_price(self) -> float:
        """The worth of one more token."""
        return self._price * self._priced.prices.scale

    def why(self, path: str | Iterable[str | int]) -> Reason:
        """Return why a part was kept or cut."""
        from mckp.answers.why import Ways  # needs numpy

        steps = matching_paths(self._document, path)
        priced = self._priced.weighed
        pick = self.pick if priced is self._priced else priced.whole.pick
        return Ways(priced.tabulated, pick, self._price, self._slopes).reasons(steps)

    def why_line(self, number: int) -> LineReason:
        """Return why a line was kept or cut."""
        from mckp.answers.why import line_reason  # needs numpy

        priced = self._priced.weighed
        pick = self.pick if priced is self._priced else priced.whole.pick
        picks = [pick, *(pick.children if priced.menu.parts else ())]
        texts = [(pick, priced.cuts.lines_of(pick.cls)) for pick in picks]
        known = [(pick, some) for pick, some in texts if some is not None]
        for pick, some in known:
            if some.plan.first[0] <= number <= some.plan.total:
                return line_reason(some, pick, self.shadow_price, number)
        place = f"line {number}"
        if not known or priced.menu.parts:
            raise PathError(place, "this is not cut by lines; give a path")
        raise PathError(place, f"the text has lines 1 to {known[0][1].plan.total}")

    def recall(self, handle: Handle, elided: tuple[Elided, ...]) -> Any:
        """Return what was cut by the cuts that a handle names; see `mckp.Result.recall`."""
        original = self._priced.document.original
        order = list(hint_places(self.pick, self._priced.menu))
        if self.pick.option is not None:
            dropped = [(cut.path, cut.kind) for cut in self._priced.dropped_entries()]
            order = [*dropped, *order] if has_note_first(self.pick.option) else [*order, *dropped]
        cuts = cuts_of_handle(handle, elided, order)
        if original is not None and cuts[0] == elided[0]:
            return original.value if original.is_json else original
        return cut_data(self._document, cuts)

    def ask(self, question: Mapping[str, Any]) -> Any:
        """Return the answer to a question: data, or the (number, text) pairs of lines."""
        from mckp.recall import LinesAnswer, answered  # who asks nothing needs no grammar

        content = (
            self._document if (original := self._priced.document.original) is None else original
        )
        if isinstance(content, TreeNode):
            content = content.value if content.is_json else content.source or ""
        answer = answered(content, question)
        if isinstance(answer, LinesAnswer):
            return [(line.number, line.text) for line in answer.lines]
        return answer.value

    @property
    def _document(self) -> Any:
        """The document without parsed strings."""
        return self._priced.menu.root.content

    @cached_property
    def _price(self) -> float:
        """The worth of a unit of cost at the budget; 0 if nothing was cut."""
        if self._slopes is None or self._budget is None:
            return 0.0
        return self._slopes.slope_at(self._budget * self._priced.prices.scale)

    @cached_property
    def _slopes(self) -> Slopes | None:
        """The slopes of value over cost for all budgets, or None if nothing was cut."""
        if self._budget is None or self.pick.is_whole:
            return None
        from mckp.solvers.frontiers import Slopes  # needs numpy

        table, root = self._priced.tabulated.table, self._priced.menu.root
        return Slopes(table, self._priced.prices.whole_cost(root))


MOST_PLACES: Final = 1000
"""The most places that are explained if a pattern matches several."""


def matching_paths(document: object, path: str | Iterable[str | int]) -> list[Path]:
    """Return the given path, or for a pattern, the first `MOST_PLACES` paths that it matches.

    Raises `PathError` if nothing is there.
    """
    pattern = read_pattern(path) if isinstance(path, str) and "*" in path else ()
    if not any(isinstance(step, Wild) for step in pattern):
        steps = as_path(path)
        content_at(document, steps)
        return [steps]
    places: dict[Path, None] = {}
    stack: list[tuple[Any, Path, int]] = [(document, (), 0)]
    while stack and len(places) < MOST_PLACES:
        content, place, at = stack.pop()
        if at == len(pattern):
            places[place] = None
            continue
        wanted, inside = pattern[at], children_of(content)
        goes_on = at if wanted is Wild.DEEP else at + 1
        fitting = [step for step in inside if wanted is Wild.DEEP or matches_step(wanted, step)]
        stack += [(inside[step], (*place, step), goes_on) for step in reversed(fitting)]
        if wanted is Wild.DEEP:
            stack.append((content, place, at + 1))
    if not places:
        raise PathError(str(path), "the pattern matches nothing in the document")
    return list(places)


_APART: Final = frozenset({"rows", "fields", "items", "blocks", "paragraphs", "lines"})


def cuts_of_handle(
    handle: Handle, elided: Sequence[Elided], hints: Sequence[tuple[Path, str]]
) -> list[Elided]:
    """Return the cuts that a handle names.

    `hints` has the path and kind of each hint, in the order of the text. An unknown handle raises
    `PathError` or `ValueError`.
    """
    if isinstance(handle, Elided):
        if handle not in elided:
            raise ValueError(f"this result did not cut {handle}; give one of its `elided`")
        return [handle]
    if isinstance(handle, SupportsIndex) and not isinstance(handle, bool):
        number = index(handle)
        if not 1 <= number <= len(hints):
            count = "1 note" if len(hints) == 1 else f"{len(hints) or 'no'} notes"
            raise ValueError(f"there is no note {number}; the text has {count} on what was cut")
        wanted = hints[number - 1]
        before = hints[: number - 1].count(wanted)  # a text has a mark at each of its gaps
        return [cut for cut in elided if (cut.path, cut.kind) == wanted][before : before + 1]
    path = as_path(cast("str | Iterable[str | int]", handle))
    cuts = [cut for cut in elided if cut.path == path]
    if not cuts:
        raise PathError(path_text(path), _cut_places_text(elided))
    return cuts


def cut_data(document: Any, cuts: Iterable[Elided]) -> Any:
    """Return the data that the given cuts of one container removed.

    That is a dict from names, indexes or line numbers to what was cut there, if every cut has these
    keys; else it is the whole container.
    """
    wanted = list(cuts)
    container = content_at(document, wanted[0].path)
    is_by_lines = isinstance(document, TreeNode) and not wanted[0].path
    if is_by_lines and all(cut.kind == LINES and len(cut.keys) == cut.count for cut in wanted):
        lines = (document.source or "").split("\n")
        return {number: lines[int(number) - 1] for cut in wanted for number in cut.keys}
    if any(cut.kind not in _APART or len(cut.keys) != cut.count for cut in wanted):
        return container
    keys = (key for cut in wanted for key in cut.keys)
    return {key: content_at(container, (key,)) for key in keys}


def _cut_places_text(elided: Sequence[Elided]) -> str:
    """Return the message of an error about a place without cuts; it names places that have some."""
    places = list(dict.fromkeys(path_text(cut.path) for cut in elided))
    shown = ", ".join(places[:8]) + (", …" if len(places) > 8 else "")
    return f"no part of it was cut; there are cuts at {shown}" if shown else "nothing was cut"

"""The public function `pack`, which only combines what other modules do."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from mckp import tokenizers
from mckp.api import DEFAULT, Wanted, report_unmatched
from mckp.budgets import checked_budget, read_budget
from mckp.encoders import name_of_formats, packs, select
from mckp.errors import UnknownNameError, WeightError
from mckp.menu.price import Prices
from mckp.menu.select import Solving
from mckp.menu.signed import with_parsed_strings
from mckp.packing.items import (
    Item,
    NamedDocument,
    checked_mapping,
    documents_by_name,
    identity,
    is_only_whole,
    note_repeats,
    read,
)
from mckp.packing.packed import Packed
from mckp.tree import Kind
from mckp.weights import unmatched
from mckp.weights.fading import halving_of
from mckp.weights.priority import Priorities
from mckp.weights.sums import as_weight

if TYPE_CHECKING:
    from mckp.api import TokenizerLike
    from mckp.budgets import BudgetLike
    from mckp.encoders import FormatsLike
    from mckp.encoders.base import Format
    from mckp.packing.result import PackResult
    from mckp.solvers import SolverLike
    from mckp.tree import TreeNode
    from mckp.weights.priority import PrioritiesLike
    from mckp.weights.unmatched import OnUnmatched

ORDERS: Final = ("given", "worth")

FEW: Final = 50
"""The most documents for which a paragraph, such as a search chunk, may be cut.

If there are more, each paragraph is whole or left out: finding the best cuts would take most of the
time. With ten passages in a tenth of their tokens, cuts kept .84 of answers, whole passages .63.
"""


def pack(
    items: Mapping[str, Any] | Iterable[Any],
    budget: BudgetLike | None = None,
    *,
    query: str | None = None,
    queries: Mapping[str, str] | None = None,
    weights: Mapping[str, float] | None = None,
    priorities: Mapping[str, PrioritiesLike] | None = None,
    least: Mapping[str, BudgetLike] | None = None,
    pin: Iterable[str] | None = None,
    order: str = "given",
    tokenizer: TokenizerLike = "o200k",
    formats: FormatsLike = "native",
    solver: SolverLike = "auto",
    work_limit: int | None = None,
    on_unmatched: OnUnmatched = "pins",
) -> PackResult:
    r"""Write several documents within one budget: each whole, cut, named or skipped.

    One solution chooses for all of them, so a document gets as many tokens as its content is worth
    compared to the others. Each document has a heading with its name, and the text begins with
    their number, and the number of missing ones. Equal documents are written once; if one nearly
    repeats another, what it alone says has priority (see `mckp.weights.repeated`).

    Parameters
    ----------
    items : mapping from names, or iterable
        Documents as for `mckp.encode`: Python data, JSON, Markdown, text, a `pathlib.Path`; lists
        of messages, results and tools are data. In a list, paths are named as they are written,
        others by their numbers, starting at 1. A text without a final line feed gets one.
    budget : int or str, optional
        The most tokens the text may have, headings and notes included: 4000, ``"4k"``, or
        ``"50%"`` of the tokens of the sources. Without a budget, everything is kept.
    query : str, optional
        What the reader asks: documents and parts of them that are related to it are worth more.
    queries : mapping from names to str, optional
        What single documents are meant to answer, such as the call of a tool: parts of them that
        are related to it are worth more, too.
    weights : mapping from names to float, optional
        Factors on the worth of documents; 1 by default. A document with 0 is skipped first.
    priorities : mapping from names, optional
        The priorities of parts of each document, as for `mckp.encode`.
    least : mapping from names to int or str, optional
        What a document gets at least: as much of its worth as that many tokens would keep of it
        alone, or that share (``"20%"``) of its tokens; its heading is extra.
    pin : iterable of str, optional
        The names of documents that stay whole.
    order : {"given", "worth"}, default "given"
        The order of documents in the text: as given, or by weight times relevance, highest first.
    tokenizer, formats, solver, work_limit, on_unmatched
        As for `mckp.encode`.

    Returns
    -------
    PackResult
        The text, its tokens, the quality of the choice, and a `mckp.Result` for each name.

    Raises
    ------
    BudgetError
        If the note on what is missing, the pinned documents, or what `least` requires do not fit.
    UnknownNameError
        If a name is not that of a document, and as for `mckp.encode`.
    UnmatchedError
        If a priority matches nothing in its document; see ``on_unmatched``.
    TypeError, ValueError, WeightError, ParseError, DataError
        If an argument is not a valid mapping, weight or budget, and as for `mckp.encode`. The name
        of the document is in the notes of the error.

    Notes
    -----
    The worth of a part is its worth within its document (see `mckp.weights`), faded by the parts
    that rank before it (`mckp.weights.fading`). It is scaled so that the best choice per token of
    each document is worth one per token, and multiplied by the document's weight and its relevance
    to the query (`mckp.packing.relevance`). All worths are fixed before anything is chosen.

    If there are many documents and the budget is small, those whose factor is far below the level
    at which it is spent are only named (`mckp.packing.level`), so that no time is spent on them.

    Examples
    --------
    >>> log = "".join(f"step {n} done\n" for n in range(90)) + "ERROR: disk full\n"
    >>> plan = "# Plan\n\n- free the disk\n- run it again\n"
    >>> result = pack({"plan.md": plan, "run.log": log}, budget=60)
    >>> print(result.text)
    > [2 items]
    === plan.md
    # Plan
    <BLANKLINE>
    - free the disk
    - run it again
    === run.log
    step 0 done
    step 1 done
    …3-88 alike
    step 88 done
    step 89 done
    ERROR: disk full
    <BLANKLINE>
    """
    limit, counter, chosen_formats = read_budget(budget), tokenizers.get(tokenizer), select(formats)
    reporting = unmatched.check_choice(on_unmatched)
    solving = Solving.checked(solver, work_limit)
    if order not in ORDERS:
        raise UnknownNameError("order", order, ORDERS)
    documents = documents_by_name(items)
    names = list(documents)
    trees = {name: read(name, document) for name, document in documents.items()}
    texts = [tree.source_text for tree in trees.values()]
    relevance = _relevance_of(names, texts, query)
    factors = _factors_of(relevance, weights)
    wishes, least_by_name = _priorities_of(priorities, names), _least_by_name(least, names)
    queries_by_name = _queries_by_name(query, queries, names)
    pinned = _pinned_names(pin, names)
    signs, prices = packs.sign_count_for(texts), Prices(counter)
    by_worth = sorted(names, key=lambda name: -factors[name])
    groups = _groups(by_worth if order == "worth" else names, trees, wishes, chosen_formats)
    for group in groups:
        group.factor = max(factors[name] for name in group.names)
        group.relevance = max(relevance[name] for name in group.names)
    note_repeats(groups, {*wishes, *pinned, *least_by_name})
    written_items: list[Item] = []
    for group in groups:
        name, *equals = group.names
        wanted = Wanted(
            group.tree,
            DEFAULT,
            wishes.get(name),
            queries_by_name[name],
            counter,
            solving,
            prices=prices,
            embedding=group.embedding,
            halving=halving_of(group.relevance),
            seen=group.seen,
            is_among_many=len(groups) > FEW,
        )
        least_budget = _group_least(group, least_by_name)
        is_pinned = not pinned.isdisjoint(group.names)
        is_spoken_of = name in wishes or is_pinned or least_budget is not None
        item = Item(
            name,
            partial(wanted.priced, name_of_formats(chosen_formats), False),
            trees[name].source_text,
            group.tree.kind is Kind.TEXT,
            group.factor,
            wanted.halving,
            signs,
            is_spoken_of,
            is_pinned,
            least_budget,
            equals,
            wanted.is_among_many and not is_spoken_of and is_only_whole(group, chosen_formats),
        )
        written_items.append(item)
        if name in wishes:
            report_unmatched(item.priced, wishes[name], reporting, f"the document {name!r}")
    packed = Packed(written_items, prices, counter, solving, names)
    return packed.within(checked_budget(limit, lambda: sum(counter.count_batch(texts))))


def _least_by_name(least: object, names: list[str]) -> dict[str, BudgetLike]:
    """Return what documents get at least, by name; raise if it is not a budget."""
    least_by_name: dict[str, BudgetLike] = checked_mapping("least", least, names)
    for one_least in least_by_name.values():
        if read_budget(one_least) is None:
            raise ValueError("the least of a document must be tokens (400, 4k) or a share (20%)")
    return least_by_name


def _queries_by_name(query: str | None, queries: object, names: list[str]) -> dict[str, str | None]:
    """Return what each document is asked: the query for all and its own, or None."""
    own_queries = checked_mapping("queries", queries, names)
    for own_query in own_queries.values():
        if not isinstance(own_query, str):
            raise TypeError(f"a query must be a string, not {own_query!r:.40}")
    return {name: "\n".join(filter(None, (query, own_queries.get(name)))) or None for name in names}


def _group_least(
    group: NamedDocument, least_by_name: Mapping[str, BudgetLike]
) -> BudgetLike | None:
    """Return the `least` of a document; if several of its names have one, the last counts."""
    return next(
        (least_by_name[name] for name in reversed(group.names) if name in least_by_name), None
    )


def _groups(
    names: Iterable[str],
    trees: Mapping[str, TreeNode],
    wishes: Container[str],
    formats: tuple[Format, ...],
) -> list[NamedDocument]:
    """Return documents in groups of equal content.

    A document with `wishes`, which are its priorities, is a group of its own.
    """
    groups: dict[str, NamedDocument] = {}
    for name in names:
        content = f"{name}\n" if name in wishes else identity(trees[name])
        if content not in groups:
            groups[content] = NamedDocument(
                [], *with_parsed_strings(trees[name], formats, may_change_spelling=True)
            )
        groups[content].names.append(name)
    return list(groups.values())


def _priorities_of(priorities: object, names: list[str]) -> dict[str, Priorities]:
    """Return the priorities of documents by name."""
    by_name: dict[str, PrioritiesLike] = checked_mapping("priorities", priorities, names)
    return {
        name: wish if isinstance(wish, Priorities) else Priorities(wish)
        for name, wish in by_name.items()
    }


def _relevance_of(names: list[str], texts: list[str], query: str | None) -> dict[str, float]:
    """Return how relevant each document is to the query; 1 if there is none."""
    if query is None:
        return dict.fromkeys(names, 1.0)
    if not isinstance(cast("object", query), str):
        raise TypeError(f"a query must be a string, not {query!r:.40}")
    from mckp.packing.relevance import relevance_factors

    return dict(zip(names, relevance_factors(names, texts, query), strict=True))


def _factors_of(relevance: dict[str, float], weights: object) -> dict[str, float]:
    """Return the factor of each document: its relevance times the weight given by the caller."""
    factors = dict(relevance)
    for name, weight_given in checked_mapping("weights", weights, list(relevance)).items():
        weight = as_weight(weight_given)
        if weight is None:
            message = (
                f"the weight of a document must be a number of 0 or more, not {weight_given!r:.40}"
            )
            raise WeightError("weights", message, path=name)
        factors[name] *= weight
    return factors


def _pinned_names(pin: object, names: list[str]) -> frozenset[str]:
    """Return the names of pinned documents, all of which must exist."""
    if pin is None:
        return frozenset()
    if isinstance(pin, str) or not isinstance(pin, Iterable):
        raise TypeError(f"pin must be a list of names of documents, not {pin!r:.40}")
    pinned = list(cast("Iterable[object]", pin))
    for name in pinned:
        if name not in names:
            raise UnknownNameError("pinned document", str(name), names)
    return frozenset(map(str, pinned))

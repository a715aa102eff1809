"""The public calls: `encode`, `compare`, `instance`. Each only assembles the steps."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import product
from math import inf
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, NotRequired, TypedDict, cast

from mckp import tokenizers
from mckp.answers.priced import Priced
from mckp.answers.reading import decoded_as, document_kind
from mckp.budgets import checked_budget, read_budget
from mckp.collector import without_collector
from mckp.encoders import PHRASES, name_of_formats, select
from mckp.encoders.base import DataLoss
from mckp.errors import BudgetError
from mckp.menu.data import offer
from mckp.menu.more import Templates
from mckp.menu.price import Prices, price
from mckp.menu.rules import with_rules
from mckp.menu.select import Solving
from mckp.menu.signed import signed, with_parsed_strings
from mckp.menu.weighing import fade_document, may_wait, weigh
from mckp.parsers import as_tree, data_parts_of
from mckp.weights.leaves import leaves
from mckp.weights.priority import Priorities
from mckp.weights.unmatched import check_choice, report_patterns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Executor
    from os import PathLike
    from typing import TypeAlias, Unpack

    from mckp.answers.cached import Cache
    from mckp.answers.comparison import Comparison
    from mckp.answers.instance import Instance
    from mckp.answers.sweep import Sweep
    from mckp.budgets import BudgetLike
    from mckp.encoders import FormatsLike
    from mckp.encoders.base import LossName
    from mckp.menu.more import MoreLike
    from mckp.parsers import KindName
    from mckp.parsers.embedded import Embedding
    from mckp.result import Result
    from mckp.solvers import SolverLike
    from mckp.tokenizers.base import Tokenizer
    from mckp.tokenizers.own import HasEncode
    from mckp.tree import TreeNode
    from mckp.weights.models import WeightsLike
    from mckp.weights.priority import PrioritiesLike
    from mckp.weights.unmatched import OnUnmatched

    TokenizerLike: TypeAlias = str | Tokenizer | HasEncode | Callable[[str], int]

    class EncodeOptions(TypedDict, total=False):
        """The options of `encode`."""

        budget: BudgetLike | None
        tokenizer: TokenizerLike
        formats: FormatsLike | Literal["auto"]
        weights: WeightsLike
        priorities: PrioritiesLike | None
        query: str | None
        more: MoreLike | None
        solver: SolverLike
        work_limit: int | None
        max_loss: DataLoss | LossName
        kind: KindName | None
        primer: bool
        fold: bool
        on_unmatched: OnUnmatched
        cache: Cache | None


DEFAULT: Final = "salience"
"""The default weights within a budget."""
AUTO: Final = "auto"
"""Formats by what a budget leaves of a document."""
DENSER: Final = "dense"
LOSING: Final = 0.9
"""The share of the worth from which on a text that is cut is preferred to a dense one, unless"""
SAVING: Final = 0.8
"""the dense one has less than this share of its tokens."""
_MIXES = {"mckp": "native", "mckp dense": "dense"}


@without_collector
def encode(
    data: Any,
    *,
    budget: BudgetLike | None = None,
    tokenizer: TokenizerLike = "o200k",
    formats: FormatsLike | Literal["auto"] = "native",
    weights: WeightsLike = DEFAULT,
    priorities: PrioritiesLike | None = None,
    query: str | None = None,
    more: MoreLike | None = None,
    solver: SolverLike = "auto",
    work_limit: int | None = None,
    max_loss: DataLoss | LossName = "truncated",
    kind: KindName | None = None,
    primer: bool = False,
    fold: bool = True,
    on_unmatched: OnUnmatched = "pins",
    cache: Cache | None = None,
) -> Result:
    """Write a document in the cheapest mix of formats, within a budget of tokens.

    Without a budget, nothing is lost, and the text is never longer than compact JSON of the data
    (for Markdown and plain text: than the source). With a budget, the text keeps what is worth
    most, and hints in it say what was cut: rows, columns, items, members, blocks, and parts of
    long texts. Each record of a long table gets its own line, even where one long line would be a
    little shorter.

    Parameters
    ----------
    data
        JSON, Markdown or plain text as str, bytes or a `pathlib.Path`; a parsed `TreeNode`; or
        Python data: dictionaries, lists, dataclasses, pydantic models, data frames. Broken JSON is
        read as plain text, and bytes that are not UTF-8 as cp1252; `Result.notes` says so.
    budget : int or str, optional
        The most tokens that the text may have, hints included: 4000, ``"4k"``, or ``"50%"`` of the
        tokens of compact JSON (for Markdown and plain text: of the source).
    tokenizer : str, Tokenizer or callable, default "o200k"
        What counts tokens: ``o200k``, ``cl100k``, the name of a model, an estimate, a tokenizer
        object, or a function from a text to its number of tokens.
    formats : str or iterable of str, default "native"
        A level, or names of formats. ``standard`` contains formats that standard parsers read.
        ``native`` adds tables whose headers explain them. ``dense`` adds symbols that replace
        repeated phrases. ``-name`` excludes a format. If none of the named formats can write a
        part, it becomes compact JSON; if ``json`` is not among the names, the text may be longer
        than compact JSON. ``auto`` means ``dense`` if the whole document then fits the budget and
        ``native`` would lose a tenth of the worth or take a quarter more tokens; otherwise it means
        ``native``. `Result.at` uses the same level.
    weights : str, callable, or iterable of these, default "salience"
        What parts of the document are worth within a budget: ``salience`` (how likely a reader is
        to need them), ``facts``, ``uniform``, ``tokens``, ``position``, ``recency``, a function
        from leaves to numbers, or several of these, whose weights are multiplied; see
        `mckp.weights`. If nothing is cut, they are computed when `Result.value` is first read.
    priorities : mapping, iterable of pairs, or callable, optional
        Factors by path, as in ``{"**.id": 3, "items[*].log": 0.1}``. ``"pin"`` keeps a part.
        ``"drop"`` removes a part, also without a budget; in Markdown and plain text, it is what a
        budget cuts first.
    query : str, optional
        The reader's question. Parts that match it are more likely to be kept.
    more : str or mapping, optional
        A template of the call that gets the rest of an array, such as
        ``"get_jobs(offset={offset}, limit={limit})"``, for arrays that are not in another array;
        or a mapping from paths of arrays to templates. ``{path}`` is the path of the array. A hint
        shows the call if the missing part has at least four times the tokens of the call. A call
        with ``{offset}``, ``{limit}``, ``{page}`` (which needs ``{page_size}``) or ``{cursor}``
        (the ``cursor`` or ``id`` of the last item kept) gets the end of an array, so it is not
        shown if other items were cut, or if `priorities` drop items of arrays.
    solver : str or callable, default "auto"
        The solver that chooses what to cut; see `mckp.solvers`. ``greedy`` and ``binary`` are
        baselines, which keep less. The totals of a function's answer are computed here.
    work_limit : int, optional
        The most operations of the solver, the same on every machine; 10 million (about a second)
        if None. If the solver needs more, the result is ``feasible``, with a bound and a gap.
    max_loss : str or DataLoss, default "truncated"
        The most that may be lost. Since formats lose nothing, all values but ``truncated`` mean
        that nothing may be cut: if the whole document does not fit, a `BudgetError` is raised.
    kind : str, optional
        ``json``, ``markdown``, ``text`` or a kind of `mckp.texts.register`, instead of detecting
        the kind. The text is then read strictly: it must be UTF-8, and valid.
    primer : bool, default False
        Whether to put a line above the text that explains its signs; see `mckp.primer`. It has at
        most 60 tokens, which count. A budget reserves room for the signs of all formats.
    fold : bool, default True
        Whether lines of a text that differ only in numbers are cut before all others.
    on_unmatched : {"pins", "error", "warn", "ignore"}, default "pins"
        What to do if nothing in the document matches a pattern of `priorities`. By default, a pin
        is an error, which suggests the name that may be meant, and any other pattern is a warning.
        A pattern that leads to an empty array or object, or to null, counts as matched.
        `Result.unmatched` always lists them. `mckp.encode_many` and agents check none: their
        documents have many shapes.
    cache : mapping, optional
        A mapping from texts to texts in which results are kept: a dict, a shelf, a cache from a
        library that has ``get`` and ``cache[key] = text``. The key consists of the document, all
        options and the version of mckp. Questions to a cached result (`Result.why`, `at`,
        `recall`) encode the document again. If the cache fails, that is logged.

    Returns
    -------
    Result
        The text, its tokens, and what was chosen and cut.

    Raises
    ------
    ParseError
        If a text is not of the `kind` that was given.
    DataError
        If Python data cannot be written as JSON.
    BudgetError
        If not even the smallest text fits the budget, or what is pinned, or what `max_loss` does
        not allow to cut.
    WeightError, PatternError, TemplateError
        For an invalid weight, pattern or template.
    UnknownNameError, UnmatchedError
        For a name that does not exist; if nothing matches a pattern, see `on_unmatched`.
    TypeError
        For data, priorities or a cache of a wrong type; or, with a cache, for an option that is a
        function or object, because it cannot be part of a key.
    ValueError
        For an invalid budget or limit, or if no format is left.

    Examples
    --------
    >>> jobs = [{"id": n, "ok": n % 2 == 0} for n in range(9)]
    >>> result = encode({"page": 1, "jobs": jobs}, budget=36)
    >>> print(result.text)
    {jobs[7{id ok}0 …;1 false;2 …;3 …;4 …;5 …;6 …;…]}
    > [+11 facts page]
    <BLANKLINE>
    >>> result.tokens, result.status
    (36, 'optimal')
    """
    limit, reporting = read_budget(budget), check_choice(on_unmatched)
    if priorities is not None and not isinstance(priorities, Priorities):
        priorities = Priorities(priorities)
    may_cut = DataLoss.of(max_loss) is DataLoss.TRUNCATED
    solving = Solving.checked(solver, work_limit)._replace(may_cut=may_cut)
    store: Callable[[Result], None] | None = None
    is_auto = formats in (AUTO, [AUTO], (AUTO,))
    chosen: FormatsLike = "native" if formats == AUTO or is_auto else formats
    wishes: _Wishes = {
        "tokenizer": tokenizer,
        "formats": chosen,
        "weights": weights,
        "priorities": priorities,
        "query": query,
        "more": more,
        "fold": fold,
    }
    if cache is not None:
        from mckp.answers import cached  # only those with a cache need it

        asked = {**wishes, "formats": formats, "budget": limit, "kind": kind, "solver": solver}
        asked |= {"work_limit": work_limit, "on_unmatched": reporting, "primer": primer}
        asked |= {"max_loss": DataLoss.of(max_loss).name}
        data, key = cached.with_key(data, asked)
        stored = cached.stored_result(cached.checked_cache(cache), key, data, asked)
        if stored is not None:
            return stored
        store = partial(cached.store_result, cache, key)
    priced = _priced_document(  # what a cache stores has its value
        data, kind, solving, primer=primer, limit=limit, is_patient=cache is None, **wishes
    )
    report_unmatched(priced, priorities, reporting)
    result = priced.result(limit)
    if is_auto and (whole := result.whole_as(DENSER)) is not None:
        is_poor = result.value < LOSING * result.total
        result = whole if is_poor or whole.tokens < SAVING * result.tokens else result
    if store is not None:
        store(result)
    return result


def report_unmatched(
    priced: Priced,
    priorities: PrioritiesLike | None,
    on_unmatched: OnUnmatched,
    document: str = "the document",
) -> None:
    """Raise or warn about priorities that match nothing; warnings point at the caller's line."""
    if isinstance(priorities, Priorities) and priced.document.unmatched:
        tree = priced.document.original or priced.document.tree
        missed = priced.document.unmatched
        document_leaves = partial(leaves, tree)
        report_patterns(missed, priorities.pins, document_leaves, on_unmatched, document=document)


class _Wishes(TypedDict):
    """The options that affect a document's menu and the worth of its parts; see `encode`."""

    tokenizer: TokenizerLike
    formats: FormatsLike
    weights: WeightsLike
    priorities: PrioritiesLike | None
    query: str | None
    more: MoreLike | None
    fold: NotRequired[bool]


def _priced_document(
    data: Any,
    kind: str | None,
    solving: Solving,
    *,
    primer: bool,
    limit: int | str | None = None,
    is_patient: bool = False,
    **wishes: Unpack[_Wishes],
) -> Priced:
    """Return a document, priced; if `is_patient`, its weights may wait, as in `may_wait`."""
    counter, chosen = tokenizers.get(wishes["tokenizer"]), select(wishes["formats"])
    weights, priorities, query = wishes["weights"], wishes["priorities"], wishes["query"]
    calls = None if wishes["more"] is None else Templates(wishes["more"])
    tree = as_tree(data, kind)
    waits = is_patient and priorities is None and may_wait(tree, weights, query, counter, limit)
    tree, embedding = with_parsed_strings(tree, chosen, kind, may_change_spelling=limit is not None)
    wanted = Wanted(
        tree, weights, priorities, query, counter, solving, calls, primer, embedding=embedding
    )._replace(folds=wishes.get("fold", True))
    return wanted.priced(name_of_formats(chosen), waits)


class Wanted(NamedTuple):
    """A document with the options of the caller; see `encode`."""

    tree: TreeNode
    weights: WeightsLike
    priorities: PrioritiesLike | None
    query: str | None
    tokenizer: Tokenizer
    solver: Solving
    more: Templates | None = None
    primer: bool = False
    prices: Prices | None = None
    """Prices that several documents share; by default each has its own."""
    embedding: Embedding | None = None
    """Where the document has data that stood in strings."""
    halving: float = 0.0
    """The tokens of worthier parts after which a part is worth half; 0 if parts do not fade."""
    seen: frozenset[str] = frozenset()
    """What another document says in the same words, so that it is worth less here."""
    is_among_many: bool = False
    """Whether it is one of so many that a paragraph is whole or left out."""
    folds: bool = True
    """Whether lines that are alike are worth less, the more of them there are."""

    def priced(self, named: str, is_bare: bool) -> Priced:
        """Return the document, priced; `named` are its formats, `is_bare` is as in `Priced`."""
        weights, chosen = "facts" if is_bare else self.weights, select(named.split(","))
        roots = () if self.embedding is None else self.embedding.roots
        query = None if is_bare else self.query
        document = weigh(self.tree, weights, self.priorities, query, self.tokenizer, roots)
        document = document._replace(embedding=self.embedding, folds=self.folds)
        if self.halving:
            document = fade_document(document, self.halving, self.seen)._replace(
                is_among_many=self.is_among_many
            )
        prices = Prices(self.tokenizer) if self.prices is None else self.prices
        reads_as = partial(document_kind, known=self.tree)
        is_whole = is_bare and self.embedding is None
        menu = offer(document, chosen, reads_as, self.more, is_whole=is_whole)
        menu = with_rules(menu, price(menu, prices))
        is_weighed = document.by_line and not self.halving and self.priorities is None
        if (is_weighed or is_bare) and (found := data_parts_of(self.tree)):
            from mckp.menu.parted import Wishes, with_parts  # needs numpy

            wishes = Wishes(chosen, weights, query, self.tokenizer)
            read = partial(decoded_as, known=None)
            menu = with_parts(menu, document, found, wishes, prices, read)
        if PHRASES in chosen:
            from mckp.menu.dictionary import with_dictionary  # needs numpy

            menu = with_dictionary(menu, prices, self.tokenizer)
        if self.embedding is not None:
            menu = signed(menu, self.embedding.line)
        is_primed = self.primer and document.tree.is_json
        primed = tuple(format_.name for format_ in chosen) if is_primed else ()
        counter, solver, again = self.tokenizer, self.solver, self.priced
        return Priced(document, menu, prices, counter, solver, primed, named, again, is_bare)


def instance(
    data: Any,
    *,
    budget: BudgetLike | None = None,
    tokenizer: TokenizerLike = "o200k",
    formats: FormatsLike = "native",
    weights: WeightsLike = DEFAULT,
    priorities: PrioritiesLike | None = None,
    query: str | None = None,
    more: MoreLike | None = None,
    kind: KindName | None = None,
    on_unmatched: OnUnmatched = "pins",
) -> Instance:
    """Return the multiple-choice knapsack problem of a document, for any solver.

    Parameters
    ----------
    data, budget, tokenizer, formats, weights, priorities, query, more, kind, on_unmatched
        As for `encode`. Without a budget, `Instance.solve` needs one.

    Returns
    -------
    Instance
        The `mckp.solvers.Table` that `encode` solves, a label for each option, and methods that
        turn a solution into a text. If the whole document fits the budget, `encode` writes it
        without solving; the table is the same.

    Raises
    ------
    ParseError, DataError, WeightError, PatternError, TemplateError, UnknownNameError, ValueError
    UnmatchedError
        As from `encode`.

    Examples
    --------
    >>> knapsack = instance([{"id": n, "ok": n % 2 == 0} for n in range(9)], budget=20)
    >>> [(label.keeps, label.cost, label.value) for label in knapsack.labels[:2]]
    [('part', 12, 1354.0), ('part', 13, 1710.0)]
    >>> solution = knapsack.solve("brute")
    >>> knapsack.text(solution) == encode(
    ...     [{"id": n, "ok": n % 2 == 0} for n in range(9)], budget=20
    ... ).text
    True
    """
    from mckp.answers.instance import Instance  # needs numpy, as all that solves

    reporting = check_choice(on_unmatched)
    priorities_given = priorities
    if priorities is not None and not isinstance(priorities, Priorities):
        priorities = Priorities(priorities)
    wishes: _Wishes = {
        "tokenizer": tokenizer,
        "formats": formats if isinstance(formats, str) else list(formats),
        "weights": weights,
        "priorities": priorities,
        "query": query,
        "more": more,
    }
    limit, solving = read_budget(budget), Solving.checked("auto", None)
    priced = _priced_document(data, kind, solving, primer=False, limit=limit or 0, **wishes)
    report_unmatched(priced, priorities, reporting)
    budget_tokens = checked_budget(limit, lambda: priced.source_tokens)
    return Instance(
        priced.tabulated.table, budget_tokens, priced, {**wishes, "priorities": priorities_given}
    )


def read_instance(path: str | PathLike[str]) -> Instance:
    """Read a file that `mckp.Instance.save` wrote.

    The document is priced again and must give the table in the file. If another version of mckp
    wrote it and writes documents differently, `ValueError` is raised.
    """
    from mckp.answers.instance import load

    return load(path, instance)


async def aencode(
    data: Any,
    *,
    executor: Executor | None = None,
    seconds: float | None = None,
    **options: Unpack[EncodeOptions],
) -> Result:
    """Encode a document without blocking the event loop; see `encode`.

    By default, one thread does the work of all calls, so the loop is free, but the calls are no
    faster. To use several processors, pass a `concurrent.futures.ProcessPoolExecutor`.

    Parameters
    ----------
    data, **options
        As for `encode`. With processes they must be picklable; names of tokenizers are.
    executor : concurrent.futures.Executor, optional
        The executor that does the work. A result from another process cannot answer questions
        until it gets its document; see `mckp.Result.attach`.
    seconds : float, optional
        The most CPU time in seconds; no limit if None.

    Raises
    ------
    WorkLimitError
        If the call takes longer; for all others see `encode`. A cancelled call stops, unless it
        runs in your own executor.

    Examples
    --------
    >>> import asyncio
    >>> asyncio.run(aencode([{"id": 1}, {"id": 2}], budget=20)).tokens
    9
    """
    from mckp.apart import run_apart  # needs asyncio

    work = partial(encode, data, **options)
    return await run_apart(work, inf if seconds is None else seconds, executor)


def compare(
    data: Any, *, tokenizer: TokenizerLike = "o200k", kind: KindName | None = None
) -> Comparison:
    """Count the tokens of one document in every format, side by side.

    Parameters
    ----------
    data, tokenizer, kind
        As for `encode`.

    Returns
    -------
    Comparison
        A row for each format: tokens, ratio to compact JSON or to the source, and what the format
        loses. ``mckp`` is the mix that `encode` chooses, ``mckp dense`` the mix of the level
        ``dense``.

    Examples
    --------
    >>> rows = compare([{"id": 1}, {"id": 2}]).rows
    >>> {row.format: row.tokens for row in rows[:5]}
    {'mckp': 9, 'mckp dense': 9, 'flow': 9, 'json': 10, 'csv': 11}
    """
    counter = tokenizers.get(tokenizer)
    tree = as_tree(data, kind)
    mixes = {
        name: encode(tree, tokenizer=counter, formats=[level]) for name, level in _MIXES.items()
    }
    from mckp.answers.comparison import comparison_of

    return comparison_of(tree, mixes, counter)


def sweep(
    data: Any,
    ways: Mapping[str, Mapping[str, Any]],
    budgets: Iterable[int] | None = None,
    *,
    tokenizer: TokenizerLike = "o200k",
    kind: KindName | None = None,
    recall: Callable[[Result], float] | None = None,
) -> Sweep:
    """Encode one document in several ways within several budgets, to compare the ways.

    Parameters
    ----------
    data
        As for `encode`.
    ways : mapping of str to mapping
        For each way to compare, its name and its options of `encode`, such as a solver or formats.
        Values are comparable only between ways with the same weights.
    budgets : iterable of int, optional
        Budgets in tokens; by default twenty, from a twentieth of the first way's whole text to all
        of it.
    tokenizer, kind
        As for `encode`.
    recall : callable, optional
        From a result to a share from 0 to 1, such as the share of your questions that its text
        answers.

    Returns
    -------
    Sweep
        A row for each way and budget, with ``plot()``; notebooks display it as a table.

    Raises
    ------
    ValueError
        If there are no ways or no budgets, if a budget is not a whole number, or if a way sets
        the budget, the tokenizer or the kind, which all ways share.

    Examples
    --------
    >>> records = [{"id": n, "state": "ok", "note": f"note {n}"} for n in range(30)]
    >>> swept = sweep(records, {"all formats": {}, "one format": {"solver": "binary"}}, [50, 200])
    >>> all(row.tokens <= row.budget for row in swept.rows)
    True
    """
    from mckp.answers.sweep import STEPS, Sweep, SweptText

    if not ways:
        raise ValueError('ways is empty: name at least one, such as {"default": {}}')
    for name, option in product(ways, ("budget", "tokenizer", "kind")):
        if option in ways[name]:
            raise ValueError(
                f"{option} is the same for all ways: pass it to sweep, not in {name!r}"
            )
    counter, tree = tokenizers.get(tokenizer), as_tree(data, kind)
    if budgets is None:
        first_options: dict[str, Any] = dict(next(iter(ways.values())))
        most = encode(tree, tokenizer=counter, **first_options).tokens
        budgets = (-(-most * step // STEPS) for step in range(1, STEPS + 1))
    chosen: set[Any] = set(budgets) if isinstance(cast("object", budgets), Iterable) else set()
    if not chosen or not all(isinstance(budget, int) for budget in chosen):
        raise ValueError("budgets must be a list of whole numbers of tokens, at least one")
    ascending_budgets = sorted(chosen)
    rows = list[SweptText]()
    for name, budget in product(ways, ascending_budgets):
        options: dict[str, Any] = {**ways[name], "budget": budget}
        try:
            result = encode(tree, tokenizer=counter, **options)
        except BudgetError:
            continue
        share = result.value / result.total if result.total else 1.0
        kept = None if recall is None else recall(result)
        rows.append(SweptText(name, budget, result.tokens, share, kept, result.status))
    return Sweep(tuple(rows), tuple(ways), tuple(ascending_budgets), counter.name)

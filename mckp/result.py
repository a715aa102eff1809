"""What `encode` returns: the text, its figures, and methods that explain what was kept or cut."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from importlib import import_module
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias, cast, overload

from mckp.choices import WAITING, Choice, split_of
from mckp.errors import DataError, DetachedError, MckpError
from mckp.jsontext import path_text
from mckp.paths import as_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mckp.budgets import BudgetLike
    from mckp.choices import WaitingFigures
    from mckp.display.curve import BudgetCurve
    from mckp.display.page import View
    from mckp.display.reasons import LineReason, Reason
    from mckp.encoders.base import DataLoss
    from mckp.solvers import Solution, SolverLike
    from mckp.table import Table


SHOWN: Final = 4
"""Names that a hint, or an entry of what was cut, shows."""


@dataclass(frozen=True, slots=True)
class Elided:
    """What was cut from a container; the text has a hint for each.

    Attributes
    ----------
    path : tuple
        Steps from the root to the container.
    kind : str
        What was cut: ``rows``, ``columns``, ``fields``, ``items``, ``blocks``, ``paragraphs``,
        ``lines``, or ``facts`` when it was all of the data; ``tools``, or ``keywords`` of one.
    count, total : int
        How many were cut, of how many.
    tokens : int
        What they would have cost in the cheapest format of their place.
    keys : tuple
        Their names or indices; of lines of a text their numbers, counted from 1. Of ``columns`` and
        ``facts``, patterns from the container on, which cover what was cut and nothing else:
        ``pay[16:]``, ``jobs[*].user["full name"]``. Of records in an array the pattern begins
        after the record, if all of them have lost it.
    """

    path: tuple[str | int, ...]
    kind: str
    count: int
    total: int
    tokens: int
    keys: tuple[str | int, ...]

    def __str__(self) -> str:
        text = f"{path_text(self.path)}: {self.count} of {self.total} {self.kind}"
        if self.kind == "lines" and self.keys:
            first, last = self.keys[0], self.keys[-1]
            return f"{text} ({first}-{last})" if first != last else f"{text} ({first})"
        names = [key for key in self.keys if isinstance(key, str)]
        if not names:
            return text
        more = len(names) - SHOWN
        return f"{text} ({', '.join(names[:SHOWN])}{f' and {more} more' if more > 0 else ''})"


Report: TypeAlias = "Callable[[int, int | None], object]"
"""A function that is called with how many steps are done, and of how many."""

Handle: TypeAlias = "Elided | int | str | Iterable[str | int]"


class Knapsack(Protocol):
    """The part of `mckp.Instance` that a result relies on."""

    @property
    def table(self) -> Table: ...
    @property
    def budget(self) -> int | None: ...
    def solve(self, solver: SolverLike = "auto", *, budget: int | None = None) -> Solution: ...
    def text(self, solution: Solution | Sequence[int]) -> str: ...
    def tokens(self, solution: Solution | Sequence[int]) -> int: ...


class Answering(Protocol):
    """The object that answers questions about a `Result`, by methods of the same names.

    `source_tokens` are the tokens of the document as compact JSON, or of a text's source. See
    `mckp.answers`.
    """

    @property
    def source_tokens(self) -> int: ...
    @property
    def shadow_price(self) -> float: ...
    def at(self, budget: BudgetLike | None) -> Result: ...
    def whole_as(self, formats: str) -> Result | None: ...
    def frontier(self) -> BudgetCurve: ...
    def why(self, path: str | Iterable[str | int]) -> Reason: ...
    def why_line(self, number: int) -> LineReason: ...
    def recall(self, handle: Handle, elided: tuple[Elided, ...]) -> Any: ...
    def ask(self, question: Mapping[str, Any]) -> Any: ...
    def view(self, budget: int | None, title: str, report: Report | None) -> View: ...
    def instance(self, budget: int | None) -> Knapsack: ...


def version() -> str:
    """Return the version of mckp."""
    text: str = import_module("mckp").__version__  # a layer above this one
    return text


@dataclass(frozen=True, slots=True)
class Result:
    """An encoded document.

    Attributes
    ----------
    text : str
        What to send.
    tokens : int
        Tokens of the text, counted.
    budget : int or None
        The budget it was made for.
    tokenizer : str
        The tokenizer that counted.
    exact : bool
        Whether that tokenizer counts exactly; an estimate proves no budget.
    value, total : int or float
        The value that the text keeps, and that of the whole document, with and without a budget:
        the sum of the weights of facts. A shortened text keeps part of a fact. If nothing was cut,
        these and `bound` and `choices` are computed when one of them is first read.
    bound : int, float or None
        No selection from the same menu keeps more within the budget. None if the tokens of parts do
        not add up in this tokenizer, so that no solver can say what else would fit, and something
        was cut.
    status : str
        ``optimal`` when `value` equals the bound and no text of equal value from the same
        menu is shorter; else ``feasible``.
    choices : tuple of Choice
        The blocks of the text, in the order of the document.
    elided : tuple of Elided
        All that was cut.
    loss : DataLoss
        What the formats used have lost: ``NONE`` for documents, as no format that loses
        anything is offered; ``TRUNCATED`` for tools of which anything is left out.
    unmatched : tuple of str
        The patterns of the priorities that match nothing in the document.
    notes : tuple of str
        How an invalid document was read, in words: broken JSON as text, bytes that are not UTF-8
        as cp1252.
    version : str
        The version of mckp that made it; empty if it was stored before 0.3. It is not compared.
    answers : Answering or None
        The menu and the prices of the document, which `at`, `frontier`, `shadow_price`, `why` and
        `recall` need. They are not compared, and not pickled.
    """

    text: str
    tokens: int
    budget: int | None
    tokenizer: str
    exact: bool
    value: int | float
    total: int | float
    bound: int | float | None
    status: Literal["optimal", "feasible"]
    choices: tuple[Choice, ...]
    elided: tuple[Elided, ...]
    loss: DataLoss
    unmatched: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    version: str = field(default_factory=version, repr=False, compare=False)
    answers: Answering | None = field(default=None, repr=False, compare=False)
    _waiting: WaitingFigures | None = field(default=None, repr=False, compare=False)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return a figure that waited to be read."""
            if name not in WAITING or self._waiting is None:
                raise AttributeError(f"a Result has no attribute {name!r}")
            for waited, figure in self._waiting().items():
                object.__setattr__(self, waited, figure)
            object.__setattr__(self, "_waiting", None)
            return getattr(self, name)

    def waiting(self, figures: WaitingFigures) -> Result:
        """Return this result without the figures that need weights; `figures` computes them."""
        for name in WAITING:
            object.__delattr__(self, name)
        object.__setattr__(self, "_waiting", figures)
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Return all members, without figures that can be computed elsewhere."""
        waits = self._waiting is not None and self._waiting.is_portable
        names = [member.name for member in fields(self) if not (waits and member.name in WAITING)]
        state = {name: getattr(self, name) for name in names}  # may compute figures
        return state if waits else {**state, "_waiting": None}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Set the members that `__getstate__` returned."""
        for name, value in state.items():
            object.__setattr__(self, name, value)

    def _with_answers(self, answers: Answering | None) -> Result:
        """Return a copy with other answers."""
        copied: Result = object.__new__(type(self))
        waits = self._waiting is not None
        for member in fields(self):
            if not (waits and member.name in WAITING):
                object.__setattr__(copied, member.name, getattr(self, member.name))
        object.__setattr__(copied, "answers", answers)
        return copied

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        begin = self.text if len(self.text) <= SHOWN * 10 else f"{self.text[: SHOWN * 10]}…"
        return f"<Result {next(iter(self._summary_items()))[1]}, {self.status}: {begin!r}>"

    @property
    def gap(self) -> float | None:
        """How far `value` may be from the optimum, as a share of `value`; 0 if optimal.

        None if there is no bound.
        """
        return None if self.bound is None else (self.bound - self.value) / max(1.0, abs(self.value))

    def at(self, budget: BudgetLike | None) -> Result:
        """Return the same document within another budget, without parsing or pricing it again.

        The result equals that of `mckp.encode` with this budget in every field, and so do errors.
        Raises `DetachedError` if the result is detached.

        Examples
        --------
        >>> import mckp
        >>> result = mckp.encode([{"id": n, "ok": n % 2 == 0} for n in range(9)])
        >>> result.tokens, result.at(20).tokens, result.at(20).text.splitlines()[-1]
        (33, 20, '> [+6 rows]')
        """
        return self._answers_for("at()").at(budget)

    def whole_as(self, formats: str = "dense") -> Result | None:
        """Return the whole document in other formats, if that fits the same budget.

        A denser level avoids a cut if your reader can look up the symbols that it uses.

        Parameters
        ----------
        formats : str, default "dense"
            A level, or comma-separated names of formats.

        Returns
        -------
        Result or None
            None if it does not fit or if nothing was cut.

        Examples
        --------
        >>> import mckp
        >>> host = {"image": "registry.example.com/team/service", "zone": "europe-west1-b"}
        >>> text = [f"started {host} on node {n}" for n in range(12)]
        >>> result = mckp.encode(text, budget=200)
        >>> whole = result.whole_as("dense")
        >>> bool(result.elided), whole is not None and not whole.elided
        (True, True)
        """
        return self._answers_for("whole_as()").whole_as(formats) if self.elided else None

    def frontier(self) -> BudgetCurve:
        """Return the best value for every budget, and the tokens of the text that has it.

        These are the value and tokens of `at`, if its status is ``optimal``. Raises `DetachedError`
        if the result is detached.
        """
        return self._answers_for("frontier()").frontier()

    @property
    def shadow_price(self) -> float:
        """Roughly the value that one more token would add; 0 if everything is kept.

        It is the slope, to the right of the budget, of the least concave curve above the frontier.
        """
        return self._answers_for("shadow_price").shadow_price

    @property
    def instance(self) -> Knapsack:
        """The knapsack problem that this result solves, for other solvers.

        It is what `mckp.instance` returns for the document, options and budget of this result,
        but cannot be saved.

        Examples
        --------
        >>> import mckp
        >>> result = mckp.encode([{"id": n, "ok": n % 2 == 0} for n in range(9)], budget=20)
        >>> result.instance
        Instance(classes=1, options=13, depth=1, budget=20)
        >>> result.instance.text(result.instance.solve()) == result.text
        True
        """
        return self._answers_for("instance").instance(self.budget)

    @overload
    def why(self, path: str | Iterable[str | int]) -> Reason: ...
    @overload
    def why(self, *, line: int) -> LineReason: ...
    def why(
        self, path: str | Iterable[str | int] | None = None, *, line: int | None = None
    ) -> Reason | LineReason:
        """Explain how a part of the document is written, or why it was cut.

        Parameters
        ----------
        path : str or iterable of str and int
            A place in the document, such as ``$.jobs[3].name`` or ``("jobs", 3, "name")``, or a
            pattern as in `priorities`, such as ``jobs[*].log`` or ``**.id``. For a pattern, the
            reason of the first place that matches is returned, and `Reason.others` has those of
            the others, at most 1,000 in all.
        line : int, optional
            Instead of a path: the number of a line of a text, counted from 1, as in its marks.

        Raises
        ------
        PathError
            If there is nothing at the path; it names the nearest ancestor. If the text has no such
            line, or the document is not cut by lines.
        DetachedError
            If the result is detached.
        TypeError
            If both path and line are given, or neither is.

        Examples
        --------
        >>> import mckp
        >>> log = [*(f"step {n} is done" for n in range(9)), "ERROR: no disk"]
        >>> reason = mckp.encode(chr(10).join(log), budget=16).why(line=10)
        >>> reason.kept, reason.kind, reason.share > 0.5
        ('whole', 'build', True)
        """
        if (path is None) == (line is None):
            raise TypeError("why() takes a path, or a line number (line=)")
        answers = self._answers_for("why()")
        if isinstance(cast("object", path), int):
            raise TypeError(f"{path} is no path; for a line of a text, call why(line={path})")
        if path is not None:
            return answers.why(path)
        if type(line) is not int:
            raise TypeError(f"line must be a whole number, the number of a line, not {line!r:.40}")
        return answers.why_line(line)

    def recall(self, handle: Handle | None = None, **asked: Any) -> Any:
        """Return what was cut, or the answer to a question about the whole document.

        Parameters
        ----------
        handle : Elided, int, str or iterable of str and int, optional
            An entry of `elided`; the number of its hint in the text, counted from 1; or the path
            of a container, for everything that is missing in it.
        **asked
            A question, with the parameters of the tool `recall` of agents: ``path``, ``where``,
            ``fields``, ``group``, ``sort``, ``limit``, ``offset``, ``grep``, ``context``,
            ``lines``; see `mckp.recall.RecallQuestion`. A handle that is a text is then its
            ``path``.

        Returns
        -------
        object
            For a handle: the missing parts by name or index; or the whole container, if columns or
            facts of it are missing; or the whole text, if it was shortened. This is plain data, or
            a `TreeNode` for a text; missing lines are a dict from numbers to lines. For a question:
            plain data, or pairs of number and line for a text.

        Raises
        ------
        PathError, ValueError
            If nothing was cut there.
        RecallError
            If a question is not understood, or names something that does not exist; the error
            suggests a call that works.
        TypeError
            If neither a handle nor a question is given, or a question about a handle.
        DetachedError
            If the result is detached.

        Examples
        --------
        >>> import mckp
        >>> jobs = [{"id": n, "state": "failed" if n == 7 else "ok"} for n in range(99)]
        >>> result = mckp.encode(jobs, budget=40)
        >>> result.recall(where="state == 'failed'"), result.recall(fields=["count()", "max(id)"])
        ([{'id': 7, 'state': 'failed'}], {'count()': 99, 'max(id)': 98})
        """
        if asked and isinstance(handle, str) and "path" not in asked:
            asked, handle = {"path": handle, **asked}, None
        if (handle is None) != bool(asked):
            raise TypeError(
                "recall() takes either the handle of a cut, or a query such as where='n > 3'"
            )
        answers = self._answers_for("recall()")
        return answers.ask(asked) if handle is None else answers.recall(handle, self.elided)

    def view(self, *, title: str = "", progress: Report | None = None) -> View:
        """Return a page that shows where the tokens go, and the text within about thirty budgets.

        A notebook displays it. `View.save` writes it to a file, which works offline.

        Parameters
        ----------
        title : str
            The title of the page.
        progress : callable, optional
            Called with the number of texts that are made, and the number of all.

        Examples
        --------
        >>> import mckp
        >>> page = mckp.encode([{"id": n} for n in range(9)]).view(title="nine records")
        >>> page.html.startswith("<!doctype html>")
        True
        """
        return self._answers_for("view()").view(self.budget, title, progress)

    def detached(self) -> Result:
        """Return the result without the menu of the document, which takes much more memory."""
        return self._with_answers(None)

    def attach(self, data: object, **options: Any) -> Result:
        """Return this result with the menu of its document, so that it can answer questions again.

        This is for results that were stored or come from another process.

        Parameters
        ----------
        data
            The document that was encoded.
        **options
            The options of `mckp.encode` that the result was made with, except the budget. The
            tokenizer is needed only if it has no name.

        Raises
        ------
        ValueError
            If they give another text.

        Examples
        --------
        >>> import json, mckp
        >>> rows = [{"id": n, "ok": n % 2 == 0} for n in range(9)]
        >>> stored = json.dumps(mckp.encode(rows, budget=25).to_dict())
        >>> Result.from_dict(json.loads(stored)).attach(rows).recall("$")[8]
        {'id': 8, 'ok': True}
        """
        encode = import_module("mckp.api").encode  # which makes results, so it knows this module
        defaults = {
            "tokenizer": self.tokenizer,
            "on_unmatched": "ignore",
        }  # what is unmatched was said
        made: Result = encode(data, **{**defaults, **options, "budget": self.budget})
        if made.text != self.text:
            line_pairs = zip(made.text.splitlines(), self.text.splitlines(), strict=False)
            same_count = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], line_pairs))
            raise ValueError(
                f"encoding these data gives a different text from line {same_count + 1} on; pass "
                f"the data and the options of encode that the result was made with"
                + (
                    ""
                    if self.version == made.version
                    else f"; it was made by mckp {self.version or 'before 0.3'}, and this is "
                    f"{made.version}, which may write another text"
                )
            )
        return self._with_answers(made.answers)

    def _answers_for(self, question: str) -> Answering:
        """Return what answers a question; raise `DetachedError` if there is nothing that can."""
        if self.answers is None:
            raise DetachedError(question)
        return self.answers

    def summary(self) -> str:
        """Return a few lines for people: tokens, value, formats, cuts."""
        return "\n".join(f"{name:10} {text}" for name, text in self._summary_items())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can hold."""
        plain = {
            member.name: getattr(self, member.name) for member in fields(self) if member.compare
        }
        plain |= {"gap": self.gap, "loss": self.loss.name, "version": self.version}
        plain |= {"unmatched": list(self.unmatched), "notes": list(self.notes)}
        for name in ("choices", "elided"):
            plain[name] = [_plain_record(record) for record in plain[name]]
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Result:
        """Return the result that `to_dict` wrote; `attach` lets it answer questions again.

        Raises
        ------
        DataError
            If the data are not such a result.
        """
        from mckp.encoders.base import DataLoss  # results alone need no formats

        known = [member.name for member in fields(cls) if member.compare]
        try:
            values: dict[str, Any] = {name: data[name] for name in known}
            values["loss"] = DataLoss[values["loss"]]
            values["version"] = str(data.get("version", ""))
            for name in ("unmatched", "notes"):
                values[name] = tuple(values[name])
            values["choices"] = tuple(_read_record(Choice, record) for record in values["choices"])
            values["elided"] = tuple(_read_record(Elided, record) for record in values["elided"])
            return cls(**values)
        except (KeyError, TypeError, AttributeError, MckpError) as error:
            why = f"{error} is missing" if type(error) is KeyError else error
            raise DataError(f"this was not written by to_dict: {why}", path="$") from None

    def _summary_items(self) -> Iterable[tuple[str, str]]:
        """Yield the names and texts of what `summary` shows."""
        limit = "no budget" if self.budget is None else f"budget {self.budget}"
        counted = "counted" if self.exact else "estimated"
        yield "tokens", f"{self.tokens} ({limit}, {counted} by {self.tokenizer})"
        yield "value", f"{self.value:g} of {self.total:g}"
        near = "no bound" if self.gap is None else f"bound {self.bound:g}, gap {self.gap:.2%}"
        yield "status", f"{self.status} ({near})"
        blocks = Counter(choice.format for choice in self.choices)
        yield "formats", ", ".join(f"{name} {n}" for name, n in blocks.items()) or "none"
        yield "cut", "; ".join(map(str, self.elided)) or "nothing"
        if self.unmatched:
            yield "unmatched", ", ".join(self.unmatched)
        if self.notes:
            yield "read", "; ".join(self.notes)

    def _repr_html_(self) -> str:
        from mckp.display.blocks import result_html  # only notebooks need it

        source = None if self.answers is None else self.answers.source_tokens
        number = len(self.elided)
        cuts = f"in {number} place{'s' * (number > 1)}" if number else "nothing"
        facts = [*list(self._summary_items())[:3], ("cut", cuts)]
        return result_html(self.text, split_of(self.choices, self.tokens), facts, source)


def _plain_record(record: Choice | Elided) -> dict[str, Any]:
    """Return a record as data that JSON can hold, with its path as text."""
    members = {name: getattr(record, name) for name in type(record).__slots__}
    return {**members, "path": path_text(record.path)}


def _read_record(kind: Any, record: Any) -> Any:
    """Return the `Choice` or `Elided` that `_plain_record` wrote."""
    values = {**record, "path": as_path(record["path"])}
    return kind(**values if kind is Choice else {**values, "keys": tuple(values["keys"])})

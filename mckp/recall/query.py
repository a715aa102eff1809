"""A parsed question about data: its rows and its expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mckp.jsontext import is_array
from mckp.recall import grammar
from mckp.recall.expressions import Const, Expr, Field
from mckp.recall.mistakes import unreadable
from mckp.recall.values import Many, walked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mckp.plain import JsonValue
    from mckp.recall.question import RecallQuestion
    from mckp.recall.values import Step


@dataclass(frozen=True, slots=True)
class DataAnswer:
    """The answer to a question about data.

    Attributes
    ----------
    value : object
        The rows, or one value if one was asked for.
    is_rows : bool
        Whether the value is a list of rows, which may be given in several parts.
    first, total : int
        The number of the first of these rows, and how many there are in all.
    place : str
        The path of the rows, if they are not where the question pointed.
    note : str
        A remark on the answer, such as that no row matches.
    is_hits : bool
        Whether the rows are what a pattern matched, each with ``path`` and ``value``, and where
        known ``line``, the number of a line in a text, and ``row``, the key of a row.
    spread : str
        How many of the hits are in which field, to be said if not all fit.
    """

    value: Any
    is_rows: bool = False
    first: int = 0
    total: int = 0
    place: str = ""
    note: str = ""
    is_hits: bool = False
    spread: str = ""


@dataclass(frozen=True, slots=True)
class QuestionScope:
    """The rows that a question is about."""

    rows: list[Any]
    steps: tuple[Step, ...]
    is_single: bool
    """Whether it is one object or value, not rows of an array."""


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question with its expressions parsed."""

    where: Expr | None
    fields: dict[str, Expr]
    group: dict[str, Expr]
    sort: tuple[Expr, ...]

    def expressions(self) -> Iterator[tuple[str, Expr]]:
        """Yield each expression, after the name of the parameter that it is in."""
        if self.where is not None:
            yield "where", self.where
        for name in ("fields", "group"):
            for expr in getattr(self, name).values():
                yield name, expr
        for expr in self.sort:
            yield "sort", expr

    def changed(self, change: Callable[[Expr], Expr]) -> ParsedQuestion:
        """Return the question with `change` applied to its expressions."""
        return ParsedQuestion(
            None if self.where is None else change(self.where),
            {name: change(expr) for name, expr in self.fields.items()},
            {name: change(expr) for name, expr in self.group.items()},
            tuple(map(change, self.sort)),
        )


def rows_at(document: JsonValue, steps: tuple[Step, ...]) -> QuestionScope:
    """Return the rows at a path: the elements of an array, or one value."""
    value = walked(document, steps)
    if is_array(value):
        # Rows of rows are one list of rows, as by $.tables.columns.
        if isinstance(value, Many) and value and all(map(is_array, value)):
            value = [row for inner in value for row in inner]
        return QuestionScope(list(value), steps, is_single=False)
    return QuestionScope([value], steps, is_single=True)


def read_query(question: RecallQuestion, odd: Iterable[str]) -> ParsedQuestion:
    """Return a question with its expressions parsed; raise if one cannot be read.

    `odd` has the names in the document that are not identifiers.
    """
    known = set(odd)

    def read(parameter: str, text: str) -> Expr:
        """Parse an expression of a parameter."""
        try:
            return _as_field(grammar.read(text, known))
        except grammar.GrammarError as error:
            raise unreadable(parameter, text, error, question) from None

    fields = {label: read("fields", text) for label, text in question.fields.items()}
    return ParsedQuestion(
        read("where", question.where) if question.where else None,
        fields,
        {text: read("group", text) for text in question.group},
        tuple(read("sort", text) for text in question.sort),
    )


def _as_field(expr: Expr) -> Expr:
    """Return an expression that is only a quoted text as the field of that name."""
    if isinstance(expr, Const) and isinstance(expr.value, str):
        return Field((expr.value,), expr.value, expr.value)
    return expr

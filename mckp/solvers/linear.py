"""Tables as linear programs in text files, which most integer programming solvers read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.solvers.evaluation import choice_of
from mckp.solvers.integer import IntegerProgram
from mckp.solvers.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mckp.solvers.integer import Constraint
    from mckp.table import Ints, Table

WIDTH: Final = 8
"""Terms per line of an LP file; some readers refuse lines of more than 510 characters."""


def to_lp(table: Table, budget: int) -> str:
    r"""Return a table and a budget as a program in CPLEX's LP format.

    Column ``x3`` is option 3, and ``s3`` its setup cost. Row ``c2`` is class 2, and ``budget`` the
    budget, in the largest unit in which all costs are whole. The objective is the value; the
    program does not say that the lower cost wins among equal values. `choice_of_columns` turns the
    values of the columns back into a choice.

    The format is described in IBM ILOG CPLEX, "LP file format"; the text keeps to the subset that
    HiGHS, SCIP, Gurobi, CBC and GLPK read.

    Examples
    --------
    >>> from mckp.table import Table
    >>> print(to_lp(Table.flat([[0, 40], [0, 60]], [[0, 9], [0, 5]]), 80))
    Maximize
     value:
      9 x1 + 5 x3
    Subject To
     c0:
      x0 + x1 = 1
     c1:
      x2 + x3 = 1
     budget:
      2 x1 + 3 x3 <= 4
    Binary
     x0 x1 x2 x3
    End
    <BLANKLINE>
    """
    program = IntegerProgram.of(Problem.of(table, budget))
    names, rows = _column_names(program), list(_named_rows(program))
    values = table.value.tolist()
    lines = ["Maximize", " value:", *_sum_lines(range(len(values)), values, names, "")]
    lines.append("Subject To")
    for name, row in rows:
        end = f" {'=' if _is_equation(row) else '<='} {row.high}"
        lines += [f" {name}:", *_sum_lines(row.columns, row.factors, names, end)]
    if banned := np.flatnonzero(~program.allowed).tolist():
        lines += ["Bounds", *(f" {names[column]} = 0" for column in banned)]
    lines += ["Binary", *_wrap(names, " "), "End", ""]
    return "\n".join(lines)


def to_mps(table: Table, budget: int) -> str:
    """Return a table and a budget as a program in free MPS, with names as in `to_lp`.

    There is no standard way to ask for a maximum in MPS, so the value is negated and minimized.

    The format is described in IBM, "Mathematical Programming System"; the text is free MPS as
    HiGHS, SCIP, OR-Tools and others read it.
    """
    program = IntegerProgram.of(Problem.of(table, budget))
    names, rows = _column_names(program), list(_named_rows(program))
    entries: list[list[tuple[str, str]]] = [[] for _ in names]
    for column, value in enumerate(table.value.tolist()):
        if value:
            entries[column].append(("value", repr(-value)))
    kind_lines, side_lines = list[str](), list[str]()
    for name, row in rows:
        kind_lines.append(f" {'E' if _is_equation(row) else 'L'}  {name}")
        if row.high:
            side_lines.append(f"    RHS  {name}  {row.high}")
        for column, factor in zip(row.columns, row.factors, strict=True):
            if factor:
                entries[column].append((name, str(factor)))
    lines = ["NAME mckp", "ROWS", " N  value", *kind_lines, "COLUMNS"]
    lines.append("    MARKER  MARKER  'MARKER'  'INTORG'")
    for name, column_factors in zip(names, entries, strict=True):
        lines += [f"    {name}  {row}  {factor}" for row, factor in column_factors]
    lines.append("    MARKER  MARKER  'MARKER'  'INTEND'")
    lines += ["RHS", *side_lines, "BOUNDS"]
    for name, is_allowed in zip(names, program.allowed.tolist(), strict=True):
        lines.append(f" UP BND  {name}  {1 if is_allowed else 0}")
    return "\n".join([*lines, "ENDATA", ""])


def choice_of_columns(table: Table, columns: Mapping[str, float]) -> Ints:
    """Return the choice of a solved program.

    `columns` has the values of columns by name; a column that is missing is 0.

    Examples
    --------
    >>> from mckp.table import Table
    >>> table = Table.flat([[0, 40], [0, 60]], [[0, 9], [0, 5]])
    >>> choice_of_columns(table, {"x1": 1.0, "x2": 0.9999999}).tolist()
    [1, 0]
    """
    taken = [int(name[1:]) for name, value in columns.items() if name[0] == "x" and value > 0.5]
    return choice_of(table, np.array(sorted(taken), dtype=np.int64))


def _column_names(program: IntegerProgram) -> list[str]:
    """Return the names of all columns: options, then setup costs."""
    options = [f"x{number}" for number in range(program.table.options)]
    return options + [f"s{option}" for option in program.payers.tolist()]


def _named_rows(program: IntegerProgram) -> Iterator[tuple[str, Constraint]]:
    """Yield the rows with their names.

    ``c2`` is class 2, ``o3`` says that option 3 owes a setup cost, and ``budget`` is the budget,
    whose lower limit is made -1, so that it is never an equation.
    """
    rows = list(program.rows())
    class_number = 0
    for row in rows[:-1]:
        if _is_equation(row):
            yield f"c{class_number}", row
            class_number += 1
        else:
            yield f"o{row.columns[0]}", row
    yield "budget", rows[-1]._replace(low=-1)


def _is_equation(row: Constraint) -> bool:
    """Whether a row is an equation; other rows only have an upper limit that matters."""
    return row.low == row.high


def _sum_lines(
    columns: Sequence[int], factors: Sequence[float], names: Sequence[str], end: str
) -> Iterator[str]:
    """Yield the lines of a sum of columns times factors, and `end` after it.

    Terms with a factor of 0 are left out.
    """
    terms = list[str]()
    for column, factor in zip(columns, factors, strict=True):
        if factor:
            magnitude = abs(factor)
            magnitude = int(magnitude) if magnitude == int(magnitude) else magnitude
            sign = "- " if factor < 0 else "+ " if terms else ""
            terms.append(f"{sign}{'' if magnitude == 1 else f'{magnitude!r} '}{names[column]}")
    lines = list(_wrap(terms or [f"0 {names[0]}"], "  "))
    lines[-1] += end
    yield from lines


def _wrap(words: Sequence[str], indent: str) -> Iterator[str]:
    """Yield lines of up to `WIDTH` words each, with an indentation."""
    for first in range(0, len(words), WIDTH):
        yield indent + " ".join(words[first : first + WIDTH])

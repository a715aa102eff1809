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
"""Terms on a line of an LP file; some readers refuse lines of more than 510 characters."""


def to_lp(table: Table, budget: int) -> str:
    r"""Write a table and a budget as a program in the LP format of CPLEX.

    Column ``x3`` is the option of number 3, ``s3`` the setup cost that it owes. Row ``c2`` is class
    2, ``budget`` the budget, in the largest unit in which all costs are whole. The objective is the
    value; that the lower cost wins among equal values is not said. `choice_of_columns` turns the
    columns taken back into a choice.

    The format: IBM ILOG CPLEX, "LP file format", in the subset that HiGHS, SCIP, Gurobi, CBC and
    GLPK read.

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
    names, rows = _columns(program), list(_rows(program))
    values = table.value.tolist()
    lines = ["Maximize", " value:", *_sum(range(len(values)), values, names, "")]
    lines.append("Subject To")
    for name, row in rows:
        end = f" {'=' if _is_equation(row) else '<='} {row.high}"
        lines += [f" {name}:", *_sum(row.columns, row.factors, names, end)]
    if banned := np.flatnonzero(~program.allowed).tolist():
        lines += ["Bounds", *(f" {names[column]} = 0" for column in banned)]
    lines += ["Binary", *_wrapped(names, " "), "End", ""]
    return "\n".join(lines)


def to_mps(table: Table, budget: int) -> str:
    """Write a table and a budget as a program in free MPS, with names as in `to_lp`.

    MPS has no agreed way to ask for a maximum, so the value is written negated and minimized.

    The format: IBM, "Mathematical Programming System"; free MPS as HiGHS, SCIP, OR-Tools and others
    read it.
    """
    program = IntegerProgram.of(Problem.of(table, budget))
    names, rows = _columns(program), list(_rows(program))
    entries: list[list[tuple[str, str]]] = [[] for _ in names]
    for column, value in enumerate(table.value.tolist()):
        if value:
            entries[column].append(("value", repr(-value)))
    kinds, sides = list[str](), list[str]()
    for name, row in rows:
        kinds.append(f" {'E' if _is_equation(row) else 'L'}  {name}")
        if row.high:
            sides.append(f"    RHS  {name}  {row.high}")
        for column, factor in zip(row.columns, row.factors, strict=True):
            if factor:
                entries[column].append((name, str(factor)))
    lines = ["NAME mckp", "ROWS", " N  value", *kinds, "COLUMNS"]
    lines.append("    MARKER  MARKER  'MARKER'  'INTORG'")
    for name, column_factors in zip(names, entries, strict=True):
        lines += [f"    {name}  {row}  {factor}" for row, factor in column_factors]
    lines.append("    MARKER  MARKER  'MARKER'  'INTEND'")
    lines += ["RHS", *sides, "BOUNDS"]
    for name, is_allowed in zip(names, program.allowed.tolist(), strict=True):
        lines.append(f" UP BND  {name}  {1 if is_allowed else 0}")
    return "\n".join([*lines, "ENDATA", ""])


def choice_of_columns(table: Table, columns: Mapping[str, float]) -> Ints:
    """Return the choice of a solved program, by the values of its columns; others are 0.

    Examples
    --------
    >>> from mckp.table import Table
    >>> table = Table.flat([[0, 40], [0, 60]], [[0, 9], [0, 5]])
    >>> choice_of_columns(table, {"x1": 1.0, "x2": 0.9999999}).tolist()
    [1, 0]
    """
    taken = [int(name[1:]) for name, value in columns.items() if name[0] == "x" and value > 0.5]
    return choice_of(table, np.array(sorted(taken), dtype=np.int64))


def _columns(program: IntegerProgram) -> list[str]:
    options = [f"x{number}" for number in range(program.table.options)]
    return options + [f"s{option}" for option in program.payers.tolist()]


def _rows(program: IntegerProgram) -> Iterator[tuple[str, Constraint]]:
    """Yield the rows with names, made of the number of the class or of the owing option."""
    rows = list(program.rows())
    cls = 0
    for row in rows[:-1]:
        if _is_equation(row):
            yield f"c{cls}", row
            cls += 1
        else:
            yield f"o{row.columns[0]}", row
    yield "budget", rows[-1]._replace(low=-1)


def _is_equation(row: Constraint) -> bool:
    """Whether a row is an equation; of other rows, only the upper limit is written."""
    return row.low == row.high


def _sum(
    columns: Sequence[int], factors: Sequence[float], names: Sequence[str], end: str
) -> Iterator[str]:
    """Yield the lines of a sum; terms with a factor of 0 are left out."""
    terms = list[str]()
    for column, factor in zip(columns, factors, strict=True):
        if factor:
            size = abs(factor)
            size = int(size) if size == int(size) else size
            sign = "- " if factor < 0 else "+ " if terms else ""
            terms.append(f"{sign}{'' if size == 1 else f'{size!r} '}{names[column]}")
    lines = list(_wrapped(terms or [f"0 {names[0]}"], "  "))
    lines[-1] += end
    yield from lines


def _wrapped(words: Sequence[str], indent: str) -> Iterator[str]:
    for first in range(0, len(words), WIDTH):
        yield indent + " ".join(words[first : first + WIDTH])

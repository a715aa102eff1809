"""Expressions as trees, which `mckp.recall.grammar` reads and `mckp.recall.evaluate` evaluates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from mckp.recall.values import Step


@dataclass(frozen=True, slots=True)
class Const:
    """A literal value."""

    value: Any


@dataclass(frozen=True, slots=True)
class Field:
    """A path of steps from the row; `word` is its text if it is one bare word."""

    steps: tuple[Step, ...]
    text: str
    word: str = ""


@dataclass(frozen=True, slots=True)
class MemberAccess:
    """A path of steps into the value of an expression."""

    of: Expr
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A call of a function, or a total over rows."""

    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Binary:
    """An operator between two expressions."""

    sign: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Unary:
    """``not`` or ``-`` before an expression."""

    sign: str
    of: Expr


@dataclass(frozen=True, slots=True)
class Several:
    """A list of expressions."""

    items: tuple[Expr, ...]


Expr: TypeAlias = Const | Field | MemberAccess | FunctionCall | Binary | Unary | Several

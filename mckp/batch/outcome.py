"""What becomes of a record: a result, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Failure:
    """A record of which nothing became.

    Attributes
    ----------
    index : int
        Which record it is, counted from 0.
    error : Exception
        Why: an `MckpError` for what is wrong with the record or the budget, a `WorkerError` if
        the process that encoded it ended; anything else is a defect, with a traceback among its
        notes if it comes from another process.
    """

    index: int
    error: Exception

    def __str__(self) -> str:
        return f"record {self.index}: {self.error}"


def attempt(call: Callable[[Any], T], record: Any) -> T | Exception:
    """Return what a call gives for a record, or its error instead of raising it."""
    try:
        return call(record)
    except Exception as error:
        return error


def outcome(index: int, found: T | Exception) -> T | Failure:
    """Return what to hand out for a record."""
    return Failure(index, found) if isinstance(found, Exception) else found

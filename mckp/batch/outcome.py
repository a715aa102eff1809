"""What becomes of a record: a result, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.result import Result


@dataclass(frozen=True, slots=True)
class Failure:
    """A record that could not be encoded.

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


def attempt(call: Callable[[Any], Result], record: Any) -> Result | Exception:
    """Encode a record; return the error instead of raising it."""
    try:
        return call(record)
    except Exception as error:
        return error


def outcome(index: int, found: Result | Exception) -> Result | Failure:
    """Return what to hand out for a record, without its plans: they take too much room."""
    return Failure(index, found) if isinstance(found, Exception) else found.detached()

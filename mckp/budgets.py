"""Budgets as people write them: tokens, thousands of tokens, or a share of the whole."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Final, SupportsIndex, TypeAlias

from mckp.regexes import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

BudgetLike: TypeAlias = int | str

_WRITTEN: Final = regex(r"([0-9]{1,12})(?:\.([0-9]{1,6}))?([kK%]?)")


def read_budget(budget: object) -> int | str | None:
    """Return a budget as a number of tokens (int) or a share (str); None if there is no budget.

    Raises `ValueError` for anything else.

    Examples
    --------
    >>> read_budget("4k"), read_budget("1.5k"), read_budget("50%"), read_budget(300)
    (4000, 1500, '50%', 300)
    """
    if budget is None:
        return None
    if isinstance(budget, str):
        match = _WRITTEN.fullmatch(budget.strip())
        if match is None or (match[2] and not match[3]):
            raise ValueError(
                f"a budget must be a number of tokens (4000, 4k) or a share (50%), not {budget!r}"
            )
        return match[0] if match[3] == "%" else _scaled_number(match, 1000 if match[3] else 1)
    number = operator.index(budget) if isinstance(budget, SupportsIndex) else -1
    if isinstance(budget, bool) or number < 0:
        raise ValueError(
            "a budget must be a whole number of tokens, or a string such as '4k' or '50%', "
            f"not {budget!r}"
        )
    return number


def checked_budget(budget: object, whole: Callable[[], int] | None = None) -> int | None:
    """Return a budget in tokens; a share is a part of what `whole` returns, rounded down.

    None is returned as it is. Raises `ValueError` as `read_budget` does, and for a share without
    `whole`.

    Examples
    --------
    >>> checked_budget("25%", lambda: 1107), checked_budget("2k")
    (276, 2000)
    """
    amount = read_budget(budget)
    if not isinstance(amount, str):
        return amount
    if whole is None:
        raise ValueError(
            f"the budget must be a number of tokens, such as 4000 or 4k, not the share {amount}"
        )
    match = _WRITTEN.fullmatch(amount)
    assert match is not None
    return _scaled_number(match, whole()) // 100


def _scaled_number(match: re.Match[str], factor: int) -> int:
    """Return the decimal number of a match of `_WRITTEN` times an integer, rounded down."""
    fraction = match[2] or ""
    scale: int = 10 ** len(fraction)
    return int(match[1] + fraction) * factor // scale

"""A line that explains to a reader what the signs of a text mean.

Large models need none; smaller ones lose points on notations that they have not seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mckp import tokenizers
from mckp.encoders import DERIVED, FLOW, PHRASES, ROWS, RULES, select
from mckp.encoders.headers import HEAD, TAIL
from mckp.regexes import regex
from mckp.result import Result

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable

MOST_TOKENS: Final = 60
"""Most tokens of a primer, counted in ``o200k``."""


class _Sign(NamedTuple):
    """A sign of a format: how it is recognised in a text, and its meaning."""

    formats: frozenset[str]
    pattern: re.Pattern[str]
    meaning: str


_ROWS: Final = frozenset({ROWS.name, DERIVED.name, FLOW.name})

_SIGNS: Final = tuple(
    _Sign(frozenset(formats), regex(f"(?m){pattern}"), meaning)
    for formats, pattern, meaning in (
        (_ROWS, r"\[[0-9]+\]?(?:\[\])?\{", "[2]{a b} 2 rows, cells in that order"),
        ({PHRASES.name}, r"\A\([0-9]+\) phrases$", "β=x above: β stands for x"),
        ({RULES.name}, r"^\([0-9]+\) rules$", "rules give more members; ${a} is member a"),
        ({RULES.name, DERIVED.name}, r"^== [^ ]+ = ", "== b = ${a}/x: member b, made from a"),
        ({ROWS.name}, r"^== ", "== a x so in all rows"),
        ({FLOW.name}, r"(?<![\]0-9])\{[^\s{}]+[ {\[]", "{a x} object"),
        (_ROWS, r"(?:^|[\t ;\[])-(?:[\t ;\]]|$)", "- absent"),
        (_ROWS, r"…", "… cut"),
        (_ROWS, r"^(?>[^\n]*?[\]0-9]\{)[^\n]*\*\}", "* then names and values"),
        (_ROWS, r"^(?>[^\n]*?[\]0-9]\{)[^\n]*>[ }]", "b> to the end"),
        (_ROWS, r"(?:^|[\t ;\[])<[0-9]+", "<3 the next 3 lines"),
        (_ROWS, r"[0-9]\}?\{@", "@ row's name"),
    )
)
"""What each sign means; those that a reader would miss the most come first."""

_HINT: Final = _Sign(frozenset(), regex(r"(?m)^> \[\+"), "> [+2 rows] cut")
_ALL: Final = frozenset(name for sign in _SIGNS for name in sign.formats)


def _is_short(line: str) -> bool:
    """Whether a line has at most `MOST_TOKENS` tokens in ``o200k``."""
    return tokenizers.get("o200k").count(line) <= MOST_TOKENS


def primer(result_or_formats: Result | str | Iterable[str] = "native") -> str:
    """Return a line of at most 60 tokens that explains the signs of a text.

    Parameters
    ----------
    result_or_formats : Result, str or iterable of str, default "native"
        A result, whose signs are explained, or formats as for `mckp.encode`, all of
        whose signs are explained as far as they fit.

    Returns
    -------
    str
        The line with its line feed, for the top of a text, where `mckp.decode` steps past it,
        or for the instructions of a model. It is empty for a text without signs.

    Examples
    --------
    >>> import mckp
    >>> jobs = [{"id": n, "name": f"job {n}", "open": True} for n in range(9)]
    >>> result = mckp.encode(jobs)
    >>> print(mckp.primer(result) + result.text[:40])
    > [data: [2]{a b} 2 rows, cells in that order; == a x so in all rows; b> to the end]
    [9]{id name>}
    == open true
    0 job 0
    1 job
    """
    if isinstance(result_or_formats, Result):
        return primer_of(result_or_formats.text)
    names = {format_.name for format_ in select(result_or_formats)}
    return _primer_line([*(sign.meaning for sign in _SIGNS if names & sign.formats), _HINT.meaning])


def instruction(formats: str | Iterable[str], recall: str = "recall") -> str:
    """Explain the signs in one line for a model's instructions, for all texts that it will get.

    The line has at most 90 tokens in ``o200k``. It ends with an example call of the recall tool
    named `recall`; without a name, that is left out.
    """
    meanings = primer(formats).removeprefix(HEAD).removesuffix(TAIL)
    call = f'{recall}("#1", where="status == \'failed\'")'
    more = f"; {call} gets more of [#1]" if recall else ""
    return f"mckp shortens tool results: {meanings}{more}"


def primer_of(
    text: str, names: Iterable[str] = _ALL, fits: Callable[[str], bool] = _is_short
) -> str:
    """Return the line that explains the signs in a text, as many as fit; empty if there are none.

    `names` are the formats whose signs are explained.
    """
    formats = set(names)
    signs = [sign for sign in _SIGNS if formats & sign.formats]
    return _primer_line(
        [sign.meaning for sign in (*signs, _HINT) if sign.pattern.search(text)], fits
    )


def _primer_line(meanings: list[str], fits: Callable[[str], bool] = _is_short) -> str:
    """Return a line with the first of the meanings, as many as fit; ``""`` if none does."""
    for size in range(len(meanings), 0, -1):
        line = f"{HEAD}{'; '.join(meanings[:size])}{TAIL}"
        if fits(line):
            return line
    return ""

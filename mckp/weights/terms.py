"""Words and terms of texts and names, normalised so that they can be compared."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from mckp.regexes import regex

if TYPE_CHECKING:
    import re

_HUMP: Final = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_IDEOGRAPH: Final = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD: Final = regex(rf"[{_IDEOGRAPH}]|[^\W_{_IDEOGRAPH}]+")
_WHOLE: Final = regex(r"[^\W_](?:[\w./:@#+-]*[^\W_])?")
"""An id, a path or an address in one piece."""
_NUMBER: Final = regex(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+\.[0-9]+")
_FIGURE: Final = regex(r"[0-9][-,.][0-9]")
"""Occurs in every text with a date, or with a number that has a comma or point."""
_DATE: Final = regex(r"([0-9]{4})-([0-9]{2})(?:-([0-9]{2}))?")


@lru_cache(1 << 14)
def terms_of(text: str) -> tuple[str, ...]:
    """Return the terms of a text, normalised so that they can be compared with a query's.

    Examples
    --------
    >>> terms_of("Deployed createdAt 2026-05-01, 1,200")
    ('deploy', 'creat', 'at', 'createdat', '2026', 'may', '1', '1200')
    >>> terms_of("acme/web-app")
    ('acme', 'web', 'app', 'acme/web-app')
    """
    if _FIGURE.search(text):
        text = _DATE.sub(_spell_date, text)
        text = _NUMBER.sub(lambda match: match[0].replace(",", "").replace(".", "_"), text)
    terms: list[str] = []
    for piece in _WHOLE.findall(text):
        terms += _terms_of_piece(piece)
    return tuple(terms)


@lru_cache(1 << 14)
def _terms_of_piece(piece: str) -> tuple[str, ...]:
    """Return the terms of one id, path, address or word: its words; if several, also itself."""
    if piece.replace("_", "").isdecimal():
        return (piece.replace("_", "."),)
    words = _WORD.findall(_HUMP.sub(" ", piece))
    terms = tuple(_stem(word.casefold()) for word in words)
    return (*terms, piece.casefold()) if len(words) > 1 else terms


_MONTHS: Final = [
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
]  # fmt: skip


def _spell_date(match: re.Match[str]) -> str:
    """Return an ISO date as year, month name and, if it has one, day, with a space at the end."""
    year, month, day = match[1], int(match[2]), match[3]
    name = _MONTHS[month - 1] if 1 <= month <= 12 else str(month)
    return f"{year} {name} {int(day)} " if day else f"{year} {name} "


@lru_cache(1 << 14)
def _stem(word: str) -> str:
    """Return a word without a common English ending, or a number without leading zeros."""
    word = _singular(word)
    if not word.isascii() or not word.isalpha():
        return word.lstrip("0") or word
    for ending in ("ing", "ed", "ly", "er", "e"):
        if len(word) - len(ending) >= 4 and word.endswith(ending):
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] else word


def words_of(text: str) -> list[str]:
    """Return the words of a text or a name, normalised for comparison.

    Examples
    --------
    >>> words_of("Which jobs failed? See createdAt, HTTPErrors or user_id.")
    ['which', 'job', 'failed', 'see', 'created', 'at', 'http', 'error', 'or', 'user', 'id']
    """
    return [_singular(word.casefold()) for word in _WORD.findall(_HUMP.sub(" ", text))]


def _singular(word: str) -> str:
    """Return a word without its English plural ending, by the rules of Harman's S-stemmer."""
    if len(word) < 4 or word[-1] != "s" or word.endswith(("us", "ss")):
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    return word[:-1]

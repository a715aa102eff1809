"""Shorter forms of a long text: whole sentences, lines or blocks of code, gaps marked by ``…``.

Which parts go first depends on what the text is. Of prose the beginning stays; of a log its
head, its tail and the lines that tell of errors; of code whole blocks between blank lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.menu.sentences import sentence_ends

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LEAST: Final = 80
"""Characters of a text below which a shorter form would save next to nothing."""

GAP: Final = "…"
"""What stands where something is missing."""

_SHARES: Final = (0.75, 0.56, 0.42, 0.32, 0.24, 0.18, 0.13, 0.1, 0.07, 0.05, 0.03)
_ERROR: Final = re.compile(r"\b(?:error|fail(?:ed|ure)?|fatal|panic|exception|traceback)\b", re.I)
_LOGGED: Final = re.compile(
    r"\d{2}:\d{2}:\d{2}|\A\W*(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL)\b"
)
_CODE: Final = re.compile(
    r"[ \t]+\S|[})\]];?\Z|[\w.]+\(.*\)\W*\Z|(?:def|class|func|fn|import|from|return|if|for)\b"
)
_WORD: Final = re.compile(r"\s+")


class Shortened(NamedTuple):
    """A shorter form: what is left, and how many of which parts are missing.

    Attributes
    ----------
    text : str
        The parts that are left, with a mark for each gap.
    missing, total : int
        How many parts are missing, of how many.
    unit : str
        What a part is: ``sentences``, ``lines``, ``blocks`` or ``words``.
    """

    text: str
    missing: int
    total: int
    unit: str


class _Parts(NamedTuple):
    """A text in parts: what is between them, and in which order they are worth keeping."""

    texts: Sequence[str]
    between: str
    order: Sequence[int]
    unit: str


def shortened(text: str) -> list[Shortened]:
    """Return shorter forms of a text, the longest first; none of a short one.

    Examples
    --------
    >>> note = "It works on most machines. " * 4 + "It fails on the last."
    >>> [(form.missing, form.total) for form in shortened(note)]
    [(2, 5), (3, 5), (4, 5)]
    >>> shortened(note)[-1].text
    'It works on most machines. …'
    """
    if len(text) < LEAST:
        return []
    parts = _parts(text)
    total = len(parts.texts)
    sizes = sorted({max(1, int(total * share)) for share in _SHARES}, reverse=True)
    return [_form(parts, size) for size in sizes if size < total]


def _form(parts: _Parts, size: int) -> Shortened:
    kept = sorted(parts.order[:size])
    text = parts.between.join(_with_gaps(parts.texts, kept))
    return Shortened(text, len(parts.texts) - size, len(parts.texts), parts.unit)


def _with_gaps(texts: Sequence[str], kept: Sequence[int]) -> Iterator[str]:
    expected = 0
    for place in kept:
        if place > expected:
            yield GAP
        yield texts[place]
        expected = place + 1
    if expected < len(texts):
        yield GAP


def _parts(text: str) -> _Parts:
    lines = text.split("\n")
    if len(lines) >= 4:
        if sum(1 for line in lines if _LOGGED.search(line)) * 3 >= len(lines):
            return _Parts(lines, "\n", _log_order(lines), "lines")
        blocks = text.split("\n\n")
        is_code = sum(1 for line in lines if _CODE.match(line)) * 2 >= len(lines)
        if is_code and len(blocks) >= 4:
            return _Parts(blocks, "\n\n", range(len(blocks)), "blocks")
        return _Parts(lines, "\n", range(len(lines)), "lines")
    sentences = _sentences(text)
    if len(sentences) >= 2:
        return _Parts(sentences, " ", range(len(sentences)), "sentences")
    words = _WORD.split(text)
    return _Parts(words, " ", range(len(words)), "words")


def _sentences(text: str) -> list[str]:
    ends = [0, *sentence_ends(text), len(text)]
    found = [text[start:end].strip() for start, end in zip(ends, ends[1:], strict=False)]
    return [sentence for sentence in found if sentence]


def _log_order(lines: Sequence[str]) -> list[int]:
    """Return head, tail and errors before all else: two lines each in turn, then the rest."""
    errors = [place for place, line in enumerate(lines) if _ERROR.search(line)]
    ends = [place for i in range((len(lines) + 1) // 2) for place in (i, len(lines) - 1 - i)]
    first = [*ends[:4], *errors]
    return list(dict.fromkeys([*first, *ends]))

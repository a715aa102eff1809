"""Lines that say why a program ended, whatever ran it: by rule, not fitted.

In a report of a hundred failures of one kind, one line of another kind may be the cause of all: a
full disk, a linker that misses a symbol, a crash. So such a line has a minimum worth, which falls
with each line that says the same.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.failure import LEVELS
from mckp.regexes import regex
from mckp.texts.kinds import LONGEST
from mckp.texts.patterns import MASK, PASS_MARK

if TYPE_CHECKING:
    from mckp.texts.features import Words
    from mckp.texts.lines import Flags, Reals, TextLines

CRASH_WORTH: Final = 4.0
"""Minimum worth of the first line that says why a program ended."""

CODE_WORTH: Final = 3.0
"""Minimum worth of such a line that has no more than the code of a failure."""

AGAIN: Final = 2
"""Number of lines that say the same after which the worth of the next one is halved."""

_SIGNS: Final = """
Aborted Caused Connection ECONNREFUSED ENOENT ENOSPC FATAL Killed Permission Segmentation
Traceback Unhandled Disk cannot disk dumped fatal memory npm overflow panic panicked quota space
undefined
"""
_WORDS: Final = frozenset(_SIGNS.split())
"""Words of which each examined line has at least one, unless it has the name of an exception."""

_NAME: Final = regex(r"^[A-Z]\w*(?:Error|Exception|Fault)$", 8)
_SERVER_ERROR: Final = regex(r"^5\d\d$", 8)

_CRASH: Final = regex(
    r"(?:panic|fatal|FATAL|Caused by|Unhandled \w[\w ]{0,30}): \S|Killed\b|Aborted\b|Bus error\b"
    r"|(?:[\w.]{1,80}\.)?[A-Z]\w{0,60}(?:Error|Exception|Fault)(?:: |$)"
    r"|.{0,300}?(?:\bfatal error: \S|\bundefined (?:reference to|symbols?\b)|\bcannot find -l\w"
    r"|: Permission denied\b|[Nn]o space left on|[Dd]isk (?:is )?full\b|[Dd]isk quota exceeded"
    r"|[Oo]ut of memory\b|OutOfMemoryError|[Ss]egmentation fault|core dumped|stack overflow"
    r"|HTTP/\d(?:\.\d)? 5\d\d\b|npm (?:ERR!|error) (?:(?P<code>code [A-Z0-9])|404 )"
    r"|Connection refused|ECONNREFUSED|ENOSPC|ENOENT: )"
)
"""Messages of compilers, linkers, kernels, servers, npm, and the names of exceptions."""

_FRAMES: Final = "Traceback (most recent call last):"
_LONGEST_TRACE: Final = 400
"""Lines below the head of a traceback among which its message is looked for."""

_PANICKED: Final = regex(r"thread '[^'\n]{0,100}' (?:\(\d+\) )?panicked at \S")
"""What Rust writes above the message of a panic."""

_CALM: Final = regex(rf".{{0,80}}?\b(?:{'|'.join(LEVELS['info'].split())}|ignored|PASSED)\b")


def crash_worths(lines: TextLines, words: Words, is_wanted: Flags) -> Reals:
    """Return the minimum worth of each line: above 0 for lines that say why a program ended.

    Only lines flagged in `is_wanted` are examined. After a line that says the same, the worth is
    lower.
    """
    least = np.zeros(lines.size)
    is_sign = words.flag_words(_WORDS) | words.flag_matching(_NAME)
    has_sign = words.sum_by_line(is_sign.astype(float)) > 0
    # Every line of an access log has "HTTP", so the code of a server's error is required, too.
    is_http, is_code = words.flag_words(("HTTP",)), words.flag_matching(_SERVER_ERROR)
    has_http = words.sum_by_line(is_http.astype(float)) > 0
    has_sign |= has_http & (words.sum_by_line(is_code.astype(float)) > 0)
    message_counts: Counter[str] = Counter()
    for place in np.flatnonzero(has_sign & is_wanted).tolist():
        row = lines.body(place)[:LONGEST]
        if row.strip() == _FRAMES:
            message = _message_below(lines, place)
            if message is not None:
                said = MASK.sub(" ", lines.body(message)[:LONGEST])
                least[message] = CRASH_WORTH / (1 + message_counts[said] / AGAIN)
            continue
        if _PANICKED.match(row):
            if place + 1 < lines.size:
                least[place + 1] = CRASH_WORTH
            continue
        crash = _CRASH.match(row)
        if crash is None or _CALM.match(row) or PASS_MARK.pattern.search(row):
            continue
        masked = MASK.sub(" ", row)
        worth = CODE_WORTH if crash["code"] else CRASH_WORTH
        least[place] = worth / (1 + message_counts[masked] / AGAIN)
        message_counts[masked] += 1
    return least


def _message_below(lines: TextLines, head: int) -> int | None:
    """Return the line with the message of a traceback, which begins at the line `head`.

    It is the first line after the frames that is indented no more than the head. Its name need not
    end with ``Error``: ``PoolExhausted: no free connection`` was cut, and the frames stayed.
    """
    indents = lines.indents[head : head + _LONGEST_TRACE].tolist()
    for distance, indent in enumerate(indents[1:], 1):
        if indent <= indents[0] and lines.body(head + distance):
            return head + distance if distance > 1 else None
    return None

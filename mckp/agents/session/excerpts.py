"""The beginning and the end of a text, sent when the text cannot be read or is too long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.encoders.fakes import escape
from mckp.parsers.repair import repair_text

if TYPE_CHECKING:
    from collections.abc import Callable

_HEAD_SHARE: Final = 0.7


def excerpt(text: str, budget: int, handle: str, count: Callable[[str], int]) -> str:
    r"""Return the beginning and the end of a text, with a note in between on what is missing.

    `count` returns the tokens of a text. The note names the `handle`, unless that is empty. If
    nothing else fits, the result is the note alone, which may exceed the budget.

    Examples
    --------
    >>> shorter = excerpt("one\ntwo\n" * 99, 24, "#1", lambda text: len(text.split()))
    >>> len(shorter.split()) <= 24, [line for line in shorter.splitlines() if ">" in line]
    (True, ['> [732 of 792 characters left out; handle #1]'])
    """
    size = min(len(text), budget * 8)
    end = f"; handle {handle}]" if handle else "]"
    while size > 3:
        shorter = _head_and_tail(text, size, end)
        tokens = count(shorter)
        if tokens <= budget:
            return shorter
        size = min(size - 1, int(size * budget / tokens))
    return f"> [{len(text):,} characters left out{end}"


def _head_and_tail(text: str, size: int, note_end: str) -> str:
    """Return the ends of a text, at most `size` of its characters, with a note in between."""
    head_size = int(size * _HEAD_SHARE)
    head, tail = text[:head_size], text[len(text) - (size - head_size) :]
    # Cut at line ends, unless one line fills the room.
    head = head[: head.rfind("\n") + 1] or head
    tail = tail[tail.find("\n") + 1 :] or tail
    left_out = len(text) - len(head) - len(tail)
    note = f"> [{left_out:,} of {len(text):,} characters left out{note_end}"
    head = head if head.endswith("\n") else f"{head}\n"
    return f"{escape(head, raw=True)}{note}\n{escape(tail, raw=True)}"


def plain_cut(text: str, budget: int | None, count: Callable[[str], int], handle: str = "") -> str:
    r"""Return a text unparsed: unchanged if it fits the budget, else an excerpt.

    It never raises, and the result never exceeds the budget. If `count` raises, each byte counts as
    a token, which no tokenizer exceeds. If the note does not fit, the result is ``…`` or empty.

    Examples
    --------
    >>> plain_cut("one\ntwo\n" * 99, 14, lambda text: len(text.split()))
    'one\ntwo\none\ntwo\none\n> [764 of 792 characters left out]\none\ntwo\n'
    >>> len(plain_cut("one\ntwo\n" * 99, 60, lambda text: 1 // 0).encode()) <= 60
    True
    """
    text = repair_text(text)[0]
    if budget is None:
        return escape(text, raw=True)
    for measure in (count, _byte_count):
        try:
            whole = escape(text, raw=True)
            if len(whole) <= 8 * budget and measure(whole) <= budget:
                return whole
            shorter = excerpt(text, budget, handle, measure)
            return next(
                candidate for candidate in (shorter, "…", "") if measure(candidate) <= budget
            )
        except Exception:
            continue
    return ""


def _byte_count(text: str) -> int:
    """Return the number of a text's bytes, which are no fewer than its tokens."""
    return len(text.encode())

"""The search for templates: how the values of a column are put together from other texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mckp.columns.buffer import same_bytes
from mckp.encoders.derive import MOST_HOLES
from mckp.jit import leaf

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes, Ints


class Sources(NamedTuple):
    """The columns that templates may refer to.

    Attributes
    ----------
    keys : array of int64
        Their names, -1 for those that may not be referred to any more.
    begin, stop : arrays of int64, shape (sources, objects)
        Where the text of each stands in that of the tape.
    retry : array of int64
        For each byte of the texts for the first object, one text behind the other: how many
        bytes in front of the next one match still, when all up to this one did.
    first : array of int64
        Where those of each source begin.
    """

    keys: Ints
    begin: Ints
    stop: Ints
    retry: Ints
    first: Ints


@leaf
def spelled(
    text: Bytes,
    stop: Ints,
    at: Ints,
    level: int,
    tail: int,
    sources: Sources,
    effort: Ints,
    picks: Ints,
) -> int:
    """Return the holes of a template for what is left of the values, the first leftmost, or -1.

    Parameters
    ----------
    text : array of uint8
        The text of the tape.
    stop : array of int64
        Where the values end.
    at : array of int64, shape (holes + 1, objects)
        Where what is left of them begins, behind so many holes.
    level : int
        How many holes there are so far.
    tail : int
        How many bytes the values have in common at their ends.
    sources : Sources
        What may stand in a hole.
    effort : array of int64, shape (1,)
        How many places may still be tried, in all: their number grows fast with holes.
    picks : array of int64, shape (holes, 2)
        The source of each hole found, and where it begins in the first value.
    """
    if _all_end_alike(at[level], stop, tail):
        return level
    if level == MOST_HOLES:
        return -1
    start = at[level, 0]
    head = _common_head(text, at[level], stop)
    for source in range(sources.keys.size):
        if sources.keys[source] < 0:
            continue
        begin, end = sources.begin[source, 0], sources.stop[source, 0]
        retry = sources.retry[sources.first[source] : sources.first[source + 1]]
        place = _find(text, start, stop[0], begin, end, retry)
        while place >= 0 and effort[0]:
            effort[0] -= 1
            size = place - start
            if size <= head and _cut(text, stop, at, level, size, sources, source):
                picks[level, 0], picks[level, 1] = source, place
                holes = spelled(text, stop, at, level + 1, tail, sources, effort, picks)
                if holes >= 0:
                    return holes
            place = _find(text, place + 1, stop[0], begin, end, retry)
    return -1


@leaf
def _all_end_alike(begin: Ints, stop: Ints, tail: int) -> bool:
    """Whether all that is left of the values is the same."""
    size = stop[0] - begin[0]
    if size > tail:
        return False
    for row in range(1, begin.size):  # noqa: SIM110
        if stop[row] - begin[row] != size:
            return False
    return True


@leaf
def _cut(
    text: Bytes, stop: Ints, at: Ints, level: int, size: int, sources: Sources, source: int
) -> bool:
    """Whether a source stands so many bytes behind in all values; cut them behind it."""
    for row in range(stop.size):
        begin, end = sources.begin[source, row], sources.stop[source, row]
        place = at[level, row] + size
        after = place + end - begin
        if after > stop[row] or not same_bytes(text, place, after, text, begin, end):
            return False
        at[level + 1, row] = after
    return True


@leaf
def common_tail(text: Bytes, begin: Ints, stop: Ints) -> int:
    """Return how many bytes all texts have in common at their ends."""
    tail: int = stop[0] - begin[0]
    for row in range(1, begin.size):
        tail = min(tail, stop[row] - begin[row])
        size = 0
        while size < tail and text[stop[row] - 1 - size] == text[stop[0] - 1 - size]:
            size += 1
        tail = size
    return tail


@leaf
def _common_head(text: Bytes, begin: Ints, stop: Ints) -> int:
    """Return how many bytes all texts have in common at their beginnings."""
    head: int = stop[0] - begin[0]
    for row in range(1, begin.size):
        head = min(head, stop[row] - begin[row])
        size = 0
        while size < head and text[begin[row] + size] == text[begin[0] + size]:
            size += 1
        head = size
    return head


@leaf
def _find(text: Bytes, start: int, end: int, begin: int, stop: int, retry: Ints) -> int:
    """Return the first place at which a text stands in another, or -1. O(length)."""
    size: int = 0
    for i in range(start, end):
        while size and text[i] != text[begin + size]:
            size = retry[size - 1]
        if text[i] == text[begin + size]:
            size += 1
        if size == stop - begin:
            return i + 1 - size
    return -1


@leaf
def fill_retry(text: Bytes, begin: int, stop: int, retry: Ints) -> None:
    """Prepare the search for a text, by Knuth, Morris, and Pratt."""
    size = 0
    for i in range(1, stop - begin):
        while size and text[begin + i] != text[begin + size]:
            size = retry[size - 1]
        if text[begin + i] == text[begin + size]:
            size += 1
        retry[i] = size

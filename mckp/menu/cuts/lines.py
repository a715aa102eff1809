r"""A plain text as one class of lines: its parts, the text of any set of them, and the gaps in it.

A part is a line with the blank lines below it; a line of more than `LONGEST` characters is several
parts, its *pieces*, of which the first is the head of the others. Whatever is written of a line is
what is in the source, character by character.

A gap is marked at its place. ``…313-349`` on a line of its own replaces these lines of the source;
it is just ``…`` if the text shows the numbers of its lines itself. Inside a line, `` …`` replaces
some of its words, and at its end, `` …313-349`` the rest of that line and those below it.
``…313-349 alike`` says that each of these lines is equal, but for numbers, to one that is shown
above it; ``…313-349 with gaps`` says that marks of a text that was cut before are among them.
Sets of parts are found without these words, and their costs corrected then.

What a mark costs is split between the part that opens the gap and the part that closes it, so that
the sum is what the mark costs (`mckp.menu.cuts.parts`). The same holds for the few lines that do
not begin a fragment, such as ``/etc/hosts``: their tokens depend on what is in front of them,
which is a line or a mark, so they are counted together with each.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from mckp.encoders import marks
from mckp.frozen import frozen
from mckp.menu.classes import Gap
from mckp.menu.cuts.parts import Parts
from mckp.regexes import regex
from mckp.texts import TextKind
from mckp.texts.patterns import LOCATED
from mckp.tokenizers.fragment import is_fragment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.menu.cuts.parts import Flags, Floats, Ints
    from mckp.menu.price import Prices
    from mckp.texts import Outline

LONGEST: Final = 240
"""Most characters of a piece of a line, if it can be cut: about sixty tokens of prose."""

SHORTEST: Final = 100
"""Fewest characters of a piece: the mark of a gap would cost as much as a shorter one."""

MATCHED: Final = 120
"""Most characters of a piece of a long line that a search found."""

PROSE_TOKEN: Final = 4
"""Characters of a token of prose, about."""

DENSE: Final = 0.6
"""Writing with at most this share of them in a token, unlike code, has shorter pieces."""

SAMPLE: Final = 4096
"""Characters of a long line that say how dense its writing is."""

CHUNK: Final = 100_000
"""Parts of sets that are looked at together."""

_ENDS: Final = r"\u3002\uff01\uff1f\uff1b\uff0c\u3001\uff1a\u300d\u300f\uff09"
"""Chinese and Japanese signs that end a sentence or a part of one; no blank follows them."""

_STRONG: Final = regex(
    rf"(?<=[.!?;,|>)\]}}]) (?=\S)|(?<=[{_ENDS}])(?=[^\s{_ENDS}])|(?<=[^\s\\])(?=\\+n)"
)
"""The ends of sentences and cells, and escaped line feeds."""

_BLANK: Final = regex(r"(?<=\S) (?=\S)")
_SIGN: Final = regex(r'(?<=[A-Za-z0-9])(?=["\\|;{<&])|(?<=[A-Za-z])(?=,)|(?<=[0-9])(?=,[^0-9])')
_ANY: Final = regex(
    rf"{_BLANK.pattern}|{_SIGN.pattern}"
    r"|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[0-9])(?=,)"
)
"""Where else a line may be cut, and counts of tokens still add up: before a blank between two
words, before a sign behind a letter or digit, and between letters and digits."""

_IDEOGRAPHS: Final = regex(r"[\u3040-\u9fff\uac00-\ud7af]{8}")
_TOKEN: Final = regex(r"[\u3040-\u9fff\uac00-\ud7af]|[^\W\d_]{1,8}|[0-9]{1,3}|[^\w\s]")
"""About a token: a sign of Chinese, Japanese or Korean, a word, three digits, or another sign."""


@frozen(eq=False)
class LinePlan:
    """A text as parts, in the order of the text."""

    text: str
    starts: Ints
    """Where each part begins, in characters, and where the last one ends."""
    first: Ints
    """The number of the line in which each part begins, counted from 1."""
    last: Ints
    """The number of the last line of each part."""
    head: Ints
    """The head of each part, -1 for none."""
    line: Ints
    """The number of the line that each part is of, counted from 0, without blank lines below it."""
    numbered: bool
    """Whether the text shows the numbers of its lines itself."""
    above: str
    """What is above the text if its first part is kept, such as the name of its kind."""
    escaped: dict[int, str]
    """The escaped texts of the parts that would be taken for marks of mckp."""
    alike: Ints
    """The same number for parts that are lines equal but for numbers, -1 for all others."""
    old_gaps: Flags
    """Whether each part is a mark or hint of a text that was cut before."""

    @property
    def size(self) -> int:
        """The number of parts."""
        return len(self.first)

    @property
    def total(self) -> int:
        """The number of lines in the text."""
        return int(self.last[-1]) if self.size else 0

    def is_inner(self, part: int) -> bool:
        """Whether a part continues a line that an earlier part begins."""
        return bool(0 < part < self.size and self.line[part] == self.line[part - 1])

    def source(self, part: int, end: int) -> str:
        """Return the source of the parts from `part` to before `end`."""
        return self.text[self.starts[part] : self.starts[end]]

    def written(self, part: int, end: int) -> str:
        """Return what is written of the parts from `part` to before `end`."""
        if not self.escaped:
            return self.source(part, end)
        written_parts = range(part, end)
        return "".join(
            self.escaped.get(number) or self.source(number, number + 1) for number in written_parts
        )

    def runs(self, kept: Flags) -> Iterator[tuple[int, int, bool]]:
        """Yield the runs of kept or cut parts: first part, part behind, and whether it is kept."""
        edges = (np.flatnonzero(kept[1:] != kept[:-1]) + 1).tolist()
        starts = [0, *edges]
        for part, end in zip(starts, [*edges, self.size], strict=True):
            yield part, end, bool(kept[part])

    def mark(self, part: int, end: int, *, is_fold: bool = False) -> str:
        """Return the mark of a gap from `part` to before `end`, with its blank and line feed.

        `is_fold` says that all parts in the gap resemble parts that are shown above it.
        """
        if self.is_inner(end):
            return f" {marks.GAP}"
        first, last = int(self.first[part]), int(self.last[end - 1])
        mark = marks.GAP if self.numbered else marks.write_gap(first, last)
        if is_fold:
            mark += marks.ALIKE
        elif self.old_gaps[part:end].any():
            mark += marks.WITH_GAPS
        return f" {mark}\n" if self.is_inner(part) else f"{mark}\n"

    def write(self, kept: Flags) -> str:
        """Return the text of the kept parts, with a mark for each gap."""
        texts = [self.above if kept[0] else ""]
        is_new = self.flag_new(kept[None])[0]
        for part, end, is_kept in self.runs(kept):
            if is_kept:
                texts.append(self.written(part, end))
            else:
                is_fold = not is_new[part:end].any()
                texts.append(self.mark(part, end, is_fold=is_fold))
        return "".join(texts)

    def flag_new(self, sets: Flags) -> Flags:
        """Flag, for each set, the parts left out that resemble no kept part above them."""
        order = np.argsort(self.alike, kind="stable")
        order = order[np.searchsorted(self.alike[order], 0) :]
        of = self.alike[order].astype(np.int32)
        shown = np.where(sets[:, order], of, np.int32(-1))
        np.maximum.accumulate(shown, axis=1, out=shown)
        is_new = ~sets
        is_new[:, order] &= shown < of
        return is_new

    def count_folds(self, sets: Flags) -> Ints:
        """Return, for each set, the number of gaps whose lines all resemble kept lines above."""
        counts = np.zeros(len(sets), dtype=np.int64)
        if not (self.alike >= 0).any():
            return counts
        step = 1 + CHUNK // self.size
        for first in range(0, len(sets), step):
            some = sets[first : first + step]
            counts[first : first + step] = [*map(_count_without, some, self.flag_new(some))]
        return counts

    def count_nested_folds(self, rank: Ints, count: int) -> Ints:
        """Return the same for nested sets: set ``k`` of `count` has the parts of rank at most k.

        A part is new in a set if neither it nor one above that resembles it is kept. So the least
        of their ranks decides for all sets.
        """
        counts = np.zeros(count, dtype=np.int64)
        order = np.argsort(self.alike, kind="stable")
        order = order[np.searchsorted(self.alike[order], 0) :]
        if not len(order):
            return counts
        least = rank.copy()
        offsets = self.alike[order].astype(np.int64) * (int(rank.max()) + 1)
        least[order] = np.minimum.accumulate(rank[order] - offsets) + offsets
        for number in range(count):
            counts[number] = _count_without(rank <= number, least > number)
        return counts

    def count_gaps_over_gaps(self, sets: Flags) -> Ints:
        """Return, for each set, the number of gaps in which a mark of an older gap is missing."""
        counts = [_count_with(kept, self.old_gaps & ~kept) for kept in sets]
        return np.array(counts, dtype=np.int64)

    def kept_stretches(self, flags: Flags) -> list[str]:
        """Return the source outside of gaps, as a reader gets it; marks within a line stay."""
        stretches = [""]
        for part, end, is_kept in self.runs(flags):
            if is_kept:
                stretches[-1] += self.source(part, end)
            elif self.is_inner(part):
                stretches[-1] += self.mark(part, end)
            else:
                stretches.append("")
        return list(filter(None, stretches))

    def flag_with_marked_lines(self, sets: Flags) -> Flags:
        """Flag the sets that have a gap whose mark is a separate line."""
        begins = np.concatenate(([True], self.line[1:] != self.line[:-1]))
        before = np.concatenate((np.ones((len(sets), 1), dtype=np.bool_), sets[:, :-1]), axis=1)
        marked = (before & ~sets)[:, begins]
        return np.asarray(marked.any(axis=1), dtype=np.bool_)

    def gaps(self, kept: Flags, cost: Ints) -> Iterator[Gap]:
        """Yield the gaps of a set of parts in order; `cost` has the price of each part."""
        for part, end, is_kept in self.runs(kept):
            if not is_kept:
                price = int(cost[part:end].sum())
                yield Gap(int(self.first[part]), int(self.last[end - 1]), price)


def _count_without(kept: Flags, is_new: Flags) -> int:
    """Return the number of gaps of a set of parts in which nothing is new."""
    return len(_gap_starts(kept)) - _count_with(kept, is_new)


def _count_with(kept: Flags, is_flagged: Flags) -> int:
    """Return the number of gaps of a set of parts that have a flagged part; no kept part is one."""
    starts = _gap_starts(kept)
    # Up to where the next gap starts, nothing else is flagged.
    return int(np.logical_or.reduceat(is_flagged, starts).sum()) if len(starts) else 0


def _gap_starts(kept: Flags) -> Ints:
    before = np.concatenate(([True], kept[:-1]))
    return np.flatnonzero(before & ~kept)


def plan_of(text: str, outline: Outline, above: str) -> LinePlan:
    """Return a text as parts. O(characters).

    `above` is what is written above the text.
    """
    starts = outline.starts.tolist()
    places: list[int] = []  # of parts, in characters
    first: list[int] = []
    part_lines: list[int] = []
    our_parts: list[int] = []
    begins = np.full(len(starts) - 1, -1)  # the part in which each line begins
    is_search = outline.kind == TextKind.SEARCH
    for line, (start, end) in enumerate(pairwise(starts)):
        line_text = text[start:end]
        if not line_text.strip() and places:  # a blank line belongs to the line above it
            begins[line] = len(places) - 1
            continue
        is_ours = marks.is_ours(line_text.removesuffix("\n"))
        if part_lines and not text[places[-1] : start].strip():  # blank lines at the beginning
            part_lines[-1] = line
            begins[line] = 0
            our_parts += [0] if is_ours else []
            continue
        begins[line] = len(places)
        our_parts += [len(places)] if is_ours else []
        ends: list[int] = []
        if _may_be_long(line_text) and not is_ours:
            ends = list(
                _joints(line_text, MATCHED, location_length(line_text))
                if is_search
                else _joints(line_text, LONGEST)
            )
        places += [start, *(start + joint for joint in ends)]
        first += [line + 1] * (len(ends) + 1)
        part_lines += [line] * (len(ends) + 1)
    old_gaps = np.zeros(len(places), dtype=np.bool_)
    for part in our_parts:
        mark = text[places[part] : starts[part_lines[part] + 1]]
        old_gaps[part] = marks.says_missing(mark.removesuffix("\n"))
    next_first = np.array([*first[1:], len(starts)], dtype=np.int64)
    lines = np.array(part_lines, dtype=np.int64)
    firsts = np.array(first, dtype=np.int64)
    goes_on = np.concatenate((lines[1:] == lines[:-1], [False]))
    plan = LinePlan(
        text=text,
        starts=np.array([*places, len(text)], dtype=np.int64),
        first=firsts,
        last=np.where(goes_on, firsts, next_first - 1),
        head=_heads(outline.heads, lines, begins),
        line=lines,
        numbered=outline.numbered,
        above=above,
        escaped={},
        alike=np.where(_are_whole(lines) & ~old_gaps, outline.alike[lines], -1),
        old_gaps=old_gaps,
    )
    for part in our_parts:
        plan.escaped[part] = marks.escape_lines(plan.source(part, part + 1))
    return plan


def _are_whole(lines: Ints) -> Flags:
    """Flag the parts that are whole lines, as opposed to pieces of one."""
    edges = np.concatenate(([True], lines[1:] != lines[:-1], [True]))
    whole: Flags = edges[1:] & edges[:-1]
    return whole


def _heads(heads: Ints, lines: Ints, begins: Ints) -> Ints:
    """Return the head of each part, from the heads of lines and the first parts of lines."""
    part_heads = np.full(len(lines), -1)
    for part, line in enumerate(lines.tolist()):
        if part and lines[part - 1] == line:
            part_heads[part] = begins[line]
        elif (head := int(heads[line])) >= 0 and begins[head] < part:
            part_heads[part] = begins[head]
    return part_heads


def location_length(line: str) -> int:
    """Return how many characters of a search result say where it is, such as file and line.

    These are the first ones of the line; 0 if it does not say so.
    """
    match = LOCATED.match(line)
    return match.end() if match else 0


def _joints(line: str, most: int, start: int = 0) -> Iterator[int]:
    """Yield where a long line is split: at the ends of sentences or cells, else between words.

    Each piece has at most `most` characters, or fewer in dense writing, unless the line cannot be
    split there. The first piece has `start` characters more, such as the place of a match.
    """
    end = len(line)
    factor = _density_factor(line)
    longest, shortest, most = (int(factor * size) for size in (LONGEST, SHORTEST, most))
    while end - start > longest:
        window = start + shortest, min(start + most, end - shortest)
        for joint in (_STRONG, _BLANK, _SIGN):
            if places := [match.start() for match in joint.finditer(line, *window)]:
                break
        else:
            # One search, as each that finds nothing would look through all the rest again.
            match = _ANY.search(line, start + shortest, end - shortest)
            if match is None:
                return
            places = [match.start()]
        start = places[-1]
        yield start


def _may_be_long(line: str) -> bool:
    """Whether a line may have more than one piece; pieces of Chinese and the like are shorter."""
    if len(line) > LONGEST:
        return True
    is_short = len(line) <= LONGEST // PROSE_TOKEN or line.isascii()
    return not is_short and _IDEOGRAPHS.search(line) is not None


def _density_factor(line: str) -> float:
    """Return the factor by which pieces of a line are shorter, as its writing is dense.

    It is the number of characters in a token, as a share of that of prose; 1 if it is over `DENSE`.
    """
    sample = line[:SAMPLE]
    tokens = sum(1 for _ in _TOKEN.finditer(sample))
    share = len(sample) / max(1, PROSE_TOKEN * tokens)
    return share if share <= DENSE else 1.0


def parts_of(plan: LinePlan, worth: Floats, prices: Prices) -> Parts:
    """Return the parts of a text, with the prices of parts and of the marks of gaps.

    `worth` has the worth of each part.
    """
    size = plan.size
    texts = [plan.written(part, part + 1) for part in range(size)]
    texts[0] = plan.above + texts[0]
    inner = np.concatenate(([False], plan.line[1:] == plan.line[:-1]))
    is_free = [
        part_text.startswith(" ") if mid else _begins_fragment(part_text)
        for part_text, mid in zip(texts, inner.tolist(), strict=True)
    ]
    bound = [part for part in range(1, size) if not is_free[part] and prices.scale == 1]
    ends = marks.GAP if plan.numbered else f"{marks.GAP}1"
    gap_ends = [f" {marks.GAP}" if inner[part] else f"{ends}\n" for part in bound]
    pairs = [texts[part - 1] + texts[part] for part in bound]
    after_gap = [mark + texts[part] for mark, part in zip(gap_ends, bound, strict=True)]
    prices.add([*texts, *pairs, *after_gap, *gap_ends, *_sample_marks(plan)])
    cost = np.array(prices.of(texts), dtype=np.int64)
    opens, closes, less, tail = _mark_costs(plan, inner, prices)
    if bound:
        alone, before = np.array(bound), np.array(bound) - 1
        marked = np.array(prices.of(after_gap)) - prices.of(gap_ends)
        cost_after = np.array(prices.of(pairs)) - cost[before]
        closes[alone] += marked - cost_after
        cost[alone] = cost_after
    cost = np.maximum(cost, 0)
    closes = np.maximum(closes, -np.minimum(cost, opens))
    whole = plan.first == plan.last
    unit = np.where(whole, plan.first, -1)
    tail_less = 0 if plan.numbered else tail
    return Parts.of(
        cost,
        worth,
        plan.head,
        opens=opens,
        closes=closes,
        unit=unit,
        less=np.where(inner, 0, less),
        tail=tail,
        tail_less=tail_less,
    )


def _begins_fragment(text: str) -> bool:
    """Whether a text begins a fragment, so that its tokens do not depend on what precedes it."""
    return text[:1].isalnum() or is_fragment(f"{text}\n")


def _powers(plan: LinePlan) -> list[int]:
    """Return 1, 10, 100 and so on up to the largest line number of a mark."""
    return [10**power for power in range(len(str(plan.total)))]


def _sample_marks(plan: LinePlan) -> list[str]:
    """Return samples of all marks, by whose tokens the others are priced.

    The first is a mark within a line. Marks at the ends of lines follow; if they have line numbers,
    there is one for each number of digits.
    """
    inside = f" {marks.GAP}"
    if plan.numbered:
        return [inside, f"{marks.GAP}\n", f" {marks.GAP}\n"]
    powers = _powers(plan)
    singles = [marks.write_gap(power, power) for power in powers]
    ranges = [marks.write_gap(1, power + 1) for power in powers]
    plain = [f"{mark}\n" for mark in singles]
    return [inside, *plain, *(f" {mark}" for mark in plain), *(f"{mark}\n" for mark in ranges)]


def _mark_costs(plan: LinePlan, inner: Flags, prices: Prices) -> tuple[Ints, Ints, Ints, int]:
    """Return what marks cost: the fields `opens`, `closes`, `less` and `tail` of `Parts`.

    `inner` flags the parts that continue a line.
    """
    inside, *costs = prices.of(_sample_marks(plan))
    if plan.numbered:
        plain, within = costs
        none = np.zeros(plan.size, dtype=np.int64)
        return np.where(inner, within, plain), np.where(inner, inside - within, 0), none, 0
    powers = _powers(plan)
    begins, begins_inside, ranges = np.array(costs, dtype=np.int64).reshape(3, -1)
    ends = ranges - begins[0]
    of_first = np.searchsorted(powers, plan.first, side="right") - 1
    of_last = np.searchsorted(powers, np.maximum(plan.first - 1, 1), side="right") - 1
    opens = np.where(inner, begins_inside[of_first], begins[of_first])
    closes = np.where(inner, inside - begins_inside[of_first], ends[of_last])
    return opens, closes, ends[of_last], int(ends[-1])

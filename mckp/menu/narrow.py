"""Narrower versions of a value: the same members in all records, the others cut.

A member such as ``labels[*].url`` is kept in all records or in none; a long text may be shortened.
Members form a chain in order of worth per token. Each prefix of the chain is a narrower version.
"""

from __future__ import annotations

from functools import cached_property, partial
from itertools import islice, pairwise
from math import log
from operator import add
from typing import TYPE_CHECKING, Final

from mckp.encoders.hints import Overflow, is_name
from mckp.jsontext import is_array
from mckp.menu.chain import FEWEST_TOLD, Chain, request_of, written_leaf
from mckp.menu.classes import CutPart
from mckp.menu.cuts.names import cut_names
from mckp.menu.inner import WithInner, inner_worths, own_members, telling_within
from mckp.menu.members import ANY, MOST_IN_ONE, is_records
from mckp.menu.naming import MOST_NAMES, Nameable, Naming, remark
from mckp.menu.projection import LeftColumns, Narrow, Projection
from mckp.menu.shorten import notes
from mckp.menu.telling import WithTelling
from mckp.menu.widening import (
    MOST_ROWS,
    SortedLeaves,
    Wider,
    names_of_lost,
    sorted_leaves,
    writing_order,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mckp.encoders.follow_columns import ColumnRules
    from mckp.encoders.records import Records
    from mckp.menu.chain import Count, MemberLevel
    from mckp.menu.classes import NoteText
    from mckp.menu.inner import Inner
    from mckp.menu.members import Member
    from mckp.menu.naming import Remark
    from mckp.menu.values import PlacedValue
    from mckp.weights import Weights

WIDTHS: Final = 8
"""Most narrower versions of a long array."""
FILLINGS: Final = MOST_IN_ONE
"""A short array has more versions: up to as many rows in all of them as a table may have."""


TOLD: Final = 1.0
"""A telling record has a member that the others lack if that is worth so many times as much per
token as the whole table."""


class Narrower:
    """The narrower versions of one container; for its arguments, see `Chain`.

    Examples
    --------
    >>> data = [{"id": n, "note": "some longer text"} for n in range(3)]
    >>> versions = Narrower(data, 0, None, lambda texts: list(map(len, texts))).versions()
    >>> [(version.part.names, version.value()) for version in versions]
    [(('note',), [{'id': 0}, {'id': 1}, {'id': 2}])]
    """

    def __init__(
        self,
        value: object,
        at: int,
        weights: Weights | None,
        count: Count,
        records: Records | None = None,
        rules: ColumnRules | None = None,
    ) -> None:
        self._value, self._weights = value, weights
        self._is_table = is_records(value)
        self._chain = Chain(value, at, weights, count, rules)
        self._root, self._members = self._chain.root, self._chain.members
        self._names = {member: member.name for member in self._members}
        self._is_ambiguous = any(member.is_ambiguous for member in self._members)
        self._facts = sum(len(member.leaves) for member in self._members)
        self._columns = LeftColumns(value, self._root, records, rules or {})
        self._sorted: dict[range | tuple[int, ...], Mapping[Member, SortedLeaves]] = {}
        steps = self._chain.steps if weights is not None else []
        lift = 1.0 if weights is None else weights.lift
        self._count, self._rate = count, 0.0
        self._naming = self._member_naming(steps, lift, count)
        # The bits of each member and its ancestors.
        self._kept_bits: dict[Member, int] = {}
        for member in self._members:
            bits = 0
            for around in member.lineage():
                bits |= self._naming.bit(around.path)
            self._kept_bits[member] = bits

    def _member_naming(
        self, steps: Sequence[tuple[Member, MemberLevel]], lift: float, count: Count
    ) -> Naming:
        """Return the names of the members, with remarks on their values.

        `steps` are those of the chain; for `lift`, see `Weights`.
        """
        shortest: dict[Member, MemberLevel] = {}
        longest: dict[Member, MemberLevel] = {}
        for member, level in steps:  # the forms of one member come from the shortest on
            shortest.setdefault(member, level)
            longest[member] = level
        whole = longest.values()
        rate = self._rate = sum(sum(level.worths) for level in whole) / max(
            1.0, sum(level.tokens for level in whole)
        )
        named = (
            Nameable(member.path, level.worths, member.rows, self._remark(member))
            for member, level in shortest.items()
            if not member.is_ambiguous
        )
        return Naming(named, rate / lift, count)

    def _remark(self, member: Member) -> Remark | None:
        """Return what a note may say about a member's values in an array's records, or None."""
        if not (self._is_table and is_array(self._value)) or member.path.count(ANY) != 1:
            return None
        return remark(member.leaves, member.rows, len(self._value))

    def versions(self) -> list[Narrow]:
        """Return the versions of prefixes of the chain, the narrowest first.

        There are up to `WIDTHS`, and more if there are few records. A version also keeps empty
        records. If a prefix lacks nothing but these, it is left out.
        """
        steps, most = self._chain.steps, max(WIDTHS, FILLINGS // self._chain.row_count)
        candidates = (self._version(dict(steps[:size])) for size in self._step_counts(most))
        return [version for version in candidates if version.part.hints]

    def pair_versions(self, versions: Sequence[Narrow]) -> Iterator[Wider]:
        """Yield each version paired with the next one, and the last with the whole value.

        A value that is no table has no pairs.
        """
        if not self._is_table or not versions:
            return
        whole = self._version(dict(self._chain.steps))
        size = self._chain.row_count
        order = range(size) if self._is_ambiguous else writing_order(self._chain.telling, size)
        for bare, full in pairwise([*versions, whole]):
            widened = {
                member: level
                for member, level in full.kept.items()
                if bare.kept.get(member) is not level
            }
            if not self._chain.idle.isdisjoint(widened):
                continue  # idle columns say no more in some of the rows than in all
            written = {
                member for member in self._members if member in bare.kept or member in widened
            }
            top = None if full is whole else self._with_telling(full)
            added = frozenset(() if top is None else self._added_to(full))
            shown = written | added  # a member that a row shows is not named
            yield Wider(
                bare,
                full,
                self._value,
                order,
                widened,
                self._names,
                self._leaves_in(order),
                self._note_texts(shown) if len(shown) < len(self._members) else (),
                self._facts,
                self._is_ambiguous,
                top,
                added,
            )

    def telling_versions(self, versions: Sequence[Narrow]) -> Iterator[WithTelling]:
        """Yield each version with more members in the telling records, if there are such records.

        They have all that is worth its tokens there. A cell of which the version keeps some
        members, or nested rows, stays as it is.
        """
        for bare in versions:
            if (version := self._with_telling(bare)) is not None:
                yield version

    def _with_telling(self, bare: Narrow) -> WithTelling | None:
        """Return a version with more in its telling records; None if there is nothing to add."""
        telling = self._chain.telling
        if not self._is_table or not telling or self._is_ambiguous:
            return None
        added = self._added_to(bare)
        if not added:
            return None
        keys = frozenset(map(_top_key, added))
        part = self._telling_part(bare, list(added))
        return WithTelling(
            part, self._telling_worths(bare, added), bare, self._told_version, telling, keys
        )

    def _added_to(self, bare: Narrow) -> dict[Member, MemberLevel]:
        """Return the members that telling records have beside those of a version."""
        record = self._root.below[ANY]
        kept = {
            key
            for key, member in record.below.items()
            if any(inner in bare.projection.some for inner in member.below.values())
        }
        return {
            member: level
            for member, level in self._told_version.kept.items()
            if bare.kept.get(member) is not level and _top_key(member) not in kept
        }

    @cached_property
    def _told_version(self) -> Narrow:
        """The version with the members that telling records have."""
        levels = dict(self._chain.steps)
        return self._version({member: levels[member] for member in levels if member in self._told})

    @cached_property
    def _told(self) -> frozenset[Member]:
        """The members that telling records have, as these are worth enough per token there.

        A record that a request asks for has all of its members.
        """
        if request_of(self._weights):
            return frozenset(self._members)
        first = frozenset(self._chain.telling)
        return self._worth_telling(
            {
                member: [place for place, row in enumerate(member.rows) if row in first]
                for member in dict(self._chain.steps)
            }
        )

    def _worth_telling(self, places_by_member: Mapping[Member, Sequence[int]]) -> frozenset[Member]:
        """Return the members that are worth enough per token in telling records.

        `places_by_member` has the places of their leaves in these.
        """
        told: list[tuple[Member, float, list[str]]] = []
        levels = dict(self._chain.steps)
        for member, places in places_by_member.items():
            level = levels[member]
            texts = [f" {member.path[-1]} {written_leaf(member.leaves[place])}" for place in places]
            told.append((member, sum(level.worths[place] for place in places), texts))
        tokens = iter(self._count([text for *_, texts in told for text in texts]))
        return frozenset(
            member
            for member, worth, texts in told
            if worth >= TOLD * self._rate * sum(islice(tokens, len(texts)))
        )

    def _telling_worths(self, bare: Narrow, added: Mapping[Member, MemberLevel]) -> list[float]:
        """Return the worth of each record if telling ones have more members than `bare` has."""
        first, worths = frozenset(self._chain.telling), list(bare.worths)
        for member, level in added.items():
            before = bare.kept.get(member)
            for place, row in enumerate(member.rows):
                if row in first:
                    worths[row] += level.worths[place] - (before.worths[place] if before else 0.0)
        return worths

    def _telling_part(self, bare: Narrow, added: Sequence[Member]) -> CutPart:
        """Return what is left out if only telling records have the added members."""
        first, size = frozenset(self._chain.telling), self._chain.row_count
        names: list[str] = []
        lacking: list[str] = []
        for member in self._members:
            if member in bare.kept:
                continue
            if member not in added:
                names.append(self._names[member])
                continue
            rows = sorted({row for row in member.rows if row not in first})
            if rows:
                names += names_of_lost(self._value, member, rows, size)
                lacking.append(member.path[-1])
        shown = [name for name in dict.fromkeys(lacking) if is_name(name)][:MOST_NAMES]
        more = " ".join((MOST_ROWS, *shown)) if lacking else None
        missing = sum(member not in bare.kept for member in self._members)
        hint = Overflow(missing, len(self._members), "columns", more)
        forms = [form for level in bare.kept.values() for form in level.forms if form is not None]
        return CutPart(notes(hint, forms), tuple(names))

    def inner_versions(self, versions: Sequence[Narrow], place: PlacedValue) -> Iterator[WithInner]:
        """Yield versions with more of the telling records in inner tables, if there are such.

        The records beside these stay as they are in the version, or are cut: in the same records,
        or in all. `place` is that of the value.
        """
        if not self._is_table or self._weights is None or self._is_ambiguous or self._chain.pinned:
            return
        inner = telling_within(place, self._root, self._weights)
        if not inner:
            return
        inside = {member for table in inner for member in table.walk()}
        told = self._told_within(inner, place.at)
        whole = self._version(dict(self._chain.steps))
        seen = set[frozenset[int]]()
        for version in (*versions, whole):
            outer = {
                member: level for member, level in version.kept.items() if member not in inside
            }
            if len(outer) < len(version.kept):
                yield self._with_inner(version, told, inner, place.at, alone=True)
                if version is not whole:
                    yield self._with_inner(version, told, inner, place.at, alone=False)
            ids = frozenset(map(id, outer.values()))
            if outer and ids not in seen:
                seen.add(ids)
                yield self._with_inner(self._version(outer), told, inner, place.at, alone=True)

    def _told_within(self, inner: Inner, at: int) -> dict[Member, MemberLevel]:
        """Return the members that telling records of inner tables have, with their whole forms."""
        places_by_member: dict[Member, list[int]] = {}
        for table, rows in inner.items():
            leaves = set[int]().union(*(items.leaves(at) for items in rows.values()))
            for member in own_members(table):
                if member.leaves:
                    numbers = enumerate(member.numbers)
                    places = [place for place, number in numbers if number in leaves]
                    places_by_member[member] = places
        is_asked = request_of(self._weights)
        told = places_by_member if is_asked else self._worth_telling(places_by_member)
        return {member: level for member, level in self._chain.steps if member in told}

    def _with_inner(
        self,
        bare: Narrow,
        told: Mapping[Member, MemberLevel],
        inner: Inner,
        at: int,
        *,
        alone: bool,
    ) -> WithInner:
        """Return a version with the telling records of inner tables, which have told members.

        Those beside them are cut if the telling ones are `alone`.
        """
        full = self._version({**bare.kept, **told})
        worths = inner_worths(bare, full, inner, at, alone=alone)
        if self._chain.row_count >= FEWEST_TOLD and sum(bool(m.leaves) for m in bare.kept) < 2:
            around = {row for rows in inner.values() for row in rows}
            worths = [worth if row in around else 0.0 for row, worth in enumerate(worths)]
        missing = sum(member not in bare.kept for member in self._members)
        pinned = frozenset[int]()
        if missing:
            lacking = [member.path[-1] for member in told if member not in bare.kept]
            shown = [name for name in dict.fromkeys(lacking) if is_name(name)][:MOST_NAMES]
            more = " ".join((MOST_ROWS, *shown)) if lacking else None
            hint = Overflow(missing, len(self._members), "columns", more)
        else:
            pinned = frozenset(row for rows in inner.values() for row in rows)
            facts = sum(
                items.array.facts - len(items.leaves(at))
                for rows in inner.values()
                for items in rows.values()
            )
            hint = Overflow(facts, self._facts, "facts")
        forms = [form for level in bare.kept.values() for form in level.forms if form is not None]
        names = _LostNames(self._value, lambda: version.value())
        part = CutPart(notes(hint, forms), names)
        version = WithInner(part, worths, bare, full, inner, alone, pinned)
        return version

    def _leaves_in(self, order: range | tuple[int, ...]) -> Mapping[Member, SortedLeaves]:
        """Return the leaves of all members, sorted by an order of records; pairs may share them."""
        by_member = self._sorted.get(order)
        if by_member is None:
            is_own = isinstance(order, range)
            place = () if is_own else sorted(range(len(order)), key=order.__getitem__)
            by_member = {
                member: sorted_leaves(member.rows, place, order) for member in self._members
            }
            self._sorted[order] = by_member
        return by_member

    def _step_counts(self, most: int) -> list[int]:
        """Return the number of chain steps of each version, so that tokens grow by even ratios.

        There are at most `most`, each at least `Chain.least_steps`.
        """
        steps = self._chain.steps
        first = max(1, self._chain.least_steps)
        idle = self._chain.idle
        sizes = [
            size
            for size in range(first, len(steps))
            if not (size and steps[size - 1][0] in idle and steps[size][0] in idle)
        ]
        total, tokens = 0.0, [0.0]
        known: dict[Member, float] = {}
        for member, level in steps:
            total += level.tokens - known.get(member, 0.0)
            known[member] = level.tokens
            tokens.append(max(1.0, total))
        if len(sizes) > 4 * most:
            ratio = max(1.001, (tokens[sizes[-1]] / tokens[first]) ** (0.25 / most))
            sizes = list({int(log(tokens[size], ratio)): size for size in sizes}.values())
        while len(sizes) > most:  # drop the size whose neighbours are closest
            gaps = [tokens[b] / tokens[a] for a, b in zip(sizes, sizes[2:], strict=False)]
            del sizes[1 + gaps.index(min(gaps))]
        return sizes

    def _with_empty(self, levels: Mapping[Member, MemberLevel]) -> dict[Member, MemberLevel]:
        """Return the forms of kept members, and of empty records in tables that keep others."""
        completed = dict(levels)
        for member, level in self._chain.steps:
            if member.key == ANY and not any(member.leaves) and member not in levels:
                is_top = self._is_table and member.above is self._root
                if is_top or any(inner in levels for inner in member.walk()):
                    completed[member] = level
        return completed

    def _version(self, levels: Mapping[Member, MemberLevel]) -> Narrow:
        """Return the version that keeps the given members, each in the given form."""
        kept = self._with_empty(levels)
        worths = [0.0] * self._chain.row_count
        all_rows = [*range(self._chain.row_count)]
        for member, level in kept.items():
            if member.rows == all_rows:
                worths = list(map(add, worths, level.worths))
                continue
            for row, worth in zip(member.rows, level.worths, strict=True):
                worths[row] += worth
        projection = Projection(self._root, kept, self._chain)
        return Narrow(self._part(kept, projection), worths, kept, projection, self._columns)

    def _note_texts(self, kept: Iterable[Member]) -> tuple[NoteText, ...]:
        """Return the texts that a note may have if only these members are kept."""
        bits = 0
        for member in kept:
            bits |= self._kept_bits[member]
        return self._naming.note_texts(bits)

    def _part(self, levels: Mapping[Member, MemberLevel], projection: Projection) -> CutPart:
        """Return what is left out if only these members are kept; `projection` keeps just them."""
        cut_members = [member for member in self._members if member not in levels]
        names: Iterable[str] = tuple(self._names[member] for member in cut_members)
        if self._is_ambiguous:
            names = _LostNames(self._value, partial(projection.of, self._value))
        hint = Overflow(sum(len(member.leaves) for member in cut_members), self._facts, "facts")
        if self._is_table:
            hint = Overflow(len(cut_members), len(self._members), "columns")
        note_texts = self._note_texts(levels) if hint.missing else ()
        forms = (form for level in levels.values() for form in level.forms if form is not None)
        return CutPart(notes(hint, forms), names, note_texts)


class _LostNames:
    """The names of what is left out of a value, which are found when they are read."""

    def __init__(self, value: object, left: Callable[[], object]) -> None:
        self._value, self._left = value, left

    def __iter__(self) -> Iterator[str]:
        return iter(cut_names(self._value, self._left()))


def _top_key(member: Member) -> str:
    """Return the key of the column of records that a member is in."""
    return next(around.key for around in member.lineage() if _is_column(around))


def _is_column(member: Member) -> bool:
    """Whether a member is a column of the records of the value."""
    record = member.above
    return record is not None and record.above is not None and record.above.above is None

"""The chain: the members of a value by worth per token; long texts have several lengths."""

from __future__ import annotations

from functools import cached_property, lru_cache, reduce
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.encoders.follow_columns import sources_of
from mckp.encoders.words import is_word
from mckp.jsontext import dump, is_array, is_object
from mckp.menu.members import ANY, is_records, members_of
from mckp.menu.shorten import Shortener, shortened_worth
from mckp.regexes import regex
from mckp.weights.keys import are_times, composite_key, key_of, key_with_gaps, label_of
from mckp.weights.traits import is_code, median

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mckp.encoders.follow_columns import Path
    from mckp.menu.members import Member
    from mckp.menu.shorten import Shortened
    from mckp.weights import Weights

    Count = Callable[[Sequence[str]], Sequence[int]]

SHORTEST: Final = 60
"""Characters of the shortest form of a long text."""

RATIO: Final = 1.5
"""Each form of a text is so many times as long as the one before it.

In a table of n rows the factor is ``RATIO ** min(4, sqrt(n) - 1/2)``: fewer forms will do, since
there are also tables in which the first rows have the longer form and the others the shorter.
"""

TELLING: Final = 2.0
"""A record comes before the others if it is worth more than so many times the median."""

TELLING_SHARE: Final = 6
"""At most one record in so many comes before the others; if more would, none does."""

FEWEST_TOLD: Final = 8
"""Fewest records of which some may come before the others, and which need more than their key."""

NEWS: Final = 0.5
"""Least worth of what comes with the key of records, as a share of the worth of the best column."""

FEWEST: Final = 5
"""The key of so many records may also be in an inner object, or missing from some records."""

NOISE: Final = 1 / 20
"""Members are noise below this share of the worth per token of a whole table."""

_SPEAKING: Final = regex(r"(?s)[^0-9]+\Z|.*?[^\W\d_]{2,} (?:.* )?[^\W\d_]{2,}")
_CLEARLY: Final = 1.3
_SAMPLE: Final = 200


class MemberLevel(NamedTuple):
    """One form of a member: all of its texts whole, or all shortened to one length."""

    most: int | None
    """The most characters that a text has; None: texts are whole."""
    tokens: float
    """About how many tokens all leaves and the member's name take."""
    worths: list[float]
    forms: Sequence[Shortened | None]
    """The shorter form of each leaf, None for a leaf that stays whole; empty if all do."""


class Bundle(NamedTuple):
    """Steps of the chain that are taken together because that is worth more per token."""

    tokens: float
    worth: float
    steps: tuple[tuple[Member, MemberLevel], ...]

    @property
    def density(self) -> float:
        """Worth per token."""
        return self.worth / max(0.5, self.tokens)


class Chain:
    """The members of a container in descending order of worth per token.

    `at` is the number of leaves of the document before the container. `weights` are those of the
    document's leaves; without them, each leaf is worth one. `count` returns the tokens of texts.
    The attribute `row_count` is the number of records, or 1 if the container is no table; `members`
    are those that have leaves, of `every_member` at or below the root. `rules` has the columns of
    records that follow from others: each comes after those. A rule makes a column cheap, but no
    more useful, so what it is worth per token is judged as if it had cells.
    """

    def __init__(
        self,
        value: Any,
        at: int,
        weights: Weights | None,
        count: Count,
        rules: Mapping[Path, str] | None = None,
    ) -> None:
        self._rules = rules or {}
        self._value, self._at, self._weights, self._count = value, at, weights, count
        self._names = list(value) if is_object(value) else ()
        self.row_count = len(value) if is_records(value) else 1
        self.root = members_of(value)
        self.every_member = list(self.root.walk())
        self.members = [member for member in self.every_member if member.leaves]
        self._forms: dict[tuple[str, int], Shortened | None] = {}
        self._key_steps = 1  # known once the bundles are made

    @cached_property
    def steps(self) -> list[tuple[Member, MemberLevel]]:
        """The members with their forms, the most worth per token first.

        The first member of an inner object also pays for the object's name and braces. So bundles
        are made from the leaves up, as in the linear relaxation of a knapsack over a tree. The key
        of records comes before their other members: without it, no record can be recognised or
        asked for. If two members are the key together, the member that they identify comes with
        them.
        """
        bundles = self._bundles(self.root, self._estimates)
        steps = [step for bundle in bundles for step in bundle.steps]
        key = self._inner_key_or_label()
        steps.sort(key=lambda step: step[0] is not key)
        if self._rules:
            steps = self._after_sources(steps)
            steps.sort(key=self._lateness)
        return sorted(steps, key=lambda step: step[0] not in self.pinned)

    def _lateness(self, step: tuple[Member, MemberLevel]) -> int:
        """Return 0 for a step that says something, 1 for an idle one, and 2 for other noise."""
        return 1 if step[0] in self.idle else 2 * (step[0] in self._noise)

    @cached_property
    def idle(self) -> frozenset[Member]:
        """Columns that follow from others and that hardly anybody needs.

        A table has all of them or none: if some of the thirty addresses of each repository are
        left, they are half of the text, and answer nothing. None is what another one is made from.
        """
        if not self._rules:
            return frozenset()
        ruled = {
            path: member
            for member in self._noise
            if (path := _column_of(member)) in self._rules and member not in self.pinned
        }
        for path in reversed(list(self._rules)):  # no rule uses what a later one gives
            if path not in ruled:
                for source in sources_of(path, self._rules[path]):
                    ruled.pop(source, None)
        return frozenset(ruled.values())

    @cached_property
    def _noise(self) -> frozenset[Member]:
        """The members that are worth next to nothing for their tokens, as cells of a table."""
        tokens = {member: self._estimates[member][1] for member in self.members}
        worths = {member: sum(self._whole_level(member, 0.0).worths) for member in self.members}
        least = NOISE * sum(worths.values()) / max(1.0, sum(tokens.values()))
        return frozenset(m for m in self.members if worths[m] < least * tokens[m])

    def _after_sources(
        self, steps: Sequence[tuple[Member, MemberLevel]]
    ) -> list[tuple[Member, MemberLevel]]:
        """Return the steps with each member that follows from others after these.

        One that comes first stays there: it is the key.
        """
        ordered: list[tuple[Member, MemberLevel]] = []
        missing: dict[Path, set[Path]] = {}
        held: dict[Path, list[tuple[Member, MemberLevel]]] = {}
        names = {_column_of(member) for member, _ in steps}
        known: set[Path] = set()

        def add(step: tuple[Member, MemberLevel]) -> None:
            """Add a step, and those that need nothing more after it."""
            path = _column_of(step[0])
            ordered.append(step)
            known.add(path)
            for other in [other for other, needed in missing.items() if path in needed]:
                missing[other].discard(path)
                if not missing[other]:
                    del missing[other]
                    for waiting in held.pop(other):
                        add(waiting)

        for step in steps:
            path = _column_of(step[0])
            needed: set[Path] = set()
            if ordered and (text := self._rules.get(path)):
                needed = set(sources_of(path, text)) & names - known
            if needed or path in held:
                missing.setdefault(path, needed)
                held.setdefault(path, []).append(step)
            else:
                add(step)
        return [*ordered, *(step for waiting in held.values() for step in waiting)]

    @property
    def least_steps(self) -> int:
        """The number of steps that all versions have.

        These are the steps of pinned members. If there are none, they are those of the key of
        records, with the member that comes with it. A table has at least two members, unless the
        first one speaks for itself.
        """
        pinned_steps = sum(member in self.pinned for member, _ in self.steps)
        if pinned_steps or not self._is_long:
            return pinned_steps or self._key_steps
        first = self.steps[0][0] if self.steps else None
        if first is None or speaks(first.leaves):
            return self._key_steps
        second = next((at for at, (member, _) in enumerate(self.steps) if member is not first), 0)
        return max(self._key_steps, second + 1)

    @property
    def _is_long(self) -> bool:
        """Whether this is a table that is long enough to tell apart what its records are worth."""
        return self._weights is not None and self.row_count >= FEWEST_TOLD

    @cached_property
    def row_worths(self) -> list[float]:
        """The worth of each record; one number for a value that is no table."""
        worths = [0.0] * self.row_count
        for member in self.members:
            level = self._whole_level(member, 0.0)
            for row, worth in zip(member.rows, level.worths, strict=True):
                worths[row] += worth
        return worths

    @cached_property
    def telling(self) -> list[int]:
        """The records that are worth far more than the others, the most valuable first.

        There are none if these are many.
        """
        if not self._is_long:
            return []
        return telling_of(self.row_worths)

    def _routine_worth(self, member: Member, worths: Sequence[float]) -> float:
        """Return the worth of a member's leaves in records that are not telling ones.

        Telling records may have more members than the others, so they do not decide which members
        all of the records have.
        """
        if not self._telling_set:
            return sum(worths)
        pairs = zip(member.rows, worths, strict=True)
        return sum(worth for row, worth in pairs if row not in self._telling_set)

    @cached_property
    def _telling_set(self) -> frozenset[int]:
        """The telling records; none if there is a request, as what they match is asked for."""
        return frozenset(() if request_of(self._weights) else self.telling)

    @cached_property
    def pinned(self) -> frozenset[Member]:
        """The members that must stay, including those that contain one."""
        pinned = filter(self.is_pinned, self.members)
        return frozenset(around for member in pinned for around in member.lineage())

    def _bundles(
        self, member: Member, estimates: Mapping[Member, tuple[float, float]]
    ) -> list[Bundle]:
        """Return the bundles of a member and all below it, in descending worth per token.

        `estimates` has, for each member, the tokens that open it, and those of its name and leaves.

        A member may be a leaf in some records and an object in others. Its leaves then come first:
        if a note names it as cut, everything below it is cut, too.
        """
        opening, own_tokens = estimates[member]
        bundles: list[Bundle] = []
        if member.leaves:
            before = (0.0, 0.0)
            for level in self._levels(member, own_tokens):
                worth = self._routine_worth(member, level.worths)
                more = Bundle(level.tokens - before[0], worth - before[1], ((member, level),))
                _append_bundle(bundles, more)
                before = level.tokens, worth
        keys = self._key_members(member)
        levels = [(key, self._whole_level(key, estimates[key][1])) for key in keys]
        first = Bundle(
            opening + sum(level.tokens for _, level in levels),
            sum(self._routine_worth(key, level.worths) for key, level in levels),
            tuple(levels),
        )
        if bundles and member.below:
            leaves = bundles.pop(0)
            steps = (*leaves.steps, *first.steps)
            first = Bundle(first.tokens + leaves.tokens, first.worth + leaves.worth, steps)
        children = (child for child in member.below.values() if child not in keys)
        below = [bundle for child in children for bundle in self._bundles(child, estimates)]
        if member.key == ANY:
            below = _join_alike(below)
        bundles += below
        bundles.sort(key=lambda bundle: -bundle.density)
        is_mute = self._is_long or (len(keys) == 1 and are_times(keys[0].leaves))
        needs_more = len(keys) > 1 or (len(keys) == 1 and is_mute and not speaks(keys[0].leaves))
        if bundles and needs_more:
            news = _take_news(bundles, is_long=self._is_long)
            # Of several members that come together, the first one is enough beside the key.
            key_steps = len(first.steps) + sum(len(bundle.steps) for bundle in news[:-1]) + 1
            first = reduce(_join_bundles, news, first)
        else:
            key_steps = len(first.steps)
        if member.above is self.root and needs_more:
            self._key_steps = key_steps
        merged = [first] if first.steps or (first.tokens and below) else []
        for bundle in bundles:
            _append_bundle(merged, bundle)
        return merged

    def is_pinned(self, member: Member) -> bool:
        """Whether a leaf of the member must stay."""
        weights, at = self._weights, self._at
        if weights is None or not weights.pins[-1]:
            return False
        return any(weights.is_pinned(at + number, 1) for number in member.numbers)

    def _key_members(self, member: Member) -> tuple[Member, ...]:
        """Return the members that identify records, such as ``id``, or ``date`` and ``symbol``.

        There are none if `member` does not hold the records of a table. A code that nobody reads,
        such as a hash, is no key if the records have another member that could take its place.
        """
        if member.key != ANY or member.names:
            return ()
        size = member.holders
        fields = [m for m in member.below.values() if len(m.leaves) == size and not m.below]
        if not fields:
            return ()
        # All of these have one leaf in each record, so in the same rows.
        tables = [0] * size if member.above is self.root else fields[0].rows
        columns = [(field.key, field.leaves, range(size)) for field in fields]
        key = key_of(columns, tables)
        if key is not None and is_code(columns[key][1]):
            return () if len(fields) > 1 else (fields[key],)
        parts = composite_key(columns, tables) if key is None and size > 1 else ()
        if key is None and not parts and size >= FEWEST and member.above is self.root:
            key = key_with_gaps([(name, values) for name, values, _ in columns])
        return tuple(fields[place] for place in (parts if key is None else (key,)))

    def _inner_key_or_label(self) -> Member | None:
        """Return the key of records that have it in an object, such as ``metric.instance``.

        Without any key, it is what the records are called, such as ``name``, even if not unique.
        The result is None if there is no such member, if there are few records, or if they have a
        key of their own.
        """
        record = self.root.below.get(ANY)
        if record is None or not is_array(self._value) or self._key_members(record):
            return None
        own = self._columns([record]) if self.row_count >= FEWEST else []
        inner = [holder for holder in record.below.values() if holder.below and not holder.leaves]
        fields = self._columns(inner) if self.row_count >= FEWEST else []
        columns = [(field.key, field.leaves, range(self.row_count)) for field in fields]
        key = key_of(columns, [0] * self.row_count) if fields else None
        if key is not None:
            return fields[key]
        label = label_of([(field.key, field.leaves) for field in own])
        return None if label is None else own[label]

    def _columns(self, holders: Sequence[Member]) -> list[Member]:
        """Return the members directly below the holders that have one value in each record."""
        return [
            member
            for holder in holders
            for member in holder.below.values()
            if member.key != ANY and len(member.leaves) == self.row_count and not member.below
        ]

    def _whole_level(self, member: Member, tokens: float) -> MemberLevel:
        """Return the form of a member in which nothing is shortened.

        `tokens` are those of all its leaves.
        """
        weights, at = self._weights, self._at
        worths = [weights.of(at + number, 1) if weights else 1.0 for number in member.numbers]
        return MemberLevel(None, tokens, worths, ())

    def _levels(self, member: Member, tokens: float) -> list[MemberLevel]:
        """Return the forms of a member, the shortest first and the whole one last.

        `tokens` are those of all its leaves without shortening.
        """
        leaves, whole = member.leaves, self._whole_level(member, tokens)
        worths, levels = whole.worths, list[MemberLevel]()
        lengths = [len(leaf) if isinstance(leaf, str) else 1 for leaf in leaves]
        longest, size, longest_form = max(lengths), sum(lengths), float(SHORTEST)
        if longest > longest_form * _CLEARLY and not self.is_pinned(member):
            while longest_form * _CLEARLY < longest:
                forms = [self.form(leaf, int(longest_form)) for leaf in leaves]
                if any(forms):
                    # A text that has no form so short stays whole beside those that have one.
                    values = list(zip(worths, lengths, forms, strict=True))
                    left_worths = [
                        worth if form is None else shortened_worth(worth, form)
                        for worth, _, form in values
                    ]
                    kept_characters = sum(
                        length if form is None else len(form.text) for _, length, form in values
                    )
                    left_tokens = max(1.0, tokens * kept_characters / size)
                    if not levels or sum(levels[-1].worths) < sum(left_worths):
                        level = MemberLevel(int(longest_form), left_tokens, left_worths, forms)
                        levels.append(level)
                longest_form *= RATIO ** min(4.0, self.row_count**0.5 - 0.5)
        return [*levels, whole]

    @cached_property
    def _estimates(self) -> dict[Member, tuple[float, float]]:
        """Estimate, for each member, the tokens that open it, and those of its name and leaves.

        Of many leaves, a sample is counted; of a constant column, one leaf.
        """
        texts: list[str] = []
        estimates: dict[Member, tuple[float, float]] = {}
        sizes: list[tuple[Member, int, int]] = []
        for member in self.every_member:
            leaves = member.leaves
            size = len(leaves)
            in_column = any(around.key == ANY for around in member.lineage())
            if size > 1 and in_column and _is_full(member) and leaves.count(leaves[0]) == size:
                size = 1 if len(set(map(type, leaves))) == 1 else size
            elif leaves == self._names:  # the header says that they repeat the names of rows
                size = 0
            sample = leaves[: size : max(1, size // _SAMPLE)]
            sizes.append((member, size, len(sample)))
            texts.append(f" {member.key}")
            texts += (f" {written_leaf(leaf)}" for leaf in sample)
        counts = iter(self._count(texts))
        for member, size, sampled in sizes:
            name, leaves_tokens = next(counts), sum(islice(counts, sampled))
            opening = 0.0
            if member.below and member.above is not None:
                # Each record of an inner table takes a token; the braces of an object occur once.
                is_any = member.key == ANY
                is_table = is_any and member.above is self.root
                opening = 0.0 if is_table else float(member.holders if is_any else name + 1)
            estimates[member] = opening, name + leaves_tokens * size / max(1, sampled)
        return estimates

    def form(self, leaf: object, most: int) -> Shortened | None:
        """Return the longest shorter form of a text within `most` characters.

        It is None for a leaf that is no text or hardly longer, and if there is no form so short.
        """
        if not isinstance(leaf, str) or len(leaf) <= most * _CLEARLY:
            return None
        if (leaf, most) not in self._forms:
            self._forms[leaf, most] = shortener(leaf, request_of(self._weights)).within(most)
        return self._forms[leaf, most]


def _take_news(bundles: list[Bundle], *, is_long: bool) -> list[Bundle]:
    """Remove from bundles what comes with the key, and return it.

    That includes what must come before it: shorter forms of the same members, and the leaves of
    members around them, such as the empty arrays among arrays of records.
    """
    place = _news(bundles) if is_long else 0
    taken = [bundles.pop(place)]
    for before in range(place - 1, -1, -1):
        needed = {around for bundle in taken for m, _ in bundle.steps for around in m.lineage()}
        if any(member in needed for member, _ in bundles[before].steps):
            taken.insert(0, bundles.pop(before))
    return taken


def _news(bundles: Sequence[Bundle]) -> int:
    """Return the index of what comes with the key: the first that says about as much as the best.

    A cheap column beside an id is no news, nor is a constant: of the cells of a sheet, each with
    its address, the value comes before the number of its column.
    """
    worths = [sum(_worth_of_one(*step) for step in bundle.steps) for bundle in bundles]
    return next(place for place, worth in enumerate(worths) if worth >= NEWS * max(worths))


def _worth_of_one(member: Member, level: MemberLevel) -> float:
    """Return the worth of one leaf of a member in each record that has any; 0 for a constant."""
    leaves = member.leaves
    if len(leaves) > 1 and leaves.count(leaves[0]) == len(leaves):
        return 0.0
    return sum(level.worths) * len(set(member.rows)) / len(leaves)


def telling_of(worths: Sequence[float], times: float = TELLING) -> list[int]:
    """Return the records that are worth more than so many `times` the median, given their worths.

    The most valuable one is first. There are none if they are many, or of few records.
    """
    if len(worths) < FEWEST_TOLD:
        return []
    least = times * median(worths)
    rows = [row for row, worth in enumerate(worths) if worth > least]
    if len(rows) > max(1, len(worths) // TELLING_SHARE):
        return []
    return sorted(rows, key=lambda row: (-worths[row], row))


def _column_of(member: Member) -> Path:
    """Return the path of a member as rules have it: the names of columns."""
    return tuple(key for key in member.path if key is not ANY)


def speaks(values: Sequence[Any]) -> bool:
    """Whether values say something without any other column: most are words, not numbers or ids.

    Examples
    --------
    >>> speaks(["Fix the tide table", "bug"]), speaks(["build-a707", "build-23"]), speaks([7, 8])
    (True, False, False)
    """
    words = sum(isinstance(value, str) and _SPEAKING.match(value) is not None for value in values)
    return 2 * words > len(values)


@lru_cache(maxsize=1024)
def shortener(text: str, request: str | None) -> Shortener:
    """Return a shortener of a text that keeps longest what a request asks for."""
    return Shortener(text, is_markup=False, request=request)


def request_of(weights: Weights | None) -> str | None:
    """Return the request that weights were made for; None if there are no weights or no request."""
    return None if weights is None else weights.request


def _is_full(member: Member) -> bool:
    """Whether each record around a member has it, so that a shared value is written once."""
    record = next((around for around in member.lineage() if around.key == ANY), None)
    return record is None or record is member or len(member.leaves) >= record.holders


def _append_bundle(bundles: list[Bundle], more: Bundle) -> None:
    """Append a bundle, merged with the last ones as long as these are worth less per token."""
    while bundles and bundles[-1].density < more.density:
        more = _join_bundles(bundles.pop(), more)
    bundles.append(more)


def _join_alike(bundles: Sequence[Bundle]) -> list[Bundle]:
    """Return bundles, with those joined that take the same of one shape in different records.

    Records whose type says which member holds what they say, such as the blocks of a page, have
    their texts in ``paragraph.rich_text`` or in ``heading_1.rich_text``. For a reader, that is one
    column.
    """
    alike: dict[tuple[tuple[tuple[str, ...], int | None], ...], list[Bundle]] = {}
    for bundle in bundles:
        taken = tuple((member.path[-2:], level.most) for member, level in bundle.steps)
        alike.setdefault(taken, []).append(bundle)
    joined: list[Bundle] = []
    for group in alike.values():
        is_joined = len(group) > 1 and _are_apart(group)
        joined += [reduce(_join_bundles, group)] if is_joined else group
    return joined


def _are_apart(bundles: Sequence[Bundle]) -> bool:
    """Whether no record has members of two bundles."""
    rows = [{row for member, _ in bundle.steps for row in member.rows} for bundle in bundles]
    return sum(map(len, rows)) == len(set[int]().union(*rows))


def _join_bundles(first: Bundle, more: Bundle) -> Bundle:
    """Return two bundles as one, with the steps of `first` first."""
    return Bundle(first.tokens + more.tokens, first.worth + more.worth, (*first.steps, *more.steps))


def written_leaf(leaf: object) -> str:
    """Return the text of a leaf on a line; its tokens there may differ a little."""
    return leaf if isinstance(leaf, str) and is_word(leaf) else dump(leaf)

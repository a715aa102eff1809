"""A value on one line with some of its leaves: the best set for each number of tokens.

Any leaf may be cut by itself. Dynamic programming over the tree finds the sets, from estimates of
their tokens. The text of each set is counted afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from mckp.encoders import FLOW
from mckp.encoders.base import LINE_CHARACTERS
from mckp.encoders.hints import Overflow
from mckp.encoders.native import Flow
from mckp.encoders.row_writer import join_cells, name_with
from mckp.encoders.scalars import CUT
from mckp.encoders.words import CUT_WORD, write_name
from mckp.frozen import frozen
from mckp.jsontext import CutObject, is_array, is_container, is_object, left_of
from mckp.menu.chain import RATIO, SHORTEST, request_of, shortener, written_leaf
from mckp.menu.classes import CutPart, Option, guard_from_header
from mckp.menu.cuts.names import cut_names
from mckp.menu.members import ANY, MOST_IN_ONE, MOST_INLINE, Member, is_keyed, unite
from mckp.menu.naming import Nameable, Naming
from mckp.menu.shorten import notes, shortened_worth, sizes
from mckp.menu.thin import improve_worths, thinned
from mckp.weights.keys import key_of
from mckp.weights.traits import is_code

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from mckp.encoders.dictionary import Dictionary
    from mckp.menu.chain import Count
    from mckp.menu.classes import NoteText
    from mckp.menu.shorten import Shortened
    from mckp.menu.values import PlacedValue
    from mckp.weights import Weights

    Floats: TypeAlias = NDArray[np.float64]
    Ints: TypeAlias = NDArray[np.int16]

MOST_LEAVES: Final = 240
"""Most leaves of a value that may be kept; containers behind them are cut."""

MOST_TOKENS: Final = 140
"""Most tokens of a piece of a line, about."""

FINENESS: Final = 0.12
"""Two versions of a piece differ by at least this share of their tokens, about."""

NESTED_FINENESS: Final = 0.3
"""The same for a line that is one of several."""


class LeafForm(NamedTuple):
    """One way to write a leaf, with its worth and its estimated tokens, name included.

    `short` is the shortened text, if it is a long text that is shortened.
    """

    tokens: int
    worth: float
    short: Shortened | None = None
    text: str = ""
    """What is written of it, without its name."""


_OPENED: Final = LeafForm(0, 0.0)
"""Stands for a container that is kept; its leaves have forms of their own."""


_NO_NODES: Final[dict[Any, Any]] = {}
_NO_FORMS: Final[list[Any]] = []
"""What all leaves have below them, and all containers for forms."""


@dataclass(slots=True, eq=False)
class Node:
    """A leaf, or a container with its members or items."""

    value: Any
    member: Member
    below: dict[str | int, Node]
    """Its members or items, without containers that are always cut."""
    forms: list[LeafForm]
    """The ways to write it, if it is a leaf."""
    opening: int = 0
    """Tokens of its brackets, of its name, and of its key."""
    key: Node | None = None
    """The key of a record: the leaf that stays if anything of the record stays."""
    is_named: bool = False
    """Whether it is a table of named records; see `is_keyed`."""
    children: Sequence[Node] = ()
    """Those of `below` that are chosen one by one, in document order: all but the key."""
    chosen: Sequence[int] = ()
    """The best choice for each number of tokens that it and all before it may take: the number of a
    form, from 1 on, or how many items of an array are kept; 0 if it is cut."""


class Version(NamedTuple):
    """One way to write a piece of a line."""

    text: str
    worth: float
    facts: int
    short: Sequence[Shortened]
    """Those of its texts that are shortened."""
    member_bits: int
    """The bits in `Naming` of the members that it keeps at least in part."""
    forms: Mapping[Node, LeafForm]
    """The form of each kept node."""


class Leaves:
    """The sets of leaves of a value that are worth most for each number of tokens.

    `weights` and `count` are as for `mckp.menu.chain.Chain`.

    Examples
    --------
    >>> from mckp.menu.values import PlacedValue
    >>> place = PlacedValue({"id": 7, "log": ["some text", "other text"]})
    >>> line = Leaves(place, None, lambda texts: list(map(len, texts))).line("", "")
    >>> [[version.text for version in versions] for versions in line.pieces]
    [['id 7'], ['log["some text" …]', 'log["some text" "other text"]']]
    """

    def __init__(self, place: PlacedValue, weights: Weights | None, count: Count) -> None:
        self._weights = weights
        self._total = place.facts
        self._leaves: list[Node] = []
        self._texts: list[str] = []
        self._costs: list[tuple[Node, LeafForm]] = []
        self._seen: set[Member] = set()
        self._root = self._make_node(place, Member("", None), "")
        unite([self._root.member])
        self._store_tokens(count)
        worths: dict[Member, list[float]] = {}
        if weights is not None:
            for leaf in self._leaves:
                worths.setdefault(leaf.member, []).append(leaf.forms[0].worth)
        whole = [leaf.forms[-1] for leaf in self._leaves]
        rate = sum(form.worth for form in whole) / max(1, sum(form.tokens for form in whole))
        named = (Nameable(member.path, leaf_worths) for member, leaf_worths in worths.items())
        self._naming = Naming(named, rate, count)
        self._bits = {member: self._naming.bit(member.path) for member in self._seen}

    # The tree

    def _make_node(self, place: PlacedValue, member: Member, name: str) -> Node:
        """Return the node of a value, and collect its texts that must be counted.

        `name` has the blank before it, and is empty for an item. The name of a member that occurred
        before is not counted again, since it is the name of a column, which is written once.
        """
        value, at = place.value, place.at
        is_leaf = not (is_container(value) and value)
        node = Node(value, member, _NO_NODES if is_leaf else {}, [] if is_leaf else _NO_FORMS)
        text = "" if member in self._seen else name
        self._seen.add(member)
        if is_leaf:
            self._leaves.append(node)
            whole = 1.0 if self._weights is None else self._weights.of(at, 1)
            if isinstance(value, str) and len(value) > SHORTEST:
                for form in _shorter_forms(value, request_of(self._weights)):
                    written = written_leaf(form.text)
                    self._texts.append(f"{text} {written}")
                    self._costs.append(
                        (node, LeafForm(0, shortened_worth(whole, form), form, written))
                    )
            written = written_leaf(value)
            self._texts.append(f"{text} {written}")
            self._costs.append((node, LeafForm(0, whole, None, written)))
            return node
        node.opening = 1 if member.key == ANY else int(bool(text))
        self._texts.append(text)
        self._costs.append((node, _OPENED))
        is_named = is_object(value)
        node.is_named = is_named and is_keyed(value)
        is_apart = not is_named or node.is_named
        most = len(self._leaves) + MOST_IN_ONE if is_apart else MOST_LEAVES
        is_full, record_count = False, 0
        if node.is_named:
            member.member(ANY).add_names(value)
        for child in place.children():
            key: Any = child.key
            # Many records are easier to read on a line each.
            is_wide = is_apart and record_count == MOST_INLINE and is_container(child.value)
            if is_full or is_wide or len(self._leaves) + child.facts > min(most, MOST_LEAVES):
                is_full = is_full or not is_named  # kept items keep their indexes
            else:
                child_name = f" {key}" if is_named else ""
                child_member = member.member(ANY if is_apart else str(key))
                node.below[key] = self._make_node(child, child_member, child_name)
                if name and member.key == ANY and name[1:] == child.value:
                    self._texts[-1] = ""  # the header says that it repeats the name of its row
                record_count += bool(node.below[key].below)
        if not is_named and all(map(is_object, value)) and len(node.below) > 1:
            _set_key(list(node.below.values()))
        node.children = list(node.below.values())
        return node

    def _store_tokens(self, count: Count) -> None:
        """Count the collected texts in one batch; store their tokens and forms in the nodes."""
        tokens = count(self._texts)
        for (node, form), cost in zip(self._costs, tokens, strict=True):
            if form is _OPENED:
                node.opening += cost
            else:
                node.forms.append(LeafForm(cost, *form[1:]))

    def line(self, name: str, tail: str, *, is_alone: bool = True) -> ValueLine | None:
        """Return the line that begins with a name, or None if it has no version.

        Each member of an object is a piece of its own. `tail` follows the notes below the line. If
        the line is not the whole document, it has fewer versions.
        """
        root, fineness = self._root, FINENESS if is_alone else NESTED_FINENESS
        if is_object(root.value) and not is_keyed(root.value):
            pieces = [self._versions(child, key, fineness) for key, child in root.below.items()]
            head, end = f"{name}{{", "}\n"
        else:
            pieces, head, end = [self._versions(root, None, fineness)], name, "\n"
            if not name:
                pieces = [
                    [
                        version._replace(text=guard_from_header(version.text))
                        for version in pieces[0]
                    ]
                ]
        pieces = list(filter(None, pieces))
        if not pieces:
            return None
        return ValueLine(FLOW.name, head, end, pieces, self._total, self, tail)

    # The dynamic program

    def _versions(self, node: Node, key: str | int | None, fineness: float) -> list[Version]:
        """Return the versions of a piece, each with more tokens and worth than the one before.

        The piece writes `node`, which has the given key in the value; None if it is the value. The
        tokens of two versions differ by at least a share of `fineness`.
        """
        if node.below:
            best = self._add(np.zeros(MOST_TOKENS + 1), node)
            rises = (best[1:] > best[:-1]).nonzero()[0] + 1
            rises = rises[thinned(rises, fineness)]
            pairs = zip(rises.tolist(), best[rises].tolist(), strict=True)
            versions = [self._version(key, node, tokens, worth) for tokens, worth in pairs]
        else:
            versions = self._leaf_versions(key, node)
        return [version for version in versions if len(version.text) <= LINE_CHARACTERS]

    def _leaf_versions(self, key: str | int | None, node: Node) -> list[Version]:
        """Return the versions of a piece that is a leaf; see `_versions`."""
        best: list[LeafForm] = []
        for form in sorted(node.forms, key=lambda form: form.tokens):
            if form.tokens <= MOST_TOKENS and form.worth > (best[-1].worth if best else 0.0):
                if best and best[-1].tokens == form.tokens:
                    best.pop()
                best.append(form)
        bit = self._bits[node.member]
        versions: list[Version] = []
        for form in best:
            text = form.text if key is None else name_with(write_name(str(key)), form.text)
            short = () if form.short is None else (form.short,)
            versions.append(Version(text, form.worth, 1, short, bit, {node: form}))
        return versions

    def _version(self, key: str | int | None, node: Node, tokens: int, worth: float) -> Version:
        """Return the version of a piece with the most worth, which is `worth`, within `tokens`."""
        forms: dict[Node, LeafForm] = {}
        _take_forms(node, tokens, forms)
        facts, bits, shown = 0, 0, set[Member]()
        short: list[Shortened] = []
        for leaf, form in forms.items():
            facts += not leaf.below
            if form.short is not None:
                short.append(form.short)
            member = leaf.member
            shown.add(member.place)
            bits |= self._bits[member]
        text = _written_part(node, forms, shown)
        text = text if key is None else name_with(write_name(str(key)), text)
        return Version(text, worth, facts, short, bits, forms)

    def _add(self, best: Floats, node: Node, *, stays: bool = False) -> Floats:
        """Return `best`, the greatest worth for each number of tokens, with a node added.

        The node may be cut unless it `stays`. Of an array, only the last items may be cut, so that
        the others keep their indexes. The decisions are stored in `Node.chosen`.
        """
        chosen: Ints = np.zeros(len(best), dtype=np.int16)
        most_worth = np.full(len(best), -np.inf) if stays else best.copy()
        if not node.below:
            for number, form in enumerate(node.forms, 1):
                improve_worths(most_worth, best, form.tokens, form.worth, chosen, number)
            node.chosen = chosen.tolist()
            return most_worth
        opening, worth = node.opening, 0.0
        if node.key is not None:
            opening += node.key.forms[-1].tokens
            worth = node.key.forms[-1].worth
        inner = np.full(len(best), -np.inf)
        inner[opening:] = best[: max(0, len(best) - opening)] + worth
        if is_array(node.value):
            for number, child in enumerate(node.children, 1):
                inner = self._add(inner, child, stays=True)
                sign_tokens = int(_has_sign(node, number))
                improve_worths(most_worth, inner, sign_tokens, 0.0, chosen, number)
        else:
            for child in node.children:
                inner = self._add(inner, child)
            improve_worths(most_worth, inner, 0, 0.0, chosen, 1)
        node.chosen = chosen.tolist()
        return most_worth

    # What is left

    def note_texts(self, taken: Sequence[Version]) -> tuple[NoteText, ...]:
        """Return the texts that a note may have on the missing parts."""
        kept = 0
        for version in taken:
            kept |= version.member_bits
        return self._naming.note_texts(kept)

    def names(self, left: object) -> tuple[str, ...]:
        """Return the names of what `left` lacks of the value."""
        return cut_names(self._root.value, left)

    def kept_data(self, taken: Sequence[Version]) -> Any:
        """Return what the chosen versions of pieces leave of the value."""
        forms = {self._root: _OPENED}
        for version in taken:
            forms |= version.forms
        return _kept_part(self._root, forms, ())


@frozen(eq=False)
class ValueLine:
    """A value on one line: pieces, separated by blanks.

    Each piece is written in one of its versions or cut, so a line represents many options.
    """

    format: str
    head: str
    end: str
    """`head` comes before the first piece, `end` after the last."""
    pieces: Sequence[Sequence[Version]]
    """The versions of each piece, those of fewer tokens first."""
    facts: int
    """The facts of the whole value."""
    leaves: Leaves
    """The value's leaves, of which versions keep some."""
    tail: str = ""
    """A fragment after the notes."""

    def hints(self, taken: Sequence[Version]) -> tuple[Overflow, ...]:
        """Return the notes on what is missing from the chosen versions."""
        missing = self.facts
        forms: list[Shortened] = []
        for version in taken:
            missing -= version.facts
            forms += version.short
        return notes(Overflow(missing, self.facts, "facts"), forms)

    def note(self, taken: Sequence[Version]) -> str:
        """Return the lines that say what is missing from the chosen versions."""
        if any(version.short for version in taken):
            return CutPart(self.hints(taken)).note
        missing = self.facts - sum([version.facts for version in taken])
        return _note_on_facts(missing, self.facts) if missing else ""

    def note_texts(self, taken: Sequence[Version]) -> tuple[NoteText, ...]:
        """Return the texts that the first note may have besides the number of missing facts."""
        return self.leaves.note_texts(taken)

    def option(self, taken: Sequence[Version]) -> Option:
        """Return the option that writes the chosen versions."""
        hints, left = self.hints(taken), self.leaves.kept_data(taken)
        part = CutPart(hints, self.leaves.names(left), self.note_texts(taken))
        text = self.head + " ".join(version.text for version in taken) + self.end
        worth = sum(version.worth for version in taken)
        return Option(self.format, (text, part.note), worth, tail=self.tail, part=part, left=left)

    def texts(self) -> list[str]:
        """Return the texts of all versions of all pieces, with the blank before each."""
        return [f" {version.text}" for piece in self.pieces for version in piece]

    def with_line_above(self, above: str) -> ValueLine:
        """Return this line with another line above it."""
        return replace(self, head=above + self.head)

    def in_codes(self, phrases: Dictionary) -> ValueLine:
        """Return this line with phrases written as codes."""
        pieces = [
            [version._replace(text=phrases.write(version.text)) for version in versions]
            for versions in self.pieces
        ]
        return replace(self, pieces=pieces)


@lru_cache(maxsize=4096)
def _note_on_facts(missing: int, total: int) -> str:
    """Return the line that says how many facts are missing."""
    return f"{Overflow(missing, total, 'facts')}\n"


def _has_sign(node: Node, size: int) -> bool:
    """Whether ``…`` ends an array of which only the first `size` items are written.

    A list of scalars that fills the line needs none: the note below counts its missing items.
    """
    is_counted = not (node.member.above or any(child.below for child in node.below.values()))
    return size < len(node.value) and not is_counted


def _take_forms(node: Node, tokens: int, kept: dict[Node, LeafForm]) -> int:
    """Choose the best forms within `tokens`, store them in `kept`, and return the tokens left."""
    number = node.chosen[tokens]
    if not number:
        return tokens
    if not node.below:
        form = kept[node] = node.forms[number - 1]
        return tokens - form.tokens
    children = node.children
    if is_array(node.value):
        children = children[:number]
        tokens -= _has_sign(node, number)
    for child in reversed(children):
        if child.below:
            tokens = _take_forms(child, tokens, kept)
        elif number := child.chosen[tokens]:
            form = kept[child] = child.forms[number - 1]
            tokens -= form.tokens
    kept[node] = _OPENED
    if node.key is not None:
        form = kept[node.key] = node.key.forms[-1]
        tokens -= form.tokens
    return tokens - node.opening


def _set_key(records: Sequence[Node]) -> None:
    """Set the key of an array's records, such as ``id``, if they have one.

    A code that nobody reads, such as a hash, is no key if the records have other columns.
    """
    rows = range(len(records))
    columns: list[tuple[str, list[Any], range]] = []
    for name in records[0].below:
        values = [
            child.value for record in records if (child := record.below.get(name)) is not None
        ]
        if len(values) == len(records):
            columns.append((str(name), values, rows))
    key = key_of(columns, [0] * len(records))
    if key is not None and not (len(columns) > 1 and is_code(columns[key][1])):
        for record in records:
            record.key = record.below[columns[key][0]]
            record.children = [child for child in record.children if child is not record.key]


def _kept_value(node: Node, forms: Mapping[Node, LeafForm], shown: Container[Member]) -> Any:
    """Return the kept part of a leaf or container; see `_kept_part`."""
    if node.below:
        return _kept_part(node, forms, shown)
    short = forms[node].short
    return node.value if short is None else short.text


def _kept_part(node: Node, forms: Mapping[Node, LeafForm], shown: Container[Member]) -> Any:
    """Return the kept part of a container of which something is kept.

    A member that was cut is `CUT` if its place is in `shown`, else it is absent. If `shown` is not
    empty, one `CUT` also marks all items of an array, or named records, that were cut.
    """
    if is_array(node.value):
        items = [_kept_value(child, forms, shown) for child in node.children if child in forms]
        return [*items, CUT] if shown and _has_sign(node, len(items)) else items
    members: dict[Any, Any] = {}
    is_named = node.is_named
    below, names = node.below, node.member.below
    for key in node.value:
        child = below.get(key)
        if child is not None and child in forms:
            members[key] = _kept_value(child, forms, shown)
        elif not is_named and (member := names.get(key)) is not None and member.place in shown:
            members[key] = CUT
    if shown and len(members) < len(node.value) and is_named:
        members.setdefault(CUT_WORD, CUT)
    return left_of(node.value, members)


def _written_part(node: Node, forms: Mapping[Node, LeafForm], shown: Container[Member]) -> str:
    """Return the kept part of a container in flow notation; see `_kept_part`.

    Records, which may become a table, are written from their data. All else is put together from
    the texts of leaves.
    """
    if is_array(node.value):
        kept = [child for child in node.children if child in forms]
        if len(kept) > 1 and sum(is_object(child.value) for child in kept) > 1:
            return Flow(None).value(_kept_part(node, forms, shown))
        return f"[{_written_items(node, kept, forms, shown)}]"
    value: dict[str, Any] = node.value
    kept = [child for child in node.below.values() if child in forms]
    is_table = len(kept) > 1 and all(child.below and is_object(child.value) for child in kept)
    if is_table or isinstance(value, CutObject) or CUT_WORD in value:
        return Flow(None).value(_kept_part(node, forms, shown))
    parts: list[str] = []
    below, names = node.below, node.member.below
    for key in value:
        child = below.get(key)
        if child is not None and (form := forms.get(child)) is not None:
            text = _written_part(child, forms, shown) if child.below else form.text
            parts.append(name_with(write_name(key), text))
        elif not node.is_named and (member := names.get(key)) is not None and member.place in shown:
            parts.append(f"{write_name(key)} {CUT_WORD}")
    if shown and node.is_named and len(kept) < len(value):
        parts.append(CUT_WORD)
    return f"{{{' '.join(parts)}}}"


def _written_items(
    node: Node, kept: Sequence[Node], forms: Mapping[Node, LeafForm], shown: Container[Member]
) -> str:
    """Return the text of the kept items of an array that is no table; see `_kept_part`."""
    parts = [
        _written_part(child, forms, shown) if child.below else forms[child].text for child in kept
    ]
    if shown and _has_sign(node, len(kept)):
        parts.append(CUT_WORD)
    return join_cells([f"{part} " for part in parts]).removesuffix(" ")


def _shorter_forms(value: object, request: str | None) -> Iterator[Shortened]:
    """Yield the shorter forms of a long text, the shortest first; other values have none."""
    if isinstance(value, str) and len(value) > SHORTEST:
        most = min(len(value), LINE_CHARACTERS)
        yield from shortener(value, request).forms(sizes(SHORTEST, RATIO, most))

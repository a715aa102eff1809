"""The menu: an and-or tree of what may be written, each option as fragments of text.

A *class* is a point of choice: a value, an array of records, a block of text. Exactly one of its
*options* is taken, or the class is cut. There are four kinds of options:

- `Option` writes fragments. One without children writes its class; one with children opens it:
  each child is a class in its turn, and a hint says how many children were cut.
- `Rows` writes a block of rows, any of which may be left out: a table, a list, lines. It stands
  for as many options as there are sets of rows worth choosing, which prices decide
  (`mckp.menu.tabulate`).
- `Widening` writes a block of rows of which some have more columns than the others: an option
  for each number of them.
- `Line` writes a value on a line with some of what is in it: an option for each of many sets.

A menu is made once, before anything is solved, and never changed.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeAlias

from mckp.encoders.hints import UNTOLD, Overflow
from mckp.encoders.words import is_word
from mckp.jsontext import dump
from mckp.menu.shorten import notes
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mckp.menu.more import More
    from mckp.menu.naming import Groups
    from mckp.menu.shorten import Shortened


class Told(NamedTuple):
    """What a note may say of the parts that were left out, and what saying so is worth.

    It has names of the most valuable parts, and what is exceptional in them.
    """

    text: str
    worth: float


class Gap(NamedTuple):
    """A run of lines that are missing, counted from 1, and the tokens of what is missing."""

    first: int
    last: int
    tokens: int


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What an option leaves out of its class, such as three columns of a table."""

    hints: tuple[Overflow, ...]
    """The notes that say so, which the option's text has."""
    names: tuple[str, ...] = ()
    """The names of what was left out, such as ``labels[*].url``."""
    told: tuple[Told, ...] = ()
    """What the first note may say beside the number: one of these."""
    gaps: tuple[Gap, ...] = ()
    """The lines that are missing, in the order of their marks in the text."""
    lines: int = 0
    """Of how many lines these are."""

    @property
    def note(self) -> str:
        """The lines that tell what is missing."""
        return "".join(f"{hint}\n" for hint in self.hints)


@dataclass(frozen=True, slots=True, eq=False)
class _Written:
    """What `Option` and `Rows` share. *Parts* are the children of the one and rows of the other."""

    format: str
    fragments: tuple[str, ...]
    """The text above the parts. Each is a fragment (`mckp.tokenizers.is_fragment`), unless it is
    the whole document."""
    worth: float = 0.0
    """Worth of these fragments alone, without the parts: of a heading, or of a whole leaf."""
    _: KW_ONLY
    below: bool = False
    """Whether the text is a block, which stands below all lines of its parent."""
    unit: str = ""
    """The word for the parts in a hint, such as ``rows``."""
    hint_end: str = "\n"
    """Line feeds after the hint."""
    tail: str = ""
    """A fragment after the parts and the hint, such as a closing fence or a note."""
    part: Part | None = None
    """What is left out, None if nothing is; of rows, what all of them lack."""
    is_partial: bool = False
    """Whether the option is only for cases in which a part is cut."""
    more: More | None = None
    """The call that fetches the missing parts."""

    def telling(self, number: int) -> Self:
        """Return the option that says one of `Part.told` in its note.

        The note ends a fragment or begins the tail.
        """
        assert self.part is not None, "something is left out"
        remark, worth = self.part.told[number]
        first, *further = self.part.hints
        part = Part((replace(first, more=remark), *further), self.part.names)
        old, new_note = self.part.note, part.note
        fragments = tuple(
            text.removesuffix(old) + new_note if text.endswith(old) else text
            for text in self.fragments
        )
        is_below = fragments == self.fragments
        tail = new_note + self.tail.removeprefix(old) if is_below else self.tail
        return replace(self, fragments=fragments, tail=tail, worth=self.worth + worth, part=part)


@dataclass(frozen=True, slots=True, eq=False)
class Option(_Written):
    """One way to write a class."""

    children: tuple[MenuClass, ...] = ()
    """Classes that exist only if this option is taken, in document order."""
    _: KW_ONLY
    kept: Callable[[], Any] | None = None
    """Returns the data that a reader gets; given if and only if `part` is."""
    named: Callable[[], Mapping[str, float]] = dict[str, float]
    """Returns, by the key of a child, what it is worth to name that child in the hint if it is cut.
    A function, since without a budget nothing is cut."""
    head: Callable[[int], str] | None = None
    """Returns the first line for a number of kept children, which stands in place of a hint. All
    these lines have the same number of tokens."""

    def hint(self, missing: int, more: str | None = None) -> str:
        """Return the line that says how many children are missing, and which."""
        if self.head is not None:
            return ""
        return str(Overflow(missing, len(self.children), self.unit, more)) + self.hint_end


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Rows(_Written):
    """A block of rows, any of which may be left out."""

    rows: Sequence[str]
    """The text of each row, a fragment."""
    worths: Sequence[float]
    keys: Sequence[str | int]
    """The last step of each row's path: an index, or the name of a record."""
    kept: Callable[[Sequence[int]], Any]
    """Returns the data that a reader gets, for the ascending numbers of the kept rows."""
    pinned: frozenset[int] = frozenset()
    has_indexes: bool = False
    """Whether `keys` are indexes, by which the hint says where rows are missing."""
    groups: Callable[[], Groups | None] | None = None
    """Returns the groups of the rows, if the hint may count the missing rows of each group. A
    function, since without a budget no row is cut."""

    names: Callable[[], Sequence[str] | None] | None = None
    """Returns the name of each row, if the hint may name the missing ones."""

    def hint(self, missing: int, call: str | None = None) -> str:
        """Return the line that says how many rows are missing, and how to get them."""
        total = None if self.unit in UNTOLD else len(self.rows)
        return str(Overflow(missing, total, self.unit, call)) + self.hint_end


class Lost(NamedTuple):
    """What kept rows lack. It depends on how many rows are full, and how many are kept."""

    hints: Callable[[int, int], tuple[Overflow, ...]]
    """Returns the notes for these two numbers, which is all that the price needs."""
    names: Callable[[int, int], Iterable[str]]
    """Returns the names of what was left out, for these two numbers."""
    told: tuple[Told, ...]
    """What the first note may say beside the number: one of these."""

    def part(self, full: int, kept: int) -> Part:
        """Return what is left out if `full` rows are full and `kept` are kept."""
        return Part(self.hints(full, kept), tuple(self.names(full, kept)), self.told)


@dataclass(frozen=True, slots=True, eq=False)
class Widening:
    """A block of rows: some are full, others have fewer columns (are *bare*), the rest are cut.

    It stands for many options, one for each pair of numbers: of full rows and of kept rows.
    """

    format: str
    fragments: tuple[str, ...]
    full: Sequence[str]
    bare: Sequence[str]
    """The text of each row: `full` with all the columns, `bare` with those that all rows have."""
    full_worths: Sequence[float]
    bare_worths: Sequence[float]
    keys: Sequence[str | int]
    order: Sequence[int]
    """All rows: the first of these are full, and the next ones bare."""
    lost: Lost
    """What is left out of the kept rows; its notes stand below them."""
    kept: Callable[[int, int], Any]
    """Returns the data that a reader gets, for the numbers of full and of kept rows."""
    tail: str = ""
    """A fragment after the notes."""
    keeps_all: bool = False
    """Whether no row may be cut."""

    def option(self, full: int, kept: int) -> Rows:
        """Return the option in which so many rows are full, and so many are kept."""
        part, of = self.lost.part(full, kept), self.kept
        rows, worths = list(self.bare), list(self.bare_worths)
        for row in self.order[:full]:
            rows[row], worths[row] = self.full[row], self.full_worths[row]
        return Rows(
            self.format,
            self.fragments,
            rows=rows,
            worths=worths,
            keys=self.keys,
            unit="rows",
            kept=lambda rows: of(full, len(rows)),
            below=True,
            tail=part.note + self.tail,
            part=part,
        )


class Version(NamedTuple):
    """One way to write a piece of a line."""

    text: str
    worth: float
    facts: int
    short: Sequence[Shortened]
    """Those of its texts that are shortened."""
    kept: Mapping[Any, Any]
    """What is kept of each node, as `mckp.menu.line` has it."""


_COUNTED: Final = regex(r"\[([0-9]+)\]\Z")


def above_notes(text: str) -> str:
    """Return a document on a line, changed if a reader would take it for a header above notes.

    An array of one number looks like the header of a block: ``[7]`` becomes ``[ 7]``. So does an
    array of a string of digits, which gets quotes: ``[007]`` becomes ``["007"]``.
    """
    item = _COUNTED.match(text.rstrip())
    if item is None:
        return text
    return f"[{dump(item[1])}{text[item.end(1) :]}" if is_word(item[1]) else f"[ {text[1:]}"


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A value on one line: pieces with a blank between. Each piece has versions, or may be cut.

    It stands for many options, one for each choice of versions.
    """

    format: str
    head: str
    end: str
    """`head` stands before the first piece, `end` behind the last."""
    pieces: Sequence[Sequence[Version]]
    """The versions of each piece, those of fewer tokens first."""
    facts: int
    """The facts of the whole value."""
    part: Callable[[Sequence[Version], tuple[Overflow, ...]], Part]
    """Returns what is left out, for the chosen versions and the notes."""
    told: Callable[[Sequence[Version]], tuple[Told, ...]]
    """Returns what the first note may say beside the number, for the chosen versions."""
    kept: Callable[[Sequence[Version]], Any]
    """Returns the data that a reader gets, for the chosen versions."""
    tail: str = ""
    """A fragment after the notes."""

    def hints(self, taken: Sequence[Version]) -> tuple[Overflow, ...]:
        """Return the notes on what the chosen versions lack."""
        missing = self.facts - sum(version.facts for version in taken)
        forms = (form for version in taken for form in version.short)
        return notes(Overflow(missing, self.facts, "facts"), forms)

    def option(self, taken: Sequence[Version]) -> Option:
        """Return the option that writes the chosen versions."""
        hints = self.hints(taken)
        part = replace(self.part(taken, hints), told=self.told(taken))
        text = self.head + " ".join(version.text for version in taken) + self.end
        worth = sum(version.worth for version in taken)
        kept = partial(self.kept, taken)
        return Option(self.format, (text, part.note), worth, tail=self.tail, part=part, kept=kept)


AnyOption: TypeAlias = Option | Rows
Series: TypeAlias = Widening | Line
"""It stands for many options; one is made when it is chosen."""


@dataclass(frozen=True, slots=True, eq=False)
class MenuClass:
    """A point of choice."""

    key: str | int | None
    """The last step of its path; None for the document."""
    content: Any
    """The value that is written: plain data, or a `TreeNode` of a text document."""
    worth: float
    options: tuple[AnyOption, ...]
    """Of equally good options the first is taken. At least one writes all of the class."""
    is_pinned: bool = False
    """Whether it, or something in it, is pinned and so must stay."""
    narrower: Callable[[], Iterable[AnyOption | Series]] | None = None
    """Returns further options, which write a part of the class. They do not depend on the budget;
    a function, since without a budget nobody asks for them."""
    above: str | None = None
    """If the class may be cut by lines: what stands above its first line if that is kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Menu:
    """All that may be written of one document."""

    root: MenuClass
    missing: Overflow
    """The hint that stands for the document when no part of it fits."""

    @property
    def nothing(self) -> str:
        """The text of a document of which nothing fits."""
        return f"{self.missing}\n"

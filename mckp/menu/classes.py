"""The menu: an and-or tree of what may be written, each option as fragments of text.

A *class* is a point of choice: a value, an array of records, a block of text. Exactly one of its
*options* is taken, or the class is cut. There are four kinds of options:

- `Option` writes fragments. One without children writes its class; one with children opens it:
  each child is a class in its turn, and a hint says how many children were cut.
- `Rows` writes a block of rows, any of which may be left out: a table, a list, lines. It stands
  for as many options as there are sets of rows worth choosing, which prices decide
  (`mckp.menu.tabulate`).
- `Widening` writes a block of rows of which the first have more columns than the others: an option
  for each number of them.
- `Line` writes a value on a line with some of what is in it: an option for each of many sets.

A menu is made once, before anything is solved, and never changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from mckp.encoders.hints import UNTOLD, Overflow
from mckp.menu.shorten import notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from mckp.menu.groups import Groups
    from mckp.menu.more import More
    from mckp.menu.shorten import Shortened


def no_groups() -> None:
    """Return that rows fall into no groups."""


class Told(NamedTuple):
    """Names of what was left out that is worth most, and what it is worth to tell them."""

    names: tuple[str, ...]
    worth: float


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What an option leaves out of its class, wherever in it that stands.

    Attributes
    ----------
    hints : tuple of Overflow
        The notes that say so. The option's fragments hold them.
    names : tuple of str
        What was left out, if it has names.
    told : Told or None
        What the first note may say besides.
    """

    hints: tuple[Overflow, ...]
    names: tuple[str, ...] = ()
    told: Told | None = None

    @property
    def note(self) -> str:
        """The lines that tell what is missing."""
        return "".join(f"{hint}\n" for hint in self.hints)

    def telling(self) -> tuple[Part, float]:
        """Return the same with the names in the first note, and what these are worth."""
        assert self.told is not None, "there are names"
        first, *others = self.hints
        return Part(
            (replace(first, more=" ".join(self.told.names)), *others), self.names
        ), self.told.worth


@dataclass(frozen=True, slots=True, eq=False)
class Option:
    """One way to write a class.

    Attributes
    ----------
    format : str
        The format's name.
    fragments : tuple of str
        The option's own text. Each is a fragment in the sense of
        `mckp.tokenizers.is_fragment`, unless the option is the whole document.
    worth : float
        Worth of the option's own text, without its children: all that a leaf keeps, or that of
        a heading.
    children : tuple of MenuClass
        Classes that exist only if this option is taken, in document order.
    below : bool
        Whether the text is a block that comes after the lines of its parent.
    unit : str
        What the children are called in a hint.
    hint_end : str
        Line feeds after the hint.
    tail : str
        A fragment after the children's lines and the hint, such as a closing fence.
    part : Part or None
        What is left out, if the option does not write all of its class.
    kept : callable or None
        Returns what a reader gets of the class, where that is not its content: given if
        and only if `part` is given.
    is_partial : bool
        Whether the option serves only where a child is cut; another writes the class whole.
    more : More or None
        The call that gets children that are missing.
    named : callable
        Returns what it is worth that the hint calls a child that was cut by its name, by its key.
        A function, since without a budget nothing is cut.
    head : callable or None
        From how many children are kept to a first line that tells it, in place of a hint. Its
        tokens are the same for all numbers.
    """

    format: str
    fragments: tuple[str, ...]
    worth: float = 0.0
    children: tuple[MenuClass, ...] = ()
    below: bool = False
    unit: str = ""
    hint_end: str = "\n"
    tail: str = ""
    part: Part | None = None
    kept: Callable[[], Any] | None = None
    is_partial: bool = False
    more: More | None = None
    named: Callable[[], Mapping[str, float]] = dict[str, float]
    head: Callable[[int], str] | None = None

    def hint(self, missing: int, more: str | None = None) -> str:
        """Return the line that says how many children are missing, and which."""
        if self.head is not None:
            return ""
        return str(Overflow(missing, len(self.children), self.unit, more)) + self.hint_end

    def telling(self) -> Option:
        """Return the same option with the names of its part in the note, which ends a fragment."""
        assert self.part is not None, "something is left out"
        part, worth = self.part.telling()
        fragments, note = list(self.fragments), self.part.note
        place = next(n for n, text in enumerate(fragments) if text.endswith(note))
        fragments[place] = fragments[place].removesuffix(note) + part.note
        return replace(
            self,
            fragments=tuple(fragments),
            worth=self.worth + worth,
            part=part,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A block of rows, any of which may be left out.

    Attributes
    ----------
    format : str
        The format's name.
    fragments : tuple of str
        What stands above the rows, such as a header.
    rows : sequence of str
        The text of each row: a fragment.
    worths : sequence of float
        The worth of each row.
    keys : sequence of str or int
        The last step of each row's path.
    unit : str
        What rows are called in a hint.
    kept : callable
        From the numbers of the rows that are kept, ascending, to what a reader gets of the class.
    worth : float
        Worth of what stands above the rows.
    below : bool
        Whether the text is a block that comes after the lines of its parent.
    hint_end : str
        Line feeds after the hint.
    tail : str
        A fragment after the rows and the hint, such as a closing fence or a note.
    part : Part or None
        What is left out of all rows, if anything is. Its notes stand in `tail`.
    pinned : frozenset of int
        Rows that must stay.
    is_partial : bool
        Whether the block serves only where a row is cut; another option writes the class whole.
    more : More or None
        The call that gets rows that are missing.
    groups : callable
        Returns the groups that rows fall into, if the hint may tell how many of each are missing.
        A function, since without a budget none are.
    """

    format: str
    fragments: tuple[str, ...]
    rows: Sequence[str]
    worths: Sequence[float]
    keys: Sequence[str | int]
    unit: str
    kept: Callable[[Sequence[int]], Any]
    worth: float = 0.0
    below: bool = False
    hint_end: str = "\n"
    tail: str = ""
    part: Part | None = None
    pinned: frozenset[int] = frozenset()
    is_partial: bool = False
    more: More | None = None
    groups: Callable[[], Groups | None] = no_groups

    def hint(self, missing: int, call: str | None = None) -> str:
        """Return the line that says how many rows are missing, and how to get them."""
        total = None if self.unit in UNTOLD else len(self.rows)
        return str(Overflow(missing, total, self.unit, call)) + self.hint_end

    def telling(self) -> Rows:
        """Return the same rows with the names of their part in the note, which begins the tail."""
        assert self.part is not None, "something is left out"
        part, worth = self.part.telling()
        tail = part.note + self.tail.removeprefix(self.part.note)
        return replace(self, worth=self.worth + worth, tail=tail, part=part)


class Lost(NamedTuple):
    """What rows lack, by how many of them are full and how many are kept.

    Attributes
    ----------
    hints : callable
        From these two numbers to the notes. The price needs no more.
    names : callable
        From these to what was left out.
    told : Told or None
        What the first note may say besides.
    """

    hints: Callable[[int, int], tuple[Overflow, ...]]
    names: Callable[[int, int], Iterable[str]]
    told: Told | None

    def part(self, full: int, kept: int) -> Part:
        """Return what is left out."""
        return Part(self.hints(full, kept), tuple(self.names(full, kept)), self.told)


@dataclass(frozen=True, slots=True, eq=False)
class Widening:
    """A block of rows of which the first have more columns than the others, and the last are cut.

    It stands for options in which some rows are full, some more are bare, and the rest are cut.

    Attributes
    ----------
    format : str
        The format's name.
    fragments : tuple of str
        What stands above the rows.
    full, bare : sequence of str
        The text of each row with all the columns, and with those that all rows have.
    full_worths, bare_worths : sequence of float
        The worth of each.
    keys : sequence of str or int
        The last step of each row's path.
    lost : Lost
        What is left out of the rows that are kept; its notes stand below the rows.
    kept : callable
        From the same to what a reader gets of the class.
    tail : str
        A fragment after the notes.
    keeps_all : bool
        Whether no row may be cut.
    """

    format: str
    fragments: tuple[str, ...]
    full: Sequence[str]
    bare: Sequence[str]
    full_worths: Sequence[float]
    bare_worths: Sequence[float]
    keys: Sequence[str | int]
    lost: Lost
    kept: Callable[[int, int], Any]
    tail: str = ""
    keeps_all: bool = False

    def option(self, full: int, kept: int) -> Rows:
        """Return the rows of which the first are full and the others bare, for some to be kept."""
        part, of = self.lost.part(full, kept), self.kept
        return Rows(
            self.format,
            self.fragments,
            (*self.full[:full], *self.bare[full:]),
            (*self.full_worths[:full], *self.bare_worths[full:]),
            self.keys,
            "rows",
            lambda rows: of(full, len(rows)),
            below=True,
            tail=part.note + self.tail,
            part=part,
        )


class Version(NamedTuple):
    """One way to write a piece of a line.

    Attributes
    ----------
    text : str
        The piece.
    worth : float
        What it is worth.
    facts : int
        How many facts it keeps.
    short : sequence of Shortened
        Its texts that are shortened.
    columns : set of tuple
        The paths of the leaves that it keeps, and of what they stand in.
    kept : mapping
        What is kept, as who made the line knows it.
    """

    text: str
    worth: float
    facts: int
    short: Sequence[Shortened]
    columns: AbstractSet[tuple[str, ...]]
    kept: Mapping[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A value on one line: pieces side by side with a blank between, each in a version or cut.

    It stands for an option for each choice of versions.

    Attributes
    ----------
    format : str
        The format's name.
    head, end : str
        What stands before the first piece and behind the last.
    pieces : sequence of sequences of Version
        The versions of each piece, those of fewer tokens first.
    facts : int
        Facts of the whole value.
    part : callable
        From the versions that are taken and the notes to what is left out.
    told : callable
        From the versions to the names that the first note may tell.
    kept : callable
        From the versions to what a reader gets of the class.
    tail : str
        A fragment after the notes.
    """

    format: str
    head: str
    end: str
    pieces: Sequence[Sequence[Version]]
    facts: int
    part: Callable[[Sequence[Version], tuple[Overflow, ...]], Part]
    told: Callable[[Sequence[Version]], Told | None]
    kept: Callable[[Sequence[Version]], Any]
    tail: str = ""

    def hints(self, taken: Sequence[Version]) -> tuple[Overflow, ...]:
        """Return the notes on what is missing beside some versions."""
        missing = self.facts - sum(version.facts for version in taken)
        forms = (form for version in taken for form in version.short)
        return notes(Overflow(missing, self.facts, "facts"), forms)

    def option(self, taken: Sequence[Version]) -> Option:
        """Return the option of some versions."""
        hints = self.hints(taken)
        part = replace(self.part(taken, hints), told=self.told(taken))
        text = self.head + " ".join(version.text for version in taken) + self.end
        worth = sum(version.worth for version in taken)
        kept = self.kept
        return Option(
            self.format,
            (text, part.note),
            worth,
            tail=self.tail,
            part=part,
            kept=lambda: kept(taken),
        )


AnyOption: TypeAlias = Option | Rows
Series: TypeAlias = Widening | Line
"""What stands for many options, each made when it is chosen."""


@dataclass(frozen=True, slots=True, eq=False)
class MenuClass:
    """A point of choice.

    Attributes
    ----------
    key : str, int or None
        The last step of its path; None for the document.
    content
        What it stands for: a plain value, or a `TreeNode` of a text document.
    worth : float
        What all of it is worth.
    options : tuple of Option or Rows
        In the order in which ties are settled. One at least writes all of the class.
    is_pinned : bool
        Whether it, or something in it, must stay.
    narrower : callable or None
        Returns further options that write a part of the class. They are the same whatever the
        budget; a function, since without a budget nobody asks for them.
    """

    key: str | int | None
    content: Any
    worth: float
    options: tuple[AnyOption, ...]
    is_pinned: bool = False
    narrower: Callable[[], Iterable[AnyOption | Series]] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Menu:
    """All that may be written of one document.

    `missing` is the hint that stands for it when no part of it fits.
    """

    root: MenuClass
    missing: Overflow

    @property
    def nothing(self) -> str:
        """The text of a document of which nothing fits."""
        return f"{self.missing}\n"

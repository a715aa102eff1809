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
    from collections.abc import Set as AbstractSet

    from mckp.menu.more import More
    from mckp.menu.naming import Groups
    from mckp.menu.shorten import Shortened


class Told(NamedTuple):
    """Names of what was left out that is worth most, and what it is worth to tell them."""

    names: tuple[str, ...]
    worth: float


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What an option leaves out of its class, wherever in it that stands."""

    hints: tuple[Overflow, ...]
    """The notes that say so. The option's fragments hold them."""
    names: tuple[str, ...] = ()
    """What was left out, if it has names."""
    told: Told | None = None
    """What the first note may say besides."""

    @property
    def note(self) -> str:
        """The lines that tell what is missing."""
        return "".join(f"{hint}\n" for hint in self.hints)


@dataclass(frozen=True, slots=True, eq=False)
class _Written:
    """What options and blocks of rows have in common; their parts are children or rows."""

    format: str
    fragments: tuple[str, ...]
    """What stands above the parts. Each is a fragment, see `mckp.tokenizers.is_fragment`, unless it
    is the whole document."""
    worth: float = 0.0
    """Worth of these fragments, without the parts: all that a leaf keeps, or that of a heading."""
    _: KW_ONLY
    below: bool = False
    """Whether the text is a block that comes after the lines of its parent."""
    unit: str = ""
    """What the parts are called in a hint."""
    hint_end: str = "\n"
    """Line feeds after the hint."""
    tail: str = ""
    """A fragment after the parts' lines and the hint, such as a closing fence or a note."""
    part: Part | None = None
    """What is left out, if not all of the class is written; of rows, what all of them lack."""
    is_partial: bool = False
    """Whether it serves only where a part is cut; another option writes the class whole."""
    more: More | None = None
    """The call that gets parts that are missing."""

    def telling(self) -> Self:
        """Return the same with names in the note, which ends a fragment or begins the tail."""
        assert self.part is not None, "something is left out"
        assert self.part.told is not None, "there are names"
        names, worth = self.part.told
        first, *others = self.part.hints
        part = Part((replace(first, more=" ".join(names)), *others), self.part.names)
        old, new = self.part.note, part.note
        fragments = tuple(
            text.removesuffix(old) + new if text.endswith(old) else text for text in self.fragments
        )
        is_below = fragments == self.fragments
        tail = new + self.tail.removeprefix(old) if is_below else self.tail
        return replace(self, fragments=fragments, tail=tail, worth=self.worth + worth, part=part)


@dataclass(frozen=True, slots=True, eq=False)
class Option(_Written):
    """One way to write a class."""

    children: tuple[MenuClass, ...] = ()
    """Classes that exist only if this option is taken, in document order."""
    _: KW_ONLY
    kept: Callable[[], Any] | None = None
    """Returns what a reader gets of the class; given if and only if `part` is."""
    named: Callable[[], Mapping[str, float]] = dict[str, float]
    """Returns what it is worth that the hint calls a child that was cut by its name, by its key. A
    function, since without a budget nothing is cut."""
    head: Callable[[int], str] | None = None
    """From how many children are kept to a first line that tells it, in place of a hint. Its tokens
    are the same for all numbers."""

    def hint(self, missing: int, more: str | None = None) -> str:
        """Return the line that says how many children are missing, and which."""
        if self.head is not None:
            return ""
        return str(Overflow(missing, len(self.children), self.unit, more)) + self.hint_end


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Rows(_Written):
    """A block of rows, any of which may be left out."""

    rows: Sequence[str]
    """The text of each row: a fragment."""
    worths: Sequence[float]
    keys: Sequence[str | int]
    """The last step of each row's path."""
    kept: Callable[[Sequence[int]], Any]
    """From the numbers of the rows that are kept, ascending, to what a reader gets of the class."""
    pinned: frozenset[int] = frozenset()
    groups: Callable[[], Groups | None] | None = None
    """Returns the groups that rows fall into, if the hint may tell how many of each are missing. A
    function, since without a budget none are."""

    def hint(self, missing: int, call: str | None = None) -> str:
        """Return the line that says how many rows are missing, and how to get them."""
        total = None if self.unit in UNTOLD else len(self.rows)
        return str(Overflow(missing, total, self.unit, call)) + self.hint_end


class Lost(NamedTuple):
    """What rows lack, by how many of them are full and how many are kept."""

    hints: Callable[[int, int], tuple[Overflow, ...]]
    """From these two numbers to the notes. The price needs no more."""
    names: Callable[[int, int], Iterable[str]]
    """From these to what was left out."""
    told: Told | None
    """What the first note may say besides."""

    def part(self, full: int, kept: int) -> Part:
        """Return what is left out."""
        return Part(self.hints(full, kept), tuple(self.names(full, kept)), self.told)


@dataclass(frozen=True, slots=True, eq=False)
class Widening:
    """A block of rows of which the first have more columns than the others, and the last are cut.

    It stands for options in which some rows are full, some more are bare, and the rest are cut.
    """

    format: str
    fragments: tuple[str, ...]
    full: Sequence[str]
    bare: Sequence[str]
    """The text of each row: `full` with all the columns, `bare` with those that all rows have."""
    full_worths: Sequence[float]
    bare_worths: Sequence[float]
    keys: Sequence[str | int]
    lost: Lost
    """What is left out of the rows that are kept; its notes stand below the rows."""
    kept: Callable[[int, int], Any]
    """From how many are full and how many kept to what a reader gets of the class."""
    tail: str = ""
    """A fragment after the notes."""
    keeps_all: bool = False
    """Whether no row may be cut."""

    def option(self, full: int, kept: int) -> Rows:
        """Return the rows of which the first are full and the others bare, for some to be kept."""
        part, of = self.lost.part(full, kept), self.kept
        return Rows(
            self.format,
            self.fragments,
            rows=(*self.full[:full], *self.bare[full:]),
            worths=(*self.full_worths[:full], *self.bare_worths[full:]),
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
    """Its texts that are shortened."""
    columns: AbstractSet[tuple[str, ...]]
    """The paths of the leaves that it keeps, and of what they stand in."""
    kept: Mapping[Any, Any]
    """What is kept, for who made the line."""


_COUNTED: Final = regex(r"\[([0-9]+)\]\Z")


def above_notes(text: str) -> str:
    """Return a document on a line so that it is read as such with notes below it.

    An array of one number looks like the header of a block, and so does one of a string of
    digits: only those with a zero in front stand without quotes.
    """
    item = _COUNTED.match(text.rstrip())
    if item is None:
        return text
    return f"[{dump(item[1])}{text[item.end(1) :]}" if is_word(item[1]) else f"[ {text[1:]}"


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A value on one line: pieces side by side with a blank between, each in a version or cut.

    It stands for an option for each choice of versions.
    """

    format: str
    head: str
    end: str
    """`head` stands before the first piece, `end` behind the last."""
    pieces: Sequence[Sequence[Version]]
    """The versions of each piece, those of fewer tokens first."""
    facts: int
    """Those of the whole value."""
    part: Callable[[Sequence[Version], tuple[Overflow, ...]], Part]
    """From the versions that are taken and the notes to what is left out."""
    told: Callable[[Sequence[Version]], Told | None]
    """From the versions to the names that the first note may tell."""
    kept: Callable[[Sequence[Version]], Any]
    """From the versions to what a reader gets of the class."""
    tail: str = ""
    """A fragment after the notes."""

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
        kept = partial(self.kept, taken)
        return Option(self.format, (text, part.note), worth, tail=self.tail, part=part, kept=kept)


AnyOption: TypeAlias = Option | Rows
Series: TypeAlias = Widening | Line
"""What stands for many options, each made when it is chosen."""


@dataclass(frozen=True, slots=True, eq=False)
class MenuClass:
    """A point of choice."""

    key: str | int | None
    """The last step of its path; None for the document."""
    content: Any
    """What it stands for: a plain value, or a `TreeNode` of a text document."""
    worth: float
    options: tuple[AnyOption, ...]
    """In the order in which ties are settled. One at least writes all of the class."""
    is_pinned: bool = False
    """Whether it, or something in it, must stay."""
    narrower: Callable[[], Iterable[AnyOption | Series]] | None = None
    """Returns further options that write a part of the class. They are the same whatever the
    budget; a function, since without a budget nobody asks for them."""


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

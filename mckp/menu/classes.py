"""The menu: an and-or tree of options, each as fragments of text.

A *class* is a point of choice: a value, an array of records, a block of text. Exactly one of its
*options* is taken, or the class is cut. There are two kinds of options:

- `Option` writes fragments. One without children writes its class; one with children opens it:
  each child is a class in its turn, and a hint says how many children were cut.
- `RowsOption` writes a block of rows, any of which may be left out: a table, a list, lines. It
  represents as many options as there are sets of rows worth choosing, which prices decide
  (`mckp.menu.tabulate`).

A menu is made once, before anything is solved, and never changed. It is data: what is written of a
class, and the *plan* of how parts of it could be. What a plan leads to is found by the step `cuts`
(`mckp.menu.cuts.cuts`), and only if a budget asks for it.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, Self, TypeAlias

from mckp.encoders.hints import WITHOUT_TOTAL, Overflow
from mckp.encoders.words import is_word
from mckp.frozen import frozen
from mckp.jsontext import dump
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.encoders.dictionary import Dictionary
    from mckp.menu.cuts.parts import Floats
    from mckp.menu.more import More
    from mckp.menu.values import Values
    from mckp.texts import Outline


class NoteText(NamedTuple):
    """What a note may say about missing parts, and the worth of saying it.

    The text names the most valuable parts; it may also state their exceptional values.
    """

    text: str
    worth: float


class Gap(NamedTuple):
    """The first and last of a run of missing lines, counted from 1, and the price of the run."""

    first: int
    last: int
    tokens: int


@frozen(eq=False)
class CutPart:
    """What an option leaves out of its class, such as three columns of a table."""

    hints: tuple[Overflow, ...]
    """The notes in the option's text that say so."""
    names: Iterable[str] = ()
    """The names of what was left out, such as ``labels[*].url``; only those of a chosen option are
    read."""
    note_texts: tuple[NoteText, ...] = ()
    """What the first note may say beside the number: one of these."""
    gaps: tuple[Gap, ...] = ()
    """The lines that are missing, in the order of their marks in the text."""
    line_count: int = 0
    """The number of lines of the text that has these gaps."""

    @property
    def note(self) -> str:
        """The text of all hints, each on a line of its own."""
        return "".join(f"{hint}\n" for hint in self.hints)


@frozen(eq=False)
class _Written:
    """Base of `Option` and `RowsOption`. *Parts* are the children of an option, or the rows."""

    format: str
    fragments: tuple[str, ...]
    """The text above the parts. Each is a fragment (`mckp.tokenizers.is_fragment`), unless it is
    the whole document."""
    worth: float = 0.0
    """Worth of these fragments alone, without the parts: of a heading, or of a whole leaf."""
    _: KW_ONLY
    below: bool = False
    """Whether the text is a block, which is below all lines of its parent."""
    unit: str = ""
    """The word for the parts in a hint, such as ``rows``."""
    hint_end: str = "\n"
    """Line feeds after the hint."""
    tail: str = ""
    """A fragment after the parts and the hint, such as a closing fence or a note."""
    part: CutPart | None = None
    """What is left out, None if nothing is; of rows, what all of them lack."""
    more: More | None = None
    """The call that fetches the missing parts."""

    def with_note_text(self, number: int) -> Self:
        """Return this option with the text `CutPart.note_texts[number]` in its note.

        The note ends a fragment or begins the tail. The worth of the text is added to the option's.
        """
        assert self.part is not None, "something is left out"
        note_text, worth = self.part.note_texts[number]
        first, *further = self.part.hints
        more = note_text if first.more is None else f"{first.more} {note_text}"
        part = CutPart((replace(first, more=more), *further), self.part.names)
        old, new_note = self.part.note, part.note
        fragments = tuple(
            text.removesuffix(old) + new_note if text.endswith(old) else text
            for text in self.fragments
        )
        is_in_tail = fragments == self.fragments
        tail = new_note + self.tail.removeprefix(old) if is_in_tail else self.tail
        return replace(self, fragments=fragments, tail=tail, worth=self.worth + worth, part=part)


class CatalogHead(Protocol):
    """A line above a catalog, which says how much of it is kept."""

    @property
    def end(self) -> str:
        """The line below the catalog, or nothing."""
        ...

    def line(self, kept: int, /) -> str:
        """Return the line for a number of kept children; its token count never varies."""
        ...


@frozen(eq=False)
class Option(_Written):
    """One way to write a class."""

    children: tuple[MenuClass, ...] = ()
    """Classes that exist only if this option is taken, in document order."""
    _: KW_ONLY
    left: Any = None
    """The data that a reader gets, if something is left out: if `part` is given."""
    head: CatalogHead | None = None
    """What the first line says of the kept children, in place of a hint."""
    foot: str = ""
    """A fragment below all children, those that are blocks included."""
    keeps_all: bool = False
    """Whether no child may be cut: each has options of its own for what may be left out."""

    def hint(self, missing: int, more: str | None = None) -> str:
        """Return the line that says how many children are missing; empty if `head` says it.

        `more` has the names of some of them.
        """
        if self.head is not None:
            return ""
        return str(Overflow(missing, len(self.children), self.unit, more)) + self.hint_end


class Left(Protocol):
    """The data that a reader gets from a block of rows."""

    def of(self, rows: Sequence[int], /) -> Any:
        """Return what the rows with these ascending numbers hold, as data."""
        ...


@frozen(eq=False, kw_only=True)
class RowsOption(_Written):
    """A block of rows, any of which may be left out."""

    rows: Sequence[str]
    """The text of each row, a fragment."""
    worths: Sequence[float]
    keys: Sequence[str | int]
    """The last step of each row's path: an index, or the name of a record."""
    left: Left
    pinned: frozenset[int] = frozenset()
    has_indexes: bool = False
    """Whether `keys` are indexes, by which the hint says where rows are missing."""
    has_names: bool = False
    """Whether the hint may name the missing rows, or count those of each group."""

    def hint(self, missing: int, more: str | None = None) -> str:
        """Return the line that says how many rows are missing.

        `more` is what it says after the number: a call that fetches them, which rows they are, or
        how many there are of each group.
        """
        total = None if self.unit in WITHOUT_TOTAL else len(self.rows)
        return str(Overflow(missing, total, self.unit, more)) + self.hint_end


_COUNTED: Final = regex(r"\[([0-9]+)\]\Z")


def guard_from_header(text: str) -> str:
    """Return a one-line document, changed if notes below it would make it look like a header.

    An array of one number looks like the header of a block: ``[7]`` becomes ``[ 7]``. So does an
    array of a string of digits, which gets quotes: ``[007]`` becomes ``["007"]``.
    """
    item = _COUNTED.match(text.rstrip())
    if item is None:
        return text
    return f"[{dump(item[1])}{text[item.end(1) :]}" if is_word(item[1]) else f"[ {text[1:]}"


AnyOption: TypeAlias = Option | RowsOption


class Plan:
    """The plain data from which the options for parts of a class are made."""

    __slots__ = ()


class LinesPlan(Plan):
    """A text that is cut by lines."""

    __slots__ = ()


@frozen(eq=False)
class StretchPlan(LinesPlan):
    """Lines of a text between its parts that are data."""

    text: str
    first: int
    """The number of its first line in the text, from 0."""
    total: int
    """The number of lines of the text."""
    outline: Outline
    """What is known of these lines from the text as a whole."""
    weights: Floats
    """The weight of each line."""


class PartsPlan(Plan):
    """A text that is cut by parts, each of which has a plan of its own."""

    __slots__ = ()


@frozen(eq=False)
class BlockPlan(Plan):
    """A part that is data, which may be left out as a gap."""

    first: int
    last: int
    """Its first and last line, counted from 1, with the title and the blank lines below it."""
    total: int
    """The number of lines of the text."""
    title: str
    """The title with its line feed, if the part has one."""


@frozen(eq=False)
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
    plan: Plan | None = None
    """How parts of the class may be written; None if it is whole or cut."""
    phrases: Dictionary | None = None
    """The codes for repeated phrases, if the class and all below it are written with them."""


@frozen(eq=False)
class Menu:
    """Everything that can be written for one document."""

    root: MenuClass
    missing: Overflow
    """The hint that is written in place of the document when no part of it fits."""
    values: Values | None = None
    """What data is written with; None for a text."""
    line: str = ""
    """A line above all texts, which the options of the root have."""
    rules: str = ""
    """Lines with what follows from other values, if anything; see `mckp.encoders.follows`."""
    less: MenuClass | None = None
    """What these rules leave of the document; it is written whole."""
    parts: tuple[Menu, ...] = ()
    """The menus of the parts of a text that are data; see `mckp.menu.parted`."""

    def classes(self) -> Iterator[MenuClass]:
        """Yield all classes; a class comes before those that its options open."""
        pending = [self.root]
        while pending:
            cls = pending.pop()
            yield cls
            for option in cls.options:
                if isinstance(option, Option):
                    pending += option.children

    @property
    def nothing_text(self) -> str:
        """The text of a document if nothing of it fits."""
        return f"{self.missing}\n"

"""The menu: an and-or tree of what may be written, each option as fragments of text.

A *class* is a point of choice: a value, a row, a block of text. One of its *options* is
taken, or the class is cut. An option without children writes the class whole; an option
with children writes what stands around them, and each child is a class in its turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mckp.encoders.hints import Overflow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mckp.menu.more import More
    from mckp.menu.reduction import Family, Reduction


@dataclass(frozen=True, slots=True, eq=False)
class Others:
    """Parts of one value in one format.

    Attributes
    ----------
    family : Family
        The parts.
    write : callable
        From a part to the options that write it.
    """

    family: Family
    write: Callable[[Reduction], Iterable[Option]]

    def offered(self, parts: Iterable[Reduction]) -> Iterator[Option]:
        """Yield the options that write some parts."""
        for part in parts:
            for option in self.write(part):
                option.reduction, option.others = part, self
                yield option


@dataclass(slots=True, eq=False)
class Option:
    """One way to write a class.

    Attributes
    ----------
    format : str
        The format's name.
    fragments : tuple of str
        The option's own text. Each is a fragment in the sense of
        `mckp.tokenizers.is_fragment`, unless the option is the whole document.
    children : tuple of MenuClass
        Classes that exist only if this option is taken, in document order.
    below : bool
        Whether the text is a block that comes after the lines of its parent.
    unit : str
        What the children are called in a hint.
    weight : float
        Information in the option's own text, such as a heading.
    hint_end : str
        Line feeds after the hint.
    tail : str
        A fragment after the children's lines and the hint, such as a closing fence.
    partial : bool
        Whether the option serves only where a child is cut; another writes it whole.
    reduction : Reduction or None
        What part of the class is written, if it is not all of it.
    others : Others or None
        How other parts of the same family are written, if it has one.
    more : More or None
        The call that gets children that are missing.
    """

    format: str
    fragments: tuple[str, ...]
    children: tuple[MenuClass, ...] = ()
    below: bool = False
    unit: str = ""
    weight: float = 0
    hint_end: str = "\n"
    tail: str = ""
    partial: bool = False
    reduction: Reduction | None = None
    others: Others | None = None
    more: More | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the option can write all of its class."""
        return not self.partial and self.reduction is None

    def hint(self, missing: int, call: str | None = None) -> str:
        """Return the line that says how many children are missing, and how to get them."""
        return str(Overflow(missing, len(self.children), self.unit, call)) + self.hint_end

    @property
    def longest_hint(self) -> str:
        """The hint with the most digits and its call, if it has one."""
        total = len(self.children)
        call = None if self.more is None else self.more.call(total, total)
        return self.hint(total, call)


@dataclass(slots=True, eq=False)
class MenuClass:
    """A point of choice.

    Attributes
    ----------
    key : str, int or None
        The last step of its path.
    content
        What it stands for: a plain value, or a `TreeNode` of a text document.
    weight : float
        Information it holds, all that is below it included.
    options : list of Option
        In the order in which ties are settled.
    whole : tuple of (int, Option) or None
        Tokens and option of the cheapest way to write all of it; set by pricing.
    pinned : bool
        Whether it, or something in it, must stay.
    """

    key: str | int | None
    content: Any
    weight: float
    options: list[Option]
    whole: tuple[int, Option] | None = None
    pinned: bool = False


@dataclass(slots=True, eq=False)
class Menu:
    """All that may be written of one document.

    Attributes
    ----------
    root : MenuClass
        The document.
    missing : Overflow
        The hint that stands for the whole document when no part of it fits.
    """

    root: MenuClass
    missing: Overflow

    @property
    def nothing(self) -> str:
        """The text of a document of which nothing fits."""
        return f"{self.missing}\n"

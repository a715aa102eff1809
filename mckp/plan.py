"""What a choice is made from: all that may be written of one document, with prices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    import numpy as np
    from numpy.typing import NDArray

    from mckp.paths import Path
    from mckp.result import Choice, Elided
    from mckp.table import Table


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that may be handed out.

    Attributes
    ----------
    pick
        What was decided, class by class, in the form of its plan.
    text : str
        The text.
    value : float
        Information it keeps.
    """

    pick: Any
    text: str
    value: float


@dataclass(frozen=True, slots=True)
class Offer:
    """The knapsack table of a document under a limit, and what it means.

    Attributes
    ----------
    table : Table
        The table.
    due : array of int64
        What each option owes for a hint beyond its cost, if a class that it opens takes its last
        option, by which it is cut. 0 where that is in the cost.
    container : callable
        Returns, for an option that may owe something, the number by which `Plan.offer` prices
        it exactly.
    draft : callable
        Makes a text of a choice, which is an option for each class of the table, or -1.
    """

    table: Table
    due: NDArray[np.int64]
    container: Callable[[int], int]
    draft: Callable[[Sequence[int]], Draft]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to write a class, as it is priced.

    Attributes
    ----------
    name
        What tells it from others of its class.
    format : str
        The format's name.
    cost : int
        Price of its own text, in units of `Plan.scale`.
    hint : int
        Price of its hint, which is owed if a child is cut.
    value : float
        Information in its own text; all that it keeps if it has no children.
    children : sequence
        The classes that it opens.
    missing : tuple of str
        Names of what it leaves out.
    kept
        What it keeps, as plain data or a tree, if it keeps a part; None otherwise.
    """

    name: Any
    format: str
    cost: int
    hint: int
    value: float
    children: Sequence[Any] = ()
    missing: tuple[str, ...] = ()
    kept: Any = None


class Outlook(Protocol):
    """The classes of a plan, and what a pick decided for each; a class is whatever stands for it.

    Attributes
    ----------
    root
        The class of the document.
    """

    root: Any

    def key(self, cls: Any) -> str | int | None:
        """Return the last step of the path of a class."""
        ...

    def weight(self, cls: Any) -> float:
        """Return the information in a class."""
        ...

    def is_pinned(self, cls: Any) -> bool:
        """Whether a class must stay."""
        ...

    def candidates(self, cls: Any) -> Iterable[Candidate]:
        """Return the ways to write a class."""
        ...

    def taken(self, cls: Any) -> Candidate | None:
        """Return the way that was picked for a class that is reached; None if it was cut."""
        ...

    def spent(self, cls: Any) -> tuple[int, float]:
        """Return price and information of what is written of a class that is reached."""
        ...


class Plan(Protocol):
    """A document with everything that may be written of it.

    `mckp.menu_plan` goes from value to value; `mckp.columns` through arrays, for large documents.
    """

    @property
    def document(self) -> Any:
        """The document: plain data, or the `TreeNode` of a text."""
        ...

    @property
    def total(self) -> float:
        """Information in the document."""
        ...

    @property
    def most(self) -> int:
        """Price of the cheapest way to write everything, in units of `scale`."""
        ...

    scale: int
    """How many units of price are a token."""

    def wholes(self) -> list[Draft]:
        """Return texts of all of the document, one of which is the cheapest."""
        ...

    def nothing(self) -> Draft:
        """Return the text of a document of which nothing fits."""
        ...

    def offer(self, limit: int, exact: AbstractSet[int], near: int | None = None) -> Offer:
        """Return the table under a limit, in which some containers are priced exactly.

        Smaller versions in it are such as take about `near`, or a few of all sizes.
        """
        ...

    def lowest(self, limit: int) -> Offer | None:
        """Return the table in which no hint costs more than it may, None if it is like `offer`."""
        ...

    def refine(self, pick: Any) -> bool:
        """Offer a little more than was picked, until `restore`; tell if there is any."""
        ...

    def restore(self) -> None:
        """Take back what was offered to refine choices."""
        ...

    def verify(self, draft: Draft) -> None:
        """Check that a text reads back as what was chosen, or raise a VerifyError."""
        ...

    def outlook(self, pick: Any) -> Outlook:
        """Return all classes, for who wants to know why."""
        ...

    def choices(self, pick: Any) -> Iterable[Choice]:
        """Return the blocks of a text, in the order of the document."""
        ...

    def elided(self, pick: Any) -> Iterable[Elided]:
        """Return what was cut, container by container, in the order of the document."""
        ...

    def hints(self, pick: Any) -> Iterable[tuple[Path, str]]:
        """Return paths and kinds of what was cut, in the order of the hints in the text."""
        ...

"""What an option of the knapsack table means: an option of the menu, or of a series."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mckp.menu.classes import AnyOption


class Meaning(NamedTuple):
    """The meaning of an option of the table."""

    option: AnyOption | None
    """The menu's option; None if the class is cut."""
    is_whole: bool = False
    """Whether all classes below are written, too, each by its cheapest option."""
    rows: NDArray[np.int64] | range = range(0)
    """The kept rows, if some are cut."""
    call: str | None = None
    """What the hint says beside the number."""
    series: MadeCosts | None = None
    """The series of which the option is one, if it is made when it is chosen."""
    place: int = 0
    """The option's number in that series."""
    is_named: bool = False
    """Whether the class is cut and the hint names it."""
    said: float = 0.0
    """What it is worth that the hint says where rows are missing, or of which groups they are; or
    that it names the class."""

    def make_option(self) -> AnyOption | None:
        """Return the option itself; one of a series is made now."""
        return self.option if self.series is None else self.series.option_at(self.place)


class MadeCosts(Protocol):
    """Costs of the options of a series, which are made only when they are chosen."""

    def option_at(self, place: int, /) -> AnyOption:
        """Return an option by its number."""
        ...

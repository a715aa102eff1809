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
    about_rows: str | None = None
    """What the hint says about the missing rows beside their number; see `Pick.about_rows`."""
    series: OptionSeries | None = None
    """The series of which the option is one, if it is made when it is chosen."""
    place: int = 0
    """The option's number in that series."""
    is_named: bool = False
    """Whether the class is cut and the hint names it."""
    hint_worth: float = 0.0
    """The worth of what the hint says about the missing rows, or of the name of the cut class."""

    def make_option(self) -> AnyOption | None:
        """Return the menu's option, or make that of the series; None if the class is cut."""
        return self.option if self.series is None else self.series.option_at(self.place)


class OptionSeries(Protocol):
    """A series, whose options are made only when they are chosen."""

    def option_at(self, place: int, /) -> AnyOption:
        """Return the option with this number."""
        ...

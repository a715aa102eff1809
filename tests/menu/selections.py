"""Random selections from a menu, their texts, and what a reader gets of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from mckp.menu.classes import Option, Rows
from mckp.menu.render import restricted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.menu.classes import AnyOption, Menu, MenuClass


@dataclass
class Selection:
    """A class, what is written of it, and what is chosen below."""

    cls: MenuClass
    option: AnyOption | None
    children: list[Selection] = field(default_factory=list["Selection"])
    rows: Sequence[int] = ()

    @property
    def missing(self) -> int:
        """How many children or rows are cut."""
        if isinstance(self.option, Rows):
            return len(self.option.rows) - len(self.rows)
        return sum(child.option is None for child in self.children)

    @property
    def is_noted(self) -> bool:
        """Whether a hint or a note stands below its own text."""
        return self.missing > 0 or (self.option is not None and self.option.part is not None)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is cut, here or below."""
        below = all(child.is_whole for child in self.children)
        return self.option is not None and not self.is_noted and below


def options_of(cls: MenuClass) -> list[AnyOption]:
    """Return all options of a class, the narrower ones last."""
    further = cls.narrower() if cls.narrower else ()
    return [*cls.options, *(each for each in further if isinstance(each, (Option, Rows)))]


def classes_of(cls: MenuClass) -> Iterator[MenuClass]:
    """Yield a class and all below it."""
    yield cls
    for option in cls.options:
        if isinstance(option, Option):
            for child in option.children:
                yield from classes_of(child)


@st.composite
def selections(draw: st.DrawFn, cls: MenuClass) -> Selection:
    """Draw a selection: any option of each class, any rows, any cuts."""
    options = options_of(cls)
    option = options[draw(st.integers(0, len(options) - 1))]
    found = Selection(cls, option)
    keeps = st.sampled_from([True, True, True, False])
    if isinstance(option, Rows):
        found.rows = [row for row in range(len(option.rows)) if draw(keeps)]
    else:
        for child in option.children:
            kept = draw(keeps)
            found.children.append(draw(selections(child)) if kept else Selection(child, None))
    if option.is_partial and found.is_whole:
        found.rows = found.rows[:-1]
        found.children[-1:] = [Selection(child.cls, None) for child in found.children[-1:]]
    return found


def fragments(found: Selection) -> Iterator[str]:
    """Yield the fragments of the text of a selection."""
    option = found.option
    if option is None:
        return
    yield from option.fragments
    if isinstance(option, Rows):
        yield from (option.rows[row] for row in found.rows)
    for child in found.children:
        if child.option is not None and not child.option.below:
            yield from fragments(child)
    if found.missing:
        yield option.hint(found.missing)
    if option.tail:
        yield option.tail
    for child in found.children:
        if child.option is not None and child.option.below:
            yield from fragments(child)


def kept(found: Selection) -> Any:
    """Return what a reader gets of a selection: None where it is only a hint."""
    option = found.option
    assert option is not None, "something is written"
    if found.is_whole:
        return found.cls.content
    if isinstance(option, Rows):
        return option.kept(found.rows)
    if option.kept is not None:
        return option.kept()
    left = [child for child in found.children if child.option is not None]
    return restricted(found.cls.content, [(kept(child), child.is_noted) for child in left])


def can_be_written(menu: Menu, text: str) -> bool:
    """Whether a text is among those that may be selected from a menu."""
    return text == menu.nothing or any(found == text for _, found in _writings(menu.root, text))


def _writings(cls: MenuClass, text: str) -> Iterator[tuple[bool, str]]:
    """Yield what may be written of a class and is part of a text; and whether it goes below."""
    for option in options_of(cls):
        for written in _of(option, text):
            if written in text:
                yield option.below, written


def _of(option: AnyOption, text: str) -> Iterator[str]:
    """Yield what may be written of an option."""
    if isinstance(option, Rows):
        parts = [[(False, row)] for row in option.rows]
    else:
        parts = [list(_writings(child, text)) for child in option.children]
    states = {("".join(option.fragments), "", 0)}
    for part in parts:
        grown = {
            (lines if goes_below else lines + more, below + more if goes_below else below, missing)
            for lines, below, missing in states
            for goes_below, more in part
        }
        states = grown | {(lines, below, missing + 1) for lines, below, missing in states}
        states = {state for state in states if state[0] in text and state[1] in text}
    for lines, below, missing in states:
        yield lines + (option.hint(missing) if missing else "") + option.tail + below

"""A line above all texts of a menu, such as one that says which strings of a document are data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mckp.menu.classes import Line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.menu.classes import Menu


def signed(menu: Menu, line: str) -> Menu:
    """Return a menu of data with a line above each text, if anything is left of the document.

    The line is part of what each option of the document costs.
    """
    root, narrower = menu.root, menu.root.narrower

    def narrowed() -> Iterator[Any]:
        for option in () if narrower is None else narrower():
            yield _below(option, line)

    options = tuple(_below(option, line) for option in root.options)
    above = replace(root, options=options, narrower=narrower and narrowed)
    return replace(menu, root=above)


def _below(option: Any, line: str) -> Any:
    if isinstance(option, Line):
        return replace(option, head=line + option.head)
    return replace(option, fragments=(line, *option.fragments))

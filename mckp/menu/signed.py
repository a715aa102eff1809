"""A line above all texts of a menu, such as one that says which strings of a document are data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mckp.menu.classes import Menu


def signed(menu: Menu, line: str) -> Menu:
    """Return a menu of data with a line above each text that has anything of the document.

    The line is part of the cost of each option of the document.
    """
    root = menu.root
    options = tuple(replace(option, fragments=(line, *option.fragments)) for option in root.options)
    return replace(menu, root=replace(root, options=options), line=line)

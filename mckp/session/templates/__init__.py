"""Ways to write responses of known endpoints: three of ours, and those that you add.

A template is any object with the members of `Template`, given to `mckp.session.Session`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.session.lines import COMPACT, Label, read_label
from mckp.session.templates.base import Response, Template, written
from mckp.session.templates.csv_from_md import CsvFromMarkdown
from mckp.session.templates.mr_diff_fence import MergeRequestDiff
from mckp.session.templates.pipeline import Pipeline

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Response", "Template", "by_name", "written"]


def by_name(own: Iterable[Template] = ()) -> dict[str, Template]:
    """Return all templates by name; those given here come after ours, or in their place.

    Raises
    ------
    ValueError
        For a name that cannot stand in a label.
    """
    every: list[Template] = [CsvFromMarkdown(), Pipeline(), MergeRequestDiff(), *own]
    for each in every:
        if not _may_be_name(each.name):
            raise ValueError(
                f"the template's name {each.name!r} must be a word of small letters, digits "
                "and underscores, and not 'compact'"
            )
    return {each.name: each for each in every}


def _may_be_name(name: str) -> bool:
    return name != COMPACT and read_label(str(Label(None, name))) is not None

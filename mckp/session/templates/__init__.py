"""Ways to write responses of known endpoints: ours, and those that you add.

A template is any object with the members of `Template`, given to `mckp.session.Session`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.config.formats import TEMPLATES
from mckp.encoders.hints.label import COMPACT, Label, read_label
from mckp.reading import decode
from mckp.session.templates.base import Response, Template, written
from mckp.session.templates.csv_from_md import CsvFromMarkdown
from mckp.session.templates.mr_diff_fence import MergeRequestDiff
from mckp.session.templates.of_formats import OfFormats
from mckp.session.templates.pipeline import Pipeline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["CsvFromMarkdown", "Response", "Template", "by_form", "by_name", "written"]


def by_name(own: Iterable[Template] = ()) -> dict[str, Template]:
    """Return all templates by name; those given here come after ours, or in their place.

    Raises
    ------
    ValueError
        For a form that cannot stand in a label.
    """
    written_here: list[Template] = [CsvFromMarkdown(), Pipeline(), MergeRequestDiff()]
    ours = {each.name for each in written_here}
    mixes = [OfFormats(name, each) for name, each in TEMPLATES.items() if name not in ours]
    every = [*written_here, *mixes, *own]
    for each in every:
        if read_label(str(Label(None, each.form))) is None:
            raise ValueError(
                f"{each.form!r}, the form of the template {each.name!r}, must be a word of small "
                "letters, digits and underscores"
            )
    return {each.name: each for each in every}


def by_form(own: Iterable[Template] = ()) -> dict[str, Callable[[str], Any]]:
    """Return what reads each form."""
    readers = {each.form: each.read for each in by_name(own).values()}
    return {**readers, COMPACT: decode}

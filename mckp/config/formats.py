"""The names that a configuration has for formats and templates, old ones included."""

from __future__ import annotations

from typing import Final

from mckp.encoders import ALL, DENSE, LEVELS, NATIVE

FORMATS: Final = (*LEVELS, *(each.name for each in ALL))
"""Levels and formats that may be enabled."""

OLD_NAMES: Final = {
    "csv_from_md": "csv",
    "deep_mckp": "json",
    "deep_mckp_inner_table": "mckp_v2",
    "json_compact": "json",
}
"""Names that files of version 1 have for formats of today."""

LOOK_UP: Final = frozenset(each.name for each in DENSE) - {each.name for each in NATIVE}
"""Formats whose reader has to look things up: keys and values may stand elsewhere."""

INLINE: Final = frozenset({"csv", "table", "mckp_v2"})
"""Formats that write a nested value as JSON in a cell of a table."""

TEMPLATES: Final = {
    "csv_from_md": ("csv",),
    "pipeline_deep_mckp": ("json",),
    "mr_diff_fence": ("fence", "kv", "json"),
    "deep_mckp_with_inner_table": ("mckp_v2", "json"),
    "mckp_v2": ("mckp_v2", "json"),
}
"""Templates, each as the formats that it stands for; none of them loses anything here."""

ACTIVE: Final = ("csv_from_md", "pipeline_deep_mckp", "mr_diff_fence")
"""Templates that are active where nothing is said."""


def expanded(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the formats that levels and formats stand for, in the order of ties.

    Examples
    --------
    >>> expanded(("standard", "rows"))
    ('json', 'kv', 'csv', 'table', 'prose', 'fence', 'mckp_v2', 'rows')
    """
    wanted = {each.name for name in names for each in LEVELS.get(name, ())} | set(names)
    return tuple(each.name for each in ALL if each.name in wanted)

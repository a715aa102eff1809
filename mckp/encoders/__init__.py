"""All formats. If two are equally good, `encode` uses the one that comes first in this list.

The names are those of `mckp.encoders.catalog`, which is imported when one of them is first used:
who only reads or writes notes needs no format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.later import importer

if TYPE_CHECKING:
    from mckp.encoders.catalog import ALL as ALL
    from mckp.encoders.catalog import BASELINES as BASELINES
    from mckp.encoders.catalog import CSV as CSV
    from mckp.encoders.catalog import DENSE as DENSE
    from mckp.encoders.catalog import DERIVED as DERIVED
    from mckp.encoders.catalog import FENCE as FENCE
    from mckp.encoders.catalog import FLOW as FLOW
    from mckp.encoders.catalog import JSON as JSON
    from mckp.encoders.catalog import KV as KV
    from mckp.encoders.catalog import LEVELS as LEVELS
    from mckp.encoders.catalog import MCKP_V2 as MCKP_V2
    from mckp.encoders.catalog import NATIVE as NATIVE
    from mckp.encoders.catalog import PHRASES as PHRASES
    from mckp.encoders.catalog import PROSE as PROSE
    from mckp.encoders.catalog import ROWS as ROWS
    from mckp.encoders.catalog import RULES as RULES
    from mckp.encoders.catalog import STANDARD as STANDARD
    from mckp.encoders.catalog import TABLE as TABLE
    from mckp.encoders.catalog import TOON as TOON
    from mckp.encoders.catalog import FormatName as FormatName
    from mckp.encoders.catalog import FormatsLike as FormatsLike
    from mckp.encoders.catalog import name_of_formats as name_of_formats
    from mckp.encoders.catalog import read as read
    from mckp.encoders.catalog import register as register
    from mckp.encoders.catalog import select as select
    from mckp.encoders.catalog import write as write
    from mckp.encoders.catalog import write_all as write_all

_NAMES = (
    "ALL BASELINES CSV DENSE DERIVED FENCE FLOW FormatName FormatsLike JSON KV "
    "LEVELS MCKP_V2 NATIVE PHRASES PROSE ROWS RULES STANDARD TABLE TOON "
    "name_of_formats read register select write write_all "
)
__all__ = tuple(_NAMES.split())  # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # type checkers are to find names that do not exist
    __getattr__ = importer(__name__, dict.fromkeys(__all__, "mckp.encoders.catalog"))

"""Telemetry of many users as fingerprints of endpoints, on the same engine."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mckp.corpus.storage import Store
from mckp.corpus.tasks import data_of
from mckp.errors import DataError
from mckp.figures import add
from mckp.jsontext import is_object
from mckp.parsers import as_tree
from mckp.telemetry.blend import LEAST_SESSIONS
from mckp.telemetry.event import Event
from mckp.telemetry.fingerprint import fingerprint_of
from mckp.telemetry.jsonl import SESSIONS
from mckp.telemetry.parquet import TEAM_ENDPOINTS, write_fingerprints
from mckp.telemetry.tally import tally

if TYPE_CHECKING:
    from mckp.corpus.tasks import Given, Row
    from mckp.figures import Figures
    from mckp.telemetry.fingerprint import Fingerprint

NOT_EVENTS = (SESSIONS,)
"""Names of files beside events that hold none."""


class Tally:
    """Read each record as an event, and add up what it says of its endpoint."""

    def __call__(self, given: Given) -> Row:
        value = as_tree(data_of(given), given[1]).value
        if not is_object(value):
            raise DataError("an event is an object", path="$")
        return tally(Event.from_dict(value))

    def figures(self, row: Row) -> Figures:
        return row


class Fingerprints(NamedTuple):
    """What became of telemetry.

    Attributes
    ----------
    shown : list of Fingerprint
        By name, those of enough sessions for others to see.
    held_back : int
        How many others there are.
    records, failed : int
        Lines, and those of them that are no events.
    """

    shown: list[Fingerprint]
    held_back: int
    records: int
    failed: int


def written(summary: Figures, target: str) -> Fingerprints:
    """Write the fingerprints that others may see to an output, and return them."""
    total: Figures = {}
    add(total, summary["figures"])
    found = [fingerprint_of(name, total[name]) for name in sorted(total)]
    shown = [each for each in found if each.source_sessions >= LEAST_SESSIONS]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / TEAM_ENDPOINTS
        write_fingerprints(shown, path)
        Store(target).put(TEAM_ENDPOINTS, path.read_bytes())
    return Fingerprints(shown, len(found) - len(shown), summary["records"], summary["failed"])

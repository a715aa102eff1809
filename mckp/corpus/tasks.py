"""What is done with each record of a corpus: a row of output, and figures to add up."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias

from mckp import tokenizers
from mckp.api import encode
from mckp.comparison import tokens_in
from mckp.corpus.storage import Store
from mckp.encoders import ALL, BASELINES, LEVELS
from mckp.errors import DataError, UnknownNameError
from mckp.jsontext import dump, is_object
from mckp.parsers import as_tree
from mckp.telemetry.event import Event
from mckp.telemetry.figures import add
from mckp.telemetry.fingerprint import fingerprint_of, tally
from mckp.telemetry.jsonl import SESSIONS
from mckp.telemetry.parquet import TEAM_ENDPOINTS, write_fingerprints
from mckp.telemetry.share import MIN_SESSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mckp.api import TokenizerLike
    from mckp.telemetry.figures import Figures
    from mckp.telemetry.fingerprint import Fingerprint
    from mckp.tokenizers.base import Tokenizer
    from mckp.tree import TreeNode

Given: TypeAlias = tuple[Any, str | None]
"""A document and what kind of text it is, or the error with which it could not be read."""

Row: TypeAlias = dict[str, Any]
"""What becomes of a record, as JSON can hold it."""


class Task(Protocol):
    """What is done with a record. It is pickled, and called in many processes."""

    def __call__(self, given: Given) -> Row:
        """Return the row of a record; errors are raised."""
        ...

    def figures(self, row: Row) -> Figures:
        """Return what is added up of a row."""
        ...


@dataclass(frozen=True, slots=True)
class Encode:
    """Write each record within a budget.

    Parameters
    ----------
    options : mapping
        Those of `mckp.encode`.
    """

    options: Mapping[str, Any]

    def __call__(self, given: Given) -> Row:
        found = encode(data_of(given), kind=given[1], **self.options).to_dict()
        return {name: found[name] for name in _KEPT}

    def figures(self, row: Row) -> Figures:
        return {"tokens": row["tokens"], "cut": int(bool(row["elided"]))}


_KEPT = ("text", "tokens", "status", "value", "total", "bound", "loss", "elided")


@dataclass(frozen=True, slots=True)
class Measure:
    """Count the tokens of each record in several formats, by one or several tokenizers.

    Parameters
    ----------
    formats : tuple of str
        Levels, which are mixes of formats, and names of formats.
    counters : tuple
        Tokenizers, by name or as objects.
    """

    formats: tuple[str, ...]
    counters: tuple[TokenizerLike, ...]

    def __call__(self, given: Given) -> Row:
        tree = as_tree(data_of(given), given[1])
        counters = [tokenizers.get(each) for each in self.counters]
        return {"tokens": {each.name: self._counted(tree, each) for each in counters}}

    def _counted(self, tree: TreeNode, counter: Tokenizer) -> dict[str, int]:
        source = dump(tree.value) if tree.is_json else tree.source or ""
        found: dict[str, int] = {REFERENCE: counter.count(source)}
        for name in self.formats:
            tokens = _tokens(tree, name, counter)
            if tokens is not None:
                found[name] = tokens
        return found

    def figures(self, row: Row) -> Figures:
        """Return tokens by tokenizer and format, and the reference where that format fits."""
        return {"tokens": {name: _beside(counts) for name, counts in row["tokens"].items()}}


REFERENCE: Final = "source"
"""What formats are set beside: compact JSON of data, and a text as it is."""


def formats_named(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of levels and formats, each once.

    Raises
    ------
    UnknownNameError
        If one is none.
    """
    known = (*LEVELS, *_FORMATS)
    found = tuple(dict.fromkeys(names))
    if unknown := [name for name in found if name not in known]:
        raise UnknownNameError("format", unknown[0], known)
    return found


_FORMATS: Final = {each.name: each for each in (*ALL, *BASELINES)}


def _tokens(tree: TreeNode, name: str, counter: Tokenizer) -> int | None:
    if name in LEVELS:
        return encode(tree, formats=name, tokenizer=counter).tokens
    return tokens_in(tree, _FORMATS[name], counter)


def _beside(counts: dict[str, int]) -> dict[str, Figures]:
    source = counts[REFERENCE]
    return {
        name: {"tokens": tokens, "records": 1, REFERENCE: source} for name, tokens in counts.items()
    }


def data_of(given: Given) -> Any:
    """Return the document; the error with which it could not be read is raised."""
    data = given[0]
    if isinstance(data, Exception):
        raise data
    return data


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
    shown = [each for each in found if each.source_sessions >= MIN_SESSIONS]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / TEAM_ENDPOINTS
        write_fingerprints(shown, path)
        Store(target).put(TEAM_ENDPOINTS, path.read_bytes())
    return Fingerprints(shown, len(found) - len(shown), summary["records"], summary["failed"])

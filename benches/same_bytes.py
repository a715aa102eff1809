"""Whether documents are encoded as the same bytes, whatever happened before and beside.

Documents are encoded without a budget, and within half and a fifth of their tokens, in new
processes (`fresh`) that differ in one thing each; a digest of each text is compared.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cutters import recount
from fresh import Place, ask
from large import write
from rich.console import Console
from rich.progress import track

from mckp.jsontext import dump

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench_formats import Document

SHARES: Final = (0.5, 0.2)
BEFORE: Final = (("table", 1), ("mixture", 1)) * 4
"""Kind and megabytes of what is encoded before, in the process that has encoded others."""
THREADS: Final = 4
LONELY: Final = 10
"""How many documents are encoded in processes of their own."""
QUICK: Final = ("in order", "backwards", "after others", "another seed")


def check_bytes(
    documents: Sequence[Document], most: int, place: Place, *, quick: bool = False
) -> tuple[dict[str, Any], list[str]]:
    """Encode documents in many circumstances.

    Parameters
    ----------
    documents
        What may be encoded; documents that are spread evenly over them are.
    most
        How many.
    place
        What processes find else.
    quick
        Whether a few circumstances are enough, with next to nothing before.

    Returns
    -------
    dict, list
        Figures, and what differs.
    """
    chosen = documents[:: max(1, len(documents) // most)][:most]
    rows = [_row(number, document) for number, document in enumerate(chosen)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        jobs = _jobs(folder, rows, place, quick=quick)
        found = {
            what: ask(
                {"work": "digests", "threads": 1, "backwards": False, "other": None} | job, at
            )
            for what, (job, at) in track(jobs.items(), "bytes", console=Console(stderr=True))
        }
    wrong = [f"{what}: {own['failed']}" for what, own in found.items() if "failed" in own]
    digests = {what: own["digests"] for what, own in found.items() if "digests" in own}
    first = digests.get("in order", {})
    told: dict[str, Any] = {"documents": len(rows), "texts": len(first)}
    for what, own in digests.items():
        other = [text for text in own if own[text] != first.get(text)]
        wrong += [f"{what}: other bytes of {text}" for text in other]
        told[what] = f"{len(own)} texts, {len(other)} others, sha256 {total(own)[:16]}"
    return told, wrong


def total(digests: dict[str, str]) -> str:
    """Return one digest of all.

    Examples
    --------
    >>> total({"a": "1", "b": "2"}) == total({"b": "2", "a": "1"})
    True
    """
    return hashlib.sha256(json.dumps(sorted(digests.items())).encode()).hexdigest()


def _row(number: int, document: Document) -> tuple[str, str, list[int | None]]:
    text = dump(document.value)
    tokens = recount(text)
    return f"{number} {document.name}", text, [None, *(int(share * tokens) for share in SHARES)]


def _jobs(
    folder: Path, rows: Sequence[Any], place: Place, *, quick: bool
) -> dict[str, tuple[dict[str, Any], Place]]:
    """Return what is asked of which process; what Numba keeps of the first stays for the second."""
    path, other, kept = folder / "documents.json", folder / "others.jsonl", folder / "kept"
    path.write_text(json.dumps(rows), encoding="utf-8")
    with other.open("w", encoding="utf-8") as file:
        for number, (kind, megabytes) in enumerate(BEFORE[:2] if quick else BEFORE):
            own = folder / f"other-{number}"
            write(own, kind, round(2000 if quick else 1e6 * megabytes))
            file.write(own.read_text(encoding="utf-8") + "\n")
    job, at = {"path": str(path)}, replace(place, compiled=place.compiled or kept)
    jobs: dict[str, tuple[dict[str, Any], Place]] = {
        "in order": (job, at),
        "compiled before": (job, at),
        "nothing compiled": (job, replace(at, compiled=None)),
        "backwards": (job | {"backwards": True}, at),
        f"{THREADS} threads": (job | {"threads": THREADS}, at),
        "after others": (job | {"other": str(other)}, at),
        "another seed": (job, replace(at, seed=1)),
        "a third seed": (job, replace(at, seed=4242)),
    }
    if quick:
        jobs = {what: jobs[what] for what in QUICK}
    for number, row in enumerate(rows[:: max(1, len(rows) // (1 if quick else LONELY))]):
        own = folder / f"own-{number}.json"
        own.write_text(json.dumps([row]), encoding="utf-8")
        jobs[f"alone: {row[0]}"] = ({"path": str(own)}, at)
    return jobs

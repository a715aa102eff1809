"""The documents that accuracy and shapes are measured on.

Without other wishes: what `samples` makes up, and the JSON of examples/. With
``--corpus DIR`` anyone's own ``*.json`` and ``*.jsonl`` files besides.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench_formats import Document, documents
from samples import samples
from solver_figures import add_common

from mckp import tokenizers
from mckp.jsontext import dump

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EXAMPLES: Final = Path(__file__).parents[1] / "examples"
LEAST: Final = 100
MOST: Final = 12_000


def subjects(
    corpus: Sequence[Path] = (), *, seeds: int = 3, least: int = LEAST, most: int = MOST
) -> Iterator[Document]:
    """Yield documents, set by set.

    Parameters
    ----------
    corpus : sequence of paths
        Files or folders to read besides.
    seeds : int
        How many documents of each shape `samples` makes up.
    least, most : int
        Tokens of compact JSON, o200k, that a document may have.
    """
    count = tokenizers.get("o200k").count
    for document in _all(corpus, seeds):
        if least <= count(dump(document.value)) <= most:
            yield document


def _all(corpus: Sequence[Path], seeds: int) -> Iterator[Document]:
    for seed in range(1, seeds + 1):
        for name, value in samples(seed):
            yield Document("samples", name, f"{name}-{seed}", value)
    yield from documents([EXAMPLES / "builds.json"])
    if corpus:
        yield from documents(corpus)


def options(purpose: str) -> argparse.ArgumentParser:
    """Return a parser of the options that these benches share."""
    parser = argparse.ArgumentParser(description=purpose)
    add_common(parser)
    parser.add_argument(
        "--corpus", type=Path, nargs="+", default=[], metavar="DIR", help="files of your own"
    )
    parser.add_argument("--every", type=int, default=1, help="take one of so many of them")
    parser.add_argument("--seeds", type=int, default=3, help="made-up documents of each shape")
    return parser


def chosen(options: argparse.Namespace) -> list[Document]:
    """Return the documents that options ask for; a few with ``--quick``."""
    if options.quick:
        return list(subjects(seeds=1))[:4]
    documents = list(subjects(options.corpus, seeds=options.seeds))
    given = {"samples", "examples"}
    rest = [document for document in documents if document.set not in given][:: options.every]
    return [document for document in documents if document.set in given] + rest

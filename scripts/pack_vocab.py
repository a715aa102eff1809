"""Pack rank files into the form the library ships.

    python scripts/pack_vocab.py o200k_base.tiktoken.gz cl100k_base.tiktoken.gz

The files are in tiktoken's text format, gzipped or not. Which vocabulary a file holds is shown by
its sha256, and a file that matches none is refused.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
from pathlib import Path

import numpy as np

from mckp.tokenizers.encodings import PAGE, VOCABULARIES

VOCAB = Path(__file__).parents[1] / "mckp" / "tokenizers" / "vocab"


def main(argv: list[str] | None = None) -> None:
    """Pack each file given on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a rank file")
    parser.add_argument("--out", type=Path, default=VOCAB, help="folder to write to")
    args = parser.parse_args(argv)
    for path in args.files:
        ranks = read(path)
        target = args.out / f"{name_of(path, ranks)}.tokens"
        target.write_bytes(pack(tokens(ranks)))
        print(f"{target}: {target.stat().st_size:,} bytes")


def read(path: Path) -> bytes:
    """Read a rank file, gzipped or not."""
    content = path.read_bytes()
    return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content


def name_of(path: Path, ranks: bytes) -> str:
    """Tell by its digest which vocabulary this is."""
    digest = hashlib.sha256(ranks).hexdigest()
    for name, vocabulary in VOCABULARIES.items():
        if vocabulary.sha256 == digest:
            return name
    raise SystemExit(f"{path}: sha256 {digest} is that of no known vocabulary; nothing written")


def tokens(ranks: bytes) -> list[bytes]:
    """Take the tokens out of a rank file whose ranks count from zero without a gap."""
    lines = [line.split() for line in ranks.splitlines()]
    if [int(rank) for _, rank in lines] != list(range(len(lines))):
        raise SystemExit("ranks have gaps or are out of order")
    return [base64.b64decode(token) for token, _ in lines]


def pack(tokens: list[bytes]) -> bytes:
    r"""Make the content of a vocabulary's file, as `TokenFile` reads it.

    It is not compressed, since unpacking takes longer than all look-ups of a small document.

    Parameters
    ----------
    tokens : list of bytes
        The tokens in rank order, the one of byte 255 among them.
    """
    rank = {token: number for number, token in enumerate(tokens)}
    ordered = sorted(rank)
    assert ordered[-1] == b"\xff", "it is in no other token, so it is the last one"
    starts, place = list[int](), 0
    for number, token in enumerate(ordered[:-1]):
        if number % PAGE == 0:
            starts.append(place)
        place += len(token) + 1
    numbers = [*starts, place, *map(rank.__getitem__, ordered)]
    joined = b"\xff" + b"".join(token + b"\xff" for token in ordered[:-1])
    return np.array(numbers, dtype="<u4").tobytes() + joined


if __name__ == "__main__":
    main()

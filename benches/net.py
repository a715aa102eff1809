"""Which texts does a change alter? Hashes of encoded documents, before and after it.

    python benches/net.py make FOLDER ... --out FILE [--every N] [--processes N] [--texts]
    python benches/net.py compare BEFORE AFTER [--diff NAME ...] [--list N]

*make* encodes every document of the folders as a whole and within three budgets (`SHARES`), and
stores for each text its hash, tokens and status in FILE (JSON). Documents are ``*.json`` files,
the lines of ``*.jsonl`` files (of a record with ``payload``, only that), and all other files that
are UTF-8, as texts. ``--every N`` takes one of N documents by a hash of their names, so that the
same ones are taken when documents are added. ``--texts`` also stores the texts, in a zip archive
beside FILE, for diffs. To run it on another checkout, start it with the Python of that checkout.

*compare* prints which documents differ, and by how many tokens; it looks only at those that both
files have. ``--diff NAME`` shows the differences of one document (``all`` of every one) if both
files have their texts. The exit code is 1 if any text differs.
"""

from __future__ import annotations

import argparse
import difflib
import json
import multiprocessing
import sys
import time
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

import mckp
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SHARES: Final = ("whole", "50%", "20%", "10%")
"""Budgets: none, and shares of the tokens of compact JSON or of the source."""
LISTED: Final = 40
"""Documents that differ of which the names are printed."""
MOST_PROCESSES: Final = 2


class Hashed(NamedTuple):
    """What is stored of one text."""

    hash: str
    tokens: int
    status: str


def documents(folders: Sequence[Path]) -> Iterator[tuple[str, Any]]:
    """Yield the name and the content of each document: parsed JSON, or a text."""
    for folder in folders:
        files = sorted(folder.rglob("*")) if folder.is_dir() else [folder]
        for file in files:
            if file.is_file() and (text := _text_of(file)) is not None:
                name = f"{folder.name}/{file.relative_to(folder).as_posix()}".removesuffix("/.")
                yield from _of_file(name, file.suffix, text)


def _text_of(file: Path) -> str | None:
    try:
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None


def _of_file(name: str, suffix: str, text: str) -> Iterator[tuple[str, Any]]:
    if suffix == ".json":
        yield name, json.loads(text)
    elif suffix == ".jsonl":
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                record = json.loads(line)
                is_record = is_object(record) and "payload" in record
                label = record["id"] if is_record and "id" in record else number
                yield f"{name}#{label}", record["payload"] if is_record else record
    else:
        yield name, text


def is_sampled(name: str, every: int) -> bool:
    """Whether a document is one of those that are taken."""
    return int(sha256(name.encode()).hexdigest()[:8], 16) % every == 0


def encoded(content: Any) -> dict[str, tuple[str, Hashed]]:
    """Return for each of `SHARES` the text and what is stored of it; an error is a text too."""
    made: dict[str, tuple[str, Hashed]] = {}
    for share in SHARES:
        try:
            result = mckp.encode(content, budget=None if share == "whole" else share)
        except Exception as error:  # any change of what is raised is a difference
            made[share] = _hashed(f"{type(error).__name__}: {error}", 0, "error")
        else:
            made[share] = _hashed(result.text, result.tokens, result.status)
    return made


def _hashed(text: str, tokens: int, status: str) -> tuple[str, Hashed]:
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return text, Hashed(digest, tokens, status)


def _encode_named(named: tuple[str, Any]) -> tuple[str, dict[str, tuple[str, Hashed]]]:
    return named[0], encoded(named[1])


def _all_encoded(
    taken: Sequence[tuple[str, Any]], processes: int
) -> Iterator[tuple[str, dict[str, tuple[str, Hashed]]]]:
    if processes < 2:
        yield from map(_encode_named, taken)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(_encode_named, taken)


def make(options: argparse.Namespace) -> int:
    """Encode the documents and store the hashes."""
    began = time.perf_counter()
    taken = [named for named in documents(options.folders) if is_sampled(named[0], options.every)]
    stored: dict[str, dict[str, Hashed]] = {}
    texts: dict[str, str] = {}
    for name, made in _all_encoded(taken, min(options.processes, MOST_PROCESSES)):
        stored[name] = {share: hashed for share, (_, hashed) in made.items()}
        if options.texts:
            texts |= {f"{name}@{share}": text for share, (text, _) in made.items()}
    options.out.write_text(_json_lines(stored), encoding="utf-8")
    if options.texts:
        with ZipFile(_archive(options.out), "w", ZIP_DEFLATED) as archive:
            for name, text in texts.items():
                archive.writestr(name, text.encode("utf-8", "surrogatepass"))
    print(f"{len(stored)} documents in {time.perf_counter() - began:.0f} s: {options.out}")
    return 0


def _json_lines(stored: Mapping[str, Mapping[str, Hashed]]) -> str:
    """Return JSON with one document a line."""
    lines = (f"{json.dumps(name)}: {json.dumps(made)}" for name, made in stored.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _archive(file: Path) -> Path:
    return file.with_suffix(".texts.zip")


def read(file: Path) -> dict[str, dict[str, Hashed]]:
    """Return what `make` stored."""
    stored = json.loads(file.read_text(encoding="utf-8"))
    return {
        name: {share: Hashed(*hashed) for share, hashed in made.items()}
        for name, made in stored.items()
    }


def compare(options: argparse.Namespace) -> int:
    """Print what differs between two stored files."""
    before, after = read(options.before), read(options.after)
    both = [name for name in before if name in after]
    only = len(before) + len(after) - 2 * len(both)
    print(f"{len(both)} documents in both files, {only} in one of them only")
    differing = dict[str, list[str]]()
    for share in SHARES:
        changed = [name for name in both if before[name][share] != after[name][share]]
        for name in changed:
            differing.setdefault(name, []).append(share)
        sums = [sum(made[name][share].tokens for name in both) for made in (before, after)]
        worse = [name for name in changed if _is_worse(before[name][share], after[name][share])]
        print(
            f"{share:>6}: {len(changed)} differ; tokens {sums[0]} -> {sums[1]}"
            + (f"; status worse in {len(worse)}: {', '.join(worse[:8])}" if worse else "")
        )
    for name in list(differing)[: options.list]:
        steps = (
            f"{share} {before[name][share].tokens}->{after[name][share].tokens}"
            for share in differing[name]
        )
        print(f"  {name}: {', '.join(steps)}")
    if len(differing) > options.list:
        print(f"  and {len(differing) - options.list} more; --list N prints more of them")
    wanted = differing if options.diff == ["all"] else options.diff
    for name in wanted:
        _show_diff(options, name, differing.get(name, []))
    return 1 if differing else 0


def _is_worse(before: Hashed, after: Hashed) -> bool:
    order = ("optimal", "feasible", "error")
    return order.index(after.status) > order.index(before.status)


def _show_diff(options: argparse.Namespace, name: str, shares: Sequence[str]) -> None:
    for share in shares:
        old, new = (
            _stored_text(file, f"{name}@{share}") for file in (options.before, options.after)
        )
        print(f"\n== {name} at {share}")
        print("\n".join([*difflib.unified_diff(old, new, lineterm="")][2:]))


def _stored_text(file: Path, name: str) -> list[str]:
    archive = _archive(file)
    if not archive.exists():
        raise SystemExit(f"{archive} is missing: run `make` with --texts to see differences")
    with ZipFile(archive) as texts:
        return texts.read(name).decode("utf-8", "replace").split("\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    commands = parser.add_subparsers(required=True)
    making = commands.add_parser("make", help="encode documents and store hashes of the texts")
    making.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    making.add_argument("--out", type=Path, required=True, help="where hashes are stored")
    making.add_argument("--every", type=int, default=1, metavar="N", help="one of N documents")
    making.add_argument("--processes", type=int, default=1, metavar="N", help="at most 2")
    making.add_argument("--texts", action="store_true", help="also store the texts")
    making.set_defaults(run=make)
    comparing = commands.add_parser("compare", help="print what differs between two files")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--diff", nargs="+", default=[], metavar="NAME", help="or: all")
    comparing.add_argument("--list", type=int, default=LISTED, metavar="N", help="names printed")
    comparing.set_defaults(run=compare)
    options = parser.parse_args(arguments)
    code: int = options.run(options)
    return code


if __name__ == "__main__":
    sys.exit(main())

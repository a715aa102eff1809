"""``mckp pack``: files and folders in, one text within a budget out."""

from __future__ import annotations

import glob
import os
import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

import mckp
from mckp.cli import streams
from mckp.jsontext import dump
from mckp.parsers.repair import binary_name

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator

    from pathspec import GitIgnoreSpec

STANDARD_NAME: Final = "stdin"
_SECRET: Final = (".env", ".env.*", "*.pem", "*.key", "*.p12", "*.pfx", "id_rsa*", "id_ed25519*")
"""Files that are packed only when they are named."""


def pack(arguments: Namespace) -> None:
    """Write the pack, or with ``--list``, what it would contain."""
    files, left_out = find_documents(arguments.paths)
    if not files:
        raise mckp.MckpError("no text was found to pack; name files, folders or patterns")
    streams.note_estimate(arguments.tokenizer)
    with streams.clock(f"packing {len(files)} documents"):
        result = mckp.pack(
            files,
            arguments.budget,
            query=arguments.query,
            weights=dict(arguments.weight),
            pin=arguments.pin,
            least=dict(arguments.least),
            order=arguments.order,
            tokenizer=arguments.tokenizer,
        )
    for name, why in left_out:
        sys.stderr.write(f"mckp: note: {streams.printable(name)} was left out, because {why}\n")
    if arguments.html is not None:
        streams.write(result.to_html(", ".join(arguments.paths)), arguments.html)
    if arguments.json:
        plain: dict[str, Any] = result.to_dict()
        plain["left_out"] = [{"name": name, "why": why} for name, why in left_out]
        if arguments.list:
            del plain["text"]
        streams.write(dump(plain) + "\n", arguments.out)
    else:
        streams.write(result.summary() + "\n" if arguments.list else result.text, arguments.out)


def find_documents(paths: Iterable[str]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Return the documents in files, folders and patterns by path, and what was left out and why.

    In folders, hidden files, what ``.gitignore`` ignores, and links to folders or out of the folder
    are left out silently.
    """
    files: dict[str, Any] = {}
    left_out: list[tuple[str, str]] = []
    for name in paths:
        if name == streams.STANDARD:
            files[STANDARD_NAME] = streams.document(name)
            continue
        matches = [name] if os.path.lexists(name) else sorted(glob.glob(name, recursive=True))
        if not matches:
            raise FileNotFoundError(
                2, "no such file or folder, and no file matches this pattern", name
            )
        for match in matches:
            for path, is_named in _files_at(Path(match), is_pattern=match != name):
                shown_path = path.as_posix()
                if shown_path in files:
                    continue
                if not is_named and any(path.match(pattern) for pattern in _SECRET):
                    left_out.append((shown_path, "it may hold secrets; name it to pack it"))
                    continue
                data = path.read_bytes()
                if (found := binary_name(data)) is not None:
                    left_out.append((shown_path, f"it is {found}"))
                else:
                    files[shown_path] = data
    return files, left_out


def _files_at(path: Path, *, is_pattern: bool) -> Iterator[tuple[Path, bool]]:
    """Yield the file at a path, or those below a folder, each with whether it was named.

    `is_pattern` says that the path was found by a pattern.
    """
    if not path.is_dir():
        yield path, not is_pattern
        return
    yield from ((file, False) for file in _files_below(path, path.resolve(), []))


def _files_below(
    folder: Path, top: Path, ignored: list[tuple[Path, GitIgnoreSpec]]
) -> Iterator[Path]:
    """Yield the files below a folder, except hidden and ignored ones.

    Links to folders, and links that lead out of `top`, are left out too. `ignored` has the patterns
    of the folders above. Files such as ``.env`` are yielded, so that they can be reported.
    """
    ignore_file = folder / ".gitignore"
    if ignore_file.is_file():
        ignored = [*ignored, (folder, _ignore_patterns(ignore_file))]
    for path in sorted(folder.iterdir(), key=lambda entry: entry.name):
        is_folder = path.is_dir()
        if (path.name.startswith(".") and not path.match(".env*")) or _is_ignored(
            path, ignored, is_folder=is_folder
        ):
            continue
        if path.is_symlink() and (is_folder or top not in path.resolve().parents):
            continue
        if is_folder:
            yield from _files_below(path, top, ignored)
        elif path.is_file():
            yield path


def _ignore_patterns(file: Path) -> GitIgnoreSpec:
    """Return the patterns of a ``.gitignore``; wrong lines are ignored."""
    from pathspec import GitIgnoreSpec

    lines = file.read_text("utf-8", "replace").splitlines()
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:  # such as a lone "!"; git takes no notice of such a line
        return GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    """Whether a line is a valid pattern of ``.gitignore``."""
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _is_ignored(path: Path, ignored: list[tuple[Path, GitIgnoreSpec]], *, is_folder: bool) -> bool:
    """Whether the innermost ``.gitignore`` that applies to a path ignores it."""
    for folder, spec in reversed(ignored):
        name = PurePosixPath(path.relative_to(folder)).as_posix() + "/" * is_folder
        verdict = spec.check_file(name).include
        if verdict is not None:
            return verdict
    return False

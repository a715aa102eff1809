"""Diffs of a merge request: each in a fence of its own, and below them all other data.

    # changes[2]
    ## diff 1 new_path: src/a.py
    ```diff
    @@ -1 +1 @@
    -a
    +b
    ```
    {…}

The last lines are the data without what stands above them, as `mckp.encode` writes it. The
path's name stands before it, and is missing if there is no path of one line. A fence has one
backtick more than any run inside.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mckp.api import encode
from mckp.errors import ParseError
from mckp.jsontext import is_array, is_object
from mckp.reading import decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mckp.session.settings import SessionSettings
    from mckp.session.templates.base import Response
    from mckp.tokenizers.base import Tokenizer

_LISTS: Final = ("diffs", "changes", "files")
_BODIES: Final = ("diff", "content", "patch")
_PATHS: Final = ("new_path", "path", "filename")

_TOP = re.compile(r"# (diffs|changes|files)\[([0-9]+)\]")
_HEAD = re.compile(r"## (diff|content|patch) ([0-9]+)(?: (new_path|path|filename): (.+))?")
_LINE = re.compile(r"(?=\S)[^\x00-\x1f\x7f\x85\u2028\u2029]+(?<=\S)")
_TICKS = re.compile(r"`+")


class MergeRequestDiff:
    """Data with an array of diffs, whose lines stand as they are."""

    name, form = "mr_diff_fence", "diffs"

    def accepts(self, response: Response, settings: SessionSettings) -> bool:
        """Whether there is an array with diffs."""
        return _list_in(response.value) is not None

    def write(self, response: Response, tokenizer: Tokenizer) -> str | None:
        """Return the fences, and the rest."""
        name = _list_in(response.value)
        if name is None:
            return None
        files = response.value[name]
        blocks: list[str] = []
        rest = [_taken(file, number, blocks) for number, file in enumerate(files, 1)]
        below = encode({**response.value, name: rest}, tokenizer=tokenizer).text
        return "".join([f"# {name}[{len(blocks)}]\n", *blocks, below])

    def read(self, body: str) -> Any:
        """Return the data.

        Raises
        ------
        ParseError
            If the text is damaged.
        """
        top, _, below = body.partition("\n")
        match = _TOP.fullmatch(top)
        if match is None:
            raise ParseError("expected a line such as '# diffs[2]'", line=1, column=1)
        lines = iter(below.split("\n"))
        blocks = [_block(lines) for _ in range(int(match[2]))]
        return _filled(decode("\n".join(lines)), match[1], blocks)


def _list_in(value: Any) -> str | None:
    if not is_object(value):
        return None
    return next((name for name in _LISTS if _has_diffs(value.get(name))), None)


def _has_diffs(files: Any) -> bool:
    return is_array(files) and any(_body_of(file) is not None for file in files)


def _body_of(file: Any) -> str | None:
    """Return the name of the member that is a diff."""
    if not is_object(file):
        return None
    return next((name for name in _BODIES if isinstance(file.get(name), str)), None)


def _path_of(file: dict[str, Any]) -> str | None:
    """Return the name of the member that is a path of one line."""
    strings = {name for name in _PATHS if isinstance(file.get(name), str)}
    return next((name for name in _PATHS if name in strings and _LINE.fullmatch(file[name])), None)


def _taken(file: Any, number: int, blocks: list[str]) -> Any:
    """Write the block of a file, and return what is left of it."""
    body = _body_of(file)
    if body is None:
        return file
    path, text = _path_of(file), file[body]
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))
    named = "" if path is None else f" {path}: {file[path]}"
    blocks.append(f"## {body} {number}{named}\n{fence}diff\n{text}\n{fence}\n")
    return {key: value for key, value in file.items() if key not in (body, path)}


def _filled(value: Any, name: str, blocks: Iterable[tuple[int, dict[str, str]]]) -> Any:
    """Put what the blocks say into the data."""
    files = value.get(name) if is_object(value) else None
    for number, members in blocks:
        if not is_array(files) or not 0 < number <= len(files) or not is_object(files[number - 1]):
            raise ParseError(f"the data below the fences has no {name}[{number - 1}]")
        files[number - 1].update(members)
    return value


def _block(lines: Iterator[str]) -> tuple[int, dict[str, str]]:
    """Return the number of a file, and what its block says."""
    head = _HEAD.fullmatch(next(lines, ""))
    fence = next(lines, "").removesuffix("diff")
    if head is None or len(fence) < 3 or fence.strip("`"):
        raise ParseError("expected a line such as '## diff 1 path: a.py' and a fence")
    text = "\n".join(iter(lines.__next__, fence))
    path = {} if head[3] is None else {head[3]: head[4]}
    return int(head[2]), {**path, head[1]: text}

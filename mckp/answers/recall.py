"""What was cut, given back from the document."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, cast

from mckp.errors import PathError
from mckp.jsontext import path_text
from mckp.paths import as_path, content_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mckp.paths import Path
    from mckp.result import Elided, Handle

_APART: Final = frozenset({"rows", "fields", "items", "blocks", "paragraphs", "lines"})


def meant(
    handle: Handle, elided: Sequence[Elided], hints: Sequence[tuple[Path, str]]
) -> list[Elided]:
    """Return what a handle stands for among all that was cut.

    Parameters
    ----------
    handle
        What `mckp.Result.recall` was given.
    elided : sequence of Elided
        All that was cut.
    hints : sequence of (path, kind)
        The same in the order of the hints in the text.

    Raises
    ------
    PathError, ValueError
        If it stands for nothing.
    """
    from mckp.result import Elided

    if isinstance(handle, Elided):
        if handle not in elided:
            raise ValueError(f"this result did not cut {handle}; give one of its `elided`")
        return [handle]
    if isinstance(handle, SupportsIndex) and not isinstance(handle, bool):
        number = index(handle)
        if not 1 <= number <= len(hints):
            raise ValueError(f"the text has {_hints(len(hints))}, and none of number {number}")
        return [cut for cut in elided if (cut.path, cut.kind) == hints[number - 1]][:1]
    path = as_path(cast("str | Iterable[str | int]", handle))
    found = [cut for cut in elided if cut.path == path]
    if not found:
        raise PathError(path_text(path), _where(elided))
    return found


def recalled(document: Any, cuts: Iterable[Elided]) -> Any:
    """Return what cuts of one container have taken away.

    What is missing by name or index, if all cuts tell that; else all of the container.
    """
    wanted = list(cuts)
    container = content_at(document, wanted[0].path)
    if any(cut.kind not in _APART or not _is_listed(cut) for cut in wanted):
        return container
    keys = (key for cut in wanted for key in cut.keys)
    return {key: content_at(container, (key,)) for key in keys}


def _is_listed(cut: Elided) -> bool:
    return len(cut.keys) == cut.count


def _hints(count: int) -> str:
    return "1 hint" if count == 1 else f"{count or 'no'} hints"


def _where(elided: Sequence[Elided]) -> str:
    places = list(dict.fromkeys(path_text(cut.path) for cut in elided))
    shown = ", ".join(places[:8]) + (", …" if len(places) > 8 else "")
    return f"nothing was cut right there; something was at {shown}" if shown else "nothing was cut"

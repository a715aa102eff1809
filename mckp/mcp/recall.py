r"""The tool that gives back what was cut or is only referred to.

Results that are too long to be encoded while somebody waits: their beginning and end.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from mckp.api import encode
from mckp.encoders.fakes import escape
from mckp.encoders.hints import COMPACT, RAW, Label
from mckp.errors import MckpError, PathError
from mckp.jsontext import is_array
from mckp.mcp.parts import halves, left_over, projected
from mckp.session.classify import json_value
from mckp.session.layers import delivered
from mckp.session.selection import selected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mckp.result import Elided
    from mckp.session import Session
    from mckp.tokenizers.base import Tokenizer

MAX_CHARS: Final = 2 << 20
"""Characters of a text that a session looks at."""

_KEPT_CHARS: Final = 128 << 20
_HEAD_SHARE: Final = 0.7


class Kept:
    """What can be given back: texts that no session holds, and what was not shown of others.

    Parameters
    ----------
    most : int
        Characters of texts; the oldest are forgotten.
    most_cut : int
        Results of which is known what was not shown.

    Examples
    --------
    >>> kept = Kept()
    >>> kept.get(kept.add("all of it"))
    'all of it'
    """

    def __init__(self, most: int = _KEPT_CHARS, most_cut: int = 8) -> None:
        self._most, self._size, self._last = most, 0, 0
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._most_cut = most_cut
        self._left: OrderedDict[int, list[Any]] = OrderedDict()

    def cut(self, number: int, text: str, cuts: Iterable[Elided], shown: str) -> None:
        """Note what was cut of a result."""
        value = json_value(text)
        self._left[number] = left_over(text if value is None else value, cuts, shown)
        while len(self._left) > self._most_cut:
            self._left.popitem(last=False)

    def next(self, number: int) -> Any:
        """Return the next part of what was not shown, None if nothing is known to be left."""
        parts = self._left.get(number)
        return parts[0] if parts else None

    def shown(self, number: int, cuts: Iterable[Elided], shown: str) -> bool:
        """Note what was shown of the part that `next` gave; whether it was anything."""
        part, *rest = self._left[number]
        left = left_over(part, cuts, shown)
        is_new = part not in left
        left = left if is_new else halves(part)
        self._left[number] = [*left[:1], *rest, *left[1:]]
        return is_new or not left

    def add(self, text: str) -> str:
        """Keep a text, and return its handle."""
        self._last += 1
        self._size += len(text)
        self._texts[f"x{self._last}"] = text
        while self._size > self._most and len(self._texts) > 1:
            self._size -= len(self._texts.popitem(last=False)[1])
        return f"x{self._last}"

    def get(self, handle: str) -> str:
        """Return a text.

        Raises
        ------
        PathError
            If there is none of that handle any more.
        """
        if handle not in self._texts:
            raise PathError(handle, "no result has that handle, or it was forgotten")
        return self._texts[handle]


def excerpt(text: str, budget: int, handle: str, count: Callable[[str], int]) -> str:
    r"""Return the beginning and the end of a text, and between them how much is missing.

    Examples
    --------
    >>> found = excerpt("one\ntwo\n" * 99, 24, "x1", lambda text: len(text.split()))
    >>> len(found.split()) <= 24, [line for line in found.splitlines() if ">" in line]
    (True, ['> [732 of 792 characters left out; handle x1]'])
    """
    size = min(len(text), budget * 8)
    while size > 3:
        found = _cut(text, size, handle)
        tokens = count(found)
        if tokens <= budget:
            return found
        size = min(size - 1, int(size * budget / tokens))
    return f"> [{len(text):,} characters left out; handle {handle}]"


def _cut(text: str, size: int, handle: str) -> str:
    first = int(size * _HEAD_SHARE)
    head, tail = text[:first], text[len(text) - (size - first) :]
    # Whole lines, unless a line is longer than all there is room for.
    head = head[: head.rfind("\n") + 1] or head
    tail = tail[tail.find("\n") + 1 :] or tail
    missing = len(text) - len(head) - len(tail)
    note = f"> [{missing:,} of {len(text):,} characters left out; handle {handle}]"
    above = head if head.endswith("\n") else f"{head}\n"
    return f"{escape(above, raw=True)}{note}\n{escape(tail, raw=True)}"


_MAX_ERROR_CHARS: Final = 160


def recalled(
    session: Session,
    kept: Kept,
    args: Mapping[str, Any],
    budget: int | None,
    counter: Tokenizer,
) -> dict[str, Any]:
    """Return the result of a call of the tool.

    What it gives is never referred to, and is cut like any result if there is a budget.
    """
    try:
        number = _number(args.get("handle"))
        text = kept.get(str(number)) if isinstance(number, str) else session.recall(number)
        asks = any(args.get(name) is not None for name in ("path", "offset", "limit", "fields"))
        left = None if asks or isinstance(number, str) else kept.next(number)
        if left is None:
            return _result(_written(_part(text, args), budget, counter)[0])
        while True:
            said, cuts = _written(left, budget, counter)
            if kept.shown(int(number), cuts, said):
                return _result(said)
            left = kept.next(int(number))  # half of it, of which more fits
    except (MckpError, ValueError) as error:
        return {**_result(_clipped(str(error))), "isError": True}


def _result(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def _clipped(why: str) -> str:
    """Return the beginning of what is wrong, which names of the data may make long."""
    return why if len(why) <= _MAX_ERROR_CHARS else f"{why[:_MAX_ERROR_CHARS]} …"


def _number(handle: Any) -> int | str:
    """Return the number of a result in the session, or the handle of a text beside it."""
    if isinstance(handle, int) and not isinstance(handle, bool):
        handle = str(handle)
    if not isinstance(handle, str):
        raise PathError("handle", "name a result, such as #3")
    name = handle.strip().lstrip("#")
    if name.startswith("x"):
        return name
    if not (name.isascii() and name.isdigit() and len(name) < 19):
        raise PathError(handle, "a handle is a number, such as #3")
    return int(name)


def _part(text: str, args: Mapping[str, Any]) -> Any:
    """Return what of a text is asked for: a text, or data."""
    first, most = _whole(args, "offset", 0), _whole(args, "limit", None)
    last = None if most is None or first is None else first + most
    path = args.get("path")
    value = json_value(text)
    if isinstance(path, str) and path.strip() not in ("", "$"):
        if value is None:
            raise PathError(path, "this result is a text; take offset and limit for its lines")
        value = selected(value, path)
        if isinstance(value, str):
            return _lines(value, first, last)
    elif value is None or (not is_array(value) and (first or last is not None)):
        return _lines(text, first, last)
    value = value[first:last] if is_array(value) else value
    fields = args.get("fields")
    if is_array(fields) and fields:
        value = projected(value, [str(each) for each in fields])
    return value


def _lines(text: str, first: int | None, last: int | None) -> str:
    return "".join(text.splitlines(keepends=True)[first:last])


def _whole(args: Mapping[str, Any], name: str, default: int | None) -> int | None:
    found = args.get(name, default)
    if found is None or (isinstance(found, int) and not isinstance(found, bool) and found >= 0):
        return found
    raise PathError(name, f"a whole number is needed, not {found!r}")


def _written(found: Any, budget: int | None, counter: Tokenizer) -> tuple[str, tuple[Elided, ...]]:
    kind = "text" if isinstance(found, str) else None
    if isinstance(found, str):
        text = delivered(found, RAW, None)
        if budget is None or counter.count(text) <= budget:
            return text, ()
    room = None if budget is None else budget - counter.count(f"{Label(None, COMPACT)}\n")
    while True:
        encoded = encode(found, budget=room, tokenizer=counter, kind=kind)
        text = delivered(encoded.text, COMPACT, None)
        over = 0 if budget is None else counter.count(text) - budget
        if over <= 0 or not room:
            return text, encoded.elided
        room = max(0, room - over)  # marks on fakes take tokens as well

"""What was delivered, kept to be given back and to be referred to, within bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from mckp.encoders.hints import RAW
from mckp.errors import PathError
from mckp.session.settings import check_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


@dataclass(slots=True)
class Entry:
    """A response that was delivered.

    Attributes
    ----------
    number : int
        Its handle.
    agent : str
        In whose context it is.
    tool, call : str
        The tool, and a hash of its arguments.
    file : str or None
        The file that it is about.
    text : str
        The response as it came.
    body : str or None
        What was delivered below its label; None for the response as it came.
    form : str
        How that is written.
    tokens, baseline : int
        Of what was delivered, label included, and of the response's baseline.
    lossless : int
        Tokens of the shortest way to deliver all of it.
    cut_to : int or None
        The budget that parts were cut for, if any were.
    digest : str
        A hash of the response, for events.
    shape : str
        Its shape.
    inner : tuple of str
        Formats of the strings inside.
    figures : dict
        What else an event tells of it: columns and the like.
    stale : bool
        Whether what it tells may have changed, so that no exact repeat refers to it.
    """

    number: int
    agent: str
    tool: str
    call: str
    file: str | None
    text: str
    body: str | None
    form: str = RAW
    tokens: int = 0
    baseline: int = 0
    lossless: int = 0
    cut_to: int | None = None
    digest: str = ""
    shape: str = ""
    inner: tuple[str, ...] = ()
    figures: dict[str, Any] = field(default_factory=dict[str, Any])
    stale: bool = False

    @property
    def delivered(self) -> str:
        """What was delivered below its label, without marks."""
        return self.text if self.body is None else self.body

    @property
    def size(self) -> int:
        """Bytes of memory, at most about; the same whenever it is asked."""
        texts = (self.text, self.body or "", self.agent, self.tool, self.file or "")
        return 1024 + sum(map(_size, texts))


class Store:
    """Responses by number, the oldest of which are forgotten.

    Parameters
    ----------
    max_bytes : int
        Memory for all; the newest is kept in any case.
    on_forgotten : callable
        Told about each that is forgotten.
    """

    def __init__(self, max_bytes: int, on_forgotten: Callable[[Entry], object]) -> None:
        self._max_bytes, self._on_forgotten = max_bytes, on_forgotten
        self._entries: OrderedDict[int, Entry] = OrderedDict()
        self.size = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def add(self, entry: Entry) -> None:
        """Keep a response, and forget others if there is no room."""
        self._entries[entry.number] = entry
        self.size += entry.size
        while self.size > self._max_bytes and len(self._entries) > 1:
            _, oldest = self._entries.popitem(last=False)
            self.size -= oldest.size
            self._on_forgotten(oldest)

    def get(self, number: int) -> Entry:
        """Return a response.

        Raises
        ------
        PathError
            If there is none of that number any more.
        """
        if number not in self._entries:
            raise PathError(f"#{number}", "no response has that number, or it was forgotten")
        return self._entries[number]

    def to_list(self) -> list[dict[str, Any]]:
        """Return all as plain data."""
        return [asdict(entry) for entry in self]

    def fill(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Keep all that `to_list` wrote."""
        for plain in entries:
            fields: dict[str, Any] = {**plain, "inner": tuple(plain["inner"])}
            entry = Entry(**fields)
            check_fields(entry, f"entries[{len(self)}]")
            self.add(entry)


def _size(text: str) -> int:
    return len(text) * (1 if text.isascii() else 4)

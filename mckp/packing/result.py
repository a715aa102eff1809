"""What `mckp.pack` returns: the text, and the outcome for each document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mckp.budgets import checked_budget
from mckp.errors import DetachedError, UnknownNameError
from mckp.result import Result

if TYPE_CHECKING:
    from mckp.budgets import BudgetLike
    from mckp.display.curve import BudgetCurve
    from mckp.packing.items import Item
    from mckp.packing.joined import Taken
    from mckp.packing.packed import Packed
    from mckp.result import Handle

MORE: Final = 100
"""The number of additional tokens that `Share.gain` is for."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one document got.

    Attributes
    ----------
    name : str
    state : str
        ``whole``, ``cut``, ``named`` or ``skipped``; ``same`` if it is written under another name.
    tokens, of : int
        The tokens of its text, without the heading, and of the whole document.
    kept : float
        The share of its worth that is kept.
    gain : float
        What `MORE` additional tokens would add to `kept`, if spent on it alone; 0 if it is one of
        many documents and far from getting a part.
    """

    name: str
    state: str
    tokens: int
    of: int
    kept: float
    gain: float


@dataclass(frozen=True, eq=False)
class PackResult(Mapping[str, Result]):
    """Several documents in one text, and a `mckp.Result` for each by name.

    Attributes
    ----------
    text : str
        What to send; `mckp.decode` reads it as a dict from names to the kept content.
    tokens : int
        The counted tokens of the text.
    budget : int or None
        The budget that it was made for.
    tokenizer : str
        The tokenizer that counted.
    exact : bool
        Whether that tokenizer counts exactly; an estimate proves no budget.
    value : float
        The worth that the text keeps; see `mckp.pack`.
    bound : float or None
        An upper bound: no other choice keeps more within the budget. None if the tokens of parts do
        not add up in this tokenizer.
    status : str
        ``optimal`` when `value` equals the bound, and no text of equal value is shorter; else
        ``feasible``.
    names : tuple of str
        The names of all documents, as given.
    """

    text: str
    tokens: int
    budget: int | None
    tokenizer: str
    exact: bool
    value: float
    bound: float | None
    status: str
    names: tuple[str, ...]
    packed: Packed | None = field(default=None, repr=False)
    taken: tuple[Taken, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        limit = "no budget" if self.budget is None else f"budget {self.budget}"
        return f"<PackResult {len(self)} items, {self.tokens} tokens ({limit}), {self.status}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickled result has the text and the figures, but not the documents.
        facts = (self.text, self.tokens, self.budget, self.tokenizer, self.exact)
        figures = (self.value, self.bound, self.status, self.names)
        return type(self), (*facts, *figures)

    @property
    def total(self) -> float:
        """The worth of all documents."""
        from mckp.packing.joined import UNITS

        return self._attached.joined.total / UNITS

    @property
    def gap(self) -> float | None:
        """The most that `value` may be below the best, as a share of `value`; 0 if optimal.

        None if there is no bound.
        """
        return None if self.bound is None else (self.bound - self.value) / max(1.0, abs(self.value))

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __getitem__(self, name: str) -> Result:
        """Return the result for a document, as `mckp.encode` would for it alone.

        Its text is empty if it was skipped. Its `at` and `frontier` are for the document alone.
        """
        number = self._number(name)
        item, taken = self._attached.items[number], self.taken[number]
        return item.priced.result_of(taken.pick)

    def at(self, budget: BudgetLike | None) -> PackResult:
        """Return a pack of the same documents within another budget, without reparsing them.

        Raises a `BudgetError` if nothing fits, and a `DetachedError` after pickling.

        Examples
        --------
        >>> import mckp
        >>> result = mckp.pack({"a": [{"id": n} for n in range(99)], "b": "a plan"}, 60)
        >>> result.at(40).tokens <= 40 < result.tokens <= 60
        True
        """
        packed = self._attached
        return packed.within(checked_budget(budget, packed.source_tokens))

    def frontier(self) -> BudgetCurve:
        """Return the best worth for about twenty budgets, each solved separately."""
        from mckp.packing.shares import curve

        return curve(self._attached, self.budget)

    def states(self) -> dict[str, str]:
        """Return the state of each document, as in `Share.state`, without figures.

        Examples
        --------
        >>> import mckp
        >>> mckp.pack({"a": "a plan", "b": [{"id": n} for n in range(99)]}, 60).states()
        {'a': 'whole', 'b': 'cut'}
        """
        from mckp.packing.shares import states

        return states(self._attached, self.taken)

    def written_as(self, name: str) -> str:
        """Return the name under which a document is written: the first one's if some are equal."""
        return self._item(name).name

    def shares(self) -> list[Share]:
        """Return what each document got, and what a hundred more tokens would add.

        Examples
        --------
        >>> import mckp
        >>> result = mckp.pack({"a": "a plan", "b": [{"id": n} for n in range(99)]}, 60)
        >>> [(share.name, share.state) for share in result.shares()]
        [('a', 'whole'), ('b', 'cut')]
        """
        from mckp.packing.shares import shares

        return shares(self._attached, self.taken, self.budget)

    def recall(self, name: str, handle: Handle | None = None, **question: Any) -> Any:
        r"""Return what was cut from a document, or the answer to a question about all of it.

        Parameters
        ----------
        name : str
            The document.
        handle
            The handle of a cut, as for `mckp.Result.recall`.
        **question
            Without a handle: ``where``, ``fields``, ``grep``, ``lines`` and others, as for the tool
            that recalls results. Without a question, the document is returned.

        Examples
        --------
        >>> import mckp
        >>> result = mckp.pack({"log": "".join(f"line {n}\n" for n in range(1, 99))}, 40)
        >>> result.recall("log", lines="40-41")
        ['line 40', 'line 41']
        """
        from mckp.packing.shares import answer_about

        if handle is not None:
            return self[name].recall(handle)
        return answer_about(self._item(name), question)

    def to_dict(self) -> dict[str, Any]:
        """Return the text, the figures and what each document got, as data that JSON can hold."""
        facts = ("text", "tokens", "budget", "tokenizer", "exact")
        figures = ("value", "total", "bound", "gap", "status")
        plain: dict[str, Any] = {name: getattr(self, name) for name in (*facts, *figures)}
        shares = self.shares()
        slots = Share.__slots__
        plain["items"] = [{name: getattr(share, name) for name in slots} for share in shares]
        return plain

    def summary(self) -> str:
        """Return a readable table of what each document got."""
        from mckp.display.blocks import aligned_lines

        head = ["item", "state", "tokens", "of", "kept"]
        rows = [
            [share.name, share.state, f"{share.tokens}", f"{share.of}", f"{share.kept:.0%}"]
            for share in self.shares()
        ]
        limit = "no budget" if self.budget is None else f"budget {self.budget}"
        gap = "" if self.gap is None else f" (gap {self.gap:.2%})"
        last = f"{self.tokens} tokens ({limit}), {self.status}{gap}"
        return "\n".join([*aligned_lines(head, rows), last])

    def to_html(self, title: str = "A pack") -> str:
        """Return an HTML page: a bar for each document, what more tokens would add, the text."""
        from mckp.display.page import sheet

        return sheet(title, self._repr_html_())

    def _repr_html_(self) -> str:
        from mckp.packing.shares import notebook_page

        return notebook_page(self)

    @property
    def _attached(self) -> Packed:
        """The documents; raise a `DetachedError` without them, as after pickling."""
        if self.packed is None:
            raise DetachedError("this call", "pack the documents again")
        return self.packed

    def _number(self, name: str) -> int:
        """Return the number of the document with a name, or raise an `UnknownNameError`."""
        for number, item in enumerate(self._attached.items):
            if name == item.name or name in item.equals:
                return number
        raise UnknownNameError("document", str(name), self.names)

    def _item(self, name: str) -> Item:
        """Return the document with a name, or raise an `UnknownNameError`."""
        return self._attached.items[self._number(name)]

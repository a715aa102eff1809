"""The knapsack problem of a document: solve it with any solver, and get a text back."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

import numpy as np

from mckp.jsontext import path_text
from mckp.menu.render import child_path, fragments, render
from mckp.solvers import get
from mckp.solvers.base import Solution
from mckp.solvers.evaluation import is_selection
from mckp.solvers.long import frame_columns, make_frame
from mckp.solvers.outside import evaluated
from mckp.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from mckp.answers.priced import Priced
    from mckp.menu.meaning import Meaning
    from mckp.solvers import SolverLike

KIND: Final = "mckp instance"
"""What a file of `Instance.save` says that it is."""
VERSION: Final = 1


class Label(NamedTuple):
    """The meaning of one option of a table.

    Attributes
    ----------
    number : int
        The option's number in the table.
    cls : int
        The number of its class.
    path : str
        The part of the document that the class writes, such as ``$.jobs[3]``.
    format : str
        The format, ``""`` for what is cut.
    keeps : str
        ``whole``, ``part`` (such as the first rows), ``members`` (its members are classes of their
        own), ``name`` (only its name, in a hint) or ``nothing``.
    cost : int
        Tokens, without those of its members.
    value : float
        Worth, without that of its members.
    """

    number: int
    cls: int
    path: str
    format: str
    keeps: str
    cost: int
    value: float


@dataclass(frozen=True, eq=False, repr=False)
class Instance:
    """The multiple-choice knapsack of one document.

    It is made by `mckp.instance`. The table is all that a solver needs; the rest turns a solution
    back into text.

    Attributes
    ----------
    table : Table
        Classes and options, as numbers; costs are tokens. It is the same for all budgets.
    budget : int or None
        The tokens that a solution may cost, unless `solve` is given others.

    Examples
    --------
    >>> import mckp
    >>> instance = mckp.instance([{"id": n, "ok": n % 2 == 0} for n in range(9)], budget=20)
    >>> instance
    Instance(classes=1, options=13, depth=1, budget=20)
    >>> solution = instance.solve()
    >>> print(instance.text(solution).splitlines()[-1])
    > [+6 rows]
    """

    table: Table
    budget: int | None
    _priced: Priced
    _settings: Mapping[str, Any] | None

    def __repr__(self) -> str:
        inside = repr(self.table)[len("Table(") : -1]
        return f"Instance({inside}, budget={self.budget})"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in label)}</tr>"
            for label in self.labels[:SHOWN]
        )
        heads = "".join(f"<th>{name}</th>" for name in Label._fields)
        return f"<p>{escape(repr(self))}</p><table><tr>{heads}</tr>{rows}</table>"

    @property
    def capacity(self) -> int:
        """The budget in units of the table, less the tokens that surround every text.

        Raises `ValueError` if the instance has no budget.
        """
        if self.budget is None:
            raise ValueError(
                "this instance has no budget: pass budget= to mckp.instance() or to solve()"
            )
        return self._capacity_for(self.budget)

    def _capacity_for(self, budget: int) -> int:
        """Return a budget in units of the table, less the tokens that surround every text."""
        prices = self._priced.prices
        return max(0, budget - self._priced.kept_room) * prices.scale - prices.frame

    def solve(self, solver: SolverLike = "auto", *, budget: int | None = None) -> Solution:
        """Solve the table within the budget.

        `solver` is a name, or a function with the signature of `mckp.solvers.Solver`. Only the
        choice of a function is used; its totals, bound and status are computed here.
        """
        capacity = self.capacity if budget is None else self._capacity_for(budget)
        return get(solver)(self.table, max(0, capacity))

    def evaluate(self, choice: Sequence[int] | NDArray[np.int64]) -> Solution:
        """Return the solution for a choice (one option per class, -1 if not reached).

        Its status is ``optimal`` only if the bound of the table's relaxation proves it. A choice
        that is not a valid selection, or exceeds the budget, raises `ValueError`.
        """
        return evaluated(self.table, max(0, self.capacity), choice)

    def text(self, solution: Solution | Sequence[int] | NDArray[np.int64]) -> str:
        """Return the text of a solution, or of a choice (one option per class, -1 if not reached).

        A choice that is not a valid selection raises `ValueError`. A choice over the budget gives a
        text over the budget.
        """
        places = solution.choice if isinstance(solution, Solution) else solution
        choice = np.asarray(places, dtype=np.int64)
        if not is_selection(self.table, choice):
            raise ValueError(
                f"this is not a selection: give the number of an option for each of the "
                f"{self.table.classes} classes, and -1 for a class that no chosen option opens"
            )
        tabulated = self._priced.tabulated
        return render(tabulated.menu, tabulated.pick(choice.tolist()))

    def tokens(self, solution: Solution | Sequence[int] | NDArray[np.int64]) -> int:
        """Return the tokens of a solution's text, counted with the tokenizer."""
        return self._priced.tokenizer.count(self.text(solution))

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The meaning of each option, in the order of the table."""
        tabulated, table = self._priced.tabulated, self.table
        start, cost, value = (array.tolist() for array in (table.start, table.cost, table.value))
        paths: dict[int, tuple[str | int, ...]] = {-1: ()}
        labels = list[Label]()
        opens = set(table.parent_option.tolist())
        for number, parent in enumerate(table.parent_option.tolist()):
            path = child_path(paths[parent], tabulated.classes[number])
            for option in range(start[number], start[number + 1]):
                paths[option] = path
                name, keeps = self._format_and_kept(tabulated.meaning(option), option in opens)
                row = option, number, path_text(path), name, keeps, cost[option], value[option]
                labels.append(Label(*row))
        return tuple(labels)

    @staticmethod
    def _format_and_kept(meaning: Meaning, opens: bool) -> tuple[str, str]:
        """Return the format of an option, and what it keeps, as in `Label`.

        `opens` says that the option opens classes.
        """
        option = meaning.make_option()
        if option is None:
            return "", "name" if meaning.is_named else "nothing"
        keeps = "whole" if meaning.is_whole else "members" if opens else "part"
        return option.format, keeps

    @cached_property
    def binary(self) -> Instance:
        """The 0-1 knapsack over subtrees: each subtree is written in one format or left out.

        It is what ``encode(..., solver="binary")`` solves, a baseline for comparisons. Rows
        and lines are subtrees too, and a container is written if at least one of its members is
        taken. Its options, and so its solutions, differ from those of this instance.
        """
        tabulated = self._priced.tabulated.binary
        priced = replace(self._priced)
        priced.__dict__["tabulated"] = tabulated
        return Instance(tabulated.table, self.budget, priced, None)

    def to_frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """Return the table as a long frame: one row per option, with its meaning.

        Columns are those of `mckp.solvers.to_frame`, plus ``path``, ``format`` and ``keeps`` as in
        `Label`. `mckp.solvers.from_frame` turns it back into a table.

        Examples
        --------
        >>> import mckp
        >>> frame = mckp.instance([{"id": n} for n in range(9)]).to_frame()
        >>> list(frame.columns[-3:]), len(frame)
        (['path', 'format', 'keeps'], 8)
        """
        named = {name: [getattr(label, name) for label in self.labels] for name in LABELS}
        return make_frame({**frame_columns(self.table), **named}, library)

    def fragment(self, option: int) -> str:
        """Return the text of one option of the table, without the classes that it opens.

        An option that writes all of its class includes them.
        """
        label = self.labels[option]
        tabulated = self._priced.tabulated
        meaning = tabulated.meaning(option)
        if meaning.option is None and meaning.series is None:
            return ""
        return "".join(
            fragments(tabulated.pick_class(tabulated.classes[label.cls], meaning, (), ()))
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the instance to a JSON file: table, labels, budget, document and settings.

        The table can be read without mckp. An instance that `mckp.instance` did not make raises
        `ValueError`, and so do settings that JSON cannot hold, such as functions.
        """
        if self._settings is None:
            raise ValueError("only instances created by mckp.instance() can be saved")
        for name, setting in self._settings.items():
            if not _is_json(setting):
                raise ValueError(
                    f"{name} is a {type(setting).__name__}, which cannot be saved in a file; "
                    "give a name"
                )
        document = self._priced.document.given
        embedding = self._priced.document.embedding
        is_found_out = embedding is not None and embedding.form is not None
        file = {
            "kind": KIND,
            "version": VERSION,
            "budget": self.budget,
            "capacity": None if self.budget is None else self.capacity,
            "table": json.loads(self.table.to_json()),
            "labels": [label._asdict() for label in self.labels],
            "document": document.source_text,
            "settings": {**self._settings, "kind": None if is_found_out else document.source_kind},
        }
        Path(path).write_text(json.dumps(file, ensure_ascii=False), encoding="utf-8")


LABELS: Final = ("path", "format", "keeps")
"""What a frame has of a label beside the numbers."""
SHOWN: Final = 12
"""Options that a notebook shows of an instance."""


def load(path: str | PathLike[str], make: Callable[..., Instance]) -> Instance:
    """Read a file that `Instance.save` wrote; `make` is `mckp.instance`.

    The document is priced again and must give the table in the file. If it does not, because
    another version of mckp writes documents differently, `ValueError` is raised.
    """
    try:
        file = cast("dict[str, Any]", json.loads(Path(path).read_text(encoding="utf-8")))
        is_known = file["kind"] == KIND and file["version"] == VERSION
    except (ValueError, TypeError, KeyError):
        is_known = False
        file = {}
    if not is_known:
        raise ValueError(f"{path} was not written by Instance.save, or by another version of it")
    made = make(file["document"], budget=file["budget"], on_unmatched="ignore", **file["settings"])
    if made.table.to_json() != Table.from_json(file["table"]).to_json():
        raise ValueError(
            f"{path} was saved by another version of mckp, which made a different table for the "
            'same document; to solve the saved table, pass its value of "table" to Table.from_json'
        )
    return made


def _is_json(setting: object) -> bool:
    """Whether JSON can hold a setting."""
    try:
        return bool(json.loads(json.dumps(setting)) == setting)
    except (TypeError, ValueError):
        return False

"""What a note may say about cuts, and its worth: names and exceptional values.

======================================================  ===========================================
``> [+3 columns url sha]``                              names of what is missing
``> [+3 columns url; state: done 13, failed 5]``        the values of a column that is missing
``> [+3 columns url; draft true: rows 4 7]``            its exceptional values, with their rows
``> [+18 rows 4-9 12 15-25]``                           which rows are missing
``> [+2 rows film actor]``                              the names of few missing rows
``> [+18 rows with state done 13, failed 5]``            the values that these rows have
======================================================  ===========================================

A name shows a reader what to ask for, so it is worth a share of what it names, and as much per
token as the text around it, but never more than half of what it stands for: a small value is
written, not named. All of this costs tokens, so each is an option, and the solver decides.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.encoders.hints import is_name
from mckp.jsontext import is_array, is_container, is_object
from mckp.menu.chain import SHORTEST
from mckp.menu.classes import NoteText
from mckp.menu.members import ANY
from mckp.menu.price import name_in_hint
from mckp.regexes import regex
from mckp.result import SHOWN
from mckp.weights.keys import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    from mckp.menu.chain import Count
    from mckp.menu.classes import Menu
    from mckp.menu.values import PlacedValue
    from mckp.weights import Weights

    Names: TypeAlias = tuple[str, ...]

NAME_SHARE: Final = 4
"""A name is worth at least the most valuable leaf that it stands for, divided by this."""

RATE: Final = 0.75
"""A name is worth so many times what as many tokens of its container are worth, on average."""

REMARK_RATE: Final = 1.5
"""The same for the values of a column."""

REMARK_SHARE: Final = 0.75
"""What is said of the values of a column is worth at most this share of them."""

STATED_SHARE: Final = 0.3
"""An exceptional value is worth so much of itself if only the number of its row is with it."""

MOST_NAMES: Final = 12
"""Most names of one note."""

MOST_NAMEABLE: Final = 2000
"""Most members of a container that notes may name: irregular records have a hundred thousand."""

FACT_TOKENS: Final = 8
"""Tokens that a leaf with its name is assumed to take."""


def worth_of_name(worths: Iterable[float]) -> float:
    """Return the worth of naming a cut part: a share of the worth of its most valuable leaf."""
    return float(max(worths, default=0.0) // NAME_SHARE)


def name_worths_of_fields(
    weights: Weights | None,
    fields: Iterable[PlacedValue],
    count: Count,
) -> dict[str, float]:
    """Return, by name, the worth of naming each field of an object if it is cut.

    Only the `MOST_NAMES` most valuable names are in it, the best first; without weights, it is
    empty. `count` returns the tokens of texts.
    """
    if weights is None:
        return {}
    named = [field for field in fields if is_name(str(field.key))]
    leaf_count = sum(field.facts for field in named)
    total = sum(weights.of(field.at, field.facts) for field in named)
    rate = RATE * total / max(1, FACT_TOKENS * leaf_count) / weights.lift
    worths: dict[str, float] = {}
    tokens = count([name_in_hint(field.key) for field in named])
    for field, name_tokens in zip(named, tokens, strict=True):
        at, facts, share = field.at, field.facts, _shortest_share(field.value)
        leaf_worth = worth_of_name(weights.of(at + n, 1) * share for n in range(facts))
        # It is better to write a small value than to name it.
        most = weights.of(at, facts) * share / (2 if facts > 1 else NAME_SHARE)
        if (name_worth := float(max(leaf_worth, min(most, rate * name_tokens)) // 1)) > 0:
            worths[str(field.key)] = name_worth
    return dict(sorted(worths.items(), key=lambda pair: -pair[1])[:MOST_NAMES])


def _shortest_share(value: object) -> float:
    """Return the length of the shortest form of a long text, as a share of it; 1 for all else."""
    return min(1.0, SHORTEST / len(value)) if isinstance(value, str) and value else 1.0


class Remark(NamedTuple):
    """What a note says about the values of a cut column, after its name."""

    text: str
    rows: frozenset[int] = frozenset()
    """The rows whose values it states."""


class Nameable(NamedTuple):
    """A member that may be named if it is cut."""

    path: Names
    worths: Sequence[float]
    """The worths of its leaves in its shortest form. The name alone must be worth less than these,
    since the form has the name, too."""
    rows: Sequence[int] = ()
    """The row of each leaf, if there is a remark."""
    remark: Remark | None = None

    @property
    def remark_text(self) -> str:
        """The text of the remark; empty if there is none."""
        return "" if self.remark is None else self.remark.text

    @property
    def stated_worth(self) -> float:
        """The worth of stating the values of the remark, with the numbers of their rows."""
        stated_rows = frozenset[int]() if self.remark is None else self.remark.rows
        pairs = zip(self.rows, self.worths, strict=False)
        return STATED_SHARE * sum(worth for row, worth in pairs if row in stated_rows)


class _Named(NamedTuple):
    """The name of a member and the remark on it, as they are in notes, and their worths."""

    path: Names
    text: str
    worth: float
    remark: str
    """Begins with the name; empty if there is none."""
    remark_worth: float


class Naming:
    """The names of the members of a container, the most valuable first.

    `rate` is the worth of a token of the container, on average.
    """

    def __init__(self, members: Iterable[Nameable], rate: float, count: Count) -> None:
        least_worths: dict[Names, float] = {}
        totals: dict[Names, float] = {}
        with_remark: dict[Names, Nameable] = {}
        for member in members:
            least, total, path = worth_of_name(member.worths), sum(member.worths), member.path
            while path:
                if path not in least_worths or least > least_worths[path]:
                    least_worths[path] = least
                totals[path] = totals.get(path, 0.0) + total
                path = path[:-1]
            if member.remark is not None:
                with_remark[member.path] = member
        names = {
            path: name_of_path(path) for path in least_worths if path[-1] != ANY and totals[path]
        }
        paths = [path for path, name in names.items() if is_name(name)]
        remarks = [
            f"; {names[path]}{with_remark[path].remark_text}" if path in with_remark else ""
            for path in paths
        ]
        tokens = count([name_in_hint(names[path]) for path in paths])
        remark_tokens = count(remarks) if with_remark else [0] * len(paths)
        named: list[_Named] = []
        for path, text, name_size, remark_size in zip(
            paths, remarks, tokens, remark_tokens, strict=True
        ):
            total = totals[path]
            worth = float(max(least_worths[path], min(total / 2, RATE * rate * name_size)) // 1)
            stated = with_remark[path].stated_worth if path in with_remark else 0.0
            remark_worth = min(REMARK_SHARE * total, max(stated, REMARK_RATE * rate * remark_size))
            remark_worth = float(max(worth, remark_worth) // 1)
            if worth:
                named.append(_Named(path, names[path], worth, text[2:], remark_worth))
        # A member comes before the members in it.
        named.sort(key=lambda entry: (-entry.worth, len(entry.path)))
        del named[MOST_NAMEABLE:]
        self._bits: dict[Names, int] = {}
        #: The bit of each member in sets of members, and that of the member that contains it, which
        #: is 0 if none does.
        self._by_bits = [
            (self._make_bit(entry.path), self._make_bit(_parent_path(entry.path)), entry)
            for entry in named
        ]
        self._note_texts: dict[int, tuple[NoteText, ...]] = {}
        self._has_remarks = any(entry.remark for entry in named)

    def _make_bit(self, path: Names) -> int:
        """Return the bit of a path, which is made if it has none yet; 0 for the root."""
        return self._bits.setdefault(path, 1 << len(self._bits)) if path else 0

    def bit(self, path: Names) -> int:
        """Return the bit of a path in the `kept` of `note_texts`; 0 if no note depends on it."""
        return self._bits.get(path, 0)

    def note_texts(self, kept: int) -> tuple[NoteText, ...]:
        """Return the texts that a note may have about the members of which nothing is kept.

        `kept` has the `bit` of each member that is kept at least in part, and of its ancestors. The
        texts are made once for each set of members that may be named.
        """
        note_texts = self._note_texts.get(kept)
        if note_texts is None:
            note_texts = self._note_texts[kept] = self._texts(kept)
        return note_texts

    def _texts(self, kept: int) -> tuple[NoteText, ...]:
        """Return texts with and without remarks, with few and with more names; see `note_texts`."""
        cut_members: list[_Named] = []
        for bit, above, named in self._by_bits:
            if not kept & bit and (not above or kept & above):
                cut_members.append(named)
                if len(cut_members) == MOST_NAMES and not self._has_remarks:
                    break  # without remarks, only the first names count
        remarks = [member for member in cut_members if member.remark][:SHOWN]
        if not remarks:
            few = cut_members[:SHOWN]
            if not few:
                return ()
            short = _note_of_names(few)
            if len(cut_members) == len(few):
                return (short,)
            return short, _note_of_names(cut_members[:MOST_NAMES])
        texts: dict[str, NoteText] = {}
        for name_limit in (SHOWN, MOST_NAMES) if len(cut_members) > SHOWN else (SHOWN,):
            for with_remark in ([], remarks):
                names = cut_members[:name_limit]
                if with_remark:
                    others = [member for member in cut_members if member not in with_remark]
                    names = others[:name_limit]
                parts = [" ".join([member.text for member in names])] if names else []
                text = "; ".join([*parts, *[member.remark for member in with_remark]])
                if text and text not in texts:
                    worth = sum([member.worth for member in names])
                    worth += sum([member.remark_worth for member in with_remark])
                    texts[text] = NoteText(text, worth)
        return tuple(texts.values())


def _note_of_names(named: Sequence[_Named]) -> NoteText:
    """Return a note that names members and says nothing else of them."""
    texts, worth = list[str](), 0.0
    for member in named:
        texts.append(member.text)
        worth += member.worth
    return NoteText(" ".join(texts), worth)


def name_of_path(path: Names) -> str:
    """Return the name of a member in a note, without steps to records."""
    return ".".join(step for step in path if step != ANY)


MOST_GROUPS: Final = 4
"""Most different values of a column of which a note says how often they occur."""

FEW_ROWS: Final = 4
"""Most rows with an exceptional value."""

LEAST_ROWS: Final = 6
"""Fewest rows of a table of which a note says which values a column has."""


def remark(leaves: Sequence[Any], rows: Sequence[int], size: int) -> Remark | None:
    """Return what to say about the values of a cut column, or None if that would not be short.

    It is also None for a table of few rows, and for a column with several values in a row.

    Parameters
    ----------
    leaves : sequence of object
        The values of the column.
    rows : sequence of int
        The row of each value.
    size : int
        The number of rows of the table.

    Examples
    --------
    >>> remark(["ok"] * 7 + ["failed"], range(8), 8).text
    ' failed: row 7'
    >>> remark(["ok"] * 7 + ["failed"] * 5, range(12), 12).text
    ': ok 7, failed 5'
    >>> remark(["E1", "E2"], [3, 9], 12).text
    ': only rows 3 9'
    """
    if size < LEAST_ROWS or len(set(rows)) < len(leaves):
        return None
    if len(leaves) < size:
        is_rare = len(leaves) <= min(FEW_ROWS, size // 3)
        return Remark(f": only {_rows_text(rows)}") if is_rare else None
    words = [_word(value) for value in leaves]
    counts = Counter(words)
    if None in counts or not 1 < len(counts) <= MOST_GROUPS:
        return None
    (usual, usual_count), *further = counts.most_common()
    if size - usual_count <= min(FEW_ROWS, size // 4):
        exceptional: dict[str | None, list[int]] = {word: [] for word, _ in further}
        for word, row in zip(words, rows, strict=True):
            if word != usual:
                exceptional[word].append(row)
        exceptions = ", ".join(
            f"{word}: {_rows_text(its_rows)}" for word, its_rows in exceptional.items()
        )
        return Remark(
            f" {exceptions}",
            frozenset(row for its_rows in exceptional.values() for row in its_rows),
        )
    if all(value is None or isinstance(value, bool | str) for value in leaves):
        return Remark(f": {', '.join(f'{word} {number}' for word, number in counts.most_common())}")
    return None


def _word(value: object) -> str | None:
    """Return a value as a word in a note, or None if it cannot be one."""
    if isinstance(value, str):
        return value if is_name(value) else None
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value) if isinstance(value, int) and abs(value) < 10**9 else None


def _rows_text(rows: Sequence[int]) -> str:
    """Return row numbers as text, such as ``rows 3 9``."""
    return f"row{'s' * (len(rows) > 1)} {' '.join(map(str, rows))}"


def _parent_path(path: Names) -> Names:
    """Return the path of the member that contains another one; empty if none does."""
    above = path[:-1]
    while above and above[-1] == ANY:
        above = above[:-1]
    return above


MOST_RUNS: Final = 8
"""A hint has at most so many runs of missing rows, and the last one."""


def missing_ranges(is_kept: Sequence[bool] | NDArray[np.bool_]) -> str:
    """Return the ranges of missing rows as text for a hint.

    The text is empty if no rows are missing, or only the last ones. Of many ranges, some are left
    out.

    Examples
    --------
    >>> missing_ranges([True, False, False, True, False]), missing_ranges([True, True, False])
    ('1-2 4', '')
    """
    if len(is_kept) > REMEMBERED:
        return _missing_ranges(bytes(is_kept))
    return _known_ranges(bytes(is_kept))


REMEMBERED: Final = 512
"""Most rows of a table whose ranges are remembered, for other versions of the table."""

_RUN: Final = regex(rb"\0+")


def _missing_ranges(is_kept: bytes) -> str:
    first = islice(_RUN.finditer(is_kept), MOST_RUNS + 2)
    runs = [run.span() for run in first]
    if len(runs) < 2 and (not runs or runs[0][1] == len(is_kept)):
        return ""
    texts = [_run_text(*run) for run in runs[:MOST_RUNS]]
    if len(runs) > MOST_RUNS + 1:
        texts.append("…")
    if len(runs) > MOST_RUNS:
        end = is_kept.rfind(b"\0") + 1
        texts.append(_run_text(is_kept.rfind(b"\1", 0, end) + 1, end))
    return " ".join(texts)


_known_ranges = lru_cache(maxsize=2048)(_missing_ranges)


def _run_text(first: int, end: int) -> str:
    """Return a run of row numbers before `end` as text, such as ``4-9``."""
    return str(first) if first + 1 == end else f"{first}-{end - 1}"


def names_of_rows(records: object) -> list[str] | None:
    """Return the names of records, by which a reader may ask for them; None if some have none.

    `records` is an object whose members are the records, named by their keys, or an array of
    records, named by the text that identifies them. A name is a word.

    Examples
    --------
    >>> names_of_rows([{"id": 7, "name": "film"}, {"id": 9, "name": "actor"}])
    ['film', 'actor']
    >>> names_of_rows([{"id": 7}, {"id": 9}]), names_of_rows({"a": {"x": 1}, "b": {"x": 2}})
    (None, ['a', 'b'])
    """
    if is_object(records):
        names = list(records)
        return names if all(map(_is_row_name, names)) else None
    if not is_array(records) or not records or not all(map(is_object, records)):
        return None
    rows = range(len(records))
    columns: list[tuple[str, list[str], range]] = []
    for name in records[0]:
        values = [
            value for value in (record.get(name) for record in records) if _is_row_name(value)
        ]
        if len(values) == len(records):
            columns.append((name, values, rows))
    key = key_of(columns, [0] * len(records))
    return None if key is None else columns[key][1]


def _is_row_name(value: Any) -> bool:
    """Whether a value may name a row in a hint: it is a word with a letter and no comma."""
    is_text = isinstance(value, str) and is_name(value)
    return is_text and "," not in value and any(sign.isalpha() for sign in value)


def names_text(names: Sequence[str], missing: Sequence[int]) -> str:
    """Return the names of missing rows, with their numbers unless they are the last rows.

    `missing` has these numbers in ascending order, and `names` the names of all rows.

    Examples
    --------
    >>> names_text(["a", "b", "c"], [0, 1]), names_text(["a", "b", "c"], [1, 2])
    ('0 a, 1 b', 'b c')
    """
    if missing[0] + len(missing) < len(names):
        return ", ".join(f"{row} {names[row]}" for row in missing)
    return " ".join(names[row] for row in missing)


class Groups(NamedTuple):
    """A column with few distinct values, by which missing rows can be counted."""

    name: str
    values: list[str]
    """The group of each row."""
    worth_limit: float
    """The most that counts of missing rows, by group, can be worth."""

    def count_worth(self, missing_worth: float) -> float:
        """Return the worth of counting missing rows, given the worth of the rows themselves.

        It is at most half of that: a count must not be worth more than what it counts.
        """
        return min(self.worth_limit, missing_worth // 2)

    def count_texts(self, order: Iterable[int], counts: Iterable[int]) -> dict[int, str]:
        """Return the texts of notes that count the missing rows by group.

        There is a text for each of the `counts` of kept rows, if these are the first of the `order`
        of all rows. The group of the first missing row comes first.

        Examples
        --------
        >>> Groups("state", ["open", "done", "open"], 1.0).count_texts([0, 1, 2], [1, 2])
        {1: 'with state done 1, open 1', 2: 'with state open 1'}
        """
        places: dict[str, list[int]] = {}
        for place, row in enumerate(order):
            places.setdefault(self.values[row], []).append(place)
        texts: dict[int, str] = {}
        for count in counts:
            missing: list[tuple[int, str]] = []
            for value, own in places.items():
                first = bisect_left(own, count)
                if first < len(own):
                    missing.append((own[first], f"{value} {len(own) - first}"))
            groups = ", ".join(text for _, text in sorted(missing))
            texts[count] = f"with {self.name} {groups}"
        return texts


def groups_of(records: object, worths: Sequence[float], facts: Sequence[int]) -> Groups | None:
    """Return the groups of records by the first column whose values are words or flags.

    The column must have at least two distinct values, and few for the number of records; the result
    is None if there is no such column. `worths` has the worth of each record, and `facts` the
    number of its leaves.

    Examples
    --------
    >>> rows = [{"id": n, "state": "open" if n % 3 else "done"} for n in range(9)]
    >>> groups_of(rows, [40.0] * 9, [2] * 9).count_texts(range(9), [6])
    {6: 'with state done 1, open 2'}
    """
    if not is_array(records) or not records or not is_object(records[0]):
        return None
    for key in filter(is_name, records[0]):
        values = _words(records, key)
        # A reader sees the counts of so few rows at a glance.
        if values and 1 < len(set(values)) <= SHOWN < len(values) / 2:
            leaf_worth = max(worth / count for worth, count in zip(worths, facts, strict=True))
            return Groups(key, values, len(set(values)) * leaf_worth // 1)
    return None


def _words(records: list[Any], key: str) -> list[str] | None:
    """Return the value of each record under a key, as a word.

    The result is None if a value is neither a word nor a flag, or if many values are distinct.
    """
    words: list[str] = []
    distinct: set[str] = set()
    for record in records:
        value = record.get(key) if is_object(record) else None
        word = str(value).lower() if isinstance(value, bool) else value
        if not isinstance(word, str) or (word not in distinct and not is_name(word)):
            return None
        distinct.add(word)
        if len(distinct) > SHOWN:
            return None
        words.append(word)
    return words


_LOOKED_AT: Final = 100
"""Only so many records are searched for names of members."""


def texts_with_names(menu: Menu) -> Iterator[str]:
    r"""Yield texts for data of which nothing fits: the hint with names of members.

    The text with the most names comes first. For a text document, there are none.

    Examples
    --------
    >>> from mckp.encoders.hints import Overflow
    >>> from mckp.menu.classes import Menu, MenuClass
    >>> rows = [{"id": 1, "text": "one"}, {"id": 2, "text": "two", "tag": "x"}]
    >>> root = MenuClass(None, {"rows": rows}, 5.0, ())
    >>> next(texts_with_names(Menu(root, Overflow(5, None, "facts"))))
    '> [+5 facts rows.id rows.text rows.tag]\n'
    """
    if menu.missing.unit != "facts":
        return
    names = [name for name in _member_names(menu.root.content) if is_name(name)]
    for size in range(min(len(names), MOST_NAMES), 0, -1):
        yield f"{replace(menu.missing, more=' '.join(names[:size]))}\n"


def _member_names(value: object) -> list[str]:
    """Return the names of an object's members, or of the fields of an array's records.

    While an object has a single member, which is a container, that member's name becomes a prefix
    and its value takes the place of the object.
    """
    above = ""
    while is_object(value) and len(value) == 1:
        ((key, below),) = value.items()
        if not is_container(below):
            break
        above, value = f"{above}{key}.", below
    if is_array(value):
        records = [record for record in value[:_LOOKED_AT] if is_object(record)]
        return [f"{above}{key}" for key in dict.fromkeys(chain.from_iterable(records))]
    return [f"{above}{key}" for key in value] if is_object(value) else []

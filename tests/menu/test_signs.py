"""What was cut has a sign where it stood, or a note of its block; what is absent has none.

A text is read once more with each sign turned into a string that no document has.
"""

import re
from collections.abc import Iterator
from typing import Any, Final
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp import tokenizers
from mckp.encoders.hints import read_overflow
from mckp.encoders.native import write_flow
from mckp.encoders.native_reader import LineCursor
from mckp.encoders.shapes import Record
from mckp.encoders.words import CUT_WORD
from mckp.jsontext import CutObject, dump, is_array, is_object
from mckp.menu.members import is_keyed
from mckp.menu.widening import MOST_ROWS
from mckp.parsers.python import from_python
from mckp.regexes import regex
from tests.beside import records_beside
from tests.cases import cases
from tests.strategies import examples

Path_ = tuple[str | int, ...]
SIGN: Final = "@cut!"
_SIGN: Final = regex(
    r"(?!(?<=;)…[\]}])(?:(?<=[ \t;{\[}\]])|(?<=^))…(?=[ \t;\]}\n]|\Z)", re.MULTILINE
)
COUNT: Final = regex(r"[0-9]+\{")
_GAP: Final = regex(r"…([0-9]+)(?:-([0-9]+))?(?=[ ;\[{\]])")
_OTHER, _ARRAY, _OBJECT = LineCursor.read_substitute, LineCursor.read_array, LineCursor.read_object


class Marked(list[Any]):
    """Items of an array of which some were cut: all further ones, and those with some numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.is_cut = False
        self.gone: set[int] = set()

    def skip_gap(self, line: LineCursor, end: str) -> bool:
        """Step past a sign for items that were cut."""
        if line.sees(f"{CUT_WORD}{end}"):
            self.is_cut = line.skip(CUT_WORD)
        elif gap := _GAP.match(line.text, line.place):
            line.place = gap.end()
            self.gone.update(range(int(gap[1]), int(gap[2] or gap[1]) + 1))
        else:
            return False
        return True


def other(self: LineCursor, members: dict[str, Any], key: str) -> bool:
    if self.skip(f'"{SIGN}"'):
        members[key] = SIGN
        self.skip(" ")
        return True
    return _OTHER(self, members, key)


def rows(self: LineCursor, record: Record, end: str = "]", *, named: bool = False) -> list[Any]:
    values, start = Marked(), self.place
    while not self.skip(end):
        if self.place > start:
            self.need(";")
        if not values.skip_gap(self, end):
            values.append(self.read_named_row(record) if named else self.read_row(record))
    return values


def array(self: LineCursor) -> list[Any]:
    if COUNT.match(self.text, self.place + 1):
        return _ARRAY(self)
    self.need("[")
    values, start = Marked(), self.place
    while not self.skip("]"):
        if self.place > start:
            self.skip(" ")
        if not values.skip_gap(self, "]"):
            values.append(self.read_value())
    return values


def object_(self: LineCursor) -> dict[str, Any]:
    members = _OBJECT(self)
    return members | {SIGN: SIGN} if self.text[: self.place].endswith(f";{CUT_WORD}}}") else members


def pairs(self: LineCursor, members: dict[str, Any], end: str) -> dict[str, Any]:
    while not (self.skip(end) if end else self.ends_row()):
        name = self.read_name()
        if name == SIGN and end and self.skip(end):
            members[SIGN] = SIGN
            break
        if not self.text.startswith(("[", "{"), self.place):
            self.need(" ")
        self.add_member(members, name, self.read_value())
        self.skip(" ")
    return members


def read(text: str) -> Any:
    """Return what a text says, with `SIGN` for each sign."""
    with (
        mock.patch.object(LineCursor, "read_substitute", other),
        mock.patch.object(LineCursor, "read_rows", rows),
        mock.patch.object(LineCursor, "read_array", array),
        mock.patch.object(LineCursor, "read_object", object_),
        mock.patch.object(LineCursor, "read_pairs", pairs),
    ):
        return mckp.decode(_SIGN.sub(f'"{SIGN}"', text))


class Signs:
    """What of a text has no sign, and what has one and was not there.

    A member needs a sign where its block shows it of other records of its place, items and
    records under names of their own wherever some are cut, unless a note is right below. A note on
    what most rows lack is a sign for all members of its table.
    All records under names of their own are of one place, and so is what has the same names. What
    is itself a record is no table of records under names, though its end may say that some are cut.
    """

    def __init__(self, value: Any, result: mckp.Result) -> None:
        self._rows = {cut.path: cut.keys for cut in result.elided if cut.kind in ("rows", "items")}
        self._told = {cut.path for cut in result.elided}
        hints = map(read_overflow, result.text.splitlines())
        mostly = {
            (hint.missing, hint.unit)
            for hint in hints
            if hint is not None and hint.more is not None and hint.more.startswith(MOST_ROWS)
        }
        self._mostly = {cut.path for cut in result.elided if (cut.count, cut.kind) in mostly}
        self._shown: dict[tuple[object, object], set[str]] = {}
        self._missing: list[tuple[tuple[object, object], str, Path_]] = []
        self.wrong: list[tuple[str, Path_]] = []
        left = read(result.text)
        if left is not mckp.ABSENT:
            self._compare(value, left, (), (), is_record=False)
        self.wrong += dict.fromkeys(
            ("member", (*path, key))
            for place, key, path in self._missing
            if key in self._shown.get(place, ())
        )

    def _compare(
        self, value: Any, left: Any, path: Path_, names: tuple[str, ...], *, is_record: bool
    ) -> None:
        if is_object(value) and is_object(left):
            is_named = is_keyed(value) and not is_record
            for key in self._members(value, left, path, names, is_named):
                inner = (*names, "*" if is_named else key)
                self._compare(value[key], left[key], (*path, key), inner, is_record=is_named)
        elif is_array(value) and is_array(left):
            gaps = left.gone if isinstance(left, Marked) else set[int]()
            gone = {*self._rows.get(path, ()), *gaps}
            own = [item for item in left if item != SIGN]
            stay = [row for row in range(len(value)) if row not in gone]
            is_cut = isinstance(left, Marked) and left.is_cut
            has_sign = is_cut or len(own) < len(left)
            if not has_sign and len(own) < len(stay) and path not in self._told:
                self.wrong.append(("items", path))
            if has_sign and len(own) == len(stay):
                self.wrong.append(("nothing was cut", path))
            for row, item in zip(stay, own, strict=False):
                self._compare(value[row], item, (*path, row), (*names, "*"), is_record=True)

    def _members(
        self,
        value: dict[str, Any],
        left: dict[str, Any],
        path: Path_,
        names: tuple[str, ...],
        is_named: bool,
    ) -> Iterator[str]:
        blocks = [path[:size] for size in range(len(path) + 1) if path[:size] in self._told]
        block = blocks[-1] if blocks else None
        plain = tuple("*" if isinstance(step, int) else step for step in path)
        places = (names, block), (plain, block)
        self.wrong += [("invented", (*path, key)) for key in left.keys() - {*value, SIGN}]
        if SIGN in left and len(left) > len(value):
            self.wrong.append(("nothing was cut", path))
        for key, own in value.items():
            if key in left and (left[key] != SIGN or own == SIGN):
                for place in places:
                    self._shown.setdefault(place, set()).add(key)
                yield key
            elif key not in left and not is_named and block in self._mostly:
                continue
            elif key not in left and not is_named and not (is_keyed(value) and SIGN in left):
                self._missing += [(place, key, path) for place in places]
            elif key not in left and is_named and SIGN not in left and path not in self._told:
                self.wrong.append(("records", path))


WORDS = st.sampled_from(
    ["open", "closed now", "a-1", "x", "a text of some more words", 7, 0.5, None]
)
INNER = st.fixed_dictionaries({"id": st.integers(100, 999)}, optional={"on": WORDS, "by": WORDS})
RECORDS = st.fixed_dictionaries(
    {"id": st.integers(100, 999)},
    optional={
        "a": WORDS,
        "b": WORDS,
        "user": INNER,
        "tags": st.lists(WORDS, max_size=5),
        "steps": st.lists(INNER, max_size=4),
        "pairs": st.lists(st.lists(WORDS, max_size=3), max_size=4),
        "rare": WORDS,
        "map": st.dictionaries(st.sampled_from("pqrs"), INNER),
        "mixed": st.lists(INNER | WORDS, max_size=3) | st.lists(INNER, max_size=3),
    },
)
NAMED = st.dictionaries(st.sampled_from("pqrstuvw"), RECORDS | INNER, min_size=3)
DOCUMENTS = st.lists(RECORDS, min_size=2, max_size=9) | st.fixed_dictionaries(
    {"rows": st.lists(RECORDS | INNER, max_size=6)},
    optional={"by": NAMED, "tags": st.lists(WORDS, max_size=9), "one": RECORDS},
)


def check(value: Any, share: float) -> None:
    tokens = tokenizers.get("o200k").count(dump(value))
    try:
        result = mckp.encode(from_python(value), budget=int(share * tokens))
    except mckp.BudgetError:
        return
    assert Signs(value, result).wrong == [], result.text


@pytest.mark.slow
@given(value=DOCUMENTS, share=st.floats(0.05, 0.7))
@examples(300)
def test_what_is_cut_never_looks_absent(value: Any, share: float) -> None:
    """In any document, a cut has a sign where it was made."""
    check(value, share)


@pytest.mark.slow
@pytest.mark.parametrize("value", cases(__file__, "TABLES"))
def test_tables_within_records_that_are_cut_have_signs(value: Any) -> None:
    """Cut tables within records have signs, also where no complete row shows all columns.

    Or nothing is left of a record, or three objects are a table of records and two are members.
    """
    whole = mckp.encode(value)
    for budget in range(whole.tokens - 1, 0, -1):
        try:
            result = whole.at(budget)
        except mckp.BudgetError:
            break
        assert Signs(value, result).wrong == [], result.text


def test_objects_that_are_equal_but_lost_other_members_are_written_apart() -> None:
    """Equal records that lost different members are written apart."""
    rows = [{"n": row, "x": CutObject({"id": 1}, (), [key])} for row, key in enumerate("ab")]
    assert write_flow(rows) == "[2{n x}0 {id 1 a …};1 {id 1 b …}]\n"


def test_what_is_whole_is_not_searched_for_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values that are whole are not searched for cuts."""
    asked: list[Any] = []
    monkeypatch.setattr("mckp.menu.values.has_cut_members", asked.append)
    value: Any = {"w": ["some more words"] * 99}
    for level in range(20):
        value = [value, level]
    mckp.encode(value)
    assert asked == []


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.5, 0.2, 0.1])
def test_what_is_cut_of_real_results_never_looks_absent(share: float) -> None:
    """In real results, a cut has a sign where it was made."""
    records = records_beside("uses/dev.jsonl")[::9]
    assert len(records) > 20
    for record in records:
        check(record["payload"], share)

"""What is said to be cut: patterns that cover that and nothing else."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp.agents.session.selection import selected
from mckp.encoders.scalars import ABSENT
from mckp.jsontext import is_array, is_container, is_object, path_text
from mckp.menu.cuts.names import cut_names
from mckp.menu.line import Leaves
from mckp.menu.values import PlacedValue
from mckp.parsers.embedded import extract
from mckp.parsers.python import from_python
from mckp.weights.patterns import Wild, read_selection
from tests.strategies import TABLES, VALUES, examples
from tests.within import fitted

Path = tuple[Any, ...]

ODD = {
    "a.b": {"x[0]": [1, 2, 3, 4], "> [+1 facts]": "yes or no", "c d": "hello", '"': 5, "": 6},
    "jobs": [{"id": n, "*": n * 7, "tags": [f"t{k}" for k in range(n)]} for n in range(5)],
    "named": {f"k.{n}": {"on": n, "why": f"because {n}"} for n in range(4)},
}


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    if not (is_container(value) and value):
        yield path
        return
    for key, below in value.items() if is_object(value) else enumerate(value):
        yield from leaves(below, (*path, key))


def covers(pattern: Path, path: Path) -> bool:
    return len(pattern) <= len(path) and all(map(takes, pattern, path))


def takes(step: Any, key: str | int) -> bool:
    if isinstance(step, slice):
        return isinstance(key, int) and key in range(10**6)[step]
    if step is Wild.ELEMENT:
        return isinstance(key, int)
    return step is Wild.STEP or step == key


def told_of_records(value: Any, patterns: list[Any]) -> list[Any]:
    """Return patterns that say each time that they are of the records of an array."""
    if not is_array(value):
        return patterns
    return [
        pattern
        if isinstance(pattern[0], int | slice) or pattern[0] is Wild.ELEMENT
        else (Wild.ELEMENT, *pattern)
        for pattern in patterns
    ]


def check_names(value: Any, remaining: Any) -> None:
    patterns = told_of_records(
        value, [read_selection(name) for name in cut_names(value, remaining)]
    )
    stays = set(leaves(remaining))
    for path in leaves(value):
        assert any(covers(pattern, path) for pattern in patterns) != (path in stays), path


@given(value=(VALUES | TABLES).filter(lambda value: is_container(value) and bool(value)))
@examples(200)
def test_names_cover_what_is_cut_and_nothing_else(value: Any) -> None:
    """The patterns of what was cut match that and nothing that is kept."""
    value = from_python(value).value
    check_lines(value)


@pytest.mark.parametrize("value", [ODD, ODD["jobs"], [ODD["jobs"]], ODD["named"]])
def test_odd_names(value: Any) -> None:
    """Names with signs of the notation are named in notes without ambiguity."""
    check_lines(value)


def check_lines(value: Any) -> None:
    line = Leaves(PlacedValue(value), None, lambda texts: list(map(len, texts))).line("", "")
    if line is None:
        return
    for share in (0.0, 0.4, 0.8):
        taken = [piece[int(share * len(piece))] for piece in line.pieces]
        check_names(
            value, line.leaves.kept_data(taken[: max(1, int(len(taken) * (1 - share / 2)))])
        )


def test_some_records_may_lack_a_member() -> None:
    """A pattern covers records that never had the member, and no record that keeps it."""
    value = {"jobs": [{"id": 1, "on": 2}, {"id": 2}, {"id": 3, "on": 4}, {"id": 4, "on": 5}]}
    left: Any = {"jobs": [{"id": 1}, {"id": 2}, {"id": 3}]}
    assert cut_names(value, left) == ("jobs[*].on", "jobs[3:]")
    left["jobs"][0]["on"] = 2
    assert cut_names(value, left) == ("jobs[2:].on", "jobs[3:]")
    keyed: Any = {"all": {"a": {"x": 1, "y": 2}, "b.c": {"x": 3, "y": 4}, "d": {"x": 5, "y": 6}}}
    left = {"all": {"a": {"x": 1}, "b.c": {"x": 3}}}
    assert cut_names(keyed, left) == ("all.*.y", "all.d")
    left = {"all": {"a": {"x": 1, "y": 2}, "b.c": {"x": 3}}}
    assert cut_names(keyed, left) == ('all["b.c"].y', "all.d")


@given(value=VALUES | TABLES | st.just(ODD), budget=st.integers(12, 200))
@examples(100)
def test_what_is_elided_can_be_asked_for(value: Any, budget: int) -> None:
    """Every name in `elided` selects something in the data, or in the data that a string holds."""
    content = extract(from_python(value).value)[0]
    for cut in fitted(value, budget=budget).elided:
        container = selected(content, path_text(cut.path))
        for key in map(str, cut.keys if cut.kind in ("columns", "facts") else ()):
            of_records = is_array(container) and key[:2] != "[*" and not key[1:2].isdigit()
            at = "$[*]" if of_records else "$"
            pattern = at + (key if key[0] in ".[" else f".{key}")
            assert selected(container, pattern) is not ABSENT, "it raises if nothing is there"


def test_data_of_which_nothing_fits_are_named() -> None:
    """The note for all of it names columns or members as far as there is room, and reads back."""
    rows = [{"title": f"story {n} " * 20, "body": "words of it " * 90} for n in range(20)]
    texts = [mckp.encode(rows, budget=budget).text for budget in (5, 6, 7, 32)]
    assert texts == [
        "> [+40 facts]\n",
        "> [+40 facts title]\n",
        *["> [+40 facts title body]\n"] * 2,
    ]
    for data, note in (
        ({"data": {"rows": rows}}, "> [+40 facts data.rows.title data.rows.body]\n"),
        ([row["body"] for row in rows], "> [+20 facts]\n"),
        ([[row["body"]] for row in rows], "> [+20 facts]\n"),
    ):
        result = mckp.encode(data, budget=20)
        assert (result.text, result.value) == (note, 0)
        assert result.tokens <= 20
        assert mckp.decode(result.text) is ABSENT

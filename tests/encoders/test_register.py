"""A format of the caller's: registered, chosen where it is shortest, cut, read back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

import mckp
from mckp.encoders import CSV, kv, register
from mckp.encoders.base import Body, DataLoss, Format
from mckp.encoders.contract import check
from mckp.errors import VerifyError
from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mckp.encoders.headers import Header
    from mckp.encoders.lines import Lines


def runs_body(value: Any) -> Body | None:
    """Write whole numbers as runs: ``3*7`` is 7, 7, 7."""
    if not is_array(value) or len(value) < 2 or not all(type(item) is int for item in value):
        return None
    items = cast("list[int]", value)
    runs: list[list[int]] = []
    for item in items:
        if runs and runs[-1][1] == item:
            runs[-1][0] += 1
        else:
            runs.append([1, item])
    return Body(f"[{len(items)}]", "".join(f"{count}*{item}\n" for count, item in runs))


def runs_read(lines: Lines, header: Header) -> list[int]:
    items: list[int] = []
    while len(items) < header.size:
        count, _, item = lines.take().partition("*")
        items += [int(item)] * int(count)
    return items


RUNS = Format("runs", DataLoss.NONE, runs_body, runs_read)
LEVELS = [3] * 90 + [41] * 80 + [7] * 30


@pytest.fixture
def registered() -> Iterator[Format]:
    register(RUNS)
    yield RUNS
    kv.REGISTERED.clear()


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("document", [LEVELS, {"name": "tide", "levels": LEVELS, "unit": "cm"}])
def test_it_is_chosen_where_it_is_shortest(document: Any) -> None:
    """A registered format is chosen if it saves tokens, and its text reads back, whole or cut."""
    result = mckp.encode(document, formats=["native", "runs"])
    assert "runs" in {choice.format for choice in result.choices}
    assert result.tokens < mckp.encode(document).tokens / 4
    assert mckp.decode(result.text) == document
    less = mckp.encode(document, formats=["native", "runs"], budget=12)
    assert less.tokens <= 12
    mckp.decode(less.text)


@pytest.mark.usefixtures("registered")
def test_it_can_be_taken_away_and_is_offered_by_name_alone() -> None:
    """A registered format is used only if it is named, and `-` takes it away."""
    assert "runs" not in mckp.encode(LEVELS).text
    assert "runs" not in mckp.encode(LEVELS, formats=["native", "runs", "-runs"]).text


def test_what_is_not_registered_is_not_read() -> None:
    """A format that is not registered can be neither read nor asked for."""
    with pytest.raises(mckp.ParseError, match="no format is called 'runs'"):
        mckp.decode("{1}\n# levels[2] runs\n2*3\n")
    with pytest.raises(ValueError, match="unknown format 'runs'"):
        mckp.encode(LEVELS, formats=["runs"])


@pytest.mark.parametrize(
    ("format_", "why"),
    [
        (Format("csv", DataLoss.NONE, runs_body, runs_read), "'csv' is the name of a format"),
        (Format("dense", DataLoss.NONE, runs_body, runs_read), "'dense' is the name of a format"),
        (Format("my runs", DataLoss.NONE, runs_body, runs_read), "lower-case letters"),
        (Format("runs", DataLoss.NONE, runs_body), "no read function"),
        (Format("runs", DataLoss.TYPES, runs_body, runs_read), "loses TYPES"),
    ],
)
def test_what_cannot_be_registered(format_: Format, why: str) -> None:
    """A name in use, a wrong name, a missing reader and a lossy format are refused."""
    with pytest.raises(ValueError, match=why):
        register(format_)
    assert not kv.REGISTERED


def test_the_contract_of_a_format_is_one_call() -> None:
    """`check` counts the values that a format writes and reads back."""
    assert check(RUNS, [LEVELS, [1, 1], ["a"], {}]) == check(RUNS) + 2 == 3
    assert check(CSV, [[{"id": n, "ok": True} for n in range(9)]]) == check(CSV) + 1


def naive_body(value: Any) -> Body | None:
    """Write strings side by side as they are: right for easy ones alone."""
    if not is_array(value) or not value or not all(isinstance(item, str) for item in value):
        return None
    return Body(f"[{len(value)}]", "", tuple(f"{item}\n" for item in value))


def naive_read(lines: Lines, header: Header) -> list[str]:
    return [lines.take() for _ in range(header.size)]


def nothing(_: Any) -> None:
    """Write no value at all."""


NAIVE = Format("naive", DataLoss.NONE, naive_body, naive_read)


def test_the_contract_tries_hard_values() -> None:
    """A format that passes on the values of its author still meets odd ones."""
    with pytest.raises(ValueError, match="the format naive on"):
        check(NAIVE, [["a", "b"]])
    with pytest.raises(ValueError, match="has no reader"):
        check(Format("runs", DataLoss.NONE, runs_body))
    with pytest.raises(ValueError, match="writes none of the values"):
        check(Format("none", DataLoss.NONE, nothing, runs_read))


def test_a_text_that_does_not_read_back_names_the_format() -> None:
    """A format that writes what it cannot read is named by the error."""
    register(NAIVE)
    try:
        with pytest.raises(VerifyError, match="check the registered format naive"):
            mckp.encode(["two\nlines"] * 9, formats=["naive", "kv"])
    finally:
        kv.REGISTERED.clear()


@pytest.mark.usefixtures("registered")
def test_a_reader_that_fails_is_named_with_the_line() -> None:
    """Whatever the caller's reader raises is an error of the text, at its line."""
    with pytest.raises(mckp.ParseError, match=r"the format 'runs' raised ValueError.*line 2"):
        mckp.decode("[2] runs\nx*y\n")
    with pytest.raises(mckp.ParseError, match="'walks'; register one of your own first"):
        mckp.decode("[2] walks\n1*7\n")


@pytest.mark.usefixtures("registered")
def test_only_formats_in_the_text_are_doubted() -> None:
    """Another registered format is not blamed for a text that does not read back."""
    register(NAIVE)
    with pytest.raises(VerifyError, match="check the registered format naive by"):
        mckp.encode(["two\nlines"] * 9, formats=["naive", "runs", "kv"])


def pairs_body(value: Any) -> Body | None:
    """Write the members of an object side by side, which odd names break."""
    if not is_object(value) or not all(type(member) is str for member in value.values()):
        return None
    rows = tuple(f"{name} := {member}\n" for name, member in value.items())
    return Body(f"{{{len(rows)}}}", "", rows) if rows else None


def pairs_read(lines: Lines, header: Header) -> dict[str, str]:
    pairs = [lines.take().partition(" := ") for _ in range(header.size)]
    return {name: member for name, _, member in pairs}


def test_the_contract_tries_names_that_are_hard() -> None:
    """A format of flat objects meets names and values with its own signs, line feeds and marks."""
    pairs = Format("pairs", DataLoss.NONE, pairs_body, pairs_read)
    with pytest.raises(ValueError, match="the format pairs on"):
        check(pairs, [{"a": "b"}])


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (Body("[2]", "1*7"), "does not end with a line feed"),
        (Body("[2]", "/2\n"), "begins with a slash"),
        (Body("2", "2*7\n"), "is not a header that names it"),
        (Body("[2]", "2*8\n"), r"reads back differently: \$\[0\]"),
        (Body("[2]", "", ("1*7\n", "1*7\n")), "cannot be read"),
    ],
)
def test_the_contract_says_what_is_wrong(body: Body, why: str) -> None:
    """`check` says which rule of the contract a body breaks."""

    def write(_: Any) -> Body:
        return body

    with pytest.raises(ValueError, match=why):
        check(Format("runs", DataLoss.NONE, write, runs_read), [[7, 7]])

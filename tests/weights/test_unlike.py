"""A row that differs from its like is found, whatever its words are."""

import random
from typing import Any

import pytest

import mckp
from mckp.unlike import FieldCells, unlike

SIZE = 60
ODD = 41


def _column(kind: str, rng: random.Random) -> list[Any]:
    """Values of which only that of one row is unlike the others."""
    values: dict[str, tuple[Any, Any]] = {
        "state": (lambda: rng.choice(["geladen", "geladen", "geladen", "leer"]), "vermisst"),
        "flag": (lambda: "true", "false"),
        "code": (lambda: rng.choice(["200", "204", "304"]), "503"),
        "letters": (lambda: f"I{rng.randrange(100, 104)}", "E104"),
        "number": (lambda: str(rng.randrange(200, 900)), "48211"),
        "small": (lambda: str(rng.randrange(30, 55)), "99"),
        "size": (lambda: f"{rng.randrange(20, 90)}M", "71G"),
        "member": (lambda: "", "el disco está lleno"),
        "text": (lambda: "synced", "the gauge at pier 4 sent nothing since noon"),
        "template": (lambda: f"sent {rng.randrange(900)} of 900 parts", "gave up after part 17"),
    }
    usual, odd = values[kind]
    return [odd if row == ODD else usual() for row in range(SIZE)]


KINDS = "state flag code letters number small size member text template"


@pytest.mark.parametrize("kind", KINDS.split())
def test_what_differs_is_an_exception(kind: str) -> None:
    """It is the only one, among columns of names and owners."""
    rng = random.Random(kind)
    names = [f"part-{rng.randrange(36**4):x}" for _ in range(SIZE)]
    owners = [rng.choice(["ana", "ben", "chloé", "dov"]) for _ in range(SIZE)]
    texts = [names, owners, _column(kind, rng)]
    found = unlike([FieldCells(values, range(SIZE)) for values in texts], SIZE)
    assert found.exceptional == {ODD}


def test_rows_that_lack_a_field_or_differ_in_two_are_exceptions() -> None:
    """An example is the package whose version is not the latest one."""
    present = [row for row in range(SIZE) if row != ODD]
    signed = FieldCells([f"by {row % 7}" for row in present], present)
    assert unlike([signed], SIZE).rows[ODD] > 0
    versions = [f"{row}.{row % 3}.1" for row in range(SIZE)]
    latest = [f"{ODD}.9.0" if row == ODD else text for row, text in enumerate(versions)]
    fields = [FieldCells(versions, range(SIZE)), FieldCells(latest, range(SIZE))]
    assert unlike(fields, SIZE).exceptional == {ODD}


def test_if_many_rows_differ_none_is_an_exception() -> None:
    """Half of the rows, or records that each have members of their own."""
    states = FieldCells(["passed", "failed"] * (SIZE // 2), range(SIZE))
    assert not unlike([states], SIZE).exceptional
    own = [FieldCells([f"option {row}"], [row]) for row in range(SIZE)]
    assert not unlike(own, SIZE).exceptional
    tail = [
        FieldCells(
            [str(int(1.2**row)) for row in random.Random(5).sample(range(SIZE), SIZE)], range(SIZE)
        )
    ]
    assert not unlike(tail, SIZE).exceptional


def test_ids_and_times_are_no_exceptions() -> None:
    """Numbers that rise, and texts that all differ."""
    rising = FieldCells([str(1000 + row + 900 * (row > 40)) for row in range(SIZE)], range(SIZE))
    words = FieldCells([f"{row * 7919 % 1000:x}" for row in range(SIZE)], range(SIZE))
    assert not unlike([rising, words], SIZE).exceptional


def test_a_long_text_among_texts_of_all_lengths_is_no_exception() -> None:
    """Messages of commits are of all lengths; a long remark among short ones is an exception."""
    rng = random.Random(7)
    words = ["gauge", "tide", "pier", "chart", "fix", "add", "table", "harbour", "dates", "shift"]

    def texts(longer: dict[int, int]) -> list[str]:
        return [
            " ".join(rng.choices(words, k=longer.get(row, rng.randrange(4, 7))))
            for row in range(SIZE)
        ]

    remarks, messages = texts({ODD: 48}), texts({ODD: 48} | {row: row for row in range(8, 24, 2)})
    assert unlike([FieldCells(remarks, range(SIZE))], SIZE).exceptional == {ODD}
    assert not unlike([FieldCells(messages, range(SIZE))], SIZE).exceptional


def test_a_rare_code_counts_whatever_its_column_is_called() -> None:
    """The name `http` promises nothing, but a single 137 among zeros is what a reader looks for."""
    rng = random.Random(3)
    rows = [
        {
            "uid": 5700 + row,
            "crew": rng.choice(["ines", "otto", "ruth"]),
            "bytes_out": rng.randrange(5, 40),
            "http": 137 if row == ODD else 0,
        }
        for row in range(SIZE)
    ]
    text = mckp.encode(rows, budget="20%").text
    assert [line for line in text.split("\n") if "137" in line and str(5700 + ODD) in line]


def test_several_kinds_of_rare_members() -> None:
    """In a list of definitions, one has a default and one has choices: neither is an exception."""
    names = FieldCells([f"field-{n * 7 % 24}" for n in range(24)], range(24), 0.0)
    default, choices = FieldCells(["zero"], [3]), FieldCells(["a b c"], [9])
    assert unlike([names, default], 24).exceptional == {3}
    assert not unlike([names, default, choices], 24).exceptional
    assert not unlike([names, default], 24, [[9]]).exceptional
    assert unlike([names, default], 24, [[3]]).exceptional == {3}
    error = FieldCells(["refused after 3 retries"], [3])
    assert unlike([names, error], 24, [[9]]).exceptional == {3}


def test_rows_that_are_arrays_are_rows_of_a_table() -> None:
    """They may have many cells, and cells that are null in most of them."""
    rng = random.Random(7)
    data: list[list[Any]] = [
        [n, f"q.{rng.randrange(9999)}", f"m{n}", "model", "quay", rng.choice("abc"), None, False]
        for n in range(SIZE)
    ]
    data[ODD][6] = "removed"
    names = ["n", "path", "name", "type", "package", "form", "change", "held"]
    text = mckp.encode({"columns": names, "data": data}, budget="10%").text
    assert f"{ODD} " in text
    assert " removed " in text

"""Files of instances: each published format, what is wrong with damaged ones, and back again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import instances
import pytest

from mckp.errors import ParseError, UnknownNameError
from mckp.solvers import Table, brute

if TYPE_CHECKING:
    from pathlib import Path

    from instances import Instance

STANDARD = "2 80\n2\n 9 40\n 8 25\n1\n 5 60\n"
KPLIB = "\n3\n50\n\n60 10\n100 20\n120 30\n"
KHAN = "2 2 1\n80\n1\n9.0 40\n8.5 25\n2\n5 60\n0 0\n"
MANSI = "2 2 1\n80\n9 40\n8 25\n5 60\n0 0\n"
SHOJAEI = "2 1\n80\n2\n9 40\n8 25\n1\n5 60\n"


def read(folder: Path, text: str, format: str | None = None) -> Instance:
    """Write a text into a file and read it as an instance."""
    file = folder / "made.txt"
    file.write_text(text, encoding="utf-8")
    return instances.read(file, format)


def rows(table: Table) -> list[list[tuple[int, float]]]:
    """Return the options of each class as pairs of cost and value."""
    pairs = list(zip(table.cost.tolist(), table.value.tolist(), strict=True))
    return [pairs[a:b] for a, b in zip(table.start[:-1], table.start[1:], strict=True)]


def test_standard_takes_at_most_one(tmp_path: Path) -> None:
    """Profit before weight, and a skip option appended last to each class."""
    made = read(tmp_path, STANDARD)
    assert rows(made.table) == [[(40, 9), (25, 8), (0, 0)], [(60, 5), (0, 0)]]
    assert (made.name, made.budget) == ("made", 80)
    assert "multiplechoiceknapsacksolver" in made.source
    assert brute.solve(made.table, made.budget).choice.tolist() == [0, 1]


@pytest.mark.parametrize("text", [KPLIB, "3 50\n60 10\n100 20\n120 30\n"])
def test_knapsack_has_one_item_a_class(tmp_path: Path, text: str) -> None:
    """The layouts of kplib and of two numbers on the first line are one format."""
    made = read(tmp_path, text)
    assert rows(made.table) == [[(10, 60), (0, 0)], [(20, 100), (0, 0)], [(30, 120), (0, 0)]]
    assert brute.solve(made.table, made.budget).value == 220


@pytest.mark.parametrize(
    ("text", "source"), [(KHAN, "Khan"), (MANSI, "mansi2013"), (SHOJAEI, "shojaei2013")]
)
def test_multidimensional_formats_of_one_resource(tmp_path: Path, text: str, source: str) -> None:
    """Exactly one option of each class is taken, so no skip is added."""
    made = read(tmp_path, text)
    assert source in made.source
    assert (made.budget, made.table.classes) == (80, 2)
    assert rows(made.table)[0][0] == (40, 9)
    assert (made.table.value.dtype.kind == "f") == (text == KHAN)


@pytest.mark.parametrize(
    "text", ["1 1 2\n9 9\n1\n5 4 4\n", "1 1 2\n9 9\n5 4 4\n", "1 2\n9 9\n1\n5 4 4\n"]
)
def test_more_than_one_resource_is_refused(tmp_path: Path, text: str) -> None:
    """The multi-dimensional problem is another problem."""
    with pytest.raises(ParseError, match=r"made\.txt has 2 resources.*\(line 1, column 1\)"):
        read(tmp_path, text)


def test_burkardt_reads_three_files(tmp_path: Path) -> None:
    """Capacity, weights and profits lie side by side; the file with the capacity names them."""
    for letter, text in {"c": "26\n", "w": "12\n 7\n11\n", "p": "24\n13\n23\n"}.items():
        (tmp_path / f"p02_{letter}.txt").write_text(text, encoding="utf-8")
    made = instances.read(tmp_path / "p02_c.txt")
    assert rows(made.table) == [[(12, 24), (0, 0)], [(7, 13), (0, 0)], [(11, 23), (0, 0)]]
    assert (made.name, made.budget) == ("p02", 26)
    with pytest.raises(ParseError, match=r"p02_w\.txt does not end in _c\.txt"):
        instances.read(tmp_path / "p02_w.txt", format="burkardt")
    (tmp_path / "p02_p.txt").write_text("24\n13\n", encoding="utf-8")
    with pytest.raises(ParseError, match=r"p02_p\.txt has 2 numbers and should have 3"):
        instances.read(tmp_path / "p02_c.txt")
    (tmp_path / "p02_p.txt").unlink()
    with pytest.raises(FileNotFoundError, match="p02_p"):
        instances.read(tmp_path / "p02_c.txt")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2 80\n2\n9 40\n8 2x\n1\n5 60\n", r"'2x' as cost.*\(line 4, column 3\)"),
        ("2 80\n2\n9 40\n8 2.5\n1\n5 60\n", r"'2\.5' as cost.*\(line 4, column 3\)"),
        ("2 80\n2\n9 40\n8 -2\n1\n5 60\n", r"-2 as cost, .*negative \(line 4, column 3\)"),
        ("2 80\n2\n9 40\nnan 2\n1\n5 60\n", r"'nan' as value.*\(line 4, column 1\)"),
        ("2 80\n2\n9 40\n8 1_0\n1\n5 60\n", r"'1_0' as cost.*\(line 4, column 3\)"),
        ("2 80\n2\n9 40\n8 25\n1\n5", r"last option of class 2; it is cut short \(line 6, col"),
        ("2 80\n2\n9 40\n8 25\n", r"size of class 2; it is cut short \(line 5, column 1\)"),
        (STANDARD + "7 7\n", r"2 more words; check the counts.*\(line 7, column 1\)"),
        ("-2 80\n2\n9 40\n", r"-2 as classes"),
        ("1 80\n1\n9 1234567890123456789\n", r"up to 18 digits \(line 3, column 3\)"),
        (f"2 80\n1\n9 {10**18 - 1}\n1\n9 {10**18 - 1}\n", r"made\.txt is no table: .*64 bits"),
    ],
)
def test_damage_is_named_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    """Every error names the file, what is wrong, and where there is one, the line."""
    with pytest.raises(ParseError, match=message) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith("made.txt ")


@pytest.mark.parametrize("text", ["", "1 2 3 4\n", "hello\n", "1\n2\n3\n"])
def test_an_unknown_format_says_what_to_do(tmp_path: Path, text: str) -> None:
    """What looks like none of the formats is answered by their names."""
    with pytest.raises(ParseError, match="name it with format=, one of json, standard"):
        read(tmp_path, text)


def test_the_format_can_be_given(tmp_path: Path) -> None:
    """A format by name overrides the looks: line ends mean nothing then."""
    made = read(tmp_path, STANDARD.replace("\n", " "), "standard")
    assert made.table.options == 5
    with pytest.raises(UnknownNameError, match="known: json, standard"):
        read(tmp_path, STANDARD, "mps")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    """A compressed file is told from a damaged one."""
    file = tmp_path / "made.txt"
    file.write_bytes(b"\x1f\x8b\x08\x00\xff")
    with pytest.raises(ParseError, match=r"made\.txt is no UTF-8 text.*compressed"):
        instances.read(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"budget": 80,\n "classes": [', r"is no JSON: .*\(line 2, column"),
        ('{"classes": []}', "has no 'budget'"),
        ('{"budget": 80}', "has no 'start'"),
        ('{"budget": -1, "classes": []}', "cannot be negative"),
        ('{"budget": 1.5, "classes": []}', "whole number"),
        ('{"budget": 1, "classes": [[[1]]]}', "is no instance"),
        ('{"budget": 1, "classes": [[["a", 1]]]}', "is no instance"),
        ('{"budget": 1, "classes": [[[-1, 1]]]}', "negative cost"),
        ('{"budget": 1, "classes": ' + "[" * 9000 + "]" * 9000 + "}", "too deeply"),
    ],
)
def test_damaged_json_is_named(tmp_path: Path, text: str, message: str) -> None:
    """No error of the JSON reader or of the table comes through bare."""
    with pytest.raises(ParseError, match=message):
        read(tmp_path, text)


MADE: list[Any] = [
    instances.flat("zigzag", seed=1, classes=20, options=5),
    instances.document(seed=1, nodes=300),
    instances.renderings("fidelity", seed=1, classes=20, options=3, whole=False),
    instances.chain(100),
    instances.chain(3000),
    instances.star(50),
]


@pytest.mark.parametrize("made", MADE, ids=lambda made: made.name)
def test_json_says_everything(tmp_path: Path, made: Instance) -> None:
    """Nested or not, of any depth, whole or not: what is written is read again."""
    instances.write(made, tmp_path / "made.json")
    again = instances.read(tmp_path / "made.json")
    assert again.table.to_json() == made.table.to_json()
    assert (again.budget, again.source) == (made.budget, made.source)


def test_json_has_one_class_a_line() -> None:
    """The text is that of the folder of instances, to be read by people too."""
    made = instances.document(seed=1, nodes=30)
    lines = instances.to_json(made, optimum={"value": 1}).splitlines()
    assert lines[1] == f'  "source": {json.dumps(made.source)},'
    assert lines[-2] == '  "optimum": {"value": 1}'
    assert len(lines) == 7 + 1


@pytest.mark.parametrize("format", [name for name in instances.DIALECTS if name != "knapsack"])
def test_text_formats_come_back(tmp_path: Path, format: str) -> None:
    """Each text format, recognised by its looks, gives the table back; a skip moves to the end."""
    made = instances.flat("weakly", seed=1, classes=9, options=4)
    if format == "standard":
        table = Table.flat(
            made.table.cost.reshape(9, 4).tolist(),
            made.table.value.reshape(9, 4).tolist(),
            skip=True,
        )
        made = instances.Instance(made.name, table, made.budget, made.source)
    instances.write(made, tmp_path / "made.txt", format)
    again = instances.read(tmp_path / "made.txt")
    assert instances.DIALECTS[format].source in again.source
    assert again.table.to_json() == made.table.to_json()
    assert again.budget == made.budget


def test_a_knapsack_comes_back_with_the_skip_last(tmp_path: Path) -> None:
    """The skip, first in the family, is left out of the file and last when read."""
    made = instances.flat("kp01s", seed=1, classes=9)
    instances.write(made, tmp_path / "made.txt", "knapsack")
    again = instances.read(tmp_path / "made.txt")
    assert rows(again.table) == [list(reversed(row)) for row in rows(made.table)]


@pytest.mark.parametrize(
    ("format", "made", "message"),
    [
        ("standard", instances.document(seed=1, nodes=30), "take format='json'"),
        ("khan", instances.renderings("equal", seed=1, whole=False), "take format='json'"),
        ("standard", instances.flat("weakly", seed=1), "class 0 has no skip option"),
        ("knapsack", instances.renderings("equal", seed=1), "take format='shojaei'"),
        ("burkardt", instances.star(2), "known: json, standard"),
    ],
)
def test_what_a_format_cannot_say_is_refused(
    tmp_path: Path, format: str, made: Instance, message: str
) -> None:
    """Nothing is dropped in silence."""
    with pytest.raises(ValueError, match=message):
        instances.write(made, tmp_path / "made.txt", format)


def test_large_files_are_read_in_seconds(tmp_path: Path) -> None:
    """A file of a million numbers is read as it is written."""
    made = instances.flat("uncorrelated", seed=1, classes=50_000, options=10)
    instances.write(made, tmp_path / "made.txt", "shojaei")
    assert (instances.read(tmp_path / "made.txt").table.cost == made.table.cost).all()

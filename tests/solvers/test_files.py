"""Files of instances: as JSON, of published knapsacks, and what is wrong with damaged ones."""

import json
from pathlib import Path
from typing import Any

import instances
import pytest
from instances import Instance

from mckp.errors import ParseError
from mckp.solvers import Table, brute, solve
from tests.cases import cases


def rows(table: Table) -> list[list[tuple[int, float]]]:
    pairs = list(zip(table.cost.tolist(), table.value.tolist(), strict=True))
    return [pairs[a:b] for a, b in zip(table.start[:-1], table.start[1:], strict=True)]


@pytest.mark.parametrize(
    "text", ["3\n1 60 10\n2 100 20\n3 120 30\n50\n", "\n3\n50\n\n60 10\n100 20\n120 30\n"]
)
def test_a_knapsack_has_one_item_a_class(tmp_path: Path, text: str) -> None:
    """Both published layouts are the same instance: skip or take each item."""
    file = tmp_path / "test.in"
    file.write_text(text, encoding="utf-8")
    made = instances.read(file)
    assert rows(made.table) == [[(0, 0), (10, 60)], [(0, 0), (20, 100)], [(0, 0), (30, 120)]]
    assert (made.name, made.budget) == (tmp_path.name, 50)
    assert brute.solve(made.table, made.budget).value == 220


@pytest.mark.parametrize("text", ["", "hello\n", "1 2 3 4 5 6\n", "2\n1 9 40\n2 5 60\n", "1.5 2 3"])
def test_damaged_knapsacks_are_named(tmp_path: Path, text: str) -> None:
    """A damaged file of a knapsack is an error that names it."""
    file = tmp_path / "test.in"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ParseError, match=r"test\.in: "):
        instances.read(file)


def test_a_folder_of_instances_with_their_optima(tmp_path: Path) -> None:
    """An optimum that is beside an instance is what exact solvers find."""
    for name, capacity, optimum in (("a", 50, 220), ("b", 10, 60), ("c", 9, None)):
        (tmp_path / name).mkdir()
        text = f"3\n1 60 10\n2 100 20\n3 120 30\n{capacity}\n"
        (tmp_path / name / "test.in").write_text(text, encoding="utf-8")
        if optimum is not None:
            (tmp_path / name / "outp.out").write_text(f"{optimum} 0.01\n", encoding="utf-8")
    instances_read = list(instances.below(tmp_path))
    assert [(made.name, optimum) for made, optimum in instances_read] == [
        ("a", 220),
        ("b", 60),
        ("c", None),
    ]
    for made, optimum in instances_read:
        assert optimum in (None, solve(made.table, made.budget).value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *cases(__file__, "test_damaged_json_is_named"),
        ('{"budget": 1, "classes": ' + "[" * 9000 + "]" * 9000 + "}", "too deeply"),
    ],
)
def test_damaged_json_is_named(text: str, message: str) -> None:
    """A damaged JSON instance is an error that says what is wrong."""
    with pytest.raises(ParseError, match=message):
        instances.from_json(text, "made")


MADE: list[Any] = [
    instances.flat("zigzag", seed=1, classes=20, options=5),
    instances.document(seed=1, nodes=300),
    instances.renderings("fidelity", seed=1, classes=20, options=3, whole=False),
    instances.chain(100),
    instances.chain(3000),
    instances.star(50),
]


@pytest.mark.parametrize("made", MADE, ids=lambda made: made.name)
def test_json_says_everything(made: Instance) -> None:
    """An instance reads back from JSON with table, budget and source."""
    again = instances.from_json(instances.to_json(made), made.name)
    assert again.table.to_json() == made.table.to_json()
    assert (again.budget, again.source) == (made.budget, made.source)


def test_json_has_one_class_a_line() -> None:
    """The JSON of an instance has one class a line."""
    made = instances.document(seed=1, nodes=30)
    lines = instances.to_json(made, optimum={"value": 1}).splitlines()
    assert lines[1] == f'  "source": {json.dumps(made.source)},'
    assert lines[-2] == '  "optimum": {"value": 1}'
    assert len(lines) == 7 + 1

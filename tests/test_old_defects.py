"""What was wrong with the pipeline before this one: `old_defects.md` names a test for each."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

import mckp
from mckp.agents.config import loads, settings_for
from mckp.jsontext import dump

TESTS: Final = Path(__file__).parent
LISTED: Final = re.findall(
    r"^\| (.+) \| `(.+)::(.+)` \|$",
    (TESTS / "old_defects.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


@cache
def _names(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def test_the_list_is_read() -> None:
    """A line of another form would not be looked at."""
    lines = (TESTS / "old_defects.md").read_text(encoding="utf-8").count("::")
    assert len(LISTED) == len({defect for defect, _, _ in LISTED}) == lines > 60


@pytest.mark.parametrize(("defect", "file", "name"), LISTED, ids=[row[0] for row in LISTED])
def test_each_has_a_test(defect: str, file: str, name: str) -> None:
    """That is there under its name."""
    assert name in _names(file), defect


def test_two_lists_are_counted_apart() -> None:
    """More comments than discussions, in a tight budget: each list has a hint of its own."""
    data: dict[str, list[Any]] = {
        "comments": [{"id": n, "body": f"comment {n}"} for n in range(40)],
        "discussions": [{"id": n, "open": True} for n in range(3)],
    }
    for budget in (30, 120):
        result = mckp.encode(data, budget=budget)
        kept = mckp.decode(result.text)
        for name, items in data.items():
            found = kept.get(name, [])
            missing = sum(
                cut.count for cut in result.elided if cut.path == (name,) and cut.kind == "rows"
            )
            # On a line a note stands for both lists, and says where each of them ends.
            ends = [cut for cut in result.elided if f"{name}[{len(found)}:]" in cut.keys]
            assert name not in kept or len(found) + missing == len(items) or ends
            ids = [row["id"] for row in found if "id" in row]
            assert ids == sorted({*ids})


@pytest.mark.parametrize("large", ["x " * 900, ["word"] * 900, {"a": "x " * 900}])
def test_one_large_item_leaves_something(large: Any) -> None:
    data = [{"id": 1, "body": large}, {"id": 2, "body": "short"}]
    kept = mckp.decode(mckp.encode(data, budget=60).text)
    assert 2 in [row.get("id") for row in kept]


def test_what_is_worth_nothing_may_still_stay() -> None:
    data = {"id": 7, "name": "Ann"}
    result = mckp.encode(data, budget=60, priorities={"**": 0})
    assert dump(mckp.decode(result.text)) == dump(data)


def test_endpoints_of_one_last_name_are_two() -> None:
    names = ("mcp__one__get_issues", "mcp__two__get_issues")
    lines = ["schema_version = 2"]
    for name, form in zip(names, ("csv", "kv"), strict=True):
        lines += [f"[endpoint_overrides.{name}]", f"format = '{form}'"]
    found = settings_for(loads("\n".join(lines)))
    assert [found.preferred(name) for name in names] == ["csv", "kv"]

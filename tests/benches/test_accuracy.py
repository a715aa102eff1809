"""The benches of reading run, and the verdicts are those of the stored figures."""

import importlib
import json
from collections.abc import Callable
from typing import Any, Final

from tests.benches import BENCHES, FACTS

RESULTS: Final = BENCHES / "results"


def test_accuracy(run: Callable[..., dict[str, Any]]) -> None:
    """Each question is counted once, and the oracle is always right without a budget."""
    figures = run("accuracy", "--ways", "json", "native")
    oracle = figures["oracle"]
    assert oracle["documents"] == 4
    for way, counts in oracle["ways"].items():
        answered = counts["answerable"] + counts["lucky"] + counts["unknown"] + counts["misled"]
        assert answered == counts["asked"]
        assert counts["share"] == 1 or "@" in way


def test_damage(run: Callable[..., dict[str, Any]]) -> None:
    """Counts show lost rows, which JSON never does; what is whole is read as it is."""
    by_way = run("damage")["ways"]
    assert {outcomes["nothing"] for outcomes in by_way.values()} == {"right"}
    assert {outcomes["three rows lost"] for way, outcomes in by_way.items() if way != "json"} == {
        "noticed"
    }
    assert set(list(by_way["json"].values())[1:]) == {"misread"}


def test_stored_verdicts_are_those_of_the_stored_figures() -> None:
    """The stored verdicts are those that the stored figures give now."""
    stored = json.loads((RESULTS / "verdicts.json").read_text(encoding="utf-8"))
    assert stored.keys() >= {*FACTS, "commit"}
    claims = importlib.import_module("verdicts").claims()
    assert json.loads(json.dumps(claims)) == stored["claims"]
    assert [claim["claim"] for claim in claims][:4] == [
        "60-75 % fewer tokens than JSON",
        "at less than 3 points of accuracy",
        "CSV is optimal for arrays of objects",
        "more than 75 % for flat objects as key/value",
    ]


def test_all_was_answered_in_the_stored_run() -> None:
    """In the stored run, the oracle answers every question about texts without a budget."""
    oracle = json.loads((RESULTS / "accuracy.json").read_text(encoding="utf-8"))["oracle"]
    whole = {way: own["share"] for way, own in oracle["ways"].items() if "@" not in way}
    assert {"json", "native"} <= whole.keys()
    assert set(whole.values()) == {1}

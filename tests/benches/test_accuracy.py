"""The benches of reading run, and the verdicts are those of the stored figures."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.benches import BENCHES, FACTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


RESULTS: Final = BENCHES / "results"


def test_accuracy(run: Callable[..., dict[str, Any]]) -> None:
    """The oracle is right without a budget, and as told within one."""
    found = run("accuracy", "--ways", "json", "native")
    oracle = found["oracle"]
    assert (oracle["documents"], oracle["not as told"]) == (4, 0)
    for way, own in oracle["ways"].items():
        assert own["agreed"] == own["sure"]
        answered = own["answerable"] + own["lucky"] + own["unknown"] + own["misled"]
        assert answered == own["asked"]
        assert own["share"] == 1 or "@" in way
    assert found["model"] is None


def test_accuracy_of_a_model(run: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    """A model is asked the same questions, and its figures stand beside the oracle's."""
    pytest.importorskip("openai", reason="needs the extra accuracy")
    from tests.accuracy.server import says, serving

    with serving(says("unknown")) as server:
        options = ["--base-url", server.url, "--model", "m", "--keep", str(tmp_path / "kept")]
        found = run("accuracy", "--ways", "json", "native", "--each", "1", *options)
    model = found["model"]
    assert model["prompt_tokens"] == 100 * len(server.requests) > 0
    assert all(each["verdict"].startswith("undecided") for each in model["beside"])


def test_shapes(run: Callable[..., dict[str, Any]]) -> None:
    """Each shape has ratios to both kinds of JSON; what is told of winners adds up."""
    found = run("shapes")["sets"]
    assert found.keys() == {"samples", "all"}
    arrays = found["all"]["array of objects"]
    assert arrays["to json"]["json"]["ratio"] == 1
    assert arrays["to json-pretty"]["json-pretty"]["ratio"] == 1
    assert arrays["to json"]["mckp native"]["ratio"] < 1
    for own in found["all"].values():
        low, high = own["to json"]["mckp native"]["interval"]
        assert low <= own["to json"]["mckp native"]["ratio"] <= high
        for key in ("smallest of plain formats", "smallest of all that lose nothing"):
            assert sum(own[key].values()) == pytest.approx(1, abs=0.01)


def test_damage(run: Callable[..., dict[str, Any]]) -> None:
    """Counts tell of lost rows, which JSON never does; what is whole is read as it is."""
    found = run("damage")["ways"]
    assert {own["nothing"] for own in found.values()} == {"right"}
    assert {own["three rows lost"] for way, own in found.items() if way != "json"} == {"noticed"}
    assert set(list(found["json"].values())[1:]) == {"misread"}


def test_stored_verdicts_are_those_of_the_stored_figures() -> None:
    """Verdicts were made from the figures that are stored beside them."""
    stored = json.loads((RESULTS / "verdicts.json").read_text(encoding="utf-8"))
    assert stored.keys() >= {*FACTS, "commit"}
    found = importlib.import_module("verdicts").claims()
    assert json.loads(json.dumps(found)) == stored["claims"]
    assert [each["claim"] for each in found][:4] == [
        "60-75 % fewer tokens than JSON",
        "at less than 3 points of accuracy",
        "CSV is optimal for arrays of objects",
        "more than 75 % for flat objects as key/value",
    ]


def test_nothing_stored_was_not_as_told() -> None:
    """In the stored run the oracle answered all as told, and everything without a budget."""
    oracle = json.loads((RESULTS / "accuracy.json").read_text(encoding="utf-8"))["oracle"]
    assert oracle["not as told"] == 0
    assert all(own["share"] == 1 for way, own in oracle["ways"].items() if "@" not in way)

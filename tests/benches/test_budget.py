"""The benches of budgets run, count right, and tell what is wrong."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest

import mckp
from mckp import tokenizers
from mckp.jsontext import dump
from mckp.result import Elided
from tests.benches import BENCHES, FACTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROWS: Final = {"total": 9, "jobs": [{"id": n, "name": f"job {n}", "ok": True} for n in range(30)]}


def test_budget(run: Callable[..., dict[str, Any]]) -> None:
    """Every system has its figures; mckp is within each budget and tells of each cut."""
    found = run("budget")
    assert found["documents"] == 3
    assert found["shares"].keys() == {"0.5", "0.2"}
    for entry in found["shares"].values():
        systems = entry["systems"]
        assert systems.keys() >= {"mckp native", "mckp dense, greedy", "head cut", "oldest first"}
        for name, own in systems.items():
            assert own["documents"] == 3
            assert 0 <= own["counted"] <= own["present"] <= 1
            if name.startswith("mckp"):
                assert (own["over"], own["failed"]) == (0, {})
                assert own["faithful"] == own["hinted"] == own["readable"] == 1
                assert own["value"] <= systems[name.partition(",")[0]]["value"]
        assert systems["head cut"]["readable"] == 0
        assert systems["oldest first"]["over"] == 0
        assert "leaves" not in systems["head cut"]
        assert systems["oldest first"]["leaves"] <= systems["binary, JSON"]["leaves"]
        low, high = (entry["ceilings"][f"gap {gap}"]["mean"] for gap in (1, 0))
        assert 0 < low <= high <= 1


def test_curve(run: Callable[..., dict[str, Any]]) -> None:
    """What is left grows with the budget."""
    found = run("curve")
    (entry,) = found["sets"]
    assert entry["documents"] == 3
    assert "mckp native" in entry["rules"]
    for own in entry["rules"].values():
        assert own["leaves"] == sorted(own["leaves"])
        assert 0 <= own["value"][0] <= own["value"][-1] <= 1
    assert entry["rules"]["mckp native"]["leaves"][-1] == 1


def test_curve_is_drawn(run: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    """The figure stands where it was asked for."""
    pytest.importorskip("matplotlib")
    run("curve", "--plot", str(tmp_path / "figures"))
    assert "share of the leaves" in (tmp_path / "figures/curve.svg").read_text(encoding="utf-8")


def test_ablation(run: Callable[..., dict[str, Any]]) -> None:
    """The cells that are replayed are those that were published."""
    found = run("ablation")
    assert len(found["cells"]) == 7
    assert all(entry["agrees"] for entry in found["cells"] + found["improvements"])
    for row in found["rules"]:
        assert 0 <= row["p1"] <= 1
        assert row["tokens"] <= row["budget"]


def test_a_published_cell_that_differs_is_told() -> None:
    """A number that the replay does not give ends in disagreement."""
    ablation = importlib.import_module("ablation")
    cell = ablation.published()["cells"][0]
    assert not ablation.replayed(cell | {"p1": 0.5}, 100)["agrees"]


def test_the_stored_ablation_is_all_that_was_published() -> None:
    """Every cell is there and agrees; rules were tried on as many lists as that paper's."""
    found = json.loads((BENCHES / "results/ablation.json").read_text(encoding="utf-8"))
    stated = importlib.import_module("ablation").published()
    assert found.keys() >= FACTS
    for name in ("cells", "improvements"):
        assert [entry["published"] for entry in found[name]] == stated[name]
        assert all(entry["agrees"] for entry in found[name])
    assert found["trials"] == stated["trials"]


def test_exact_rules_keep_the_most_value() -> None:
    """No rule adds up to more of the same values; greedy packing and brute force do not."""
    ablation = importlib.import_module("ablation")
    lists = importlib.import_module("replay").draw("power_law", 12, 20)
    worth = ablation.RULES["priority"][0](lists)
    exact, packed = (
        ablation.RULES[f"priority{how}"][1](lists, worth, 4000) for how in (", exact", "")
    )
    assert ((worth * exact).sum(axis=1) >= (worth * packed).sum(axis=1) - 1e-9).all()
    for weights, values, chosen in zip(lists.weights, worth, exact, strict=True):
        best = max(
            sum(values[i] for i in range(12) if bits >> i & 1)
            for bits in range(1 << 12)
            if sum(weights[i] for i in range(12) if bits >> i & 1) <= 4000
        )
        assert abs(best - values[chosen].sum()) < 1e-9


def test_kept_leaves_are_those_at_their_place() -> None:
    """What is read back is compared leaf by leaf, and what is missing must be told."""
    module = importlib.import_module("leaves")
    result = mckp.encode(ROWS, budget=60, weights="facts")
    found = mckp.decode(result.text)
    own = module.kept(ROWS, found, result)
    assert (own.leaves, own.total) == (result.value, result.total)
    assert own.faithful
    assert own.hinted
    assert not module.kept(ROWS, found | {"total": 8}, result).faithful
    assert not module.kept(ROWS, found | {"more": 8}, result).faithful
    silent = replace(result, elided=())
    assert not module.kept(ROWS, found, silent).faithful
    unmarked = replace(result, text="")
    assert not module.kept(ROWS, found, unmarked).hinted


def test_a_shortened_string_counts_in_part() -> None:
    """Of a string that lost characters, those that are left count, if the cut is told."""
    module = importlib.import_module("leaves")
    data = {"a": 1, "text": "0123456789"}
    whole = mckp.encode(data)
    cut = Elided((), "fields", 1, 2, 3, ("text",))
    own = module.kept(data, data | {"text": "012389"}, replace(whole, elided=(cut,)))
    assert own.leaves == 1.6
    assert own.faithful
    assert not module.kept(data, data | {"text": "012389"}, whole).faithful


RECALLS: Final[list[tuple[list[Any], str, float, float]]] = [
    ([True, True, None], "[true,null]", 1, 2 / 3),
    ([1, 12, 123], "123 12", 2 / 3, 2 / 3),
    (["open", "opened"], "opened", 1 / 2, 1 / 2),
    (['say "hi"', "a\nb", "ä"], '"say \\"hi\\"" a\\nb \\u00e4', 1, 1),
    (["x/y", "x"], "x/y", 1, 1 / 2),
    (["", [], {}], '"" [] {}', 1, 1),
    (["long text"], "long te", 0, 0),
]


@pytest.mark.parametrize(("value", "text", "present", "counted"), RECALLS)
def test_recall(value: list[Any], text: str, present: float, counted: float) -> None:
    """Literals are found whole, escaped or not; one occurrence is one leaf where they count."""
    found = importlib.import_module("leaves").recall(value, text)
    assert (found.present, found.counted) == (present, counted)


def test_ceilings_are_above_what_can_be_written() -> None:
    """No text without shared values says more than the ceiling without gaps."""
    module = importlib.import_module("leaves")
    count = tokenizers.get("o200k").count_batch
    assert module.ceiling(ROWS, 10_000, count, 1) == 1
    low, high = (module.ceiling(ROWS, 60, count, gap) for gap in (1, 0))
    assert 0 < low < high < 1
    assert module.ceiling([1, "one two three"], 1, count, 0) == 0.5


def test_simple_cutters_keep_to_their_budget() -> None:
    """They come as near as their way allows, and keep the ends that they are named for."""
    cutters = importlib.import_module("cutters")
    binary = importlib.import_module("binary_json")
    text = dump(ROWS)
    for budget in (0, 1, 7, 50, 200):
        head = cutters.cut_head(text, budget)
        assert text.startswith(head)
        assert cutters.recount(head) <= budget
    for budget in (20, 50, 200):
        tail = json.loads(cutters.drop_oldest(text, budget))
        assert cutters.recount(dump(tail)) <= budget
        assert tail["jobs"][-1]["ok"] is True
        assert "total" not in tail
        kept_text, kept = binary.most_leaves(ROWS, budget)
        assert cutters.recount(kept_text) <= budget
        assert kept == sum(
            1 for _ in importlib.import_module("leaves").leaves(json.loads(kept_text))
        )


def test_what_is_over_or_false_ends_the_run() -> None:
    """A row of mckp beyond its budget, or that is not faithful, is a broken promise."""
    rows = importlib.import_module("budget_rows")
    (system,) = rows.systems(["native"], importlib.import_module("rich.console").Console())[:1]
    row = rows.measure(system, ROWS, 0.3)
    assert not row.is_wrong
    assert replace(row, tokens=row.budget + 1).is_wrong
    assert replace(row, kept=replace(row.kept, faithful=False)).is_wrong
    assert replace(row, kept=None, failure="VerifyError").is_wrong
    assert not rows.measure(system, ROWS, 0.001).is_wrong, "a budget of nothing may be refused"

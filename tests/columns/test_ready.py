"""Who goes in columns, from when on, and what is done without them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import mckp
from mckp import planning
from mckp.api import encoded
from mckp.columns import ready, warm
from mckp.columns.plan import ColumnPlan
from mckp.encoders import select
from mckp.errors import UnknownNameError
from mckp.jsontext import dumped
from mckp.menu_plan import MenuPlan
from mckp.parsers import as_tree
from mckp.planning import COMPILING, LEAST, LOADING, Planned, format_bits, planned
from mckp.tokenizers import get
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from pathlib import Path

    from mckp.plan import Plan

COUNTER = get("o200k")
PROFILE = "chars:4"
NATIVE = select("native")
TINY = {"a": [1, "two words", None]}

compiled = pytest.mark.skipif(not ready.is_compiled(), reason="kernels are not compiled")


@pytest.fixture(autouse=True)
def spent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin as a process does that has encoded nothing, with thresholds that tests can reach."""
    monkeypatch.setattr("mckp.planning._METER.bytes", 0)
    monkeypatch.setattr("mckp.planning._METER.due", 0)
    for name, size in (("LEAST", 10), ("LOADING", 100), ("COMPILING", 1000)):
        monkeypatch.setattr(planning, name, size)


@pytest.fixture
def at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the kernels be there from the first byte on."""
    monkeypatch.setattr(planning, "LOADING", 0)
    monkeypatch.setattr(ready, "is_ready", lambda: True)


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the file that says that kernels are on disk; this process has not used any yet."""
    path = tmp_path / "cache" / "ready"
    monkeypatch.setattr("mckp.columns.ready._mark", lambda: path)
    monkeypatch.setattr("mckp.columns.ready._STATE", {"used": False})
    return path


def _plan(value: Any, formats: str | list[str] = "native", tokenizer: Any = COUNTER) -> Plan:
    return planned(TreeNode.of(value), select(formats), get(tokenizer)).whole


# ---------------------------------------------------------------- which plan


def test_thresholds_are_in_order() -> None:
    assert 0 < LEAST < LOADING < COMPILING


def test_loads_kernels_once_that_many_bytes_would_have_paid_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ready, "is_ready", lambda: True)
    size = len(dumped(TINY))
    before = -(-100 // size) - 1
    assert [type(_plan(TINY)) for _ in range(before)] == [MenuPlan] * before
    assert isinstance(_plan(TINY), ColumnPlan)
    assert isinstance(_plan(TINY), ColumnPlan)


@pytest.mark.usefixtures("at_hand")
def test_small_documents_go_value_by_value_and_do_not_count() -> None:
    for small in ("a" * 7, [1, 2], None):
        assert isinstance(_plan(small), MenuPlan)
    assert isinstance(_plan("a" * 8), ColumnPlan)


def test_waits_with_compiling_until_that_would_have_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    state = {"ready": False, "warmed": 0}

    def warm_up() -> None:
        state["ready"] = True
        state["warmed"] += 1

    monkeypatch.setattr(ready, "is_ready", lambda: state["ready"])
    monkeypatch.setattr(warm, "warm_up", warm_up)
    assert isinstance(_plan("a" * 500), MenuPlan)
    assert isinstance(_plan("a" * 490), MenuPlan)
    assert state["warmed"] == 0
    assert isinstance(_plan("a" * 100), ColumnPlan)
    assert isinstance(_plan("a" * 100), ColumnPlan)
    assert state["warmed"] == 1


def test_goes_on_value_by_value_where_nothing_can_be_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ready, "is_compiled", lambda: False)
    monkeypatch.setattr(warm, "is_compiled", lambda: False)
    monkeypatch.setattr(planning, "COMPILING", 0)
    monkeypatch.setattr(planning, "LOADING", 0)
    assert isinstance(_plan(TINY), MenuPlan)


@pytest.mark.usefixtures("at_hand")
def test_tokenizers_without_a_vocabulary_count_value_by_value() -> None:
    for tokenizer in (len, PROFILE):
        assert isinstance(_plan(TINY, tokenizer=tokenizer), MenuPlan)


@pytest.mark.usefixtures("at_hand")
@pytest.mark.parametrize(
    ("formats", "way"),
    [
        *(("standard", ColumnPlan), ("native", ColumnPlan), ("dense", ColumnPlan)),
        *((["json"], ColumnPlan), (["json", "rows"], ColumnPlan), (["json", "kv"], ColumnPlan)),
        *((["kv", "csv"], MenuPlan), ("-json", MenuPlan), ("-kv", MenuPlan), ("-table", MenuPlan)),
    ],
    ids=str,
)
def test_formats_that_columns_do_not_mix_fall_back(formats: Any, way: type[Plan]) -> None:
    chosen = ["native", formats] if str(formats).startswith("-") else formats
    assert isinstance(_plan(TINY, chosen), way)
    assert bool(format_bits(select(chosen))) == (way is ColumnPlan)


@pytest.mark.usefixtures("at_hand")
def test_markdown_and_text_fall_back() -> None:
    for text in ("# Title\n\nSome words.\n\n- a\n- b\n", "just a line of text"):
        assert isinstance(planned(as_tree(text, None), NATIVE, COUNTER).whole, MenuPlan)


@pytest.mark.usefixtures("at_hand")
def test_what_columns_decline_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def declined(*_: object) -> None:
        return None

    monkeypatch.setattr("mckp.columns.plan.column_plan", declined)
    assert isinstance(_plan(TINY), MenuPlan)


@pytest.mark.usefixtures("at_hand")
def test_large_json_texts_are_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    def parsed(*_: object) -> TreeNode:
        raise AssertionError("there are values")

    text = json.dumps([TINY] * 600)
    usual = mckp.encode(json.loads(text))
    monkeypatch.setattr(planning, "as_tree", parsed)
    for given in (text, text.encode()):
        assert mckp.encode(given) == mckp.encode(given, kind="json") == usual
    with pytest.raises(AssertionError, match="there are values"):
        mckp.encode(text[:-1])


@pytest.mark.usefixtures("at_hand")
def test_large_texts_that_are_no_json_fail_as_small_ones_do() -> None:
    text = json.dumps([TINY] * 600)
    with pytest.raises(mckp.ParseError, match="stands twice") as error:
        mckp.encode(text[:-1] + ',{"a":1,"a":2}]')
    assert (error.value.line, error.value.column) == (1, len(text) + 8)
    with pytest.raises(UnknownNameError):
        mckp.encode(text, kind="xml")


# ---------------------------------------------------------------- what is on disk


@compiled
def test_kernels_are_ready_once_all_of_them_have_been_compiled(
    mark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not ready.is_ready()
    ready.note_ready()
    assert ready.is_ready()
    assert mark.exists()
    monkeypatch.setattr("mckp.columns.ready._STATE", {"used": False})
    assert ready.is_ready()


@compiled
def test_where_nothing_can_be_kept_each_process_finds_out(
    mark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark.parent.write_text("no folder")
    ready.note_ready()
    assert ready.is_ready()
    monkeypatch.setattr("mckp.columns.ready._STATE", {"used": False})
    monkeypatch.setattr("mckp.columns.ready._mark", lambda: None)
    assert not ready.is_ready()
    ready.note_ready()
    assert ready.is_ready()


def test_kernels_that_are_not_compiled_are_never_ready(
    mark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready, "is_compiled", lambda: False)
    mark.parent.mkdir()
    mark.touch()
    assert not ready.is_ready()


@compiled
def test_warming_up_makes_ready(mark: Path) -> None:
    warm.warm_up()
    assert ready.is_ready()
    assert mark.exists()


def test_warming_up_does_nothing_without_a_compiler(
    mark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "is_compiled", lambda: False)
    warm.warm_up()
    assert not mark.exists()


# ---------------------------------------------------------------- what comes of it


@compiled
def test_a_document_that_pays_for_loading_has_the_same_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(planning, "LOADING", LOADING)
    monkeypatch.setattr(ready, "is_ready", lambda: True)
    rows = [
        {"id": n, "name": f"job {n % 97}", "at": f"2024-03-{n % 28 + 1:02}", "ok": n % 3 == 0}
        for n in range(LOADING // 50)
    ]
    assert len(dumped(rows)) > LOADING
    slow = MenuPlan(TreeNode.of(rows), NATIVE, COUNTER)
    assert isinstance(_plan(rows), ColumnPlan)
    for budget in (None, 5000):
        plans = Planned(slow, lambda: slow)
        assert mckp.encode(rows, budget=budget) == encoded(plans, COUNTER, budget, "auto")

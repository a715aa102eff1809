"""The benches of reading run, and the verdicts are those of the stored figures."""

from __future__ import annotations

import hashlib
import importlib
import json
from typing import TYPE_CHECKING, Any, Final

import pytest

import mckp
from mckp.accuracy import LocalReader, OracleReader, Reply, questions
from mckp.jsontext import canonical
from tests.benches import BENCHES, FACTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mckp.accuracy import Asked

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
    for own in found["beside binary"].values():
        assert own["right"].keys() == {"binary, JSON", "native", "dense"}
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


def test_accuracy_of_a_local_model(
    run: Callable[..., dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All ways are asked the same questions; without the document nothing is right."""

    def read(_: LocalReader, asked: Asked) -> Reply:
        return OracleReader().read(asked) if asked.writing.text else Reply("unknown")

    monkeypatch.setattr(LocalReader, "read", read)
    file = tmp_path / "tiny.gguf"
    file.write_bytes(b"GGUF")
    found = run("accuracy_local", "--model", str(file))
    assert found["model"]["sha256"] == hashlib.sha256(b"GGUF").hexdigest()
    shares = {line["way"]: line["share"] for line in found["report"]["lines"]}
    assert shares.pop("no document") == 0
    assert set(shares.values()) == {1}
    assert {line["questions"] for line in found["report"]["lines"]} == {found["questions"]}
    assert 0 < found["constant reply"]["right"] < found["questions"]
    assert all(reply["right"] or reply["way"] == "no document" for reply in found["replies"])


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


def test_costs(run: Callable[..., dict[str, Any]]) -> None:
    """Each tokenizer has its table, and estimates are called so."""
    found = run("cost_table")["tokenizers"]
    exact = {name: own["exact"] for name, own in found.items()}
    assert exact == {"o200k": True, "cl100k": True, "anthropic_class": False, "ollama_bpe": False}
    for own in found.values():
        to = own["shapes"]["whole document"]["to"]
        assert to["json"]["mckp native"]["ratio"] <= 1
        assert to["json-pretty"]["json"]["ratio"] < 1


def test_followups(run: Callable[..., dict[str, Any]]) -> None:
    """Agents that read on until they know are right always; the one that trusts is not."""
    found = run("followups")["budgets"]["all"]
    agents = found["agents"]
    assert agents["hinted"]["right"] == agents["wary"]["right"] == 1
    assert agents["trusting"]["right"] < 1
    assert agents["hinted"]["calls"] < agents["wary"]["calls"]
    assert agents["batched"]["calls"] <= agents["hinted"]["calls"]
    assert agents["batched"]["tokens"] == agents["hinted"]["tokens"]
    saved = found["fewer calls"]["hinted"]["wary"]
    assert saved["share"] == pytest.approx(
        1 - agents["hinted"]["calls"] / agents["wary"]["calls"], abs=0.001
    )


def test_damage(run: Callable[..., dict[str, Any]]) -> None:
    """Counts tell of lost rows, which JSON never does; what is whole is read as it is."""
    found = run("damage")["ways"]
    assert {own["nothing"] for own in found.values()} == {"right"}
    assert {own["three rows lost"] for way, own in found.items() if way != "json"} == {"noticed"}
    assert set(list(found["json"].values())[1:]) == {"misread"}


def test_what_notes_tell_is_fetched() -> None:
    """The hinted agent fetches what its question is about, and nothing for what is there."""
    module = importlib.import_module("followups")
    rows = [{"id": n, "state": ["ok", "failed"][n % 3 == 0]} for n in range(60)]
    data = {"page": 7, "jobs": rows}
    result = mckp.encode(data, budget=120, weights="facts")
    case = module.Case(data, result.elided, 120, result.at(None).tokens, 10)
    kept = {row["id"] for row in mckp.decode(result.text)["jobs"]}
    outcomes: dict[bool, set[int]] = {True: set(), False: set()}
    for question in [one for seed in range(6) for one in questions(data, each=60, seed=seed)]:
        query = question.query
        if query.ask == "value" and query.tests[0].value in range(60):
            outcome = module.hinted(case, question)
            assert outcome.right
            outcomes[query.tests[0].value in kept].add(outcome.calls)
    assert outcomes[True] == {0}
    assert min(outcomes[False]) > 0


def test_data_like_that_of_the_benchmark() -> None:
    """The sets have the sizes and the fields of their description."""
    module = importlib.import_module("toon_data")
    for size, column in (("small", 0), ("large", 1)):
        found = module.datasets(size)
        for name, data in found.items():
            if name != "nested-config":
                [records] = data.values()
                assert len(records) == module.SIZES[name][column]
    employees = found["tabular"]["employees"]
    assert list(employees[0]) == [
        *("id", "name", "email", "department", "salary", "yearsExperience", "active")
    ]
    logs = found["event-logs"]["logs"]
    assert 0.4 < sum("error" in log for log in logs) / len(logs) < 0.6
    assert canonical(module.datasets()) == canonical(module.datasets())


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

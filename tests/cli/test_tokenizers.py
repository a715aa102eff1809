"""`mckp tokenizers`, and counts of several tokenizers side by side."""

import json
from typing import Any

import pytest

from mckp.tokenizers import listing, names, registry
from mckp.tokenizers.models import estimated_families
from mckp.tokenizers.vocabularies import SHIPPED
from tests.cli.conftest import Run

DATA = json.dumps([{"id": n, "name": f"Ada {n}", "at": "2026-03-01"} for n in range(20)])


def test_all_tokenizers_are_listed(run: Run) -> None:
    """Each name of a tokenizer is there once, with whether it is exact."""
    code, out, _ = run("tokenizers", "--json")
    entries: list[dict[str, Any]] = json.loads(out)
    assert code == 0
    listed = {entry["name"]: entry["counts"] for entry in entries}
    assert len(listed) == len(entries)
    assert set(names()) <= listed.keys() | {"o200k_base", "cl100k_base"}
    assert all(listed[name].startswith("exact") for name in SHIPPED)
    assert all(listed[f"{family}_estimate"] == "estimate" for family in estimated_families())
    assert run("tokenizers")[1].count(b"\n") >= len(entries) + 2


def _is_never_installed(_: str) -> bool:
    return False


def test_without_the_extra_the_list_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list names the package that a missing tokenizer needs."""
    monkeypatch.setattr(listing, "is_installed", _is_never_installed)
    counts = {entry.name: entry.counts for entry in listing.list_tokenizers()}
    assert counts["qwen3"] == "exact with splintr-rs"


def test_an_estimate_says_how_to_count_exactly(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A note to an estimate names the package that counts exactly."""
    monkeypatch.setattr(listing, "is_installed", _is_never_installed)
    monkeypatch.setattr(registry, "is_installed", _is_never_installed)
    monkeypatch.setattr(registry, "_MADE", {})
    code, _, err = run("encode", "--tokenizer", "qwen3:8b", "--budget", "200", stdin=DATA)
    assert code == 0
    assert "estimated by qwen_estimate, not counted; pip install splintr-rs counts qwen3" in err


def test_tokenizers_side_by_side(run: Run) -> None:
    """A column has what the tokenizer alone shows, and marks the format with the fewest tokens."""
    code, out, err = run("compare", "--tokenizer", "o200k,claude-opus-4-8", stdin=DATA)
    assert (code, err.count("estimated")) == (0, 1)
    head, *rows = out.decode().splitlines()
    assert head.split() == ["format", "o200k_base", "claude_estimate", "loss"]
    for column, name in ((1, "o200k"), (2, "claude-opus-4-8")):
        alone = json.loads(run("compare", "--json", "--tokenizer", name, stdin=DATA)[1])
        due = {row["format"].split()[-1]: row["tokens"] for row in alone["rows"]}
        cells = {row[:12].split()[-1]: row[12:].split()[column - 1] for row in rows}
        assert {form: int(cell.strip("*")) for form, cell in cells.items()} == due
        assert sum("*" in cell for cell in cells.values()) >= 1


def test_several_as_json(run: Run) -> None:
    """With several tokenizers, JSON has an entry for each."""
    code, out, _ = run("compare", "--json", "--tokenizer", "o200k,cl100k", stdin=DATA)
    assert code == 0
    assert [comparison["tokenizer"] for comparison in json.loads(out)] == [
        "o200k_base",
        "cl100k_base",
    ]


def test_a_page_of_several_is_refused(run: Run) -> None:
    """A page shows one tokenizer; two are an error."""
    code, _, err = run("compare", "--html", "-", "--tokenizer", "o200k,cl100k", stdin=DATA)
    assert code == 1
    assert "a page shows one tokenizer" in err

"""What the benches' README tells was measured and is stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

BENCHES = Path(__file__).parents[1] / "benches"


def test_the_table_is_that_of_the_stored_figures() -> None:
    """Each row of the table stands in the results, which name machine, versions and date."""
    stored = json.loads((BENCHES / "results/formats-corpus.json").read_text(encoding="utf-8"))
    assert {"machine", "python", "mckp", "date", "peers"} <= stored.keys()
    text = (BENCHES / "README.md").read_text(encoding="utf-8").split("## Measured")[1]
    rows = [line.strip("| ").split(" | ") for line in text.split("\n") if line.startswith("| ")]
    formats = [row for row in rows if len(row) == 5 and row[1][0].isdigit() and row[2].strip()]
    assert len(formats) == 13
    for name, *shown in formats:
        assert shown == [
            f"{found[of]['formats'][name][what]:.3f}"
            for found in stored["tokenizers"].values()
            for of, what in (("responses", "ratio"), ("toon_bench", "geometric mean"))
        ]


def test_shares_are_those_of_the_stored_figures() -> None:
    """The sentences below the table tell the same numbers."""
    stored = json.loads((BENCHES / "results/formats-corpus.json").read_text(encoding="utf-8"))
    text = " ".join((BENCHES / "README.md").read_text(encoding="utf-8").split())
    sets: dict[str, Any] = stored["tokenizers"]["o200k"]
    levels, floor = sets["responses"]["levels"], "over the floor of values in place"
    native = sets["toon_bench"]["levels"]["mckp native"]
    assert f"`native` is at {levels['mckp native'][floor]:.3f} of the floor" in text
    assert f"at {native[floor]:.3f} on the data sets" in text
    assert f"on {levels['mckp dense']['smaller than every rival']:.1%} of" in text
    assert f"on {levels['mckp native']['larger than some rival']:.1%}, mostly" in text

"""The front page shows three examples within budgets, as mckp writes them now, and figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mckp
from mckp.tokenizers import get

ROOT = Path(__file__).parents[1]
BUDGETS = ("50%", "35%", "20%", "10%", "5%")
"""The budgets of the slider, as shares of each example's tokens."""
SHOWN = BUDGETS.index("20%") + 2
"""The stop that the slider begins with, and that is shown without JavaScript."""
EXAMPLES = {
    "test-run.txt": "The log of a test run",
    "issues.json": "A response full of addresses",
    "builds.json": "A table with three failed builds",
}
"""The examples, in `examples/`, with the titles of their panels."""


def stops() -> list[str]:
    """Return the labels of the slider's stops: the source, all of it in fewer tokens, budgets."""
    return ["source", "nothing cut", *(budget.replace("%", " %") for budget in BUDGETS)]


def panel(name: str, title: str) -> dict[str, Any]:
    """Return an example as it is at each stop: its text and tokens, and the share that is left."""
    source = (ROOT / "examples" / name).read_text("utf-8")
    if name.endswith(".json"):  # as an API sends it
        source = json.dumps(json.loads(source), separators=(",", ":"))
    texts = [source, mckp.encode(source).text]
    texts += [mckp.encode(source, budget=share).text for share in BUDGETS]
    count = get("o200k").count
    tokens = [count(text) for text in texts]
    shares = [round(100 * number / tokens[0]) for number in tokens]
    return {"name": name, "title": title, "texts": texts, "tokens": tokens, "shares": shares}


def figures() -> dict[str, Any]:
    """Return stored figures: tokens of API responses, and what is kept of why commands failed."""
    results = ROOT / "benches/results"
    sizes = json.loads((results / "formats-corpus.json").read_text("utf-8"))
    responses = sizes["tokenizers"]["o200k"]["responses"]
    recall = json.loads((results / "text-recall.json").read_text("utf-8"))
    return {
        "documents": responses["documents"],
        "ratios": {name: row["ratio"] for name, row in responses["formats"].items()},
        "outputs": recall["outputs"],
        "causes": {name: row["cause"] for name, row in recall["shares"]["0.2"]["outputs"].items()},
    }


def front() -> dict[str, Any]:
    """Return all that the template ``front.html`` needs."""
    panels = [panel(name, title) for name, title in EXAMPLES.items()]
    return {"stops": stops(), "shown": SHOWN, "panels": panels, **figures()}

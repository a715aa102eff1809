"""Run what mckp was asked to do, one check for each capability, and print what holds.

    python scripts/check_capabilities.py

A check returns True (yes), False (no), or why it holds only in part. It needs no network, and says
so where an optional package is missing.
"""

from __future__ import annotations

import importlib.util
import json
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mckp
from mckp import tokenizers
from mckp.errors import DataError, MckpError
from mckp.solvers import Table, solve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    State = bool | str

ROWS = [
    {"id": n, "title": f"fix the gauge of berth {n}", "state": "open" if n % 3 else "failed"}
    for n in range(60)
]
JOBS = json.dumps({"total": 60, "has_more": True, "next_cursor": "c60", "jobs": ROWS})
MARKDOWN = "# Ports\n\n" + "\n\n".join(
    f"## Part {part}\n\nA line of text.\n\n| {key} | name | state |\n|---|---|---|\n"
    + "\n".join(f"| {n + part} | job {n} | {'open' if n % 3 else 'failed'} |" for n in range(30))
    for part, key in ((1, "id"), (2, "key"))
)
LOG = "".join(f"12:00:{n:02} INFO step {n} is done\n" for n in range(60)).replace(
    "INFO step 41 is done", "ERROR step 41: no free connection"
)


def size(data: Any) -> int:
    return mckp.encode(data).tokens


def formats() -> State:
    from mckp.encoders import ALL, write

    known = {each.name: each for each in ALL}
    union = {"builds": [{"id": 31, "status": "passed"}, {"id": 32, "error": {"exit": 1}}]}
    examples = {"csv": ROWS, "table": ROWS, "json": ROWS, "rows": ROWS, "mckp_v2": union}
    texts = [(data, write(data, known[name])) for name, data in examples.items()]
    return all(text is not None and mckp.decode(text) == data for data, text in texts)


def markdown_formats() -> State:
    """At one token below the whole and at half, rows of both tables stay."""
    whole = mckp.encode(MARKDOWN)
    below = mckp.encode(MARKDOWN, budget=whole.tokens - 1)
    half = mckp.encode(MARKDOWN, budget=whole.tokens // 2)
    lost = sum(cut.count for cut in below.elided if cut.kind == "rows")
    kept = [30 - cut.count for cut in half.elided if cut.kind == "rows"]
    return lost <= 3 and all(count >= 10 for count in kept)


def costs_of_sections() -> State:
    tree = mckp.parse(MARKDOWN)
    try:
        mckp.compare(tree.children[0])
    except DataError:
        return "of data each part, of Markdown the whole: its parts are written by line numbers"
    return True


def graph() -> State:
    if importlib.util.find_spec("networkx") is None:
        return "networkx is not installed"
    return bool(mckp.parse(JOBS).to_networkx().number_of_nodes() > 60)


def exact_reference() -> State:
    if importlib.util.find_spec("ortools") is None:
        return "ortools is not installed"
    values = {mckp.encode(JOBS, budget=200, solver=name).value for name in ("auto", "cpsat")}
    return len(values) == 1


def compiled() -> State:
    if importlib.util.find_spec("numba") is None:
        return "numba is not installed"
    chance = random.Random(1)
    costs = [[0, *sorted(chance.sample(range(1, 99), 3))] for _ in range(40)]
    table = Table.flat(costs=costs, values=[[c + 9 for c in row] for row in costs])
    return solve(table, 900).value == solve(table, 900, "large").value


def better_than_binary() -> State:
    whole = size(JOBS)
    pairs = [
        [mckp.encode(JOBS, budget=whole // part, solver=name).value for name in ("auto", "binary")]
        for part in (2, 4, 8)
    ]
    return all(best >= binary for best, binary in pairs)


def pages_stay() -> State:
    texts = [mckp.encode(JOBS, budget=size(JOBS) // part).text for part in (2, 5, 10)]
    return all("c60" in text and "60" in text for text in texts)


def hint_stays() -> State:
    hint = "> [query gauge total=60 returned=30]"
    texts = [mckp.encode(f"{hint}\n\n{MARKDOWN}", budget=budget).text for budget in (60, 100, 300)]
    return all(hint in text for text in texts) or "not in every small budget"


def no_loss() -> State:
    try:
        mckp.encode(JOBS, budget=60, max_loss="none")
    except MckpError:
        return bool(mckp.decode(mckp.encode(JOBS).text) == json.loads(JOBS))
    return False


def strings() -> State:
    data = {"a": json.dumps(ROWS), "c": "id,name\n" + "1,x\n" * 20}
    log = {"id": 7, "log": LOG}
    short = mckp.encode(log, budget=size(log) // 4).text
    return mckp.decode(mckp.encode(data).text) == data and "no free connection" in short


def more() -> State:
    plain = mckp.encode(ROWS, budget=200)
    called = mckp.encode(ROWS, budget=200, more="list(offset={offset}, limit={limit})")
    paged = mckp.encode(ROWS, budget=200, more="list(after={cursor})")
    return called.value >= plain.value and "list(offset=" in called.text and "after=" in paged.text


def told(*texts: str, between: Callable[[mckp.Session], None] | None = None) -> list[str]:
    session = mckp.Session(mckp.SessionSettings(refers_again=False))
    shown: list[str] = []
    for number, text in enumerate(texts):
        if number and between is not None:
            between(session)
        shown.append(session.add(tool="jobs", text=text).text)
    return shown


def references() -> State:
    first, second, third = told(JOBS, JOBS, JOBS)
    return second.startswith("> [ref #1]") and not (first + third).startswith("> [ref")


def near_references() -> State:
    data = json.loads(JOBS)
    data["total"] = 61
    differing = mckp.SessionSettings(near_ref_enabled=True)
    session = mckp.Session(differing)
    for text in (JOBS, json.dumps(data)):
        said = session.add(tool="jobs", text=text).text
    if "total:60=>61" not in said:
        return False
    session = mckp.Session(differing)
    for text in (JOBS, json.dumps(data)):
        said = session.add(tool="jobs", text=text, budget=300).text
    return said.startswith("> [ref") or "not if a budget has cut the first result"


def compactions() -> State:
    return not told(JOBS, JOBS, between=lambda s: s.compact())[1].startswith("> [ref")


def agents() -> State:
    session = mckp.Session()
    texts = [session.add(tool="t", text=JOBS, agent=name).text for name in ("main", "helper")]
    return not texts[1].startswith("> [ref")


def recall() -> State:
    from mckp.agents.session.recall import answer

    session = mckp.Session()
    session.add(tool="t", text=JOBS, budget=200)
    rows = answer(session, {"handle": "#1", "where": "id > 57", "fields": ["id"]}, 300)[0]
    return (
        rows == '[{"id":58},{"id":59}]'
        and '"id":58' not in answer(session, {"handle": "#1", "group": "state"}, 300)[0]
    )


def catalog() -> list[dict[str, Any]]:
    properties = {
        "owner": {"type": "string", "description": "The account owner of the repository."},
        "state": {"type": "string", "enum": ["open", "closed"], "description": "Filter by state."},
        "page": {"type": "integer", "description": "Page number of the results to fetch."},
    }
    return [
        {
            "name": f"list_{name}",
            "description": f"Please kindly note that this tool lists {name} of a repository.",
            "inputSchema": {"type": "object", "properties": properties, "required": ["owner"]},
        }
        for name in ("issues", "pulls", "branches", "commits", "tags", "releases")
    ]


def tools() -> State:
    tools = catalog()
    whole = mckp.encode_tools(tools)
    count = tokenizers.get("o200k").count
    is_short = whole.tokens < count(json.dumps(tools, separators=(",", ":")))
    return is_short and len(mckp.decode_tools(whole.text)) == len(tools)


def packs() -> State:
    documents = {"log": LOG, "jobs": json.loads(JOBS), "notes": MARKDOWN}
    packed = mckp.pack(documents, budget=400, query="why did step 41 fail")
    return packed.tokens <= 400 and "no free connection" in packed.text


def folders() -> State:
    root = Path(__file__).parents[1]
    parts = ("parsers/examples.py", "encoders/examples.py", "solvers/reference.py")
    return all((root / part).is_file() for part in parts)


CHECKS: Sequence[tuple[str, Callable[[], State]]] = (
    ("encode(tree, budget=4000, tokenizer='o200k')",
     lambda: mckp.encode(mckp.parse(JOBS), budget=4000, tokenizer="o200k").status == "optimal"),
    ("Markdown to typed nodes",
     lambda: {"section", "table"} <= {node.kind for node in mckp.parse(MARKDOWN).walk()}),
    ("JSON to typed nodes",
     lambda: {"object", "array"} <= {node.kind for node in mckp.parse(JOBS).walk()}),
    ("one format or skip for each subtree, also of Markdown", markdown_formats),
    ("the tree as a graph", graph),
    ("csv, table, json, rows, mckp_v2 written and read", formats),
    ("costs by format for each subtree", costs_of_sections),
    ("pluggable tokenizers",
     lambda: all(mckp.encode(ROWS, tokenizer=name).tokens for name in ("cl100k", "gpt-4o"))),
    ("a compiled solver, equal to NumPy", compiled),
    ("CP-SAT as exact reference", exact_reference),
    ("never below the binary knapsack", better_than_binary),
    ("what was skipped is listed", lambda: bool(mckp.encode(JOBS, budget=150).elided)),
    ("DataLoss: none is kept or refused", no_loss),
    ("total, has_more and next_cursor stay", pages_stay),
    ("a server's hint line stays", hint_stays),
    ("a failure in a log stays", lambda: "no free" in mckp.encode(LOG, budget=80).text),
    ("JSON, CSV and logs in strings", strings),
    ("more= costs no worth and is printed; {cursor}", more),
    ("references, never twice running", references),
    ("references with differences", near_references),
    ("no reference after a compaction", compactions),
    ("a context for each agent", agents),
    ("recall: where, fields, group", recall),
    ("catalogs of tools, read back", tools),
    ("a pack keeps the line that answers", packs),
    ("the folders hold what runs", folders),
)  # fmt: skip


def results() -> list[tuple[str, State]]:
    """Return each capability with its state."""
    return [(name, check()) for name, check in CHECKS]


def main() -> int:
    """Print the table; the exit code is the number of capabilities that do not hold."""
    states = results()
    for name, state in states:
        said = (
            {True: "yes", False: "no"}.get(state) if isinstance(state, bool) else f"part: {state}"
        )
        print(f"{name:55} {said}")
    parts = sum(isinstance(state, str) for _, state in states)
    missing = sum(state is False for _, state in states)
    print(f"{len(states)} capabilities: {missing} no, {parts} in part")
    return missing


if __name__ == "__main__":
    sys.exit(main())

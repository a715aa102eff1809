"""Write the notebooks of examples/ from the cells below, as they run.

python scripts/make_notebook.py
"""

from __future__ import annotations

import ast
import io
import json
import os
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parents[1] / "examples"

NOTEBOOKS: Final = {
    "card": (
        """# One format or skip, for every subtree

A document is parsed into a typed tree. Every subtree can be written in several formats, or be left
out; a budget of tokens decides. This is a multiple-choice knapsack problem over the tree.""",
        """>from pathlib import Path

from mckp import compare, encode, instance, parse

tree = parse(Path("builds.json").read_bytes())
result = encode(tree, budget=400, tokenizer="o200k")
result""",
        """What the whole tree costs in each format, and what one subtree costs:""",
        """>compare(tree)""",
        """>compare(tree.at("filters"))""",
        """The choice: which format each subtree got, and what was left out.""",
        """>[(choice.path, choice.format, choice.tokens) for choice in result.choices]""",
        """>result.elided""",
        """The same knapsack, solved by the default solver and by CP-SAT of OR-Tools, which is
exact by a method of its own; and the binary knapsack, in which each subtree has one format and is
taken or left out: tokens, value and status of each.""",
        """>knapsack = instance(tree, budget=400)
solved = {
    "default": knapsack.solve(),
    "CP-SAT": knapsack.solve("cpsat"),
    "binary": knapsack.binary.solve(),
}
{name: (each.cost, float(each.value), str(each.status)) for name, each in solved.items()}""",
        """A smaller tree as a networkx graph, coloured by the choice: filled nodes are in the text,
hollow ones were left out.""",
        """>import re

import networkx as nx

small = parse(
    '{"project": "harbour", "filters": {"status": null, "since": "2026-03-01"}, "builds": ['
    '{"id": 31, "status": "passed", "job": "lint"}, '
    '{"id": 32, "status": "failed", "job": "unit tests"}]}'
)
cut = encode(small, budget=22, tokenizer="o200k")
print(cut.text)


class Drawing:
    def __init__(self, graph, left_out):
        layers = dict(enumerate(nx.bfs_layers(graph, "$")))
        places = nx.multipartite_layout(graph, layers, align="horizontal")
        xs, ys = zip(*places.values(), strict=True)
        wide, high = max(xs) - min(xs), max(ys) - min(ys)
        self.graph, self.left_out = graph, left_out
        self.at = {
            node: (10 + 620 * (x - min(xs)) / wide, 10 + 180 * (y - min(ys)) / high)
            for node, (x, y) in places.items()
        }

    def __repr__(self):
        return f"a drawing of {len(self.graph)} nodes"

    def _repr_html_(self):
        shapes = []
        for above, below in self.graph.edges:
            ends = (*self.at[above], *self.at[below])
            shapes.append("<path d='M{:.0f} {:.0f}L{:.0f} {:.0f}' stroke='#999'/>".format(*ends))
        for node, (x, y) in self.at.items():
            place = re.sub("[0-9]+", "*", node) + "."
            colour = "#fff" if any(map(place.startswith, self.left_out)) else "#48b"
            circle = f"<circle cx='{x:.0f}' cy='{y:.0f}' r='7' stroke='#246' fill='{colour}'>"
            shapes.append(f"{circle}<title>{node}</title></circle>")
        return f"<svg role='img' width='640' height='200'>{''.join(shapes)}</svg>"


left_out = {f"$.{name}." for each in cut.elided for name in each.keys}
Drawing(small.to_networkx(), left_out)""",
    ),
    "quick-start": (
        """# Quick start

A page of builds from an API, as JSON.""",
        """>from pathlib import Path

import mckp

builds = Path("builds.json").read_bytes()
mckp.compare(builds)""",
        """With nothing lost: the cheapest mix of formats. Below the text are its tokens, compared
with compact JSON.""",
        """>whole = mckp.encode(builds)
whole""",
        """The text decodes to the same data, including types.""",
        """>import json

mckp.decode(whole.text) == json.loads(builds)""",
        """Within 150 tokens: the text that is worth most. `optimal` means that this is proven.""",
        """>some = mckp.encode(builds, budget=150)
some""",
        """Lines with `>` say what is missing. For programs, `some.elided` lists it.""",
        """>print(some.text)""",
        """A page with a slider over all budgets: where the tokens are, what each budget keeps,
and why.""",
        """>some.view(title="builds.json")""",
        """You can say what matters more: here, errors count ten times, and every row must stay.""",
        """>weighed = mckp.encode(builds, budget=150, priorities={"**.error": 10, "**.id": "pin"})
print(weighed.text)""",
        """Tool definitions work in the same way: each gets a level of detail, so that all fit the
budget.""",
        """>print(mckp.encode_tools(Path("tools.json").read_bytes(), budget=120).text)""",
    ),
    "budget": (
        """# What a budget keeps

A page of builds from an API, within 300 tokens. Below the text are its tokens, compared with
compact JSON.""",
        """>from pathlib import Path

import mckp

result = mckp.encode(Path("builds.json").read_bytes(), budget=300)
result""",
        """The best value for every budget, from the menu of this result. The areas are the
formats of the text.""",
        """>curve = result.frontier()
curve""",
        """Another budget. The document is not parsed again.""",
        """>result.at(150)""",
        """Why the table is written in this way, and why a member was cut:""",
        """>result.why("builds")""",
        """>result.why("$.filters")""",
        """`recall` returns what was cut. It takes a path, an entry of `elided`, or the number of
a note in the text.""",
        """>result.recall("builds")[0]""",
    ),
    "solvers": (
        """# The solver, and the binary knapsack

We have many texts. Each can be written in several formats, of which cheaper ones keep
less. The multiple-choice knapsack chooses a format for each text; the binary knapsack takes a text
in full or not at all. Both are solved exactly. For each budget, the table gives the best value,
and the share of it that the binary knapsack and a greedy rule reach.""",
        """>from random import Random

from mckp.solvers import Table, solve


def texts(number, is_equal=False):
    random, costs, values = Random(1), [], []
    for _ in range(number):
        tokens = round(min(2000, max(5, random.lognormvariate(5, 1))))
        shares = [1, *(random.uniform(0.3, 1) for _ in range(6))]
        costs.append([0, *(max(1, round(tokens * share)) for share in shares)])
        kept = (100 if is_equal else 85 + round(15 * share) for share in shares)
        values.append([0, *(tokens * percent for percent in kept)])
    return Table.flat(costs, values), sum(map(max, costs))


def share(part, is_equal=False):
    table, tokens = texts(200, is_equal)
    best, binary, greedy = (
        float(solve(table, int(part * tokens), name).value) for name in ("auto", "binary", "greedy")
    )
    return f"{part:6.0%}  {best:11,.0f}  {binary / best:6.3f}  {greedy / best:6.3f}"


heads = "budget   best value  binary  greedy"
print(heads, *(share(part) for part in (0.1, 0.3, 0.5, 0.7, 0.9)), sep="\\n")""",
        """If all formats of a text are worth the same, there is nothing to choose, and the binary
knapsack is as good.""",
        """>print(heads, *(share(part, is_equal=True) for part in (0.1, 0.3, 0.5)), sep="\\n")""",
        """Processor time of both for more and more texts (milliseconds, best of four runs):""",
        """>~from time import process_time


def milliseconds(number, name):
    table, tokens = texts(number)

    def once():
        begin = process_time()
        solve(table, tokens // 2, name)
        return 1000 * (process_time() - begin)

    return round(min(once() for _ in range(4)), 2)


{
    number: {name: milliseconds(number, name) for name in ("auto", "binary")}
    for number in (10, 100, 1000)
}""",
        """The best value for every budget, from one run:""",
        """>from mckp.solvers import frontier

curve = frontier(texts(20)[0])
curve""",
        """The same with a document. Its knapsack is an instance: a table of numbers, with a label
for each option.""",
        """>from pathlib import Path

import mckp

knapsack = mckp.instance(Path("builds.json").read_bytes(), budget=300)
knapsack""",
        """All solvers on this document, and its binary knapsack, in which each subtree has one
format and is taken or left out. The first call of a solver also loads its package or compiled
code. So there are two processor times, in milliseconds: of the first call, and the best of three
later ones. `gap` is an upper bound on how much better another selection could be.""",
        """>~from importlib.util import find_spec


def row(name, knapsack, solver):
    times = []
    for _ in range(4):
        begin = process_time()
        found = knapsack.solve(solver)
        times.append(1000 * (process_time() - begin))
    tokens, value = knapsack.tokens(found), float(found.value)
    first, later = times[0], min(times[1:])
    gap = f"{found.gap:.1%}"
    return f"{name:8}  {value:9,.0f}  {tokens:6}  {gap:>6}  {first:8.1f}  {later:8.1f}"


print("solver        value  tokens     gap     first     later")
for name in ("auto", "large", "cpsat", "highs", "greedy"):
    if name not in ("cpsat", "highs") or find_spec("ortools"):
        print(row(name, knapsack, name))
print(row("binary", knapsack.binary, "auto"))""",
        """The binary knapsack leaves out what the multiple-choice knapsack writes with fewer
columns.""",
        """>for each in (knapsack, knapsack.binary):
    print(each.text(each.solve()))
knapsack.table, knapsack.binary.table""",
        """You can give the table to any other solver as arrays, as a file, or as a data frame,
and turn its answer into a text.""",
        """>from mckp.solvers import to_lp

print(to_lp(knapsack.table, knapsack.capacity)[:300])""",
        """The best value of the document for every budget:""",
        """>mckp.encode(Path("builds.json").read_bytes(), budget=300).frontier()""",
        """The share of the value that each solver keeps within each budget, and the same for one
format alone. `swept.plot()` draws these lines.""",
        """>swept = mckp.sweep(
    Path("builds.json").read_bytes(),
    {
        "auto": {},
        "greedy": {"solver": "greedy"},
        "binary": {"solver": "binary"},
        "kv only": {"formats": ["kv"]},
    },
    budgets=(60, 100, 150, 200, 300, 400, 600),
)
swept""",
    ),
    "formats": (
        """# Formats side by side

Documents of several shapes, each written in every format alone. `ratio` is the tokens
as a share of compact JSON. `mckp` is the mix of the default level, and `mckp dense` the mix of the
densest level.""",
        """>import mckp

users = [{"id": n, "name": f"user {n}", "team": "tide", "active": n % 5 > 0} for n in range(30)]
mckp.compare(users)""",
        """Nested records: members of objects become columns, and a cell can hold a table.""",
        """>orders = [
    {"id": n, "customer": {"name": f"c{n}", "city": "Bonn"}, "items": [{"sku": n}] * (n % 3)}
    for n in range(20)
]
mckp.compare(orders)""",
        """>print(mckp.encode(orders).text[:400])""",
        """A flat object has little to save: nearly all of it is names and values.""",
        """>mckp.compare({"host": "alpha", "port": 8080, "tls": True, "owner": None})""",
        """The levels: `standard` is for any reader. `native` has headers that explain the rows.
In `dense`, the reader looks up symbols.""",
        """>levels = ("standard", "native", "dense")
{
    shape: {level: mckp.encode(data, formats=level).tokens for level in levels}
    for shape, data in {"users": users, "orders": orders}.items()
}""",
        """With another tokenizer, the mix may differ.""",
        """>{name: mckp.encode(orders, tokenizer=name).tokens for name in ("o200k", "cl100k")}""",
    ),
}
"""Cells by notebook; code begins with ``>``, or with ``>~`` if its output has times."""


def notebook(name: str) -> str:
    """Return a notebook as JSON text, with what its cells show in the folder of examples."""
    names: dict[str, Any] = {}
    cells: list[dict[str, Any]] = []
    for number, source in enumerate(NOTEBOOKS[name]):
        text = source.lstrip(">~") if source.startswith(">") else source
        cell: dict[str, Any] = {
            "cell_type": "code" if source.startswith(">") else "markdown",
            "id": f"cell-{number}",
            "metadata": {"tags": ["times"]} if source.startswith(">~") else {},
            "source": text.splitlines(keepends=True),
        }
        if source.startswith(">"):
            count = 1 + sum(other["cell_type"] == "code" for other in cells)
            cell |= {"execution_count": count, "outputs": outputs(text, names, count)}
        cells.append(cell)
    page: dict[str, Any] = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(page, indent=1, ensure_ascii=False) + "\n"


def outputs(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Run a cell, whose last line is an expression, and return what it prints and shows."""
    *body, last = ast.parse(source).body
    assert isinstance(last, ast.Expr)
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    shown: list[dict[str, Any]] = []
    if printed.getvalue():
        lines = printed.getvalue().splitlines(keepends=True)
        shown.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if (show := getattr(value, "_repr_html_", None)) is not None:
            data["text/html"] = str(show()).splitlines(keepends=True)
        more = {"data": data, "execution_count": count, "metadata": {}}
        shown.append({"output_type": "execute_result", **more})
    return shown


if __name__ == "__main__":
    os.chdir(FOLDER)
    for notebook_name in NOTEBOOKS:
        (FOLDER / f"{notebook_name}.ipynb").write_text(notebook(notebook_name), encoding="utf-8")

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
    "quick-start": (
        """# Quick start

A page of builds from an API, as JSON.""",
        """>from pathlib import Path

import mckp

builds = Path("builds.json").read_bytes()
mckp.compare(builds)""",
        """Nothing lost: the cheapest mix of formats, and below the text its tokens, beside those of
compact JSON.""",
        """>whole = mckp.encode(builds)
whole""",
        """It reads back to the same data, types and all.""",
        """>import json

mckp.decode(whole.text) == json.loads(builds)""",
        """Within 150 tokens: the text that says most, proven.""",
        """>some = mckp.encode(builds, budget=150)
some""",
        """The text is an attribute. Lines with `>` say what is missing; `some.elided` says it to a
program.""",
        """>print(some.text)""",
        """All budgets to look at: where the tokens are, what each budget keeps, and why.""",
        """>some.view(title="builds.json")""",
        """What matters more can be said: an error is worth ten facts, and no row may go.""",
        """>weighed = mckp.encode(builds, budget=150, priorities={"**.error": 10, "**.id": "pin"})
print(weighed.text)""",
        """Tools are documents too: each at the level of detail that a budget allows.""",
        """>print(mckp.encode_tools(Path("tools.json").read_bytes(), budget=120).text)""",
    ),
    "budget": (
        """# What a budget buys

A page of builds from an API, within 300 tokens: the text, and its tokens beside those of compact
JSON.""",
        """>from pathlib import Path

import mckp

result = mckp.encode(Path("builds.json").read_bytes(), budget=300)
result""",
        """Every budget at once, from the menu of this result. Areas are formats of the text.""",
        """>curve = result.frontier()
curve""",
        """Another budget, for which the document is not parsed again.""",
        """>result.at(150)""",
        """Why the table is written as it is, and why a member is not there.""",
        """>result.why("builds")""",
        """>result.why("$.filters")""",
        """What was cut can be had back: by the path of its hint, by its entry in `elided`, or by
the number of its hint in the text. The only hint here stands for columns of the builds.""",
        """>result.recall(1)[0]""",
    ),
    "solvers": (
        """# The solver, and the binary knapsack

Texts that can be written in several formats, cheaper ones keeping less. The multiple-choice
knapsack chooses a format for each; the binary one takes each in full or not at all. Both are exact.
By budget: the best value, and the share of it that the binary one and a greedy rule keep.""",
        """>import sys

sys.path.append("../benches")
import instances

from mckp.solvers import solve


def share(part, family="proportional"):
    made = instances.renderings(family, seed=1, classes=200, part=part)
    best, binary, greedy = (
        float(solve(made.table, made.budget, name).value) for name in ("auto", "binary", "greedy")
    )
    return f"{part:6.0%}  {best:11,.0f}  {binary / best:6.3f}  {greedy / best:6.3f}"


heads = "budget   best value  binary  greedy"
print(heads, *(share(part) for part in (0.1, 0.3, 0.5, 0.7, 0.9)), sep="\\n")""",
        """Where all formats of a text are worth the same there is nothing to choose, and the
binary knapsack is as good.""",
        """>print(heads, *(share(part, "equal") for part in (0.1, 0.5, 0.9)), sep="\\n")""",
        """How long both take, in milliseconds, for more and more texts: the best of four.""",
        """>~from time import perf_counter


def milliseconds(texts, name):
    made = instances.renderings("proportional", seed=1, classes=texts, part=0.5)

    def once():
        begin = perf_counter()
        solve(made.table, made.budget, name)
        return 1000 * (perf_counter() - begin)

    return round(min(once() for _ in range(4)), 2)


{
    texts: {name: milliseconds(texts, name) for name in ("auto", "binary")}
    for texts in (10, 100, 1000)
}""",
        """All budgets at once: the value for each, and the picture.""",
        """>from mckp.solvers import frontier

curve = frontier(instances.renderings("proportional", seed=1, classes=20).table)
curve""",
        """The same on a document. Its knapsack is an instance: a table of numbers, and what each
option is.""",
        """>from pathlib import Path

import mckp

knapsack = mckp.instance(Path("builds.json").read_bytes(), budget=300)
knapsack""",
        """All solvers, with the binary knapsack of the same document: its subtrees in one format
each, taken or left. The first call of a solver loads its package, or code that is compiled, so it
is told apart from the best of three later ones; both are in milliseconds. `gap` is how much better
another selection could be, as far as the solver has proved.""",
        """>~from importlib.util import find_spec


def row(name, knapsack, solver):
    times = []
    for _ in range(4):
        begin = perf_counter()
        found = knapsack.solve(solver)
        times.append(1000 * (perf_counter() - begin))
    tokens, value = knapsack.tokens(found), float(found.value)
    first, later = times[0], min(times[1:])
    gap = f"{found.gap:.1%}"
    return f"{name:8}  {value:9,.0f}  {tokens:6}  {gap:>6}  {first:8.1f}  {later:8.1f}"


print("solver        value  tokens     gap     first     later")
for name in ("auto", "large", "cpsat", "highs", "greedy"):
    if name not in ("cpsat", "highs") or find_spec("ortools"):
        print(row(name, knapsack, name))
print(row("binary", knapsack.binary, "auto"))""",
        """What the binary knapsack leaves out, the other writes in narrower rows.""",
        """>for each in (knapsack, knapsack.binary):
    print(each.text(each.solve()))
knapsack.table, knapsack.binary.table""",
        """Any other solver gets the table as arrays, as a file, or as a data frame, and its answer
becomes a text again.""",
        """>from mckp.solvers import to_lp

print(to_lp(knapsack.table, knapsack.capacity)[:300])""",
        """What the document is worth within any budget.""",
        """>mckp.encode(Path("builds.json").read_bytes(), budget=300).frontier()""",
    ),
    "formats": (
        """# Formats side by side

One document of each of several shapes, in every format by itself. `ratio` is to compact JSON;
`mckp` is the mix of the default level, `mckp dense` that of the level in which readers look up.""",
        """>import mckp

users = [{"id": n, "name": f"user {n}", "team": "tide", "active": n % 5 > 0} for n in range(30)]
mckp.compare(users)""",
        """Nested records: members of objects become columns, tables stand in cells.""",
        """>orders = [
    {"id": n, "customer": {"name": f"c{n}", "city": "Bonn"}, "items": [{"sku": n}] * (n % 3)}
    for n in range(20)
]
mckp.compare(orders)""",
        """>print(mckp.encode(orders).text[:400])""",
        """A flat object has little to save: names and values are nearly all there is.""",
        """>mckp.compare({"host": "alpha", "port": 8080, "tls": True, "owner": None})""",
        """Levels: what standard parsers read, what headers explain, and what is looked up.""",
        """>levels = ("standard", "native", "dense")
{
    shape: {level: mckp.encode(data, formats=level).tokens for level in levels}
    for shape, data in {"users": users, "orders": orders}.items()
}""",
        """Another tokenizer, another mix.""",
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

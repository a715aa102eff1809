"""One way: the steps of `encode` are entered in their order, and none calls an earlier one."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

import mckp
from mckp.answers.verify import check_text
from mckp.menu.cuts.cuts import cuts
from mckp.menu.data import offer
from mckp.menu.price import Prices, price
from mckp.menu.render import render
from mckp.menu.select import Solving
from mckp.menu.tabulate import tabulate
from mckp.menu.weighing import weigh
from mckp.parsers import as_tree

STEPS: dict[str, Callable[..., Any]] = {
    "parse": as_tree,
    "weigh": weigh,
    "offer": offer,
    "price": price,
    "cheapest": Prices.cheapest,
    "cuts": cuts,
    "tabulate": tabulate,
    "solve": Solving.__call__,
    "write": render,
    "read back": check_text,
}
"""The steps in their order, each with its function.

What is cheapest is known from then on, and later steps look it up there.
"""

ORDER = list(STEPS)

OWN_MODULES = {
    "mckp.menu.weighing": "weigh",
    "mckp.menu.data": "offer",
    "mckp.menu.text": "offer",
    "mckp.menu.markdown": "offer",
    "mckp.menu.signed": "offer",
    "mckp.menu.cuts.cuts": "cuts",
    "mckp.menu.cuts.step": "cuts",
    "mckp.menu.cuts.lines": "cuts",
    "mckp.menu.cuts.frontier": "cuts",
    "mckp.menu.cuts.parts": "cuts",
    "mckp.menu.cuts.values": "cuts",
    "mckp.menu.narrow": "cuts",
    "mckp.menu.line": "cuts",
    "mckp.menu.chain": "cuts",
    "mckp.menu.costs": "cuts",
    "mckp.menu.line_costs": "cuts",
    "mckp.menu.tabulate": "tabulate",
}
"""Modules that belong to one step: none of a later step may call what is in them.

Objects that `cuts` made are the exception: the one option that is taken, of the many that one
represents, is written when it is chosen; `MAKING` has how.
"""
MAKING = {"option", "option_at", "meaning", "make_option", "pick", "pick_class"}

PACKAGE = str(Path(mckp.__file__).parent)
ROWS = [
    {"id": n, "name": f"job {n}", "by": {"login": f"user {n % 3}", "url": f"http://x/{n}"}}
    for n in range(30)
]
DATA = {"page": 1, "note": "It failed on one. It works on all others. " * 6, "jobs": ROWS}
LOG = "".join(f"12:00:{n % 60:02} INFO step {n} done\n" for n in range(90)) + "ERROR it failed\n"
PAGE = "# Title\n\n" + "".join(
    f"## Part {n}\n\n{'Words of it. ' * 30}\n\n- a\n- b\n\n" for n in range(9)
)
DOCUMENTS = {"data": DATA, "text": LOG, "markdown": PAGE}


class Trace:
    """The steps that were entered, and the calls from a later step into an earlier one."""

    def __init__(self) -> None:
        self.entered: list[str] = []
        self.back: set[tuple[str, str, str]] = set()
        self._steps = {function.__code__: name for name, function in STEPS.items()}
        self._known: dict[CodeType, str | None] = {}

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Look at one call."""
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(PACKAGE):
            return
        if code in self._steps:
            self.entered.append(self._steps[code])
        if (step := self._step(frame)) is None or code.co_name in MAKING:
            return
        above = frame.f_back
        while above is not None:
            caller = self._step(above)
            if above.f_code.co_name in MAKING and caller is not None:
                return
            if caller is not None and ORDER.index(caller) > ORDER.index(step):
                self.back.add((caller, step, f"{frame.f_globals['__name__']}.{code.co_name}"))
            above = above.f_back

    def _step(self, frame: FrameType) -> str | None:
        """Return the step to which a function belongs, if it belongs to one."""
        code = frame.f_code
        if code not in self._known:
            own = OWN_MODULES.get(frame.f_globals.get("__name__", ""))
            is_body = code.co_name == "<module>"
            named = self._steps.get(code, own)
            self._known[code] = None if is_body or named == "cheapest" else named
        return self._known[code]


@contextmanager
def traced() -> Generator[Trace]:
    before, trace = sys.getprofile(), Trace()
    sys.setprofile(trace)
    try:
        yield trace
    finally:
        sys.setprofile(before)


@pytest.mark.slow
@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_budget_takes_each_step_once_in_order(kind: str) -> None:
    """Weights are made once for a document that is cut at once, and nothing is made twice."""
    document = DOCUMENTS[kind]
    budget = mckp.encode(document).tokens // 4
    with traced() as trace:
        result = mckp.encode(document, budget=budget)
    assert result.elided
    assert list(dict.fromkeys(trace.entered)) == ORDER
    for step in ("weigh", "offer", "price", "cuts", "tabulate", "solve", "read back"):
        assert trace.entered.count(step) == 1, step
    assert trace.back == set()


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_without_a_budget_nothing_is_cut(kind: str) -> None:
    """Without a budget, the steps of cutting and solving are never entered."""
    with traced() as trace:
        mckp.encode(DOCUMENTS[kind])
    assert not {"cuts", "tabulate", "solve"} & set(trace.entered)
    assert trace.back == set()


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_other_budgets_only_solve_write_and_read(kind: str) -> None:
    """What is asked of a result is answered from the menu, the prices and the cuts it has."""
    document = DOCUMENTS[kind]
    tokens = mckp.encode(document).tokens
    result = mckp.encode(document, budget=tokens // 2)
    with traced() as trace:
        smaller = result.at(tokens // 5)
        smaller.recall(1)
        assert result.frontier() is not None
        assert smaller.shadow_price > 0
    assert set(trace.entered) <= {"cheapest", "solve", "write", "read back"}


MODULES = [
    ".".join(("mckp", *path.relative_to(PACKAGE).with_suffix("").parts))
    for path in sorted((Path(PACKAGE) / "menu").rglob("[a-z]*.py"))
]


def test_a_menu_holds_no_functions() -> None:
    """No field of a class of data is a function: what a menu says is there when it is made."""
    values: list[Any] = [v for name in MODULES for v in vars(import_module(name)).values()]
    classes: list[Any] = [v for v in values if isinstance(v, type) and v.__module__ in MODULES]
    data: list[Any] = [c for c in classes if is_dataclass(c) or hasattr(c, "_fields")]
    assert len(data) > 30
    hints = [(owner, key, str(h)) for owner in data for key, h in owner.__annotations__.items()]
    assert [(owner, key) for owner, key, hint in hints if "Callable" in hint] == []

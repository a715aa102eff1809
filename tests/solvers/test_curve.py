"""A frontier's concave hull, and how it is shown."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import numpy as np
import pytest

from mckp.errors import MissingExtraError
from mckp.solvers import Table
from mckp.solvers.frontiers import frontier
from tests.solvers import instances

EXAMPLE = Table.flat([[2, 5, 4], [0, 3]], [[0, 9, 8], [0, 5]])


def test_relaxed_is_concave_and_above() -> None:
    """The relaxation bounds the values, is concave, and meets both ends."""
    for seed in range(instances.count(200)):
        table, _ = instances.tiny(seed)
        curve = frontier(table)
        if curve.floor is None:
            continue
        exact, relaxed = curve.value.compressed(), curve.relaxed.compressed()
        assert (relaxed >= exact - 1e-9).all()
        assert np.isclose(relaxed[0], exact[0])
        assert np.isclose(relaxed[-1], exact[-1])
        assert (np.diff(relaxed, 2) <= 1e-9).all()


def test_relaxed_is_the_hull() -> None:
    """The relaxation is the least concave curve above the values, nested or not."""
    for seed in range(instances.count(200)):
        curve = frontier(instances.tiny(seed)[0])
        if curve.floor is None or curve.useful is None:
            continue
        points = [(b, float(v)) for b, v in curve.steps()]
        for b in range(curve.floor, curve.useful + 1):
            across = [
                v1 + (v2 - v1) * (b - b1) / max(1, b2 - b1)
                for b1, v1 in points
                for b2, v2 in points
                if b1 <= b <= b2
            ]
            assert math.isclose(curve.relaxed[b], max(across), rel_tol=1e-9, abs_tol=1e-9)


def test_shown_as_json_and_html() -> None:
    """JSON holds the steps; HTML draws them, and says how many there are and where they end."""
    curve = frontier(EXAMPLE)
    data = json.loads(curve.to_json())
    assert data["steps"] == [list(step) for step in curve.steps()]
    assert (data["budget"], data["floor"], data["useful"], data["tolerance"]) == (8, 2, 8, 0)
    page = getattr(curve, "_repr_html_")()  # noqa: B009
    assert "<th>steps</th><td>5</td>" in page
    assert "14 for 8" in page
    assert page.count("<polyline") == 1
    assert "0.0,1.0 " not in page


class Axes:
    """What `Frontier.plot` needs of matplotlib's axes, writing down what is asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []

    def step(self, budgets: Any, values: Any, **style: Any) -> None:
        """Write down that a curve is drawn."""
        assert len(budgets) == len(values)
        self.calls.append(("step", style))

    def set_xlabel(self, text: str) -> None:
        """Write down the label."""
        self.calls.append(("x", text))

    def set_ylabel(self, text: str) -> None:
        """Write down the label."""
        self.calls.append(("y", text))


def test_plot_uses_the_axes_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """The curve is drawn as steps on the axes given; without matplotlib the extra is named."""
    axes = Axes()
    assert frontier(EXAMPLE).plot(axes, color="k") is axes
    drawn = ("step", {"where": "post", "color": "k"})
    assert axes.calls == [drawn, ("x", "budget"), ("y", "value")]
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match=r"mckp\[plot\]"):
        frontier(EXAMPLE).plot()

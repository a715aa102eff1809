"""What speed and memory should be at most.

Speed is in passes of tiktoken over the compact JSON or the source, times are in milliseconds, and
memory is a multiple of the input, but for that of a process, which is in megabytes.
"""

from __future__ import annotations

from typing import Any, Final

PASSES: Final = {
    ("table", "none"): 2.5,
    ("table", "half"): 4.0,
    ("mixture", "none"): 5.0,
    ("mixture", "half"): 8.0,
    ("responses", "none"): 5.0,
    ("responses", "half"): 8.0,
    ("markdown", "none"): 12.0,
    ("markdown", "half"): 20.0,
    ("text", "none"): 3.0,
    ("text", "half"): 5.0,
    ("log", "none"): 3.0,
    ("log", "half"): 5.0,
}
"""By document and budget."""
RESPONSE: Final = {
    ("none", "median"): 1.0,
    ("none", "p95"): 6.0,
    ("half", "median"): 3.0,
    ("half", "p95"): 20.0,
}
"""Milliseconds for one response, by budget and quantile."""
PEAK: Final = {1: 25.0, 10: 12.0}
"""The peak of memory as a multiple of the input, by megabytes of the input."""
PROCESS: Final = 100.0
"""Megabytes of a process after one small call within a budget."""


def judged(figure: float, goal: float | None) -> dict[str, Any]:
    """Return a goal and whether a figure meets it, nothing without a goal.

    Examples
    --------
    >>> judged(2.4, 2.5), judged(2.6, None)
    ({'goal': 2.5, 'met': True}, {})
    """
    return {} if goal is None else {"goal": goal, "met": figure <= goal}

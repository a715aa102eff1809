"""Rows of jobs, as servers of the tests return them; this loads no SDK."""

from typing import Any


def rows(count: int, first: int = 0) -> list[dict[str, Any]]:
    return [
        {"id": n, "name": f"job {n % 7}", "state": "open" if n % 3 else "closed", "url": None}
        for n in range(first, first + count)
    ]

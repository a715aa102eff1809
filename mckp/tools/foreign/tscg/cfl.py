"""CFL, constraint-first layout: what the answer must be stands at position 0."""

from __future__ import annotations


def cfl(text: str, answer: str = "function_call") -> str:
    """Put the constraint on the answer before everything else.

    Examples
    --------
    >>> print(cfl("now: The time."))
    [ANSWER:function_call]
    now: The time.
    """
    return f"[ANSWER:{answer}]\n{text}"

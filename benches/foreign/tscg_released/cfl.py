"""CFL as TSCG 1.4.3 has it: the same line before every catalog."""

from __future__ import annotations


def cfl(text: str) -> str:
    """Say first that the answer is a call.

    Examples
    --------
    >>> print(cfl("now: The time."))
    [ANSWER:function_call]
    now: The time.
    """
    return f"[ANSWER:function_call]\n{text}"

"""Which events are written down: each with the same probability, whoever asks and however often."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

_ALL: Final = 1 << 64


def keeps(rate: float, session_hash: str, number: int, seed: int = 0) -> bool:
    """Whether an event of a session belongs to the sample.

    A hash decides, so each event has just the probability `rate`, events are independent, and
    the answer is the same each time. A smaller rate keeps a part of what a larger one keeps.

    Parameters
    ----------
    rate : float
        From 0, for none, to 1, for all.
    session_hash : str
        The session.
    number : int
        Which of its events.
    seed : int, default 0
        For another sample of the same size.

    Examples
    --------
    >>> sum(keeps(0.25, "a session", number) for number in range(1000))
    264
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"a rate of {rate} is no probability; give one from 0 to 1")
    said = f"{seed}\0{session_hash}\0{number}".encode("utf-8", "surrogatepass")
    drawn = int.from_bytes(blake2b(said, digest_size=8, person=b"mckp-sample").digest(), "big")
    return drawn < rate * _ALL

"""Limits of the work for one result, the same for the proxy, the hook and recall."""

from __future__ import annotations

from typing import Final

MAX_CHARS: Final = 6 << 20
"""The most characters of a text that is encoded: this takes most of `WORK_SECONDS`."""

WORK_SECONDS: Final = 10.0
"""Seconds of CPU time for writing a result, after which its two ends are sent."""

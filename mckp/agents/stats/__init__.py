"""What was saved: the events of telemetry added up, as figures, a table, and a page."""

from __future__ import annotations

from mckp.agents.stats.figures import Figures, figures, page, rows

__all__ = ["Figures", "figures", "page", "rows"]

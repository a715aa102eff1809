"""What was saved: the events of telemetry added up, as figures, a table, and a page with plots."""

from __future__ import annotations

from mckp.agents.stats.figures import Figures, figures, page, page_of, rows

__all__ = ["Figures", "figures", "page", "page_of", "rows"]

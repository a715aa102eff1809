"""What was saved: the events of telemetry added up, as figures, a table, and a page with plots."""

from __future__ import annotations

from mckp.stats.figures import Figures, Sums, figures, page

__all__ = ["Figures", "Sums", "figures", "page"]

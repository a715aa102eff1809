"""Tools as signatures of TypeScript."""

from __future__ import annotations

from mckp.tools.foreign.typescript.line import ts_lines
from mckp.tools.foreign.typescript.namespace import ts_namespace

__all__ = ["ts_lines", "ts_namespace"]

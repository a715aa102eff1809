"""JSON Schemas of tools: references, what is never used, and what is there twice."""

from __future__ import annotations

from mckp.tools.schema.hoist import hoisted
from mckp.tools.schema.prune import pruned
from mckp.tools.schema.refs import resolved, target

__all__ = ["hoisted", "pruned", "resolved", "target"]

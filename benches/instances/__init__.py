"""Instances to solve: the families of the literature, tables as of documents, and files.

Examples
--------
>>> import instances
>>> from mckp.solvers import solve
>>> instance = instances.flat("strongly", seed=1, classes=100, options=7, largest=1000, part=0.5)
>>> solve(instance.table, instance.budget).is_optimal
True
>>> instances.document(seed=1, nodes=500, layouts=3).name
'document-500-l3-p0.3-s1'
"""

from __future__ import annotations

from instances.documents import document
from instances.extremes import chain, star
from instances.families import FAMILIES, Family, flat
from instances.instance import Instance
from instances.jsonfile import from_json, to_json
from instances.public import below, read
from instances.renderings import RENDERINGS, renderings

__all__ = [
    "FAMILIES",
    "RENDERINGS",
    "Family",
    "Instance",
    "below",
    "chain",
    "document",
    "flat",
    "from_json",
    "read",
    "renderings",
    "star",
    "to_json",
]

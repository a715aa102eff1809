"""What a response looks like: its shape, and the formats of the strings inside."""

from __future__ import annotations

from mckp.session.classify.inner import INNER, inner_formats
from mckp.session.classify.shapes import Classified, Shape, classify

__all__ = ["INNER", "Classified", "Shape", "classify", "inner_formats"]

"""Names of the shapes that a list of tools can have."""

from __future__ import annotations

from typing import Final

CATALOGS: Final = ("same", "json", "text", "on-demand")
"""Shapes of a list of tools.

``same`` leaves it as it is; ``json`` prunes schemas and defines once what is there twice;
``text`` writes the tools into the description of one; ``on-demand`` names them, and their
schemas are asked for.
"""

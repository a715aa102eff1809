"""How the command line is called; see `tests.cli.conftest`."""

from __future__ import annotations

from tests.cli.conftest import run

__all__ = ["run"]

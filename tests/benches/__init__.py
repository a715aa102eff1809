"""Benches run in small, and what they stored is what pages say of it."""

from pathlib import Path
from typing import Final

BENCHES: Final = Path(__file__).parents[2] / "benches"
FACTS: Final = {"date", "machine", "python", "mckp", "packages"}
"""What every stored result says of the run."""

"""Benches share the instance generators of the tests."""

from __future__ import annotations

import sys
from pathlib import Path

# At the end, so that an installed mckp comes before the one beside the tests.
sys.path.append(str(Path(__file__).parents[1]))

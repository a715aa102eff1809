"""Benches import each other from their folder, and so do these tests."""

from __future__ import annotations

import sys

from tests.benches import BENCHES

if str(BENCHES) not in sys.path:
    sys.path.append(str(BENCHES))  # at the end, where it hides nothing

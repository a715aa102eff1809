"""Tests of the solvers; their instances and baselines are with the benches."""

import sys

from tests.benches import BENCHES

# At the end, so that no bench comes before a package of that name.
sys.path.append(str(BENCHES))

"""What holds for all tests: random ones scale with MCKP_TEST_SCALE, without time limits."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile(
    "mckp",
    max_examples=max(10, int(60 * float(os.environ.get("MCKP_TEST_SCALE", "1")))),
    deadline=None,
)
settings.load_profile("mckp")

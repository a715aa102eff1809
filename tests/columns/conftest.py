"""What holds for tests of kernels, compiled or run as plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True, scope="module")
def _hashes_overflow() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """Let hashes overflow, as they do by design; NumPy warns of it where nothing is compiled."""
    with np.errstate(over="ignore"):
        yield

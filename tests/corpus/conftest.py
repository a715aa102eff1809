"""Runs over small corpora, in many parts, with and without the engine."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

"""Memory is given back where that is possible, and nothing happens where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import Mock

from mckp import memory
from mckp.memory import LARGE, give_back

if TYPE_CHECKING:
    import pytest


def test_is_given_back_after_large_documents_only(monkeypatch: pytest.MonkeyPatch) -> None:
    trim = Mock()
    monkeypatch.setattr(memory, "trimming", lambda: trim)
    give_back(LARGE - 1)
    trim.assert_not_called()
    give_back(LARGE)
    trim.assert_called_once_with(0)


def test_other_systems_do_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    memory.trimming.cache_clear()
    assert memory.trimming() is None
    give_back(LARGE)
    memory.trimming.cache_clear()

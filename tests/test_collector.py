"""The collector of garbage is as it was before, whatever ends a call."""

import gc
from collections.abc import Generator

import pytest

import mckp
from mckp.collector import without_collector


@pytest.fixture(autouse=True)
def _enabled_again() -> Generator[None]:
    yield
    gc.enable()


@without_collector
def is_collecting(*, nested: bool = False, fails: bool = False) -> bool:
    if fails:
        raise ValueError
    return is_collecting() if nested else gc.isenabled()


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_as_it_was(enabled: bool) -> None:
    """It waits during a call, also in one within another, and then is as the caller had it."""
    gc.enable() if enabled else gc.disable()
    assert not is_collecting()
    assert not is_collecting(nested=True)
    with pytest.raises(ValueError, match=r"^$"):
        is_collecting(fails=True)
    mckp.encode([1, 2])
    with pytest.raises(mckp.BudgetError):
        mckp.encode("some words", budget=0)
    assert gc.isenabled() is enabled

"""How the command ends as a process of its own."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from mckp.cli import process


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the codes with which the interpreter was left behind, and leave it no other way."""
    codes: list[int] = []

    def leave(code: int) -> None:
        codes.append(code)
        raise SystemExit(code)

    monkeypatch.setattr("os._exit", leave)
    monkeypatch.setattr(process, "main", lambda: 3)
    for name in ("daft", "ray"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return codes


@pytest.mark.parametrize("loaded", [(), ("daft",), ("daft", "ray")])
def test_the_interpreter_is_left_behind_with_threads_of_an_engine(
    loaded: tuple[str, ...], left: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in loaded:
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    with pytest.raises(SystemExit) as ended:
        process.run()
    assert ended.value.code == 3
    assert left == ([3] if loaded == ("daft",) else [])

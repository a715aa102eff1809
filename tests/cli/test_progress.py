"""The bar is drawn where somebody looks, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.batch.progress import bar
from mckp.cli import streams

if TYPE_CHECKING:
    import pytest


def test_nothing_is_drawn_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with streams.bar("reading") as report:
        report(1, 2)
    assert capsys.readouterr().err == ""


def test_what_is_done_is_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with bar("reading", passing=True) as report:
        report(1, 2)
        report(2, 2)
    shown = capsys.readouterr()
    assert "reading" in shown.err
    assert "100%" in shown.err
    assert shown.out == ""

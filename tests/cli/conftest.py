"""How the command line is called within this process."""

import sys
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from typing import TypeAlias

import pytest

from mckp.cli import main

Run: TypeAlias = Callable[..., tuple[int, bytes, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Call `main` with bytes on standard input; return code, output and error text."""

    def call(*argv: str, stdin: str | bytes = b"") -> tuple[int, bytes, str]:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(raw), "ascii"))
        try:
            code = main(argv)
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        shown = capsysbinary.readouterr()
        return code, shown.out, shown.err.decode()

    return call

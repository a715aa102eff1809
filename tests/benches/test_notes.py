"""The bench of notes passes what is right, and finds a note that is not."""

import importlib
from types import ModuleType, SimpleNamespace
from typing import Any, Final

import pytest

import mckp
from tests.beside import SHARED

ROWS: Final[list[dict[str, Any]]] = [
    {"id": n, "state": "failed" if n in (3, 9) else "ok", "note": f"some words about {n} " * 3}
    for n in range(40)
]
LOG: Final = "\n".join(
    f"step {n} of {'many' if n % 7 else 'all'} things: {n * n}" for n in range(90)
)


@pytest.fixture
def notes() -> ModuleType:
    return importlib.import_module("notes")


@pytest.mark.parametrize("document", [ROWS, LOG, {"a": ROWS, "b": {"c": "x " * 300, "d": 1}}])
def test_notes_are_right(notes: ModuleType, document: Any) -> None:
    """The check passes notes of real results, and counts each one."""
    for share in (0.5, 0.2, 0.1):
        result, wrong = notes.checked([("it", document)], share)
        assert not wrong
        for name, number in result.counts.items():
            if name.startswith("counted"):
                assert number == result.counts[name.replace("counted", "entries")]
        assert any(
            number
            for name, number in result.counts.items()
            if name.startswith("counted") or name == "texts with marks"
        )


def test_wrong_notes_are_found(notes: ModuleType) -> None:
    """The check finds a note that was removed from a text."""
    result = mckp.encode(LOG, budget="30%")
    mark = notes.GAP.search(result.text)[0]
    check = notes.Checked()
    check.add("it", LOG, result)
    assert not check.wrong
    text = result.text.replace(mark, "", 1)
    check.add("it", LOG, SimpleNamespace(text=text, elided=result.elided, tokens=result.tokens))
    assert check.wrong


@pytest.mark.skipif(not SHARED.exists(), reason="the real texts are not there")
def test_notes_of_real_texts_are_right(notes: ModuleType) -> None:
    """The check passes notes of outputs of real commands."""
    every = list(notes.documents([SHARED / "outputs"]))[:12]
    assert len(every) == 12
    for share in (0.5, 0.1):
        assert notes.checked(every, share)[1] == []

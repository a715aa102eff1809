"""Sheets of golden cases are read whole, or not at all."""

from typing import Final

import pytest

from tests import sheets
from tests.cases import cases
from tests.sheets import SheetError

GOOD: Final = "# x\n\nLoss: none.\n\n### One\n\n~~~~in\n1\n~~~~\n\n~~~~out\n1\n~~~~\n"


def test_good_sheet_is_read() -> None:
    """A sheet is read with its facts and cases."""
    sheet = sheets.read(GOOD)
    assert sheet.says("Loss") == "none"
    assert [case.blocks for case in sheet.cases] == [{"in": "1\n", "out": "1\n"}]


@pytest.mark.parametrize(
    ("good", "bad"),
    cases(__file__, "test_malformed_sheet_is_an_error"),
)
def test_malformed_sheet_is_an_error(good: str, bad: str) -> None:
    """A sheet with a malformed part is an error."""
    assert good in GOOD
    with pytest.raises(SheetError):
        sheets.read(GOOD.replace(good, bad, 1))


@pytest.mark.parametrize("line", ["", "Loss: none.\nLoss: types.\n"])
def test_sheet_says_each_thing_once(line: str) -> None:
    """A fact that is missing or given twice is an error."""
    with pytest.raises(SheetError):
        sheets.read(GOOD.replace("Loss: none.\n", line)).says("Loss")

"""Every format gives back what it was given."""

from typing import Any

import pytest
from hypothesis import given

from mckp.answers.reading import decode
from mckp.encoders import ALL, write
from mckp.encoders.base import DataLoss, Format
from mckp.jsontext import difference
from tests.strategies import VALUES, examples


@given(value=VALUES)
@examples(200)
def test_round_trip(value: Any) -> None:
    for format_ in ALL:
        text = write(value, format_)
        assert text is None or difference(value, decode(text)) is None, format_.name


@pytest.mark.parametrize("format_", ALL, ids=lambda known: known.name)
def test_formats_lose_nothing(format_: Format) -> None:
    assert format_.loss is DataLoss.NONE

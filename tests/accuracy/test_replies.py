"""Replies are compared as what the answer is, whatever a model writes around it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.accuracy import is_right, is_unknown
from mckp.accuracy.query import UNKNOWN, type_of
from mckp.accuracy.replies import answer_text
from tests.cases import cases
from tests.strategies import examples

RIGHT: list[tuple[str, Any, str]] = cases(__file__, "RIGHT")
WRONG: list[tuple[str, Any, str]] = cases(__file__, "WRONG")


@pytest.mark.parametrize(("reply", "gold", "type"), RIGHT)
def test_right(reply: str, gold: Any, type: str) -> None:
    """These replies count as right."""
    assert is_right(reply, UNKNOWN if type == "unknown" else gold, type)


@pytest.mark.parametrize(("reply", "gold", "type"), WRONG)
def test_wrong(reply: str, gold: Any, type: str) -> None:
    """These replies count as wrong."""
    assert not is_right(reply, UNKNOWN if type == "unknown" else gold, type)


WORDS = st.text(st.characters(categories=["Ll", "Lu", "Nd"]), min_size=1, max_size=12)
GOLDS = st.one_of(
    st.integers(),
    st.booleans(),
    WORDS,
    st.floats(-1e9, 1e9).map(lambda number: round(number, 2)),
    st.lists(st.one_of(st.integers(), WORDS), min_size=1, max_size=5),
)


@examples(200)
@given(GOLDS)
def test_what_is_spelled_is_right(gold: Any) -> None:
    """The spelled answer to any question counts as right."""
    assert is_right(answer_text(gold), gold, type_of(gold))


@examples(200)
@given(st.text(), GOLDS)
def test_any_reply(reply: str, gold: Any) -> None:
    """Any reply is judged without an error."""
    assert is_right(reply, gold, type_of(gold)) in (True, False)
    assert is_unknown(reply) in (True, False)

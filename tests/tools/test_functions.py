"""The decorator: a function's result as text, and the rest of the function as it was."""

import asyncio
import inspect
from dataclasses import dataclass
from functools import partial
from typing import Any, get_type_hints

import pytest
from hypothesis import given

import mckp
from mckp.errors import BudgetError, DataError, UnknownNameError
from mckp.tokenizers import get
from tests.strategies import VALUES

ROWS = [{"id": n, "state": "done"} for n in range(90)]


@dataclass
class Job:
    """A job."""

    id: int
    state: str


class Model:
    """What pydantic would have made."""

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return {"id": 7, "state": "done"}


def _same(value: object) -> object:
    return value


def jobs(state: str, *, limit: int = 90) -> list[dict[str, Any]]:
    """Return all jobs of a state."""
    return [{**row, "state": state} for row in ROWS[:limit]]


def test_a_function_stays_what_it_was_but_returns_text() -> None:
    """A decorated function keeps name and parameters, and returns text within the budget."""
    wrapped = mckp.tool(budget=60)(jobs)
    assert (wrapped.__name__, wrapped.__doc__) == ("jobs", jobs.__doc__)
    signature = inspect.signature(wrapped)
    assert list(signature.parameters) == ["state", "limit"]
    assert signature.return_annotation is str
    assert get_type_hints(wrapped) == {"state": str, "limit": int, "return": str}
    assert wrapped("open") == mckp.encode(jobs("open"), budget=60).text
    assert get("o200k").count(wrapped("open", limit=80)) <= 60


def test_asynchronous_functions_stay_so() -> None:
    """A decorated coroutine function is one."""

    async def later(count: int) -> object:
        await asyncio.sleep(0)
        return ROWS[:count]

    wrapped = mckp.tool(budget="50%")(later)
    assert inspect.iscoroutinefunction(wrapped)
    assert asyncio.run(wrapped(50)) == mckp.encode(ROWS[:50], budget="50%").text


@given(VALUES)
def test_any_result_is_read_back(value: object) -> None:
    """The text of any result reads back."""
    text = mckp.tool()(partial(_same, {"it": value}))()
    assert mckp.decode(text) == {"it": value}


@pytest.mark.parametrize(
    "value", [Job(7, "done"), Model(), {"id": 7, "state": "done"}, '{"id": 7, "state": "done"}']
)
def test_objects_are_data(value: object) -> None:
    """Dataclasses, models, dictionaries and JSON texts are encoded as the same data."""
    assert mckp.decode(mckp.tool()(partial(_same, value))()) == {"id": 7, "state": "done"}


def test_methods_may_be_decorated() -> None:
    """A decorated method returns a cut text."""

    class Board:
        rows = ROWS

        @mckp.tool(budget=40)
        def first(self, count: int) -> list[dict[str, Any]]:
            return self.rows[:count]

    assert "> [+" in Board().first(90)


def test_wrong_settings_are_refused_where_they_are_given() -> None:
    """Wrong settings of the decorator are errors where it is applied."""
    with pytest.raises(UnknownNameError):
        mckp.tool(formats="yaml")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a budget must be"):
        mckp.tool(budget="many")
    with pytest.raises(TypeError, match="tool\\(\\) decorates a function, not int"):
        mckp.tool()(7)  # type: ignore[call-overload] # pyright: ignore[reportCallIssue, reportArgumentType]


def test_what_cannot_be_said_is_raised_by_the_function() -> None:
    """A budget that is too small and a result that is no data are errors of the call."""
    with pytest.raises(BudgetError):
        mckp.tool(budget=1)(jobs)("open")
    with pytest.raises(DataError):
        mckp.tool()(object)()

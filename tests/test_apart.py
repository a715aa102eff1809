"""Calls beside an event loop, and results that are stored and taken up again."""

import asyncio
import json
import pickle
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

import mckp
from mckp.apart import run_apart
from mckp.errors import DetachedError
from tests.shell import python

ROWS = [{"id": n, "state": "done" if n % 3 else "open", "name": f"job {n}"} for n in range(300)]
TEXT = "# Ships\n\n" + "".join(f"- Ship {n} came in with corn and oil\n" for n in range(40))
DOCUMENTS: list[Any] = [ROWS, {"jobs": ROWS[:50], "page": 1}, json.dumps(ROWS), TEXT]


def busy(seconds: float) -> str:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return "done"


@pytest.mark.parametrize("number", range(len(DOCUMENTS)))
@pytest.mark.parametrize("budget", [None, 200])
def test_it_is_what_encode_returns(number: int, budget: int | None) -> None:
    """`aencode` returns what `encode` returns, and what was cut can be recalled."""
    data = DOCUMENTS[number]
    result = asyncio.run(mckp.aencode(data, budget=budget))
    assert result == mckp.encode(data, budget=budget)
    assert result.recall(result.elided[0]) if result.elided else budget is None


def test_errors_are_those_of_encode() -> None:
    """`aencode` raises the errors of `encode`."""
    with pytest.raises(mckp.BudgetError):
        asyncio.run(mckp.aencode(ROWS, budget=1))
    with pytest.raises(mckp.WorkLimitError, match=r"stopped after .* seconds of processor time"):
        asyncio.run(mckp.aencode(ROWS * 100, budget=200, seconds=0.05))


@pytest.mark.slow
def test_the_loop_goes_on() -> None:
    """Turns of the loop come while results are written; they are as many as these take time."""

    async def main() -> tuple[int, list[str]]:
        turns, is_over = 0, False

        async def turn() -> None:
            nonlocal turns
            while not is_over:
                await asyncio.sleep(0.001)
                turns += 1

        turning = asyncio.create_task(turn())
        answers = await asyncio.gather(*(run_apart(lambda: busy(0.05)) for _ in range(8)))
        is_over = True
        await turning
        return turns, answers

    turns, answers = asyncio.run(main())
    assert answers == ["done"] * 8
    assert turns >= 8


def test_a_call_that_is_cancelled_is_stopped() -> None:
    """The thread is free at once for the next call."""

    async def main() -> str:
        calls = [asyncio.create_task(run_apart(lambda: busy(60))) for _ in range(3)]
        await asyncio.sleep(0.1)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        assert all(call.cancelled() for call in calls)
        return await run_apart(lambda: busy(0.001))

    began = time.process_time()
    assert asyncio.run(main()) == "done"
    assert time.process_time() - began < 30


@pytest.mark.slow
def test_threads_get_the_same_texts() -> None:
    """Threads get the texts that one call after another gets."""

    def text(data: Any) -> str:
        return mckp.encode(data, budget=200).text

    with ThreadPoolExecutor(8) as threads:
        texts = list(threads.map(text, DOCUMENTS * 4))
    assert texts == [text(data) for data in DOCUMENTS] * 4


@pytest.mark.slow
def test_processes_return_results_without_plans() -> None:
    """A result of another process asks to be attached to its document, and then answers."""

    async def main() -> list[mckp.Result]:
        with ProcessPoolExecutor(1) as executor:
            calls = (mckp.aencode(data, budget=200, executor=executor) for data in DOCUMENTS)
            return list(await asyncio.gather(*calls))

    for data, result in zip(DOCUMENTS, asyncio.run(main()), strict=True):
        assert result == mckp.encode(data, budget=200)
        with pytest.raises(DetachedError, match="attach"):
            result.at(100)
        assert result.attach(data).at(100) == mckp.encode(data, budget=100)


@pytest.mark.parametrize("way", ["pickle", "json"])
@pytest.mark.parametrize("number", range(len(DOCUMENTS)))
def test_a_stored_result_is_taken_up_again(way: str, number: int) -> None:
    """A result from a pickle or from JSON is equal, and answers once it is attached."""
    data = DOCUMENTS[number]
    result = mckp.encode(
        data, budget=200, formats="dense", priorities={"**.id": 3}, on_unmatched="ignore"
    )
    if way == "pickle":
        again: mckp.Result = pickle.loads(pickle.dumps(result))
    else:
        again = mckp.Result.from_dict(json.loads(json.dumps(result.to_dict())))
    assert again == result
    alive = again.attach(data, formats="dense", priorities={"**.id": 3})
    assert alive.recall(1) == result.recall(1)
    assert str(alive.why("$")) == str(result.why("$"))
    assert alive.at(150) == result.at(150)


def test_what_does_not_belong_to_a_result_is_refused() -> None:
    """Another document, other options and damaged stored results are errors."""
    result = mckp.encode(ROWS, budget=200).detached()
    with pytest.raises(ValueError, match="options"):
        result.attach(ROWS[1:])
    with pytest.raises(ValueError, match="line"):
        result.attach(ROWS, query="job 250")
    stored = result.to_dict()
    for name in stored:
        if name not in ("gap", "version"):  # earlier versions stored none
            with pytest.raises(mckp.DataError):
                mckp.Result.from_dict({key: value for key, value in stored.items() if key != name})
    wrong: list[Any] = [{}, [], {**stored, "loss": "ALL"}, {**stored, "choices": [1]}]
    for stored_wrong in wrong:
        with pytest.raises(mckp.DataError):
            mckp.Result.from_dict(stored_wrong)


@pytest.mark.slow
def test_another_process_takes_a_result_up_again() -> None:
    """Another process, with another seed of hashes, attaches a stored result."""
    result = mckp.encode(ROWS, budget=200)
    program = """
import json, sys, mckp
rows = [{"id": n, "state": "done" if n % 3 else "open", "name": f"job {n}"} for n in range(300)]
stored = json.loads(sys.argv[1])
print(json.dumps(mckp.Result.from_dict(stored).attach(rows).recall("$")))
"""
    said = python(program, json.dumps(result.to_dict()), PYTHONHASHSEED="7")
    assert json.loads(said) == json.loads(json.dumps(result.recall("$")))

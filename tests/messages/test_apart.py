"""Encoders of conversations beside an event loop, and in another process."""

import asyncio
import json
import pickle
from typing import Any

import pytest

from mckp import MessageEncoder, ToolPolicy, WorkLimitError
from mckp.agents.messages import ResultEvent


def talk(steps: int, name: str = "") -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"What is done {name}?"}]
    for step in range(steps):
        call = {"id": f"c{step}", "function": {"name": "jobs", "arguments": f'{{"page":{step}}}'}}
        rows = [{"id": n, "state": f"done {name}", "page": step} for n in range(60)]
        messages.append({"role": "assistant", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{step}", "content": json.dumps(rows)})
    return messages


@pytest.mark.slow
def test_many_conversations_beside_a_loop() -> None:
    """Conversations encoded at once beside an event loop have the texts that they have alone."""
    wanted = [MessageEncoder(budget=120).encode(talk(2, f"{n}")) for n in range(3)]
    encoder = MessageEncoder(budget=120)

    async def main() -> list[list[Any]]:
        return await asyncio.gather(*(encoder.aencode(talk(2, f"{n}")) for n in range(3)))

    assert asyncio.run(main()) == wanted


@pytest.mark.slow
def test_a_call_that_was_cancelled_can_be_made_again() -> None:
    """After a cancelled call, the encoder gives the texts of a new one."""
    encoder = MessageEncoder(budget=120)

    async def main() -> list[Any]:
        await encoder.aencode(talk(1))
        call = asyncio.create_task(encoder.aencode(talk(30)))
        await asyncio.sleep(0.05)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return await encoder.aencode(talk(4))

    assert asyncio.run(main()) == MessageEncoder(budget=120).encode(talk(4))


def test_a_pickled_encoder_goes_on() -> None:
    """A pickled encoder gives the same texts, and knows what the first one has sent."""
    encoder = MessageEncoder(
        policies={"jobs": ToolPolicy(budget=90), "get_*": 50}, total_budget=4000, leave=["Bash"]
    )
    sent = encoder.encode(talk(2))
    again: MessageEncoder = pickle.loads(pickle.dumps(encoder))
    longer = again.encode(talk(3))
    assert longer[: len(sent)] == sent
    assert again.encode([*sent, *talk(3)[len(sent) :]]) == longer
    assert again.recall(talk(3), 1, "$[0]") == encoder.recall(talk(3), 1, "$[0]")


def test_a_pickled_encoder_keeps_what_it_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is encoded again after unpickling, and recall goes on with what was not shown."""
    encoder = MessageEncoder(budget=120)
    sent = encoder.encode(talk(3))
    first = encoder.recall(talk(3), 1)
    again: MessageEncoder = pickle.loads(pickle.dumps(encoder))

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("encoded again")

    with monkeypatch.context() as patched:
        patched.setattr("mckp.agents.session.sender.encode", refuse)
        assert again.encode(talk(3)) == sent
    follows = again.recall(talk(3), 1)
    assert follows == encoder.recall(talk(3), 1)
    assert follows != first
    assert again.encode(talk(4)) == encoder.encode(talk(4))


BIG = json.dumps(
    [{"id": n, "job": f"job {n * 7919 % 9973}", "state": "done"} for n in range(30_000)]
)


def test_a_result_that_takes_too_long_is_cut_plainly(caplog: pytest.LogCaptureFixture) -> None:
    """The time limit is for each result; what exceeds it is there in part, and can be recalled."""
    messages = talk(1)
    messages[-1]["content"] = BIG
    events: list[ResultEvent] = []
    encoder = MessageEncoder(budget=120, seconds=0.05, on_event=events.append)
    (sent,) = [
        message["content"] for message in encoder.encode(messages) if "tool_call_id" in message
    ]
    assert "characters left out" in sent
    assert (events[0].way, events[0].fallback[:14]) == ("plain", "WorkLimitError")
    assert "is cut without being parsed" in caplog.text
    with pytest.raises(ValueError, match="seconds=0"):
        MessageEncoder(seconds=0)


def test_a_call_beside_a_loop_may_be_limited() -> None:
    """A call that takes too long is an error, and the encoder works as before."""
    messages = talk(1)
    messages[-1]["content"] = BIG
    encoder = MessageEncoder(budget=120)

    async def main() -> list[Any]:
        with pytest.raises(WorkLimitError, match=r"0\.05 seconds"):
            await encoder.aencode(messages, seconds=0.05)
        return await encoder.aencode(talk(2), seconds=60)

    assert asyncio.run(main()) == MessageEncoder(budget=120).encode(talk(2))


def test_an_encoder_that_cannot_be_pickled_says_so() -> None:
    """An encoder with a local callback cannot be pickled, and the error names the callback."""

    def note(event: ResultEvent) -> None:
        del event

    encoder = MessageEncoder(budget=90, on_event=note)
    with pytest.raises((pickle.PicklingError, AttributeError), match="note"):
        pickle.dumps(encoder)

"""Encoders of conversations beside an event loop, and in another process."""

import asyncio
import json
import pickle
from typing import Any

import pytest

from mckp import MessageEncoder, ToolPolicy
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


def test_an_encoder_that_cannot_be_pickled_says_so() -> None:
    """An encoder with a local callback cannot be pickled, and the error names the callback."""

    def note(event: ResultEvent) -> None:
        del event

    encoder = MessageEncoder(budget=90, on_event=note)
    with pytest.raises((pickle.PicklingError, AttributeError), match="note"):
        pickle.dumps(encoder)

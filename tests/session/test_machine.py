"""Random sessions: who sees only what was delivered can tell what every response said."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from mckp.agents.session import Delivery, Reader, Session, SessionSettings
from mckp.errors import BudgetError, PathError
from tests.session.responses import TEXTS, edited, response
from tests.strategies import examples

AGENTS = st.sampled_from(["main", "searcher"])
TOOLS = st.sampled_from(["Read", "Grep", "Bash", "mcp__ci__get_jobs"])
FILES = st.sampled_from([None, "src/a.py", "src"])
SETTINGS = st.builds(
    SessionSettings,
    lru_size=st.integers(1, 6),
    near_ref_enabled=st.sampled_from([True, True, False]),
    min_body_chars=st.sampled_from([1, 20, 60]),
    formats=st.sampled_from(["standard", "native", "dense"]),
    max_bytes=st.sampled_from([1, 6000, 1 << 26, 1 << 26]),
    labels=st.sampled_from([True, True, True, False]),
)


class Sessions(RuleBasedStateMachine):
    """A session, and a reader in each context."""

    @initialize(knobs=SETTINGS, first=TEXTS)
    def start(self, knobs: SessionSettings, first: str) -> None:
        self.session = Session(knobs)
        self.readers: dict[str, Reader] = {}
        self.calls: list[dict[str, Any]] = [{"agent": "main", "tool": "Read", "text": first}]
        self.sent = [("main", 0)]

    @rule(agent=AGENTS, tool=TOOLS, file=FILES, text=TEXTS)
    def other(self, agent: str, tool: str, file: str | None, text: str) -> None:
        self.check(agent=agent, tool=tool, file=file, text=text)

    @rule(data=st.data())
    def again(self, data: st.DataObject) -> None:
        """The same comes."""
        self.check(**data.draw(st.sampled_from(self.calls[-4:])))

    @rule(agent=AGENTS, data=st.data())
    def elsewhere(self, agent: str, data: st.DataObject) -> None:
        """The same comes of another call."""
        call = data.draw(st.sampled_from(self.calls))
        self.check(agent=agent, tool="Glob", text=call["text"])

    @rule(data=st.data())
    def nearly(self, data: st.DataObject) -> None:
        """Almost the same comes, of the same call."""
        call = data.draw(st.sampled_from(self.calls[-4:]))
        other: dict[str, Any] = {**call, "text": data.draw(edited(call["text"]))}
        self.check(**other)

    @rule(budget=st.integers(0, 60), data=st.data())
    def within(self, budget: int, data: st.DataObject) -> None:
        """Something comes that may have to be cut."""
        call = data.draw(st.sampled_from(self.calls[-4:]))
        text = data.draw(st.one_of(TEXTS, st.just(call["text"])))
        other: dict[str, Any] = {**call, "text": text}
        try:
            delivery = self.check(budget, **other)
        except BudgetError:
            return
        assert delivery.tokens <= budget

    @rule(agent=AGENTS, text=TEXTS)
    def edit(self, agent: str, text: str) -> None:
        self.check(agent=agent, tool="Edit", file="src/a.py", text=text)

    @rule(what=st.sampled_from(["compact", "end", "take_out", "restart"]), data=st.data())
    def happen(self, what: str, data: st.DataObject) -> None:
        {
            "compact": lambda: self.compact(data.draw(AGENTS)),
            "end": self.end,
            "take_out": lambda: self.take_out(*data.draw(st.sampled_from(self.sent))),
            "restart": self.restart,
        }[what]()

    def compact(self, agent: str) -> None:
        self.session.compact(agent)
        self.readers.pop(agent, None)

    def end(self) -> None:
        self.session.end("searcher")
        self.readers.pop("searcher", None)

    def take_out(self, agent: str, number: int) -> None:
        with suppress(PathError):  # it was forgotten, so nothing refers to it
            self.session.gone(number)
        if agent in self.readers:
            self.readers[agent].drop(number)

    def restart(self) -> None:
        self.session = Session.from_dict(json.loads(json.dumps(self.session.to_dict())))

    def check(self, budget: int | None = None, **call: Any) -> Delivery:
        """Read what was delivered, in its context alone."""
        self.calls.append(call)
        text, agent, before = call["text"], call["agent"], self.session.savings
        delivery = self.session.add(**call, budget=budget)
        content = self.readers.setdefault(agent, Reader()).read(delivery.text)
        after = self.session.savings
        assert after.final - before.final == delivery.tokens
        is_cut = after.cut != before.cut
        assert not is_cut or budget is not None
        assert is_cut or not delivery.elided
        assert is_cut or response(text).is_equal_to(content), (text, delivery)
        if delivery.number is not None:
            assert self.session.recall(delivery.number) == text
            if delivery.layer != "L0":
                self.sent.append((agent, delivery.number))
        return delivery


@pytest.mark.slow
def test_every_response_can_be_read_from_what_was_delivered() -> None:
    """References, deltas, templates, cuts, compactions, edits and sub-agents lose nothing."""
    steps = settings(examples(50), stateful_step_count=20)
    run_state_machine_as_test(Sessions, settings=steps)

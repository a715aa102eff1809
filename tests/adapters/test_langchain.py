"""Middleware of LangChain, in agents of its own."""

import asyncio
import importlib
import json
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("langchain.agents", reason="needs the extra langchain")

from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.tools import StructuredTool, ToolException

from mckp.agents.adapters.langchain import LangChainToolResults
from mckp.answers.primer import instruction
from tests.adapters.test_surfaces import BUDGET, CASES, by_python

agents: Any = importlib.import_module("langchain.agents")  # of which not all is typed
ROWS = json.dumps([{"id": n, "state": "done", "job": f"job {n % 3}"} for n in range(60)])


class Fake(GenericFakeChatModel):
    """Says what it was given to say, and keeps what it is shown."""

    shown: list[list[Any]] = []  # noqa: RUF012 - a field, of which each model has its own

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self.shown.append(list(messages))
        return super()._generate(messages, *args, **kwargs)


def call(key: str, name: str = "jobs", **args: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"id": key, "name": name, "args": args}])


def jobs() -> str:
    """List jobs."""
    return ROWS


def model_saying(*script: AIMessage) -> Fake:
    return Fake(messages=iter([*script, AIMessage("done")]), shown=[])


QUESTION: dict[str, Any] = {"messages": [{"role": "user", "content": "What is done?"}]}


def test_the_model_is_shown_less_and_the_state_has_all() -> None:
    """What was shown once is shown the same again."""
    model = model_saying(call("c1"), call("c2"))
    agent = agents.create_agent(model, [jobs], middleware=[LangChainToolResults(budget=120)])
    done = agent.invoke(QUESTION)
    assert [m.content for m in done["messages"] if isinstance(m, ToolMessage)] == [ROWS, ROWS]
    last: list[Any] = [m.content for m in model.shown[-1] if isinstance(m, ToolMessage)]
    assert last[0].startswith("> [#1 as compact]")
    assert last[1].startswith("> [ref #1]")
    for before, after in zip(model.shown, model.shown[1:], strict=False):
        assert after[: len(before)] == before


def test_the_system_message_explains_signs() -> None:
    """Each call of the model has one explanation of signs, if it has a system message."""
    model = model_saying(call("c1"))
    given = {"middleware": [LangChainToolResults()], "system_prompt": "Be brief."}
    agents.create_agent(model, [jobs], **given).invoke(QUESTION)
    for shown in model.shown:
        assert shown[0].content == f"Be brief.\n\n{instruction('native')}"
    model = model_saying()
    agents.create_agent(model, [jobs], middleware=[LangChainToolResults()]).invoke(QUESTION)
    assert model.shown[0][0].type == "human"


def test_it_goes_the_same_way_if_nobody_waits() -> None:
    """An asynchronous agent shows the model encoded results too."""
    model = model_saying(call("c1"))
    agent = agents.create_agent(model, [jobs], middleware=[LangChainToolResults()])
    asyncio.run(agent.ainvoke(QUESTION))
    assert model.shown[-1][-1].content.startswith("> [#1 as compact]")


def test_recall_knows_what_was_shown() -> None:
    """Recall finds a result by its shown number, also if other middleware dropped the beginning."""

    class Forgetful(AgentMiddleware[Any, Any, Any]):
        def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
            return handler(request.override(messages=request.messages[3:]))

    first = [HumanMessage("?"), call("c0"), ToolMessage("x" * 300, tool_call_id="c0")]
    model = model_saying(call("c1"), call("c2", "recall", handle=1, path="$[7].id"))
    agent = agents.create_agent(
        model, [jobs], middleware=[Forgetful(), LangChainToolResults(budget=60)]
    )
    done = agent.invoke({"messages": [*first, *QUESTION["messages"]]})
    assert done["messages"][-2].content == "7"


def test_only_texts_of_results_change() -> None:
    """Calls, errors and pictures stay as they are; the texts of results are encoded."""
    picture = {"type": "image", "url": "…"}
    blocks = ToolMessage([{"type": "text", "text": ROWS}, picture], tool_call_id="c1", id="m1")
    error = ToolMessage(ROWS, tool_call_id="c2", status="error")
    log: list[AnyMessage] = [call("c1"), blocks, call("c2"), error]
    results = LangChainToolResults()
    shown = results.encoded(log)
    assert [shown[0], shown[2], shown[3]] == [log[0], log[2], log[3]]
    assert shown[1].content[1] == picture
    assert shown[1].model_copy(update={"content": blocks.content}) == blocks
    assert shown[1].text.startswith("> [#1 as compact]")
    assert results.session(log).savings.responses == 2


def test_no_tool_is_given_where_none_is_wanted() -> None:
    """The tool `recall` is offered unless it is switched off."""
    assert [tool.name for tool in LangChainToolResults().tools] == ["recall"]
    assert LangChainToolResults(recall=False).tools == []


@pytest.mark.parametrize(("text", "asked"), CASES)
def test_a_recall_is_answered_as_in_python(text: str, asked: dict[str, Any]) -> None:
    """A recall of the middleware has the same answer as one in Python."""
    messages = [call("c1"), ToolMessage(text, tool_call_id="c1", name="jobs")]
    said = LangChainToolResults(budget=BUDGET).recalled(messages, handle="#1", **asked)
    assert said.removeprefix("error: ") == by_python(text, asked)


def test_streams_calls_at_once_and_failures() -> None:
    """What is streamed is encoded as well; each call keeps its result, and a failure stays."""

    def broken() -> str:
        """Fail."""
        raise ToolException("no such job " * 20)

    failing = StructuredTool.from_function(broken, handle_tool_error=True)
    uses: list[Any] = [
        {"id": f"c{n}", "name": name, "args": {}} for n, name in enumerate(["jobs", "broken"])
    ]
    model = model_saying(AIMessage("", tool_calls=uses), call("c2"))
    model.disable_streaming = True  # the fake streams words only, so it streams each answer whole
    agent = agents.create_agent(
        model, [jobs, failing], middleware=[LangChainToolResults(budget=120)]
    )
    *_, last = agent.stream(QUESTION, stream_mode="values")
    kept = [message.content for message in last["messages"] if isinstance(message, ToolMessage)]
    assert kept == [ROWS, "no such job " * 20, ROWS]
    results = [message for message in model.shown[-1] if isinstance(message, ToolMessage)]
    assert [message.tool_call_id for message in results] == ["c0", "c1", "c2"]
    assert str(results[0].content).startswith("> [#1 as compact]")
    assert (results[1].content, results[1].status) == ("no such job " * 20, "error")
    assert str(results[2].content).startswith("> [ref #1]")

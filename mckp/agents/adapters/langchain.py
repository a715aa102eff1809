"""Middleware for LangChain agents and LangGraph graphs (extra ``langchain``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.agents.adapters.conversation import Conversations, PlainMessage
from mckp.agents.session.tool import ABOUT, RECALL, as_tool
from mckp.errors import MissingExtraError
from mckp.renamed import renamed_in
from mckp.tools.calls import with_manual

try:
    from langchain.agents.middleware import AgentMiddleware
    from langchain.tools import ToolRuntime
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
    from langchain_core.tools import StructuredTool
except ImportError:
    raise MissingExtraError("langchain", "langchain") from None

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Unpack

    from langchain.agents.middleware import ModelRequest, ModelResponse
    from langchain_core.messages import AnyMessage
    from langchain_core.tools import BaseTool

    from mckp.agents.messages.transcripts import ConversationOptions

if not TYPE_CHECKING:  # type checkers are to find names that do not exist
    __getattr__ = renamed_in(__name__, {"ToolResults": "LangChainToolResults"})


class LangChainToolResults(AgentMiddleware[Any, Any, Any], Conversations["AnyMessage"]):
    """Encodes the tool results in what a model is shown.

    The state keeps the results as they came. Middleware that leaves messages out should come
    before this one in the list, so that no reference is made to a message that is not shown.

    Unless `recall` is false, the agent gets a tool that returns what was cut. For the options, see
    `mckp.agents.messages.transcripts.ConversationOptions`.

    Examples
    --------
    >>> call = {"name": "jobs", "args": {}, "id": "c1"}
    >>> rows = str([{"id": n, "state": "done"} for n in range(40)]).replace("'", '"')
    >>> log = [AIMessage("", tool_calls=[call]), ToolMessage(rows, tool_call_id="c1")]
    >>> print(LangChainToolResults(budget=60).encoded(log)[1].content[:40])
    > [#1 as compact]
    [40]{id}
    == state done
    """

    def __init__(self, *, recall: bool = True, **options: Unpack[ConversationOptions]) -> None:
        """Check the options, and make the recall tool if the agent gets one."""
        Conversations.__init__(self, _as_plain_message, _put_content, **options)  # pyright: ignore[reportUnknownMemberType]
        self.tools: Sequence[BaseTool] = [self.recall_tool()] if recall else []

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        """Call the model with encoded results."""
        return handler(self._encoded_request(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Call the model with encoded results."""
        return await handler(self._encoded_request(request))

    def recall_tool(self) -> BaseTool:
        """Return the tool with which a model gets what was cut, for graphs of your own."""

        def recall(runtime: ToolRuntime[Any, Any], **asked: Any) -> str:
            """Return what was cut from a result."""
            return self.recalled(runtime.state["messages"], **asked)

        function = as_tool(recall, {"runtime": ToolRuntime[Any, Any]})
        return StructuredTool.from_function(function, name=RECALL, description=ABOUT)

    def _encoded_request(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        """Return the request with encoded results, and with the line that explains signs."""
        whole = request.state["messages"]
        system = request.system_message
        if system is not None:
            plain = {"role": "system", "content": system.content}
            line = self._encoder.instruction if self.tools else self._encoder.signs
            content = with_manual([plain], line)[0]["content"]
            request = request.override(
                system_message=system.model_copy(update={"content": content})
            )
        return request.override(messages=self.encoded(request.messages, whole))


def _as_plain_message(message: AnyMessage) -> PlainMessage:
    """Return a message in the shape of Anthropic's messages; one of another kind becomes empty."""
    if isinstance(message, AIMessage):
        uses = [
            {"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]}
            for call in message.tool_calls
        ]
        return {"role": "assistant", "content": uses}
    if isinstance(message, ToolMessage):
        result = {
            "type": "tool_result",
            "tool_use_id": message.tool_call_id,
            "content": message.content,
            "is_error": message.status == "error",
        }
        return {"role": "user", "content": [result]}
    # What the user asks decides what is kept of a result.
    return {"role": "user", "content": message.text} if isinstance(message, HumanMessage) else {}


def _put_content(message: AnyMessage, encoded: PlainMessage) -> AnyMessage:
    """Return a message of a tool with the result in its encoded plain form."""
    return message.model_copy(update={"content": encoded["content"][0]["content"]})

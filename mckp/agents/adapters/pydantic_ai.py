"""A capability for pydantic-ai agents (extra ``pydantic-ai``)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mckp.agents.adapters.conversation import Conversations, PlainMessage
from mckp.agents.session.tool import ABOUT, RECALL, as_tool
from mckp.errors import MissingExtraError
from mckp.renamed import renamed_in

try:
    from pydantic_ai import FunctionToolset, RunContext
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )
except ImportError:
    raise MissingExtraError("pydantic-ai-slim", "pydantic-ai") from None

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Unpack

    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import ModelRequestContext

    from mckp.agents.messages.transcripts import ConversationOptions

if not TYPE_CHECKING:  # type checkers are to find names that do not exist
    __getattr__ = renamed_in(__name__, {"ToolResults": "PydanticAIToolResults"})


class PydanticAIToolResults(AbstractCapability[Any], Conversations["ModelMessage"]):
    """Encodes the tool results in what a model is sent.

    The history of the run keeps the results as they came: text, or data, which is encoded as
    JSON. Failures, and results with images or other files, are sent unchanged.

    Unless `recall` is false, the agent gets a tool that returns what was cut. For the options, see
    `mckp.agents.messages.transcripts.ConversationOptions`.

    Examples
    --------
    >>> from pydantic_ai import Agent
    >>> agent = Agent(capabilities=[PydanticAIToolResults(budget=2000)])
    """

    def __init__(self, *, recall: bool = True, **options: Unpack[ConversationOptions]) -> None:
        """Check the options, and make the recall tool if the agent gets one."""
        Conversations.__init__(self, _as_plain_message, _put_contents, **options)  # pyright: ignore[reportUnknownMemberType]
        self._toolset = self._recall_toolset() if recall else None

    def get_instructions(self) -> str:
        """Return the line that explains the signs in results."""
        return self._encoder.signs if self._toolset is None else self._encoder.instruction

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """Return the toolset with the recall tool, or None if the agent has no such tool."""
        return self._toolset

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Return the request with encoded results."""
        shown = self.encoded(request_context.messages, ctx.messages)
        return replace(request_context, messages=shown)

    def _recall_toolset(self) -> FunctionToolset[Any]:
        """Return a toolset with the recall tool, which returns what was cut."""
        tools = FunctionToolset[Any]()

        def recall(ctx: RunContext[Any], **asked: Any) -> str:
            """Return what was cut from a result."""
            return self.recalled(ctx.messages, **asked)

        function = as_tool(recall, {"ctx": RunContext[Any]})
        tools.add_function(function, name=RECALL, description=ABOUT)
        return tools


def _as_plain_message(message: ModelMessage) -> PlainMessage:
    """Return a message in the shape of Anthropic's messages."""
    if isinstance(message, ModelResponse):
        return {"role": "assistant", "content": list(_tool_uses(message))}
    return {"role": "user", "content": [_plain_part(part) for part in message.parts]}


def _tool_uses(message: ModelResponse) -> Iterator[PlainMessage]:
    """Yield the calls in a message."""
    for part in message.parts:
        if isinstance(part, ToolCallPart):
            name, args = part.tool_name, part.args_as_dict()
            yield {"type": "tool_use", "id": part.tool_call_id, "name": name, "input": args}


def _plain_part(part: object) -> PlainMessage:
    """Return a part of a request as a block of a message.

    It is empty unless the part is a text of the user or a successful result without files.
    """
    if isinstance(part, UserPromptPart) and isinstance(part.content, str):
        return {"type": "text", "text": part.content}  # it decides what is kept of a result
    if not isinstance(part, ToolReturnPart) or part.files or part.outcome != "success":
        return {}
    text = part.model_response_str()
    return {"type": "tool_result", "tool_use_id": part.tool_call_id, "content": text}


def _put_contents(message: ModelMessage, encoded: PlainMessage) -> ModelMessage:
    """Return a message with the results of its encoded plain form."""
    if not isinstance(message, ModelRequest):
        return message
    blocks = zip(message.parts, encoded["content"], strict=True)
    return replace(message, parts=[_with_content(part, block) for part, block in blocks])


def _with_content(part: Any, block: PlainMessage) -> Any:
    """Return a part with the content of its encoded block, or the part if its text is the same."""
    is_same = "content" not in block or block["content"] == part.model_response_str()
    return part if is_same else replace(part, content=block["content"])

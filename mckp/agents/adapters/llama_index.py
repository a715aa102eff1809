"""LlamaIndex models that get encoded results (extra ``llama-index``)."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar, cast

from mckp.agents.adapters.conversation import Conversations, PlainMessage
from mckp.agents.session.tool import ABOUT, RECALL, as_tool
from mckp.errors import MissingExtraError
from mckp.renamed import renamed_in

try:
    from llama_index.core.base.llms.types import MessageRole, TextBlock, ToolCallBlock
    from llama_index.core.tools import FunctionTool
    from llama_index.core.workflow import Context
except ImportError:
    raise MissingExtraError("llama-index-core", "llama-index") from None

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Unpack

    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.llms import LLM

    from mckp.agents.messages.transcripts import ConversationOptions

    L = TypeVar("L", bound=LLM)

if not TYPE_CHECKING:  # type checkers are to find names that do not exist
    __getattr__ = renamed_in(__name__, {"ToolResults": "LlamaIndexToolResults"})


class LlamaIndexToolResults(Conversations["ChatMessage"]):
    """Encodes the tool results in what a model is sent.

    Memory keeps the results as they came. Results that an agent puts into user messages, as
    ``ReActAgent`` does, stay as they came. For the options, see
    `mckp.agents.messages.transcripts.ConversationOptions`.

    Examples
    --------
    >>> from llama_index.core.llms.mock import MockFunctionCallingLLM
    >>> results = LlamaIndexToolResults(budget=2000)
    >>> model = results.model(MockFunctionCallingLLM())
    >>> isinstance(model, MockFunctionCallingLLM)
    True
    """

    def __init__(self, **options: Unpack[ConversationOptions]) -> None:
        """Check the options."""
        super().__init__(_as_plain_message, _put_texts, **options)

    def model_messages(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """Return encoded messages; the first system message, if any, also explains our signs."""
        encoded_messages, line = self.encoded(messages), f"\n{self._encoder.instruction}"
        system_index = next(
            (
                index
                for index, message in enumerate(encoded_messages)
                if message.role == MessageRole.SYSTEM
            ),
            None,
        )
        # A model may call another method of its own, with messages that are already encoded.
        if system_index is not None and not str(encoded_messages[system_index].content).endswith(
            line
        ):
            blocks = [*encoded_messages[system_index].blocks, TextBlock(text=line)]
            encoded_messages[system_index] = encoded_messages[system_index].model_copy(
                update={"blocks": blocks}
            )
        return encoded_messages

    def model(self, llm: L) -> L:
        """Return a copy of a model that gets encoded results."""
        kind = type(llm)
        encoding_model: Any = copy(llm)
        # Agents and the model itself check its class, so the new class is a subclass.
        encoding_model.__class__ = type(kind.__name__, (_EncodingModel, kind), {})
        encoding_model.__dict__["_mckp_results"] = self
        return cast("L", encoding_model)

    def recall_tool(self) -> FunctionTool:
        """Return the tool with which a model gets what was cut, for workflow agents."""

        async def recall(ctx: Context, **asked: Any) -> str:
            """Return what was cut from a result."""
            memory = await ctx.store.get("memory")
            recent = await ctx.store.get("scratchpad", default=[])
            return self.recalled([*await memory.aget(), *recent], **asked)

        function = as_tool(recall, {"ctx": Context})
        return FunctionTool.from_defaults(async_fn=function, name=RECALL, description=ABOUT)


class _EncodingModel:
    """A mixin that encodes the messages before a model's own methods get them."""

    _mckp_results: LlamaIndexToolResults

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        """Encode the messages, then chat as the model itself does."""
        model: Any = super()
        return model.chat(self._mckp_results.model_messages(messages), **kwargs)

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        """Encode the messages, then chat as the model itself does."""
        model: Any = super()
        return await model.achat(self._mckp_results.model_messages(messages), **kwargs)

    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        """Encode the messages, then chat as the model itself does."""
        model: Any = super()
        return model.stream_chat(self._mckp_results.model_messages(messages), **kwargs)

    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        """Encode the messages, then chat as the model itself does."""
        model: Any = super()
        return await model.astream_chat(self._mckp_results.model_messages(messages), **kwargs)


def _as_plain_message(message: ChatMessage) -> PlainMessage:
    """Return a message in the shape of Anthropic's or OpenAI's; one of another role is empty."""
    if message.role == MessageRole.ASSISTANT:
        calls = message.additional_kwargs.get("tool_calls")
        return {"role": "assistant", "content": list(_tool_uses(message)), "tool_calls": calls}
    if message.role == MessageRole.USER:
        return {"role": "user", "content": message.content}  # it decides what is kept
    if message.role != MessageRole.TOOL:
        return {}
    texts = [
        {"type": "text", "text": block.text} if isinstance(block, TextBlock) else {}
        for block in message.blocks
    ]
    call = message.additional_kwargs.get("tool_call_id")
    return {"role": "tool", "tool_call_id": call, "content": texts}


def _tool_uses(message: ChatMessage) -> Iterator[PlainMessage]:
    """Yield the calls in the blocks of a message."""
    for block in message.blocks:
        if isinstance(block, ToolCallBlock):
            name, args = block.tool_name, block.tool_kwargs
            yield {"type": "tool_use", "id": block.tool_call_id, "name": name, "input": args}


def _put_texts(message: ChatMessage, encoded: PlainMessage) -> ChatMessage:
    """Return a message with the texts of its encoded plain form."""
    blocks = [
        TextBlock(text=encoded_block["text"]) if isinstance(block, TextBlock) else block
        for block, encoded_block in zip(message.blocks, encoded["content"], strict=True)
    ]
    return message.model_copy(update={"blocks": blocks})

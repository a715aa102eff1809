"""A filter for what agents of the OpenAI Agents SDK send (extra ``openai-agents``)."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mckp.agents.messages import MessageEncoder
from mckp.agents.session.tool import ABOUT, RECALL, as_tool
from mckp.errors import MissingExtraError
from mckp.renamed import renamed_in

try:
    from agents import function_tool
except ImportError:
    raise MissingExtraError("openai-agents", "openai-agents") from None

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from agents import FunctionTool
    from agents.run_config import CallModelData, ModelInputData

    from mckp.agents.messages.transcripts import ConversationOptions
    from mckp.agents.session import Session

# Tools run in tasks of the run that called the model, so they inherit this variable.
_SENT: ContextVar[Sequence[Any]] = ContextVar("sent", default=())

if not TYPE_CHECKING:  # type checkers are to find names that do not exist
    __getattr__ = renamed_in(__name__, {"ToolResults": "OpenAIAgentsToolResults"})


class OpenAIAgentsToolResults:
    """Encodes the tool results in what a model is sent.

    It is a ``call_model_input_filter`` of ``RunConfig``. The history of the run keeps the
    results as they came. If the server keeps the conversation, only new messages are sent: their
    results are encoded, but there are no references. For the options, see
    `mckp.agents.messages.transcripts.ConversationOptions`.

    Examples
    --------
    >>> from agents import RunConfig
    >>> results = OpenAIAgentsToolResults(budget=2000)
    >>> config = RunConfig(call_model_input_filter=results)
    >>> results.recall_tool().name
    'recall'
    """

    def __init__(self, **options: Unpack[ConversationOptions]) -> None:
        """Check the options."""
        self._encoder = MessageEncoder(**options)

    def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        """Return the input to send, with encoded results."""
        items: list[Any] = list(data.model_data.input)
        _SENT.set(items)
        instructions = data.model_data.instructions
        instructions = instructions and f"{instructions}\n\n{self._encoder.instruction}"
        return replace(
            data.model_data, input=self._encoder.encode(items), instructions=instructions
        )

    def session(self, items: list[Any]) -> Session:
        """Return the session of a conversation, with its results and `Session.savings`."""
        return self._encoder.session(items)

    def recall_tool(self) -> FunctionTool:
        """Return the tool with which a model gets what was cut."""

        def recall(**asked: Any) -> str:
            """Return what was cut from a result."""
            return self._encoder.recall(_SENT.get(), **asked)

        function = as_tool(recall, {})
        return function_tool(function, name_override=RECALL, description_override=ABOUT)

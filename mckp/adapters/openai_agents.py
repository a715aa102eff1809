"""A filter of what agents of the OpenAI Agents SDK send (extra ``openai-agents``)."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mckp.errors import MissingExtraError
from mckp.messages import RECALL, MessageEncoder
from mckp.messages.recall import ABOUT

try:
    from agents import function_tool
except ImportError:
    raise MissingExtraError("openai-agents", "openai-agents") from None

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agents import FunctionTool
    from agents.run_config import CallModelData, ModelInputData

    from mckp.api import TokenizerLike
    from mckp.session import Session, SessionSettings, Template

# Tools run in tasks of the run that called the model, which inherit what it was sent.
_SENT: ContextVar[Sequence[Any]] = ContextVar("sent", default=())


class ToolResults:
    """Encodes the results of tools in what a model is sent.

    It is a ``call_model_input_filter`` of ``RunConfig``. The history of the run keeps the
    results as they came. Where the server keeps the conversation, so that only what is new is
    sent, results are encoded, and nothing is referred to.

    Parameters
    ----------
    settings : SessionSettings, optional
        The knobs of references and templates.
    budget : int, optional
        Tokens that a result may have.
    tokenizer : str, Tokenizer or callable, default "o200k"
        Who counts.
    templates : iterable of Template
        Templates of your own.
    leave : iterable of str
        Tools whose results are sent as they are.

    Examples
    --------
    >>> from agents import RunConfig
    >>> results = ToolResults(budget=2000)
    >>> config = RunConfig(call_model_input_filter=results)
    >>> results.recall_tool().name
    'recall'
    """

    def __init__(
        self,
        settings: SessionSettings | None = None,
        *,
        budget: int | None = None,
        tokenizer: TokenizerLike = "o200k",
        templates: Iterable[Template] = (),
        leave: Iterable[str] = (),
    ) -> None:
        self._encoder = MessageEncoder(
            settings, budget=budget, tokenizer=tokenizer, templates=templates, leave=leave
        )

    def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        """Return what to send."""
        items: list[Any] = list(data.model_data.input)
        _SENT.set(items)
        return replace(data.model_data, input=self._encoder.encode(items))

    def session(self, items: list[Any]) -> Session:
        """Return the session of a conversation, which knows what was saved."""
        return self._encoder.session(items)

    def recall_tool(self) -> FunctionTool:
        """Return the tool that gives back what was cut."""

        def recall(number: int, path: str = "", skip: int = 0) -> str:
            return self._encoder.recall(_SENT.get(), number, path, skip)

        return function_tool(recall, name_override=RECALL, description_override=ABOUT)

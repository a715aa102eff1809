"""Models behind an address that speaks the protocol of OpenAI: most servers and providers do."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from mckp.accuracy.reader import Reply
from mckp.errors import MissingExtraError, ReaderError, UnusableReaderError
from mckp.jsontext import dump

if TYPE_CHECKING:
    from mckp.accuracy.reader import Asked

KEY: Final = "OPENAI_API_KEY"
"""The variable of the environment that holds the key; servers at home need none."""
MAX_ANSWER_TOKENS: Final = 400
"""Tokens that an answer may have."""


@dataclass(frozen=True)
class EndpointReader:
    """Asks a model behind an address.

    Refusals because of too many requests (429), errors of the server (5xx), time that runs
    out and connections that break are tried again, each time after a longer while, or after as
    long as the server says.

    Parameters
    ----------
    base_url : str
        The address, such as ``http://localhost:11434/v1``.
    model : str
        The model's name there.
    retries : int
        How often one question is tried again.
    timeout : float
        Seconds that one try may take.
    longest : int
        Tokens that an answer may have; models that think aloud need more.
    options : dict
        What is asked for besides; None takes away what is asked for by itself, as in
        ``{"temperature": None, "max_tokens": None, "max_completion_tokens": 400}``.
    """

    base_url: str
    model: str
    retries: int = 5
    timeout: float = 120.0
    longest: int = MAX_ANSWER_TOKENS
    options: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def name(self) -> str:
        others = f", {dump(self.options)}" if self.options else ""
        return f"{self.model} at {self.base_url.rstrip('/')}, {self.longest} tokens{others}"

    @cached_property
    def _openai(self) -> Any:
        if find_spec("openai") is None:
            raise MissingExtraError("openai", "accuracy")
        return import_module("openai")

    @cached_property
    def _client(self) -> Any:
        return self._openai.OpenAI(
            base_url=self.base_url,
            api_key=os.environ.get(KEY) or "none",
            max_retries=self.retries,
            timeout=self.timeout,
        )

    def read(self, asked: Asked) -> Reply:
        errors = self._openai
        usual = {"temperature": 0, "max_tokens": self.longest} | self.options
        options = {name: value for name, value in usual.items() if value is not None}
        messages = [{"role": "user", "content": asked.prompt}]
        try:
            found = self._client.chat.completions.create(
                model=self.model, messages=messages, **options
            )
        except (
            errors.AuthenticationError,
            errors.PermissionDeniedError,
            errors.NotFoundError,
        ) as error:
            raise UnusableReaderError(f"{self.name}: {error}") from error
        except (errors.OpenAIError, ValueError, TypeError) as error:
            raise ReaderError(_told(error)) from error
        return _reply(found)


def _told(error: Exception) -> str:
    cause = error.__cause__ or error
    return f"{type(error).__name__}: {cause}"[:300]


def _reply(found: Any) -> Reply:
    """Return what stands in a response.

    Raises
    ------
    ReaderError
        If it holds no answer.
    """
    choices = getattr(found, "choices", None)
    if not choices:
        raise ReaderError("the response holds no answer")
    message, usage = choices[0].message, getattr(found, "usage", None)
    return Reply(
        (message.content if message else None) or "",
        getattr(usage, "prompt_tokens", 0) or 0,
        getattr(usage, "completion_tokens", 0) or 0,
        choices[0].finish_reason == "length",
    )

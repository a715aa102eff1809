"""What readers get and return, and a reader that asks a model.

The model's server must speak OpenAI's protocol, as most servers and providers do.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from mckp import tokenizers
from mckp.api import encode
from mckp.errors import BudgetError, ReaderError, UnusableReaderError, import_extra
from mckp.jsontext import dump
from mckp.parsers import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mckp.accuracy.query import Question
    from mckp.api import TokenizerLike
    from mckp.plain import JsonValue
    from mckp.result import Result


PRETTY: Final = "json-pretty"
"""Indented JSON, which is not one of our formats."""
REFERENCE: Final = "json"
"""The way that all others are compared with."""
WAYS: Final = (
    PRETTY,
    REFERENCE,
    "kv",
    "kv+csv",
    "kv+table",
    "mckp_v2",
    "rows",
    "flow",
    "standard",
    "native",
    "dense",
)
"""The formats, levels and mixes of formats that are compared by default."""


@dataclass(frozen=True, slots=True)
class Writing:
    """Data written in one way.

    Attributes
    ----------
    way : str
        The formats and the budget: ``native``, ``kv+csv@0.5``, ``json@400``.
    text : str
        The text to read.
    tokens : int
        Its tokens.
    data
        The data that was written.
    """

    way: str
    text: str
    tokens: int
    data: Any


def writings(
    data: Any,
    ways: Iterable[str] = WAYS,
    budgets: Iterable[float | None] = (None,),
    tokenizer: TokenizerLike = "o200k",
) -> Iterator[Writing]:
    """Yield data in several formats and budgets; skip budgets that are too small or cut nothing.

    Parameters
    ----------
    data
        Plain data.
    ways : iterable of str
        Formats or levels, or several joined with ``+``; ``json-pretty`` is indented JSON.
    budgets : iterable of float or None
        Values up to 1 are shares of the tokens of compact JSON, greater ones numbers of tokens;
        None keeps everything.
    tokenizer : str, Tokenizer or callable
        The tokenizer.

    Raises
    ------
    ValueError
        If a budget is not valid, or a format is unknown.

    Examples
    --------
    >>> data = [{"id": n, "ok": True} for n in range(9)]
    >>> [(each.way, each.tokens) for each in writings(data, ["json", "native"], [None, 0.4])]
    [('json', 74), ('native', 27), ('json@0.4', 7)]
    """
    counter = tokenizers.get(tokenizer)
    compact_tokens, pretty = (
        counter.count(dump(data)),
        json.dumps(data, indent=2, ensure_ascii=False),
    )
    document = (
        parse(dump(data), "json") if isinstance(data, str) else data
    )  # otherwise it would be parsed as a document
    results = {
        way: None if way == PRETTY else encode(document, tokenizer=counter, formats=way.split("+"))
        for way in ways
    }
    for budget in budgets:
        tokens = None if budget is None else _budget_in_tokens(budget, compact_tokens)
        for way, result in results.items():
            if tokens is None:
                text = pretty if result is None else result.text
                yield Writing(way, text, counter.count(text), data)
            elif result is not None:
                shorter = _result_within(result, tokens)
                if shorter is not None and shorter.elided:
                    yield Writing(f"{way}@{budget:g}", shorter.text, shorter.tokens, data)


def _result_within(result: Result, tokens: int) -> Result | None:
    """Return a result within a number of tokens, or None if nothing fits."""
    try:
        return result.at(tokens)
    except BudgetError:
        return None


def _budget_in_tokens(budget: float, compact_tokens: int) -> int:
    """Return a budget in tokens; raise a `ValueError` if it is not a share or a whole number.

    A budget up to 1 is a share of `compact_tokens`, the tokens of compact JSON.
    """
    if not 0 < budget < inf or (budget > 1 and budget != int(budget)):
        raise ValueError(f"a budget must be a share up to 1 or a number of tokens, not {budget:g}")
    return int(budget * compact_tokens if budget <= 1 else budget)


_JSON: Final = "A line such as `> [+18 rows]` says what was left out."
_NOTES: Final = (
    "`name[20]{a b}` heads 20 records with the fields a and b, one a line or with `;` between; "
    f"`{{7}}` heads 7 members, one a line. {_JSON}"
)
_RULES: Final = """\
Answer with the value alone: no sentence, no unit, no thousands separators. Write yes or no for \
what is true or false, lists with commas between. If the data does not say, because it is not \
there or was left out, answer: unknown"""


@dataclass(frozen=True, slots=True)
class TextQuestion:
    """A question about a text."""

    question: Question
    writing: Writing

    @property
    def id(self) -> str:
        """The id of the question."""
        return self.question.id

    @property
    def way(self) -> str:
        """The way in which the text was written."""
        return self.writing.way

    @property
    def prompt(self) -> str:
        """The prompt for a model; all prompts about the same text begin alike."""
        notes = _JSON if self.writing.way.startswith("json") else _NOTES
        text = self.writing.text.removesuffix("\n")
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        data = f"{notes}\n\n{fence}\n{text}\n{fence}"
        return f"Here is data. {data}\n\nQuestion: {self.question.prompt}\n\n{_RULES}"


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a reader.

    Attributes
    ----------
    text : str
        The answer.
    prompt_tokens, completion_tokens : int
        The tokens that were paid for, as the reader counts them.
    cut : bool
        Whether a limit cut the answer.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut: bool = False


class Prompted(Protocol):
    """A prompt, with the names under which its answer is stored."""

    @property
    def id(self) -> str:
        """The name of the question or task."""
        ...

    @property
    def way(self) -> str:
        """The name of the text that it is about."""
        ...

    @property
    def prompt(self) -> str:
        """The whole prompt."""
        ...


A_contra = TypeVar("A_contra", bound=Prompted, contravariant=True)


class Reads(Protocol[A_contra]):
    """Answers prompts of one kind.

    Attributes
    ----------
    name : str
        The name that answers are kept under; readers that may answer differently have different
        names.
    """

    @property
    def name(self) -> str:
        """The name that answers are kept under."""
        ...

    def read(self, asked: A_contra) -> Reply:
        """Answer one prompt.

        Raises
        ------
        ReaderError
            If there is no answer to this prompt.
        UnusableReaderError
            If there would be no answer to any prompt.
        """
        ...


class AnsweringReader(Reads[TextQuestion], Protocol):
    """Answers questions about texts."""


KEY: Final = "OPENAI_API_KEY"
"""The environment variable with the API key; local servers need none."""
MAX_ANSWER_TOKENS: Final = 400
"""The most tokens of an answer."""


@dataclass(frozen=True)
class EndpointReader:
    """Asks a model at an address.

    Requests that fail because of rate limits (429), server errors (5xx), timeouts or broken
    connections are retried, each time after a longer wait, or after the time that the server says.

    Parameters
    ----------
    base_url : str
        The address, such as ``http://localhost:11434/v1``.
    model : str
        The model's name there.
    retries : int
        The most retries for one question.
    timeout : float
        The most seconds for one attempt.
    options : dict
        Further options of the request; None removes a default, as in
        ``{"temperature": None, "max_tokens": None, "max_completion_tokens": 400}``. Models that
        think aloud need more than the default of 400 tokens.
    """

    base_url: str
    model: str
    retries: int = 5
    timeout: float = 120.0
    options: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def name(self) -> str:
        """The model, its address and the options of requests."""
        options = f", {dump(self.options)}" if self.options else ""
        return f"{self.model} at {self.base_url.rstrip('/')}, {MAX_ANSWER_TOKENS} tokens{options}"

    @cached_property
    def _client(self) -> Any:
        """The client that sends requests; raises a `MissingExtraError` without ``openai``."""
        return import_extra("openai", "openai", "accuracy").OpenAI(
            base_url=self.base_url,
            api_key=os.environ.get(KEY) or "none",
            max_retries=self.retries,
            timeout=self.timeout,
        )

    def read(self, asked: Prompted) -> Reply:
        """Return the model's answer to a prompt.

        Raises as `Reads.read` does, and a `MissingExtraError` without the package ``openai``.
        """
        errors = import_extra("openai", "openai", "accuracy")
        defaults = {"temperature": 0, "max_tokens": MAX_ANSWER_TOKENS} | self.options
        options = {name: value for name, value in defaults.items() if value is not None}
        messages = [{"role": "user", "content": asked.prompt}]
        try:
            response = self._client.chat.completions.create(
                model=self.model, messages=messages, **options
            )
        except (
            errors.AuthenticationError,
            errors.PermissionDeniedError,
            errors.NotFoundError,
        ) as error:
            raise UnusableReaderError(f"{self.name}: {error}") from error
        except (errors.OpenAIError, ValueError, TypeError) as error:
            message = f"{type(error).__name__}: {error.__cause__ or error}"
            raise ReaderError(message[:300]) from error
        return _reply_of(response)


def _reply_of(response: JsonValue) -> Reply:
    """Return the reply in a server's response; raise `ReaderError` if there is none."""
    choices = getattr(response, "choices", None)
    if not choices:
        raise ReaderError("the model's response has no answer")
    message, usage = choices[0].message, getattr(response, "usage", None)
    return Reply(
        (message.content if message else None) or "",
        getattr(usage, "prompt_tokens", 0) or 0,
        getattr(usage, "completion_tokens", 0) or 0,
        choices[0].finish_reason == "length",
    )

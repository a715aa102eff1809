"""The texts that readers are given, what they return, and a reader that is a model.

The model is behind an address that speaks the protocol of OpenAI, as most servers and providers do.
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
from mckp.errors import BudgetError, ReaderError, UnusableReaderError, extra
from mckp.jsontext import dump
from mckp.parsers import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mckp.accuracy.query import Question
    from mckp.api import TokenizerLike
    from mckp.result import Result


PRETTY: Final = "json-pretty"
"""JSON with indents, which no format of ours is."""
REFERENCE: Final = "json"
"""What all others are compared with."""
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
"""Formats, levels and mixes of formats that are compared unless others are asked for."""


@dataclass(frozen=True, slots=True)
class Writing:
    """Data written in one way.

    Attributes
    ----------
    way : str
        Formats and budget: ``native``, ``kv+csv@0.5``, ``json@400``.
    text : str
        What is to be read.
    tokens : int
        Its tokens.
    data
        What was written.
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
    """Write data in several ways; where a budget is too small, or has no effect, one is left out.

    Parameters
    ----------
    data
        Plain data.
    ways : iterable of str
        Formats or levels, or several joined by ``+``; ``json-pretty`` is JSON with indents.
    budgets : iterable of float or None
        Shares of the tokens of compact JSON up to 1, numbers of tokens above, None for all.
    tokenizer : str, Tokenizer or callable
        Who counts.

    Examples
    --------
    >>> data = [{"id": n, "ok": True} for n in range(9)]
    >>> [(each.way, each.tokens) for each in writings(data, ["json", "native"], [None, 0.4])]
    [('json', 74), ('native', 27), ('json@0.4', 7)]
    """
    counter = tokenizers.get(tokenizer)
    whole, pretty = counter.count(dump(data)), json.dumps(data, indent=2, ensure_ascii=False)
    document = parse(dump(data), "json") if isinstance(data, str) else data  # else it is a document
    chosen = {
        way: None if way == PRETTY else encode(document, tokenizer=counter, formats=way.split("+"))
        for way in ways
    }
    for budget in budgets:
        tokens = None if budget is None else _tokens(budget, whole)
        for way, result in chosen.items():
            if tokens is None:
                text = pretty if result is None else result.text
                yield Writing(way, text, counter.count(text), data)
            elif result is not None:
                shorter = _within(result, tokens)
                if shorter is not None and shorter.elided:
                    yield Writing(f"{way}@{budget:g}", shorter.text, shorter.tokens, data)


def _within(result: Result, tokens: int) -> Result | None:
    try:
        return result.at(tokens)
    except BudgetError:
        return None


def _tokens(budget: float, whole: int) -> int:
    if not 0 < budget < inf or (budget > 1 and budget != int(budget)):
        raise ValueError(f"a budget must be a share up to 1 or a number of tokens, not {budget:g}")
    return int(budget * whole if budget <= 1 else budget)


_JSON: Final = "A line such as `> [+18 rows]` says what was left out."
_NOTES: Final = (
    "`name[20]{a b}` heads 20 records with the fields a and b, one a line or with `;` between; "
    f"`{{7}}` heads 7 members, one a line. {_JSON}"
)
_RULES: Final = """\
Answer with the value alone: no sentence, no unit, no thousands separators. Write yes or no for \
what is true or false, lists with commas between. If the data does not tell, because it is not \
there or was left out, answer: unknown"""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question about one text."""

    question: Question
    writing: Writing

    @property
    def id(self) -> str:
        """The question."""
        return self.question.id

    @property
    def way(self) -> str:
        """How the text was written."""
        return self.writing.way

    @property
    def prompt(self) -> str:
        """What a model is given; it begins the same for all questions about a text."""
        notes = _JSON if self.writing.way.startswith("json") else _NOTES
        text = self.writing.text.removesuffix("\n")
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        data = f"{notes}\n\n{fence}\n{text}\n{fence}"
        return f"Here is data. {data}\n\nQuestion: {self.question.prompt}\n\n{_RULES}"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reader wrote.

    Attributes
    ----------
    text : str
        The answer.
    prompt_tokens, completion_tokens : int
        What was paid for, as the reader counts.
    cut : bool
        Whether the answer was ended by a limit.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut: bool = False


class Prompted(Protocol):
    """What a model is asked: the prompt, and what answers are kept under."""

    @property
    def id(self) -> str:
        """What is asked."""
        ...

    @property
    def way(self) -> str:
        """About what."""
        ...

    @property
    def prompt(self) -> str:
        """All that a model is given."""
        ...


A_contra = TypeVar("A_contra", bound=Prompted, contravariant=True)


class Reads(Protocol[A_contra]):
    """Who answers prompts of some kind.

    Attributes
    ----------
    name : str
        What answers are kept under; readers that would answer differently differ in it.
    """

    @property
    def name(self) -> str: ...

    def read(self, asked: A_contra) -> Reply:
        """Answer one prompt.

        Raises
        ------
        ReaderError
            If there is no answer to this one.
        UnusableReaderError
            If there would be none to any.
        """
        ...


class Reader(Reads[Asked], Protocol):
    """Who answers questions about texts."""


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
    options : dict
        What is asked for besides; None takes away what is asked for by itself, as in
        ``{"temperature": None, "max_tokens": None, "max_completion_tokens": 400}``. Models that
        think aloud need more than the 400 tokens that an answer may have.
    """

    base_url: str
    model: str
    retries: int = 5
    timeout: float = 120.0
    options: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def name(self) -> str:
        others = f", {dump(self.options)}" if self.options else ""
        return f"{self.model} at {self.base_url.rstrip('/')}, {MAX_ANSWER_TOKENS} tokens{others}"

    @cached_property
    def _client(self) -> Any:
        return extra("openai", "openai", "accuracy").OpenAI(
            base_url=self.base_url,
            api_key=os.environ.get(KEY) or "none",
            max_retries=self.retries,
            timeout=self.timeout,
        )

    def read(self, asked: Prompted) -> Reply:
        errors = extra("openai", "openai", "accuracy")
        usual = {"temperature": 0, "max_tokens": MAX_ANSWER_TOKENS} | self.options
        options = {name: value for name, value in usual.items() if value is not None}
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
        return _reply(response)


def _reply(response: Any) -> Reply:
    """Return what is in a response, which may hold no answer."""
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

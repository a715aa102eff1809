"""A conversation's tool results in order, each delivered once and the same ever after."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from mckp.jsontext import dump
from mckp.session import HintRule, Session, SessionSettings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.api import TokenizerLike
    from mckp.messages.shapes import ToolText
    from mckp.session import Template

LEAST: Final = 32
"""The smallest budget of a result: a label, and a note on what was cut, always fit."""

RECALL: Final = "recall"
"""The tool that gives back what was cut, whose own results are sent as they are."""

_LOG = logging.getLogger(__name__)
_UNLABELLED: Final = {"label": HintRule(enabled=False)}


@dataclass(frozen=True, slots=True)
class Rules:
    """How results are delivered.

    Attributes
    ----------
    settings : SessionSettings
        The knobs.
    tokenizer : str, Tokenizer or callable
        Who counts.
    templates : tuple of Template
        Templates of your own.
    leave : frozenset of str
        Tools whose results are sent as they are.
    """

    settings: SessionSettings
    tokenizer: TokenizerLike
    templates: tuple[Template, ...]
    leave: frozenset[str]

    @classmethod
    def of(
        cls,
        *,
        settings: SessionSettings | None = None,
        budget: int | None = None,
        tokenizer: TokenizerLike = "o200k",
        templates: Iterable[Template] = (),
        leave: Iterable[str] = (),
    ) -> Rules:
        """Return the rules that are asked for.

        Raises
        ------
        ValueError
            For a budget in which nothing can be said.
        """
        found = SessionSettings() if settings is None else settings
        found = found if budget is None else replace(found, budget=budget)
        if found.budget is not None and found.budget < LEAST:
            message = f"budget={found.budget} has no room for a note on what was cut"
            raise ValueError(f"{message}; use {LEAST} or more, or None")
        return cls(found, tokenizer, tuple(templates), frozenset({*leave, RECALL}))

    def session(self) -> Session:
        """Return a session that has seen nothing."""
        return Session(self.settings, tokenizer=self.tokenizer, templates=self.templates)

    def alone(self, text: str, *, parts: int = 1) -> str:
        """Return a text to be sent that nothing will refer to."""
        hints = {**self.settings.hints, **_UNLABELLED}
        session = Session(
            replace(self.settings, hints=hints),
            tokenizer=self.tokenizer,
            templates=self.templates,
        )
        return session.add(tool="", text=text, budget=share(self.settings.budget, parts)).text


class Transcript:
    """Delivers the results of one conversation, one after another.

    What is delivered depends on the results up to it alone, so the same conversation gets the
    same texts in every process.

    Parameters
    ----------
    rules : Rules
        How results are delivered.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.session = rules.session()
        self.texts: list[str] = []
        self.key, self.size = b"", 0

    def add(self, result: ToolText) -> None:
        """Deliver one more result; if that fails, it is sent as it came."""
        self.key = key_after(self.key, result)
        try:
            text = self._delivered(result)
        except Exception:
            _LOG.warning("a result of %r is sent as it came", result.tool, exc_info=True)
            text = result.text
        self.texts.append(text)
        self.size += len(result.text) + len(text)

    def _delivered(self, result: ToolText) -> str:
        if not result.text or result.tool in self._rules.leave:
            return result.text
        if not result.tool:
            return self._rules.alone(result.text, parts=result.parts)
        return self.session.add(
            tool=result.tool,
            args=result.args,
            text=result.text,
            budget=share(self._rules.settings.budget, result.parts),
            call_id=result.call_id,
            is_error=result.is_error,
        ).text


def share(budget: int | None, parts: int) -> int | None:
    """Return the tokens that one of several texts of a result may have.

    Examples
    --------
    >>> share(100, 2), share(100, 5), share(None, 2)
    (50, 32, None)
    """
    return None if budget is None else max(LEAST, budget // parts)


def key_after(key: bytes, result: ToolText) -> bytes:
    """Return a hash of a conversation's results up to one."""
    plain = [result.tool, _spelled(result.args), result.call_id, result.is_error, result.parts]
    said = blake2b(key, digest_size=16)
    for part in (repr(plain), result.text):
        raw = part.encode("utf-8", "surrogatepass")
        said.update(b"%d:" % len(raw))
        said.update(raw)
    return said.digest()


def _spelled(args: object) -> str:
    for spell in (dump, repr):
        with suppress(TypeError, ValueError, RecursionError):
            return spell(args)
    return ""

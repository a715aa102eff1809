"""What tuning has to know of one text, measured as a session would write it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mckp.config.tuner.marks import KNAPSACK, RAW
from mckp.errors import MckpError
from mckp.jsontext import dump
from mckp.session import Response as Told
from mckp.session import SessionSettings, classify, inner_formats
from mckp.session.content import json_value
from mckp.session.layers import Layers, Way
from mckp.session.templates import by_name

if TYPE_CHECKING:
    from mckp.tokenizers.base import Tokenizer


@dataclass(frozen=True, slots=True)
class Facts:
    """What is kept of a text: see `mckp.config.tuner.Seen`."""

    content: int
    chars: int
    baseline: int
    ways: dict[str, int]
    shape: str
    inner: frozenset[str]
    columns: int
    depth: int


class Measure:
    """Looks at texts.

    Parameters
    ----------
    settings : SessionSettings
        What sessions may do.
    tokenizer : Tokenizer
        Who counts.
    """

    def __init__(self, settings: SessionSettings, tokenizer: Tokenizer) -> None:
        self._settings, self._tokenizer = settings, tokenizer
        self._layers = Layers(settings, by_name(), tokenizer)

    def told(self, text: str) -> Told:
        """Return a response, looked at."""
        value = json_value(text)
        inner = inner_formats(text, value, depth=self._settings.recursion_depth)
        return Told(text, value, classify(text, value), inner)

    def ways(self, told: Told) -> list[Way]:
        """Return the ways to send it, the shortest first."""
        try:
            return self._layers.ways(told, "", None)
        except MckpError:  # what cannot be encoded is sent as it came
            tokens = self._tokenizer.count(told.text)
            return [Way("L3", "raw", RAW, told.text, told.text, tokens, tokens)]

    def facts(self, told: Told, ways: list[Way], content: int) -> Facts:
        """Return what is kept."""
        tokens = {_name(way): way.tokens for way in ways}
        value, seen = told.value, told.classified
        return Facts(
            content=content,
            chars=len(told.text.encode()),
            baseline=tokens[RAW] if value is None else self._tokenizer.count(dump(value)),
            ways=tokens,
            shape=seen.shape.value,
            inner=frozenset(told.inner),
            columns=seen.cols or 0,
            depth=seen.depth_max or 0,
        )

    def count(self, texts: list[str]) -> list[int]:
        """Return the tokens of some texts."""
        return self._tokenizer.count_batch(texts)


def _name(way: Way) -> str:
    """Return what marks call a way; templates may write what the knapsack's form is."""
    return {"L2": KNAPSACK, "L3": RAW}.get(way.layer, way.name)

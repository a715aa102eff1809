"""Ways to deliver a response in full: by a template, by the knapsack, or as it came."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mckp.api import encode
from mckp.config.options import suiting
from mckp.config.profiles import expanded
from mckp.encoders.fakes import escape
from mckp.encoders.hints import COMPACT, RAW, Label
from mckp.errors import BudgetError
from mckp.parsers.markdown import looks_like_markdown
from mckp.session.classify import Shape
from mckp.session.templates import CsvFromMarkdown, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mckp.result import Elided, Result
    from mckp.session.classify import Classified
    from mckp.session.settings import SessionSettings
    from mckp.session.templates import Response, Template
    from mckp.tokenizers.base import Tokenizer


def without_small(seen: Classified, settings: SessionSettings) -> str | tuple[str, ...]:
    """Return the formats of the settings that a response is large enough for.

    Examples
    --------
    >>> from mckp.session import SessionSettings, classify
    >>> settings = SessionSettings(
    ...     formats=("kv", "json"), shape_thresholds={"flat_object_min_fields": 8}
    ... )
    >>> without_small(classify('{"a": 1}', {"a": 1}), settings)
    ('json',)
    """
    taken = {*_too_small(seen, settings)}
    if not taken:
        return settings.formats
    formats = settings.formats
    names = expanded((formats,) if isinstance(formats, str) else formats)
    return tuple(name for name in names if name not in taken) or ("json",)


def _too_small(seen: Classified, settings: SessionSettings) -> Iterator[str]:
    least = settings.shape_thresholds
    if seen.shape is Shape.ARRAY_OF_OBJECTS:
        few = (seen.n_items or 0) < least.get("array_of_objects_min_items", 0)
        stability = least.get("array_of_objects_min_key_stability", 0)
        if few or (seen.key_stability or 0) < stability:
            yield "csv"
    fields = seen.n_fields or 0
    if seen.shape is Shape.FLAT_OBJECT and fields < least.get("flat_object_min_fields", 0):
        yield "kv"


@dataclass(frozen=True, slots=True)
class Way:
    """One way to deliver a response.

    Attributes
    ----------
    layer : str
        ``L1``, ``L2`` or ``L3``.
    name : str
        The template; ``compact`` for the knapsack, ``raw`` for as it came.
    form : str
        How it is written, as the label says.
    body : str
        What stands below the label.
    text : str
        What is to be sent.
    tokens : int
        Of that text.
    lossless : int
        Of the shortest way to send all, if this one does not.
    elided : tuple of Elided
        What is missing.
    """

    layer: str
    name: str
    form: str
    body: str
    text: str
    tokens: int
    lossless: int
    elided: tuple[Elided, ...] = ()


def delivered(body: str, form: str, number: int | None) -> str:
    """Return a body below its label, with fakes in it marked.

    What came as it is, and will not be referred to, has no label.
    """
    marked = escape(body, raw=form == RAW)
    label = Label(number, form)
    return marked if label == Label() else f"{label}\n{marked}"


@dataclass(frozen=True, slots=True)
class Layers:
    """What is there to write responses with.

    Attributes
    ----------
    settings : SessionSettings
        The knobs.
    templates : mapping of str to Template
        All templates by name.
    tokenizer : Tokenizer
        What counts.
    """

    settings: SessionSettings
    templates: Mapping[str, Template]
    tokenizer: Tokenizer

    def ways(self, response: Response, tool: str, number: int | None) -> list[Way]:
        """Return all ways to send all of a response, the shortest first."""
        bodies = list(self._bodies(response, tool))
        texts = [delivered(body, form, number) for *_, form, body in bodies]
        counts = self.tokenizer.count_batch(texts)
        found = [
            Way(*each, text, tokens, tokens)
            for each, text, tokens in zip(bodies, texts, counts, strict=True)
        ]
        return sorted(found, key=lambda way: way.tokens)

    def cut(
        self, response: Response, tool: str, number: int | None, budget: int, lossless: int
    ) -> Way:
        """Return the way that says most of a response within a budget.

        Raises
        ------
        BudgetError
            If nothing fits.
        """
        label = self.tokenizer.count(f"{Label(number, COMPACT)}\n")
        room = max(0, budget - label)
        while True:
            try:
                result = self._within(response, tool, room)
            except BudgetError as error:
                raise BudgetError(budget, error.floor + max(label, budget - room)) from None
            text = delivered(result.text, COMPACT, number)
            tokens = self.tokenizer.count(text)
            if tokens <= budget:
                break
            if room == 0:
                raise BudgetError(budget, tokens)
            room = max(0, room - (tokens - budget))
        return Way("L2", COMPACT, COMPACT, result.text, text, tokens, lossless, result.elided)

    def unlabelled(self, ways: Sequence[Way], budget: int) -> Way | None:
        """Return the shortest way that keeps a budget once nothing may refer to it, if any."""
        texts = [delivered(way.body, way.form, None) for way in ways]
        counts = self.tokenizer.count_batch(texts)
        found = [
            replace(way, text=text, tokens=tokens)
            for way, text, tokens in zip(ways, texts, counts, strict=True)
            if tokens <= budget
        ]
        return min(found, key=lambda way: way.tokens, default=None)

    def _within(self, response: Response, tool: str, room: int) -> Result:
        return encode(
            response.text,
            budget=room,
            tokenizer=self.tokenizer,
            formats=self._formats(response, tool),
            kind=_kind(response),
        )

    def _bodies(self, response: Response, tool: str) -> Iterator[tuple[str, str, str, str]]:
        yield from self._by_template(response, tool)
        if response.value is not None or self._is_table(response, tool):
            formats, kind = self._formats(response, tool), _kind(response)
            found = encode(response.text, tokenizer=self.tokenizer, formats=formats, kind=kind)
            yield "L2", COMPACT, COMPACT, found.text
        yield "L3", "raw", RAW, response.text

    def _formats(self, response: Response, tool: str) -> str | tuple[str, ...]:
        settings, wanted = self.settings, self.settings.preferred(tool)
        if response.value is None:
            return settings.formats
        formats = without_small(response.classified, settings) if wanted is None else (wanted,)
        if settings.inline_json_cost <= 1:
            return formats
        return suiting(formats, response.value, settings.max_inline_nested)

    def _is_table(self, response: Response, tool: str) -> bool:
        """Whether it has a table which no template has written already, in the same way."""
        is_table = response.classified.shape is Shape.MARKDOWN_TABLE
        is_written = CsvFromMarkdown.name in self._names(tool)
        return is_table and not is_written and looks_like_markdown(response.text)

    def _by_template(self, response: Response, tool: str) -> Iterator[tuple[str, str, str, str]]:
        for name in self._names(tool):
            template = self.templates[name]
            if template.accepts(response, self.settings):
                body = written(template, response, self.tokenizer)
                if body is not None:
                    yield "L1", name, template.form, body

    def _names(self, tool: str) -> tuple[str, ...]:
        named = self.settings.endpoint_overrides.get(tool)
        wanted = self.settings.active_templates if named is None else (named,)
        return tuple(name for name in wanted if name in self.templates)


def _kind(response: Response) -> str:
    if response.value is not None:
        return "json"
    return "markdown" if looks_like_markdown(response.text) else "text"

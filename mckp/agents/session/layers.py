"""Ways to deliver a response in full: by a template, by the knapsack, or as it came."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.config.settings import TEMPLATES
from mckp.agents.session.classify import Shape, classify, inner_formats, is_same, json_value
from mckp.api import encode
from mckp.encoders.fakes import escape
from mckp.encoders.hints import COMPACT, RAW, Label
from mckp.errors import BudgetError
from mckp.parsers import parse
from mckp.parsers.markdown import looks_like_markdown
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mckp.agents.config.settings import SessionSettings
    from mckp.agents.session.classify import Classified
    from mckp.result import Elided, Result
    from mckp.tokenizers.base import Tokenizer


@dataclass(frozen=True, slots=True)
class Response:
    """A response, looked at.

    Attributes
    ----------
    text : str
        The response as it came.
    value
        Its data, if it is an object or array of JSON; else None.
    classified : Classified
        Its shape.
    inner : tuple of str
        Formats of the strings inside.
    """

    text: str
    value: Any
    classified: Classified
    inner: tuple[str, ...]

    @classmethod
    def of(cls, text: str, depth: int) -> Response:
        """Look at a text, and at the strings inside down to so many levels."""
        value = json_value(text)
        return cls(text, value, classify(text, value), inner_formats(text, value, depth=depth))

    def is_said_by(self, content: Any) -> bool:
        """Whether what was read back is the response.

        That is its text, or its data, or the tree of its text as Markdown.
        """
        if isinstance(content, TreeNode):
            return self.value is None and content == parse(self.text, "markdown")
        if isinstance(content, str):
            return content == self.text
        return self.value is not None and is_same(content, self.value)


@dataclass(frozen=True, slots=True)
class Template:
    """Nested data in some formats only, if strings of some formats are inside."""

    name: str
    formats: str | tuple[str, ...]
    signs: frozenset[str] = frozenset()

    def accepts(self, response: Response) -> bool:
        """Whether a response is nested and holds all that it has to."""
        is_nested = response.classified.shape is Shape.NESTED_OBJECT
        return is_nested and self.signs.issubset(response.inner)

    def write(self, response: Response, tokenizer: Tokenizer) -> str:
        """Return the data in the cheapest mix of these formats."""
        return encode(response.text, tokenizer=tokenizer, kind="json", formats=self.formats).text


PIPELINE: Final = Template("pipeline_deep_mckp", "dense", frozenset({"log", "url", "hash"}))
"""The dense level, in which what repeats, as hosts of URLs do, stands once."""


_COVERED: Final = ("csv_from_md", "mr_diff_fence")
"""Names of templates whose texts the knapsack writes as short, which configurations may have."""


def by_name() -> dict[str, Template]:
    """Return all templates by name."""
    mixes = {
        name: Template(name, formats) for name, formats in TEMPLATES.items() if name not in _COVERED
    }
    return {**mixes, PIPELINE.name: PIPELINE}


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
    """What is there to write responses with."""

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
            priorities=self.settings.salience.get(tool) if response.value is not None else None,
        )

    def _bodies(self, response: Response, tool: str) -> Iterator[tuple[str, str, str, str]]:
        yield from self._by_template(response, tool)
        if response.value is not None or self._is_table(response):
            formats, kind = self._formats(response, tool), _kind(response)
            found = encode(response.text, tokenizer=self.tokenizer, formats=formats, kind=kind)
            yield "L2", COMPACT, COMPACT, found.text
        yield "L3", "raw", RAW, response.text

    def _formats(self, response: Response, tool: str) -> str | tuple[str, ...]:
        wanted = None if response.value is None else self.settings.preferred(tool)
        return self.settings.formats if wanted is None else (wanted,)

    def _is_table(self, response: Response) -> bool:
        """Whether it is a document with a table of enough columns."""
        return (response.classified.cols or 0) >= 2 and looks_like_markdown(response.text)

    def _by_template(self, response: Response, tool: str) -> Iterator[tuple[str, str, str, str]]:
        for name in self._names(tool):
            template = self.templates[name]
            if template.accepts(response):
                yield "L1", name, COMPACT, template.write(response, self.tokenizer)

    def _names(self, tool: str) -> tuple[str, ...]:
        named = self.settings.endpoint_overrides.get(tool)
        wanted = self.settings.active_templates if named is None else (named,)
        return tuple(name for name in wanted if name in self.templates)


def _kind(response: Response) -> str:
    if response.value is not None:
        return "json"
    return "markdown" if looks_like_markdown(response.text) else "text"

"""Ways to deliver a response: by the knapsack, or as it came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from mckp.agents.session.classify import has_table, is_of_parts, is_same, json_value
from mckp.api import encode
from mckp.encoders.fakes import escape
from mckp.encoders.hints import COMPACT, RAW, Label
from mckp.errors import BudgetError
from mckp.parsers import parse
from mckp.parsers.markdown import looks_like_markdown
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mckp.agents.config.settings import SessionSettings
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
    """

    text: str
    value: Any

    @classmethod
    def of(cls, text: str) -> Response:
        """Look at a text."""
        return cls(text, json_value(text))

    @property
    def kind(self) -> str:
        """What `mckp.encode` is to take it for."""
        if self.value is not None:
            return "json"
        return "markdown" if looks_like_markdown(self.text) else "text"

    def is_said_by(self, content: Any) -> bool:
        """Whether what was read back is the response.

        That is its text, or its data, or the tree of its text as Markdown.
        """
        if isinstance(content, TreeNode):
            return self.value is None and content == parse(self.text, "markdown")
        if isinstance(content, str):
            return content == self.text
        return self.value is not None and is_same(content, self.value)


class Body(NamedTuple):
    """What may be sent of a response, without its label.

    Attributes
    ----------
    layer : str
        ``L0`` for a reference, ``L2`` for the knapsack, ``L3`` for as it came.
    name : str
        The kind of reference; ``compact`` or ``dense`` for the knapsack, ``raw`` for as it came.
    form : str
        How it is written, as the label says.
    text : str
        The text.
    """

    layer: str
    name: str
    form: str
    text: str


class Way(NamedTuple):
    """One way to deliver a response: a body, the text to send with its tokens, what is missing."""

    body: Body
    text: str
    tokens: int
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
    tokenizer: Tokenizer

    def ways(self, response: Response, tool: str, number: int | None) -> list[Way]:
        """Return all ways to send all of a response, the shortest first."""
        return self.labelled(self._bodies(response, tool), number)

    def labelled(self, bodies: Iterable[Body], number: int | None) -> list[Way]:
        """Return ways to send bodies below a label with a number, the shortest first."""
        found = list(bodies)
        texts = [delivered(body, form, number) for *_, form, body in found]
        counts = self.tokenizer.count_batch(texts)
        ways = [Way(*each) for each in zip(found, texts, counts, strict=True)]
        return sorted(ways, key=lambda way: way.tokens)

    def cut(self, response: Response, tool: str, number: int | None, budget: int) -> Way:
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
        body = Body("L2", COMPACT, COMPACT, result.text)
        return Way(body, text, tokens, result.elided)

    def _within(self, response: Response, tool: str, room: int) -> Result:
        return encode(
            response.text,
            budget=room,
            tokenizer=self.tokenizer,
            formats=self._formats(response, tool),
            kind=response.kind,
            priorities=self.settings.salience.get(tool) if response.value is not None else None,
        )

    def _bodies(self, response: Response, tool: str) -> Iterator[Body]:
        if response.value is not None or (has_table(response.text) and response.kind != "text"):
            formats = self._formats(response, tool)
            yield Body("L2", COMPACT, COMPACT, self._whole(response, formats))
            if formats == ("native",) and is_of_parts(response.text, response.value):
                # What is only looked up in is worth it where most of a response is addresses.
                yield Body("L2", "dense", COMPACT, self._whole(response, "dense"))
        yield Body("L3", "raw", RAW, response.text)

    def _whole(self, response: Response, formats: str | tuple[str, ...]) -> str:
        found = encode(response.text, tokenizer=self.tokenizer, formats=formats, kind=response.kind)
        return found.text

    def _formats(self, response: Response, tool: str) -> str | tuple[str, ...]:
        wanted = None if response.value is None else self.settings.preferred(tool)
        return self.settings.formats if wanted is None else wanted

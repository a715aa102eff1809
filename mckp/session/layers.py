"""Ways to deliver a response in full: by a template, by the knapsack, or as it came.

Ways to write responses of known endpoints: ours, and those that you add.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from mckp.api import encode
from mckp.config.settings import TEMPLATES
from mckp.encoders.fakes import escape
from mckp.encoders.hints import COMPACT, RAW, Label, read_label
from mckp.errors import BudgetError, ParseError
from mckp.jsontext import is_array, is_object
from mckp.parsers import parse
from mckp.parsers.markdown import looks_like_markdown
from mckp.reading import decode
from mckp.session.classify import Shape, classify, inner_formats, is_same, json_value
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mckp.config.settings import SessionSettings
    from mckp.result import Elided, Result
    from mckp.session.classify import Classified
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


@runtime_checkable
class Template(Protocol):
    """A way to write responses of one kind, without loss.

    Any object with these members is a template. What it writes is read back before it is
    sent, and not sent if it does not say the same.
    """

    @property
    def name(self) -> str:
        """What settings call it."""
        ...

    @property
    def form(self) -> str:
        """A word of small letters, digits and underscores, which stands in the label.

        By it a reader knows who reads the text; ``compact`` is for what `mckp.decode` reads.
        """
        ...

    def accepts(self, response: Response, settings: SessionSettings) -> bool:
        """Whether it is worth a try."""
        ...

    def write(self, response: Response, tokenizer: Tokenizer) -> str | None:
        """Return the text, None if there is none."""
        ...

    def read(self, body: str) -> Any:
        """Return the data, the text, or the tree of Markdown, that a text stands for."""
        ...


def written(template: Template, response: Response, tokenizer: Tokenizer) -> str | None:
    """Return what a template writes, if that says all."""
    try:
        body = template.write(response, tokenizer)
        said = body is not None and response.is_said_by(template.read(body))
    except ParseError:
        return None
    return body if said else None


class CsvFromMarkdown:
    """The whole document: what stands around tables, and every table in it."""

    name, form = "csv_from_md", COMPACT

    def accepts(self, response: Response, settings: SessionSettings) -> bool:
        """Whether there is a table of enough columns."""
        return (response.classified.cols or 0) >= 2

    def write(self, response: Response, tokenizer: Tokenizer) -> str | None:
        """Return the document in the cheapest way."""
        return encode(response.text, tokenizer=tokenizer, kind="markdown").text

    def read(self, body: str) -> Any:
        """Return the tree of the document."""
        return decode(body)


_LISTS: Final = ("diffs", "changes", "files")
_BODIES: Final = ("diff", "content", "patch")
_PATHS: Final = ("new_path", "path", "filename")

_TOP = re.compile(r"# (diffs|changes|files)\[([0-9]+)\]")
_HEAD = re.compile(r"## (diff|content|patch) ([0-9]+)(?: (new_path|path|filename): (.+))?")
_LINE = re.compile(r"(?=\S)[^\x00-\x1f\x7f\x85\u2028\u2029]+(?<=\S)")
_TICKS = re.compile(r"`+")


class MergeRequestDiff:
    """Data with an array of diffs, whose lines stand as they are."""

    name, form = "mr_diff_fence", "diffs"

    def accepts(self, response: Response, settings: SessionSettings) -> bool:
        """Whether there is an array with diffs."""
        return _list_in(response.value) is not None

    def write(self, response: Response, tokenizer: Tokenizer) -> str | None:
        """Return the fences, and the rest."""
        name = _list_in(response.value)
        if name is None:
            return None
        files = response.value[name]
        blocks: list[str] = []
        rest = [_taken(file, number, blocks) for number, file in enumerate(files, 1)]
        below = encode({**response.value, name: rest}, tokenizer=tokenizer).text
        return "".join([f"# {name}[{len(blocks)}]\n", *blocks, below])

    def read(self, body: str) -> Any:
        """Return the data.

        Raises
        ------
        ParseError
            If the text is damaged.
        """
        top, _, below = body.partition("\n")
        match = _TOP.fullmatch(top)
        if match is None:
            raise ParseError("expected a line such as '# diffs[2]'", line=1, column=1)
        lines = iter(below.split("\n"))
        blocks = [_block(lines) for _ in range(int(match[2]))]
        return _filled(decode("\n".join(lines)), match[1], blocks)


def _list_in(value: Any) -> str | None:
    if not is_object(value):
        return None
    return next((name for name in _LISTS if _has_diffs(value.get(name))), None)


def _has_diffs(files: Any) -> bool:
    return is_array(files) and any(_body_of(file) is not None for file in files)


def _body_of(file: Any) -> str | None:
    """Return the name of the member that is a diff."""
    if not is_object(file):
        return None
    return next((name for name in _BODIES if isinstance(file.get(name), str)), None)


def _path_of(file: dict[str, Any]) -> str | None:
    """Return the name of the member that is a path of one line."""
    strings = {name for name in _PATHS if isinstance(file.get(name), str)}
    return next((name for name in _PATHS if name in strings and _LINE.fullmatch(file[name])), None)


def _taken(file: Any, number: int, blocks: list[str]) -> Any:
    """Write the block of a file, and return what is left of it."""
    body = _body_of(file)
    if body is None:
        return file
    path, text = _path_of(file), file[body]
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))
    named = "" if path is None else f" {path}: {file[path]}"
    blocks.append(f"## {body} {number}{named}\n{fence}diff\n{text}\n{fence}\n")
    return {key: value for key, value in file.items() if key not in (body, path)}


def _filled(value: Any, name: str, blocks: Iterable[tuple[int, dict[str, str]]]) -> Any:
    """Put what the blocks say into the data."""
    files = value.get(name) if is_object(value) else None
    for number, members in blocks:
        if not is_array(files) or not 0 < number <= len(files) or not is_object(files[number - 1]):
            raise ParseError(f"the data below the fences has no {name}[{number - 1}]")
        files[number - 1].update(members)
    return value


def _block(lines: Iterator[str]) -> tuple[int, dict[str, str]]:
    """Return the number of a file, and what its block says."""
    head = _HEAD.fullmatch(next(lines, ""))
    fence = next(lines, "").removesuffix("diff")
    if head is None or len(fence) < 3 or fence.strip("`"):
        raise ParseError("expected a line such as '## diff 1 path: a.py' and a fence")
    text = "\n".join(iter(lines.__next__, fence))
    path = {} if head[3] is None else {head[3]: head[4]}
    return int(head[2]), {**path, head[1]: text}


@dataclass(frozen=True, slots=True)
class OfFormats:
    """Nested data in some formats only, if strings of some formats are inside."""

    name: str
    formats: str | tuple[str, ...]
    signs: frozenset[str] = frozenset()
    form: str = COMPACT

    def accepts(self, response: Response, settings: SessionSettings) -> bool:
        """Whether it is nested and holds all that it has to."""
        is_nested = response.classified.shape is Shape.NESTED_OBJECT
        return is_nested and self.signs.issubset(response.inner)

    def write(self, response: Response, tokenizer: Tokenizer) -> str | None:
        """Return the data in the cheapest mix of these formats."""
        return encode(response.text, tokenizer=tokenizer, kind="json", formats=self.formats).text

    def read(self, body: str) -> Any:
        """Return the data."""
        return decode(body)


PIPELINE: Final = OfFormats("pipeline_deep_mckp", "dense", frozenset({"log", "url", "hash"}))
"""The dense level, in which what repeats, as hosts of URLs do, stands once."""


def by_name(own: Iterable[Template] = ()) -> dict[str, Template]:
    """Return all templates by name; those given here come after ours, or in their place.

    Raises
    ------
    ValueError
        For a form that cannot stand in a label.
    """
    written_here: list[Template] = [CsvFromMarkdown(), PIPELINE, MergeRequestDiff()]
    ours = {each.name for each in written_here}
    mixes = [OfFormats(name, each) for name, each in TEMPLATES.items() if name not in ours]
    every = [*written_here, *mixes, *own]
    for each in every:
        if read_label(str(Label(None, each.form))) is None:
            raise ValueError(
                f"{each.form!r}, the form of the template {each.name!r}, must be a word of small "
                "letters, digits and underscores"
            )
    return {each.name: each for each in every}


def by_form(own: Iterable[Template] = ()) -> dict[str, Callable[[str], Any]]:
    """Return what reads each form."""
    readers = {each.form: each.read for each in by_name(own).values()}
    return {**readers, COMPACT: decode}


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
        if response.value is not None or self._is_table(response, tool):
            formats, kind = self._formats(response, tool), _kind(response)
            found = encode(response.text, tokenizer=self.tokenizer, formats=formats, kind=kind)
            yield "L2", COMPACT, COMPACT, found.text
        yield "L3", "raw", RAW, response.text

    def _formats(self, response: Response, tool: str) -> str | tuple[str, ...]:
        wanted = None if response.value is None else self.settings.preferred(tool)
        return self.settings.formats if wanted is None else (wanted,)

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

"""What a template is: a way to write responses of one kind, and to read them back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from mckp.errors import ParseError
from mckp.parsers import parse
from mckp.session.content import is_same
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from mckp.session.classify import Classified
    from mckp.session.settings import SessionSettings
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

"""Nested data in few formats, by the names that configurations have for such mixes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mckp.api import encode
from mckp.encoders.hints.label import COMPACT
from mckp.reading import decode
from mckp.session.classify import Shape

if TYPE_CHECKING:
    from mckp.session.settings import SessionSettings
    from mckp.session.templates.base import Response
    from mckp.tokenizers.base import Tokenizer


@dataclass(frozen=True, slots=True)
class OfFormats:
    """Nested data in some formats only.

    Attributes
    ----------
    name : str
        What settings call it.
    formats : tuple of str
        The formats.
    form : str
        What reads it.
    """

    name: str
    formats: tuple[str, ...]
    form: str = COMPACT

    def accepts(self, response: Response, settings: SessionSettings) -> bool:
        """Whether it is nested."""
        return response.classified.shape is Shape.NESTED_OBJECT

    def write(self, response: Response, tokenizer: Tokenizer) -> str | None:
        """Return the data in the cheapest mix of these formats."""
        return encode(response.text, tokenizer=tokenizer, kind="json", formats=self.formats).text

    def read(self, body: str) -> Any:
        """Return the data."""
        return decode(body)

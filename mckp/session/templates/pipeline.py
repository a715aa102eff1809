"""Runs of pipelines: nested data with logs, URLs and hashes, in which much repeats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.api import encode
from mckp.encoders.hints.label import COMPACT
from mckp.reading import decode
from mckp.session.classify import Shape

if TYPE_CHECKING:
    from mckp.session.settings import SessionSettings
    from mckp.session.templates.base import Response
    from mckp.tokenizers.base import Tokenizer

_SIGNS: Final = frozenset({"log", "url", "hash"})


class Pipeline:
    """The data in the dense level, in which what repeats, as hosts of URLs do, stands once."""

    name, form = "pipeline_deep_mckp", COMPACT

    def accepts(self, response: Response, settings: SessionSettings) -> bool:
        """Whether it is nested and holds all three."""
        return response.classified.shape is Shape.NESTED_OBJECT and set(response.inner) >= _SIGNS

    def write(self, response: Response, tokenizer: Tokenizer) -> str | None:
        """Return the data in the cheapest way of that level."""
        return encode(response.text, tokenizer=tokenizer, kind="json", formats="dense").text

    def read(self, body: str) -> Any:
        """Return the data."""
        return decode(body)

"""Documents of Markdown, all of whose tables are written as CSV where that is shorter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.api import encode
from mckp.encoders.hints.label import COMPACT
from mckp.reading import decode

if TYPE_CHECKING:
    from mckp.session.settings import SessionSettings
    from mckp.session.templates.base import Response
    from mckp.tokenizers.base import Tokenizer


class CsvFromMarkdown:
    """The whole document: what stands around tables, and every table in it."""

    name, form = "csv_from_md", COMPACT

    def accepts(self, response: Response, settings: SessionSettings) -> bool:
        """Whether there is a table of enough columns."""
        least = settings.shape_thresholds.get("markdown_table_min_cols", 2)
        return (response.classified.cols or 0) >= least

    def write(self, response: Response, tokenizer: Tokenizer) -> str | None:
        """Return the document in the cheapest way."""
        return encode(response.text, tokenizer=tokenizer, kind="markdown").text

    def read(self, body: str) -> Any:
        """Return the tree of the document."""
        return decode(body)

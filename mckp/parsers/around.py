r"""The text above and below a table in a text: ``above=2`` and ``below=1`` count the line feeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mckp.jsontext import JsonValue

_ABOVE, _BELOW = "above", "below"
_MOST_FEEDS: Final = 99
"""Most line feeds that a word can count."""


def split_text(
    text: str, start: int, stop: int, members: dict[str, JsonValue]
) -> tuple[JsonValue, list[str], list[str]]:
    r"""Return the data of a text with a table, and the words that describe the text around it.

    `members` has the rows of the table, at `start` to `stop` of the text, in ``data``. If there is
    nothing else, the rows themselves are returned. The first words are for the line feeds above and
    below the table, the second ones for the end of the text.

    Examples
    --------
    >>> split_text("Two rows:\n\n|a|\n", 11, 14, {"data": [1, 2]})
    ({'above': 'Two rows:', 'data': [1, 2]}, ['above=2'], [])
    """
    end_words = [] if text.endswith("\n") else ["open"]
    text_above, text_below = text[:start], text[stop : len(text) if end_words else len(text) - 1]
    above, below = text_above.rstrip("\n"), text_below.lstrip("\n")
    value: dict[str, JsonValue] = {}
    words: list[str] = []
    if text_above:
        value[_ABOVE] = above
        words.append(f"{_ABOVE}={min(_MOST_FEEDS, len(text_above) - len(above))}")
    value |= members
    if text_below:
        value[_BELOW] = below
        words.append(f"{_BELOW}={min(_MOST_FEEDS, len(text_below) - len(below))}")
    return (value if len(value) > 1 else members["data"]), words, end_words


def join_text(members: dict[str, JsonValue], words: Iterable[str], table: str) -> str:
    """Return a table with the text above and below it, as the words of its form say."""
    feeds = dict(
        word.split("=", 1) for word in words if word.startswith((f"{_ABOVE}=", f"{_BELOW}="))
    )
    above, below = (
        str(members.get(name, "")) if name in feeds else "" for name in (_ABOVE, _BELOW)
    )
    before, after = ("\n" * int(feeds.get(name, 0)) for name in (_ABOVE, _BELOW))
    return f"{above}{before}{table}{after}{below}"

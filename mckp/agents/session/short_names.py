"""Short names for long ids: ``@p3`` in place of a UUID or a hash, wherever a session shows it.

The model reads and writes the name. Whoever runs its calls puts the id back, with
`ShortNames.resolve`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.errors import MckpError, did_you_mean
from mckp.jsontext import is_array, is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable

EXPLAINED: Final = (
    " Names such as @p3 stand for long ids, the same in all results: use them in calls as they are."
)
"""What the instructions for a model say of short names."""

SHORTEST, LONGEST = 20, 90
"""Characters of an id that gets a name. Shorter ones cost hardly more than a name; what is longer
is data."""

_NAME = r"@[a-z][1-9][0-9]{0,5}"
_BEFORE, _AFTER = r"(?<![\w@])", r"(?!\w)"
_FULL = regex(rf"{_NAME}\Z")
_names = regex(rf"{_BEFORE}{_NAME}{_AFTER}")
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_HASH = rf"(?=[0-9]*[a-f])[0-9a-f]{{{SHORTEST},{LONGEST}}}"
# A key of letters and digits in no order, such as the node ids of GitHub: it has both, and no run
# of small letters that may be a word.
_KEY = (
    rf"(?=[A-Za-z_-]*[0-9])(?=[0-9_-]*[A-Za-z])(?![A-Za-z0-9_-]*[a-z]{{5}})"
    rf"[A-Za-z0-9_-]{{{SHORTEST},{LONGEST}}}=?"
)
_STARTS, _ENDS = r"(?:(?<=[\s\"'(\[{<,;:=/?&#|])|^)", r"(?=[\s\"')\]}>,;:/?&#|.]|\\n|$)"
_ids = regex(rf"{_STARTS}(?:{_UUID}|{_HASH}|{_KEY}){_ENDS}|{_BEFORE}{_NAME}{_AFTER}")
_word_before = regex(r"([A-Za-z])[A-Za-z_-]*[\"'\s:=/(\[#]{1,6}\Z")
_IN_TEXT: Final = 64
"""Characters before an id in which the word for it is looked for."""
_UNBROKEN: Final = 400
"""Characters without a blank or quote around an id from which on it is part of encoded data."""
_blanks_and_quotes = regex(r"[\s\"']")


class ShortNames:
    """The names of a conversation, each for one id, in the order in which the ids came.

    A name has the first letter of the word before the id where it first came, such as p for
    ``page_id``, and a number of its own. An id in a result that looks like a name gets a name, too,
    so that all names in results are ours.

    Parameters
    ----------
    names : iterable of pairs of str, optional
        Names with their ids, as `to_list` returns them.

    Examples
    --------
    >>> names, page = ShortNames(), "1f0c2a44-91d3-4c51-a7a5-0be2f2a4c1d7"
    >>> names.shorten(f'{{"page_id": "{page}", "url": "https://example.org/{page}/edit"}}')
    '{"page_id": "@p1", "url": "https://example.org/@p1/edit"}'
    >>> names.resolve({"id": "@p1", "text": "see /pages/@p1"}) == {
    ...     "id": page, "text": f"see /pages/{page}"
    ... }
    True
    """

    def __init__(self, names: Iterable[tuple[str, str]] = ()) -> None:
        self._id_of: dict[str, str] = dict(names)
        self._name_of = {identifier: name for name, identifier in self._id_of.items()}

    def __len__(self) -> int:
        return len(self._id_of)

    def shorten(self, text: str) -> str:
        """Return the text of a result with a name for each long id; new ids get new names."""

        def name(found: re.Match[str]) -> str:
            identifier = found[0]
            known = self._name_of.get(identifier)
            if known is not None:
                return known
            if found[0][0] != "@" and _is_in_data(found):
                return identifier
            before = _word_before.search(text[max(0, found.start() - _IN_TEXT) : found.start()])
            new = f"@{before[1].lower() if before else 'i'}{len(self._id_of) + 1}"
            self._id_of[new], self._name_of[identifier] = identifier, new
            return new

        return _ids.sub(name, text)

    def shorten_known(self, value: Any) -> Any:
        """Return plain data with the names of ids that have one; names in them stay."""
        if not self._id_of:
            return value
        if isinstance(value, str):
            return _ids.sub(
                lambda found: found[0] if found[0][0] == "@" else self._named(found[0]), value
            )
        return _mapped(self.shorten_known, value)

    def _named(self, identifier: str) -> str:
        return self._name_of.get(identifier, identifier)

    def resolve(self, value: Any) -> Any:
        """Return plain data, such as the arguments of a call, with ids in place of names.

        Names are found in any text, such as a path, an URL or a query. A value that is nothing but
        an unknown name raises an `MckpError` that lists the nearest names.
        """
        if not self._id_of:
            return value
        if not isinstance(value, str):
            return _mapped(self.resolve, value)
        if _FULL.match(value) and value not in self._id_of:
            latest = next(reversed(self._id_of))
            near = did_you_mean(value, self._id_of) or f" the latest is {latest}"
            raise MckpError(f"{value} is the short name of no id;{near}")
        return self.resolve_text(value)

    def resolve_text(self, text: str) -> str:
        """Return a text, such as one for the user, with ids in place of the names that exist."""
        if not self._id_of or "@" not in text:
            return text
        return _names.sub(lambda found: self._id_of.get(found[0], found[0]), text)

    def to_list(self) -> list[tuple[str, str]]:
        """Return the names with their ids, as plain data."""
        return list(self._id_of.items())


def _is_in_data(found: re.Match[str]) -> bool:
    """Whether what looks like an id is part of encoded data, such as an image in base64."""
    text, (start, end) = found.string, found.span()
    before = _blanks_and_quotes.split(text[max(0, start - _UNBROKEN) : start])[-1]
    after = _blanks_and_quotes.split(text[end : end + _UNBROKEN], 1)[0]
    return len(before) + len(after) >= _UNBROKEN


def _mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Return an object or array with its values mapped; anything else as it is."""
    if is_object(value):
        return {key: function(child) for key, child in value.items()}
    return [function(child) for child in value] if is_array(value) else value

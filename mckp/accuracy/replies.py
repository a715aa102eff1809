"""Checks whether a reply is right, whatever a model writes around the answer.

The oracle is the perfect reader: our decoder followed by the query of the question. A question that
it cannot answer cannot be answered from the text.
"""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from mckp.accuracy.query import DIGITS, UNKNOWN
from mckp.accuracy.reader import Reply, TextQuestion
from mckp.answers.reading import decode
from mckp.encoders.scalars import read_json
from mckp.errors import ParseError
from mckp.jsontext import dump, is_array
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.plain import JsonValue


_FENCE: Final = regex(r"```\w*\n(.*?)\n?```", re.S)
_LABEL: Final = regex(r"(?:the )?(?:final )?answer(?: is)?\s*[:=]?\s+", re.I)
_NUMBER: Final = regex(
    r"[-+]?(?:[0-9]{1,3}(?:[,\u00a0\u202f\u2019'_][0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?",
    re.I,
)
_PARTS: Final = regex(r"[,\u00a0\u202f\u2019'_]")
_QUOTES: Final = "\"'`*\u201c\u201d\u2018\u2019"
_YES: Final = frozenset({"yes", "true", "y", "1"})
_NO: Final = frozenset({"no", "false", "n", "0"})
_UNKNOWN: Final = frozenset(
    {"unknown", "n/a", "na", "not given", "not available", "not known", "not told", "cannot tell"}
)


def is_unknown(reply: str) -> bool:
    """Whether a reply says that the text has no answer.

    Examples
    --------
    >>> [is_unknown(reply) for reply in ("Unknown.", "`unknown`", "unknown species", "")]
    [True, True, False, False]
    """
    return _bare_answer(reply).casefold().rstrip(".") in _UNKNOWN


def is_right(reply: str, gold: Any, type: str) -> bool:
    r"""Whether a reply gives the right answer; other words around the answer are allowed.

    Parameters
    ----------
    reply : str
        The reply of a reader.
    gold
        The right answer.
    type : str
        The type as which it is compared; see `mckp.accuracy.Question`.

    Examples
    --------
    >>> is_right("1,204 builds", 1204, "integer"), is_right("1204.5", 1204, "integer")
    (True, False)
    >>> is_right("Answer: **yes**", True, "boolean"), is_right("12.501", 12.5, "number")
    (True, True)
    >>> is_right('```\n["b", "a"]\n```', ["a", "b"], "set"), is_right("b, a", ["a", "b"], "list")
    (True, False)
    """
    if type == "unknown":
        return is_unknown(reply)
    if is_unknown(reply) and not (isinstance(gold, str) and is_unknown(gold)):
        return False
    return _CHECKS[type](_bare_answer(reply), gold)


def answer_text(answer: Any) -> str:
    """Return the text of an answer.

    Examples
    --------
    >>> [answer_text(answer) for answer in (True, "x", 2.5, ["a", 1], UNKNOWN)]
    ['yes', 'x', '2.5', '["a",1]', 'unknown']
    """
    if answer is UNKNOWN:
        return "unknown"
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    return answer if isinstance(answer, str) else dump(answer)


def _bare_answer(reply: str) -> str:
    """Return a reply without the fences, labels and quotes around the answer."""
    fenced = _FENCE.search(reply)
    text = unicodedata.normalize("NFC", fenced[1] if fenced else reply).strip()
    text = text[label.end() :] if (label := _LABEL.match(text)) else text
    return text.strip().strip(_QUOTES).strip()


def _first_number(reply: str) -> float | int | None:
    """Return the first number in a reply, or None."""
    match = _NUMBER.search(reply)
    if match is None:
        return None
    whole, point, rest = match[0].lower().partition(".")
    digits = _PARTS.sub("", whole)
    return float(digits + point + rest) if point or "e" in digits else int(digits)


def _is_right_number(reply: str, gold: float) -> bool:
    """Whether the first number in a reply is the right one, up to rounding."""
    number = _first_number(reply)
    tolerance = max(1e-6 * abs(gold), 0.5 * 10**-DIGITS if round(gold, DIGITS) == gold else 0)
    return number is not None and abs(number - gold) <= tolerance + 1e-12


def _is_right_boolean(reply: str, gold: bool) -> bool:
    """Whether a reply begins with a word for the right answer, such as yes or true."""
    word = re.split(r"[^\w]+", reply.casefold(), maxsplit=1)[0]
    return word in (_YES if gold else _NO)


def _is_right_string(reply: str, gold: str) -> bool:
    """Whether a reply is the right text or date."""
    right_text = unicodedata.normalize("NFC", gold).strip().strip(_QUOTES).casefold()
    lowered = reply.casefold()
    if right_text in (lowered, lowered.rstrip(".")):
        return True
    moment = _parse_date(gold)
    return moment is not None and moment == _parse_date(reply)


def _parse_date(text: str) -> datetime | None:
    """Parse an ISO 8601 date, with or without a time; return None for any other text."""
    with suppress(ValueError):
        return datetime.fromisoformat(text.rstrip(".")) if len(text) >= len("2025-01-01") else None
    return None


def _list_items(reply: str) -> list[str]:
    """Return the items of a list in a reply."""
    with suppress(ParseError, ValueError):
        if reply.startswith("[") and is_array(items := read_json(reply)):
            return [_comparable_item(value) for value in items]
    parts = re.split(r"[,\n;]", reply.strip("[]"))
    return [
        _comparable_item(part.strip().removeprefix("- ").strip(_QUOTES))
        for part in parts
        if part.strip()
    ]


def _comparable_item(value: JsonValue) -> str:
    """Return an item as text, for comparison."""
    text = unicodedata.normalize("NFC", answer_text(value))
    return text.strip().strip(_QUOTES).rstrip(".").casefold()


_CHECKS: Final[dict[str, Callable[[str, Any], bool]]] = {
    "integer": lambda reply, gold: _first_number(reply) == gold,
    "number": _is_right_number,
    "boolean": _is_right_boolean,
    "string": _is_right_string,
    "list": lambda reply, gold: _list_items(reply) == list(map(_comparable_item, gold)),
    "set": lambda reply, gold: sorted(_list_items(reply)) == sorted(map(_comparable_item, gold)),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply to a question about a text, or the reason why there is none.

    Attributes
    ----------
    asked : TextQuestion
        The question and the text.
    reply : Reply or None
        The reply of the reader, if any.
    failure : str
        Why there is no reply.
    """

    asked: TextQuestion
    reply: Reply | None
    failure: str = ""

    @property
    def is_right(self) -> bool:
        """Whether the reply is right; False if there is no reply."""
        question = self.asked.question
        return self.reply is not None and is_right(self.reply.text, question.gold, question.type)

    @property
    def is_unknown(self) -> bool:
        """Whether the reader said that it does not know."""
        return self.reply is not None and is_unknown(self.reply.text)


class OracleReader:
    """Decodes the text, and runs the query on the decoded data.

    Examples
    --------
    >>> from mckp.accuracy import TextQuestion, questions, writings
    >>> data = [{"id": n, "ok": n > 5} for n in range(9)]
    >>> [asked] = questions(data, each=1)[:1]
    >>> [native] = writings(data, ["native"])
    >>> OracleReader().read(TextQuestion(asked, native)).text == ("yes" if asked.gold else "no")
    True
    """

    name = "oracle"

    def read(self, asked: TextQuestion) -> Reply:
        """Return the answer of the decoded text."""
        return Reply(answer_text(asked.question.query.answer(_cached_decode(asked.writing.text))))


@lru_cache(maxsize=4)
def _cached_decode(text: str) -> Any:
    """Decode a text, once."""
    return decode(text)

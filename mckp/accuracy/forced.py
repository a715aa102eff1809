"""What may be written as an answer, as a grammar of llama.cpp.

Models of few parameters repeat the question in place of an answer. Within a grammar they can only
choose: yes or no, a number, a string of the data; in lists also names of members and numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.accuracy.tables import SHORT
from mckp.jsontext import dump, is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBERS: Final = {
    "boolean": '"yes" | "no"',
    "integer": '"-"? [0-9]{1,9}',
    "number": '"-"? [0-9]{1,9} ("." [0-9]{1,6})?',
}
_BEGIN: Final = '"The answer is "'
"""Else the first word would be a value, which such models make up; checks of replies skip it."""
_ITEM: Final = '"-"? [0-9]{1,9}'


def grammar(type: str, data: Any) -> str:
    r"""Return the grammar of answers of a type to questions about data.

    Examples
    --------
    >>> print(grammar("string", [{"id": 1, "state": "ok"}]))
    root ::= "The answer is " ("ok")
    >>> print(grammar("list", [{"id": 1}]))
    root ::= "The answer is " item (", " item){0,7}
    item ::= "-"? [0-9]{1,9} | "id"
    """
    if type in _NUMBERS:
        return f"root ::= {_BEGIN} ({_NUMBERS[type]})"
    is_list = type in ("list", "set")
    found = dict.fromkeys(_words(data, is_list))
    words = [dump(word) for word in found if 0 < len(word) <= SHORT]
    if is_list:
        return (
            f'root ::= {_BEGIN} item (", " item){{0,7}}\n'
            + f"item ::= {' | '.join([_ITEM, *words])}"
        )
    return f"root ::= {_BEGIN} ({' | '.join(words or [dump('unknown')])})"


def _words(data: Any, with_names: bool) -> Iterator[str]:
    """Yield strings, and names if they are wanted, outer ones first."""
    if is_object(data):
        for key, below in data.items():
            yield from [key] * with_names
            yield from _words(below, with_names)
    elif is_array(data):
        for below in data:
            yield from _words(below, with_names)
    elif isinstance(data, str):
        yield data

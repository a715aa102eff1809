"""What a response looks like: its data, its shape, and the formats of the strings inside."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import ParseError
from mckp.jsontext import canonical, is_array, is_container, is_object
from mckp.parsers import parse
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet


def json_value(text: str) -> Any:
    """Return the object or array that a text is; None if it is none, or not strictly.

    Text with a name twice in an object is not the same as any data, so it is text.

    Examples
    --------
    >>> json_value(' {"a": 1}'), json_value('{"a": 1, "a": 2}'), json_value("7")
    ({'a': 1}, None, None)
    """
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = parse(text, "json").value
    except ParseError:
        return None
    return value if is_container(value) and not text.startswith("\ufeff") else None


def is_same(one: Any, other: Any) -> bool:
    """Whether two contents are the same: types apart, the order of members aside."""
    if isinstance(one, TreeNode) or isinstance(other, TreeNode):
        return bool(one == other)
    return type(one) is type(other) and canonical(one) == canonical(other)


class Shape(StrEnum):
    """What a response is as a whole."""

    PROSE = "prose"
    NUMBERED_LIST = "numbered_list"
    BULLET_LIST = "bullet_list"
    CODE_BLOCK = "code_block"
    MARKDOWN_TABLE = "markdown_table"
    NESTED_OBJECT = "nested_object"
    FLAT_OBJECT = "flat_object"
    ARRAY_OF_OBJECTS = "array_of_objects"
    ARRAY_OF_PRIMITIVES = "array_of_primitives"
    EMPTY = "empty"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Classified:
    """A shape, and its figures, which are None where there is nothing to count.

    Attributes
    ----------
    shape : Shape
        The shape.
    n_items : int or None
        Items of an array of objects.
    key_stability : float or None
        How much its first items have the same names: the mean Jaccard index with the first.
    n_fields, depth_max : int or None
        Members of an object, and levels of containers in a nested one.
    cols, rows : int or None
        Of the first table of Markdown.
    """

    shape: Shape
    n_items: int | None = None
    key_stability: float | None = None
    n_fields: int | None = None
    depth_max: int | None = None
    cols: int | None = None
    rows: int | None = None

    @property
    def figures(self) -> dict[str, float | None]:
        """The figures that telemetry has, by its names."""
        found = {"cols": self.cols, "rows": self.rows, "depth": self.depth_max}
        return {**found, "key_stability": self.key_stability}


_COMPARED_RECORDS: Final = 20
_DELIMITERS: Final = frozenset("|-: \t")
_BAR = re.compile(r"(?<!\\)\|")
_NUMBERED = re.compile(r"^[ \t]*[0-9]+→", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*[-*] ", re.MULTILINE)
_BACKTICKS = re.compile(r"^```", re.MULTILINE)


def classify(text: str, value: Any = None) -> Classified:
    r"""Return the shape of a response.

    Parameters
    ----------
    text : str
        The response.
    value : optional
        Its data, if it is an object or array of JSON.

    Examples
    --------
    >>> classify("- a\n- b\n- c").shape.value, classify('{"a": 1}', {"a": 1}).shape.value
    ('bullet_list', 'flat_object')
    """
    if value is not None:
        return _of_object(value) if is_object(value) else _of_array(value)
    if not text.strip():
        return Classified(Shape.EMPTY)
    if (table := first_table(text)) is not None:
        return Classified(Shape.MARKDOWN_TABLE, cols=table[0], rows=table[1])
    return Classified(_of_text(text))


def first_table(text: str) -> tuple[int, int] | None:
    r"""Return the columns and rows of the first table of Markdown in a text, or None.

    Examples
    --------
    >>> first_table("so:\n| a\\|b | c |\n|---|---|\n| 1 | 2 |\n\n| 3 | 4 |")
    (2, 1)
    """
    if "|" not in text:
        return None
    lines = [line.strip() for line in text.split("\n")]
    for place, (line, below) in enumerate(pairwise(lines)):
        if len(line) > 1 and line[0] == line[-1] == "|" and _delimits(below):
            return len(_BAR.split(line[1:-1])), _count_rows(lines[place + 2 :])
    return None


def _delimits(line: str) -> bool:
    return line.startswith("|") and "-" in line and _DELIMITERS.issuperset(line)


def _count_rows(lines: Iterable[str]) -> int:
    count = 0
    for line in lines:
        if not line:
            break
        count += line.startswith("|")
    return count


def _of_text(text: str) -> Shape:
    if _at_least(2, _BACKTICKS, text):
        return Shape.CODE_BLOCK
    if _at_least(3, _NUMBERED, text):
        return Shape.NUMBERED_LIST
    return Shape.BULLET_LIST if _at_least(3, _BULLET, text) else Shape.PROSE


def _at_least(count: int, pattern: re.Pattern[str], text: str) -> bool:
    return sum(1 for _ in islice(pattern.finditer(text), count)) == count


def _of_array(items: Sequence[Any]) -> Classified:
    if not items:
        return Classified(Shape.EMPTY)
    if all(map(is_object, items)):
        stability = _key_stability(items)
        return Classified(Shape.ARRAY_OF_OBJECTS, n_items=len(items), key_stability=stability)
    if any(map(is_container, items)):
        return Classified(Shape.NESTED_OBJECT)
    return Classified(Shape.ARRAY_OF_PRIMITIVES)


def _of_object(value: dict[str, Any]) -> Classified:
    if not value:
        return Classified(Shape.EMPTY)
    if not any(map(is_container, value.values())):
        return Classified(Shape.FLAT_OBJECT, n_fields=len(value))
    return Classified(Shape.NESTED_OBJECT, n_fields=len(value), depth_max=_depth(value))


def _key_stability(items: Sequence[dict[str, Any]]) -> float:
    first, *others = (item.keys() for item in items[:_COMPARED_RECORDS])
    if not others:
        return 1.0
    return sum(_jaccard(first, keys) for keys in others) / len(others)


def _jaccard(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0


def _depth(value: Any) -> int:
    """Return the levels of containers, level by level, for some are nested deep."""
    depth, level = 0, [value]
    while level:
        depth += 1
        inside = (item.values() if is_object(item) else item for item in level)
        level = [each for items in inside for each in items if is_container(each)]
    return depth


INNER: Final = ("url", "log", "hash", "diff")
"""The formats by which templates are chosen, here or by the tuner."""

_MAX_ITEMS: Final = 100
_MAX_MEMBERS: Final = 200
_MIN_CHARS: Final = 8

_HEX: Final = "|".join(f"[0-9a-f]{{{size}}}" for size in (7, 8, 10, 32, 40, 64))
_TESTS: Final = {
    "url": re.compile(r"\bhttps?://[^\s/]"),
    "log": re.compile(r"(?<![0-9])[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}"),
    # A commit has digits and letters; words and numbers of as many characters are none.
    "hash": re.compile(rf"(?<![\w-])(?=[0-9]*[a-f])(?=[a-f]*[0-9])(?:{_HEX})(?![\w-])"),
    "diff": re.compile(r"^(?:@@ -[0-9].*? @@|diff --git )", re.MULTILINE),
}


def inner_formats(text: str, value: Any = None, *, depth: int = 5) -> tuple[str, ...]:
    """Return the formats that a response holds, in the order of `INNER`.

    Parameters
    ----------
    text : str
        The response.
    value : optional
        Its data; then the strings inside are looked at, and the text is not.
    depth : int
        Levels of containers that are looked into.

    Examples
    --------
    >>> inner_formats("feedback on 1234567"), inner_formats("see 9fceb02 at https://x.org/a")
    ((), ('url', 'hash'))
    """
    strings = [text] if value is None else _strings(value, depth)
    long = [string for string in strings if len(string) >= _MIN_CHARS]
    return tuple(tag for tag in INNER if any(map(_TESTS[tag].search, long)))


def _strings(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth > 0 and is_object(value):
        for item in islice(value.values(), _MAX_MEMBERS):
            yield from _strings(item, depth - 1)
    elif depth > 0 and is_array(value):
        for item in value[:_MAX_ITEMS]:
            yield from _strings(item, depth - 1)

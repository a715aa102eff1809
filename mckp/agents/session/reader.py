"""Decodes delivered texts, to prove that references are right.

A reference may list all differences from an earlier response, in values or in lines.
"""

from __future__ import annotations

from contextlib import suppress
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Final, cast

from mckp.agents.session.classify import json_value
from mckp.encoders.fakes import unescape
from mckp.encoders.hints import (
    COMPACT,
    RAW,
    Reference,
    ValueChange,
    read_hint,
    read_label,
    read_patch,
)
from mckp.encoders.scalars import ABSENT
from mckp.errors import MckpError, ParseError, PathError
from mckp.jsontext import canonical, is_array, is_object
from mckp.regexes import regex
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.paths import Path
    from mckp.plain import JsonValue

    Edit = tuple[int, int, int, int]

    from mckp.encoders.hints import TextLabel

MAX_CHANGES: Final = 64
"""The most changes by which a near repeat may differ."""


def changes(old: Any, new: Any) -> tuple[ValueChange, ...] | None:
    """Return all differences in the order in which to apply them.

    None if there are more than `MAX_CHANGES`.

    Examples
    --------
    >>> print(*changes({"a": 1, "b": [1, 2]}, {"a": "1", "b": [1, 2, None]}))
    a:1=>"1" b[2]:=>null
    >>> changes({"a": 1.0}, {"a": 1.0})
    ()
    """
    differences: list[ValueChange] = []
    for change in _differences(old, new, ()):
        differences.append(change)
        if len(differences) > MAX_CHANGES:
            return None
    return tuple(differences)


def apply(base: Any, differences: Iterable[ValueChange]) -> Any:
    """Return a copy of a document with the differences that `changes` found applied to it.

    A `ParseError` is raised if the document does not have the old values.
    """
    holder = [_deep_copy(base)]
    for change in differences:
        _apply(holder, (0, *change.path), change)
    return holder[0]


def _differences(old: JsonValue, new: JsonValue, path: Path) -> Iterator[ValueChange]:
    """Yield the differences between two values at a path."""
    if is_object(old) and is_object(new):
        yield from _object_changes(old, new, path)
    elif is_array(old) and is_array(new):
        yield from _array_changes(old, new, path)
    elif type(old) is not type(new) or canonical(old) != canonical(new):
        yield ValueChange(path, old, new)


def _object_changes(
    old: dict[str, JsonValue], new: dict[str, JsonValue], path: Path
) -> Iterator[ValueChange]:
    """Yield the differences between two objects at a path."""
    for key, value in old.items():
        if key in new:
            yield from _differences(value, new[key], (*path, key))
        else:
            yield ValueChange((*path, key), value, ABSENT)
    yield from (ValueChange((*path, key), ABSENT, new[key]) for key in new if key not in old)


def _array_changes(old: list[JsonValue], new: list[JsonValue], path: Path) -> Iterator[ValueChange]:
    """Yield the differences between two arrays at a path."""
    common = min(len(old), len(new))
    for index in range(common):
        yield from _differences(old[index], new[index], (*path, index))
    # Items are removed from the end, so that no other index moves.
    for index in reversed(range(common, len(old))):
        yield ValueChange((*path, index), old[index], ABSENT)
    for index in range(common, len(new)):
        yield ValueChange((*path, index), ABSENT, new[index])


def _apply(holder: Any, path: Path, change: ValueChange) -> None:
    """Make one change at a path below `holder`; raise a `ParseError` if the old value differs."""
    *above, last = path
    for step in above:
        holder = _child_or_absent(holder, step)
    if _comparable(_child_or_absent(holder, last)) != _comparable(change.old):
        raise ParseError(f"the referenced text does not have the old value of the change {change}")
    if change.new is not ABSENT:
        _set_child(holder, last, _deep_copy(change.new))
    elif change.old is not ABSENT:
        del holder[last]


def _deep_copy(value: JsonValue) -> JsonValue:
    """Copy a value; an object that occurs in it twice becomes two, so that one can change alone."""
    if is_object(value):
        return {key: _deep_copy(child) for key, child in value.items()}
    return [_deep_copy(item) for item in value] if is_array(value) else value


def _set_child(holder: JsonValue, key: JsonValue, value: JsonValue) -> None:
    """Set a member or an item; the index after the last one appends an item."""
    items: Any = holder
    if is_array(holder) and key == len(holder):
        items.append(value)
    else:
        items[key] = value


def _child_or_absent(holder: Any, key: str | int) -> Any:
    """Return a member or an item, or `ABSENT`; raise a `ParseError` if there can be none."""
    if is_object(holder) and isinstance(key, str):
        return holder.get(key, ABSENT)
    if is_array(holder) and isinstance(key, int) and key <= len(holder):
        return holder[key] if key < len(holder) else ABSENT
    raise ParseError(f"the referenced text has nothing at {key!r}")


def _comparable(value: Any) -> str | None:
    """Return a text by which to compare a value, or None for `ABSENT`."""
    return None if value is ABSENT else canonical(value)


MAX_LINES: Final = 1000
"""The most lines between the first and the last change that are searched for equal lines."""

_HUNK = regex(r"@@ -([0-9]+),([0-9]+) \+([0-9]+),([0-9]+) @@")


def line_diff(old: str, new: str) -> str:
    r"""Return a diff of two texts, which can be applied in both directions.

    Lines are counted from 1; where a hunk removes or adds no lines, it has the number of the next
    line.

    Examples
    --------
    >>> print(line_diff("a\nb\nc\n", "a\nx\nc\nd\n"))
    @@ -2,1 +2,1 @@
    -b
    +x
    @@ -4,0 +4,1 @@
    +d
    """
    before, after = old.split("\n"), new.split("\n")
    return "\n".join(_hunks(before, after))


def apply_lines(old: str, diff: str) -> str:
    """Return the text that a diff from `line_diff` makes of the old one.

    A `ParseError` is raised if the old text does not have the lines that the diff removes, or if
    the diff has another form.
    """
    old_lines, new_lines, position = old.split("\n"), list[str](), 0
    for number, removed, added in _read_hunks(diff):
        start = number - 1
        if start < position or old_lines[start : start + len(removed)] != removed:
            raise ParseError(
                f"line {number} of the referenced text differs from the lines that the diff removes"
            )
        new_lines += old_lines[position:start]
        new_lines += added
        position = start + len(removed)
    return "\n".join(new_lines + old_lines[position:])


def _hunks(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a diff, hunk by hunk."""
    for removed_start, removed_end, added_start, added_end in _changed_ranges(before, after):
        removed = f"-{removed_start + 1},{removed_end - removed_start}"
        yield f"@@ {removed} +{added_start + 1},{added_end - added_start} @@"
        yield from (f"-{line}" for line in before[removed_start:removed_end])
        yield from (f"+{line}" for line in after[added_start:added_end])


def _changed_ranges(before: Sequence[str], after: Sequence[str]) -> Iterator[Edit]:
    """Yield the ranges of lines that differ: start and end in `before`, start and end in `after`.

    If more than `MAX_LINES` lines may differ, they are one range.
    """
    shorter = min(len(before), len(after))
    head = next((index for index in range(shorter) if before[index] != after[index]), shorter)
    longest_tail = shorter - head
    tail = next(
        (size for size in range(longest_tail) if before[-size - 1] != after[-size - 1]),
        longest_tail,
    )
    old_end, new_end = len(before) - tail, len(after) - tail
    if max(old_end, new_end) - head > MAX_LINES:
        yield head, old_end, head, new_end
        return
    matcher = SequenceMatcher(None, before[head:old_end], after[head:new_end], autojunk=False)
    for tag, removed_start, removed_end, added_start, added_end in matcher.get_opcodes():
        if tag != "equal":
            yield head + removed_start, head + removed_end, head + added_start, head + added_end


def _read_hunks(diff: str) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yield each hunk of a diff: its first line's number, the lines it removes, those it adds.

    A `ParseError` is raised if the diff has another form.
    """
    lines = iter(diff.split("\n") if diff else ())
    for line in lines:
        match = _HUNK.fullmatch(line)
        if match is None:
            raise ParseError(f"expected the first line of a hunk of a diff, got {line!r}")
        start, removed_count, added_count = int(match[1]), int(match[2]), int(match[4])
        yield start, _take_marked(lines, "-", removed_count), _take_marked(lines, "+", added_count)


def _take_marked(lines: Iterator[str], mark: str, count: int) -> list[str]:
    """Return the next `count` lines without their mark; raise a `ParseError` if one lacks it."""
    marked = [line for _, line in zip(range(count), lines, strict=False)]
    if len(marked) != count or not all(line.startswith(mark) for line in marked):
        raise ParseError(f"expected {count} lines that begin with {mark!r}")
    return [line[1:] for line in marked]


class Reader:
    r"""Decodes the texts that were sent in one context; it knows no other texts.

    Examples
    --------
    >>> reader = Reader()
    >>> reader.read("> [#1]\nall is well")
    'all is well'
    >>> reader.read("> [ref #1]")
    'all is well'
    >>> reader.read("> [ref #1 as diff]\n@@ -1,1 +1,1 @@\n-all is well\n+so it is")
    'so it is'
    """

    def __init__(self) -> None:
        """Begin without texts."""
        self._bodies: dict[int, tuple[str, str]] = {}

    def read(self, text: str) -> Any:
        """Return the content of a delivered text, and remember the text if it has a number.

        Returns
        -------
        object
            The response's text as it came, its data, or its Markdown tree; if parts were cut, only
            what is left.

        Raises
        ------
        PathError
            If it refers to a text that the reader does not have.
        ParseError
            If it is damaged, or does not match the text that it refers to.
        TypeError
            If it is not a str.
        """
        if not isinstance(cast("object", text), str):
            raise TypeError(f"expected a text, got {type(text).__name__}")
        first, _, below = text.partition("\n")
        if (label := read_label(first)) is not None:
            return self._read_labelled(label, below)
        if isinstance(reference := read_hint(first), Reference):
            return self._read_reference(reference)
        if (number := read_patch(first)) is not None:
            form, body = self._body(number)
            return self._content(form, apply_lines(body, below))
        return unescape(text, raw=True)

    def seen(self, text: str) -> Any:
        """Return what `read` does, or the text unchanged if it is Markdown or cannot be read."""
        with suppress(MckpError):
            content = self.read(text)
            return text if isinstance(content, TreeNode) else content
        return text

    def compact(self) -> None:
        """Forget all texts, because the context was compacted."""
        self._bodies.clear()

    def drop(self, number: int) -> None:
        """Forget a text, because it was removed from the context."""
        self._bodies.pop(number, None)

    def _read_labelled(self, label: TextLabel, below: str) -> Any:
        """Return the content of a labelled text, and remember it by its number."""
        body = unescape(below, raw=label.form == RAW)
        if label.number is not None:
            self._bodies[label.number] = (label.form, body)
        return self._content(label.form, body)

    def _read_reference(self, reference: Reference) -> Any:
        """Return the content that a reference refers to, with its changes applied."""
        content = self._content(*self._body(reference.number))
        if not reference.changes:
            return content
        value = json_value(content) if isinstance(content, str) else content
        return apply(value, reference.changes)

    def _body(self, number: int) -> tuple[str, str]:
        """Return the form and body of an earlier text; raise a `PathError` if there is none."""
        if number not in self._bodies:
            raise PathError(f"#{number}", "this context has no text with that number")
        return self._bodies[number]

    def _content(self, form: str, body: str) -> Any:
        """Return the content of a body in a form; raise a `ParseError` if it cannot be decoded."""
        if form == RAW:
            return body
        if form != COMPACT:
            raise ParseError(f"the label names the unknown form {form!r}")
        from mckp.answers.reading import decode  # reads every format

        return decode(body)

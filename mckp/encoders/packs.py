r"""Several documents in one text: a heading above each, and a note on missing ones.

::

    > [4 items]
    > [+1 items b.log]
    === plan.md
    ...
    === a.log
    ...
    === old.log same as a.log

The first line says how many documents there were. The second, if it is a note, says how many of
them are missing and may name some. All headings have the same number of equal signs, at least
three. No line of the documents begins with that number, so no line has to be changed. A document
ends with a line feed. A name that would be misread is a JSON string. A heading with ``same as``
has nothing below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.encoders.hints import Overflow, read_overflow
from mckp.encoders.scalars import read_json
from mckp.errors import ParseError
from mckp.jsontext import dump
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

SHORTEST: Final = 3
"""Fewest equal signs of a heading."""

UNIT: Final = "items"
SAME: Final = " same as "
_FIRST: Final = regex(r"> \[([0-9]{1,9}) items\]")
_HEADING: Final = regex(r"(={3,}) (.+)")
_RUN: Final = regex(r"(?<!=)(=+)(?= )")
_NAMED: Final = regex(r"(?!\")[^\s\x00-\x1f\x7f]{0,199}[^\W_]")


class PackedDocument(NamedTuple):
    """A document in a pack."""

    name: str
    text: str
    same_as: str | None = None
    """The name of an equal document; the text is not written again."""


def first_line(count: int) -> str:
    """Return the first line of a pack with the given number of documents."""
    return f"> [{count} {UNIT}]\n"


def is_pack(text: str) -> bool:
    """Whether a text begins with the first line of a pack."""
    return text.startswith("> [") and _FIRST.fullmatch(text.partition("\n")[0]) is not None


def note(missing: int, total: int, names: Iterable[str] = ()) -> str:
    """Return the note on how many documents are missing, with the given names."""
    return f"{Overflow(missing, total, UNIT, ' '.join(names) or None)}\n"


def may_be_noted(name: str) -> bool:
    """Whether a name can be written unchanged in the note on missing documents."""
    return _NAMED.fullmatch(name) is not None


def heading(sign_count: int, name: str, same_as: str | None = None) -> str:
    r"""Return the line above a document, which begins with `sign_count` equal signs.

    Examples
    --------
    >>> heading(3, "a.log"), heading(3, "b", same_as="a.log"), heading(4, ' "c"')
    ('=== a.log\n', '=== b same as a.log\n', '==== " \\"c\\""\n')
    """
    more = "" if same_as is None else f"{SAME}{write_name(same_as)}"
    return f"{'=' * sign_count} {write_name(name)}{more}\n"


def write_name(name: str) -> str:
    """Return a name for a heading: unchanged, or as JSON if it would be misread."""
    is_safe = name.isprintable() and name.strip() == name and name and SAME not in name
    return name if is_safe and not name.startswith('"') else dump(name)


def read_name(text: str) -> str:
    """Return the name that `write_name` wrote; raise a `ParseError` for any other text."""
    name = read_json(text) if text.startswith('"') else text
    if not isinstance(name, str) or write_name(name) != text:
        raise ParseError(f"expected the name of a document in a heading, got {text!r:.60}")
    return name


def run_lengths(text: str) -> set[int]:
    """Return the lengths of all runs of equal signs before a blank in a text.

    They need not begin a line, because strings in data may hold lines.
    """
    return {len(run) for run in _RUN.findall(text)} if "= " in text else set()


def sign_count_for(texts: Iterable[str]) -> int:
    """Return the number of equal signs for the headings of a pack with the given texts.

    It is the least number from `SHORTEST` on that is not the length of a run in one of them.
    """
    taken = set[int]().union(*map(run_lengths, texts))
    return next(
        sign_count
        for sign_count in range(SHORTEST, SHORTEST + len(taken) + 1)
        if sign_count not in taken
    )


def split(text: str) -> list[PackedDocument]:
    r"""Return the documents of a pack.

    Raises a `ParseError` if the text is no pack, or if their number is not what the first lines
    say.

    Examples
    --------
    >>> for part in split("> [3 items]\n> [+1 items c]\n=== a\nx\n=== b same as a\n"):
    ...     print(part)
    PackedDocument(name='a', text='x\n', same_as=None)
    PackedDocument(name='b', text='', same_as='a')
    """
    first, _, documents_text = text.partition("\n")
    match = _FIRST.fullmatch(first)
    if match is None:
        raise ParseError(
            "expected the number of documents in the first line of a pack", line=1, column=1
        )
    total, missing = int(match[1]), 0
    above, _, below = documents_text.partition("\n")
    if (hint := read_overflow(above)) is not None:
        missing, documents_text = hint.missing, below
    documents = _read_documents(documents_text)
    if len({document.name for document in documents}) + missing != total:
        message = (
            f"the pack has {len(documents)} documents and says that {missing} of {total} are "
            "missing"
        )
        raise ParseError(message, line=1, column=1)
    return documents


def _read_documents(text: str) -> list[PackedDocument]:
    """Read the documents of a pack, given the text from the first heading on."""
    if not text:
        return []
    begin = _HEADING.match(text)
    if begin is None:
        raise ParseError("expected a heading above the first document", line=2, column=1)
    mark = f"{begin[1]} "
    documents: list[PackedDocument] = []
    lines = "\n" + text.removesuffix("\n")
    for section in lines.split("\n" + mark)[1:]:
        line, feed, below = section.partition("\n")
        name, same, same_as = line.partition(SAME) if line[:1] != '"' else _partition_quoted(line)
        documents.append(
            PackedDocument(read_name(name), below + feed, read_name(same_as) if same else None)
        )
    return documents


def _partition_quoted(line: str) -> tuple[str, str, str]:
    """Split a heading that begins with a quoted name into the name, a separator and the rest.

    The separator is as long as `SAME`, or shorter if the line ends before.
    """
    end = 1
    while end < len(line) and line[end] != '"':
        end += 2 if line[end] == "\\" else 1
    name, rest = line[: end + 1], line[end + 1 :]
    return name, rest[: len(SAME)], rest[len(SAME) :]

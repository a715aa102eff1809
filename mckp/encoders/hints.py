"""The one-line notes about a text that are inside it: one grammar to write and to read them.

======================================================  =====================================
``> [+18 rows]``                                        `Overflow`: how much is missing
``> [+18 rows get_issues(page=2)]``                     and the call that gets the rest
``> [+3 columns url sha author]``                       and the names of what is missing
``> [+18 rows 4-9 12-23]``                              and where they are missing
``> [+18 rows with status done 13, failed 5]``          and how many of each group
``> [+3 columns url; draft true: rows 4 7]``            and the values of a missing column
``> [all 53 lines: done 50, failed 3]``                 `Counts`: what all lines of a text have
``> [ref #3]``                                          `Reference`: the same as an earlier text
``> [ref #3 status:"open"=>"done"]``                    the same but for some values
``> [#3]``                                              `TextLabel`: what follows is text number 3
``> [#3 as compact]``                                   the same, as `mckp.encode` writes it
``> [as csv]`` a text that nothing will refer to
``> [ref #3 as diff]`` text 3 with the changes below
======================================================  =====================================

``> [+18 rows]`` closes the rows that were kept; ``> [+57 facts]`` alone stands for a whole
document that did not fit. A *note* is below a line or a table with parts missing throughout:
``> [+2 columns url sha]``, ``> [+5 of 7 sentences]``. The total is given where no header gives it.

``> [ref #3 status:"open"=>"done" tries:=>2 note:"x"=>]`` lists all differences: a path in
the data, the earlier value, and the value here. An absent value is empty.

``str`` writes each of them; `read_hint` reads those that may be in a text, `read_label` and
`read_patch` those that may be above one.
"""

from __future__ import annotations

from json import JSONDecoder
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mckp.encoders.scalars import ABSENT, read_json
from mckp.errors import ParseError, PathError
from mckp.frozen import frozen
from mckp.jsontext import STRING, dump, path_text
from mckp.paths import as_path
from mckp.regexes import regex

if TYPE_CHECKING:
    from mckp.encoders.lines import Lines
    from mckp.paths import Path

_CONTROL = regex(r"[\x00-\x1f]")
_ROOT: Final = "$"
_NAME: Final = r"[^\s.:=\[\]\"]+"
_BRACKETS: Final = rf"\[(?:[0-9]{{1,18}}|{STRING})\]"
PATH: Final = rf"(?:{_NAME}|{_BRACKETS})(?:\.{_NAME}|{_BRACKETS})*"
"""A path, or a text that may be one, at the beginning of a text."""


def write_end(text: str) -> str:
    """Return a text for the end of a hint: unchanged if that reads back, else as JSON."""
    is_safe = text and text[0] != '"' and text.strip() == text and not _CONTROL.search(text)
    return text if is_safe else dump(text)


def read_end(text: str) -> str | None:
    """Return the text that `write_end` wrote, or None if it would never write this."""
    try:
        end = str(read_json(text)) if text.startswith('"') else text
    except ParseError:
        return None
    return end if write_end(end) == text else None


def write_path(path: Path) -> str:
    """Return a path as hints show it, such as ``jobs[0]["a b"]``."""
    return path_text(path)[1:].removeprefix(".") or _ROOT


def read_path(text: str) -> Path | None:
    """Return the path that `write_path` wrote, or None if it would never write this."""
    if text == _ROOT:
        return ()
    try:
        path = as_path(f"{_ROOT}{'' if text.startswith('[') else '.'}{text}")
    except PathError:
        return None
    return path if write_path(path) == text else None


_OVERFLOW = regex(r"> \[\+([0-9]{1,18})(?: of ([0-9]{1,18}))? (?!of )([a-z]+)(?: (.+))?\]")

_NAMED = regex(r"(?!\")[^\s\x00-\x1f\x7f]{0,39}[^\W_]")

HINT: Final = "> [+"
"""The beginning of each `Overflow`."""

WITHOUT_TOTAL: Final = frozenset({"columns", "facts", "fields", "items", "rows"})
"""Units of notes without a total: a header gives it, or names say more than a number would."""

NOTES: Final = frozenset(
    {"columns", "facts", "sentences", "words", "lines", "blocks", "characters"}
)
"""The units of notes."""


@frozen
class Overflow:
    """A note on how much is missing.

    `total` is not written for the units in `WITHOUT_TOTAL`, and is None if the note replaces a
    document. `unit` is a word in lower case. `more` is the call that gets what is missing, or the
    names of some of it, separated by blanks.
    """

    missing: int
    total: int | None
    unit: str
    more: str | None = None

    def __str__(self) -> str:
        """Return the note as a line, without a line feed."""
        end = "]" if self.more is None else f" {write_end(self.more)}]"
        if self.total is None:
            return f"> [+{self.missing} {self.unit}{end}"
        # From a thousand on, numbers with equally many digits have equally many tokens, so the
        # price of a hint does not depend on the number that it will show.
        # The text of a note is known when it is priced.
        is_open = self.total >= 1000 and self.unit not in NOTES
        width = len(str(self.total)) if is_open else 0
        of = "" if self.unit in WITHOUT_TOTAL else f" of {self.total}"
        return f"> [+{self.missing:0{width}d}{of} {self.unit}{end}"


def is_name(text: str) -> bool:
    """Whether a name can be written unchanged in a hint, between blanks.

    It must end with a letter or a digit, so that its tokens do not depend on what follows:
    ``labels[*].url`` can, ``state:`` and ``a b`` cannot. It must have at most 40 characters.
    """
    return _NAMED.fullmatch(text) is not None


def read_overflow(line: str | None) -> Overflow | None:
    """Parse a note on how much is missing; return None for any other line.

    Examples
    --------
    >>> read_overflow("> [+18 rows get_issues(page=2)]")
    Overflow(missing=18, total=None, unit='rows', more='get_issues(page=2)')
    """
    match = _OVERFLOW.fullmatch(line) if line and line.startswith(HINT) else None
    if match is None:
        return None
    more = match[4] and read_end(match[4])
    if more is None and match[4]:
        return None
    return Overflow(int(match[1]), int(match[2]) if match[2] else None, match[3], more)


def take_hint(lines: Lines, kept: int, total: int) -> bool:
    """Step past the hint that closes a cut block; return whether there is one.

    The missing and the kept parts must add up to the total.
    """
    if (hint := read_overflow(lines.peek())) is None:
        return False
    lines.take()
    if hint.missing + kept != total:
        lines.fail(f"{kept} of {total} are here, which contradicts the note {hint}")
    return True


def skip_notes(lines: Lines) -> None:
    """Step past the notes at the cursor, which are on the block above it."""
    while (hint := read_overflow(lines.peek())) and hint.unit in NOTES:
        lines.take()


_COUNTS = regex(r"> \[all ([0-9]{1,9} lines: [^\x00-\x1f\x7f]+)\]")


@frozen
class Counts:
    """A note below a cut text: what all of its lines have, such as how many of each status."""

    text: str

    def __str__(self) -> str:
        """Return the note as a line, without a line feed."""
        return f"> [all {self.text}]"


def read_counts(line: str) -> Counts | None:
    """Parse a note on what all lines of a text have; return None for any other line.

    Examples
    --------
    >>> read_counts("> [all 53 lines: done 50, failed 3]")
    Counts(text='53 lines: done 50, failed 3')
    """
    match = _COUNTS.fullmatch(line) if line.startswith("> [all ") else None
    return None if match is None else Counts(match[1])


_REFERENCE = regex(r"> \[ref #(0|[1-9][0-9]{0,17})(?: (.+))?\]")
_AT = regex(rf"({PATH}):")
_BECOMES: Final = "=>"
_END_OF = JSONDecoder().raw_decode


@frozen
class ValueChange:
    """A changed value, before and after; `mckp.ABSENT` where there is none."""

    path: Path
    old: Any
    new: Any

    def __str__(self) -> str:
        """Return the change as a reference shows it, such as ``tries:1=>2``."""
        return f"{write_path(self.path)}:{_value_text(self.old)}{_BECOMES}{_value_text(self.new)}"


@frozen
class Reference:
    """A reference to an earlier text that is the same except for the given changes."""

    number: int
    changes: tuple[ValueChange, ...] = ()

    def __str__(self) -> str:
        """Return the reference as a line, without a line feed."""
        return f"> [{' '.join([f'ref #{self.number}', *map(str, self.changes)])}]"


def read_reference(line: str) -> Reference | None:
    """Parse a reference; return None for any other line."""
    match = _REFERENCE.fullmatch(line)
    if match is None:
        return None
    text, place, changes = match[2] or "", 0, list[ValueChange]()
    try:
        # This accepts slightly different spellings; comparing with `str` below rejects them.
        while place < len(text):
            at = _AT.match(text, place)
            path = read_path(at[1]) if at else None
            if at is None or path is None:
                return None
            old, place = _read_value(text, at.end())
            new, place = _read_value(text, place + len(_BECOMES))
            changes.append(ValueChange(path, old, new))
            place += 1
    except (ParseError, ValueError, RecursionError):
        return None
    reference = Reference(int(match[1]), tuple(changes))
    return reference if str(reference) == line else None


def _value_text(value: object) -> str:
    """Return a value as JSON; nothing for an absent one."""
    return "" if value is ABSENT else dump(value)


def _read_value(text: str, place: int) -> tuple[Any, int]:
    """Return the value at a place of a text, or `ABSENT`, and the place after it.

    Raises a `ValueError` or a `ParseError` if it is broken.
    """
    if place >= len(text) or text[place] in "= ":
        return ABSENT, place
    _, end = _END_OF(text, place)
    return read_json(text[place:end]), end


_LABEL = regex(r"> \[(?:#(0|[1-9][0-9]{0,17}))?(?:( ?)as ([a-z][a-z0-9_]*))?\]")
_PATCH = regex(r"> \[ref #(0|[1-9][0-9]{0,17}) as diff\]")

COMPACT: Final = "compact"
"""The form of a text by `mckp.encode`; the name is a single token."""

RAW: Final = ""
"""The form of an unchanged text."""


@frozen
class TextLabel:
    """The line above a text: its form, and its number, or None if nothing will refer to it."""

    number: int | None = None
    form: str = RAW

    def __str__(self) -> str:
        """Return the label as a line, without a line feed."""
        named = "" if self.number is None else f"#{self.number}"
        words = [named, f"as {self.form}" if self.form else ""]
        return f"> [{' '.join(filter(None, words))}]"


def write_patch(number: int) -> str:
    """Return the line above a diff, which refers to the text that it changes."""
    return f"> [ref #{number} as diff]"


def read_label(line: str) -> TextLabel | None:
    """Parse a label; return None for any other line.

    Examples
    --------
    >>> read_label("> [#3 as compact]"), read_label("> [as csv]"), read_label("> []")
    (TextLabel(number=3, form='compact'), TextLabel(number=None, form='csv'), None)
    """
    match = _LABEL.fullmatch(line)
    if match is None or match[1] is match[3] is None:
        return None
    label = TextLabel(None if match[1] is None else int(match[1]), match[3] or RAW)
    return label if str(label) == line else None


def read_patch(line: str) -> int | None:
    """Return the number in a line that `write_patch` wrote, or None for any other line."""
    match = _PATCH.fullmatch(line)
    return None if match is None else int(match[1])


Hint: TypeAlias = Overflow | Reference | TextLabel | Counts


def read_hint(line: str | None) -> Hint | None:
    """Parse a hint that may be in a text; return None for any other line."""
    if not line or not line.startswith("> [") or line.startswith("> [#"):
        return None  # a label with a number is only above a text
    return read_overflow(line) or read_reference(line) or read_label(line) or read_counts(line)

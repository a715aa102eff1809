r"""The parts of a text that are data: JSON, tables and the like between lines of text.

A part is a run of lines that one of the forms of `mckp.parsers.forms` reads and writes again byte
for byte. It must be a whole unit and not a piece of a larger one, so that what is around it still
makes sense. A part may be in a fence, or all of its lines may have the same margin. The line right
above it may be its title.

Where a part is written as data, these are between lines of backticks that name the form and what
restores the lines of the source::

    ```[JSON indent=2; total>alerts] margin=4
    {2}
    total: 8
    ...
    ```

``margin=4`` are blanks before each line, and ``in ```json`` is the fence that the source has there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.errors import ParseError
from mckp.jsontext import is_container, load
from mckp.parsers.embedded import Embedding, read_embedding
from mckp.parsers.forms import JSON, LONGEST_LABEL, YAML, Form, data_in_text
from mckp.parsers.spelling import spelling_of
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mckp.jsontext import JsonValue

SHORTEST: Final = 100
"""Fewest characters of a part."""
LONGEST: Final = 400_000
"""Most characters of a part that is tried."""
FEWEST_LINES: Final = 3
"""Fewest lines of a table."""
LONGEST_TITLE: Final = 120
"""Most characters of a title."""

_APART = r"(?:(?!\S {2}+ *\S)[^\n])*+\S {2}+ *\S"
_COMMA = r"[^\n,;\t]*+[,;\t]"
_MAY_HAVE: Final = regex(
    r"(?m)^(?:\*{27} 1\. |-\[ RECORD 1 |Row 1:|[ \t]*[\[{]|[ \t]*<[?A-Za-z]|\+-|[┌╭┏┍╔╒]"
    rf"|[^\n|]*+\|[^\n]*+\n[|+\-: ]*-|{_APART}[^\n]*+\n{_APART}"
    r"|[^\n{]{1,120} \{\"[^\n]*\}$"
    rf"|{_COMMA}[^\n]*+\n{_COMMA})"
)
"""What is in each text that has a part."""
_FENCE: Final = regex(r"(`{3,}|~{3,})([^`\n]*)")
_BOX: Final = regex(r"[|+┌┏╔╭╒├│┃║╞╟└┗╚╰╘╠┡┝┠╶─━═]|-+\+|[^|\n]*\S +\| ")
_RULE: Final = regex(r"\|?[-=+| :]*--[-=+| :]*")
_TITLE: Final = regex(r"[=#>*~-]{2,8} |[$%>\u276f] |==> |\+ |#|\S.*[:#>]\Z|[\w-]+[=#>$]{1,2} ")
_TAG: Final = regex(r"<(?:\?xml|[A-Za-z_][\w:.-]*)[\s>/?]")
_ELEMENT: Final = regex(r"<([A-Za-z_][\w:.-]*)")
_KEY: Final = regex(r"(?:- )*[\w./\"'$@-][^\n:#]{0,60}:(?: |$)")
_RECORDS: Final = regex(r"\*{27} 1\. row \*{27}|-\[ RECORD 1 \]-*(?:\+-*)?|Row 1:")
_LABELLED: Final = regex(rf"[^{{\n]{{1,{LONGEST_LABEL}}} \{{\".*\}}\Z")
"""A line that ends with an object, such as one of a structured log."""
_RECORD: Final = regex(r"Row [0-9]+:")
_CLOSING: Final = {"{": "}", "[": "]"}
_NUMBERED: Final = regex(r"(?m)^[ \t]*[0-9]{1,7}(?:→|\t|\||│|:(?![0-9]{2}:)|  )")
MARK: Final = regex(r"(`{3,})(\[.*\])(?: margin=([0-9]{1,3}))?(?: in ((?:`{3,}|~{3,})[^`\n]*))?")
"""The line above a part that is written as data."""
_RUN: Final = regex(r"(?m)^ {0,3}(`{3,})")
_FOOT: Final = regex(r"\([0-9]+ rows?\)|[0-9]+ rows? in set.*")
"""What programs write right below a table."""


class DataPart(NamedTuple):
    """Lines of a text, from `start` to before `stop` and counted from 0, that are data."""

    start: int
    stop: int
    value: JsonValue
    form: Form
    margin: int = 0
    fence: str = ""
    """The line of the source that opens a fence around the part; its last line closes it."""
    title: str = ""
    """The line above the part, if it is its title."""
    foot: str = ""
    """The line below the part, if it says how many rows there are."""

    @property
    def first(self) -> int:
        """The first line of the part or its title, from 0."""
        return self.start - bool(self.title)

    @property
    def end(self) -> int:
        """The line behind the part and the line below it that belongs to it."""
        return self.stop + bool(self.foot)

    def mark(self, ticks: str, embedding: Embedding) -> str:
        """Return the line above the data, with its line feed."""
        margin = f" margin={self.margin}" if self.margin else ""
        fence = f" in {self.fence}" if self.fence else ""
        return f"{ticks}{embedding.line[2:-1]}{margin}{fence}\n"

    def short_mark(self, ticks: str, embedding: Embedding) -> str:
        """Return the line above data of which some may be missing: without the style of the source.

        What restores the values stays, so that a text is not taken for its data.
        """
        short = embedding._replace(form=self.form.without_style(), moves=())
        return f"{ticks}{short.line[2:-1]}\n"


def find_parts(text: str) -> list[DataPart]:
    r"""Return the parts of a text that are data, in order; none if all of it is.

    Examples
    --------
    >>> text = "Jobs:\n" + '{\n  "a": "' + "x" * 90 + '",\n  "b": 1\n}\n' + "Done.\n"
    >>> [(part.first, part.stop, str(part.form)) for part in find_parts(text)]
    [(0, 5, 'JSON indent=2')]
    """
    line_count = text.count("\n") + 1
    if len(text) < SHORTEST or line_count <= FEWEST_LINES or "\r" in text:
        return []
    if _MAY_HAVE.search(text) is None or _is_numbered(text, line_count):
        return []
    lines = text.split("\n")
    parts = list(_PartFinder(lines).parts())
    is_all = len(parts) == 1 and not any(lines[: parts[0].start] + lines[parts[0].stop :])
    return [] if is_all else _with_titles(parts, lines)


def _is_numbered(text: str, line_count: int) -> bool:
    """Whether most lines show their numbers, by which an agent edits them."""
    return len(_NUMBERED.findall(text)) > 0.8 * line_count


def _with_titles(parts: Sequence[DataPart], lines: Sequence[str]) -> list[DataPart]:
    """Return the parts with their titles, and with the lines below them that count their rows."""
    taken = 0
    titled: list[DataPart] = []
    for part in parts:
        above = lines[part.start - 1] if part.start > taken else ""
        is_title = 0 < len(above) <= LONGEST_TITLE and _TITLE.match(above) is not None
        below = lines[part.stop] if part.stop < len(lines) else ""
        foot = below if _FOOT.fullmatch(below) else ""
        titled.append(part._replace(title=above if is_title else "", foot=foot))
        taken = part.stop + bool(foot)
    return titled


def restored_lines(part: DataPart, value: JsonValue) -> list[str]:
    """Return the lines of the source of a part whose data are `value`."""
    return lines_of(part.form.write(value), part.margin, part.fence)


def lines_of(block: str, margin: int, fence: str) -> list[str]:
    """Return the lines of a block of data with its margin and its fence."""
    blanks = " " * margin
    lines = [blanks + line if line else line for line in block.removesuffix("\n").split("\n")]
    return [fence, *lines, _ticks(fence)] if fence else lines


def _ticks(fence: str) -> str:
    """Return the line that closes a fence."""
    return fence[: len(fence) - len(fence.lstrip(fence[0]))]


def ticks_for(text: str, values: Sequence[JsonValue]) -> str:
    """Return more backticks than begin any line of a text, or of a string in data of it."""
    runs = [len(run) for run in _RUN.findall(text)]
    has_lines = False
    for value in values:
        pending: list[JsonValue] = [value]
        while pending:
            item = pending.pop()
            if isinstance(item, dict):
                pending += item.values()
            elif isinstance(item, list):
                pending += item
            elif isinstance(item, str) and "\n" in item:
                has_lines = True  # it may be a block in a fence of its own
                runs += [len(run) for run in _RUN.findall(item)]
    return "`" * max(3 + has_lines, 1 + has_lines + max(runs, default=0))


class Written(NamedTuple):
    """A part of a text of ours: lines as they are, or data with the line above them."""

    text: str
    mark: str = ""

    def lines(self, read: Callable[[str], JsonValue]) -> list[str]:
        """Return the lines of the source of data; `read` decodes these."""
        match = MARK.fullmatch(self.mark)
        embedding = match and read_embedding(f"> {match[2]}")
        if match is None or embedding is None:
            raise ParseError(f"the form of a part is unknown: {self.mark:.60}")
        block = str(embedding.restore(read(self.text)))
        return lines_of(block, int(match[3] or 0), match[4] or "")


def split_parts(text: str) -> list[Written]:
    r"""Return what is between the marks of a text, in order; text keeps its line feeds.

    Examples
    --------
    >>> [(part.mark, part.text) for part in split_parts("a\n```[CSV]\n[1]\n```\nb\n")]
    [('', 'a\n'), ('```[CSV]', '[1]\n'), ('', 'b\n')]
    """
    found: list[Written] = []
    rows: list[str] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        match = MARK.fullmatch(lines[at])
        stop = None
        if match is not None:
            stop = next((n for n in range(at + 1, len(lines)) if lines[n] == match[1]), None)
        if stop is None:
            rows.append(lines[at])
            at += 1
            continue
        found.append(Written("".join(f"{row}\n" for row in rows)))
        found.append(Written("".join(f"{row}\n" for row in lines[at + 1 : stop]), lines[at]))
        rows, at = [], stop + 1
    found.append(Written("\n".join(rows)))
    return [part for part in found if part.text or part.mark]


class _PartFinder:
    """Finds the parts of a text, line by line."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._tried = 0  # the line behind the last run that was no table

    def parts(self) -> Iterator[DataPart]:
        """Yield the parts in order."""
        at, size = 0, len(self._lines)
        while at < size:
            line = self._lines[at]
            if (fence := _FENCE.fullmatch(line)) is not None:
                stop = self._end_of_fence(at, fence[1])
                if stop is None:
                    at += 1
                    continue
                part = self._read(at + 1, stop, fence=line)
                at = stop + 1
            else:
                part = self._part_at(at) if line.strip() else None
                at = at + 1 if part is None else part.stop
            if part is not None:
                yield part

    def _end_of_fence(self, at: int, ticks: str) -> int | None:
        """Return the line that closes the fence that a line opens."""
        return next((n for n in range(at + 1, len(self._lines)) if self._lines[n] == ticks), None)

    def _part_at(self, at: int) -> DataPart | None:
        """Return the part that begins at a line, or None."""
        line = self._lines[at]
        bare = line.lstrip(" ")
        if bare[:1] in _CLOSING:
            return self._json(at)
        if at < self._tried:
            return None
        if _RECORDS.fullmatch(line):
            return self._read_or_skip(at, self._end_of_records(at))
        if _LABELLED.match(line):
            end = self._run(at, lambda row: _LABELLED.match(row) is not None)
            return self._read_or_skip(at, end) if end - at >= FEWEST_LINES else None
        if _TAG.match(line):
            stop = self._end_of_tag(at)
            return None if stop is None else self._read(at, stop)
        if self._begins_box(at):
            stop = self._run(at, lambda row: _BOX.match(row) is not None or "|" in row)
            if stop - at >= FEWEST_LINES:
                return self._read_or_skip(at, stop)
        if self._begins_paragraph(at) and self._may_be_rows(at):
            stop = self._run(at, lambda row: bool(row.strip()) and _FENCE.match(row) is None)
            if stop - at >= FEWEST_LINES:
                return self._read_or_skip(at, stop)
        return None

    def _read_or_skip(self, at: int, stop: int) -> DataPart | None:
        """Return the part in a run of lines; if it is none, the run is not tried again."""
        part = self._read(at, stop)
        if part is None:
            self._tried = stop
        return part

    def _end_of_records(self, at: int) -> int:
        """Return the line behind records one below the other, which begin at a line."""
        while at < len(self._lines) and not _FOOT.fullmatch(self._lines[at]):
            below = "".join(self._lines[at + 1 : at + 2])
            if not self._lines[at] and _RECORD.fullmatch(below) is None:
                break
            at += 1
        return at

    def _begins_box(self, at: int) -> bool:
        """Whether a drawn or piped table may begin at a line."""
        line, *below = self._lines[at : at + 2]
        if line[:1] == "|" or "|" in line:
            return bool(below) and _RULE.fullmatch(below[0]) is not None
        return (_BOX.match(line) is not None and line[:1] not in "|+") or line.startswith("+-")

    def _begins_paragraph(self, at: int) -> bool:
        """Whether the line above is blank or a title."""
        above = self._lines[at - 1] if at else ""
        return not above.strip() or _TITLE.match(above) is not None

    def _may_be_rows(self, at: int) -> bool:
        """Whether two lines have the same delimiters."""
        first, second, *_ = *self._lines[at : at + 2], ""
        if _TITLE.match(first) and "," not in first:
            return False
        if "  " in first.strip() and "  " in second.strip():
            return True
        return first[:1] == '"' or any(
            sign in first and first.count(sign) == second.count(sign) for sign in ",\t;"
        )

    def _run(self, at: int, test: Callable[[str], bool]) -> int:
        """Return the first line from `at` on that fails a test."""
        while at < len(self._lines) and test(self._lines[at]):
            at += 1
        return at

    def _end_of_tag(self, at: int) -> int | None:
        """Return the line behind the element that begins at a line."""
        begin = at + self._lines[at].startswith("<?xml")
        match = _ELEMENT.match(self._lines[begin]) if begin < len(self._lines) else None
        if match is None:
            return None
        close = f"</{match[1]}>"
        for n in range(begin, len(self._lines)):
            if self._lines[n] == close or (n == begin and self._lines[n].endswith(close)):
                return n + 1
        return None

    def _json(self, at: int) -> DataPart | None:
        """Return the JSON or JSON lines that begin at a line."""
        line = self._lines[at]
        margin = line[: len(line) - len(line.lstrip(" "))]
        stop = self._end_of_json(at, margin)
        if stop is None:
            return None
        if stop == at + 1 and not margin:  # one line: more of them are JSON lines
            begins = line[0]
            end = self._run(at, lambda row: row[:1] == begins and row[-1:] == _CLOSING[begins])
            if end > stop and (part := self._read(at, end)) is not None:
                return part
        return self._read(at, stop, len(margin))

    def _end_of_json(self, at: int, margin: str) -> int | None:
        """Return the line behind the JSON value that begins at a line, or None."""
        line = self._lines[at]
        close = margin + _CLOSING[line[len(margin)]]
        if line.endswith(close[-1]) and len(line) > len(margin) + 2:
            return at + 1
        for n in range(at + 1, len(self._lines)):
            if self._lines[n].startswith(close):
                return n + 1 if self._lines[n] == close else None
            if self._lines[n] and not self._lines[n].startswith(margin):
                return None
        return None

    def _read(self, start: int, stop: int, margin: int = 0, fence: str = "") -> DataPart | None:
        """Return lines as a part of data, or None if they are none."""
        rows = self._lines[start:stop]
        if margin:
            rows = [row[margin:] for row in rows]
        block = "\n".join(rows)
        if not SHORTEST <= len(block) <= LONGEST:
            return None
        value_and_form = _data_of_block(block)
        if value_and_form is None:
            return None
        value, form = value_and_form
        if not fence and (form.name == YAML or self._is_piece(start, stop)):
            return None
        part = DataPart(start, stop, value, form, margin, fence)
        if restored_lines(part, value) != (
            self._lines[start - 1 : stop + 1] if fence else self._lines[start:stop]
        ):
            return None
        return part._replace(start=start - 1, stop=stop + 1) if fence else part

    def _is_piece(self, start: int, stop: int) -> bool:
        """Whether lines are only a piece of something that is not read as a whole."""
        first = self._lines[start]
        indent = len(first) - len(first.lstrip(" "))
        above = next((row for row in reversed(self._lines[:start]) if row.strip()), "")
        below = next((row for row in self._lines[stop:] if row.strip()), "")
        is_open = above.rstrip().endswith(("{", "[", ",", "("))
        is_open = is_open or below.lstrip()[:1] in ("}", "]", ")", ",")
        inner = indent and (
            len(below) - len(below.lstrip(" ")) > indent or _KEY.match(above.lstrip()) is not None
        )
        return is_open or bool(inner) or first.rstrip().endswith("},")


def _data_of_block(block: str) -> tuple[JsonValue, Form] | None:
    """Return the data of lines and their form, or None."""
    if block[:1] in _CLOSING and (how := spelling_of(block)) is not None:
        value, form = load(block), Form(JSON, tuple(str(how).split()))
    elif (value_and_form := data_in_text(f"{block}\n")) is not None:
        value, form = value_and_form
        if form.is_around and form.name != "drawn table":
            return None
    else:
        return None
    is_data = is_container(value) and bool(value)
    return (value, form) if is_data else None

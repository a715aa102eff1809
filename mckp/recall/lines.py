"""Questions about texts: lines by number, by pattern, or in a place such as a function."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, groupby, pairwise
from posixpath import commonpath, dirname
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.errors import RecallError
from mckp.recall import names
from mckp.recall.found import hits_of
from mckp.recall.mistakes import call_of
from mckp.recall.patterns import LONG, around, compiled, matched, parts_around
from mckp.recall.places import line_indexes_at, places_of_lines, sections_of
from mckp.recall.rows import ask
from mckp.regexes import regex
from mckp.texts.tabular import fields_of, head_of_hit
from mckp.texts.templates import blocks_of, template_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mckp.plain import JsonValue
    from mckp.recall.places import Section
    from mckp.recall.query import DataAnswer
    from mckp.recall.question import RecallQuestion


class NumberedLine(NamedTuple):
    """A line of a text with its number, as the text shows it or counted from 1."""

    number: int
    text: str
    is_match: bool = True
    place: str = ""
    """What it is in, if it does not say so itself: the file and hunk of a diff."""
    start: int = 0
    """Where in the line the text begins, if the line is given in several parts."""


@dataclass(frozen=True, slots=True)
class LinesAnswer:
    """The answer to a question about a text: lines in order.

    `total` is the number of matching lines, `first` the number skipped, and `of` the number of
    lines in the text. With `is_block` the lines are consecutive, so one number places all.
    """

    lines: tuple[NumberedLine, ...]
    first: int
    total: int
    of: int
    is_block: bool
    shows_numbers: bool = False
    """Whether each line of the text begins with its number."""
    has_context: bool = False
    """Whether lines around those that match are among them."""
    note: str = ""
    counts: str = ""
    """How many lines have each alternative of a pattern, if that is to be said."""
    fewer: tuple[tuple[str, tuple[NumberedLine, ...]], ...] = ()
    """Smaller answers, if not all lines fit: the frequent alternatives left out, and the lines."""
    spread: str = ""
    """How many of the lines are in each file, or below each heading, if not all lines fit."""


@dataclass(frozen=True)
class NumberedText:
    """A text as lines."""

    text: str

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their line feeds, as marks of gaps count them."""
        text = self.text
        if "\0" in text or "\x1e" in text:
            from mckp.texts.plain import parted  # needs numpy

            text = parted(text)[0]
        lines = [line.rstrip("\r") for line in text.split("\n")]
        return lines if lines[-1] else lines[:-1]

    @cached_property
    def shown_numbers(self) -> list[int] | None:
        r"""The line numbers that the text itself shows, or None if it shows none.

        Examples
        --------
        >>> NumberedText("  41→def f():\n  42→    pass\n").shown_numbers
        [41, 42]
        """
        numbers: list[int] = []
        for line in self.lines:
            match = _SHOWN.match(line)
            if match is None and line.strip():
                return None
            numbers.append(int(match[1]) if match else numbers[-1] if numbers else 0)
        if len(numbers) < 2:
            return None
        step_count = sum(b - a == 1 for a, b in pairwise(numbers))
        return numbers if step_count * 10 >= (len(numbers) - 1) * 8 else None

    @cached_property
    def sections(self) -> list[Section]:
        """The headings, functions and files that the text names, in order."""
        return list(sections_of(self.lines))

    @cached_property
    def heading_of(self) -> dict[int, str]:
        """The Markdown heading above each line that is below one, by index."""
        headings: dict[int, str] = {}
        for section in self.sections:
            if _MARKED.match(_SHOWN.sub("", self.lines[section.start])):
                headings.update(dict.fromkeys(range(section.start + 1, section.end), section.name))
        return headings

    @cached_property
    def template(self) -> Callable[[str], dict[str, JsonValue] | None] | None:
        """What reads the fields of a line, if most lines have one shape."""
        return template_of(self.lines)

    @cached_property
    def blocks(self) -> list[tuple[range, dict[str, Any]]]:
        """The blocks of ``Key: value`` lines, if the text consists of such."""
        return blocks_of(self.lines)

    @cached_property
    def inside(self) -> list[str]:
        """The place of each line: the file and hunk of a diff, or the file of search hits."""
        return places_of_lines(self.lines)

    def number(self, index: int) -> int:
        """Return the number of a line by its index."""
        return index + 1 if self.shown_numbers is None else self.shown_numbers[index]

    def indexes(self, first: int, last: int | None) -> range:
        """Return the indexes of the lines numbered `first` to `last`; None means to the end."""
        if self.shown_numbers is None:
            return range(
                max(0, first - 1), len(self.lines) if last is None else min(last, len(self.lines))
            )
        matching = [
            n
            for n, number in enumerate(self.shown_numbers)
            if number >= first and (last is None or number <= last)
        ]
        return range(matching[0], matching[-1] + 1) if matching else range(0)


_MARKED: Final = regex(r"#{1,6} ")
_SHOWN: Final = regex(r"\s*([0-9]{1,9})(?:→|\t|: |\| | \| |  )")


def ask_text(text: str, question: RecallQuestion) -> LinesAnswer | DataAnswer:
    r"""Return the answer to a question about a text.

    Lines can be asked for as rows. Their fields are ``n`` (the number), ``line``, and what
    `fields_of` reads, with ``path`` as another name of ``file``. In Markdown, ``heading`` is the
    one above the line. If the question has a `grep`, ``match`` is the first match in the line.

    Raises
    ------
    RecallError
        If the question is not understood, or names something that is not there.

    Examples
    --------
    >>> from mckp.recall.question import RecallQuestion
    >>> log = "start\nerror: disk\nretry\nerror: net\n"
    >>> [tuple(line)[:2] for line in ask_text(log, RecallQuestion.of({"grep": "error"})).lines]
    [(2, 'error: disk'), (4, 'error: net')]
    >>> question = RecallQuestion.of({"where": "line contains 'error'", "fields": ["count()"]})
    >>> ask_text(log, question).value
    {'count()': 2}
    >>> ask_text(log, RecallQuestion.of({"grep": "disk|net", "group": "match"})).value
    [{'match': 'disk', 'count()': 1}, {'match': 'net', 'count()': 1}]
    """
    source = NumberedText(text)
    candidates = (
        line_indexes_at(source, question)
        if question.path.strip("$. ")
        else range(len(source.lines))
    )
    if question.lines:
        candidates = _indexes_in_ranges(source, question, candidates)
    if question.has_expressions:
        return _ask_as_rows(source, candidates, question)
    if question.grep:
        return _search_lines(source, candidates, question)
    part = candidates[
        question.offset : None if question.limit is None else question.offset + question.limit
    ]
    return LinesAnswer(
        tuple(
            NumberedLine(source.number(index), source.lines[index], place=source.inside[index])
            for index in part
        ),
        first=question.offset,
        total=len(candidates),
        of=len(source.lines),
        is_block=all(last - first == 1 for first, last in pairwise(part)),
        shows_numbers=source.shown_numbers is not None,
    )


def _search_lines(
    source: NumberedText, candidates: Sequence[int], question: RecallQuestion
) -> LinesAnswer:
    """Return the lines that match a pattern, with those around them.

    `candidates` are the indexes of the lines to search.
    """
    found = hits_of(source, candidates, question.grep, shows_other_case=True)

    def lines_around(hits: Iterable[int]) -> tuple[NumberedLine, ...]:
        """Return hits with the lines around them, in order."""
        chosen = _with_context(hits, candidates, question.context)
        parts = (_line_parts(source, index, is_match, found.pattern) for index, is_match in chosen)
        return _with_few_headings(source, tuple(chain.from_iterable(parts)))

    all_lines = lines_around(found.hits)
    is_plain = question.limit is None and not question.offset
    lines = all_lines[
        question.offset : None if question.limit is None else question.offset + question.limit
    ]
    is_cut = any(len(source.lines[index]) > LONG for index in found.hits)
    counted = found.alternatives
    return LinesAnswer(
        lines,
        first=question.offset,
        total=len(all_lines),
        of=len(source.lines),
        is_block=False,
        shows_numbers=source.shown_numbers is not None,
        has_context=bool(question.context),
        note=_add_cut_note(found.note, lines if is_cut else ()),
        counts=counted.note if counted else "",
        fewer=tuple(
            (left_out, lines_around(found.hits[place] for place in sorted(places)))
            for left_out, places in (counted.without_frequent() if counted and is_plain else ())
        ),
        spread=_spread(source, found.hits) or _field_note(source),
    )


def _with_few_headings(
    source: NumberedText, lines: tuple[NumberedLine, ...]
) -> tuple[NumberedLine, ...]:
    """Return lines without the headings above them, if these would be longer than the hits."""
    if not source.heading_of:
        return lines
    places = [line.place for line in lines if line.is_match]
    headings = [place for place, _ in groupby(places) if place]
    if 2 * len(headings) <= len(places):
        return lines
    return tuple(line._replace(place="") for line in lines)


_MOST_PLACES: Final = 12
"""Most files or headings of which an answer says how many hits they have."""
_LONGEST_PLACE: Final = 60


def _field_note(source: NumberedText) -> str:
    """Return the fields by which the lines or blocks of a text can be asked; empty if none."""
    read = source.template
    cells = next(filter(None, map(read, source.lines)), None) if read else None
    keys = cells or (source.blocks[0][1] if source.blocks else {})
    return f"fields {' '.join(list(keys)[:_MOST_PLACES])}: where, group, sort" if keys else ""


def _spread(source: NumberedText, hits: Sequence[int]) -> str:
    """Return how many hits each file or heading has, in order; empty if there are no two of them.

    Files that all are in one folder are named without it.
    """
    files = [str(cells.get("file", "")) for cells in fields_of([source.lines[n] for n in hits])]
    names_of_hits = files if any(files) else [source.heading_of.get(n, "") for n in hits]
    if len(set(files)) > _MOST_PLACES:
        names_of_hits = [f"{dirname(file)}/" if dirname(file) else file for file in files]
    counts = Counter(names_of_hits)
    if len(counts) < 2:
        return ""
    folder = dirname(commonpath(list(counts))) + "/" if any(files) and all(files) else ""
    shown = [
        f"{name.removeprefix(folder)[:_LONGEST_PLACE] or 'elsewhere'} {count}"
        for name, count in counts.items()
    ]
    more = len(shown) - _MOST_PLACES
    return ", ".join([*shown[:_MOST_PLACES], *([f"{more} more places"] if more > 0 else [])])


_MOST_JOINED: Final = 2 * LONG
"""Characters of the matches in a long line, with what is around them, that are given as one."""


def _line_parts(
    source: NumberedText, index: int, is_match: bool, pattern: str
) -> list[NumberedLine]:
    """Return a line; of a long one, the parts around its matches.

    If these are few and short, they are joined, else each has its place in the line. A search hit
    keeps its file and number.
    """
    text, number = source.lines[index], source.number(index)
    inside = source.inside[index] or (source.heading_of.get(index, "") if is_match else "")
    if len(text) <= LONG:
        return [NumberedLine(number, text, is_match, inside)]
    head = head_of_hit(text)
    spans = [(max(start, len(head)), end) for start, end in parts_around(text, pattern)]
    if sum(end - start for start, end in spans) <= _MOST_JOINED and len(spans) < 4:
        body = "…".join(text[start:end] for start, end in spans)
        before = "…" if spans[0][0] > len(head) else ""
        after = "…" if spans[-1][1] < len(text) else ""
        return [NumberedLine(number, f"{head}{before}{body}{after}", is_match, inside)]
    return [
        NumberedLine(
            number,
            f"{head}{'…' if start > len(head) else ''}{text[start:end]}"
            f"{'…' if end < len(text) else ''}",
            is_match,
            inside,
            start,
        )
        for start, end in spans
    ]


def _indexes_in_ranges(
    source: NumberedText, question: RecallQuestion, candidates: Sequence[int]
) -> list[int]:
    """Return the candidates in the ranges that a question asks for; raise if there are none."""
    candidate_set = set(candidates)
    indexes = [
        index
        for first, last in question.lines
        for index in source.indexes(first, last)
        if index in candidate_set
    ]
    if not indexes:
        first, last = (
            source.number(0) if source.lines else 0,
            source.number(-1 + len(source.lines)) if source.lines else 0,
        )
        message = f"lines: the text has lines {first} to {last}"
        call = {**call_of(question), "lines": f"{max(first, last - 20)}-{last}"}
        raise RecallError(message, "lines", call=call)
    return sorted(dict.fromkeys(indexes))


def _ask_as_rows(
    source: NumberedText, candidates: Sequence[int], question: RecallQuestion
) -> DataAnswer | LinesAnswer:
    """Answer a question about lines as rows, with the fields that they have.

    Whole rows are returned as lines. `candidates` are the indexes of the lines.
    """
    note = ""
    if question.grep:
        found = hits_of(source, candidates, question.grep)
        candidates, note = found.hits, found.note
        question = replace(question, grep=found.pattern)
        if not candidates:
            return LinesAnswer((), 0, 0, len(source.lines), is_block=False, note=note)
    fields = fields_of([source.lines[index] for index in candidates])
    expressions = " ".join(
        (question.where, *question.fields.values(), *question.group, *question.sort)
    )
    if not any(fields):
        candidates, fields, odd = _shaped(source, candidates, expressions)
        note = "; ".join(filter(None, (note, odd)))
    if question.grep and _ASKS_MATCH.search(expressions):
        fields = [
            {"match": matched(question.grep, source.lines[index]), **cells}
            for index, cells in zip(candidates, fields, strict=True)
        ]
    if _ASKS_PATH.search(expressions):
        fields = [
            {"path": cells["file"], **cells} if "file" in cells else cells for cells in fields
        ]
    rows = [
        {
            "n": source.number(index),
            "line": source.lines[index],
            **_place_cells(source, index, expressions),
            **cells,
        }
        for index, cells in zip(candidates, fields, strict=True)
    ]
    if records := _records(source, candidates, expressions):
        rows = records
    try:
        answer = ask(rows, replace(question, path="$", grep="", lines=()))
    except RecallError as error:
        raise _text_error(error, source, question) from None
    if _ASKS_MATCH.search(expressions) and compiled(question.grep).groups:
        note = "; ".join(filter(None, (note, "match is what the first brackets of grep match")))
    note = "; ".join(filter(None, (note, answer.note)))
    if question.fields or question.group or not answer.value:
        return replace(answer, note=note)
    pattern = question.grep or "|".join(map(re.escape, _quoted_texts(question.where)))
    lines = tuple(NumberedLine(row["n"], around(row["line"], pattern)) for row in answer.value)
    if any(len(row["line"]) > LONG for row in answer.value):
        note = _add_cut_note(note, lines)
    return LinesAnswer(
        lines,
        first=answer.first,
        total=answer.total,
        of=len(source.lines),
        is_block=False,
        shows_numbers=source.shown_numbers is not None,
        note=note,
    )


def _text_error(error: RecallError, source: NumberedText, question: RecallQuestion) -> RecallError:
    """Return an error on rows of lines with a call for the text, which may name its headings."""
    if error.call is not None and error.call.get("path") == "$":
        rest = {name: value for name, value in error.call.items() if name != "path"}
        error.call = {**rest, **({"path": question.path} if question.path else {})}
    if error.call and error.call == {**call_of(question), "group": "n"} and source.heading_of:
        call: dict[str, Any] = {**error.call, "group": "heading"}
        return RecallError(f"{error}, heading", "group", call=call)
    return error


def _place_cells(source: NumberedText, index: int, expressions: str) -> dict[str, JsonValue]:
    """Return the heading above a line, and the file of a diff, if a question names them."""
    cells: dict[str, JsonValue] = {}
    if source.heading_of and _ASKS_HEADING.search(expressions):
        cells["heading"] = source.heading_of.get(index, "")
    if source.inside[index] and _ASKS_FILE.search(expressions):
        cells["file"] = source.inside[index].partition(" @@")[0]
    return cells


def _shaped(
    source: NumberedText, candidates: Sequence[int], expressions: str
) -> tuple[Sequence[int], list[dict[str, JsonValue]], str]:
    """Return lines with the fields of the shape that most lines of the text have, and a note.

    If a question names such a field, lines of another shape are left out, and the note says so.
    `candidates` are the indexes of the lines.
    """
    read = source.template
    if read is None:
        return candidates, [{} for _ in candidates], ""
    cells = {index: read(source.lines[index]) or {} for index in candidates}
    asked = {*_NAMES.findall(expressions)}
    if all(asked.isdisjoint(fields) for fields in cells.values()):
        return candidates, list(cells.values()), ""
    odd = [index for index in candidates if not cells[index] and source.lines[index].strip()]
    more = ", …" if len(odd) > 1 else ""
    note = (
        f"{len(odd)} of another shape left out: line {source.number(odd[0])}{more}" if odd else ""
    )
    shaped = [index for index in candidates if cells[index]]
    return shaped, [cells[index] for index in shaped], note


def _records(
    source: NumberedText, candidates: Sequence[int], expressions: str
) -> list[dict[str, Any]]:
    """Return the blocks of ``Key: value`` lines that have a candidate, if a question names a key.

    Each has the number of its first line as ``n``, and its text as ``line``.
    """
    blocks = source.blocks
    keys = {names.normal(key) for _, members in blocks for key in members}
    if not keys.intersection(map(names.normal, _NAMES.findall(expressions))):
        return []
    wanted = set(candidates)
    return [
        {
            "n": source.number(span[0]),
            "line": "\n".join(source.lines[index] for index in span),
            **members,
        }
        for span, members in blocks
        if not wanted.isdisjoint(span)
    ]


_NAMES: Final = regex(r"[A-Za-z][\w-]*")


def _add_cut_note(note: str, lines: Sequence[NumberedLine]) -> str:
    """Return a note, extended by how to get the rest of the lines that are shown only in part.

    A line of which several parts are shown is too long to be given whole, so it is sliced.
    """
    long = [line for line in lines if "…" in line.text]
    if not long:
        return note
    line = long[0]
    how = "… lines gives long lines whole"
    if any(line.start for line in long):
        query = f'where "n == {line.number}", fields ["line[{line.start}:]"]'
        how = f"parts of a long line, each with its place: more of it by {query}"
    return "; ".join(filter(None, (note, how)))


def _quoted_texts(where: str) -> list[str]:
    """Return the quoted texts in an expression; long lines are shown around them."""
    return [first or second for first, second in _TEXT.findall(where)]


_ASKS_PATH: Final = regex(r"\bpath\b")
_ASKS_HEADING: Final = regex(r"\bheading\b")
_ASKS_FILE: Final = regex(r"\bfile\b")
_ASKS_MATCH: Final = regex(r"\bmatch\b")
_TEXT: Final = regex(r"'([^']+)'|\"([^\"]+)\"")


def _with_context(
    hits: Iterable[int], candidates: Sequence[int], context: int
) -> list[tuple[int, bool]]:
    """Return hits and the candidates around them, as indexes, each with whether it is a hit."""
    hit_set, candidate_set = set(hits), set(candidates) if context else set[int]()
    beside = {
        index + distance for index in hit_set for distance in range(-context, context + 1)
    } & candidate_set
    return [(index, index in hit_set) for index in sorted(beside | hit_set)]

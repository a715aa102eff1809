"""The text of an answer to a recall: whole rows or lines, and how to get those that do not fit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mckp.agents.session.line_texts import below_shared_paths, lines_text
from mckp.agents.session.rest import largest_array, split_array
from mckp.api import encode
from mckp.encoders.fakes import escape
from mckp.encoders.rows import ordered_table
from mckp.errors import BudgetError
from mckp.jsontext import dump, is_array, is_container, is_object, path_text
from mckp.paths import content_at
from mckp.recall.hits import written_hits
from mckp.recall.lines import LinesAnswer
from mckp.recall.names import written
from mckp.recall.patterns import around
from mckp.regexes import regex
from mckp.texts.tabular import head_of_hit

if TYPE_CHECKING:
    from collections.abc import Callable

    from mckp.agents.session.rest import Rest
    from mckp.plain import JsonValue
    from mckp.recall import DataAnswer
    from mckp.tokenizers.base import Tokenizer

_NOTHING: Final = "nothing follows"
_ORDER_COST: Final = 1.15
"""How many times as long as the shortest table one with the columns in order may be."""
_ORDER_HEAD: Final = 4
"""Tokens that its head may take in addition."""
_MOST_CHARACTERS: Final = 16
"""Characters of JSON that a token of an answer has at most, with many equal values in a column."""
_ROUNDS: Final = 12
"""The most sizes that are tried to make an answer fit."""


class ReplyWriter:
    """Writes answers within a budget; without a budget, they are whole.

    Parameters
    ----------
    tokenizer : Tokenizer
        The tokenizer.
    budget : int or None
        The most tokens of an answer, or None for no limit.
    formats : str or tuple of str
        The formats of data, as for `mckp.encode`.
    """

    def __init__(
        self, tokenizer: Tokenizer, budget: int | None, formats: str | tuple[str, ...] = "native"
    ) -> None:
        """Keep the tokenizer, the budget and the formats."""
        self._tokenizer, self._budget = tokenizer, budget
        self._formats = (formats,) if isinstance(formats, str) else formats

    def write(self, answer: DataAnswer | LinesAnswer, asked: dict[str, Any]) -> str:
        """Return the text of an answer; `asked` has the parameters of the call."""
        if isinstance(answer, LinesAnswer):
            fitting = self._fitting_alternatives(answer, is_limited=bool(asked.get("limit")))
            if brief := self._brief_lines(answer, asked):
                fitting = brief
            text = self._write_lines(fitting, asked)
            if text.startswith("> [line ") and fitting.note != answer.note:
                fitting, text = answer, self._write_lines(answer, asked)  # the note took the room
            whole = self._with_note(text, fitting.note)
            return whole if not text or self._fits(whole) else text
        place = f"rows of {answer.place}" if answer.place else ""
        note = "; ".join(filter(None, (place, answer.note)))
        if not answer.is_rows:
            return self._with_note(self._write_value(answer.value, asked, note), note)
        if not answer.value:
            return self._with_note("", note or _NOTHING)
        if answer.is_hits:
            note = self._with_spread(answer, note)
        return self._with_note(self._write_rows(answer, asked, note), note)

    def _with_spread(self, answer: DataAnswer, note: str) -> str:
        """Return the note on hits; if not all fit, it says first in which fields they are."""
        is_whole = len(answer.value) == answer.total
        if is_whole and self._fits(written_hits(answer.value, dump) + _note_line(note)):
            return note
        return "; ".join(filter(None, (f"hits {answer.spread}" if answer.spread else "", note)))

    def _with_note(self, text: str, note: str) -> str:
        """Return a text with a note below it; of an empty text, the note or ``nothing follows``."""
        if not note:
            return text or _NOTHING
        line = f"> [{note}]" if text else note
        return f"{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{line}"

    def _write_data(self, value: Any) -> str:
        """Return data in its shortest form, or a text in which lines like our notes are escaped."""
        if isinstance(value, str):
            return escape(value, raw=True)
        plain = dump(value)
        if not is_container(value) or len(plain) < 40:
            return plain
        text = encode(value, tokenizer=self._tokenizer, formats=self._formats).text
        escaped = escape(plain, raw=True)
        return escaped if self._count(escaped) < self._count(text) else text

    def _write_table(self, rows: Any, asked: dict[str, Any]) -> str:
        """Return rows; their columns are in the order asked for, unless that is much longer."""
        shortest = self._write_data(rows)
        is_asked = asked.get("fields") or asked.get("group")
        if not is_asked or not all(map(is_object, rows)) or _keeps_order(shortest, rows[0]):
            return shortest
        ordered = ordered_table(rows) or shortest
        most = _ORDER_COST * self._count(shortest) + _ORDER_HEAD
        if ordered is not shortest and self._count(ordered) <= most:
            return ordered
        return f"{shortest.rstrip(chr(10))}\n> [columns in another order: this is shorter]"

    def _count(self, text: str) -> int:
        """Return the tokens of a text."""
        return self._tokenizer.count(text)

    def _fits(self, text: str) -> bool:
        """Whether a text is within the budget."""
        return self._budget is None or self._count(text) <= self._budget

    def _longest_fitting(self, total: int, write: Callable[[int], str]) -> str:
        """Return the text that `_longest_with_size` returns, without its number of parts."""
        return self._longest_with_size(total, write)[0]

    def _longest_with_size(self, total: int, write: Callable[[int], str]) -> tuple[str, int]:
        """Return the text of the most parts that fit, of 1 to `total` parts, and their number.

        `write` returns the text of the first so many parts. At most `_ROUNDS` smaller numbers are
        tried. If none of the texts fits, the text is empty and the number is 0.
        """
        whole = write(total)
        if self._budget is None or (size := self._count(whole)) <= self._budget:
            return whole, total
        low, high, best = 0, total, ""
        middle = max(1, total * self._budget // max(1, size))
        for _ in range(_ROUNDS):
            if low + 1 >= high:
                break
            middle = min(max(middle, low + 1), high - 1)
            candidate = write(middle)
            if (size := self._count(candidate)) <= self._budget:
                low, best = middle, candidate
            else:
                high = middle
            middle = (low + high) // 2
        return best, low

    # Rows

    def _write_rows(self, answer: DataAnswer, asked: dict[str, Any], note: str) -> str:
        """Return the rows of an answer, as many as fit, or a part of the first if it is too long.

        Room is left for the note, which is added later.
        """
        rows, head = answer.value, ""
        if asked.get("fields") or asked.get("group"):
            rows, head = below_shared_paths(rows)
        rows_after = answer.total - answer.first - len(rows)

        def first_rows(size: int) -> str:
            """Return the first rows, with the note on the others."""
            left = rows_after + len(rows) - size
            if answer.is_hits:
                body = escape(written_hits(rows[:size], dump), raw=True)
            else:
                body = head + self._write_table(rows[:size], asked)
            if not left:
                return self._with_note_room(body, note)
            more = _continuation(left, answer.total, "rows", answer.first + size)
            if asked.get("limit"):
                more = _limited(left, answer.total, "rows", size, len(rows))
            return self._with_note_room(f"{body.rstrip(chr(10))}\n{more}", note)

        text = self._longest_fitting(len(rows), first_rows)
        if text:
            return text.removesuffix(_note_line(note))
        row_asked = {**asked, "offset": answer.first, "limit": 1}
        following = answer.total - answer.first - 1
        more = (
            f"\n{_continuation(following, answer.total, 'rows', answer.first + 1)}"
            if following > 0
            else ""
        )
        return self._write_part(
            answer.value[0], row_asked, f"row {answer.first} of {answer.total}", more
        )

    def _with_note_room(self, text: str, note: str) -> str:
        """Return a text with its note, so that the tokens of the note are counted."""
        return text + _note_line(note)

    def write_next_rows(self, part: Any, again: str) -> tuple[str, list[Any]]:
        """Return data that were not shown yet, and what is left of them.

        It is all of the part, or the whole items of its largest array that fit, with their number
        and the call `again` that returns the others. If not even the first fits, the text is empty.
        """
        assert self._budget is not None
        path = largest_array(part)
        size, longest = 0, _MOST_CHARACTERS * self._budget
        items: list[Any] = [] if path is None else content_at(part, path)
        for item in items:
            longest -= len(dump(item))
            if longest < 0:
                break
            size += 1
        if size == len(items) and self._fits(text := self._write_data(part)):
            return text, []
        if path is None or size == 0:
            return "", [part]

        def first_items(size: int) -> str:
            """Return the first items, with the note on the others."""
            left = len(items) - size
            unit = "rows" if is_object(items[0]) else "items"
            note = f"> [{left} of {len(items)} {unit} of {path_text(path)} are still not shown"
            body = self._write_data(split_array(part, path, size)[0]).rstrip("\n")
            return f"{body}\n{note}: {again}]"

        text, size = self._longest_with_size(min(size, len(items) - 1), first_items)
        return text, [split_array(part, path, size)[1] if size else part]

    # One value

    def _write_value(self, value: JsonValue, asked: dict[str, JsonValue], note: str) -> str:
        """Return a value, or as many of its rows or parts as fit; room is left for the note."""
        text = self._write_data(value)
        if self._fits(text + _note_line(note)):
            return text
        if is_array(value):
            from mckp.recall import DataAnswer

            return self._write_rows(DataAnswer(value, is_rows=True, total=len(value)), asked, note)
        return self._write_part(value, asked, "it", "")

    def _write_part(
        self, value: JsonValue, asked: dict[str, JsonValue], noun: str, more: str
    ) -> str:
        """Return the part of a value that fits: whole lines of a text, or cut data with a note.

        `noun` is what the value is called in the note, and `more` is a line to follow it.
        """
        assert self._budget is not None
        if isinstance(value, str):
            return self._write_beginning(
                value, _text_slicer(asked), has_lines=bool(asked.get("path"))
            )
        if (
            is_object(value)
            and len(value) == 1
            and isinstance(text := next(iter(value.values())), str)
        ):
            beginning = self._write_beginning(text, _field_slicer(next(iter(value)), asked, more))
            return f"{beginning}{more}" if self._fits(f"{beginning}{more}") else beginning
        advice = self._advice_note(value, asked, noun, more)
        room = self._budget - self._count(f"\n{advice}{more}") - 2
        try:
            cut = encode(value, budget=room, tokenizer=self._tokenizer, formats=self._formats).text
        except (BudgetError, ValueError):
            cut = ""
        text = f"{cut.rstrip(chr(10))}\n{advice}{more}".lstrip("\n")
        return text if self._fits(text) else self._cut_to_fit(advice)

    def _cut_to_fit(self, note: str) -> str:
        """Return a note, cut by quarters until it fits the budget or has at most 8 characters."""
        size = len(note)
        while size > 8 and not self._fits(note[:size]):
            size = size * 3 // 4
        return note[:size]

    def _advice_note(
        self, value: JsonValue, asked: dict[str, JsonValue], noun: str, more: str
    ) -> str:
        """Return a note on the sizes of an object's largest members, and on how to get one.

        Of any other value, the note gives only the size. `noun` is what the value is called in the
        note, and `more` is a line to follow it.
        """
        if not is_object(value):
            return (
                f"> [{noun} has {self._count(dump(value))} tokens, more than one answer may have]"
            )
        sizes = {
            name: self._count(member if isinstance(member, str) else dump(member))
            for name, member in value.items()
        }
        largest = sorted(sizes, key=lambda name: -sizes[name])[:3]
        shown = ", ".join(f"{name} {sizes[name]}" for name in largest)
        call = dump(
            {**_row_parameters(asked, more), "fields": [_member_expression(largest[0], asked)]}
        )[1:-1]
        return (
            f"> [part of {noun}, which has {sum(sizes.values())} tokens ({shown}); ask for {call}]"
        )

    def _write_beginning(
        self, text: str, more_of: Callable[[int], str], *, has_lines: bool = False
    ) -> str:
        """Return the beginning of a long text, and the call that returns what follows.

        `more_of` returns the call for the characters from an index on. `has_lines` says whether a
        call with an offset would return the next lines.
        """
        lines = text.splitlines(keepends=True)

        def first_lines(size: int) -> str:
            """Return the first lines, with the call for the others."""
            body = escape("".join(lines[:size]), raw=True)
            if size == len(lines):
                return body
            more = _continuation(len(lines) - size, len(lines), "lines", size)
            return f"{body.rstrip(chr(10))}\n{more}"

        if has_lines and (fitting := self._longest_fitting(len(lines), first_lines)):
            return fitting

        def first_characters(size: int) -> str:
            """Return the first characters, with the call for the others."""
            body = escape(text[:size], raw=True)
            if size == len(text):
                return body
            return (
                f"{body}\n> [the first {size} of {len(text)} characters; "
                f"next: {more_of(size)}, or grep]"
            )

        return self._longest_fitting(len(text), first_characters) or self._cut_to_fit(
            first_characters(1)
        )

    # Lines

    def _fitting_alternatives(self, answer: LinesAnswer, *, is_limited: bool) -> LinesAnswer:
        """Return the lines of as many alternatives of the pattern as fit, the rarest first.

        The note says which alternatives were left out, and how many lines they have. If not even
        the rarest fits, or the pattern has no alternatives, the lines stay, and the note says how
        they are spread. If all lines that were asked for fit, it only counts the alternatives, if
        the lines are limited or an alternative has none.
        """
        is_whole = len(answer.lines) == answer.total
        if answer.is_block or not answer.lines:
            return answer
        if (is_whole or is_limited) and self._fits(lines_text(answer.lines, answer)):
            counts = answer.counts if is_limited or _HAS_NONE.search(answer.counts) else ""
            return _noted(answer, f"lines with {counts}" if counts else "")
        for left_out, lines in answer.fewer:
            less = replace(answer, lines=lines, total=len(lines), counts="", spread="")
            less = _noted(less, f"lines with {left_out} are left out: grep these alone")
            if self._fits(self._with_note_room(lines_text(lines, less), less.note)):
                return less
        said = "; ".join(filter(None, (answer.counts, answer.spread)))
        return _noted(answer, f"lines with {said}" if said else "")

    def _brief_lines(self, answer: LinesAnswer, asked: dict[str, Any]) -> LinesAnswer | None:
        """Return a few hits of which not all fit, each reduced to what is around its match.

        None if all fit as they are, if they are many, or if they do not fit even so.
        """
        pattern, lines = str(asked.get("grep") or ""), answer.lines
        is_few = 1 < len(lines) <= _FEW_HITS and len(lines) == answer.total
        if not is_few or not pattern or answer.has_context or any(line.start for line in lines):
            return None
        note = _note_line(answer.note)
        if self._fits(lines_text(lines, answer) + note):
            return answer
        for beside in _BESIDE:
            shorter = tuple(
                line._replace(text=head + around(line.text[len(head) :], pattern, beside))
                for line in lines
                for head in (head_of_hit(line.text),)
            )
            less = replace(answer, lines=shorter, counts="", spread="")
            if "… lines gives" not in answer.note:
                less = _noted(less, "… lines gives long lines whole")
            if self._fits(self._with_note_room(lines_text(shorter, less), less.note)):
                return less
        return None

    def _write_lines(self, answer: LinesAnswer, asked: dict[str, JsonValue]) -> str:
        """Return the lines of an answer, as many as fit.

        If the first is too long, it is a part of the line if it is the only one, else a note on it.
        Room is left for the note of the answer, which is added later.
        """
        lines = answer.lines
        if not lines:
            return "" if answer.note else _NOTHING
        lines_after = answer.total - answer.first - len(lines)
        unit = "parts of lines" if any(line.start for line in lines) else "lines"

        def first_lines(size: int) -> str:
            """Return the first lines, with the note on the others."""
            left = lines_after + len(lines) - size
            body = lines_text(lines[:size], answer)
            if not left:
                return self._with_note_room(body, answer.note)
            more = _continuation(left, answer.total, unit, answer.first + size)
            if asked.get("limit"):
                more = _limited(left, answer.total, unit, size, len(lines))
            return self._with_note_room(f"{body}\n{more}", answer.note)

        text = self._longest_fitting(len(lines), first_lines)
        if text:
            return text.removesuffix(_note_line(answer.note))
        number, line = lines[0].number, lines[0].text
        if len(lines) == 1:
            return self._write_beginning(line, _line_slicer(number, lines[0].start))
        next_call = _line_slicer(number)(0)
        return self._cut_to_fit(
            f"> [line {number} has {self._count(line)} tokens, more than one answer may have: "
            f"{next_call}; {len(lines) - 1} lines follow: offset={answer.first + 1}]"
        )

    def write_rest(self, rest: Rest, again: str) -> tuple[str, int]:
        """Return the text of the next lines that were not shown yet, and the number of these lines.

        If more are left, the text ends with their number and the call `again` that returns them.
        At least one line is returned; it is cut if it is too long for an answer.
        """
        lines = rest.lines

        def first_lines(size: int) -> str:
            """Return the first lines, with their numbers and the note on the others."""
            body = lines_text(
                lines[:size],
                LinesAnswer(lines, 0, len(lines), rest.total_lines, False, rest.shows_numbers),
            )
            if size == len(lines):
                return body
            number, unit = lines[size].number, "lines"
            more = f'{again}, or lines="{number}-"'
            if number == lines[size - 1].number:
                more, unit = again, "parts of lines"
            note = f"{len(lines) - size} of {len(lines)} {unit} are still not shown: {more}"
            return f"{body}\n> [{note}]"

        text, size = self._longest_with_size(len(lines), first_lines)
        return (text, size) if text else (self._cut_to_fit(first_lines(1)), 1)


def _noted(answer: LinesAnswer, remark: str) -> LinesAnswer:
    """Return an answer with a remark at the beginning of its note."""
    return replace(answer, note="; ".join(filter(None, (remark, answer.note))))


def _keeps_order(text: str, row: dict[str, JsonValue]) -> bool:
    """Whether the header of a table, or rows as JSON, have columns in the order of a row.

    What all rows have in common is below the header, and in no order.
    """
    head = next((line for line in text.splitlines() if line.startswith("[")), text)
    names = [name.partition(".")[0] for name in _HEADER_NAME.findall(head)]
    places = [names.index(name) for name in row if name in names]
    return places == sorted(places)


def _continuation(missing: int, total: int, unit: str, offset: int) -> str:
    """Return a note that `missing` of `total` units are left, and from which offset on."""
    return f"> [+{missing} of {total} {unit} next: offset={offset}]"


def _limited(missing: int, total: int, unit: str, size: int, limit: int) -> str:
    """Return the note below the answer to a call with a limit; it says so if fewer fit.

    The answer has `size` units of at most `limit`, and `missing` of `total` are left.
    """
    if size == limit:
        return f"> [+{missing} of {total} {unit}]"
    return f"> [+{missing} of {total} {unit}; {size} of the {limit} fit in one answer]"


_FEW_HITS: Final = 5
"""Most hits that are rather given in part, all of them, than in full, the first of them."""
_BESIDE: Final = (120, 60, 30)
"""Characters on each side of a match in such hits, tried in this order."""
_HEADER_NAME: Final = regex(r"[^\s{}\[\]<>=]+")
_HAS_NONE: Final = regex(r" 0(?:,|\Z)")
_SLICE: Final = regex(r"(?s)(.+)\[([0-9]*):[0-9]*\]")


def _line_slicer(number: int, first: int = 0) -> Callable[[int], str]:
    """Return a function that writes the call for the rest of line `number` from a character on.

    Characters are counted in the part of the line that begins at character `first`.
    """
    return lambda start: f'where "n == {number}", fields ["line[{first + start}:]"]'


def _text_slicer(asked: dict[str, JsonValue]) -> Callable[[int], str]:
    """Return a function that writes the call for the rest of the asked text from a character on."""
    path, first = _split_slice(str(asked.get("path") or "$"))
    return lambda start: f'path "{path}[{first + start}:]"'


def _field_slicer(name: str, asked: dict[str, JsonValue], more: str) -> Callable[[int], str]:
    """Return a function that writes the call for the rest of a field's text from a character on.

    `more` is the note on the rows after this one, or empty.
    """
    field, first = _split_slice(_member_expression(name, asked))
    row = "".join(f", {key} {value}" for key, value in _row_parameters(asked, more).items())
    return lambda start: f"fields {dump([f'{field}[{first + start}:]'])}{row}"


def _split_slice(text: str) -> tuple[str, int]:
    """Split the slice at the end off an expression; return the rest, and where the slice begins."""
    match = _SLICE.fullmatch(text)
    return (match[1], int(match[2] or 0)) if match else (text, 0)


def _row_parameters(asked: dict[str, Any], more: str) -> dict[str, int]:
    """Return the parameters that ask for one row alone; none if it is the only row.

    `more` is the note on the rows after it, or empty.
    """
    return {"offset": asked["offset"], "limit": 1} if more or asked.get("offset") else {}


def _member_expression(name: str, asked: dict[str, JsonValue]) -> str:
    """Return the expression that asks for a member of an answer.

    It is the name itself if that was asked for as a field, else the name as written in questions.
    """
    fields = asked.get("fields")
    is_asked = isinstance(fields, str) or (is_array(fields) and name in fields)
    return name if is_asked else written("", name).removeprefix("@")


def _note_line(note: str) -> str:
    """Return a note as a line of its own, or an empty text for an empty note."""
    return f"\n> [{note}]" if note else ""

"""The text of an answer to a recall: whole rows or lines, and how to go on where not all fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.api import encode
from mckp.encoders.fakes import escape
from mckp.errors import BudgetError
from mckp.jsontext import dump, is_array, is_container, is_object
from mckp.recall import Lines
from mckp.recall.names import written

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mckp.agents.session.rest import Rest
    from mckp.recall import Found
    from mckp.recall.lines import Line
    from mckp.tokenizers.base import Tokenizer

_NOTHING: Final = "nothing follows"
_ROUNDS: Final = 12
"""Most sizes that are tried until an answer fits."""


class Writer:
    """Writes answers within a budget; without one they are whole.

    Parameters
    ----------
    tokenizer : Tokenizer
        What counts.
    budget : int or None
        Most tokens of an answer.
    formats : str or tuple of str
        The formats of data, as for `mckp.encode`.
    """

    def __init__(
        self, tokenizer: Tokenizer, budget: int | None, formats: str | tuple[str, ...] = "native"
    ) -> None:
        self._tokenizer, self._budget = tokenizer, budget
        self._formats = (formats,) if isinstance(formats, str) else formats

    def written(self, answer: Found | Lines, asked: dict[str, Any]) -> str:
        """Return the text of an answer to the parameters of a call."""
        if isinstance(answer, Lines):
            return self._noted(self._of_lines(answer), answer.note)
        place = f"rows of {answer.place}" if answer.place else ""
        note = "; ".join(filter(None, (place, answer.note)))
        if not answer.is_rows:
            return self._noted(self._single(answer.value, asked, note), note)
        if not answer.value:
            return self._noted("", note or _NOTHING)
        return self._noted(self._rows(answer, asked, note), note)

    def _noted(self, text: str, note: str) -> str:
        if not note:
            return text or _NOTHING
        line = f"> [{note}]" if text else note
        return f"{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{line}"

    def _data(self, value: Any) -> str:
        """Return data in the shortest form, text as it is."""
        if isinstance(value, str):
            return escape(value, raw=True)
        plain = dump(value)
        if not is_container(value) or len(plain) < 40:
            return plain
        text = encode(value, tokenizer=self._tokenizer, formats=self._formats).text
        escaped = escape(plain, raw=True)
        return escaped if self._count(escaped) < self._count(text) else text

    def _count(self, text: str) -> int:
        return self._tokenizer.count(text)

    def _fits(self, text: str) -> bool:
        return self._budget is None or self._count(text) <= self._budget

    def _most(self, total: int, text: Callable[[int], str]) -> str:
        """Return the longest text of 1 to `total` parts that fits; an empty text if none does."""
        return self._largest(total, text)[0]

    def _largest(self, total: int, text: Callable[[int], str]) -> tuple[str, int]:
        """Return the longest text of 1 to `total` parts that fits, and its number of parts."""
        whole = text(total)
        if self._budget is None or (size := self._count(whole)) <= self._budget:
            return whole, total
        low, high, best = 0, total, ""
        middle = max(1, total * self._budget // max(1, size))
        for _ in range(_ROUNDS):
            if low + 1 >= high:
                break
            middle = min(max(middle, low + 1), high - 1)
            tried = text(middle)
            if (size := self._count(tried)) <= self._budget:
                low, best = middle, tried
            else:
                high = middle
            middle = (low + high) // 2
        return best, low

    # Rows

    def _rows(self, answer: Found, question: dict[str, Any], note: str) -> str:
        rows, head = answer.value, ""
        if question.get("fields") or question.get("group"):
            rows, head = below_shared_paths(rows)
        after = answer.total - answer.first - len(rows)

        def part(size: int) -> str:
            left = after + len(rows) - size
            body = head + self._data(rows[:size])
            if not left:
                return self._padded(body, note)
            more = _left(left, answer.total, "rows", answer.first + size)
            return self._padded(f"{body.rstrip(chr(10))}\n{more}", note)

        text = self._most(len(rows), part)
        if text:
            return text.removesuffix(_pad(note))
        asked = {**question, "offset": answer.first, "limit": 1}
        following = answer.total - answer.first - 1
        more = (
            f"\n{_left(following, answer.total, 'rows', answer.first + 1)}" if following > 0 else ""
        )
        return self._large(answer.value[0], asked, f"row {answer.first} of {answer.total}", more)

    def _padded(self, text: str, note: str) -> str:
        """Return a text with room for the note below it."""
        return text + _pad(note)

    # One value

    def _single(self, value: Any, asked: dict[str, Any], note: str) -> str:
        text = self._data(value)
        if self._fits(text + _pad(note)):
            return text
        if is_array(value):
            from mckp.recall import Found

            return self._rows(Found(value, is_rows=True, total=len(value)), asked, note)
        return self._large(value, asked, "it", "")

    def _large(self, value: Any, asked: dict[str, Any], noun: str, more: str) -> str:
        """Return what fits of a value that does not: a text in lines, data with notes."""
        assert self._budget is not None
        if isinstance(value, str):
            return self._beginning(value, asked)
        advice = self._advice(value, asked, noun)
        room = self._budget - self._count(f"\n{advice}{more}") - 2
        try:
            cut = encode(value, budget=room, tokenizer=self._tokenizer, formats=self._formats).text
        except (BudgetError, ValueError):
            cut = ""
        text = f"{cut.rstrip(chr(10))}\n{advice}{more}".lstrip("\n")
        return text if self._fits(text) else self._shortest(advice)

    def _shortest(self, advice: str) -> str:
        size = len(advice)
        while size > 8 and not self._fits(advice[:size]):
            size = size * 3 // 4
        return advice[:size]

    def _advice(self, value: Any, asked: dict[str, Any], noun: str) -> str:
        """Say how much a value has in its largest members, and how to get one of them."""
        if not is_object(value):
            return (
                f"> [{noun} has {self._count(dump(value))} tokens, more than one answer may have]"
            )
        sizes = {
            name: self._count(member if isinstance(member, str) else dump(member))
            for name, member in value.items()
        }
        first = sorted(sizes, key=lambda name: -sizes[name])[:3]
        shown = ", ".join(f"{name} {sizes[name]}" for name in first)
        call = dump({"fields": [written("", first[0]).removeprefix("@")]})[1:-1]
        return (
            f"> [part of {noun}, which has {sum(sizes.values())} tokens ({shown}); ask for {call}]"
        )

    def _beginning(self, text: str, asked: dict[str, Any]) -> str:
        """Return the first lines of a long text, or the beginning of its only line."""
        lines = text.splitlines(keepends=True)

        def part(size: int) -> str:
            body = escape("".join(lines[:size]), raw=True)
            if size == len(lines):
                return body
            more = _left(len(lines) - size, len(lines), "lines", size)
            return f"{body.rstrip(chr(10))}\n{more}"

        if fitting := self._most(len(lines), part):
            return fitting
        line = lines[0]

        def begun(size: int) -> str:
            body = escape(line[:size], raw=True)
            advice = f"the first {size} of {len(line)} characters: take grep, or a field[{size}:]"
            return f"{body}\n> [{advice}]"

        return self._most(len(line), begun) or self._shortest(begun(0))

    # Lines

    def _of_lines(self, answer: Lines) -> str:
        lines = answer.lines
        if not lines:
            return "" if answer.note else _NOTHING
        after = answer.total - answer.first - len(lines)

        def part(size: int) -> str:
            left = after + len(lines) - size
            body = _lines_text(lines[:size], answer)
            if not left:
                return self._padded(body, answer.note)
            more = _left(left, answer.total, "lines", answer.first + size)
            return self._padded(f"{body}\n{more}", answer.note)

        text = self._most(len(lines), part)
        if text:
            return text.removesuffix(_pad(answer.note))
        number, line = lines[0].number, lines[0].text
        return (
            self._beginning(line, {})
            if len(lines) == 1
            else self._shortest(
                f"> [line {number} has {self._count(line)} tokens, more than one answer may have; "
                f"{len(lines) - 1} lines follow: offset={answer.first + 1}]"
            )
        )

    def rest(self, rest: Rest, again: str) -> tuple[str, int]:
        """Return the first of the lines that were not shown yet, and how many these are.

        Where more are left, the text ends with their number and the call that goes on. There is at
        least one line, which is cut if it is longer than an answer may be.
        """
        lines = rest.lines

        def part(size: int) -> str:
            body = _lines_text(
                lines[:size],
                Lines(lines, 0, len(lines), rest.of, False, rest.shows_numbers),
            )
            if size == len(lines):
                return body
            number, unit = lines[size].number, "lines"
            more = f'{again}, or lines="{number}-"'
            if number == lines[size - 1].number:
                more, unit = again, "parts of lines"
            note = f"{len(lines) - size} of {len(lines)} {unit} are still not shown: {more}"
            return f"{body}\n> [{note}]"

        text, size = self._largest(len(lines), part)
        return (text, size) if text else (self._shortest(part(1)), 1)


def _left(missing: int, total: int, unit: str, offset: int) -> str:
    """Say how many of all are left, and how to get them."""
    return f"> [+{missing} of {total} {unit} offset={offset}]"


def _pad(note: str) -> str:
    return f"\n> [{note}]" if note else ""


_LONGEST_NOTE: Final = 40
"""Characters that a note on a shared beginning has beside it, so that it pays."""


def shared_path(texts: Sequence[str]) -> str:
    """Return the folders with which all texts begin; empty if it does not pay to say them once.

    Examples
    --------
    >>> shared_path([f"/usr/lib/node/modules/tool/dist/{name}.js:1: x" for name in "abc"])
    '/usr/lib/node/modules/tool/dist/'
    >>> shared_path(["src/a.py", "src/b.py"])
    ''
    """
    first, last = min(texts), max(texts)
    same = next((n for n, sign in enumerate(first) if last[n : n + 1] != sign), len(first))
    start = first[:same]
    start = start[: max(start.rfind("/"), start.rfind("\\")) + 1]
    is_path = not any(sign.isspace() for sign in start)
    return start if is_path and len(start) * (len(texts) - 1) > _LONGEST_NOTE else ""


def below_shared_paths(rows: Sequence[Any]) -> tuple[Sequence[Any], str]:
    r"""Return rows without the folders that the paths of a field share, and a line that has these.

    Examples
    --------
    >>> hits = [{"file": f"/home/me/work/lib/src/{name}.py"} for name in "abcd"]
    >>> rows, said = below_shared_paths(hits)
    >>> rows[1], said
    ({'file': 'b.py'}, '> [file begins with /home/me/work/lib/src/ in each row]\n')
    """
    starts: dict[str, str] = {}
    for name in rows[0] if all(map(is_object, rows)) else ():
        texts = [text for text in (row.get(name) for row in rows) if isinstance(text, str)]
        if len(texts) == len(rows) and (start := shared_path(texts)):
            starts[name] = start
    if not starts:
        return rows, ""
    shorter = [
        {name: cell[len(starts[name]) :] if name in starts else cell for name, cell in row.items()}
        for row in rows
    ]
    said = ", ".join(f"{name} begins with {start}" for name, start in starts.items())
    return shorter, f"> [{said} in each row]\n"


_LONG_RUN: Final = 4
"""Lines that follow one another, from which on one line above them says their numbers."""


def _runs(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines in runs of those that follow one another."""
    runs: list[list[Line]] = []
    for line in lines:
        if runs and line.number == runs[-1][-1].number + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    return runs


def _lines_text(lines: Sequence[Line], answer: Lines) -> str:
    """Return lines with their numbers, as grep writes them, or below one line on their numbers."""
    if answer.is_block:
        body = escape("\n".join(line.text for line in lines), raw=True)
        if answer.shows_numbers or (answer.total == answer.of and not answer.first):
            return body
        return f"> [lines {lines[0].number}-{lines[-1].number} of {answer.of}]\n{body}"
    if not answer.shows_numbers and all(line.is_match for line in lines):
        runs = _runs(lines)
        if len(lines) >= _LONG_RUN * len(runs):
            return "\n".join(
                f"> [lines {run[0].number}-{run[-1].number} of {answer.of}]\n"
                + escape("\n".join(line.text for line in run), raw=True)
                for run in runs
            )
    start = "" if answer.shows_numbers else shared_path([line.text for line in lines])
    parts = [f"> [each line begins with {start}]"] if start else []
    last = lines[0].number
    for line in lines:
        if answer.has_context and line.number > last + 1:
            parts.append("--")
        last = line.number
        number = "" if answer.shows_numbers else f"{last}{':' if line.is_match else '-'}"
        parts.append(f"{number}{line.text[len(start) :]}")
    text = "\n".join(parts)
    return escape(text, raw=True) if answer.shows_numbers else text

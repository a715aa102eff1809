"""Questions about texts: lines by number, by pattern, or under a heading or function."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.errors import RecallError
from mckp.recall import names
from mckp.recall.mistakes import call_of
from mckp.recall.nearby import by_word, has_letters, of_other_case
from mckp.recall.patterns import LONG, SlowPatternError, around, searched
from mckp.recall.rows import ask
from mckp.recall.tabular import fields_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.recall.asked import Asked
    from mckp.recall.query import Found


class Line(NamedTuple):
    """A line of a text with its number, as the text shows it or counted from 1."""

    number: int
    text: str
    is_match: bool = True


@dataclass(frozen=True, slots=True)
class Lines:
    """The answer to a question about a text: lines in order.

    `total` is the number of matching lines, `first` the number skipped, and `of` the number of
    lines in the text. With `is_block` the lines are consecutive, so one number places all.
    """

    lines: tuple[Line, ...]
    first: int
    total: int
    of: int
    is_block: bool
    shows_numbers: bool = False
    """Whether each line of the text begins with its number."""
    has_context: bool = False
    """Whether lines around those that match are among them."""
    note: str = ""


class Head(NamedTuple):
    """A line that names what is below it, with the index at which that ends."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """A text as lines."""

    text: str

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their line feeds."""
        return self.text.splitlines()

    @cached_property
    def shown(self) -> list[int] | None:
        r"""The line numbers that the text itself shows, or None if it shows none.

        Examples
        --------
        >>> Source("  41→def f():\n  42→    pass\n").shown
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
        steps = sum(b - a == 1 for a, b in pairwise(numbers))
        return numbers if steps * 10 >= (len(numbers) - 1) * 8 else None

    @cached_property
    def heads(self) -> list[Head]:
        """The headings, functions and files that the text names, in order."""
        return list(_heads(self.lines))

    def number(self, index: int) -> int:
        """Return the number of a line by its index."""
        return index + 1 if self.shown is None else self.shown[index]

    def indexes(self, first: int, last: int | None) -> range:
        """Return the indexes of the lines with numbers from first to last."""
        if self.shown is None:
            return range(
                max(0, first - 1), len(self.lines) if last is None else min(last, len(self.lines))
            )
        at = [
            n
            for n, number in enumerate(self.shown)
            if number >= first and (last is None or number <= last)
        ]
        return range(at[0], at[-1] + 1) if at else range(0)


_SHOWN: Final = re.compile(r"\s*([0-9]{1,9})(?:→|\t|: |\| | \| |  )")


def ask_text(text: str, asked: Asked) -> Lines | Found:
    r"""Return the answer to a question about a text.

    Lines can be asked for as rows, whose fields are ``n``, ``line`` and what `fields_of` reads.

    Raises
    ------
    RecallError
        If the question is not understood, or names something that is not there.

    Examples
    --------
    >>> from mckp.recall.asked import Asked
    >>> log = "start\nerror: disk\nretry\nerror: net\n"
    >>> [tuple(each)[:2] for each in ask_text(log, Asked.of({"grep": "error"})).lines]
    [(2, 'error: disk'), (4, 'error: net')]
    >>> ask_text(log, Asked.of({"where": "line contains 'error'", "fields": ["count()"]})).value
    {'count()': 2}
    """
    source = Source(text)
    among = _place(source, asked) if asked.path.strip("$. ") else range(len(source.lines))
    if asked.lines:
        among = _ranges(source, asked, among)
    if asked.has_expressions:
        return _as_rows(source, among, asked)
    note, chosen = "", [(index, True) for index in among]
    if asked.grep:
        chosen, note = _matching(source, among, asked)
    part = chosen[asked.offset : None if asked.limit is None else asked.offset + asked.limit]
    lines = tuple(
        Line(
            source.number(n),
            around(source.lines[n], asked.grep) if asked.grep else source.lines[n],
            is_match,
        )
        for n, is_match in part
    )
    if asked.grep:
        note = _with_cuts(note, [source.lines[n] for n, _ in part])
    is_block = not asked.grep and all(b[0] - a[0] == 1 for a, b in pairwise(part))
    return Lines(
        lines,
        first=asked.offset,
        total=len(chosen),
        of=len(source.lines),
        is_block=is_block,
        shows_numbers=source.shown is not None,
        has_context=bool(asked.context),
        note=note,
    )


def _ranges(source: Source, asked: Asked, among: Sequence[int]) -> list[int]:
    wanted = set(among)
    indexes = [n for first, last in asked.lines for n in source.indexes(first, last) if n in wanted]
    if not indexes:
        first, last = (
            source.number(0) if source.lines else 0,
            source.number(-1 + len(source.lines)) if source.lines else 0,
        )
        message = f"lines: the text has lines {first} to {last}"
        call = {**call_of(asked), "lines": f"{max(first, last - 20)}-{last}"}
        raise RecallError(message, "lines", call=call)
    return sorted(dict.fromkeys(indexes))


def _as_rows(source: Source, among: Sequence[int], asked: Asked) -> Found | Lines:
    """Answer a question about lines as rows, with the fields that they have.

    Whole rows are returned as lines.
    """
    note = ""
    if asked.grep:
        chosen, note = _matching(source, among, replace(asked, context=0))
        among = [n for n, _ in chosen]
        if not among:
            return Lines((), 0, 0, len(source.lines), is_block=False, note=note)
    fields = fields_of([source.lines[n] for n in among])
    rows = [
        {"n": source.number(n), "line": source.lines[n], **cells}
        for n, cells in zip(among, fields, strict=True)
    ]
    try:
        answer = ask(rows, replace(asked, path="$", grep="", lines=()))
    except RecallError as error:
        if error.call is not None and error.call.get("path") == "$":
            rest = {name: value for name, value in error.call.items() if name != "path"}
            error.call = {**rest, **({"path": asked.path} if asked.path else {})}
        raise
    note = "; ".join(filter(None, (note, answer.note)))
    if asked.fields or asked.group or not answer.value:
        return replace(answer, note=note)
    texts = asked.grep or "|".join(map(re.escape, _quoted(asked.where)))
    lines = tuple(Line(row["n"], around(row["line"], texts)) for row in answer.value)
    note = _with_cuts(note, [row["line"] for row in answer.value])
    return Lines(
        lines,
        first=answer.first,
        total=answer.total,
        of=len(source.lines),
        is_block=False,
        shows_numbers=source.shown is not None,
        note=note,
    )


def _with_cuts(note: str, shown: Sequence[str]) -> str:
    """Extend a note with how to get the lines that are shown only in part."""
    is_cut = any(len(line) > LONG for line in shown)
    return "; ".join(filter(None, (note, "… lines gives long lines whole" if is_cut else "")))


def _quoted(where: str) -> list[str]:
    """Return the texts in an expression; long lines are shown around them."""
    return [first or second for first, second in _TEXT.findall(where)]


_TEXT: Final = re.compile(r"'([^']+)'|\"([^\"]+)\"")


def _matching(
    source: Source, among: Sequence[int], asked: Asked
) -> tuple[list[tuple[int, bool]], str]:
    """Return the indexes of matching lines and the lines around them, and a note."""
    pattern = asked.grep
    note, hits = "", _hits(source, among, pattern, ignores_case=False)
    any_case = _hits(source, among, pattern, ignores_case=True) if has_letters(pattern) else hits
    if not any_case:
        return [], _nothing(source, among, pattern)
    if not hits:
        hits = any_case
        note = f"0 of {len(among)} lines have it in this case; these differ in case"
    else:
        note = of_other_case(len(any_case) - len(hits), "lines", pattern)
    wanted, matched = set(among), set(hits)
    beside = {n + d for n in hits for d in range(-asked.context, asked.context + 1)} & wanted
    return [(n, n in matched) for n in sorted(beside | matched)], note


def _nothing(source: Source, among: Sequence[int], pattern: str) -> str:
    """Say that no line matches a pattern, and which of its words and which headings exist."""
    near = names.nearest(pattern, [head.name for head in source.heads])[:5]
    heads = f"the text has the headings {', '.join(near)}" if near else ""
    words = by_word(pattern, [source.lines[n] for n in among], "lines")
    return "; ".join(filter(None, (f"0 of {len(among)} lines have it", words, heads)))


def _hits(source: Source, among: Sequence[int], pattern: str, *, ignores_case: bool) -> list[int]:
    try:
        return [n for n in among if searched(pattern, source.lines[n], ignores_case=ignores_case)]
    except SlowPatternError as error:
        raise RecallError(f"grep: {error}", "grep") from None


# Places

_HEADING: Final = re.compile(r"(#{1,6}) +(\S.*?) *#*\s*\Z")
_NUMBERED: Final = re.compile(r"\s*[0-9]{1,9}(?:→|\t)")
_DIFF: Final = re.compile(r"[+ -]?diff --git a/(\S+) b/(\S+)")
_CODE: Final = re.compile(
    r"(?P<indent>\s*)(?:(?:export|default|public|private|protected|static|async|abstract|final|pub"
    r"(?:\([a-z]+\))?|unsafe|inline|virtual|override|internal|sealed|extern|declare) +)*"
    r"(?:def|class|func|function\*?|fn|struct|interface|trait|impl|enum|module|namespace|type|macro_rules!"
    r"|const(?= +\w+ *= *(?:async *)?(?:\(|function))|let(?= +\w+ *= *(?:async *)?\()"
    r"|var(?= +\w+ *= *&?\w))"
    r" +(?:\([^)]*\) *)?(?P<name>[\w$.]+)"
)
_RUN: Final = re.compile(
    r"=== RUN +(\S+)|=+ (?:FAIL|ERROR)?[:S]? ?(\S.*?\S) ?=+\Z|_{3,} (\S.*?\S) _{3,}\Z"
)


def _heads(lines: Sequence[str]) -> Iterator[Head]:
    """Yield the lines that name what is below them."""
    heads: list[tuple[str, int, int, str]] = []
    fenced = False
    for n, raw in enumerate(lines):
        if len(raw) > 400:
            continue
        line = _NUMBERED.sub("", raw)
        fenced ^= line.lstrip().startswith("```")
        if not fenced and (match := _HEADING.match(line)):
            heads.append((match[2], n, len(match[1]), "#"))
        elif match := _DIFF.match(line):
            heads.append((match[2], n, 0, "diff"))
        elif match := _RUN.match(line):
            name = match[1] or match[2] or match[3]
            heads.append((name, n, name.count("/"), "run"))
        elif match := _CODE.match(line.lstrip("+-") if line[:1] in "+-" else line):
            heads.append((match["name"], n, len(match["indent"].expandtabs(4)), "code"))
    for place, (name, start, level, kind) in enumerate(heads):
        if kind == "code":
            yield Head(name, start, _block_end(lines, start, level))
            continue
        after = (
            n for _, n, its_level, same in heads[place + 1 :] if same == kind and its_level <= level
        )
        yield Head(name, start, next(after, len(lines)))


def _block_end(lines: Sequence[str], start: int, indent: int) -> int:
    """Return the end of a code block: the next line that is indented no more than its head.

    If the head ends with an opening bracket, the block ends with the line that closes it.
    """
    is_open = lines[start].rstrip()[-1:] in "{[("
    for n in range(start + 1, len(lines)):
        line = _NUMBERED.sub("", lines[n])
        line = line[1:] if lines[start][:1] in "+-" and line[:1] in "+- " else line
        text = line.lstrip()
        depth = len(line.expandtabs(4)) - len(text.expandtabs(4))
        if text and depth <= indent:
            closes = text[0] in "})]" or text.startswith("end")
            if closes or not is_open:
                return n + 1 if closes else n
    return len(lines)


def _place(source: Source, asked: Asked) -> Sequence[int]:
    """Return the indexes of the lines of a heading, function or file that a path names."""
    name = asked.path.strip().lstrip("#").strip()
    name = name.removeprefix("$.").strip("\"'")
    heads = source.heads
    wanted = names.normal(re.sub(r"\(.*\)\s*\Z", "", name))
    exact = [head for head in heads if head.name == name]
    same = [head for head in heads if names.normal(head.name) == wanted and wanted]
    within = [head for head in heads if wanted and wanted in names.normal(head.name)]
    for candidates in (exact, same, within):
        if len(candidates) == 1 or (candidates and candidates is not within):
            end = candidates[0].end
            while end > candidates[0].start + 1 and not source.lines[end - 1].strip():
                end -= 1
            return range(candidates[0].start, end)
    if match := _LINES.fullmatch(name):
        first, last = int(match[1]), int(match[2] or match[1])
        return source.indexes(first, last)
    known = list(dict.fromkeys(head.name for head in heads))
    ranked = names.nearest(name, known)
    message = f"path: the text has no heading or function {name[:60]!r}"
    if ranked:
        message += f"; it has {names.listed(ranked)}"
    else:
        message += "; use grep with a pattern, or lines with line numbers"
    near = names.likely_name(name, known) or (within[0].name if within else "")
    rest = {key: value for key, value in call_of(asked).items() if key != "path"}
    word = re.split(r"[\s.\[(]", name.strip())[-1] or name
    raise RecallError(
        message, "path", names=ranked, call={**rest, **({"path": near} if near else {"grep": word})}
    )


_LINES: Final = re.compile(r"(?:lines? )?\[?L?([0-9]{1,9})(?:[-:]L?([0-9]{1,9}))?\]?")

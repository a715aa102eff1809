"""Questions about texts: lines by number, by pattern, or those of a heading or function."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.errors import RecallError
from mckp.recall import names
from mckp.recall.mistakes import call_of
from mckp.recall.patterns import SlowPatternError, searched, spans
from mckp.recall.rows import ask

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.recall.asked import Asked
    from mckp.recall.query import Found

LONG: Final = 600
"""Characters from which on a line is given in parts, around what was searched for."""
AROUND: Final = 160
"""Characters of such a line on each side of a match."""


class Line(NamedTuple):
    """A line of a text with its number, as the text shows it or counted from 1."""

    number: int
    text: str
    is_match: bool = True


@dataclass(frozen=True, slots=True)
class Lines:
    """The answer to a question about a text: lines in order.

    `total` is how many there are in all, of which `first` were skipped; `of` how many lines the
    text has. `is_block` tells that they follow one another, so that one number says all.
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
    """A line that names what is below it, and where that ends."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """A text as its lines."""

    text: str

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their line feeds."""
        return self.text.splitlines()

    @cached_property
    def shown(self) -> list[int] | None:
        r"""The numbers that the text itself shows at its lines; None if it shows none.

        Examples
        --------
        >>> Source("  41→def f():\n  42→    pass\n").shown
        [41, 42]
        """
        found: list[int] = []
        for line in self.lines:
            match = _SHOWN.match(line)
            if match is None and line.strip():
                return None
            found.append(int(match[1]) if match else found[-1] if found else 0)
        if len(found) < 2:
            return None
        steps = sum(b - a == 1 for a, b in pairwise(found))
        return found if steps * 10 >= (len(found) - 1) * 8 else None

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
            for n, each in enumerate(self.shown)
            if each >= first and (last is None or each <= last)
        ]
        return range(at[0], at[-1] + 1) if at else range(0)


_SHOWN: Final = re.compile(r"\s*([0-9]{1,9})(?:→|\t|: |\| | \| |  )")


def ask_text(text: str, asked: Asked) -> Lines | Found:
    r"""Return the answer to a question about a text.

    Lines can be asked for as rows, whose fields are ``n`` and ``line``.

    Raises
    ------
    RecallError
        If it is not understood, or names what is not there.

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
            _shortened(source.lines[n], asked.grep) if asked.grep else source.lines[n],
            own,
        )
        for n, own in part
    )
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
    found = [n for first, last in asked.lines for n in source.indexes(first, last) if n in wanted]
    if not found:
        first, last = (
            source.number(0) if source.lines else 0,
            source.number(-1 + len(source.lines)) if source.lines else 0,
        )
        message = f"lines: the text has lines {first} to {last}"
        call = {**call_of(asked), "lines": f"{max(first, last - 20)}-{last}"}
        raise RecallError(message, "lines", call=call)
    return sorted(dict.fromkeys(found))


def _as_rows(source: Source, among: Sequence[int], asked: Asked) -> Found:
    try:
        rows = [
            {"n": source.number(n), "line": source.lines[n]}
            for n in among
            if not asked.grep or searched(asked.grep, source.lines[n])
        ]
    except SlowPatternError as error:
        raise RecallError(f"grep: {error}", "grep") from None
    return ask(rows, replace(asked, path="$", grep="", lines=()))


def _matching(
    source: Source, among: Sequence[int], asked: Asked
) -> tuple[list[tuple[int, bool]], str]:
    """Return the indexes of lines that match with those around them, and a note."""
    note, hits = "", _hits(source, among, asked.grep, ignores_case=False)
    if not hits:
        hits = _hits(source, among, asked.grep, ignores_case=True)
        note = f"0 of {len(among)} lines have it"
        if not hits:
            near = names.nearest(asked.grep, [head.name for head in source.heads])[:5]
            heads = f"; the text has the headings {', '.join(near)}" if near else ""
            return [], note + heads
        note += " in this case; these differ in case"
    wanted, own = set(among), set(hits)
    around = {n + d for n in hits for d in range(-asked.context, asked.context + 1)} & wanted
    return [(n, n in own) for n in sorted(around | own)], note


def _hits(source: Source, among: Sequence[int], pattern: str, *, ignores_case: bool) -> list[int]:
    try:
        return [n for n in among if searched(pattern, source.lines[n], ignores_case=ignores_case)]
    except SlowPatternError as error:
        raise RecallError(f"grep: {error}", "grep") from None


def _shortened(line: str, pattern: str) -> str:
    """Return the parts of a long line that match, each with what is around it."""
    if len(line) <= LONG:
        return line
    parts: list[list[int]] = []
    for first, last in spans(pattern, line) or spans(pattern, line, ignores_case=True):
        start, end = max(0, first - AROUND), min(len(line), last + AROUND)
        if parts and start <= parts[-1][1]:
            parts[-1][1] = end
        else:
            parts.append([start, end])
    if not parts:
        return f"{line[: 2 * AROUND]}…"
    shown = "…".join(line[start:end] for start, end in parts)
    return f"{'…' if parts[0][0] else ''}{shown}{'…' if parts[-1][1] < len(line) else ''}"


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
    found: list[tuple[str, int, int, str]] = []
    fenced = False
    for n, raw in enumerate(lines):
        if len(raw) > 400:
            continue
        line = _NUMBERED.sub("", raw)
        fenced ^= line.lstrip().startswith("```")
        if not fenced and (match := _HEADING.match(line)):
            found.append((match[2], n, len(match[1]), "#"))
        elif match := _DIFF.match(line):
            found.append((match[2], n, 0, "diff"))
        elif match := _RUN.match(line):
            name = match[1] or match[2] or match[3]
            found.append((name, n, name.count("/"), "run"))
        elif match := _CODE.match(line.lstrip("+-") if line[:1] in "+-" else line):
            found.append((match["name"], n, len(match["indent"].expandtabs(4)), "code"))
    for place, (name, start, level, kind) in enumerate(found):
        if kind == "code":
            yield Head(name, start, _block_end(lines, start, level))
            continue
        after = (n for _, n, other, same in found[place + 1 :] if same == kind and other <= level)
        yield Head(name, start, next(after, len(lines)))


def _block_end(lines: Sequence[str], start: int, indent: int) -> int:
    """Return the index behind a block of code: where a line is indented no more than its head.

    Behind a bracket that opens at the end of the head, that line is the one which closes it.
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
    exact = [each for each in heads if each.name == name]
    same = [each for each in heads if names.normal(each.name) == wanted and wanted]
    within = [each for each in heads if wanted and wanted in names.normal(each.name)]
    for found in (exact, same, within):
        if len(found) == 1 or (found and found is not within):
            end = found[0].end
            while end > found[0].start + 1 and not source.lines[end - 1].strip():
                end -= 1
            return range(found[0].start, end)
    if match := _LINES.fullmatch(name):
        first, last = int(match[1]), int(match[2] or match[1])
        return source.indexes(first, last)
    known = list(dict.fromkeys(each.name for each in heads))
    ranked = names.nearest(name, known)
    message = f"path: the text has no heading or function {name[:60]!r}"
    if ranked:
        message += f"; it has {names.listed(ranked)}"
    else:
        message += "; take grep for a pattern, or lines for numbers"
    near = names.near(name, known) or (within[0].name if within else "")
    rest = {key: each for key, each in call_of(asked).items() if key != "path"}
    word = re.split(r"[\s.\[(]", name.strip())[-1] or name
    raise RecallError(
        message, "path", names=ranked, call={**rest, **({"path": near} if near else {"grep": word})}
    )


_LINES: Final = re.compile(r"(?:lines? )?\[?L?([0-9]{1,9})(?:[-:]L?([0-9]{1,9}))?\]?")

"""What the lines of a text have in all: counts per status, level or file, and names of fields.

A text that is cut keeps few of many lines that are equal in shape. How many of each sort there are
is what a reader would otherwise ask for next.
"""

from __future__ import annotations

from collections import Counter
from os.path import splitext
from typing import TYPE_CHECKING, Any, Final

from mckp.regexes import regex
from mckp.texts.kinds import TextKind
from mckp.texts.tabular import fields_of
from mckp.texts.templates import blocks_of, template_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

FEWEST: Final = 12
"""Fewest lines that are counted: of fewer, a reader sees most."""

MOST: Final = 4000
"""Most lines that are counted, so that counting takes no time that anyone would notice."""

COMMON: Final = 0.9
"""A field is counted if this share of the records have it."""

MOST_VALUES: Final = 6
"""Most values of a field that is counted."""

FEWEST_OF_EACH: Final = 3
"""A field is counted if it has on average this many records for each of its values."""

FEWEST_BOXES: Final = 4
"""Fewest boxes to tick, or verdicts of tests, that are counted."""

FEWEST_QUERIED: Final = 24
"""Fewest records whose fields are named, so that they can be asked for."""

FEWEST_BLOCKS: Final = 8
"""Fewest blocks of named values that are counted."""

MOST_FIELDS: Final = 3
"""Most fields that are counted."""

MOST_FILES: Final = 4
"""Most files that are named with their hits."""

MOST_CHANGED: Final = 8
"""Most changed files that are named with the lines added and removed, and most sections with the
boxes ticked in each."""

LONGEST: Final = 40
"""Most characters of a value or name in a note."""

MOST_SORTS: Final = 2
"""Most sorts of failures that are counted."""

SHOWN: Final = 80
"""Characters of a line within which its time is."""

_TIME: Final = regex(
    r"(?:(?P<date>\d{4}[-/]\d\d[-/]\d\d|\d\d/[A-Z][a-z]{2}/\d{4}|[A-Z][a-z]{2} [ \d]\d)[T :])?"
    r"\b(?P<time>\d\d:\d\d:\d\d)"
)
_BOX: Final = regex(r"\s*(?:[-*+]|\d+[.)]) \[([ xX])\] ")
_HEADING: Final = regex(r"#{1,6} +(.*)")
_APART: Final = regex(r"[:.] | [-\u2013\u2014] ")
_VERDICT: Final = regex(
    r"(?:\s*--- )?(PASS|FAIL|SKIP)\b|\s*(ok|not ok) \d|.*[ .](PASSED|FAILED|SKIPPED|ERROR)\b"
)
_SUMMED: Final = regex(r"(?i)\b\d+ (?:tests? )?(?:passed|passing|failed|failures?|ok)\b")
LAST: Final = 12
"""Last lines of a report in which it sums up."""

_LEVEL: Final = regex(
    r".{0,60}?\b(TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|trace|debug|info|notice"
    r"|warn(?:ing)?|error|fatal|critical)\b[\]:| \t]"
)
LEVELLED: Final = 0.3
"""A log is counted by level if this share of its lines have one."""

_CHANGED_FILE: Final = regex(r"diff --git a/\S+ b/(\S+)")
_NAMELESS: Final = regex(r"c\d+")
_PLAIN: Final = regex(r"[^\x00-\x1f\x7f;\]\[]+")


def counts_of(text: str, kind: str) -> list[str]:
    r"""Return what may be said of all lines of a text, the longest first; nothing if it is little.

    Examples
    --------
    >>> states = ("done", "done", "failed")
    >>> counts_of("".join(f"{n} job state {states[n % 3]} port {n}\n" for n in range(30)), "prose")
    ['30 lines: state done 20, failed 10; fields c1 state port', '30 lines: done 20, failed 10']
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    full = [line for line in lines if line.strip()]
    if not FEWEST <= len(lines) <= MOST or len(full) < FEWEST:
        return []
    rule = _RULES.get(TextKind(kind), _records)
    return [f"{len(lines)} lines: {note}" for note in dict.fromkeys(rule(lines)) if note]


def failures_of(text: str, starts: Sequence[int], failures: Mapping[str, Sequence[int]]) -> str:
    r"""Return what may be said of lines that fail: how many there are, when and where.

    Parameters
    ----------
    text : str
        The text.
    starts : sequence of int
        The offset of each line.
    failures : mapping of str to sequence of int
        Lines of one sort, by what is said of them; see `mckp.texts.Outline.failures`.

    Examples
    --------
    >>> text = "09:01:10 up\n09:01:15 ERROR full\n09:03:02 up\n09:04:00 ERROR full\n"
    >>> failures_of(text, [0, 12, 32, 44], {"errors": [1, 3]})
    '2 errors, 09:01:15 (line 2) to 09:04:00 (line 4)'
    """
    notes: list[str] = []
    for name, places in failures.items():
        if len(notes) < MOST_SORTS and len(name) <= LONGEST and _is_plain(name):
            ends = [(place, text[starts[place] : starts[place] + SHOWN]) for place in places]
            notes.append(f"{len(places)} {name}, {_period(*ends[0], *ends[-1])}")
    return "; ".join(notes)


def _period(first: int, first_line: str, last: int, last_line: str) -> str:
    """Return the times at which two lines begin, with the numbers of the lines."""
    times = [_TIME.search(line) for line in (first_line, last_line)]
    if times[0] is None or times[1] is None:
        return f"lines {first + 1} to {last + 1}"
    is_one_day = times[0]["date"] == times[1]["date"]
    began, ended = (time["time"] if is_one_day else time[0] for time in times if time)
    return f"{began} (line {first + 1}) to {ended} (line {last + 1})"


def _nothing(_: Sequence[str]) -> Iterator[str]:
    """Yield nothing: these lines are no records."""
    return iter(())


def _boxes(lines: Sequence[str]) -> Iterator[str]:
    """Yield how many boxes are ticked, and how many are not."""
    boxes: list[bool] = []
    sections = {"": boxes}
    for line in lines:
        if heading := _HEADING.match(line):
            boxes = sections.setdefault(_short_name(heading[1]), [])
        elif box := _BOX.match(line):
            boxes.append(box[1] != " ")
    ticked = [is_ticked for some in sections.values() for is_ticked in some]
    if len(ticked) < FEWEST_BOXES:
        return
    note = f"[x] {sum(ticked)}, [ ] {len(ticked) - sum(ticked)}"
    with_boxes = {name: some for name, some in sections.items() if some}
    if 2 <= len(with_boxes) <= MOST_CHANGED and all(map(_is_plain, with_boxes)):
        by = ", ".join(f"{name} {sum(some)}/{len(some)}" for name, some in with_boxes.items())
        yield f"{note}; [x] of all in {by}"
    yield note


def _short_name(heading: str) -> str:
    """Return the words of a heading up to a colon or dash, at most four of them."""
    return " ".join(_APART.split(heading.strip(), maxsplit=1)[0].split()[:4])


def _verdicts(lines: Sequence[str]) -> Iterator[str]:
    """Yield how many tests have each outcome, in a report that says it line by line.

    A report that sums up at its end says it itself.
    """
    if any(map(_SUMMED.search, lines[-LAST:])):
        return
    found = (match for match in map(_VERDICT.match, lines) if match)
    counts = Counter(next(filter(None, match.groups())) for match in found)
    if counts.total() >= FEWEST_BOXES and len(counts) > 1:
        yield _listed(counts.most_common())


def _levels(lines: Sequence[str]) -> Iterator[str]:
    """Yield how many lines of a log have each level; else what is counted of other lines."""
    counts = Counter(match[1] for match in map(_LEVEL.match, lines) if match)
    if len(counts) > 1 and counts.total() >= LEVELLED * len(lines):
        yield _listed(counts.most_common(MOST_VALUES))
    else:
        yield from _records(lines)


def _changes(lines: Sequence[str]) -> Iterator[str]:
    """Yield the changed files of a diff, with the number of lines added and removed in each."""
    changes: dict[str, Counter[str]] = {}
    changed: Counter[str] = Counter()
    for line in lines:
        if match := _CHANGED_FILE.match(line):
            changed = changes.setdefault(match[1], Counter())
        elif line[:1] in ("+", "-") and not line.startswith(("+++ ", "--- ")):
            changed[line[0]] += 1
    if len(changes) < 2:
        return
    names = _shortened(changes)
    some = [
        f"{name} {' '.join(f'{sign}{count[sign]}' for sign in '+-' if count[sign])}".rstrip()
        for name, count in zip(names, changes.values(), strict=True)
    ]
    head = f"{len(changes)} files"
    if len(some) <= MOST_CHANGED:
        yield f"{head}; {', '.join(some)}"
    total = sum(changes.values(), Counter[str]())
    yield f"{head}, +{total['+']} -{total['-']}"


def _hits(lines: Sequence[str]) -> Iterator[str]:
    """Yield how many files of a search have hits, the files with most, and hits by folder."""
    hits = Counter(row["file"] for row in fields_of(lines) if "file" in row)
    if len(hits) < 2 or hits.total() < FEWEST:
        yield from _records(lines)
        return
    is_all = hits.total() == sum(map(bool, map(str.strip, lines)))
    head = f"{len(hits)} files" if is_all else f"{hits.total()} hits in {len(hits)} files"
    most = [(file, count) for file, count in hits.most_common(MOST_FILES) if count > 1]
    shared = _shared_folder(hits)
    folders: Counter[str] = Counter()
    for file, count in hits.items():
        first, slash, _ = file[len(shared) :].partition("/")
        folders[first + slash] += count
    named = _listed((file[len(shared) :], count) for file, count in most)
    by_folder = ""
    if 2 <= len(folders) <= MOST_VALUES and len(folders) < len(hits):
        by_folder = _listed(folders.most_common())
    yield "; ".join(filter(None, (head, by_folder, named and f"most {named}")))
    if by_folder or len(lines) >= FEWEST_QUERIED:
        yield "; ".join(filter(None, (head, by_folder)))


def _entries(lines: Sequence[str]) -> Iterator[str]:
    """Yield how many files each folder of a listing has, or how many files of each ending."""
    folders: Counter[str] = Counter()
    types: Counter[str] = Counter()
    endings: Counter[str] = Counter()
    folder = ""
    for line, entry in zip(lines, fields_of(lines), strict=True):
        if "type" in entry:
            is_file = entry["type"] == "file"
            types["files" if is_file else "folders" if entry["type"] == "dir" else "others"] += 1
            folders[folder] += is_file
            endings[splitext(entry["name"])[1] or "no ending"] += is_file
        elif line.endswith(":"):
            folder = line.removesuffix(":")
    if types.total() < FEWEST:
        yield from _records(lines)
        return
    some = types.items()
    head = ", ".join(f"{count} {name.removesuffix('s' * (count == 1))}" for name, count in some)
    by = folders if len(folders) > 1 else +endings
    most = by.most_common(MOST_VALUES)
    more = f", {len(by) - len(most)} more" if len(by) > len(most) else ""
    if len(by) > 1 and all(map(_is_plain, by)):
        yield f"{head}; {_listed(most)}{more}"
    yield head


def _records(lines: Sequence[str]) -> Iterator[str]:
    """Yield the counts of fields with few values, for lines of one shape and for blocks."""
    rows: list[dict[str, Any]] = [row for row in fields_of(lines) if row]
    unit = ""
    if len(rows) < FEWEST:
        full = [line for line in lines if line.strip()]
        read = template_of(full)
        rows = [row for row in map(read, full) if row] if read is not None else []
    if len(rows) < FEWEST:
        rows = [members for _, members in blocks_of(lines)]
        unit = "blocks"
    if len(rows) < FEWEST_BLOCKS:
        return
    names = list(dict.fromkeys(name for row in rows for name in row))
    counted = sorted(_counted_fields(rows, names), key=_rank)[:MOST_FIELDS]
    is_many = len(rows) >= FEWEST_QUERIED and all(map(_is_plain, names))
    fields = "fields " + " ".join(names[: 2 * MOST_VALUES]) if is_many else ""
    head = f"{len(rows)} {unit}" if unit else ""
    if unit or counted:
        by_name = [f"{name} {_listed(values.most_common())}" for name, values in counted]
        yield "; ".join(filter(None, (head, *by_name, fields)))
    if counted:
        yield "; ".join(filter(None, (head, _listed(counted[0][1].most_common()))))


def _counted_fields(
    rows: Sequence[Mapping[str, Any]], names: Iterable[str]
) -> Iterator[tuple[str, Counter[Any]]]:
    """Yield the fields that nearly all rows have and that have few values, with their counts."""
    for name in names:
        values = Counter(
            value
            for row in rows
            if isinstance(value := row.get(name), str | int) and not isinstance(value, bool)
        )
        if (
            2 <= len(values) <= MOST_VALUES
            and values.total() >= COMMON * len(rows)
            and values.total() >= FEWEST_OF_EACH * len(values)
            and _is_plain(name)
            and not (_NAMELESS.fullmatch(name) and all(isinstance(value, int) for value in values))
            and all(map(_is_plain, map(str, values)))
        ):
            yield name, values


def _rank(field: tuple[str, Counter[Any]]) -> tuple[bool, int]:
    """Return what the fields are sorted by: words before numbers, few values before many."""
    values = field[1]
    return any(isinstance(value, int) for value in values), len(values)


def _is_plain(text: str) -> bool:
    """Whether a text can be in a note as it is."""
    return bool(text) and len(text) <= LONGEST and _PLAIN.fullmatch(text) is not None


def _listed(counts: Iterable[tuple[Any, int]]) -> str:
    """Return values with their counts, such as ``done 20, failed 10`` or ``1: 20, 2: 10``."""
    listed = [(str(value), count) for value, count in counts]
    colon = ":" if any(" " in value or value[-1].isdigit() for value, _ in listed) else ""
    return ", ".join(f"{value}{colon} {count}" for value, count in listed)


def _shared_folder(paths: Iterable[str]) -> str:
    """Return the folder that all paths begin with, with its slash; empty if there is none."""
    listed = list(paths)
    least, most = min(listed), max(listed)
    shared = next((k for k, (a, b) in enumerate(zip(least, most, strict=False)) if a != b), 0)
    return least[: least.rfind("/", 0, shared) + 1]


def _shortened(paths: Iterable[str]) -> list[str]:
    """Return the names of files without the folder that all have in common."""
    listed = list(paths)
    shared = _shared_folder(listed)
    return [path[len(shared) :] for path in listed]


_RULES: Final = {
    TextKind.MARKDOWN: _boxes,
    TextKind.PROGRAM: _nothing,
    TextKind.HTML: _nothing,
    TextKind.LATEX: _nothing,
    TextKind.SNAPSHOT: _nothing,
    TextKind.SUBTITLES: _nothing,
    TextKind.TRACEBACK: _nothing,
    TextKind.HISTORY: _nothing,
    TextKind.DIFF: _changes,
    TextKind.TESTS: _verdicts,
    TextKind.SEARCH: _hits,
    TextKind.LISTING: _entries,
    TextKind.LOG: _levels,
    TextKind.BUILD: _levels,
    TextKind.MIXED: _levels,
}
"""What is counted in each kind of text; in all others, records."""

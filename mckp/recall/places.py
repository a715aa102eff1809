"""Places in a text: below a heading, in a function, of a resource, or in a file of lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.errors import RecallError
from mckp.recall import names
from mckp.recall.mistakes import call_of
from mckp.regexes import regex
from mckp.texts.tabular import fields_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mckp.recall.lines import NumberedText
    from mckp.recall.question import RecallQuestion


class Section(NamedTuple):
    """Lines below a line that names them, such as a function: the name, and a range of indexes."""

    name: str
    start: int
    end: int


_HEADING: Final = regex(r"(#{1,6}) +(\S.*?) *#*\s*\Z")
_NUMBERED: Final = regex(r"\s*[0-9]{1,9}(?:→|\t)")
_DIFF: Final = regex(r"[+ -]?diff --git a/(\S+) b/(\S+)")
_CODE: Final = regex(
    r"(?P<indent>\s*)(?:(?:export|default|public|private|protected|static|async|abstract|final|pub"
    r"(?:\([a-z]+\))?|unsafe|inline|virtual|override|internal|sealed|extern|declare) +)*"
    r"(?:def|class|func|function\*?|fn|struct|interface|trait|impl|enum|module|namespace|type|macro_rules!"
    r"|const(?= +\w+ *= *(?:async *)?(?:\(|function))|let(?= +\w+ *= *(?:async *)?\()"
    r"|var(?= +\w+ *= *&?\w))"
    r" +(?:\([^)]*\) *)?(?P<name>[\w$.]+)"
)
_RESOURCE: Final = regex(r"\s+# (\S+\.\S+) (?:\(.*\) )?(?:will|must|has|is)\b")
"""A line of a Terraform plan that says what will be done to a resource."""
_RUN: Final = regex(
    r"=== RUN +(\S+)|=+ (?:FAIL|ERROR)?[:S]? ?(\S.*?\S) ?=+\Z|_{3,} (\S.*?\S) _{3,}\Z"
)


def sections_of(lines: Sequence[str]) -> Iterator[Section]:
    """Yield the sections of a text, such as what is below a heading, in a function or of a test."""
    heads: list[tuple[str, int, int, str]] = []
    fenced = False
    for index, raw in enumerate(lines):
        if len(raw) > 400:
            continue
        line = _NUMBERED.sub("", raw)
        fenced ^= line.lstrip().startswith("```")
        if not fenced and (match := _HEADING.match(line)):
            heads.append((match[2], index, len(match[1]), "#"))
        elif match := _DIFF.match(line):
            heads.append((match[2], index, 0, "diff"))
        elif match := _RUN.match(line):
            name = match[1] or match[2] or match[3]
            heads.append((name, index, name.count("/"), "run"))
        elif match := _RESOURCE.match(line):
            heads.append((match[1], index, 0, "resource"))
        elif match := _CODE.match(line.lstrip("+-") if line[:1] in "+-" else line):
            heads.append((match["name"], index, len(match["indent"].expandtabs(4)), "code"))
    for place, (name, start, level, kind) in enumerate(heads):
        if kind == "code":
            yield Section(name, start, _block_end(lines, start, level))
            continue
        after = (
            index
            for _, index, its_level, its_kind in heads[place + 1 :]
            if its_kind == kind and its_level <= level
        )
        yield Section(name, start, next(after, len(lines)))


def _block_end(lines: Sequence[str], start: int, indent: int) -> int:
    """Return the index just past a code block; `start` and `indent` are those of its head.

    The block ends at a line that is indented no more than the head. A line that begins with a
    closing bracket or ``end`` is still in the block. If the head ends with an opening bracket, only
    such a line ends it.
    """
    is_open = lines[start].rstrip()[-1:] in "{[("
    for index in range(start + 1, len(lines)):
        line = _NUMBERED.sub("", lines[index])
        line = line[1:] if lines[start][:1] in "+-" and line[:1] in "+- " else line
        text = line.lstrip()
        line_indent = len(line.expandtabs(4)) - len(text.expandtabs(4))
        if text and line_indent <= indent:
            closes = text[0] in "})]" or text.startswith("end")
            if closes or not is_open:
                return index + 1 if closes else index
    return len(lines)


def line_indexes_at(source: NumberedText, question: RecallQuestion) -> Sequence[int]:
    """Return the indexes of the lines of the section, file or range that a path names.

    Raises a `RecallError` if the text has no such place.
    """
    name = question.path.strip().lstrip("#").strip()
    name = name.removeprefix("$.").strip("\"'")
    sections = source.sections
    normal_name = names.normal(re.sub(r"\(.*\)\s*\Z", "", name))
    exact = [section for section in sections if section.name == name]
    same = [
        section for section in sections if names.normal(section.name) == normal_name and normal_name
    ]
    within = [
        section for section in sections if normal_name and normal_name in names.normal(section.name)
    ]
    for candidates in (exact, same, within):
        if len(candidates) == 1 or (candidates and candidates is not within):
            end = candidates[0].end
            while end > candidates[0].start + 1 and not source.lines[end - 1].strip():
                end -= 1
            return range(candidates[0].start, end)
    if match := _LINES.fullmatch(name):
        first, last = int(match[1]), int(match[2] or match[1])
        return source.indexes(first, last)
    files = [str(cells.get("file", "")) for cells in fields_of(source.lines)]
    if at := _hits_in_file(files, name):
        return at
    raise _no_place_error(source, name, [*files, *(section.name for section in sections)], question)


def _hits_in_file(files: Sequence[str], name: str) -> list[int]:
    """Return the indexes of the search hits in a file, or below a folder.

    `files` has the file of each line, and `name` may be only the end of a path.

    Examples
    --------
    >>> _hits_in_file(["src/a.py", "src/b.py", "", "lib/b.py"], "b.py")
    [1, 3]
    >>> _hits_in_file(["src/a.py", "src/b.py", "", "lib/b.py"], "src/")
    [0, 1]
    """
    name = name.removeprefix("./").rstrip("/\\")
    if not name:
        return []
    return [
        index
        for index, file in enumerate(files)
        if file == name or file.endswith(f"/{name}") or f"/{name}/" in f"/{file}"
    ]


def _no_place_error(
    source: NumberedText, name: str, known: Sequence[str], question: RecallQuestion
) -> RecallError:
    """Return the error for a place that a text does not have, with the nearest of those it has."""
    known = list(filter(None, dict.fromkeys(known)))
    ranked = names.nearest(name, known)
    message = f"path: the text has no heading, function or file {name[:60]!r}"
    if ranked:
        message += f"; it has {names.listed(ranked)}"
    else:
        message += "; use grep with a pattern, or lines with line numbers"
    normal_name = names.normal(name)
    within = [
        section.name
        for section in source.sections
        if normal_name and normal_name in names.normal(section.name)
    ]
    near = names.likely_name(name, known) or (within[0] if within else "")
    rest = {key: value for key, value in call_of(question).items() if key != "path"}
    word = re.split(r"[\s.\[(]", name.strip())[-1] or name
    call = {**rest, **({"path": near} if near else {"grep": word})}
    return RecallError(message, "path", names=ranked, call=call)


_LINES: Final = regex(r"(?:lines? )?\[?L?([0-9]{1,9})(?:[-:]L?([0-9]{1,9}))?\]?")
_HUNK: Final = regex(r"@@ -[0-9,]+ \+[0-9,]+ @@")


def places_of_lines(lines: Sequence[str]) -> list[str]:
    """Return what each line is in: the file and hunk of a diff, the file above search hits.

    Lines that say it themselves, and those of other texts, have an empty text.

    Examples
    --------
    >>> diff = ["diff --git a/x.py b/x.py", "@@ -1,2 +1,2 @@ def f():", "-a", "+b"]
    >>> places_of_lines(diff)
    ['', 'x.py', 'x.py @@ -1,2 +1,2 @@', 'x.py @@ -1,2 +1,2 @@']
    >>> places_of_lines(["a.py", "3:x = 1", "9:x += 1", "", "b.py", "1:x"])
    ['', 'a.py', 'a.py', '', '', 'b.py']
    """
    plain = [_NUMBERED.sub("", line) for line in lines]
    if not any(map(_HUNK.match, plain)):
        return _files_above(lines)
    inside: list[str] = []
    file = hunk = ""
    for index, line in enumerate(plain):
        if match := _DIFF.match(line):
            file, hunk = match[2], ""
        elif line.startswith("+++ ") and index and plain[index - 1].startswith("--- "):
            file, hunk = line[4:].split("\t")[0].removeprefix("b/"), ""
        is_hunk = _HUNK.match(line)
        says = _DIFF.match(line) is not None or line.startswith(("--- ", "+++ "))
        inside.append("" if says else file if is_hunk else f"{file} {hunk}".strip())
        hunk = is_hunk[0] if is_hunk else hunk
    return inside


def _files_above(lines: Sequence[str]) -> list[str]:
    """Return the file of each search hit that is listed below the file's name."""
    files = [str(cells.get("file", "")) for cells in fields_of(lines)]
    return [
        file if file and file not in line else "" for file, line in zip(files, lines, strict=True)
    ]

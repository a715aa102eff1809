"""Read lines as rows: the fields of search hits, listings, lists of paths and logs."""

from __future__ import annotations

from posixpath import basename, dirname, splitext
from typing import TYPE_CHECKING, Any, Final

from mckp.failure import LEVEL
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mckp.plain import JsonValue

_SHARE: Final = 0.3
"""Least share of the lines, blank ones left out, that have a shape for the text to have it."""
_LONGEST: Final = 4_000
"""Most characters of a line in which fields are looked for, but for hits of a search."""
_LONGEST_PATH: Final = 1_000
_SAMPLED: Final = 100
"""Lines by which it is decided whether to read all lines as being of a shape."""

_HIT: Final = regex(
    r"(?P<file>(?:[A-Za-z]:)?[^:\n]{1,400}?):(?P<number>[0-9]{1,9}):"
    r"(?:(?P<column>[0-9]{1,6}):)?(?P<text>(?s:.*))"
)
_NEAR_HIT: Final = regex(r"(?P<file>[^:\n]{1,400}?)-(?P<number>[0-9]{1,9})-(?P<text>(?s:.*))")
_IN_FILE: Final = regex(r"(?P<number>[0-9]{1,9})[:-](?P<text>(?s:.*))")
_DIGITS: Final = regex(r"[0-9\s:/.,T+-]+")
_LISTED: Final = regex(
    r"(?P<mode>[-bcdlps][-rwxsStT]{9}[.+@]?) +(?P<links>[0-9]+) +(?P<owner>\S+) +(?P<group>\S+) +"
    r"(?P<size>[0-9]+(?:[.,][0-9]+)?[KMGTP]?) +"
    r"(?P<date>[A-Z][a-z]{2} +[0-9]{1,2} +[0-9:]{4,5}|[0-9]{1,2} +[A-Z][a-z]{2} +[0-9:]{4,5}"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}(?: [0-9:.]{5,18})?(?: [-+][0-9]{4})?) "
    r"(?P<name>.+?)(?: -> (?P<target>.+))?"
)
_PATH: Final = regex(r"(?:[^\s:|<>\"]+[/\\])?[^\s:|<>\"/\\]+\.[A-Za-z0-9]{1,10}|\S*/[^\s:|<>\"]*")
_LOGGED: Final = regex(
    r"\W{0,2}(?P<time>[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?"
    r"(?:Z|[-+][0-9]{2}:?[0-9]{2})?)\W{1,4}(?:\S+ ){0,3}?\W?"
    rf"(?P<level>{LEVEL}|{LEVEL.lower()})\b\W{{0,3}}(?P<text>.*)"
)
_PAIR: Final = regex(r"([A-Za-z_][\w.]*)=(\"(?:\\.|[^\"\\])*\"|\S*)")
_UNITS: Final = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}
_TYPES: Final = {"-": "file", "d": "dir", "l": "link"}


def fields_of(lines: Sequence[str]) -> list[dict[str, Any]]:
    r"""Return the fields of each line of a text; none if its lines have no known shape.

    These are ``file number text`` of hits of a search, ``mode owner group size date name type`` of
    ``ls -l``, ``dir name ext`` of lists of paths, ``time level text`` of logs, and the pairs of
    ``logfmt``. Lines that have no such shape have no fields.

    Examples
    --------
    >>> fields_of(["src/a.py:3:x = 1", "src/a.py:9:x += 1"])[1]
    {'file': 'src/a.py', 'number': 9, 'text': 'x += 1'}
    >>> fields_of(["-rw-r--r--  1 me me  515 Mar 27 14:58 a.go"])[0]["size"]
    515
    >>> fields_of(["nothing", "of the kind"])
    [{}, {}]
    """
    full_lines = [line for line in lines if line.strip() and line != "--"]
    below = _below_files(lines)
    if sum(fields is not None for fields in below) >= max(2, _SHARE * len(full_lines)):
        return [fields or {} for fields in below]
    sample = full_lines[:: max(1, len(full_lines) // _SAMPLED)]
    counts = [sum(read(line) is not None for line in sample) for read in _SHAPES]
    read = _SHAPES[counts.index(max(counts))]
    if max(counts) >= max(1, _SHARE * len(sample)):
        return [(read(line) if line.strip() else None) or {} for line in lines]
    return [{} for _ in lines]


def _listing_fields(line: str) -> dict[str, JsonValue] | None:
    """Return the fields of a line of ``ls -l``, or None."""
    match = _LISTED.fullmatch(line.strip()) if len(line) < _LONGEST else None
    if match is None:
        return None
    mode, size = match["mode"], match["size"].replace(",", ".")
    unit = _UNITS.get(size[-1:])
    number = int(float(size[:-1]) * unit) if unit else int(float(size))
    link = {"target": match["target"]} if match["target"] else {}
    return {
        "name": match["name"],
        "size": number,
        "date": match["date"],
        "type": _TYPES.get(mode[0], mode[0]),
        "mode": mode,
        "owner": match["owner"],
        "group": match["group"],
        **link,
    }


def _hit_fields(line: str) -> dict[str, Any] | None:
    """Return the fields of a search hit, or None."""
    match = _HIT.match(line) or _NEAR_HIT.match(line)
    if match is None or not _is_file(
        match["file"], is_before_dash="column" not in match.groupdict()
    ):
        return None
    cells = match.groupdict()
    column = {"column": int(cells["column"])} if cells.get("column") else {}
    return {
        "file": cells["file"], "number": int(cells["number"]), **column, "text": cells["text"],
    }  # fmt: skip


def head_of_hit(line: str) -> str:
    """Return the file and number with which a search hit begins; empty for other lines.

    Examples
    --------
    >>> head_of_hit("src/a.py:3:x = 1"), head_of_hit("12:30:01 started")
    ('src/a.py:3:', '')
    >>> head_of_hit("Nov 27, 2026 3:19:44 AM Plan main"), head_of_hit("Makefile:3:all:")
    ('', 'Makefile:3:')
    """
    cells = _hit_fields(line)
    return line[: len(line) - len(cells["text"])] if cells else ""


def _is_file(name: str, *, is_before_dash: bool) -> bool:
    """Whether a name may be that of a file; before a dash, or with blanks, it needs a dot or slash.

    Logs of Java begin with ``Nov 27, 2026 3:19:44 AM``, which is no hit in line 19 of a file.
    """
    is_path = "." in name or "/" in name
    may_be_bare = not is_before_dash and " " not in name
    return name.strip() == name and not _DIGITS.fullmatch(name) and (is_path or may_be_bare)


def _below_files(lines: Sequence[str]) -> list[dict[str, JsonValue] | None]:
    """Return the fields of search hits that are listed below file names; None for other lines."""
    hits: list[dict[str, Any] | None] = []
    file = ""
    for line in lines:
        match = _IN_FILE.match(line)
        if match is None and line.strip() and line != "--":
            file = line.strip() if _path_fields(line) else ""
        hit = {"file": file, "number": int(match["number"]), "text": match["text"]} if match else {}
        hits.append(hit if hit and file else None)
    return hits


def _path_fields(line: str) -> dict[str, JsonValue] | None:
    """Return the fields of a path, or None."""
    path = line.strip()
    if len(path) > _LONGEST_PATH or not _PATH.fullmatch(path):
        return None
    name = basename(path.rstrip("/"))
    return {"path": path, "dir": dirname(path.rstrip("/")), "name": name, "ext": splitext(name)[1]}


def _log_fields(line: str) -> dict[str, JsonValue] | None:
    """Return the fields of a log line, or None."""
    match = _LOGGED.fullmatch(line) if len(line) < _LONGEST else None
    return {name: match[name] for name in ("time", "level", "text")} if match else None


def _pair_fields(line: str) -> dict[str, JsonValue] | None:
    """Return the pairs of a line that consists of ``name=value`` pairs, as ``logfmt``, or None."""
    if len(line) > _LONGEST or not _PAIR.match(line):
        return None
    pairs = _PAIR.findall(line)
    if len(pairs) < 2 or sum(len(name) + len(value) + 2 for name, value in pairs) < len(line):
        return None
    return {name: _value(value) for name, value in pairs if name not in ("n", "line")}


def _value(text: str) -> JsonValue:
    """Return the value of a pair: a whole number, or text without quotes."""
    if text[:1] == '"':
        return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else text


_SHAPES: Final[tuple[Callable[[str], dict[str, Any] | None], ...]] = (
    _listing_fields, _pair_fields, _log_fields, _hit_fields, _path_fields,
)  # fmt: skip
"""What reads lines of each shape; of those that read as many, the first is taken."""

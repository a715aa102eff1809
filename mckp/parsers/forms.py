r"""Texts that are data: JSON lines, JSON in a text, CSV, tables, YAML, TOML, XML, Python.

A text is read as data only if the data, written again in the same form, give the exact text. The
line above names the form: ``> [JSON lines spaced]``, ``> [CSV amount=.2]``. Words of a form:

===================  ==========================================================================
``JSON lines``       a spelling of JSON (`mckp.parsers.spelling`), also with an indent, as from
                     ``jq '.[]'``; ``crlf``; ``apart``: blank lines between the values;
                     ``message``: each object has a member for what is before it on the
                     line, as in structured logs; or ``label``, if it has a message of its own
``text with JSON``   a spelling of JSON, and ``above=2``, ``below=0``: line feeds between the parts,
                     unless one; ``lines`` for JSON lines. The data are in ``data``, the text around
                     them in ``above`` and ``below``
``CSV``              ``tab``, ``semicolon``, ``bar``; ``crlf``; ``quoted``, if all cells are;
                     ``texts``, if names and texts are, as from R and ClickHouse; ``unsafe``, if
                     those with blanks or signs beyond ASCII are, as from sqlite3; ``plain``, if
                     none is, whatever it has in it, as from ``mysql --batch``; ``bare``: no
                     header, so rows are arrays; ``amount=.2``: digits after the point. Numbers are
                     numbers, and empty cells null
``Python``           none
``JSON``             a spelling of JSON; only for a part of a text (`mckp.parsers.parts`)
``aligned table``    see `mckp.parsers.aligned`
``YAML``             see `mckp.parsers.yaml`
``TOML``             see `mckp.parsers.toml`
``XML``              see `mckp.parsers.xml`
``HTML table``       see `mckp.parsers.html`
``Markdown table``   see `mckp.parsers.piped`
``drawn table``      see `mckp.parsers.boxed`
``records``          see `mckp.parsers.vertical`
``open``             in any form: no line feed at the end; ``feeds=2``: so many
===================  ==========================================================================
"""

from __future__ import annotations

import csv
import io
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.errors import ParseError
from mckp.jsontext import (
    MAX_DEPTH,
    JsonValue,
    depth_of,
    is_array,
    is_object,
    load,
)
from mckp.parsers.cells import NAME, are_names, arrays, is_number, records, rows_of
from mckp.parsers.spelling import Spelling, common_spelling, read_spelling, spelling_of
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


LINES, AROUND, CSV, PYTHON = "JSON lines", "text with JSON", "CSV", "Python"
TABLE, YAML, TOML, XML, HTML = "aligned table", "YAML", "TOML", "XML", "HTML table"
PIPED, BOXED, JSON, VERTICAL = "Markdown table", "drawn table", "JSON", "records"
NAMES: Final = (
    LINES, AROUND, CSV, PYTHON, TABLE, YAML, TOML, XML, HTML, PIPED, BOXED, JSON, VERTICAL
)  # fmt: skip
WORD: Final = (
    rf"(?:{NAME}=(?:\.[0-9]{{1,2}}|cdata|\[\]|\{{\}})"
    r"|[a-z]+(?:=(?:[0-9]{1,2}(?:\.[0-9]{1,2}){0,30}|[lrcnd]{1,60}))?)"
)
"""A word of a form, as a regular expression."""
_FORM: Final = regex(rf"({'|'.join(NAMES)})((?: .+)?)")
_WORD: Final = regex(f" ({WORD})")

OPEN: Final = "open"
BEFORE: Final = ("message", "label")
"""The member for what is before an object on a line: the first of these that no object has."""
LONGEST_LABEL: Final = 120
"""Most characters before an object on a line."""
FEEDS: Final = "feeds="
LARGEST: Final = 4 << 20
"""Most characters of a text that is tried."""
MOST_FEEDS: Final = 9
"""Most line feeds at the end of a text."""
FEWEST_ROWS: Final = 3
"""Fewest rows of CSV, including the header."""
LONGEST_CELL: Final = 200
"""Most characters of a cell in rows without a header; sentences with commas have more."""
MOST_AROUND: Final = 0.4
"""Largest share of a text that may be around its JSON."""


class Form(NamedTuple):
    """A form in which a text is data, such as CSV, and the words that describe its style."""

    name: str
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join([self.name, *self.words])

    @property
    def is_around(self) -> bool:
        """Whether the data are in the member ``data``, beside text, markup or column types."""
        has_text_beside = any(
            word.startswith(("above=", "below=")) or word == "types" for word in self.words
        )
        return self.name in (AROUND, HTML) or has_text_beside

    def ordered_part(self, value: JsonValue) -> JsonValue:
        """Return the part of the data in which the order of members is that of the text.

        That is the member ``data`` if the form has one. If it was cut, return None.
        """
        if not self.is_around:
            return value
        return value.get("data") if is_object(value) else None

    def without_style(self) -> Form:
        """Return the form with only those words that decide what the values are."""
        if self.name in (YAML, TOML, XML, HTML, AROUND):
            return self
        of_value = ("bare", "types", *(self.words[:1] if self.name == BOXED else ()))
        return Form(self.name, tuple(word for word in self.words if word in of_value))

    def read(self, text: str) -> JsonValue:
        """Parse a text written in exactly this form; return None for any other text."""
        value, form = data_of(text) or (None, None)
        return value if form == self else None

    def write(self, value: JsonValue) -> str:
        """Return data as text in this form; parts that were cut are left out.

        JSON lines, CSV, aligned tables and HTML tables raise a `ParseError` if the rows are not an
        array, and JSON in a text if the data are not an object.
        """
        is_around = self.name in (AROUND, HTML)
        if is_around or self.name in (LINES, CSV, TABLE):
            rows = value if not is_around else value.get("data", []) if is_object(value) else 0
            if not is_array(rows) and (self.name != AROUND or not is_object(value)):
                raise ParseError(
                    f"these data cannot be of the form {self.name!r}", line=1, column=1
                )
        write = _WRITERS[self.name] if self.name in _WRITERS else _module_of(self.name).write
        text: str = write(value, self.words)
        feeds = [int(word.removeprefix(FEEDS)) for word in self.words if word.startswith(FEEDS)]
        return text if OPEN in self.words or not text else text + "\n" * (feeds or [1])[0]


def read_form(text: str) -> Form | None:
    """Parse the name and words of a form, as `Form` writes them; return None for any other text.

    Examples
    --------
    >>> read_form("CSV tab amount=.2"), read_form("CSV big")
    (Form(name='CSV', words=('tab', 'amount=.2')), None)
    """
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    form = Form(match[1], tuple(word[1] for word in _WORD.finditer(match[2])))
    if str(form) != text or sum(word.startswith(FEEDS) for word in form.words) > 1:
        return None
    is_known = _KNOWN[form.name] if form.name in _KNOWN else _module_of(form.name).is_known
    return form if is_known([word for word in form.words if word[:6] != FEEDS]) else None


def data_of(text: str) -> tuple[JsonValue, Form] | None:
    r"""Return the data of a text and its form, or None if it is not data in any form.

    Examples
    --------
    >>> data_of('{"a": 1}\n{"a": 2}\n'), data_of("a line\n")
    (([{'a': 1}, {'a': 2}], Form(name='JSON lines', words=('spaced',))), None)
    """
    if len(text) > LARGEST or "\r\r" in text:
        return None
    feeds = len(text) - len(text.rstrip("\n"))
    if 1 < feeds <= MOST_FEEDS:
        value_and_form = data_of(text[: 1 - feeds])
        if value_and_form is None:
            return None
        value, form = value_and_form
        form = Form(form.name, (*form.words, f"{FEEDS}{feeds}"))
        return (value, form) if form.write(value) == text else None
    readers = (
        _read_lines, _read_labelled, _read_surrounded_json, _read_csv,
        _read_with_modules,
    )  # fmt: skip
    return _first_exact(text, readers)


def data_in_text(block: str) -> tuple[JsonValue, Form] | None:
    """Return the data of lines of a text and their form, or None; a small table is one, too."""
    readers = (
        _read_lines, _read_labelled, _read_csv,
        partial(_read_with_modules, is_part=True),
    )  # fmt: skip
    return _first_exact(block, readers)


def _first_exact(
    text: str, readers: Iterable[Callable[[str], tuple[JsonValue, Form] | None]]
) -> tuple[JsonValue, Form] | None:
    """Return what the first reader returns, if it gives exactly this text when written again."""
    for read in readers:
        value_and_form = read(text)
        if value_and_form is not None:
            value, form = value_and_form
            if value and depth_of(value) < MAX_DEPTH and form.write(value) == text:
                return value_and_form
    return None


def _split_last_feed(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without its last line feed, and the word ``open`` if there was none."""
    return (text[:-1], ()) if text.endswith("\n") else (text, (OPEN,))


def _spelling_words(spelling: Spelling) -> tuple[str, ...]:
    """Return the words that describe a spelling, for a form."""
    return tuple(str(spelling).split())


def _spelling_or_default(words: Iterable[str]) -> Spelling:
    """Return the JSON spelling among the words of a form, or the default one if there is none."""
    return _read_spelling(words) or Spelling()


def _read_spelling(words: Iterable[str]) -> Spelling | None:
    """Parse the words of a form that describe a JSON spelling; return None if they are unknown."""
    spelling_words = [
        word
        for word in words
        if word not in (OPEN, "lines", "crlf", "apart", *BEFORE)
        and word[:6] not in (*_AROUND, FEEDS)
    ]
    return read_spelling(" ".join(spelling_words))


# JSON lines


def _read_lines(text: str) -> tuple[JsonValue, Form] | None:
    """Return the values of JSON lines and their form, or None for any other text."""
    if text[:1] not in ("{", "[") or "\n" not in text:
        return None
    style: list[str] = []
    if "\r\n" in text[:_FIRST_LINE]:
        style.append("crlf")
        text = text.replace("\r\n", "\n")
    body, end = _split_last_feed(text)
    indented = _INDENTED.match(body) is not None
    if _APART.search(body) is not None:
        style.append("apart")
    between = "\n" * (1 + ("apart" in style))
    rows = _BETWEEN[between].split(body) if indented else body.split(between)
    rows_and_spelling = _read_json_lines(rows)
    if rows_and_spelling is None:
        return None
    value, spelling = rows_and_spelling
    return value, Form(LINES, (*_spelling_words(spelling), *style, *end))


_FIRST_LINE: Final = 100_000
"""Characters in which a line ends, if any does."""
_INDENTED: Final = regex(r"[\[{]\n[ \t]")
_APART: Final = regex(r"(?m)[\]}]\n\n[\[{]")
_BETWEEN: Final = {feeds: regex(rf"(?<=\n[\]}}]){feeds}(?=[\[{{])") for feeds in ("\n", "\n\n")}
"""What is between two values that have an indent: their last line is a bracket."""


def _read_json_lines(lines: Sequence[str]) -> tuple[list[JsonValue], Spelling] | None:
    """Return the value of each line and the spelling that all share, or None.

    None means that there are fewer than two lines, that one of them is not an array or object, or
    that they have no common spelling.
    """
    if len(lines) < 2 or lines[0][-1:] not in "}]" or lines[-1][:1] not in ("{", "["):
        return None
    spelling = common_spelling(lines)
    if spelling is None or spelling.newline:
        return None
    rows: list[JsonValue] = []
    for line in lines:
        if (row := spelling.read(line)) is None:
            return None
        rows.append(row)
    return rows, spelling


_LABEL: Final = regex(rf"(?=.*\w).{{1,{LONGEST_LABEL}}}")


def _read_labelled(text: str) -> tuple[JsonValue, Form] | None:
    """Return the objects at the ends of lines, with what is before them, or None.

    Structured logs have a time or the name of a service there.
    """
    if " {" not in text.partition("\n")[0]:
        return None
    body, end = _split_last_feed(text)
    splits = [line.partition(" {") for line in body.split("\n")]
    labels = [label for label, _, _ in splits]
    if len(splits) < FEWEST_ROWS or not all(map(_LABEL.fullmatch, labels)):
        return None
    rows_and_spelling = _read_json_lines(["{" + rest for _, _, rest in splits])
    if rows_and_spelling is None:
        return None
    rows, spelling = rows_and_spelling
    objects = [row for row in rows if is_object(row)]
    name = next((word for word in BEFORE if not any(word in row for row in objects)), None)
    if name is None or len(objects) < len(rows):
        return None
    value: list[JsonValue] = [
        {name: label, **row} for label, row in zip(labels, objects, strict=True)
    ]
    return value, Form(LINES, (*_spelling_words(spelling), name, *end))


def _write_labelled(rows: Iterable[JsonValue], words: Sequence[str], name: str) -> Iterator[str]:
    """Yield lines of objects, with the member `name` of each before it."""
    write = _spelling_or_default(words).write
    for row in rows:
        members: dict[str, JsonValue] = {**row} if is_object(row) else {}
        yield f"{members.pop(name, '')} {write(members)}"


def _write_lines(value: JsonValue, words: Sequence[str]) -> str:
    """Write an array as JSON lines, without a line feed at the end."""
    rows = value if is_array(value) else []
    between = "\n\n" if "apart" in words else "\n"
    write = _spelling_or_default(words).write
    name = next((word for word in BEFORE if word in words), None)
    lines = map(write, rows) if name is None else _write_labelled(rows, words, name)
    text = between.join(lines)
    if "crlf" not in words:
        return text
    return text.replace("\n", "\r\n") + "\r" * (OPEN not in words and bool(text))


# JSON in a text

_AROUND: Final = ("above=", "below=")
_BEGIN: Final = regex(r"(?m)^[\[{]")
_END: Final = regex(r"(?m)[\]}]$")


def _read_surrounded_json(text: str) -> tuple[JsonValue, Form] | None:
    """Read a text that has other text around its JSON or JSON lines, which are most of it.

    Return the object with the data and the text around them, and the form; None for other texts.
    """
    body, end = _split_last_feed(text)
    begin = _BEGIN.search(body)
    if begin is None:
        return None
    start, block_ends = begin.start(), [match.end() for match in _END.finditer(body, begin.start())]
    if not block_ends or len(body) - (block_ends[-1] - start) > MOST_AROUND * len(body):
        return None
    block, line_words = body[start : block_ends[-1]], tuple[str, ...]()
    data, spelling = None, spelling_of(block)
    if spelling is not None:
        data = load(block)
    elif (rows_and_spelling := _read_json_lines(block.split("\n"))) is not None:
        (data, spelling), line_words = rows_and_spelling, ("lines",)
    if data is None or spelling is None or spelling.newline:
        return None
    text_above, text_below = body[:start], body[block_ends[-1] :]
    above, below = text_above.rstrip("\n"), text_below.lstrip("\n")
    feeds = {"above": len(text_above) - len(above), "below": len(text_below) - len(below)}
    if not (above or below):
        return None
    parts: dict[str, JsonValue] = {"above": above, "data": data, "below": below}
    value: dict[str, JsonValue] = {name: part for name, part in parts.items() if part}
    feed_words = (f"{name}={count}" for name, count in feeds.items() if count != int(name in value))
    return value, Form(AROUND, (*_spelling_words(spelling), *line_words, *feed_words, *end))


def _write_surrounded_json(value: JsonValue, words: Sequence[str]) -> str:
    """Write the JSON in ``data`` between the texts ``above`` and ``below``."""
    parts: dict[str, JsonValue] = value if is_object(value) else {}
    line_feeds = dict(word.split("=") for word in words if word[:6] in _AROUND)
    feeds_above, feeds_below = (
        "\n" * int(line_feeds.get(name, int(name in parts))) for name in ("above", "below")
    )
    data = parts.get("data")
    is_lines = "lines" in words and is_array(data)
    write = _write_lines if is_lines else _write_json
    text = "" if data is None else write(data, words)
    above, below = parts.get("above", ""), parts.get("below", "")
    return f"{above}{feeds_above}{text}{feeds_below}{below}"


def _write_json(value: JsonValue, words: Sequence[str]) -> str:
    """Write data as JSON in the spelling that the words describe."""
    return _spelling_or_default(words).write(value)


# CSV

_DELIMITERS: Final = {"": ",", "tab": "\t", "semicolon": ";", "bar": "|"}
_FEWEST_BARRED: Final = 4
"""Fewest rows that are parted by bars, as in ``psql -A``: these part words in other texts, too."""


def _read_csv(text: str) -> tuple[JsonValue, Form] | None:
    """Read a CSV text with any of the delimiters, with or without names in its first row.

    Return the rows and the form, or None for any other text.
    """
    first_line, _, below = text.partition("\n")
    delimiter_word = max(_DELIMITERS, key=lambda name: first_line.count(_DELIMITERS[name]))
    delimiter = _DELIMITERS[delimiter_word]
    second_line = below.partition("\n")[0]
    if delimiter not in first_line or delimiter not in second_line:
        return None
    if '"' not in first_line + second_line and first_line.count(delimiter) != second_line.count(
        delimiter
    ):
        return None
    line_end_words = ["crlf"] if first_line.endswith("\r") else []
    body = text[:-2] if line_end_words and text.endswith("\r\n") else _split_last_feed(text)[0]
    end_words = () if body != text else (OPEN,)
    styles = ["quoted", "texts"] if first_line.startswith('"') else [""]
    if '"' in text:
        styles += ["plain"] if delimiter in "\t|" else ["unsafe"]
    for style in styles:
        words = (*filter(None, [delimiter_word, *line_end_words, style]),)
        value_and_form = _read_delimited(body, words, end_words)
        if value_and_form is not None and value_and_form[1].write(value_and_form[0]) == text:
            return value_and_form
    return None


def _read_delimited(
    body: str, style: tuple[str, ...], end_words: tuple[str, ...]
) -> tuple[JsonValue, Form] | None:
    """Return the rows of a CSV text in a style, and the form; None if they are no table."""
    delimiter = next((_DELIMITERS[word] for word in style if word in _DELIMITERS), ",")
    if "plain" in style:
        rows = [line.removesuffix("\r").split(delimiter) for line in body.split("\n")]
    else:
        lines = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter, strict=True)
        try:
            rows = list(lines)
        except csv.Error:
            return None
    if len(rows) < (_FEWEST_BARRED if delimiter == "|" else FEWEST_ROWS):
        return None
    has_names = are_names(rows[0], rows)
    if not has_names and ("texts" in style or not _are_records(rows)):
        return None
    if delimiter == "|" and len(rows[0]) < 3 and not _has_numbers(rows[1:]):
        return None
    value, digit_words = records(rows) if has_names else arrays(rows)
    bare_words = () if has_names else ("bare",)
    return value, Form(CSV, (*style, *bare_words, *digit_words, *end_words))


def _has_numbers(rows: Sequence[Sequence[str]]) -> bool:
    """Whether at least one column has only numbers."""
    return any(all(map(is_number, column)) for column in zip(*rows, strict=True))


def _are_records(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows without a header look like records.

    They do if there are more than `FEWEST_ROWS`, all with the same number of cells, no cell is long
    or has blanks around it, and at least one column has only numbers.
    """
    if len(rows) <= FEWEST_ROWS or len(set(map(len, rows))) > 1:
        return False
    if any(c != c.strip() or len(c) > LONGEST_CELL for row in rows for c in row):
        return False
    return _has_numbers(rows)


def _write_csv(value: JsonValue, words: Sequence[str]) -> str:
    """Write an array of objects or of arrays as CSV, without a line feed at the end.

    With ``crlf``, the carriage return before that line feed remains, except with ``open``.
    """
    delimiter = next((_DELIMITERS[word] for word in words if word in _DELIMITERS), ",")
    line_end = "\r\n" if "crlf" in words else "\n"
    rows = rows_of(value, words)
    if not {"plain", "texts", "unsafe"}.isdisjoint(words):
        cells: Iterable[list[str]] = rows
        if "texts" in words:
            cells = _with_quoted_texts(rows, value)
        elif "unsafe" in words:
            cells = ([_quoted(c) if _UNSAFE.search(c) else c for c in row] for row in rows)
        text = line_end.join(map(delimiter.join, cells))
        return text + "\r" * (OPEN not in words and line_end != "\n" and bool(text))
    buffer = io.StringIO(newline="")
    writer = csv.writer(
        buffer,
        delimiter=delimiter,
        lineterminator=line_end,
        quoting=csv.QUOTE_ALL if "quoted" in words else csv.QUOTE_MINIMAL,
    )
    writer.writerows(rows)
    text = buffer.getvalue()
    return text[: -len(line_end)] if OPEN in words or line_end == "\n" else text[:-1]


def _with_quoted_texts(rows: Sequence[Sequence[str]], value: JsonValue) -> Iterator[list[str]]:
    """Yield the cells of records, with quotation marks around names and texts, not numbers."""
    names, *body = rows
    yield [_quoted(name) for name in names]
    for cells, item in zip(body, value if is_array(value) else [], strict=True):
        members = item if is_object(item) else {}
        yield [
            _quoted(cell) if isinstance(members.get(name), str) else cell
            for name, cell in zip(names, cells, strict=True)
        ]


_UNSAFE: Final = regex(r"[\x00- \"',\x7f-\U0010ffff]")
"""What sqlite3 puts into quotation marks: blanks, quotes and signs beyond ASCII."""


def _quoted(cell: str) -> str:
    """Return a cell in quotation marks."""
    return '"' + cell.replace('"', '""') + '"'


# Forms with their own modules


_MODULES: Final = {
    PYTHON: "literal",
    PIPED: "piped",
    BOXED: "boxed",
    VERTICAL: "vertical",
    HTML: "html",
    XML: "xml",
    TABLE: "aligned",
    TOML: "toml",
    YAML: "yaml",
}
"""The modules of these forms in this package, which are imported when a text may be of one."""


@cache
def _module_of(form_name: str) -> Any:
    """Return the module of a form, with its functions ``read``, ``write`` and ``is_known``."""
    return import_module(f"mckp.parsers.{_MODULES[form_name]}")


FEWEST_OF_PART: Final = {PIPED: 3, BOXED: 2}
"""Fewest rows, below the names, of a table that is a part of a text."""


def _read_with_modules(text: str, *, is_part: bool = False) -> tuple[JsonValue, Form] | None:
    """Try the forms that have a module of their own; return the first that reads the text."""
    for name in _MODULES:
        fewest = {"fewest": FEWEST_OF_PART[name]} if is_part and name in FEWEST_OF_PART else {}
        if (value_and_words := _module_of(name).read(text, **fewest)) is not None:
            return value_and_words[0], Form(name, value_and_words[1])
    return None


_WRITERS: Final[dict[str, Callable[[JsonValue, Sequence[str]], str]]] = {
    LINES: _write_lines,
    AROUND: _write_surrounded_json,
    CSV: _write_csv,
    JSON: _write_json,
}


def _has_spelling(words: Sequence[str]) -> bool:
    """Whether the words of a form describe a spelling of JSON."""
    return _read_spelling(words) is not None


_KNOWN: Final[dict[str, Callable[[Sequence[str]], bool]]] = {
    LINES: _has_spelling,
    AROUND: _has_spelling,
    CSV: lambda words: all(
        word in (*_DELIMITERS, "crlf", "quoted", "texts", "unsafe", "plain", "bare", OPEN)
        or "=." in word
        for word in words
    ),
    JSON: _has_spelling,
}

r"""XML records: feeds, test reports, answers of services.

An element with neither attributes nor elements is its text, or null if it is empty. Any other
element is an object: attributes are ``@name``, elements have their names, successive elements of
one name are an array, and text beside attributes is ``#text``. Text that spells a number or a
boolean becomes one. If most values are attributes, these have their plain names, and texts are
``{"#text": ...}``.

Comments above an element are its member ``#above``, those after the last element in another are
the member ``#end`` of that one; of several in a row, an array.

A text is read only if its data, written again, give the exact text. So a text with words between
elements, comments beside elements, or separated elements of one name stays a text. A text with a
document type is not even parsed: there are no entities except those of XML itself.

===============  ===============================================================================
``indent=2``     a line for each element, this many blanks per level; ``tabs``: tabs
``attributes``   members that are plain values are attributes, see above
``declared=1``   the declaration at the top, see `DECLARATIONS`
``gap``          an empty element is ``<a />``; ``closed``: ``<a></a>``; else ``<a/>``
``loose``        ``>`` is not escaped; ``go``: ``&#34;`` for quotes, as Go writes them
``title=cdata``  texts of the elements of this name are CDATA; ``item/title=cdata``: in an ``item``
``time=.3``      numbers of this name have this many digits after the point
===============  ===============================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import dump, is_array, is_container, is_object
from mckp.parsers.cells import NAME, as_value, digits_of, is_version, read_name, write_name
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

DEEPEST: Final = 60
"""Deepest nesting of elements that is read."""

DECLARATIONS: Final = tuple(
    f"<?xml version={quote}1.0{quote}{encoding}?>{end}"
    for encoding, quote in (
        (' encoding="UTF-8"', '"'),
        (' encoding="utf-8"', '"'),
        (" encoding='utf-8'", "'"),
        (" encoding='UTF-8'", "'"),
        ("", '"'),
        (' encoding="UTF-8" standalone="yes"', '"'),
        (' encoding="UTF-8" standalone="no"', '"'),
    )
    for end in ("\n", "")
)
"""The declarations above XML, with or without a line feed."""

TEXT, ABOVE, END = "#text", "#above", "#end"
_BEGIN: Final = regex(r"(?:<\?xml [^<>]{0,80}\?>\n?)?<(?:!--|[A-Za-z_][^<>!?]{0,2000}>)")
_INDENTED: Final = regex(r">\n( {1,16}|\t)<")
_WORD: Final = regex(
    rf"indent=(?:[1-9]|1[0-6])|tabs|declared=(?:[1-9]|1[0-4])|gap|closed|loose|go|open|attributes|{NAME}=(?:cdata|\.[0-9]{{1,2}})"
)
_NAMED: Final = regex(rf"({NAME})=(?:cdata|\.([0-9]{{1,2}}))")
_ESCAPES: Final[Mapping[str, tuple[str, str]]] = {
    "": ("&<>", '&<>"\n\r\t'),
    "loose": ("&<", '&<"\n\r\t'),
    "go": ("&<>\"'\t\n\r", "&<>\"'\t\n\r"),
}
"""The characters that are escaped in texts and in attribute values."""
_SIGNS: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_SIGNS_OF_GO: Final = _SIGNS | {
    '"': "&#34;",
    "'": "&#39;",
    "\t": "&#x9;",
    "\n": "&#xA;",
    "\r": "&#xD;",
}


def is_known(words: Iterable[str]) -> bool:
    """Whether all words describe the style of XML records."""
    return all(map(_WORD.fullmatch, words))


def read(text: str) -> tuple[Any, tuple[str, ...]] | None:
    r"""Parse an XML text into its data and the words of its style, or return None.

    Examples
    --------
    >>> read('<jobs n="2"><job><id>7</id></job><job><id>8</id></job></jobs>')
    ({'jobs': {'@n': 2, 'job': [{'id': 7}, {'id': 8}]}}, ('closed', 'loose', 'open'))
    """
    if not _BEGIN.match(text) or "<!D" in text or "<!E" in text:
        return None
    reader = _XmlReader()
    if not reader.parse(text) or not _has_array(reader.value):
        return None
    digits = {
        name: size
        for name, texts in reader.texts.items()
        if not is_version(name) and (size := digits_of(texts))
    }
    value = _with_types(reader.value, "", digits)
    plain = _with_plain_names(value) if reader.is_of_attributes else None
    if plain is not None:
        value, digits = plain, {name.removeprefix("@"): size for name, size in digits.items()}
    end = [] if text.endswith("\n") else ["open"]
    declared = [n for n, line in enumerate(DECLARATIONS, 1) if text.startswith(line)][:1]
    if text.startswith("<?xml") and not declared:
        return None
    style = [] if plain is None else ["attributes"]
    style += [f"declared={n}" for n in declared]
    if match := _INDENTED.search(text):
        style.append("tabs" if match[1] == "\t" else f"indent={len(match[1])}")
    style += ["gap"] if " />" in text else ["closed"] if "/>" not in text else []
    names = [f"{write_name(name)}=cdata" for name in reader.cdata_elements]
    names += [f"{write_name(name)}=.{size}" for name, size in digits.items()]
    escapes = ["go"] if "&#34;" in text or "&#39;" in text else ["loose", ""]
    if "&gt;" in text:
        escapes.reverse()
    body = text if end else text[:-1]
    for escape in escapes:
        words = (*style, *filter(None, [escape]), *names, *end)
        if write(value, words) == body:
            return value, words
    return None


class _RefusedError(Exception):
    """The text is XML, but not of the kind that is read here."""


class _XmlReader:
    """Reads an XML text element by element."""

    def __init__(self) -> None:
        self.value: Any = None
        self._cdata: set[tuple[str, str]] = set()
        self.texts: dict[str, set[str]] = {}
        self._others: set[tuple[str, str]] = set()
        self._open: list[tuple[str, dict[str, Any], list[str]]] = []
        self._last: list[str] = [""]
        self._comments: list[list[str]] = [[]]
        """The comments since the last element, within each open element."""
        from xml.parsers import expat

        self._parser: Any = expat.ParserCreate()
        self._error = expat.ExpatError
        parser = self._parser
        parser.ordered_attributes = True
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartCdataSectionHandler = self._section
        parser.CommentHandler = self._comment
        parser.ProcessingInstructionHandler = self._refuse
        parser.StartDoctypeDeclHandler = self._refuse

    def parse(self, text: str) -> bool:
        """Parse an XML text into `value`; return whether it is XML that can be read here."""
        try:
            self._parser.Parse(text.encode(), True)
        except (self._error, _RefusedError, UnicodeEncodeError):
            return False
        finally:
            self._parser = None  # breaks the reference cycle
        return self._cdata.isdisjoint(self._others) and not self._comments[0]

    @property
    def is_of_attributes(self) -> bool:
        """Whether more values are attributes than elements."""
        sizes = [0, 0]
        for name, texts in self.texts.items():
            sizes[name[0] == "@"] += len(texts)
        return sizes[1] > sizes[0]

    @property
    def cdata_elements(self) -> list[str]:
        """The names of the elements whose texts are CDATA.

        A name is ``parent/name`` where other elements of that name are not CDATA.
        """
        mixed = {name for _, name in self._others}
        names_of_elements = {
            name if name not in mixed else f"{above}/{name}" for above, name in self._cdata
        }
        return sorted(names_of_elements)

    def _refuse(self, *_: Any) -> None:
        """Refuse the text, for anything that cannot be written again."""
        raise _RefusedError

    def _start(self, name: str, attributes: list[str]) -> None:
        """Begin an element."""
        if len(self._open) > DEEPEST:
            raise _RefusedError
        pairs = zip(attributes[::2], attributes[1::2], strict=True)
        members: dict[str, Any] = {f"@{key}": value for key, value in pairs}
        for key, value in members.items():
            self.texts.setdefault(key, set()).add(value)
        above = self._comments[-1]
        if above:
            members = {ABOVE: above[0] if len(above) == 1 else above, **members}
            self._comments[-1] = []
        self._open.append((name, members, []))
        self._last.append("")
        self._comments.append([])

    def _text(self, text: str) -> None:
        """Add text to the open element."""
        self._open[-1][2].append(text)

    def _comment(self, text: str) -> None:
        """Add a comment to those that wait for the next element."""
        self._comments[-1].append(text)

    def _section(self) -> None:
        """Note the start or end of a CDATA section."""
        texts = self._open[-1][2]
        if texts or self._last[-1]:
            raise _RefusedError
        self._cdata.add(self._place)
        texts.append("")

    @property
    def _place(self) -> tuple[str, str]:
        """The names of the parent and of the open element."""
        return (self._open[-2][0] if len(self._open) > 1 else "", self._open[-1][0])

    def _end(self, name: str) -> None:
        """End an element: give its parent an object, a text or null."""
        place = self._place
        _, members, texts = self._open.pop()
        text, has_elements, ends = "".join(texts), bool(self._last.pop()), self._comments.pop()
        if has_elements or ends:
            if text.strip(" \t\n"):
                raise _RefusedError
            if ends:
                members[END] = ends[0] if len(ends) == 1 else ends
            value: Any = members
        else:
            if text and texts[0] != "":
                self._others.add(place)
            own = text or None
            self.texts.setdefault(name, set()).add(text)
            value = own if not members else members if own is None else {**members, TEXT: own}
        self._add(name, value)

    def _add(self, name: str, value: Any) -> None:
        """Add a value to the members of the open element; values of one name become an array."""
        if not self._open:
            self.value = {name: value}
            return
        members, last = self._open[-1][1], self._last[-1]
        self._last[-1] = name
        if name not in members:
            members[name] = value
        elif name != last:
            raise _RefusedError  # other elements are between them
        elif is_array(members[name]):
            members[name].append(value)
        else:
            members[name] = [members[name], value]


def _with_types(value: Any, name: str, digits: Mapping[str, int]) -> Any:
    """Return data with numbers and booleans in place of the texts that spell them."""
    if is_object(value):
        return {
            k: v if k in (ABOVE, END) else _with_types(v, name if k == TEXT else k, digits)
            for k, v in value.items()
        }
    if is_array(value):
        return [_with_types(item, name, digits) for item in value]
    if not isinstance(value, str):
        return value
    return float(value) if value and name in digits else as_value(value)


def _with_plain_names(value: Any) -> Any:
    """Return data with plain attribute names and objects for texts, or None if names collide."""
    if is_array(value):
        items = [_with_plain_names(item) for item in value]
        return None if None in items else items
    if not is_object(value):
        return {} if value is None else {TEXT: value}
    names = [name.removeprefix("@") for name in value]
    if len(set(names)) < len(names):
        return None
    renamed: dict[str, Any] = {}
    for name, child in value.items():
        is_own = name[0] in "@#"
        renamed[name.removeprefix("@")] = plain_child = (
            child if is_own else _with_plain_names(child)
        )
        if plain_child is None:
            return None
        if plain_child == {}:
            renamed[name] = None
    return renamed


def _has_array(value: Any) -> bool:
    """Whether data have an array anywhere."""
    pending: list[Any] = [value]
    while pending:
        item = pending.pop()
        if is_array(item):
            return True
        if is_object(item):
            pending += item.values()
    return False


def write(value: Any, words: Sequence[str]) -> str:
    """Return data as XML, without a line feed at the end."""
    declared = dict(word.split("=") for word in words if word.startswith(("indent=", "declared=")))
    above = DECLARATIONS[int(declared["declared"]) - 1] if "declared" in declared else ""
    if not is_object(value):
        return above
    style = _XmlStyle(words, "\t" if "tabs" in words else " " * int(declared.get("indent", 0)))
    lines = [line for name, child in value.items() for line in style.lines(name, child, ())]
    return above + style.joint.join(lines)


class _XmlStyle:
    """A style of XML, given by words."""

    def __init__(self, words: Sequence[str], indent: str) -> None:
        self._indent, self.joint = indent, "\n" if indent else ""
        escape = "go" if "go" in words else "loose" if "loose" in words else ""
        signs = _SIGNS_OF_GO if escape == "go" else _SIGNS
        self._in_text, self._in_value = (
            str.maketrans({sign: signs.get(sign, f"&#{ord(sign)};") for sign in escaped})
            for escaped in _ESCAPES[escape]
        )
        self._is_plain = "attributes" in words
        self._empty = "></{}>" if "closed" in words else " />" if "gap" in words else "/>"
        self._cdata, self._digits = set[str](), dict[str, int]()
        for match in filter(None, map(_NAMED.fullmatch, words)):
            key = read_name(match[1])
            if match[2] is None:
                self._cdata.add(key)
            else:
                self._digits[key] = int(match[2])

    def lines(self, name: str, value: Any, above: Sequence[str]) -> Iterator[str]:
        """Yield the lines of a member, an element for each item, within the elements `above`."""
        for item in value if is_array(value) else [value]:
            if is_object(item):
                yield from self._comments(item.get(ABOVE), self._indent * len(above))
            yield from self._element(name, item, above)

    def _comments(self, value: Any, before: str) -> Iterator[str]:
        """Yield the comments of a member, with an indent before each one."""
        for text in value if is_array(value) else [] if value is None else [value]:
            yield f"{before}<!--{text if isinstance(text, str) else dump(text)}-->"

    def _element(self, name: str, value: Any, above: Sequence[str]) -> Iterator[str]:
        """Yield the lines of an element within the elements `above`."""
        before = self._indent * len(above)
        members: dict[str, Any] = value if is_object(value) else {TEXT: value}
        attributes = [key for key, member in members.items() if self._is_attribute(key, member)]
        others = {*attributes, TEXT, ABOVE, END}
        inner_names = [key for key in members if key not in others]
        values = ((key, self._spell(key, members[key])) for key in attributes)
        spelled_attributes = (
            f' {k.removeprefix("@")}="{v.translate(self._in_value)}"' for k, v in values
        )
        head = f"{before}<{name}{''.join(spelled_attributes)}"
        if inner_names or END in members:
            yield f"{head}>"
            for key in inner_names:
                yield from self.lines(key, members[key], (*above, name))
            yield from self._comments(members.get(END), self._indent * (len(above) + 1))
            yield f"{before}</{name}>"
        elif (text := members.get(TEXT)) is None:
            yield head + self._empty.format(name)
        elif name in self._cdata or (above and f"{above[-1]}/{name}" in self._cdata):
            yield f"{head}><![CDATA[{self._spell(name, text)}]]></{name}>"
        else:
            yield f"{head}>{self._spell(name, text).translate(self._in_text)}</{name}>"

    def _is_attribute(self, name: str, value: Any) -> bool:
        """Whether a member is written as an attribute."""
        if self._is_plain:
            return name[:1] != "#" and value is not None and not is_container(value)
        return name[:1] == "@"

    def _spell(self, name: str, value: Any) -> str:
        """Return a scalar as text, with the digits that the style says for its name."""
        if isinstance(value, str):
            return value
        if isinstance(value, float) and name in self._digits:
            return f"{value:.{self._digits[name]}f}"
        return "" if value is None or is_container(value) else dump(value)

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

from typing import TYPE_CHECKING, Final

from mckp.jsontext import JsonValue, dump, is_array, is_container, is_object
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


def read(text: str) -> tuple[JsonValue, tuple[str, ...]] | None:
    r"""Return the data of an XML text and the words of its style; None for any other text.

    XML whose data have no array gives None, too.

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
        name: digit_count
        for name, texts in reader.texts.items()
        if not is_version(name) and (digit_count := digits_of(texts))
    }
    value = _with_types(reader.value, "", digits)
    attribute_value = _with_plain_names(value) if reader.has_mostly_attributes else None
    if attribute_value is not None:
        value, digits = (
            attribute_value,
            {name.removeprefix("@"): digit_count for name, digit_count in digits.items()},
        )
    end_words = [] if text.endswith("\n") else ["open"]
    declaration_numbers = [n for n, line in enumerate(DECLARATIONS, 1) if text.startswith(line)][:1]
    if text.startswith("<?xml") and not declaration_numbers:
        return None
    style = [] if attribute_value is None else ["attributes"]
    style += [f"declared={n}" for n in declaration_numbers]
    if match := _INDENTED.search(text):
        style.append("tabs" if match[1] == "\t" else f"indent={len(match[1])}")
    style += ["gap"] if " />" in text else ["closed"] if "/>" not in text else []
    name_words = [f"{write_name(name)}=cdata" for name in reader.cdata_elements]
    name_words += [f"{write_name(name)}=.{digit_count}" for name, digit_count in digits.items()]
    escape_words = ["go"] if "&#34;" in text or "&#39;" in text else ["loose", ""]
    if "&gt;" in text:
        escape_words.reverse()
    body = text if end_words else text[:-1]
    for escape_word in escape_words:
        words = (*style, *filter(None, [escape_word]), *name_words, *end_words)
        if write(value, words) == body:
            return value, words
    return None


FEWEST_VALUES: Final = 8
"""Fewest values of XML that is read in any spelling."""
_MAY_BE_XML: Final = regex(r"\ufeff?\s*<(?:\?xml\s|!DOCTYPE\s|!--|[A-Za-z_][\w:.-]*[\s>/])")
_PAGES: Final = frozenset(("html", "svg"))
"""The names of root elements whose texts are pages and pictures, not records."""
_NIL: Final = "@xsi:nil"


def value_of(text: str) -> JsonValue:
    r"""Return the data of XML in any spelling, as of a JSON document; None for any other text.

    The style of the source, its declaration and its document type are not in the data. Fields that
    have their names in an attribute, as ``mysql -X`` writes rows, are members of these names.

    Examples
    --------
    >>> fields = "".join(f"<field name='c{n}'>{n}</field>\n" for n in range(4))
    >>> value_of(f"<?xml version='1.0' ?>\n<rows><row>{fields}</row>\n<row>{fields}</row></rows>")
    {'rows': {'row': [{'c0': 0, 'c1': 1, 'c2': 2, 'c3': 3}, {'c0': 0, 'c1': 1, 'c2': 2, 'c3': 3}]}}
    """
    if not _MAY_BE_XML.match(text) or "<!E" in text:
        return None
    reader = _XmlReader(is_exact=False)
    if not reader.parse(text) or not is_object(reader.value):
        return None
    is_page = bool(_PAGES.intersection(name.lower() for name in reader.value))
    count = sum(map(len, reader.texts.values()))
    if is_page or count < FEWEST_VALUES:
        return None
    value = _with_types(_with_named_fields(reader.value), "", {})
    plain = _with_plain_names(value) if reader.has_mostly_attributes else None
    return value if plain is None else plain


def _with_named_fields(value: JsonValue) -> JsonValue:
    """Return data in which fields ``{"@name": "id", "#text": "7"}`` are members ``"id": "7"``."""
    if is_array(value):
        return [_with_named_fields(item) for item in value]
    if not is_object(value):
        return value
    fields = next(iter(value.values())) if len(value) == 1 else None
    if is_array(fields) and all(
        is_object(field) and "@name" in field and field.keys() <= {"@name", TEXT, _NIL}
        for field in fields
    ):
        named = {str(field["@name"]): field.get(TEXT) for field in fields if is_object(field)}
        if len(named) == len(fields):
            return named
    return {name: _with_named_fields(child) for name, child in value.items()}


class _RefusedError(Exception):
    """The text is XML, but not of the kind that is read here."""


class _XmlReader:
    """Reads an XML text element by element; `value` is an object with the root element.

    If the text need not be written again, it `is_exact` no more: declarations of types, processing
    instructions, and text that is partly CDATA are not refused.
    """

    def __init__(self, *, is_exact: bool = True) -> None:
        self._is_exact = is_exact
        self.value: JsonValue = None
        self.texts: dict[str, set[str]] = {}
        """The distinct texts of each element name and of each attribute, such as ``@id``."""
        self._cdata: set[tuple[str, str]] = set()
        """The places, as `_place` returns them, of elements with CDATA."""
        self._places_without_cdata: set[tuple[str, str]] = set()
        """The places of elements whose text is not CDATA."""
        self._open: list[tuple[str, dict[str, JsonValue], list[str]]] = []
        """The name, members and texts of each open element, the root first."""
        self._last: list[str] = [""]
        """The name of the last element within each open element; empty if there is none yet."""
        self._comments: list[list[str]] = [[]]
        """The comments since the last element, within each open element."""

    def parse(self, text: str) -> bool:
        """Parse an XML text into `value`; return False if it is malformed or refused.

        Refused are texts with something that `write` never writes, such as a document type. Other
        texts may still differ from what it writes, so the caller compares. Use a new reader for
        each text.
        """
        from xml.parsers import expat

        parser = expat.ParserCreate("utf-8")
        parser.ordered_attributes = True
        parser.buffer_text = True
        parser.StartElementHandler = self._open_element
        parser.EndElementHandler = self._close_element
        parser.CharacterDataHandler = self._add_text
        parser.CommentHandler = self._add_comment
        if self._is_exact:
            parser.StartCdataSectionHandler = self._begin_cdata
            parser.ProcessingInstructionHandler = self._refuse
            parser.StartDoctypeDeclHandler = self._refuse
        else:
            parser.StartDoctypeDeclHandler = self._refuse_entities
        try:
            parser.Parse(text.lstrip("\ufeff \t\n").encode(), True)
        except (expat.ExpatError, _RefusedError, UnicodeEncodeError):
            return False
        return self._cdata.isdisjoint(self._places_without_cdata) and not self._comments[0]

    @property
    def has_mostly_attributes(self) -> bool:
        """Whether more distinct values are in attributes than in elements, counted by name."""
        counts = [0, 0]
        for name, texts in self.texts.items():
            counts[name[0] == "@"] += len(texts)
        return counts[1] > counts[0]

    @property
    def cdata_elements(self) -> list[str]:
        """The names of the elements whose texts are CDATA.

        If other elements of a name have text that is not CDATA, it is written ``parent/name``.
        """
        names_without_cdata = {name for _, name in self._places_without_cdata}
        names_of_elements = {
            name if name not in names_without_cdata else f"{parent}/{name}"
            for parent, name in self._cdata
        }
        return sorted(names_of_elements)

    def _refuse(self, *_: object) -> None:
        """Raise an error that ends the parsing, for anything that cannot be written again."""
        raise _RefusedError

    def _refuse_entities(
        self, _name: str, _system: str | None, _public: str | None, has_subset: bool
    ) -> None:
        """Refuse a document type that declares anything itself, such as entities."""
        if has_subset:
            raise _RefusedError

    def _open_element(self, name: str, attributes: list[str]) -> None:
        """Open an element, with its attributes and the comments above it as members.

        An element that is nested too deeply is refused.
        """
        if len(self._open) > DEEPEST:
            raise _RefusedError
        pairs = zip(attributes[::2], attributes[1::2], strict=True)
        members: dict[str, JsonValue] = {}
        if comments := self._comments[-1]:
            members[ABOVE] = comments[0] if len(comments) == 1 else [*comments]
            self._comments[-1] = []
        for key, value in pairs:
            members[f"@{key}"] = value
            self.texts.setdefault(f"@{key}", set()).add(value)
        self._open.append((name, members, []))
        self._last.append("")
        self._comments.append([])

    def _add_text(self, text: str) -> None:
        """Add text to the open element."""
        self._open[-1][2].append(text)

    def _add_comment(self, text: str) -> None:
        """Add a comment to those that become a member of the next element."""
        self._comments[-1].append(text)

    def _begin_cdata(self) -> None:
        """Record that the open element has CDATA; refuse text or elements before the section."""
        texts = self._open[-1][2]
        if texts or self._last[-1]:
            raise _RefusedError
        self._cdata.add(self._place)
        texts.append("")

    @property
    def _place(self) -> tuple[str, str]:
        """The names of the open element's parent and of the element itself."""
        return (self._open[-2][0] if len(self._open) > 1 else "", self._open[-1][0])

    def _close_element(self, name: str) -> None:
        """Close an element, and add its value to its parent: an object, a text or None.

        Text beside elements or comments is refused, unless it is blank.
        """
        place = self._place
        _, members, texts = self._open.pop()
        text, has_elements, comments = "".join(texts), bool(self._last.pop()), self._comments.pop()
        if has_elements or comments:
            if text.strip(" \t\n"):
                raise _RefusedError
            if comments:
                members[END] = comments[0] if len(comments) == 1 else [*comments]
            value: JsonValue = members
        else:
            if text and texts[0] != "":
                self._places_without_cdata.add(place)
            own_text = text or None
            self.texts.setdefault(name, set()).add(text)
            value = members if own_text is None else {**members, TEXT: own_text}
            value = value if members else own_text
        self._add_value(name, value)

    def _add_value(self, name: str, value: JsonValue) -> None:
        """Add a value to the members of the open element; values of one name become an array.

        Elements of one name with others between them are refused.
        """
        if not self._open:
            self.value = {name: value}
            return
        members, last = self._open[-1][1], self._last[-1]
        self._last[-1] = name
        if name not in members:
            members[name] = value
        elif name != last:
            raise _RefusedError  # other elements are between them
        elif is_array(earlier := members[name]):
            earlier.append(value)
        else:
            members[name] = [earlier, value]


def _with_types(value: JsonValue, name: str, digits: Mapping[str, int]) -> JsonValue:
    """Return data with numbers and booleans in place of the texts that represent them.

    `name` is the name of the element or attribute. `digits` maps the names whose numbers all have
    the same number of digits after the point to that number.
    """
    if is_object(value):
        return {
            key: child
            if key in (ABOVE, END)
            else _with_types(child, name if key == TEXT else key, digits)
            for key, child in value.items()
        }
    if is_array(value):
        return [_with_types(item, name, digits) for item in value]
    if not isinstance(value, str):
        return value
    return float(value) if value and name in digits else as_value(value)


def _with_plain_names(value: JsonValue) -> JsonValue:
    """Return data whose attributes have names without ``@``, as the word ``attributes`` says.

    A text is ``{"#text": ...}``, and an empty element null, or ``{}`` in an array. Return None if
    an attribute and an element of one object would have the same name.
    """
    if is_array(value):
        items = [_with_plain_names(item) for item in value]
        return None if None in items else items
    if not is_object(value):
        return {} if value is None else {TEXT: value}
    names = [name.removeprefix("@") for name in value]
    if len(set(names)) < len(names):
        return None
    renamed: dict[str, JsonValue] = {}
    for name, child in value.items():
        is_attribute_or_text = name[0] in "@#"
        renamed[name.removeprefix("@")] = plain_child = (
            child if is_attribute_or_text else _with_plain_names(child)
        )
        if plain_child is None:
            return None
        if plain_child == {}:
            renamed[name] = None
    return renamed


def _has_array(value: JsonValue) -> bool:
    """Whether data contain an array at any depth."""
    pending: list[JsonValue] = [value]
    while pending:
        item = pending.pop()
        if is_array(item):
            return True
        if is_object(item):
            pending += item.values()
    return False


def write(value: JsonValue, words: Sequence[str]) -> str:
    """Return data as XML, without a line feed at the end.

    If the data are not an object, only the declaration is returned, or an empty text.
    """
    numbers = dict(word.split("=") for word in words if word.startswith(("indent=", "declared=")))
    declaration = DECLARATIONS[int(numbers["declared"]) - 1] if "declared" in numbers else ""
    if not is_object(value):
        return declaration
    style = _XmlStyle(words, "\t" if "tabs" in words else " " * int(numbers.get("indent", 0)))
    lines = [line for name, child in value.items() for line in style.lines(name, child, ())]
    return declaration + style.joint.join(lines)


class _XmlStyle:
    """A writer of data in the style of XML that words describe."""

    def __init__(self, words: Sequence[str], indent: str) -> None:
        self._indent, self.joint = indent, "\n" if indent else ""
        escape = "go" if "go" in words else "loose" if "loose" in words else ""
        signs = _SIGNS_OF_GO if escape == "go" else _SIGNS
        # What replaces the characters that are escaped in texts, and in attribute values.
        self._in_text, self._in_value = (
            str.maketrans({sign: signs.get(sign, f"&#{ord(sign)};") for sign in escaped})
            for escaped in _ESCAPES[escape]
        )
        self._has_plain_names = "attributes" in words
        self._empty = "></{}>" if "closed" in words else " />" if "gap" in words else "/>"
        self._cdata, self._digits = set[str](), dict[str, int]()
        for match in filter(None, map(_NAMED.fullmatch, words)):
            key = read_name(match[1])
            if match[2] is None:
                self._cdata.add(key)
            else:
                self._digits[key] = int(match[2])

    def lines(self, name: str, value: JsonValue, ancestors: Sequence[str]) -> Iterator[str]:
        """Yield the lines of a member; an array has an element for each item.

        `ancestors` are the names of the elements around it, the root first.
        """
        for item in value if is_array(value) else [value]:
            if is_object(item):
                yield from self._comment_lines(item.get(ABOVE), self._indent * len(ancestors))
            yield from self._element_lines(name, item, ancestors)

    def _comment_lines(self, value: JsonValue, indent: str) -> Iterator[str]:
        """Yield the line of each comment in a ``#above`` or ``#end`` member, after an indent."""
        for text in value if is_array(value) else [] if value is None else [value]:
            yield f"{indent}<!--{text if isinstance(text, str) else dump(text)}-->"

    def _element_lines(
        self, name: str, value: JsonValue, ancestors: Sequence[str]
    ) -> Iterator[str]:
        """Yield the lines of an element; `ancestors` are the names of the elements around it."""
        indent = self._indent * len(ancestors)
        members: dict[str, JsonValue] = value if is_object(value) else {TEXT: value}
        attributes = [key for key, member in members.items() if self._is_attribute(key, member)]
        others = {*attributes, TEXT, ABOVE, END}
        inner_names = [key for key in members if key not in others]
        values = ((key, self._scalar_text(key, members[key])) for key in attributes)
        spelled_attributes = (
            f' {key.removeprefix("@")}="{spelled.translate(self._in_value)}"'
            for key, spelled in values
        )
        start_tag = f"{indent}<{name}{''.join(spelled_attributes)}"
        if inner_names or END in members:
            yield f"{start_tag}>"
            for key in inner_names:
                yield from self.lines(key, members[key], (*ancestors, name))
            yield from self._comment_lines(members.get(END), self._indent * (len(ancestors) + 1))
            yield f"{indent}</{name}>"
        elif (text := members.get(TEXT)) is None:
            yield start_tag + self._empty.format(name)
        elif name in self._cdata or (ancestors and f"{ancestors[-1]}/{name}" in self._cdata):
            yield f"{start_tag}><![CDATA[{self._scalar_text(name, text)}]]></{name}>"
        else:
            yield f"{start_tag}>{self._scalar_text(name, text).translate(self._in_text)}</{name}>"

    def _is_attribute(self, name: str, value: JsonValue) -> bool:
        """Whether a member is written as an attribute."""
        if self._has_plain_names:
            return name[:1] != "#" and value is not None and not is_container(value)
        return name[:1] == "@"

    def _scalar_text(self, name: str, value: JsonValue) -> str:
        """Return the text of a scalar; None and containers give an empty text.

        If the style has a number of digits for its name, a float has as many after the point.
        """
        if isinstance(value, str):
            return value
        if isinstance(value, float) and name in self._digits:
            return f"{value:.{self._digits[name]}f}"
        return "" if value is None or is_container(value) else dump(value)

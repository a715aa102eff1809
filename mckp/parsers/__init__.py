"""Parse texts and Python data into the typed tree."""

from __future__ import annotations

import re
from os import PathLike
from os.path import isfile
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

from mckp.errors import ParseError, UnknownNameError, warn_caller
from mckp.parsers.detect import DocumentKind, detect
from mckp.parsers.json import parse_json
from mckp.parsers.markdown import parse_markdown
from mckp.parsers.python import from_python
from mckp.parsers.repair import refuse_binary, repair_text, text_of
from mckp.parsers.text import parse_text
from mckp.regexes import regex
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mckp.parsers.parts import DataPart

KindName: TypeAlias = Literal["json", "markdown", "text"] | str
"""The kinds of document that a caller may name; also a kind of text of `mckp.texts.register`."""

_NAME: Final = regex(r"(?!//)[\w./~-]{0,200}\.[A-Za-z0-9]{1,5}")
"""A text that may be a file name and is not a URL."""

PARSERS: Final[dict[DocumentKind, Callable[[str], TreeNode]]] = {
    DocumentKind.JSON: parse_json,
    DocumentKind.MARKDOWN: parse_markdown,
    DocumentKind.TEXT: parse_text,
}


def parse(text: str | bytes | bytearray | PathLike[str], kind: str | None = None) -> TreeNode:
    """Parse a text of any supported kind.

    Parameters
    ----------
    text : str, bytes, bytearray or path-like
        The text, with or without a byte order mark. The file at a path is read; a str is always
        a text, with a warning if a file has that name.
    kind : str, optional
        ``json``, ``markdown`` or ``text``, or the name of a kind of text that was added with
        `mckp.texts.register`. If it is given, the text must be of that kind, bytes must be UTF-8,
        and a str must not have lone surrogates. By default the kind is detected and nothing is
        refused: a text that begins like JSON but is not JSON is plain text, and bytes that are not
        UTF-8 are read as `mckp.parsers.repair.text_of` describes; `TreeNode.notes` reports both.

    Returns
    -------
    TreeNode
        The typed tree.

    Raises
    ------
    ParseError
        If the text is not of the given kind; it has the line and column, if they are known. Also if
        the bytes are a binary file, such as a PDF document or an image.
    TypeError
        If the argument is none of these types.
    UnknownNameError
        If `kind` is none of these.

    Examples
    --------
    >>> parse('{"a": 1}').value, parse("# Title").children[0].kind.value
    ({'a': 1}, 'section')
    >>> parse('{"a": [1, 2').notes
    ('read as text, because it is not JSON: unexpected end of data (line 1, column 12)',)
    """
    if not isinstance(text, str | bytes | bytearray):
        if not isinstance(cast("object", text), PathLike):
            type_name = type(text).__name__
            raise TypeError(
                f"expected str, bytes or a path, got {type_name}; to encode data, use encode"
            )
        with open(text, "rb") as file:
            text = file.read()
    if not isinstance(text, str):
        refuse_binary(text)
    elif kind is None and _NAME.fullmatch(text) and isfile(text):
        message = f"{text!r} is encoded as text; for the file of that name, pass pathlib.Path(...)"
        warn_caller(message)
    if kind is None:
        return parse_any(text)
    if kind in PARSERS:
        return PARSERS[DocumentKind(kind)](decode_bytes(text))
    from mckp.texts.own import registered  # few callers have kinds of their own

    if kind not in registered():
        raise UnknownNameError("kind of document", kind, [*PARSERS, *registered()])
    tree = parse_text(decode_bytes(text))
    tree.text_kind = kind
    return tree


def parse_any(text: str | bytes | bytearray) -> TreeNode:
    """Parse a text after detecting its kind; nothing is refused.

    The tree's `notes` say what was replaced, and why a text that looks like JSON is not JSON.
    """
    repaired, notes = repair_text(text) if isinstance(text, str) else text_of(text)
    repaired = repaired.removeprefix(_BYTE_ORDER_MARK)
    kind = detect(repaired)
    try:
        tree = PARSERS[kind](repaired)
    except ParseError as error:
        notes = (*notes, f"{NOT_JSON}: {error}")
        tree = parse_text(repaired)
    if kind is not DocumentKind.JSON or not tree.is_json:
        notes += _comments_note(repaired)
    tree.notes, tree.looks_like = notes, kind.value
    return tree


_COMMENT_OR_STRING: Final = regex(
    r"""("(?:[^"\\\n]|\\.)*+")|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/""", re.DOTALL
)
_TRAILING_COMMA: Final = regex(r"""("(?:[^"\\\n]|\\.)*+")|,(?=\s*+[\]}])""", re.DOTALL)


def _comments_note(text: str) -> tuple[str, ...]:
    """Return a note if a text would be JSON without its comments, else ()."""
    begin = text.lstrip()[:2]
    is_possible = begin[:1] in ("{", "[") or begin in ("//", "/*")
    if not is_possible or ("//" not in text and "/*" not in text):
        return ()
    kept = _COMMENT_OR_STRING.sub(lambda match: match[1] or " ", text)
    try:
        tree = parse_json(_TRAILING_COMMA.sub(lambda match: match[1] or "", kept))
    except ParseError:
        return ()
    is_container = isinstance(tree.value, dict | list)
    return ("this is JSON with comments; without them it is read as data",) if is_container else ()


def as_tree(data: object, kind: str | None = None) -> TreeNode:
    """Return the tree of a text, of Python data, or of a document that is a tree already.

    A string or bytes at the top level are parsed, and so is the file at a path; strings inside
    Python data are data. A data tree that was not parsed from a text is checked like Python data.
    `kind` is the kind of a text, as in `parse`; with anything else it raises a `ValueError`. A
    result that is already encoded raises a `TypeError`, and Python data that JSON cannot express
    raise a `DataError`.
    """
    if isinstance(data, str | bytes | bytearray | PathLike):
        return parse(cast("str | bytes | bytearray | PathLike[str]", data), kind)
    if kind is not None:
        raise ValueError(
            f"kind={kind!r} is only for texts and files, not for {type(data).__name__}; "
            "leave it out"
        )
    if type(data).__module__.startswith("mckp.") and isinstance(getattr(data, "text", None), str):
        raise TypeError(f"a {type(data).__name__} is already encoded; pass the data, or its .text")
    if isinstance(data, TreeNode):
        return from_python(data.value) if data.is_json and data.source is None else data
    return from_python(data)


_BYTE_ORDER_MARK: Final = "\ufeff"

NOT_JSON: Final = "read as text, because it is not JSON"
"""Begins the note on a text that looks like JSON and is not."""


def decode_bytes(text_or_bytes: object) -> str:
    """Return a text, or bytes decoded from UTF-8, without a byte order mark.

    Bytes that are not UTF-8 raise a `ParseError`, and other types a `TypeError`.
    """
    if isinstance(text_or_bytes, str):
        return text_or_bytes.removeprefix(_BYTE_ORDER_MARK)
    if not isinstance(text_or_bytes, bytes | bytearray):
        advice = "; pass its .text" if hasattr(text_or_bytes, "text") else ""
        raise TypeError(f"expected str or bytes, got {type(text_or_bytes).__name__}{advice}")
    try:
        return text_or_bytes.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte_text = text_or_bytes.decode("latin-1")  # one character per byte
        message = f"the bytes are not UTF-8, from byte {error.start} on"
        raise ParseError.at(message, byte_text, error.start) from None


def data_parts_of(tree: TreeNode) -> Sequence[DataPart]:
    """Return the parts that are data in a text whose kind the caller did not name."""
    if tree.is_json or not tree.source or tree.looks_like != tree.source_kind:
        return ()
    from mckp.parsers.parts import find_parts  # data have no such parts

    return find_parts(tree.source)

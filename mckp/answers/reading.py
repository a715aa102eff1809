"""Read a text back, to prove that it says what the document said."""

from __future__ import annotations

from itertools import pairwise
from operator import is_
from typing import TYPE_CHECKING, Any

from mckp.encoders import PHRASES, RULES, dictionary, follows, grid, marks, once, packs, read
from mckp.encoders.fakes import unescape
from mckp.encoders.headers import read_header, skip_primer
from mckp.encoders.hints import COMPACT, RAW, read_counts, read_label, read_overflow, skip_notes
from mckp.encoders.lines import Lines
from mckp.encoders.scalars import ABSENT
from mckp.errors import ParseError
from mckp.jsontext import is_json
from mckp.parsers import PARSERS, decode_bytes, parse_any
from mckp.parsers.detect import DocumentKind, detect
from mckp.parsers.text import text_tree
from mckp.regexes import regex
from mckp.tree import Kind, TreeNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mckp.parsers.embedded import Embedding

_TABLE = regex(r"\[[0-9]+\{|\{[0-9]+\{")
_APART = regex(r"\s*|`{3,}")
_DATA = ("blocks", "json", RULES.name, PHRASES.name)
_NOTHING = {"blocks": Kind.DOCUMENT, "lines": Kind.TEXT, "paragraphs": Kind.TEXT}


def decode(text: str | bytes | bytearray) -> Any:
    r"""Read an encoded text back.

    Parameters
    ----------
    text : str, bytes or bytearray
        What `mckp.encode` returned as `Result.text`, byte for byte.

    Returns
    -------
    object
        For data, the plain Python value; for Markdown and plain text, a `TreeNode`; for a text of
        `mckp.pack`, a dict from the names of the documents to these. If parts were cut, the value
        has only what was kept; if nothing was kept of data, it is `mckp.ABSENT`. If a
        `mckp.Session` sent a result unchanged below its label, it is this result as a string.

    Raises
    ------
    ParseError
        With line and column, if the text was damaged, unless it looks like plain text now: a
        line of flow notation that is not closed is no data any more.

    Examples
    --------
    >>> decode("[2] csv\nid,name\n1,Ann\n2,\n")
    [{'id': 1, 'name': 'Ann'}, {'id': 2}]
    """
    return decoded_as(decode_bytes(text), None)


def decoded_as(text: str, known: TreeNode | None, embedding: Embedding | None = None) -> Any:
    """Decode a text as `decode` does, with what is already known about it.

    If the text contains the whole source of the `known` document, it is not parsed again, since the
    same source gives the same tree. If the text lists the same strings of data as `embedding`, they
    stay parsed; otherwise they become strings again.
    """
    decoded, embedded = _read_with_embedding(text, known)
    if embedded is None or embedded == embedding:
        return decoded
    restored = embedded.restore(decoded)
    return parse_any(str(restored)) if embedded.form else restored


def _read_with_embedding(text: str, known: TreeNode | None) -> tuple[Any, Embedding | None]:
    """Decode a text; return its content, and the `Embedding` if it has strings of data."""
    lines = 0  # that are above what is read
    above, _, below = text.partition("\n")
    if (label := read_label(above)) is not None:
        text, lines = unescape(below, raw=label.form == RAW), 1
        if label.form == RAW:
            return text, None
        if label.form != COMPACT:
            raise ParseError(f"the label names the unknown form {label.form!r}", line=1, column=1)
    try:
        rest = skip_primer(text, _is_data)
        lines += rest is not text
        if (embedding := embedding_above(rest)) is not None:
            rest, lines = rest.partition("\n")[2], lines + 1
        above = rest.partition("\n")[0]
        if dictionary.height(above):
            rest = dictionary.expand(rest)
            if dictionary.height(rest.partition("\n")[0]):
                raise ParseError("the text has two dictionaries; expected one", line=1, column=1)
            lines += dictionary.height(above)
        decoded = _content_of(rest, known)
    except ParseError as error:
        if not lines:
            raise
        line = (error.line or 1) + lines
        raise ParseError(error.message, line=line, column=error.column) from None
    return decoded, embedding


def embedding_above(text: str) -> Embedding | None:
    """Parse the first line of a text if it lists the strings that hold data, else return None."""
    first, _, below = text.partition("\n")
    if not first.startswith("> ["):
        return None
    from mckp.parsers.embedded import read_embedding  # few texts list strings of data

    embedding = read_embedding(first)
    return embedding if embedding is not None and _kind_alone(below) in _DATA else None


def _content_of(text: str, known: TreeNode | None) -> Any:
    """Return the content of a text without a label and without strings of data.

    `known` is a document that the text may contain whole.
    """
    if packs.is_pack(text):
        return _read_pack(text)
    form, below = once.split(text)
    if form is not None:
        return text_tree([once.read(form, marks.unescape_lines(below))])
    if follows.height(text.partition("\n")[0]):
        return follows.read_rules(text, _read_data)
    kind, rest = marks.split_kind(text)
    if kind is None:
        if _begins_as_blocks(text):
            return read(text)
        if _is_text_in_parts(text):
            return _read_text(text)
        if _is_cut_by_lines(text):
            return _read_plain_text(text)
        if (flow := _read_flow(text)) is not None:
            return flow[0]
        text = rest = _without_notes(text)
        kind = _other_kind(text)
    if kind == "json":
        return PARSERS[DocumentKind.JSON](text).value
    if (hint := read_overflow(text.removesuffix("\n"))) is not None and hint.total is None:
        return TreeNode(_NOTHING[hint.unit]) if hint.unit in _NOTHING else ABSENT
    if kind == "text":
        return _read_text(rest)
    # No tree of Markdown depends on line feeds at the end.
    if (
        known is not None
        and known.kind is Kind.DOCUMENT
        and rest.rstrip("\n") == (known.source or "").rstrip("\n")
    ):
        return _without_marks(known)
    return _without_marks(PARSERS[DocumentKind(kind)](rest))


def _read_data(text: str) -> Any:
    """Return the data of a text that can be nothing else."""
    if is_json(text):
        return PARSERS[DocumentKind.JSON](text).value
    if _begins_as_blocks(text) or text.startswith(("{", "[")):
        return read(text)
    raise ParseError("an object or array was expected", line=1, column=1)


def _read_pack(text: str) -> dict[str, Any]:
    """Return the documents of a pack by name.

    A document that is marked as the same as a missing one raises a `ParseError`.
    """
    documents: dict[str, Any] = {}
    for part in packs.split(text):
        if part.same_as is None:
            documents[part.name] = decoded_as(part.text, None)
        elif part.same_as in documents:
            documents[part.name] = documents[part.same_as]
        else:
            raise ParseError(
                f"{part.name!r} is marked as the same as {part.same_as!r}, which is missing"
            )
    return documents


def _is_text_in_parts(text: str) -> bool:
    """Whether a text has data in place; data in one line have no such lines."""
    return marks.has_part(text)


def _read_text(text: str) -> TreeNode:
    """Return the tree of a plain text, in which parts that are data become text again.

    A text that was not cut is of the kind that it is found to be.
    """
    if not marks.has_part(text):
        return _read_plain_text(text)
    from mckp.parsers.parts import split_parts  # few texts have data in place

    parts = split_parts(text)
    stretches, is_cut = [""], False
    for part in parts:
        if part.mark:
            stretches[-1] += "".join(f"{line}\n" for line in part.lines(_read_data_of_part))
            is_cut = is_cut or "> [+" in part.text or marks.GAP in part.text
            continue
        for line in part.text.splitlines(keepends=True) if "\n" in part.text else [part.text]:
            if marks.is_gap(line.removesuffix("\n")):
                stretches.append("")
                is_cut = True
            else:
                stretches[-1] += marks.unescape_lines(line)
    if parts and parts[-1].mark and not text.endswith("\n"):
        stretches[-1] = stretches[-1].removesuffix("\n")
    return text_tree(list(filter(None, stretches))) if is_cut else parse_any("".join(stretches))


def _read_data_of_part(text: str) -> Any:
    """Return the data of a part of a text."""
    return _content_of(text, None)


def _is_cut_by_lines(text: str) -> bool:
    """Whether a text has gap marks of plain text and no note.

    A shortened block of Markdown has such marks too, but always with a note below it.
    """
    if not marks.has_gap(text):
        return False
    return "> [+" not in text or not any(map(read_overflow, text.split("\n")))


def _read_plain_text(text: str) -> TreeNode:
    """Return the tree of a plain text without its gap marks and the note on all of its lines.

    A note as only old versions wrote it raises a `ParseError`.
    """
    stretches = [""]
    for number, line in enumerate(text.split("\n"), 1):
        if marks.is_gap(line):
            stretches.append("")
        elif read_counts(line) is not None:
            continue
        elif read_overflow(line) is not None:
            message = "mckp up to 0.2.0 cut this text; read it with that version"
            raise ParseError(message, line=number, column=1)
        else:
            stretches[-1] += line + "\n"
    stretches[-1] = stretches[-1][:-1]
    return text_tree([marks.unescape_lines(stretch) for stretch in stretches if stretch])


def document_kind(text: str, known: TreeNode | None = None) -> str:
    """Return the format family that a text is decoded as; for a `known` source, the tree's kind.

    Data is ``blocks`` or ``json``, a text document ``markdown`` or ``text``, and several documents
    a ``pack``. A text below a dictionary is ``phrases`` and one below a label ``labelled``; the
    text below is decoded as another kind.
    """
    if read_label(text.partition("\n")[0]) is not None:
        return "labelled"
    if packs.is_pack(text):
        return "pack"
    below = skip_primer(text, _is_data)
    return _kind(text, known) if below is text else "blocks"


def _is_data(text: str) -> bool:
    """Whether a text is data: in blocks, in one line, below a dictionary, or a hint on facts."""
    hint = read_overflow(text.removesuffix("\n"))
    return _kind(text) in _DATA if hint is None else hint.unit == "facts"


def _kind(text: str, known: TreeNode | None = None) -> str:
    """Return the kind of a text; if its first line lists strings of data, it is blocks."""
    return _kind_alone(text, known) if embedding_above(text) is None else "blocks"


def _kind_alone(text: str, known: TreeNode | None = None) -> str:
    """Return the kind of a text that has neither a dictionary nor a label above it.

    `known` is a document that the text may contain whole.
    """
    if once.split(text)[0] is not None:
        return "text"
    kind, _ = marks.split_kind(text)
    if kind is not None:
        return kind
    if dictionary.height(text.partition("\n")[0]):
        return PHRASES.name
    if follows.height(text.partition("\n")[0]):
        return RULES.name
    if _begins_as_blocks(text):
        return "blocks"
    if _is_text_in_parts(text) or _is_cut_by_lines(text):
        return "text"
    if _read_flow(text) is not None:
        return "blocks"
    if known is not None and known.looks_like and "> [+" not in text and text == known.source:
        return known.looks_like
    return _other_kind(_without_notes(text))


def _begins_as_blocks(text: str) -> bool:
    """Whether the first line begins data in a format of mckp, even if later lines are damaged."""
    first, _, rest = text.partition("\n")
    # Line ends that were changed on the way are an error below, not another kind.
    is_header = bool(rest) and read_header(first.rstrip("\r"), 0) is not None
    return is_header or _TABLE.match(text) is not None


def _read_flow(text: str) -> tuple[Any] | None:
    """Parse flow notation (a superset of JSON); return the value in a tuple, or None."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return (read(text),)
    except ParseError:
        return None


def _without_notes(text: str) -> str:
    """Return compact JSON without the notes below it; return any other text unchanged."""
    first, _, below = text.partition("\n")
    if not below.startswith("> [+") or not first.startswith(("{", "[", '"')):
        return text
    lines = Lines(below)
    skip_notes(lines)
    return first if lines.peek() is None and is_json(first) else text


def _other_kind(text: str) -> str:
    """Return ``markdown`` or ``text``, judged by the hints of a text or else by its look.

    A hint on sentences or lines shows the kind by its place: in Markdown it is a paragraph of its
    own or below the fence of its block; in plain text it ends its paragraph.
    """
    if "> [+" not in text:
        return detect(text).value
    lines = pairwise(("", *text.split("\n")))
    noted = ((above, line) for above, line in lines if line.startswith("> [+"))
    hints = [(above, hint) for above, line in noted if (hint := read_overflow(line))]
    units = {hint.unit for _, hint in hints}
    if units & {"blocks", "items", "rows"}:
        return DocumentKind.MARKDOWN.value
    if "paragraphs" not in units and any(
        hint.missing != hint.total and _APART.fullmatch(above) for above, hint in hints
    ):
        return DocumentKind.MARKDOWN.value
    return DocumentKind.TEXT.value if units else detect(text).value


def _without_marks(tree: TreeNode) -> TreeNode:
    """Return a document without marks of mckp; the same object if it has none."""
    children = tuple(_own_blocks(tree.children))
    if _are_same(children, tree.children):
        return tree
    return _with_paths(TreeNode(tree.kind, children=children), ())


def _are_same(nodes: Sequence[TreeNode], others: Sequence[TreeNode]) -> bool:
    """Whether two sequences have the same nodes."""
    return len(nodes) == len(others) and all(map(is_, nodes, others))


def _with_paths(node: TreeNode, path: tuple[int, ...]) -> TreeNode:
    """Return a tree whose nodes have their paths within the kept content."""
    children = tuple(
        _with_paths(child, (*path, number)) for number, child in enumerate(node.children)
    )
    return TreeNode(node.kind, node.value, attrs=node.attrs, children=children, path=path)


def _with_children(node: TreeNode, children: Sequence[TreeNode]) -> TreeNode:
    """Return a node with other children, without its path and span."""
    return TreeNode(node.kind, node.value, attrs=node.attrs, children=tuple(children))


def _own_blocks(nodes: Iterable[TreeNode]) -> Iterator[TreeNode]:
    """Yield blocks as they were in the source.

    Notes of mckp are left out, escaped blocks are restored, and fenced CSV of mckp is a table.
    """
    for node in nodes:
        if node.kind is Kind.SECTION:
            children = tuple(_own_blocks(node.children))
            yield node if _are_same(children, node.children) else _with_children(node, children)
        elif (note := marks.note_text(node)) is not None:
            if note.startswith("\\"):  # else mckp wrote it
                yield _with_children(node, [TreeNode(Kind.PARAGRAPH, note[1:])])
        elif node.kind is Kind.CODE and marks.looks_like_csv_info(node.attrs["info"]):
            yield _code_or_table(node)
        else:
            yield node


def _code_or_table(node: TreeNode) -> TreeNode:
    """Return a block of code as it was before it was escaped, or the table that it holds.

    A table that cannot be read, or lacks rows, raises a `ParseError`.
    """
    info = node.attrs["info"]
    rows_and_common = marks.read_csv_info(info)
    if rows_and_common is None:
        return TreeNode(Kind.CODE, node.value, attrs={"info": info[:-1]})
    total, has_common = rows_and_common
    lines = node.value.removesuffix("\n").split("\n")
    hint = read_overflow(lines[-1])
    try:
        table = grid.read_csv(lines if hint is None else lines[:-1], has_common=has_common)
        if len(table.children) + (hint.missing if hint else 0) != total:
            raise ParseError(f"the table below does not have the {total} rows of its header")
    except ParseError as error:
        line = node.span.start + 1 if node.span else 1
        raise ParseError(error.message, line=line, column=1) from None
    return table

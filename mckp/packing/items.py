"""The documents of a pack: read, weighed and priced."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import log1p
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from mckp.answers.reading import document_kind
from mckp.encoders import PHRASES, packs
from mckp.encoders.marks import escape_lines
from mckp.errors import MckpError, UnknownNameError, warn_caller
from mckp.jsontext import canonical
from mckp.menu.text import PlainText, is_paragraph
from mckp.parsers import as_tree, parse
from mckp.tree import Kind
from mckp.weights.fading import approximate_tokens
from mckp.weights.repeated import SEEN, find_repeats, pieces_of_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from mckp.answers.priced import Priced
    from mckp.budgets import BudgetLike
    from mckp.encoders.base import Format
    from mckp.parsers.embedded import Embedding
    from mckp.tree import TreeNode

ITEMS: Final = "a mapping from names to documents, a list of documents, or a list of paths"
LONGEST_PATH: Final = 260
"""A text with fewer characters than this may be meant as a path."""


@dataclass(eq=False, slots=True)
class NamedDocument:
    """A parsed document, and all names under which it was given."""

    names: list[str]
    tree: TreeNode
    embedding: Embedding | None
    factor: float = 0.0
    """The factor on its worth."""
    relevance: float = 0.0
    """How relevant it is to the query; 1 if there is none."""
    seen: frozenset[str] = frozenset()
    """The pieces of it that another document says in the same words."""


@dataclass(eq=False)
class Item:
    """A document of a pack, and the conditions under which it is offered."""

    name: str
    opens: Callable[[], Priced]
    """Weighs and prices it."""
    source: str
    is_text: bool
    factor: float
    """The factor on its worth: the caller's weight times its relevance."""
    halving: float
    """Tokens of worthier parts after which a part has half of its weight."""
    signs: int
    """The number of equal signs in its heading."""
    is_spoken_of: bool = False
    """Whether the caller has priorities, a pin or a `least` for it."""
    is_pinned: bool = False
    least: BudgetLike | None = None
    """What it gets at least: as much of its worth as that many tokens would keep of it alone."""
    equals: list[str] = field(default_factory=list[str])
    """The names of equal documents."""
    is_only_whole: bool = False
    """Whether it is a paragraph that is written as it is, or left out; see `is_only_whole`."""

    @cached_property
    def priced(self) -> Priced:
        """The document with its menu and prices, which most of the time of a pack is spent on."""
        return self.opens()

    @property
    def size(self) -> float:
        """Its tokens, estimated."""
        return approximate_tokens(self.source)

    @property
    def rough_worth(self) -> float:
        """A rough worth of all of it, as if its parts were alike: the logarithm of its size."""
        return self.factor * self.halving * log1p(self.size / self.halving)

    @property
    def heading(self) -> str:
        """The heading line above it."""
        return packs.heading(self.signs, self.name)

    @property
    def equal_headings(self) -> str:
        """The headings of equal documents, which follow it."""
        return "".join(packs.heading(self.signs, equal, self.name) for equal in self.equals)


def documents_by_name(items: object) -> dict[str, Any]:
    """Return documents by name; paths are named as they are written, others 1, 2, 3 …

    Examples
    --------
    >>> documents_by_name({"a": 1}), documents_by_name(["x", [2]])
    ({'a': 1}, {'1': 'x', '2': [2]})
    """
    if isinstance(items, Mapping):
        by_name = dict(cast("Mapping[object, Any]", items))
        for name in by_name:
            if not isinstance(name, str) or not name:
                raise TypeError(f"the name of a document must be a string, not {name!r:.40}")
        return {str(name): document for name, document in by_name.items()}
    if not isinstance(items, Iterable) or isinstance(items, str | bytes | bytearray):
        raise TypeError(f"documents must be {ITEMS}, not {items!r:.40}")
    documents_given = list(cast("Iterable[object]", items))
    documents: dict[str, Any] = {
        fspath(cast("PathLike[str]", document))
        if isinstance(document, PathLike)
        else str(number): document
        for number, document in enumerate(documents_given, 1)
    }
    if len(documents) != len(documents_given):
        raise ValueError("two documents have the same name; give a mapping from names to documents")
    return documents


def read(name: str, document: Any) -> TreeNode:
    """Return the tree of a document; a text without a final line feed gets one.

    A str that is the path of a file is packed as text, with a warning. Errors name the document.
    """
    try:
        if isinstance(document, PathLike):
            document = Path(fspath(cast("PathLike[str]", document))).read_bytes()
        elif isinstance(document, str) and is_path(document):
            report = (
                f"{document!r} is packed as text; for the file of that name, pass pathlib.Path(...)"
            )
            warn_caller(report)
        if isinstance(document, str) and document and not document.endswith("\n"):
            document = f"{document}\n"
        elif isinstance(document, bytes | bytearray) and document and document[-1:] != b"\n":
            document = bytes(document) + b"\n"
        tree = as_tree(document)
    except (MckpError, OSError, TypeError) as error:
        error.add_note(f"in the document {name!r} of a pack")
        raise
    source = tree.source
    if tree.is_json or not source or source.endswith("\n"):
        return tree
    text_with_end = parse(f"{source}\n", tree.source_kind)
    text_with_end.notes = tree.notes
    return text_with_end


def is_path(text: str) -> bool:
    """Whether a text is the path of an existing file."""
    return len(text) < LONGEST_PATH and "\n" not in text and os.path.isfile(text)


def identity(tree: TreeNode) -> str:
    """Return a text that is the same for two documents only if they are equal."""
    if tree.is_json:
        return f"json {canonical(tree.value)}"
    return f"{tree.kind.value} {tree.source}"


def note_repeats(groups: Sequence[NamedDocument], spoken_of: Container[str]) -> None:
    """Note, for each document, the pieces that a document ranked before it contains, too.

    They are worth less in the later document; for a paragraph, which is whole or left out, the
    factor falls. Documents that the caller has `spoken_of`, by priorities, pins or `least`, stay as
    they are.
    """
    if len(groups) < 2:
        return
    ranked = sorted(range(len(groups)), key=lambda number: -groups[number].factor)
    ranks = [0] * len(groups)
    for rank, number in enumerate(ranked):
        ranks[number] = rank
    pieces = [pieces_of_tree(group.tree) for group in groups]
    for group, repeat in zip(groups, find_repeats(pieces, ranks), strict=True):
        if repeat is not None and not any(name in spoken_of for name in group.names):
            group.seen = repeat.pieces
            is_one = is_paragraph(group.tree.source or "\n\n")
            group.factor *= max(SEEN, repeat.new_share if is_one else repeat.new_share > 0)


def is_only_whole(group: NamedDocument, formats: Container[Format]) -> bool:
    """Whether a document is a paragraph that can be written in no form but its own."""
    tree, source = group.tree, group.tree.source or ""
    is_alone = group.embedding is None and PHRASES not in formats
    return (
        is_alone
        and packs.may_be_noted(group.names[0])
        and tree.kind is Kind.TEXT
        and is_paragraph(source)
        and any(map(str.isalnum, source))
        and escape_lines(source) == source
        and document_kind(source, known=tree) == PlainText.kind
    )


def checked_mapping(parameter: str, by_document: object, names: Sequence[str]) -> dict[str, Any]:
    """Return a caller's mapping from document names, all of which must exist."""
    if by_document is None:
        return {}
    if not isinstance(by_document, Mapping):
        raise TypeError(
            f"{parameter} must be a mapping from names of documents, not {by_document!r:.40}"
        )
    by_name = dict(cast("Mapping[object, Any]", by_document))
    for name in by_name:
        if name not in names:
            raise UnknownNameError(f"document in {parameter}", str(name), names)
    return {str(name): value for name, value in by_name.items()}

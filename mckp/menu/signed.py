"""Strings and texts that are data: the document with these parsed, and the line that says so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mckp.encoders import FLOW, JSON, KV, ROWS
from mckp.jsontext import is_container, may_hold_data
from mckp.parsers import NOT_JSON
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from mckp.encoders.base import Format
    from mckp.jsontext import JsonValue
    from mckp.menu.classes import Menu
    from mckp.parsers.embedded import Embedding


def with_parsed_strings(
    tree: TreeNode,
    formats: tuple[Format, ...],
    kind: str | None = None,
    *,
    may_change_spelling: bool = False,
) -> tuple[TreeNode, Embedding | None]:
    """Return a document with the data in its strings parsed, and an `Embedding` of these strings.

    A text that is data as a whole is parsed as well, unless the caller has named its `kind`. All
    this needs formats that can have our notes, and compact JSON, which keeps any order of members;
    with other formats the document is returned unchanged. JSON values one after the other and XML
    whose spelling no form describes are read like a JSON document, for their values, if the
    spelling may change: within a budget.
    """
    has_notes = JSON in formats and any(format_ in formats for format_ in (KV, ROWS, FLOW))
    if not has_notes or not (tree.is_json or (kind is None and tree.source)):
        return tree, None
    if tree.is_json and is_container(tree.value) and not may_hold_data(tree.value):
        return tree, None
    from mckp.parsers.embedded import extract_from_tree  # most data have no strings of data

    value, embedding = extract_from_tree(tree)
    if embedding is None:
        is_text = may_change_spelling and not tree.is_json
        value_and_note = _value_in_any_spelling(tree.source or "") if is_text else None
        if value_and_note is None:
            return tree, None
        document = TreeNode.of(value_and_note[0])
        document.notes = (value_and_note[1],)
        return document, None
    document = TreeNode.of(value)
    document.notes = tuple(note for note in tree.notes if not note.startswith(NOT_JSON))
    return document, embedding


def _value_in_any_spelling(source: str) -> tuple[JsonValue, str] | None:
    """Return the data of a text in a spelling that no form describes, and a note; None if none."""
    from mckp.parsers.sequence import values_of

    values = values_of(source)
    if values is not None:
        return values, f"read as {len(values)} JSON values; their spelling is not kept"
    if not source.lstrip("\ufeff \t\n").startswith("<"):
        return None
    from mckp.parsers import xml  # few texts are XML

    value = xml.value_of(source)
    return None if value is None else (value, "read as XML; its spelling is not kept")


def signed(menu: Menu, line: str) -> Menu:
    """Return a menu of data with a line above each text that has anything of the document.

    The line is part of the cost of each option of the document.
    """
    root = menu.root
    options = tuple(replace(option, fragments=(line, *option.fragments)) for option in root.options)
    return replace(menu, root=replace(root, options=options), line=line)

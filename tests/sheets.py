"""Contract sheets: Markdown files that say what a format or grammar is, with cases to run.

A case is a heading of the third level with blocks below it, each between a line of four
tildes and a word and a line of four tildes. `BLOCKS` lists the words that go together;
words of explanation may be around the blocks. A sheet that breaks this form is an
error, so that no case is ever skipped in silence.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from mckp.jsontext import canonical, dump
from mckp.tree import TreeNode

ROOT: Final = Path(__file__).parents[1]
"""The folder that holds the contract folders."""

BLOCKS: Final = tuple(
    frozenset(words.split())
    for words in (
        "in out",
        "in refused",
        "in kept text",
        "text error",
        "in tree",
        "in error",
        "hint line",
        "text value",
        "first then value",
    )
)
"""The sets of blocks that make a case."""

_BLOCK = re.compile(r"^~~~~([a-z]+)(?: ([a-z]+))?\n((?:(?!~~~~).*\n)*)~~~~$", re.MULTILINE)
_PLACE = "\0"
"""Stands in the prose for a block."""


class SheetError(ValueError):
    """A sheet is not of the form that is read."""


@dataclass(slots=True)
class Case:
    """One case of a sheet: its heading, and the text of each block by its word."""

    title: str
    blocks: dict[str, str] = field(default_factory=dict[str, str])
    note: str = ""
    """A second word after the first block's, such as the kind of a document."""

    @property
    def form(self) -> frozenset[str]:
        return frozenset(self.blocks)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet that was read: its cases, and all that is outside of their blocks."""

    prose: str
    cases: tuple[Case, ...]

    def says(self, name: str) -> str:
        """Return the first word of the sheet's only line ``name: ...``."""
        matches = re.findall(rf"^{name}: `?([\w/.]*\w)", self.prose, re.MULTILINE)
        if len(matches) != 1:
            raise SheetError(f"one line {name!r} was expected, {len(matches)} were found")
        return str(matches[0])


def load(folder: str, name: str) -> Sheet:
    return read((ROOT / folder / f"{name}.md").read_text(encoding="utf-8"))


def names(folder: str) -> set[str]:
    return {path.stem for path in (ROOT / folder).glob("*.md")} - {"README"}


def read(text: str) -> Sheet:
    """Read the text of a sheet; what is not of the form is an error."""
    blocks = iter(_BLOCK.findall(text))
    prose = _BLOCK.sub(lambda block: _PLACE + "\n" * block[0].count("\n"), text)
    cases: list[Case] = []
    case: Case | None = None
    for number, line in enumerate(prose.split("\n"), 1):
        if line.startswith("#"):
            case = Case(line[4:]) if line.startswith("### ") else None
            cases += [case] if case else []
        elif line == _PLACE:
            word, note, lines = next(blocks)
            if case is None or word in case.blocks:
                raise SheetError(f"line {number}: a second block {word!r}, or one of no case")
            case.blocks[word] = lines
            case.note = case.note or note
        elif line.startswith("~~~~"):
            raise SheetError(f"line {number}: {line!r} begins no block, or one without an end")
    for entry in cases:
        if entry.form not in BLOCKS:
            raise SheetError(f"the case {entry.title!r} has the blocks {sorted(entry.form)}")
    if len({entry.title for entry in cases}) < len(cases):
        raise SheetError("two cases have one title")
    return Sheet(prose, tuple(cases))


def outline(node: TreeNode, depth: int = 0) -> str:
    """Return a text document's tree as sheets show it: a node a line, children indented.

    A line has the kind, the value and attributes as JSON where there are any, and the
    lines the node spans.
    """
    assert node.span is not None
    parts = [node.kind.value]
    parts += [] if node.value is None else [dump(node.value)]
    parts += [canonical(dict(node.attrs))] if node.attrs else []
    parts += [f"[{node.span.start},{node.span.end})"]
    below = "".join(outline(child, depth + 1) for child in node.children)
    return "  " * depth + " ".join(parts) + "\n" + below


def listing(tree: TreeNode) -> str:
    """Return a tree of data as sheets show it: a node a line, path, kind, leaf as JSON."""
    return "".join(f"{node.path_text} {node.kind}{_leaf(node)}\n" for node in tree.walk())


def _leaf(node: TreeNode) -> str:
    return "" if node.kind in ("object", "array") else f" {dump(node.value)}"

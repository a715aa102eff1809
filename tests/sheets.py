"""Contract sheets: Markdown files that say what a format or grammar is, with cases to run.

A case is a heading of the third level with blocks below it, each between a line of four
tildes and a word and a line of four tildes. `BLOCKS` lists the words that go together;
words of explanation may stand around the blocks. A sheet that breaks this form is an
error, so that no case is ever skipped in silence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mckp.jsontext import canonical, dump

if TYPE_CHECKING:
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

_OPENING = re.compile(r"~~~~([a-z]+)(?: ([a-z]+))?")


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
    """A sheet that was read: its cases, and all that stands outside of their blocks."""

    prose: str
    cases: tuple[Case, ...]

    def says(self, name: str) -> str:
        """Return the first word of the sheet's only line ``name: ...``."""
        found = re.findall(rf"^{name}: `?([\w/.]*\w)", self.prose, re.MULTILINE)
        if len(found) != 1:
            raise SheetError(f"one line {name!r} was expected, {len(found)} were found")
        return str(found[0])


def load(folder: str, name: str) -> Sheet:
    return read((ROOT / folder / f"{name}.md").read_text(encoding="utf-8"))


def names(folder: str) -> set[str]:
    return {path.stem for path in (ROOT / folder).glob("*.md")} - {"README"}


def read(text: str) -> Sheet:
    """Read the text of a sheet; what is not of the form is an error with its line."""
    reader = _Reader()
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        try:
            reader.take(line)
        except SheetError as error:
            raise SheetError(f"line {number}: {error}") from None
    return reader.done()


class _Reader:
    """What has been read so far."""

    def __init__(self) -> None:
        self.prose: list[str] = []
        self.cases: list[Case] = []
        self.case: Case | None = None
        self.word = ""

    def take(self, line: str) -> None:
        if self.word:
            self.inside(line)
        elif line.startswith("~~~~"):
            self.open(line)
        else:
            if line.startswith("#"):
                self.heading(line)
            self.prose.append(line)

    def inside(self, line: str) -> None:
        if line == "~~~~":
            self.word = ""
        elif line.startswith("~~~~"):
            raise SheetError(f"{line!r} inside a block")
        elif self.case is not None:
            self.case.blocks[self.word] += f"{line}\n"

    def open(self, line: str) -> None:
        match = _OPENING.fullmatch(line)
        if match is None or not any(match[1] in words for words in BLOCKS):
            raise SheetError(f"{line!r} opens no block that is known")
        if self.case is None:
            raise SheetError("a block without a heading of the third level")
        if match[1] in self.case.blocks:
            raise SheetError(f"a second block {match[1]!r} in one case")
        self.word = match[1]
        self.case.blocks[self.word] = ""
        self.case.note = self.case.note or match[2] or ""

    def heading(self, line: str) -> None:
        self.close()
        if line.startswith("### "):
            self.case = Case(line[4:])

    def close(self) -> None:
        if self.case is None:
            return
        if self.case.form not in BLOCKS:
            raise SheetError(
                f"the case {self.case.title!r} has the blocks {sorted(self.case.form)}"
            )
        if any(case.title == self.case.title for case in self.cases):
            raise SheetError(f"a second case {self.case.title!r}")
        self.cases.append(self.case)
        self.case = None

    def done(self) -> Sheet:
        if self.word:
            raise SheetError(f"the last block {self.word!r} is never closed")
        self.close()
        return Sheet("\n".join(self.prose), tuple(self.cases))


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

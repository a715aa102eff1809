"""Block tokens of a Markdown text: markdown-it's rules, made to lose nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote, reference, table
from markdown_it.rules_block.table import escapedSplit, getLine
from mdit_py_plugins.front_matter import front_matter_plugin

from mckp.errors import ParseError
from mckp.jsontext import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it.token import Token

    Rule = Callable[[StateBlock, int, int, bool], bool]

DEEPEST: Final = MAX_DEPTH - 8
"""Deepest nesting of quotes, lists and items.

With the root, six levels of headings and a table's rows, a tree stays within `MAX_DEPTH`.
"""


def block_tokens(text: str) -> list[Token]:
    r"""Return the block tokens of a normalised text; inline markup stays text.

    Raises
    ------
    ParseError
        If quotes and lists nest deeper than `DEEPEST` levels.

    Examples
    --------
    >>> [token.type for token in block_tokens("- - -\n")]
    ['hr']
    """
    # A last line without its end would be the one line that is read differently.
    return _GRAMMAR.parse(text if text.endswith("\n") else text + "\n")


def _built() -> MarkdownIt:
    # Beyond maxNesting markdown-it drops text without a word; our own rule refuses first.
    options = {"maxNesting": 2 * MAX_DEPTH, "inline_definitions": True}
    grammar = MarkdownIt("commonmark", options).enable("table").use(front_matter_plugin)
    grammar.disable(["inline", "text_join"])
    ruler = grammar.block.ruler
    ruler.at("front_matter", _at_the_top(ruler.getRules("")[0]))
    ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    ruler.at("blockquote", _quote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    ruler.at("reference", _reference)
    ruler.before("front_matter", "depth", _depth)
    ruler.after("depth", "plain", _plain)
    # Its rules, and the tables they use, are made at the first use, which two threads must
    # not share.
    grammar.parse("[x]: /y\n")
    return grammar


def _depth(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.level < DEEPEST:
        return False
    offset = state.bMarks[start] + state.tShift[start]
    raise ParseError.at(f"nested deeper than {DEEPEST} levels", state.src, offset)


def _plain(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a paragraph each line of which begins with a letter, as the rules below would.

    No other block begins with a letter, and nothing that does ends a paragraph, so that none
    of the other rules need be tried. A line that begins otherwise leaves all to them.
    """
    src, marks, shifts, ends = state.src, state.bMarks, state.tShift, state.eMarks
    if state.sCount[start] - state.blkIndent > 3:
        return False
    line = start
    while line < state.lineMax and (first := marks[line] + shifts[line]) < ends[line]:
        if not src[first].isalpha() or state.sCount[line] < 0:
            return False
        line += 1
    content = state.getLines(start, line, state.blkIndent, False).strip(" \t\n")
    if content[-1].isspace():
        return False
    state.line = line
    state.push("paragraph_open", "p", 1).map = [start, line]
    token = state.push("inline", "", 0)
    token.content, token.map, token.children = content, [start, line], []
    state.push("paragraph_close", "p", -1)
    return True


def _at_the_top(rule: Rule) -> Rule:
    """Limit front matter to what nobody takes for a thematic break or a table.

    The plugin also takes ``---`` in an item on the first line, ``--- text``, and a first
    thematic break if another follows anywhere; as in Pandoc, no blank line may follow.
    """

    def front_matter(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        first = start == 0 and state.level == 0 and not getLine(state, 0).strip("- \t")
        return first and end > 1 and not state.isEmpty(1) and rule(state, start, end, silent)

    return front_matter


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a table, noting the cells beyond its last column, which GFM drops."""
    first = len(state.tokens)
    if not table(state, start, end, silent):
        return False
    rows = [token for token in state.tokens[first:] if token.type == "tr_open"]
    columns = sum(token.type == "th_open" for token in state.tokens[first:])
    for token in rows:
        if excess := _excess(getLine(state, (token.map or [start])[0]).strip(), columns):
            token.meta["excess"] = excess
    return True


def _excess(row: str, columns: int) -> list[str]:
    if row.count("|") - row.startswith("|") - row.endswith("|") < columns:
        return []
    cells = escapedSplit(row)
    beyond = [cell.strip() for cell in cells[columns + (cells[0] == "") :]]
    while beyond and not beyond[-1]:
        beyond.pop()
    return beyond


def _quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a quote, without the blank lines below that markdown-it counts to it."""
    opening = len(state.tokens)
    if not blockquote(state, start, end, silent):
        return False
    place_of = [] if silent else state.tokens[opening].map or []
    while place_of and state.isEmpty(place_of[1] - 1):
        place_of[1] -= 1
    return True


def _reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a link reference definition, keeping how it was written."""
    if not reference(state, start, end, silent):
        return False
    written = state.getLines(start, state.line, state.blkIndent, False)
    state.tokens[-1].content = written.strip()
    return True


_GRAMMAR: Final = _built()

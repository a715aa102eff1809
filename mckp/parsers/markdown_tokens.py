"""Block tokens of a Markdown text: markdown-it's rules, made lossless and fast.

Two things make them fast: only the rules that may match by a line's first character are tried, and
tokens are plain objects, because markdown-it's own have a dozen members that are not needed here.
"""

from __future__ import annotations

import logging
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote, reference, table
from markdown_it.rules_block.table import escapedSplit, getLine
from mdit_py_plugins.front_matter import front_matter_plugin

from mckp.errors import ParseError
from mckp.jsontext import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from markdown_it.ruler import Ruler
    from markdown_it.token import Token

    Rule = Callable[[StateBlock, int, int, bool], bool]

DEEPEST: Final = MAX_DEPTH - 8
"""Deepest nesting of quotes, lists and items.

With the root, six levels of headings and table rows, a tree stays within `MAX_DEPTH`.
"""

_FIRST: Final = {
    "fence": "`~",
    "blockquote": ">",
    "hr": "-*_",
    "list": "-*+0123456789",
    "reference": "[",
    "html_block": "<",
    "heading": "#",
}
"""The first characters of lines that a rule may match; other rules may match any line."""


class _BlockToken:
    """A block token; see `markdown_it.token.Token`."""

    attrs: Mapping[str, Any] = {}
    meta: Mapping[str, Any] = {}
    map: Sequence[int] = (0, 0)
    content = markup = info = ""

    def __init__(self, type: str, tag: str, nesting: int, level: int) -> None:
        """Make a token with the arguments of markdown-it's own tokens."""
        self.type, self.tag, self.nesting, self.level = type, tag, nesting, level


_UNREAD: Final = {"thead_open", "tbody_open", "td_open", "td_close"} | {
    f"{name}_close" for name in ("thead", "tbody", "tr", "th", "paragraph", "heading")
}
"""Tokens that are not needed, because other tokens say the same."""

_NOBODY: Final = _BlockToken("", "", 0, 0)
"""A dummy that rules get, and may write to, in place of an unread token."""


class _State(StateBlock):
    """The state of a text being parsed; it drops unread tokens."""

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """Append a token, unless it is never read, and return it."""
        self.level -= nesting < 0
        if ttype in _UNREAD:
            token = _NOBODY
        else:
            token = _BlockToken(ttype, tag, nesting, self.level)
            self.tokens.append(cast("Token", token))
        self.level += nesting > 0
        return cast("Token", token)


def block_tokens(text: str) -> list[Token]:
    """Return the block tokens of a normalised text; inline markup stays text."""
    # The rules read a last line without a line feed differently.
    state = _State(text if text.endswith("\n") else text + "\n", _GRAMMAR, {}, [])
    token = _IS_OURS.set(True)
    try:
        _GRAMMAR.block.tokenize(state, 0, state.lineMax)
    finally:
        _IS_OURS.reset(token)
    return state.tokens


_IS_OURS: ContextVar[bool] = ContextVar("is_ours", default=False)


def _mute_logs() -> None:
    """Suppress the rules' log messages, one per line of a text, during our parsing."""
    for name in list(logging.root.manager.loggerDict):
        if name.startswith("markdown_it."):
            logging.getLogger(name).addFilter(lambda record: not _IS_OURS.get())


def _build_grammar() -> MarkdownIt:
    # Beyond maxNesting, markdown-it silently drops text; our own rule refuses it first.
    """Return the CommonMark grammar with tables, front matter and the rules below."""
    options = {"maxNesting": 2 * MAX_DEPTH, "inline_definitions": True}
    grammar = MarkdownIt("commonmark", options).enable("table").use(front_matter_plugin)
    ruler = grammar.block.ruler
    ruler.at("front_matter", _limit_front_matter(ruler.getRules("")[0]))
    ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    ruler.at("reference", _reference)
    ruler.before("front_matter", "depth", _refuse_depth)
    grammar.block.ruler = cast("Any", _Rules(ruler))
    _mute_logs()
    return grammar


class _Rules:
    """Stands in for a `Ruler`: each of its chains is one rule, which tries those that may match."""

    def __init__(self, ruler: Ruler[Rule]) -> None:
        self._names = ruler.get_active_rules()
        names = dict(zip(ruler.getRules(""), self._names, strict=True))
        chains = ("", "paragraph", "reference", "blockquote", "list")
        self._chains = {chain: [_choose_by_first(ruler.getRules(chain), names)] for chain in chains}

    def getRules(self, name: str) -> list[Rule]:  # noqa: N802
        """Return the only rule of a chain, under markdown-it's name for this method."""
        return self._chains[name]

    def get_active_rules(self) -> list[str]:
        """Return the names of no rules: markdown-it only reports them."""
        return self._names


def _choose_by_first(rules: Sequence[Rule], names: Mapping[Rule, str]) -> Rule:
    """Return a rule that tries the given rules that a line's first character allows."""
    firsts = [_FIRST.get(names[rule]) for rule in rules]
    for_any = [rule for rule, first in zip(rules, firsts, strict=True) if first is None]
    by_mark = {
        mark: [rule for rule, first in zip(rules, firsts, strict=True) if mark in (first or mark)]
        for mark in "".join(_FIRST.values())
    }

    def rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        place, opening = state.bMarks[start] + state.tShift[start], len(state.tokens)
        for block_rule in by_mark.get(state.src[place : place + 1], for_any):
            if block_rule(state, start, end, silent):
                if block_rule is blockquote and not silent:
                    _trim_quote(state, state.tokens[opening])
                return True
        return False

    return rule


def _trim_quote(state: StateBlock, quote: Token) -> None:
    """Exclude the blank lines below a quote, which markdown-it includes."""
    place_of = quote.map or []
    while place_of and state.isEmpty(place_of[1] - 1):
        place_of[1] -= 1


def _refuse_depth(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Refuse blocks that are nested too deeply."""
    if state.level < DEEPEST:
        return False
    offset = state.bMarks[start] + state.tShift[start]
    raise ParseError.at(f"nested deeper than {DEEPEST} levels", state.src, offset)


def _limit_front_matter(rule: Rule) -> Rule:
    """Return the front matter rule, limited to what cannot be a thematic break or a table.

    The plugin also accepts ``---`` in an item on the first line, ``--- text``, and a first
    thematic break if another one follows anywhere. As in Pandoc, no blank line may follow.
    """

    def front_matter(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        first = start == 0 and state.level == 0 and not getLine(state, 0).strip("- \t")
        return first and end > 1 and not state.isEmpty(1) and rule(state, start, end, silent)

    return front_matter


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a table, keeping the cells after its last column, which GFM drops."""
    first = len(state.tokens)
    if not table(state, start, end, silent):
        return False
    rows = [token for token in state.tokens[first:] if token.type == "tr_open"]
    columns = sum(token.type == "th_open" for token in state.tokens[first:])
    for token in rows:
        if excess := _excess(getLine(state, (token.map or [start])[0]).strip(), columns):
            token.meta = {"excess": excess}
    return True


def _excess(row: str, columns: int) -> list[str]:
    """Return the cells of a row beyond a number of columns, without empty ones at the end."""
    if row.count("|") - row.startswith("|") - row.endswith("|") < columns:
        return []
    cells = escapedSplit(row)
    beyond = [cell.strip() for cell in cells[columns + (cells[0] == "") :]]
    while beyond and not beyond[-1]:
        beyond.pop()
    return beyond


def _reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a link reference definition, keeping its source text."""
    if not reference(state, start, end, silent):
        return False
    written = state.getLines(start, state.line, state.blkIndent, False)
    state.tokens[-1].content = written.strip()
    return True


_GRAMMAR: Final = _build_grammar()

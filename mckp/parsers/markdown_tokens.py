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
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from markdown_it.ruler import Ruler
    from markdown_it.token import Token

    Rule = Callable[[StateBlock, int, int, bool], bool]

DEEPEST: Final = MAX_DEPTH - 8
"""Deepest nesting of quotes, lists and items.

With the root, six levels of headings and table rows, a tree stays within `MAX_DEPTH`.
"""

_FIRST_CHARACTERS: Final = {
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


_UNUSED_TYPES: Final = {"thead_open", "tbody_open", "td_open", "td_close"} | {
    f"{name}_close" for name in ("thead", "tbody", "tr", "th", "paragraph", "heading")
}
"""Tokens that are not needed, because other tokens say the same."""

_DUMMY_TOKEN: Final = _BlockToken("", "", 0, 0)
"""What rules get, and may write to, in place of a token that is not used."""


class _State(StateBlock):
    """The state of a text being parsed; it drops tokens of the unused types."""

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """Append a token and return it; of an unused type, return a dummy."""
        self.level -= nesting < 0
        if ttype in _UNUSED_TYPES:
            token = _DUMMY_TOKEN
        else:
            token = _BlockToken(ttype, tag, nesting, self.level)
            self.tokens.append(cast("Token", token))
        self.level += nesting > 0
        return cast("Token", token)


def block_tokens(text: str) -> list[Token]:
    """Return the block tokens of a normalised text; inline markup stays text."""
    # The rules read a last line without a line feed differently.
    state = _State(text if text.endswith("\n") else text + "\n", _GRAMMAR, {}, [])
    reset_token = _IS_OURS.set(True)
    try:
        _GRAMMAR.block.tokenize(state, 0, state.lineMax)
    finally:
        _IS_OURS.reset(reset_token)
    return state.tokens


_IS_OURS: ContextVar[bool] = ContextVar("is_ours", default=False)
"""Whether the rules run for `block_tokens`, and not for another user of markdown-it."""


def _mute_rule_logs() -> None:
    """Filter out the log messages of markdown-it's rules, one for each line, while we parse."""
    for name in list(logging.root.manager.loggerDict):
        if name.startswith("markdown_it."):
            logging.getLogger(name).addFilter(lambda record: not _IS_OURS.get())


def _build_grammar() -> MarkdownIt:
    """Return the CommonMark grammar with tables, front matter and the rules below."""
    # Beyond maxNesting, markdown-it silently drops text; our own rule refuses it first.
    options = {"maxNesting": 2 * MAX_DEPTH, "inline_definitions": True}
    grammar = MarkdownIt("commonmark", options).enable("table").use(front_matter_plugin)
    ruler = grammar.block.ruler
    ruler.at("front_matter", _limit_front_matter(ruler.getRules("")[0]))
    ruler.at("table", _read_table, {"alt": ["paragraph", "reference"]})
    ruler.at("reference", _read_reference)
    ruler.before("front_matter", "depth", _refuse_depth)
    grammar.block.ruler = cast("Any", _Rules(ruler))
    _mute_rule_logs()
    return grammar


class _Rules:
    """Replaces a `Ruler`: each of its chains has one rule, which tries those that may match."""

    def __init__(self, ruler: Ruler[Rule]) -> None:
        self._names = ruler.get_active_rules()
        names = dict(zip(ruler.getRules(""), self._names, strict=True))
        chains = ("", "paragraph", "reference", "blockquote", "list")
        self._chains = {
            chain: [_first_character_rule(ruler.getRules(chain), names)] for chain in chains
        }

    def getRules(self, name: str) -> list[Rule]:  # noqa: N802
        """Return the only rule of a chain, under markdown-it's name for this method."""
        return self._chains[name]

    def get_active_rules(self) -> list[str]:
        """Return the names of the active rules, which markdown-it only reports."""
        return self._names


def _first_character_rule(rules: Sequence[Rule], names: Mapping[Rule, str]) -> Rule:
    """Return a rule that tries those of the given rules that a line's first character allows."""
    first_characters = [_FIRST_CHARACTERS.get(names[rule]) for rule in rules]
    any_line_rules = [
        rule for rule, characters in zip(rules, first_characters, strict=True) if characters is None
    ]
    rules_of_character = {
        character: [
            rule
            for rule, characters in zip(rules, first_characters, strict=True)
            if character in (characters or character)
        ]
        for character in "".join(_FIRST_CHARACTERS.values())
    }

    def matching_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        offset, token_count = state.bMarks[start] + state.tShift[start], len(state.tokens)
        for block_rule in rules_of_character.get(state.src[offset : offset + 1], any_line_rules):
            if block_rule(state, start, end, silent):
                if block_rule is blockquote and not silent:
                    _trim_quote(state, state.tokens[token_count])
                return True
        return False

    return matching_rule


def _trim_quote(state: StateBlock, quote: Token) -> None:
    """Exclude the blank lines below a quote, which markdown-it includes."""
    line_range = quote.map or []
    while line_range and state.isEmpty(line_range[1] - 1):
        line_range[1] -= 1


def _refuse_depth(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Raise a `ParseError` at a block that is nested too deeply; match nothing."""
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
        is_at_start = start == 0 and state.level == 0 and not getLine(state, 0).strip("- \t")
        return is_at_start and end > 1 and not state.isEmpty(1) and rule(state, start, end, silent)

    return front_matter


_BARE_RULE: Final = regex(r"[ \t]*(?:\|[ \t]*:?-+:?|:?-+:?[ \t]*\|)[ \t]*")
"""A bar on one side of the dashes: what parts the rows of a wiki's table, such as ``|-``.

GFM takes it for the rule of a table with one column; people write that one with both bars.
"""


def _read_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a table, keeping the cells after its last column, which GFM drops.

    Return whether there is a table.
    """
    token_count = len(state.tokens)
    if start + 1 < end and _BARE_RULE.fullmatch(getLine(state, start + 1)):
        return False
    if not table(state, start, end, silent):
        return False
    rows = [token for token in state.tokens[token_count:] if token.type == "tr_open"]
    column_count = sum(token.type == "th_open" for token in state.tokens[token_count:])
    for token in rows:
        if excess_cells := _excess_cells(
            getLine(state, (token.map or [start])[0]).strip(), column_count
        ):
            token.meta = {"excess": excess_cells}
    return True


def _excess_cells(row: str, column_count: int) -> list[str]:
    """Return the cells of a row after the last column, without empty ones at the end."""
    if row.count("|") - row.startswith("|") - row.endswith("|") < column_count:
        return []
    cells = escapedSplit(row)
    excess = [cell.strip() for cell in cells[column_count + (cells[0] == "") :]]
    while excess and not excess[-1]:
        excess.pop()
    return excess


def _read_reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a link reference definition, keeping its source text; return whether there is one."""
    if not reference(state, start, end, silent):
        return False
    written = state.getLines(start, state.line, state.blkIndent, False)
    state.tokens[-1].content = written.strip()
    return True


_GRAMMAR: Final = _build_grammar()

"""Markdown documents for property tests: well formed ones, and noise made of markup."""

from hypothesis import strategies as st

from tests.cases import cases

_PLAIN = ["alpha", "beta", "3.5", "**bold**", "`a|b`", "[x](y)", "\\|", "<b>", "&", "é", "漢字"]
_MARKUP = ["\u00a0", "|", "#", "-", "1.", "*a*", "~", "```", ">", "[z]:", "\ufeff", "\f"]
_WORDS = st.sampled_from(_PLAIN + _MARKUP)
_LINES = st.lists(_WORDS, min_size=1, max_size=5).map(" ".join)
_CELLS = st.sampled_from(["1", "2.0", "true", "null", "", "a\\|b", "`c`", "007", "x y", "-1e5"])
_INDENTS = st.sampled_from(["", "", "", " ", "   "])


def _paragraphs() -> st.SearchStrategy[str]:
    lines = st.lists(st.tuples(_INDENTS, _LINES).map("".join), min_size=1, max_size=3)
    return lines.map("\n".join)


def _headings() -> st.SearchStrategy[str]:
    marks = st.integers(1, 6).map(lambda level: "#" * level + " ")
    underlines = st.sampled_from(["\n===", "\n-"])
    return st.builds(str.__add__, marks, _LINES) | st.builds(str.__add__, _LINES, underlines)


def _codes() -> st.SearchStrategy[str]:
    body = st.lists(_LINES | st.just(""), max_size=4)
    fences = st.sampled_from(["```", "~~~~", "``` py", "~~~ a&amp;b"])
    fenced = st.builds(_fenced, fences, body, st.integers(0, 9))
    indented = st.lists(_LINES, min_size=1, max_size=3).map(lambda x: "    " + "\n    ".join(x))
    return fenced | indented


def _fenced(opening: str, body: list[str], luck: int) -> str:
    closing = [opening.split(" ")[0]] if luck else []
    return "\n".join([opening, *body, *closing])


@st.composite
def _tables(draw: st.DrawFn) -> str:
    width = draw(st.integers(1, 3))
    aligns = st.sampled_from(["---", ":--", ":-:", "-:"])
    rows = [draw(st.lists(_CELLS, min_size=width, max_size=width))]
    rows.append(draw(st.lists(aligns, min_size=width, max_size=width)))
    rows += draw(st.lists(st.lists(_CELLS, min_size=1, max_size=width + 2), max_size=4))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


_SINGLE = st.sampled_from(cases(__file__, "_SINGLE"))


@st.composite
def _lists(draw: st.DrawFn, blocks: st.SearchStrategy[str]) -> str:
    marker = draw(st.sampled_from(["-", "*", "+", "1.", "7)", "10."]))
    items = draw(st.lists(blocks | st.just("") | _tasks(), min_size=1, max_size=3))
    gap = draw(st.sampled_from(["\n", "\n\n"]))
    return gap.join(prefixed(text, f"{marker} ", " " * (len(marker) + 1)) for text in items)


def _tasks() -> st.SearchStrategy[str]:
    return st.builds(str.__add__, st.sampled_from(["[ ] ", "[x] ", "[X] "]), _LINES)


def prefixed(text: str, first: str, rest: str) -> str:
    """Return a text with a prefix on its first line and another on all filled others."""
    head, *tail = text.split("\n")
    return "\n".join([(first + head).rstrip(), *[rest + line if line else line for line in tail]])


def _quotes(blocks: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return blocks.map(lambda text: "\n".join(f"> {line}" for line in text.split("\n")))


def _joined(blocks: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    gaps = st.sampled_from(["\n", "\n\n", "\n\n", "\n \n\n"])
    pieces = st.lists(st.tuples(blocks, gaps), min_size=1, max_size=5)
    return pieces.map(lambda pairs: "".join(block + gap for block, gap in pairs))


_LEAVES = _paragraphs() | _headings() | _codes() | _tables() | _SINGLE
_BLOCKS = st.recursive(
    _LEAVES, lambda inner: _lists(_joined(inner).map(str.rstrip)) | _quotes(inner), max_leaves=6
)
_FRONT = st.sampled_from(["", "", "", "---\na: 1\n---\n", "---\nb: 2\n...\n", "---\n\n"])

documents = st.builds(str.__add__, _FRONT, _joined(_BLOCKS))
"""Documents made of blocks of every kind, nested, with blank lines between or not."""

noise = st.text(
    alphabet="\n\n\n  \t>-+*#=|:`~<!>[]().0123ab_&;\\'\"\r\0\u00a0\ufeff漢\f", max_size=80
)
"""Texts of little else but markup, mostly not well formed."""

"""Markdown: the tree of blocks, its spans, and that nothing of a text gets lost."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.errors import ParseError
from mckp.jsontext import MAX_DEPTH
from mckp.parsers.joints import is_unterminated, item_number, would_merge
from mckp.parsers.markdown import looks_like_markdown, parse_markdown
from mckp.parsers.text import normalise, parse_text
from mckp.tree import Kind, Span, TreeNode
from tests.beside import records_beside
from tests.cases import cases

from .strategies import documents, noise

texts = documents | noise


# ---------------------------------------------------------------- reading trees


def span_of(node: TreeNode) -> Span:
    assert node.span is not None
    return node.span


def shapes(tree: TreeNode) -> list[tuple[str, object]]:
    return [(node.kind.value, node.value) for node in tree.walk() if node.path]


def placed(tree: TreeNode) -> list[tuple[object, ...]]:
    return [
        (n.kind, n.value, dict(n.attrs), n.path, span_of(n).start, span_of(n).end)
        for n in tree.walk()
    ]


# ---------------------------------------------------------------- nothing vanishes

_MARKERS = re.compile(r"(?:[\s>]|[-+*](?=\s|$)|[0-9]{1,9}[.)](?=\s|$)|\[[ xX]\](?=\s))*")
_DECORATION = {
    Kind.PARAGRAPH: re.compile(""),
    Kind.SECTION: re.compile(r"[=-]+\s*|#{0,6}\s*#*\s*"),
    Kind.DEFINITION: re.compile(""),
    Kind.HTML: re.compile(r"\s*"),
}


def leftovers(line: str, node: TreeNode, value: str) -> str:
    """Return what of a source line neither the value nor the block's markup accounts for."""
    text = value.strip(" \t")
    at = line.rfind(text) if text else len(line.rstrip())
    assert at >= 0, f"{text!r} is not in {line!r}"
    around = line[:at] + " " + line[at + len(text) :]
    rest = around[_MARKERS.match(around).end() :]  # type: ignore[union-attr]
    decoration = _DECORATION[node.kind].match(rest)
    assert decoration is not None
    return rest[decoration.end() :].strip()


def check_leaf(node: TreeNode, lines: list[str]) -> None:
    """Check that a text block's lines hold its value and markup, and nothing else."""
    mine = lines[span_of(node).start : span_of(node).end]
    values = node.value.split("\n")
    while values[0].strip() not in mine[0] and _MARKERS.fullmatch(mine[0]):
        del mine[0]  # Unicode blanks, which are trimmed like spaces
    values += [""] * (len(mine) - len(values))
    for line, value in zip(mine, values, strict=True):
        assert not leftovers(line, node, value), (line, value)


def covered(tree: TreeNode) -> Iterator[int]:
    """Yield the lines that some block accounts for: leaves, headings, heads of tables."""
    for node in tree.walk():
        span = span_of(node)
        if node.kind is Kind.TABLE:
            yield from (span.start, span.start + 1)
        elif node.kind is Kind.SECTION:
            below = [span_of(child).start for child in node.children]
            yield from range(span.start, min(below, default=span.end))
        elif not node.children and node.kind not in (Kind.DOCUMENT, Kind.TEXT):
            yield from range(span.start, span.end)


def check_nothing_vanishes(text: str) -> None:
    """Check that each filled line is accounted for, and each text block holds its lines."""
    tree, lines = parse_markdown(text), normalise(text).split("\n")
    open_lines = set(range(len(lines))) - set(covered(tree))
    assert not [lines[i] for i in open_lines if not _MARKERS.fullmatch(lines[i])]
    for node in tree.walk():
        if node.kind in _DECORATION and not (node.kind is Kind.SECTION and node.children):
            check_leaf(node, lines)


@given(texts)
def test_nothing_vanishes(text: str) -> None:
    """Every filled line belongs to a block, and text blocks hold their lines' text."""
    check_nothing_vanishes(text)


@given(texts)
def test_spans_nest_in_order(text: str) -> None:
    """Children are inside their parent, one after the other, and paths are indices."""
    for node in parse_markdown(text).walk():
        edge = span_of(node).start
        for index, child in enumerate(node.children):
            assert child.path == (*node.path, index)
            assert edge <= span_of(child).start < span_of(child).end <= span_of(node).end
            edge = span_of(child).end


@given(texts)
def test_blocks_begin_and_end_on_filled_lines(text: str) -> None:
    """The first and last lines of each block are not blank."""
    lines = normalise(text).split("\n")
    for node in parse_markdown(text).walk():
        if node.path:
            assert lines[span_of(node).start].strip(" \t")
            assert lines[span_of(node).end - 1].strip(" \t")


@given(texts)
def test_line_ends_do_not_matter(text: str) -> None:
    """Line feeds and CRLF have the same tree."""
    plain = normalise(text)
    assert placed(parse_markdown(plain)) == placed(parse_markdown(plain.replace("\n", "\r\n")))


@given(texts)
def test_the_last_line_end_does_not_matter(text: str) -> None:
    """A tree does not depend on whether the text ends with a line end, or with blank lines."""
    bare = normalise(text).rstrip("\n")
    assert parse_markdown(bare) == parse_markdown(bare + "\n") == parse_markdown(bare + "\n\n")


# ---------------------------------------------------------------- cutting


_INDENTED = re.compile(r" {4}| {0,3}\t")


def merges(before: TreeNode, after: TreeNode, lines: list[str]) -> bool:
    """Tell whether a blank line is not enough to keep two blocks of the top level apart.

    So it is with two lists of one kind and marker, a list and a block that begins with
    white space (which becomes part of the last item), and two indented code blocks.
    """
    first, start = (lines[span_of(block).start] for block in (before, after))
    if before.kind is Kind.LIST:
        return start[:1] in (" ", "\t") or would_merge(before, after)
    codes = before.kind is after.kind is Kind.CODE
    return codes and bool(_INDENTED.match(start) and _INDENTED.match(first))


def blocks_in_order(tree: TreeNode) -> Iterator[TreeNode]:
    for child in tree.children:
        yield child
        if child.kind is Kind.SECTION:
            yield from blocks_in_order(child)


def own_lines(node: TreeNode, lines: list[str]) -> list[str]:
    """Return the lines of a block; of a section only the heading's."""
    below = [span_of(child).start for child in node.children]
    is_section = node.kind is Kind.SECTION
    end = min(below, default=span_of(node).end) if is_section else span_of(node).end
    return [
        line for line in lines[span_of(node).start : end] if line.strip(" \t") or not is_section
    ]


def restricted(node: TreeNode, kept: set[tuple[str | int, ...]]) -> TreeNode:
    if node.kind not in (Kind.DOCUMENT, Kind.SECTION):
        return node
    children = [restricted(child, kept) for child in node.children if child.path in kept]
    return TreeNode(node.kind, node.value, attrs=node.attrs, children=tuple(children))


@given(documents, st.randoms(use_true_random=False))
def test_cut_documents_are_read_as_the_cut_tree(text: str, chance: object) -> None:
    """Slices of kept blocks, a blank line between, are read as the tree of those blocks."""
    tree, lines = parse_markdown(text), normalise(text).split("\n")
    kept: list[TreeNode] = []
    for block in blocks_in_order(tree):
        wanted = block.kind is Kind.SECTION or chance.random() < 0.6  # type: ignore[attr-defined]
        if wanted and kept and merges(kept[-1], block, lines):
            wanted = False
            if block.kind is Kind.SECTION:
                return
        if wanted:
            kept.append(block)
    written = "\n\n".join("\n".join(own_lines(block, lines)) for block in kept)
    assert parse_markdown(written) == restricted(tree, {block.path for block in kept})


@given(documents)
def test_rows_of_a_table_do_not_depend_on_each_other(text: str) -> None:
    """A top-level table's lines without some rows are read as the table without them."""
    tree, lines = parse_markdown(text), normalise(text).split("\n")
    for table in (block for block in blocks_in_order(tree) if block.kind is Kind.TABLE):
        head, rows = span_of(table).start, table.children[::2]
        spans = [Span(head, head + 2), *map(span_of, rows)]
        written = "\n".join(line for span in spans for line in lines[span.start : span.end])
        [again] = parse_markdown(written).children
        assert again == TreeNode(Kind.TABLE, attrs=table.attrs, children=rows)


@pytest.mark.parametrize(
    ("text", "expected"),
    cases(__file__, "test_merges_is_exact"),
)
def test_merges_is_exact(text: str, expected: bool) -> None:
    """Cutting the block in the middle changes the others exactly where `merges` says so."""
    first, _, last = parse_markdown(text).children
    lines = text.split("\n")
    without = "\n".join([*lines[: span_of(first).end], "", *lines[span_of(last).start :]])
    assert merges(first, last, lines) is expected
    assert (parse_markdown(without).children != (first, last)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\na", True),
        ("```\na\n```", False),
        ("<!-- a", True),
        ("<!-- a -->", False),
        ("a", False),
    ],
)
def test_swallows_finds_blocks_without_an_end(text: str, expected: bool) -> None:
    """A fence or comment that is never closed would take what is written below."""
    assert is_unterminated(parse_markdown(text).at(0), text.split("\n")) is expected


# ---------------------------------------------------------------- single blocks


@pytest.mark.parametrize("text", ["", "\n", " \t\n\n ", "\ufeff", "\r\n\r\n"])
def test_blank_text_is_an_empty_document(text: str) -> None:
    """A blank text is a document without blocks that keeps its source."""
    tree = parse_markdown(text)
    assert (tree.kind, tree.children, tree.source) == (Kind.DOCUMENT, (), text)


@pytest.mark.parametrize(
    ("text", "expected"),
    cases(__file__, "test_blocks"),
)
def test_blocks(text: str, expected: list[list[object]]) -> None:
    """Markdown is parsed into these blocks."""
    assert [list(shape) for shape in shapes(parse_markdown(text))] == expected


def test_dashes_in_a_first_item_are_not_front_matter() -> None:
    """Only the document's own first line opens front matter."""
    tree = parse_markdown("- # a\n  ---\n  b\n  ---\n")
    assert Kind.FRONT_MATTER not in {node.kind for node in tree.walk()}
    assert parse_markdown("--- a\nb\n---\n").at(0).kind is Kind.SECTION


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        *cases(__file__, "test_cells_are_typed_and_none_is_dropped"),
        (f"| {'9' * 5000} | -1.5 |", ["9" * 5000, -1.5]),
    ],
)
def test_cells_are_typed_and_none_is_dropped(row: str, cells: list[object]) -> None:
    """Canonical scalars become values, short rows are filled, cells in excess are kept."""
    [table] = parse_markdown(f"|a|b|\n|:-:|-|\n{row}").children
    assert table.attrs == {"align": ["center", None], "header": ["a", "b"]}
    values = table.at(0).value
    assert [(type(x), x) for x in values] == [(type(x), x) for x in cells]


def test_lists_split_where_the_marker_changes() -> None:
    """Each kind of marker has its own list; loose and tight ones are equal."""
    lists = parse_markdown("- a\n- b\n* c\n1. d\n2) e").children
    assert [node.attrs["marker"] for node in lists] == ["-", "*", ".", ")"]
    assert [node.attrs["start"] for node in lists] == [None, None, 1, 2]
    assert parse_markdown("- a\n\n- b").at(0) == lists[0]


def test_item_numbers_are_known_but_do_not_count() -> None:
    """Numbers of items are read, and do not make trees unequal."""
    tree = parse_markdown("> 07. 3. a\n> 7. b\n\n- c")
    items = [node for node in tree.walk() if node.kind is Kind.ITEM]
    assert [item_number(item) for item in items] == [7, 3, 7, None]
    assert parse_markdown("1. a\n2. b") == parse_markdown("1. a\n1. b")


def test_task_boxes_leave_the_text() -> None:
    """A box at an item's start is an attribute; anywhere else it is text."""
    items = parse_markdown("- [ ] a\n- [X] b\n- c [x]\n- [ ]\n-\n- [x](y)").at(0).children
    assert [item.attrs["task"] for item in items] == [False, True, None, None, None, None]
    texts = [[child.value for child in item.children] for item in items]
    assert texts == [["a"], ["b"], ["c [x]"], ["[ ]"], [], ["[x](y)"]]


# ---------------------------------------------------------------- hostile texts


@pytest.mark.parametrize("marker", ["> ", ">", "+ ", "1. ", "> - ", "2) > "])
def test_too_deep_nesting_is_refused(marker: str) -> None:
    """Markdown nested 100,000 deep is an error with its line, and is no Markdown for detection."""
    text = "a\n\n" + marker * 100_000
    with pytest.raises(ParseError, match="nested deeper") as caught:
        parse_markdown(text)
    assert caught.value.line == 3
    assert not looks_like_markdown(text)
    assert not looks_like_markdown("# a\n\n" + text)
    assert parse_text(text).children


@pytest.mark.parametrize("marker", ["> ", "+ ", "1. "])
def test_nesting_within_the_limit_is_kept_whole(marker: str) -> None:
    """The deepest nesting that is allowed is read to its last word."""
    levels = 191 if marker == "> " else 95
    tree = parse_markdown("# a\n\n" + marker * levels + "word")
    nodes = list(tree.walk())
    assert nodes[-1].value == "word"
    assert max(len(node.path) for node in nodes) <= MAX_DEPTH
    assert tree == parse_markdown("# a\n\n" + marker * levels + "word\n")


@pytest.mark.parametrize("line", ["x", "[", "|", "<", "#", "`", "*", "- ", "\t", "![", "a|", "&"])
def test_a_megabyte_of_one_line_is_read(line: str) -> None:
    """A line of a million equal signs is read."""
    text = line * (1_000_000 // len(line))
    tree = parse_markdown(text)
    assert tree.source == text
    assert bool(tree.children) is bool(text.strip())


def test_lone_surrogate_is_refused() -> None:
    """A lone surrogate is an error, and no Markdown for detection."""
    with pytest.raises(ParseError, match="surrogate"):
        parse_markdown("# \udfff")
    assert not looks_like_markdown("# \udfff")


# ---------------------------------------------------------------- Markdown or text


@given(texts)
def test_markdown_is_what_has_other_blocks_than_paragraphs(text: str) -> None:
    """A text is detected as Markdown if it has a block other than paragraphs and indented code."""
    has_blocks = False
    for node in parse_markdown(text).walk():
        indented = node.kind is Kind.CODE and not re.search(r"```|~~~", text)
        has_blocks |= bool(node.path) and node.kind is not Kind.PARAGRAPH and not indented
    if re.search(r"```|~~~", text) and re.search(r"^( {4}|.*\t)", text, re.MULTILINE):
        return  # the tree does not tell fenced from indented code
    assert looks_like_markdown(text) is has_blocks


@pytest.mark.parametrize(
    ("text", "expected"),
    cases(__file__, "test_looks_like_markdown"),
)
def test_looks_like_markdown(text: str, expected: bool) -> None:
    """Blocks make Markdown; inline markup and indentation do not."""
    assert looks_like_markdown(text) is expected


# ---------------------------------------------------------------- real documents


@pytest.mark.slow
def test_nothing_vanishes_from_real_documents() -> None:
    """The blocks of real documents hold all their words."""
    records = records_beside("corpus/responses.jsonl")
    documents = [record["payload"] for record in records if record["kind"] == "markdown"]
    assert len(documents) > 20
    for text in documents:
        check_nothing_vanishes(text)

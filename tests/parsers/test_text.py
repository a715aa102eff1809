"""Plain text: what its tree keeps, and the line form spans count."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mckp.errors import ParseError
from mckp.parsers.text import normalise, normalise_plain_text, parse_text
from mckp.tree import Kind

texts = st.text(alphabet="\n\n\r \tab\f\u2028\u3000\0\ufeff", max_size=60)


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n", "\ufeff"])
def test_blank_text_has_no_paragraphs(text: str) -> None:
    """A blank text has no paragraphs."""
    tree = parse_text(text)
    assert (tree.kind, tree.value, tree.children) == (Kind.TEXT, None, ())


@given(texts)
def test_paragraphs_are_slices_of_the_lines(text: str) -> None:
    """The value of a paragraph is the slice of lines that its span names."""
    lines = normalise_plain_text(text).split("\n")
    for node in parse_text(text).children:
        assert node.span is not None
        assert node.value == "\n".join(lines[node.span.start : node.span.end])


@given(texts)
def test_every_filled_line_is_in_one_paragraph(text: str) -> None:
    """Each line that is not blank is in exactly one paragraph, in order."""
    filled = [line for line in normalise_plain_text(text).split("\n") if line.strip()]
    assert [x for node in parse_text(text).children for x in node.value.split("\n")] == filled


@example("a\r\r\na", "")
@given(texts, texts)
def test_trees_are_equal_when_texts_differ_in_blank_lines_only(left: str, right: str) -> None:
    """Joining the paragraphs with one blank line is the text's normal form."""
    forms = ["\n\n".join(node.value for node in parse_text(x).children) for x in (left, right)]
    assert (forms[0] == forms[1]) is (parse_text(left) == parse_text(right))
    assert parse_text(forms[0]) == parse_text(left)


@given(texts)
def test_normalising_twice_changes_nothing(text: str) -> None:
    """Normalising a normalised text changes nothing."""
    assert normalise(normalise(text)) == normalise(text)


@given(texts)
def test_line_ends_do_not_matter(text: str) -> None:
    """Line feeds and CRLF have the same tree."""
    plain = normalise(text)
    trees = [parse_text(spelled) for spelled in (plain, plain.replace("\n", "\r\n"))]
    first, second = (
        [(node.value, node.span and (node.span.start, node.span.end)) for node in tree.walk()]
        for tree in trees
    )
    assert first == second


def test_lone_surrogate_is_refused_with_its_place() -> None:
    """A lone surrogate is an error with its line and column."""
    with pytest.raises(ParseError, match="surrogate") as caught:
        parse_text("ab\r\nc\ud800")
    assert (caught.value.line, caught.value.column) == (2, 2)


def test_the_source_is_kept_as_given() -> None:
    """The source keeps its line ends."""
    assert parse_text("a\r\nb").source == "a\r\nb"

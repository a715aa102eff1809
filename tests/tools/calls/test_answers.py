"""What tools answer as text; marks in texts stay text."""

from hypothesis import example, given
from hypothesis import strategies as st

from mckp.tools.calls import (
    Text,
    error_text,
    escaped,
    read_calls,
    result_text,
)
from tests.strategies import TEXTS, examples
from tests.tools.calls.reading import ToolAnswer, read_results, unescaped_text
from tests.tools.calls.test_stream import SOUP

_RESULTS = st.sampled_from(
    [
        '<tool-result name="f">',
        "</tool-result>",
        "<tool-error",
        "<\\tool-result",
        "<\\call>",
    ]
)
WORDS = (
    st.lists(SOUP | TEXTS | _RESULTS, max_size=4)
    .map("".join)
    .filter(lambda text: not any("\ud800" <= char <= "\udfff" for char in text))
)
_SAID = WORDS.filter(bool)


@examples(300)
@given(text=WORDS)
@example(text="```\n<call>f</call>")
@example(text="\\```\n```")
def test_escapes(text: str) -> None:
    """An escaped text reads back and never holds a call or a result."""
    shown = escaped(text)
    assert unescaped_text(shown) == text
    assert read_calls(shown) == ([Text(shown)] if shown else [])
    assert all(isinstance(piece, str) for piece in read_results(shown))
    assert len(read_calls(f"{shown}\n<call>f</call>")) == 3


@examples(200)
@given(name=_SAID, text=WORDS)
def test_answers(name: str, text: str) -> None:
    """A written result or error reads back with its name and text."""
    assert read_results(result_text(name, text)) == [ToolAnswer(name, text)]
    assert read_results(error_text(name, text)) == [ToolAnswer(name, text, error=True)]


def test_answers_that_are_no_text() -> None:
    """Results and errors that are no text are written as JSON or lines."""
    assert result_text("f", [1, None]) == '<tool-result name="f">[1,null]</tool-result>'
    assert error_text(None, "a", 1) == '<tool-error name="">a\n1</tool-error>'

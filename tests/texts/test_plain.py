"""What only terminals need is removed, and counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.texts import plain
from tests.strategies import examples

_CONTROLS = st.sampled_from(
    [
        "\x1b[31m",
        "\x1b[0m",
        "\x1b[2K",
        "\x1b[1A",
        "\x1b]0;t\x07",
        "\x1b(B",
        "\b",
        "\r",
        "\x1b",
        "\x07",
    ]
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[1;31merror\x1b[0m: no\n", "error: no\n"),
        ("\x1b[38:2:1:2:3mred\x1b[m\n", "red\n"),
        (" 10%\r 50%\r100%\ndone\n", "100%\ndone\n"),
        ("working\r\n", "working\r\n"),
        ("a\r\nb\r\n", "a\r\nb\r\n"),
        ("cc\b\bdd\n", "dd\n"),
        ("one\ntwo\n\x1b[1A\x1b[2Kthree\n", "one\n\nthree\n"),
        ("\x1b]8;;http://a\x07link\x1b]8;;\x07\n", "link\n"),
        ("\x1b]0;title\x07x\n", "x\n"),
        ("tab\tand é 日本 stay\n", "tab\tand é 日本 stay\n"),
    ],
)
def test_a_terminal_would_show_it_so(text: str, shown: str) -> None:
    """Colours, cursor moves and redrawn lines are reduced to what a terminal shows."""
    assert plain(text).text == shown


@given(st.lists(_CONTROLS | st.text(max_size=6), max_size=20).map("".join))
@examples(300)
def test_nothing_is_left_open_and_lines_keep_their_numbers(text: str) -> None:
    """A plain text has no control signs and as many lines as its source."""
    made = plain(text)
    assert "\x1b" not in made.text
    assert "\b" not in made.text
    assert made.text.count("\n") == text.count("\n") + made.parted
    assert plain(made.text).is_source
    assert made.is_source == (made.text == text)


def test_what_was_removed_is_counted() -> None:
    """Removed colours, moves and redrawn lines are counted."""
    made = plain("\x1b[31mred\x1b[0m\x1b[K\n1\r2\r3\n")
    assert (made.colours, made.moves, made.redrawn) == (2, 1, 2)

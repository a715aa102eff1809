"""Shorter forms of plain texts: they read back to the byte, and say where lines belong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import decode, encode, tokenizers
from mckp.agents.session import Session
from mckp.encoders import once
from mckp.tree import TreeNode
from tests.strategies import examples


def numbered(first: int, lines: list[str], style: str = "{:>6}\t{}") -> str:
    return "".join(f"{style.format(n, line)}\n" for n, line in enumerate(lines, first))


CODE = ["def sail(ship):", "    ship.cast_off()", "", "    return ship", "", ""] * 9
READS = {
    "cat -n": numbered(8, CODE),
    "arrow": numbered(97, CODE, "{}→{}"),
    "colon": numbered(1, CODE, "{}:{}"),
    "jump": numbered(8, CODE) + numbered(99, CODE),
    "trailer": "[File: a.py]\n" + numbered(8, CODE) + "\n(12 more lines)\n",
    "backslash": numbered(8, ["\\begin{ferry}", "\\", "12:x", "12: y", " 3\tz", "\t", *CODE]),
    "open end": numbered(8, CODE).removesuffix("\n"),
    "ends at a number": numbered(8, CODE) + "    62\t",
    "ours": numbered(8, ["…12-40", "> [+3 rows]", once.NUMBERS, *CODE]),
}
SEARCH = "".join(f"src/ferry.py:{n}:ship.moor({n})\n" for n in range(3, 60, 7))
LISTS = {
    "search": SEARCH,
    "two files": SEARCH + SEARCH.replace("ferry", "pier"),
    "between": f"{SEARCH}--\n{SEARCH}12 matches\n three words\n\\ end\n{SEARCH}",
    "context": SEARCH.replace(":3:", "-3-") + SEARCH.replace(":", "-"),
    "text": "".join(f"src/ferry.py: ship.moor({n})\n" for n in range(9)),
    "paths": "".join(f"src/fleet/ferry_{n}.py\n" for n in range(30)) + "12.txt\nsrc/pier.py\n",
    "counts": "".join(f"/srv/app/fleet/f{n}.py ({n} matches)\n" for n in range(9)),
}


def source_of(text: str) -> str:
    tree = decode(text)
    assert isinstance(tree, TreeNode)
    return tree.source or ""


@pytest.mark.parametrize("text", [*READS.values(), *LISTS.values()], ids=[*READS, *LISTS])
def test_a_shorter_form_reads_back_to_the_byte(text: str) -> None:
    """A text in a shorter form has a note and fewer tokens, and reads back to the byte."""
    assert once.forms(text)
    made = encode(text, kind="text")
    assert made.text.startswith(once.NOTES)
    assert made.tokens < tokenizers.get("o200k").count(text)
    assert source_of(made.text) == text
    assert made.elided == ()


_PIECES = st.sampled_from(
    [
        *("a/b.py:3:x", "a/b.py-4-y", "a/b.py: t", "a/b", "a/", "a/b/c d", "--", "", " x", "7:y"),
        *("\\", "  9\tx", " 10\ty", "11→", "12: z", "> [+3 rows]", "…"),
        *once.NOTES,
    ]
)
_TEXTS = st.lists(_PIECES | st.text(max_size=9), max_size=24).map("\n".join)


@given(_TEXTS)
@examples(150)
def test_any_text_reads_back(text: str) -> None:
    """Any text reads back after numbers or shared beginnings of its lines were taken out."""
    for note, lines in (
        (once.NUMBERS, once.without_numbers(text.split("\n"))),
        *((once.BEGINNINGS, once.group_lines(text.split("\n"), key)) for key in once.KEYS),
    ):
        assert once.read(note, lines) == text


def test_a_number_is_shown_where_it_begins_or_jumps_and_for_each_tenth_line() -> None:
    """Line numbers stay at the start, after a jump, and on each tenth line."""
    text = numbered(8, CODE[:4]) + numbered(40, CODE[:2])
    assert once.without_numbers(text.split("\n")).split("\n") == [
        "     8\tdef sail(ship):",
        "    ship.cast_off()",
        "    10\t",
        "    return ship",
        "    40\tdef sail(ship):",
        "    ship.cast_off()",
        "",
    ]


def test_tests_that_ran_are_no_paths() -> None:
    """Lines of test results keep their paths."""
    ran = "".join(f"tests/test_fares.py::test_{n} PASSED\n" for n in range(20))
    assert encode(ran, kind="text").text == ran


def test_a_session_says_paths_once_and_leaves_files_that_are_read_as_they_are() -> None:
    """A session groups search results by path, and changes no file that was read."""
    session = Session()
    output = session.add(text=SEARCH * 2, tool="grep", args={"pattern": "moor"}).text
    assert once.BEGINNINGS in output
    assert output.count("src/ferry.py") == 1
    read = numbered(8, CODE)
    assert read in session.add(text=read, tool="read", args={"path": "a.py"}).text

"""Lines of a text in groups: the contract that the engine of cuts builds on."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp import tokenizers
from mckp.texts import outline
from tests.strategies import examples

_LINES = st.sampled_from(
    [
        "",
        "  ",
        "def total(rows):",
        "    return sum(rows)",
        "\tif rows:",
        "- item one",
        "  - item two",
        "# Title",
        "   12\tx = 1",
        "13: y",
        "14→z",
        "E  ValueError: no rows",
        "\x1b[31mred\x1b[0m",
        "a\rb",
        "日本語 の 行",
        "@@ -1,2 +1,2 @@",
    ]
)
_TEXTS = st.text(max_size=60) | st.lists(_LINES | st.text(max_size=8), max_size=20).map("\n".join)


@given(_TEXTS, st.none() | st.text(max_size=20))
@examples(400)
def test_lines_are_the_text_and_heads_a_forest_in_its_order(text: str, request: str | None) -> None:
    """The lines of an outline join to the text, and heads are a forest of earlier lines."""
    made = outline(text, request=request)
    starts = made.starts.tolist()
    lines = [text[a:b] for a, b in pairwise(starts)]
    assert "".join(lines) == text
    assert all(line.endswith("\n") for line in lines[:-1])
    assert all(line and "\n" not in line[:-1] for line in lines)
    size = len(lines)
    assert made.heads.shape == made.worths.shape == (size,)
    assert {made.starts.dtype, made.heads.dtype, made.worths.dtype} == {np.dtype(np.int64)}
    assert (made.worths >= 0).all()
    heads = made.heads.tolist()
    for line, head in enumerate(heads):
        assert -1 <= head < line
        for between in range(head + 1, line):
            above = between
            while above > head:
                above = heads[above]
            assert head == -1 or above == head


@pytest.mark.parametrize(
    ("text", "numbered"),
    [
        ("  7→def f():\n  8→    return 1\n  9→\n 10→x = f()\n", True),
        ("7\tone\n8\ttwo\n9\tthree\n", True),
        ("12: one\n13: two\n14: three\n", True),
        ("12 apples\n13 pears\n40 plums\n", False),
        ("3: one\n3: two\n1: three\n", False),
        ("def f():\n    return 1\n", False),
        ("1998: fire\n1999: a boat\n2001: a strike\n2002: none\n", False),
        ("1998→fire\n1999→a boat\n2001→a strike\n2002→none\n", True),
        ("1998: fire\n1999: a boat\n2000: a strike\n2001: none\n", True),
    ],
)
def test_a_text_that_shows_numbers_of_lines_is_numbered(text: str, numbered: bool) -> None:
    """A text is numbered if each line begins with the next number, not with some year."""
    assert outline(text).numbered is numbered


def test_lines_of_a_numbered_program_are_below_their_function() -> None:
    """In a numbered program, lines have their function as head."""
    text = "  7→def f(x):\n  8→    y = x\n  9→    return y\n 10→z = f(1)\n"
    assert outline(text).heads.tolist() == [-1, 0, 0, -1]


def test_a_request_raises_the_lines_that_have_its_rare_words() -> None:
    """A request raises the worth of lines with its rare words, and of no other line."""
    text = "".join(f"berth {i} is free\n" for i in range(30)) + "the fee for a yacht is 38 euro\n"
    asked = outline(text, request="what does a yacht pay?").worths
    plain = outline(text).worths
    assert asked[-1] > plain[-1]
    assert (asked[:-4] == plain[:-4]).all()


_DIFF = """\
diff --git a/one.py b/one.py
index 1111111..2222222 100644
--- a/one.py
+++ b/one.py
@@ -1,3 +1,3 @@ def total():
 a = 1
-b = 2
+b = 3
@@ -40,2 +40,2 @@
---- not a file
+--- not a file either
diff --git a/two.py b/two.py
--- a/two.py
+++ b/two.py
@@ -7 +7 @@
-x
+y
"""
_BARE = "--- a.txt\n+++ b.txt\n@@ -1 +1 @@\n-x\n+y\n--- c.txt\n+++ d.txt\n@@ -2 +2 @@\n-x\n+z\n"
_FOUND = "src/app.py\n12:import os\n40:    os.remove(path)\n\ntests/test_app.py\n1:import os\n5:x\n"
_TABLE = (
    "NAME   READY   STATUS\nweb-1  1/1     Running\nweb-2  1/1     Running\ndb-0   0/1  Failed\n"
)
_TREE = "src\n├── app\n│   ├── main.py\n│   └── two.py\n└── tests\n    └── a.py\n"
_FOLDERS = (
    "src:\n-rw-r--r-- 1 a a 10 Jan 1 10:00 a.py\n\nlib:\n-rw-r--r-- 1 a a 9 Jan 1 10:00 b.py\n"
)
_TWO = "$ ls src\na.py\nb.py\nc.py\n$ git diff --stat\n a.py | 2 +-\n"
_PAGE = "# A page of text\n\nSome words.\n\n## One\n\n- an item\n\n## Two\n\n- an item\n"


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        (_DIFF, [-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 11, 11, 11, 11, 11]),
        (_BARE, [-1, 0, 0, 0, 0, -1, 5, 5, 5, 5]),
        (_FOUND, [-1, 0, 0, 0, -1, 4, 4]),
        (_TABLE, [-1, 0, 0, 0]),
        (_TREE, [-1, 0, 1, 1, 0, 4]),
        (_FOLDERS, [-1, 0, 0, -1, 3]),
        (_TWO, [-1, 0, 0, 0, -1, 4]),
        (_PAGE, [-1, 0, 0, 2, 0, 4, 4, 6, 0, 8, 8]),
    ],
    ids=["diff", "bare diff", "search", "table", "tree", "folders", "commands", "page"],
)
def test_a_line_is_below_what_says_what_it_belongs_to(text: str, heads: list[int]) -> None:
    """The head of a line is the file, heading, command or column names that it belongs to."""
    assert outline(text).heads.tolist() == heads


def test_a_caret_is_below_the_line_that_it_points_into() -> None:
    """The head of a caret is the line that it points into."""
    text = '  File "a.py", line 3\n    print(a b)\n          ^^^\nSyntaxError: invalid syntax\n'
    assert outline(text).heads.tolist() == [-1, 0, 1, -1]


def test_a_read_of_a_file_says_where_it_ends() -> None:
    """The last line of a numbered read is kept at each budget."""
    lines = [f"    call_{n}(first, second, third)  # step {n} of the work" for n in range(150)]
    text = "".join(f"{n:>6}→{line}\n" for n, line in enumerate([*lines, "        done"], 40))
    for share in (50, 20, 10):
        kept = mckp.encode(text, budget=f"{share}%").text.rstrip("\n").split("\n")
        assert kept[-1] == "   190→        done"


FENCED = "Run this:\n\n```sh\nmake\nmake install\n```\n\nThen wait.\n"


def test_a_block_of_code_belongs_to_its_opening_fence() -> None:
    """The head of fenced code is the opening fence."""
    assert outline(FENCED).heads.tolist()[2:6] == [-1, 2, 2, 2]


def test_what_ends_a_block_never_stays_without_its_beginning() -> None:
    """A closing fence is kept only with its opening one."""
    text = f"# Setup\n\n{FENCED}\n## Later\n\n{FENCED.replace('make', 'cargo')}" * 4
    whole = tokenizers.get("o200k").count(text)
    for share in range(2, 10):
        is_open = False
        for row in mckp.encode(text, budget=whole * share // 10).text.split("\n"):
            assert row != "```" or is_open
            is_open = row == "```sh" or (is_open and row != "```")


def test_a_sentence_stays_with_its_beginning() -> None:
    """The head of a wrapped line is the line before it."""
    text = (
        "The ferry to the northern islands leaves at nine in the morning and\n"
        "comes back at four, unless the wind is too strong for the small\n"
        "harbour. Tickets are sold on board.\n"
    )
    assert outline(text).heads.tolist() == [-1, 0, 1]


def test_a_border_is_no_head_of_what_is_indented_below_it() -> None:
    """The lower border of a box is no head of the next line."""
    text = "╔════════╗\n║ update ║\n╚════════╝\n    at main (/app/pw.js:2:123)\n"
    assert outline(text).heads.tolist()[-1] != 2


def test_the_joint_of_two_tracebacks_belongs_to_the_message_above_it() -> None:
    """The head of the line between two tracebacks is the message of the first."""
    joint = "During handling of the above exception, another exception occurred:"
    trace = 'Traceback (most recent call last):\n  File "a.py", line 3, in a\n    b()\n'
    text = f"{trace}KeyError: 1\n\n{joint}\n\n{trace}ValueError: 2\n"
    assert outline(text).heads.tolist()[5] == 3


@pytest.mark.parametrize(
    ("code", "head", "below"),
    [
        (
            "import os\n\n\ndef f(x):\n    y = 1\n    if x:\n        run()\n    return y\n",
            5,
            6,
        ),
        ("package m\n\nfunc f() {\n\ty := 1\n\tif y == x {\n\t\trun()\n\t}\n\treturn y\n}\n", 4, 5),
    ],
)
def test_the_first_line_below_a_condition_is_not_kept_without_it(
    code: str, head: int, below: int
) -> None:
    """What is done on a condition says something else without it."""
    heads = outline(code * 3).heads
    assert heads[below] == head
    assert heads[head] not in (-1, head)

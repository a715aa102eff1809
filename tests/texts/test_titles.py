"""Titles that announce the parts of a text."""

import pytest

from mckp import encode
from mckp.texts import outline, pieces_of

_OUTPUT = "".join(f"Copied file {n} to the backup\n" for n in range(9))


@pytest.mark.parametrize(
    "title",
    [
        "=== {} ===",
        "--- {} ---",
        "== {}",
        "## {}",
        "### {}.toml",
        "$ {}",
        "==> {} <==",
        "--- {}.py",
    ],
)
def test_a_kept_line_has_the_title_of_its_part(title: str) -> None:
    """Whatever line of a part is kept, the title of the part is kept too."""
    parts = [f"{title.format(name)}\n{_OUTPUT}" for name in ("fetch", "build", "upload")]
    text = "".join(parts).replace("file 4", "file 4 (error: disk full)", 1)
    heads = outline(text).heads.tolist()
    assert heads[:20] == [-1, *[0] * 9, -1, *[10] * 9]
    kept = encode(text, budget=40).text.split("\n")
    assert title.format("fetch") in kept
    assert any("disk full" in line for line in kept)


def test_commands_that_a_shell_traces_are_titles() -> None:
    """With ``set -x``, a shell writes each command above its output."""
    trace = "+ ls src\na.py\nb.py\n+ git status\nclean\nup to date\n"
    assert outline(trace).heads.tolist() == [-1, 0, 0, -1, 3, 3]


@pytest.mark.parametrize(
    "text",
    [
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-one\n+two\n",
        "-- The compiler is GNU\n-- Looking for x\n-- Looking for y\n-- Found y\n",
        "## one\n## two\n## three\nend\n",
        "+ one\n- two\n+ three\n- four\n",
        "-----BEGIN KEY-----\nabc\n-----END KEY-----\nabc\n",
        "=== only one ===\na\nb\n",
        "### Ran code\nclick()\n\n### Page state\n- main [ref=e1]:\n"
        '  - heading "Ports" [ref=e2]\n  - button "Next" [ref=e3]\n',
    ],
)
def test_what_announces_nothing_is_no_title(text: str) -> None:
    """Lines of tests, diffs, lists and pages, and those that head nothing, are no titles."""
    assert len(pieces_of(text)) == 1


def test_titles_of_another_style_are_below_those_of_the_first() -> None:
    """A line in an inner part needs the titles of both."""
    text = "".join(f"=== {n} ===\n--- a.py\n1\n2\n3\n--- b.py\n4\n5\n6\n" for n in "xy")
    heads = outline(text).heads.tolist()
    assert heads[:9] == [-1, 0, 1, 1, 1, 0, 5, 5, 5]


def test_a_tally_within_a_text_stays() -> None:
    """The last line of a test run says how it ended, even if other parts follow."""
    lint = "".join(f"src/a.py:{n}:1: E501 line too long\n" for n in range(1, 60))
    text = f"=== tests ===\n......\n6 passed in 0.31s\n=== lint ===\n{lint}"
    assert "6 passed in 0.31s" in encode(text, budget=80).text.split("\n")

"""What kind of text a tool returned."""

import pytest

from mckp import decode, encode
from mckp.texts import outline
from mckp.texts.kinds import TextKind, kind_of, pieces_of

_KINDS = {
    TextKind.PROGRAM: "import sys\n\n\ndef total(rows):\n"
    "    return sum(rows)\n\n\nx = total([1])\n",
    TextKind.LOG: "2026-03-01 10:00:00 INFO up\n2026-03-01 10:00:01 ERROR disk full\n",
    TextKind.TESTS: "tests/test_a.py::test_x PASSED [ 50%]\n"
    "tests/test_a.py::test_y FAILED [100%]\n",
    TextKind.FINDINGS: "a.c:3:5: error: expected ';'\na.c:9:1: warning: unused variable 'x'\n",
    TextKind.BUILD: "[1/3] Building a.o\n[2/3] Building b.o\n[3/3] Linking a\n",
    TextKind.TRACEBACK: 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n'
    "    g()\nKeyError: 1\n",
    TextKind.PLAN: "Terraform will perform the following actions:\n\n"
    '  # aws_s3_bucket.b will be destroyed\n  - resource "aws_s3_bucket" "b" {\n    }\n',
    TextKind.SEARCH: "src/a.py:3:x = 1\nsrc/a.py:9:x += 1\nsrc/b.py:1:import x\n",
    TextKind.PATHS: "./src/a.py\n./src/b.py\n./docs/index.md\n",
    TextKind.LISTING: "total 8\n"
    "-rw-r--r-- 1 a a 10 Mar  1 10:00 a.py\ndrwxr-xr-x 2 a a 10 Mar  1 10:00 b\n",
    TextKind.TABLE: "NAME   READY   STATUS\napi-1  1/1     Running\napi-2  0/1     Pending\n",
    TextKind.DIFF: "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n",
    TextKind.HISTORY: "commit 0123456789abcdef\nAuthor: A <a@example.org>\n"
    "Date: today\n\n    Mend it\n",
    TextKind.SNAPSHOT: "- main [ref=e1]:\n"
    '  - heading "Ports" [ref=e2]\n  - button "Next" [ref=e3]\n',
    TextKind.SUBTITLES: "1\n00:00:01,000 --> 00:00:02,000\nHello.\n"
    "\n2\n00:00:03,000 --> 00:00:04,000\nYes.\n",
    TextKind.CALENDAR: "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Go\nEND:VEVENT\nEND:VCALENDAR\n",
    TextKind.CONFIG: "name: ferry\nport: 80\nstages:\n  - build\n  - test\nimage: python\n",
    TextKind.CSV: "id,name,size\n1,a,3\n2,b,4\n3,c,5\n",
    TextKind.MARKDOWN: "# Title\n\nSome words of it.\n\n- one\n- two\n",
    TextKind.HTML: "<!DOCTYPE html>\n<html>\n<body>\n<p>x</p>\n</body>\n</html>\n",
    TextKind.LATEX: "\\documentclass{article}\n\\begin{document}\nWords.\n\\end{document}\n",
    TextKind.PROSE: "The ferry came in late. We had waited for hours, and it rained.\n",
}


@pytest.mark.parametrize(
    ("kind", "text"), _KINDS.items(), ids=lambda text_or_kind: str(text_or_kind)[:12]
)
def test_each_kind_is_recognized_in_a_small_text(kind: TextKind, text: str) -> None:
    """A small text of each kind is recognized."""
    assert kind_of(text) is kind


def test_each_kind_has_a_small_text() -> None:
    """Each kind but the mixed one has a small text in the tests."""
    assert set(TextKind) - set(_KINDS) == {TextKind.MIXED}


@pytest.mark.parametrize("kind", [TextKind.PROGRAM, TextKind.CONFIG, TextKind.MARKDOWN])
@pytest.mark.parametrize("form", ["{:6}\t", "{}→", "{}: "])
def test_the_numbers_of_a_read_do_not_hide_what_is_read(kind: TextKind, form: str) -> None:
    """Line numbers do not change the kind of a text."""
    lines = _KINDS[kind].splitlines()
    text = "\n".join(form.format(number) + line for number, line in enumerate(lines, 1))
    assert kind_of(text) is kind


@pytest.mark.parametrize(
    "text",
    [
        "=========\nReport\n=========\nall is well with us today\n- nothing to say about it\n",
        "Found it.\nDone.\n",
        "",
        "\n\n",
    ],
)
def test_what_is_not_proven_is_prose(text: str) -> None:
    """A text without signs of another kind is prose."""
    assert kind_of(text) is TextKind.PROSE


def test_output_of_several_commands_is_split_where_each_begins() -> None:
    """Output of several commands is split into pieces that cover it, each with its kind."""
    text = "".join(
        f"$ {command}\n{_KINDS[kind]}"
        for command, kind in [("cat a.py", TextKind.PROGRAM), ("ls -l", TextKind.LISTING)] * 2
    )
    pieces = pieces_of(text)
    assert [piece.kind for piece in pieces] == [TextKind.PROGRAM, TextKind.LISTING] * 2
    assert [piece.start for piece in pieces][1:] == [piece.end for piece in pieces][:-1]
    assert (pieces[0].start, pieces[-1].end) == (0, text.count("\n"))


@pytest.mark.parametrize(
    "change",
    [
        "diff -r a/x b/x\n1,2c1\n< one\n< two\n---\n> three\n9a9\n> four\n",
        "diff -ru a/x b/x\n--- a/x\t2026-03-01 10:00:00 +0000\n+++ b/x\t2026-03-02 10:00:00 +0000\n"
        "@@ -1,2 +1 @@\n-one = 1\n-two = 2\n+three = 3\n",
    ],
)
def test_what_diff_prints_is_a_diff_whatever_is_compared(change: str) -> None:
    """Files of which any change is kept are named, with each of the options of ``diff``."""
    text = "".join(change.replace("/x", f"/{name}.py") for name in ("sails", "tides", "winds"))
    assert kind_of(text) is TextKind.DIFF
    files = [line for line, row in enumerate(text.split("\n")) if row.startswith("diff ")]
    heads = outline(text).heads.tolist()
    assert [heads[line] for line in files] == [-1] * 3
    assert {*heads} == {-1, *files}


def test_output_that_must_be_cut_is_no_markdown() -> None:
    """A rule below a title makes it a heading in Markdown, and a dash an item."""
    ok = "".join(f"tests/test_a.py::test_{i} PASSED\n" for i in range(40))
    text = (
        f"Test run\n========\n\n- collected 41 tests\n\n{ok}\n=== FAILURES ===\n___ test_b ___\n\n"
        "E   assert 4 == 3\n\n==== 1 failed, 40 passed in 2.10s ====\n"
    )
    made = encode(text, budget=90)
    assert {"E   assert 4 == 3", "==== 1 failed, 40 passed in 2.10s ===="} <= {
        *made.text.split("\n")
    }
    assert decode(made.text).kind == "text"
    assert encode(text, budget=9_000).text.rstrip("\n") == text.rstrip("\n")


@pytest.mark.parametrize(
    "line",
    [
        "1117838570 2005.06.03 R02-M1-N0 RAS KERNEL INFO cache parity error corrected",
        "03-17 16:13:38.811  1702  2395 D WindowManager: opening app",
        "20171223-22:15:29:606|Step|30002312|onStandStepChanged 3579",
        "nova-api.log.1 2017-05-16 00:00:00.008 25746 INFO nova.wsgi GET /v2/servers",
    ],
)
def test_logs_with_unusual_times_are_logs(line: str) -> None:
    """Lines with unusual times are a log."""
    assert kind_of(f"{line}\n" * 12) is TextKind.LOG


def test_findings_with_much_code_between_them_are_findings() -> None:
    """Two findings with much quoted code are findings."""
    code = "        return found.name\n               ^~~~~~~~~~\n    def total(self):\n"
    findings = "".join(
        f"ferry/weather.py:{n}: error: Incompatible return value type\n{code * 3}" for n in (3, 42)
    )
    assert kind_of(f"{findings}Found 2 errors in 1 file (checked 3 source files)\n") is (
        TextKind.FINDINGS
    )

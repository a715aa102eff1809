"""What a note says of all lines of a cut text."""

import time

import pytest

import mckp
from mckp import tokenizers
from mckp.texts.counts import MOST, counts_of

TRAINS = "".join(
    f"{('IC', 'IR', 'EC')[n % 3]} {300 + 7 * n} dep {6 + n // 4:02}:{n % 4 * 15:02} "
    f"platform {n % 9}, {n % 2} changes, {'cancelled' if n in (7, 30) else 'punctual'}\n"
    for n in range(48)
)
HITS = "".join(
    f"src/{'core' if n % 3 else 'web'}/file{n % 7}.py:{n}:    raise LateError({n})\n"
    for n in range(40)
)
PLAN = "# Plan\n\n" + "".join(
    f"## Unit {n}: some words\n\nIt is about unit {n}.\n\n"
    + "".join(f"- [{'x' if k < n else ' '}] task {n}.{k} of the unit\n" for k in range(4))
    + "\n"
    for n in range(1, 5)
)
LOG = "".join(
    f"2026-04-21T09:{n // 60:02}:{n % 60:02}Z {'ERROR' if n % 20 == 7 else 'INFO'} step {n} "
    f"took {n} ms\n"
    for n in range(100)
)
DIFF = "".join(
    f"diff --git a/src/f{n}.py b/src/f{n}.py\n--- a/src/f{n}.py\n+++ b/src/f{n}.py\n"
    "@@ -1,9 +1,9 @@\n" + "".join(f"-old {n} {k}\n+new {n} {k}\n" for k in range(n + 2))
    for n in range(3)
)
LISTING = "".join(
    f"-rw-r--r-- 1 me me {900 + n} Mar 27 14:{n:02} name{n}.{'go' if n % 5 else 'md'}\n"
    for n in range(30)
)
PACKAGES = "\n".join(
    f"Package: p{n}\nStatus: {'ok' if n % 4 else 'broken'}\nSize: {n * 37}\n" for n in range(12)
)


@pytest.mark.parametrize(
    ("text", "kind", "note"),
    [
        (TRAINS, "csv", "cancelled: 2"),
        (TRAINS, "csv", "IC 16, IR 16, EC 16"),
        (HITS, "search", "14 files; core/ 26, web/ 14"),
        (PLAN, "markdown", "[x] 10, [ ] 6; [x] of all in Unit 1 1/4, Unit 2 2/4, Unit 3 3/4"),
        (LOG, "log", "INFO 95, ERROR 5"),
        (DIFF, "diff", "3 files; f0.py +2 -2, f1.py +3 -3, f2.py +4 -4"),
        (LISTING, "listing", "30 files; .go 24, .md 6"),
        (PACKAGES, "prose", "12 blocks; Status ok 9, broken 3"),
        ("--- PASS: a\n" * 11 + "--- FAIL: b\n", "tests", "PASS 11, FAIL 1"),
    ],
)
def test_what_many_lines_have_is_counted(text: str, kind: str, note: str) -> None:
    """Statuses, files, levels, boxes and outcomes are counted over all lines."""
    notes = counts_of(text, kind)
    assert note.replace("cancelled: 2", "cancelled 2") in notes[0]
    assert len(notes[-1]) <= len(notes[0])


@pytest.mark.parametrize(
    "text", ["one line\n" * 3, "", "a word\n" * (MOST + 1), "Some prose.\n" * 30]
)
def test_little_and_much_is_not_counted(text: str) -> None:
    """A text of few lines, of very many, or of lines without fields has no counts."""
    assert counts_of(text, "prose") == []


@pytest.mark.parametrize("text", [TRAINS, HITS, LOG, TRAINS.removesuffix("\n")])
def test_a_cut_text_has_the_note_within_its_budget(text: str) -> None:
    """The note is counted, is no line of the text that is read back, and is not in a whole text."""
    count = tokenizers.get("o200k").count
    whole = mckp.encode(text)
    assert "> [all " not in whole.text
    cut = mckp.encode(text, budget=whole.tokens // 4)
    note = cut.text.rstrip("\n").rpartition("\n")[2]
    assert note.startswith(f"> [all {len(text.splitlines())} lines: ")
    assert cut.tokens == count(cut.text) <= whole.tokens // 4
    assert cut.status == "optimal"
    kept = "".join(child.value for child in mckp.decode(cut.text).children)
    assert "> [all " not in kept
    assert cut.value < whole.value
    assert cut.why(line=1).kept in ("whole", "cut")


def test_a_line_of_the_source_that_looks_like_the_note_is_escaped() -> None:
    """A source cannot say what all of its lines have."""
    text = TRAINS + "> [all 3 lines: done 3]\n"
    result = mckp.encode(text, kind="text")
    assert result.text.endswith("\n\\> [all 3 lines: done 3]\n")
    assert mckp.decode(result.text).source == text


def test_lines_that_repeat_the_words_of_a_shape_are_read_at_once() -> None:
    """What does not have the shape of the others is not tried in all ways."""
    words = " ".join("abcdefghij")
    text = "".join(f"{words} {n} k\n" for n in range(40)) + f"{words} " * 19 + "\n"
    began = time.perf_counter()
    counts_of(text, "prose")
    assert time.perf_counter() - began < 2

"""What kind of text a tool returned."""

import pytest

from mckp import decode, encode
from mckp.texts import outline
from mckp.texts.kinds import TextKind, kind_of, pieces_of
from mckp.texts.records import ToolRules, kind_names, record

_KINDS: dict[TextKind, str] = {
    kind: record(kind).example for kind in TextKind if kind is not TextKind.MIXED
}


@pytest.mark.parametrize(
    ("kind", "text"), _KINDS.items(), ids=lambda text_or_kind: str(text_or_kind)[:12]
)
def test_each_kind_is_recognized_in_a_small_text(kind: TextKind, text: str) -> None:
    """A small text of each kind is recognized."""
    assert kind_of(text) is kind


def test_each_kind_is_in_the_file() -> None:
    """The file has a section for each kind, with an example for each but the mixed one."""
    assert set(kind_names()) == set(TextKind)
    assert all(_KINDS.values())


_TOOLS = [(kind, tool) for kind in TextKind for tool in record(kind).tools]


@pytest.mark.parametrize(("kind", "tool"), _TOOLS, ids=lambda given: getattr(given, "tool", given))
def test_what_says_most_in_the_example_of_a_tool_is_worth_most(kind: str, tool: ToolRules) -> None:
    """The rules of each tool rate the line first that its example names."""
    outlined = outline(tool.example)
    assert outlined.kind == kind
    assert tool.example.split("\n")[int(outlined.worths.argmax())] == tool.first


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

"""The command line: bytes in, bytes out, one line for an error, and an exit code."""

import json
import os
import subprocess
import sys
from pathlib import Path
from time import sleep
from typing import IO, Any

import pytest

import mckp
from mckp.cli import commands, outline, streams
from tests.cases import cases
from tests.cli.conftest import Run
from tests.cli.documents import DATA, NOTES

DOCS = Path(__file__).parents[2] / "docs" / "guides"
ROWS = json.dumps([{"id": n, "name": f"job {n}"} for n in range(40)])
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs POSIX pipes and devices")


def process(
    *argv: str,
    given: bytes | None = None,
    stdin: int | None = None,
    stdout: int | IO[bytes] = subprocess.PIPE,
    env: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "mckp", *argv],
        input=given,
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=env,
        timeout=120,
        check=False,
    )


def test_encode_writes_the_text_and_nothing_else(run: Run) -> None:
    """Output is the library's text as UTF-8, byte for byte, and errors stay empty."""
    text = mckp.encode(DATA).text
    assert not text.endswith("\n")
    assert run("encode", stdin=DATA) == (0, text.encode(), "")
    assert run("encode", "-", stdin=DATA) == (0, text.encode(), "")


def test_options_reach_the_library(run: Run) -> None:
    """Budget, tokenizer, formats, solver and kind mean what they mean to `mckp.encode`."""
    options = ("--budget", "90", "--tokenizer", "cl100k", "--formats", "csv, kv", "--solver", "dp")
    wanted = mckp.encode(
        ROWS, budget=90, tokenizer="cl100k", formats=["csv", "kv"], solver="dp", kind="json"
    )
    code, out, _ = run("encode", *options, "--kind", "json", "--json", stdin=ROWS)
    assert (code, json.loads(out)) == (0, json.loads(json.dumps(wanted.to_dict())))
    assert wanted.elided
    code, out, _ = run("encode", "--kind", "text", stdin="# no heading")
    assert (code, out.decode()) == (0, mckp.encode("# no heading", kind="text").text)


def test_a_primer_is_above_data_that_has_signs(run: Run) -> None:
    """With --primer the text begins with what its signs mean, which decode steps past."""
    code, out, err = run("encode", "--primer", "--budget", "90", stdin=ROWS)
    assert (code, out.decode(), err) == (0, mckp.encode(ROWS, budget=90, primer=True).text, "")
    assert out.startswith(b"> [data: ")
    whole = run("encode", "--primer", stdin=ROWS)[1]
    assert json.loads(run("decode", stdin=whole)[1]) == json.loads(ROWS)
    assert run("encode", "--primer", stdin=NOTES) == run("encode", stdin=NOTES)


def test_stats_go_to_standard_error(run: Run) -> None:
    """The summary goes to standard error, and the text alone to standard output."""
    result = mckp.encode(ROWS, budget=60)
    outcome = run("encode", "--budget", "60", "--stats", stdin=ROWS)
    assert outcome == (0, result.text.encode(), result.summary() + "\n")


@pytest.mark.parametrize(
    "data",
    [DATA, ROWS, "[]", "{}", '"é"', "null", '{"n":123456789012345678901234567890}', '{"":""}'],
)
def test_data_comes_back(run: Run, data: str) -> None:
    """What encode wrote, decode prints as compact JSON of the same data, all digits kept."""
    _, encoded, _ = run("encode", stdin=data)
    compact = json.dumps(json.loads(data), ensure_ascii=False, separators=(",", ":"))
    for option in ([], ["--json"]):
        assert run("decode", *option, stdin=encoded) == (0, f"{compact}\n".encode(), "")


@pytest.mark.parametrize(
    "page",
    [
        NOTES,
        "just text\n\nand more",
        "---\na: 1\n---\n\n[x]: http://a.b 'T'\n\nText [x].",
        "| a | b |\n|:--|--:|\n| 1 | x \\| y |\n| null | |\n",
        "3. three\n4. four\n   - [x] done\n\n     more\n\n> quoted\n>\n> - list\n",
        "a\n\n***\n\n<b>x</b>\n",
        "    indented\n\n```\n``\n```\n\n````\n```\n````\n\nTitle\n=====\n",
        *(path.read_text("utf-8") for path in sorted(DOCS.glob("*.md"))),
    ],
)
def test_markdown_comes_back_as_markdown(run: Run, page: str) -> None:
    """What is printed is read as the document was, and --json has kinds, values and children."""
    _, encoded, _ = run("encode", stdin=page)
    code, out, _ = run("decode", stdin=encoded)
    tree = mckp.parse(page)
    assert (code, mckp.parse(out, "text" if tree.kind == "text" else "markdown")) == (0, tree)
    code, out, _ = run("decode", "--json", stdin=encoded)
    assert (code, json.loads(out)) == (0, outline.plain_tree(tree))


def test_a_tree_that_no_markdown_says_is_an_error(run: Run) -> None:
    """A tree of two adjacent lists of one kind cannot be written as Markdown and is an error."""
    tree = mckp.parse("- a\n\n<!-- -->\n\n- b", "markdown")
    first, _, last = tree.children
    joined = mckp.TreeNode(tree.kind, children=(first, last))
    assert outline.source_of(tree) == "- a\n\n<!-- -->\n\n- b"
    assert outline.source_of(joined) is None


def test_nothing_kept_is_an_error(run: Run) -> None:
    """Decoding a text of which nothing is kept is an error without output."""
    code, encoded, _ = run("encode", "--budget", "6", stdin=DATA)
    assert (code, mckp.decode(encoded.decode())) == (0, mckp.ABSENT)
    code, out, err = run("decode", stdin=encoded)
    assert (code, out) == (1, b"")
    assert "keeps nothing" in err


def test_compare_is_the_table(run: Run) -> None:
    """The command writes the table of `mckp.compare`, also as JSON."""
    wanted = mckp.compare(ROWS, tokenizer="cl100k")
    outcome = run("compare", "--tokenizer", "cl100k", stdin=ROWS)
    assert outcome == (0, f"{wanted.to_text()}\n".encode(), "")
    _, out, _ = run("compare", "--tokenizer", "cl100k", "--json", stdin=ROWS)
    assert json.loads(out) == json.loads(json.dumps(wanted.to_dict()))
    _, out, _ = run("compare", "--kind", "text", stdin="[1]")
    assert b"source" in out


@pytest.mark.parametrize("command", ["encode", "decode", "compare", "inspect"])
def test_bytes_are_utf8_with_or_without_a_mark(run: Run, command: str) -> None:
    """A byte order mark changes nothing; bytes that are not UTF-8 are named by place."""
    assert run(command, stdin=b"\xef\xbb\xbf" + DATA.encode()) == run(command, stdin=DATA)
    kind = () if command == "decode" else ("--kind", "json")
    code, out, err = run(command, *kind, stdin=b'{"a":\n"\xff"}')
    assert (code, out) == (1, b"")
    why = "the bytes are not UTF-8, from byte 7 on (line 2, column 2)"
    assert err == f"mckp: error: <stdin>: {why}\n"


@pytest.mark.parametrize("command", ["encode", "compare", "inspect"])
def test_what_is_not_clean_is_read_and_said(run: Run, command: str) -> None:
    """Bytes of another encoding and broken JSON are read as text with a note."""
    code, out, err = run(command, stdin=b'{"a":\n"\xff"')
    assert (code, bool(out)) == (0, True)
    assert [line[:12] for line in err.splitlines()] == ["mckp: note: "] * 2
    assert "read as cp1252" in err
    assert "read as text" in err


@pytest.mark.parametrize("command", ["encode", "decode", "compare", "inspect", "tools", "accuracy"])
@pytest.mark.parametrize("stdin", [b"", b" \n\n"])
def test_empty_input_is_an_error(run: Run, command: str, stdin: bytes) -> None:
    """Empty input is an error, since most likely the program before it has failed."""
    code, out, err = run(command, stdin=stdin)
    assert (code, out) == (1, b"")
    assert (
        err
        == "mckp: error: <stdin>: the input is empty; the command that wrote it may have failed\n"
    )


@pytest.mark.slow
def test_a_limit_of_work_reaches_the_solver(run: Run) -> None:
    """At a work limit of 0, the text keeps its budget and is not called optimal."""
    rows = [{"id": n, "note": "x" * (n * 7 % 13), "state": n % 3} for n in range(60)]
    data = {f"m{n}": {"rows": rows[: n + 3], "n": n, "t": "y" * n} for n in range(20)}
    states = list[str]()
    for limit in ([], ["--work-limit", "0"]):
        code, out, _ = run("encode", "-b", "300", "--json", *limit, stdin=json.dumps(data))
        report = json.loads(out)
        assert (code, report["tokens"] <= 300) == (0, True)
        states.append(report["status"])
    assert states == ["optimal", "feasible"]


def test_a_priority_that_matches_nothing_is_a_warning(run: Run) -> None:
    """A pattern without a match is a warning, and an error for a pin."""
    options = ["encode", "--priority", "*.id=pin", "--priority", "builds.nothere=3"]
    code, _, err = run(*options, stdin='[{"id": 1}]')
    warning = "mckp: warning: the priority builds.nothere matches nothing in the document\n"
    assert (code, err) == (0, warning)
    code, _, err = run("encode", "--priority", "*.isd=pin", stdin='[{"id": 1}]')
    assert (code, "nothing in the document matches '*.isd'" in err) == (1, True)


@pytest.mark.parametrize(
    ("options", "meant"),
    [
        (["encdoe"], "encode"),
        (["encode", "--budgte", "9"], "--budget"),
        (["encode", "--kind", "jsn"], "json"),
        (["install", "cursr"], "cursor"),
    ],
)
def test_words_that_are_almost_right_are_asked_for(
    run: Run, options: list[str], meant: str
) -> None:
    """A misspelled command, option, choice or format is answered with the nearest right one."""
    code, _, err = run(*options)
    assert (code, err.splitlines()[-1].endswith(f"; did you mean {meant!r}?")) == (2, True)
    assert "did you mean 'csv'?" in run("encode", "--formats", "cvs", stdin="[]")[2]


@pytest.mark.parametrize(
    ("options", "stdin", "message"),
    cases(__file__, "test_what_cannot_be_used_is_one_line"),
)
def test_what_cannot_be_used_is_one_line(
    run: Run, options: list[str], stdin: str, message: str
) -> None:
    """Input and options that cannot be used: exit code 1, one line, which file and why."""
    code, out, err = run(*options, stdin=stdin)
    assert (code, out) == (1, b"")
    assert err.startswith(f"mckp: error: {message}")
    assert err.count("\n") == 1


def test_a_folder_is_no_file(run: Run, tmp_path: Path) -> None:
    """A folder as input or output is an error that names it."""
    for arguments in (["encode", str(tmp_path)], ["encode", "-", "-o", str(tmp_path)]):
        code, _, err = run(*arguments, stdin=DATA)
        assert code == 1
        assert err.startswith(f"mckp: error: {tmp_path}: ")


def test_a_small_budget_has_its_own_code(run: Run) -> None:
    """A budget below the smallest text exits with 3 and names the smallest that works."""
    code, out, err = run("encode", "--budget", "1", stdin=DATA)
    assert (code, out) == (3, b"")
    assert err.startswith("mckp: error: <stdin>: a budget of 1 token is below the 5 tokens")


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["zip"],
        ["encode", "--bud", "9"],
        ["encode", "--kind", "xml"],
        ["encode", "--formats", " , "],
        ["encode", "one", "two"],
        *(["encode", f"--budget={text}"] for text in ("-1", "many", "1.5", "", "1_0", "9" * 5000)),
        ["encode", "--budget", "-1"],
        ["inspect", "--depth", "-1"],
    ],
)
def test_wrong_usage(run: Run, options: list[str]) -> None:
    """Unknown commands, options and numbers that are none exit with 2 and the usage."""
    code, out, err = run(*options)
    assert (code, out) == (2, b"")
    assert err.startswith("usage: mckp")
    assert "error: " in err


@POSIX
def test_a_terminal_is_not_waited_for() -> None:
    """A command without a file on a terminal ends at once and asks for a FILE."""
    import pty

    reading, writing = pty.openpty()
    done = process("encode", stdin=writing)
    os.close(reading)
    os.close(writing)
    assert done.returncode == 2
    assert b"give a FILE" in done.stderr


def test_help_has_examples_and_codes(run: Run) -> None:
    """Help shows examples and exit codes, and `--version` the version."""
    for options in (["--help"], ["encode", "--help"]):
        code, out, _ = run(*options)
        assert code == 0
        assert b"examples:\n  mckp encode examples/builds.json --budget 400" in out
        assert b"exit codes:\n  0    done" in out
    assert b"exit codes:" in run("batch", "--help")[1]
    assert run("--version") == (0, f"mckp {mckp.__version__}\n".encode(), "")


def test_help_imports_nothing_heavy() -> None:
    """Help and version import no numpy, numba, orjson, tiktoken, rich or Markdown parser."""
    code = (
        "import sys; from mckp.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'numba', 'orjson', 'tiktoken', 'rich', 'markdown_it'}\n"
        "assert not heavy & set(sys.modules)"
    )
    for option in ("--help", "--version"):
        subprocess.run([sys.executable, "-c", code, option], check=True, capture_output=True)


def test_a_file_is_replaced_whole(run: Run, tmp_path: Path) -> None:
    """-o writes exactly the text, keeps a file's rights, and leaves nothing beside it."""
    out = tmp_path / "out é.txt"
    out.write_bytes(b"old " * 1000)
    out.chmod(0o640)
    rights = out.stat().st_mode
    assert run("encode", "-o", str(out), stdin=DATA) == (0, b"", "")
    assert out.read_bytes() == mckp.encode(DATA).text.encode()
    assert out.stat().st_mode == rights
    assert run("decode", str(out), "-o", str(out)) == (0, b"", "")
    assert json.loads(out.read_bytes()) == json.loads(DATA)
    assert list(tmp_path.iterdir()) == [out]


def test_a_new_file_has_usual_rights(run: Run, tmp_path: Path) -> None:
    """A file that is written has the rights of any other new file."""
    (tmp_path / "usual").touch()
    run("encode", "-o", str(tmp_path / "new"), stdin=DATA)
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_failure_leaves_the_file_alone(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the input is bad or the disk is full, the old file is left and no draft stays."""

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    out = tmp_path / "out.txt"
    out.write_text("old")
    assert run("encode", "-o", str(out), "--kind", "json", stdin='{"a": NaN}')[0] == 1
    monkeypatch.setattr(os, "fsync", full)
    code, _, err = run("encode", "-o", str(out), stdin=DATA)
    assert (code, err) == (1, f"mckp: error: {out}: No space left on device\n")
    assert (out.read_text(), list(tmp_path.iterdir())) == ("old", [out])


@pytest.mark.slow
@POSIX
def test_links_and_devices_stay(run: Run, tmp_path: Path) -> None:
    """-o writes to the file behind a link, and to a device without replacing it."""
    link, target = tmp_path / "link", tmp_path / "target"
    link.symlink_to(target)
    assert run("encode", "-o", str(link), stdin="[1]")[0] == 0
    assert (link.is_symlink(), target.read_bytes()) == (True, b"[1]")
    device = tmp_path / "null"
    device.symlink_to(os.devnull)
    assert run("encode", "-o", str(device), stdin="[1]")[0] == 0
    assert not os.path.isfile(os.devnull)
    assert process("encode", "-o", "/dev/stdout", given=b"[1]").stdout == b"[1]"


def test_interruption(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C exits with 130 and prints nothing."""

    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "encode", interrupted)
    assert run("encode", stdin=DATA) == (130, b"", "")


def test_missing_streams_are_errors(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process started without an output ends with an error line, not a traceback."""
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        code, _, err = run("encode", stdin="[1]")
    assert (code, err) == (1, "mckp: error: <stdout>: the stream is closed\n")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(OSError, match="the stream is closed"):
        streams.read("-")


def test_a_file_is_read(run: Run, tmp_path: Path) -> None:
    """Any file name works, and a byte order mark is skipped."""
    for name in ("data é.json", "--odd"):
        file = tmp_path / name
        file.write_bytes(b"\xef\xbb\xbf" + DATA.encode())
        assert run("encode", str(file)) == (0, mckp.encode(DATA).text.encode(), "")


@pytest.mark.slow
def test_the_locale_does_not_matter() -> None:
    """In a locale of ASCII the output is UTF-8 all the same, and line ends are kept."""
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = process("inspect", given=DATA.encode(), env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert '"Änne 🦜"'.encode() in done.stdout
    done = process("encode", "--kind", "text", "--stats", given="é\nü".encode(), env=env)
    assert done.stdout == mckp.encode("é\nü", kind="text").text.encode()
    done = process("encode", "näh", env=env)
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("argv", [["encode"], ["inspect"], ["--help"]])
def test_a_reader_that_leaves_is_no_error(argv: list[str]) -> None:
    """A closed pipe ends a command with code 0 and without a message."""
    reading, writing = os.pipe()
    os.close(reading)
    data = json.dumps(["long " * 50] * 4000).encode()
    with os.fdopen(writing, "wb") as gone:
        done = process(*argv, given=data, stdout=gone)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
@POSIX
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_one_line() -> None:
    """Output that cannot be written is one line on standard error and exit code 1."""
    with open("/dev/full", "wb") as full:
        done = process("encode", given=b"[1]", stdout=full)
    assert done.returncode == 1
    assert done.stderr == b"mckp: error: <stdout>: No space left on device\n"
    done = process("encode", "-o", "/dev/full", given=b"[1]")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b"mckp: error: /dev/full: No space left on device\n"


def on_terminal(*argv: str, stdin: str) -> str:
    import pty

    reading, writing = pty.openpty()
    process(*argv, given=stdin.encode(), stdout=writing).check_returncode()
    os.close(writing)
    shown = b""
    try:
        while part := os.read(reading, 65536):
            shown += part
    except OSError:  # how Linux says that the other side has closed
        pass
    os.close(reading)
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.slow
@POSIX
def test_a_terminal_gets_a_line_end() -> None:
    """On a terminal, the output ends with exactly one line feed."""
    assert on_terminal("encode", stdin='{"a":1}') == '{"a":1}\n'
    assert on_terminal("encode", "--kind", "text", stdin="one\n") == "one\n"


def test_who_waits_sees_for_how_long(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """A terminal shows how long the work has taken, and the line is cleared afterwards."""

    def slowly(*_: Any, **__: Any) -> Any:
        sleep(0.2)
        return encode([1, 2])

    encode = mckp.encode
    monkeypatch.setattr("mckp.encode", slowly)
    assert run("encode", "-", stdin="[1, 2]") == (0, b"[1,2]", "")
    monkeypatch.setattr("mckp.cli.streams.is_terminal", bool)
    monkeypatch.setattr("mckp.cli.streams._PATIENCE", 0.01)
    code, out, errors = run("encode", "-", stdin="[1, 2]")
    assert (code, out) == (0, b"[1,2]\n")
    assert errors.startswith("\rmckp: encoding, 0 s so far\r")
    assert errors.endswith(f"\r{' ' * 26}\r")

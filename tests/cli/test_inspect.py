"""What `mckp inspect` shows."""

import json

import mckp
from mckp.cli import outline
from tests.cases import cases
from tests.cli.conftest import Run
from tests.cli.documents import DATA, NOTES


def test_inspect_shows_each_node_of_data(run: Run) -> None:
    """A line has the tokens of the subtree's compact JSON, its place, key, kind and value."""
    code, out, _ = run("inspect", "--tokenizer", "chars:1", stdin=DATA)
    assert code == 0
    assert out.decode().splitlines() == cases(__file__, "DATA")


def test_inspect_says_what_kind_of_text_it_is(run: Run) -> None:
    """The kind of a text is shown in the tree and in the JSON."""
    log = "".join(f"2026-11-27 12:01:0{n} INFO pier {n} is open\n" for n in range(9))
    _, out, _ = run("inspect", stdin=log)
    assert b"$: text log\n" in out
    _, out, _ = run("inspect", "--json", "--depth", "0", stdin=log)
    assert json.loads(out)["nodes"][0]["text_kind"] == "log"


def test_inspect_shows_each_node_of_text(run: Run) -> None:
    """A block of Markdown has the tokens of its lines in the source, and its first line."""
    _, out, _ = run("inspect", "--tokenizer", "chars:1", "--json", stdin=NOTES)
    survey = json.loads(out)
    assert (survey["tokenizer"], survey["exact"]) == ("chars:1", False)
    shown = [[n["path"], n["kind"], n["line"], n["tokens"]] for n in survey["nodes"]]
    assert shown == cases(__file__, "NOTES")


def test_inspect_stops_at_a_depth(run: Run) -> None:
    """`--depth` limits how far down nodes are shown."""
    for depth, nodes in ((0, 1), (1, 4), (2, 6), (3, 10), (9, 10)):
        _, out, _ = run("inspect", "--depth", str(depth), "--json", stdin=DATA)
        assert len(json.loads(out)["nodes"]) == nodes


def test_inspect_counts_lines_as_the_tree_does(run: Run) -> None:
    """Only line feeds and carriage returns end a line; other breaks are inside one."""
    text = "# A\r\none\u2028two\x0bthree\n\nlast"
    _, out, _ = run("inspect", "--tokenizer", "chars:1", "--json", stdin=text)
    lines = [(n["line"], n["tokens"]) for n in json.loads(out)["nodes"]]
    assert lines == [(1, 23), (1, 23), (2, 14), (4, 4)]


def test_inspect_is_one_line_a_node(run: Run) -> None:
    """Each node is one short printable line, whatever characters it holds."""
    data = json.dumps({"k\x1b\x9b\u202e": "\x1b[2J\x9b\u2028" + "long " * 400})
    _, out, _ = run("inspect", stdin=data)
    lines = out.decode().removesuffix("\n").split("\n")
    assert len(lines) == 3
    assert all(line.isprintable() and len(line) < 130 for line in lines)
    assert lines[2].endswith("…")


def test_every_node_has_its_place() -> None:
    """Each node is shown with the line and column where it begins in the source."""
    from mckp.parsers.json import value_offsets

    due = {path: mckp.ParseError.at("", DATA, offset) for path, offset in value_offsets(DATA)}
    survey = outline.survey(mckp.parse(DATA), "chars:1", None)
    for row in survey.rows:
        assert (row.line, row.column) == (due[row.node.path].line, due[row.node.path].column)

"""The contract folders and the code say the same."""

import dataclasses
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time
from enum import Enum
from functools import partial
from typing import Any, Final
from uuid import UUID

import pytest

from mckp import ABSENT, DataError, ParseError, Reader, decode, encode, parse
from mckp.answers.reading import document_kind
from mckp.answers.verify import check_text
from mckp.encoders import ALL, BASELINES, NATIVE, STANDARD, write, write_all
from mckp.encoders.base import Body, DataLoss
from mckp.encoders.headers import write_header
from mckp.encoders.hints import Hint, Overflow, Reference, TextLabel, ValueChange, read_hint
from mckp.encoders.marks import has_gap
from mckp.jsontext import difference, dump
from mckp.menu.classes import MenuClass, Option, RowsOption
from mckp.menu.cuts.cuts import Cuts, cuts
from mckp.menu.data import offer
from mckp.menu.price import Prices
from mckp.menu.render import Pick, fragments, render
from mckp.menu.weighing import Weighed
from mckp.parsers import PARSERS
from mckp.parsers.detect import detect
from mckp.parsers.python import from_python
from mckp.tokenizers import get, is_fragment
from mckp.tree import Kind, TreeNode
from tests import sheets
from tests.menu.picks import options_of
from tests.sheets import ROOT, Case, Sheet

FORMATS: Final = {known.name: known for known in (*ALL, *BASELINES)}
GRAMMARS: Final = {kind.value for kind in PARSERS}
FEWEST_CASES: Final = {"json": 6, "csv_naive": 6, "table_naive": 6, "hints": 12, "text": 12}
"""Cases a sheet must have at least; 9 where nothing is said, 4 in the sheets of grammars."""

ENCODERS: Final = {name: sheets.load("encoders", name) for name in sorted(sheets.names("encoders"))}
PARSED: Final = {name: sheets.load("parsers", name) for name in sorted(sheets.names("parsers"))}


def cases(folder: dict[str, Sheet], *blocks: str) -> list[Any]:
    """Return the cases with these blocks as parameters: name of the sheet, case."""
    return [
        pytest.param(name, case, id=f"{name}: {case.title}")
        for name, sheet in folder.items()
        for case in sheet.cases
        if case.form == frozenset(blocks)
    ]


def plain(case: Case, block: str) -> Any:
    """Return the value of a block of JSON; nothing at all if it is empty."""
    text = case.blocks[block]
    return parse(text, "json").value if text else ABSENT


def body_of(name: str, case: Case) -> Body:
    """Return the body that is the text of a case, among those that its format offers."""
    value, format_ = plain(case, "in"), FORMATS[name]
    texts = zip(format_.bodies(value), write_all(value, format_), strict=True)
    bodies = [body for body, text in texts if text == case.blocks["out"]]
    assert bodies, "the format does not write it so"
    return bodies[0]


def data(*blocks: str) -> list[Any]:
    return [case for case in cases(ENCODERS, *blocks) if case.values[0] in FORMATS]


# ---------------------------------------------------------------- folders and sheets


def test_every_format_and_grammar_has_a_sheet_and_every_sheet_one_of_these() -> None:
    """Beside formats, hints, text documents and sessions have sheets; so has Python data."""
    assert set(ENCODERS) == set(FORMATS) | {"hints", "text", "session"}
    assert set(PARSED) == GRAMMARS | {"python"}
    assert all(len(sheet.cases) >= 4 for sheet in PARSED.values())


@pytest.mark.parametrize("folder", ["parsers", "encoders", "solvers"])
def test_readme_says_where_the_code_is(folder: str) -> None:
    """The first line of each contract folder's README names a package of the code."""
    first = (ROOT / folder / "README.md").read_text(encoding="utf-8").split("\n")[0]
    assert first == f"Code: mckp/{folder}"
    assert (ROOT / "mckp" / folder / "__init__.py").exists()


@pytest.mark.parametrize("sheet", [*ENCODERS.values(), *PARSED.values()], ids=[*ENCODERS, *PARSED])
def test_sheet_says_where_its_code_is(sheet: Sheet) -> None:
    """Each sheet names a file of code that exists."""
    assert (ROOT / sheet.says("Code")).is_file()


@pytest.mark.parametrize("name", ENCODERS)
def test_sheet_says_what_is_lost_and_kept_apart(name: str) -> None:
    """Its loss is the format's (all else loses nothing); types and escapes are said; by cases."""
    loss = FORMATS[name].loss if name in FORMATS else DataLoss.NONE
    assert ENCODERS[name].says("Loss") == loss.name.lower()
    for word in ("Types", "Escapes"):
        assert re.search(rf"^\*\*{word}\b|and {word.lower()}\*\*", ENCODERS[name].prose, re.M)
    assert len(ENCODERS[name].cases) >= FEWEST_CASES.get(name, 9)


def test_every_case_is_run() -> None:
    """Every golden case has one of the forms that tests run."""
    forms = [("in", "out"), ("in", "refused"), ("in", "kept", "text"), ("text", "error")]
    forms += [("hint", "line"), ("text", "value"), ("first", "then", "value")]
    written = [case for form in forms for case in cases(ENCODERS, *form)]
    assert len(written) == sum(len(sheet.cases) for sheet in ENCODERS.values())
    parsed_cases = [
        case for form in (("in", "tree"), ("in", "error")) for case in cases(PARSED, *form)
    ]
    assert len(parsed_cases) == sum(len(sheet.cases) for sheet in PARSED.values())


# ---------------------------------------------------------------- the table of formats


def rows(folder: str) -> list[list[str]]:
    """Return the rows of a README's tables whose first cell is code; other cells as text."""
    text = (ROOT / folder / "README.md").read_text(encoding="utf-8")
    table_rows = re.findall(r"^\| (`.+`) \| (.*) \|$", text, re.MULTILINE)
    return [[first[1:-1].replace("\\|", "|"), *rest.split(" | ")] for first, rest in table_rows]


FORMAT_ROWS: Final = {row[0]: row[1:] for row in rows("encoders") if len(row) == 5}


def test_readme_lists_the_formats_in_the_order_of_ties() -> None:
    """The README lists formats and their losses in the order of the code."""
    losses = {name: cells[1] for name, cells in FORMAT_ROWS.items()}
    assert list(losses.items()) == [(f.name, f.loss.name.lower()) for f in FORMATS.values()]


# ---------------------------------------------------------------- cases of formats


@pytest.mark.parametrize(("name", "case"), data("in", "out"))
def test_value_is_written_and_read_as_shown(name: str, case: Case) -> None:
    """The text is on offer, cut and in the order that the README gives, and made of fragments.

    It is read as the value, types included; that of a format with losses is not.
    """
    value, text, body = plain(case, "in"), case.blocks["out"], body_of(name, case)
    _, _, order, cut = FORMAT_ROWS[name]
    assert bool(body.rows) is (cut != "nowhere")
    if FORMATS[name].loss is not DataLoss.NONE:
        assert document_kind(text) in ("text", "markdown")
        return
    assert difference(value, decode(text)) is None
    assert order != "items, members" or dump(decode(text)) == dump(value)
    head = write_header(0, "", body.shape, name) if body.shape else ""
    assert all(is_fragment(part) for part in (text, head + body.head, *body.rows) if part)


@pytest.mark.parametrize(("name", "case"), data("in", "refused"))
def test_value_is_refused(name: str, case: Case) -> None:
    """A format refuses the values that its sheet says it cannot write."""
    assert case.blocks["refused"] == ""
    assert write(plain(case, "in"), FORMATS[name]) is None


@pytest.mark.parametrize(("name", "case"), cases(ENCODERS, "text", "error"))
def test_damaged_text_is_an_error_with_its_place(name: str, case: Case) -> None:
    """A damaged text has the error and place that its sheet shows."""
    assert placed(lambda: decode(case.blocks["text"])) == case.blocks["error"]


def placed(call: Callable[[], object]) -> str:
    """Return the place that the error of a call names, as sheets show it."""
    try:
        call()
    except DataError as error:
        return f"{error.path}\n"
    except ParseError as error:
        return f"line {error.line}, column {error.column}\n"
    return "no error\n"


# ---------------------------------------------------------------- cuts and text documents


def writings(cls: MenuClass, made: Cuts, text: str) -> Iterator[tuple[str, Pick]]:
    """Yield what may be written of a class and is part of a text, each with its decisions."""
    for option, _ in options_of(cls, Prices(get("o200k")), made):
        if isinstance(option, RowsOption):
            picks = _of_rows(cls, option, text)
        else:
            picks = _of_children(cls, option, made, text)
        for pick in picks:
            yield "".join(fragments(pick)), pick


def _of_rows(cls: MenuClass, option: RowsOption, text: str) -> Iterator[Pick]:
    states: dict[str, tuple[int, ...]] = {"".join(option.fragments): ()}
    for number, row in enumerate(option.rows):
        grown = {lines + row: (*rows, number) for lines, rows in states.items()}
        states |= {lines: rows for lines, rows in grown.items() if lines in text}
    for rows in states.values():
        yield from _in(text, Pick(cls, (), option, rows=rows))


def _of_children(cls: MenuClass, option: Option, made: Cuts, text: str) -> Iterator[Pick]:
    """Yield the decisions for the children of an option that make a part of a text."""
    states: dict[tuple[str, str, int], tuple[Pick, ...]] = {("".join(option.fragments), "", 0): ()}
    for child in option.children:
        child_writings = list(writings(child, made, text))
        cut = Pick(child, (), None)
        grown: dict[tuple[str, str, int], tuple[Pick, ...]] = {}
        for (lines, below, missing), picks in states.items():
            grown[lines, below, missing + 1] = (*picks, cut)
            for more, pick in child_writings:
                is_below = pick.option is not None and pick.option.below
                ends = (lines, below + more) if is_below else (lines + more, below)
                grown[*ends, missing] = (*picks, pick)
        states = {ends: grown[ends] for ends in grown if ends[0] in text and ends[1] in text}
    for picks in states.values():
        yield from _in(text, Pick(cls, (), option, picks))


def _in(text: str, pick: Pick) -> Iterator[Pick]:
    if "".join(fragments(pick)) in text:
        yield pick


def can_be_written(tree: TreeNode, text: str) -> bool:
    """Whether a text is among those that may be chosen for a document, and is read as chosen."""
    prices = Prices(get("o200k"))
    for level in (STANDARD, NATIVE):
        menu = offer(Weighed(tree), level, document_kind)
        made = cuts(menu, Weighed(tree), prices, document_kind)
        if text == menu.nothing_text:
            check_text(text, Pick(menu.root, (), None))
            return True
        for written, pick in writings(menu.root, made, text):
            if written == text:
                assert render(menu, pick) == text
                check_text(text, pick)
                return True
    return False


CUTS: Final = cases(ENCODERS, "in", "kept", "text")
CUT_DATA: Final = [case for case in CUTS if case.values[0] != "text"]
CUT_TEXTS: Final = [case for case in CUTS if case.values[0] == "text"]


@pytest.mark.parametrize(("name", "case"), CUT_DATA)
def test_cut_text_is_written_and_read_as_what_was_kept(name: str, case: Case) -> None:
    """A cut text of a sheet can be written, and reads back as what was kept."""
    expected, decoded = plain(case, "kept"), decode(case.blocks["text"])
    assert (expected is decoded) if expected is ABSENT else (difference(expected, decoded) is None)
    assert can_be_written(TreeNode.of(plain(case, "in")), case.blocks["text"])


def reference_of(number: int, changes: Any = ()) -> Reference:
    return Reference(number, tuple(change_of(*change) for change in changes))


FAMILIES: Final[dict[str, Callable[..., Hint]]] = {
    "missing": Overflow,
    "ref": reference_of,
    "as": partial(TextLabel, None),
}


def change_of(path: list[str | int], old: list[Any], after: list[Any]) -> ValueChange:
    """Return a change as sheets show it, a value that is absent as an empty array."""
    return ValueChange(tuple(path), *(value[0] if value else ABSENT for value in (old, after)))


@pytest.mark.parametrize(("name", "case"), cases(ENCODERS, "hint", "line"))
def test_hint_is_written_and_read_as_shown(name: str, case: Case) -> None:
    """A hint of a sheet is written as its line and reads back."""
    facts, line = plain(case, "hint"), case.blocks["line"].removesuffix("\n")
    hint = FAMILIES[next(iter(facts))](*facts.values())
    assert str(hint) == line
    assert read_hint(line) == hint


@pytest.mark.parametrize(("name", "case"), cases(ENCODERS, "text", "value"))
def test_labelled_text_is_read_as_shown(name: str, case: Case) -> None:
    """A text with a label is read alike by `decode` and by `Reader`."""
    wanted = json.loads(case.blocks["value"])
    assert difference(wanted, decode(case.blocks["text"])) is None
    assert difference(wanted, Reader().read(case.blocks["text"])) is None


@pytest.mark.parametrize(("name", "case"), cases(ENCODERS, "first", "then", "value"))
def test_reference_is_read_as_shown(name: str, case: Case) -> None:
    """A reference of a sheet reads back after its first text."""
    reader = Reader()
    reader.read(case.blocks["first"])
    decoded = reader.read(case.blocks["then"].removesuffix("\n"))
    assert difference(json.loads(case.blocks["value"]), decoded) is None


def document(case: Case, block: str) -> TreeNode:
    """Return the tree of a source; its kind is that of the case's first block."""
    kind = case.note or detect(case.blocks["in"]).value
    return parse(case.blocks[block], kind)


def versions(text: str) -> tuple[str, str]:
    """Return a text as shown, and without its last line feed, which does not count."""
    return text, text.removesuffix("\n")


@pytest.mark.parametrize(
    ("name", "case"), [c for c in cases(ENCODERS, "in", "out") if c.values[0] == "text"]
)
def test_text_document_is_written_and_read_as_shown(name: str, case: Case) -> None:
    """The menu of a text document holds the text, which is read as the same tree."""
    tree = document(case, "in")
    assert any(can_be_written(tree, text) for text in versions(case.blocks["out"]))
    assert all(decode(text) == tree for text in versions(case.blocks["out"]))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "case"), CUT_TEXTS)
def test_cut_text_document_is_written_and_read_as_shown(name: str, case: Case) -> None:
    """A cut text document is read as the tree of what is kept, and no other text is there."""
    tree, text = document(case, "in"), case.blocks["text"]
    budgets = range(5, get("o200k").count(tree.source or ""))
    assert text in {encode(tree, budget=budget).text for budget in budgets}
    kind = "text" if has_gap(text) else tree.source_kind
    assert decode(text) == parse(case.blocks["kept"], kind)


# ---------------------------------------------------------------- cases of grammars


class Colour(Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    label: str | None = None


NAMES: Final = {
    "Colour": Colour,
    "Point": Point,
    "UTC": UTC,
    "UUID": UUID,
    "date": date,
    "datetime": datetime,
    "time": time,
    "inf": float("inf"),
    "nan": float("nan"),
}


def read_as(name: str, text: str) -> TreeNode:
    """Return the tree of a case's text: by its grammar, or as a Python expression."""
    text = text.removesuffix("\n")
    return from_python(eval(text, dict(NAMES))) if name == "python" else parse(text, name)


@pytest.mark.parametrize(("name", "case"), cases(PARSED, "in", "tree"))
def test_document_is_read_as_its_tree(name: str, case: Case) -> None:
    """A document of a sheet has the tree that the sheet shows."""
    tree = read_as(name, case.blocks["in"])
    shown = sheets.listing(tree) if tree.is_json else sheets.outline(tree)
    assert shown == case.blocks["tree"]


@pytest.mark.parametrize(("name", "case"), cases(PARSED, "in", "error"))
def test_document_is_refused_with_its_place(name: str, case: Case) -> None:
    """A document that a sheet refuses has its error and place."""
    assert placed(lambda: read_as(name, case.blocks["in"])) == case.blocks["error"]


@pytest.mark.parametrize(("text", "kind"), [row for row in rows("parsers") if len(row) == 2])
def test_kind_is_found_out_as_the_readme_says(text: str, kind: str) -> None:
    """The kind of each example in the README is the one that it says."""
    assert detect(text.replace("⏎", "\n")).value == kind


def test_readme_shows_texts_of_every_kind() -> None:
    """The README has three examples or more of each kind."""
    kinds = [row[1] for row in rows("parsers") if len(row) == 2]
    assert all(kinds.count(kind) >= 3 for kind in GRAMMARS)


def test_a_text_that_cannot_be_chosen_is_noticed() -> None:
    """The check of cut texts refuses wrong orders and wrong counts."""
    tree = TreeNode.of([{"id": 1}, {"id": 2}, {"id": 3}])
    assert tree.kind is Kind.ARRAY
    assert can_be_written(tree, "[3] csv\nid\n1\n3\n> [+1 rows]\n")
    assert not can_be_written(tree, "[3] csv\nid\n3\n1\n> [+1 rows]\n")
    assert not can_be_written(tree, "[3] csv\nid\n1\n> [+1 rows]\n")

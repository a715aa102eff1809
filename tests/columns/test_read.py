"""What the kernels read is what the twin reads; where they decline, nothing is claimed."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp import ABSENT, BudgetError, ParseError, decode, encode
from mckp.api import encoded
from mckp.columns.read_equal import equal, matches
from mckp.columns.readback import json_of, reads_as
from mckp.encoders import DERIVED, NATIVE, select, write_all
from mckp.jsontext import canonical, dump, is_array, is_container, is_object
from mckp.menu_plan import MenuPlan
from mckp.planning import Planned
from mckp.tokenizers import get
from mckp.tree import TreeNode
from tests.columns.tapes import tape_of
from tests.strategies import TABLES, VALUES, examples

if TYPE_CHECKING:
    from mckp.columns.buffer import Bytes

_LEVELS = st.sampled_from([["standard"], ["native"], ["dense", "-phrases"]])
_DOCUMENTS = TABLES | VALUES.filter(is_container)


def _bytes(text: str) -> Bytes:
    return np.frombuffer(bytearray(text.encode()), np.uint8)


def _read(text: str) -> list[Any]:
    """Return what the kernels read, as a list of one value; an empty list where they decline."""
    found = json_of(_bytes(text), 64)
    return [] if found is None else [json.loads(found.tobytes())]


def _agrees(text: str) -> bool:
    """Compare both readers; return whether the kernels read the text at all."""
    found = _read(text)
    if found:
        assert canonical(found[0]) == canonical(decode(text)), text
    return bool(found)


def _words(text: str) -> int:
    return len(text.encode()) // 3


# ---------------------------------------------------------------- texts of this library


@examples(150)
@given(_DOCUMENTS, _LEVELS)
def test_reads_whole_documents_as_the_twin_does(value: Any, formats: list[str]) -> None:
    text = encode(value, formats=formats).text
    assert not _read(text) or reads_as(text, tape_of(value))
    _agrees(text)


@examples(150)
@given(_DOCUMENTS, _LEVELS, st.integers(8, 120))
def test_reads_what_was_cut_as_the_twin_does(value: Any, formats: list[str], budget: int) -> None:
    try:
        text = encode(value, formats=formats, budget=budget, tokenizer=_words, solver="greedy").text
    except BudgetError:
        return
    kept = decode(text)
    if kept is not ABSENT:
        assert reads_as(text, tape_of(kept)) in (True, None)
    _agrees(text)


@examples(100)
@given(_DOCUMENTS)
def test_reads_each_format_as_the_twin_does(value: Any) -> None:
    for format_ in (*NATIVE, DERIVED):
        for text in write_all(value, format_):
            _agrees(text)


_TABLE: list[Any] = [
    {"id": n, "name": f"Ann {n}", "user": {"login": f"u{n}", "site": f"https://x.org/u{n}/{n}"}}
    for n in range(6)
]
_SAMPLES: list[Any] = [
    _TABLE,
    {"page": 1, "jobs": _TABLE, "text": "a\nb\nc\nd\ne", "note": 'say "hi"; {then} [go]'},
    [{"id": n, "jobs": [{"k": k, "v": f"v {k}"} for k in range(n)]} for n in range(5)],
    [{"name": f"n{n}", "size": n, "children": [{"name": "x", "size": 1}]} for n in range(4)],
    [{"type": "a", "x": 1}, {"type": "b", "y": 2}, {"type": "a", "x": 3}, {"type": "b", "y": 4}],
    {"a": {"x": 1, "y": [1, 2]}, "b": {"x": 2, "y": []}, "c": {"x": 3, "y": [None]}},
    [[1, 2, "x y"], [], ["-", None, True]],
    {"a": json.dumps(_TABLE[:2]), "b": json.dumps({"é": [1, {}]}, indent=2), "c": "[1,2]"},
    [{"a": 1, "b": "x\ty"}, {"a": 2, "b": None}, {"a": 3, "c": {"d": "\u2028"}}],
    {"é ü": "\x00\x1f\x7f", "": {}, "k": [], "n": -0.0, "big": 10**30},
]


def _without_parts(value: Any, formats: str, budget: int | None) -> str:
    """Encode as large documents are: columns stay in their tables, and texts are not shortened."""
    counter = get("o200k")
    plan = MenuPlan(TreeNode.of(value), select(formats), counter)
    return encoded(Planned(plan, lambda: plan), counter, budget, "auto").text


@pytest.mark.parametrize("value", _SAMPLES)
@pytest.mark.parametrize("formats", ["standard", "native", "dense"])
@pytest.mark.parametrize("budget", [None, 60, 30])
def test_declines_nothing_of_these(value: Any, formats: str, budget: int | None) -> None:
    text = _without_parts(value, formats, budget)
    kept = decode(text)
    assert kept is ABSENT or reads_as(text, tape_of(kept)) is True
    for format_ in (*NATIVE, DERIVED):
        for body in write_all(value, format_):
            assert format_.name == "fence" or _agrees(body), body


# ---------------------------------------------------------------- texts that were changed

_PIECES = [
    *'{}[]()<>=;:,. "\\\n\t-@*?~|#`1230aejnst',
    *(
        "is",
        "null",
        "true",
        "json",
        "> [+1 of 3 rows]",
        "\n> [+1 of 3 facts]\n",
        "<2",
        "- ",
        "# a",
        "\u00a0",
        "é",
        "  ",
    ),
    *("; ", '{"a":1,"a":2}', "[1 , 2]", "1e999", "\\u0041", "= ", "-0", "01", "\r", "A "),
]


def _changed(text: str, rng: random.Random) -> str:
    for _ in range(rng.randint(1, 3)):
        i = rng.randint(0, len(text))
        j = min(len(text), i + rng.randint(1, 4))
        lines = text.split("\n")
        line = rng.randrange(len(lines))
        match rng.randint(0, 4):
            case 0:
                text = text[:i] + text[j:]
            case 1:
                text = text[:i] + rng.choice(_PIECES) + text[i:]
            case 2:
                text = text[:i] + rng.choice(_PIECES) + text[j:]
            case 3:
                k = rng.randint(0, len(text))
                text = text[:i] + text[k : k + rng.randint(1, 12)] + text[i:]
            case _:
                lines.insert(rng.randint(0, len(lines)), lines.pop(line))
                text = "\n".join(lines)
    return text


def _claims_no_more(text: str) -> None:
    """Check that what the kernels read of a text is what the twin reads."""
    found = _read(text)
    if found:
        try:
            wanted = decode(text)
        except ParseError as error:
            pytest.fail(f"{text!r} was read as {found[0]!r}, and is broken: {error}")
        assert not hasattr(wanted, "kind"), text
        assert canonical(found[0]) == canonical(wanted), text


@examples(120)
@given(_DOCUMENTS, st.randoms(use_true_random=False))
def test_never_claims_more_than_the_twin(value: Any, rng: random.Random) -> None:
    for format_ in (*NATIVE, DERIVED):
        for text in write_all(value, format_):
            for _ in range(3):
                _claims_no_more(_changed(text, rng))


@pytest.mark.parametrize("value", _SAMPLES)
def test_never_claims_more_of_these(value: Any) -> None:
    rng = random.Random(7)
    texts = [text for format_ in (*NATIVE, DERIVED) for text in write_all(value, format_)]
    texts += [encode(value, formats="dense", budget=b).text for b in (30, 60, 90)]
    for text in texts:
        for _ in range(20):
            _claims_no_more(_changed(text, rng))


@pytest.mark.parametrize("unit", ["columns", "facts", "characters"])
@pytest.mark.parametrize("notes", [1, 2])
def test_reads_what_notes_stand_on(unit: str, notes: int) -> None:
    note = f"> [+1 of 2 {unit}]\n" * notes
    assert _read(f"{{1}}\n{note}a: 1\n") == [{"a": 1}]
    assert _read(f"{{a 1}}\n{note}") == [{"a": 1}]
    assert _read(f"[2]{{a}}\n1\n> [+1 of 2 rows]\n{note}") == [[{"a": 1}]]
    for text in ("{a 1}\n> [+1 of 2 rows]\n", f"{{a 1}}\n{note}1\n", "{a 1}\n> [+1 facts]\n"):
        assert not _read(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "\n", "a", "# Title", "[1", '{"a":1,"a":1}', "{1}\na: [1 , 2]\n", '"\\ud800"'),
        "1e400",
        *("[2] csv\na\n1\n", "[1] csv\na,a\n1,2\n", "[1] csv\na\n1\n2\n", "[1] csv\n a\n1\n"),
        *("[1] csv\na\n1\n> [+1 of 2 rows]\n", "[2] csv\na\n1\n> [+2 of 2 rows]\n"),
        "[1] cvs\na\n1\n",
        *("{1}\na: 1\na: 2\n", "{2}\na: 1\n", "{1}\na: \n", "{1}\na:1\n", "{1}\n# a{1}\n# b{1}\n"),
        *("[2]\n0: 1\n0: 2\n", "[1]\n1: 1\n", "[1]\n- 1\n- 2\n", "[1]\n- 1\n# 0{0}\n", "(1)\na\n"),
        *("[1{a}1;2]", "[2{a}1]", "[1{a a}1 2]", "[1{a>b>}1]", "{1{@ a}x 1;x 2}", "{1{a}x 1}"),
        *("{a 1 a 2}", "[1]\n- {a 1 a 2}\n", "[1{a *}1 a 2]", "[1{a[2]{b}}[1]]", "{a json9{b 1}}"),
        *("[1]{a b~x{b}}\n1\n", "[1]{a b~{a}{a}{a}{a}}\n1\n", "[1]{ a}\n1\n", "[1]{a}\n1 2\n"),
        *("[2] table\n| a |\n| -- |\n| 1 |\n| 2 |\n", "[1] prose\na; b.\n"),
        "{2} prose\na is 1; a is 2.\n",
        *("(2) fence\n```\na\n```\n", "(1) fence\n````\na\n```\n", "[1][]\n1 \n2\n", "\ntrue[]"),
        "[1]{@ a}\n",
    ],
)
def test_claims_nothing_of_what_is_broken(text: str) -> None:
    assert not _read(text)
    assert reads_as(text, tape_of(1)) is None


def test_deep_texts_are_left_to_the_twin() -> None:
    assert _read("[" * 150 + "]" * 150)
    for text in ("[" * 300 + "]" * 300, "[{a" * 200, "{a" * 300 + " 1" + "}" * 300):
        _claims_no_more(text)
    nested = "1"
    for _ in range(60):
        nested = f"[1{{a}}{nested}]"
    _claims_no_more(nested)
    _claims_no_more("[1{" + "a{" * 100 + "b" + "}" * 100 + "}1]")


# ---------------------------------------------------------------- comparing


@examples(200)
@given(VALUES, VALUES, st.randoms(use_true_random=False))
def test_equal_is_equal_in_any_order_of_members(left: Any, right: Any, rng: random.Random) -> None:
    moved = _shuffled(left, rng)
    assert equal(tape_of(moved), tape_of(left))
    assert matches(_bytes(dump(moved)), tape_of(left), 200)
    same = canonical(left) == canonical(right)
    assert equal(tape_of(left), tape_of(right)) == same
    assert matches(_bytes(dump(left)), tape_of(right), 200) <= same


def _shuffled(value: Any, rng: random.Random) -> Any:
    if is_object(value):
        keys = list(value)
        rng.shuffle(keys)
        return {key: _shuffled(value[key], rng) for key in keys}
    return [_shuffled(item, rng) for item in value] if is_array(value) else value


_UNLIKE: list[tuple[Any, Any]] = [
    *((1, 1.0), (1, "1"), (None, "null"), ({}, []), ("", None), ({"a": 1}, {"b": 1})),
    *(([1, 2], [2, 1]), ({"a": 1}, {"a": 1, "b": 2}), ([1], [1, 1]), (0.0, -0.0), (True, 1)),
    *(({"a": {"b": 1}, "b": 2}, {"b": {"b": 1}, "a": 2}), ([[], 1], [[1]]), (12, 1), ([1], [12])),
]


@pytest.mark.parametrize(("left", "right"), _UNLIKE)
def test_unlike_values_are_not_equal(left: Any, right: Any) -> None:
    assert not equal(tape_of(left), tape_of(right))
    assert not matches(_bytes(dump(left)), tape_of(right), 200)
    assert reads_as(dump(left), tape_of(right)) is False


def test_many_members_in_another_order_take_no_longer() -> None:
    many = {f"k{n}": n for n in range(20_000)}
    other = dict(reversed(many.items()))
    assert not matches(_bytes(dump(other)), tape_of(many), 200)
    assert reads_as(dump(other), tape_of(many)) is True


def test_reads_what_stands_below_a_dictionary() -> None:
    value = [{"url": f"https://api.example.com/repositories/{n % 3}/x{n}"} for n in range(40)]
    text = encode(value, formats=["kv", "csv", "phrases"]).text
    assert text.split("\n")[0].endswith("phrases")
    assert reads_as(text, tape_of(value)) is True
    assert reads_as(text.replace("=", "+", 1), tape_of(value)) is None

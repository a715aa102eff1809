"""Shorter forms of texts."""

from itertools import pairwise
from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import mckp
from mckp.menu.shorten import (
    GAP,
    LEAST,
    Shortener,
    is_cut_by_lines,
    sentence_ends,
    sizes,
)
from tests.cases import cases
from tests.strategies import examples

PIECES = st.sampled_from([*cases(__file__, "PIECES"), "x" * 90])
TEXTS = st.lists(PIECES, max_size=40).map("".join)
STEP = "2026-01-02 10:00:00 INFO step\n"
LOG = (
    "It works. \n    return x\n\n10:00:01 ERROR it failed\n"
    + 4 * "It works. "
    + f"word {STEP}{STEP}"
)


@given(text=TEXTS)
@example(text="It works. \n\nIt works. é。" + 90 * "x")
@example(text="é。" + 260 * "x" + " It works. ")
@example(text=LOG)
@example(text="It works. " + 300 * "x" + ": it does. And " + 2 * (":" + 400 * "x") + "\nends. ")
@examples(500)
def test_forms_are_what_is_left_of_the_text(text: str) -> None:
    """Each form is shorter in parts, and its pieces between the gaps are in the text in order."""
    forms = list(Shortener(text).forms(sizes(len(text), 0.85, 1)))
    assert not forms or len(text) >= LEAST
    for form in forms:
        assert 0 < form.missing < form.total
        place = 0
        for piece in form.text.split(GAP):
            piece = piece.strip()
            place = text.index(piece, place) + len(piece)
    # Of lines, less room may let others stay, and more of them.
    in_order = not is_cut_by_lines(text)
    for longer, shorter in pairwise(forms):
        assert longer.text != shorter.text
        if longer.unit == shorter.unit:  # a sentence may fit where more words did not
            # An empty line is shorter than the gap in its place.
            gaps = max(0, shorter.text.count(GAP) - longer.text.count(GAP))
            assert not in_order or len(longer.text) + gaps >= len(shorter.text)
            assert longer.total == shorter.total
            # A line feed and the beginning of a word that nobody reads count as nothing.
            more = shorter.missing + ("x" * 200 in text)
            assert not in_order or longer.missing < more


def test_sentences_stay_whole() -> None:
    """Shorter forms of prose end after whole sentences, and "e.g." ends none."""
    text = "The first one is here. The second says e.g. Nothing. A third follows! And a last one."
    forms = Shortener(text).forms((75, 60, 25))
    assert [form.text for form in forms] == [
        "The first one is here. The second says e.g. Nothing. A third follows! …",
        "The first one is here. The second says e.g. Nothing. …",
        "The first one is here. …",
    ]
    assert next(text[:end] for end in sentence_ends(text)) == "The first one is here. "


def test_logs_keep_their_errors() -> None:
    """A shortened log keeps its error lines longest, and no more of the others than fit."""
    lines = [f"10:00:{n:02} INFO step {n}" for n in range(60)]
    lines[33] = "10:00:33 ERROR it failed"
    for most in (30, 60, 115):
        form = Shortener("\n".join(lines)).within(most)
        assert form is not None
        kept = form.text.split("\n")
        assert lines[33] in kept
        assert set(kept) <= {GAP, *lines}
        assert len(lines) - form.missing == len(kept) - kept.count(GAP)


def test_a_test_run_in_a_member_keeps_its_failure() -> None:
    """The output of a test run in a string is cut as a text is: its failure stays longest."""
    passed = [f"tests/test_part{n}.py::test_it PASSED" for n in range(60)]
    lines = [
        "===== test session starts =====",
        *passed[:40],
        "tests/test_sum.py::test_round FAILED",
        *passed[40:],
        "===== FAILURES =====",
        "_____ test_round _____",
        "    def test_round():",
        ">       assert total() == 10",
        "E       AssertionError: assert 11 == 10",
        "tests/test_sum.py:41: AssertionError",
        "===== 1 failed, 60 passed in 2.41s =====",
    ]
    data = {"exit_code": 1, "stdout": "\n".join(lines)}
    for budget in (100, 200, 400):
        kept = mckp.encode(data, budget=budget).text
        assert "AssertionError: assert 11 == 10" in kept
        assert "exit_code" in kept


def test_data_in_an_address_go_before_what_is_behind_them() -> None:
    """Data of an embedded picture go before the sentences after it."""
    text = (
        f"See ![plot](data:image/png;base64,{'iVBORw0K' * 90}) of May. It rose by 4 cm. Call Ines."
    )
    form = Shortener(text).within(120)
    assert form is not None
    head = "See ![plot](data:image/png;base64,iVBORw0KiVBORw0KiVBORw0K"
    assert form.text == f"{head}{GAP}) of May. It rose by 4 cm. Call Ines."
    assert form[1:4] == (1, len(text.split()), "words")
    form = Shortener(text).within(90)
    assert form is not None
    assert form.text == f"{head}{GAP}) of May. It rose by 4 cm. {GAP}"
    some = mckp.encode([{"id": 7, "note": text}], budget=60)
    assert "Call Ines" in some.text


def test_patches_keep_what_they_change() -> None:
    """A shortened patch keeps its changed lines."""
    changed = ["-    return parse(data)", "+    value = parse(data)", "+    return value"]
    lines = ["@@ -14,9 +14,10 @@ def load(path):", "     data = read(path)", "     if not data:"]
    lines += ["         return None", *changed, " ", " def save(path, value):", "     check(path)"]
    lines += ["@@ -40,4 +41,5 @@ class Store:", "     def get(self, key):", "+        lock(self)"]
    lines += ["         path = self.root / key", "         return load(path)"]
    form = Shortener("\n".join(lines)).within(150)
    assert form is not None
    assert set(changed) <= set(form.text.split("\n")) <= {GAP, *lines}


def test_code_keeps_heads() -> None:
    """Shortened code keeps the heads of functions."""
    code = "\n\n".join(f"def f{n}(x):\n    y = x + {n}\n    return y" for n in range(3))
    form = Shortener(code).within(90)
    assert form is not None
    assert all(f"def f{n}(x):" in form.text for n in range(3))


@pytest.mark.parametrize(
    ("text", "unit"),
    [("one two " * 30, "words"), ("x" * 1000, "characters"), ("short", None), ("x" * 90, None)],
)
def test_what_a_text_is_cut_into(text: str, unit: str | None) -> None:
    """A text is cut into words or characters, and a short one not at all."""
    forms = Shortener(text).forms(sizes(len(text), 0.85, LEAST))
    assert {form.unit for form in forms} == ({unit} if unit else set())


def test_the_longest_that_fits_is_clearly_shorter() -> None:
    """The form within a length is the longest that is clearly shorter, or none."""
    text = "One sentence is here. Another one is there. A third is nowhere at all."
    form = Shortener(text).within(30, LEAST)
    assert form is not None
    assert form.text == "One sentence is here. …"
    assert Shortener("x" * 90).within(50, LEAST) is None
    assert Shortener(text).within(60, LEAST) is None


@given(text=TEXTS, ratio=st.floats(0.3, 0.9))
@examples(300)
def test_forms_are_clearly_shorter(text: str, ratio: float) -> None:
    """Each form of a text is clearly shorter than all of it."""
    forms = list(Shortener(text).forms(sizes(len(text), ratio, LEAST), LEAST))
    lengths = [len(text), *(len(form.text) for form in forms)]
    assert all(shorter + LEAST <= len(text) for shorter in lengths[1:])
    assert all(0 < form.missing < form.total for form in forms)


def test_brackets_take_linear_time() -> None:
    """Lines of many brackets are looked at once, not in time with their square."""
    calls = ("f(" + ")" * 100_000 + "x\n") * 4
    begin = process_time()
    assert Shortener(calls).within(100_010)
    assert process_time() - begin < 2
    form = Shortener("f(x) ;\ng()\n\n" * 9).within(60)
    assert form is not None
    assert form.unit == "lines"


def test_a_greeting_is_followed_by_the_first_words_of_a_letter() -> None:
    """A shortened letter goes on after its greeting."""
    letter = (
        "Dear all,\n\nthe exam of next Monday has been moved to Tuesday at ten in room 4\n\nRegards"
    )
    form = Shortener(letter, is_markup=False).within(60)
    assert form is not None
    assert "moved to Tuesday" in form.text


MAIL = (
    '<html><body><style>p { x: 1 }</style><p class="first">Hello Anna,</p><p>the <b>ferry</b> at '
    'six is <a href="https://x.org/17">late</a>. Take the one at nine.</p><div>Quay Ltd</div>'
    "</body></html>"
)


@pytest.mark.parametrize("most", range(20, len(MAIL), 9))
def test_of_html_the_words_stay_longest(most: int) -> None:
    """Tags go before words, links last of them; each gap has a mark."""
    form = Shortener(MAIL).within(most)
    assert form is not None
    pieces = form.text.split("…")
    assert all(piece in MAIL for piece in pieces)
    if "<div>" in form.text:
        assert "nine." in form.text
        assert "https://x.org/17" in form.text


def test_html_cells_keep_what_they_say() -> None:
    """Of cells that begin with the same tags, the words stay, and no column has tags alone."""
    said = [f"{chr(65 + n)}{n * n % 37} is {('stuck', 'late', 'lost')[n % 3]}" for n in range(20)]
    rows = [
        {"id": n, "body": f'<div dir="auto" class=""><p style="margin:0;">{text}.</p></div>'}
        for n, text in enumerate(said)
    ]
    result = mckp.encode(rows, budget="60%")
    assert sum(text in result.text for text in said) >= 12
    assert "<p …" not in result.text


@pytest.mark.parametrize(
    "text",
    [
        "In a page, <b>bold</b> is for what matters most, and <i>italics</i> are for its titles.",
        '<port><id>22</id><state>open</state><name>ssh</name></port><port name="b">x y</port>',
        "def page(name):\n    return f'<p>{name}</p>'\n\n\ndef main():\n    print(page('x'))\n",
    ],
)
def test_what_is_no_html_is_shortened_as_before(text: str) -> None:
    """Tags within sentences, elements of XML and programs are no pages."""
    form = Shortener(text).within(44)
    assert form is None or not form.text.startswith("…")

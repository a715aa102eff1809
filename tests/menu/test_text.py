"""The menu of Markdown and plain text: whatever is selected, the text says it."""

from collections.abc import Iterator
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp import tokenizers
from mckp.answers.reading import document_kind
from mckp.answers.verify import check_text
from mckp.encoders import select
from mckp.menu.classes import Menu, MenuClass, Option
from mckp.menu.cuts.cuts import cuts
from mckp.menu.price import Prices
from mckp.menu.render import fragments, render
from mckp.menu.text import offer_text
from mckp.menu.weighing import Weighed
from mckp.parsers import parse
from mckp.tokenizers.fragment import is_fragment
from tests.cases import cases
from tests.menu.picks import draw_pick
from tests.parsers.strategies import documents, noise
from tests.strategies import TEXTS, examples

_SENTENCES = st.sampled_from([*cases(__file__, "_SENTENCES"), "x" * 210])
_LONG = st.lists(_SENTENCES, min_size=1, max_size=9).flatmap(
    lambda parts: st.sampled_from([" ", "\n", " ", "\n\n"]).map(lambda gap: gap.join(parts))
)


def _listed(parts: list[str]) -> str:
    return "\n".join(f"- {part}".replace("\n", "\n  ") for part in parts)


def _numbered(parts: list[str]) -> str:
    return "\n".join(f"{n}. [ ] {part}".replace("\n", "\n   ") for n, part in enumerate(parts, 3))


def _coded(text: str) -> str:
    return f"~~~ py\n{text}\n~~~"


_PARTS = st.lists(_LONG, min_size=1, max_size=5)
_BLOCKS = st.one_of(
    _LONG, _LONG, _PARTS.map(_listed), _PARTS.map(_numbered), _LONG.map(_coded), st.just("# Head")
)
LONG_DOCUMENTS = st.lists(_BLOCKS | documents, min_size=1, max_size=5).map("\n\n".join)
"""Documents with texts that are long enough to be shortened."""

ANYTHING = LONG_DOCUMENTS | documents | noise
LINES = st.lists(_SENTENCES | TEXTS | st.just(""), max_size=9).map("\n".join)
ENDS = st.sampled_from(["\n", "\n", "\r\n", "\r"])


def menu_of(text: str, kind: str, level: str = "native") -> Menu:
    """Return the menu of a text."""
    return offer_text(Weighed(parse(text, kind)), select(level), document_kind)


def classes_of(cls: MenuClass) -> Iterator[MenuClass]:
    yield cls
    for option in cls.options:
        if isinstance(option, Option):
            for child in option.children:
                yield from classes_of(child)


def check(data: st.DataObject, text: str, kind: str) -> None:
    """A random selection reads back as what it keeps, and its price is its count."""
    menu = menu_of(text, kind, data.draw(st.sampled_from(["standard", "dense"])))
    made = cuts(menu, Weighed(parse(text, kind)), Prices(tokenizers.get("o200k")), document_kind)
    pick = draw_pick(cast("st.DrawFn", data.draw), menu.root, made)
    parts = list(fragments(pick))
    written = "".join(parts)
    assert written == render(menu, pick)
    check_text(written, pick)
    for name in ("o200k", "cl100k"):
        counter = tokenizers.get(name)
        assert sum(counter.count_batch(parts)) == counter.count(written)


@given(text=ANYTHING, end=ENDS, data=st.data())
@examples(300)
def test_any_selection_of_markdown_reads_back(text: str, end: str, data: st.DataObject) -> None:
    """Any mixture of options, rows and cuts of Markdown reads back as what was kept."""
    check(data, text.replace("\n", end), "markdown")


@given(text=ANYTHING | LINES, end=ENDS, data=st.data())
@examples(300)
def test_any_selection_of_text_reads_back(text: str, end: str, data: st.DataObject) -> None:
    """Any mixture of options, rows and cuts of plain text reads back, whatever it looks like."""
    check(data, text.replace("\n", end), "text")


def test_a_log_is_one_class_of_lines() -> None:
    """Whatever its number of lines and paragraphs; the line that says what failed stays."""
    lines = [f"10:{n // 60:02}:{n % 60:02} INFO step {n}" for n in range(3000)]
    lines[1500] = "10:25:00 ERROR it failed"
    for text in ("\n".join(lines), "\n\n".join(lines)):
        assert len(list(classes_of(menu_of(text, "text").root))) == 1
    assert lines[1500] in mckp.encode("\n".join(lines), budget=200).text.split("\n")


def test_every_fragment_is_one() -> None:
    """Every fragment in the menu of a Markdown text may be priced alone."""
    text = "# A\n\n/etc is\n\n/var\n\n- /a\n- b\n\n| a |\n|---|\n| /x |\n\n```\n\n/q\n```\n"
    menu = menu_of(text, "markdown")
    for cls in list(classes_of(menu.root))[1:]:
        for option in cls.options:
            assert all(map(is_fragment, option.fragments))


def test_an_item_with_a_long_list_in_it_and_a_block_of_html_are_cut_by_lines() -> None:
    """Neither can be opened as Markdown, and nothing of them was left."""
    inner = "".join(f"    - Part {n} was moved to the second harbour today\n" for n in range(90))
    rows = "".join(f"<tr><td>{n}</td><td>Part {n}</td></tr>" for n in range(300))
    for text in (f"- All parts:\n{inner}", f"# Shop\n\nIntro text.\n\n<table>{rows}</table>\n"):
        cut = mckp.encode(text, kind="markdown", budget=400)
        assert 250 < cut.tokens <= 400

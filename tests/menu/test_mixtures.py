"""Whatever is taken from a menu, the text says it: mixtures and cuts read back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from mckp import tokenizers
from mckp.encoders import select
from mckp.menu import offer
from mckp.parsers import as_tree, parse
from mckp.parsers.python import from_python
from mckp.price import Prices
from mckp.reading import decode, document_kind
from mckp.render import Pick, fragments, rendered
from mckp.verify import check_text
from tests.parsers.strategies import documents, noise
from tests.strategies import TEXTS, VALUES, examples

if TYPE_CHECKING:
    from mckp.menu.base import Menu, MenuClass
    from mckp.tree import TreeNode


def menu_of(tree: TreeNode, formats: str = "native") -> Menu:
    """Return the menu in all formats, priced."""
    menu = offer(tree, select(formats), document_kind)
    Prices(menu, tokenizers.get("o200k"))
    return menu


def draw_pick(draw: st.DrawFn | Any, cls: MenuClass, path: tuple[str | int, ...] = ()) -> Pick:
    """Return a random decision for a class: any option, any children cut."""
    number = draw(st.integers(0, len(cls.options) - 1))
    option = cls.options[number]
    pick = Pick(cls, path, option)
    for child in option.children:
        below = (*path, child.key if child.key is not None else "")
        cut = draw(st.sampled_from([False, False, False, True]))
        pick.children.append(Pick(child, below, None) if cut else draw_pick(draw, child, below))
    if option.partial and pick.is_whole:
        pick.children[-1:] = [Pick(pick.children[-1].cls, (), None)]
    return pick


def check(draw: Any, tree: TreeNode) -> None:
    """A random decision reads back as what it kept, and its price is its count."""
    menu = menu_of(tree, draw(st.sampled_from(["standard", "dense"])))
    pick = draw_pick(draw, menu.root)
    text = rendered(pick, menu)
    check_text(text, pick)
    parts = list(fragments(pick))
    for name in ("o200k", "cl100k"):
        counter = tokenizers.get(name)
        assert sum(counter.count_batch(parts)) == counter.count(text)


@given(value=VALUES, data=st.data())
@examples(300)
def test_any_selection_of_data_reads_back(value: Any, data: st.DataObject) -> None:
    """Any mixture of formats and cuts of JSON reads back as what was kept."""
    check(data.draw, from_python(value))


@given(text=documents | noise, data=st.data())
@examples(300)
def test_any_selection_of_markdown_reads_back(text: str, data: st.DataObject) -> None:
    """Any mixture of formats and cuts of Markdown reads back as what was kept."""
    check(data.draw, parse(text, "markdown"))


@given(text=documents | noise | st.lists(TEXTS, max_size=6).map("\n".join), data=st.data())
@examples(200)
def test_any_selection_of_text_reads_back(text: str, data: st.DataObject) -> None:
    """Any cut of plain text reads back as what was kept, whatever it looks like."""
    check(data.draw, parse(text, "text"))


@given(text=st.lists(TEXTS, max_size=6).map("\n".join))
@examples(200)
def test_detected_kind_survives(text: str) -> None:
    """A text that is not JSON is read back as the kind it was taken for."""
    try:
        tree = as_tree(text)
    except ValueError:
        return
    menu = menu_of(tree)
    found = decode(rendered(Pick(menu.root, (), menu.root.options[0]), menu))
    assert found == (tree.value if tree.is_json else tree)

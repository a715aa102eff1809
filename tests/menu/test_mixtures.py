"""Whatever is taken from a menu, the text says it: mixtures and cuts read back."""

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from mckp import tokenizers
from mckp.answers.reading import decode, document_kind
from mckp.answers.verify import check_text
from mckp.encoders import select
from mckp.menu.classes import Menu
from mckp.menu.cuts.cuts import cuts
from mckp.menu.data import offer
from mckp.menu.price import Prices
from mckp.menu.render import Pick, cost, elisions, fragments, render
from mckp.menu.weighing import Weighed
from mckp.parsers import as_tree
from mckp.parsers.python import from_python
from mckp.tree import TreeNode
from tests.menu.picks import draw_pick
from tests.strategies import TEXTS, VALUES, examples
from tests.within import notes_in

NAMES = ("o200k", "cl100k")
LEVELS = st.sampled_from(["standard", "native", "dense", ["json"], ["flow"], ["kv"], ["kv", "csv"]])


def menu_of(tree: TreeNode, formats: Any) -> Menu:
    """Return the menu in some formats."""
    return offer(Weighed(tree), select(formats), document_kind)


@given(value=VALUES, formats=LEVELS, data=st.data())
@examples(300)
def test_any_selection_of_data_reads_back(value: Any, formats: Any, data: st.DataObject) -> None:
    """Any mixture of formats and cuts of JSON reads back as what was kept, and names the rest.

    Its price is its count, whatever the tokenizer.
    """
    prices = [Prices(tokenizers.get(name)) for name in NAMES]
    tree = from_python(value)
    menu = menu_of(tree, formats)
    made = cuts(menu, Weighed(tree), prices[0], document_kind)
    pick = draw_pick(cast("st.DrawFn", data.draw), menu.root, made)
    text = render(menu, pick)
    check_text(text, pick)
    gone = list(elisions(pick, prices[0], menu))
    assert sorted((hint.missing, hint.unit) for hint in notes_in(text)) == sorted(
        (cut.count, cut.kind) for cut in gone
    )
    for price, name in zip(prices, NAMES, strict=True):
        count = tokenizers.get(name).count(text)
        assert sum(price.of(fragments(pick))) == count
        if not any(
            child.missing_count for child in picked(pick)
        ):  # a hint's price is that of its longest
            assert cost(pick, price) == count


def picked(pick: Pick) -> list[Pick]:
    return [pick, *(inner for child in pick.children for inner in picked(child))]


@given(text=st.lists(TEXTS, max_size=6).map("\n".join))
@examples(200)
def test_detected_kind_survives(text: str) -> None:
    """The whole text of a tree reads back with the kind that was detected."""
    try:
        tree = as_tree(text)
    except ValueError:
        return
    menu = menu_of(tree, "native")
    decoded = decode(render(menu, Pick(menu.root, (), menu.root.options[0])))
    assert decoded == (tree.value if tree.is_json else tree)

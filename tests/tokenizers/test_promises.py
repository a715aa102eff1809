"""The promises for tokenizers whose counts add up everywhere, in part, or nowhere."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import mckp
from mckp.answers.reading import document_kind
from mckp.encoders import select
from mckp.menu.cuts.cuts import cuts
from mckp.menu.data import offer
from mckp.menu.price import Prices, price
from mckp.menu.render import Pick, kept_worth, render
from mckp.menu.tabulate import tabulate
from mckp.menu.weighing import weigh
from mckp.tokenizers import Tokenizer, get
from mckp.tokenizers.joints import joints_of
from mckp.tree import TreeNode
from tests.menu.picks import picks
from tests.strategies import KEYS, examples


class Tabs:
    """Counts as o200k, but a line feed and a TAB behind it are one token."""

    name, exact, additive = "tabs", True, True

    def count(self, text: str) -> int:
        return get("o200k").count(text) - text.count("\n\t")

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]


def with_start(text: str) -> int:
    """Count as o200k, and one more for the token with which a text begins."""
    return get("o200k").count(text) + 1


def thirds(text: str) -> int:
    """Count a token for every three characters, and one more."""
    return len(text) // 3 + 1


SENTENCES = st.integers(1, 5).map(lambda n: " ".join(f"It failed {k} times." for k in range(n)))


def held(value: Any) -> Any:
    """Return data: a text on its own is read as a document."""
    return [value] if isinstance(value, str) else value


FEW: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([1, "two", "\tx y z", [], None]) | SENTENCES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=4,
).map(held)
TOKENIZERS: dict[str, Callable[[], Tokenizer]] = {
    "spm": partial(get, "mistral_spm"),
    "tabs": Tabs,
    "start": partial(get, with_start),
    "thirds": partial(get, thirds),
    "estimate": partial(get, "claude_estimate"),
    "gemma": partial(get, "gemma3"),
}
MOST = 600


def all_figures(value: Any, formats: Any, tokenizer: Tokenizer) -> list[tuple[float, int]]:
    """Return worth and tokens of all selections there are, by writing each of them."""
    document = weigh(TreeNode.of(value), "facts", None, None, tokenizer)
    prices = Prices(tokenizer)
    menu = offer(document, select(formats), document_kind)
    price(menu, prices)
    tabulated = tabulate(menu, prices, cuts(menu, document, prices, document_kind))
    some = list(islice(picks(menu.root, tabulated.prices, tabulated.cuts), MOST))
    assume(len(some) < MOST)
    every = (*some, Pick(menu.root, (), None))
    return [(kept_worth(pick), tokenizer.count(render(menu, pick))) for pick in every]


@pytest.mark.parametrize("kind", TOKENIZERS)
@given(value=FEW, formats=st.sampled_from(["standard", ["kv"]]), part=st.floats(0.1, 1))
@examples(30)
def test_no_text_is_better_than_an_optimal_one(
    kind: str, value: Any, formats: Any, part: float
) -> None:
    """A text is within its budget; where it is called optimal, none of all is worth more."""
    tokenizer = TOKENIZERS[kind]()
    every = all_figures(value, formats, tokenizer)
    budget = int(part * max(tokens for _, tokens in every))
    try:
        result = mckp.encode(
            value, budget=budget, tokenizer=tokenizer, formats=formats, weights="facts"
        )
    except mckp.BudgetError:
        return
    assert result.tokens == tokenizer.count(result.text) <= budget
    if result.status == "optimal":
        due = max((worth for worth, tokens in every if tokens <= budget), default=0)
        assert result.value >= due - 1e-9


def test_where_counts_add_up() -> None:
    """The check finds where counts of parts add up, and where they do not."""
    assert joints_of(Tabs()).breaks == "\t"
    assert joints_of(get(with_start)).frame == 1
    assert joints_of(get(with_start)).adds_up
    assert not joints_of(get(thirds)).adds_up
    assert (joints_of(get("mistral_spm")).adds_up, joints_of(get("gemma3")).adds_up) == (
        False,
        True,
    )


def test_a_text_with_what_breaks_the_law_is_not_called_optimal() -> None:
    """Where counts do not add up, a result keeps its budget and is called feasible."""
    rows = [{"id": n, "name": f"name {n}", "note": "a\tb"} for n in range(40)]
    plain = [row | {"note": "a b"} for row in rows]
    assert mckp.encode(plain, budget=150, tokenizer=Tabs()).status == "optimal"
    text = "\n".join(f"\tvalue {n} of {n * 7}" for n in range(60))
    result = mckp.encode(text, budget=120, tokenizer=Tabs())
    assert (result.status, result.tokens <= 120) == ("feasible", True)
    assert (result.bound, result.gap) == (None, None)
    assert "feasible (no bound)" in result.summary()
    assert mckp.Result.from_dict(result.to_dict()) == result
    whole = mckp.encode(text, tokenizer=Tabs())
    assert (whole.value, whole.gap) == (whole.bound, 0)


def test_a_constant_frame_is_known() -> None:
    """A tokenizer with a constant frame gives the optimal text of the budget without the frame."""
    rows = [{"id": n, "name": f"name {n}"} for n in range(40)]
    result = mckp.encode(rows, budget=121, tokenizer=with_start)
    assert (result.status, result.text) == ("optimal", mckp.encode(rows, budget=120).text)

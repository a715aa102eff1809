"""Pictures are static, well formed, escaped, and as large as what they show."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest

import mckp
from mckp.choices import split_of

ODD = '<script>alert("&x")</script>'
DATA: dict[str, Any] = {
    ODD: [{"id": n, ODD: "word " * 9, "at": {"x": n}} for n in range(20)],
    "other": {"a": [1, 2, 3], "b": {"c": ODD}},
}


def page(shown: object) -> str:
    return str(getattr(shown, "_repr_html_")())  # noqa: B009


@pytest.mark.parametrize("budget", [None, 200, 60, 8])
@pytest.mark.parametrize("data", [DATA, 5, [], "# A\n\nText of it.\n\n- b\n- c\n"])
def test_pages_are_well_formed_and_escaped(data: Any, budget: int | None) -> None:
    """Pictures are well-formed, hold no script, and contain the whole text."""
    result = mckp.encode(data, budget=budget)
    for shown in (page(result), page(result.detached()), page(result.why("$"))):
        ElementTree.fromstring(f"<div>{shown}</div>".replace("<br>", "<br/>"))
        assert "<script" not in shown
    assert result.text in "".join(
        ElementTree.fromstring(f"<div>{page(result)}</div>".replace("<br>", "<br/>")).itertext()
    )


def nothing(_: str) -> int:
    return 0


def test_texts_of_no_tokens_have_pages() -> None:
    """A result whose tokenizer counts nothing has a picture."""
    assert "role='group'" in page(mckp.encode(DATA, budget=1, tokenizer=nothing))


@pytest.mark.parametrize("budget", [None, 200, 60])
def test_boxes_add_up(budget: int | None) -> None:
    """Formats share all tokens of a text, and the bar is no wider than the picture."""
    result = mckp.encode(DATA, budget=budget)
    assert sum(split_of(result.choices, result.tokens).values()) == result.tokens
    widths = re.findall(r"<i title='[^']*' style='width:([0-9.]+)%", page(result))
    assert widths
    assert sum(map(float, widths)) <= 100.1


def test_the_bar_before_is_the_source() -> None:
    """The tokens before are those of compact JSON; a result without plans does not know them."""
    result = mckp.encode(DATA, budget=100)
    reference = next(row.tokens for row in mckp.compare(DATA).rows if row.format == "json")
    assert f"source: {reference}" in page(result)
    assert "source:" not in page(result.detached())

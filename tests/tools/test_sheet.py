"""The sheet of encoders/tools and the code say the same."""

import json
import re
from typing import Any, Final

import pytest

from mckp import ParseError, ToolError, tokenizers
from mckp.menu.classes import Option
from mckp.menu.price import Prices
from mckp.menu.render import render, taken_pick
from mckp.tools import LEVELS, decode_tools, parse_tools
from mckp.tools.encode import identity
from mckp.tools.offer import Offer
from tests.cases import cases
from tests.sheets import ROOT

SHEET: Final = (ROOT / "encoders/tools/README.md").read_text(encoding="utf-8")
CASES: Final = re.findall(
    r"### ([^\n]+)\n\n```json\n(.*?)```\n\n```text\n(.*?)```\n", SHEET, re.DOTALL
)


def offer_of(tools: Any) -> Offer:
    given = tuple(parse_tools(tools))
    return Offer(given, Prices(tokenizers.get("o200k")), (1.0,) * len(given))


def written_at(offer: Offer, level: str) -> str:
    """Return all tools at a level, with what pays off to be written once."""
    menu = offer.at_level(level)
    opened = [
        option for option in menu.root.options if isinstance(option, Option) and option.children
    ]
    return render(menu, taken_pick(menu.root, opened[-1], offer.prices))


def test_no_case_is_missed() -> None:
    """The sheet has six cases, and all of them are run."""
    assert len(CASES) == SHEET.count("\n### ") == 6


@pytest.mark.parametrize(
    ("source", "text"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_cases_are_written_and_read_back(source: str, text: str) -> None:
    """Each case of the sheet is written as shown and reads back."""
    offer = offer_of(json.loads(source))
    assert written_at(offer, "full") == text
    decoded = decode_tools(text)
    assert list(map(identity, decoded)) == list(map(identity, offer.tools))


@pytest.mark.parametrize(
    "text",
    [
        *cases(__file__, "test_what_is_no_catalog_is_refused"),
        "[1 tools]\nnow=" + 9999 * "[",
        f"[{'9' * 5000} tools]\n",
        f"[1/{'9' * 5000} tools]\n",
        f"[1 tools]\nnow(page={'9' * 5000})\n",
    ],
)
def test_what_is_no_catalog_is_refused(text: str) -> None:
    """A text that is no catalog is an error."""
    with pytest.raises((ParseError, ToolError)):
        decode_tools(text)


def test_a_sign_before_many_digits_is_refused() -> None:
    """A shared text of an enormous number is an error."""
    with pytest.raises(ParseError, match="the shared text §9"):
        decode_tools(f"[1 tools]\nnow(): §{'9' * 5000}\n")


@pytest.mark.parametrize("odd", [5, None, ["[1 tools]"]])
def test_what_is_no_text_is_refused(odd: Any) -> None:
    """Input that is neither text nor bytes is an error."""
    with pytest.raises(TypeError, match="expected str or bytes"):
        decode_tools(odd)


def test_bytes_are_read_as_text() -> None:
    """Bytes are read as UTF-8, and others are an error."""
    (tool,) = decode_tools("[1 tools]\nnow(): Zeit für alle.\n".encode())
    assert tool.description == "Zeit für alle."
    with pytest.raises(ParseError, match="UTF-8"):
        decode_tools(b"[1 tools]\n\xff\n")


def test_the_ladder_is_that_of_the_code() -> None:
    """The levels of the sheet are those of the code, and its examples are what is written."""
    ladder = re.findall(r"^\| `(\w+)` \| [^|]+ \| `([^`]+)` \|$", SHEET, re.MULTILINE)
    source = {
        "name": "list_tags",
        "description": "List tags. Newest first.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "owner": {"type": "string"},
                "page": {"type": "integer", "description": "Which one"},
            },
            "required": ["owner"],
        },
    }
    offer = offer_of([source])
    assert set(dict(ladder)) == set(LEVELS) - {"full"}
    for level, example in ladder:
        assert level == "json" or written_at(offer, level).endswith(f"]\n{example}\n")

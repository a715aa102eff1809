"""What is the same member of one shape is weighed as one column, wherever a document has it."""

from typing import Any

import mckp
from mckp.weights.salience import Salience

SENTENCES = (
    "Read the gauge at each full hour and write the level down.",
    "Before the shift, check the lamp.",
    "If the level is above 4.2 m, call the harbour master.",
    "The key hangs left of the door.",
)
KINDS = ("paragraph", "heading", "list_item")


def block(number: int) -> dict[str, Any]:
    """Return a block of a page: its type says which member has the text."""
    kind, text = KINDS[number % 3], f"{SENTENCES[number % 4]} ({number})"
    words = {
        "type": "text",
        "text": {"content": text, "link": None},
        "style": {"bold": False, "code": False, "color": "default"},
        "plain_text": text,
    }
    body = {"rich_text": [words], "color": "default"}
    return {"id": f"b{number}", "type": kind, kind: body}


def test_constants_of_a_shape_go_before_texts() -> None:
    """A page of blocks keeps its sentences, once each, and no constant of its rich texts."""
    page = {"results": [block(number) for number in range(24)]}
    text = mckp.encode(page, budget="24%").text
    shown = [text.count(f"({number})") for number in range(24)]
    assert max(shown) == 1
    assert sum(shown) > 12
    rows = text.split("*}\n")[1].split("\n> ")[0]
    assert "color" not in rows
    assert "bold" not in rows


def test_a_member_in_one_place_is_weighed_as_before() -> None:
    """Equal names in containers of other names are members of their own."""
    weights = Salience()
    disk: Any = {"disk": {"state": "ok", "free_gb": 7}, "ids": [7, 9]}
    alone = weights.weigh_data(disk)
    both = weights.weigh_data({**disk, "queue": {"state": "slow", "jobs": [1, 2], "top": 3}})
    assert both[:2] == alone[:2]

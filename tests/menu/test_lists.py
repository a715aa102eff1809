"""Two lists never become one because what stands between them was cut."""

from collections.abc import Iterator

import pytest

import mckp

ONE = "- Anna, which came from the north with corn\n- Berta, which came from the south\n"
TWO = "- Carla, which sank in the storm of the winter\n- Dora, which sank at the pier\n"
LEAD = "Ships that sank and are of no more use to anybody, as has been said:\n"
STARS = ONE.replace("- ", "* ")
NUMBERS = [text.replace("- ", "1. ") for text in (ONE, TWO)]
TASKS = [text.replace("- ", "- [ ] ") for text in (ONE, TWO)]

TEXTS = {
    "paragraph": (ONE, LEAD, TWO),
    "short paragraph": (ONE, "So:\n", TWO),
    "numbers": (NUMBERS[0], LEAD, NUMBERS[1]),
    "tasks": (TASKS[0], LEAD, TASKS[1]),
    "quote": (ONE, "> Ships that sank.\n", TWO),
    "code": (ONE, "```sh\nmake ships\nmake more ships\n```\n", TWO),
    "rule": (ONE, "---\n", TWO),
    "two paragraphs": (ONE, LEAD, "And so on, as they say of all of them.\n", TWO),
    "three lists": (ONE, LEAD, TWO, "And those that came back:\n", ONE),
    "another list between": (ONE, STARS, TWO),
    "both": (ONE, LEAD, STARS, LEAD, TWO),
    "table": (ONE, "| ship | sank |\n|---|---|\n| Carla | yes |\n", TWO),
}


@pytest.mark.parametrize("head", ["", "# Ships\n\n"])
@pytest.mark.parametrize("name", TEXTS)
def test_lists_stay_apart(name: str, head: str) -> None:
    text = head + "\n".join((*TEXTS[name], "The end of what there is to say of ships.\n"))
    whole = mckp.encode(text, kind="markdown")
    blocks = list(_blocks(mckp.parse(text, "markdown")))
    longest = max(len(block.children) for block in blocks if block.kind.value == "list")
    seen = 0
    for budget in range(12, whole.tokens):
        result = whole.at(budget)
        left = list(_blocks(mckp.decode(result.text)))
        gone = sum(cut.count for cut in result.elided if cut.kind == "blocks" and len(cut.path) < 2)
        if not any(cut.path == () and head for cut in result.elided):
            assert len(left) + gone == len(blocks)
            seen += len(left) > 2
        assert all(len(block.children) <= longest for block in left if block.kind.value == "list")
    assert seen


def _blocks(node: mckp.TreeNode) -> Iterator[mckp.TreeNode]:
    for child in node.children:
        yield child
        if child.kind.value == "section":
            yield from _blocks(child)

"""What pages with sections keep first."""

import mckp
from mckp import tokenizers
from mckp.texts import outline

PAGE = (
    "# Moving the ledger\n\nStatus: in progress, owner Ida.\n\n## Conventions\n\n"
    + "".join(f"- Patterns to follow: rule {n} as in `ledger/file{n}.py`.\n" for n in range(12))
    + "\n## Overview\n\nThe ledger becomes a log; the cut-over is on 2026-04-19.\n\n## Units\n\n"
    + "".join(f"It is known that unit {n} covers what the others do not.\n" for n in range(20))
    + "\n## Conclusion\n\nGo for the log, and stop if three rows drift.\n"
)


def test_a_page_keeps_what_it_is_and_what_it_comes_to() -> None:
    """The first line, the overview and the conclusion stay before items that begin alike."""
    tokens = tokenizers.get("o200k").count(PAGE)
    text = mckp.encode(PAGE, budget=tokens // 4).text
    for said in ("owner Ida", "cut-over is on 2026-04-19", "stop if three rows", "## Units"):
        assert said in text
    assert text.count("Patterns to follow") <= 4


def test_lines_of_code_are_no_sections() -> None:
    """A comment in a fence is no heading, and what is below it is not raised."""
    page = "# A\n\nOne.\n\n```sh\n# Overview\nrun it all\n```\n\n## B\n\nTwo.\n"
    outlined = outline(page)
    assert outlined.kind == "markdown"
    assert outlined.worths[6] < outlined.worths[2]


TIMELINE = (
    "Incident 4471\n\nTimeline\n\n"
    + "".join(
        f"2026-05-18 {7 + n:02}:02  event {n} of the {('night', 'gateway', 'queue')[n % 3]}\n"
        f"    {7 + n:02}:10 {('Sato', 'Bauer')[n % 2]}: looked at the graphs, will report back\n"
        for n in range(12)
    )
    + "\nRoot cause\nA connection per fare was never closed.\n"
)


def test_a_timeline_keeps_its_events_and_says_nothing_twice() -> None:
    """What is said again goes first, and the line below a title that sums up stays."""
    outlined = outline(TIMELINE)
    rows = TIMELINE.split("\n")
    first, again, event = (rows.index(row) for row in (rows[5], rows[7], rows[6]))
    assert outlined.worths[again] < outlined.worths[first]
    assert outlined.worths[again] < outlined.worths[event]
    text = mckp.encode(TIMELINE, budget="20%").text
    assert "Root cause\nA connection per fare was never closed." in text


BLOCKS = "\n".join(
    f"Package: {chr(97 + n) * 3}tool\nStatus: install ok installed\nSize: {9 * n + 7}\n"
    f"Description: what p{n} does\n"
    f" It does what the others do not, and says so at length in words.\n And more of the same.\n"
    for n in range(20)
)


def test_blocks_keep_their_names_and_short_values() -> None:
    """A block is known by its first line; what most blocks have and long values go first."""
    text = mckp.encode(BLOCKS, budget="50%").text
    assert text.count("Package: ") == 20
    assert text.count("Size: ") > 10
    assert text.count("Status: ") + text.count("at length") <= 4

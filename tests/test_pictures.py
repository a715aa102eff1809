"""The pictures of the README are those that the library and the results give."""

import re
import runpy
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest

ROOT: Final = Path(__file__).parents[1]
MADE: Final = runpy.run_path(str(ROOT / "scripts/make_pictures.py"))
NAMES: Final = ("budget", "formats")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_the_one_that_is_made(name: str) -> None:
    """Each picture of the README is the one that the script makes now."""
    shown = (ROOT / f"docs/pictures/{name}.svg").read_text(encoding="utf-8")
    assert shown == MADE["MADE"][name]()
    assert ElementTree.fromstring(shown).tag.endswith("svg")
    assert "href" not in shown
    assert "currentColor" not in shown


def test_every_picture_is_shown() -> None:
    """The README or a guide shows each picture, with words for those who do not see it."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs/guides").glob("*.md"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    assert set(MADE["MADE"]) == set(NAMES)
    assert (ROOT / "docs/pictures/view.png").stat().st_size < 200_000
    for name in ("view.png", *(f"{name}.svg" for name in NAMES)):
        captions = re.findall(rf"!\[([^]]*)\]\((?:docs|\.\.)/pictures/{re.escape(name)}\)", text)
        assert captions, name
        assert min(map(len, captions)) > 20

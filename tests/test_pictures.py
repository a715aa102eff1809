"""The pictures of the README are those that the library and the results give."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT: Final = Path(__file__).parents[1]
NAMES: Final = ("budget", "formats")


@pytest.fixture(scope="module")
def made() -> ModuleType:
    """Load the script that draws them."""
    spec = importlib.util.spec_from_file_location("make", ROOT / "scripts/make_pictures.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_the_one_that_is_made(made: ModuleType, name: str) -> None:
    """The file is what the script writes, well formed and by itself."""
    shown = (ROOT / f"docs/pictures/{name}.svg").read_text(encoding="utf-8")
    assert shown == made.MADE[name]()
    assert ElementTree.fromstring(shown).tag.endswith("svg")
    assert "href" not in shown
    assert "currentColor" not in shown


def test_every_picture_is_shown(made: ModuleType) -> None:
    """The README or a guide shows each picture, with words for those who do not see it."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs/guides").glob("*.md"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    assert set(made.MADE) == set(NAMES)
    assert (ROOT / "docs/pictures/view.png").stat().st_size < 200_000
    for name in ("view.png", *(f"{name}.svg" for name in NAMES)):
        found = re.findall(rf"!\[([^]]*)\]\((?:docs|\.\.)/pictures/{re.escape(name)}\)", text)
        assert found, name
        assert min(map(len, found)) > 20

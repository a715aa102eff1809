"""What the pages on configuration and telemetry say is so."""

import tomllib
from pathlib import Path

import pytest

import mckp.agents.config
from mckp.agents.config import Config
from mckp.agents.config.config import SECTIONS

PAGES = Path(mckp.agents.config.__file__).parents[1]
TEXT = (PAGES / "config" / "README.md").read_text(encoding="utf-8")
ROWS = [line.split(" | ")[:2] for line in TEXT.split("\n") if line.startswith("| `")]
KNOBS = {key.strip("| `"): default.strip("`") for key, default in ROWS if "." in key}


def test_every_knob_is_on_the_page() -> None:
    """The page lists exactly the settings that the code reads."""
    names = {f"{name}.{key}" for name, keys in SECTIONS.items() for key in keys}
    assert names == {*KNOBS}


@pytest.mark.parametrize("key", [key for key in KNOBS if KNOBS[key][0] in '0123456789"[{tf'])
def test_defaults_on_the_page_are_those_of_the_code(key: str) -> None:
    """Each default on the page is that of the code."""
    said = KNOBS[key]
    section, name = key.split(".")
    config = Config.of_table({section: {name: tomllib.loads(f"x = {said}")["x"]}})
    assert config.telemetry == Config().telemetry
    assert config.settings.of("Read") == Config().settings.of("Read")

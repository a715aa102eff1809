"""What is left of settings, such as YAML, INI and lock files."""

from typing import Final

import pytest

import mckp
from mckp import tokenizers
from mckp.texts import kind_of

INI: Final = """\
; Settings of the ferry terminal
; A line that begins with a semicolon is a comment
[gate]
; Where the gate listens, which may be all interfaces
listen = 10.0.0.7
port = 7045
; How many lanes there are
lanes = 6

[tides]
; Who makes the tables, and for which pier
provider = bsh
station = 509E
; Hours between two updates
interval = 6

[signs]
; Which pier the sign hangs at, counted from the north
pier = 3
; How bright it is at night
brightness = 40
"""
YAML: Final = """\
# How the ferry terminal is run
# Read the handbook before you change anything here
services:
  # The gate opens when the ferry is moored
  gate:
    image: ferries/gate:4.2
    ports:
      - "7045:7045"
    environment:
      # Never the same as at another pier
      LANES: "6"
  # The sign says when the next ferry leaves
  sign:
    image: ferries/sign:1.9
    restart: always
    environment:
      # From 0 to 100
      BRIGHTNESS: "40"
"""
PACKAGES: Final = ("anchor", "beacon", "capstan", "davit", "ensign", "fender", "gangway", "halyard")
LOCK: Final = "version = 1\n" + "".join(
    f'\n[[package]]\nname = "{name}"\nversion = "{number}.4.1"\n'
    f'source = {{ registry = "https://ferries.example/simple" }}\n'
    'dependencies = [\n    { name = "rope" },\n]\nwheels = [\n'
    + "".join(
        f'    {{ url = "https://ferries.example/{name}-{number}-{system}.whl", '
        f'hash = "sha256:{number:04x}{name.encode().hex()}{system.encode().hex()}" }},\n'
        for system in ("linux", "macos", "windows")
    )
    + "]\n"
    for number, name in enumerate(PACKAGES, 1)
)


def left(text: str, share: float) -> str:
    """Return what is left of a text within a share of its tokens."""
    whole = tokenizers.get("o200k").count(text)
    return mckp.encode(text, budget=int(whole * share), kind="text").text


@pytest.mark.parametrize("text", [INI, YAML, LOCK], ids=["ini", "yaml", "lock"])
def test_comments_and_lists_do_not_hide_settings(text: str) -> None:
    """INI, YAML and lock files with comments and lists are recognized as settings."""
    assert kind_of(text) == "config"


def test_a_list_of_trains_with_prices_is_no_settings() -> None:
    """A list with colons in its items is not recognized as settings."""
    trains = "".join(
        f"G{n}(train: 24{n}) Oban -> Glasgow\n- first: {n} left\n- second: sold out\n"
        for n in range(100, 112)
    )
    assert kind_of(trains) != "config"


@pytest.mark.parametrize("text", [INI, YAML], ids=["ini", "yaml"])
def test_settings_stay_before_comments(text: str) -> None:
    """Settings are kept, and at most one comment."""
    shown = left(text, 0.5)
    comments = [line for line in shown.split("\n") if line.strip().startswith((";", "#"))]
    assert len(comments) <= 1
    assert sum(name in shown for name in ("7045", "lanes", "interval", "image", "restart")) >= 2


def test_a_setting_is_shown_below_its_section() -> None:
    """A setting is kept only with its section."""
    for share in (0.15, 0.25, 0.4):
        shown = left(INI, share)
        for name, section in (("port", "[gate]"), ("station", "[tides]"), ("pier =", "[signs]")):
            assert f"\n{name}" not in shown or section in shown


def test_a_lock_file_shows_names_and_versions_before_files_and_checksums() -> None:
    """A cut lock file keeps the name and version of each package, and no checksum."""
    shown = left(LOCK, 0.3)
    assert all(f'name = "{name}"' in shown for name in PACKAGES)
    assert shown.count("\nversion = ") >= len(PACKAGES)
    assert "sha256" not in shown

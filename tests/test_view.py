"""The page of a document says what `encode` says, is safe to open, and can be worked with."""

import base64
import gzip
import json
import random
import re
import time
from collections.abc import Callable, Iterator
from html import unescape
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

import mckp
from mckp import tokenizers
from mckp.display.page import View, file_text
from mckp.errors import DetachedError
from mckp.weights.leaves import facts
from tests.browser import BROWSER, DRIVER, WHY_NOT, Browser, browser
from tests.cli.conftest import Run

ROOT: Final = Path(__file__).parents[1]
BUILDS: Final = ROOT / "examples/builds.json"
RELEASE: Final = ROOT / "examples/release.md"
LOG: Final = "\n".join(f"step {n} of the build is done" for n in range(60))
CODE: Final = "def add(a: int, b: int) -> int:\n    return a + b\n\n\nLIMIT = 9\n" * 6
NESTED: Final = [
    {
        "id": n,
        "tags": [f"t{k}" for k in range(n % 4)],
        "at": {"x": n, "y": {"z": [n, {"w": "a" * n}]}},
    }
    for n in range(25)
]
HOSTILE: Final[dict[str, Any]] = {
    "<script>window.pwned = 1</script>": "</script><script>window.pwned = 2</script><!--",
    "turned": "abc \u202edef\u202c \u2066ghi\u2069 \u2028 \x00 \x1b[31m",
    "<img src=x onerror=window.pwned=3>": [{"<b>": "</pre><b>", "n": n} for n in range(9)],
    "hebrew": "שלום",
}
opened = pytest.mark.skipif(BROWSER is None or DRIVER is None, reason=WHY_NOT)


def shown(view: View) -> dict[str, Any]:
    match = re.search(r"id='data'>([^<]*)</script>", view.html)
    assert match is not None
    data: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(match[1])))
    return data


def response(items: int) -> str:
    """Return a response of an API, of some 550 bytes an item."""
    made = random.Random(5)

    names = ["tide", "harbour", "sensor", "preview", "runner", "charts", "update"]

    def words(count: int) -> str:
        return " ".join(made.choices(names, k=count))

    def item(n: int) -> dict[str, Any]:
        user = {"login": words(1), "id": made.randrange(10**6)}
        labels = [{"name": words(1)} for _ in range(made.randrange(3))]
        fields = {"id": 10**8 + 37 * n, "title": words(6), "state": made.choice(["open", "closed"])}
        return {**fields, "user": user, "labels": labels, "body": words(made.randrange(10, 90))}

    return json.dumps({"total": items, "items": [item(n) for n in range(items)]})


LONG: Final[list[Any]] = [BUILDS, RELEASE, LOG, CODE, NESTED, HOSTILE]
SHORT: Final[list[Any]] = [{}, 5, BUILDS]


@pytest.mark.parametrize(("data", "budget"), [*product(LONG, ["40%"]), *product(SHORT, ["300%"])])
def test_texts_are_those_of_encode(data: Any, budget: str) -> None:
    """The page has the texts and figures of `encode` at each budget and in all formats."""
    page = shown(mckp.encode(data, budget=budget).view())
    lines = page["lines"]
    for level in page["levels"]:
        for stop in level["stops"]:
            text = "".join(lines[n][0] for n in stop["lines"])
            if "floor" in stop:
                with pytest.raises(mckp.BudgetError, match=f" {stop['floor']} tokens"):
                    mckp.encode(data, budget=stop["budget"], formats=level["name"])
                continue
            result = mckp.encode(data, budget=stop["budget"], formats=level["name"])
            assert text.encode() == result.text.encode()
            assert stop["tokens"] == result.tokens
            assert stop["budget"] is None or stop["value"] == result.value
            for cut, (_, named, _) in zip(result.elided, stop["cuts"], strict=True):
                wanted = str(cut) if page["data"] else str(cut).removeprefix("$: ")
                assert wanted in named
    budgets = [stop["budget"] for stop in page["levels"][0]["stops"]]
    assert budgets[:-1] == sorted(set(budgets[:-1]))
    assert budgets[-1] is None
    assert budgets[page["start"]] == mckp.encode(data, budget=budget).budget


@pytest.mark.parametrize(
    "data", [json.loads(BUILDS.read_bytes()), NESTED], ids=["builds", "nested"]
)
def test_parts_are_in_a_text_if_it_has_them(data: Any) -> None:
    """A leaf is marked as kept at a budget exactly if its text has it."""
    page = shown(mckp.encode(data).view())
    parents = {parent for parent, *_ in page["parts"]}
    leaves = [number for number in range(len(page["parts"])) if number not in parents]
    assert len(leaves) == facts(data)
    for level in page["levels"]:
        for place, stop in enumerate(level["stops"]):
            text = "".join(page["lines"][n][0] for n in stop["lines"])
            marks = [page["patterns"][level["states"][leaf]][place] for leaf in leaves]
            there = mckp.decode(text) if stop["lines"] else mckp.ABSENT
            facts_left = 0 if there is mckp.ABSENT else facts(there)
            # An array of which nothing is left but its place counts as a fact of its own.
            assert 0 <= facts_left - sum(mark != "0" for mark in marks) <= text.count("[")


def test_cuts_of_markdown_are_named_by_their_lines() -> None:
    """The page names cuts of Markdown by their lines, and data in it by the lines they are in."""
    stops = shown(mckp.encode(RELEASE, budget="60%").view())["levels"][0]["stops"]
    named = " ".join(words for stop in stops for _, words, _ in stop["cuts"])
    assert "12 of 31 lines" in named
    assert '$["lines 7-16"]: 31 of 32 facts' in named
    assert "$" not in named.replace('$["lines 7-16"]', "")


def test_tokens_of_parts_are_counted() -> None:
    """Each part is counted as compact JSON, and the first one is the whole document."""
    page = shown(mckp.encode(BUILDS).view())
    count = tokenizers.get("o200k").count
    assert (
        page["parts"][0][2]
        == page["sourceTokens"]
        == count(json.dumps(json.loads(BUILDS.read_bytes()), separators=(",", ":")))
    )
    source = "".join(line for line, _ in page["source"])
    assert json.loads(source) == json.loads(BUILDS.read_bytes())
    assert all(parent < number for number, (parent, *_) in enumerate(page["parts"]))


def test_a_response_makes_a_page_of_less_than_a_megabyte() -> None:
    """A response of 100 KB has a page below half a megabyte, with about 30 budgets."""
    text = response(190)
    assert 95_000 < len(text) < 120_000
    begin = time.process_time()
    view = mckp.encode(text).view()
    assert len(view.html) < 500_000
    assert time.process_time() - begin < 30
    assert 25 <= len(shown(view)["levels"][0]["stops"]) <= 31


def test_notebooks_show_a_frame(tmp_path: Path) -> None:
    """A notebook shows the page in a frame, which is the page of a file."""
    view = mckp.encode(HOSTILE).view(title="<b>'&\"")
    frame = view._repr_html_()  # pyright: ignore[reportPrivateUsage]
    match = re.fullmatch(
        r"<iframe srcdoc='([^']*)' sandbox='allow-scripts' [^<>]*></iframe>", frame
    )
    assert match is not None
    view.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == view.html == unescape(match[1])
    assert "<b>" not in view.html
    with pytest.raises(DetachedError):
        mckp.encode(HOSTILE).detached().view()


def test_what_pages_are_made_of_is_small() -> None:
    """Script and style of the page are short, and the script sets no HTML."""
    sizes = {
        name: file_text(name).count("\n")
        for name in ("page.html", "view.html", "view.css", "view.js")
    }
    assert sizes["view.js"] <= 500
    assert sizes["view.css"] <= 200
    assert "innerHTML" not in file_text("view.js")


def test_the_command_writes_a_page(run: Run, tmp_path: Path, monkeypatch: Any) -> None:
    """`mckp view` writes a page, opens it on request, and refuses a terminal."""
    page = tmp_path / "page.html"
    assert run("view", str(BUILDS), "-o", str(page), "--budget", "200") == (0, b"", "")
    assert page.read_text("utf-8") == mckp.encode(BUILDS, budget=200).view(title="builds.json").html
    code, out, _ = run("view", "-", stdin='{"a": [1, 2]}')
    assert (code, out[:15]) == (0, b"<!doctype html>")
    asked: list[str] = []

    def opens(address: str) -> bool:
        asked.append(address)
        return len(asked) == 1

    monkeypatch.setattr("webbrowser.open", opens)
    assert run("view", str(BUILDS), "-o", str(page), "--open")[0] == 0
    assert asked == [page.as_uri()]
    code, _, error = run("view", "-", "--open", stdin="[1]")
    assert code == 1
    assert "no browser was found; open file://" in error
    monkeypatch.setattr("mckp.cli.streams.is_terminal", bool)
    code, _, error = run("view", str(BUILDS))
    assert code == 1
    assert error.endswith(
        "a page cannot be shown in a terminal; write it with -o FILE, or open it with --open\n"
    )


# ---- in a browser


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Any, int], Path]:
    folder = tmp_path_factory.mktemp("pages")

    def write(data: Any, budget: int) -> Path:
        file = folder / f"{len(list(folder.iterdir()))}.html"
        mckp.encode(data, budget=budget).view(title="page").save(file)
        return file

    return write


@pytest.fixture(scope="module")
def builds(pages: Callable[[Any, int], Path]) -> Path:
    return pages(BUILDS, 324)


TEXT: Final = "return document.querySelector('#left pre').textContent"
"""What the first pane says."""


LAST: Final = """
const slider = document.querySelector('#budget');
slider.value = slider.max;
slider.dispatchEvent(new Event('input'));
"""
"""Moves the slider to its end."""
ACTIVE: Final = """
const active = document.querySelector('#tree').getAttribute('aria-activedescendant');
return document.getElementById(active).ariaLabel;
"""
"""What a reader of screens says of the part that is active."""
STARTED: Final = """
return [...document.querySelectorAll('#tree .cut')]
  .find((part) => part.ariaLabel.includes('started')).id;
"""


def text_at(window: Browser, query: str) -> str:
    return str(window.run("return document.querySelector(arguments[0]).textContent", query))


@opened
def test_the_slider_moves_through_texts(window: Browser, builds: Path) -> None:
    """The slider, by mouse or arrows, shows the exact text of its budget and marks changes."""
    window.open(builds)
    assert window.run(TEXT) == mckp.encode(BUILDS, budget=324).text
    assert text_at(window, "#tokens") == "323 tokens"
    window.run("document.querySelector('#budget').focus()")
    window.press("Left")
    smaller = window.run(TEXT)
    assert len(smaller) < len(mckp.encode(BUILDS, budget=324).text)
    assert "since the previous budget" in text_at(window, "#left .changes")
    assert window.run("return document.querySelectorAll('.went-line, .l.changed').length") > 0
    window.run(LAST)
    assert window.run(TEXT) == mckp.encode(BUILDS).text
    assert text_at(window, "#number") == "nothing"
    assert window.run("return document.querySelectorAll('#tree .cut').length") == 0
    window.run("document.activeElement.blur()")
    window.press("Left", "Left")
    assert "100\u00a0%" not in text_at(window, "#kept")
    assert window.log() == []


@opened
def test_pointing_links_text_tree_and_source(window: Browser, builds: Path) -> None:
    """Pointing at a line lights up the same part in the text, tree and source."""
    window.open(builds)
    lit = "return [...document.querySelectorAll(arguments[0] + ' .on')].map(e => e.textContent)"
    window.hover("#left .l:nth-of-type(9)")
    assert window.run(lit, "#left pre") == ["812 passed linux-large 686 unit tests\n"]
    assert '      "id": 812,\n' in window.run(lit, "#right pre")
    assert window.run(lit, "#tree") == ["[0] 43"]
    assert text_at(window, "#said").startswith(
        "$.builds[0] is only partly in the text: it has a value of"
    )
    number = window.run(STARTED)
    window.hover(f"#{number} rect", click=True)
    assert " is cut: it has a value of" in text_at(window, "#said")
    assert len(window.run(lit, "#left pre")) == 1
    assert '"started"' in window.run(lit, "#right pre")[0]
    window.hover("#right .l:nth-of-type(2)")  # what was clicked stays
    assert '"started"' in window.run(lit, "#right pre")[0]
    window.press("Escape")
    window.hover("#cuts li")
    assert text_at(window, "#said").startswith("$.builds ")


@opened
def test_formats_are_switched(window: Browser, builds: Path) -> None:
    """Formats are switched by mouse or digits in both panes."""
    window.open(builds)
    for place, level in enumerate(("native", "standard", "dense", "json")):
        window.press(str(place + 1))
        assert window.run(TEXT) == mckp.encode(BUILDS, budget=324, formats=[level]).text
    window.hover("#right .switch label:nth-child(5)", click=True)
    beside = window.run("return document.querySelector('#right pre').textContent")
    assert beside == window.run(TEXT)
    window.press("v")
    assert window.run("return document.querySelector('#shade').checked")


@opened
def test_keys_move_in_the_tree(window: Browser, builds: Path) -> None:
    """Arrows go from part to part, and the names are there for readers of screens."""
    window.open(builds)
    window.run("document.querySelector('#tree').focus()")
    window.press("Down")
    assert window.run(ACTIVE).startswith("$, 1,107 tokens, written as kv, in part")
    window.press("Down", "Right")
    assert window.run(ACTIVE).startswith("$.branch, ")
    window.press(
        "Up", "Down", "Left", "Right", "Right", "Right", "Right", "Right", "Right", "Enter"
    )
    assert not window.run("return document.querySelector('#out').hidden")
    window.press("Backspace")
    assert window.run("return document.querySelector('#out').hidden")
    tree = window.tell("Accessibility.getFullAXTree", {})["nodes"]
    roles = {node.get("role", {}).get("value"): node for node in tree}
    assert {"slider", "tree", "treeitem", "radiogroup", "status", "heading"} <= roles.keys()
    label = window.run("return document.querySelector('#budget').ariaValueText")
    assert label == "323 tokens of a budget of 324 · 95\u00a0% of the value, proven to be the best"


@opened
def test_a_frame_of_a_notebook_is_drawn(window: Browser, tmp_path: Path) -> None:
    """The frame in a notebook shows the text without an error."""
    frame = mckp.encode(BUILDS, budget=324).view()._repr_html_()  # pyright: ignore[reportPrivateUsage]
    page = tmp_path / "notebook.html"
    page.write_text(f"<!doctype html><html data-ready='yes'><body>{frame}</body></html>", "utf-8")
    window.open(page)
    window.enter("iframe")
    window.wait("return document.documentElement.dataset.ready === 'yes'")
    assert window.run(TEXT) == mckp.encode(BUILDS, budget=324).text
    assert window.log() == []


@opened
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1400, 400])
def test_nothing_is_loaded_or_complained_of(
    window: Browser, builds: Path, width: int, dark: bool
) -> None:
    """A page fits its window, loads nothing else, and logs no error."""
    window.open(builds, width=width, dark=dark)
    assert window.run("return document.documentElement.scrollWidth") <= width
    assert window.log() == []
    assert window.requests() == [builds.as_uri()]


@opened
@pytest.mark.parametrize("scale", ["signs", "long", "keys"])
def test_hostile_documents_do_nothing(
    window: Browser, pages: Callable[[Any, int], Path], scale: str
) -> None:
    """Markup, signs and many keys of a document are shown as text, and no script runs."""
    data: Any = HOSTILE
    if scale == "long":
        data = {**HOSTILE, "long": random.Random(3).randbytes(100_000).hex()}
    elif scale == "keys":
        data = {f"</script> {n}": n for n in range(5000)}
    page = pages(data, 500)
    window.open(page)
    assert window.run("return window.pwned") is None
    assert window.run(TEXT) == mckp.encode(data, budget=500).text
    window.run(LAST)
    assert window.run(TEXT) == mckp.encode(data).text
    assert (
        window.run("return document.querySelectorAll('#left b, #left img, #left script').length")
        == 0
    )
    if scale == "signs":
        assert text_at(window, "#left .sign") == "\u202e"
        assert window.run("return document.querySelector('.sign').dataset.sign") == "U+202E"
    window.press("Left")
    assert window.log() == []
    assert window.requests() == [page.as_uri()]

"""The pages say what the library does, and the site is built from them."""

import doctest
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

import mckp
from mckp.agents.adapters.claude_code import persisted
from mckp.agents.host import HOSTS
from mckp.agents.messages import shares
from mckp.answers import primer
from mckp.jsontext import MAX_DEPTH
from mckp.parsers import piped
from mckp.recall import programs
from tests.shell import calls, codes

ROOT: Final = Path(__file__).parents[1]
GUIDES: Final = sorted((ROOT / "docs/guides").glob("*.md"))
README: Final = ROOT / "README.md"
ADAPTERS: Final = ROOT / "mckp/agents/adapters/README.md"
OTHERS: Final = [README, ROOT / "solvers/README.md", *(ROOT / "mckp/agents").glob("*/README.md")]
TEXTS: Final = {
    page.relative_to(ROOT).as_posix(): page.read_text("utf-8") for page in (*GUIDES, *OTHERS)
}
EXAMPLES: Final = [page for page, text in TEXTS.items() if ">>> " in text]
FETCHED: Final = re.compile(r'<(?:script|img|link rel="(?:stylesheet|preload|icon)")[^>]*="https?:')
FIGURE: Final = re.compile(
    r"(?<![\w.,#$-])\d(?:[\d.,]*\d)?\s(?:%|(?:(?:public|tool)\s)?(?:ms|[kMG]B|seconds|minutes|hours|"
    r"times|tokens|characters|lines|rows|documents|responses|outputs|sessions|options|builds)\b)"
)
"""A number with a unit."""
UNTRACED: Final = re.compile(r"(?ms)^```.*?^```|<!-- solvers.*?<!-- end -->|`[^`\n]*`")
"""Examples that run, tables that are made, and code."""
FRAMEWORKS: Final = ("langchain", "llama_index.core", "agents", "pydantic_ai")


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Pages are read at the root, and keep nothing in the home of who runs them."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("MCKP_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pydantic.PydanticDeprecatedSince20")
@pytest.mark.filterwarnings("ignore::pydantic.PydanticDeprecatedSince211")
@pytest.mark.parametrize("page", EXAMPLES)
def test_examples_run_as_shown(page: str) -> None:
    """All examples of a page run and give what it shows."""
    needed = ["bm25s"] if "usage=" in TEXTS[page] else []
    for name in FRAMEWORKS if ROOT / page == ADAPTERS else needed:
        pytest.importorskip(name)
    outcome = doctest.testfile(
        page, module_relative=False, encoding="utf-8", optionflags=doctest.ELLIPSIS
    )
    assert outcome.attempted == len(re.findall("(?m)^ *>>> ", TEXTS[page])) > 4
    assert outcome.failed == 0


@pytest.mark.parametrize("guide", GUIDES, ids=lambda page: page.stem)
def test_every_block_is_run(guide: Path) -> None:
    """Each block of code in a guide is a doctest or a shell command."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", guide.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert blocks
    assert {language for language, _ in blocks} <= {"python", "sh"}
    for language, block in blocks:
        assert language == "sh" or block.startswith(">>> ")


def test_shell_commands_run(tmp_path: Path) -> None:
    """All shell commands of README and guides run, except those that ask models or change hosts."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    pages = [page for page in (README, *GUIDES) if page.stem != "hosts"]  # see tests/hosts
    text = "\n".join(page.read_text("utf-8") for page in pages)
    shell = "\n".join(re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    commands = [line.split("#")[0] for line in re.findall(r"^mckp (.*)$", shell, re.MULTILINE)]
    commands_run = [line for line in commands if "--base-url" not in line]
    lines, errors = calls(commands_run, tmp_path)
    plan = ("ways: ", "questions: ", "to prove ")  # of mckp accuracy
    errors = "".join(line for line in errors.splitlines() if not line.startswith(plan))
    assert (codes(lines), errors) == ([0] * len(commands_run), "")
    assert len(commands_run) > 20


@pytest.mark.parametrize("page", [README, ADAPTERS], ids=["README", "adapters"])
def test_named_files_exist(page: Path) -> None:
    """Files and headings that pages link to exist."""
    text = page.read_text("utf-8")
    heads = {f"#{head.lower().replace(' ', '-')}" for head in re.findall(r"(?m)^#+ (.+)$", text)}
    links = {part.split(")")[0] for part in text.split("](")[1:]}
    local = [link for link in links - heads if not link.startswith("https://")]
    assert len(local) > 5
    assert [link for link in local if not (page.parent / link.split("#")[0]).exists()] == []


def test_before_and_after() -> None:
    """Figures and texts of the README are those that the library gives."""
    text = README.read_text(encoding="utf-8")
    data = Path("examples/builds.json").read_text(encoding="utf-8")
    rows = {row.format: row.tokens for row in mckp.compare(data).rows}
    prose = " ".join(text.split())
    assert f"it is {rows['json']:,} tokens" in prose
    assert f"writes it in {rows['mckp']} tokens" in prose
    shown = "{7}" + text.split("```text\n{7}")[1].split("```")[0]
    assert mckp.encode(data).text.startswith(shown)
    log = Path("examples/test-run.txt").read_text(encoding="utf-8")
    assert f"of {log.count(chr(10))} lines and {mckp.encode(log).tokens:,} tokens" in prose
    assert f"```text\n{mckp.encode(log, budget='10%').text}```" in text


def test_depth_is_that_of_the_parser() -> None:
    """The README names the depth that is refused; sizes and memory are in a marked line."""
    assert f"nested deeper than {MAX_DEPTH} levels is" in README.read_text(encoding="utf-8")


def test_figures_have_a_source() -> None:
    """Each figure in the prose of README and guides is that of a stored run or of the code."""
    texts, mixes = read("text-recall"), read("tokenizer-formats")
    log = Path("examples/test-run.txt")
    sizes = {row.format: row.tokens for row in mckp.compare(Path("examples/builds.json")).rows}
    sources = {
        f"{sizes['json']:,} tokens",
        f"{sizes['mckp']} tokens",
        f"{len(mckp.parse(Path('examples/builds.json')).value['builds'])} builds",
        f"{len(log.read_text('utf-8').splitlines())} lines",
        f"{mckp.encode(log).tokens:,} tokens",
        f"{texts['outputs']} tool outputs",
        f"{mixes['documents']} public responses",
        f"{sum(row['documents'] for row in read('end-to-end')['rows']) // 2} documents",
        f"{100 * max(row['mix_by_o200k'] for row in mixes['rows']) - 100:.2f} %",
        f"{primer.MOST_TOKENS} tokens",
        "90 tokens",  # of `encoder.instruction`, tests/test_primer.py
        f"{persisted.SHOWN_CHARS:,} characters",
        "2 kB",  # shown by Claude Code, mckp/agents/adapters/claude_code/persisted.py
        f"{HOSTS['codex'].hook_tokens:,} tokens",
        "4,000 tokens",  # the budget of the commands beside it
        *(f"{budget} tokens" for budget in ("400", "1,500", "3,000", "12,000")),
        "50 sessions",  # the default of `mckp discover`
        f"{shares.LEAST} tokens",
        "13 tokens",  # of the note with a handle that is shown beside it
        f"{piped.FEWEST_ROWS} rows",
        f"{programs.SECONDS:g} seconds",
        "57 rows",  # of the sign `labels[57]`
        "100,000 documents",  # advice on the size of files, no measurement
    }
    pages = [README.read_text("utf-8"), *(page.read_text("utf-8") for page in GUIDES)]
    prose = " ".join(UNTRACED.sub("", page) for page in pages)
    assert {" ".join(figure.split()) for figure in FIGURE.findall(prose)} == sources


def test_figures_of_benches_and_solvers_have_a_source() -> None:
    """Their prose quotes stored runs, settings of the benches, and limits; tables are made."""
    latency, growth = read("mcp-latency"), read("blowups")["rows"]
    assert max(latency["load"]) < 1  # "load below 1"
    assert max(row["seconds"] for row in growth) < 1.5  # "about a second"
    assert max(row["mb"] for row in growth) < 100  # "less than 100 MB"
    assert max(row["gap"] for row in growth) < 0.001  # "a gap below .1 %"
    sources = {
        f"{latency['size'] / 1000:.0f} kB",
        f"{read('mcp-servers')['limit']} tokens",
        f"{read('formats-corpus')['tokenizers']['o200k']['responses']['documents']} responses",
        "95 %",  # of intervals
        "25 ms",  # an aim, as 5 ms
        "5 ms",
        "24 tokens",  # the least budget of `use_recall.py`
        "64 tokens",  # the least of a result, mckp/agents/mcp
        "1,000 tokens",  # a limit of `mcp_latency.py`
        "1,200 tokens",  # a limit of `mcp_servers.py`
        "100 MB",
        "10 seconds",  # the limit of `solver_grid.py`
        "50 %",  # budgets of `solver_grid.py`, as 75 %
        "75 %",
        "12 options",  # sizes of `solver_grid.py`, as 7 options
        "7 options",
    }
    pages = [
        (ROOT / page).read_text("utf-8") for page in ("benches/README.md", "solvers/README.md")
    ]
    prose = " ".join(re.sub(r"(?m)^\|.*$", "", UNTRACED.sub("", page)) for page in pages)
    assert {" ".join(figure.split()) for figure in FIGURE.findall(prose)} - {"1 %"} == sources
    documents = [read(name)["documents"] for name in ("binary-knapsack", "binary-knapsack-public")]
    assert f"({documents[0]} of the records of uses)" in " ".join(prose.split())
    assert f"for all {documents[1]} recorded results" in " ".join(prose.split())


def test_claims_in_words_hold() -> None:
    """What README and guides say of figures without a number or unit follows from stored runs."""
    prose = " ".join(UNTRACED.sub("", README.read_text("utf-8")).split())
    shares = read("use-recall")["shares"].values()
    ways = {
        name: [
            share[f"{name}, default" if name != "mckp" else "mckp default"]["recall"]
            for share in shares
        ]
        for name in ("mckp", "greedy", "random")
    }
    exact = [ours - greedy for ours, greedy in zip(ways["mckp"], ways["greedy"], strict=True)]
    worth = [ours - none for ours, none in zip(ways["mckp"], ways["random"], strict=True)]
    assert "Most of the gain comes from mckp's estimate of what matters" in prose
    assert "Choosing exactly instead of greedily adds little." in prose
    assert max(exact) < 0.03 < min(worth)
    both_ways = {(row["mode"], row["kind"]): row for row in read("end-to-end")["rows"]}
    asked = [row["right"] + row["right by judge"] for row in both_ways.values()]
    assert asked == [row["questions"] for row in both_ways.values()]
    less = [
        100 * (1 - both_ways["mckp", kind]["in all"] / both_ways["shell", kind]["in all"])
        for kind in ("data", "text")
    ]
    assert "it used 23% fewer tokens on data, but 5% more on text" in prose
    assert list(map(round, less)) == [23, -5]
    responses = read("formats-corpus")["tokenizers"]["o200k"]["responses"]["formats"]
    others = [
        way["ratio"]
        for name, way in responses.items()
        if name != "json" and not name.startswith("mckp")
    ]
    assert f"the shortest of {len(others)} " in prose
    hosts = re.findall(r"(?m)^## ", (ROOT / "docs/guides/hosts.md").read_text("utf-8"))
    assert len(hosts) == 5 + 5
    formats = (ROOT / "docs/guides/formats.md").read_text("utf-8")
    assert re.search(r"twelve\s+other\s+tokenizers", formats)
    assert len(read("tokenizer-formats")["rows"]) == 1 + 12


@pytest.mark.slow
def test_a_long_log_keeps_its_error_and_fills_its_budget() -> None:
    """Of ten thousand ordinary lines and one error, the error and the ends stay, then the rest."""
    lines = [f"12:00:{n % 60:02} step {n} of the build\n" for n in range(10_000)]
    lines[6000] = "error: no space left\n"
    result = mckp.encode("".join(lines), budget=2000)
    assert "error: no space left" in result.text
    assert all(lines[place] in result.text for place in (0, 4096, 9999))
    assert 1900 < result.tokens <= 2000


def read(name: str) -> dict[str, Any]:
    path = ROOT / f"benches/results/{name}.json"
    results: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return results


@pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("sphinx", "myst_parser", "furo")),
    reason="needs the group docs",
)
def test_the_site_is_built(tmp_path: Path) -> None:
    """No link is broken, no name unknown, no page forgotten, and none fetches from elsewhere."""
    out = tmp_path / "site"
    options = ["-q", "-W", "--keep-going", "-c", "docs", "-d", str(tmp_path / "trees")]
    command = [sys.executable, "-m", "sphinx", *options, "-b", "html", ".", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    pages = list(out.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert FETCHED.findall(text) == [] == re.findall('<img(?![^>]* alt="[^"])[^>]*>', text)
        assert (text.count("<h1"), text.count('<meta name="description"')) == (1, 1), page
        is_paper = page == out / "paper/mckp.html"  # which Typst writes
        brand = r'class="sidebar-brand" href="(#|(\.\./)*index\.html)"'
        assert is_paper or re.search(brand, text), page
    for style in out.rglob("*.css"):
        assert not re.search(r"(url\(|@import )[\"']?(https?:)?//", style.read_text("utf-8")), style
    assert "mckp.encode" in (out / "docs/api/mckp.html").read_text(encoding="utf-8")
    front = (out / "index.html").read_text(encoding="utf-8")
    slider = json.loads(re.findall('<script type="application/json">(.*?)</script>', front)[0])
    for panel in slider["panels"]:
        for stop, tokens in zip(slider["stops"], panel["tokens"], strict=True):
            share = int(stop.removesuffix(" %")) if stop.endswith(" %") else 100
            assert tokens <= share * panel["tokens"][0] / 100, (panel["name"], stop)
        assert f"{panel['tokens'][slider['stops'].index('20 %')]:,}</b>" in front

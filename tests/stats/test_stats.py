"""Figures add up, and the page and the command show them."""

import json
from pathlib import Path
from typing import Any

import pytest

from mckp.agents.session import Session, SessionSettings
from mckp.agents.stats import caption_of, figures, gain_rows, gains, page
from mckp.agents.telemetry import Event, Recorder
from mckp.agents.telemetry.costs import ModelPrices
from tests.cli.conftest import Run

HOUR = 3_600_000
LOG = "\n".join(f"step {n} of the build is done" for n in range(60))


def event(tool: str, before: int, after: int, **more: Any) -> Event:
    facts: dict[str, Any] = {"session_hash": "a" * 16, "ts_ms": HOUR}
    facts |= {"tool_name_anon": tool, "tokens_baseline": before}
    return Event.from_dict({**facts, "tokens_final": after, **more})


EVENTS = [
    event("Read", 1000, 600),
    event("Read", 1000, 10, is_dedup_hit=True),
    event("mcp__pabc__list", 4000, 500, tokens_cut=3000, session_hash="c" * 16, ts_ms=2 * HOUR),
    event("Bash", 100, 105, ts_ms=5 * HOUR),
]


def test_figures_add_up() -> None:
    """What came is what was delivered, saved and cut; shares have their own wholes."""
    counted = figures(EVENTS)
    total = counted.total
    assert (total.baseline, total.final, total.cut) == (6100, 1215, 3000)
    said = counted.to_dict()
    assert said["dedup_savings_pct"] == 100 * 990 / 6100
    assert said["encoder_savings_pct"] == 100 * 895 / 5100
    assert said["combined_savings_pct"] == 100 * 1885 / 6100
    assert (said["sessions"], said["responses"], said["hits"]) == (2, 4, 1)
    assert list(counted.tools) == ["mcp__pabc__list", "Read", "Bash"]
    sessions = figures(EVENTS, by="session")
    assert {key: sums.baseline for key, sums in sessions.tools.items()} == {
        "c" * 16: 4000,
        "a" * 16: 2100,
    }
    assert figures(EVENTS, since_ms=3 * HOUR).total.baseline == 100
    assert json.loads(json.dumps(said)) == said


def test_figures_are_by_kind_too_where_that_was_recorded() -> None:
    """Figures are summed by the kinds of content that were recorded."""
    log, text = event("Bash", 900, 300, content="log"), event("Bash", 90, 30, content="a b/c")
    counted = figures([log, text, event("Read", 50, 50)])
    assert {kind: sums.baseline for kind, sums in counted.kinds.items()} == {
        "log": 900,
        "other": 90,
    }
    assert ">log<" in page("x", "", counted)
    assert counted.to_dict()["kinds"]["log"]["final"] == 300


def test_figures_are_by_agent_and_by_way_of_sending() -> None:
    """Figures are summed by agent and by way, and count characters and compactions."""
    events = [
        event("Read", 900, 300, agent="main", partition=0, characters=9, way="raw"),
        event("Read", 90, 30, agent="main", partition=2, characters=1, way="hint_near"),
        event("Read", 50, 50, agent="b" * 16, partition=1, characters=5),
    ]
    by = {name: figures(events, by=name).tools for name in ("agent", "way")}
    assert {name: sums.baseline for name, sums in by["agent"].items()} == {
        "main": 990,
        "sub-agents": 50,
    }
    assert list(by["way"]) == ["raw", "hint_near", "not recorded"]
    counted = figures(events)
    assert (counted.characters, counted.compactions) == (15, 3)
    assert "3 results, 15 characters, of 1 session (contexts emptied 3 times)" in caption_of(
        counted
    )


def test_the_page_is_one_file() -> None:
    """The page of figures is escaped and loads nothing."""
    text = page("x", "", figures([event("<b>x", 9, 3)]))
    assert "<b>x" not in text
    assert "&lt;b&gt;x" in text
    assert "<script" not in text
    assert "http:" not in text
    assert "https:" not in text
    assert "script-src 'none'" in text
    assert caption_of(figures([])) == "no results were recorded"


def test_the_command_shows_what_a_session_wrote(tmp_path: Path, run: Run) -> None:
    """`mckp stats` shows the savings of a session, by kind, session and way."""
    settings = SessionSettings(salt="ours")
    session = Session(settings, on_event=Recorder(tmp_path, "a" * 16).record)
    for _ in range(2):
        session.add(tool="mcp__ci__read_log", text=LOG)
    code, out, err = run("stats", str(tmp_path), "--json")
    said = json.loads(out)
    assert (code, err) == (0, "")
    assert (said["responses"], said["hits"]) == (2, 1)
    assert said["baseline"] == session.savings.baseline
    assert said["combined_savings_pct"] == session.savings.combined_savings_pct
    code, out, _ = run("stats", str(tmp_path))
    assert code == 0
    assert b"by kind of result" in out
    assert b"read_log" in out
    code, out, _ = run("stats", str(tmp_path), "--by", "session")
    assert (code, b"read_log" in out) == (0, False)
    code, out, _ = run("stats", str(tmp_path), "--by", "session", "--json")
    [(name, session_figures)] = json.loads(out)["by_session"].items()
    assert (len(name), session_figures["responses"], session_figures["hits"]) == (16, 2, 1)
    ways = json.loads(run("stats", str(tmp_path), "--by", "way", "--json")[1])["by_way"]
    assert list(ways) == ["hint_exact", "raw"]
    html = tmp_path / "page.html"
    code, out, _ = run("stats", str(tmp_path), "--days", "3", "--html", str(html))
    assert (code, out) == (0, b"")
    assert html.read_text("utf-8").startswith("<!doctype html>")


def test_no_telemetry_is_an_error(tmp_path: Path, run: Run) -> None:
    """Without telemetry, the error names the option that writes it."""
    code, _, err = run("stats", str(tmp_path / "nothing"))
    assert code == 1
    assert "--telemetry" in err


def test_no_results_are_an_error(tmp_path: Path, run: Run) -> None:
    """A table of nothing would say nothing; whoever wants JSON or a page gets the zeros."""
    code, out, err = run("stats", str(tmp_path))
    assert (code, out) == (1, b"")
    assert err == f"mckp: error: no results were recorded in {tmp_path}\n"
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "a.jsonl").write_text("no event\n", "utf-8")
    _, _, err = run("stats", str(tmp_path), "--days", "1")
    assert f"results of the last 1 day were recorded in {tmp_path}; 1 line could not be read" in err
    code, out, err = run("stats", str(tmp_path), "--json")
    assert (code, err, json.loads(out)["responses"]) == (0, "", 0)
    file = tmp_path / "page.html"
    assert run("stats", str(tmp_path), "--html", str(file))[::2] == (0, "")
    assert "no results were recorded" in file.read_text("utf-8")


@pytest.mark.parametrize("name", ["[/x]", "[red]x", ":smile:"])
def test_names_are_no_markup(run: Run, tmp_path: Path, name: str) -> None:
    """Names of tools with markup characters are written as they are."""
    (tmp_path / "events").mkdir()
    line = json.dumps(event(name, 100, 50).to_dict())
    (tmp_path / "events" / "a.jsonl").write_text(line, "utf-8")
    code, out, _ = run("stats", str(tmp_path))
    assert code == 0
    assert name in out.decode()


def test_gains_are_in_dollars() -> None:
    """Each result is written to the cache once, and read by a request for each that follows."""
    prices = ModelPrices({"*": 1_000_000.0}, write=2.0, read=1.0)
    by_day = gains(EVENTS, prices)
    assert list(by_day) == ["1970-01-01"]
    a = 1000 * 4.0 + 1000 * 3.0 + 100 * 2.0  # three results of one session, and one of another
    assert by_day["1970-01-01"].cost.before == a + 4000 * 2.0
    by_session = gains(EVENTS, prices, by="session")
    assert list(by_session) == ["a" * 16, "c" * 16]
    assert by_session["a" * 16].cost.saved == 400 * 4.0 + 990 * 3.0 - 5 * 2.0
    assert gains(EVENTS, prices, since_ms=3 * HOUR)["1970-01-01"].cost.before == 200.0
    assert set(gains(EVENTS, prices, by="tool")) == {"Read", "list @abc", "Bash"}
    assert gain_rows(by_day)[-1][:3] == ["all", "4", "6,100"]
    assert "$ saved" in page("x", "", figures(EVENTS), days=(by_day, prices))


def test_the_command_gain(run: Run, tmp_path: Path) -> None:
    """`mckp gain` shows savings by day with a price, and by session as JSON."""
    for recorded in EVENTS:
        Recorder(tmp_path, recorded.session_hash).record(recorded)
    code, out, _ = run("gain", str(tmp_path), "--price", "5")
    assert code == 0
    assert b"1970-01-01" in out
    assert b"$5 per million tokens" in out
    plain = json.loads(run("gain", str(tmp_path), "--by", "session", "--json")[1])
    assert plain["gains"]["c" * 16]["before"] == 4000
    assert run("gain", str(tmp_path), "--days", "1")[0] == 1

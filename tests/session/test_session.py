"""What a session promises beside the references themselves."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mckp import tokenizers
from mckp.agents.config import Habits
from mckp.agents.messages import ToolPolicy
from mckp.agents.session import Delivery, Reader, Session, SessionSettings
from mckp.agents.telemetry import Event
from mckp.encoders.hints import TextLabel, read_label
from mckp.errors import BudgetError, ConfigError, ParseError, PathError
from mckp.jsontext import dump

LOG = "\n".join(f"10:{n:02d} step {n} of the build is done" for n in range(20))
JOBS = [{"id": n, "status": "passed", "branch": f"fix/{n}"} for n in range(30)]
DATA = json.dumps({"total": 30, "jobs": JOBS}, indent=1)


@pytest.mark.parametrize("knob", [{"lru_size": 0}, {"formats": []}, {"min_body_chars": -1}])
def test_bad_knobs_are_refused(knob: dict[str, Any]) -> None:
    """A setting out of its range is an error that names it."""
    with pytest.raises(ValueError, match=next(iter(knob))):
        SessionSettings(**knob)


def test_settings_are_plain_data() -> None:
    """Settings survive JSON."""
    settings = SessionSettings(
        formats=("csv", "json"),
        policies={"a": ToolPolicy(priorities={"b": 2.0}, leave=False)},
    )
    assert SessionSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings


def test_a_tool_may_be_left_out() -> None:
    """Results of a tool that is switched off stay as they are."""
    session = Session(SessionSettings(policies={"Bash": ToolPolicy(references=False)}))
    deliveries = [session.add(tool="Bash", text=LOG) for _ in range(2)]
    assert [delivery.text for delivery in deliveries] == [LOG, LOG]


def test_errors_and_short_results_come_as_they_are() -> None:
    """Failed results stay as they are, and short ones get no number."""
    session = Session()
    for _ in range(2):
        assert session.add(tool="Bash", text=LOG, is_error=True).text == LOG
        assert session.add(tool="Bash", text="done").number is None


def test_the_first_reference_of_a_context_is_explained() -> None:
    """The first reference after the start or a compaction has a line that explains it."""
    session = Session()
    for _ in range(2):
        session.add(tool="Bash", text=LOG)
        deliveries = [session.add(tool="Bash", text=LOG) for _ in range(3)]
        assert ["\n" in delivery.text for delivery in deliveries] == [True, False, False]
        session.compact()


PIPELINE = {
    "log": [f"2024-05-01 10:02 see https://x.org/build/{n}" for n in range(20)],
    "sha": "9fceb02d0ae598e95dc970b74767f19372d61af8",
}


def test_phrases_are_written_only_where_they_are_asked_for() -> None:
    """A session writes phrases only on request."""
    text = json.dumps(PIPELINE)
    delivery = Session().add(tool="ci", text=text)
    assert delivery.name != "dense"
    assert "phrases" not in delivery.text
    dense = Session(SessionSettings(formats="dense")).add(tool="ci", text=text)
    assert "phrases" in dense.text
    assert Reader().read(dense.text) == PIPELINE


def test_a_request_says_what_is_kept() -> None:
    """The row that a request asks for is kept, unless requests are not heeded."""
    rows = [{"id": n, "state": "done", "note": f"step {n} of them"} for n in range(60)]
    text, asked = json.dumps(rows), "what is the note of step 47?"
    with_it = Session().add(tool="jobs", text=text, budget=60, request=asked)
    assert str(rows[47]["note"]) in with_it.text
    without = Session(SessionSettings(heeds_request=False))
    plain = Session().add(tool="jobs", text=text, budget=60)
    assert without.add(tool="jobs", text=text, budget=60, request=asked) == plain


def test_without_labels_nothing_is_referred_to() -> None:
    """A reference to a text without a number would say nothing."""
    session = Session(SessionSettings(labels=False))
    deliveries = [session.add(tool="Bash", text=LOG) for _ in range(2)]
    assert [delivery.text for delivery in deliveries] == [LOG, LOG]
    assert session.add(tool="ci", text=DATA).text.startswith("> [as compact]\n")


def test_everything_can_be_recalled() -> None:
    """All of a cut result can be recalled, whole or by path."""
    session = Session(SessionSettings(near_ref_enabled=True))
    cut = session.add(tool="ci", text=DATA, budget=80)
    assert cut.elided
    assert cut.tokens <= 80
    assert cut.text.startswith("> [#1 as compact]")
    assert session.recall("#1") == session.recall(1) == DATA
    assert session.recall(1, "$.jobs[29].branch") == "fix/29"
    assert session.recall(1, "$.jobs[28:].id") == [28, 29]
    with pytest.raises(PathError, match="#7"):
        session.recall(7)


def test_what_was_cut_is_no_repeat_of_the_whole() -> None:
    """With more room, more is sent; with as much, a reference says as much."""
    session = Session()
    session.add(tool="ci", text=DATA, budget=80)
    assert session.add(tool="ci", text=DATA, budget=80).layer == "L0"
    assert session.add(tool="ci", text=DATA).layer == "L2"
    assert not session.add(tool="ci", text=DATA).elided


def test_a_delta_says_more_than_a_cut() -> None:
    """A delta that fits the budget goes before a cut."""
    session = Session(SessionSettings(near_ref_enabled=True))
    session.add(tool="ci", text=DATA)
    delivery = session.add(tool="ci", text=DATA.replace('"total": 30', '"total": 31'), budget=60)
    assert delivery.text == "> [ref #1 total:30=>31]"


@pytest.mark.parametrize("text", [DATA, LOG, " " * 300, "\n" * 300, "> [ref #1]\n" * 30])
def test_nothing_fits(text: str) -> None:
    """A budget that is too small is refused with the smallest that works."""
    with pytest.raises(BudgetError) as error:
        Session().add(tool="ci", text=text, budget=1)
    assert error.value.budget == 1 < error.value.floor
    delivery = Session().add(tool="ci", text=text, budget=error.value.floor)
    assert delivery.tokens <= error.value.floor


@pytest.mark.parametrize("text", [DATA, LOG])
def test_what_fits_without_its_label_is_whole(text: str) -> None:
    """It is not cut to make room for one, and never referred to."""
    whole = Session(SessionSettings(labels=False))
    budget = whole.add(tool="ci", text=text).tokens
    session = Session()
    delivery = session.add(tool="ci", text=text, budget=budget)
    assert not delivery.elided
    assert delivery.tokens == budget
    assert "without a label" in delivery.why
    assert read_label(delivery.text.partition("\n")[0]) in (None, TextLabel(None, "compact"))
    assert session.add(tool="ci", text=text).layer != "L0"
    assert delivery.number is not None
    assert session.recall(delivery.number) == text


@pytest.mark.parametrize("budget", [-1, 1.5, "9.5", "many", "50%", True])
def test_no_budget(budget: Any) -> None:
    """What is not a number of tokens is refused as a budget."""
    with pytest.raises(ValueError, match=r"budget must"):
        Session().add(tool="ci", text=DATA, budget=budget)
    with pytest.raises(ConfigError, match=r"budget: (a|the) budget must"):
        SessionSettings(budget=budget)


@pytest.mark.parametrize("name", ["tool", "agent"])
def test_names_are_texts(name: str) -> None:
    """A tool or agent that is no string is an error and changes nothing."""
    session = Session()
    given: dict[str, Any] = {"tool": "ci", "text": DATA, name: None}
    with pytest.raises(TypeError, match=f"{name} must be str, not NoneType"):
        session.add(**given)
    assert session.add(tool="ci", text=DATA).number == 1


def test_files_may_be_paths() -> None:
    """A file may be a `Path`, and a changed folder ends references to its files."""
    session = Session()
    session.add(tool="Read", text=LOG, file=Path("src/a.py"))
    session.changed(Path("src"))
    assert session.add(tool="Read", text=LOG, file=Path("src/a.py")).layer != "L0"
    assert json.loads(json.dumps(session.to_dict()))["entries"][0]["file"] == str(Path("src/a.py"))


@pytest.mark.parametrize("path", ['$["\\ud800"]', '$["\\q"]', "$[" + "9" * 5000 + "]", "\ud800"])
def test_what_is_no_path(path: str) -> None:
    """A wrong path is refused in a message that can be printed."""
    session = Session()
    session.add(tool="ci", text=DATA)
    with pytest.raises(PathError, match="is not a step") as error:
        session.recall(1, path)
    assert str(error.value).encode()


def test_what_is_no_character_is_replaced_and_said() -> None:
    """Lone surrogates and bytes are replaced, and notes count them and name the place."""
    session = Session()
    delivery = session.add(tool="Bash", text="x" * 300 + "\ud800 caf\udce9")
    assert session.recall("#1") == "x" * 300 + "\ufffd café"
    assert [note.split()[:3] for note in delivery.notes] == [
        ["1", "byte", "that"],
        ["1", "lone", "surrogate"],
    ]
    assert "character 300" in delivery.notes[0]


def test_what_looks_like_markdown_and_cannot_be_read_is_text() -> None:
    """No response is refused because something in it is nested too deep."""
    text = f"| a | b |\n|---|---|\n| 1 | 2 |\n\n{'> ' * 400}x\n\n{LOG}"
    session = Session()
    assert session.add(tool="Bash", text=text).name == "raw"
    assert session.add(tool="Bash", text=text, agent="b", budget=60).tokens <= 60


def test_memory_is_bounded() -> None:
    """Old texts are forgotten to keep the limit in bytes; the last can be recalled."""
    session = Session(SessionSettings(max_bytes=20_000, lru_size=100))
    texts = [f"{LOG}\n{n}" for n in range(50)]
    deliveries = [session.add(tool="Bash", text=text, args={"command": "ls"}) for text in texts]
    size = len(json.dumps(session.to_dict()["entries"]))
    assert size < 40_000
    with pytest.raises(PathError, match="no longer stored"):
        session.recall(1)
    assert session.recall(50) == texts[-1]
    assert session.add(tool="Bash", text=texts[0]).layer == "L3"
    assert deliveries[-1].number == 50


def _added(session: Session, text: str) -> Delivery:
    return session.add(tool="Bash", text=text)


def test_threads_share_a_session() -> None:
    """Threads that share a session send each text once and can recall it."""
    session = Session(SessionSettings(lru_size=100))
    texts = [f"{LOG}\n{n}" for n in range(20)] * 8
    with ThreadPoolExecutor(8) as pool:
        deliveries = list(pool.map(partial(_added, session), texts))
    assert sum(delivery.layer == "L3" for delivery in deliveries) == 20
    assert session.savings.responses == 160
    for text, delivery in zip(texts, deliveries, strict=True):
        assert delivery.number is not None
        assert session.recall(delivery.number) == text


def test_a_session_is_taken_up_again() -> None:
    """A session restored from JSON goes on with its references; an unknown format is an error."""
    session = Session(SessionSettings(near_ref_enabled=True))
    session.add(tool="ci", text=DATA)
    session.add(tool="Bash", text=LOG, agent="searcher")
    session.add(tool="Bash", text=LOG, agent="searcher")
    plain = json.loads(json.dumps(session.to_dict()))
    again = Session.from_dict(plain)
    assert json.loads(json.dumps(again.to_dict())) == plain
    assert again.add(tool="Bash", text=LOG, agent="searcher").text == "> [ref #2]"
    assert again.savings.hits == 2
    with pytest.raises(ValueError, match="its format is 99"):
        Session.from_dict({**plain, "format": 99})


def test_a_session_of_an_earlier_version_is_taken_up() -> None:
    """A session stored by an earlier version goes on with its references."""
    session = Session()
    session.add(tool="Bash", text=LOG)
    plain = json.loads(json.dumps(session.to_dict()))
    plain["entries"][0] |= {"digest": "0", "shape": "prose", "inner": ["log"], "figures": {}}
    plain["scopes"]["main"]["partition"] = 0
    plain["settings"] |= {"recursion_depth": 5, "endpoint_overrides": {}}
    assert Session.from_dict(plain).add(tool="Bash", text=LOG).layer == "L0"


def test_savings_are_those_of_the_texts() -> None:
    """Savings are those counted from what came and what was sent, against compact JSON."""
    session, counter = Session(), tokenizers.get("o200k")
    texts = [DATA, LOG, DATA, LOG, "done", LOG]
    sent = [session.add(tool="Bash", text=text).text for text in texts]
    base = [counter.count(dump(json.loads(t)) if t is DATA else t) for t in texts]
    final = [counter.count(text) for text in sent]
    hits = [2, 3, 5]
    saved = [b - f for b, f in zip(base, final, strict=True)]
    savings = session.savings
    assert (savings.baseline, savings.final) == (sum(base), sum(final))
    dedup = sum(saved[n] for n in hits)
    missed = [n for n in range(6) if n not in hits]
    assert savings.dedup_savings_pct == pytest.approx(100 * dedup / sum(base))
    encoder = 100 * sum(saved[n] for n in missed) / sum(base[n] for n in missed)
    assert savings.encoder_savings_pct == pytest.approx(encoder)
    assert savings.combined_savings_pct == pytest.approx(100 * sum(saved) / sum(base))
    assert "json_compact" in savings.to_dict()["against"]
    assert savings.to_dict()["tokenizer"] == "o200k_base"


def test_cuts_are_no_savings() -> None:
    """What a budget cuts is counted apart from savings."""
    whole, cut = Session(), Session()
    whole.add(tool="ci", text=DATA)
    delivery = cut.add(tool="ci", text=DATA, budget=80)
    assert cut.savings.combined_savings_pct == whole.savings.combined_savings_pct
    assert cut.savings.cut == whole.savings.final - delivery.tokens > 0
    cut.add(tool="ci", text=DATA, budget=80)
    assert cut.savings.hit_cut == cut.savings.cut / 2


def test_events_have_figures_and_no_text() -> None:
    """Events have figures and hashes, and no word of texts, arguments, names or salt."""
    events = list[Event]()
    settings = SessionSettings(salt="ours")
    session = Session(settings, on_event=events.append, session_id="s", clock=lambda: 1.5)
    secret = LOG.replace("build", "hush-hush")
    call: dict[str, Any] = {
        "tool": "mcp__acme__get_log",
        "args": {"q": "hush"},
        "file": "/home/ann/x",
    }
    deliveries = [session.add(text=secret, agent="searcher", **call) for _ in range(2)]
    assert [delivery.tokens for delivery in deliveries] == [event.tokens_final for event in events]
    assert [event.is_dedup_hit for event in events] == [False, True]
    assert {(event.ts_ms, event.tokens_cut, event.tokenizer) for event in events} == {
        (1500, 0, "o200k_base")
    }
    written = json.dumps([event.to_dict() for event in events])
    for word in ("hush", "acme", "ann", "ours"):
        assert word not in written


def test_events_say_whose_context_it_was_and_how_a_result_was_sent() -> None:
    """Events have the agent, context, way and size of each result."""
    events = list[Event]()
    session = Session(SessionSettings(salt="ours"), on_event=events.append)
    for _ in range(2):
        session.add(tool="Read", text=LOG)
    session.add(tool="ci", text=DATA, agent="searcher")
    for _ in range(2):  # a host says it before and after
        session.compact()
    session = Session.from_dict(session.to_dict(), on_event=events.append)
    session.add(tool="Read", text=LOG)
    ways = ["raw", "hint_exact", "compact", "raw"]
    assert [(event.layer, event.way) for event in events] == list(
        zip(["L3", "L0", "L2", "L3"], ways, strict=True)
    )
    assert [event.partition for event in events] == [0, 0, 0, 1]
    assert [event.characters for event in events] == list(map(len, (LOG, LOG, DATA, LOG)))
    assert [event.agent == "main" for event in events] == [True, True, False, True]
    assert "searcher" not in str(events)
    assert session.habits == Habits(results=4, compactions=1, read_share=0.75)


def test_a_reader_takes_nothing_on_trust() -> None:
    """A reference to an unknown, other or dropped text is an error."""
    reader = Reader()
    for text in ("> [ref #1]", "> [ref #1 a:1=>2]", "> [ref #1 as diff]\n@@ -1,1 +1,1 @@\n-a\n+b"):
        with pytest.raises(PathError, match="no text with that number"):
            reader.read(text)
    reader.read("> [#1]\nb")
    with pytest.raises(ParseError):
        reader.read("> [ref #1 as diff]\n@@ -1,1 +1,1 @@\n-a\n+b")
    reader.drop(1)
    with pytest.raises(PathError):
        reader.read("> [ref #1]")


def test_why_lists_what_was_tried() -> None:
    """A delivery lists the forms that were tried with their tokens."""
    delivery = Session().add(tool="ci", text=DATA)
    assert [name for name, _ in delivery.tried] == ["compact", "raw"]
    assert f"compact {delivery.tokens}" in delivery.why
    assert delivery.tried[0] == ("compact", delivery.tokens)

"""Policies by tool, budgets of steps and of conversations, and what those who watch learn."""

import json
import logging
from dataclasses import replace
from typing import Any

import pytest

import mckp
from mckp.agents.config import loads
from mckp.agents.messages import MessageEncoder, ResultEvent, ToolPolicy, encode_messages
from mckp.agents.session import SessionSettings
from mckp.errors import ConfigError, UnknownNameError
from mckp.tokenizers import get

COUNT = get("o200k").count
ROWS: list[dict[str, Any]] = [
    {"id": n, "state": "done", "log": f"it took {n * 37 % 91} s"} for n in range(60)
]
TEXT = json.dumps(ROWS)
NOTE = COUNT("> [3,463 characters left out; recall #9]")


def _broken(*_: object, **__: object) -> str:
    raise ZeroDivisionError


def step(number: int, *tools: str, text: str = TEXT) -> list[dict[str, Any]]:
    """Return a message with calls, and a result of each."""
    ids = [f"c{number}.{place}" for place in range(len(tools))]
    calls = [
        {"id": key, "function": {"name": tool, "arguments": json.dumps({"n": key})}}
        for key, tool in zip(ids, tools, strict=True)
    ]
    answers = [
        {"role": "tool", "tool_call_id": key, "content": text.replace("done", f"done {key}")}
        for key in ids
    ]
    return [{"role": "assistant", "tool_calls": calls}, *answers]


def sizes(messages: list[dict[str, Any]]) -> list[int]:
    return [COUNT(message["content"]) for message in messages if message["role"] == "tool"]


def test_budgets_by_tool() -> None:
    """The budget of a name wins over one of a pattern, a longer pattern over a shorter one."""
    encoder = MessageEncoder(budget=400, policies={"get_*": 200, "get_job*": 100, "get_jobs": 60})
    tokens_sent = sizes(encoder.encode(step(1, "get_jobs", "get_job", "get_x", "other")))
    for tokens, least, most in zip(
        tokens_sent, (30, 60, 100, 200), (60, 100, 200, 400), strict=True
    ):
        assert least < tokens <= most


@pytest.mark.parametrize("budget", ["0.1k", {"budget": "0.1k"}, ToolPolicy(budget="0.1k")])  # type: ignore[arg-type]
def test_the_budget_of_a_tool_may_be_written_in_thousands(budget: Any) -> None:
    """A policy has its budget in tokens, however it was written."""
    encoder = MessageEncoder(policies={"jobs": budget})
    (tokens,) = sizes(encoder.encode(step(1, "jobs")))
    assert 60 < tokens <= 100


def test_all_that_a_policy_says() -> None:
    """Formats, priorities, leaving, exactness, query and weights of a policy take effect."""
    policies = {
        "plain": ToolPolicy(formats="json", budget=120),
        "log": ToolPolicy(priorities={"[*].log": 50, "[*].state": 0}, budget=200),
        "left": ToolPolicy(leave=True),
        "exact": ToolPolicy(exact=True),
        "asked": ToolPolicy(query="it took 84 s", budget=120),
        "few": ToolPolicy(weights="position", budget=120),
    }
    messages = step(1, *policies)
    sent = MessageEncoder(budget=100, policies=policies).encode(messages)
    plain, log, left_alone, exact, asked, few = (message["content"] for message in sent[1:])
    assert "{id" not in plain
    assert "it took" in log
    assert "state" not in log
    assert left_alone == messages[3]["content"]
    assert mckp.decode(exact) == json.loads(messages[4]["content"])
    assert "it took 84 s" in asked
    assert COUNT(few) <= 120


@pytest.mark.slow
def test_a_step_shares_its_budget() -> None:
    """Each has an equal part; what short ones do not need goes to those that follow."""
    tools = [f"tool{n}" for n in range(10)]
    sent = MessageEncoder(budget=2000, step_budget=1000).encode(step(1, *tools))
    assert 700 < sum(sizes(sent)) <= 1000
    short = [*step(1, "a", "b", "c")]
    short[1]["content"] = "done"
    first, *further = sizes(MessageEncoder(step_budget=400).encode(short))
    assert first < 5
    assert all(180 < size <= 210 for size in further)
    assert sum([first, *further]) <= 400


def test_later_results_have_limits_of_their_own() -> None:
    """What a later one may not have is not kept for it; one without a limit has an equal part."""
    encoder = MessageEncoder(policies={"few": 60, "whole": ToolPolicy(leave=True)}, step_budget=900)
    first, few, second = sizes(encoder.encode(step(1, "a", "few", "b")))
    assert 400 < first <= 420
    assert few <= 60
    assert 400 < second <= 900 - first - few
    assert 250 < sizes(encoder.encode(step(1, "a", "whole", "b")))[0] <= 300


def test_blocks_share_what_their_result_may_have() -> None:
    """What the first blocks do not need goes to the others; a budget of a step knows the result."""
    blocks = [{"type": "text", "text": text} for text in ("done", TEXT, TEXT)]
    messages = [*step(1, "a", "b")[:1], {"role": "tool", "tool_call_id": "c1.0", "content": blocks}]
    for encoder in (MessageEncoder(budget=400), MessageEncoder(step_budget=800)):
        sent = encoder.encode(messages)
        first, *later = (COUNT(block["text"]) for block in sent[1]["content"])
        assert first < 5
        assert all(180 < tokens <= 210 for tokens in later)
        assert first + sum(later) <= 400


@pytest.mark.slow
def test_many_results_of_a_step_are_within_a_small_budget() -> None:
    """None gets a share that is too small to say anything; those without room are notes."""
    sent = MessageEncoder(step_budget=1000).encode(step(1, *("many" for _ in range(40))))
    assert sum(sizes(sent)) <= 1000
    texts = [message["content"] for message in sent[1:]]
    notes = [text for text in texts if "characters left out; recall #" in text]
    assert 9 < len(notes) < 20
    assert {COUNT(text) for text in notes} == {NOTE}
    assert all(28 < size <= 40 for size in sizes(sent) if size != NOTE)
    blocks = [{"type": "text", "text": TEXT} for _ in range(20)]
    messages = [*step(1, "many")[:1], {"role": "tool", "tool_call_id": "c1.0", "content": blocks}]
    sent = encode_messages(messages, budget=100)
    assert sum(COUNT(block["text"]) for block in sent[1]["content"]) <= 100


def test_a_conversation_without_room_has_notes_that_can_be_recalled() -> None:
    """Once the total budget is spent, a result is a note with a handle that recalls it."""
    encoder = MessageEncoder(total_budget=100)
    talk = [message for n in range(3) for message in step(n, "a", "b")]
    talk[2]["content"] = "ok"
    sent = encoder.encode(talk)
    assert sent[2]["content"] == "ok"  # no longer than a note
    note = f"> [{len(talk[-1]['content']):,} characters left out; recall #"
    assert sent[-1]["content"].startswith(note)
    handle = sent[-1]["content"].partition("recall ")[2].rstrip("]")
    assert encoder.recall(talk, handle, "$[7].state") == "done c2.1"


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"step_budget": 300}, {"total_budget": 600}, {"budget": 80}])
def test_bytes_that_were_sent_stay(options: dict[str, Any]) -> None:
    """However a conversation is given: at once, step by step, or one result after the other."""
    talk = [message for n in range(6) for message in step(n, "a", "b", "c")]
    at_once = MessageEncoder(**options).encode(talk)
    steps, singly = MessageEncoder(**options), MessageEncoder(**options)
    for end in range(1, len(talk) + 1):
        one_by_one = singly.encode(talk[:end])
        assert one_by_one == at_once[:end]
        if end % 4 == 0:
            assert steps.encode(talk[:end]) == one_by_one
    if most := options.get("total_budget"):
        shown = [size for size in sizes(at_once) if size != NOTE]
        assert sum(shown) <= most
        assert max(shown) == 100  # a step has half of what is left, in equal parts


def test_those_who_watch_get_events(caplog: pytest.LogCaptureFixture) -> None:
    """The callback gets one event for each result, without its content; its errors are logged."""
    events: list[ResultEvent] = []
    encoder = MessageEncoder(budget=100, on_event=events.append)
    with caplog.at_level(logging.DEBUG):
        for _ in range(2):
            encoder.encode([*step(1, "a"), *step(2, "b", text="# Title\n\n" + "- item\n" * 300)])
    assert [(event.tool, event.budget, event.way) for event in events] == [
        ("a", 100, "compact"),
        ("b", 100, "compact"),
    ]
    assert all(event.after <= 100 < event.before and event.milliseconds > 0 for event in events)
    assert events[0].cuts
    assert "it took" not in repr(events)
    assert {record.name.partition(".")[0] for record in caplog.records} == {"mckp"}
    assert len([record for record in caplog.records if record.name == "mckp"]) == 2


def test_an_event_is_attributes_of_a_span() -> None:
    """OpenTelemetry takes text, numbers and lists of one of these; None is left out."""
    events: list[ResultEvent] = []
    MessageEncoder(policies={"a": 100}, on_event=events.append).encode(
        [*step(1, "a"), *step(2, "b")]
    )
    limited, free = (event.attributes() for event in events)
    assert limited["gen_ai.tool.name"] == "a"
    assert (limited["mckp.budget"], "mckp.budget" in free) == (100, False)
    for value in limited.values():
        parts = value if isinstance(value, list) else [value]
        assert {type(part) for part in parts} <= {str, int, float}


def test_who_watches_and_fails_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """A callback that fails changes no text and leaves a warning."""

    def failing(_: ResultEvent) -> None:
        raise RuntimeError("nobody watches")

    messages = step(1, "a")
    encoded = MessageEncoder(budget=100, on_event=failing).encode(messages)
    assert encoded == encode_messages(messages, budget=100)
    assert "on_event failed" in caplog.text


def test_the_event_has_the_reason_of_a_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event names the error that led to plain text, which keeps the budget."""
    monkeypatch.setattr("mckp.agents.session.sender.encode", _broken)
    events: list[ResultEvent] = []
    MessageEncoder(budget=100, on_event=events.append).encode(step(1, "a"))
    assert (events[0].way, events[0].fallback[:17]) == ("plain", "ZeroDivisionError")
    assert events[0].after <= 100


def test_a_pin_that_matches_nothing_warns_once(caplog: pytest.LogCaptureFixture) -> None:
    """Patterns without a match are in each event, and a pin among them warns once."""
    events: list[ResultEvent] = []
    policy = ToolPolicy(budget=100, priorities={"[*].lgo": "pin", "[*].sate": 0.1, "[*].id": 2})
    encoder = MessageEncoder(policies={"a": policy}, on_event=events.append)
    messages = [*step(1, "a"), *step(2, "a", text=json.dumps(ROWS[1:]))]
    encoder.encode(messages)
    assert [event.unmatched for event in events] == [("[*].lgo", "[*].sate")] * 2
    assert "nothing matches '[*].lgo'" in str(events[0])
    assert caplog.messages == ["nothing in a result of 'a' matches the pin '[*].lgo'"]
    whole = MessageEncoder(policies={"a": replace(policy, budget=9000)}, on_event=events.append)
    whole.encode(step(1, "a"))
    assert events[-1].unmatched == ()  # nothing was cut, so nothing is missing


def test_files_have_policies() -> None:
    """Policies of a configuration file hold for the tools that they name."""
    config = loads('schema_version = 2\n[policies."mcp__ci__*"]\nbudget = 60\nformats = "json"\n')
    settings = config.settings
    assert settings.of("mcp__ci__jobs").limit == 60
    assert SessionSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings
    session = mckp.Session(settings)
    assert session.add(tool="mcp__ci__jobs", text=TEXT).tokens <= 60
    assert session.add(tool="other", text=TEXT).elided == ()


WRONG: list[tuple[Any, str]] = [
    ({"a": {"bugdet": 3}}, "did you mean 'budget'"),
    ({"a": {"formats": "cvs"}}, "cvs"),
    ({"a": {"formats": 3}}, "an array of names"),
    ({"a": {"budget": "x"}}, "policies.a"),
    ({"a": {"weights": "salient"}}, "salience"),
    ({"a": {"leave": 1}}, "true or false"),
    ({"a": {"query": 7}}, "a string"),
    ({"a": {"priorities": {"a[": 1}}}, r"policies.a"),
    ({"a": [1]}, "a table"),
    ({"a": 3}, "no room"),
]


@pytest.mark.parametrize(("policies", "message"), WRONG)
def test_wrong_policies_are_errors(policies: Any, message: str) -> None:
    """A wrong policy is an error that says what is wrong."""
    with pytest.raises((ConfigError, ValueError), match=message):
        MessageEncoder(policies=policies)


def test_a_result_without_room_says_so(caplog: pytest.LogCaptureFixture) -> None:
    """What is sent as it is may use up a step: the results behind it are notes with a handle."""
    events: list[ResultEvent] = []
    policies = {"whole": ToolPolicy(leave=True)}
    encoder = MessageEncoder(step_budget=60, policies=policies, on_event=events.append)
    messages = step(1, "whole", "log", "log")
    sent = [message["content"] for message in encoder.encode(messages)[1:]]
    assert sent[0] == messages[1]["content"]
    for number, text in enumerate(sent[1:], 2):
        size = len(messages[number]["content"])
        assert text == f"> [{size:,} characters left out; recall #{number - 1}]"
        assert encoder.recall(messages, number - 1, "$[3].id") == "3"
    assert [event.way for event in events] == ["left", "note", "note"]
    assert "is used up" in events[1].fallback
    assert "is used up" in caplog.text


def test_a_recall_without_a_handle_names_those_that_are_there() -> None:
    """A model that leaves it out, or makes one up, learns what it can ask for."""
    encoder = MessageEncoder(budget=60)
    one, two = step(1, "jobs"), [*step(1, "jobs"), *step(2, "logs", text="a line of it\n" * 99)]
    assert encoder.recall(one, **json.loads('{"where": "id > 57"}')) == (
        'error: a handle is needed; there is #1 jobs\ntry {"handle":"#1","where":"id > 57"}'
    )
    assert encoder.recall(two, "#7") == "error: #7 is not there; there are #1 jobs, #2 logs"
    assert encoder.recall(one[:1]) == "error: a handle is needed; nothing can be recalled yet"


def test_mistakes_in_names_are_seen_early(caplog: pytest.LogCaptureFixture) -> None:
    """An unknown tokenizer is an error, and a policy for a similar tool name is a warning."""
    with pytest.raises(UnknownNameError, match="gpt-9"):
        MessageEncoder(tokenizer="gpt-9")
    encoder = MessageEncoder(policies={"get_biulds": 100, "jobs": 90, "other": 50})
    encoder.encode(step(1, "get_builds", "mcp__ci__jobs", "third", "get_builds"))
    said = "the settings for the tool {!r} do not apply to {!r}; write {}"
    assert [message for message in caplog.messages if "settings for" in message] == [
        said.format("get_biulds", "get_builds", "'get_builds' if you mean this tool"),
        said.format("jobs", "mcp__ci__jobs", "'mcp__ci__jobs' or '*jobs'"),
    ]

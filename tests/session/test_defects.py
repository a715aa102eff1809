"""What may go wrong with references, deltas and encoded responses, and does not."""

import json
from typing import Any

import pytest

from mckp.agents.session import Delivery, Reader, Session, SessionSettings
from mckp.encoders.fakes import escape
from tests.cases import cases
from tests.session.responses import FAKES, response

LOG = "\n".join(f"10:{n:02d} step {n} of the build is done" for n in range(20))
JOBS = [{"id": n, "status": "passed", "branch": f"fix/{n}"} for n in range(12)]
NEAR = SessionSettings(near_ref_enabled=True)


class Talk:
    """A session, with a reader for each agent that holds it to its word."""

    def __init__(self, settings: SessionSettings | None = None) -> None:
        self.session = Session(settings)
        self.readers: dict[str, Reader] = {}

    def add(self, text: str, tool: str = "Read", agent: str = "main", **call: Any) -> Delivery:
        """Deliver, read back, compare."""
        delivery = self.session.add(tool=tool, text=text, agent=agent, **call)
        content = self.readers.setdefault(agent, Reader()).read(delivery.text)
        assert delivery.elided or response(text).is_equal_to(content)
        return delivery


def jobs(**changed: Any) -> str:
    return json.dumps({"total": 12, "note": None, "jobs": JOBS, **changed})


# ------------------------------------------------------------------ references


def test_a_sub_agent_has_seen_nothing() -> None:
    """A sub-agent gets a text in full that the main agent has seen."""
    talk = Talk()
    talk.add(LOG)
    assert talk.add(LOG, agent="searcher").layer == "L3"
    assert talk.add(LOG, agent="searcher").layer == "L0"
    assert talk.add(LOG).text.startswith("> [ref #1]")


def test_nothing_refers_to_what_compaction_took() -> None:
    """After a compaction, a repeated or similar text is sent in full."""
    talk = Talk(NEAR)
    talk.add(LOG)
    talk.session.compact()
    assert talk.add(LOG).layer == "L3"
    talk.session.compact()
    assert talk.add(LOG + "\nend").layer == "L3"


def test_no_reference_points_to_a_reference() -> None:
    """Deltas always refer to the first full text."""
    talk = Talk(NEAR)
    assert talk.add(jobs(), "ci").number == 1
    for _ in range(3):
        again = talk.add(jobs(total=13), "ci")
        assert again.text == "> [ref #1 total:12=>13]"
    assert talk.add(jobs(), "ci").text.startswith("> [ref #1]")


def test_a_reference_to_encoded_data_says_the_data() -> None:
    """Data that were sent encoded are referred to when they come again."""
    talk = Talk()
    assert talk.add(jobs()).layer == "L2"
    assert talk.add(jobs()).layer == "L0"


def test_the_same_data_in_other_bytes_is_no_repeat() -> None:
    """Equal data in another layout are not an exact repeat."""
    talk = Talk(NEAR)
    talk.add(jobs(), "ci")
    value = json.loads(jobs())
    for other in (json.dumps(value, indent=1), json.dumps(dict(reversed(value.items())))):
        assert talk.add(other, "ci").name != "hint_exact"


@pytest.mark.parametrize("value", ["12", 12.0, None, True, "", [], {}, [12]])
def test_deltas_keep_types_apart(value: Any) -> None:
    """A delta writes a new value with its JSON type."""
    talk = Talk(NEAR)
    talk.add(jobs(), "ci")
    assert talk.add(jobs(total=value), "ci").text == f"> [ref #1 total:12=>{json.dumps(value)}]"


@pytest.mark.parametrize("value", ["]", "a, b: c→d", "a\nb", '"', "=>", " x ", "> [ref #1]"])
def test_values_in_deltas_are_escaped(value: str) -> None:
    """A delta with any string is one line."""
    talk = Talk(NEAR)
    talk.add(jobs(), "ci")
    delta = talk.add(jobs(note=value), "ci")
    assert delta.name == "hint_near"
    assert "\n" not in delta.text


def test_names_that_come_and_go() -> None:
    """A member that is added is written with an empty old value."""
    talk = Talk(NEAR)
    talk.add(jobs(), "ci")
    assert talk.add(jobs(late=True), "ci").text == "> [ref #1 late:=>true]"


def test_deltas_are_between_results_of_the_same_call() -> None:
    """A delta is made only between results of one tool and its arguments."""
    talk = Talk(NEAR)
    talk.add(jobs(), "ci", args={"page": 1})
    assert talk.add(jobs(total=13), "ci", args={"page": 2}).layer == "L2"
    assert talk.add(jobs(total=14), "other", args={"page": 1}).layer == "L2"
    assert talk.add(jobs(total=15), "ci", args={"page": 1}).layer == "L0"


@pytest.mark.parametrize("fake", FAKES)
def test_tools_cannot_speak_for_us(fake: str) -> None:
    """A result that imitates a reference is never sent as one."""
    talk = Talk()
    talk.add(LOG)
    for text in (fake, f"{fake}\n{LOG}", f"{LOG}\n{fake}", json.dumps({"log": f"{LOG}\n{fake}\n"})):
        delivery = talk.add(text, "Bash")
        assert delivery.layer != "L0"
        ours = [
            line for line in delivery.text.split("\n")[1:] if line.strip().startswith("> [ref #")
        ]
        assert not ours


@pytest.mark.parametrize("end", ["\u2028", "\x85", "\r", "\x0b"])
@pytest.mark.parametrize("fake", FAKES)
def test_deltas_cannot_speak_for_us(fake: str, end: str) -> None:
    """Lines of a delta that imitate the session are escaped, whatever ends them."""
    made_up = f"so:{end}{fake}{end}"
    for first, second in [
        (jobs(note="x"), jobs(note=made_up)),
        (f"{LOG}\nx{end}{fake}", f"{LOG}\ny{end}{fake}"),
    ]:
        talk = Talk(NEAR)
        talk.add(first, "ci")
        delivery = talk.add(second, "ci")
        lines = [
            line for line in delivery.text.splitlines()[1:] if not line.strip().startswith("\\")
        ]
        assert [escape(line, raw=False) for line in lines] == lines


def test_edits_end_exact_references_to_a_file() -> None:
    """An edit ends references to its file and the folders around it, and to no other file."""
    for tool, file, hit in [
        ("Read", "/src/a.py", False),
        ("Grep", "/src", False),
        ("Glob", None, False),
        ("Read", "/src/b.py", True),
        ("ci", None, True),
    ]:
        talk = Talk()
        talk.add(LOG, tool, file=file)
        talk.add("done", "Edit", args={"file_path": "/src/a.py"})
        assert (talk.add(LOG, tool, file=file).layer == "L0") is hit, tool


def test_edits_of_a_sub_agent_count_for_all() -> None:
    """An edit by a sub-agent ends the references of the main agent to the file."""
    talk = Talk()
    talk.add(LOG, file="a.py")
    talk.add("done", "Write", agent="searcher", file="a.py")
    assert talk.add(LOG, file="a.py").layer == "L3"


@pytest.mark.parametrize(
    ("command", "hit"),
    cases(__file__, "test_commands_that_may_write_end_references_to_files"),
)
def test_commands_that_may_write_end_references_to_files(command: str, hit: bool) -> None:
    """A shell command ends references to files unless it only reads."""
    talk = Talk()
    talk.add(LOG, file="a.py")
    talk.add("ok", "Bash", args={"command": command})
    assert (talk.add(LOG, file="a.py").layer == "L0") is hit


def test_tools_of_servers_that_write_end_references_to_their_results() -> None:
    """A tool that writes ends references to results of its own server."""
    for tool, hit in [
        ("mcp__ci__create_job", False),
        ("mcp__wiki__create_page", True),
        ("mcp__ci__get_job", True),
    ]:
        talk = Talk()
        talk.add(LOG, "mcp__ci__get_jobs")
        talk.add("done", tool)
        assert (talk.add(LOG, "mcp__ci__get_jobs").layer == "L0") is hit, tool


def test_an_edited_file_is_shown_as_a_delta() -> None:
    """Its earlier text is still there, and what differs is exact."""
    talk = Talk(NEAR)
    talk.add(LOG, file="a.log")
    talk.add("done", "Edit", file="a.log")
    delta = talk.add(LOG.replace("step 7 of", "step seven of"), file="a.log")
    assert delta.text.split("\n")[:2] == ["> [ref #1 as diff]", "@@ -8,1 +8,1 @@"]


def test_the_least_recently_used_is_forgotten() -> None:
    """Beyond the limit, the least recently used text is sent in full again."""
    texts = [f"{LOG}\n{n}" for n in range(3)]
    talk = Talk(SessionSettings(lru_size=2))
    talk.add(texts[0])
    talk.add(texts[1])
    talk.add(texts[0])
    talk.add(texts[2])
    assert talk.add(texts[0]).layer == "L0"
    assert talk.add(texts[1]).layer == "L3"


def test_a_reference_is_never_larger_than_the_text() -> None:
    """A text shorter than its reference is repeated."""
    talk = Talk(SessionSettings(min_body_chars=1))
    assert [talk.add("all is well").layer for _ in range(2)] == ["L3", "L3"]


# ------------------------------------------------------------------ encoders

TABLE = "| name | tries |\n|---|---|\n" + "".join(f"| job {n} | {n} |\n" for n in range(20))
DOCUMENTS = {
    "prose around a table": f"# Jobs\n\nBefore.\n\n{TABLE}\nAfter *it*.\n",
    "two tables": f"{TABLE}\nbetween\n\n{TABLE.replace('job', 'run')}",
    "rows after a blank line": f"{TABLE}\n| job x | 9 |\n| job y | 9 |\n",
    "an escaped bar": TABLE.replace("job 3", "a\\|b"),
    "a row with an empty first cell": TABLE.replace("| job 3 | 3 |", "||x|y|"),
    "a row that is too long": TABLE.replace("| job 3 | 3 |", "| a | b | c |"),
    "a row that is too short": TABLE.replace("| job 3 | 3 |", "| a |"),
    "a small table in a long text": "word " * 1800 + "\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "no table at all": LOG,
}
DATA: dict[str, Any] = {
    **cases(__file__, "DATA"),
    "a name first seen late": [{"id": n, **({"late": 1} if n == 201 else {})} for n in range(210)],
    "the name of the array": {"service": "billing", "replicas": JOBS},
    "items that are no objects": {"note": "a\n\nb: c", "jobs": [*JOBS, "skipped", None, 7]},
    "two arrays": {"errors": [], "tickets": JOBS, "labels": [{"n": "p1"}] * 12},
    "data in cells": {"jobs": [{"id": n, "by": {"tags": ["a|b", {"c": None}]}} for n in range(9)]},
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_lose_nothing(name: str) -> None:
    """A document reads back, and costs at most six tokens more than its source."""
    delivery = Talk().add(DOCUMENTS[name])
    assert delivery.tokens <= delivery.baseline + 6


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("formats", ["standard", "native", "dense"])
def test_data_loses_nothing(name: str, formats: str) -> None:
    """Data read back in each set of formats, and cost at most ten tokens more than as given."""
    delivery = Talk(SessionSettings(formats=formats)).add(json.dumps(DATA[name], indent=1))
    assert delivery.tokens <= delivery.baseline + 10


def test_the_shortest_is_taken() -> None:
    """Of the forms that were tried, the one with the fewest tokens is sent."""
    for data in DATA.values():
        delivery = Talk().add(json.dumps(data))
        assert delivery.tokens == min(tokens for _, tokens in delivery.tried)

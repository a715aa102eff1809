"""Models behind an address: retries, time that runs out, answers that are cut, and resuming."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from mckp.accuracy import EndpointReader, TextQuestion, answers, measure, questions, writings
from mckp.accuracy.reader import KEY
from mckp.errors import ReaderError, UnusableReaderError
from tests.accuracy.server import (
    Step,
    breaks_off,
    hangs,
    is_no_json,
    nothing,
    refuses,
    says,
    serving,
)

pytestmark = pytest.mark.skipif(find_spec("openai") is None, reason="needs the extra accuracy")

DATA = [{"id": n, "state": ["ok", "failed"][n % 3 == 0]} for n in range(9)]
ASKED = [
    TextQuestion(question, writing)
    for writing in writings(DATA, ["json", "native"])
    for question in questions(DATA, each=2)
]


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (KEY, "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_a_question() -> None:
    """A question is one request with one message; the reply has its tokens."""
    with serving(says("42")) as server:
        reply = EndpointReader(server.url, "fake").read(ASKED[0])
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("42", 100, 3)
    assert not reply.cut
    [request] = server.requests
    assert (request["model"], request["temperature"]) == ("fake", 0)
    assert request["messages"] == [{"role": "user", "content": ASKED[0].prompt}]


def test_options() -> None:
    """An option adds a parameter to the request or removes it, and changes the reader's name."""
    options = {"temperature": None, "max_tokens": None, "max_completion_tokens": 9}
    with serving(says("42")) as server:
        reader = EndpointReader(server.url, "fake", options=options)
        reader.read(ASKED[0])
    [request] = server.requests
    assert request.keys() == {"model", "messages", "max_completion_tokens"}
    assert reader.name != EndpointReader(server.url, "fake").name


@pytest.mark.parametrize(
    ("failures", "timeout"),
    [
        ([refuses(429), refuses(429)], 60),
        ([refuses(500), refuses(503)], 60),
        ([breaks_off()], 60),
        pytest.param([hangs()], 2, marks=pytest.mark.slow),
    ],
    ids=["429", "5xx", "breaks off", "hangs"],
)
def test_passing_failures_are_tried_again(failures: list[Step], timeout: float) -> None:
    """A reader repeats a request until the failures of the endpoint are over."""
    with serving(*failures, says("fine")) as server:
        reader = EndpointReader(server.url, "fake", retries=3, timeout=timeout)
        assert reader.read(ASKED[0]).text == "fine"
    assert len(server.requests) == len(failures) + 1


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (refuses(429), "RateLimitError"),
        (refuses(500), "InternalServerError"),
        (refuses(400), "BadRequestError"),
        (nothing(), "no answer"),
        (is_no_json(), "Error"),
    ],
    ids=["429", "500", "400", "nothing", "no json"],
)
def test_lasting_failures_are_errors(step: Step, message: str) -> None:
    """A failure that lasts through all retries is a `ReaderError` that names it."""
    with serving(step) as server, pytest.raises(ReaderError, match=message):
        EndpointReader(server.url, "fake", retries=1).read(ASKED[0])


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_would_fail_always_ends_at_once(status: int) -> None:
    """A wrong key, model or address is not tried for every question."""
    with serving(refuses(status)) as server:
        reader = EndpointReader(server.url, "fake")
        with pytest.raises(UnusableReaderError, match="fake at http"):
            answers(ASKED, reader)
    assert len(server.requests) == 1


def test_an_answer_that_is_cut_is_judged_as_it_is() -> None:
    """An answer that the endpoint cut is counted as cut, and judged by what is there."""
    with serving(says("The answer to this question is", "length")) as server:
        report = measure({"d": DATA}, EndpointReader(server.url, "fake"), ways=["json"], each=1)
    [line] = report.lines
    assert (line.cut, line.right) == (line.questions, 0)


def test_an_answer_without_words() -> None:
    """A reply without content is an empty text."""
    with serving(says(None)) as server:
        assert EndpointReader(server.url, "fake").read(ASKED[0]).text == ""


def test_a_run_that_broke_off_goes_on(tmp_path: Path) -> None:
    """Replies are kept as they come; failures are asked again, and no other question is."""
    kept = tmp_path / "replies.jsonl"
    with serving(says("4"), refuses(400), says("5")) as server:
        reader = EndpointReader(server.url, "fake", retries=0)
        first = answers(ASKED, reader, kept=kept)
        assert len(server.requests) == len(ASKED)
        assert [answer.reply is None for answer in first].count(True) == 1
        again = answers(ASKED, reader, kept=kept)
        assert len(server.requests) == len(ASKED) + 1
    assert all(answer.reply is not None for answer in again)
    assert [a.reply for a in again if a.reply] == [a.reply or again[1].reply for a in first]
    lines = kept.read_text(encoding="utf-8").split("\n")
    assert len(lines) == len(ASKED) + 1
    record = json.loads(lines[0])
    assert (record["question"], record["way"], record["text"]) == ("data/retrieval/1", "json", "4")


def test_questions_at_a_time(tmp_path: Path) -> None:
    """Questions asked at the same time get the same answers, in order."""
    with serving(says("4")) as server:
        reader = EndpointReader(server.url, "fake")
        progress: list[tuple[int, int]] = []

        def count(done: int, total: int) -> None:
            progress.append((done, total))

        many = answers(ASKED, reader, concurrency=4, kept=tmp_path / "a", progress=count)
        assert many == answers(ASKED, reader)
        report = measure({"d": DATA}, reader, ways=["json"], each=1)
    assert progress == [(n, len(ASKED)) for n in range(1, len(ASKED) + 1)]
    asked = report.lines[0].questions
    assert (report.prompt_tokens, report.completion_tokens) == (100 * asked, 3 * asked)


def test_an_unusable_reader_ends_a_run_of_many() -> None:
    """With several at a time, what waits is not asked any more."""
    with serving(refuses(401)) as server:
        reader = EndpointReader(server.url, "fake", retries=0)
        with pytest.raises(UnusableReaderError):
            answers(ASKED * 20, reader, concurrency=2)
    assert len(server.requests) < 60

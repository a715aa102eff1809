"""Files of replies: half a line at the end, other readers, files of something else."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mckp.accuracy import Reply, TextQuestion, answers, measure, questions, writings
from mckp.errors import DataError, MckpError, ReaderError

DATA = [{"id": n, "state": ["ok", "failed"][n % 3 == 0]} for n in range(9)]
[WRITING] = writings(DATA, ["json"])
ASKED = [TextQuestion(question, WRITING) for question in questions(DATA, each=1)]


@dataclass
class Parrot:
    """Says the same for ever, and counts how often it was asked."""

    name: str = "parrot"
    word: str = "yes"
    fails: bool = False
    asked: list[TextQuestion] = field(default_factory=list[TextQuestion])

    def read(self, asked: TextQuestion) -> Reply:
        self.asked.append(asked)
        if self.fails:
            raise ReaderError("it sleeps")
        return Reply(self.word)


def test_half_a_line_is_asked_again(tmp_path: Path) -> None:
    """A process that was ended while it wrote loses one reply, and spoils no other."""
    file = tmp_path / "replies.jsonl"
    answers(ASKED, Parrot(), kept=file)
    whole = file.read_bytes()
    for cut in (1, 20, len(whole.splitlines(keepends=True)[-1]) - 1):
        file.write_bytes(whole[:-cut])
        reader = Parrot()
        answered = answers(ASKED, reader, kept=file)
        assert len(reader.asked) <= 1
        assert [answer.reply and answer.reply.text for answer in answered] == ["yes"] * len(ASKED)
        again = Parrot()
        answers(ASKED, again, kept=file)
        assert not again.asked


def test_other_readers_and_texts_are_asked_again(tmp_path: Path) -> None:
    """A kept reply counts only for the same reader and the same text."""
    file = tmp_path / "replies.jsonl"
    answers(ASKED, Parrot(), kept=file)
    other_reader = Parrot("other", "no")
    assert answers(ASKED, other_reader, kept=file)[0].reply == Reply("no")
    [changed] = writings([*DATA, {"id": 99, "state": "ok"}], ["json"])
    reader = Parrot()
    answers([TextQuestion(prompt.question, changed) for prompt in ASKED], reader, kept=file)
    assert len(other_reader.asked) == len(reader.asked) == len(ASKED)


@pytest.mark.parametrize("text", ['{"id": 1}\n', "[1]\n", '{"key": "x", "text": "y"}\n'])
def test_a_file_of_something_else_is_left_alone(tmp_path: Path, text: str) -> None:
    """A file that holds no replies is an error and keeps its content."""
    kept = tmp_path / "data.jsonl"
    kept.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="expected a kept reply"):
        answers(ASKED, Parrot(), kept=kept)
    assert kept.read_text(encoding="utf-8") == text


def test_failures_are_counted_and_compared_with_nothing() -> None:
    """Questions that failed are neither right nor wrong, and their verdict is undecided."""
    report = measure({"d": DATA}, Parrot(fails=True), ways=["json", "native"], each=1)
    for line in report.lines:
        assert (line.failed, line.wrong, line.share) == (line.questions, 0, 0.0)
        assert line.interval == (0.0, 1.0)
    assert report.failures == {"it sleeps": 2 * report.lines[0].questions}
    assert report.beside[0].verdict.startswith("undecided")
    assert "it sleeps" in report.to_text()


def test_no_documents() -> None:
    """Without documents there is nothing to report."""
    assert measure({}).lines == ()


def test_data_that_is_none() -> None:
    """Data that is not JSON is refused with its place."""
    with pytest.raises(MckpError, match=r"\$"):
        measure({"d": {"a": float("nan")}})

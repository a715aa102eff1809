"""Reports how often a reader is right for each way, and what the differences prove."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from mckp.accuracy.paired import LEVEL, MARGIN, Pairs, grouped_interval, verdict, wilson
from mckp.accuracy.query import KINDS
from mckp.accuracy.reader import REFERENCE
from mckp.accuracy.replies import Answer, OracleReader
from mckp.display.blocks import aligned_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class WayResults:
    """The results of a reader for one way to write.

    The oracle finds that the texts answer `answerable` of the questions. The reader was `right` or
    `wrong`, said that it does not know (`unknown`), or gave no answer (`failed`). A limit cut off
    `cut` answers. `kinds` has, for each kind, the numbers of right answers and of questions.
    """

    way: str
    documents: int
    tokens: int
    questions: int
    answerable: int
    right: int
    unknown: int
    wrong: int
    failed: int
    cut: int
    kinds: dict[str, tuple[int, int]]

    @property
    def share(self) -> float:
        """The share of right answers among those given."""
        answered = self.questions - self.failed
        return self.right / answered if answered else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval for `share`."""
        return wilson(self.right, self.questions - self.failed)


@dataclass(frozen=True, slots=True)
class Beside:
    """A comparison of two ways on the same questions; all intervals hold jointly at 95 %."""

    way: str
    other: str
    pairs: Pairs
    interval: tuple[float, float]
    verdict: str


@dataclass(frozen=True, slots=True)
class AccuracyReport:
    """The results of a measurement.

    Attributes
    ----------
    reader : str
        The name of the reader.
    lines : tuple of WayResults
        One for each way.
    beside : tuple of Beside
        Each way compared with JSON within the same budget.
    prompt_tokens, completion_tokens : int
        The tokens that the reader counted.
    failures : dict
        The number of missing answers, by reason.
    """

    reader: str
    lines: tuple[WayResults, ...]
    beside: tuple[Beside, ...]
    prompt_tokens: int
    completion_tokens: int
    failures: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can hold."""
        lines = [
            asdict(line) | {"share": line.share, "interval": line.interval} for line in self.lines
        ]
        beside = [
            asdict(comparison) | {"difference": comparison.pairs.difference}
            for comparison in self.beside
        ]
        return asdict(self) | {"lines": lines, "beside": beside}

    def to_text(self) -> str:
        """Return both tables as aligned text."""
        parts = [f"answers of {self.reader}", *_ways_table(self.lines)]
        if self.beside:
            parts += ["", f"beside {REFERENCE}, in points", *_comparisons_table(self.beside)]
        parts += [
            f"without an answer, {failure_count} times: {why}"
            for why, failure_count in self.failures.items()
        ]
        return "\n".join(parts)


def report(answers: Sequence[Answer], reader: str, margin: float = MARGIN) -> AccuracyReport:
    """Return the report on answers, where `margin` is the smallest loss that matters."""
    answers_by_way: dict[str, list[Answer]] = {}
    for answer in answers:
        answers_by_way.setdefault(answer.asked.writing.way, []).append(answer)
    reasons = [answer.failure for answer in answers if answer.reply is None]
    replies = [answer.reply for answer in answers if answer.reply is not None]
    return AccuracyReport(
        reader,
        tuple(_line_of_way(way, answered) for way, answered in answers_by_way.items()),
        tuple(_comparisons(answers_by_way, margin)),
        sum(reply.prompt_tokens for reply in replies),
        sum(reply.completion_tokens for reply in replies),
        {why: reasons.count(why) for why in dict.fromkeys(reasons)},
    )


def _line_of_way(way: str, answers: Sequence[Answer]) -> WayResults:
    """Return the results of a way."""
    texts = {id(answer.asked.writing): answer.asked.writing for answer in answers}
    right = sum(answer.is_right for answer in answers)
    unknown = sum(answer.is_unknown and not answer.is_right for answer in answers)
    failed = sum(answer.reply is None for answer in answers)
    return WayResults(
        way,
        len(texts),
        sum(writing.tokens for writing in texts.values()),
        len(answers),
        _count_answerable(answers),
        right,
        unknown,
        len(answers) - right - unknown - failed,
        failed,
        sum(answer.reply is not None and answer.reply.cut for answer in answers),
        {kind: _count_kind(answers, kind) for kind in KINDS},
    )


def _count_answerable(answers: Iterable[Answer]) -> int:
    """Return the number of questions that the oracle answers correctly from the texts."""
    oracle = OracleReader()
    return sum(Answer(answer.asked, oracle.read(answer.asked)).is_right for answer in answers)


def _count_kind(answers: Iterable[Answer], kind: str) -> tuple[int, int]:
    """Return the numbers of right answers and of questions of a kind."""
    answers_of_kind = [answer for answer in answers if answer.asked.question.kind == kind]
    return sum(answer.is_right for answer in answers_of_kind), len(answers_of_kind)


def _comparisons(answers_by_way: dict[str, list[Answer]], margin: float) -> list[Beside]:
    """Return the comparisons of each way with the reference; the more, the wider the intervals."""
    reference_ways: dict[str, str] = {}
    for way in answers_by_way:
        name, at, budget = way.partition("@")
        if name != REFERENCE and REFERENCE + at + budget in answers_by_way:
            reference_ways[way] = REFERENCE + at + budget
    level = 1 - (1 - LEVEL) / max(1, len(reference_ways))
    return [
        _comparison(way, other, answers_by_way, level, margin)
        for way, other in reference_ways.items()
    ]


def _comparison(
    way: str, other: str, answers_by_way: dict[str, list[Answer]], level: float, margin: float
) -> Beside:
    """Return the comparison of two ways.

    `level` is the share that the interval covers, and `margin` the loss that matters.
    """
    first, second = _right_by_id(answers_by_way[way]), _right_by_id(answers_by_way[other])
    common_ids = [id for id in first if id in second]
    pairs = Pairs.of([first[id] for id in common_ids], [second[id] for id in common_ids])
    documents = [id.rsplit("/", 2)[0] for id in common_ids]
    gains = [first[id] - second[id] for id in common_ids]
    intervals = pairs.interval(level), grouped_interval(gains, documents, level)
    interval = min(low for low, _ in intervals), max(high for _, high in intervals)
    return Beside(way, other, pairs, interval, verdict(interval, margin))


def _right_by_id(answers: Iterable[Answer]) -> dict[str, bool]:
    """Return whether each answer with a reply is right, by the id of its question."""
    return {
        answer.asked.question.id: answer.is_right for answer in answers if answer.reply is not None
    }


def _ways_table(lines: Iterable[WayResults]) -> list[str]:
    """Return the table of ways as lines."""
    rows: list[list[str]] = []
    for line in lines:
        counts = (str(number) for number in (line.tokens, line.questions, line.answerable))
        shares = f"{line.share:.3f}", "{:.2f}-{:.2f}".format(*line.interval)
        kinds = (f"{right}/{question_count}" for right, question_count in line.kinds.values())
        rows.append([line.way, *counts, *shares, *kinds])
    return aligned_lines(["way", "tokens", "asked", "there", "right", "95 %", *KINDS], rows)


def _comparisons_table(beside: Iterable[Beside]) -> list[str]:
    """Return the table of comparisons as lines."""
    lines: list[str] = []
    for comparison in beside:
        low, high = comparison.interval
        numbers = (
            f"{100 * comparison.pairs.difference:+6.1f} ({100 * low:+.1f} to {100 * high:+.1f})"
        )
        lines.append(f"{comparison.way:18} {numbers:26} {comparison.verdict}")
    return lines

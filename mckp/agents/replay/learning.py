"""Learns weights of fields from what some sessions used, and keeps them if others gain by them."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from mckp import tokenizers
from mckp.agents.replay.actions import End, Response
from mckp.agents.session.classify import parsed_arguments
from mckp.agents.telemetry.fields import Uses, count_votes
from mckp.agents.telemetry.uses import survivals
from mckp.answers.reading import decode
from mckp.api import encode
from mckp.errors import BudgetError, PatternError
from mckp.jsontext import dump, is_object
from mckp.regexes import regex
from mckp.weights.patterns import read_pattern
from mckp.weights.salience import POWER
from mckp.weights.sums import as_weight

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mckp.agents.replay.actions import Action
    from mckp.agents.telemetry.uses import ConversationPart, Use
    from mckp.plain import JsonValue
    from mckp.weights.models import WeightModel

    Factors = Mapping[str, float]
    Counted = Callable[[str], Sequence[Mapping[str, Any]]]


_COUNTS: Final = ("results", "expected", "used")
_LAST: Final = regex(r"(?:\[\*\]|\.?[^.\[\]]+)\Z")


def learnt_factors(
    counts: Iterable[Mapping[str, Any]],
    *,
    prior: float = 1.0,
    fewest: int = 2,
    most: float = 16.0,
    same: float = 1.05,
) -> dict[str, float]:
    """Return factors on the worth of fields, by pattern, as in ``[salience]`` of a file.

    The votes of a field have a Poisson distribution; its mean is the field's factor times the
    expected votes. The factor has a gamma prior around the factor of the container, so a field with
    few results, or none, gets about the factor of its neighbours (A. Gelman et al., Bayesian Data
    Analysis, 3rd edition (2013), section 2.6).

    `counts` are from `mckp.agents.telemetry.fields.count_votes`; wrong ones are ignored. The prior
    counts as `prior` votes, so few results hardly change a factor. A field has a factor of its own
    from `fewest` results on. Factors are between ``1 / most`` and `most`; two that differ by less
    than `same` count as one, and a field with the factor of its container is left out.

    Examples
    --------
    >>> title = {"results": 9, "expected": 4, "used": 9}
    >>> url = {"results": 9, "expected": 5, "used": 0}
    >>> learnt_factors([{"title": title, "by.url": url, "by.id": url}])
    {'by': 0.06, 'title': 2.83}
    >>> learnt_factors([{"title": {"results": 2, "expected": 0.2, "used": 0.3}}])
    {'title': 1.13}
    """
    vote_sums: Counter[tuple[str, str]] = Counter()
    for field, name, count in chain.from_iterable(map(_valid_counts, counts)):
        for counted_field in (field, *_containers_of(field)) if name != "results" else (field,):
            vote_sums[counted_field, name] += count  # type: ignore[assignment]
    exact_factors, kept_factors = {"": 1.0}, {"": 1.0}
    for field in sorted({field for field, name in vote_sums if name == "expected"}):
        outer = next(_containers_of(field), "")
        votes = [vote_sums[field, name] for name in ("used", "expected")]
        exact_factors[field] = exact_factors[outer]
        if votes != [vote_sums[outer, name] for name in ("used", "expected")]:
            exact_factors[field] = (votes[0] + prior * exact_factors[outer]) / (votes[1] + prior)
        factor = round(min(most, max(1 / most, exact_factors[field] ** POWER)), 2)
        is_same = max(factor, kept_factors[outer]) <= same * min(factor, kept_factors[outer])
        is_rare = 0 < vote_sums[field, "results"] < fewest
        kept_factors[field] = kept_factors[outer] if is_same or is_rare else factor
    return {
        field: field_factor
        for field, field_factor in kept_factors.items()
        if field_factor != kept_factors[next(_containers_of(field), "")]
    }


def _valid_counts(counts: Mapping[str, JsonValue]) -> Iterator[tuple[str, str, float]]:
    """Yield the field, name and number of each count; fields with a wrong one are left out."""
    for field, field_counts in counts.items():
        numbers = (
            {name: as_weight(field_counts.get(name)) for name in _COUNTS}
            if is_object(field_counts)
            else {}
        )
        valid = {name: count for name, count in numbers.items() if count is not None}
        with suppress(PatternError):
            if len(valid) == len(_COUNTS) and read_pattern(field):
                yield from ((field, name, count) for name, count in valid.items())


def _containers_of(field: str) -> Iterator[str]:
    """Yield the containers around a field, the innermost first.

    Examples
    --------
    >>> list(_containers_of("jobs[*].by.*"))
    ['jobs[*].by', 'jobs[*]', 'jobs']
    """
    while field := _LAST.sub("", field):
        yield field


@dataclass(frozen=True, slots=True)
class Used:
    """A tool result that has values which were used later."""

    tool: str
    payload: Any
    uses: Sequence[Use]
    """See `mckp.agents.telemetry.uses.find_uses`."""
    session_number: int
    """The number of its session; factors learnt from one session are tried on others."""

    def recall(self, factors: Factors, *, share: float = 0.2, **settings: Any) -> float:
        """Return the share of its uses that survive in its text within a budget.

        The budget is the given share of its tokens as compact JSON, but at least 24 tokens. The
        result is 0 if nothing fits. `factors` are those of `Lesson`, and the settings are for
        `mckp.encode`.
        """
        tokens = tokenizers.get(settings.get("tokenizer", "o200k")).count(dump(self.payload))
        budget = max(24, int(share * tokens))
        try:
            text = encode(
                self.payload, budget=budget, priorities=factors, on_unmatched="ignore", **settings
            ).text
        except BudgetError:
            return 0.0
        return sum(survivals(self.uses, decode(text))) / len(self.uses)


@dataclass(frozen=True, slots=True)
class Lesson:
    """Factors for the fields of a tool, by path, and how much they help.

    `before` and `after` are the mean recall of results that the factors were not learnt from.
    """

    tool: str
    factors: dict[str, float]
    before: float
    after: float
    results: int
    """The number of these results; 0 if only one session used the tool."""

    @property
    def gains(self) -> bool:
        """Whether the factors keep more of what was used than the present ones."""
        return self.after > self.before


def used_in(actions: Iterable[Action]) -> list[Used]:
    """Return the results in a log that have values which later calls of their session used.

    Examples
    --------
    >>> log = [Response("find", "{}", '[{"id": 70412}]'), Response("get", "[70412]", "")]
    >>> [(result.tool, [use["value"] for use in result.uses]) for result in used_in(log)]
    [('find', [70412])]
    """
    used_results: list[Used] = []
    session_number = 0

    def keep_used(part: ConversationPart, uses: list[Use]) -> None:
        """Keep a result if it was used."""
        if uses:
            used_results.append(Used(part.tool, part.payload, uses, session_number))

    uses_seen = Uses(on_used=keep_used)
    for action in chain(actions, [End()]):
        if isinstance(action, Response):
            args = parsed_arguments(action.args)
            uses_seen.add_call(args)
            uses_seen.add_result(action.tool, args, action.text)
        elif isinstance(action, End):
            uses_seen.counts()
            session_number += 1
            uses_seen = Uses(on_used=keep_used)
    return used_results


def lessons(
    used_results: Sequence[Used],
    before: Mapping[str, Factors],
    counts: Counted | None = None,
    part_count: int = 5,
    **settings: Any,
) -> Iterator[Lesson]:
    """Yield, for each tool, the factors that can be learnt, and how much they help.

    `before` has the present factors by tool, with which the learnt ones are compared. Factors are
    learnt from the telemetry counts that `counts` returns for a tool, and tried on all
    sessions. Without `counts`, this is a cross-validation: of `part_count` parts of the sessions,
    each is tried with factors that are learnt from the others; the factors of the lesson are learnt
    from all sessions. The settings are for `mckp.encode`.
    """
    prior = settings.get("weights")
    for tool in sorted({result.tool for result in used_results}):
        tool_results = [result for result in used_results if result.tool == tool]
        tried: list[tuple[float, float]] = []
        for part in range(part_count) if counts is None else (None,):
            training_results = [
                result
                for result in tool_results
                if part is not None and result.session_number % part_count != part
            ]
            factors = learnt_factors(
                _votes_of_results(training_results, prior) if counts is None else counts(tool)
            )
            tested_results = [
                result
                for result in tool_results
                if part is None or result.session_number % part_count == part
            ]
            for result in tested_results if factors else ():
                pair = [
                    result.recall(compared, **settings)
                    for compared in (before.get(tool, {}), factors)
                ]
                tried.append((pair[0], pair[1]))
        factors = learnt_factors(
            _votes_of_results(tool_results, prior) if counts is None else counts(tool)
        )
        recall_before, recall_after = [
            sum(recalls) / len(tried) for recalls in zip(*tried, strict=True)
        ] or (
            0.0,
            0.0,
        )
        yield Lesson(tool, factors, recall_before, recall_after, len(tried))


def lessons_to_keep(lessons_tried: Iterable[Lesson]) -> list[Lesson]:
    """Return the lessons to keep: those that keep more of what was used, and those not tried.

    There are none if no lesson keeps more. The factors of a tool that only one session used cannot
    be tried on another.

    Examples
    --------
    >>> good, same = Lesson("a", {"x": 2.0}, 0.5, 0.9, 9), Lesson("b", {"y": 2.0}, 0.5, 0.5, 9)
    >>> untried = Lesson("c", {"z": 2.0}, 0.0, 0.0, 0)
    >>> [lesson.tool for lesson in lessons_to_keep([good, same, untried])]
    ['a', 'c']
    >>> lessons_to_keep([same, untried])
    []
    """
    kept = [
        lesson
        for lesson in lessons_tried
        if lesson.factors and (lesson.gains or not lesson.results)
    ]
    return kept if any(lesson.gains for lesson in kept) else []


def _votes_of_results(
    used_results: Iterable[Used], prior: WeightModel | None
) -> list[dict[str, JsonValue]]:
    """Return what `count_votes` counts in each result; `prior` is the weight model for it."""
    return [count_votes(result.payload, result.uses, prior) for result in used_results]

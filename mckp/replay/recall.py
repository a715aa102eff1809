"""Weights of fields from what sessions used: learnt on some, and kept if others show a gain."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from mckp import tokenizers
from mckp.api import encode
from mckp.config.tuner.fields import learnt
from mckp.errors import BudgetError
from mckp.jsontext import dump
from mckp.reading import decode
from mckp.replay.log import End, Response
from mckp.replay.run import arguments
from mckp.telemetry.fields import Uses, counted
from mckp.telemetry.uses import survived

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mckp.replay.log import Action
    from mckp.telemetry.uses import Part, Use
    from mckp.weights.models import WeightModel

    Factors = Mapping[str, float]
    Counted = Callable[[str], Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Used:
    """One result of a tool, of which something was used later.

    Attributes
    ----------
    tool : str
    payload : dict or list
    uses : sequence of dict
        See `mckp.telemetry.uses.used`.
    run : int
        The number of its session: what is learnt in one is tried on others.
    """

    tool: str
    payload: Any
    uses: Sequence[Use]
    run: int

    def recall(self, factors: Factors, *, share: float = 0.2, **settings: Any) -> float:
        """Return the share of its uses that is left within a share of its tokens, 24 at least.

        Parameters
        ----------
        factors : mapping of str to float
            See `mckp.weights.Priorities`.
        share : float, default 0.2
            Of the tokens of compact JSON.
        **settings
            For `mckp.encode`.
        """
        count = tokenizers.get(settings.get("tokenizer", "o200k")).count(dump(self.payload))
        budget = max(24, int(share * count))
        try:
            text = encode(self.payload, budget=budget, priorities=factors, **settings).text
        except BudgetError:
            return 0.0
        return sum(survived(self.uses, decode(text))) / len(self.uses)


@dataclass(frozen=True, slots=True)
class Lesson:
    """Factors for the fields of a tool, and what they are good for.

    Attributes
    ----------
    tool : str
    factors : dict
        By path; see `mckp.config.tuner.fields.learnt`.
    before, after : float
        Mean recall of results that the factors tried did not learn from.
    results : int
        How many these are; none of a tool that only one session has.
    """

    tool: str
    factors: dict[str, float]
    before: float
    after: float
    results: int


class _Found(Uses):
    """Keeps the results of which something was used, instead of counts."""

    def __init__(self, into: list[Used], run: int) -> None:
        super().__init__()
        self._into, self._number = into, run

    def found(self, part: Part, uses: list[Use]) -> None:
        if uses:
            self._into.append(Used(part.tool, part.payload, uses, self._number))


def used_in(actions: Iterable[Action]) -> list[Used]:
    """Return the results in a log of which later calls of their session used something.

    Examples
    --------
    >>> log = [Response("find", "{}", '[{"id": 70412}]'), Response("get", "[70412]", "")]
    >>> [(each.tool, [use["value"] for use in each.uses]) for each in used_in(log)]
    [('find', [70412])]
    """
    found: list[Used] = []
    run = 0
    now = _Found(found, run)
    for action in chain(actions, [End()]):
        if isinstance(action, Response):
            args = arguments(action.args)
            now.call(args)
            now.result(action.tool, args, action.text)
        elif isinstance(action, End):
            now.counts()
            run += 1
            now = _Found(found, run)
    return found


def lessons(
    found: Sequence[Used],
    before: Mapping[str, Factors],
    counts: Counted | None = None,
    parts: int = 5,
    **settings: Any,
) -> Iterator[Lesson]:
    """Yield what can be learnt of each tool, and how much it is worth on other sessions.

    Parameters
    ----------
    found : sequence of Used
        What factors are tried on.
    before : mapping
        The factors so far, by tool.
    counts : callable, optional
        Returns the counts of telemetry to learn from for a tool. By default, factors are learnt on
        all sessions found but one part and tried on that, each part in turn; those of the lesson
        are learnt on all.
    parts : int, default 5
        How many parts there are.
    **settings
        For `mckp.encode`.
    """
    prior = settings.get("weights")
    for tool in sorted({each.tool for each in found}):
        own = [each for each in found if each.tool == tool]
        tried: list[tuple[float, float]] = []
        for part in range(parts) if counts is None else (None,):
            others = [each for each in own if part is not None and each.run % parts != part]
            factors = learnt(_counts(others, prior) if counts is None else counts(tool))
            rest = [each for each in own if part is None or each.run % parts == part]
            for each in rest if factors else ():
                pair = [each.recall(known, **settings) for known in (before.get(tool, {}), factors)]
                tried.append((pair[0], pair[1]))
        factors = learnt(_counts(own, prior) if counts is None else counts(tool))
        old, new = [sum(each) / len(tried) for each in zip(*tried, strict=True)] or (0.0, 0.0)
        yield Lesson(tool, factors, old, new, len(tried))


def taken(found: Sequence[Lesson]) -> list[Lesson]:
    """Return the lessons to keep: none that loses by itself, and none unless some gain.

    Examples
    --------
    >>> good, bad = Lesson("a", {"x": 2.0}, 0.5, 0.9, 9), Lesson("b", {"y": 2.0}, 0.5, 0.4, 9)
    >>> [each.tool for each in taken([good, bad])], taken([bad])
    (['a'], [])
    """
    kept = [each for each in found if each.factors and each.after >= each.before]
    return kept if any(each.after > each.before for each in kept) else []


def _counts(found: Iterable[Used], prior: WeightModel | None) -> list[dict[str, Any]]:
    return [counted(each.payload, each.uses, prior) for each in found]

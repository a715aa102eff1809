"""What several tools say alike is written once, where that pays by the count of tokens."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from mckp.jsontext import canonical, load
from mckp.tools.text.spell import SIGN, description_of, label, prose, sentences
from mckp.tools.text.write import Shared, Writer, takes_codes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mckp.tools.text.write import Part, Parts
    from mckp.tools.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from mckp.tools.text.write import Part, Parts
    from mckp.tools.tool import Tool

    Count = Callable[[Sequence[str]], list[int]]

_STRING: Final = canonical({"type": "string"})

MAX_SHARED_SENTENCES: Final = 12
"""Sentences that are shared in one piece at most."""

_Run = tuple[str, ...]


def shared(tools: Sequence[Tool], parts: Parts, count: Count) -> Shared:
    """Return what is worth writing once for these tools.

    Parameters
    ----------
    tools : sequence of Tool
        The tools that are written in full, in normal form.
    parts : Parts
        What spells their parameters.
    count : callable
        Counts the tokens of each of a list of texts.
    """
    parameters = _parameters(tools, Writer(parts=parts), count)
    found = Shared(parameters)
    return Shared(parameters, _texts(prose_of(tools, parts, found.labels()), count))


def _parameters(tools: Sequence[Tool], writer: Writer, count: Count) -> dict[str, Any]:
    """Return the parameters that pay for themselves, by label, in order of appearance."""
    schemas: dict[tuple[str, str], Any] = {}
    uses: Counter[tuple[str, str]] = Counter()
    for part in members(tools, writer.parts):
        place = part.key, part.identity
        schemas.setdefault(place, part.schema)
        uses[place] += 1
    places = [place for place in schemas if uses[place] > 1]
    # The first label of a name is the cheapest, so it goes to the most frequent of them.
    places.sort(key=lambda place: -uses[place])
    gains = _gains(places, schemas, uses, writer, count)
    kept = [place for place in schemas if gains.get(place, 0) > 0]
    return {_label(place, kept, uses): schemas[place] for place in kept}


def _gains(
    places: Sequence[tuple[str, str]],
    schemas: dict[tuple[str, str], Any],
    uses: Counter[tuple[str, str]],
    writer: Writer,
    count: Count,
) -> dict[tuple[str, str], int]:
    names = Counter[str]()
    texts: list[str] = []
    for place in places:
        names[place[0]] += 1
        label = place[0] if names[place[0]] == 1 else f"{place[0]}~{names[place[0]]}"
        texts += [writer.line(label, schemas[place]), writer.here(place[0], schemas[place])]
        texts += [f"a {label} b"]
    tokens = count(["a b", *texts])
    base = tokens[0]
    return {
        # A plain string of that name has to say so, as soon as its name means something else.
        place: uses[place] * (own - (label - base)) - line - uses[place[0], _STRING]
        for place, line, own, label in zip(
            places, tokens[1::3], tokens[2::3], tokens[3::3], strict=True
        )
    }


def _label(place: tuple[str, str], kept: Sequence[tuple[str, str]], uses: Counter[Any]) -> str:
    same = sorted((one for one in kept if one[0] == place[0]), key=lambda one: -uses[one])
    number = same.index(place) + 1
    return place[0] if number == 1 else f"{place[0]}~{number}"


def members(tools: Sequence[Tool], parts: Parts) -> Iterable[Part]:
    """Yield the parameters that could be shared, tool by tool."""
    return (part for tool in tools for part in parts.of(tool) or () if part.can_share)


def prose_of(
    tools: Sequence[Tool], parts: Parts, labels: Collection[tuple[str, str]] = ()
) -> list[str]:
    """Return all prose of tools, that of shared parameters once."""
    texts = [tool.description for tool in tools]
    texts += filter(None, (description_of(load(text)) for _, text in labels))
    texts += (
        part.description
        for tool in tools
        for part in parts.of(tool) or ()
        if part.description is not None and (part.key, part.identity) not in labels
    )
    return [text for text in texts if text and takes_codes(text)]


class _Runs:
    """Runs of sentences in texts, of which the best are taken out one after another."""

    def __init__(self, texts: Sequence[str], count: Count) -> None:
        self.pieces = [sentences(text) for text in texts]
        self.places: defaultdict[_Run, list[tuple[int, int]]] = defaultdict(list)
        for number, pieces in enumerate(self.pieces):
            for start, run in _runs(pieces):
                self.places[run].append((number, start))
        self.saving = _savings([run for run in self.places if len(self.places[run]) > 1], count)

    def left(self, run: _Run) -> list[tuple[int, int]]:
        """Return where a run still stands, without those that overlap an earlier one."""
        found: list[tuple[int, int]] = []
        free = (-1, 0)
        for number, start in self.places[run]:
            if (number, start) >= free and _matches(self.pieces[number], start, run):
                found.append((number, start))
                free = number, start + len(run)
        return found

    def gain(self, run: _Run) -> int:
        each, line = self.saving[run]
        uses = len(self.left(run))
        return uses * each - line if uses > 1 else 0

    def take_out(self, run: _Run) -> None:
        """Leave nothing where a run stands, so that other places stay what they are."""
        for number, start in self.left(run):
            self.pieces[number][start : start + len(run)] = [""] * len(run)


def _savings(runs: Sequence[_Run], count: Count) -> dict[_Run, tuple[int, int]]:
    """Return what a code saves at each place of a run, and what its own line costs."""
    bodies = ["".join(run).rstrip() for run in runs]
    lines = count([f" {SIGN}1 {prose(body)}\n" for body in bodies])
    whole = count([f"A. {body} B.\n" for body in bodies])
    (code,) = count([f"A. {SIGN}1 B.\n"])
    return {
        run: (tokens - code, line)
        for run, tokens, line in zip(runs, whole, lines, strict=True)
        if tokens > code + 1
    }


def _texts(texts: Sequence[str], count: Count) -> tuple[str, ...]:
    """Return runs of sentences that pay for themselves, the most worthwhile first."""
    runs = _Runs(texts, count)
    heap = [(-runs.gain(run), order, run) for order, run in enumerate(runs.saving)]
    heapq.heapify(heap)
    taken: list[str] = []
    while heap:
        before, order, run = heapq.heappop(heap)
        gain = runs.gain(run)
        if gain <= 0:
            continue
        if gain < -before:  # others took some of its places since
            heapq.heappush(heap, (-gain, order, run))
            continue
        runs.take_out(run)
        taken.append("".join(run).rstrip())
    return tuple(taken)


def _runs(pieces: Sequence[str]) -> Iterable[tuple[int, _Run]]:
    """Yield runs of sentences and where they begin; their last blanks do not count."""
    stripped = [piece.rstrip() for piece in pieces]
    for start in range(len(pieces)):
        if not stripped[start]:
            continue
        for end in range(start + 1, min(len(pieces), start + MAX_SHARED_SENTENCES) + 1):
            if stripped[end - 1]:
                yield start, (*pieces[start : end - 1], stripped[end - 1])


def _matches(pieces: Sequence[str], start: int, run: _Run) -> bool:
    last = start + len(run) - 1
    return (
        last < len(pieces)
        and pieces[last].rstrip() == run[-1]
        and tuple(pieces[start:last]) == run[:-1]
    )


class LeastWriter(Writer):
    """Writes tools as if everything that could be shared were, whatever its own line costs.

    Whatever is shared in earnest, no tool is shorter than this, which makes a bound.

    Parameters
    ----------
    told : iterable of sequence of Tool
        For each tool, what is said of it at the levels that can share.
    parts : Parts
        What spells parameters.
    """

    def __init__(self, told: Iterable[Sequence[Tool]], parts: Parts) -> None:
        super().__init__(parts=parts)
        parameters: Counter[tuple[str, str]] = Counter()
        prose: Counter[str] = Counter()
        for versions in told:
            parameters.update({(part.key, part.identity) for part in members(versions, parts)})
            pieces = [Counter(_pieces(prose_of([version], parts))) for version in versions]
            prose.update({text: max(one[text] for one in pieces) for one in pieces for text in one})
        self._parameters_twice = {place for place, uses in parameters.items() if uses > 1}
        self._prose_twice = {text for text, uses in prose.items() if uses > 1}

    def known(self, part: Part) -> str | None:
        """Return the name of a parameter that could be shared."""
        return label(part.key) if (part.key, part.identity) in self._parameters_twice else None

    def _coded(self, text: str) -> str:
        # One code for each run of sentences that could be shared.
        if not takes_codes(text):
            return super()._coded(text)
        runs = groupby(sentences(text), key=lambda piece: piece.strip() in self._prose_twice)
        shown = [f"{SIGN}1 " if twice else "".join(run) for twice, run in runs]
        return super()._coded("".join(shown).rstrip().replace(SIGN, "1"))


def _pieces(texts: Iterable[str]) -> Iterable[str]:
    return (piece.strip() for text in texts for piece in sentences(text) if piece.strip())

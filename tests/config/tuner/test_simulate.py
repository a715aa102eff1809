"""What marks say about savings, beside a slow twin that keeps a list of all that happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given

from mckp.config.tuner import Changed, Compacted, Layer, Mark, Savings, Seen
from mckp.config.tuner.knobs import Knobs
from mckp.config.tuner.simulate import LABEL, REFERENCE, simulate
from tests.config.tuner.made import MARKS, TABLES, seen

if TYPE_CHECKING:
    from collections.abc import Sequence

PLAIN: dict[str, Any] = {}


def _kept(marks: Sequence[Mark], agent: int, knobs: Knobs) -> list[tuple[bytes, bytes]]:
    """Replay all over again: the texts a context holds after some marks, oldest first."""
    held: list[tuple[bytes, bytes]] = []
    for mark in marks:
        if isinstance(mark, Changed):
            held = [each for each in held if each[1] != mark.file]
        elif isinstance(mark, Compacted):
            held = [] if mark.agent == agent else held
        elif not isinstance(mark, Seen):
            held = []
        elif mark.agent == agent and _is_referable(mark, knobs):
            known = [each for each in held if each[0] == mark.content]
            held = [each for each in held if each[0] != mark.content]
            held.append(known[0] if known else (mark.content, mark.file))
            held = held[-knobs.lru_size :]
    return held


def _is_referable(mark: Seen, knobs: Knobs) -> bool:
    least = knobs.least.get(mark.endpoint, knobs.min_body_chars)
    return mark.chars >= least and knobs.enabled.get(mark.endpoint, True)


def _twin(marks: Sequence[Mark], knobs: Knobs) -> tuple[int, int, int]:
    """Responses that repeat, that nearly repeat, and tokens of all."""
    exact = near = tokens = 0
    for place, mark in enumerate(marks):
        if not isinstance(mark, Seen):
            continue
        held = [each[0] for each in _kept(marks[:place], mark.agent, knobs)]
        bases = [mark.bases[each] for each in reversed(held) if each in mark.bases]
        whole = min(mark.tokens, mark.encoded)
        if mark.chars < knobs.least.get(mark.endpoint, knobs.min_body_chars):
            tokens += mark.tokens
        elif not knobs.enabled.get(mark.endpoint, True):
            tokens += whole
        elif mark.content in held:
            exact, tokens = exact + 1, tokens + REFERENCE
        elif knobs.near_refs and bases:
            near, tokens = near + 1, tokens + bases[0] + LABEL
        else:
            tokens += whole + LABEL
    return exact, near, tokens


@given(MARKS, TABLES)
def test_the_same_as_the_slow_way(marks: list[Mark], table: dict[str, Any]) -> None:
    knobs = Knobs.of(table)
    found = simulate(marks, knobs)
    events = [found.of(layer).events for layer in (Layer.REFERENCE, Layer.NEAR)]
    assert (*events, found.tokens) == _twin(marks, knobs)


def _saved(marks: list[Mark], table: dict[str, Any] = PLAIN) -> Savings:
    return simulate(marks, Knobs.of(table))


def test_a_repeat_is_a_reference() -> None:
    assert _saved([seen(), seen()]).tokens == 300 + LABEL + REFERENCE


def test_a_sub_agent_has_read_nothing() -> None:
    assert _saved([seen(), seen(agent=1)]).of(Layer.REFERENCE).events == 0


def test_what_was_compacted_or_edited_is_gone() -> None:
    for event in (Compacted(0), Changed(b"f")):
        marks: list[Mark] = [seen(file="f"), event, seen(file="f")]
        assert _saved(marks).of(Layer.REFERENCE).events == 0


def test_no_more_is_remembered_than_the_size_says() -> None:
    marks: list[Mark] = [*(seen(content=letter) for letter in "abcdef"), seen(content="a")]
    assert _saved(marks).of(Layer.REFERENCE).events == 0
    larger = {"endpoint_overrides": {"Grep": {"lru_size": 6}}}
    assert _saved(marks, larger).of(Layer.REFERENCE).events == 1


@given(MARKS, TABLES)
def test_the_columns_fit_together(marks: list[Mark], table: dict[str, Any]) -> None:
    found = simulate(marks, Knobs.of(table))
    total = found.of()
    assert abs(found.exact + found.near - found.dedup) < 1e-9
    missed = found.of(Layer.ENCODED, Layer.PLAIN).baseline
    saved = found.dedup * total.baseline + found.encoder * missed
    if missed and total.baseline:  # what has no tokens may still get a label
        assert abs(saved - found.combined * total.baseline) < 1e-6 * (1 + total.baseline)

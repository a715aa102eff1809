"""The lines of a text that match a pattern, and how the pattern was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mckp.errors import RecallError
from mckp.recall import names
from mckp.recall.alternatives import Alternatives, alternatives
from mckp.recall.nearby import case_note, depends_on_case, words_note
from mckp.recall.patterns import ANY_CASE, SlowPatternError, basic_reading, searched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.recall.lines import NumberedText


class Hits(NamedTuple):
    """The lines that match a pattern."""

    pattern: str
    """The pattern, as it was read."""
    hits: list[int]
    note: str = ""
    alternatives: Alternatives | None = None


_SHORT_OTHERS: Final = 160
"""Most characters of the lines in another case that a note gives instead of the call for them."""
_FEW: Final = 20
"""Lines of a text from which on an alternative that all of them have is left out."""


def hits_of(
    source: NumberedText, candidates: Sequence[int], pattern: str, *, shows_other_case: bool = False
) -> Hits:
    """Return the candidates that match a pattern, as indexes, with a note on how it was read.

    If none matches, the pattern is tried in any case, and then as ``grep`` reads it without ``-E``.
    The note counts lines that match in another case; with `shows_other_case`, it has them if they
    are few and short.
    """

    def matching(pattern: str, *, ignores_case: bool = False) -> list[int]:
        """Return the candidates that match."""
        return _matching_indexes(source, candidates, pattern, ignores_case=ignores_case)

    note, hits = "", matching(pattern)
    any_case = matching(pattern, ignores_case=True) if depends_on_case(pattern) else hits
    is_other_case = not hits
    if hits:
        others = sorted(set(any_case) - set(hits))
        texts = [f"{source.number(index)}:{source.lines[index].strip()}" for index in others]
        unit = "line" if len(others) == 1 else "lines"
        note = case_note(len(others), unit, pattern)
        if note and shows_other_case and len(" | ".join(texts)) <= _SHORT_OTHERS:
            note = f"{len(others)} more {unit} in another case: {' | '.join(texts)}"
    elif any_case:
        hits = any_case
        note = f"0 of {len(candidates)} lines have it in this case; these differ in case"
    elif (basic := basic_reading(pattern)) and (hits := matching(basic)):
        escape = next(sign for sign in ("|", "(", "+", "?", "<", ">") if f"\\{sign}" in pattern)
        note = f"0 lines have it with \\{escape} for a plain {escape}; this is {basic[:60]}"
        pattern = basic
    else:
        return Hits(pattern, [], _no_match_note(source, candidates, pattern))
    counted = alternatives(
        pattern,
        [source.lines[index] for index in hits],
        ignores_case=is_other_case and not pattern.startswith(ANY_CASE),
    )
    if counted and len(hits) == len(candidates) >= _FEW:
        everywhere = [name for name, places in counted.hits.items() if len(places) == len(hits)]
        rest = {name: places for name, places in counted.hits.items() if name not in everywhere}
        if everywhere and any(rest.values()):
            said = f"{everywhere[0]!r} is in every line, so it was left out"
            hits = [hits[place] for place in sorted(frozenset[int]().union(*rest.values()))]
            return Hits("|".join(rest), hits, "; ".join(filter(None, (said, note))))
    return Hits(pattern, hits, note, counted)


def _no_match_note(source: NumberedText, candidates: Sequence[int], pattern: str) -> str:
    """Say that no line matches a pattern, and which of its words and which headings exist.

    `candidates` are the indexes of the lines that were searched.
    """
    near = names.nearest(pattern, [section.name for section in source.sections])[:5]
    headings = f"the text has the headings {', '.join(near)}" if near else ""
    words = words_note(pattern, [source.lines[index] for index in candidates], "lines")
    return "; ".join(filter(None, (f"0 of {len(candidates)} lines have it", words, headings)))


def _matching_indexes(
    source: NumberedText, candidates: Sequence[int], pattern: str, *, ignores_case: bool
) -> list[int]:
    """Return the indexes of those candidates that match a pattern; raise if it takes too long."""
    try:
        return [
            index
            for index in candidates
            if searched(pattern, source.lines[index], ignores_case=ignores_case)
        ]
    except SlowPatternError as error:
        raise RecallError(f"grep: {error}", "grep") from None

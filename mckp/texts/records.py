"""What is known of each kind of text, from ``kinds.toml``, and the rules for its lines.

A rule says what a line is worth that begins with a pattern. Of the rules of a kind, the first that
matches a line counts. So their order matters, and so do *states*, which some lines begin or end: a
line with a minus is a change only in a hunk.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import field
from functools import cache
from math import log10
from pkgutil import get_data
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.frozen import frozen
from mckp.texts import patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from re import Match, Pattern

    from mckp.texts.lines import Roles


class LineRule(NamedTuple):
    """What a line is worth that begins with a pattern; ``kinds.toml`` explains the fields."""

    line: Pattern[str]
    factor: float | None = None
    times: float = 1.0
    least: float | None = None
    tenfold: bool = False
    when: frozenset[str] = frozenset()
    unless: frozenset[str] = frozenset()
    then: tuple[str, ...] = ()
    below: Pattern[str] | None = None
    among: Pattern[str] | None = None
    usual: bool = False
    fading: float = 0.0
    by: tuple[int, ...] | None = None

    @property
    def rates(self) -> bool:
        """Whether it says what a line is worth, and does not only begin or end states."""
        return self.factor is not None or self.least is not None or self.times != 1

    def key(self, hit: Match[str]) -> str:
        """Return the text that lines must have in common to fade."""
        if self.by is None:
            return hit.string
        return next((hit[group] for group in self.by if hit[group]), "")


@frozen
class ToolRules:
    """Further rules for what one program writes, with an example."""

    tool: str
    rules: tuple[LineRule, ...]
    example: str
    first: str
    needs: Pattern[str] | None = None


@frozen
class KindRecord:
    """A kind of text; ``kinds.toml`` explains the fields."""

    name: str
    example: str = ""
    group: str = "output"
    failures: float = 1.0
    role: str = ""
    signs: str | None = None
    titles: bool = False
    wrapped: bool = False
    folds: bool = False
    repeats: bool = False
    tallies: bool = False
    fields: str = ""
    page: bool = False
    blocks: bool = False
    event: str = ""
    heads: str = ""
    roles: str = ""
    adds: Mapping[str, float] = field(default_factory=dict[str, float])
    states: tuple[tuple[str, Pattern[str], int], ...] = ()
    rules: tuple[LineRule, ...] = ()
    tools: tuple[ToolRules, ...] = ()


_NAMED: Final = re.compile(r"\(\?&([A-Z_]+)\)")
"""A pattern of `mckp.texts.patterns` within another one."""

_SECTION: Final = re.compile(r"(?m)^(?=\[([a-z]+)\])")


@cache
def _sections() -> dict[str, str]:
    """Return the text of each section: a document has few kinds, and parsing all takes longer."""
    text = (get_data("mckp.texts", "kinds.toml") or b"").decode()
    edges = [*_SECTION.finditer(text)]
    ends = [*(edge.start() for edge in edges[1:]), len(text)]
    return {edge[1]: text[edge.start() : end] for edge, end in zip(edges, ends, strict=True)}


def kind_names() -> tuple[str, ...]:
    """Return the names of all kinds of texts."""
    return tuple(_sections())


def _values(name: str) -> dict[str, Any]:
    values: dict[str, Any] = tomllib.loads(_sections()[name])[name]
    return values


@cache
def record(name: str) -> KindRecord:
    """Return what is known of a kind of text.

    Examples
    --------
    >>> record("diff").group, record("history").group, record("history").wrapped
    ('diff', 'diff', True)
    """
    values = _values(name)
    if "like" in values:
        values = _values(values.pop("like")) | values
    states = values.pop("states", {}).items()
    return KindRecord(
        name=name,
        role=values.pop("is", ""),
        states=tuple((state, _pattern(given["line"]), given["least"]) for state, given in states),
        rules=tuple(map(line_rule, values.pop("rules", ()))),
        tools=tuple(map(_tool, values.pop("tools", ()))),
        **values,
    )


def _tool(values: dict[str, Any]) -> ToolRules:
    needs = values.get("if")
    return ToolRules(
        tool=values["tool"],
        rules=tuple(map(line_rule, values["rules"])),
        example=values["example"],
        first=values["first"],
        needs=None if needs is None else _pattern(needs),
    )


def line_rule(values: Mapping[str, Any]) -> LineRule:
    """Return a rule, given its fields in a file."""
    values = dict(values)
    for name in ("line", "below", "among"):
        if name in values:
            values[name] = _pattern(values[name])
    states = values.pop("when", "").split()
    if "by" in values:
        values["by"] = tuple(map(int, values["by"].split()))
    return LineRule(
        when=frozenset(state for state in states if state[0] != "-"),
        unless=frozenset(state[1:] for state in states if state[0] == "-"),
        then=tuple(values.pop("then", "").split()),
        **values,
    )


def _pattern(given: str | Sequence[str]) -> Pattern[str]:
    text = given if isinstance(given, str) else "".join(given)
    return re.compile(_NAMED.sub(_named, text))


def _named(found: Match[str]) -> str:
    """Return the text of a pattern that is referred to."""
    pattern: str | Pattern[str] = getattr(patterns, found[1])
    return pattern if isinstance(pattern, str) else pattern.pattern


class Applied(NamedTuple):
    """A rule that rated a line, and whose it is: a kind, or a program."""

    owner: str
    rule: LineRule


def rated(
    rows: Sequence[str],
    kind: KindRecord,
    roles: Roles,
    applied: dict[int, list[Applied]] | None = None,
) -> Roles:
    r"""Return the factor of each row and the least that it is worth, by the rules of a kind.

    `roles` are those of rows that no rule matches; they are changed in place. The rules that rated
    a row are added to `applied`, by the index of the row.

    Examples
    --------
    >>> rated(["@@ -1 +1 @@", " same", "index 12ab..34cd"], record("diff"), ([1.0] * 3, [0.0] * 3))
    ([1.0, 0.4, 1.0], [0.0, 0.0, 0.0])
    """
    states = {state for state, line, least in kind.states if _matching(line, rows) >= least}
    parts = [(kind.name, kind.rules, states)]
    for tool in kind.tools:
        if tool.needs is None or any(map(tool.needs.match, rows)):
            parts.append((tool.tool, tool.rules, set[str]()))
    for owner, rules, holding in parts:
        for place, rule in _apply(rules, rows, roles, holding):
            if applied is not None and rule.rates:
                applied.setdefault(place, []).append(Applied(owner, rule))
    return roles


def _matching(pattern: Pattern[str], rows: Iterable[str]) -> int:
    return sum(pattern.match(row) is not None for row in rows)


def _apply(
    rules: Sequence[LineRule], rows: Sequence[str], roles: Roles, states: set[str]
) -> Iterator[tuple[int, LineRule]]:
    """Rate the rows by a list of rules, in place; yield each rated row with its rule.

    `states` are those that hold at first.
    """
    known = [_first_groups(rule.among, rows) if rule.among else None for rule in rules]
    usual = [_usual_row(rule.line, rows) if rule.usual else None for rule in rules]
    counts: Counter[tuple[int, str]] = Counter()
    for place, row in enumerate(rows):
        for number, rule in enumerate(rules):
            if not rule.when <= states or (rule.unless and rule.unless & states):
                continue
            hit = rule.line.match(row)
            if hit is None or (rule.usual and row != usual[number]):
                continue
            among = known[number]
            if among is not None and hit[1] not in among:
                continue
            if rule.below and not any(map(rule.below.match, rows[place + 1 : place + 2])):
                continue
            share = 1.0
            if rule.fading:
                key = number, rule.key(hit)
                share = 1 / (1 + counts[key] / rule.fading)
                counts[key] += 1
            _rate(rule, hit, share, place, roles)
            for state in rule.then:
                (states.add if state[0] == "+" else states.discard)(state[1:])
            yield place, rule
            break


def _rate(rule: LineRule, hit: Match[str], share: float, place: int, roles: Roles) -> None:
    """Rate the row at a place by the rule that it matches; what a rule does not say stays."""
    factors, least = roles
    if rule.factor is not None:
        factors[place] = rule.factor
    factors[place] *= rule.times
    if rule.least is None:
        factors[place] *= share
        return
    least[place] = share * rule.least
    if rule.tenfold:
        least[place] *= log10(2 + min(int(hit[1] or 1), 10**6))


def _first_groups(pattern: Pattern[str], rows: Iterable[str]) -> set[str]:
    return {hit[1] for row in rows if (hit := pattern.match(row))}


def _usual_row(pattern: Pattern[str], rows: Iterable[str]) -> str | None:
    """Return the commonest row that matches; None if there is none."""
    common = Counter(row for row in rows if pattern.match(row)).most_common(1)
    return common[0][0] if common else None

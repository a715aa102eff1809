"""Find the rules of some objects: for a member, the template that gives its text in all of them.

A template is made of texts that all these objects share, and of *sources*: members of the objects,
of those in them and of those around them.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, repeat, zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.encoders.follows import NAME, PART, holes_of
from mckp.jsontext import dump, is_container, is_object
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mckp.encoders.follows import Place

SHORTEST: Final = 8
"""Fewest characters of a value that is worth a template."""

EVIDENCE: Final = 3
"""Fewest different texts that show that a part of the name of a host follows from a member."""

SHORTEST_SHARED: Final = 10
"""Fewest characters of a text that is the same in several objects and worth a hole.

A shorter one is no longer as a text, and in an address it may be there by coincidence: the owner
``github`` of all repositories is not what ``github.com`` is made from."""

LONGEST: Final = 400
"""Most characters of a value that is compared with templates."""

FEW: Final = 4
"""Fewest objects of which some may be exceptions from a rule."""

RARE: Final = 4
"""At most one object in so many is an exception."""

MOST_HOLES: Final = 4
"""Most members that a template uses."""

_PLAIN = regex(r"[!-#%-~]+\Z")
_INTEGER = regex(r"(?:0|[1-9][0-9]{0,14})\Z")
_HOLE = regex(r"\$\{[^{}]*\}")
_WORDS = regex(r"[a-z]{3,}")
_HOST = regex(r"(?:[a-z][a-z0-9+.-]*://|[^/@:]+@)([^/?#:]*)")
"""The host of an address, such as ``git@example.org:a.git`` or ``https://example.org/a``."""

_CONTAINERS: Final = frozenset({dict, list})

_MAIN: Final = frozenset({"html_url", "web_url", "url"})
"""Addresses that others with the same text follow from, as readers need them most."""

is_name = lru_cache(maxsize=4096)(regex(rf"{NAME}\Z").match)
"""Whether rules may use a name of a member."""

Texts = list[str]


def text_of(value: Any) -> str:
    """Return the text that a template may have in place of a value; "" if it may not."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def cost_of(text: str) -> int:
    """Return about how many tokens a text has."""
    return (len(text) + 7) // 4


def may_be_template(value: Any) -> bool:
    """Whether a value may be made of others: like an address, with signs but without blanks."""
    return _may_be_made(value) and not value.isalnum()


def _may_be_made(value: Any) -> bool:
    """Whether a value may be made of others, whatever it looks like."""
    is_long = isinstance(value, str) and SHORTEST <= len(value) <= LONGEST
    return is_long and _PLAIN.match(value) is not None


def are_equal(column: Sequence[Any]) -> bool:
    """Whether all values are the same, types included."""
    first = column[0]
    return column.count(first) == len(column) and len(set(map(type, column))) == 1


class Sources:
    """The texts that templates may use, by name, and by their text in the first object.

    They are looked up in `holders`, the objects that have them, when a template may use them.
    `within` has the texts of the first object that may be made of them, None for any.
    """

    def __init__(self, within: str | None) -> None:
        self.within = within
        self.holders: dict[str, tuple[Sequence[dict[str, Any]], str]] = {}
        self.known: dict[str, Texts | None] = {}
        self.first: dict[str, list[str]] = {}

    def add(self, name: str, holders: Sequence[dict[str, Any]], key: str) -> None:
        """Add the member with a key of each object, under the name that rules have for it."""
        text = text_of(holders[0].get(key))
        if not text or "$" in text or len(text) > LONGEST:
            return
        if self.within is not None and text not in self.within:
            return
        self.holders[name] = holders, key
        names = self.first.setdefault(text, [])
        names.insert(sum(map(_is_own, names)) if _is_own(name) else len(names), name)

    def add_all(self, before: str, holders: Sequence[dict[str, Any]]) -> None:
        """Add all members of the objects, under their names with what is before them in rules."""
        for key, value in holders[0].items():
            text = value if value.__class__ is str else str(value) if value.__class__ is int else ""
            if text and (self.within is None or text in self.within) and is_name(key):
                self.add(before + key, holders, key)

    def own(self) -> Sources:
        """Return the members of the objects themselves."""
        own = Sources(self.within)
        own.known = self.known
        own.holders = {name: of for name, of in self.holders.items() if _is_own(name)}
        for text, names in self.first.items():
            if left := list(filter(_is_own, names)):
                own.first[text] = left
        return own

    def of_some(self, chosen: Sequence[int], within: str) -> Sources:
        """Return the members of the chosen objects; `within` is a text of the first one."""
        some = Sources(within)
        for name, (holders, key) in self.holders.items():
            some.add(name, [holders[at] for at in chosen], key)
        return some

    def uses(self, rule: str) -> list[tuple[Sequence[dict[str, Any]], str]]:
        """Return the objects and the key of each member that a rule uses."""
        return [self.holders[name] for name in holes_of(rule)]

    def has_outer_address(self, rule: str) -> bool:
        """Whether a rule uses an address of an object within or around the objects."""
        outer = (name for name in holes_of(rule) if name in self.holders and not _is_own(name))
        return any("://" in (self.texts(name) or [""])[0] for name in outer)

    def texts(self, name: str) -> Texts | None:
        """Return a text for each object; None if one has none, or one with signs of templates."""
        if name not in self.known:
            holders, key = self.holders[name]
            texts = [text_of(holder.get(key)) for holder in holders]
            is_usable = all(texts) and "$" not in "".join(texts)
            self.known[name] = texts if is_usable else None
        return self.known[name]


def _is_own(name: str) -> bool:
    """Whether rules have this name for a member of the same object."""
    return "." not in name and "/" not in name


def are_alike(key: str, other: str, column: Sequence[Any], *, is_equal: bool) -> bool:
    """Whether two columns with the same values are so by their meaning, not by coincidence."""
    shortest = min(len(text_of(value)) for value in column)
    if shortest >= (10 if is_equal else 6):
        return True
    shared = set(_WORDS.findall(key.lower())) & set(_WORDS.findall(other.lower()))
    return bool(shared) and not (is_equal and shortest < 4)


def template_of(
    key: str, column: Sequence[Any], sources: Sources, *, may_part: bool
) -> tuple[str, list[Any] | None]:
    """Return a template for all texts of a column, or "", and the parts it lacks."""
    first = column[0]
    if not isinstance(first, str) or len(first) < SHORTEST:
        return "", None
    if set(map(type, column)) != {str} or max(map(len, column)) > LONGEST:
        return "", None
    if _PLAIN.match("".join(column)) is None:
        return "", None
    rest, out, holes = list(column), "", 0
    host = _host(first)
    while True:
        head = rest[0]
        is_equal = rest.count(head) == len(rest)
        common = len(head) if is_equal else _common(rest)
        done = len(first) - len(head)
        place = host[0] - done, host[1] - done
        hole = _next_hole(rest, common, sources, place, is_equal=is_equal)
        if hole is None or holes == MOST_HOLES:
            if is_equal:
                return (out + head if holes else ""), None
            return _with_part(key, out, rest, common) if may_part else ("", None)
        start, name, texts = hole
        holes += 1
        out += f"{head[:start]}${{{name}}}"
        rest = [text[start + len(known) :] for text, known in zip(rest, texts, strict=True)]
        if not any(rest):
            # A single hole is a copy, which keeps the type: the value must be a text too.
            return ("" if out == f"${{{name}}}" else out), None


def _common(texts: Texts) -> int:
    """Return the length of what all texts begin with."""
    low, high = min(texts), max(texts)
    size = min(len(low), len(high))
    return next((at for at in range(size) if low[at] != high[at]), size)


def _host(text: str) -> tuple[int, int]:
    """Return where the name of the host begins and ends in an address; (0, 0) without one."""
    found = _HOST.match(text)
    return found.span(1) if found else (0, 0)


def _next_hole(
    rest: Texts, common: int, sources: Sources, host: tuple[int, int], *, is_equal: bool
) -> tuple[int, str, Texts] | None:
    """Return where a source comes next in all texts, its name, and its text in each.

    The texts have their first `common` characters in common. Of several sources at the same place
    it is the longest, and of these the first. `host` is the place of the host's name in the first
    text.
    """
    head = rest[0]
    least = SHORTEST - 2 if is_equal else 1
    best: tuple[int, str, Texts] | None = None
    end, longest = common + 1, 0
    for known, names in sources.first.items():
        if len(known) < least or known not in head:
            continue
        start = head.find(known)
        while 0 <= start < end or (start == end and len(known) > longest):
            found = None if start > common else _at(rest, start, known, names, sources, host)
            if found is not None:
                best, end, longest = (start, *found), start, len(known)
                break
            start = head.find(known, start + 1)
    return best


def _at(
    rest: Texts,
    start: int,
    known: str,
    names: Sequence[str],
    sources: Sources,
    host: tuple[int, int],
) -> tuple[str, Texts] | None:
    """Return the first source that is in all texts at a place where words may begin and end."""
    head, end = rest[0], start + len(known)
    before = head[start - 1 : start]
    if before.isalnum() and not (before.isalpha() and known[0].isdigit()):
        return None
    if end < len(head) and head[end].isalnum() and known[-1].isalnum():
        return None
    in_host = start < host[1] and host[0] < end and not (start <= host[0] and host[1] <= end)
    for name in names:
        texts = sources.texts(name)
        if texts is None or not all(map(str.startswith, rest, texts, repeat(start))):
            continue
        if _is_evident(texts, rest, in_host=in_host):
            return name, texts
    return None


def _is_evident(texts: Texts, rest: Texts, *, in_host: bool) -> bool:
    """Whether a source is in texts by more than coincidence.

    `in_host` says whether it is a part of the name of a host there.
    """
    different = set(texts)
    if in_host:
        return len(different) >= EVIDENCE
    if len(different) > 1:
        return len(different) >= EVIDENCE or sum(map(len, different)) > EVIDENCE
    return len(texts[0]) >= SHORTEST_SHARED or rest.count(rest[0]) == len(rest)


def _with_part(key: str, out: str, rest: Texts, common: int) -> tuple[str, list[Any] | None]:
    """Return a template that uses the part in which texts differ, and these parts."""
    head = rest[0]
    while common and head[common - 1].isalnum():
        common -= 1
    if head[common - 1 : common] == "%":  # an escape of an address stays whole
        common -= 1
    tail = _common([text[common:][::-1] for text in rest])
    last = head[::-1]
    while tail and last[tail - 1].isalnum():
        tail -= 1
    cells: list[Any] = [text[common : len(text) - tail] for text in rest]
    rule = f"{out}{head[:common]}${{{key}{PART}}}{head[len(head) - tail :]}"
    if not all(cells) or cost_of(rule) < cost_of(key) + 7:
        return "", None
    if all(_INTEGER.match(cell) for cell in cells):
        cells = list(map(int, cells))
    return rule, cells


class MemberRule(NamedTuple):
    """A rule for a member of some objects; its text is empty if there is none."""

    text: str = ""
    cells: list[Any] | None = None
    """The parts of its values that stay."""
    others: frozenset[int] = frozenset()
    """The indexes of objects that keep the member, as theirs is not what the rule gives."""


NO_RULE: Final = MemberRule()


class Found(NamedTuple):
    """The rules of a set of objects, and what they save."""

    saved: int
    rules: list[tuple[str, str]]
    parts: dict[str, list[Any]]
    kept: dict[str, frozenset[int]]
    """The indexes of objects that keep a member; see `MemberRule`."""


def rules_of_group(names: Sequence[str], group: Sequence[Place]) -> Found:
    """Return the rules of some objects; without names, what is written in place of values."""
    holders = [place.value for place in group]
    lead = holders[0]
    shared = shared_names(holders)
    made = [value for key in shared if _may_be_made(value := lead[key])]
    if len(holders) > 1 and sum(_may_be_made(holders[1][key]) for key in shared) > len(made):
        sources = Sources(None)  # the first object is an exception
    else:
        sources = Sources("\n".join(made))
    if made or sources.within is None:
        _add_outer_sources(sources, group, shared)
    elif not names:
        return Found(0, [], {}, {})
    own = {name[5:] for name in names if name.startswith("with ")}
    has_place = any(name.startswith("in ") for name in names)
    homes = len({place.home for place in group}) if names else 0
    found = Found(0, [], {}, {})
    saved, gone = -5 if names else 0, set[str]()
    seen: dict[Any, list[tuple[str, list[Any]]]] = {}  # by the first value and its type
    shared = [key for key in shared if not is_container(lead[key])]
    shared.sort(key=lambda key: (_length(holders, key), key not in own, key not in _MAIN, len(key)))
    for key in shared:
        column = [holder[key] for holder in holders]
        if len(column) > 1 and not _CONTAINERS.isdisjoint(map(type, column)):
            continue
        same = seen.setdefault((type(column[0]), column[0]), [])
        rules = [_rule_of(key, column, group, sources, same, homes)]
        if names and sources.holders and (not rules[0].text or rules[0].cells):
            rules.append(with_exceptions(key, column, sources))
        is_last = bool(names) and not has_place and own <= gone | {key}
        rule, gain = max(
            ((rule, 0 if is_last else _gain(key, column, group, rule, names)) for rule in rules),
            key=lambda pair: pair[1],
        )
        if gain > 0:
            found.rules.append((key, rule.text))
            gone.add(key)
            saved += gain
            found.kept[key] = rule.others
            if rule.cells:
                found.parts[key] = rule.cells
                continue  # a value of which only a part is written is no source
        sources.add(key, holders, key)
        same.append((key, column))
    return found._replace(saved=saved if found.rules else 0)


def _length(holders: Sequence[dict[str, Any]], key: str) -> int:
    """Return the length of the first text of a member, of which others may be made."""
    return next((len(text) for of in holders[:FEW] if (text := text_of(of[key]))), 0)


def with_exceptions(key: str, column: Sequence[Any], sources: Sources) -> MemberRule:
    """Return a template for most texts of a column, if there is one, and which do not have it.

    Of thirty users one may have no address, or one elsewhere. The template is found from a few
    objects, then compared with all.
    """
    likely = [at for at, value in enumerate(column) if may_be_template(value)]
    if len(column) < FEW or RARE * (len(column) - len(likely)) > len(column):
        return NO_RULE
    middle = len(likely) // 2
    for sample in ((0, middle, -1), (1, middle - 1, -2)):
        chosen = [likely[at] for at in sample]
        texts = [column[at] for at in chosen]
        if _common(texts) < SHORTEST:
            continue
        text, _ = template_of(key, texts, sources.of_some(chosen, texts[0]), may_part=False)
        others = _exceptions(text, column, sources) if text else None
        if others and RARE * len(others) <= len(column):
            return MemberRule(text, None, frozenset(others))
    return NO_RULE


def _exceptions(rule: str, column: Sequence[Any], sources: Sources) -> list[int]:
    """Return the indexes of the values that a template does not give."""
    texts = [[text_of(of.get(key)) for of in holders] for holders, key in sources.uses(rule)]
    pieces = _HOLE.split(rule)
    others: list[int] = []
    for at, value in enumerate(column):
        parts = [column_texts[at] for column_texts in texts]
        made = "".join(chain.from_iterable(zip_longest(pieces, parts, fillvalue="")))
        if value != made or not all(parts):
            others.append(at)
    return others


def shared_names(holders: Sequence[dict[str, Any]]) -> list[str]:
    """Return the names of members that all objects have and that rules may use."""
    names = [key for key in holders[0] if is_name(key)]
    common = set(names).intersection(*holders[1:]) if len(holders) > 1 else names
    return [key for key in names if key in common]


def _add_outer_sources(sources: Sources, group: Sequence[Place], shared: Sequence[str]) -> None:
    """Add members of the objects in the objects of a group, and of those around them."""
    inside = {id(place.value) for place in group}
    lead = group[0].value
    for key in shared:
        if not is_object(lead[key]):
            continue
        holders = [place.value[key] for place in group]
        if all(is_object(value) and id(value) not in inside for value in holders):
            sources.add_all(f"{key}.", holders)
    above: list[Place | None] = [*group]
    for up in ("../", "../../"):
        above = [place and place.above for place in above]
        around = [place.value for place in above if place is not None]
        if len(around) < len(group) or not inside.isdisjoint(map(id, around)):
            return
        sources.add_all(up, around)


def _rule_of(
    key: str,
    column: list[Any],
    group: Sequence[Place],
    sources: Sources,
    same: Sequence[tuple[str, list[Any]]],
    homes: int,
) -> MemberRule:
    """Return a rule for all of a column.

    `same` has the columns with the same first value; `homes` is 0 for single objects.
    """
    first = column[0]
    is_equal = len(column) > 1 and are_equal(column)
    if is_equal and homes > 1 and (first is None or isinstance(first, bool) or first == ""):
        return MemberRule(dump(first))
    if isinstance(first, float) or first is None or isinstance(first, bool):
        return NO_RULE
    kinds = list(map(type, column)) if same else []
    for other, known in same:
        if known == column and list(map(type, known)) == kinds:
            if are_alike(key, other, column, is_equal=is_equal):
                return MemberRule(f"${{{other}}}")
            break
    may_part = homes > 0 and not is_equal and not any(key + PART in p.value for p in group)
    rule, parts = template_of(key, column, sources, may_part=may_part)
    if rule and len(column) > 1 and sources.has_outer_address(rule):
        # An address made from the own name stays where the address of the owner is cut.
        own_rule, _ = template_of(key, column, sources.own(), may_part=False)
        return MemberRule(own_rule) if own_rule else MemberRule(rule, parts)
    return MemberRule(rule, parts)


def _gain(
    key: str, column: Sequence[Any], group: Sequence[Place], rule: MemberRule, names: Sequence[str]
) -> int:
    """Return about how many tokens a rule saves; `names` are those of the objects, if any."""
    if not rule.text:
        return 0
    price = cost_of(rule.text) + cost_of(key) + (1 if names else 2)
    kept = sum(cost_of(key) + 2 + cost_of(text_of(column[at])) for at in rule.others)
    return _column_cost(key, column, group, rule.cells) - price - kept


def _column_cost(
    key: str, column: Sequence[Any], group: Sequence[Place], cells: Sequence[Any] | None
) -> int:
    """Return about how many tokens are saved if only cells are written, or nothing."""
    by_place = list(group)
    if len(column) > 1 and are_equal(column):  # in a table, it is written once
        by_place = list({place.home: place for place in group}.values())
    cost = sum(_member_cost(p, key, value) for p, value in zip(by_place, column, strict=False))
    return cost - sum(_member_cost(p, key, v) for p, v in zip(group, cells or (), strict=False))


def _member_cost(place: Place, key: str, value: Any) -> int:
    """Return about how many tokens a member has: in rows, its name is in the header."""
    text = value if isinstance(value, str) else dump(value)
    return cost_of(text) if place.is_row else 1 + cost_of(text) + cost_of(key)

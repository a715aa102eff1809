"""What each format is declared to say, keyword by keyword; `measured` finds out whether it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from foreign.probes import PROBES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from foreign.measure import Level

_Keys = frozenset[str]


@dataclass(frozen=True)
class Expressiveness:
    """The keywords that a format does not say, the rest being kept.

    Attributes
    ----------
    lost, part, wrong : frozenset of str
        Of which nothing stands in the text, of which something does, and in whose place
        something else does.
    """

    lost: _Keys = frozenset()
    part: _Keys = frozenset()
    wrong: _Keys = frozenset()

    def level(self, keyword: str) -> Level:
        """Return what becomes of a keyword.

        Examples
        --------
        >>> DECLARED["mcpc high"].level("required")
        'lost'
        """
        if keyword in self.lost:
            return "lost"
        if keyword in self.part:
            return "part"
        return "wrong" if keyword in self.wrong else "kept"


_HINTS: Final = frozenset({"title", "examples", "deprecated"})
_RESULTS: Final = frozenset({"output", "annotations"})
_CLOSED: Final = frozenset({"additionalProperties: false"})
_LOGIC: Final = frozenset({"not", "if", "patternProperties"})
_OUTSIDE: Final = _HINTS | _RESULTS | _CLOSED | _LOGIC
_UNION_PROSE: Final = frozenset({"description in a union"})
_UNION_BOUNDS: Final = frozenset({"bounds in a union"})
_NUMBERS: Final = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
_TEXTS: Final = frozenset({"minLength", "maxLength", "pattern", "format"})
_ARRAYS: Final = frozenset({"minItems", "maxItems", "uniqueItems"})
_BOUNDS: Final = _NUMBERS | _TEXTS | _ARRAYS | _UNION_BOUNDS
_PROSE: Final = frozenset({"parameter description", "nested description"}) | _UNION_PROSE
_NESTED: Final = frozenset(
    {
        "items, objects",
        "properties, nested",
        "required, nested",
        "nested enum",
        "nested description",
        "map",
    }
)
_PLAIN: Final = frozenset({"required", "type", "integer", "items", "no type"})
_UNIONS: Final = frozenset({"anyOf", "oneOf", "allOf", "$ref", "const"})
_VALUES: Final = frozenset({"enum", "enum, 1 and '1'", "list of types", "default"})
_SAID: Final = frozenset(
    {"description", "more sentences", "long description", "lines of a description"}
)
_WITHIN_UNIONS: Final = _UNION_PROSE | _UNION_BOUNDS
_FLAT: Final = _OUTSIDE | _BOUNDS | _NESTED | {"items", "default"}

_PAPER: Final = Expressiveness(lost=_OUTSIDE)
_RELEASED: Final = Expressiveness(
    lost=(_FLAT | {"enum, 1 and '1'"}) - _WITHIN_UNIONS,
    wrong=_UNIONS | _WITHIN_UNIONS | {"no type"},
)
_TTC: Final = _OUTSIDE | _BOUNDS | _NESTED | _UNIONS | _VALUES | _PROSE
_TYPESCRIPT: Final = _OUTSIDE | _BOUNDS | {"integer", "map"}
_WIRE: Final = Expressiveness(
    lost=_OUTSIDE
    | _BOUNDS
    | _PROSE
    | _UNIONS
    | {"default", "if", "lines of a description", "map", "no type", "not", "patternProperties"},
    part=frozenset({"items, objects", "long description"}),
)
_NAMES: Final = frozenset(PROBES) - _SAID - {"parameter"}
_FIRST: Final = frozenset({"more sentences", "long description"})
_LINES: Final = frozenset({"lines of a description"})

DECLARED: Final[Mapping[str, Expressiveness]] = {
    "tscg conservative": _PAPER,
    "tscg balanced": _PAPER,
    "tscg aggressive": _PAPER,
    "tscg released descriptions": Expressiveness(lost=_RESULTS),
    "tscg released conservative": _RELEASED,
    "tscg released balanced": _RELEASED,
    "tscg released aggressive": _RELEASED,
    "ttc": Expressiveness(lost=_TTC - {"output"} | {"more sentences"} | _LINES),
    "ttc notes": Expressiveness(lost=frozenset({"annotations"})),
    "ttc released": Expressiveness(lost=_TTC, part=frozenset({"long description"})),
    "wire": _WIRE,
    "wire signatures": _WIRE,
    "ts namespace": Expressiveness(lost=_TYPESCRIPT),
    "ts lines": Expressiveness(lost=_TYPESCRIPT | _PROSE | _LINES | {"default"}),
    "ts signatures": Expressiveness(lost=_TYPESCRIPT | _PROSE | _SAID | {"default"}),
    "mcpc low": Expressiveness(lost=_NAMES),
    "mcpc medium": Expressiveness(lost=_NAMES | _FIRST, part=_LINES),
    "mcpc high": Expressiveness(lost=_NAMES | _SAID),
    "mcpc max": Expressiveness(lost=_NAMES | _SAID | {"parameter"}),
    "mcpc schemas": Expressiveness(lost=_RESULTS),
}
"""By format; the names are those of `foreign.formats.FORMATS`."""

"""What the parameters of tools look like, worked out once for all that is written of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.jsontext import canonical, is_object
from mckp.tools.schema.keywords import every
from mckp.tools.text.spell import (
    Speller,
    description_of,
    is_plain_object,
    is_plain_required,
    required_of,
)
from mckp.tools.text.words import is_bare, label

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mckp.tools.tool import Tool


class Part(NamedTuple):
    """A parameter of a tool.

    Attributes
    ----------
    key : str
        Its name.
    schema
        Its schema.
    identity : str
        A text that equal schemas have in common.
    mark : str
        ``?`` if it is optional.
    here : str
        How it stands within parentheses, or begins its line, where strings need no type.
    typed : str
        The same with its type in any case.
    description : str or None
        What is said of it.
    can_share : bool
        Whether several tools can share it.
    """

    key: str
    schema: Any
    identity: str
    mark: str
    here: str
    typed: str
    description: str | None
    can_share: bool


class Parts:
    """Knows the parameters of the tools it was asked for.

    Parameters
    ----------
    speller : Speller
        What writes schemas.
    """

    def __init__(self, speller: Speller) -> None:
        self.speller: Final = speller
        self._known: dict[int, tuple[Any, tuple[Part, ...] | None]] = {}

    def of(self, tool: Tool) -> tuple[Part, ...] | None:
        """Return the parameters of a tool, None if they are no plain object."""
        schema = tool.parameters
        known = self._known.get(id(schema))
        if known is None:  # with the schema, so that its number stays its own
            found = tuple(self._of(schema)) if is_plain_root(schema) else None
            known = self._known[id(schema)] = (schema, found)
        return known[1] if "parameters" not in tool.absent else None

    def _of(self, schema: Mapping[str, Any]) -> Iterator[Part]:
        required = frozenset(required_of(schema))
        for key, inner in schema["properties"].items():
            mark = "" if key in required else "?"
            name, described = label(key) + mark, description_of(inner)
            tails = [self.speller.tail(inner, typed=typed) for typed in (False, True)]
            can_share = is_bare(key) and is_object(inner) and not _refers(inner)
            here, typed = (name + tail for tail in tails)
            yield Part(key, inner, canonical(inner), mark, here, typed, described, can_share)


def _refers(schema: Any) -> bool:
    return any("$ref" in one for one in every(schema) if is_object(one))


def is_plain_root(schema: Mapping[str, Any]) -> bool:
    """Whether parameters are an object with properties, as nearly all are."""
    return (
        schema.get("type") == "object"
        and "properties" in schema
        and is_plain_object(schema)
        and ("required" not in schema or is_plain_required(schema))
    )

"""Instances as JSON, in the layout of the folder solvers/instances; the only one that nests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from instances.instance import Instance
from mckp.errors import ParseError
from mckp.solvers.base import check_budget
from mckp.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping


def from_json(text: str, name: str) -> Instance:
    """Read an instance from JSON: ``budget``, ``source`` if given, and ``classes`` or arrays.

    Raises
    ------
    ParseError
        If the text is no JSON, or no instance.

    Examples
    --------
    >>> from_json('{"budget": 80, "classes": [[[0, 0], [40, 9]]]}', "one.json").table
    Table(classes=1, options=2, depth=1)
    """
    try:
        data = json.loads(text)
        return Instance(name, Table.from_json(data), check_budget(data["budget"]), _source(data))
    except json.JSONDecodeError as error:
        raise ParseError(
            f"{name} is no JSON: {error.msg}", line=error.lineno, column=error.colno
        ) from None
    except KeyError as error:
        raise ParseError(f"{name} has no {error.args[0]!r}; see solvers/README.md") from None
    except (TypeError, ValueError, IndexError) as error:
        raise ParseError(f"{name} is no instance: {error}") from None
    except RecursionError:
        raise ParseError(
            f"{name} nests lists too deeply; write the four arrays of Table.to_json instead"
        ) from None


def _source(data: Mapping[str, Any]) -> str:
    return str(data.get("source", "unknown"))

"""Instances as JSON, in the layout of the folder solvers/instances; the only one that nests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from instances.instance import Instance
from mckp.errors import ParseError
from mckp.solvers.base import check_budget
from mckp.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

_DEEPEST: Final = 100
"""Levels of classes up to which lists are written: JSON readers recurse, three lists a level."""


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


def to_json(instance: Instance, **more: Any) -> str:
    """Write an instance as JSON, one root class a line.

    Parameters
    ----------
    instance
        What to write. If it nests more than 100 levels deep, its arrays are written in place of
        lists, which most readers of JSON could not follow.
    more
        Further members, such as the optimum.

    Examples
    --------
    >>> instance = Instance("one", Table.flat([[0, 40]], [[0, 9]]), 80, "by hand")
    >>> print(to_json(instance))
    {
      "source": "by hand",
      "budget": 80,
      "classes": [
        [[0, 0], [40, 9]]
      ]
    }
    <BLANKLINE>
    """
    members = {"source": json.dumps(instance.source), "budget": str(instance.budget)}
    if instance.table.depth > _DEEPEST:
        arrays = json.loads(instance.table.to_json())
        members |= {name: json.dumps(array) for name, array in arrays.items()}
    else:
        rows = ",\n    ".join(_classes(instance.table))
        members["classes"] = f"[\n    {rows}\n  ]" if rows else "[]"
    members |= {name: json.dumps(value) for name, value in more.items()}
    return "{\n" + ",\n".join(f'  "{name}": {text}' for name, text in members.items()) + "\n}\n"


def _source(data: Mapping[str, Any]) -> str:
    return str(data.get("source", "unknown"))


def _classes(table: Table) -> list[str]:
    # Backwards, so that what an option opens is written before the option is.
    cuts, rest = table.start.tolist(), zip(table.setup.tolist(), table.owing.tolist(), strict=True)
    numbers = list(zip(table.cost.tolist(), table.value.tolist(), rest, strict=True))
    below: dict[int, list[str]] = {}
    for i in range(table.classes - 1, -1, -1):
        options = range(cuts[i], cuts[i + 1])
        row = ", ".join(_option(*numbers[o], below.pop(o, [])) for o in options)
        below.setdefault(int(table.parent_option[i]), []).append(f"[{row}]")
    return below.get(-1, [])[::-1]


def _option(cost: int, value: float, setup: tuple[int, bool], below: list[str]) -> str:
    tail = f", [{', '.join(reversed(below))}]" if below or any(setup) else ""
    tail += "".join(f", {json.dumps(part)}" for part in setup[: 2 if setup[1] else bool(setup[0])])
    return f"[{cost}, {json.dumps(value)}{tail}]"

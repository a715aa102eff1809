"""DRO as TSCG 1.4.3 has it: a line a tool and one for its parameters; and the lines without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from foreign.tscg_released.flat import FlatTool, Parameter

_SHORT: Final = {
    "string": "str",
    "number": "num",
    "boolean": "bool",
    "array": "arr",
    "object": "obj",
}


def dro(tool: FlatTool) -> str:
    """Write a tool in the compact layout, separators still tight.

    Examples
    --------
    >>> from foreign.tscg_released.flat import FlatTool, Parameter
    >>> units = Parameter("units", "string", "", False, ("metric", "imperial"))
    >>> print(dro(FlatTool("weather", "Weather now.", (units,))) + "␣")
    weather: Weather now.
      units (str: metric|imperial): ␣
    """
    head = f"{tool.name}: {tool.description}"
    return f"{head}\n  {' | '.join(map(_compact, tool.parameters))}" if tool.parameters else head


def _compact(each: Parameter) -> str:
    mark = "*" if each.required else ""
    values = f": {'|'.join(each.values)}" if each.values else ""
    return f"{each.name}{mark} ({_SHORT.get(each.type, each.type)}{values}): {each.description}"


def without_dro(tool: FlatTool) -> str:
    """Write a tool in the layout that every profile without DRO has: a line a parameter."""
    return "\n".join([f"{tool.name}: {tool.description}", *map(_long, tool.parameters)]) + (
        "" if tool.parameters else "\n"
    )


def _long(each: Parameter) -> str:
    kind = "required" if each.required else "optional"
    values = "" if each.values is None else f" Allowed values: {', '.join(each.values)}."
    return f"  - {each.name} ({each.type}) ({kind}): {each.description}{values}"

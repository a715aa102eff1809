"""The tables of `benches/README.md` about the MCP proxy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from solver_figures import stored
from table_text import markdown

if TYPE_CHECKING:
    from collections.abc import Callable


def servers() -> str:
    """Return what arrives of results of real servers, with and without the proxy."""
    found: dict[str, Any] = stored("mcp-servers.json")["servers"]
    heads = ["server", "tools", "called", "calls", "equal"]
    heads += ["tokens", "proxied", "within the limit"]
    rows = [
        [
            name,
            *(str(each[key]) for key in ("tools", "tools_called", "calls", "equal")),
            *(f"{each[key]:,}" for key in ("tokens_direct", "tokens_proxied")),
            f"{each['held']} of {each['calls']}",
        ]
        for name, each in found.items()
    ]
    return markdown(heads, rows)


def lists() -> str:
    """Return the tokens of lists of tools in each shape."""
    found: dict[str, Any] = stored("mcp-servers.json")["servers"]
    shapes = list(next(iter(found.values()))["tokens_of_list"])
    rows = [
        [name, *(f"{each['tokens_of_list'][shape]:,}" for shape in shapes)]
        for name, each in found.items()
    ]
    return markdown(["server", *shapes], rows)


def latency() -> str:
    """Return what proxies add to a call."""
    kinds: dict[str, Any] = stored("mcp-latency.json")["kinds"]
    rows: list[list[str]] = []
    for way in next(iter(kinds.values())):
        cells = [
            f"{own['added_median']:.1f} ({own['added_95']:.1f}; {own['processor']:.1f})"
            for own in (by_way[way] for by_way in kinds.values())
        ]
        rows.append([way, *cells])
    ready: dict[str, Any] = stored("mcp-latency.json")["ready"]
    for row in rows:
        row.append(f"{ready[row[0]]['added_median']:.0f} ({ready[row[0]]['median']:.0f})")
    return markdown(["way", *kinds, "ready"], rows[1:])


TABLES: Final[dict[str, Callable[[], str]]] = {
    "mcp_servers": servers,
    "mcp_lists": lists,
    "mcp_latency": latency,
}

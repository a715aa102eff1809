"""What may be written behind ``mckp mcp`` and ``mckp stats``."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Sequence

MCP_EXAMPLES: Final = """\
The proxy stands between a host and one or many MCP servers. Texts of results pass through a
session: repeats become references, the rest is encoded, within --max-tokens. All else is relayed
as it came. Logs go to standard error. Put `mckp mcp ... --` before the command of a server in
the configuration of the host, or give all servers in a file of mcpServers.

examples:
  mckp mcp --max-tokens 4000 -- npx -y @modelcontextprotocol/server-filesystem .
  mckp mcp --url https://mcp.example.org/mcp --header "Authorization: Bearer $TOKEN"
  mckp mcp --config servers.json --max-tokens 4000 --max-tokens github.list_issues=1500
  mckp mcp --config servers.json --tools json --tools-budget 3000
  mckp mcp --config servers.json --listen 8931
  mckp mcp doctor --config servers.json

exit codes:
  0    the host has ended
  1    a server, the configuration or an option cannot be used, or all servers have ended
  2    wrong usage
  130  interrupted
"""
STATS_EXAMPLES: Final = """\
FOLDER is that of telemetry, by default the one of the configuration. The proxy writes there
if the configuration has telemetry.enabled, or with mckp mcp --telemetry.

examples:
  mckp stats
  mckp stats --days 7 --html savings.html
  mckp stats --json

exit codes:
  0    done
  1    the folder or an option cannot be used
  2    wrong usage
"""
DOCTOR: Final = "doctor"


def split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return arguments of ours, and the command behind ``--``.

    Examples
    --------
    >>> split(["mcp", "--max-tokens", "9", "--", "npx", "--", "x"])
    (['mcp', '--max-tokens', '9'], ['npx', '--', 'x'])
    """
    if argv[:1] != ["mcp"] or "--" not in argv:
        return list(argv), []
    place = argv.index("--")
    return list(argv[:place]), list(argv[place + 1 :])


def mcp(parser: ArgumentParser, some: Callable[[str], int]) -> None:
    """Add the options of ``mckp mcp``."""
    from mckp.mcp import CATALOGS

    parser.add_argument("what", nargs="?", choices=(DOCTOR,), help="look at the servers, and end")
    parser.add_argument("--url", metavar="URL", help="a server of streamable HTTP")
    parser.add_argument(
        "--header", metavar="NAME: VALUE", type=_header, action="append", default=[],
        help="a header of each request to --url; may be repeated",
    )  # fmt: skip
    parser.add_argument("--config", metavar="FILE", help="a JSON file of mcpServers")
    parser.add_argument(
        "--listen", metavar="[HOST:]PORT", type=_address,
        help="serve hosts over streamable HTTP at /mcp, each with servers of its own, "
        "and not on standard input (HOST: 127.0.0.1)",
    )  # fmt: skip
    parser.add_argument(
        "--max-tokens", metavar="[NAME=]N", type=_limit, action="append", default=[],
        help="the most tokens of a result; NAME is a server or server.tool; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--tokenizer", metavar="NAME", default="o200k", help="who counts (default: o200k)"
    )
    parser.add_argument("--model", metavar="ID", help="who reads, for the profiles")
    parser.add_argument(
        "--tools", metavar="SHAPE", choices=CATALOGS, default="same",
        help=f"the shape of the list of tools: {', '.join(CATALOGS)} (default: same)",
    )  # fmt: skip
    parser.add_argument(
        "--tools-budget", metavar="N", type=some, help="the most tokens of the list of tools"
    )
    parser.add_argument(
        "--no-references", action="store_true", help="send repeats again, as if they were new"
    )
    parser.add_argument("--no-recall", action="store_true", help="add no tool to the list")
    parser.add_argument(
        "--telemetry", metavar="FOLDER", nargs="?", const="",
        help="write figures for mckp stats, by default to the folder of the configuration",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON (doctor)")
    parser.add_argument("--verbose", action="store_true", help="log more to standard error")
    parser.set_defaults(file="")


def stats(parser: ArgumentParser, some: Callable[[str], int]) -> None:
    """Add the options of ``mckp stats``."""
    parser.add_argument("folder", metavar="FOLDER", nargs="?", help="the folder of telemetry")
    parser.add_argument("--days", metavar="N", type=some, help="only of the last so many days")
    parser.add_argument("--html", metavar="FILE", help="write a page with plots")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(file="")


def _limit(text: str) -> tuple[str, int]:
    name, found, number = text.rpartition("=")
    if not (number.isascii() and number.isdigit() and len(number) <= 18) or (found and not name):
        raise ArgumentTypeError(f"a number, or NAME=NUMBER, is needed, not {text!r}")
    return name, int(number)


def _address(text: str) -> tuple[str, int]:
    name, found, number = text.rpartition(":")
    is_port = number.isascii() and number.isdigit() and len(number) <= 5 and int(number) < 1 << 16
    if not is_port or (found and not name):
        raise ArgumentTypeError(f"PORT, or HOST:PORT, is needed, not {text!r}")
    return name.removeprefix("[").removesuffix("]") or "127.0.0.1", int(number)


def _header(text: str) -> tuple[str, str]:
    name, found, value = text.partition(":")
    if not found or not name.strip():
        raise ArgumentTypeError(f"NAME: VALUE is needed, not {text!r}")
    return name.strip(), value.strip()

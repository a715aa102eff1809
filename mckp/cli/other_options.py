"""What may be written behind the commands that read no FILE, and how numbers and names are read."""

from __future__ import annotations

import os
from argparse import SUPPRESS, ArgumentTypeError
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from argparse import Action, ArgumentParser
    from collections.abc import Sequence

REPLAY_EXAMPLES: Final = """\
LOG is a session file of Claude Code, a folder of such, or has a line of JSON an action:
{"do":"result","tool":...,"args":...,"text":...}, with "file" and "agent" where there are any;
{"do":"edit","file":...}; {"do":"compact"}; {"do":"end"}. All that is delivered is read back.

examples:
  mckp replay session.jsonl --config tuned.toml
  mckp replay ~/.claude/projects --budget 4000     what would be cut, and is used later
  mckp replay session.jsonl --json
  mckp replay session.jsonl --html replay.html

exit codes:
  0    done
  1    the log or an option cannot be used, or something could not be read back
  2    wrong usage
  130  interrupted
"""
TUNE_EXAMPLES: Final = """\
LOG is what mckp replay takes: a log, a session file of Claude Code, or a folder of such.

Learns which fields of results later calls used, as factors on what they are worth within a budget.
They are tried on sessions that they were not learnt from, and kept where more of what was used is
left: in .mckp/salience.toml, a configuration that your own goes over.

examples:
  mckp tune ~/.claude/projects --dry-run   nothing is written
  mckp tune session.jsonl --uses ~/.config/mckp/telemetry     learn from counts of the proxy

exit codes:
  0    done
  1    the log or an option cannot be used
  2    wrong usage
"""
HOOK_EXAMPLES: Final = """\
`mckp install claude-code` writes it into the settings of Claude Code (2.1.121 or later), where it
shortens what tools return.

What was delivered is kept below MCKP_STATE_DIR, or ~/.local/state/mckp/claude-code, for 30 days.
If anything fails, results stay as they are, and standard error says why.

exit codes:
  0    done, or failed
  2    wrong usage
"""
MCP_EXAMPLES: Final = """\
The proxy stands between a host and one or many MCP servers. Texts of results pass through a
session: repeats become references, the rest is encoded, within --budget. All else is relayed
as it came. Logs go to standard error. Put `mckp mcp ... --` before the command of a server in
the configuration of the host, or give all servers in a file of mcpServers.

examples:
  mckp mcp --budget 4000 -- npx -y @modelcontextprotocol/server-filesystem .
  mckp mcp --url https://mcp.example.org/mcp --header "Authorization: Bearer $TOKEN"
  mckp mcp --config servers.json --budget 4000 --budget github.list_issues=1500
  mckp mcp --config servers.json --tools json --tools-budget 3000
  mckp mcp --config servers.json --budget 4000 --turn-budget 12k --spill ~/.cache/mckp
  mckp mcp --config servers.json --listen 8931
  mckp mcp doctor --config servers.json

exit codes:
  0    the host has ended
  1    a server, the configuration or an option cannot be used, or all servers have ended
  2    wrong usage
  130  interrupted
"""
HOST_EXAMPLES: Final = """\
Shows the change as a diff, asks, and writes it. What the file was is kept beside it, as
FILE.mckp-backup, and uninstall gives it back to the byte. Servers at an address that have no
headers may want a login in a browser, which the proxy cannot do: --all takes them too.

examples:
  mckp install cursor --budget 4000
  mckp install claude-code --project --yes    the proxy and the hook, in this folder
  mckp install codex --leave github
  mckp uninstall cursor

exit codes:
  0    done, or nothing was to be done
  1    there is no configuration, it is broken, or it cannot be written
  2    wrong usage
"""
DOCTOR_EXAMPLES: Final = """\
Looks at the files of the user and at those in this folder. For what servers answer there is
mckp mcp doctor.

exit codes:
  0    all that is there can be used
  1    a configuration is broken
  2    wrong usage
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


def whole(text: str) -> int:
    """Read a whole number."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise ArgumentTypeError(f"a whole number, 0 or more, is needed, not {text!r}")
    return int(text)


def some(text: str) -> int:
    """Read a whole number of 1 or more."""
    if not (number := whole(text)):
        raise ArgumentTypeError("at least 1 is needed")
    return number


def budget(text: str) -> int | str:
    """Read a budget; see `mckp.budgets`."""
    from mckp.budgets import read_budget

    try:
        return read_budget(text) or 0
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def tokens(text: str) -> int:
    """Read a budget where there is nothing that a share could be of."""
    found = budget(text)
    if isinstance(found, str):
        raise ArgumentTypeError(f"{found} is of nothing here; give tokens, such as 4000 or 4k")
    return found


def names(text: str) -> str | list[str]:
    """Read names with commas between them."""
    found = [name for part in text.split(",") if (name := part.strip())]
    if not found:
        raise ArgumentTypeError("at least one name is needed")
    return found[0] if len(found) == 1 else found


def replay(parser: ArgumentParser) -> None:
    """Add the options of ``mckp replay``."""
    parser.add_argument("log", metavar="LOG", help="the log to play")
    parser.add_argument(
        "-b", "--budget", metavar="N", type=tokens, help="the most tokens of a result"
    )
    parser.add_argument("--config", metavar="FILE", help="the configuration (default: none)")
    page(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def page(parser: ArgumentParser) -> None:
    """Add the option that writes a page."""
    parser.add_argument("--html", metavar="FILE", help="write a page with pictures")


def tune(parser: ArgumentParser) -> None:
    """Add the options of ``mckp tune``."""
    parser.add_argument("log", metavar="LOG", help="recorded sessions, as mckp replay takes them")
    parser.add_argument(
        "--uses", metavar="DIR", help="learn from what telemetry has counted, and try it on LOG"
    )
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")


def hook(parser: ArgumentParser) -> None:
    """Add the options of ``mckp hook``."""
    kinds = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    answer = kinds.add_parser("claude-code", help="answer an event from standard input")
    answer.add_argument("--tokenizer", metavar="NAME", default="o200k", help="who counts (o200k)")
    recall = kinds.add_parser("recall", help="print what a label of a conversation stands for")
    recall.add_argument("session", metavar="SESSION", help="the session_id of the conversation")
    recall.add_argument("handle", metavar="HANDLE", help="the number in the label")
    recall.add_argument("--path", metavar="PATH", default="$", help="a place in it, such as $.a[3]")
    recall.add_argument(
        "--offset", metavar="N", type=whole, default=0, help="leave out so many items, or lines"
    )
    recall.add_argument("--limit", metavar="N", type=whole, help="give so many items, or lines")
    recall.add_argument(
        "--fields", metavar="PATTERN", nargs="+", help="keep only this of it, such as [*].id"
    )
    for each in (answer, recall):
        each.add_argument(
            "-b", "--budget", metavar="N", type=tokens, help="the most tokens of a result"
        )


def split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return arguments of ours, and the command behind ``--``.

    Examples
    --------
    >>> split(["mcp", "--budget", "9", "--", "npx", "--", "x"])
    (['mcp', '--budget', '9'], ['npx', '--', 'x'])
    """
    if argv[:1] != ["mcp"] or "--" not in argv:
        return list(argv), []
    place = argv.index("--")
    return list(argv[:place]), list(argv[place + 1 :])


def mcp(parser: ArgumentParser) -> None:
    """Add the options of ``mckp mcp``."""
    parser.add_argument("what", nargs="?", choices=(DOCTOR,), help="look at the servers, and end")
    parser.add_argument("--url", metavar="URL", help="a server of streamable HTTP")
    parser.add_argument(
        "--header", metavar="NAME: VALUE", type=_header, action="append", default=[],
        help="a header of each request to --url, without a value that of the variable of its name; "
        "may be repeated",
    )  # fmt: skip
    parser.add_argument("--config", metavar="FILE", help="a JSON file of mcpServers")
    parser.add_argument(
        "--listen", metavar="[HOST:]PORT", type=_address,
        help="serve hosts over streamable HTTP at /mcp, each with servers of its own, "
        "and not on standard input (HOST: 127.0.0.1)",
    )  # fmt: skip
    results(parser)
    parser.add_argument("--json", action="store_true", help="print JSON (doctor)")
    parser.add_argument("--verbose", action="store_true", help="log more to standard error")


def results(parser: ArgumentParser) -> list[Action]:
    """Add the options of what a proxy makes of results and lists; return them."""
    from mckp.agents.mcp import CATALOGS, STRUCTURED

    return [
        parser.add_argument(
            "-b", "--budget", metavar="[NAME=]N", type=_limit, action="append", default=[],
            help="the most tokens of a result; NAME is a server or server.tool; may be repeated",
        ),
        parser.add_argument(
            "--turn-budget", metavar="N", type=tokens,
            help="the most tokens of all results of a turn, of which each may have 256 in any case",
        ),
        parser.add_argument(
            "--turn-pause", metavar="SECONDS", type=some, default=30,
            help="a turn goes on if a call comes so soon after the last result (default: 30)",
        ),
        parser.add_argument(
            "--spill", metavar="FOLDER", default="",
            help="write results that are cut whole to files below FOLDER, until the proxy ends",
        ),
        parser.add_argument(
            "--spill-above", metavar="N", type=tokens, default=32_000,
            help="only results of more characters (default: 32k)",
        ),
        parser.add_argument(
            "--tokenizer", metavar="NAME", default="o200k", help="who counts (default: o200k)"
        ),
        # It chose profiles once; files of hosts may still have it, and their servers are to start.
        parser.add_argument("--model", help=SUPPRESS),
        parser.add_argument(
            "--tools", metavar="SHAPE", choices=CATALOGS, default="same",
            help=f"the shape of the list of tools: {', '.join(CATALOGS)} (default: same)",
        ),
        parser.add_argument(
            "--tools-budget", metavar="N", type=tokens, help="the most tokens of the list of tools"
        ),
        parser.add_argument(
            "--no-references", action="store_true", help="send repeats again, as if they were new"
        ),
        parser.add_argument("--no-recall", action="store_true", help="add no tool to the list"),
        parser.add_argument(
            "--recall-name", metavar="NAME", default="recall",
            help="what that tool is called, where a host has several proxies (default: recall)",
        ),
        parser.add_argument(
            "--structured", metavar="[NAME=]WAY", type=_way, action="append", default=[],
            help=f"structured content: {', '.join(STRUCTURED)} (default: auto, dropped where the "
            "text repeats it); NAME as above; may be repeated",
        ),
        parser.add_argument(
            "--fields", action="store_true",
            help="give each tool an argument that says which parts of its result to keep",
        ),
        parser.add_argument(
            "--shadow", action="store_true",
            help="change nothing, and tell what would have been saved",
        ),
        parser.add_argument(
            "--timeout", metavar="SECONDS", type=some, default=3600,
            help="how long a server may neither answer nor tell progress (default: 3600)",
        ),
        parser.add_argument(
            "--telemetry", metavar="FOLDER", nargs="?", const="",
            help="write figures for mckp stats, by default to the folder of the configuration",
        ),
    ]  # fmt: skip


def install(parser: ArgumentParser) -> None:
    """Add the options of ``mckp install``."""
    uninstall(parser)
    parser.add_argument(
        "--leave", metavar="NAME", action="append", default=[],
        help="leave this server alone; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--all", action="store_true", help="also servers elsewhere that have no headers"
    )
    results(parser)


def uninstall(parser: ArgumentParser) -> None:
    """Add the options of ``mckp uninstall``."""
    from mckp.agents.hosts.places import HOSTS

    parser.add_argument("host", metavar="HOST", choices=tuple(HOSTS), help=", ".join(HOSTS))
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--config", metavar="PATH", help="another file of its servers")
    place.add_argument("--project", action="store_true", help="the files in this folder")
    parser.add_argument("-y", "--yes", action="store_true", help="write without asking")


def doctor(parser: ArgumentParser) -> None:
    """Add the options of ``mckp doctor``."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def stats(parser: ArgumentParser) -> None:
    """Add the options of ``mckp stats``."""
    parser.add_argument("folder", metavar="FOLDER", nargs="?", help="the folder of telemetry")
    parser.add_argument("--days", metavar="N", type=some, help="only of the last so many days")
    page(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def _limit(text: str) -> tuple[str, int]:
    name, found, number = text.rpartition("=")
    if found and not name:
        raise ArgumentTypeError(f"a number, or NAME=NUMBER, is needed, not {text!r}")
    return name, tokens(number)


def _way(text: str) -> tuple[str, str]:
    name, found, way = text.rpartition("=")
    if found and not name:
        raise ArgumentTypeError(f"WAY, or NAME=WAY, is needed, not {text!r}")
    return name, way


def _address(text: str) -> tuple[str, int]:
    name, found, number = text.rpartition(":")
    is_port = number.isascii() and number.isdigit() and len(number) <= 5 and int(number) < 1 << 16
    if not is_port or (found and not name):
        raise ArgumentTypeError(f"PORT, or HOST:PORT, is needed, not {text!r}")
    return name.removeprefix("[").removesuffix("]") or "127.0.0.1", int(number)


def _header(text: str) -> tuple[str, str]:
    name, found, value = text.partition(":")
    if not found:
        value = os.environ.get(text, "")
    if not name.strip() or not value:
        message = f"NAME: VALUE is needed, or a NAME in the environment, not {text!r}"
        raise ArgumentTypeError(message)
    return name.strip(), value.strip()

"""What may be written behind ``mckp``: its commands, and what help says of them."""

from __future__ import annotations

import sys
from argparse import PARSER, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from typing import TYPE_CHECKING, Any, Final, NoReturn

from mckp import __version__
from mckp.cli import other_options as options
from mckp.cli.streams import STANDARD, is_terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    Fill: TypeAlias = "tuple[options.Option, ...] | Callable[[ArgumentParser], None]"

_CODES: Final = """\
exit codes:
  0    done
  1    the input, a part of it or an option cannot be used
  2    wrong usage
  3    the budget is too small
  130  interrupted
"""
_EXAMPLES: Final = """\
examples:
  mckp encode data.json --budget 2000      the most of it that fits 2000 tokens
  mckp encode data.json | mckp decode      the same data, or Markdown, again
  mckp view data.json --open               a page: where tokens go, what budgets keep
  mckp batch data.jsonl --budget 500       each line a document, over all processors
  mckp hook claude-code --budget 4000      what Claude Code runs after its tools
  mckp install cursor --budget 4000        shorter results of all servers of a host
"""
_ENCODE_EXAMPLES: Final = """\
examples:
  mckp encode data.json --budget 2000 -o data.txt
  mckp encode notes.md --budget 800 --tokenizer claude-sonnet-4 --stats
  mckp encode data.json --formats csv,kv --json
  mckp encode data.json --budget 800 --query "failed lint" --priority '**.avatar_url=drop'
  kubectl get pods -o json | mckp encode --budget 4000
"""
_VIEW_EXAMPLES: Final = """\
The page needs no network and no server. It shows the document by its tokens, a slider over some
thirty budgets with the text of each, what was cut, and the same in other formats. It begins with
the budget, or else with half of the text.

examples:
  mckp view data.json -o data.html
  mckp view data.json --budget 2000 --open         write it to a new folder, and open a browser
  kubectl get pods -o json | mckp view -o pods.html
"""
_BATCH_EXAMPLES: Final = """\
Each line of FILE is a JSON document; blank lines are left out. Of a folder each file below is one,
lines of .jsonl are; .json has to be JSON. For each document comes a line of JSON, in the same
order: what mckp encode --json prints, or {"error": ..., "line": ...} if it cannot be encoded,
with "file" in front for those of a folder. The others are encoded all the same, and the exit code
is 1, or 3 if the budget was too small and nothing else was wrong.

With --resume what is done stands in a file beside OUT, which the same command goes on with after it
was ended, by whatever.

examples:
  mckp batch data.jsonl --budget 500 -o data.out.jsonl
  mckp batch pages/ --budget 500 -o pages.jsonl --resume
  zcat data.jsonl.gz | mckp batch --processes 4 | jq -r .text
"""
_RECALL_EXAMPLES: Final = """\
Asks data or a text as a model asks for what was cut of a result, and answers the same. Fields are
dotted names with [n], [a:b] and ["odd/name"]; there are == != < > and or not in contains startswith
matches, + - * /, len(x), and totals count() sum(x) avg(x) min(x) max(x). Dates subtract to seconds.

examples:
  mckp recall builds.json --where "status == 'failed' and len(steps) > 3" --fields id owner.name
  mckp recall builds.json --fields "count()" "sum(cost)" --group "date[:7]"
  mckp recall builds.json --sort "-(end - start)" --limit 3
  mckp recall build.log --grep "error|warning" --context 2
  mckp recall README.md --path Installation
  mckp recall app.py --lines 313-349
"""
_TOOLS_EXAMPLES: Final = """\
FILE is a JSON list of tool definitions in the shape of MCP (also a whole tools/list result),
Anthropic or OpenAI. Without a budget everything is kept.

examples:
  mckp tools tools.json --budget 2000 --stats
  mckp tools tools.json --budget 2000 --query "close an issue" --recall "tool_help(name)"
  mckp tools tools.json --level typed
  mckp tools tools.json --as pruned                the same tools as JSON, without ballast
"""
_COMPLETION_EXAMPLES: Final = """\
examples:
  mckp completion bash >> ~/.bashrc
  mckp completion zsh >> ~/.zshrc
  mckp completion fish > ~/.config/fish/completions/mckp.fish
"""
_ACCURACY_EXAMPLES: Final = """\
Questions with known answers are made from the JSON in FILE (of a .jsonl, from each line), and
asked about its texts in every format. Without a model the oracle answers: our decoder, and the
program behind each question. It tells what a text answers at all, which is everything if nothing
was cut.

examples:
  mckp accuracy data.json --budget 50% --budget 400
  mckp accuracy data.jsonl --plan --margin 2           how many questions there are, and needed
  mckp accuracy data.json --base-url http://localhost:11434/v1 --model qwen3 --keep replies.jsonl

The key of a provider is taken from OPENAI_API_KEY. A run that broke off goes on with the replies
in the file that --keep names.
"""
_REPLAY_EXAMPLES: Final = """\
LOG is a session file of Claude Code, a folder of such, or has a line of JSON an action:
{"do":"result","tool":...,"args":...,"text":...}, with "file" and "agent" where there are any;
{"do":"edit","file":...}; {"do":"compact"}; {"do":"end"}. All that is delivered is read back.

examples:
  mckp replay session.jsonl --config tuned.toml
  mckp replay ~/.claude/projects --budget 4000     what would be cut, and is used later
  mckp replay session.jsonl --json
  mckp replay session.jsonl --html replay.html
"""
_TUNE_EXAMPLES: Final = """\
LOG is what mckp replay takes: a log, a session file of Claude Code, or a folder of such.

Learns which fields of results later calls used, as factors on what they are worth within a budget.
They are tried on sessions that they were not learnt from, and kept where more of what was used is
left: in .mckp/salience.toml, a configuration that your own goes over.

examples:
  mckp tune ~/.claude/projects --dry-run   nothing is written
  mckp tune session.jsonl --uses ~/.config/mckp/telemetry     learn from counts of the proxy
"""
_HOOK_EXAMPLES: Final = """\
`mckp install claude-code` writes it into the settings of Claude Code (2.1.121 or later), where it
shortens what tools return.

What was delivered is kept below MCKP_STATE_DIR, or ~/.local/state/mckp/claude-code, for 30 days.
If anything fails, results stay as they are, and standard error says why.

exit codes:
  0    done, or failed
  2    wrong usage
"""
_MCP_EXAMPLES: Final = """\
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
"""
_HOST_EXAMPLES: Final = """\
Shows the change as a diff, asks, and writes it. What the file was is kept beside it, as
FILE.mckp-backup, and uninstall gives it back to the byte. Servers at an address that have no
headers may want a login in a browser, which the proxy cannot do: --all takes them too.

examples:
  mckp install cursor --budget 4000
  mckp install claude-code --project --yes    the proxy and the hook, in this folder
  mckp install codex --leave github
  mckp uninstall cursor
"""
_DOCTOR_EXAMPLES: Final = """\
Looks at the files of the user and at those in this folder. What servers do is told by the proxy
itself, on standard error.
"""
_STATS_EXAMPLES: Final = """\
FOLDER is that of telemetry, by default the one of the configuration. The proxy writes there
if the configuration has telemetry.enabled, or with mckp mcp --telemetry.

examples:
  mckp stats
  mckp stats --days 7 --html savings.html
  mckp stats --json
"""

_COMMANDS: Final[dict[str, tuple[str, Fill, str]]] = {
    "encode": ("write a document in the fewest tokens", options.ENCODE, _ENCODE_EXAMPLES),
    "decode": ("read an encoded text back", options.DECODE, ""),
    "view": ("show where tokens go, on a page", options.VIEW, _VIEW_EXAMPLES),
    "compare": ("count a document's tokens in every format", options.COMPARE, ""),
    "inspect": ("show a document's typed tree and its tokens", options.INSPECT, ""),
    "recall": ("ask a document: rows, totals or lines", options.RECALL, _RECALL_EXAMPLES),
    "batch": ("encode many documents, each a line of JSON", options.BATCH, _BATCH_EXAMPLES),
    "tools": ("write a catalog of tools", options.TOOLS, _TOOLS_EXAMPLES),
    "accuracy": ("ask how well each format is read", options.ACCURACY, _ACCURACY_EXAMPLES),
    "replay": ("play a log of tool results", options.REPLAY, _REPLAY_EXAMPLES),
    "tune": ("learn what is used from logs", options.TUNE, _TUNE_EXAMPLES),
    "hook": ("shorten what tools return to Claude Code", options.hook, _HOOK_EXAMPLES),
    "mcp": ("stand before MCP servers", options.mcp, _MCP_EXAMPLES),
    "install": ("put mckp before the MCP servers of a host", options.install, _HOST_EXAMPLES),
    "uninstall": ("take mckp away from a host again", options.uninstall, _HOST_EXAMPLES),
    "doctor": ("tell what stands before MCP servers of hosts", options.DOCTORS, _DOCTOR_EXAMPLES),
    "completion": ("complete words in a shell", options.COMPLETION, _COMPLETION_EXAMPLES),
    "stats": ("tell what was saved", options.STATS, _STATS_EXAMPLES),
}
"""What each command does, its options, and what help says of it besides."""


def parse_arguments(argv: Sequence[str] | None) -> Namespace:
    """Return the options of one command; exits by itself for help and wrong usage."""
    own, server = split(sys.argv[1:] if argv is None else argv)
    parser = _parser(own)
    try:
        arguments = parser.parse_args(own)
        arguments.server = server
        if arguments.file is None:
            arguments.file = _default_file(parser)
        _check_rendering(parser, arguments)
    finally:
        if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison]
            sys.stdout.flush()  # help that nobody reads is noticed here, not at exit
    return arguments


def _check_rendering(parser: ArgumentParser, arguments: Namespace) -> None:
    """Refuse what another format of tools would not heed: it writes all there is."""
    if getattr(arguments, "rendering", None) is None:
        return
    for name in ("budget", "level", "query", "pin", "recall", "json", "stats"):
        given = getattr(arguments, name)
        if given is not None and given is not False and given != "":
            parser.error(f"--as {arguments.rendering} writes all there is: leave out --{name}")


def _default_file(parser: ArgumentParser) -> str:
    if is_terminal(sys.stdin):
        parser.error("name a FILE, or - to type on the terminal")
    return STANDARD


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


def _parser(named: Iterable[str]) -> _Parser:
    """Return a parser that knows the options of those commands that are named."""
    parser = _Parser(
        "mckp",
        description="The most information within a token budget.",
        epilog=f"{_EXAMPLES}\n{_CODES}",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"mckp {__version__}")
    # With a prog of its own no help has to be formatted for it.
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, prog="mckp")
    for name, (purpose, fill, epilog) in _COMMANDS.items():
        codes = "" if "exit codes:" in epilog else _CODES
        command = commands.add_parser(
            name,
            help=purpose,
            description=f"{purpose[0].upper()}{purpose[1:]}.",
            epilog="\n".join(filter(None, (epilog, codes))),
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.set_defaults(file="")  # of those that have no FILE
        if name in named:
            if callable(fill):
                fill(command)
            else:
                options.fill(command, fill)
    return parser


class _Parser(ArgumentParser):
    """Asks whether something like it was meant, where a word is not known."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, in a line, and end."""
        import re

        from mckp.errors import did_you_mean

        known = [*self._option_string_actions]
        if found := re.search(r"invalid choice: '(.*)' \(choose from (.*)\)", message):
            known = [name.strip(" '") for name in found[2].split(",")]
        else:
            found = re.search(r"unrecognized arguments: (-[^ =]+)", message)
        meant = did_you_mean(found[1], known) if found else ""
        super().error(f"{message};{meant}" if meant else message)

    def parse_known_args(self, *args: Any, **kwargs: Any) -> Any:
        """Parse; what is not known is said where the options are known that may be meant."""
        found, unknown = super().parse_known_args(*args, **kwargs)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def commands(self) -> dict[str, _Parser]:
        """Return the commands by their names."""
        found: Any = next(each.choices for each in self._actions if each.nargs == PARSER)
        return dict(found)

    def words(self) -> list[str]:
        """Return the options, and what arguments are chosen from."""
        words = ((*each.option_strings, *(each.choices or ())) for each in self._actions)
        return [str(word) for several in words for word in several]


def words_of_commands() -> dict[str, list[str]]:
    """Return what may stand behind each command: options, and what arguments are chosen from."""
    return {name: each.words() for name, each in _parser(_COMMANDS).commands().items()}

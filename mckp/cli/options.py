"""The commands of ``mckp`` and the text of their help."""

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

    Fill: TypeAlias = "tuple[options.CliOption, ...] | Callable[[ArgumentParser], None]"

_CODES: Final = """\
exit codes:
  0    done
  1    the input or an option value cannot be used
  2    wrong usage
  3    the budget is too small
  130  interrupted
"""
_EXAMPLES: Final = """\
examples:
  mckp encode examples/builds.json --budget 400         keep what matters most within 400 tokens
  mckp encode examples/builds.json | mckp decode        encode without loss, then decode again
  pytest 2>&1 | mckp encode --budget 800                the failures of a long log
  mckp view examples/builds.json --open                 a page with the tokens and a slider
  mckp batch examples/builds.jsonl --budget 100         one document per line, on all processors
  mckp install cursor --budget 4000                     shorten the results of Cursor's MCP servers

In all examples of this help, the files in examples/ are those in mckp's repository.
"""
_ENCODE_EXAMPLES: Final = """\
examples:
  mckp encode examples/builds.json --budget 400 -o builds.txt
  mckp encode examples/release.md --budget 100 --tokenizer claude-sonnet-4 --stats
  mckp encode examples/builds.json --formats csv,kv --json
  mckp encode examples/builds.json --budget 200 --query "failed lint" --priority '**.by=drop'
  kubectl get pods -o json | mckp encode --budget 4000
"""
_VIEW_EXAMPLES: Final = """\
The page works offline. It shows how many tokens each part of the document takes, and how many the
document takes in each format. With a slider, you choose one of about thirty budgets, and see the
text for this budget and what was cut. The slider starts at --budget, or at half of the document's
tokens.

examples:
  mckp view examples/builds.json -o builds.html
  mckp view examples/release.md --budget 100 --open     write a temporary file, and open it
  kubectl get pods -o json | mckp view -o pods.html
"""
_BATCH_EXAMPLES: Final = """\
FILE is a file or a folder. In a file, each line is a document, and must be valid JSON; blank lines
are skipped. In a folder, each line of a .jsonl or .ndjson file is such a document. Any other file
in the folder is one document; if its name ends with .json, it must be valid JSON.

The output has one line for each document, in the order of the input. A line is the JSON that
mckp encode --json prints for the document. If a document cannot be encoded, its line is
{"error": ..., "line": ...}, and the exit code of the command is 1, or 3 if all errors are budgets
that are too small. If FILE is a folder, the member "file" of each line is the name of the file.

During a run, finished documents are kept in a .part file next to OUT. To continue an interrupted
run, run the same command with --resume.

examples:
  mckp batch examples/builds.jsonl --budget 100 -o encoded.jsonl
  mckp batch examples --budget 500 -o pages.jsonl --resume
  cat examples/builds.jsonl | mckp batch --processes 2 | jq -r .text
"""
_PACK_EXAMPLES: Final = """\
The command writes several documents into one text, within one budget. It keeps each document whole,
cuts it, writes only its name, or leaves it out. It writes identical files once. In a folder, it
leaves out hidden files, binary files, files that .gitignore names, symlinks to folders, and
symlinks to files outside the folder. It also leaves out files that may contain secrets (.env,
private keys), unless you pass the path of such a file.

examples:
  mckp pack examples --budget 2k --query "which build failed"
  mckp pack examples/release.md 'examples/*.json' --budget 800 --pin examples/release.md
  mckp pack examples/*.txt examples/builds.json --budget 4k --least examples/test-run.txt=200
  git diff | mckp pack - README.md --budget 4k
  mckp pack . --budget 16k --list                  what the text would contain
"""
_RECALL_EXAMPLES: Final = """\
The command answers questions about a file. Its options are the parameters of the tool "recall",
which a model calls to get back what was cut from a tool result. In --fields and --where, you can
write:

  fields      owner.name, steps[0], tags[1:3], ["odd/name"]
  conditions  == != < > and or not in contains startswith endswith matches
  arithmetic  + - * / len(x); the difference between two dates is in seconds
  totals      count() sum(x) avg(x) min(x) max(x)

examples:
  mckp recall examples/builds.json --where "status == 'failed' and seconds > 200" --fields id job
  mckp recall examples/builds.json --fields "count()" "avg(seconds)" --group runner
  mckp recall examples/builds.json --sort -seconds --limit 3
  mckp recall examples/test-run.txt --grep "AssertionError|OSError" --context 2
  mckp recall examples/test-run.txt --lines 65-72
  mckp recall examples/release.md --path Upgrade
"""
_WHY_EXAMPLES: Final = """\
Pass the same budget and options as to the mckp encode command whose output you want to understand.

examples:
  mckp why examples/test-run.txt 75 --budget 10%
  mckp why examples/builds.json '$.builds[5].error' --budget 400
  mckp why examples/builds.json '**.id' --budget 400 --json
"""
_TOOLS_EXAMPLES: Final = """\
FILE is a JSON array of tool definitions in the MCP, Anthropic or OpenAI format. It can also be the
JSON object that an MCP server returns for tools/list. Without a budget, everything is kept.

examples:
  mckp tools examples/tools.json --budget 120 --stats
  mckp tools examples/tools.json --budget 120 --recall "tool_help(name)"
  mckp tools examples/tools.json --budget 200 --pin get_issue
  mckp tools examples/tools.json --level typed
  mckp tools examples/tools.json --as pruned       the same tools as JSON, without redundant parts
"""
_COMPLETION_EXAMPLES: Final = """\
examples:
  mckp completion bash >> ~/.bashrc
  mckp completion zsh >> ~/.zshrc
  mckp completion fish > ~/.config/fish/completions/mckp.fish
"""
_ACCURACY_EXAMPLES: Final = """\
This command makes up questions about the JSON in FILE (or in each line of a .jsonl file), and
computes the right answers. Then it encodes the data in every format, and asks a model these
questions about each text. Without --model, it asks no model, but computes the answers from the
decoded text. The figures then say how many of the questions can be answered from each text. (If
nothing was cut from a text, all questions can be answered.)

examples:
  mckp accuracy examples/builds.json --budget 50% --budget 400
  mckp accuracy examples/builds.jsonl --plan --margin 2     count the questions; do not ask them
  mckp accuracy examples/builds.json --base-url http://localhost:11434/v1 --model qwen3
  mckp accuracy calls examples/tools.json
  mckp accuracy calls examples/tools.json --base-url http://localhost:11434/v1 --model qwen3

With the word calls, the command compares ways to write tool definitions (JSON, mckp's own format,
and others such as TSCG) by how well a model then calls the tools. The score is 0.6 times the share
of calls to the right tool plus 0.4 times the F1 score of the arguments. Without --model, a program
writes each call, as far as the text says how. The score then says how much of the information that
the calls need is in the text.

The API key is read from the environment variable OPENAI_API_KEY. If you pass --keep FILE, you can
run the same command again to continue an interrupted run.
"""
_REPLAY_EXAMPLES: Final = """\
LOG is a session file of Claude Code, a folder of session files, or a file with one action per line:

  {"do":"result","tool":...,"args":...,"text":...}     optional: "file", "agent"
  {"do":"edit","file":...}                             a file was changed
  {"do":"compact"}                                     the context was emptied
  {"do":"end"}                                         the session ended

The command encodes the tool results in LOG as mckp would have encoded them for the agent, and
reports how many tokens this saves. It also checks that each result can be decoded again.

examples:
  mckp replay examples/session.jsonl
  mckp replay examples/session.jsonl --budget 300       also show what the budget cuts
  mckp replay examples/session.jsonl --html replay.html
  mckp replay ~/.claude/projects --config tuned.toml    all sessions, with the settings of a file
"""
_TUNE_EXAMPLES: Final = """\
LOG is a file of recorded tool results, a session file of Claude Code, or a folder of session files,
as for mckp replay.

The command learns which fields of results were used in later calls. From this, it proposes
settings: the model, the kind of agent, and how far back a reference may point. For each tool, it
also proposes a budget, the size of the smallest result to encode, and whether a reference may list
differences. It tests each setting on sessions from which it did not learn. It keeps a setting only
if the setting saves tokens there and cuts nothing that was used later. It shows the settings as a
diff, and writes them to .mckp/salience.toml. Settings in your own configuration override that file.

examples:
  mckp tune examples/session.jsonl --dry-run       show the settings, but write nothing
  mckp tune export ~/.claude/projects -o ours.json            figures to share, without any texts
  mckp tune merge ours.json theirs.json --weights 2,1 -o team.json
  mckp tune ~/.claude/projects --uses team.json    learn from the sessions of a team
"""
_CONFIG_EXAMPLES: Final = """\
The command prints each value that applies to the results of a tool, and the rule that it comes
from: a table of a configuration file, a profile, or the default. The most specific rule counts: one
for the name of the tool, else one for the longest pattern. Of equally specific rules, an option of
a command counts first, then policies, the profile of the tool, the model, the kind of agent, and
the sections of the file. This is decided for each value by itself.

examples:
  mckp config explain mcp__ci__jobs
  mckp config explain Bash --tokenizer gpt-4o --json
"""
_HOOK_EXAMPLES: Final = """\
An agent such as Claude Code runs this command after each tool call. The command (the hook)
shortens the tool result before the model reads it. `mckp install claude-code` adds the hook to the
settings of Claude Code (2.1.121 or later). For Codex CLI, Gemini CLI and Copilot CLI, write the
hook into the settings yourself: `mckp hook codex`, `mckp hook gemini-cli` or `mckp hook
copilot-cli`. In opencode and pi, a plugin runs the hook (see docs/guides/hosts.md).

The hook keeps the full results for 30 days, in the folder MCKP_STATE_DIR or, if this variable is
not set, in ~/.local/state/mckp/claude-code. If the hook fails, the result stays unchanged, and the
reason is written to standard error.

examples:
  mckp install claude-code --budget 4000           add the hook to Claude Code
  mckp hook claude-code --budget 4000              the command that Claude Code then runs
  mckp hook recall SESSION 3 --grep error          lines of the result with the label #3

exit codes:
  0    done, or the hook failed and left the result unchanged
  2    wrong usage
"""
_MCP_EXAMPLES: Final = """\
The proxy runs between a host (a program that runs an agent, such as Cursor) and one or more MCP
servers. It shortens tool results: if a result repeats an earlier one, the proxy sends a reference
to that one; it encodes all other results within --budget. It forwards everything else unchanged,
and writes logs to standard error. To use the proxy, put `mckp mcp ... --` in front of a server's
command in the configuration of the host. If you have several servers, you can instead list them
under mcpServers in a JSON file, and pass this file as --config.

examples:
  mckp mcp --budget 4000 -- npx -y @modelcontextprotocol/server-filesystem .
  mckp mcp --url https://mcp.example.org/mcp --header "Authorization: Bearer $TOKEN"
  mckp mcp --config servers.json --budget 4000 --budget github.list_issues=1500
  mckp mcp --config servers.json --tools json --tools-budget 3000
  mckp mcp --config servers.json --budget 4000 --turn-budget 12k --spill ~/.cache/mckp
"""
_INSTALL_EXAMPLES: Final = """\
The command changes the configuration file of a host, so that the host runs its MCP servers through
mckp's proxy. For claude-code, it also adds a hook, which shortens the results of other tools. It
shows the change as a diff, and writes it once you confirm. It keeps the original file as
FILE.mckp-backup, and mckp uninstall restores it byte for byte. It skips remote servers without
headers unless you pass --all, because such servers may require a login in a browser, which the
proxy does not support.

examples:
  mckp install cursor --budget 4000
  mckp install claude-code --project --yes    the proxy and the hook, in this folder
  mckp install codex --leave github
"""
_UNINSTALL_EXAMPLES: Final = """\
The command removes what mckp install added to the configuration file, and keeps all other bytes of
the file. It shows the change as a diff, and writes it once you confirm.

examples:
  mckp uninstall cursor
  mckp uninstall claude-code --project --yes
"""
_DOCTOR_EXAMPLES: Final = """\
The command reads the configuration files of hosts (programs that run an agent, such as Cursor) in
your home folder and in the current folder. It does not start the MCP servers in these files, so it
cannot say whether they work. If a server fails later, the proxy reports this on standard error.

examples:
  mckp doctor
  mckp doctor --json
"""
_STATS_EXAMPLES: Final = """\
FOLDER is the telemetry folder (default: the folder in the configuration). Telemetry is a record of
how many tokens each result took. The proxy and the hooks write telemetry if the configuration sets
telemetry.enabled. The proxy also writes it if you start the proxy with mckp mcp --telemetry.

examples:
  mckp stats
  mckp stats --days 7 --html savings.html
  mckp stats --json
"""

_DISCOVER_EXAMPLES: Final = """\
PLACE is a session file or a folder of session files. By default, the command reads the sessions of
Claude Code and Codex CLI (~/.claude/projects, ~/.codex/sessions). It writes no files, and no data
leaves this machine.

The command takes prompt caching into account: a result is written to the cache once, and each later
request reads it from the cache, until the conversation is compacted or ends. Pass the price of your
model as --price.

examples:
  mckp discover                                the newest 50 sessions, results within 2,000 tokens
  mckp discover --days 7 --budget 4000
  mckp discover ~/.codex/sessions --price 1.25 --write 1
  mckp discover examples/session.jsonl --price 'claude-opus-*=5' --price 3 --json
"""
_GAIN_EXAMPLES: Final = """\
FOLDER is the telemetry folder, as for mckp stats. Telemetry does not record requests to the model.
So the command assumes that one request follows each result, and that this request reads all earlier
results from the prompt cache. Because of this, the money saved is an estimate.

examples:
  mckp gain
  mckp gain --by session --days 7
  mckp gain --price 5 --json
"""
_DECODE_EXAMPLES: Final = """\
FILE is a text that mckp encoded. If the document was data, the command prints it as JSON. If the
document was Markdown or text, the command prints this text. What mckp cut from the document is
missing in the output.

examples:
  mckp encode examples/builds.json --budget 400 | mckp decode
  mckp encode examples/release.md | mckp decode --json
"""
_COMPARE_EXAMPLES: Final = """\
In the output, each row is for a format: its number of tokens, this number divided by that of
compact JSON, and what the format loses. The row "mckp" is for the text that mckp encode writes by
default. The last rows are for formats that lose data.

examples:
  mckp compare examples/builds.json
  mckp compare examples/builds.json --tokenizer o200k,cl100k,claude
  mckp compare examples/builds.json --html formats.html
"""
_INSPECT_EXAMPLES: Final = """\
mckp parses a document into a tree. For each node of this tree, the command prints its number of
tokens, and its place in the source (its line, or its line and column).

examples:
  mckp inspect examples/builds.json --depth 2
  mckp inspect examples/release.md --depth 2
"""
_TOKENIZERS_EXAMPLES: Final = """\
A tokenizer counts exactly if the model itself uses it; other tokenizers only estimate. The column
"models" lists names of models that you can also pass as --tokenizer.

examples:
  mckp tokenizers
  mckp tokenizers gemini-3-pro   # which tokenizer counts for a model, how we know, and how far off
  mckp tokenizers --json
"""

COMMANDS: Final[dict[str, tuple[str, Fill, str]]] = {
    "encode": (
        "encode a document, whole or within a budget",
        options.ENCODE,
        _ENCODE_EXAMPLES,
    ),
    "decode": ("turn an encoded text back into data", options.DECODE, _DECODE_EXAMPLES),
    "view": (
        "make a page that shows how many tokens each part takes",
        options.VIEW,
        _VIEW_EXAMPLES,
    ),
    "compare": (
        "count the tokens of a document in every format",
        options.COMPARE,
        _COMPARE_EXAMPLES,
    ),
    "inspect": (
        "print a document as a tree, with the tokens of each node",
        options.INSPECT,
        _INSPECT_EXAMPLES,
    ),
    "recall": (
        "select rows or lines of a document, or compute totals",
        options.RECALL,
        _RECALL_EXAMPLES,
    ),
    "why": ("explain why a line or a part was kept or cut", options.WHY, _WHY_EXAMPLES),
    "pack": ("write files and folders into one text", options.PACK, _PACK_EXAMPLES),
    "batch": ("encode many documents", options.BATCH, _BATCH_EXAMPLES),
    "tools": ("encode a list of tool definitions", options.TOOLS, _TOOLS_EXAMPLES),
    "accuracy": ("measure how well models read each format", options.ACCURACY, _ACCURACY_EXAMPLES),
    "replay": (
        "replay recorded sessions to see what mckp saves and cuts",
        options.REPLAY,
        _REPLAY_EXAMPLES,
    ),
    "tune": ("learn settings from recorded sessions", options.TUNE, _TUNE_EXAMPLES),
    "config": (
        "print the settings for a tool, and where each comes from",
        options.CONFIG,
        _CONFIG_EXAMPLES,
    ),
    "hook": ("shorten tool results in an agent", options.add_hook_options, _HOOK_EXAMPLES),
    "mcp": ("run a proxy in front of MCP servers", options.add_mcp_options, _MCP_EXAMPLES),
    "install": (
        "set up mckp in a host, such as Cursor",
        options.add_install_options,
        _INSTALL_EXAMPLES,
    ),
    "uninstall": ("remove mckp from a host", options.add_uninstall_options, _UNINSTALL_EXAMPLES),
    "doctor": (
        "list the MCP hosts on this machine, and whether they use mckp",
        options.DOCTORS,
        _DOCTOR_EXAMPLES,
    ),
    "completion": (
        "print a completion script for a shell",
        options.COMPLETION,
        _COMPLETION_EXAMPLES,
    ),
    "tokenizers": (
        "list the tokenizers, and which of them count exactly",
        options.TOKENIZERS,
        _TOKENIZERS_EXAMPLES,
    ),
    "stats": ("report the tokens that the proxy and hooks saved", options.STATS, _STATS_EXAMPLES),
    "gain": ("report the money that mckp saved, by day", options.GAIN, _GAIN_EXAMPLES),
    "discover": (
        "report what tools cost in your sessions, and what mckp would save",
        options.DISCOVER,
        _DISCOVER_EXAMPLES,
    ),
}
"""Each command: its purpose, its options, and the examples in its help."""


def parse_arguments(argv: Sequence[str] | None) -> Namespace:
    """Return the options of one command; exit for help and wrong usage."""
    words, server = split_server_command(sys.argv[1:] if argv is None else argv)
    words = _with_descending_sort(words)
    parser = _make_parser(words)
    try:
        arguments = parser.parse_args(words)
        if arguments.command is None:
            parser.print_help(sys.stderr)
            parser.exit(2, "\nmckp: error: give a COMMAND, such as encode\n")
        arguments.server = server
        if arguments.file is None:
            arguments.file = _default_file(parser)
        _check_rendering(parser, arguments)
    finally:
        if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison]
            sys.stdout.flush()  # a closed pipe for the help is noticed here, not at exit
    return arguments


def _check_rendering(parser: ArgumentParser, arguments: Namespace) -> None:
    """Refuse options that a rendering chosen with ``--as`` ignores: it always writes everything."""
    if getattr(arguments, "rendering", None) is None:
        return
    for name in ("budget", "level", "query", "pin", "recall", "json", "stats"):
        value = getattr(arguments, name)
        if value is not None and value is not False and value != "":
            parser.error(f"--as {arguments.rendering} always writes everything: remove --{name}")


def _default_file(parser: ArgumentParser) -> str:
    """Return standard input as the file; exit if a terminal would wait for typing."""
    if is_terminal(sys.stdin):
        parser.error("give a FILE, or - to read what you type")
    return STANDARD


def split_server_command(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the arguments of ``mcp`` at ``--`` into those for mckp and a server's command.

    Examples
    --------
    >>> split_server_command(["mcp", "--budget", "9", "--", "npx", "--", "x"])
    (['mcp', '--budget', '9'], ['npx', '--', 'x'])
    """
    if argv[:1] != ["mcp"] or "--" not in argv:
        return list(argv), []
    place = argv.index("--")
    return list(argv[:place]), list(argv[place + 1 :])


def _with_descending_sort(words: Sequence[str]) -> list[str]:
    """Join ``--sort`` and a ``-FIELD`` after it, which argparse would take for an option.

    Examples
    --------
    >>> _with_descending_sort(["recall", "a.json", "--sort", "-seconds", "--limit", "3"])
    ['recall', 'a.json', '--sort=-seconds', '--limit', '3']
    """
    joined: list[str] = []
    for word in words:
        if joined[-1:] == ["--sort"] and word.startswith("-") and not word.startswith("--"):
            joined[-1] = f"--sort={word}"
        else:
            joined.append(word)
    return joined


def _make_parser(commands_named: Iterable[str]) -> _Parser:
    """Return the parser of all commands; only `commands_named` get their options, to save time."""
    parser = _Parser(
        "mckp",
        description="Encode JSON, Markdown and text for a language model, within a token budget.",
        epilog=f"{_EXAMPLES}\n{_CODES}",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"mckp {__version__}")
    # Without prog, argparse would format the help to get it.
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", prog="mckp")
    for name, (purpose, fill, epilog) in COMMANDS.items():
        codes = "" if "exit codes:" in epilog else _CODES
        command = commands.add_parser(
            name,
            help=purpose,
            description=f"{purpose[0].upper()}{purpose[1:]}.",
            epilog="\n".join(filter(None, (epilog, codes))),
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.set_defaults(file="")  # for commands without FILE
        if name in commands_named:
            if callable(fill):
                fill(command)
            else:
                options.add_options(command, fill)
    return parser


class _Parser(ArgumentParser):
    """A parser that suggests the nearest known word for an unknown one."""

    _words: tuple[str, ...] = ()

    def error(self, message: str) -> NoReturn:
        """Print what is wrong in one line, and exit."""
        import re

        from mckp.errors import did_you_mean

        known_words = [*self._option_string_actions]
        if match := re.search(r"invalid choice: '(.*)' \(choose from (.*)\)", message):
            known_words = [name.strip(" '") for name in match[2].split(",")]
        else:
            match = re.search(r"unrecognized arguments: (-[^ =]+)", message)
        advice = did_you_mean(match[1], known_words) if match else ""
        if name := next((f"-{word}" for word in self._words if f"-{word}" in known_words), None):
            advice = f" did you mean {name!r}?"
        super().error(f"{message};{advice}" if advice else message)

    def parse_known_args(self, *args: Any, **kwargs: Any) -> Any:
        """Parse the arguments; unknown words are reported with the known option that is nearest."""
        self._words = tuple(args[0] or ()) if args else ()
        parsed, unknown = super().parse_known_args(*args, **kwargs)
        if unknown:
            takes_one = any(action.dest == "file" for action in self._actions)
            is_file = takes_one and not unknown[0].startswith("-")
            advice = f"; {self.prog} takes one FILE; mckp pack takes several" if is_file else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{advice}")
        return parsed, unknown

    def commands(self) -> dict[str, _Parser]:
        """Return the parsers of the commands by name."""
        choices: Any = next(action.choices for action in self._actions if action.nargs == PARSER)
        return dict(choices)

    def words(self) -> list[str]:
        """Return the options, and the choices of arguments."""
        words = ((*action.option_strings, *(action.choices or ())) for action in self._actions)
        return [str(word) for action_words in words for word in action_words]


def words_of_commands() -> dict[str, list[str]]:
    """Return the words that may follow each command: its options and choices."""
    return {name: parser.words() for name, parser in _make_parser(COMMANDS).commands().items()}

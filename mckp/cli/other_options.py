"""The options of each command."""

from __future__ import annotations

from argparse import SUPPRESS
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.cli.streams import STANDARD
from mckp.cli.values import (
    parse_budget,
    parse_count,
    parse_header,
    parse_least,
    parse_limit,
    parse_names,
    parse_option,
    parse_positive_number,
    parse_price,
    parse_priority,
    parse_rule,
    parse_shape,
    parse_share,
    parse_tokens,
    parse_weight,
    parse_whole_number,
)

if TYPE_CHECKING:
    from argparse import Action, ArgumentParser
    from collections.abc import Callable, Iterable, Mapping


class CliOption(NamedTuple):
    """An option, or an argument if its name has no dash.

    Several names are separated by blanks. A flag has no metavar. If the default is a list, the
    option may be repeated. `more` are further arguments of `ArgumentParser.add_argument`.
    """

    names: str
    metavar: str
    type: Callable[[str], Any]
    default: Any
    purpose: str
    more: Mapping[str, Any] = MappingProxyType({})

    def add(self, parser: ArgumentParser) -> Action:
        """Add the option to a parser."""
        argument: dict[str, Any] = {"action": "store_true"}
        if self.metavar:
            argument = {"metavar": self.metavar, "type": self.type, "default": self.default}
            argument |= {"action": "append"} if isinstance(self.default, list) else {}
        return parser.add_argument(*self.names.split(), help=self.purpose, **argument, **self.more)


def flag(names: str, purpose: str) -> CliOption:
    """Return an option without a value."""
    return CliOption(names, "", bool, False, purpose)


def add_options(parser: ArgumentParser, options: Iterable[CliOption]) -> list[Action]:
    """Add options to a parser, and return them."""
    return [option.add(parser) for option in options]


# fmt: off
_KINDS: Final = ("json", "markdown", "text")
_SHELLS: Final = ("bash", "zsh", "fish")
_FILE: Final = CliOption("file", "FILE", str, None, "the file to read, or - for standard input",
                         {"nargs": "?"})
_MAX_LOSS: Final = CliOption(
    "--max-loss", "NAME", str, "truncated",
    "the worst loss that is allowed: truncated (default) allows cuts; with none, types, nested or "
    "top_level, the command fails if it would have to cut anything",
    {"choices": ("none", "types", "nested", "top_level", "truncated")})
_LOG: Final = CliOption("log", "LOG", str, None, "the log to replay")
_JSON: Final = flag("--json", "print JSON")
_ALL_AS_JSON: Final = flag("--json", "print the text, its tokens and its cuts as JSON")
_PAGE: Final = CliOption("--html", "FILE", str, None, "also write the figures as an HTML page")
_OUT: Final = CliOption("-o", "OUT", str, STANDARD,
                        "write to the file OUT, which appears only when it is complete",
                        {"dest": "out"})
_TOKENIZER: Final = CliOption("--tokenizer", "NAME", str, "o200k",
                              "tokenizer to count with, or the name of a model (default: o200k)")
_COUNTER: Final = CliOption("--tokenizer", "NAME", str, None,
                            "tokenizer to count with, or the name of the model (default: the one "
                            "in the configuration, else o200k)")
_KIND: Final = CliOption("--kind", "{json,markdown,text}", str, None,
                         "kind of input (default: detected)", {"choices": _KINDS})
_BUDGET: Final = CliOption(
    "-b --budget", "N", parse_budget, None,
    "token limit: 4000, 4k, or a share such as 50%% (for data, of the tokens that it takes as "
    "compact JSON; for text, of the tokens of the source)")
_OF_RESULT: Final = CliOption("-b --budget", "N", parse_tokens, None, "token limit of each result")
_SOLVER: Final = CliOption("--solver", "NAME", str, "auto",
                           "solver that chooses what to keep: auto (default), dp, large, greedy, "
                           "binary, brute, cpsat or highs")
_WORK: Final = CliOption(
    "--work-limit", "N", parse_whole_number, None,
    "stop the solver after N operations and use the best choice it has found (default: 10 million)")
_CHOICE: Final = (
    _BUDGET,
    CliOption("--formats", "NAMES", parse_names, "native",
              "comma-separated names of formats, or a level (a set of formats): standard, native "
              "(default) or dense; a minus excludes a format, as in native,-rows; auto means dense "
              "if the whole document fits the budget with dense, and with native would lose a "
              "tenth of its worth or take a quarter more tokens; otherwise, auto means native"),
    _SOLVER, _WORK,
)
_WISHES: Final = (
    CliOption("--weights", "NAMES", parse_names, "salience",
              "the model that says how much each part is worth: salience (default), facts, "
              "uniform, tokens, position or recency; with several comma-separated names, mckp "
              "multiplies their weights"),
    CliOption("--query", "TEXT", str, None,
              "the reader's question; parts that match it are more likely to be kept"),
    CliOption("--priority", "PATTERN=X", parse_priority, [],
              "multiply the worth of parts whose path matches PATTERN by X, as in '**.id=3'; X may "
              "also be pin (always keep them) or drop (always cut them); may be repeated"),
)
ENCODE: Final = (
    _FILE, _TOKENIZER, _KIND, _ALL_AS_JSON, *_CHOICE, _MAX_LOSS, *_WISHES,
    flag("--primer", "begin the text with a line that explains its notation"),
    flag("--stats", "print tokens, cuts and time to standard error"),
    _OUT,
)
DECODE: Final = (_FILE, flag("--json", "print Markdown or text as its parsed tree, in JSON"), _OUT)
VIEW: Final = (
    _FILE, _TOKENIZER, _KIND, *_CHOICE, *_WISHES,
    flag("--open", "open the page in a browser"), _OUT)
COMPARE: Final = (
    _FILE,
    CliOption("--tokenizer", "NAMES", str, "o200k",
              "comma-separated names of tokenizers or models; with several names, the output has "
              "a column for each (default: o200k)"),
    _KIND, _JSON, _PAGE,
)
_NAME: Final = CliOption("name", "NAME", str, None, "a tokenizer or a model", {"nargs": "?"})
TOKENIZERS: Final = (_NAME, _JSON)
INSPECT: Final = (
    _FILE, _TOKENIZER, _KIND, _JSON,
    CliOption("--depth", "N", parse_whole_number, None, "number of levels to show below the root"),
)
BATCH: Final = (
    _FILE, _TOKENIZER, *_CHOICE, *_WISHES,
    CliOption("--processes", "N", parse_count, None,
              "number of processes (default: one per CPU)"),
    flag("--resume", "continue an interrupted run of the same command; needs -o"),
    _OUT,
)
TOOLS: Final = (
    _FILE, _TOKENIZER, _ALL_AS_JSON, _BUDGET,
    CliOption("--level", "NAME", str, None,
              "write all tools at this level of detail: name, args, summary, typed, described, "
              "full or json"),
    CliOption("--query", "TEXT", str, None,
              "the model's task; tools that match this task are more likely to be kept in detail"),
    CliOption("--pin", "TOOL", str, None, "a tool to keep in full; may be repeated",
              {"action": "append"}),
    CliOption("--recall", "TEXT", str, "",
              "the call with which the model can get what was left out, such as 'tool_help(name)'; "
              "it is added to the text"),
    CliOption("--as", "NAME", str, None,
              "write the tools in another format: json, pruned, tscg, ttc, wire, ts",
              {"dest": "rendering"}),
    _SOLVER, _WORK, flag("--stats", "print tokens per tool to standard error"), _OUT,
)
REPLAY: Final = (
    _LOG, _OF_RESULT,
    CliOption("--config", "FILE", str, None, "configuration file (default: none)"),
    _PAGE, _JSON,
)
CONFIG: Final = (
    CliOption("action", "explain", str, None, "what to do; there is only explain",
              {"choices": ["explain"]}),
    CliOption("tool", "TOOL", str, None, "the tool; without it, the values for all tools",
              {"nargs": "?"}),
    CliOption("--tokenizer", "NAME", str, None, "the tokenizer, or the model that reads"),
    _JSON,
)
KINDS: Final = (
    CliOption("action", "list|explain|check", str, None,
              "list all kinds; explain which rule gives each line of FILE its worth; check the "
              "examples of your kinds, or of those in FILE",
              {"choices": ["list", "explain", "check"]}),
    CliOption("text", "FILE", str, None, "the text to explain, or - for standard input; the kinds "
              "to check", {"nargs": "?"}),
    CliOption("--kind", "NAME", str, None, "with explain: the kind of yours that the text is of"),
    _JSON,
)
TUNE: Final = (
    CliOption("log", "LOG|export|merge", str, None,
              "recorded sessions, as for mckp replay; or a subcommand: export, merge"),
    CliOption("files", "FILE", str, None,
              "with export or merge: the files to read", {"nargs": "*"}),
    CliOption("--tool", "NAME", str, None, "for show, which is `mckp config explain` now"),
    CliOption("--tokenizer", "NAME", str, None, "for show"),
    CliOption("--uses", "DIR|FILE", str, None,
              "learn from the telemetry in DIR, or from an exported FILE, and test the result on "
              "LOG"),
    flag("--dry-run", "write nothing"),
    CliOption("--fewest", "N", parse_count, 5,
              "with export: write only figures that occur in at least N sessions (default: 5)"),
    CliOption("--weights", "N,N", str, None, "with merge: the weight of each file"),
    CliOption("--provider", "FILE", str, [],
              "with merge: a file from the provider of the tools; all such files together get at "
              "most 0.4 of the weight; may be repeated"),
    _JSON,
    _OUT._replace(
        purpose="with export or merge: the output file, which is Parquet if its name ends with "
        ".parquet, else JSON"),
)
ACCURACY: Final = (
    _FILE._replace(metavar="FILE|calls",
                   purpose="the file to read, or - for standard input; with the word calls "
                   "instead, the command measures tool calls"),
    CliOption("catalog", "TOOLS", str, None, "after calls: a file with tool definitions",
              {"nargs": "?"}),
    CliOption("--tasks", "FILE", str, None,
              "with calls: a file whose lines are JSON objects with task, tool and arguments "
              "(default: tasks made from TOOLS)"),
    _TOKENIZER,
    flag("--json", "print all figures as JSON"),
    CliOption("--questions", "N", parse_count, 4,
              "at most N questions of each of five kinds per document (default: 4)"),
    CliOption("--seed", "N", parse_whole_number, 1, "seed for choosing questions (default: 1)"),
    CliOption("--margin", "N", parse_positive_number, 3.0,
              "smallest loss of accuracy that counts, in percentage points (default: 3)"),
    CliOption("--concurrency", "N", parse_count, 4,
              "questions asked at the same time (default: 4)"),
    CliOption("--retries", "N", parse_whole_number, 5, "retries for each question (default: 5)"),
    CliOption("--timeout", "N", parse_positive_number, 120.0, "seconds per try (default: 120)"),
    CliOption("--ways", "NAMES", parse_names, None,
              "what to compare, separated by commas: formats, levels, mixes such as kv+csv, and "
              "json-pretty; with calls: ways to write tools, such as full, ts and tscg:sdm+tas"),
    CliOption("-b --budget", "N", parse_share, [],
              "token limit: 400, 4k, or 50%% (of the tokens of compact JSON); may be repeated"),
    CliOption("--base-url", "URL", str, None, "address of an OpenAI-compatible API"),
    CliOption("--model", "NAME", str, None, "name of the model to ask at --base-url"),
    CliOption("--option", "NAME=JSON", parse_option, [],
              "add a parameter to each request, as in max_tokens=4000; NAME=null removes a "
              "parameter"),
    flag("--plan", "print what would be asked, and exit"),
    CliOption("--keep", "FILE", str, None,
              "save replies in FILE, and do not ask a question again if FILE already has its "
              "reply"),
    _OUT,
)
PACK: Final = (
    CliOption("paths", "PATH", str, None,
              "a file, a folder, a pattern such as 'src/**/*.py', or - for standard input",
              {"nargs": "+"}),
    _BUDGET._replace(purpose="token limit: 4000, 4k, or 50%% (of the tokens of all documents)"),
    CliOption("--query", "TEXT", str, None,
              "the reader's question; parts that match it are more likely to be kept"),
    CliOption("--weight", "NAME=X", parse_weight, [],
              "multiply the worth of the document NAME by X; may be repeated"),
    CliOption("--pin", "NAME", str, [], "keep the document NAME whole; may be repeated"),
    CliOption("--least", "NAME=N", parse_least, [],
              "keep at least as much of the document NAME, by worth, as mckp encode --budget N "
              "would keep of it; N may also be a share such as 20%%; may be repeated"),
    CliOption("--order", "{given,worth}", str, "given",
              "order of the documents: as given (default), or by worth, highest first",
              {"choices": ("given", "worth")}),
    flag("--list", "print how much of each document the text would contain, but not the text"),
    flag("--json", "print the text, and what was done with each document, as JSON"),
    _PAGE._replace(purpose="also write an HTML page with the text and the tokens of each document"),
    _TOKENIZER,
    _OUT,
)
DOCTORS: Final = (_JSON,)
COMPLETION: Final = (
    CliOption("shell", "{bash,zsh,fish}", str, None, "the shell", {"choices": _SHELLS}),
)
STATS: Final = (
    CliOption("folder", "FOLDER", str, None, "the telemetry folder", {"nargs": "?"}),
    CliOption("--days", "N", parse_count, None, "count only the last N days"),
    CliOption("--by", "WHAT", str, "tool",
              "print one row for each tool (default), session, agent (main or sub-agents), or way "
              "(how a result was sent: encoded, as a reference, or unchanged)",
              {"choices": ("tool", "session", "agent", "way")}),
    _PAGE, _JSON,
)
_PRICES: Final = (
    CliOption("--price", "[MODEL=]X", parse_price, [],
              "dollars per million input tokens (default: 3); with MODEL= (a name or a pattern), "
              "only for this model; may be repeated"),
    CliOption("--write", "X", parse_positive_number, 1.25,
              "price of a token written to the prompt cache, as a multiple of --price "
              "(default: 1.25)"),
    CliOption("--read", "X", parse_positive_number, 0.1,
              "price of a token read from the prompt cache, as a multiple of --price "
              "(default: 0.1)"),
)
GAIN: Final = (
    CliOption("folder", "FOLDER", str, None, "the telemetry folder", {"nargs": "?"}),
    CliOption("--days", "N", parse_count, None, "count only the last N days"),
    CliOption("--by", "WHAT", str, "day", "print one row for each day (default), session or tool",
              {"choices": ("day", "session", "tool")}),
    *_PRICES, _JSON,
)
DISCOVER: Final = (
    CliOption("places", "PLACE", str, None, "session files, or folders of them", {"nargs": "*"}),
    _OF_RESULT._replace(default=2000,
                        purpose="token limit of each result (default: 2000); with 0, nothing is "
                        "cut"),
    CliOption("--sessions", "N", parse_count, 50, "read only the newest N sessions (default: 50)"),
    CliOption("--days", "N", parse_count, None, "read only sessions of the last N days"),
    *_PRICES,
    _TOKENIZER,
    _JSON,
)
_QUESTION: Final = (
    CliOption("--path", "PATH", str, None,
              "the array or object to query, such as $.builds; in a text, the section below a "
              "heading, a function, or a file of a diff, by its name"),
    CliOption("--where", "TEST", str, None,
              "print only rows that meet a condition, such as status == 'failed'"),
    CliOption("--fields", "FIELD", str, None,
              "fields to print, such as owner.name, or totals to compute, such as sum(cost)",
              {"nargs": "+"}),
    CliOption("--group", "FIELD", str, None,
              "print one row for each value of FIELD, with the number of rows that have it"),
    CliOption("--sort", "FIELD", str, None, "sort rows by FIELD; -FIELD sorts the largest first"),
    CliOption("--limit", "N", parse_whole_number, None, "print at most N rows or lines"),
    CliOption("--offset", "N", parse_whole_number, None, "skip the first N rows or lines"),
    CliOption("--grep", "PATTERN", str, None,
              "print only rows or lines that match the regular expression PATTERN"),
    CliOption("--context", "N", parse_whole_number, None, "also print N lines around each match"),
    CliOption("--lines", "RANGE", str, None, "print lines by number, such as 313-349"),
    CliOption("--jq", "PROGRAM", str, None,
              "run a jq program in place of the options above, except --limit and --offset; needs "
              "the extra jq"),
)
"""The options of a question about a result or file, as in `mckp.recall.question.PARAMETERS`."""
_RECALL: Final = (
    CliOption("session", "SESSION", str, None, "the session_id of the conversation"),
    CliOption("handle", "HANDLE", str, None, "the number in the label, as in #3"),
    *_QUESTION,
    _OF_RESULT,
)
RECALL: Final = (
    _FILE,
    *_QUESTION,
    _OF_RESULT._replace(purpose="token limit of the answer"),
    _TOKENIZER,
)
WHY: Final = (
    _FILE._replace(more={}),
    CliOption("place", "PLACE", str, None,
              "for a text, the number of a line; for data, a path such as $.jobs[3]"),
    _TOKENIZER, _KIND, *_CHOICE, *_WISHES, _JSON,
)
_SERVERS: Final = (
    CliOption("--url", "URL", str, None, "address of a server (streamable HTTP)"),
    CliOption("--header", "NAME: VALUE", parse_header, [],
              "header for each request to --url; if only NAME is given, the value is read from the "
              "environment variable NAME; may be repeated"),
    CliOption("--config", "FILE", str, None, "a JSON file that lists servers under mcpServers"),
)


def add_proxy_options(parser: ArgumentParser) -> list[Action]:
    """Add the options for how a proxy writes results and tool lists, and return them."""
    from mckp.agents.mcp import CATALOGS

    return add_options(parser, (
        CliOption("-b --budget", "[NAME=]N", parse_limit, [],
               "token limit of each result; with NAME= (a server, or server.tool), only of "
               "results from this server or tool; may be repeated"),
        CliOption("--turn-budget", "N", parse_tokens, None,
               "token limit of all results of a turn together; each result gets at least 64 "
               "tokens (see --turn-pause)"),
        CliOption("--turn-pause", "SECONDS", parse_count, 30,
               "a turn is a series of tool calls; it ends if no call comes within SECONDS after "
               "the last result (default: 30)"),
        CliOption("--spill", "FOLDER", str, "",
               "save the full text of each cut result to a file in FOLDER; the files are deleted "
               "when the proxy exits"),
        CliOption("--spill-above", "N", parse_tokens, 32_000,
               "write a result to FOLDER only if it has more than N characters (default: 32k)"),
        _WORK,
        _COUNTER,
        # Older versions had this option; configurations that still use it must keep working.
        CliOption("--model", "NAME", str, None, SUPPRESS),
        CliOption("--tools", "SHAPE", parse_shape, "same",
               "what to send as the list of tools: same (what the servers send; default), json "
               "(repeated parts only once), or on-demand (only names; the model asks for the "
               "schemas that it needs)",
               {"choices": CATALOGS}),
        CliOption("--tools-budget", "N", parse_tokens, None, "token limit of the list of tools"),
        flag("--no-references", "send repeated results in full, not as references"),
        flag("--short-names", "write long ids as names such as @p3, and put them back into calls"),
        flag("--no-recall",
             "do not add the tool with which the model can get back what was cut"),
        CliOption("--recall-name", "NAME", str, "recall",
               "name of the tool with which the model can get back what was cut; if a host runs "
               "several proxies, give each another name (default: recall)"),
        CliOption("--structured", "[NAME=]WAY", parse_rule, [],
               "what to do with the structured content of a result, which is JSON beside its "
               "text: keep, drop (if there is a text), encode (write it as text, unless the text "
               "has the same data), or auto (default: like encode, but leave out what the host "
               "would not show to the model); with NAME= (a server, or server.tool), only for "
               "results from this server or tool; may be repeated"),
        flag("--fields",
             "add to each tool an argument with which the model names the fields it needs"),
        flag("--shadow",
             "send all results unchanged, and report at the end what mckp would have saved"),
        CliOption("--timeout", "SECONDS", parse_count, 3600,
               "give up on a request if the server sends neither an answer nor progress for this "
               "many seconds (default: 3600)"),
        CliOption("--telemetry", "FOLDER", str, None,
               "record token counts in FOLDER, for the command 'mckp stats' to read (default: the "
               "folder in the configuration)",
               {"nargs": "?", "const": ""}),
    ))
# fmt: on
_ANSWERS: Final = (_COUNTER, _OF_RESULT)


_PLUGINS: Final = {"opencode": "plugins/opencode/mckp.js", "pi": "plugins/pi/mckp.ts"}
"""The modules in the repository by which some hosts run our hook."""


def add_hook_options(parser: ArgumentParser) -> None:
    """Add the options of ``mckp hook``."""
    kinds = parser.add_subparsers(dest="what", metavar="WHAT", prog=parser.prog, required=True)
    from mckp.agents.host import HOSTS

    for host in filter(lambda host: host.has_hook, HOSTS.values()):
        plugin = f" ({_PLUGINS[host.name]})" if host.name in _PLUGINS else ""
        name = f"{host.title}{plugin}"
        purpose = f"answer a hook event that {name} sends on standard input"
        _add_kind(kinds, host.name, purpose, f"{host.name} --budget 4000 < event.json", _ANSWERS)
    purpose = "print the full text of a shortened result, or a part of it"
    example = "recall SESSION 3 --where \"status == 'failed'\""
    _add_kind(kinds, "recall", purpose, example, _RECALL)


def _add_kind(
    kinds: Any, name: str, purpose: str, example: str, options: tuple[CliOption, ...]
) -> None:
    """Add a kind of ``mckp hook``."""
    parser = kinds.add_parser(
        name,
        help=purpose,
        description=f"{purpose[0].upper()}{purpose[1:]}.",
        epilog=f"example: mckp hook {example}",
    )
    parser.fill = partial(add_options, options=options)


def add_mcp_options(parser: ArgumentParser) -> None:
    """Add the options of ``mckp mcp``."""
    add_options(parser, _SERVERS)
    add_proxy_options(parser)
    flag("--verbose", "write more detailed logs to standard error").add(parser)


def add_install_options(parser: ArgumentParser) -> None:
    """Add the options of ``mckp install``."""
    add_uninstall_options(parser)
    CliOption("--leave", "NAME", str, [], "do not change the server NAME; may be repeated").add(
        parser
    )
    flag("--all", "include remote servers without headers").add(parser)
    add_proxy_options(parser)


def add_uninstall_options(parser: ArgumentParser) -> None:
    """Add the options of ``mckp uninstall``."""
    from mckp.agents.host import HOSTS

    names = tuple(host.name for host in HOSTS.values() if host.file)
    parser.add_argument("host", metavar="HOST", choices=names, help=", ".join(names))
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "--config",
        metavar="PATH",
        help="the configuration file to change",
    )
    place.add_argument(
        "--project", action="store_true", help="change the configuration file in the current folder"
    )
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask before writing")

"""The options of each command, and how numbers and names are read."""

from __future__ import annotations

import os
from argparse import SUPPRESS, ArgumentTypeError
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.cli.streams import STANDARD

if TYPE_CHECKING:
    from argparse import Action, ArgumentParser
    from collections.abc import Callable, Iterable, Mapping


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


def _shape(text: str) -> str:
    """Read a shape of lists; files of hosts may have one that is gone, and servers are to start."""
    return "json" if text == "text" else text


def names(text: str) -> list[str]:
    """Read names with commas between them."""
    if not (found := [name for part in text.split(",") if (name := part.strip())]):
        raise ArgumentTypeError("at least one name is needed")
    return found


def _share(text: str) -> float:
    """Read a budget as `mckp.accuracy` has it: a share up to 1, or tokens."""
    if text.startswith("0."):
        return _positive(text)
    found = budget(text)
    return float(found[:-1]) / 100 if isinstance(found, str) else found


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise ArgumentTypeError(f"a number above 0 is needed, not {text!r}")
    return number


def _priority(text: str) -> tuple[str, float | str]:
    pattern, found, given = text.rpartition("=")
    if not found or not pattern:
        raise ArgumentTypeError(f"a pattern and what it is worth are needed, not {text!r}")
    try:
        return pattern, given if given in ("pin", "drop") else float(given)
    except ValueError:
        message = f"a number, pin or drop is needed behind {pattern}=, not {given!r}"
        raise ArgumentTypeError(message) from None


def _option(text: str) -> tuple[str, Any]:
    from json import loads

    name, _, given = text.partition("=")
    try:
        return name, loads(given)
    except ValueError:
        raise ArgumentTypeError(f"NAME=JSON is needed, not {text!r}") from None


def _limit(text: str) -> tuple[str, int]:
    name, number = _of_name(text)
    return name, tokens(number)


def _of_name(text: str) -> tuple[str, str]:
    name, found, value = text.rpartition("=")
    if found and not name:
        raise ArgumentTypeError(f"a value, or NAME=VALUE, is needed, not {text!r}")
    return name, value


def _header(text: str) -> tuple[str, str]:
    name, found, value = text.partition(":")
    if not found:
        value = os.environ.get(text, "")
    if not name.strip() or not value:
        message = f"NAME: VALUE is needed, or a NAME in the environment, not {text!r}"
        raise ArgumentTypeError(message)
    return name.strip(), value.strip()


class Option(NamedTuple):
    """An option, or an argument if its name has no dash.

    Several names have blanks between them. A flag has no metavar. If the default is a list, the
    option may be repeated. `more` are further arguments of `ArgumentParser.add_argument`.
    """

    names: str
    metavar: str
    type: Callable[[str], Any]
    default: Any
    purpose: str
    more: Mapping[str, Any] = MappingProxyType({})

    def add(self, parser: ArgumentParser) -> Action:
        """Add it to a parser."""
        how: dict[str, Any] = {"action": "store_true"}
        if self.metavar:
            how = {"metavar": self.metavar, "type": self.type, "default": self.default}
            how |= {"action": "append"} if isinstance(self.default, list) else {}
        return parser.add_argument(*self.names.split(), help=self.purpose, **how, **self.more)


def flag(names: str, purpose: str) -> Option:
    """Return an option behind which nothing stands."""
    return Option(names, "", bool, False, purpose)


def fill(parser: ArgumentParser, options: Iterable[Option]) -> list[Action]:
    """Add options to a parser."""
    return [option.add(parser) for option in options]


# fmt: off
_KINDS: Final = ("json", "markdown", "text")
_SHELLS: Final = ("bash", "zsh", "fish")
_FILE: Final = Option("file", "FILE", str, None, "what to read; - is standard input",
                      {"nargs": "?"})
_LOG: Final = Option("log", "LOG", str, None, "the log to play")
_JSON: Final = flag("--json", "print JSON")
_ALL_AS_JSON: Final = flag("--json", "print the text and all about it as JSON")
_PAGE: Final = Option("--html", "FILE", str, None, "write a page with pictures")
_OUT: Final = Option("-o", "OUT", str, STANDARD, "write to this file, whole or not at all",
                     {"dest": "out"})
_TOKENIZER: Final = Option("--tokenizer", "NAME", str, "o200k",
                           "who counts: a vocabulary, a profile or a model (default: o200k)")
_KIND: Final = Option("--kind", "{json,markdown,text}", str, None,
                      "what the input is (default: found out)", {"choices": _KINDS})
_BUDGET: Final = Option(
    "-b --budget", "N", budget, None,
    "the most tokens the text may have: 4000, 4k, or 50%% of those of compact JSON")
_OF_RESULT: Final = Option("-b --budget", "N", tokens, None, "the most tokens of a result")
_SOLVER: Final = Option("--solver", "NAME", str, "auto", "what chooses the cuts (default: auto)")
_CHOICE: Final = (
    _BUDGET,
    Option("--formats", "NAMES", names, "native",
           "levels and formats with commas, -name takes one away: native,-rows (default: native)"),
    _SOLVER,
)
_WISHES: Final = (
    Option("--weights", "NAMES", names, "salience",
           "what counts, with commas: salience, facts, uniform, tokens, position, recency"),
    Option("--query", "TEXT", str, None, "what the reader asks; counts for more"),
    Option("--priority", "PATTERN=X", _priority, [],
           "what a path is worth: a factor, pin or drop; may be repeated: '**.id=3'"),
)
ENCODE: Final = (
    _FILE, _TOKENIZER, _KIND, _ALL_AS_JSON, *_CHOICE, *_WISHES,
    flag("--primer", "a line above data tells what its signs mean"),
    flag("--stats", "print figures to standard error"),
    _OUT,
)
DECODE: Final = (_FILE, flag("--json", "print a text document's tree as JSON, too"), _OUT)
VIEW: Final = (
    _FILE, _TOKENIZER, _KIND, *_CHOICE, *_WISHES,
    flag("--open", "look at the page in a browser"), _OUT)
COMPARE: Final = (_FILE, _TOKENIZER, _KIND, _JSON, _PAGE)
INSPECT: Final = (
    _FILE, _TOKENIZER, _KIND, _JSON,
    Option("--depth", "N", whole, None, "show so many levels below the root"),
)
BATCH: Final = (
    _FILE, _TOKENIZER, *_CHOICE, *_WISHES,
    Option("--processes", "N", some, None,
           "the most processes to use (default: one for each CPU)"),
    flag("--resume", "go on with OUT where a run like this was ended"),
    _OUT,
)
TOOLS: Final = (
    _FILE, _TOKENIZER, _ALL_AS_JSON, _BUDGET,
    Option("--level", "NAME", str, None, "one level of detail for all tools"),
    Option("--query", "TEXT", str, None, "a task; tools that fit it matter more"),
    Option("--pin", "TOOL", str, None, "a tool to have in full; may be repeated",
           {"action": "append"}),
    Option("--recall", "TEXT", str, "", "how the reader gets what is cut"),
    Option("--as", "NAME", str, None, "another format: json, pruned, tscg, ttc, wire, ts",
           {"dest": "rendering"}),
    _SOLVER, flag("--stats", "print tokens per tool to standard error"), _OUT,
)
REPLAY: Final = (
    _LOG, _OF_RESULT,
    Option("--config", "FILE", str, None, "the configuration (default: none)"),
    _PAGE, _JSON,
)
TUNE: Final = (
    _LOG._replace(purpose="recorded sessions, as mckp replay takes them"),
    Option("--uses", "DIR", str, None,
           "learn from what telemetry has counted, and try it on LOG"),
    flag("--dry-run", "write nothing"),
    _JSON,
)
ACCURACY: Final = (
    _FILE, _TOKENIZER,
    flag("--json", "print all figures as JSON"),
    Option("--questions", "N", some, 4,
           "the most questions of each of five kinds, for one document (default: 4)"),
    Option("--seed", "N", whole, 1, "which questions (default: 1)"),
    Option("--margin", "N", _positive, 3.0, "the loss that matters, in points (default: 3)"),
    Option("--concurrency", "N", some, 4, "questions asked at a time (default: 4)"),
    Option("--retries", "N", whole, 5, "how often a question is tried again (default: 5)"),
    Option("--timeout", "N", _positive, 120.0, "seconds that one try may take (default: 120)"),
    Option("--ways", "NAMES", names, None,
           "formats, levels, mixes as kv+csv, and json-pretty, with commas"),
    Option("-b --budget", "N", _share, [],
           "tokens, as 400 or 4k, or 50%% of those of compact JSON; may be repeated"),
    Option("--base-url", "URL", str, None, "where a model is, by OpenAI's protocol"),
    Option("--model", "NAME", str, None, "its name there"),
    Option("--option", "NAME=JSON", _option, [],
           "what it is asked for besides: max_tokens=4000; null takes one away: temperature=null"),
    flag("--plan", "tell what would be asked, and end"),
    Option("--keep", "FILE", str, None, "keep replies here, and take them from here"),
    _OUT,
)
DOCTORS: Final = (_JSON,)
COMPLETION: Final = (
    Option("shell", "{bash,zsh,fish}", str, None, "which shell", {"choices": _SHELLS}),
)
STATS: Final = (
    Option("folder", "FOLDER", str, None, "the folder of telemetry", {"nargs": "?"}),
    Option("--days", "N", some, None, "only of the last so many days"),
    _PAGE, _JSON,
)
_QUESTION: Final = (
    Option("--path", "PATH", str, None,
           "the array, such as $.builds, or a part of it; of a text a heading or function"),
    Option("--where", "TEST", str, None, "rows for which this holds: status == 'failed'"),
    Option("--fields", "FIELD", str, None,
           "fields of rows, such as owner.name, or totals: count(), sum(cost)", {"nargs": "+"}),
    Option("--group", "FIELD", str, None, "one row for each value of this, with its count"),
    Option("--sort", "FIELD", str, None, "rows in the order of this; -FIELD for the largest first"),
    Option("--limit", "N", whole, None, "give so many rows, or lines"),
    Option("--offset", "N", whole, None, "leave out so many rows, or lines"),
    Option("--grep", "PATTERN", str, None, "lines, or values, with this pattern"),
    Option("--context", "N", whole, None, "so many lines around each"),
    Option("--lines", "RANGE", str, None, "lines by their numbers, such as 313-349"),
)
"""What may be asked of a result or a file; `mckp.recall.asked.PARAMETERS` has the names."""
_RECALL: Final = (
    Option("session", "SESSION", str, None, "the session_id of the conversation"),
    Option("handle", "HANDLE", str, None, "the number in the label"),
    *_QUESTION,
    _OF_RESULT,
)
RECALL: Final = (
    _FILE,
    *_QUESTION,
    _OF_RESULT._replace(purpose="the most tokens of the answer"),
    _TOKENIZER._replace(purpose="who counts (o200k)"),
)
_SERVERS: Final = (
    Option("--url", "URL", str, None, "a server of streamable HTTP"),
    Option("--header", "NAME: VALUE", _header, [],
           "a header of each request to --url, without a value that of the variable of its name; "
           "may be repeated"),
    Option("--config", "FILE", str, None, "a JSON file of mcpServers"),
)


def results(parser: ArgumentParser) -> list[Action]:
    """Add the options of what a proxy makes of results and lists; return them."""
    from mckp.agents.mcp import CATALOGS, STRUCTURED

    return fill(parser, (
        Option("-b --budget", "[NAME=]N", _limit, [],
               "the most tokens of a result; NAME is a server or server.tool; may be repeated"),
        Option("--turn-budget", "N", tokens, None,
               "the most tokens of all results of a turn, of which each may have 64 in any case"),
        Option("--turn-pause", "SECONDS", some, 30,
               "a turn goes on if a call comes so soon after the last result (default: 30)"),
        Option("--spill", "FOLDER", str, "",
               "write results that are cut whole to files below FOLDER, until the proxy ends"),
        Option("--spill-above", "N", tokens, 32_000,
               "only results of more characters (default: 32k)"),
        _TOKENIZER._replace(purpose="who counts (default: o200k)"),
        # It chose profiles once; files of hosts may still have it, and their servers are to start.
        Option("--model", "NAME", str, None, SUPPRESS),
        Option("--tools", "SHAPE", _shape, "same",
               f"the shape of the list of tools: {', '.join(CATALOGS)} (default: same)",
               {"choices": CATALOGS}),
        Option("--tools-budget", "N", tokens, None, "the most tokens of the list of tools"),
        flag("--no-references", "send repeats again, as if they were new"),
        flag("--no-recall", "add no tool to the list"),
        Option("--recall-name", "NAME", str, "recall",
               "what that tool is called, where a host has several proxies (default: recall)"),
        Option("--structured", "[NAME=]WAY", _of_name, [],
               f"structured content: {', '.join(STRUCTURED)} (default: auto, dropped where the "
               "text repeats it); NAME as above; may be repeated"),
        flag("--fields", "give each tool an argument that says which parts of its result to keep"),
        flag("--shadow", "change nothing, and tell what would have been saved"),
        Option("--timeout", "SECONDS", some, 3600,
               "how long a server may neither answer nor tell progress (default: 3600)"),
        Option("--telemetry", "FOLDER", str, None,
               "write figures for mckp stats, by default to the folder of the configuration",
               {"nargs": "?", "const": ""}),
    ))
# fmt: on


def hook(parser: ArgumentParser) -> None:
    """Add the options of ``mckp hook``."""
    kinds = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    answer = kinds.add_parser("claude-code", help="answer an event from standard input")
    fill(answer, (_TOKENIZER._replace(purpose="who counts (o200k)"), _OF_RESULT))
    recall = kinds.add_parser("recall", help="print what a label of a conversation stands for")
    fill(recall, _RECALL)


def mcp(parser: ArgumentParser) -> None:
    """Add the options of ``mckp mcp``."""
    fill(parser, _SERVERS)
    results(parser)
    flag("--verbose", "log more to standard error").add(parser)


def install(parser: ArgumentParser) -> None:
    """Add the options of ``mckp install``."""
    uninstall(parser)
    Option("--leave", "NAME", str, [], "leave this server alone; may be repeated").add(parser)
    flag("--all", "also servers elsewhere that have no headers").add(parser)
    results(parser)


def uninstall(parser: ArgumentParser) -> None:
    """Add the options of ``mckp uninstall``."""
    from mckp.agents.hosts.places import HOSTS

    parser.add_argument("host", metavar="HOST", choices=tuple(HOSTS), help=", ".join(HOSTS))
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--config", metavar="PATH", help="another file of its servers")
    place.add_argument("--project", action="store_true", help="the files in this folder")
    parser.add_argument("-y", "--yes", action="store_true", help="write without asking")

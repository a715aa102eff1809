"""What may be written behind ``mckp``."""

from __future__ import annotations

import sys
from argparse import (
    PARSER,
    ArgumentParser,
    ArgumentTypeError,
    Namespace,
    RawDescriptionHelpFormatter,
)
from typing import TYPE_CHECKING, Any, Final, NoReturn

from mckp import __version__
from mckp.cli import other_options as others
from mckp.cli.other_options import budget, names, some, whole
from mckp.cli.streams import STANDARD

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    _Fill: TypeAlias = Callable[[ArgumentParser], None]

_CODES: Final = """\
exit codes:
  0    done
  1    the input, a line of it or an option cannot be used
  2    wrong usage
  3    the budget is too small
  130  interrupted
"""
_EXAMPLES: Final = f"""\
examples:
  mckp encode data.json --budget 2000      the most of it that fits 2000 tokens
  curl -s URL | mckp encode --stats        a tool's result, and what it costs
  mckp encode data.json | mckp decode      the same data, or Markdown, again
  mckp view data.json --open               a page: where tokens go, what budgets keep
  mckp compare data.json                   tokens in every format
  mckp inspect notes.md --depth 2          where the tokens are
  mckp batch data.jsonl --budget 500       each line a document, over all processors
  mckp tools tools.json --budget 2000      definitions of tools, in as much detail as fits
  mckp replay session.jsonl                what sessions of agents save
  mckp tune ~/.claude/projects --dry-run   which fields of results are used
  mckp hook claude-code --budget 4000      what Claude Code runs after its tools
  mckp mcp --budget 4000     -- COMMAND    an MCP server, with shorter results
  mckp install cursor --budget 4000        the same for all servers of a host
  mckp stats --html savings.html           what was saved

{_CODES}"""
_ENCODE_EXAMPLES: Final = f"""\
examples:
  mckp encode data.json --budget 2000 -o data.txt
  mckp encode notes.md --budget 800 --tokenizer claude-sonnet-4 --stats
  mckp encode data.json --formats csv,kv --json
  mckp encode data.json --budget 800 --query "failed lint" --priority '**.avatar_url=drop'
  kubectl get pods -o json | mckp encode --budget 4000

{_CODES}"""

_VIEW_EXAMPLES: Final = f"""\
The page needs no network and no server. It shows the document by its tokens, a slider over some
thirty budgets with the text of each, what was cut, and the same in other formats. It begins with
the budget, or else with half of the text.

examples:
  mckp view data.json -o data.html
  mckp view data.json --budget 2000 --open         write it to a new folder, and open a browser
  kubectl get pods -o json | mckp view -o pods.html

{_CODES}"""

_BATCH_EXAMPLES: Final = f"""\
Each line of FILE is a JSON document; blank lines are left out. Of a folder each file below is one,
lines of .jsonl are; .json has to be JSON. For each document comes a line of JSON, in the same
order: what mckp encode --json prints, or {{"error": ..., "line": ...}} if it cannot be encoded,
with "file" in front for those of a folder. The others are encoded all the same, and the exit code
is 1, or 3 if the budget was too small and nothing else was wrong.

With --resume what is done stands in a file beside OUT, which the same command goes on with after it
was ended, by whatever.

examples:
  mckp batch data.jsonl --budget 500 -o data.out.jsonl
  mckp batch pages/ --budget 500 -o pages.jsonl --resume
  zcat data.jsonl.gz | mckp batch --processes 4 | jq -r .text

{_CODES}"""
_TOOLS_EXAMPLES: Final = f"""\
FILE is a JSON list of tool definitions in the shape of MCP (also a whole tools/list result),
Anthropic or OpenAI. Without a budget everything is kept.

examples:
  mckp tools tools.json --budget 2000 --stats
  mckp tools tools.json --budget 2000 --query "close an issue" --recall "tool_help(name)"
  mckp tools tools.json --level typed
  mckp tools tools.json --as pruned                the same tools as JSON, without ballast

{_CODES}"""
_COMPLETION_EXAMPLES: Final = """\
examples:
  mckp completion bash >> ~/.bashrc
  mckp completion zsh >> ~/.zshrc
  mckp completion fish > ~/.config/fish/completions/mckp.fish
"""
_ACCURACY_EXAMPLES: Final = f"""\
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

{_CODES}"""


def parse_arguments(argv: Sequence[str] | None) -> Namespace:
    """Return the options of one command; exits by itself for help and wrong usage."""
    parser = _parser()
    own, server = others.split(sys.argv[1:] if argv is None else argv)
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
    if sys.stdin is not None and sys.stdin.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        parser.error("name a FILE, or - to type on the terminal")
    return STANDARD


def _parser() -> _Parser:
    parser = _Parser(
        "mckp",
        description="The most information within a token budget.",
        epilog=_EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"mckp {__version__}")
    # With a prog of its own no help has to be formatted for it.
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, prog="mckp", parser_class=_Command
    )

    def add(
        name: str, purpose: str, fill: _Fill, epilog: str = _CODES, *, file: bool = True
    ) -> None:
        command = commands.add_parser(
            name,
            help=purpose,
            description=f"{purpose[0].upper()}{purpose[1:]}.",
            epilog=epilog,
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.fill = _after_file(fill) if file else fill
        if not file:
            command.set_defaults(file="")

    add("encode", "write a document in the fewest tokens", _encode, _ENCODE_EXAMPLES)
    add("decode", "read an encoded text back", _decode)
    add("view", "show where tokens go, on a page", _view, _VIEW_EXAMPLES)
    add("compare", "count a document's tokens in every format", _compare)
    add("inspect", "show a document's typed tree and its tokens", _inspect)
    add("batch", "encode many documents, each a line of JSON", _batch, _BATCH_EXAMPLES)
    add("tools", "write a catalog of tools", _tools, _TOOLS_EXAMPLES)
    add("replay", "play a log of tool results", others.replay, others.REPLAY_EXAMPLES, file=False)
    add("tune", "learn what is used from logs", others.tune, others.TUNE_EXAMPLES, file=False)
    add(
        "hook",
        "shorten what tools return to Claude Code",
        others.hook,
        others.HOOK_EXAMPLES,
        file=False,
    )
    add("accuracy", "ask how well each format is read", _accuracy, _ACCURACY_EXAMPLES)
    add("mcp", "stand before MCP servers", others.mcp, others.MCP_EXAMPLES, file=False)
    add(
        "install",
        "put mckp before the MCP servers of a host",
        others.install,
        others.HOST_EXAMPLES,
        file=False,
    )
    add(
        "uninstall",
        "take mckp away from a host again",
        others.uninstall,
        others.HOST_EXAMPLES,
        file=False,
    )
    add(
        "doctor",
        "tell what stands before the MCP servers of hosts",
        others.doctor,
        others.DOCTOR_EXAMPLES,
        file=False,
    )
    add("completion", "complete words in a shell", _completion, _COMPLETION_EXAMPLES, file=False)
    add("stats", "tell what was saved", others.stats, others.STATS_EXAMPLES, file=False)
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

    def commands(self) -> dict[str, _Command]:
        """Return the commands by their names."""
        found: Any = next(each.choices for each in self._actions if each.nargs == PARSER)
        return dict(found)

    def words(self) -> list[str]:
        """Return the options, and what arguments are chosen from."""
        words = ((*each.option_strings, *(each.choices or ())) for each in self._actions)
        return [str(word) for several in words for word in several]


class _Command(_Parser):
    """A command whose options are added when it is the one that was given."""

    fill: _Fill | None = None

    def parse_known_args(self, *args: Any, **kwargs: Any) -> Any:
        """Add the options, and parse."""
        fill, self.fill = self.fill, None
        if fill is not None:
            fill(self)
        found, unknown = super().parse_known_args(*args, **kwargs)
        if unknown:  # said here, where the options are known that may have been meant
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown


def words_of_commands() -> dict[str, list[str]]:
    """Return what may stand behind each command: options, and what arguments are chosen from."""
    found = dict[str, list[str]]()
    for name, command in _parser().commands().items():
        if command.fill is not None:
            command.fill(command)
        found[name] = command.words()
    return found


def _completion(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))


def _after_file(fill: _Fill) -> _Fill:
    """Return what adds the file before other options."""

    def both(parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", metavar="FILE", nargs="?", help="what to read; - is standard input"
        )
        fill(parser)

    return both


def _encode(parser: ArgumentParser) -> None:
    _measure(parser, "print the text and all about it as JSON")
    _choice(parser)
    _wishes(parser)
    parser.add_argument(
        "--primer", action="store_true", help="a line above data tells what its signs mean"
    )
    parser.add_argument("--stats", action="store_true", help="print figures to standard error")
    _output(parser)


def _batch(parser: ArgumentParser) -> None:
    _tokenizer(parser)
    _choice(parser)
    _wishes(parser)
    parser.add_argument(
        "--processes",
        metavar="N",
        type=some,
        help="the most processes to use (default: one for each CPU)",
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with OUT where a run like this was ended"
    )
    _output(parser)


def _tools(parser: ArgumentParser) -> None:
    _tokenizer(parser)
    _json(parser, "print the text and all about it as JSON")
    _budget(parser)
    parser.add_argument("--level", metavar="NAME", help="one level of detail for all tools")
    parser.add_argument("--query", metavar="TEXT", help="a task; tools that fit it matter more")
    parser.add_argument(
        "--pin", metavar="TOOL", action="append", help="a tool to have in full; may be repeated"
    )
    parser.add_argument(
        "--recall", metavar="TEXT", default="", help="how the reader gets what is cut"
    )
    parser.add_argument(
        "--as",
        dest="rendering",
        metavar="NAME",
        help="another format: json, pruned, tscg, ttc, wire, ts",
    )
    _solver(parser)
    parser.add_argument(
        "--stats", action="store_true", help="print tokens per tool to standard error"
    )
    _output(parser)


def _accuracy(parser: ArgumentParser) -> None:
    _tokenizer(parser)
    _json(parser, "print all figures as JSON")
    numbers: list[tuple[str, type | Any, Any, str]] = [
        ("--questions", some, 4, "the most questions of each of five kinds, for one document"),
        ("--seed", whole, 1, "which questions"),
        ("--margin", _positive, 3.0, "the loss that matters, in points"),
        ("--concurrency", some, 4, "questions asked at a time"),
        ("--retries", whole, 5, "how often a question is tried again"),
        ("--timeout", _positive, 120.0, "seconds that one try may take"),
        ("--longest", some, 400, "tokens that an answer may have"),
    ]
    for name, type_, default, purpose in numbers:
        told = f"{purpose} (default: {default:g})"
        parser.add_argument(name, metavar="N", type=type_, default=default, help=told)
    parser.add_argument(
        "--ways",
        metavar="NAMES",
        type=_list,
        default=None,
        help="formats, levels, mixes as kv+csv, and json-pretty, with commas",
    )
    parser.add_argument(
        "-b",
        "--budget",
        metavar="N",
        type=_share,
        action="append",
        default=[],
        help="tokens, as 400 or 4k, or 50%% of those of compact JSON; may be repeated",
    )
    parser.add_argument("--base-url", metavar="URL", help="where a model is, by OpenAI's protocol")
    parser.add_argument("--model", metavar="NAME", help="its name there")
    parser.add_argument(
        "--option",
        metavar="NAME=JSON",
        type=_option,
        action="append",
        default=[],
        help="what it is asked for besides; null takes one away: temperature=null",
    )
    parser.add_argument("--plan", action="store_true", help="tell what would be asked, and end")
    parser.add_argument("--keep", metavar="FILE", help="keep replies here, and take them from here")
    _output(parser)


def _wishes(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--weights",
        metavar="NAMES",
        type=names,
        default="salience",
        help="what counts, with commas: salience, facts, uniform, tokens, position, recency",
    )
    parser.add_argument("--query", metavar="TEXT", help="what the reader asks; counts for more")
    parser.add_argument(
        "--priority",
        metavar="PATTERN=X",
        type=_priority,
        action="append",
        default=[],
        help="what a path is worth: a factor, pin or drop; may be repeated: '**.id=3'",
    )


def _budget(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-b",
        "--budget",
        metavar="N",
        type=budget,
        help="the most tokens the text may have: 4000, 4k, or 50%% of those of compact JSON",
    )


def _solver(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--solver", metavar="NAME", default="auto", help="what chooses the cuts (default: auto)"
    )


def _choice(parser: ArgumentParser) -> None:
    _budget(parser)
    parser.add_argument(
        "--formats",
        metavar="NAMES",
        type=names,
        default="native",
        help="levels and formats with commas, -name takes one away: native,-rows (default: native)",
    )
    _solver(parser)


def _decode(parser: ArgumentParser) -> None:
    _json(parser, "print a text document's tree as JSON, too")
    _output(parser)


def _inspect(parser: ArgumentParser) -> None:
    _measure(parser)
    parser.add_argument(
        "--depth", metavar="N", type=whole, help="show so many levels below the root"
    )


def _view(parser: ArgumentParser) -> None:
    _reading(parser)
    _choice(parser)
    _wishes(parser)
    parser.add_argument("--open", action="store_true", help="look at the page in a browser")
    _output(parser)


def _compare(parser: ArgumentParser) -> None:
    _measure(parser)
    others.page(parser)


def _measure(parser: ArgumentParser, json_help: str = "print JSON") -> None:
    _reading(parser)
    _json(parser, json_help)


def _reading(parser: ArgumentParser) -> None:
    _tokenizer(parser)
    parser.add_argument(
        "--kind",
        choices=("json", "markdown", "text"),
        help="what the input is (default: found out)",
    )


def _tokenizer(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--tokenizer",
        metavar="NAME",
        default="o200k",
        help="who counts: a vocabulary, a profile or a model (default: o200k)",
    )


def _json(parser: ArgumentParser, purpose: str) -> None:
    parser.add_argument("--json", action="store_true", help=purpose)


def _output(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        dest="out",
        metavar="OUT",
        default=STANDARD,
        help="write to this file, whole or not at all",
    )


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


def _list(text: str) -> list[str]:
    found = names(text)
    return [found] if isinstance(found, str) else found

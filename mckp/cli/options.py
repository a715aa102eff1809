"""The commands of ``mckp``, and the parser of their arguments."""

from __future__ import annotations

import os
import sys
from argparse import PARSER, ArgumentParser, HelpFormatter, Namespace, RawDescriptionHelpFormatter
from contextlib import suppress
from functools import partial
from pathlib import Path
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


COMMANDS: Final[dict[str, tuple[str, Fill]]] = {
    "encode": ("encode a document, whole or within a budget", options.ENCODE),
    "decode": ("turn an encoded text back into data", options.DECODE),
    "view": ("make a page that shows how many tokens each part takes", options.VIEW),
    "compare": ("count the tokens of a document in every format", options.COMPARE),
    "inspect": ("print a document as a tree, with the tokens of each node", options.INSPECT),
    "recall": ("select rows or lines of a document, or compute totals", options.RECALL),
    "why": ("explain why a line or a part was kept or cut", options.WHY),
    "pack": ("write files and folders into one text", options.PACK),
    "batch": ("encode many documents", options.BATCH),
    "tools": ("encode a list of tool definitions", options.TOOLS),
    "accuracy": ("measure how well models read each format", options.ACCURACY),
    "replay": ("replay recorded sessions to see what mckp saves and cuts", options.REPLAY),
    "tune": ("learn settings from recorded sessions", options.TUNE),
    "config": ("print the settings for a tool, and where each comes from", options.CONFIG),
    "kinds": ("list kinds of texts, explain what lines are worth, check your own", options.KINDS),
    "hook": ("shorten tool results in an agent", options.add_hook_options),
    "mcp": ("run a proxy in front of MCP servers", options.add_mcp_options),
    "install": ("set up mckp in a host, such as Cursor", options.add_install_options),
    "uninstall": ("remove mckp from a host", options.add_uninstall_options),
    "doctor": ("list the MCP hosts on this machine, and whether they use mckp", options.DOCTORS),
    "completion": ("print a completion script for a shell", options.COMPLETION),
    "tokenizers": ("list the tokenizers, and which of them count exactly", options.TOKENIZERS),
    "stats": ("report the tokens that the proxy and hooks saved", options.STATS),
    "gain": ("report the money that mckp saved, by day", options.GAIN),
    "discover": (
        "report what tools cost in your sessions, and what mckp would save",
        options.DISCOVER,
    ),
}
"""Each command: its purpose, and its options. Its examples are in a file in the folder ``help``."""


def examples_of(command: str) -> str:
    """Return the end of a command's help, with examples; that of ``mckp`` has some of several."""
    return (Path(__file__).parent / "help" / f"{command}.txt").read_text("utf-8")


def parse_arguments(argv: Sequence[str] | None) -> Namespace:
    """Return the options of one command; exit for help and wrong usage."""
    words, server = split_server_command(sys.argv[1:] if argv is None else argv)
    words = _with_descending_sort(words)
    is_command = words[:1] != [] and words[0] in COMMANDS
    # A process runs one command, so the parsers of the others are not made.
    parser = _make_parser(words[:1] if is_command else COMMANDS)
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


def _make_parser(names: Iterable[str]) -> _Parser:
    """Return the parser of the commands `names`."""
    about = "Encode JSON, Markdown and text for a language model, within a token budget."
    parser = _Parser("mckp", description=about, formatter_class=_RawFormatter, allow_abbrev=False)
    parser.examples = "mckp"
    parser.add_argument("--version", action="version", version=f"mckp {__version__}")
    # Without prog, argparse would format the help to get it.
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", prog="mckp")
    for name in names:
        purpose, fill = COMMANDS[name]
        command = commands.add_parser(
            name,
            help=purpose,
            description=f"{purpose[0].upper()}{purpose[1:]}.",
            formatter_class=_RawFormatter,
            allow_abbrev=False,
        )
        command.examples = name
        command.set_defaults(file="")  # for commands without FILE
        command.fill = (
            partial(options.add_options, options=fill) if isinstance(fill, tuple) else fill
        )
    return parser


class _Formatter(HelpFormatter):
    """Formats help for the width of the terminal.

    argparse makes one for each option that it adds. It would import `shutil` to get the width.
    """

    def __init__(self, prog: str, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("width", _columns() - 2)
        super().__init__(prog, *args, **kwargs)


class _RawFormatter(_Formatter, RawDescriptionHelpFormatter):
    """The same, with descriptions and examples unchanged."""


def _columns() -> int:
    """Return the width of the terminal, or what the environment says; 80 if it is unknown."""
    with suppress(ValueError):
        if columns := int(os.environ.get("COLUMNS", "")):
            return columns
    if sys.__stdout__ is not None:
        with suppress(ValueError, OSError):
            return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80
    return 80


class _Parser(ArgumentParser):
    """A parser that suggests the nearest known word for an unknown one."""

    fill: Callable[[ArgumentParser], object] | None = None
    """Adds the options; it is called when they are needed first."""
    examples: str = ""
    """The command whose examples end the help."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("formatter_class", _Formatter)
        super().__init__(*args, **kwargs)

    _words: tuple[str, ...] = ()

    def format_help(self) -> str:
        """Return the help, with the examples and exit codes of the command."""
        if self.examples:
            examples = examples_of(self.examples)
            codes = "" if "exit codes:" in examples else _CODES
            self.epilog = "\n".join(filter(None, (examples, codes)))
        return super().format_help()

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
        self._add_options()
        self._words = tuple(args[0] or ()) if args else ()
        parsed, unknown = super().parse_known_args(*args, **kwargs)
        if unknown:
            takes_one = any(action.dest == "file" for action in self._actions)
            is_file = takes_one and not unknown[0].startswith("-")
            advice = f"; {self.prog} takes one FILE; mckp pack takes several" if is_file else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{advice}")
        return parsed, unknown

    def _add_options(self) -> None:
        """Add the options, unless this was done before."""
        if self.fill is not None:
            fill, self.fill = self.fill, None
            fill(self)

    def commands(self) -> dict[str, _Parser]:
        """Return the parsers of the commands by name."""
        choices: Any = next(action.choices for action in self._actions if action.nargs == PARSER)
        return dict(choices)

    def words(self) -> list[str]:
        """Return the options, and the choices of arguments."""
        self._add_options()
        words = ((*action.option_strings, *(action.choices or ())) for action in self._actions)
        return [str(word) for action_words in words for word in action_words]


def words_of_commands() -> dict[str, list[str]]:
    """Return the words that may follow each command: its options and choices."""
    commands = _make_parser(COMMANDS).commands()
    return {name: parser.words() for name, parser in commands.items()}

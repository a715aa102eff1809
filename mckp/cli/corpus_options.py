"""What may be written behind ``mckp corpus``."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable

NOTES: Final = """\
IN is a file or a folder, here or in an object store (s3://bucket/prefix, gs://...). Lines of .jsonl
are records, and so are rows of .parquet and .csv; any other file is one. OUT is a folder: its
records/*.jsonl have a row for each record, errors/*.jsonl what could not be read or did not fit,
summary.json the sums. After a kill the same command goes on where it was.

examples:
  mckp corpus encode pages.jsonl out --budget 500
  mckp corpus encode s3://bucket/pages out --column payload --runner ray://head:10001
  mckp corpus measure pages.parquet out --formats native,json,csv
  mckp corpus compare pages out --tokenizers o200k,cl100k

exit codes:
  0    done
  1    the input or an option cannot be used, or records were set aside
  2    wrong usage
  130  interrupted
"""

PURPOSES: Final = {
    "encode": "write each record within a budget",
    "measure": "count the tokens of each record in several formats",
    "compare": "add up tokens in several formats, by several tokenizers",
    "fingerprints": "add up the telemetry of many users, by endpoint",
}


def corpus(
    parser: ArgumentParser,
    some: Callable[[str], int],
    choices: dict[str, tuple[Callable[[ArgumentParser], None], ...]],
    names: Callable[[str], str | list[str]],
) -> None:
    """Add the actions of ``mckp corpus``, each with its own options.

    Parameters
    ----------
    parser : ArgumentParser
        Of the command.
    some, names : callable
        Read a whole number of 1 or more, and names with commas.
    choices : dict
        By action what adds those options that it shares with other commands.
    """
    actions: Any = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, purpose in PURPOSES.items():
        action: ArgumentParser = actions.add_parser(
            name,
            help=purpose,
            description=f"{purpose[0].upper()}{purpose[1:]}.",
            epilog=NOTES,
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        action.add_argument("file", metavar="IN", help="the corpus")
        action.add_argument("target", metavar="OUT", help="a folder, new or of an earlier run")
        for add in choices.get(name, ()):
            add(action)
        if name in ("measure", "compare"):
            action.add_argument(
                "--formats", metavar="NAMES", type=names, help="levels and formats (default: all)"
            )
        if name == "compare":
            action.add_argument(
                "--tokenizers", metavar="NAMES", type=names, default=["o200k", "cl100k"]
            )
        if name != "fingerprints":
            action.add_argument("--column", metavar="NAME", help="what holds the document")
        _how(action, some)


def _how(parser: ArgumentParser, some: Callable[[str], int]) -> None:
    parser.add_argument(
        "--partitions", metavar="N", type=some, help="parts done at a time (default: one a CPU)"
    )
    parser.add_argument(
        "--runner", metavar="NAME", default="native", help="native, ray or ray://HOST:PORT"
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")

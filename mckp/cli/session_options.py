"""What may be written behind ``mckp replay`` and ``mckp tune``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable

CONFIG: Final = ".mckp/pipeline_config.toml"
"""The configuration that is tuned if none is named."""

REPLAY_EXAMPLES: Final = """\
LOG has a line of JSON an action: {"do":"result","tool":...,"args":...,"text":...}, with "file" and
"agent" where there are any; {"do":"edit","file":...}; {"do":"compact"}; {"do":"end"}. Without a
LOG, sessions of a profile are made up: file_search_heavy, pipeline_monitor, marathon_refactor or
mixed. All that is delivered is read back.

examples:
  mckp replay session.jsonl --config tuned.toml
  mckp replay --profile pipeline_monitor --seed 7 --events 500

exit codes:
  0    done
  1    the log or an option cannot be used, or something could not be read back
  2    wrong usage
  130  interrupted
"""
TUNE_EXAMPLES: Final = """\
examples:
  mckp tune from-claude-logs --dry-run     what ~/.claude/projects says; nothing is written
  mckp tune analyze session.jsonl          a log, as mckp replay reads it
  mckp tune analyze ~/.config/mckp/telemetry      events, in which near repeats are not seen
  mckp tune show                           the configuration, and what it means

Each proposal is replayed on what was recorded. What would cost tokens is flagged and left out.

exit codes:
  0    done
  1    the logs or an option cannot be used, or the configuration would be worse
  2    wrong usage
  130  interrupted
"""


def replay(parser: ArgumentParser, whole: Callable[[str], int]) -> None:
    """Add the options of ``mckp replay``."""
    parser.add_argument("log", metavar="LOG", nargs="?", help="the log to play")
    parser.add_argument("--profile", metavar="NAME", help="make up sessions of this kind instead")
    parser.add_argument("--seed", metavar="N", type=whole, default=1, help="which ones (1)")
    parser.add_argument(
        "--events", metavar="N", type=whole, default=500, help="how many responses (500)"
    )
    parser.add_argument("--config", metavar="FILE", help="the configuration (default: none)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(file="")


def tune(parser: ArgumentParser, some: Callable[[str], int]) -> None:
    """Add the options of ``mckp tune``."""
    parser.add_argument("what", choices=("analyze", "from-claude-logs", "show"))
    parser.add_argument(
        "log", metavar="LOG", nargs="?", help="a log, or a folder other than ~/.claude/projects"
    )
    parser.add_argument("--config", metavar="FILE", default=CONFIG, help=f"({CONFIG})")
    parser.add_argument("--project", metavar="TEXT", help="only sessions whose path has this in it")
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    parser.add_argument(
        "--exact", action="store_true", help="replay texts for each proposal: slow (analyze)"
    )
    parser.add_argument(
        "--keep-texts", metavar="FILE", help="also write the log with all texts (from-claude-logs)"
    )
    parser.add_argument(
        "--processes", metavar="N", type=some, help="the most to use (from-claude-logs; one a CPU)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(file="")

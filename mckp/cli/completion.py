"""``mckp completion``: completion scripts for shells, made from the options themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mckp.cli import streams
from mckp.cli.options import words_of_commands

if TYPE_CHECKING:
    from argparse import Namespace

_BASH: Final = """\
_mckp() {{
    local words cur=${{COMP_WORDS[COMP_CWORD]}}
    [ "$COMP_CWORD" -gt 1 ] || {{ COMPREPLY=($(compgen -W "{commands}" -- "$cur")); return; }}
    case ${{COMP_WORDS[1]}} in
{cases}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _mckp mckp
"""


def write(arguments: Namespace) -> None:
    """Write a script for the shell to run when it starts."""
    words = words_of_commands()
    if arguments.shell == "fish":
        condition = "__fish_seen_subcommand_from"
        lines = [f"complete -c mckp -n __fish_use_subcommand -a '{' '.join(words)}'"]
        lines += [
            f"complete -c mckp -n '{condition} {command}' -a '{' '.join(words[command])}'"
            for command in words
        ]
        text = "\n".join(lines) + "\n"
    else:
        cases = "\n".join(f'    {name}) words="{" ".join(words[name])}" ;;' for name in words)
        text = _BASH.format(commands=" ".join(words), cases=cases)
    if arguments.shell == "zsh":
        text = f"autoload -U compinit bashcompinit && compinit && bashcompinit\n{text}"
    streams.write(text, streams.STANDARD)

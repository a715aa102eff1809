"""The command ``mckp view``: a page that shows where tokens go, and what budgets keep."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from mckp.cli import streams
from mckp.cli.commands import encoded, tell_of
from mckp.errors import BudgetError, MckpError

if TYPE_CHECKING:
    from argparse import Namespace


def write(arguments: Namespace) -> None:
    """Write the page of a document, and open it if that is wanted."""
    out = arguments.out
    if out == streams.STANDARD and arguments.open:
        out = str(Path(mkdtemp(prefix="mckp-")) / "view.html")
    elif out == streams.STANDARD and streams.is_terminal(sys.stdout):
        raise MckpError("a page is not for a terminal; name a file with -o, or look with --open")
    with streams.bar("encoding") as report:
        result = encoded(arguments)
        if arguments.budget is None:  # the page begins halfway
            with suppress(BudgetError):
                result = result.at(result.tokens // 2)
        page = result.view(title=streams.title(arguments.file), progress=report)
    streams.write(page.html, out)
    tell_of(result, arguments.tokenizer)
    if arguments.open:
        import webbrowser  # takes a while to import

        address = Path(out).resolve().as_uri()
        if not webbrowser.open(address):
            raise MckpError(f"no browser was found; open {address} in one")

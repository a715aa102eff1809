"""The functions of the commands that read one document."""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mckp
from mckp.cli import streams
from mckp.jsontext import dump

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

    from mckp.plain import JsonValue
    from mckp.result import Result


def encode(arguments: Namespace) -> None:
    """Write the encoded text, or with ``--json``, the whole result."""
    with streams.clock("encoding"):
        result = encoded(arguments, primer=arguments.primer)
    text = dump(result.to_dict()) + "\n" if arguments.json else result.text
    streams.write(text, arguments.out)
    print_warnings(result, arguments.tokenizer)
    if arguments.stats:
        sys.stderr.write(result.summary() + "\n")
        if (whole := result.whole_as()) is not None:
            note = f"{whole.tokens} tokens, with nothing cut, if you pass --formats dense"
            sys.stderr.write(f"{'whole':10} {note}\n")


def encoded(arguments: Namespace, *, primer: bool = False) -> Result:
    """Encode a command's file with its options."""
    raw, options = streams.document(arguments.file), options_of(arguments)
    with warnings.catch_warnings():  # `print_warnings` prints a line of its own
        warnings.simplefilter("ignore", mckp.UnmatchedWarning)
        return mckp.encode(raw, kind=arguments.kind, primer=primer, **options)


def options_of(arguments: Namespace) -> dict[str, Any]:
    """Return the options that `mckp.encode` and `mckp.encode_many` share.

    `max_loss`, which only `mckp.encode` has, is among them if the command has it.
    """
    names: tuple[str, ...]
    names = ("budget", "tokenizer", "formats", "weights", "query", "solver", "work_limit")
    names = (*names, "max_loss") if "max_loss" in arguments else names
    return {name: getattr(arguments, name) for name in names} | {"priorities": arguments.priority}


def print_warnings(result: Result, tokenizer: str) -> None:
    """Warn on standard error of estimated tokens, unmatched priorities and unclean text."""
    streams.note_estimate(tokenizer)
    for pattern in result.unmatched:
        shown = streams.printable(pattern)
        sys.stderr.write(f"mckp: warning: the priority {shown} matches nothing in the document\n")
    print_notes(result.notes)


def print_notes(notes: Iterable[str]) -> None:
    """Print the notes on a document, such as one on invalid bytes, on standard error."""
    for note in notes:
        sys.stderr.write(f"mckp: note: {streams.printable(note)}\n")


def explain(arguments: Namespace) -> None:
    """Print why a line, or the part at a path, was kept or cut."""
    with streams.clock("encoding"):
        result = encoded(arguments)
        place: str = arguments.place
        is_line = place.isascii() and place.isdigit()
        reason = result.why(line=int(place)) if is_line else result.why(place)
    streams.write(f"{dump(reason.to_dict()) if arguments.json else reason}\n", streams.STANDARD)
    print_warnings(result, arguments.tokenizer)


def view(arguments: Namespace) -> None:
    """Write the HTML page of a document; with ``--open``, show it in a browser."""
    out = arguments.out
    if out == streams.STANDARD and arguments.open:
        from tempfile import mkdtemp

        out = str(Path(mkdtemp(prefix="mckp-")) / "view.html")
    elif out == streams.STANDARD and streams.is_terminal(sys.stdout):
        raise mckp.MckpError(
            "a page cannot be shown in a terminal; write it with -o FILE, or open it with --open"
        )
    with streams.bar("encoding") as report:
        result = encoded(arguments)
        if arguments.budget is None:  # the page begins halfway
            with suppress(mckp.BudgetError):
                result = result.at(result.tokens // 2)
        page = result.view(title=streams.title(arguments.file), progress=report)
    streams.write(page.html, out)
    print_warnings(result, arguments.tokenizer)
    if arguments.open:
        import webbrowser  # takes a while to import

        address = Path(out).resolve().as_uri()
        if not webbrowser.open(address):
            raise mckp.MckpError(f"no browser was found; open {address} yourself")


def decode(arguments: Namespace) -> None:
    """Write the data of an encoded text as JSON, or its document as Markdown."""
    from mckp.cli import outline

    decoded = mckp.decode(streams.document(arguments.file))
    if decoded is mckp.ABSENT:
        raise mckp.MckpError(
            "the text keeps nothing of the document, so there is no value to print"
        )
    if not isinstance(decoded, mckp.TreeNode):
        text = dump(decoded)
    elif arguments.json:
        text = dump(outline.plain_tree(decoded))
    elif (source := outline.source_of(decoded)) is not None:
        text = source
    else:
        raise mckp.MckpError(
            "this tree cannot be written as Markdown; pass --json to print the tree"
        )
    streams.write(text + "\n", arguments.out)


def compare(arguments: Namespace) -> None:
    """Write tokens, ratio and loss of every format; several tokenizers are side by side."""
    from mckp.answers.comparison import DENSE_ONLY, side_by_side  # only this command needs it

    names = arguments.tokenizer.split(",")
    if arguments.html is not None and len(names) > 1:
        raise mckp.MckpError("a page shows one tokenizer; name only one, or leave out --html")
    for name in names:
        streams.note_estimate(name)
    raw = streams.document(arguments.file)
    with streams.clock("comparing"):
        tree = mckp.parse(raw, arguments.kind)
        comparisons = [mckp.compare(tree, tokenizer=name) for name in names]
    first = comparisons[0]
    print_notes(tree.notes)
    if arguments.html is not None:
        streams.write(first.to_html(streams.title(arguments.file)), arguments.html)
    if arguments.json:
        plain = [comparison.to_dict() for comparison in comparisons]
        streams.write(dump(plain if len(plain) > 1 else plain[0]) + "\n", streams.STANDARD)
    elif len(comparisons) > 1:
        streams.write(side_by_side(comparisons) + "\n", streams.STANDARD)
    elif arguments.html is None:
        text = first.to_text().replace(DENSE_ONLY, "needs --formats dense")
        streams.write(f"{text}\n", streams.STANDARD)


def inspect(arguments: Namespace) -> None:
    """Write one line for each node: its tokens, place and kind."""
    from mckp.cli import outline

    streams.note_estimate(arguments.tokenizer)
    raw = streams.document(arguments.file)
    with streams.clock("measuring"):
        tree = mckp.parse(raw, arguments.kind)
        survey = outline.survey(tree, arguments.tokenizer, arguments.depth)
    print_notes(tree.notes)
    text = dump(survey.to_dict()) if arguments.json else survey.to_text()
    streams.write(text + "\n", streams.STANDARD)


def recall(arguments: Namespace) -> None:
    """Write the answer to a question about a document."""
    from mckp.agents.session.recall import answer_of, shell_options

    raw = streams.document(arguments.file)
    try:
        answer = answer_of(
            raw, question_parameters(arguments), arguments.budget, arguments.tokenizer
        )
    except mckp.RecallError as error:
        call = f"mckp recall {streams.shown_name(arguments.file)} {shell_options(error.call or {})}"
        raise mckp.RecallError(f"{error}; try {call}", error.parameter) from None
    streams.write(f"{answer}\n", streams.STANDARD)


def question_parameters(arguments: Namespace) -> dict[str, JsonValue]:
    """Return the options of ``mckp recall`` that were given, as parameters of a question."""
    from mckp.recall.question import PARAMETERS

    values = {name: getattr(arguments, name) for name in PARAMETERS}
    return {name: value for name, value in values.items() if value is not None}

"""Run whole jq programs over a document in a separate process: the extra ``jq``."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mckp.errors import MissingExtraError, RecallError
from mckp.jsontext import dump, load
from mckp.recall.query import DataAnswer

if TYPE_CHECKING:
    from mckp.plain import JsonValue
    from mckp.recall.question import RecallQuestion

SECONDS: Final = 5.0
"""Time that a program has, with the start of its process."""
MOST_CHARACTERS: Final = 1 << 20
"""Characters of values that are taken from a program; the rest is not run."""
MOST_MEMORY: Final = 2 << 30
"""Bytes that its process may have, where the system limits them."""

_CHILD: Final = Path(__file__).with_name("jq_process.py")
_SYSTEM: Final = ("SYSTEMROOT",)
"""Variables of the environment without which Windows starts no process."""


def run_program(document: JsonValue, question: RecallQuestion) -> DataAnswer:
    """Return the values that a jq program yields for a document.

    The program sees no environment, no files and no modules. It is limited to
    `SECONDS` and `MOST_CHARACTERS`. Integers keep all digits unless the program computes with them.

    Raises
    ------
    MissingExtraError
        If the package ``jq`` is not installed.
    RecallError
        If the program is not understood, fails or takes too long.
    """
    if find_spec("jq") is None:
        raise MissingExtraError("jq", "jq")
    lines = _output_lines(question.jq, document)
    is_cut = bool(lines) and lines[-1] != _END
    values = [load(line) for line in lines if line != _END]
    part = values[
        question.offset : None if question.limit is None else question.offset + question.limit
    ]
    if not values:
        return DataAnswer([], is_rows=True, note="the program gives nothing")
    if len(values) == 1 and not is_cut:
        return DataAnswer(values[0])
    note = f"these are the values of the first {MOST_CHARACTERS} characters" if is_cut else ""
    return DataAnswer(part, is_rows=True, first=question.offset, total=len(values), note=note)


_END: Final = "end"


def _output_lines(program: str, document: Any) -> list[str]:
    """Return the lines that the process writes: a value each, then `_END` if none is missing."""
    program_input = f"{dump([program, SECONDS, MOST_CHARACTERS, MOST_MEMORY])}\n{dump(document)}"
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(_CHILD)],
            input=program_input.encode("utf-8", "surrogatepass"),
            capture_output=True,
            timeout=SECONDS,
            env={name: os.environ[name] for name in _SYSTEM if name in os.environ},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RecallError(f"jq: the program took over {SECONDS:.0f} s", "jq") from None
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip()
        reason = (
            message.removeprefix("jq: ").partition("\njq: ")[0] if message else "it was stopped"
        )
        raise RecallError(f"jq: {reason[:400]}", "jq", call={"jq": "keys"})
    return done.stdout.decode("utf-8", "surrogatepass").split("\n")[:-1]

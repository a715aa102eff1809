"""What agents read besides data: logs, test runs, searches, files, diffs, pages.

`outline` returns the lines of a text in groups, with the worth of each line. `register` adds kinds
of texts with rules of their own.
"""

from mckp.texts.kinds import Piece as Piece
from mckp.texts.kinds import TextKind as TextKind
from mckp.texts.kinds import is_output as is_output
from mckp.texts.kinds import kind_of as kind_of
from mckp.texts.kinds import pieces_of as pieces_of
from mckp.texts.outline import Outline as Outline
from mckp.texts.outline import outline as outline
from mckp.texts.own import register as register
from mckp.texts.own import registered as registered
from mckp.texts.own import unregister as unregister
from mckp.texts.plain import CleanText as CleanText
from mckp.texts.plain import plain as plain

__all__ = (
    "CleanText",
    "Outline",
    "Piece",
    "TextKind",
    "kind_of",
    "outline",
    "pieces_of",
    "plain",
    "register",
    "registered",
    "unregister",
)

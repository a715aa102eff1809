"""What agents read besides data: logs, test runs, searches, files, diffs, pages.

`outline` returns the lines of a text in groups, each with what it is worth.
"""

from mckp.texts.outline import Outline as Outline
from mckp.texts.outline import outline as outline

__all__ = ("Outline", "outline")

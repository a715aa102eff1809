"""The last step: a finished text is counted and read back, or it is not handed out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mckp.errors import VerifyError
from mckp.jsontext import canonical, difference
from mckp.reading import decode
from mckp.render import kept_content
from mckp.tree import TreeNode

if TYPE_CHECKING:
    from mckp.render import Pick


def verify(text: str, pick: Pick, tokens: int, budget: int | None) -> None:
    """Check that a text is within its budget and says what was chosen.

    Parameters
    ----------
    text : str
        The finished text.
    pick : Pick
        What it was made from.
    tokens : int
        Its tokens, counted whole.
    budget : int or None
        The most it may have.

    Raises
    ------
    VerifyError
        If a promise is broken. It is never repaired here: the defect is upstream.
    """
    if budget is not None and tokens > budget:
        raise VerifyError(f"{tokens} tokens exceed the budget of {budget}")
    found, wanted = decode(text), kept_content(pick)
    if (path := _difference(wanted, found)) is not None:
        raise VerifyError("the text does not read back as what was kept", path=path)


def _difference(wanted: Any, found: Any) -> str | None:
    if isinstance(wanted, TreeNode) or isinstance(found, TreeNode):
        return None if wanted == found else "$"
    if wanted is found or canonical(wanted) == canonical(found):
        return None
    return difference(wanted, found)

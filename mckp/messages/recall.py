"""Giving a model back what was cut or referred to, within the budget of any result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.errors import MckpError
from mckp.jsontext import dump, is_array

if TYPE_CHECKING:
    from mckp.messages.transcript import Rules
    from mckp.session import Session

ABOUT: Final = (
    "Give back a tool result, or a part of one, that was shortened or only referred to. "
    "`number` is the one in its label or reference, as in [#3]; `path` is a place in its data, "
    "such as $.jobs[3]; `skip` leaves out so many items, or lines of a text, at the beginning."
)
"""What models are told about the tool."""


def recalled(
    session: Session, rules: Rules, number: int | str, path: str = "", skip: int = 0
) -> str:
    """Return what a label or reference stands for; errors are for the model to read."""
    try:
        text = _after(_content(session, str(number).strip(" []"), path, skip), skip)
    except MckpError as error:
        return f"error: {error}"
    return rules.alone(text) if text else "nothing follows"


def _content(session: Session, number: str, path: str, skip: int) -> Any:
    """Return data where a part of it is asked for, and else the text as it came."""
    text = session.recall(number)
    found = session.recall(number, path or "$") if path or skip > 0 else None
    return text if found is None and not path else found


def _after(content: Any, skip: int) -> str:
    """Return a content without its beginning, as text."""
    skip = max(0, skip)
    if is_array(content):
        return dump(content[skip:]) if skip < max(1, len(content)) else ""
    if isinstance(content, str):
        return "".join(content.splitlines(keepends=True)[skip:])
    return dump(content)

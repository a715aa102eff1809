"""The actions in an agent's log, and the parsing of its lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import orjson

from mckp.agents.session.scopes import MAIN
from mckp.errors import ParseError
from mckp.jsontext import dump, is_array, is_object
from mckp.parsers import decode_bytes

if TYPE_CHECKING:
    from mckp.plain import JsonValue


@dataclass(frozen=True, slots=True)
class Response:
    """A tool's result, as the agent would read it without mckp."""

    tool: str
    args: str
    """The arguments of the call as text, such as JSON; equal for equal arguments."""
    text: str
    file: str | None = None
    """The file that the call reads, if any."""
    agent: str = MAIN


@dataclass(frozen=True, slots=True)
class Edit:
    """A file was changed, so what was read from it before is outdated."""

    file: str
    agent: str = MAIN


@dataclass(frozen=True, slots=True)
class Compact:
    """An agent's context was summarised, so what was delivered before is no longer there."""

    agent: str = MAIN


@dataclass(frozen=True, slots=True)
class End:
    """The end of a session; what follows belongs to another session."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A result that was recorded only in a form shortened by our hook or its host."""

    tool: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request to the model with the agent's whole context."""

    agent: str = MAIN
    model: str = ""


Action: TypeAlias = Response | Edit | Compact | End | LeftOut | ModelRequest


def record_of(line: str | bytes) -> dict[str, JsonValue]:
    """Return the JSON object in a line; raise `ParseError` if there is none."""
    try:
        record = orjson.loads(decode_bytes(line))
    except orjson.JSONDecodeError as error:
        raise ParseError(f"not JSON: {error.msg}", column=error.colno) from None
    if not is_object(record):
        raise ParseError("each line of a log must be a JSON object")
    return record


def args_text(args: object) -> str:
    """Return a call's arguments as JSON, or empty if that is impossible; a text is unchanged."""
    try:
        return args if isinstance(args, str) else dump(args)
    except (TypeError, RecursionError):  # JSON that is nested too deeply to be written
        return ""


def text_of(content: object) -> str:
    """Return the texts of a result as one, without images and the like; empty if it has none."""
    if isinstance(content, str):
        return content
    blocks = [block for block in content if is_object(block)] if is_array(content) else []
    return "\n".join(block["text"] for block in blocks if isinstance(block.get("text"), str))

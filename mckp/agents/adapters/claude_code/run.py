"""The hook as a process: it reads an event and writes an answer, which is ``{}`` if anything fails.

Most results are short, so modules that only long ones need are imported late.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from mckp.agents.adapters.claude_code.brief import MOST, is_brief
from mckp.agents.adapters.claude_code.memory import note, opened, purge, seen
from mckp.errors import DataError, MckpError
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.agents.session import SessionSettings
    from mckp.api import TokenizerLike

MAX_BYTES: Final = MOST
"""Most bytes of results in the memory of a conversation: each hook reads and writes them."""


def respond(raw: bytes, *, budget: int | None = None, tokenizer: TokenizerLike = "o200k") -> bytes:
    """Return the answer to an event as JSON; ``{}`` if anything fails, which is logged."""
    try:
        return _answered(raw, budget, tokenizer)
    except Exception as error:
        import logging

        # The log gets a traceback of our own defects, and a line of wrong events or settings.
        is_ours = not isinstance(error, MckpError | ValueError | OSError)
        told = "the result stays as it is: %s"
        logging.getLogger(__name__).warning(told, error, exc_info=is_ours)
        return b"{}"


def _answered(raw: bytes, budget: int | None, tokenizer: TokenizerLike) -> bytes:
    event: Any = orjson.loads(raw)
    if not is_object(event) or not isinstance(event.get("session_id"), str):
        raise DataError("an event is an object with a session_id", path="$")
    if event.get("hook_event_name") == "SessionEnd":
        purge()
        return b"{}"
    if is_brief(event, budget, tokenizer) and note(event["session_id"], event):
        return b"{}"
    from mckp.agents.adapters.claude_code.answering import answer

    settings = _settings(event, budget, tokenizer)
    transcript = event.get("transcript_path")
    with opened(event["session_id"], transcript if isinstance(transcript, str) else "") as memory:
        said = answer(event, memory, settings, tokenizer)
    return orjson.dumps(said)


def recalled_in(conversation: str, asked: Mapping[str, Any], *, budget: int | None = None) -> str:
    """Return the answer to a recall in a conversation, or what is wrong with it."""
    from mckp.agents.adapters.claude_code.answering import restored
    from mckp.agents.messages.transcripts import Rules, recalled
    from mckp.agents.session import SessionSettings

    rules = Rules.of(settings=SessionSettings(max_bytes=MAX_BYTES), budget=budget)
    session = restored(seen(conversation), rules.settings, rules.tokenizer)
    return recalled(session, rules, asked)


def _settings(
    event: dict[str, Any], budget: int | None, tokenizer: TokenizerLike
) -> SessionSettings:
    """Return the settings that the user's and the project's configuration ask for."""
    from dataclasses import replace

    from mckp.agents.config import layered, settings_for
    from mckp.agents.messages.transcripts import Rules
    from mckp.agents.places import config_files

    project = event.get("cwd")
    files = config_files(Path(project) if isinstance(project, str) else None)
    found = settings_for(layered(files), budget=budget)
    settings = Rules.of(settings=found, budget=budget, tokenizer=tokenizer).settings
    return replace(settings, labels_raw=False, max_bytes=min(settings.max_bytes, MAX_BYTES))

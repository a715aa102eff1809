"""The hook as a process: it reads an event and writes an answer, which is ``{}`` if anything fails.

Most results are short, so modules that only long ones need are imported on demand.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.agents.adapters.claude_code.brief import (
    is_from_cursor,
    needs_no_answer,
    placed_texts,
    replacement,
    with_text,
)
from mckp.agents.limits import WORK_SECONDS
from mckp.agents.places import config_files
from mckp.errors import DataError, MckpError, ParseError
from mckp.plain import is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.agents.messages.transcripts import Rules
    from mckp.api import TokenizerLike

MAX_BYTES: Final = 1 << 22
"""The most bytes of results in the memory of a conversation: each hook reads and writes them."""


class HookOptions(NamedTuple):
    """Options of the caller of the hook; the configuration decides those that are None."""

    budget: int | None = None
    tokenizer: TokenizerLike | None = None
    host_limit: int | None = None
    """The most tokens of a text that the host shows whole."""
    reserved: int = 0
    """Tokens of each budget reserved for what the caller adds, but at most half of the budget."""

    def room(self, budget: int | None) -> int | None:
        """Return the most tokens of a text within a budget, or None without a budget.

        It is the budget or, if that is less, `host_limit`. What is `reserved` is subtracted, but no
        more than half.
        """
        if budget is None:
            return None
        room = budget if self.host_limit is None else min(budget, self.host_limit)
        return max(room // 2, room - self.reserved)


def respond(
    raw: bytes,
    *,
    budget: int | None = None,
    tokenizer: TokenizerLike | None = None,
    host_limit: int | None = None,
    reserved: int = 0,
) -> bytes:
    """Return the answer to an event as JSON; ``{}`` changes nothing.

    Without a tokenizer or budget, that of the configuration is used. `host_limit` is the most
    tokens of a text that the host shows whole, and `reserved` the most that the caller adds to it.

    If anything fails, this is logged. The answer then has the beginning and end of the result
    within the budget, or is ``{}`` if there is no budget or no result.
    """
    event: Any = None
    options = HookOptions(budget, tokenizer, host_limit, reserved)
    try:
        if needs_no_answer(raw, options.room(budget), tokenizer):
            return b"{}"
        event = _parse_event(raw)
        if is_from_cursor(event):
            return b"{}"
        return _answer_event(event, options)
    except Exception as error:
        import logging

        import orjson

        # The log gets a traceback for our own defects, and one line for wrong events or settings.
        is_ours = not isinstance(error, MckpError | ValueError | OSError)
        cut_answer = _cut_plainly(event, options)
        outcome = "is cut without being parsed" if cut_answer else "stays unchanged"
        logging.getLogger(__name__).warning("the result %s: %s", outcome, error, exc_info=is_ours)
        return orjson.dumps(cut_answer)


def _parse_event(raw: bytes) -> Any:
    """Parse an event; replace what is not UTF-8, and raise a `ParseError` for what is not JSON."""
    import orjson

    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        import json

        from mckp.parsers.repair import repair_data, text_of

        # Where a text was cut, Node writes half of a surrogate pair as an escape.
        try:
            return repair_data(json.loads(text_of(raw)[0]))
        except json.JSONDecodeError as error:
            raise ParseError(
                f"expected an event as JSON: {error.msg}", line=error.lineno, column=error.colno
            ) from None


def _cut_plainly(event: Any, options: HookOptions) -> dict[str, Any]:
    """Return the answer that cuts a result's texts unparsed; it is empty if none is cut."""
    from contextlib import suppress

    from mckp import tokenizers
    from mckp.agents.config.collect import DEFAULT_TOKENIZER
    from mckp.agents.session.excerpts import plain_cut

    if not is_object(event) or event.get("hook_event_name") != "PostToolUse":
        return {}
    tool, budget, tokenizer = str(event.get("tool_name", "")), options.budget, options.tokenizer
    with suppress(Exception):  # errors in a configuration are already logged
        rules = rules_in_force(event, options)
        budget, tokenizer = rules.settings.of(tool).limit, rules.tokenizer
    budget = options.room(budget)
    changed = response = event.get("tool_response")
    texts = placed_texts(tool, response)

    def count(text: str) -> int:
        """Return the tokens of a text; raise an error here, not earlier, if that is impossible."""
        return tokenizers.get(DEFAULT_TOKENIZER if tokenizer is None else tokenizer).count(text)

    for path, text in texts if budget is not None else ():
        changed = with_text(changed, path, plain_cut(text, (budget or 0) // len(texts), count))
    return {} if changed == response else replacement(changed)


def _answer_event(event: Any, options: HookOptions) -> bytes:
    """Return the answer to a parsed event as JSON; raise a `DataError` for a malformed one."""
    if not is_object(event) or not isinstance(event.get("session_id"), str):
        raise DataError("expected an event: an object with a session_id", path="$")
    if event.get("hook_event_name") == "SessionEnd":
        from mckp.agents.adapters.claude_code.notes import forget_prompt, purge

        forget_prompt(event["session_id"])
        purge()
        return b"{}"
    if event.get("hook_event_name") == "UserPromptSubmit":
        _keep_request(event)
        return b"{}"
    import orjson

    from mckp.agents.adapters.claude_code.answering import answer
    from mckp.agents.adapters.claude_code.memory import open_memory
    from mckp.work import run_limited

    transcript = event.get("transcript_path")
    with open_memory(
        event["session_id"], transcript if isinstance(transcript, str) else ""
    ) as memory:
        rules = rules_in_force(event, options, memory.habits)
        response = run_limited(
            lambda: answer(event, memory, rules.settings, rules.tokenizer, options.room),
            WORK_SECONDS,
        )
    return orjson.dumps(response)


def _keep_request(event: dict[str, Any]) -> None:
    """Store the user's message for the results that follow, unless the configuration forbids it."""
    from mckp.agents.adapters.claude_code.notes import keep_prompt

    prompt, project = event.get("prompt"), event.get("cwd")
    files = config_files(Path(project) if isinstance(project, str) else None)
    is_configured = any(file.exists() for file in files)
    if isinstance(prompt, str) and (
        not is_configured or rules_in_force(event, HookOptions()).settings.heeds_request
    ):
        keep_prompt(event["session_id"], prompt)


def recall_in_conversation(
    conversation: str, asked: Mapping[str, Any], *, budget: int | None = None
) -> str:
    """Return the answer to a recall in a conversation; `asked` are the arguments of the recall.

    Raises
    ------
    MckpError
        If there is no such result, or the question is not understood; if a command that works
        is known, the message has it.
    """
    from shlex import quote

    from mckp.agents.adapters.claude_code.answering import COMMAND, restore_session
    from mckp.agents.adapters.claude_code.memory import read_memory
    from mckp.agents.config.checks import cut_middle
    from mckp.agents.messages.transcripts import Rules
    from mckp.agents.session import SessionSettings
    from mckp.agents.session.recall import number_of, reply, shell_options
    from mckp.errors import MckpError, RecallError

    rules = Rules.from_options(settings=SessionSettings(max_bytes=MAX_BYTES), budget=budget)
    session = restore_session(read_memory(conversation), rules.settings, rules.tokenizer)
    try:
        return reply(session, asked, rules.settings.answer_budget)
    except RecallError as error:
        if error.call is None:
            raise
        options = {"handle": asked["handle"], **error.call}
        place = f"{quote(conversation)} {number_of(options.pop('handle'))}"
        call = f"{COMMAND} {place} {shell_options(options)}".rstrip()
        raise RecallError(f"{error}; try {call}", error.parameter) from None
    except (MckpError, ValueError) as error:
        raise MckpError(cut_middle(error)) from None  # names in the data may make it long


def rules_in_force(
    event: dict[str, Any], options: HookOptions, habits: Mapping[str, float] | None = None
) -> Rules:
    """Return the rules that the user's and the project's configuration give for an event.

    Options override the configuration. Unless a file names the kind of agent, it follows from the
    habits of the session.
    """
    from mckp.agents.config import Habits, SessionSettings, effective, layered
    from mckp.agents.messages.transcripts import Rules

    project = event.get("cwd")
    files = config_files(Path(project) if isinstance(project, str) else None)
    named_tokenizer = options.tokenizer if isinstance(options.tokenizer, str) else None
    configured = effective(
        layered(files), tokenizer=named_tokenizer, habits=Habits(**habits) if habits else None
    )
    tokenizer = configured.tokenizer if options.tokenizer is None else options.tokenizer
    settings = SessionSettings(
        rules=configured.settings.rules,
        budget=options.budget,
        labels_raw=False,
        refers_again=False,  # Claude Code removes old results without telling hooks
        short_names=False,  # no hook here puts ids back into calls
        max_bytes=min(configured.settings.max_bytes, MAX_BYTES),
    )
    return Rules.from_options(settings=settings, tokenizer=tokenizer)

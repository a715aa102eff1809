"""A session: takes the tool results of a conversation; repeats become references."""

from __future__ import annotations

import operator
import time
from dataclasses import asdict, replace
from os import fsdecode
from threading import RLock
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from mckp import tokenizers
from mckp.agents.config.checks import check_types
from mckp.agents.config.collect import Habits
from mckp.agents.config.settings import SessionSettings
from mckp.agents.places import VERSIONS
from mckp.agents.session.classify import is_shortened, json_value, response_kind
from mckp.agents.session.reader import Reader
from mckp.agents.session.recall import Unshown, number_of
from mckp.agents.session.record import Savings
from mckp.agents.session.scopes import (
    MAIN,
    READING,
    AnsweredCall,
    Entry,
    ResponseStore,
    Scopes,
    effect_of,
    file_of,
)
from mckp.agents.session.selection import selected
from mckp.agents.session.sender import Sender
from mckp.agents.session.short_names import ShortNames
from mckp.agents.telemetry.event import Anonymiser, Event
from mckp.budgets import checked_budget
from mckp.jsontext import is_object, path_text
from mckp.parsers.repair import repair_text
from mckp.paths import as_path, content_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike

    from mckp.agents.session.record import Delivery
    from mckp.agents.session.sender import DeliveryWay
    from mckp.agents.telemetry.fields import Uses
    from mckp.answers.cached import Cache
    from mckp.api import TokenizerLike

_DAMAGE: Final = (LookupError, TypeError, AttributeError, ValueError)
"""Errors that damaged data may cause."""


class Session:
    r"""Sends the results of tools in fewer tokens, because it knows what it sent before.

    If a result is equal or nearly equal to one that was sent in the same context and is still
    there, it becomes a reference to it (layer L0). Any other result is encoded (L2), or sent
    unchanged (L3) if this takes fewer tokens. Each session has a lock, so threads can share it.

    Parameters
    ----------
    settings : SessionSettings, optional
        The settings.
    tokenizer : str, Tokenizer or callable, default "o200k"
        What counts tokens, as for `mckp.encode`.
    on_event : callable, optional
        Called with the event of each response, unless its text was already shortened by mckp or
        the host. An example is `mckp.agents.telemetry.Recorder.record`. If it raises, the response
        counts as not sent.
    session_id : str, optional
        The name of the session in events; random by default.
    clock : callable, default time.time
        Returns seconds since 1970, for the events.
    uses : Uses, optional
        Counts, by tool and field, how often results are used in later calls.
    cache : mapping, optional
        Where encoded results are looked up and kept, as for `mckp.encode`.

    Examples
    --------
    >>> session = Session()
    >>> log = "\n".join(f"step {n} of the build is done" for n in range(12))
    >>> session.add(tool="Bash", args={"command": "cat log"}, text=log).text.splitlines()[:2]
    ['> [#1]', 'step 0 of the build is done']
    >>> print(session.add(tool="Read", file="log", text=log).text)
    > [ref #1]
    (the same text as #1 above)
    >>> session.recall("#1") == log, round(session.savings.dedup_savings_pct)
    (True, 43)
    """

    def __init__(
        self,
        settings: SessionSettings | None = None,
        *,
        tokenizer: TokenizerLike = "o200k",
        on_event: Callable[[Event], object] | None = None,
        session_id: str | None = None,
        clock: Callable[[], float] = time.time,
        uses: Uses | None = None,
        cache: Cache | None = None,
    ) -> None:
        self.settings = SessionSettings() if settings is None else _checked_settings(settings)
        self.session_id = uuid4().hex if session_id is None else session_id
        self.tokenizer = counter = tokenizers.get(tokenizer)
        self.unshown, self.names = Unshown(), ShortNames()
        self._lock, self._scopes = RLock(), Scopes()
        self._on_event, self._clock, self._uses = on_event, clock, uses
        self._store = ResponseStore(self.settings.max_bytes, self._scopes.drop)
        if cache is not None:
            from mckp.answers.cached import with_key  # only those with a cache need it

            with_key("", {"tokenizer": counter, "kind": None})  # a mistake is an error here
        self._sender = Sender(self.settings, counter, self._store, cache)
        self._read_count = 0

    def add(
        self,
        *,
        tool: str,
        text: str,
        args: Any = None,
        file: str | PathLike[str] | None = None,
        agent: str = MAIN,
        budget: int | None = None,
        is_error: bool = False,
        request: str = "",
    ) -> Delivery:
        """Return what to send for a tool's result. It counts as sent once this returns.

        Parameters
        ----------
        tool : str
            The tool's name.
        text : str
            The result. Lone surrogates in it, such as bytes that Python decoded by
            ``surrogateescape``, are replaced as `mckp.encode` does; `Delivery.notes` says so.
        args : optional
            The arguments of the call. Near repeats are looked for among results of the same
            call only.
        file : path-like, optional
            The file or folder that the call is about; by default taken from the arguments.
        agent : str, default "main"
            The agent whose context gets it.
        budget : int, optional
            The most tokens; by default those of the settings. Results that a policy leaves
            unchanged or keeps exact are whole nevertheless.
        is_error : bool
            Whether the call failed.
        request : str
            What the agent wants to know, such as the user's last message: a cut keeps what is
            related to it, unless the settings say otherwise.

        Raises
        ------
        BudgetError
            If nothing of it fits the budget.
        TypeError
            If the text or a name is not a str.
        ValueError
            If the budget is not a whole number of tokens.
        """
        _check_texts(text=text, tool=tool, agent=agent)
        text, notes = repair_text(text)
        limit = self._token_limit(tool, budget)
        named_file = file_of(args, None if file is None else fsdecode(file))
        with self._lock:
            scope = self._scopes.of(agent)
            scope.result_count += 1
            self._read_count += tool in READING
            came, text = text, self._shortened(tool, text, is_error=is_error)
            call = AnsweredCall(tool, args, text, named_file, agent, limit, scope, request, came)
            effect = effect_of(tool, args, named_file)
            if effect is not None:
                self._scopes.mark_stale(effect)
            number, base = self._sender.last_number + 1, None
            delivery = self._sender.deliver_simple(call, is_error=is_error)
            if delivery is None:
                number, base = self._sender.take_number(call)
        # Writing a result takes by far the longest, so it is done without the lock.
        draft = self._sender.draft(call, number, base) if delivery is None else None
        try:
            with self._lock:
                if draft is not None:
                    delivery = self._sender.finish(draft)
                assert delivery is not None
                if self._on_event is not None and not is_shortened(text):
                    self._on_event(self._new_event(call, delivery))
                if self._uses is not None:
                    self._uses.add_call(args)
                    visible = Reader().seen(delivery.text) if delivery.elided else text
                    self._uses.add_result(tool, args, visible)
            if delivery.elided and delivery.number is not None:
                self.unshown.note(delivery.number, text, delivery.elided, delivery.text)
        except BaseException:
            with self._lock:
                scope.drop(number)  # an agent that got an error has not seen the text
            raise
        return replace(delivery, notes=notes) if notes else delivery

    def _shortened(self, tool: str, text: str, *, is_error: bool = False) -> str:
        """Return the text of a result with short names, if it gets any."""
        is_left = is_error or (tool and self.settings.of(tool).leave)
        return self.names.shorten(text) if self.settings.short_names and not is_left else text

    def _token_limit(self, tool: str, budget: int | None) -> int | None:
        """Return the token limit of a result: `budget`, or if it is None, that of the settings.

        It is None if there is no limit, as for a tool whose results are kept whole.
        """
        values = self.settings.of(tool)
        return values.limit if budget is None or values.is_uncut else checked_budget(budget)

    def _new_event(self, call: AnsweredCall, delivery: Delivery) -> Event:
        """Return the event of a delivery."""
        anonymiser = Anonymiser(self.settings.salt)
        return Event(
            session_hash=anonymiser.session(self.session_id),
            tool_name_anon=anonymiser.tool(call.tool),
            agent=MAIN if call.agent == MAIN else anonymiser.session(call.agent),
            partition=call.scope.compaction_count,
            ts_ms=int(self._clock() * 1000),
            is_dedup_hit=delivery.layer == "L0",
            tokens_baseline=delivery.baseline,
            tokens_final=delivery.tokens,
            tokens_cut=delivery.cut,
            tokenizer=self.tokenizer.name,
            content=response_kind(call.text),
            characters=len(call.text),
            layer=delivery.layer,
            way=delivery.name,
        )

    def keep(self, text: str, tool: str = "") -> int:
        """Keep a text that was shown in another form; return the number that recalls it."""
        with self._lock:
            self._sender.last_number += 1
            self._store.add(
                Entry(self._sender.last_number, "", tool, "", None, repair_text(text)[0], None)
            )
            return self._sender.last_number

    @property
    def handles(self) -> dict[int, str]:
        """The number of each response that can be recalled, oldest first, with its tool's name."""
        with self._lock:
            return {entry.number: entry.tool for entry in self._store}

    def written(self, text: str, budget: int | None = None) -> DeliveryWay:
        """Return the way to send a text within a budget, without remembering the text.

        Raises
        ------
        BudgetError
            If nothing of it fits.
        """
        with self._lock:
            text = self._shortened("", repair_text(text)[0])
        return self._sender.write_unreferenced(text, budget)

    def compact(self, agent: str = MAIN) -> None:
        """Note that an agent's context was compacted: nothing may refer to its texts now.

        A recall of one of them without a question begins with its first part again.
        """
        with self._lock:
            self._scopes.of(agent).compact()
            gone = {entry.number: entry.text for entry in self._store if entry.agent == agent}
        self.unshown.restart(gone)

    def end(self, agent: str) -> None:
        """Note that a sub-agent has ended, so that its context is forgotten."""
        with self._lock:
            self._scopes.end(agent)

    def changed(self, file: str | PathLike[str] | None = None) -> None:
        """Note that something other than a tool changed a file or folder, or any if it is None."""
        with self._lock:
            effect = effect_of("Write", None, None if file is None else fsdecode(file))
            if effect is not None:
                self._scopes.mark_stale(effect)

    def gone(self, handle: int | str) -> None:
        """Note that a text was removed from its context, or never got there.

        Raises
        ------
        PathError
            As for `recall`.
        """
        with self._lock:
            self._scopes.drop(self._store.get(number_of(handle)))

    def recall(
        self, handle: int | str, path: str | Iterable[str | int] | None = None, **asked: Any
    ) -> Any:
        """Return a response as it came, a part of its data, or the answer to a question about it.

        Parameters
        ----------
        handle : int or str
            The number of the response, or a text such as ``#3``.
        path : str or iterable of str and int, optional
            A place in its data, such as ``$.jobs[3]``; or a pattern, such as ``$.jobs[*].name``,
            for which the list of matching values is returned.
        **asked
            A question about the rows of its data, or the lines of a text: ``where``, ``fields``,
            ``group``, ``sort``, ``limit``, ``offset``, ``grep``, ``context``, ``lines``; see
            `mckp.recall.RecallQuestion`. Rows are returned as plain data, lines as pairs of number
            and text.

        Raises
        ------
        PathError
            If there is no such response, or nothing at that place. The oldest responses are
            forgotten when `SessionSettings.max_bytes` is reached.
        PatternError
            If a pattern is not valid.
        RecallError
            If a question is not understood, or names what is not there.

        Examples
        --------
        >>> session = Session()
        >>> jobs = [{"id": n, "state": "failed" if n == 7 else "ok"} for n in range(99)]
        >>> _ = session.add(tool="jobs", text=str(jobs).replace("'", '"'), budget=60)
        >>> session.recall(1, where="state == 'failed'"), session.recall(1, fields="count()")
        ([{'id': 7, 'state': 'failed'}], {'count()': 99})
        """
        names, text = self.names, self.kept(handle)
        if asked:
            from mckp.recall import LinesAnswer, answered  # most results are never asked

            place = path if path is None or isinstance(path, str) else path_text(path)
            value = json_value(text)
            question = names.shorten_known({"path": place, **asked})
            answer = answered(text if value is None else value, question)
            if isinstance(answer, LinesAnswer):
                return [(line.number, names.resolve_text(line.text)) for line in answer.lines]
            return names.resolve(answer.value)
        text = names.resolve_text(text)
        if path is None:
            return text
        value = json_value(text)
        if isinstance(path, str) and any(sign in path for sign in "*:"):
            return selected(value, path)
        return content_at(value, as_path(path))

    def kept(self, handle: int | str) -> str:
        """Return a response as it is kept: with its short names, if it has any.

        Raises
        ------
        PathError
            As for `recall`.
        """
        with self._lock:
            return self._store.get(number_of(handle)).text

    def resolve(self, value: Any) -> Any:
        """Return the arguments of a call, or other plain data, with ids in place of short names.

        Raises
        ------
        MckpError
            If a value is nothing but an unknown name.
        """
        with self._lock:
            return self.names.resolve(value)

    @property
    def habits(self) -> Habits:
        """Figures on the session so far; only compactions of the main agent are counted."""
        with self._lock:
            result_count = self._sender.savings.responses
            compaction_count = self._scopes.of(MAIN).compaction_count
            return Habits(result_count, compaction_count, self._read_count / max(1, result_count))

    @property
    def savings(self) -> Savings:
        """What was saved so far."""
        with self._lock:
            return replace(self._sender.savings)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole session, texts included, as plain data that JSON can hold."""
        with self._lock:
            return {
                "format": VERSIONS["session"],
                "session_id": self.session_id,
                "settings": self.settings.to_dict(),
                "last": self._sender.last_number,
                "near_refs": self._sender.near_ref_count,
                "reads": self._read_count,
                "entries": self._store.to_list(),
                "scopes": self._scopes.to_dict(),
                "savings": asdict(self._sender.savings),
                "names": self.names.to_list(),
            }

    @classmethod
    def from_dict(
        cls,
        data: Mapping[str, Any],
        *,
        tokenizer: TokenizerLike = "o200k",
        on_event: Callable[[Event], object] | None = None,
        cache: Cache | None = None,
    ) -> Session:
        """Return the session that `to_dict` wrote.

        Its tokenizer, callback and cache are not in the data, so they must be passed again. If
        `tokenizer` names a model, the session keeps the tokenizer it began with: the exact one, or
        an estimate. The clock is `time.time`, and uses of results are not counted.

        Raises
        ------
        ValueError
            If the data is of another version, or damaged.
        """
        if not is_object(data) or data.get("format") != VERSIONS["session"]:
            version = data.get("format") if is_object(data) else type(data).__name__
            raise ValueError(
                f"this is not a session in format {VERSIONS['session']}, which to_dict() writes: "
                f"its format is {version!r}"
            )
        tokenizers.get(tokenizer)  # an unknown name is not damage
        try:
            counter = tokenizers.kept(tokenizer, str(data["savings"]["tokenizer"]))
            _check_texts(session_id=data["session_id"])
            session = cls(
                SessionSettings.from_dict(data["settings"]),
                tokenizer=counter,
                on_event=on_event,
                session_id=data["session_id"],
                cache=cache,
            )
            session._restore(data)
        except _DAMAGE as error:
            raise ValueError(f"the session is damaged ({error}); begin a new one") from None
        return session

    def _restore(self, data: Mapping[str, Any]) -> None:
        """Restore the state of a session; damaged data raise one of `_DAMAGE`."""
        self._sender.last_number = operator.index(data["last"])
        self._sender.near_ref_count = operator.index(data.get("near_refs", 0))
        self._read_count = operator.index(data.get("reads", 0))
        self._store.restore(data["entries"])
        if any(entry.number > self._sender.last_number for entry in self._store):
            raise ValueError("its next number is already used")
        self.names = ShortNames((str(name), str(long)) for name, long in data.get("names", ()))
        self._scopes.restore(data["scopes"], self._store.get)
        self._sender.savings = Savings(**data["savings"])
        check_types(self._sender.savings)


def _checked_settings(settings: object) -> SessionSettings:
    """Return settings unchanged; raise a `TypeError` unless they are a `SessionSettings`."""
    if not isinstance(settings, SessionSettings):
        raise TypeError(f"settings must be SessionSettings, not {type(settings).__name__}")
    return settings


def _check_texts(**texts: object) -> None:
    """Raise a `TypeError` that names the first value that is not a str."""
    for name, value in texts.items():
        if not isinstance(value, str):
            kind = type(value).__name__
            advice = "; decode it, or dump it as JSON" if name == "text" else ""
            raise TypeError(f"{name} must be str, not {kind}{advice}")

"""Recall of results: the parts not shown yet, a whole result, or an answer about it."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from itertools import groupby
from shlex import quote
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp import tokenizers
from mckp.agents.config.checks import cut_middle
from mckp.agents.limits import MAX_CHARS
from mckp.agents.session.classify import json_value, opened_value
from mckp.agents.session.excerpts import excerpt
from mckp.agents.session.rest import halves
from mckp.agents.session.selection import projected
from mckp.encoders.fakes import escape
from mckp.errors import BudgetError, MckpError, PathError, RecallError
from mckp.jsontext import dump, is_array, is_container, is_object, path_text, step_text
from mckp.parsers import decode_bytes
from mckp.paths import content_at
from mckp.regexes import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mckp.agents.session.rest import Rest
    from mckp.agents.session.session import Session
    from mckp.api import TokenizerLike
    from mckp.paths import Path
    from mckp.plain import JsonValue
    from mckp.result import Elided
    from mckp.tokenizers.base import Tokenizer

MAX_HANDLES: Final = 8
"""The most handles that an answer names."""

MAX_CUT: Final = 8
"""The most results whose unshown parts are remembered."""

_PATTERNS: Final = ("columns", "facts")
"""Kinds of cuts with patterns as keys; the keys of other kinds are names."""

_ROWS: Final = regex(r"\[([0-9]+)(:[0-9]*)?\]")
_HANDLE: Final = regex(r"[ \[]*#?([0-9]{1,18})[ \]]*")


class _CutText(NamedTuple):
    """A result, what was cut from it, and what was sent of it; no cuts if nothing is left of it."""

    text: str
    cuts: tuple[Elided, ...]
    shown: str

    def parts(self) -> list[JsonValue]:
        """Return the parts that were not shown; they are data if the text contains data."""
        value = opened_value(self.text)
        if value is not None and not self.cuts:
            return [value]
        return _unshown_parts(self.text if value is None else value, self.cuts, self.shown)


class Unshown:
    """The unshown parts of the latest results that were cut; recalls return one after another."""

    def __init__(self) -> None:
        """Begin without results; their parts are computed on demand, since few are asked for."""
        self._left: OrderedDict[int, list[Any] | _CutText] = OrderedDict()
        self._lock = Lock()  # a recall may run while a result is delivered

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle, without the lock."""
        with self._lock:
            return {"_left": self._left.copy()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the parts, with a lock of their own."""
        self._left, self._lock = state["_left"], Lock()

    def note(self, number: int, text: str, cuts: Iterable[Elided], shown: str) -> None:
        """Note what was cut from a result.

        `text` is the result, and `shown` what was sent of it.
        """
        with self._lock:
            self._left[number] = _CutText(text, tuple(cuts), shown)
            while len(self._left) > MAX_CUT:
                self._left.popitem(last=False)

    def restart(self, texts: Mapping[int, str]) -> None:
        """Note that what was shown of these results is gone; `texts` has them by number."""
        with self._lock:
            for number in self._left.keys() & texts.keys():
                self._left[number] = _CutText(texts[number], (), "")

    def next(self, number: int) -> Any:
        """Return the next unshown part of a result, or None if none is known."""
        parts_left = self._left.get(number)
        parts = parts_left.parts() if isinstance(parts_left, _CutText) else parts_left
        with self._lock:
            if parts is not parts_left and self._left.get(number) is parts_left:
                self._left[number] = parts or []
        return parts[0] if parts else None

    def note_shown(self, number: int, part: JsonValue, cuts: Iterable[Elided], shown: str) -> bool:
        """Note what a text shows of a part that `next` returned; return False to have it halved.

        `cuts` is what was cut from the part, and `shown` is the text. If the text shows nothing of
        the part, the two halves of the part replace it. If it cannot be halved, it counts as shown.
        """
        left = _unshown_parts(part, cuts, shown)
        shows_any = part not in left
        left = left if shows_any else halves(part)
        self.note_left(number, part, left)
        return shows_any or not left

    def note_left(self, number: int, part: JsonValue, left: list[JsonValue]) -> None:
        """Note that of a part that `next` returned, only the parts `left` were not shown."""
        with self._lock:
            parts = self._left.get(number)
            if is_array(parts) and parts[:1] == [part]:  # if not, another recall was faster
                self._left[number] = [*left[:1], *parts[1:], *left[1:]]

    def note_lines_shown(self, number: int, rest: Rest, count: int) -> None:
        """Note that the first `count` lines of the `Rest` that `next` returned were shown."""
        left = rest.after(count)
        with self._lock:
            parts = self._left.get(number)
            if is_array(parts) and parts[:1] == [rest]:  # if not, another recall was faster
                self._left[number] = [left, *parts[1:]] if left.lines else parts[1:]


def answer(
    session: Session,
    asked: Mapping[str, Any],
    budget: int | None = None,
    shown_name: Callable[[str], str] = str,
) -> tuple[str, bool]:
    """Return the answer to a model's recall, and whether it is an error.

    `asked` has ``handle``, and may have the parameters of `mckp.recall.RecallQuestion`. A handle
    alone asks for the next part that was not shown yet, or for the result if all of it was shown.
    `shown_name` returns the name by which the model knows a tool of the session.

    Examples
    --------
    >>> from mckp.agents.session import Session
    >>> session = Session()
    >>> _ = session.add(tool="jobs", text=dump([{"id": n, "state": "done"} for n in range(40)]))
    >>> answer(session, {"handle": "#1", "where": "id > 36", "fields": ["id"]})
    ('[{"id":37},{"id":38},{"id":39}]', False)
    >>> print(answer(session, {"handle": "#1", "fields": ["name"]})[0])
    fields: nothing in 40 rows of $ has 'name'; they have id, state
    try {"handle":"#1","fields":["id"]}
    """
    try:
        return reply(session, asked, budget, shown_name), False
    except RecallError as error:
        return _message_with_call(error, asked), True
    except (MckpError, ValueError) as error:
        return cut_middle(error), True  # names in the data may make it long


def reply(
    session: Session,
    asked: Mapping[str, Any],
    budget: int | None = None,
    shown_name: Callable[[str], str] = str,
) -> str:
    """Return the answer to a recall, as `answer` does, but raise errors.

    Raises
    ------
    RecallError
        If the question is not understood, or there is no such response. Where one is known, its
        `call` is one that works; its `names` are the names that exist.
    """
    try:
        number = number_of(asked.get("handle"))
        text = session.kept(number)
    except PathError:
        tools = {number: shown_name(tool) for number, tool in session.handles.items()}
        raise _unknown_handle_error(tools, asked) from None
    asked = session.names.shorten_known(dict(asked))
    if any(value not in (None, "", []) for name, value in asked.items() if name != "handle"):
        return _answer_questions(text, asked, budget, session.tokenizer, session.settings.formats)
    from mckp.agents.session.replies import ReplyWriter
    from mckp.agents.session.rest import Rest

    while (part := session.unshown.next(number)) is not None:
        if isinstance(part, Rest):
            writer = ReplyWriter(session.tokenizer, budget, session.settings.formats)
            reply_text, count = writer.write_rest(part, f'recall("#{number}")')
            session.unshown.note_lines_shown(number, part, count)
            return reply_text
        if budget is not None and is_container(part):
            writer = ReplyWriter(session.tokenizer, budget, session.settings.formats)
            reply_text, left = writer.write_next_rows(part, f'recall("#{number}")')
            if reply_text:
                session.unshown.note_left(number, part, left)
                return reply_text
        reply_text, cuts = _write_within(session, part, number, budget)
        if session.unshown.note_shown(number, part, cuts, reply_text):
            return reply_text
    return _write_within(session, text, number, budget)[0]


def _unknown_handle_error(tools: Mapping[int, str], asked: Mapping[str, JsonValue]) -> RecallError:
    """Return the error for an unknown handle; it names the latest handles that exist.

    `tools` has the names of tools by handle.
    """
    handle = asked.get("handle")
    with suppress(PathError):
        handle = f"#{number_of(handle)}"
    problem = "a handle is needed" if handle in (None, "") else f"{str(handle)[:40]} is not there"
    names = [f"#{number} {tool}".rstrip() for number, tool in tools.items()][-MAX_HANDLES:]
    if not names:
        return RecallError(f"{problem}; nothing can be recalled yet", "handle")
    there = "there are" if len(names) == len(tools) else "the latest are"
    message = f"{problem}; {'there is' if len(tools) == 1 else there} {', '.join(names)}"
    other_parameters = {
        name: value for name, value in asked.items() if name != "handle" and value is not None
    }
    call = {"handle": names[0].split()[0], **other_parameters} if len(tools) == 1 else None
    return RecallError(message, "handle", names=names, call=call)


def answer_of(
    document: bytes, asked: Mapping[str, JsonValue], budget: int | None, tokenizer: TokenizerLike
) -> str:
    """Return the answer to a question about a document, as a recall of a result would.

    Raises
    ------
    ParseError
        If the document is not text.
    RecallError
        If the question is not understood; its `call` is one that works, if one is known.
    """
    text = decode_bytes(document)
    return _answer_questions(text, asked, budget, tokenizers.get(tokenizer), "native")


def shell_options(call: Mapping[str, JsonValue]) -> str:
    r"""Return the parameters of a call as options of a shell command.

    Examples
    --------
    >>> shell_options({"where": "id == 'a'", "fields": ["id", "count()"], "limit": 3})
    '--where "id == \'a\'" --fields id "count()" --limit 3'
    """

    def quote_argument(text: object) -> str:
        """Return a text as an argument of a shell command."""
        plain = str(text)
        safe = regex(r"[\w./:,+-]+").fullmatch(plain)
        needs_escaping = any(char in plain for char in '"$`\\!')
        return plain if safe else quote(plain) if needs_escaping else f'"{plain}"'

    parts: list[str] = []
    for name, value in call.items():
        values = value if is_array(value) else [value]
        parts += [f"--{name}", *map(quote_argument, values)]
    return " ".join(parts)


def _answer_questions(
    text: str,
    asked: Mapping[str, JsonValue],
    budget: int | None,
    tokenizer: Tokenizer,
    formats: str | tuple[str, ...],
) -> str:
    """Return the answer to a call about a text or data, within the budget.

    If the call has several questions, errors in some of them are answers.
    """
    from mckp.agents.session.replies import ReplyWriter  # most results are never asked
    from mckp.agents.session.several import answers_to, questions_in
    from mckp.recall import answered

    value = json_value(text)
    document = text if value is None else value

    def one(question: Mapping[str, JsonValue], room: int | None) -> str:
        """Return the answer to one question."""
        answer = answered(document, question)
        return ReplyWriter(tokenizer, room, formats).write(answer, dict(question))

    questions = questions_in(asked)
    if not questions:
        return one(asked, budget)
    errors = 0

    def one_or_error(question: Mapping[str, JsonValue], room: int | None) -> str:
        """Return the answer to one of several questions, or what is wrong with it."""
        nonlocal errors
        try:
            return one(question, room)
        except RecallError as error:
            errors += 1
            if errors >= len(questions):
                raise
            return _message_with_call(error, question, with_handle=False)

    return answers_to(questions, one_or_error, budget, tokenizer.count)


def _message_with_call(
    error: RecallError, asked: Mapping[str, JsonValue], *, with_handle: bool = True
) -> str:
    """Return the message of an error, and a call that works if the error has a short one."""
    message = _cut_message(str(error))
    if error.call is None:
        return message
    handle_argument = (
        {}
        if "handle" in error.call or not with_handle
        else {"handle": f"#{number_of(asked.get('handle'))}"}
    )
    call = dump({**handle_argument, **error.call})
    return f"{message}\ntry {call}" if len(call) <= MAX_MESSAGE_CHARS else message


MAX_MESSAGE_CHARS: Final = 600
"""The most characters of an error message, and of the call that is suggested below it."""


def _cut_message(text: str) -> str:
    """Return a message; one longer than `MAX_MESSAGE_CHARS` is cut, at a comma if it has one."""
    if len(text) <= MAX_MESSAGE_CHARS:
        return text
    return f"{text[:MAX_MESSAGE_CHARS].rpartition(', ')[0] or text[:MAX_MESSAGE_CHARS]}, …"


def number_of(handle: JsonValue) -> int:
    """Return the number in a handle such as ``3``, ``"#3"`` or ``"[#3]"``, or raise `PathError`."""
    is_plausible = isinstance(handle, int | str) and not isinstance(handle, bool)
    match = _HANDLE.fullmatch(str(handle)) if is_plausible else None
    if match is None:
        raise PathError(f"the handle {str(handle)[:40]!r}", "expected a number, such as #3")
    return int(match[1])


def _write_within(
    session: Session, content: JsonValue, number: int, budget: int | None
) -> tuple[str, tuple[Elided, ...]]:
    """Return content written within a budget, and what was cut from it.

    Of content that is too long to be encoded, or of which nothing fits, it is an excerpt, which
    names the handle `number`; its cuts are not listed.
    """
    text = content if isinstance(content, str) else dump(content)
    if text in ("", "[]"):
        return "nothing follows", ()
    if len(text) <= MAX_CHARS:
        try:
            written = session.written(text, budget)
        except BudgetError:
            pass
        else:
            return written.text, written.elided
    if budget is None:
        return escape(text, raw=True), ()
    return excerpt(text, budget, f"#{number}", session.tokenizer.count), ()


def _unshown_parts(document: Any, cuts: Iterable[Elided], shown: str) -> list[Any]:
    """Return the parts of a document that were cut, which `cuts` names.

    Of data, these are whole rows first, then columns, with the column that identifies the records,
    such as ``id``. If no pattern can name what was cut, the only part is the whole document. Of a
    text, the only part is a `Rest` with the lines that are not in `shown`, if there are any.
    """
    if isinstance(document, str):
        from mckp.agents.session.rest import rest_of

        uncut = rest_of(document, cuts, shown)
        return [uncut] if uncut.lines else []
    rows: dict[Path, list[slice]] = {}
    other_cuts: list[Elided] = []
    for cut in cuts:
        numbers = [key for key in cut.keys if isinstance(key, int)]
        if numbers:
            rows[cut.path] = list(_runs(numbers))
        else:
            other_cuts.append(cut)
    row_patterns = [
        f"{path_text(path)}{step_text(run)}" for path, runs in rows.items() for run in runs
    ]
    with suppress(MckpError):
        column_patterns = [
            column
            for cut in other_cuts
            for column in _column_patterns(document, cut, rows.get(cut.path))
        ]
        return [
            projected(document, patterns, is_even=True)
            for patterns in (row_patterns, column_patterns)
            if patterns
        ]
    return [document]


def _runs(numbers: Iterable[int]) -> Iterator[slice]:
    """Yield each run of consecutive numbers, in ascending order, as a slice."""
    for _, run in groupby(
        enumerate(sorted(numbers)),
        lambda index_and_number: index_and_number[1] - index_and_number[0],
    ):
        run_numbers = [number for _, number in run]
        yield slice(run_numbers[0], run_numbers[-1] + 1)


def _column_patterns(
    document: JsonValue, cut: Elided, cut_runs: list[slice] | None
) -> Iterator[str]:
    """Yield patterns for what was cut from a container, such as columns of rows that were shown.

    `cut` says what was cut; `cut_runs` are the runs of rows that were cut whole.
    """
    content, container_path = content_at(document, cut.path), path_text(cut.path)
    records = [record for record in content if is_object(record)] if is_array(content) else []
    if not (cut.keys or records):
        yield container_path
    if not records:
        for key in map(str, cut.keys):
            yield container_path + (_subpath(key) if cut.kind in _PATTERNS else step_text(key))
        return
    missing_rows = {row for run in cut_runs or () for row in range(run.start, run.stop)}
    for key in map(str, cut.keys or [""]):
        # A column that was cut only from some rows has these rows in its key.
        match = _ROWS.match(key)
        rows = _rows_in(match, len(content)) if match else range(len(content))
        for run in _runs(row for row in rows if row not in missing_rows):
            yield container_path + step_text(run) + _subpath(key[match.end() :] if match else key)


def _rows_in(match: re.Match[str], size: int) -> range:
    """Return the rows that a match of `_ROWS` names, of an array of so many items."""
    first = int(match[1])
    if match[2] is None:
        return range(first, first + 1)
    return range(first, int(match[2][1:] or size))


def _subpath(name: str) -> str:
    """Return what to append to the path of a container to name one of its `Elided.keys`."""
    return name if not name or name[0] in ".[" else f".{name}"

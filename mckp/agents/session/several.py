"""Several questions in one recall, and one answer to all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.agents.session.classify import json_value
from mckp.errors import RecallError
from mckp.jsontext import dump, is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

MOST: Final = 12
"""Most questions of one call."""


def questions_in(asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the questions of a call that has several; none if it is one question.

    They are the calls in ``queries``, each with what else the call has, or one for each pattern of
    a list in ``grep``. A text in ``queries`` is a call as JSON, or a pattern.

    Raises
    ------
    RecallError
        If a question is no call, or if there are more than 12 of them.

    Examples
    --------
    >>> questions_in({"handle": "#1", "queries": [{"grep": "a"}, {"lines": "3-9"}]})
    [{'handle': '#1', 'grep': 'a'}, {'handle': '#1', 'lines': '3-9'}]
    >>> questions_in({"grep": ["a", "b"], "path": "Install"})
    [{'grep': 'a', 'path': 'Install'}, {'grep': 'b', 'path': 'Install'}]
    >>> questions_in({"grep": "a"})
    []
    """
    queries, grep = asked.get("queries"), asked.get("grep")
    shared = {name: value for name, value in asked.items() if name != "queries"}
    if isinstance(queries, str):
        read = json_value(queries)
        queries = [queries] if read is None else read
    if queries:
        queries = [queries] if is_object(queries) else queries
        parts = [_question(part) for part in queries] if is_array(queries) else []
        questions = [{**shared, **part} for part in parts]
        if not questions:
            raise RecallError('queries must be a list of calls such as {"grep": "a"}', "queries")
    elif is_array(grep) and len(grep) > 1 and not any(map(asked.get, ("fields", "group", "sort"))):
        questions = [{**shared, "grep": pattern} for pattern in grep]
    else:
        return []
    if len(questions) > MOST:
        parameter = "queries" if queries else "grep"
        raise RecallError(f"a call may ask {MOST} questions, not {len(questions)}", parameter)
    return questions


def _question(part: Any) -> dict[str, Any]:
    """Return the parameters of a question in a list; of a plain text, a pattern."""
    value = json_value(part) if isinstance(part, str) else part
    if is_object(value) and "queries" not in value:
        return value
    if isinstance(part, str) and part:
        return {"grep": part}
    raise RecallError('queries must be a list of calls such as {"grep": "a"}', "queries")


def answers_to(
    questions: list[dict[str, Any]],
    answer: Callable[[dict[str, Any], int | None], str],
    budget: int | None,
    count: Callable[[str], int],
) -> str:
    """Return the answers to questions, each below a line with its number.

    `answer` returns one within a budget, and `count` the tokens of a text. If not all fit, short
    answers are whole, and the long ones share what these leave. Of answers that would be mere
    beginnings, the longest are left out, and a note says how to ask for them.

    Examples
    --------
    >>> def say(question, budget):
    ...     return question["grep"] * (budget or 9)
    >>> print(answers_to([{"grep": "a"}, {"grep": "b"}], say, None, len))
    > [1]
    aaaaaaaaa
    > [2]
    bbbbbbbbb
    """
    texts = [answer(question, budget) for question in questions]
    whole = _joined(dict(enumerate(texts, 1)))
    if budget is None or count(whole) <= budget:
        return whole
    sizes = {number: count(text) + _HEAD_TOKENS for number, text in enumerate(texts, 1)}
    room = budget
    while len(sizes) > 1 and (share := _fair_share(list(sizes.values()), room)) < _LEAST:
        cut = [number for number, size in sizes.items() if size > share]
        cut = [number for number in cut if sizes[number] > _LEAST] or cut
        if not cut:
            break
        del sizes[max(cut, key=lambda number: (sizes[number], number))]
        left_out = {number for number in range(1, len(texts) + 1) if number not in sizes}
        room = budget - count(_left_out_note(left_out, questions))
    answers: dict[int, str] = {}
    for rank, number in enumerate(sorted(sizes, key=lambda number: sizes[number])):
        share = max(1, room // (len(sizes) - rank) - _HEAD_TOKENS)
        text = texts[number - 1]
        if count(text) > share:
            text = answer(questions[number - 1], share)
        if not _is_note(text) or _is_note(texts[number - 1]) or len(sizes) == 1:
            answers[number] = text
            room -= count(text) + _HEAD_TOKENS
    for number, text in enumerate(texts, 1):  # what the parts of others did not need
        size = count(text) + _HEAD_TOKENS
        if number not in answers and size <= room:
            answers[number] = text
            room -= size
    left_out = {number for number in range(1, len(texts) + 1) if number not in answers}
    said = _joined(answers)
    for is_short in (False, True) if left_out else ():
        whole = "\n".join(filter(None, [said, _left_out_note(left_out, questions, is_short)]))
        if count(whole) <= budget:
            return whole
    return said


_HEAD_TOKENS: Final = 6
"""Tokens of the line above an answer, with its line feeds."""
_LONGEST_CALL: Final = 240
"""Most characters of the call for what was not answered; a longer one is in the call before."""
_LEAST: Final = 60
"""Tokens below which the part of a longer answer that fits is of no use."""


def _fair_share(sizes: list[int], room: int) -> int:
    """Return the size that each of the longest parts may have; of parts that all fit, the longest.

    Examples
    --------
    >>> _fair_share([10, 90, 90], 100), _fair_share([10, 20], 100)
    (45, 20)
    """
    for rank, size in enumerate(sorted(sizes)):
        share = room // (len(sizes) - rank)
        if size > share:
            return share
        room -= size
    return max(sizes, default=0)


def _is_note(text: str) -> bool:
    """Whether a text has nothing but notes, such as one on a line that does not fit."""
    return all(line.startswith("> [") for line in text.splitlines())


def _left_out_note(
    numbers: Collection[int], questions: Sequence[Mapping[str, Any]], is_short: bool = False
) -> str:
    """Return the note on the questions that were not answered, and the call that asks for them."""
    if is_short:
        return f"> [not answered, as they do not fit: {', '.join(map(str, sorted(numbers)))}]"
    left = [
        {name: value for name, value in questions[number - 1].items() if name != "handle"}
        for number in sorted(numbers)
    ]
    call = dump(left[0] if len(left) == 1 else {"queries": left})[1:-1]
    again = call if len(call) <= _LONGEST_CALL else "ask them next"
    which = ", ".join(map(str, sorted(numbers)))
    return f"> [{which} not answered for lack of room; next: {again}]"


def _joined(texts: Mapping[int, str]) -> str:
    """Return each text below a line with its number, in order."""
    return "\n".join(f"> [{number}]\n{texts[number].rstrip()}" for number in sorted(texts))

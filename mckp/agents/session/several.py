"""Several questions in one recall, and one answer to all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mckp.agents.session.classify import json_value
from mckp.errors import RecallError
from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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

    `answer` returns one within a budget, and `count` the tokens of a text. If not all fit, each
    long answer gets the same share of what the shorter ones leave.

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
    heads = [f"> [{number}]" for number in range(1, len(questions) + 1)]
    texts = [answer(question, budget) for question in questions]
    whole = _joined(heads, texts)
    if budget is None or count(whole) <= budget:
        return whole
    room = budget - count("\n".join(heads)) - 2 * len(heads)
    by_size = sorted(range(len(texts)), key=lambda place: count(texts[place]))
    for rank, place in enumerate(by_size):
        share = max(1, room // (len(texts) - rank))
        if count(texts[place]) > share:
            texts[place] = answer(questions[place], share)
        room -= count(texts[place])
    return _joined(heads, texts)


def _joined(heads: list[str], texts: list[str]) -> str:
    """Return each text below its head."""
    return "\n".join(f"{head}\n{text.rstrip()}" for head, text in zip(heads, texts, strict=True))

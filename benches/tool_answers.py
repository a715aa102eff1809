"""Questions about real answers of tools, with programs that compute the answer from the data.

The set is toolJSONprocessing of LongFuncEval. Its folder ``generate_qa_pairs`` has, for each task,
a class that writes questions and computes their answers. A text is judged by what such a program
makes of the data that are left: the answer is unchanged, or it is not.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

NEEDED: Final = "generate_qa_pairs/tasks/base.py"
_PACKAGE: Final = "generate_qa_pairs.tasks"
_SETS: Final = {
    "last10k-company-v1.p.rapidapi.com_v1_company_filings": "SEC_filings",
    "real-time-product-search.p.rapidapi.com_search?": "product_details_shoes",
}
_CRITERIA: Final = (
    "accuracy_string", "unordered_list_str_match", "approx_number_match", "contains",
    "code_exec_Passed",
)  # fmt: skip


class Asked(NamedTuple):
    """A question about a document; `kind` is extractive, filtering or aggregation."""

    kind: str
    question: str
    document: Any
    score: Callable[[Any], float]


def asked(folder: Path) -> Iterator[Asked]:
    """Yield the questions whose programs give the answer that the set has."""
    sys.path.insert(0, str(folder))
    # How answers of models are judged needs large packages, and is not needed here.
    judging: Any = ModuleType(f"{_PACKAGE}.evals")
    for name in _CRITERIA:
        setattr(judging, name, name)
    package = import_module(_PACKAGE)
    sys.modules[judging.__name__] = package.evals = judging  # type: ignore[attr-defined]
    data = folder / "generate_qa_pairs" / "data"
    for stem, module in _SETS.items():
        tasks = import_module(f"{_PACKAGE}.{module}")
        answers = json.loads((data / "api_responses" / f"{stem}.json").read_text("utf-8"))
        pairs = json.loads((data / "qa_pairs" / f"{stem}_qa_pairs.json").read_text("utf-8"))
        known: dict[tuple[str, str], dict[str, list[Program]]] = {}
        for pair in pairs:
            document = answers[pair["app"]][pair["endpoint"]].get(pair["api_query"])
            if document is None:
                continue
            key = pair["api_query"], pair["task"]
            if key not in known:
                known[key] = _programs(getattr(tasks, pair["task"])(), document)
            gold = pair["gold_answer"]
            for program in known[key].get(pair["question"], ()):
                score = partial(_score, program, gold)
                if score(document):
                    yield Asked(pair["task_type"].lower(), pair["question"], document, score)
                    break


class Program(NamedTuple):
    """A call that computes an answer; the document goes where `None` is in its arguments."""

    run: Callable[..., Any]
    args: tuple[Any, ...]
    named: dict[str, Any]

    def of(self, document: Any) -> Any:
        """Return the answer for a document."""
        args = [document if argument is None else argument for argument in self.args]
        named = {
            name: document if argument is None else argument
            for name, argument in self.named.items()
        }
        return self.run(*args, **named)


def _programs(task: Any, document: Any) -> dict[str, list[Program]]:
    """Return the programs that may belong to each question that a task asks of a document.

    A task writes the question just before or just after it computes the answer.
    """
    seen: list[str | Program] = []
    compute, write = task.get_answer, task.get_question

    def computing(*args: Any, **named: Any) -> Any:
        apart = tuple(None if argument is document else argument for argument in args)
        by_name = {
            name: None if argument is document else argument for name, argument in named.items()
        }
        seen.append(Program(compute, apart, by_name))
        return compute(*args, **named)

    def writing(*args: Any, **named: Any) -> Any:
        question = write(*args, **named)
        seen.append(question)
        return question

    task.get_answer, task.get_question = computing, writing
    task.get_qa_samples(document)
    by_question: dict[str, list[Program]] = {}
    for n, event in enumerate(seen):
        if isinstance(event, str):
            beside = [*seen[n + 1 : n + 2], *seen[max(0, n - 1) : n]]
            by_question.setdefault(event, []).extend(p for p in beside if isinstance(p, Program))
    return by_question


class _Lenient(dict[str, Any]):
    """An object in which a member that was cut is an empty text."""

    def __missing__(self, key: str) -> str:
        return ""


def _lenient(value: Any) -> Any:
    if is_object(value):
        return _Lenient({name: _lenient(member) for name, member in value.items()})
    return list(map(_lenient, value)) if is_array(value) else value


def _score(program: Program, gold: Any, read: Any) -> float:
    """Return 1 if the answer is unchanged; lists have no order."""
    try:
        answer = program.of(_lenient(read))
    except Exception:
        return 0.0  # programs of the set expect all that was cut
    return float(_parts(answer) == _parts(gold))


def _parts(answer: Any) -> list[str]:
    return sorted(map(str, answer)) if is_array(answer) else sorted(str(answer).split(", "))

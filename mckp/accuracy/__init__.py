"""Measures how accurately texts are read: questions made from data, and readers to answer them.

`questions` makes questions, with the answers that the data gives. `writings` writes the data in
several formats, whole and within budgets. A reader answers, and `measure` returns the share of
right answers for each way to write, and what may be claimed about the differences. `measure_calls`
compares how accurately a model calls tools whose definitions it reads in different renderings.
"""

from __future__ import annotations

from mckp.accuracy.asking import questions
from mckp.accuracy.calls import CallReport, Task, measure_calls, read_tasks
from mckp.accuracy.paired import Pairs
from mckp.accuracy.query import KINDS, Question
from mckp.accuracy.reader import (
    WAYS,
    Asked,
    EndpointReader,
    Reader,
    Reply,
    Writing,
    writings,
)
from mckp.accuracy.replies import (
    Answer,
    OracleReader,
    is_right,
    is_unknown,
)
from mckp.accuracy.report import Report
from mckp.accuracy.running import answers, measure

__all__ = [
    "KINDS",
    "WAYS",
    "Answer",
    "Asked",
    "CallReport",
    "EndpointReader",
    "OracleReader",
    "Pairs",
    "Question",
    "Reader",
    "Reply",
    "Report",
    "Task",
    "Writing",
    "answers",
    "is_right",
    "is_unknown",
    "measure",
    "measure_calls",
    "questions",
    "read_tasks",
    "writings",
]

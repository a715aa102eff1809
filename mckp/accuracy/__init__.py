"""Measures how well texts are read, with questions made from data, and readers that answer them.

`questions` makes questions with the answers that the data gives; `writings` writes the data in
several formats, whole and within budgets; a reader answers, and `measure` returns how often it is
right for each way, and what may be claimed about the differences. `measure_calls` compares how well
tools are called whose definitions are read in different renderings.
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

"""Measures how accurately a reader, such as a model, answers questions about encoded texts.

`questions` makes questions about data, and computes the answers. `writings` writes the data in
several formats, whole and within budgets. A reader answers the questions from these texts. For each
format, `measure` returns the share of right answers, and says which differences between formats
are proven. `measure_calls` compares how accurately a model calls tools, depending on the format of
the tool definitions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mckp.accuracy.asking import questions
from mckp.accuracy.calls import CallReport, Task, measure_calls, read_tasks
from mckp.accuracy.paired import Pairs
from mckp.accuracy.query import KINDS, Question
from mckp.accuracy.reader import (
    WAYS,
    AnsweringReader,
    EndpointReader,
    Reply,
    TextQuestion,
    Writing,
    writings,
)
from mckp.accuracy.replies import (
    Answer,
    OracleReader,
    is_right,
    is_unknown,
)
from mckp.accuracy.report import AccuracyReport
from mckp.accuracy.running import answers, measure
from mckp.renamed import renamed_in

__all__ = [
    "KINDS",
    "WAYS",
    "AccuracyReport",
    "Answer",
    "AnsweringReader",
    "CallReport",
    "EndpointReader",
    "OracleReader",
    "Pairs",
    "Question",
    "Reply",
    "Task",
    "TextQuestion",
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

if not TYPE_CHECKING:  # type checkers are to find names that do not exist
    __getattr__ = renamed_in(
        __name__,
        {"Asked": "TextQuestion", "Reader": "AnsweringReader", "Report": "AccuracyReport"},
    )

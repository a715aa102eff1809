"""Errors carry data, and keep it on the way between processes."""

import pickle

import pytest

from mckp.errors import (
    BudgetError,
    ConfigError,
    DataError,
    MckpError,
    MissingExtraError,
    ParseError,
    PatternError,
    UnknownNameError,
    VerifyError,
    WeightError,
    WorkerError,
)

ALL = [
    BudgetError(3, 5),
    ConfigError("a fault", key="dedup", source="x.toml"),
    DataError("a set", path="$.a"),
    MissingExtraError("ortools", "cpsat"),
    ParseError("bad", line=1, column=2),
    PatternError("a[x]", 3, "an index"),
    UnknownNameError("format", "x", ["csv"]),
    VerifyError("differs", path="$[0]"),
    WeightError("recency", "no number", path="$.a"),
    WorkerError("it ended", exitcode=-9),
]


@pytest.mark.parametrize("error", ALL, ids=lambda error: type(error).__name__)
def test_errors_survive_pickling(error: MckpError) -> None:
    """Every error survives pickling with its message and data."""
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))

"""What type checkers make of calls: mypy and pyright check this file strictly.

A right call has no comment. The comment at each wrong one is an error of mypy's own as soon as it
is not needed, so wrong calls are refused for as long as the file passes.
"""

from collections.abc import Callable
from typing import Any

import pytest

import mckp
from mckp.errors import DataError, PathError, UnknownNameError
from mckp.solvers import SOLVERS, solve

ROWS = [{"id": n, "state": "done", "body": "word " * 9} for n in range(20)]


def test_right_calls_are_accepted() -> None:
    """Thirty right calls pass the type checkers, and each of them runs."""
    names, level = ["json", "table"], "dense"
    results: list[mckp.Result] = [
        mckp.encode(ROWS),
        mckp.encode("# Title\n\nText.\n", kind="markdown"),
        mckp.encode('{"a": 1}', kind="json"),
        mckp.encode("a line\n", kind="text"),
        mckp.encode(ROWS, budget=90),
        mckp.encode(ROWS, budget="4k"),
        mckp.encode(ROWS, budget="50%"),
        mckp.encode(ROWS, tokenizer="cl100k"),
        mckp.encode(ROWS, tokenizer=len),
        mckp.encode(ROWS, formats="standard"),
        mckp.encode(ROWS, formats="csv"),
        mckp.encode(ROWS, formats=["native", "-rows"]),
        mckp.encode(ROWS, formats=("json", "kv")),
        mckp.encode(ROWS, formats=names),
        mckp.encode(ROWS, formats=[level]),
        mckp.encode(ROWS, budget=90, weights="uniform"),
        mckp.encode(ROWS, budget=90, weights=["salience", "position"]),
        mckp.encode(ROWS, budget=90, weights=lambda leaves: [1.0] * len(leaves)),
        mckp.encode(ROWS, budget=190, priorities={"**.id": "pin", "**.body": 0.1}),
        mckp.encode(ROWS, budget=90, priorities=[("[*].body", "drop")]),
        mckp.encode(ROWS, budget=90, priorities=lambda path, value: 2.0),
        mckp.encode(ROWS, budget=90, query="which are done?"),
        mckp.encode(ROWS, budget=90, solver="dp"),
        mckp.encode(ROWS, priorities={"no": "pin"}, on_unmatched="ignore"),
        mckp.encode(ROWS, more="rows(offset={offset})", primer=True),
        mckp.encode(ROWS).at("30%"),
    ]
    policy = mckp.ToolPolicy(budget=300, formats="dense", priorities={"**.log": 0.1})
    encoder = mckp.MessageEncoder(policies={"jobs": policy, "ci_*": 200}, on_error="text")
    assert encoder.encode([]) == []
    assert mckp.pack({"rows": ROWS}, budget=90, solver="auto").tokens <= 90
    assert all(solve([[(0, 0), (4, 9)]], 8, name).value == 9 for name in list(SOLVERS)[:2])
    many = list(mckp.encode_many([ROWS], processes=1, formats="dense"))
    assert not isinstance(many[0], mckp.Failure)
    assert all(result.text for result in results)


WRONG: list[tuple[Callable[[], Any], type[Exception]]] = [
    (lambda: mckp.encode(ROWS, formats="cvs"), UnknownNameError),  # type: ignore[arg-type]
    (lambda: mckp.encode(ROWS, solver="xx"), UnknownNameError),  # type: ignore[arg-type]
    (lambda: mckp.encode(ROWS, weights="age"), UnknownNameError),  # type: ignore[arg-type]
    (lambda: mckp.encode("{}", kind="yaml"), UnknownNameError),
    (lambda: mckp.encode(ROWS, on_unmatched="no"), UnknownNameError),  # type: ignore[arg-type]
    (lambda: mckp.encode(ROWS, budget=1.5), ValueError),  # type: ignore[arg-type]
    (lambda: mckp.encode(ROWS, budgt=90), TypeError),  # type: ignore[call-arg]
    (lambda: mckp.pack({"a": ROWS}, budget=90, solver="xx"), UnknownNameError),  # type: ignore[arg-type]
    (lambda: list(mckp.encode_many([1], formats="yaml")), UnknownNameError),  # type: ignore[arg-type]
    (lambda: mckp.MessageEncoder(budgt=90), TypeError),  # type: ignore[call-arg]
    (lambda: mckp.MessageEncoder(on_error="no"), ValueError),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "error"), WRONG, ids=range(len(WRONG)))
def test_wrong_calls_are_errors_at_run_time_too(
    call: Callable[[], Any], error: type[Exception]
) -> None:
    """A call that type checkers refuse is an error at run time."""
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("[*].bdoy", "matches '[*].bdoy'; did you mean 'body'?"),
        ("**.bdoy", "matches '**.bdoy'; did you mean 'body'?"),
        ("[*].nothing", "; $[*] has body, id, state"),
        ("[20].id", "; $ has [0] to [19]"),
        ("$.rows", "; $ has [0] to [19]"),
    ],
)
def test_a_pin_that_matches_nothing_is_an_error(pattern: str, message: str) -> None:
    """A pin without a match is an error with a suggestion; another pattern is a warning."""
    with pytest.raises(mckp.UnmatchedError) as error:
        mckp.encode(ROWS, budget=90, priorities={pattern: "pin"})
    assert str(error.value).endswith(message)
    assert error.value.pattern == pattern
    with pytest.warns(mckp.UnmatchedWarning, match="nothing in the document matches") as warned:
        mckp.encode(ROWS, budget=90, priorities={pattern: 2})
    assert warned[0].filename == __file__
    with pytest.raises(mckp.UnmatchedError):
        mckp.encode(ROWS, budget=90, priorities={pattern: 2}, on_unmatched="error")


EMPTY: list[tuple[Any, str]] = [
    ([], "[*].body"),
    ({}, "**.body"),
    ({"rows": [], "by": None}, "rows[*].body"),
    ({"rows": [], "by": None}, "by.name"),
    ({"rows": [{"by": {}}]}, "rows[*].by.name"),
    ({"rows": []}, "rows.**.id"),
]


@pytest.mark.parametrize(("data", "pattern"), EMPTY)
def test_where_there_is_nothing_a_pin_is_no_mistake(data: Any, pattern: str) -> None:
    """In empty data, a pin without a match is no error and is listed."""
    result = mckp.encode(data, priorities={pattern: "pin"})
    assert result.unmatched == (pattern,)


def test_why_takes_patterns() -> None:
    """`why` of a pattern explains the first place and lists the others."""
    result = mckp.encode({"jobs": ROWS, "next": 7}, budget=80)
    reason = result.why("jobs[*].body")
    assert (reason.path, len(reason.others)) == (("jobs", 0, "body"), 19)
    assert reason.others[3].to_dict() == result.why("jobs[4].body").to_dict()
    assert str(reason).endswith("and 11 more places")
    assert [further.path for further in result.why("*").others] == [("next",)]
    with pytest.raises(PathError, match="the pattern matches nothing"):
        result.why("**.bdoy")


def test_names_of_the_package_are_the_public_ones() -> None:
    """`dir` of the package lists public names alone."""
    assert {"MessageEncoder", "ToolPolicy", "UnmatchedError"} <= set(dir(mckp))
    assert all(not name.startswith("_") or name.startswith("__") for name in dir(mckp))
    assert not {"annotations", "sys", "MOVED", "Final"} & set(dir(mckp))
    assert issubclass(DataError, mckp.MckpError)

"""Failures, their values, their place and the verdict are worth more than what went well."""

from itertools import pairwise

import pytest

from mckp.texts import outline


def _ranks(text: str) -> dict[str, int]:
    """Return the place of each line by its worth, the best first."""
    made = outline(text)
    starts = made.starts.tolist()
    lines = [text[a:b].strip() for a, b in pairwise(starts)]
    order = sorted(range(len(lines)), key=lambda line: -int(made.worths[line]))
    return {lines[line]: rank for rank, line in reversed(list(enumerate(order)))}


_STEPS = "".join(f"step {i}: copied part_{i}.bin, 0 errors\n" for i in range(60))


@pytest.mark.parametrize(
    "cause",
    [
        "OSError: [Errno 28] No space left on device: 'part_60.bin'",
        "cp: cannot stat 'part_60.bin': Permission denied",
        "collect2: undefined reference to `crane_lift'",
        "thread 'main' panicked at src/main.rs:2:88:",
        "not ok 61 - copies the last part",
        "! [rejected] main -> main (fetch first)",
        "src/copy.ts(3,5): error TS2339: Property 'size' does not exist on type 'Part'.",
        "E1127 03:19:47.850729   24919 copy.go:265] cannot reach store",
        "npm error code ERESOLVE",
        "Process exited with code 137 (OOMKilled)",
    ],
)
@pytest.mark.parametrize("place", [7, 40, 60])
def test_the_one_line_that_failed_is_worth_most(cause: str, place: int) -> None:
    """Among steps that went well, the line of any failure ranks first."""
    lines = _STEPS.splitlines(keepends=True)
    text = "".join([*lines[:place], cause + "\n", *lines[place:]])
    assert _ranks(text)[cause] == 0


def test_zero_and_passed_are_no_alarm() -> None:
    """The failed test and the verdict rank before names of passed tests that speak of errors."""
    good = "".join(f"tests/test_error.py::test_fails_{i} PASSED\n" for i in range(40))
    text = (
        good + "tests/test_a.py::test_b FAILED\n" + good + "==== 1 failed, 80 passed in 2 s ====\n"
    )
    ranks = _ranks(text)
    assert {
        ranks["tests/test_a.py::test_b FAILED"],
        ranks["==== 1 failed, 80 passed in 2 s ===="],
    } == {0, 1}


def test_the_level_of_a_log_counts_and_what_says_zero_does_not() -> None:
    """A warning ranks before lines with `errors=0`."""
    calm = "".join(f"2026-03-01 10:00:{i:02} INFO round {i} errors=0 failed=0\n" for i in range(50))
    odd = "2026-03-01 10:01:00 WARNING round 50 took 9 s"
    assert _ranks(calm + odd + "\n" + calm)[odd] == 0


def test_the_rare_state_of_a_table_is_worth_most() -> None:
    """The row with a rare state ranks first in a listing."""
    rows = [f"api-{i}   1/1   Running            0   {i % 9}d\n" for i in range(30)]
    rows[17] = "api-17  0/1   CrashLoopBackOff   4   3d\n"
    assert (
        _ranks("NAME    READY   STATUS   RESTARTS   AGE\n" + "".join(rows))[rows[17].strip()] == 0
    )


def test_the_odd_one_of_many_findings_is_worth_more_than_the_many() -> None:
    """The finding of a rare code ranks among the first two."""
    many = [f"src/m{i}.py:{i}:80: E501 Line too long ({80 + i} > 79)\n" for i in range(50)]
    odd = "src/m9.py:14:5: F821 Undefined name `crane`"
    text = "".join([*many[:30], odd + "\n", *many[30:], "Found 51 errors.\n"])
    assert _ranks(text)[odd] <= 1


def test_a_program_that_speaks_of_errors_is_read_as_a_program() -> None:
    """Code that raises errors is a program without alarms."""
    text = "".join(
        f"def f{i}(x):\n    if x < {i}:\n        raise ValueError('too small')\n    return x\n\n\n"
        for i in range(20)
    )
    made = outline(text)
    assert made.kind == "program"
    assert int(made.worths.max()) < 1024

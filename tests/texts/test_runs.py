"""What is left of a test run: one message of each failure before what the tests printed."""

import mckp
from mckp import tokenizers
from mckp.texts import outline


def left(text: str, share: float) -> str:
    """Return what is left of a text within a share of its tokens."""
    whole = tokenizers.get("o200k").count(text)
    return mckp.encode(text, budget=int(whole * share)).text


def log_of_go(count: int) -> str:
    """Return what a program logs while its tests run."""
    return "".join(
        f"2026/11/27 10:11:12 {'WARN slow lookup' if n % 3 == 0 else 'INFO computing fare'} "
        f"route=oban-{n} ms={n * 17}\n"
        for n in range(count)
    )


GO = (
    f"=== RUN   TestPorts\n{log_of_go(12)}--- PASS: TestPorts (0.02s)\n"
    f"=== RUN   TestFares\n{log_of_go(12)}"
    '    fares_test.go:199: Fare("oban-craignure", adult) = 7.35, want 7.90\n'
    f"--- FAIL: TestFares (0.21s)\n=== RUN   TestGates\n{log_of_go(12)}"
    "    gates_test.go:20: gate 7 is told\n--- PASS: TestGates (0.01s)\n"
    "FAIL\nFAIL\texample.com/ferry/fares\t0.412s\nFAIL\n"
)


def test_a_failed_assertion_of_go_stays_before_what_the_program_logs() -> None:
    """A failed Go test is kept with its place, without the log of the program."""
    text = left(GO, 0.07)
    assert "fares_test.go:199" in text
    assert "--- FAIL: TestFares" in text
    assert "WARN" not in text
    assert "gates_test.go" not in text


def test_an_assertion_of_go_has_no_line_of_a_log_as_its_head() -> None:
    """The assertion of a Go test is below no line of a log."""
    place = next(n for n, line in enumerate(GO.splitlines()) if "fares_test" in line)
    assert outline(GO).heads[place] == -1


def failure(name: str, message: str) -> str:
    """Return the section of a failure as pytest writes it."""
    printed = "".join(f"trying berth {n} of {name}\n" for n in range(15))
    return (
        f"{f' {name} ':_^80}\n\n    def {name}():\n        ship = moor('{name}')\n"
        f">       assert ship.berth == wanted(ship)\nE       {message}\nE         \n"
        "E         Omitting 4 identical items, use -vv to show\n"
        "E         Full diff: (-: missing in left side, +: extra in left side)...\n\n"
        f"test_ferry.py:14: AssertionError\n{' Captured stdout call ':-^80}\n{printed}"
    )


def test_each_failure_of_pytest_keeps_its_message() -> None:
    """Each failure of pytest keeps its message, without the diff below it."""
    messages = [f"AssertionError: berth {n} is taken by ferry {n * 7}" for n in range(5)]
    sections = "".join(failure(f"test_{n}", message) for n, message in enumerate(messages))
    passed = "".join(f"test_ferry.py::test_ok[{n}] PASSED [ {n}%]\n" for n in range(40))
    title, end = f"{' FAILURES ':=^80}", f"{' 5 failed, 40 passed in 1.20s ':=^80}"
    text = left(f"{passed}\n{title}\n{sections}{end}\n", 0.085)
    assert all(message in text for message in messages)
    assert "Omitting" not in text
    assert "Full diff" not in text
    assert "5 failed, 40 passed" in text


def test_what_tests_print_takes_no_room_from_the_files_that_passed() -> None:
    """All files that passed are kept before what their tests printed."""
    printed = "".join(
        f"  console.log\n    setting up {n}\n\n      at Object.log (t/a.test.js:1:56)\n\n"
        for n in range(8)
    )
    files = "".join(f"{printed}PASS t/{name}.test.js\n" for name in "abcdefghijklmnopqrst")
    text = left(f"{files}\nTest Suites: 20 passed, 20 total\nTests:       80 passed\n", 0.07)
    assert text.count("PASS t/") == 20
    assert text.count("console.log") < 5

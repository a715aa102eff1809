"""Many documents: in order, over processes, and none stops the others."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp import Failure, encode_many, tokenizers
from mckp.batch import ahead
from mckp.batch.worker import Worker
from mckp.errors import UnknownNameError, WorkerError
from mckp.result import Result
from mckp.weights.leaves import Leaf
from tests.strategies import VALUES, examples

ROOT = Path(__file__).parents[1]
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs signals and forks")
RECORDS: list[Any] = [
    {"id": 1},
    '{"a": 1}',
    b"[1,2]",
    "# Title\n\nText.\n",
    mckp.parse('{"a": [1]}'),
    [{"id": n, "name": "x"} for n in range(30)],
]


@pytest.fixture(autouse=True)
def readable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that are not forked can import this module, as they must for its functions."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])


class Deadly:
    """Data that ends the process that reads it, as the lack of memory would."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (7,)


class Elsewhere:
    """Data that only the process it was made in can read."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _only_in, (os.getpid(),)


def _only_in(process: int) -> Elsewhere:
    if process != os.getpid():
        raise LookupError("another process")
    return Elsewhere()


def slow(text: str) -> int:
    """Count characters, and take long over a certain text."""
    if "wait" in text:
        time.sleep(60)
    return len(text)


def broken(text: str) -> int:
    """Count characters of most texts."""
    if "broken" in text:
        raise LookupError("a defect")
    return len(text)


def nested() -> Callable[[str], int]:
    """Return a function that cannot be sent to another process."""

    def count(text: str) -> int:
        return len(text)

    return count


def counted() -> Callable[[Sequence[Leaf]], list[float]]:
    """Return a weight model that cannot be sent to another process."""
    return lambda leaves: [1.0 for _ in leaves]


def numbers(count: int, read: list[int]) -> Iterator[list[int]]:
    for number in range(count):
        read.append(number)
        yield [number]


def plain(outcome: Result | Failure) -> Any:
    if isinstance(outcome, Failure):
        return outcome.index, type(outcome.error), str(outcome.error)
    return outcome


@pytest.mark.parametrize("processes", [1, 2])
def test_results_are_those_of_encode(processes: int) -> None:
    """Each result is that of `encode`, in order, with one process and with two."""
    options: dict[str, Any] = {"budget": 60, "tokenizer": "cl100k", "formats": ["kv", "json"]}
    results = list(encode_many(RECORDS * 20, processes=processes, **options))
    assert results == [mckp.encode(record, **options) for record in RECORDS] * 20


@given(values=st.lists(VALUES | st.just(float("nan")), max_size=8))
@examples(20)
def test_one_process_or_two(values: list[Any]) -> None:
    """The number of processes does not change results."""
    alone, two = (list(map(plain, encode_many(values, processes=n))) for n in (1, 2))
    assert alone == two


@pytest.mark.parametrize("processes", [1, 2])
def test_failures_are_in_the_place_of_their_records(processes: int) -> None:
    """A record that fails is a `Failure` in its place, with its error and number."""
    records = [[1], '{"a": NaN}', {"a": {1}}, [2], lambda: 0, Elsewhere(), [3]]
    outcomes = list(encode_many(records, processes=processes))
    errors = {outcome.index: outcome.error for outcome in outcomes if isinstance(outcome, Failure)}
    assert {index: type(error) for index, error in errors.items()} == {
        2: mckp.DataError,
        4: mckp.DataError,
        5: mckp.DataError,
    }
    assert isinstance(outcomes[1], mckp.Result)
    assert "NaN and Infinity are not JSON" in outcomes[1].notes[0]
    assert str(outcomes[2]).startswith("record 2: ")
    [strict] = encode_many(records[1:2], processes=processes, kind="json")
    assert isinstance(strict, Failure)
    assert isinstance(strict.error, mckp.ParseError)
    assert (strict.error.line, strict.error.column) == (1, 7)
    small = list(encode_many([[1, 2], "a " * 50], processes=processes, budget=4))
    assert isinstance(small[1], Failure)
    assert isinstance(small[1].error, mckp.BudgetError)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_defect_is_a_failure_too(processes: int) -> None:
    """An error that nobody meant is handed out with its record, traceback included."""
    outcomes = list(encode_many([["a"], ["broken"], ["b"]], processes=processes, tokenizer=broken))
    assert [isinstance(outcome, Failure) for outcome in outcomes] == [False, True, False]
    assert isinstance(outcomes[1], Failure)
    assert isinstance(outcomes[1].error, LookupError)
    if processes > 1:
        assert "in another process" in outcomes[1].error.__notes__[0]
        assert "in broken" in outcomes[1].error.__notes__[0]


@pytest.mark.parametrize("deadly", [{0}, {39}, {5, 6, 30}])
def test_a_process_that_dies_takes_only_its_record_along(deadly: set[int]) -> None:
    """The end of a process is the failure of the record it was at; all others are encoded."""
    records = [Deadly() if n in deadly else [n] for n in range(40)]
    outcomes = list(encode_many(records, processes=2))
    lost = {outcome.index: outcome.error for outcome in outcomes if isinstance(outcome, Failure)}
    assert lost.keys() == deadly
    for error in lost.values():
        assert isinstance(error, WorkerError)
        assert error.exitcode == 7
    assert [outcome.text for outcome in outcomes if not isinstance(outcome, Failure)] == [
        f"[{n}]" for n in range(40) if n not in deadly
    ]


def test_a_process_that_ends_while_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that are killed while they wait are replaced, and no record is lost."""
    begun: list[Worker] = []

    class Begun(Worker):
        def __init__(self, context: Any, setup: bytes) -> None:
            super().__init__(context, setup)
            begun.append(self)

    monkeypatch.setattr(ahead, "Worker", Begun)

    def source() -> Iterator[list[int]]:
        for number in range(6):
            if number == 3:
                assert all(worker.link.poll(60) for worker in begun), "until they wait"
                for child in multiprocessing.active_children():
                    child.kill()
                    child.join()
            yield [number]

    texts = [plain(outcome).text for outcome in encode_many(source(), processes=2)]
    assert texts == [f"[{number}]" for number in range(6)]


@pytest.mark.parametrize("processes", [1, 2])
def test_reading_is_only_a_little_ahead(processes: int) -> None:
    """Records are read lazily, and only a bounded number ahead."""
    read: list[int] = []
    outcomes = encode_many(numbers(10**9, read), processes=processes)
    assert read == []
    for given_out in range(1, 400):
        next(outcomes)
        room = ahead.CHUNKS_AHEAD * ahead.MAX_RECORDS * processes if processes > 1 else 0
        assert len(read) <= given_out + room
    outcomes.close()
    assert multiprocessing.active_children() == []


def test_large_records_are_not_held_in_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of large records, only a few are read ahead."""
    monkeypatch.setattr(ahead, "BYTES_AHEAD", 100_000)
    read: list[int] = []
    records = (numbers(1, read).__next__() * 20_000 for _ in range(40))
    outcomes = encode_many(records, processes=2)
    for given_out in range(1, 20):
        next(outcomes)
        assert len(read) <= given_out + 8
    outcomes.close()


def test_a_slow_source_is_not_waited_for() -> None:
    """Results of a slow source are given out while it is still being read."""
    read: list[int] = []

    def source() -> Iterator[list[int]]:
        for record in numbers(500, read):
            time.sleep(0.05)
            yield record

    outcomes = encode_many(source(), processes=2)
    next(outcomes)  # a process has begun, which takes as long as it takes
    begun = len(read)
    for _ in range(20):
        next(outcomes)
    assert len(read) < begun + 40
    outcomes.close()


@pytest.mark.parametrize("processes", [1, 2])
def test_an_iterator_that_fails(processes: int) -> None:
    """The error of the records' own iterator comes after the results of what it gave."""

    def source() -> Iterator[Any]:
        yield [1]
        yield [2]
        raise LookupError("no more")

    outcomes = encode_many(source(), processes=processes)
    assert [plain(next(outcomes)).text for _ in range(2)] == ["[1]", "[2]"]
    with pytest.raises(LookupError, match="no more"):
        next(outcomes)
    assert multiprocessing.active_children() == []


def test_closing_ends_processes_at_once() -> None:
    """Closing the results ends the processes in the middle of their records."""
    outcomes = encode_many([[1], ["wait"], ["wait"], [2]], processes=2, tokenizer=slow)
    start = time.monotonic()
    assert plain(next(outcomes)).text == "[1]"
    assert multiprocessing.active_children()
    outcomes.close()
    assert time.monotonic() - start < 50  # a record takes 60 s
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"processes": 0}, ValueError, "processes must be a whole number, 1 or more"),
        ({"processes": 1.5}, ValueError, "processes must be a whole number, 1 or more"),
        ({"processes": True}, ValueError, "processes must be a whole number, 1 or more"),
        ({"budget": -1}, ValueError, "a budget must be a whole number"),
        ({"solver": "zip"}, UnknownNameError, "unknown solver"),
        ({"formats": 3}, TypeError, "formats must be names"),
        ({"formats": "zip"}, UnknownNameError, "unknown format"),
        ({"tokenizer": "zip"}, UnknownNameError, "unknown tokenizer"),
        ({"kind": "zip"}, UnknownNameError, "unknown kind"),
        ({"tokenizer": nested()}, TypeError, "tokenizer cannot be sent .* or set processes=1"),
        ({"weights": counted()}, TypeError, "weights cannot be sent"),
    ],
)
def test_what_no_record_could_change_is_refused_at_once(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    """Wrong options and sources are errors of the call itself."""
    chosen: dict[str, Any] = {"processes": 2, **options}
    with pytest.raises(error, match=message):
        encode_many([[1]] * 3, **chosen)
    with pytest.raises(TypeError, match="not iterable"):
        encode_many(7)  # type: ignore[arg-type]


def test_no_records() -> None:
    """Without records there are no results."""
    assert list(encode_many([])) == []
    assert list(encode_many(iter(()), processes=2)) == []


def test_outcomes_survive_pickling() -> None:
    """Results and failures survive pickling."""
    outcomes = list(encode_many([RECORDS[-1], {"a": {1}}], processes=1, budget=60))
    assert [type(outcome) for outcome in outcomes] == [mckp.Result, Failure]
    for outcome in outcomes:
        assert plain(pickle.loads(pickle.dumps(outcome))) == plain(outcome)


def test_progress_is_reported() -> None:
    """A function hears how far it is, and of how many records if there is a length."""
    heard: list[tuple[int, int | None]] = []

    def tell(done: int, total: int | None) -> None:
        heard.append((done, total))

    list(encode_many([[1], [2]], processes=1, progress=tell))
    assert heard == [(0, 2), (1, 2), (2, 2)]
    heard.clear()
    list(encode_many(iter([[1]]), processes=1, progress=tell))
    assert heard == [(0, None), (1, None)]


def test_a_bar_is_drawn_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Progress is drawn on standard error, and a wrong `progress` is an error."""
    list(encode_many([[1]] * 3, processes=2, progress=True))
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "3/3" in shown.err
    with pytest.raises(TypeError, match="progress must be True, False or a function"):
        encode_many([], progress=3)  # type: ignore[arg-type]


_DAEMON = """
import multiprocessing
import mckp

def texts(records):
    return [each.text for each in mckp.encode_many(records, processes=4)]

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.apply(texts, ([[1], [2]],)))
"""


def test_a_daemon_works_alone(tmp_path: Path) -> None:
    """A daemonic process, which may have no children, encodes by itself."""
    script = tmp_path / "daemon.py"
    script.write_text(_DAEMON)
    done = subprocess.run([sys.executable, script], capture_output=True, check=True, timeout=60)
    assert done.stdout.decode().strip() == "['[1]', '[2]']"


@POSIX
def test_a_program_with_threads_is_not_forked() -> None:
    """A program with threads starts its processes without a fork."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert ahead.start_method() != "fork"
    finally:
        done.set()
        thread.join()


@dataclass
class Letters:
    name: str = "letters"
    exact: bool = True
    additive: bool = True

    def count(self, text: str) -> int:
        return len(text)

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        return list(map(len, texts))


def test_registered_tokenizers_come_along() -> None:
    """Processes count with tokenizers that the caller registered."""
    tokenizers.register("letters", Letters)
    result = next(encode_many([[1], [2]], processes=2, tokenizer="letters"))
    assert (plain(result).tokens, plain(result).tokenizer) == (3, "letters")


SCRIPT = """
import multiprocessing, sys, time
import mckp

def main():
    multiprocessing.set_start_method(sys.argv[1])
    found = mckp.encode_many([[n] for n in range(int(sys.argv[2]))], processes=2)
    for number, each in enumerate(found):
        assert each.text == f"[{number}]"
        if number == 3:
            print("began", flush=True)
    print(number)

GUARD
"""


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_every_way_to_start_processes(method: str, tmp_path: Path) -> None:
    """Results come in order with each way to start processes."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("GUARD", 'if __name__ == "__main__":\n    main()'))
    command = [sys.executable, str(script), method, "90"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout.split(), done.stderr) == (["began", "89"], "")


def test_a_script_without_a_guard_is_an_error(tmp_path: Path) -> None:
    """A script that every process runs from the start ends with an error, not never."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("GUARD", "main()"))
    command = [sys.executable, str(script), "spawn", "90"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "WorkerError" in done.stderr
    assert "__main__" in done.stderr


@POSIX
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_ctrl_c_ends_all(method: str, tmp_path: Path) -> None:
    """One Ctrl-C at the terminal ends all processes, at once and with one traceback."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("GUARD", 'if __name__ == "__main__":\n    main()'))
    with subprocess.Popen(
        [sys.executable, str(script), method, "1000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline() == "began\n"
        os.killpg(child.pid, signal.SIGINT)
        # Standard error is closed when the last process is gone.
        shown = child.stderr.read()
    assert shown.count("KeyboardInterrupt") == 1
    assert child.returncode == -signal.SIGINT


@pytest.mark.parametrize("document", ["[1]", b"[1]", {"a": 1}])
def test_a_single_document_is_no_records(document: Any) -> None:
    """A text or mapping in place of records is an error."""
    with pytest.raises(TypeError, match="put a single document into a list"):
        encode_many(document)

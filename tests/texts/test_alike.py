"""Lines that are equal but for numbers are folded, and a gap of such lines says so."""

import pytest

import mckp
from mckp.texts import outline
from tests.aligned import kept_lines


def access_log(lines: int) -> list[str]:
    return [
        f"10:{n // 60:02}:{n % 60:02} INFO GET /users/{n * 37 % 1000} 200" for n in range(lines)
    ]


def test_what_is_unlike_goes_first_and_what_is_alike_fills_the_rest() -> None:
    """A log of equal lines keeps its ends and its error; more budget unfolds more lines."""
    rows = access_log(400)
    rows[233] = "10:03:53 ERROR disk full on /dev/sda1"
    text = "\n".join(rows)
    small, half = (mckp.encode(text, budget=budget, kind="text") for budget in (240, "50%"))
    few, many = (kept_lines(text, result.text) for result in (small, half))
    assert len(few) < 15
    assert {1, 2, 233, 234, 235, 400} <= set(few) < set(many)
    assert len(many) > 150
    assert half.tokens > 0.95 * mckp.encode(text, kind="text").tokens / 2
    marks = [line for line in small.text.split("\n") if line.startswith("…")]
    assert all(line.endswith(" alike") for line in marks)
    gone = {key for cut in small.elided for key in cut.keys}
    assert gone == set(range(1, 401)) - set(few)


def test_a_list_of_facts_is_not_alike() -> None:
    """Lines that differ in what they say, such as addresses, are lines of their own."""
    names = "".join(f"10.4.{n}.7 crane-{n}.port crane-{n}\n" for n in range(40))
    prices = "".join(f"Rope of kind {n}: {n + 3}.{n % 10}5 EUR\n" for n in range(40))
    sums = "".join(f"{(n + 1) * 7919**3 % 16**10:010x}a1f  part {n}\n" for n in range(40))
    for text in (names, prices, sums):
        assert not outline(text).folded.any()
    assert outline("".join(f"fetched {n} of 40 pages\n" for n in range(40))).folded.any()


def test_folding_can_be_turned_off() -> None:
    """Without folding, no line is worth less because others are like it."""
    text = "\n".join(access_log(200))
    assert not outline(text, folds=False).folded.any()
    assert "alike" in mckp.encode(text, budget="20%", kind="text").text
    assert "alike" not in mckp.encode(text, budget="20%", kind="text", fold=False).text


@pytest.mark.slow
def test_what_is_alike_in_other_words_is_not_folded() -> None:
    """A line that differs in a word is not folded, and is kept."""
    rows = access_log(40)
    rows[20] = rows[20].replace("GET", "PUT")
    text = "\n".join(rows)
    outlined = outline(text)
    assert not outlined.folded[20]
    assert outlined.alike[20] == -1
    assert rows[20] in mckp.encode(text, budget="20%", kind="text").text
    for budget in range(20, 300, 20):
        kept_lines(text, mckp.encode(text, budget=budget, kind="text").text)


def test_a_number_that_is_much_larger_than_its_fellows_stays() -> None:
    """Of lines that differ in numbers, the one with a far larger number is kept."""
    rows = [f"request {n % 90 + 10} took {n % 7 + 2} ms" for n in range(200)]
    rows[150] = "request 60 took 93125 ms"
    assert rows[150] in mckp.encode("\n".join(rows), budget="20%", kind="text").text


def test_what_is_asked_for_is_not_folded() -> None:
    """The line that a query asks for is kept among its like."""
    text = "\n".join(access_log(200))
    asked = access_log(200)[133]
    result = mckp.encode(text, budget="20%", kind="text", query=asked.split(" ")[3])
    assert asked in result.text


def test_programs_numbered_reads_and_rows_of_numbers_are_not_folded() -> None:
    """Lines of programs, numbered reads and rows of numbers are not alike."""
    program = "".join(f"def rule_{n}(x):\n    return x + {n}\n\n\n" for n in range(20))
    numbered = "".join(f"{n:4}\tline {n} of the file is here\n" for n in range(1, 40))
    numbers = "".join(f"{n} {n * n} {n * 7}\n" for n in range(40))
    for text in (program, numbered, numbers):
        assert (outline(text).alike == -1).all()


def test_a_line_of_the_source_that_looks_like_a_fold_is_kept_apart() -> None:
    """A source line that resembles a fold is escaped and reads back."""
    text = "first\n…2-5 alike\nlast\n"
    assert mckp.encode(text, kind="text").text == "first\n\\…2-5 alike\nlast\n"
    assert mckp.decode("first\n\\…2-5 alike\nlast\n").source == text


def test_failures_that_are_alike_stay_if_there_is_room() -> None:
    """Errors go before warnings and these before information, as far as the budget reaches."""
    rows = access_log(4000)
    for n in range(7, 4000, 20):
        rows[n] = rows[n].replace("INFO", "ERROR").replace("200", "503")
    for n in range(3, 4000, 10):
        rows[n] = rows[n].replace("INFO", "WARN").replace("200", "429")
    text = "\n".join(rows)
    tokens = mckp.encode(text, kind="text").tokens
    few, all_of_them = (
        mckp.encode(text, budget=int(tokens * share), kind="text") for share in (0.02, 0.3)
    )
    assert all_of_them.text.count(" ERROR GET") == 200
    assert all_of_them.text.count(" WARN GET") == 400
    assert few.text.count(" INFO ") < 20
    assert few.text.count(" ERROR ") > 3 * few.text.count(" WARN ")
    assert few.tokens > 0.95 * int(tokens * 0.02)


def test_what_reports_no_failure_is_folded() -> None:
    """Lines that report zero errors are folded."""
    text = "".join(f"12:00:{n % 60:02} INFO pass {n}: 0 errors, errors=0\n" for n in range(400))
    assert outline(text).folded.sum() > 380

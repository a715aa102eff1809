"""What tools write around each output is worth little; what says where it is from, something."""

import mckp
from mckp.texts import TextKind, kind_of, outline

RUN = """shape of the table: (5183, 12)
first rows of the table
participant 7 scored 31 points
participant 9 scored 12 points
average of all participants: 18.4
=== EXECUTION INFO ===
Return code: 0
Execution time: 0.458 seconds
Timeout limit: 30 seconds
"""


def test_how_long_a_successful_run_took_is_worth_little() -> None:
    """The footer of a run is worth little if it succeeded, and more if it failed."""
    worths = outline(RUN).worths
    assert worths[7:].max() < worths[:5].min()
    failed = outline(RUN.replace("Return code: 0", "Return code: 1")).worths
    assert failed[7:].min() > worths[7:].max()


def test_the_time_of_a_query_plan_is_no_such_noise() -> None:
    """The execution time of a query plan keeps its worth."""
    plan = "Seq Scan on events (rows=43)\nPlanning Time: 0.8 ms\nExecution Time: 294.4 ms\n"
    worths = outline(plan).worths
    assert worths[2] > 100


def test_programs_quoted_by_warnings_do_not_make_an_output_a_program() -> None:
    """An output that quotes code in warnings is no program."""
    text = "".join(
        f"/app/core/m{n}.py:{n}: DeprecationWarning: the name m{n} has moved to core.names\n"
        f"  from core import m{n}\n"
        for n in range(1, 5)
    )
    text += "the matrix has 6 rows\nversion of the library: 1.1.2\n"
    assert kind_of(text) is not TextKind.PROGRAM
    assert kind_of("from core import m1\n\n\ndef total(rows):\n    return sum(rows)\n") is (
        TextKind.PROGRAM
    )
    assert "version of the library: 1.1.2" in mckp.encode(text, budget="30%", kind="text").text


def test_a_deprecation_is_a_warning_and_no_failure() -> None:
    """A deprecation is worth less than half of an error."""
    rows = [f"step {n} has copied {n * 37} files to the disk" for n in range(30)]
    rows[11] = "m.py:3: DeprecationWarning: use the new names"
    rows[19] = "m.py:9: RecursionError: maximum recursion depth exceeded"
    worths = outline("\n".join(rows)).worths
    assert worths[19] > 2 * worths[11] > 0


def test_of_a_search_engine_the_first_result_shows_its_words() -> None:
    """The snippet of the first search result is worth more than twice that of the fourth."""
    words = "it describes how tides are computed for each harbor of the northern coast"
    text = "".join(
        f"Title: Tides of harbor {n}\nLink: https://tides.example/{n}\n"
        f"Snippet: In chapter {n} {words}, and what is left out.\n\n"
        for n in range(1, 7)
    )
    worths = outline(text).worths.reshape(6, 4)
    titles, links, snippets, _ = worths.T
    assert (links > 0).all()
    assert (titles > 0).all()
    assert (snippets[1:] <= snippets[:-1]).all()
    assert snippets[0] > 2 * snippets[3]
    assert f"In chapter 1 {words}" in mckp.encode(text, budget="40%", kind="text").text


def test_labeled_values_of_a_document_stay() -> None:
    """A labelled amount is worth more than three times the sentence before it."""
    filler = "The buyer agrees to the terms of sale that the seller has published before"
    rows = ["=== Page 1 ===", "INVOICE", *[f"{filler} ({n})." for n in range(40)]]
    rows[35] = "Total Amount: $13,857.73"
    text = "\n".join(rows)
    worths = outline(text).worths
    assert worths[35] > 3 * worths[34]


def test_the_extent_of_a_file_that_is_shown_is_worth_something() -> None:
    """The line that says how much of a file is shown is worth something."""
    rows = "".join(f"{n}:The harbor has {n} berths for small boats.\n" for n in range(1, 80))
    for line in ("[File: /app/harbor.txt (1118 lines total)]", "Showing lines 1-79 of 1118"):
        worths = outline(f"{line}\n{rows}").worths
        assert worths[0] >= 200


def test_a_line_of_counts_sums_up_what_was_done() -> None:
    """A line of counts is kept wherever it is, and a sentence with numbers is none."""
    steps = [f"Conf libtide{n} (2.1.{n}-1 Harbor:12/oldstable [all])" for n in range(40)]
    tally = "3 upgraded, 40 newly installed, 0 to remove and 2 not upgraded."
    for place in (5, 40):
        rows = [*steps[:place], tally, *steps[place:]]
        assert tally in mckp.encode("\n".join(rows), budget="10%", kind="text").text
    end = "Contracts: 4 kept, 0 broken."
    assert end in mckp.encode("\n".join([*steps, "", end]), budget="10%", kind="text").text
    prose = "We had 3 boats, and 9 people came to see them."
    assert outline("\n".join([*steps, prose, *steps])).worths[40] < 1024


def test_what_will_be_done_is_no_failure() -> None:
    """An announced installation is no failure, and an announced destruction is worth more."""
    rows = [f"fetched page {n} of the list of packages" for n in range(20)]
    rows[9] = "The following additional packages will be installed:"
    rows[14] = "module.tide will be destroyed"
    worths = outline("\n".join(rows)).worths
    assert worths[9] < 500 < worths[14]


def test_a_failure_among_sentences_is_worth_more_than_the_beginning() -> None:
    """A fatal error among sentences is kept."""
    rows = [f"The harbor of town {n} was opened again on the first of May." for n in range(40)]
    rows[30] = "Fatal error: The server of the harbor refused the connection."
    text = "\n".join(rows)
    assert rows[30] in mckp.encode(text, budget="20%", kind="text").text

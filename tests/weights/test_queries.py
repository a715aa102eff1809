"""Relevance: what a query asks for comes first, and nothing is excluded."""

from typing import Any

import pytest

from mckp import TreeNode, decode, encode, parse
from mckp.jsontext import path_text
from mckp.weights import Relevance, weighed
from mckp.weights.leaves import leaves
from mckp.weights.queries import line_factors, scoring_units
from mckp.weights.terms import words_of
from tests.cases import cases


def factors(value: Any, query: str, **settings: Any) -> list[float]:
    return Relevance(query, **settings)(leaves(TreeNode.of(value)))


def test_records_that_match_are_kept_whole_and_first() -> None:
    """The more records there are, the more the one that is meant gains over the others."""
    jobs = [{"id": n, "state": "ok", "log": "quiet"} for n in range(200)]
    jobs[150]["state"] = "failed"
    weights = factors({"jobs": jobs}, "which of them failed?")
    meant, rest = weights[450:453], [*weights[:447], *weights[456:]]
    assert min(meant) > 100 * max(rest)
    result = encode({"jobs": jobs}, budget=60, query="which of them failed?")
    assert jobs[150] in decode(result.text)["jobs"]


def test_ids_and_paths_are_compared_whole() -> None:
    """Long ids that begin alike are different words."""
    files = [{"id": f"0001193125-{n:06}", "path": f"src/mod{n}/main.py"} for n in range(100)]
    for query in ("size of 0001193125-000077", "open src/mod77/main.py"):
        weights = factors(files, query)
        assert max(weights) == max(weights[154:156])
        assert sorted(weights)[-3] < max(weights) / 2


def test_numbers_and_dates_are_compared_by_what_they_say() -> None:
    """A query finds dates and numbers in other notations."""
    rows = [{"at": f"2026-{m:02}-11T09:00:00Z", "n": 1000 * m} for m in range(1, 13)]
    assert max(weights := factors(rows, "what was on 11 March 2026")) == weights[4]
    assert max(weights := factors(rows, "the one with 7,000")) == weights[13]


def test_names_match_as_values_do() -> None:
    """Names are taken apart, those above too, and words are compared without endings."""
    record = {"createdAt": 1, "user_id": 2, "branches": "x", "errors": [{"code": 3}], "x": 4}
    for number, query in enumerate(("created", "users", "branch?", "ERROR")):
        weights = factors(record, query)
        assert max(weights) == weights[number] > 1


def test_a_named_column_gains_in_all_rows() -> None:
    """A column that a query names gains equally in all rows."""
    rows = [{"id": n, "response_status": "accepted", "note": f"n {n}"} for n in range(30)]
    weights = factors(rows, "count the response status of all")
    assert weights[1] > 2 * weights[0]
    assert weights[1::3] == pytest.approx([weights[1]] * 30)


def test_a_long_request_is_less_sure() -> None:
    """Words that are nowhere in the document take from what is made of the others."""
    rows = [{"id": n, "text": f"word{n} and more"} for n in range(50)]
    short = factors(rows, "word7")
    long = factors(rows, "word7 " + " ".join(f"unrelated{n}" for n in range(80)))
    assert max(short) > 5 * max(long)


@pytest.mark.parametrize("query", ["nothing of this", "", "?!"])
def test_without_a_match_all_are_alike(query: str) -> None:
    """A query that asks for something else, or for nothing, changes nothing."""
    assert factors([{"a": "one"}, {"b": "two"}], query) == [1, 1]


def test_small_words_say_nothing() -> None:
    """Small words of a query are ignored, unless it has no others."""
    first, last = factors([{"a": "it is the"}, {"b": "job"}], "which is the job?")
    assert first < last
    first, last = factors([{"a": "it is the"}, {"b": "job"}], "is it?")
    assert first > last


def test_sections_are_scored_with_their_headings() -> None:
    """What is under the heading that was asked for counts more than what does not."""
    text = "Before.\n\n# Use\n\nRun it.\n\n## Install\n\nWith pip.\n\n# Licence\n\nFree.\n"
    blocks = leaves(parse(text))
    assert [list(unit.values()) for unit in scoring_units(blocks)] == [
        [[0], [1, 2], [3, 4], [5, 6]]
    ]
    values = Relevance("how to install it")(blocks)
    assert sorted(range(7), key=lambda n: -values[n])[:2] == [3, 4]


def test_units_of_data() -> None:
    """The units of a query are elements of arrays, members of maps of records, and other values."""
    data_leaves = leaves(TreeNode.of({"a": {"b": 1, "c": [{"d": [2, 3]}, 4]}, "e": 5}))
    assert [sorted(unit) for unit in scoring_units(data_leaves)] == [[0, 1], [0, 1], [0, 4]]
    people = {name: {"age": n, "town": "x"} for n, name in enumerate(("ann", "bob", "cyd"))}
    assert [sorted(unit) for unit in scoring_units(leaves(TreeNode.of(people)))] == [
        ["ann", "bob", "cyd"]
    ]
    assert factors(people, "how old is bob")[2:4] == [max(factors(people, "how old is bob"))] * 2
    assert scoring_units(leaves(TreeNode.of(7))) == []


@pytest.mark.parametrize(
    ("text", "words"),
    cases(__file__, "test_words"),
)
def test_words(text: str, words: list[str]) -> None:
    """A query has these words."""
    assert words_of(text) == words


def test_a_query_is_one_more_factor() -> None:
    """It multiplies with the models, and pins stay pins."""
    tree = TreeNode.of([{"a": "yes"}, {"a": "no"}])
    weights = weighed(tree, query="yes", priorities={"[1]": "pin"})
    alone = Relevance("yes")(leaves(tree))
    assert weights.sums == pytest.approx([0, alone[0], sum(alone)])
    assert weights.pins == [0, 0, 1]


def test_a_query_is_a_text() -> None:
    """A query that is no string is an error."""
    with pytest.raises(TypeError, match="a query must be a string, not"):
        weighed(TreeNode.of([1]), query=["a"])  # type: ignore[arg-type]


def test_lines_that_match_are_kept() -> None:
    """A line of a plain text that has what is asked stays where few lines do."""
    lines = [
        f"2026-05-01 worker {n} handled request {n * 7919 % 1000:03} in {n % 17} ms"
        for n in range(300)
    ]
    lines[211] = "2026-05-01 worker 211 handled request pay-4471 in 3 ms"
    text = "\n".join(lines)
    assert lines[211] not in encode(text, budget=120).text
    asked = "what became of the request pay-4471?"
    assert lines[211] in encode(text, budget=120, query=asked).text
    assert line_factors(lines, "nothing of this") == [1.0] * 300


@pytest.mark.parametrize("budget", ["50%", "20%", "15%"])
def test_what_is_asked_for_stays_of_a_long_text(budget: str) -> None:
    """What a request asks for is kept of a long text; without one, its beginning is."""
    filler = [
        "Fish is sold in the morning.", "The railway stops behind the house.",
        "A path leads to the lighthouse.", "The museum opens at ten.",
    ]  # fmt: skip
    pages = [
        {"url": f"https://guide.example/{n}", "content": " ".join(filler * 6), "score": 1 - n / 9}
        for n in range(4)
    ]
    said = "A berth for a yacht of 12 m costs 38 euro a night."
    pages[2]["content"] = " ".join([*filler * 3, said, *filler * 3])
    result = encode({"results": pages}, budget=budget, query="berth fee for a 12 m yacht")
    assert said in result.text
    assert said in str(decode(result.text))
    if budget != "50%":
        assert said not in encode({"results": pages}, budget=budget).text


def factors_by_path(data: object, query: str) -> dict[str, float]:
    """Return the factor of each leaf by its path."""
    named = leaves(TreeNode.of(data))
    pairs = zip(named, Relevance(query)(named), strict=True)
    return {path_text(leaf.path): factor for leaf, factor in pairs}


def test_what_the_reader_says_itself_is_no_match() -> None:
    """An only object that was asked for by its ids is not asked for these ids."""
    booking = {"booking_id": "K7XQ2", "user_id": "ann_lee_7", "from": "OSL", "to": "BGO", "bags": 2}
    assert set(
        factors_by_path(booking, "my user ID is ann_lee_7, the booking ID is K7XQ2").values()
    ) == {1}
    by_name = factors_by_path(booking, "how many bags has booking K7XQ2?")
    assert max(by_name, key=by_name.__getitem__) == "$.bags"
    several = factors_by_path(
        [booking, {**booking, "booking_id": "M11AA"}, {**booking, "bags": 1}], "M11AA"
    )
    assert several["$[1].to"] > 2 * several["$[0].to"], "of several, the id says which one is meant"


def test_records_by_numbers_are_records() -> None:
    """The entry of a map by numbers that a query describes gains, and no other."""
    stock = {
        str(10_000 + n): {"ram": 8 * (n % 4 + 1), "color": ("red", "blue")[n % 2]} for n in range(9)
    }
    stock["10007"]["color"] = "grey"
    factor = factors_by_path({"stock": stock}, "the grey one, please")
    grey = [value for path, value in factor.items() if "10007" in path]
    assert min(grey) > 3 * max(value for path, value in factor.items() if "10007" not in path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "column"),
    [
        ("which order has the highest total price?", "total_price"),
        ("how many orders are refunded?", "status"),
        ("when was the latest order placed?", "created_at"),
        ("the heaviest order", "weight_kg"),
        ("what is the sum of weight?", "weight_kg"),
    ],
)
def test_questions_about_all_rows_favour_a_column(query: str, column: str) -> None:
    """A count, a sum or an extreme needs one column of all rows rather than whole rows."""
    orders = [
        {
            "id": f"ord_{n:03}", "customer": f"customer {n}", "email": f"user{n}@example.org",
            "created_at": f"2026-{n % 12 + 1:02}-07T10:00:00Z", "carrier": ("Bring", "DHL")[n % 2],
            "status": "refunded" if n % 9 == 4 else "paid", "total_price": 3 * n + 0.5,
            "weight_kg": n % 7 + 0.25, "city": ("Oslo", "Bergen")[n % 2],
        }
        for n in range(90)
    ]  # fmt: skip
    result = encode({"orders": orders}, budget="20%", query=query)
    rows = decode(result.text)["orders"]
    assert sum(column in row for row in rows) >= 60
    meant = decode(encode({"orders": orders}, budget="20%", query="all of order ord_042").text)
    assert orders[42] in meant["orders"], "an id is more telling than a word such as all"


BOOKING: dict[str, object] = {
    "booking_id": "Q4TZ81", "user_id": "ida_berg_41", "from": "OSL", "to": "BGO",
    "cabin": "coach", "people": [{"first": "Ida", "last": "Berg"}, {"first": "Jon", "last": "Lie"}],
    "created": "2026-03-01T10:00:00", "bags": 2, "insured": False,
}  # fmt: skip


def by_path(value: Any, query: str) -> dict[str, float]:
    """Return the factor of each leaf by its path; of an array the largest of its records."""
    found: dict[str, float] = {}
    places = [leaf.path for leaf in leaves(TreeNode.of(value))]
    for path, factor in zip(places, factors(value, query), strict=True):
        name = ".".join(step for step in path if isinstance(step, str))
        found[name] = max(factor, found.get(name, 0.0))
    return found


def test_thanks_ask_for_no_total() -> None:
    """Of several sentences, one with a word such as *most* asks only if the document has more."""
    thanked = by_path(
        BOOKING, "My address is ida@example.org. You are the most patient of them all!"
    )
    plain = by_path(BOOKING, "My address is ida@example.org.")
    assert thanked["people.first"] < 2 * plain["people.first"]
    assert thanked["from"] > 0.5


def test_an_id_that_the_reader_names_lifts_no_other_id() -> None:
    """An id of the asker lifts no other id; asking for that id does."""
    assert by_path(BOOKING, "my user id is ida_berg_41")["booking_id"] < 1.2
    assert by_path(BOOKING, "what is the booking id?")["booking_id"] > 2


def test_an_extreme_names_its_column_beside_another() -> None:
    """A query for "the cheapest" lifts prices, although it has a word of another column."""
    flights = [
        {"number": f"HX{n}", "from": "OSL", "to": "BGO", "departs": f"{n % 24:02}:10",
         "prices": {"coach": 90 + 7 * n, "first": 300 + n}, "seats": {"coach": n, "first": 9 - n}}
        for n in range(9)
    ]  # fmt: skip
    by_column = by_path(flights, "open to any number, as long as it is the cheapest")
    assert by_column["prices.coach"] > 3 * by_column["departs"]
    assert by_column["prices.coach"] > 3 * by_column["seats.coach"]


def test_an_article_begins_with_what_it_is_about() -> None:
    """Without a question the first sentences stay, with one those that match, wherever."""
    towns = ("Arna", "Bryne", "Ceska", "Dale", "Egge", "Foss", "Grua", "Hell", "Ise", "Jaren")
    text = "\n".join(
        f"In {town} a ferry is built by people who live near the sea." for town in towns
    )
    assert towns[0] in encode(text, budget="40%").text
    asked = encode(text, budget="40%", query="what is built in Jaren").text
    assert "Jaren" in asked

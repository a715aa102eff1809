"""Which columns records get, and what they cost where records are odd."""

import random
from typing import Any, Final

import pytest
from hypothesis import given

from mckp import encode
from mckp.encoders.free_text import is_text
from mckp.encoders.infer import record_shape
from mckp.encoders.native import write_table
from mckp.encoders.records import Records
from mckp.encoders.row_writer import misfit_rows
from mckp.encoders.shapes import Group
from mckp.jsontext import is_array, is_object
from tests.cases import cases
from tests.strategies import TABLES, examples


def columns(values: list[Any], *, inline: bool = False) -> str | None:
    """Return the header of records, with their constants, or None if they are no table."""
    record = record_shape(values, inline=inline)
    if record is None:
        return None
    table = write_table(record, Records.of(values))
    return "\n".join(filter(None, [table.columns, table.constants]))


COLUMNS: Final[list[tuple[list[Any], str | None]]] = cases(__file__, "COLUMNS")


@pytest.mark.parametrize(("values", "header"), COLUMNS)
def test_columns_of_records(values: list[Any], header: str | None) -> None:
    """Each column of records is written in its shortest form."""
    assert columns(values) == header


def test_an_object_that_may_lack_keeps_a_cell() -> None:
    """Text is not moved to the end of a row where nothing else shows its object."""
    errors: list[Any] = [{"n": "x", "error": {"message": "no route"}} for _ in range(4)]
    values = [{**error, "m": place} for place, error in enumerate([*errors, {"n": "y"}])]
    assert columns(values) == "{n error?{message\t} m}"


@pytest.mark.parametrize("inline", [True, False])
@pytest.mark.parametrize(
    "text",
    ["", " x", "x ", "-", "1", "null", "=x", '"x', "[x", "{x", "<3", "/x", ">x", "a\tb"],
)
def test_what_is_no_free_text(text: str, inline: bool) -> None:
    """Text that looks like a word, or begins like one that means something, is quoted."""
    assert not is_text(text, inline=inline)


@pytest.mark.parametrize("text", ["say; x", 'say "x"', "x]", "a{b}"])
def test_within_a_line_brackets_end_free_text(text: str) -> None:
    """Quotes, brackets and semicolons need quoting only where the text shares its line."""
    assert is_text(text, inline=False)
    assert not is_text(text, inline=True)


@given(values=TABLES)
@examples(200)
def test_every_record_fits_its_shape(values: Any) -> None:
    """The shape inferred from records fits each of them."""
    if not is_array(values):
        return
    shape = record_shape(values, inline=False)
    if isinstance(shape, Group):
        filled = [value for value in values if is_object(value) and value]
        assert not misfit_rows(shape, Records.of(filled))


FIRST: Final = ["Ann", "Ben", "Cy", "Dee", "Eva", "Finn", "Gus", "Hal"]
LAST: Final = ["Lee", "Ode", "Young", "Moor", "Stone", "Field", "Wood", "Hill"]
CITIES: Final = ["Bonn", "Kiel", "Ulm", "Trier", "Jena", "Essen"]


def people(count: int) -> list[dict[str, Any]]:
    rng = random.Random(7)
    return [
        {
            "id": number,
            "name": f"{rng.choice(FIRST)} {rng.choice(LAST)}",
            "mail": f"{rng.choice(FIRST).lower()}{number}@example.org",
            "home": {"city": rng.choice(CITIES), "zip": str(rng.randrange(10000, 99999))},
            "pay": rng.randrange(40_000, 99_000),
            "active": rng.random() < 0.8,
        }
        for number in range(1, count + 1)
    ]


def tokens(value: Any) -> int:
    return encode(value, tokenizer="o200k", formats="native").tokens


@pytest.fixture(scope="module")
def uniform() -> int:
    return tokens(people(2000))


@pytest.mark.slow
@pytest.mark.parametrize(
    "odd",
    [
        *({key: ...} for key in ("id", "name", "home", "active")),
        {"note": "on leave"},
        {"note": {"text": "on leave", "until": "2027-01-01"}},
        *({key: None} for key in ("id", "name", "mail", "home", "pay")),
        {"mail": ["a@example.org", "b@example.org"]},
        {"name": ""},
        {"name": "Ann\tLee\nOde"},
        {"home": {}},
        {"home": "Bonn"},
        {"home": {"city": "Bonn"}},
        {"home": {"city": "Bonn", "zip": None, "street": "Am Hof"}},
        {"pay": {"base": 40_000, "bonus": 1}},
    ],
    ids=str,
)
def test_one_odd_record_costs_little(uniform: int, odd: dict[str, Any]) -> None:
    """A member that lacks, is new, or is of another kind does not break the table."""
    records = people(2000)
    records[1234] = {k: v for k, v in (records[1234] | odd).items() if v is not ...}
    assert tokens(records) < 1.01 * uniform

"""Rows parted by commas, semicolons, tabs or bars, as different programs quote them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.jsontext import is_array, is_object
from mckp.parsers.forms import data_of, read_form
from tests.strategies import examples

_SAMPLES = {
    "CSV bar": "id|name|total\n" + "".join(f"{n}|ann|{7 * n}\n" for n in range(1, 9)),
    "CSV bar bare": "".join(f"{n}|ann|{7 * n}\n" for n in range(1, 9)),
    "CSV bar plain": 'id|name\n1|ann "a"\n2|"bob\n3|carol"\n',
    "CSV tab plain": 'Name\tValue\nsyntax\t+ -><()~*:""&|\nsize\t7\nport\t3306\n',
    "CSV tab crlf plain": 'a\tb\r\n1\t5" pipe\r\n2\tx\r\n',
    "CSV texts": '"id","name"\n1,"a, ""b"""\n2,"bob"\n3,"7.5 cm"\n',
    "CSV semicolon texts": '"id";"name"\n1;"ann"\n2;"bob"\n',
    "CSV crlf texts open": '"id","name"\r\n1,"ann"\r\n2,"bob"',
}


@pytest.mark.parametrize(("form", "text"), _SAMPLES.items())
def test_each_style_comes_back_to_the_byte(form: str, text: str) -> None:
    """The words of a form say how its program quotes and parts cells."""
    value, found = data_of(text) or (None, None)
    assert str(found) == form
    assert found is not None
    assert (found.write(value), read_form(form)) == (text, found)


@pytest.mark.parametrize(
    "text",
    [
        "a|b\nc|d\ne|f\n",
        "FLAG_A|FLAG_B\nC|D\nE|F\nG|H\n",
        "| a | b |\n| c | d |\n| e | f |\n| g | h |\n",
        "ls | wc -l\ncat a | sort\ncat b | sort\ncat c | head\n",
        '"a","b"\n1,"x"\n,"y"\n3,""\n',
        '"id","name"\n"1","ann"\n2,"bob"\n',
        'a\tb\n1\t"x\n2\ty\tz\n',
    ],
)
def test_what_is_not_certain_stays_text(text: str) -> None:
    """Pipes of a shell, flags, and cells that are quoted now and then are no table."""
    assert data_of(text) is None


@given(
    st.sampled_from(list(_SAMPLES.values())), st.integers(0, 200), st.sampled_from('|,;\t"\n\r1a ')
)
@examples(600)
def test_one_more_character_never_changes_a_cell(text: str, place: int, sign: str) -> None:
    """Near a table a text comes back to the byte, and each cell is in it, or it is no data."""
    place %= len(text)
    changed = text[:place] + sign + text[place:]
    value_and_form = data_of(changed)
    if value_and_form is None:
        return
    value, form = value_and_form
    assert form.write(value) == changed
    assert is_array(value)
    for row in value:
        cells = row.values() if is_object(row) else row if is_array(row) else []
        assert all(str(cell).replace('"', "") in changed.replace('"', "") for cell in cells if cell)

"""XML as programs write it, read for its values within a budget."""

import random
from typing import Any

import pytest

import mckp
from mckp import tokenizers
from mckp.jsontext import is_array, is_object
from mckp.parsers.xml import value_of

COUNT = tokenizers.get("o200k").count

SAMPLES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "svn log --xml": (
        '<?xml version="1.0" encoding="UTF-8"?>\n<log>\n'
        + "".join(
            f'<logentry\n   revision="{n}">\n<author>ann</author>\n<msg>Fix {n} &amp; more</msg>\n'
            "</logentry>\n"
            for n in range(14)
        )
        + "</log>\n",
        [{"@revision": n, "author": "ann", "msg": f"Fix {n} & more"} for n in range(14)],
    ),
    "mysql -X": (
        '<?xml version="1.0"?>\n\n<resultset statement="select *"\n xmlns:xsi="http://x">\n'
        + "".join(
            f'  <row>\n\t<field name="id">{n}</field>\n\t<field name="city">c {n}</field>\n'
            '\t<field name="x" xsi:nil="true" />\n  </row>\n\n'
            for n in range(12)
        )
        + "</resultset>\n",
        [{"id": n, "city": f"c {n}", "x": None} for n in range(12)],
    ),
    "nmap -oX": (
        '<?xml version="1.0"?>\n<!DOCTYPE nmaprun>\n<?xml-stylesheet href="a.xsl"?>\n<nmaprun>\n'
        + "".join(
            f'<port protocol="tcp" portid="{n}"><state state="open" reason="syn-ack"/></port>\n'
            for n in (22, 80, 443, 5432, 6379)
        )
        + "</nmaprun>\n",
        [
            {"protocol": "tcp", "portid": n, "state": {"state": "open", "reason": "syn-ack"}}
            for n in (22, 80, 443, 5432, 6379)
        ],
    ),
    "ctest --output-junit": (
        '<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="(empty)"\n\ttests="9"\n\t>\n'
        + "".join(
            f'\t<testcase name="t{n}" status="run">\n'
            f"\t\t<out><![CDATA[ok {n}]]> <![CDATA[!]]></out>\n\t</testcase>\n"
            for n in range(8)
        )
        + "</testsuite>\n",
        [{"name": f"t{n}", "status": "run", "out": {"#text": f"ok {n} !"}} for n in range(8)],
    ),
}
"""For each program, its XML, and the records in it."""


def _arrays(value: Any) -> list[Any]:
    if is_object(value):
        return [found for child in value.values() for found in _arrays(child)]
    return [value] if is_array(value) else []


@pytest.mark.parametrize("name", SAMPLES)
def test_records_of_programs(name: str) -> None:
    """They are arrays of records, and take no more tokens than these and what is around them."""
    text, records = SAMPLES[name]
    value = value_of(text)
    (found,) = _arrays(value)
    assert found == records
    result = mckp.encode(text, budget=COUNT(text) - 1)
    assert result.notes == ("read as XML; its spelling is not kept",)
    assert mckp.decode(result.text) == value
    assert result.tokens <= 1.1 * mckp.encode(value).tokens + 2


OTHERS = {
    "words between elements": "<doc>" + "<p>some <b>bold</b> text</p>" * 9 + "</doc>",
    "elements in any order": "<doc>" + "<h a='1'>t</h><p b='2'>u</p>" * 9 + "</doc>",
    "entities of its own": '<!DOCTYPE x [<!ENTITY a "b">]><x>' + "<p>1</p>" * 12 + "</x>",
    "a page": "<!DOCTYPE html>\n<html><body>" + "<p id='a'>1</p>" * 12 + "</body></html>",
    "no end": SAMPLES["svn log --xml"][0][:-4],
    "two roots": SAMPLES["mysql -X"][0] * 2,
    "few values": "<?xml version='1.0'?>\n<a><b>1</b>\n<b>2</b></a>",
}
"""Texts whose meaning is more than their values, or that are no XML."""


@pytest.mark.parametrize("name", OTHERS)
def test_other_texts_stay_texts(name: str) -> None:
    """What values alone do not say stays as it is."""
    assert value_of(OTHERS[name]) is None


@pytest.mark.parametrize("seed", range(40))
def test_a_change_of_one_character_is_no_error(seed: int) -> None:
    """Damaged XML is a text, or other data, but never more than its budget."""
    chance = random.Random(seed)
    text = chance.choice([text for text, _ in SAMPLES.values()])
    at = chance.randrange(len(text))
    text = text[:at] + chance.choice(["", "<", "&", '"', ">", "x", "]]>"]) + text[at + 1 :]
    budget = COUNT(text) // 3
    result = mckp.encode(text, budget=budget)
    assert result.tokens <= budget
    mckp.decode(result.text)

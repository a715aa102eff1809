"""Texts with parts that are data: written, cut, and read back in place."""

import csv
import io
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

import mckp
from mckp.errors import PathError
from mckp.parsers.parts import find_parts
from tests.aligned import kept_lines
from tests.strategies import SCALE

_WORDS = ("harbour", "ferry", "quay", "storm", "late", "early", "north", "south", "tariff", "crew")


def _records(chance: random.Random, count: int) -> list[dict[str, Any]]:
    names = chance.sample(_WORDS, 4)
    return [
        {
            "id": f"{names[0]}-{n}",
            names[1]: n * 7 % 10,
            names[2]: chance.choice(_WORDS),
            names[3]: "as it was",
        }
        for n in range(count)
    ]


def _csv(rows: list[dict[str, Any]]) -> str:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def _aligned(rows: list[dict[str, Any]]) -> str:
    table = [[name.upper() for name in rows[0]], *([str(v) for v in row.values()] for row in rows)]
    widths = [max(map(len, column)) + 3 for column in zip(*table, strict=True)]
    lines = ("".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in table)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _psql(rows: list[dict[str, Any]]) -> str:
    table = [list(rows[0]), *([str(v) for v in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [" | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in table]
    rule = "+".join("-" * (width + 2) for width in widths)
    body = "".join(f" {line} ".rstrip(" ") + "\n" for line in lines[1:])
    return f" {lines[0]} \n{rule}\n{body}({len(rows)} rows)\n"


def _piped(rows: list[dict[str, Any]]) -> str:
    lines = [list(rows[0]), ["---"] * len(rows[0]), *([*row.values()] for row in rows)]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


PROSE = "".join(
    f"On day {n} the {word} was as it should be.\n" for n, word in enumerate(_WORDS * 3)
)
"""Text that says little, so that most of a text is no data."""

FORMS: dict[str, Callable[[list[dict[str, Any]]], str]] = {
    "JSON": lambda rows: json.dumps({"total": len(rows), "rows": rows}, indent=2) + "\n",
    "JSON in four blanks": lambda rows: (
        "\n".join(f"    {line}" for line in json.dumps(rows, indent=1).split("\n")) + "\n"
    ),
    "JSON lines": lambda rows: "".join(f"{json.dumps(row)}\n" for row in rows),
    "fence": lambda rows: f"```json\n{json.dumps(rows, indent=4)}\n```\n",
    "tildes": lambda rows: f"~~~\n{_csv(rows)}~~~\n",
    "CSV": _csv,
    "aligned table": _aligned,
    "drawn table": _psql,
    "Markdown table": _piped,
}
"""A part in each form, from rows."""


@pytest.mark.parametrize("name", FORMS)
def test_a_part_in_each_form(name: str) -> None:
    """It is found between two lines of text, saves tokens, and is restored to the byte."""
    rows = _records(random.Random(3), 12)
    text = f"{PROSE}\n{FORMS[name](rows)}\nThat is all for today.\n"
    (part,) = find_parts(text)
    assert part.first == PROSE.count("\n") + 1
    assert part.end == text.count("\n") - 2
    whole = mckp.encode(text)
    assert "```[" in whole.text
    decoded = mckp.decode(whole.text)
    assert decoded == mckp.parse(text)
    assert decoded.source == mckp.parse(text).source
    for share in (60, 40, 25, 15):
        result = mckp.encode(text, budget=f"{share}%")
        if "```[" in result.text:
            assert not set(kept_lines(text, result.text)) & set(
                range(part.first + 1, part.stop + 1)
            )


def _text(chance: random.Random) -> str:
    """Return lines of text with one to three parts of data between them."""
    blocks: list[str] = []
    for _ in range(chance.randint(1, 3)):
        title = chance.choice(["", "=== rows.json ===\n", "$ cat rows\n", "Rows:\n", "# Rows\n\n"])
        prose = " ".join(chance.choices(_WORDS, k=12)).capitalize()
        rows = _records(chance, chance.randint(2, 14))
        blocks += [f"{prose}.\n\n", title + chance.choice(list(FORMS.values()))(rows)]
        blocks.append(chance.choice(["", "\n", "\n\n", "  \n"]))
    blocks += chance.choice([[], ["The end of it.\n"], ["/no/fragment begins like this\n"]])
    text = "".join(blocks)
    return text if chance.random() < 0.8 else text.removesuffix("\n")


@pytest.mark.parametrize("seed", range(max(20, int(400 * SCALE))))
def test_texts_with_parts_are_read_back(seed: int) -> None:
    """Whole texts give the source; texts that are cut keep lines of it, and are within budget."""
    chance = random.Random(seed)
    text = _text(chance)
    if chance.random() < 0.5:  # something is wrong with it somewhere
        at = chance.randrange(len(text))
        text = text[:at] + chance.choice(["", '"', " ", "\n", "|", "x", "`", "{"]) + text[at + 1 :]
    whole = mckp.encode(text)
    read = mckp.decode(whole.text)
    if isinstance(read, mckp.TreeNode):
        assert read == mckp.parse(text)
        assert read.kind != "text" or read.source == text
    for share in (70, 40, 20, 10):
        try:
            result = mckp.encode(text, budget=whole.tokens * share // 100)
        except mckp.BudgetError:
            continue
        assert result.tokens <= whole.tokens * share // 100
        if "```[" in result.text:
            kept_lines(text, result.text)
            mckp.decode(result.text)


def test_what_looks_like_a_part_of_ours_is_text() -> None:
    """A line of the source like those above data in our texts gets a backslash, and loses it."""
    text = "Seen in a log:\n```[JSON]\n[1]\n```\n" + "more of it all\n" * 3
    whole = mckp.encode(text, kind="text")
    assert "\nSeen in a log:\n\\```[JSON]\n" in whole.text
    assert mckp.decode(whole.text).source == text
    rows = FORMS["JSON"](_records(random.Random(1), 9))
    both = mckp.encode(f"{text}\n{rows}")
    assert "\\```[JSON]\n" in both.text
    assert "\n````[JSON" in both.text or "\n```[JSON indent=2" in both.text
    assert mckp.decode(both.text).source == f"{text}\n{rows}"


def test_titles_and_counts_go_with_their_data() -> None:
    """A title is in no gap while its data are kept, nor is the line that counts the rows."""
    rows = _records(random.Random(5), 12)
    text = f"=== ships ===\n{_psql(rows)}\n=== crews ===\n{FORMS['JSON'](rows)}"
    for share in (60, 40, 20):
        result = mckp.encode(text, budget=f"{share}%")
        lines = result.text.split("\n")
        for at, line in enumerate(lines):
            if line.startswith("```[drawn"):
                assert lines[at - 1] == "=== ships ==="
                assert lines[lines.index("```", at) + 1] == "(12 rows)"
            elif line.startswith("```[JSON"):
                assert lines[at - 1] == "=== crews ==="


def test_cuts_name_their_part() -> None:
    """What is cut of data has the path of its part, and can be recalled; lines have numbers."""
    rows = _records(random.Random(7), 30)
    text = f"{PROSE * 2}\n=== ships.json ===\n{FORMS['JSON'](rows)}\nLast line of this.\n"
    result = mckp.encode(text, budget="25%")
    paths = {cut.path[0] for cut in result.elided if cut.path}
    assert paths == {"ships.json"}
    recalled = result.recall('$["ships.json"]')
    assert recalled
    assert result.why('$["ships.json"].rows[3]').decided[0] == "ships.json"
    assert result.why(line=text.count("\n")).kept in ("whole", "cut")
    with pytest.raises(PathError, match="not cut by lines"):
        result.why(line=text[: text.index("ships.json")].count("\n") + 5)
    assert result.at(None).text == mckp.encode(text).text


def test_parts_are_optional() -> None:
    """With formats that have no notes, or a kind that is named, a text is cut by lines."""
    rows = _records(random.Random(9), 30)
    text = f"{PROSE * 3}\n{FORMS['JSON'](rows)}\nLast line of this.\n"
    assert "```[" in mckp.encode(text, budget="30%").text
    every: list[dict[str, Any]] = [{"kind": "text"}, {"formats": "json"}, {"weights": "facts"}]
    for options in every:
        assert "```[" not in mckp.encode(text, budget="30%", **options).text

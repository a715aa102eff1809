"""Lines with the same fields are rows of a table: the one that is unlike the others stays."""

from random import Random

import pytest

import mckp
from mckp.texts import outline


def _access(bad: set[int]) -> str:
    """Return an access log of 600 lines in which some have another code."""
    chance = Random(4)
    return "".join(
        f"10.1.{chance.randrange(4)}.{chance.randrange(250)} - - [02/Mar/2026:10:{n // 60:02}:"
        f'{n % 60:02} +0000] "{chance.choice(("GET", "GET", "POST"))} /quay/{chance.randrange(400)}'
        f' HTTP/1.1" {504 if n in bad else chance.choice((200, 200, 304))} '
        f'{chance.randrange(200, 9000)} "-" "Mozilla/5.0 (X11; Linux x86_64)"\n'
        for n in range(600)
    )


@pytest.mark.parametrize("bad", [{411}, {90, 91, 300, 477, 590}])
def test_codes_of_another_class_in_an_access_log_stay(bad: set[int]) -> None:
    """All lines with a code of the server's failures stay, in a twentieth of the tokens."""
    lines = _access(bad).splitlines()
    text = mckp.encode(_access(bad), budget="5%").text
    assert all(lines[number] in text for number in bad)


def test_numbers_and_flags_far_from_the_others_stay() -> None:
    """A full disk, a false among true and a slow request stay, without any word of alarm."""
    usage = [f"10:00:{n % 60:02} node-{n % 9}: disk usage {40 + n % 6}%" for n in range(300)]
    usage[140] = "10:00:20 node-5: disk usage 100%"
    flags = [f"at=10:{n % 60:02} crane={n} ready=true load={n * 7 % 31}" for n in range(200)]
    flags[77] = flags[77].replace("true", "false")
    slow = [
        f"2026-03-02 10:00:{n % 60:02} served /b/{n} in {n * 13 % 50 + 9} ms" for n in range(200)
    ]
    slow[150] = "2026-03-02 10:00:30 served /b/150 in 30412 ms"
    for rows, place in ((usage, 140), (flags, 77), (slow, 150)):
        assert rows[place] in mckp.encode("\n".join(rows), budget="8%", kind="text").text


def test_states_in_other_scripts_are_seen() -> None:
    """A level in another script that few lines have needs no list of words."""
    rows = [f"2026-11-28 10:00:{n % 60:02} [信息] 任务 {n * 7} 完成" for n in range(200)]
    rows[120] = "2026-11-28 10:00:00 [错误] 无法连接到数据库"
    assert rows[120] in mckp.encode("\n".join(rows), budget="6%", kind="text").text


def test_half_of_the_lines_are_no_exceptions() -> None:
    """If many lines are unlike the others, none is raised; prose has no fields."""
    rows = [f"ts={n} code={200 if n % 2 else 500} took={n * 7 % 31}" for n in range(100)]
    worths = outline("\n".join(rows)).worths
    assert worths.max() < 3 * 1024


def test_a_text_of_tags_alone_is_cut_by_lines() -> None:
    """A screen as long lines of tags keeps the element that says something, and answers `why`.

    Its end is missing, so it is no XML.
    """
    rest = 'package="quay" checkable="false" checked="false" clickable="false" enabled="true"'
    rows = [
        f'<view index="{n}" text="{"Book a berth" if n == 21 else ""}" class="widget.Frame" {rest} '
        f'focusable="false" selected="false" bounds="[{n},{n * 9}][720,{n * 9 + 60}]" />'
        for n in range(30)
    ]
    text = "\n".join(["<screen>", *rows, ""])
    for budget in ("90%", "50%", "20%"):
        result = mckp.encode(text, budget=budget)
        assert "Book a berth" in result.text
        assert result.tokens > 0.8 * (result.budget or 0)
    assert mckp.encode(text, budget="50%").why(line=5).share > 0


def test_lines_of_a_program_with_numbers_have_no_fields() -> None:
    """Two versions of a function that a search shows: no line is worth more for its words."""
    rows = [
        "42:func Watch(url *string, defaults Flags) *Command {",
        "43-\tregistry := factory.GetRegistry()",
        "44-\tids := registry.ListIDs()",
        "45-\tproviders := registry.GetProviderList()",
        "46-",
        "47-\t// Build dynamic examples",
        "48-\texamples := `",
        "49-# Watch all registered providers for activity",
        "50-quay watch`",
        "51-",
        "52-\tif len(ids) > 0 {",
        '53-\t\texamples += "\\n\\n# Watch for activity from a specific agent of a person"',
    ]
    text = "\n".join([*rows, "=== HEAD version ===", *rows[:9], ""])
    assert outline(text).worths.max() < 1024

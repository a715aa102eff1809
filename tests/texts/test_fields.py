"""Lines with the same fields are rows of a table: the one that is unlike the others stays."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mckp
from mckp import tokenizers
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


_WRITTEN: dict[str, Callable[[int, int], str]] = {
    "access": lambda n, code: (
        f"10.1.{n % 4}.{n * 7 % 250} - - [02/Mar/2026:{n // 3600 % 24:02}:{n // 60 % 60:02}:"
        f'{n % 60:02} +0000] "GET /quay/{n * 31 % 400} HTTP/1.1" {code} {n * 37 % 9000} "-" "curl"'
    ),
    "arrow": lambda n, code: (
        f"2026-03-02 {n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02} INFO proxy: "
        f"GET /b/{n * 31 % 900} -> HTTP {code} in {n * 7 % 90} ms"
    ),
    "logfmt": lambda n, code: (
        f"ts=2026-03-02T{n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02}Z method=GET "
        f"path=/b/{n * 31 % 900} status={code} took={n * 7 % 90}ms"
    ),
    "level": lambda n, code: (
        f"2026-03-02T{n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02} "
        + ("INFO" if code == 200 else "ERROR")
        + f" worker {n % 7}: job {n * 31 % 900} "
        + ("done" if code == 200 else "was lost")
    ),
}


@given(
    st.sampled_from(sorted(_WRITTEN)),
    st.sampled_from([1000, 3000]),
    st.sets(st.integers(0, 999), min_size=1, max_size=50),
    st.integers(200, 2500),
)
def test_all_failures_are_kept_or_counted(form: str, size: int, bad: set[int], budget: int) -> None:
    """All failing lines are in the text while they fit; else the first, the last and a count."""
    rows = [_WRITTEN[form](n, 502 if n in bad else 200) for n in range(size)]
    failing = [rows[n] for n in sorted(bad)]
    text = mckp.encode("\n".join(rows) + "\n", budget=budget, kind="text").text
    if all(row in text for row in failing):
        return
    kept = text.split("\n")
    count = tokenizers.get("o200k").count
    gaps = "".join(f"…{1000 + n}-{2000 + n}\n" for n in range(len(bad) + 1))
    assert count("\n".join(failing)) + count(gaps) > 0.9 * budget
    assert failing[0] in kept
    assert failing[-1] in kept
    first, last = min(bad), max(bad)
    note = next(line for line in kept if line.startswith(f"> [all {size} lines: {len(bad)} "))
    assert f"{_time(first)} (line {first + 1}) to {_time(last)} (line {last + 1})" in note


def _time(number: int) -> str:
    return f"{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}"

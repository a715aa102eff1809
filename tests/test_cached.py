"""Results in a cache of the caller's: the same as without it, by all that was asked for."""

import json
import logging
import shelve
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mckp
from mckp.result import Result

ROWS = [{"id": n, "state": "failed" if n == 7 else "ok", "log": f"it took {n}"} for n in range(60)]
TEXT = json.dumps(ROWS)
NOTES = "# Notes\n\n" + "".join(f"- point {n} is done\n" for n in range(40))
ASKED: list[dict[str, Any]] = [
    {},
    {"budget": 90},
    {"budget": "30%"},
    {"budget": 90, "formats": ["standard", "json"]},
    {"budget": 90, "priorities": {"**.log": 0.1}, "on_unmatched": "ignore"},
    {"budget": 90, "priorities": [("**.log", "drop")], "on_unmatched": "ignore"},
    {"budget": 90, "query": "which failed?"},
    {"budget": 90, "weights": ["salience", "recency"]},
    {"budget": 90, "tokenizer": "cl100k"},
    {"budget": 90, "primer": True},
    {"budget": 90, "solver": "greedy"},
    {"budget": 90, "work_limit": 100},
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "options"),
    [
        (ROWS[:30], ASKED),
        (TEXT, ASKED[1:2]),
        (TEXT.encode(), ASKED[1:2]),
        (NOTES, ASKED[1:3]),
        (mckp.parse(NOTES), ASKED[1:3]),
    ],
)
def test_a_result_of_a_cache_is_that_without_one(data: Any, options: list[dict[str, Any]]) -> None:
    """A result from a cache equals that without one, with one entry for each set of options."""
    cache: dict[str, str] = {}
    for asked in options:
        plain = mckp.encode(data, **asked)
        assert mckp.encode(data, **asked, cache=cache) == plain
        size = len(cache)
        if not plain.unmatched or asked.get("on_unmatched") == "ignore":
            assert mckp.encode(data, **asked, cache=cache) == plain
        assert len(cache) == size
    assert len(cache) == len(options)


@pytest.mark.slow
def test_it_is_asked_as_any_other() -> None:
    """A result from a cache recalls, explains and solves like a new one."""
    cache: dict[str, str] = {}
    plain = mckp.encode(ROWS, budget=90, cache=cache)
    again = mckp.encode(ROWS, budget=90, cache=cache)
    assert again.recall(where="state == 'failed'") == [ROWS[7]]
    assert again.at(50) == plain.at(50)
    assert str(again.why("[3].log")) == str(plain.why("[3].log"))
    assert again.shadow_price == plain.shadow_price
    assert list(again.frontier().tokens) == list(plain.frontier().tokens)
    assert again.elided
    assert again.recall(again.elided[0]) == plain.recall(plain.elided[0])
    assert again.view().html == plain.view().html


def test_what_was_changed_meanwhile_is_not_taken_for_what_it_was() -> None:
    """Data that changed since have an entry of their own."""
    cache: dict[str, str] = {}
    data: list[Any] = [dict(row) for row in ROWS]
    mckp.encode(data, cache=cache)
    data[0]["state"] = "lost"
    assert "lost" in mckp.encode(data, cache=cache).text
    assert len(cache) == 2


def test_a_shelf_is_a_cache(tmp_path: Path) -> None:
    """A result is found in a shelf that was closed and opened again."""
    with shelve.open(str(tmp_path / "shelf")) as shelf:
        first = mckp.encode(ROWS, budget=90, cache=shelf)
    with shelve.open(str(tmp_path / "shelf")) as shelf:
        assert mckp.encode(ROWS, budget=90, cache=shelf) == first
        assert len(shelf) == 1


@pytest.mark.parametrize("wrong", ["", "{", "[]", "null", b"\xff", 3, '{"text": 1}'])
def test_what_a_cache_has_that_is_no_result_is_written_again(wrong: Any) -> None:
    """A broken entry of a cache is replaced by the right one."""
    cache: dict[str, Any] = {}
    plain = mckp.encode(ROWS, budget=90, cache=cache)
    (key,) = cache
    cache[key] = wrong
    assert mckp.encode(ROWS, budget=90, cache=cache) == plain
    assert mckp.Result.from_dict(json.loads(cache[key])) == plain


class Broken(dict[str, str]):
    """A cache whose disk is full, and whose server is gone."""

    def get(self, key: str, default: Any = None) -> Any:
        raise ConnectionError(key)

    def __setitem__(self, key: str, value: str) -> None:
        raise OSError(value)


def test_a_cache_that_fails_makes_nothing_fail(caplog: pytest.LogCaptureFixture) -> None:
    """A cache that raises costs a warning and no result."""
    with caplog.at_level(logging.WARNING, "mckp"):
        assert mckp.encode(ROWS, budget=90, cache=Broken()) == mckp.encode(ROWS, budget=90)
    assert [record.message for record in caplog.records] == [
        "the cache could not be read",
        "the cache could not be written",
    ]


def _by_length(text: str) -> int:
    return len(text)


def _all_one(leaves: Any) -> list[float]:
    return [1.0] * len(leaves)


def _as_ever(path: Any, value: Any) -> float:
    return 1.0


UNNAMED: list[tuple[dict[str, Any], str]] = [
    ({"tokenizer": _by_length}, "_by_length"),
    ({"weights": _all_one}, "weights"),
    ({"priorities": _as_ever}, "priorities"),
    ({"formats": iter(["native"])}, "formats"),
    ({"cache": "folder"}, "str"),
    ({"cache": {1, 2}}, "set"),
]


@pytest.mark.parametrize(("asked", "named"), UNNAMED)
def test_what_cannot_be_found_again_is_an_error(asked: dict[str, Any], named: str) -> None:
    """An option without a stable name cannot be used with a cache."""
    call: dict[str, Any] = {"budget": 90, "cache": {}, **asked}
    with pytest.raises(TypeError, match=named):
        mckp.encode(ROWS, **call)


def test_a_pattern_that_matches_nothing_is_said_each_time() -> None:
    """A pattern without a match warns, and a pin is an error, also with a cache."""
    cache: dict[str, str] = {}
    for _ in range(2):
        with pytest.warns(mckp.UnmatchedWarning, match="did you mean 'log'"):
            mckp.encode(ROWS, budget=90, priorities={"[*].lgo": 2}, cache=cache)
        with pytest.raises(mckp.UnmatchedError):
            mckp.encode(ROWS, budget=90, priorities={"[*].lgo": "pin"}, cache=cache)


def test_a_stored_result_names_its_version() -> None:
    """A stored result has its version, and one of another version that differs says so."""
    result = mckp.encode(ROWS, budget=90)
    stored = result.to_dict()
    assert stored["version"] == mckp.__version__ == Result.from_dict(stored).version
    old = replace(Result.from_dict({**stored, "version": "0.2.0"}), text="[60]{id}\n")
    with pytest.raises(ValueError, match=r"made by mckp 0\.2\.0, and this is"):
        old.attach(ROWS)
    del stored["version"]
    assert Result.from_dict(stored) == result


def test_messages_of_another_process_are_not_written_again() -> None:
    """An encoder of messages finds what an earlier one wrote to its cache."""
    cache: dict[str, str] = {}
    call = {"id": "c1", "function": {"name": "jobs", "arguments": "{}"}}
    talk = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": TEXT},
    ]
    sent = mckp.MessageEncoder(budget=150, cache=cache).encode(talk)
    assert sent == mckp.MessageEncoder(budget=150).encode(talk)
    number = len(cache)
    assert number > 0
    assert mckp.MessageEncoder(budget=150, cache=cache).encode(talk) == sent
    assert len(cache) == number
    with pytest.raises(TypeError, match="register"):
        mckp.MessageEncoder(budget=150, tokenizer=_by_length, cache=cache).encode(talk)

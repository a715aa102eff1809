"""What is kept, and for how long."""

import pytest

from mckp import tokenizers
from mckp.agents.session.scopes import MAX_AGENTS, Effect, Entry, ResponseStore, Scopes
from mckp.errors import PathError


def entry(number: int, text: str = "x", agent: str = "main", file: str | None = None) -> Entry:
    return Entry(number, agent, "Read", "", file, text, None)


@pytest.mark.parametrize("text", ["x" * 500, "é" * 500, "→" * 500, "😀" * 500])
def test_what_is_forgotten_leaves_as_much_room_as_it_took(text: str) -> None:
    """A forgotten entry frees the room that it took, also after a copy in UTF-8."""
    forgotten: list[int] = []
    store = ResponseStore(10_000, lambda stored: forgotten.append(stored.number))
    for number in range(1, 50):
        newest = entry(number, f"{text}{number}")
        store.add(newest)
        tokenizers.get("o200k").count(newest.text)
    assert store.size == sum(stored.size for stored in store) <= 10_000
    assert [stored.number for stored in store] == list(range(len(forgotten) + 1, 50))
    with pytest.raises(PathError):
        store.get(1)


def test_the_newest_is_kept_however_large() -> None:
    """The newest entry is kept, however large it is."""
    store = ResponseStore(1, lambda stored: None)
    store.add(entry(1))
    store.add(entry(2, "x" * 10_000))
    assert [stored.number for stored in store] == [2]


def test_scopes_are_bounded() -> None:
    """The number of agents that are remembered is bounded; the oldest go first."""
    scopes = Scopes()
    for number in range(MAX_AGENTS + 10):
        scopes.of(f"agent {number}").add(entry(number), 5)
    assert len(scopes.to_dict()) == MAX_AGENTS
    assert scopes.of("agent 0").find("x") is None
    assert scopes.of(f"agent {MAX_AGENTS}").find("x") is not None


def test_the_later_of_two_equal_texts_is_referred_to() -> None:
    """Of two equal texts, one that is still valid is found."""
    scope = Scopes().of("main")
    first, second = entry(1, file="a"), entry(2, file="a")
    scope.add(first, 5)
    first.stale = True
    assert scope.find("x") is None
    scope.add(second, 5)
    scope.drop(1)
    assert scope.find("x") is second
    assert Effect(files=True, path="a").touches(second)

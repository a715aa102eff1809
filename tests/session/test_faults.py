"""What goes wrong around a session: it says so, and refers to nothing that was not handed out."""

import gc
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from mckp.agents.session import Delivery, Reader, Session, SessionSettings
from mckp.agents.session.scopes import Entry
from mckp.agents.telemetry import Event
from mckp.errors import BudgetError, ConfigError, PathError, UnknownNameError
from tests.cases import cases
from tests.session.responses import response

LOG = "\n".join(f"10:{n:02d} step {n} of the build is done" for n in range(20))


class Broken:
    """Fails the first time, as a full disk or a stopped clock may."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, *_: Event) -> float:
        self.calls += 1
        if self.calls == 1:
            raise OSError("no space is left")
        return 7.0


@pytest.mark.parametrize("where", ["on_event", "clock"])
def test_what_was_not_handed_out_is_not_referred_to(where: str) -> None:
    """Who got an error instead of a text has not seen it."""
    broken: dict[str, Any] = {"on_event": list[Event]().append, where: Broken()}
    session = Session(**broken)
    with pytest.raises(OSError, match="no space"):
        session.add(tool="Read", text=LOG)
    assert session.add(tool="Read", text=LOG).layer == "L3"
    assert session.add(tool="Read", text=LOG).text.startswith("> [ref #2]")


def test_a_reference_that_was_not_handed_out_takes_nothing_away() -> None:
    """After a callback failed, the text can still be referred to."""
    failing = Broken()
    failing.calls = 1
    session = Session(on_event=failing)
    session.add(tool="Read", text=LOG)
    failing.calls = 0
    with pytest.raises(OSError, match="no space"):
        session.add(tool="Read", text=LOG)
    assert session.add(tool="Read", text=LOG).text.startswith("> [ref #1]")


def test_a_refused_text_changes_nothing() -> None:
    """A text that could not be sent counts as no response and takes no reference away."""
    session = Session()
    session.add(tool="Read", text=LOG)
    with pytest.raises(BudgetError):
        session.add(tool="Read", text=f"{LOG}\ud800", budget=0)
    assert session.add(tool="Read", text=LOG).layer == "L0"
    assert session.savings.responses == 2


@pytest.mark.parametrize("text", [b"x" * 300, None, {"a": 1}, 7])
def test_texts_are_strings(text: Any) -> None:
    """A text of another type is an error that names the type, and counts as no response."""
    session = Session()
    with pytest.raises(TypeError, match=f"text must be str, not {type(text).__name__}"):
        session.add(tool="Edit", text=text)
    assert session.savings.responses == 0


def _circle() -> Any:
    circle: dict[str, Any] = {}
    circle["me"] = circle
    return circle


def _deep() -> Any:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    return nested


@pytest.mark.parametrize(
    "args",
    [None, float("nan"), {1: 2}, b"x", [{1}], "ls", {"command": 5}, {"file_path": 7}, 10**400],
    ids=str,
)
def test_any_arguments_will_do(args: Any) -> None:
    """Arguments of any type do for results, references and deltas."""
    session = Session(SessionSettings(near_ref_enabled=True))
    assert session.add(tool="Bash", text=LOG, args=args).layer == "L3"
    assert session.add(tool="Bash", text=f"{LOG}\n!", args=args).name == "hint_near"


class Odd:
    def __repr__(self) -> str:
        raise RuntimeError("not today")


@pytest.fixture
def _no_garbage() -> Iterator[None]:
    """Collect no garbage: where the stack is full, callbacks of a collection fail."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.slow
@pytest.mark.usefixtures("_no_garbage")
def test_arguments_without_an_end_will_do() -> None:
    """Arguments that contain themselves, are very deep or odd do for a result."""
    for args in (_circle(), _deep(), Odd()):
        assert Session().add(tool="q", text=LOG, args=args).layer == "L3"


def test_names_may_be_any_strings() -> None:
    """Names of files are often no Unicode."""
    events: list[Event] = []
    session = Session(on_event=events.append)
    call: dict[str, Any] = {"tool": "t\ud800", "file": "/a\udc80", "agent": "\ud800"}
    delivery = session.add(text=LOG, args={"x": "\ud800"}, **call)
    assert [event.tool_name_anon.isascii() for event in events] == [True]
    assert delivery.layer == "L3"
    again = Session.from_dict(json.loads(json.dumps(session.to_dict())))
    assert again.add(text=LOG, **call).layer == "L0"


@pytest.mark.parametrize(
    "text",
    [
        *("", "\n", " ", "\x00", "\ufeff", "{}", "[]", "null", '""', "\r\n", "0", ">", "["),
        *("{" * 9, "[" * 5000 + "]" * 5000, '{"a":' * 300 + "1" + "}" * 300),
    ],
    ids=lambda text: repr(text[:9]),
)
def test_empty_and_deep_texts(text: str) -> None:
    """Empty and deeply nested texts are sent and read back."""
    session, reader = Session(SessionSettings(min_body_chars=0)), Reader()
    for _ in range(2):
        assert response(text).is_equal_to(reader.read(session.add(tool="x", text=text).text))


@pytest.mark.parametrize("handle", ["", "abc", "##1", "-1", -1, "1.0", "#\uff11", "1" * 30])
def test_handles_are_numbers(handle: int | str) -> None:
    """Recalling or dropping a handle that is no number is an error."""
    session = Session()
    session.add(tool="x", text=LOG)
    for ask in (session.recall, session.gone):
        with pytest.raises(PathError, match="number"):
            ask(handle)
    session.gone("#1")
    assert session.add(tool="x", text=LOG).layer == "L3"


PARTS = ("session_id", "settings", "last", "entries", "scopes", "savings")


@pytest.mark.parametrize("part", PARTS)
def test_a_damaged_session_is_not_taken_up(part: str) -> None:
    """A stored session that lacks a part is an error that names it."""
    session = Session()
    session.add(tool="x", text=LOG)
    plain = session.to_dict()
    assert {*plain} == {
        "format",
        "near_refs",
        "reads",
        "names",
        *PARTS,
    }  # the new ones may be missing
    del plain[part]
    with pytest.raises(ValueError, match=f"damaged.*{part}"):
        Session.from_dict(plain)


@pytest.mark.parametrize("last", [0, -1, None, "1", 1.5])
def test_no_number_is_given_twice(last: object) -> None:
    """Else a reference would mean another text than the one it was made for."""
    session = Session()
    session.add(tool="t", text="a line\n" * 60)
    with pytest.raises(ValueError, match="damaged"):
        Session.from_dict({**session.to_dict(), "last": last})


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("settings", "rules"), None),
        (("settings", "lru_sizes"), 3),
        (("entries", 0, "tokens"), "3"),
        (("entries", 0, "text"), b"x"),
        (("scopes", "main", "numbers"), 7),
        (("savings", "cut"), [None]),
        (("session_id",), 7),
    ],
    ids=lambda fault: str(fault),
)
def test_a_session_of_other_types_is_not_taken_up(where: tuple[Any, ...], value: object) -> None:
    """It would fail at some later call, where nobody knows why."""
    session = Session()
    session.add(tool="t", text=LOG)
    inner: Any = (plain := json.loads(json.dumps(session.to_dict())))
    for step in where[:-1]:
        inner = inner[step]
    inner[where[-1]] = value
    with pytest.raises(ValueError, match=f"damaged.*{where[-1]}|damaged.*iterable"):
        Session.from_dict(plain)


def test_an_unknown_tokenizer_is_no_damage() -> None:
    """A wrong tokenizer is an error of its own when a session is restored."""
    with pytest.raises(UnknownNameError, match="tokenizer"):
        Session.from_dict(Session().to_dict(), tokenizer="nope")
    with pytest.raises(TypeError, match="expected a tokenizer"):
        Session.from_dict(Session().to_dict(), tokenizer=cast("Any", 3))


@pytest.mark.parametrize("text", [None, 3, b"x"])
def test_a_reader_reads_texts(text: Any) -> None:
    """A reader refuses what is no string."""
    with pytest.raises(TypeError, match="expected a text, got"):
        Reader().read(text)


WRONG_TYPES: dict[str, Any] = cases(__file__, "WRONG_TYPES")


@pytest.mark.parametrize("name", WRONG_TYPES)
def test_settings_have_their_types(name: str) -> None:
    """A setting of a wrong type is an error that names it."""
    with pytest.raises(ConfigError, match=f"{name}.*expected"):
        SessionSettings(**{name: WRONG_TYPES[name]})
    with pytest.raises(ConfigError, match=f"{name}.*expected"):
        SessionSettings.from_dict({name: WRONG_TYPES[name]})


def test_what_is_no_setting_is_an_error() -> None:
    """An unknown setting lists the known ones, and other types are errors."""
    with pytest.raises(UnknownNameError, match="'lru'; known: budget"):
        SessionSettings.from_dict({"lru": 3})
    with pytest.raises(TypeError, match="not int"):
        SessionSettings.from_dict(cast("Any", 3))
    with pytest.raises(TypeError, match="must be SessionSettings"):
        Session(cast("Any", {"lru_size": 3}))


@pytest.mark.parametrize("plain", [{}, [], None, "x", {"format": 2}])
def test_what_is_no_session_is_not_taken_up(plain: Any) -> None:
    """A value that is no stored session is an error."""
    with pytest.raises(ValueError, match="not a session in format 1"):
        Session.from_dict(plain)


def test_names_take_memory_as_well() -> None:
    """Names of tools, agents and files count in the size of an entry."""
    large = Entry(1, "a" * 1000, "t" * 1000, "", "f" * 1000, "x", None)
    assert large.size - Entry(1, "", "", "", None, "x", None).size == 3000


def test_events_come_in_the_order_of_results() -> None:
    """Whoever adds them; and who is notified may ask the session."""
    seen: list[tuple[int, str]] = []
    session: Session

    def tell(event: Event) -> None:
        seen.append((session.savings.responses, event.tool_name_anon))

    session = Session(on_event=tell)

    def add(number: int) -> Delivery:
        return session.add(tool=f"t{number}", text=LOG, agent=str(number))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(40)))
    assert [count for count, _ in seen] == [*range(1, 41)]
    assert {name for _, name in seen} == {f"t{number}" for number in range(40)}

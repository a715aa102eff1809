"""Kinds of texts that users add, and ``mckp kinds``."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import mckp
from mckp.agents.messages import ToolPolicy
from mckp.agents.session import Session, SessionSettings
from mckp.cli import main
from mckp.errors import ConfigError, UnknownNameError
from mckp.texts import kind_of, register, registered, unregister
from mckp.texts.explained import failed_check, line_worths

KINDS = """
[deploy-log]
like = "log"
begins = 'deploy\\[\\d+\\]: '
rules = [
  { line = '.*\\bok$', factor = 0.1 },
  { line = '.*\\brolled back\\b', least = 3.0 },
]
example = \"\"\"
deploy[7]: step 1 ok
deploy[7]: rolled back to r41
deploy[7]: step 2 ok\"\"\"
first = "deploy[7]: rolled back to r41"
"""
LOG = "".join(
    f"deploy[{n % 3}]: {'abcdefgh'[n % 8] * 4} {n} {'rolled back' if n in (11, 40) else 'ok'}\n"
    for n in range(60)
)


@pytest.fixture(autouse=True)
def _no_kinds() -> Iterator[None]:
    """Each test begins and ends without kinds of users."""
    unregister()
    yield
    unregister()


def test_a_text_of_an_own_kind_is_recognized_and_its_rules_hold() -> None:
    """Lines that a rule of the user raises stay; without the kind the text is as before."""
    before = mckp.encode(LOG, budget=60).text
    assert register(KINDS) == ("deploy-log",)
    text = mckp.encode(LOG, budget=60).text
    assert text.count("rolled back") == 2
    assert kind_of(LOG).value == "log"
    assert {line.kind for line in line_worths(LOG)} == {"deploy-log"}
    unregister("deploy-log")
    assert mckp.encode(LOG, budget=60).text == before
    assert not registered()


def test_a_text_can_be_taken_as_an_own_kind() -> None:
    """`kind` asks for a kind by name, whatever the lines of the text begin with."""
    register(KINDS)
    text = "".join(f"{n}: {'rolled back' if n == 30 else 'went on'} {n * n}\n" for n in range(60))
    rule = "rolled back"
    assert not any(line.rules for line in line_worths(text))
    rated = [line for line in line_worths(text, "deploy-log") if line.rules]
    assert [line.number for line in rated] == [31]
    assert rated[0].rules[0].owner == "deploy-log"
    assert rule in rated[0].rules[0].rule.line.pattern
    assert rule in mckp.encode(text, budget=40, kind="deploy-log").text
    with pytest.raises(UnknownNameError, match="deploy-log"):
        mckp.encode(text, kind="deploy-logs")


def test_a_part_of_a_text_may_be_of_an_own_kind() -> None:
    """Output of several commands has parts, and only that of the kind gets its rules."""
    register(KINDS)
    text = f"$ ls\na.py\nb.py\n$ deploy all\n{LOG}"
    kinds = [line.kind for line in line_worths(text)]
    assert kinds[0] != "deploy-log"
    assert kinds[-1] == "deploy-log"


def test_a_later_kind_of_the_same_name_replaces_the_first() -> None:
    """What was cached is of the kinds at that time."""
    register(KINDS)
    cache: dict[str, str] = {}
    first = mckp.encode(LOG, budget=60, cache=cache).text
    register(KINDS.replace("rules = [", "rules = [{ line = '.* cccc', least = 9.0 },"))
    second = mckp.encode(LOG, budget=60, cache=cache).text
    assert first != second
    assert second == mckp.encode(LOG, budget=60).text
    assert len(registered()) == 1


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("factor", "factr", 6, "rule 1: unknown field 'factr'; did you mean 'factor'?"),
        ("3.0", '"much"', 7, "rule 2: least = 'much' is no number from 0 to 100"),
        ("'.*\\brolled", "'(.*\\brolled", 7, "rule 2: line = "),
        ('"log"', '"logs"', 3, "like = 'logs' is no shipped kind; did you mean 'log'?"),
        ("[deploy-log]", "[log]", 2, "'log' is the name of a shipped kind"),
        ("[deploy-log]", '["Deploy Log"]', 2, "is no name"),
        ("begins", "begin", 4, "unknown field 'begin'; did you mean 'begins'?"),
        ("first =", "folds = 3\nfirst =", 13, "folds = 3 is neither true nor false"),
        ('41"\n', '42"\n', 13, "is no line of the example"),
        ("factor = 0.1", "when = 'x'", 6, "rule 1 changes nothing"),
        ("factor = 0.1", "factor = 0.1, among = '(a)'", 6, "need a group"),
        ("[deploy-log]\n", "deploy-log = 3\n[other]\n", 1, "deploy-log is no table"),
        ("like", "like like", 3, "this is not TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_line_and_reason(
    old: str, new: str, line: int, reason: str
) -> None:
    """The message has the line of the file and what to write instead; nothing is registered."""
    assert old in KINDS
    with pytest.raises(ConfigError) as error:
        register(KINDS.replace(old, new, 1))
    assert reason in str(error.value)
    assert f"line {line}" in str(error.value)
    assert not registered()


def test_an_example_is_a_check() -> None:
    """The example must be recognized, and its first line must be worth most."""
    register(KINDS)
    assert failed_check(registered()["deploy-log"]) == ""
    register(KINDS.replace("least = 3.0", "factor = 0.01"))
    assert "is worth" in failed_check(registered()["deploy-log"])
    register(KINDS.replace("begins = 'deploy", "begins = 'ship"))
    assert "taken for" in failed_check(registered()["deploy-log"])


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with kinds and a log, in which commands run."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".mckp").mkdir()
    (tmp_path / ".mckp" / "kinds.toml").write_text(KINDS)
    (tmp_path / "log.txt").write_text(LOG)
    return tmp_path


@pytest.mark.usefixtures("project")
def test_commands_list_explain_and_check(capsys: pytest.CaptureFixture[str]) -> None:
    """`mckp kinds` says which kinds there are, why a line is worth something, and what fails."""
    assert main(["kinds", "list"]) == 0
    listed = capsys.readouterr().out
    assert "deploy-log  log" in listed
    assert "snapshot" in listed
    assert main(["kinds", "explain", "log.txt"]) == 0
    explained = capsys.readouterr().out.splitlines()
    assert "rolled back" in next(line for line in explained if line.strip().startswith("12 "))
    assert "deploy-log: .*\\bok$" in explained[2]
    assert main(["kinds", "check"]) == 0
    assert "passes" in capsys.readouterr().out
    assert main(["encode", "log.txt", "--budget", "60"]) == 0
    assert capsys.readouterr().out.count("rolled back") == 2


def test_a_wrong_file_of_a_project_stops_no_command(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Commands go on without the kinds, and say so; `mckp kinds check` fails."""
    (project / ".mckp" / "kinds.toml").write_text(KINDS.replace("factor", "factr"))
    assert main(["encode", "log.txt", "--budget", "60"]) == 0
    assert "kinds left out: line 6: [deploy-log]: rule 1" in capsys.readouterr().err
    assert main(["kinds", "check"]) == 1
    wrong = project / "other.toml"
    wrong.write_text(KINDS.replace("least = 3.0", "factor = 0.01"))
    assert main(["kinds", "check", str(wrong)]) == 1
    assert "1 of 1 examples fail: deploy-log" in capsys.readouterr().err


def test_a_tool_has_a_kind() -> None:
    """The policy of a tool names the kind of its texts; an unknown one is refused at once."""
    register(KINDS)
    policies = {"deploy": ToolPolicy(kind="deploy-log", budget=60)}
    session = Session(SessionSettings(policies=policies))
    text = "".join(f"{n}: {'rolled back' if n == 30 else 'went on'} {n * n}\n" for n in range(90))
    assert "rolled back" in session.add(tool="deploy", text=text).text
    assert session.add(tool="deploy", text='{"data": [1, 2, 3]}').text
    with pytest.raises(ConfigError, match=r"write it in \.mckp/kinds\.toml"):
        ToolPolicy(kind="deploy-logs")

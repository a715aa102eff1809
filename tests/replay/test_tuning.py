"""Changes are proposed from sessions, tried on those left out, and shared as numbers alone."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from mckp.agents.config import Config, Habits, load, loads
from mckp.agents.replay import Compact, End, ModelRequest, Response, fingerprints, replay, tuning
from mckp.agents.replay.fingerprints import Fingerprint, counts_of, merged_files
from mckp.agents.replay.tuning import Proposal, Tuner, average_habits, recorded_sessions
from mckp.errors import MckpError
from tests.cli.conftest import Run
from tests.replay.lines import write_log

Actions = list[Response | End | Compact | ModelRequest]


@pytest.fixture(autouse=True)
def no_depths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "DEPTHS", ())


def page(session: int, step: int) -> str:
    """A status page of which a line changes from call to call."""
    lines = [f"host {n} of site {session} is up and answers within {n + 3} ms" for n in range(9)]
    return "\n".join([*lines, f"checked {session}.{step} times"])


def polling(sessions: int, model: str = "") -> Actions:
    """Sessions that ask for the same page again and again."""
    actions: Actions = []
    for number in range(sessions):
        for step in range(10):
            actions += [ModelRequest(model=model), Response("status", "{}", page(number, step))]
        actions.append(End())
    return actions


def proposals(actions: Actions, text: str = "") -> dict[str, Any]:
    table = {} if not text else _table(text)
    return {
        proposal.key: proposal for proposal in Tuner(recorded_sessions(actions), table).proposals()
    }


def _table(text: str) -> dict[str, Any]:
    from mckp.agents.config.files import table_of

    loads(f"schema_version = 2\n{text}")
    return table_of(text)


def test_what_pays_on_sessions_left_out_is_kept() -> None:
    """Deltas are proposed for a tool that is polled, with tokens before and after."""
    proposal = proposals(polling(4))["profiles.data.status.near_ref_enabled"]
    assert (proposal.gains, proposal.sessions, proposal.lost) == (True, 4, 0)
    sessions = recorded_sessions(polling(4))
    whole = sum(replay(session.actions, Config().settings).total.final for session in sessions)
    assert proposal.before == whole
    assert proposal.after < whole / 2


def test_what_holds_already_is_not_proposed() -> None:
    """A setting that the configuration has is not proposed."""
    text = "[profiles.data.status]\nnear_ref_enabled = true\n"
    assert "profiles.data.status.near_ref_enabled" not in proposals(polling(4), text)


def test_one_session_proposes_nothing() -> None:
    """One session leads to no proposal."""
    assert proposals(polling(1)) == {}


def stock(session: int, *, uses_tail: bool = False) -> Actions:
    """Lists of parts, of which later calls name some: the first one, or one far down."""
    actions: Actions = []
    for step in range(2):
        base = 10_000 * (session * 10 + step + 1)
        rows = [{"part": base + n, "shelf": f"shelf {base + n}", "of": 7} for n in range(20)]
        actions.append(Response("parts", json.dumps({"page": step}), json.dumps(rows)))
        chosen = rows[16] if uses_tail else rows[0]
        actions.append(Response("take", json.dumps(chosen["part"]), "taken"))
    return [*actions, End()]


@pytest.mark.slow
def test_a_budget_is_kept_where_nothing_is_lost_and_else_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One of three sessions uses a part far down, so two of three left out would propose none."""
    monkeypatch.setattr(tuning, "BUDGETS", (60,))
    monkeypatch.setattr(tuning, "FEWEST_CALLS", 4)
    monkeypatch.setattr(tuning, "FEWEST_USES", 4)
    key = "profiles.data.parts.budget"
    proposal = proposals([action for n in range(3) for action in stock(n)])[key]
    assert (proposal.gains, proposal.lost, proposal.sessions) == (True, 0, 3)
    assert proposal.after < proposal.before / 2
    sessions = recorded_sessions(
        [action for n in range(3) for action in stock(n, uses_tail=n == 2)]
    )
    assert key not in {other.key for other in Tuner(sessions).proposals()}

    def others(_: Tuner, numbers: Sequence[int]) -> Iterator[Proposal]:
        yield Proposal(proposal.table, f"seen in {len(numbers)} others")

    monkeypatch.setattr(Tuner, "_propose", others)
    (forced,) = Tuner(sessions).proposals()
    assert (forced.lost, forced.gains) == (2, False)
    assert forced.after < forced.before


@pytest.mark.slow
def test_the_model_of_most_results_is_pinned() -> None:
    """A model used throughout and counted exactly is proposed; a mixed or unknown one is not."""
    key = "profiles.llm.active"
    proposal = proposals(polling(4, "glm-5.1"))[key]
    assert (proposal.measure, proposal.before, proposal.after, proposal.gains) == (
        "exact",
        0,
        40,
        True,
    )
    mixed = polling(2, "glm-5.1") + polling(2, "qwen3-coder")
    assert key not in proposals(mixed)
    assert key not in proposals(polling(4, "nobody-knows-1"))
    pinned = proposals(polling(4, "gpt-5.2"))[key]
    assert (pinned.before, pinned.after, pinned.gains) == (40, 40, False)


def test_habits_are_averages() -> None:
    """Habits are averages over sessions."""
    log: Actions = [Response("Read", "a", "x"), Compact(), Response("Bash", "b", "y"), End()] * 2
    assert average_habits(recorded_sessions(log)) == Habits(
        results=2, compactions=1, read_share=0.5
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.mark.slow
def test_the_command_writes_a_diff(run: Run, folder: Path) -> None:
    """`--dry-run` shows a diff, a second call writes it, and a third finds nothing to learn."""
    write_log(polling(4, "glm-5.1"), folder / "log.jsonl")
    file = folder / ".mckp" / "salience.toml"
    code, out, _ = run("tune", "log.jsonl", "--dry-run")
    assert code == 0
    assert not file.exists()
    assert "+[profiles.data.status]\n+near_ref_enabled = true\n" in out.decode()
    assert run("tune", "log.jsonl")[0] == 0
    config = load(file)
    assert config.profiles.llm.active == "glm-5.1"
    assert config.profiles.data.variants["status"]["near_ref_enabled"]
    code, out, _ = run("tune", "log.jsonl")
    assert "nothing to learn" in out.decode()
    assert b"+" not in out


def test_what_few_sessions_show_is_not_exported(run: Run, folder: Path) -> None:
    """Exports as JSON and Parquet are equal, and leave out tools of few sessions and all texts."""
    write_log([*polling(5), Response("secret", "", "x"), End()], folder / "log.jsonl")
    for name in ("ours.json", "ours.parquet"):
        assert run("tune", "export", "log.jsonl", "-o", name)[0] == 0
    as_json, as_parquet = (
        fingerprints.read(folder / name) for name in ("ours.json", "ours.parquet")
    )
    assert as_json == as_parquet
    assert [*as_json] == ["status"]
    assert (as_json["status"].sessions, as_json["status"].calls) == (5, 50)
    assert "host" not in (folder / "ours.json").read_text()


@pytest.mark.slow
def test_files_are_merged_and_learnt_from(run: Run, folder: Path) -> None:
    """Exported files merge with weights, and factors are learnt from them."""
    log = [action for n in range(5) for action in stock(n)]
    write_log(log, folder / "log.jsonl")
    assert run("tune", "export", "log.jsonl", "-o", "ours.json")[0] == 0
    names = ["ours.json", "ours.json", "--weights", "2,1", "--provider", "ours.json"]
    assert run("tune", "merge", *names, "-o", "all.parquet")[0] == 0
    ours, team = (fingerprints.read(folder / name) for name in ("ours.json", "all.parquet"))
    assert team["parts"].sessions == 5 * 3 + 5
    (counts,) = counts_of(ours, "parts")
    assert counts["[*].part"]["used"] > counts["[*].shelf"]["used"]
    code, out, _ = run("tune", "log.jsonl", "--uses", "all.parquet", "--dry-run")
    assert (code, b"parts" in out) == (0, True)


def test_a_provider_has_at_most_two_fifths() -> None:
    """The share of a provider's figures is at most two fifths of the joint ones."""
    ours, theirs = Fingerprint(sessions=6, calls=6), Fingerprint(sessions=500, calls=1000)
    joined = merged_files([{"a": ours}], providers=[{"a": theirs}, {"b": theirs}])
    assert joined["a"].sessions == pytest.approx(10)
    assert joined["a"].calls == pytest.approx(6 + 8)
    assert joined["b"].sessions == pytest.approx(200)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["export"], "give exactly one log"),
        (["merge"], "give the files"),
        (["merge", "x.json", "--weights", "a"], "comma-separated numbers"),
        (["merge", "x.json", "--weights", "1,2"], "expected one weight above 0 for each"),
        (["merge", "bad.json"], "bad.json: this is not a file from mckp tune export"),
        (["merge", "new.json"], "version 9 is newer than 1"),
        (["merge", "odd.json"], "odd.json: a: a value is wrong or missing"),
        (["show", "x.json"], "expected one LOG"),
    ],
)
def test_wrong_calls_say_what_to_do(run: Run, folder: Path, argv: list[str], said: str) -> None:
    """A wrong call or file of `mckp tune` is an error that says what is expected."""
    (folder / "x.json").write_bytes(fingerprints.file_content({}, "x.json"))
    (folder / "bad.json").write_text("[")
    (folder / "new.json").write_text('{"fingerprints":9,"tools":{}}')
    (folder / "odd.json").write_text('{"fingerprints":1,"tools":{"a":{}}}')
    code, _, error = run("tune", *argv)
    assert code == 1
    assert said in error


def test_a_file_that_is_no_parquet_is_named(tmp_path: Path) -> None:
    """A broken Parquet file is an error that names it."""
    file = tmp_path / "x.parquet"
    file.write_bytes(b"PAR1")
    with pytest.raises(MckpError, match=r"x\.parquet: this is not a file from mckp tune export"):
        fingerprints.read(file)

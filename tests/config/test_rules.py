"""Rules: for each value the most specific rule counts, then the stronger source, in three ways.

The three ways of a result to a model are a message encoder, the proxy and a hook.
"""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

import pytest

from mckp import tokenizers
from mckp.agents.adapters.claude_code.run import HookOptions, respond, rules_in_force
from mckp.agents.config import (
    Config,
    Habits,
    SessionSettings,
    ToolSettings,
    effective,
    layered,
    settings_for,
)
from mckp.agents.mcp.desk import Desk, RoutedCall
from mckp.agents.mcp.serve import Sessions
from mckp.agents.mcp.servers import ProxySettings
from mckp.agents.messages import MessageEncoder, ToolPolicy
from tests.strategies import SCALE

COUNT: Final = tokenizers.get("o200k").count
ROWS: Final = json.dumps(
    [{"id": n, "state": "done", "job": f"job {n * 7 % 31}"} for n in range(200)]
)
HEAD: Final = "schema_version = 2\n"
JOBS: Final = "mcp__ci__jobs"

Send = Callable[[Path, str, list[str], int | None], list[str]]


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the files of the user and the memory of hooks in a folder of the test."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MCKP_STATE_DIR", str(tmp_path / "state"))


def project_with(folder: Path, text: str) -> Path:
    """Return a project's folder with a configuration."""
    file = folder / ".mckp" / "pipeline_config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(HEAD + text, "utf-8")
    return file


def config_of(folder: Path) -> Config:
    return layered([folder / ".mckp" / "pipeline_config.toml"])


def by_encoder(folder: Path, tool: str, texts: list[str], budget: int | None) -> list[str]:
    """Return what a message encoder sends for results of a tool."""
    encoder = MessageEncoder(settings=settings_for(config_of(folder)), budget=budget)
    messages: list[Any] = []
    for number, text in enumerate(texts):
        function = {"name": tool, "arguments": "{}"}
        messages += [
            {"role": "assistant", "tool_calls": [{"id": f"c{number}", "function": function}]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": text},
        ]
    return [message["content"] for message in encoder.encode(messages)[1::2]]


def by_proxy(folder: Path, tool: str, texts: list[str], budget: int | None) -> list[str]:
    """Return what the proxy sends for results of a tool."""
    settings = ProxySettings({} if budget is None else {"": budget})
    sessions = Sessions(settings, config_of(folder))
    _, server, name = tool.split("__")
    desk = Desk(settings, [server], sessions.open, sessions.settings)
    return [
        desk.deliver(
            RoutedCall(server, name, {}), {"content": [{"type": "text", "text": text}]}
        ).result["content"][0]["text"]
        for text in texts
    ]


def by_hook(folder: Path, tool: str, texts: list[str], budget: int | None) -> list[str]:
    """Return what Claude Code's model gets for results of a tool."""
    sent: list[str] = []
    for text in texts:
        event: dict[str, Any] = {
            "hook_event_name": "PostToolUse",
            "session_id": "s",
            "cwd": str(folder),
        }
        event |= {"tool_name": tool, "tool_input": {}, "tool_response": text}
        answer = json.loads(respond(json.dumps(event).encode(), budget=budget))
        sent.append(answer.get("hookSpecificOutput", {}).get("updatedToolOutput", text))
    return sent


WAYS: Final[Mapping[str, Send]] = {"encoder": by_encoder, "proxy": by_proxy, "hook": by_hook}


def is_within(least: int, most: int) -> Callable[[list[str]], bool]:
    """Return whether the first text has so many tokens."""
    return lambda sent: least < COUNT(sent[0]) <= most


def has_no_reference(sent: list[str]) -> bool:
    """Whether no text refers to another one."""
    return not any(text.startswith("> [ref #") for text in sent)


FOUND: Final[Mapping[str, tuple[str, int | None, Callable[[list[str]], bool]]]] = {
    "a policy counts before the budget of the file": (
        f"[mckp]\nbudget = 400\n[policies.{JOBS}]\nbudget = 100\n", None, is_within(50, 100),
    ),
    "a larger budget of a policy counts, too": (
        f"[mckp]\nbudget = 100\n[policies.{JOBS}]\nbudget = 400\n", None, is_within(200, 400),
    ),
    "a policy counts before an option for all tools": (
        f"[policies.{JOBS}]\nbudget = 100\n", 400, is_within(50, 100),
    ),
    "a format may be for a pattern": (
        "[endpoint_overrides.'mcp__ci__*']\nformat = 'json'\n",
        None,
        lambda sent: sent[0].endswith(ROWS) or '"id":1,' in sent[0],
    ),
    "weights may be for a pattern": (
        "[mckp]\nbudget = 150\n[salience.'mcp__ci__*']\n'[*].state' = 9\n'[*].job' = 0\n",
        None,
        lambda sent: "job 7" not in sent[0] and "done" in sent[0],
    ),
    "leave = false of a policy counts before a profile": (
        f"[mckp]\nbudget = 100\n[profiles.data.{JOBS}]\nleave = true\n"
        f"[policies.{JOBS}]\nleave = false\n",
        None,
        is_within(50, 100),
    ),
    "a profile counts before a section": (
        f"[dedup.enabled_per_endpoint]\n{JOBS} = true\n"
        f"[profiles.data.{JOBS}]\nreferences = false\n",
        None,
        has_no_reference,
    ),
    "a policy without a budget has that of a wider one": (
        f"[policies.'*']\nbudget = 100\n[policies.{JOBS}]\nformats = 'csv'\n",
        None,
        is_within(50, 100),
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", FOUND)
def test_what_was_found_holds_in_all_ways(what: str, way: str, tmp_path: Path) -> None:
    """Each of the defects that were found is mended in all three ways."""
    text, budget, holds = FOUND[what]
    project_with(tmp_path, text)
    sent = WAYS[way](tmp_path, JOBS, [ROWS, ROWS], budget)
    assert holds(sent), sent[0][:300]


def test_without_references_none_is_made_for_a_tool_that_is_listed_later(tmp_path: Path) -> None:
    """The proxy's --no-references is for all tools, whenever they are listed."""
    project_with(tmp_path, f"[policies.{JOBS}]\nreferences = true\n")
    sessions = Sessions(ProxySettings(references=False), config_of(tmp_path))
    session = sessions.open()
    texts = [session.add(tool=JOBS, text=ROWS).text for _ in range(2)]
    assert has_no_reference(texts)


def test_a_text_for_the_user_alone_does_not_reach_the_model(tmp_path: Path) -> None:
    """All three ways leave a text for the user alone as it is, and do not join it with others."""
    mine = {"type": "text", "text": "for you", "annotations": {"audience": ["user"]}}
    blocks = [mine, {"type": "text", "text": ROWS}]
    (sent,) = by_encoder(tmp_path, JOBS, [{"content": blocks, "isError": False}], 200)  # type: ignore[list-item] # pyright: ignore[reportArgumentType]
    assert "for you" not in sent
    settings = ProxySettings({"": 200})
    sessions = Sessions(settings, Config())
    desk = Desk(settings, ["ci"], sessions.open, sessions.settings)
    delivered = desk.deliver(RoutedCall("ci", "jobs", {}), {"content": blocks}).result["content"]
    assert next(iter(delivered)) == mine
    hooked: Any
    (hooked,) = by_hook(tmp_path, JOBS, [blocks], 200)  # type: ignore[list-item] # pyright: ignore[reportArgumentType]
    assert hooked[0] == mine


def test_recall_names_a_tool_as_the_host_knows_it() -> None:
    """An answer of recall names tools as the host lists them."""
    for servers, shown in ((["ci"], "#1 jobs"), (["ci", "git"], "#1 ci__jobs")):
        settings = ProxySettings({"": 200})
        sessions = Sessions(settings, Config())
        desk = Desk(settings, servers, sessions.open, sessions.settings)
        desk.deliver(RoutedCall("ci", "jobs", {}), {"content": [{"type": "text", "text": ROWS}]})
        assert shown in desk.answer("recall", {"handle": "#9"})["content"][0]["text"]


def test_former_names_still_work_with_a_warning() -> None:
    """Former arguments and methods of the settings have the same meaning as policies."""
    with pytest.warns(DeprecationWarning, match="policies"):
        settings = SessionSettings(
            enabled_per_endpoint={"Bash": False},
            min_body_per_endpoint={"Bash": 7},
            preferred_formats={"mcp__ci__": "csv"},
        )
    policies = {"Bash": ToolPolicy(references=False, min_body_chars=7)}
    assert settings.of("Bash") == SessionSettings(policies=policies).of("Bash")
    assert settings.of(JOBS).formats == ("csv",)
    with pytest.warns(DeprecationWarning, match="references"):
        assert settings.may_refer("Bash") is False
    plain = {"enabled_per_endpoint": {"Bash": False}, "policies": {}, "lru_size": 5}
    assert SessionSettings.from_dict(plain).of("Bash").references is False


# Files by chance, and the law written once more.

TOOLS: Final = ("Read", "Bash", JOBS, "mcp__ci__logs", "mcp__git__log")
PATTERNS: Final = (*TOOLS, "mcp__ci__*", "mcp__*", "*")
LAWS: Final = ("budget", "formats", "leave", "exact", "references", "near_ref_enabled")
LAWS_OF_TEXT: Final = ("min_body_chars", "query", "weights")
Said = list[tuple[str, str, Any, int]]
"""Values with the pattern and the name that they are for, and the strength of their source."""


class Files:
    """Makes files by chance, and notes what each says."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def value(self, name: str) -> Any:
        pick = self._random.choice
        if name == "budget":
            return pick([100, 300, 900, 2000])
        if name == "formats":
            return pick(["csv", "json", "kv"])
        if name == "min_body_chars":
            return pick([0, 50, 300])
        return {"query": "q", "weights": "facts"}.get(name, pick([True, False]))

    def some(self, names: tuple[str, ...], share: float) -> dict[str, Any]:
        return {name: self.value(name) for name in names if self._random.random() < share}

    def patterns(self) -> list[str]:
        return self._random.sample(PATTERNS, k=self._random.randint(0, 3))

    def make(self) -> tuple[dict[str, Any], Said]:
        """Return the table of a file, and what it says."""
        said: Said = []

        def note(pattern: str, values: Mapping[str, Any], source: int) -> None:
            said.extend((pattern, name, value, source) for name, value in values.items())

        table: dict[str, Any] = {"mckp": self.some(("budget", "heeds_request"), 0.5)}
        table["dedup"] = self.some(("near_ref_enabled", "min_body_chars"), 0.4)
        for part in ("mckp", "dedup"):
            note("*", table[part], 1)
        listed = {pattern: self.value("references") for pattern in self.patterns()}
        for pattern, may in listed.items():
            note(pattern, {"references": may}, 1)
        table["dedup"]["enabled_per_endpoint"] = listed
        model = self.some(("budget", "near_ref_enabled", "formats"), 0.3)
        note("*", model, 3)
        data = {pattern: self.some((*LAWS, *LAWS_OF_TEXT), 0.3) for pattern in self.patterns()}
        policies = {pattern: self.some((*LAWS, *LAWS_OF_TEXT), 0.3) for pattern in self.patterns()}
        for source, tables in ((4, data), (5, policies)):
            for pattern, values in tables.items():
                note(pattern, values, source)
        table |= {"policies": policies}
        table["profiles"] = {"llm": {"active": "gpt-4o", "gpt-*": model}, "data": data}
        if self._random.random() < 0.2:
            table["hints"] = {"types": {"ref": {"enabled": False}}}
            note("*", {"references": False}, 8)
        return table, said


def by_law(said: Said, tool: str, name: str) -> Any:
    """Return the value that counts: the most specific one, then that of the stronger source."""

    def rank(entry: tuple[str, str, Any, int]) -> tuple[bool, bool, int, int]:
        pattern, _, _, source = entry
        return source == 8, pattern == tool, len(pattern) if pattern != "*" else 0, source

    fitting = [entry for entry in said if entry[1] == name and fnmatchcase(tool, entry[0])]
    if fitting:
        return max(fitting, key=rank)[2]
    return getattr(ToolSettings(), name)


def toml_lines(table: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Yield a table as lines of TOML."""
    if path:
        yield f"[{path}]"
    yield from (
        f"{json.dumps(key)} = {json.dumps(value)}"
        for key, value in table.items()
        if not isinstance(value, dict)
    )
    for key, value in table.items():
        if isinstance(value, dict):
            inner: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
            yield from toml_lines(inner, f"{path}.{json.dumps(key)}" if path else json.dumps(key))


def test_random_files_mean_the_same_in_all_ways(tmp_path: Path) -> None:
    """Encoder, proxy and hook find the values that the law gives, for each tool of any file."""
    files = Files(7)
    for number in range(max(60, int(3000 * SCALE))):
        table, said = files.make()
        file = project_with(tmp_path, "\n".join(toml_lines(table)))
        option = None if number % 3 else 500
        if option is not None:
            said.append(("*", "budget", option, 7))
        config = layered([file])
        resolved = effective(config, habits=None if number % 2 else Habits(9, 0, 0.1))
        sessions = Sessions(ProxySettings({} if option is None else {"": option}), config)
        event = {"cwd": str(tmp_path)}
        encoder = MessageEncoder(settings=resolved.settings, budget=option)
        in_force = {
            "encoder": encoder.session([]).settings,
            "proxy": sessions.settings(),
            "hook": rules_in_force(event, HookOptions(option)).settings,
        }
        for tool in TOOLS:
            for name in (*LAWS, *LAWS_OF_TEXT):
                wanted = by_law(said, tool, name)
                wanted = (wanted,) if name == "formats" and isinstance(wanted, str) else wanted
                for way, settings in in_force.items():
                    assert getattr(settings.of(tool), name) == wanted, (way, tool, name, table)

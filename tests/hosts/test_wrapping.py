"""The proxy around servers: what is changed, what is left, and that all can be given back."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mckp.agents.hosts import unwrapped, wrapped
from mckp.agents.hosts.hooks import with_hook, without_hook
from mckp.agents.hosts.spans import read_json, read_toml
from mckp.agents.hosts.wrapping import commands_of_servers
from mckp.errors import MckpError, ParseError
from mckp.jsontext import is_array, is_object
from tests.cases import cases

FILE_NAMES = ("desktop.json", "vscode.jsonc", "claude.json", "codex.toml", "dotted.toml")
DESKTOP, VSCODE, CLAUDE, CODEX, DOTTED = (
    Path(__file__).with_name(name).read_bytes().decode() for name in FILE_NAMES
)
TOP: list[tuple[str, ...]] = [("mcpServers",)]
FILES: list[tuple[str, list[tuple[str, ...]], bool, int]] = [
    (DESKTOP, TOP, False, 2),
    (DESKTOP.replace("\n", "\r\n"), TOP, False, 2),
    ("\ufeff" + DESKTOP, TOP, False, 2),
    (json.dumps(json.loads(DESKTOP), separators=(",", ":")), TOP, False, 2),
    (VSCODE, [("servers",)], False, 2),
    (CLAUDE, [*TOP, ("projects", "*", "mcpServers")], False, 2),
    (CODEX, [("mcp_servers",)], True, 3),
    (DOTTED.replace("\n", "\r\n"), [("mcp_servers",)], True, 3),
    ("{}", TOP, False, 0),
    ("", TOP, False, 0),
    ("", [("mcp_servers",)], True, 0),
]


@pytest.mark.parametrize(("text", "keys", "toml", "changed"), FILES)
def test_files_of_hosts_are_given_back_to_the_byte(
    text: str, keys: list[tuple[str, ...]], toml: bool, changed: int
) -> None:
    """Each real layout: as many servers as it has are wrapped, twice is once, and back."""
    done = wrapped(text, keys, options=["--budget", "900"], toml=toml)
    assert len(done.changed) == changed
    assert (done.text != text) == bool(changed)
    again = wrapped(done.text, keys, options=["--budget", "1"], toml=toml)
    assert again.text == done.text
    assert again.already == done.changed
    assert unwrapped(done.text, keys, toml=toml).text == text


def test_a_command_follows_the_words_of_the_proxy() -> None:
    """A wrapped server runs the proxy, whose last arguments are the old command."""
    done = wrapped(DESKTOP, TOP, program="/bin/mckp", options=["--budget", "900"])
    data, old = json.loads(done.text), json.loads(DESKTOP)
    before = ["mcp", "--budget", "900", "--"]
    for name, server in data["mcpServers"].items():
        was = old["mcpServers"][name]
        assert server["command"] == "/bin/mckp"
        assert server["args"] == [*before, was["command"], *was.get("args", [])]
        server["command"] = was["command"]
        server["args"] = was.get("args", [])
    old["mcpServers"]["bare"]["args"] = []
    assert data == old


def test_headers_become_variables_and_never_arguments() -> None:
    """Whoever lists processes sees arguments; the value of a header is no part of them."""
    servers = read_json(wrapped(VSCODE, [("servers",)]).text).data["servers"]
    assert servers["github"] == {
        "type": "stdio",
        "command": "mckp",
        "args": ["mcp", "--url", "https://api.example.com/mcp/", "--header", "Authorization"],
        "env": {"Authorization": "Bearer ${input:key}"},
    }
    by_name = tomllib.loads(wrapped(CODEX, [("mcp_servers",)], toml=True).text)["mcp_servers"]
    assert by_name["my far"] == {
        "command": "mckp",
        "args": ["mcp", "--url", "https://x.example/mcp", "--header", "X-Key"],
        "env": {"X-Key": "k"},
    }
    assert by_name["docs"]["args"] == ["mcp", "--", "npx", "-y", "docs-mcp"]


@pytest.mark.parametrize(
    ("server", "why"),
    cases(__file__, "test_what_cannot_be_wrapped_is_left_and_said"),
)
def test_what_cannot_be_wrapped_is_left_and_said(server: Any, why: str) -> None:
    """A server that cannot be wrapped stays as it is, with a reason, and others are wrapped."""
    text = json.dumps({"mcpServers": {"a": server, "b": {"command": "c"}}})
    done = wrapped(text, TOP)
    assert why in done.left["$.mcpServers.a"]
    assert done.changed == ["$.mcpServers.b"]
    assert json.loads(done.text)["mcpServers"]["a"] == server


def test_servers_are_left_by_name_and_taken_at_addresses() -> None:
    """Servers named in `leave` stay, and those at addresses are wrapped on request."""
    text = '{"mcpServers": {"a": {"command": "x"}, "b": {"url": "https://x.example/mcp"}}}'
    done = wrapped(text, TOP, leave=["a"], every=True)
    assert (done.changed, list(done.left)) == (["$.mcpServers.b"], ["$.mcpServers.a"])
    assert unwrapped(done.text, TOP).text == text


def test_a_proxy_that_was_written_by_hand_is_left() -> None:
    """It is neither wrapped again nor taken away, for nobody knows what was there before."""
    text = '{"mcpServers": {"a": {"command": "mckp", "args": ["mcp", "--config", "x.json"]}}}'
    assert wrapped(text, TOP).already == ["$.mcpServers.a"]
    done = unwrapped(text, TOP)
    assert (done.text, list(done.left)) == (text, ["$.mcpServers.a"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *cases(__file__, "test_broken_json_is_refused_with_its_place"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_broken_json_is_refused_with_its_place(text: str, message: str) -> None:
    """Broken JSON is an error with its place or its fault."""
    with pytest.raises(ParseError, match=message):
        read_json(text)


def test_broken_toml_is_refused_with_its_place() -> None:
    """Broken TOML is an error with its line and column."""
    with pytest.raises(ParseError, match="line 2, column 5"):
        read_toml("a = 1\nb = ]\n")


@pytest.mark.parametrize("value", ["[" * 5000 + "]" * 5000, "9" * 5000])
def test_toml_that_python_cannot_hold_is_refused(value: str) -> None:
    """Deep nesting and long numbers are errors like any other fault of the text."""
    with pytest.raises(ParseError, match="cannot be read"):
        read_toml(f"a = {value}\n")


@pytest.mark.parametrize("args", [None, 7, "mcp", {"a": "mcp"}])
def test_arguments_that_are_no_list_are_no_command(args: Any) -> None:
    """A server whose arguments are malformed has no command to check."""
    servers = {"mcpServers": {"a": {"command": "mckp", "args": args}}}
    assert list(commands_of_servers(json.dumps(servers), TOP)) == []


def test_servers_that_are_no_object_are_refused() -> None:
    """A configuration whose servers are no object is an error."""
    with pytest.raises(MckpError, match=r"\$\.mcpServers must be an object"):
        wrapped('{"mcpServers": []}', TOP)
    with pytest.raises(MckpError, match="expected a JSON object"):
        wrapped("[]", TOP)


GAPS = st.sampled_from(["", " ", "\n", "\n  ", "\t", "\r\n", " // c\n", "/* , */", "\n\n "])
WORDS = st.text(st.sampled_from("ab-/ \\\"'=é\u2028,]}{[#"), max_size=6)
SERVERS: st.SearchStrategy[Any] = st.dictionaries(
    WORDS,
    st.one_of(
        st.fixed_dictionaries(
            {"command": WORDS}, optional={"args": st.lists(WORDS, max_size=3), "env": st.just({})}
        ),
        st.fixed_dictionaries(
            {"url": st.just("https://x.example/")},
            optional={"type": st.just("http"), "headers": st.dictionaries(WORDS, WORDS)},
        ),
    ),
    max_size=4,
)


def laid_out(value: Any, draw: Any, *, comments: bool) -> str:
    """Return JSON with gaps of any kind between its signs, and now and then a comma too many."""

    def gap() -> str:
        blanks: str = draw(GAPS)
        return blanks if comments or not blanks.strip() else " "

    if is_object(value):
        pairs = [
            f"{json.dumps(k)}{gap()}:{gap()}{laid_out(v, draw, comments=comments)}"
            for k, v in value.items()
        ]
        opening, closing = "{}"
    elif is_array(value):
        pairs = [laid_out(item, draw, comments=comments) for item in value]
        opening, closing = "[]"
    else:
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    extra = "," if pairs and comments and draw(st.booleans()) else ""
    inner = f",{gap()}".join(f"{pair}{gap()}" for pair in pairs)
    return f"{opening}{gap()}{inner}{extra}{gap()}{closing}"


@given(SERVERS, st.booleans(), st.data())
def test_any_layout_is_given_back_to_the_byte(
    servers: dict[str, Any], comments: bool, data: st.DataObject
) -> None:
    """Unwrapping gives back any file to the byte, and wrapping twice changes nothing more."""
    text = laid_out({"x": [1], "mcpServers": servers}, data.draw, comments=comments)
    done = wrapped(text, TOP, every=True)
    assert unwrapped(done.text, TOP).text == text
    assert wrapped(done.text, TOP, every=True).text == done.text
    assert len(done.changed) + len(done.left) == len(servers)
    assert read_json(done.text).data["x"] == [1]
    for name, server in read_json(done.text).data["mcpServers"].items():
        if f"$.mcpServers.{name}" in done.changed and "command" in servers[name]:
            was = servers[name]
            assert server["args"] == ["mcp", "--", was["command"], *was.get("args", [])]


EVENTS: st.SearchStrategy[Any] = st.dictionaries(
    st.sampled_from(["PostToolUse", "PreCompact", "Stop"]),
    st.lists(
        st.sampled_from(
            [{"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}, {"hooks": []}]
        ),
        max_size=2,
    ),
)


@given(
    st.one_of(
        st.just({}), st.fixed_dictionaries({"model": st.just("m")}, optional={"hooks": EVENTS})
    ),
    st.data(),
)
def test_settings_are_given_back_without_the_hook(
    settings: dict[str, Any], data: st.DataObject
) -> None:
    """Hooks of others stay; empty arrays and objects that were there stay, ours go."""
    text = laid_out(settings, data.draw, comments=True)
    done = with_hook(text, "mckp hook claude-code")
    assert done != text
    assert with_hook(done, "mckp hook claude-code") == done
    assert without_hook(done) == text
    hooks = read_json(done).data["hooks"]
    assert {"PostToolUse", "PreCompact", "SessionStart", "SubagentStop", "SessionEnd"} <= set(hooks)
    for event, groups in settings.get("hooks", {}).items():
        assert hooks[event][: len(groups)] == groups


NAMES = st.text(st.sampled_from('ab-_ ."é]#='), min_size=1, max_size=5)
TOML_WORDS = st.text(st.sampled_from("ab-/ '\"=é#,]}{[\\"), max_size=6)


def toml_text(value: Any, draw: Any, *, inline: bool) -> str:
    """Return a value in one of the ways in which TOML writes it."""
    if is_object(value):
        gap = draw(st.sampled_from(["", " "]))
        pairs = [
            f"{toml_name(k, draw)}{gap}={gap}{toml_text(v, draw, inline=True)}"
            for k, v in value.items()
        ]
        return f"{{{gap}{f',{gap}'.join(pairs)}{gap}}}"
    if is_array(value):
        gaps = st.sampled_from(["", " ", "\n  ", " # a, ] comment\n"])
        items = [draw(gaps) + toml_text(item, draw, inline=inline) + draw(gaps) for item in value]
        extra = "," if items and draw(st.booleans()) else ""
        return f"[{','.join(items)}{extra}{draw(gaps)}]"
    ways = [json.dumps(value, ensure_ascii=False)]
    ways += [f"'{value}'"] if "'" not in value else []
    ways += [f"'''{value}'''"] if "'" not in value and not inline else []
    return str(draw(st.sampled_from(ways)))


def toml_name(name: str, draw: Any) -> str:
    """Return a name bare where that is allowed, and else in quotes."""
    is_bare = bool(name) and all(c.isascii() and (c.isalnum() or c in "-_") for c in name)
    return name if is_bare and draw(st.booleans()) else json.dumps(name, ensure_ascii=False)


def toml_file(servers: dict[str, Any], draw: Any) -> str:
    """Return a configuration of Codex with each server in one of the ways that TOML has."""
    ends = st.sampled_from(["\n", " # x = [\n", "\n\n", "\n  # [mcp_servers.no]\n"])
    lines = ["model = 'm'", draw(ends)]
    for name, server in servers.items():
        key = f"mcp_servers.{toml_name(name, draw)}"
        way = draw(st.sampled_from(["inline", "dotted", "table"]))
        if way == "inline":
            lines.insert(0, f"{key} = {toml_text(server, draw, inline=True)}{draw(ends)}")
            continue
        parts = [f"{k} = {toml_text(v, draw, inline=False)}{draw(ends)}" for k, v in server.items()]
        if way == "dotted":
            lines.insert(0, "".join(f"{key} . {part}" for part in parts))
        else:
            lines += [f"[ {key} ]{draw(ends)}", *parts]
    text = "".join(lines)
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@given(
    st.dictionaries(
        NAMES,
        st.one_of(
            st.fixed_dictionaries(
                {"command": TOML_WORDS}, optional={"args": st.lists(TOML_WORDS, max_size=3)}
            ),
            st.fixed_dictionaries(
                {"url": st.just("https://x.example/")},
                optional={
                    "http_headers": st.dictionaries(st.sampled_from(["A", "X-B"]), TOML_WORDS)
                },
            ),
        ),
        max_size=3,
    ),
    st.data(),
)
def test_any_toml_is_given_back_to_the_byte(servers: dict[str, Any], data: st.DataObject) -> None:
    """Tables, dotted names and inline tables, in any layout, with comments and all quotes."""
    text = toml_file(servers, data.draw)
    keys: list[tuple[str, ...]] = [("mcp_servers",)]
    assert tomllib.loads(text.replace("\r\n", "\n")).get("mcp_servers", {}) == servers
    done = wrapped(text, keys, every=True, toml=True)
    assert unwrapped(done.text, keys, toml=True).text == text
    config = tomllib.loads(done.text.replace("\r\n", "\n"))
    assert config["model"] == "m"
    assert len(done.changed) == len(servers)
    for name, server in config.get("mcp_servers", {}).items():
        was = servers[name]
        if "command" in was:
            assert server["args"] == ["mcp", "--", was["command"], *was.get("args", [])]
        else:
            assert server["args"][:3] == ["mcp", "--url", was["url"]]
            assert server.get("env") == was.get("http_headers")

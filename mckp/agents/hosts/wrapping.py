"""Edits of a configuration's text that put the proxy before its servers, and remove it again.

Removing it restores the same bytes. A blank after an opening bracket marks an array or object that
we created; no blank follows the bracket of one that was there before, but empty.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import urlsplit

from mckp.agents.hosts.spans import ConfigMember, ConfigNode, read_json, read_toml
from mckp.errors import MckpError
from mckp.jsontext import is_array, is_object, path_text
from mckp.regexes import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Edit: TypeAlias = "tuple[int, int, str]"
"""Start and end of a part of a text, and its replacement."""

_LOGINS: Final = ("oauth", "auth", "headersHelper", "bearer_token_env_var", "env_http_headers")
"""Keys of servers with a login that the host handles, which the proxy cannot do."""
_HEADERS: Final = ("headers", "http_headers")
_HEADER: Final = regex(r"\w[\w.-]*", re.ASCII)
_LOCAL: Final = ("localhost", "127.0.0.1", "::1")


@dataclass(slots=True)
class Wrapping:
    """A changed configuration: its new text, and the places of its servers."""

    text: str
    changed: list[str] = field(default_factory=list[str])
    already: list[str] = field(default_factory=list[str])
    """Servers that already had the proxy."""
    left: dict[str, str] = field(default_factory=dict[str, str])
    """Servers that stay unchanged, each with the reason."""


class _LeftError(Exception):
    """A server stays unchanged, for the reason in the message."""


def read(text: str, *, toml: bool) -> ConfigNode:
    """Parse a configuration; an empty text is an empty object, a malformed one a `ParseError`."""
    if not text.strip("\ufeff \t\r\n"):
        return ConfigNode(0, 0, members={})
    return read_toml(text) if toml else read_json(text)


def wrapped(
    text: str,
    keys: Sequence[tuple[str, ...]],
    *,
    program: str = "mckp",
    options: Sequence[str] = (),
    leave: Sequence[str] = (),
    every: bool = False,
    toml: bool = False,
) -> Wrapping:
    """Return a configuration with the proxy, a program with options, before its servers.

    Servers are at `keys`, where ``*`` is any key; those named in `leave` stay unchanged. A remote
    server without headers is changed only if `every` is true, since it may require a login in a
    browser, which the proxy cannot do. An `MckpError` is raised if the text or its servers are
    malformed, or if the change could not be undone.

    Examples
    --------
    >>> text = '{"servers": {"git": {"command": "uvx", "args": ["mcp-git"]}}}'
    >>> wrapping = wrapped(text, [("servers",)])
    >>> print(wrapping.text)
    {"servers": {"git": {"command": "mckp", "args": ["mcp", "--", "uvx", "mcp-git"]}}}
    >>> unwrapped(wrapping.text, [("servers",)]).text == text
    True
    """
    wrapping, edits = Wrapping(text), list[Edit]()
    for place, name, entry in _entries(read(text, toml=toml), keys):
        server = _Server(text, entry, toml)
        try:
            if name in leave:
                raise _LeftError("you named it in --leave")
            if server.is_ours:
                wrapping.already.append(place)
                continue
            edits += server.wrap_edits(program, ["mcp", *options], every=every)
        except _LeftError as reason:
            wrapping.left[place] = str(reason)
        else:
            wrapping.changed.append(place)
    wrapping.text = apply_edits(text, edits)
    restored = unwrapped(wrapping.text, keys, toml=toml).text
    if wrapping.changed and restored != unwrapped(text, keys, toml=toml).text:
        raise MckpError("uninstall could not restore this file exactly, so nothing was changed")
    return wrapping


def unwrapped(text: str, keys: Sequence[tuple[str, ...]], *, toml: bool = False) -> Wrapping:
    """Return a configuration without the proxy before its servers; see `wrapped`."""
    wrapping, edits = Wrapping(text), list[Edit]()
    for place, _, entry in _entries(read(text, toml=toml), keys):
        server = _Server(text, entry, toml)
        if server.is_ours:
            try:
                edits += server.unwrap_edits()
            except _LeftError as reason:
                wrapping.left[place] = str(reason)
            else:
                wrapping.changed.append(place)
    wrapping.text = apply_edits(text, edits)
    return wrapping


def commands_of_servers(
    text: str, keys: Sequence[tuple[str, ...]], *, toml: bool = False
) -> Iterator[tuple[str, list[str]]]:
    """Yield the place of each server that has a valid command, and the words of the command.

    Examples
    --------
    >>> list(commands_of_servers('{"s": {"git": {"command": "uvx", "args": ["git"]}}}', [("s",)]))
    [('$.s.git', ['uvx', 'git'])]
    """
    for place, _, entry in _entries(read(text, toml=toml), keys):
        data: Any = entry.data if entry.members is not None else {}
        command, args = data.get("command"), data.get("args", [])
        words: list[Any] = [None]
        if is_array(command):
            words = command
        elif is_array(args):
            words = [command, *args]
        if all(isinstance(word, str) for word in words):
            yield place, words


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """Return a text after edits, which must not overlap.

    Examples
    --------
    >>> apply_edits("abc", [(2, 3, "C"), (0, 0, "> ")])
    '> abC'
    """
    pieces, position = list[str](), 0
    for start, end, replacement in sorted(edits):
        pieces += [text[position:start], replacement]
        position = end
    return "".join([*pieces, text[position:]])


def _entries(
    root: ConfigNode, keys: Sequence[tuple[str, ...]]
) -> Iterator[tuple[str, str, ConfigNode]]:
    """Yield the place, the name and the node of each server at `keys`.

    An `MckpError` is raised if the configuration, or a value at `keys`, is not an object.
    """
    if root.members is None:
        raise MckpError("expected a JSON object")
    for steps in keys:
        for path, node in _values_at(root, steps, ()):
            if node.members is None:
                raise MckpError(f"{path_text(path)} must be an object that maps names to servers")
            for name, member in node.members.items():
                yield path_text((*path, name)), name, member.node


def _values_at(
    node: ConfigNode, steps: tuple[str, ...], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], ConfigNode]]:
    """Yield each value that `steps` lead to, with its path; `path` is that of `node`."""
    if not steps:
        yield path, node
    elif node.members is not None:
        names = list(node.members) if steps[0] == "*" else [steps[0]]
        for name in names:
            if name in node.members:
                yield from _values_at(node.members[name].node, steps[1:], (*path, name))


class _Server:
    """One server in the text of a configuration, and the edits that change it."""

    def __init__(self, text: str, entry: ConfigNode, toml: bool) -> None:
        """Begin with the whole text, and the server's entry in it."""
        self._text, self._entry, self._toml = text, entry, toml
        self._members = entry.members or {}

    @property
    def _arguments(self) -> list[ConfigNode]:
        """The arguments of the server's command; raise a `_LeftError` unless all are strings."""
        args = self._members.get("args")
        items = args.node.items if args is not None else []
        if items is None or any(not isinstance(item.data, str) for item in items):
            raise _LeftError("its args are not a list of strings")
        return items

    @property
    def is_ours(self) -> bool:
        """Whether the server already has the proxy."""
        command = self._entry.at("command")
        if command is None:
            return False
        program, args = command.value, self._members.get("args")
        arguments: Any = args.node.data if args is not None else None
        if command.items:  # opencode has the program and its arguments in one array
            program, *arguments = [item.value for item in command.items]
        if not isinstance(program, str):
            return False
        name = PurePath(program.replace("\\", "/")).name.removesuffix(".exe")
        return name == "mckp" and isinstance(arguments, list) and arguments[:1] == ["mcp"]

    def wrap_edits(self, program: str, words: list[str], *, every: bool) -> list[Edit]:
        """Return the edits that put the proxy before this server.

        A `_LeftError` is raised if it cannot be put there. `program` and `words` are the command of
        the proxy, such as ``mcp`` and options; for `every`, see `wrapped`.
        """
        if self._entry.members is None:
            raise _LeftError("it is not an object")
        command, url = self._members.get("command"), self._members.get("url")
        if (command is None) == (url is None):
            fault = "neither a command nor a url" if url is None else "both a command and a url"
            raise _LeftError(f"it has {fault}")
        if url is not None:
            return self._wrap_address(url, program, words, every=every)
        assert command is not None
        node = command.node
        if node.items and all(isinstance(item.value, str) for item in node.items):
            start = node.items[0].start
            return [
                (start, start, "".join(f"{_quote(word)}, " for word in [program, *words, "--"]))
            ]
        if not isinstance(node.value, str):
            raise _LeftError("its command is neither a string nor a list of strings")
        arguments = [*map(_quote, [*words, "--"]), self._source_text(node)]
        return [(node.start, node.end, _quote(program)), self._prepend_edit(command, arguments)]

    def _prepend_edit(self, command: ConfigMember, new_arguments: list[str]) -> Edit:
        """Return the edit that inserts new arguments, in quotes, before the others."""
        items, args = self._arguments, self._members.get("args")
        if args is None:
            member_text = self._member_text(command, "args", f"[ {', '.join(new_arguments)} ]")
            return command.node.end, command.node.end, member_text
        opening = args.node.start + 1
        if not items:
            return opening, opening, ", ".join(new_arguments)
        gap = self._text[opening : items[0].start]
        gap = gap if gap.isspace() and "\n" in gap else " "
        return items[0].start, items[0].start, "".join(f"{word},{gap}" for word in new_arguments)

    def _wrap_address(
        self, url: ConfigMember, program: str, words: list[str], *, every: bool
    ) -> list[Edit]:
        """Return the edits that turn a server with an address into a command of the proxy.

        The parameters are those of `wrap_edits`.
        """
        kind, headers = self._members.get("type"), self._header_member()
        self._check_address(
            url.node, kind, is_known=every or bool(headers and headers[1].node.data)
        )
        arguments = [*map(_quote, [*words, "--url"]), self._source_text(url.node)]
        edits = [(url.node.start, url.node.end, _quote(program))]
        edits += self._rename_edits(url, "url", "command")
        if kind is not None:
            edits.append((kind.node.start, kind.node.end, _quote("stdio")))
        if headers is not None:
            name, member = headers
            edits += self._rename_edits(member, name, "env")
            for header in member.node.data:
                arguments += ['"--header"', _quote(header)]
        start, end, raw = edits[0]
        edits[0] = start, end, raw + self._member_text(url, "args", f"[{', '.join(arguments)}]")
        return edits

    def _header_member(self) -> tuple[str, ConfigMember] | None:
        """Return the name and member of a remote server's headers, or None if it has none.

        Headers that cannot become environment variables raise a `_LeftError`.
        """
        name = _HEADERS[self._toml]
        member = self._members.get(name)
        if member is None:
            return None
        data = member.node.data
        if not is_object(data) or not all(isinstance(value, str) for value in data.values()):
            raise _LeftError(f"its {name} are not an object whose values are all strings")
        if "env" in self._members or not all(map(_HEADER.fullmatch, data)):
            raise _LeftError(f"its {name} cannot be passed as environment variables")
        return name, member

    def _check_address(self, url: ConfigNode, kind: ConfigMember | None, *, is_known: bool) -> None:
        """Raise a `_LeftError` if the proxy cannot connect to this address.

        `kind` is the declared type of the server. Unless `is_known`, an address on another machine
        is refused, because it may require a login.
        """
        if not isinstance(url.value, str) or "args" in self._members:
            raise _LeftError(
                "its url is not a string"
                if "args" not in self._members
                else "it has both a url and args"
            )
        if kind is not None and self._source_text(kind.node) != '"http"':
            raise _LeftError(
                f"its type is {kind.node.data}, but the proxy supports only streamable HTTP"
            )
        login = next((name for name in _LOGINS if name in self._members), None)
        if login is not None:
            raise _LeftError(f"the host handles {login} for it, which the proxy does not support")
        if not is_known and urlsplit(url.value).hostname not in _LOCAL:
            raise _LeftError(
                "it may require a login in a browser, which the proxy does not support "
                "(--all includes it)"
            )

    def unwrap_edits(self) -> list[Edit]:
        """Return the edits that remove the proxy from before this server.

        An entry that we did not write raises a `_LeftError`.
        """
        if array := self._members["command"].node.items:
            texts = [item.value for item in array]
            if "--" not in texts[:-1]:
                raise _LeftError("its entry for the proxy was written by hand")
            return [(array[0].start, array[texts.index("--") + 1].start, "")]
        items, command = self._arguments, self._members["command"]
        words = [item.value for item in items]
        if "--" in words and words.index("--") + 1 < len(words):
            index = words.index("--") + 1
            server_program, rest = items[index], items[index + 1 :]
            edit = command.node.start, command.node.end, self._source_text(server_program)
            return [edit, self._removal_edit(command, items, rest)]
        if "--url" in words and words.index("--url") + 1 < len(words):
            return self._restore_address(command, items[words.index("--url") + 1])
        raise _LeftError("its entry for the proxy was written by hand")

    def _removal_edit(
        self, command: ConfigMember, items: list[ConfigNode], rest: list[ConfigNode]
    ) -> Edit:
        """Return the edit that removes all arguments of a command but the `rest`.

        If none is left and mckp added ``args``, the whole member is removed.
        """
        if rest:
            return items[0].start, rest[0].start, ""
        array = self._members["args"].node
        if array.was_created and self._are_neighbours(command):
            return command.node.end, array.end, ""
        return items[0].start, items[-1].end, ""

    def _restore_address(self, command: ConfigMember, url: ConfigNode) -> list[Edit]:
        """Return the edits that turn a command of the proxy into a server with an address again.

        A `_LeftError` is raised if someone moved its arguments.
        """
        if not self._are_neighbours(command):
            raise _LeftError("its args no longer follow its command")
        array, kind = self._members["args"].node, self._members.get("type")
        edits = [(command.node.start, array.end, self._source_text(url))]
        edits += self._rename_edits(command, "command", "url")
        if kind is not None:
            edits.append((kind.node.start, kind.node.end, _quote("http")))
        env, words = self._members.get("env"), array.data
        headers = {word for before, word in pairwise(words) if before == "--header"}
        if env is not None and headers == set(env.node.data):
            edits += self._rename_edits(env, "env", _HEADERS[self._toml])
        return edits

    def _are_neighbours(self, command: ConfigMember) -> bool:
        """Whether the arguments directly follow the command."""
        between = self._text[command.node.end : self._members["args"].start]
        return command.node.end <= self._members["args"].start and not between.strip(", \t\r\n")

    def _member_text(self, beside: ConfigMember, name: str, value: str) -> str:
        """Return the text of a new member that follows `beside` and is laid out like it.

        `value` is the text of the value.
        """
        start = self._text.rfind("\n", 0, beside.start) + 1
        indent = self._text[start : beside.start]
        is_table = self._toml and self._entry.start == self._entry.end
        gap = " "
        if is_table or (not indent.strip(" \t") and start):
            gap = ("\r\n" if "\r\n" in self._text else "\n") + indent
        path = self._text[beside.start : beside.keys[0][0]]
        member_text = f"{path}{name} = {value}" if self._toml else f"{_quote(name)}: {value}"
        return f"{'' if is_table else ','}{gap}{member_text}"

    def _rename_edits(self, member: ConfigMember, old: str, new: str) -> list[Edit]:
        """Return the edits that rename a member, wherever its name is; quotes do not change."""
        return [(start, end, self._text[start:end].replace(old, new)) for start, end in member.keys]

    def _source_text(self, node: ConfigNode) -> str:
        """Return the text of a value as it is in the configuration."""
        return self._text[node.start : node.end]


def _quote(text: str) -> str:
    """Return a text as a JSON string, which is valid in TOML too (except for U+007F)."""
    return json.dumps(text, ensure_ascii=False)

"""Makes several servers look like one: requests go to one of them, or to all and are merged."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

import anyio

from mckp import __version__
from mckp.agents.mcp.catalog import BETWEEN
from mckp.agents.mcp.messages import (
    LISTS,
    VERSIONS,
    Code,
    RefusedError,
    failure,
    notification,
    params_of,
)
from mckp.agents.mcp.wellformed import repair_item
from mckp.jsontext import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mckp.agents.mcp.link import Link
    from mckp.agents.mcp.messages import Message
    from mckp.agents.mcp.relay import Relay

_LOG: Final = logging.getLogger(__name__)
_NOT_OFFERED: Final = ("tasks", "experimental", "extensions")
"""Capabilities that are not offered, because their ids do not tell which server they belong to."""


def greeting(greetings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    r"""Return one answer to ``initialize``, merged from the answers of all servers.

    Examples
    --------
    >>> one = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "instructions": "A."}
    >>> two = {"protocolVersion": "2025-03-26", "capabilities": {"prompts": {}}}
    >>> merged = greeting({"one": one, "two": two})
    >>> merged["protocolVersion"], merged["capabilities"], merged["instructions"]
    ('2025-03-26', {'tools': {}, 'prompts': {}}, '# one\nA.')
    """
    answer: dict[str, Any] = {
        "protocolVersion": min(
            one_greeting["protocolVersion"] for one_greeting in greetings.values()
        ),
        "capabilities": _capabilities(greetings),
        "serverInfo": {"name": "mckp", "version": __version__},
    }
    sections = [
        f"# {name}\n{one_greeting['instructions']}"
        for name, one_greeting in greetings.items()
        if isinstance(one_greeting.get("instructions"), str) and one_greeting["instructions"]
    ]
    if sections:
        answer["instructions"] = "\n\n".join(sections)
    return answer


def _capabilities(greetings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the capabilities of all servers as one object."""
    merged: dict[str, Any] = {}
    for one_greeting in greetings.values():
        abilities = one_greeting.get("capabilities")
        for name, ability in abilities.items() if is_object(abilities) else ():
            if name not in _NOT_OFFERED and is_object(ability):
                merged[name] = _merged_ability(merged.get(name), ability)
    return merged


def _merged_ability(first: Any, second: Any) -> Any:
    """Return two servers' descriptions of an ability merged.

    A member that is missing or false in the first is that of the second, if the second has it.

    Examples
    --------
    >>> _merged_ability({"listChanged": False}, {}), _merged_ability({"a": False}, {"a": True})
    ({'listChanged': False}, {'a': True})
    """
    if not is_object(first) or not is_object(second):
        return second if first is None else first
    return {**second, **{key: value or second.get(key, value) for key, value in first.items()}}


def merged_list(by_server: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the lists of all servers as one, without invalid items, which are logged.

    Names of prompts get their server as a prefix.
    """
    merged: list[Any] = []
    for server, items in by_server.items():
        for sent in items if is_array(items) else ():
            item = repair_item(sent, kind)
            if item is None:
                _LOG.warning(
                    "%s: one of its %s is invalid and was left out: %.80r", server, kind, sent
                )
            elif kind == "prompts":
                merged.append({**item, "name": f"{server}{BETWEEN}{item['name']}"})
            else:
                merged.append(item)
    return {kind: merged}


_URI_METHODS: Final = frozenset({"resources/read", "resources/subscribe", "resources/unsubscribe"})
_CHANGES: Final = ("tools", "prompts", "resources")


class ManyServers:
    """Answers requests of the host on behalf of several servers, as if they were one.

    Newer versions of the protocol, which lack ``initialize``, are not offered: ``server/discover``
    is answered with an error, so the host falls back to an older version.
    """

    def __init__(self, relay: Relay) -> None:
        """Begin without knowing which server has which resource."""
        self._relay = relay
        self._uris: dict[str, str] = {}

    async def request(self, message: Message) -> None:
        """Answer a request that is not about tools."""
        method, params = message["method"], params_of(message)
        if method == "ping":
            await self._relay.reply(message, {})
        elif method == "initialize":
            await self._greet(message)
        elif method in LISTS:
            await self._list(message, LISTS[method])
        elif method == "logging/setLevel":
            await self.ask_all(message)
            await self._relay.reply(message, {})
        elif method in _URI_METHODS:
            await self._forward_by_uri(message, params.get("uri"))
        elif method == "prompts/get":
            await self._forward_by_name(message, params)
        elif method == "completion/complete":
            await self._complete(message, params)
        else:
            await self._refuse(message, Code.METHOD_NOT_FOUND, f"Method not found: {method}")

    async def report_changes(self, link: Link) -> None:
        """Notify the host, after a server has ended, that the lists with its items have changed."""
        for kind in _CHANGES:
            if kind in link.capabilities:
                await self._relay.send_to_host(notification(f"notifications/{kind}/list_changed"))

    def may_own(self, link: Link, uri: Any) -> bool:
        """Whether a resource may belong to a server: no other server has listed it."""
        return not isinstance(uri, str) or self._uris.get(uri, link.name) == link.name

    async def _greet(self, message: Message) -> None:
        """Answer ``initialize`` for the servers that speak a known version, and drop the others."""
        answers = await self.ask_all(message)
        wanted = params_of(message).get("protocolVersion")
        for name, answer in list(answers.items()):
            version = answer.get("protocolVersion")
            if version not in (*VERSIONS, str(wanted)):
                _LOG.warning(
                    "%s is left out: it speaks an unknown version of the protocol: %r",
                    name,
                    version,
                )
                del answers[name]
        links = self._relay.links
        for name in list(links):
            if name in answers:
                links[name].note_greeting(answers[name])
            else:
                del links[name]
        if links:
            await self._relay.reply(message, self._relay.desk.greet(greeting(answers)))
        else:
            await self._refuse(message, Code.INVALID_PARAMS, "no server could be initialized")

    async def ask_all(self, message: Message) -> dict[str, dict[str, Any]]:
        """Return the answers of all servers that answer in time, in the order of the servers.

        A server that fails, or lacks the capability that the method needs, is left out.
        """
        answers: dict[str, dict[str, Any]] = {}
        method = message["method"]
        capability, separator, _ = method.partition("/")

        async def ask_server(link: Link) -> dict[str, Any]:
            """Ask a server, and return its answer."""
            if method in LISTS:
                return await self._relay.fetch_pages(link, message)
            return await self._relay.ask(link, method, message.get("params"))

        async def keep_answer(link: Link) -> None:
            """Ask a server, and keep its answer unless it fails."""
            try:
                with anyio.fail_after(self._relay.desk.settings.patience):
                    answers[link.name] = await ask_server(link)
            except (RefusedError, TimeoutError) as error:
                why = str(error) or "no answer in time"
                _LOG.warning("%s is left out of %s: %s", link.name, method, why)

        async with anyio.create_task_group() as tasks:
            for link in self._relay.links.values():
                if not separator or capability in link.capabilities:
                    tasks.start_soon(keep_answer, link)
        return {name: answers[name] for name in self._relay.links if name in answers}

    async def _list(self, message: Message, kind: str) -> None:
        """Answer a request for a list with the lists of all servers.

        If it is a list of resources, the server of each resource is remembered.
        """
        items_by_server = {
            name: answer[kind] for name, answer in (await self.ask_all(message)).items()
        }
        if kind == "resources":
            # If several servers list a resource, the first keeps it.
            self._uris.update(
                (item["uri"], name)
                for name, items in reversed(items_by_server.items())
                for item in items
                if is_object(item) and isinstance(item.get("uri"), str)
            )
        await self._relay.reply(message, merged_list(items_by_server, kind))

    async def _forward_by_uri(self, message: Message, uri: Any) -> None:
        """Forward a request to a resource's server; if that is unknown, ask one after another."""
        known = self._relay.links.get(self._uris.get(uri, "")) if isinstance(uri, str) else None
        if known is not None:
            self._relay.forward(message, known)
            return
        error = {"code": Code.INVALID_PARAMS, "message": f"no server has the resource {uri}"}
        for link in list(self._relay.links.values()):
            if "resources" not in link.capabilities:
                continue
            try:
                with anyio.fail_after(self._relay.desk.settings.patience):
                    answer = await self._relay.ask(link, message["method"], message.get("params"))
            except RefusedError as refused:
                error = refused.error
                continue
            except TimeoutError:
                _LOG.warning("%s did not answer in time whether it has %s", link.name, uri)
                continue
            if isinstance(uri, str):
                self._uris[uri] = link.name
            await self._relay.reply(message, answer)
            return
        await self._relay.send_to_host({"jsonrpc": "2.0", "id": message["id"], "error": error})

    async def _forward_by_name(
        self, message: Message, about: dict[str, Any], key: str = ""
    ) -> None:
        """Pass a request about a prompt to its server.

        `about` is the parameter named `key`, or all parameters if `key` is empty.
        """
        name = about.get("name")
        server, separator, own_name = (
            name.partition(BETWEEN) if isinstance(name, str) else ("", "", "")
        )
        link = self._relay.links.get(server)
        if not separator or link is None:
            await self._refuse(message, Code.INVALID_PARAMS, f"Unknown prompt: {name}")
            return
        changed = {**about, "name": own_name}
        params = {**params_of(message), key: changed} if key else changed
        self._relay.forward({**message, "params": params}, link)

    async def _complete(self, message: Message, params: dict[str, Any]) -> None:
        """Forward a request for completions to the server of its prompt or resource."""
        about = params.get("ref")
        if is_object(about) and about.get("type") == "ref/prompt":
            await self._forward_by_name(message, about, "ref")
        else:
            await self._forward_by_uri(message, about.get("uri") if is_object(about) else None)

    async def _refuse(self, message: Message, code: int, why: str) -> None:
        """Answer a request with an error."""
        await self._relay.send_to_host(failure(message["id"], code, why))

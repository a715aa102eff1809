"""Passes messages between a host and its servers.

Only tool results and tool lists are changed. With one server, even the ids stay the same. With
several servers, a request goes to one of them, or to all, and their answers are merged.
"""

from __future__ import annotations

import logging
import math
import sys
from collections import OrderedDict
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.to_thread

from mckp.agents.mcp.link import Questions, secret_id
from mckp.agents.mcp.messages import (
    CANCELLED,
    LISTS,
    VERSION_KEY,
    Code,
    RefusedError,
    Unreadable,
    cancellation,
    client_name,
    failure,
    is_compaction,
    is_request,
    is_same_token,
    meta_of,
    page_items,
    params_of,
    progress_token,
    request,
    response,
    text_result,
)
from mckp.agents.mcp.pipes import GONE
from mckp.agents.mcp.revival import Revivals
from mckp.errors import MckpError
from mckp.jsontext import is_object

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Mapping

    from mckp.agents.mcp.desk import Desk, RoutedCall
    from mckp.agents.mcp.link import Link, MessageWriter, Reading
    from mckp.agents.mcp.many import ManyServers
    from mckp.agents.mcp.messages import Message, RequestId
    from mckp.agents.mcp.revival import Connect

_LOG: Final = logging.getLogger(__name__)
_REMEMBERED_REQUESTS: Final = 256
_PROGRESS: Final = "notifications/progress"
_UPDATED: Final = "notifications/resources/updated"
_ENDLESS: Final = "subscriptions/listen"
_GREETINGS: Final = frozenset({"initialize", "server/discover"})
OVERTAKEN_SECONDS: Final = 0.25
"""Seconds after which the next result is written while one is not ready yet."""
_MAX_AT_ONCE: Final = 8
"""The most results that are written at the same time."""
_SWITCH_SECONDS: Final = 0.0003
"""Python lets a thread run for 5 ms before another's turn; counting tokens gives its turn away
about a hundred times per result, so next to a slow result, a quick one took 4 s instead of .5 s."""
_MAX_PAGES: Final = 1000
"""The most pages of a list; a server with more probably repeats them for ever."""


@contextmanager
def _quick_turns() -> Generator[None]:
    """Let threads take turns more often while the context lasts."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, _SWITCH_SECONDS))
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@dataclass(slots=True)
class Waiting:
    """A request of the host, or of the relay itself, that a server has not answered yet."""

    link: Link
    token: Any
    """The token for notifications of its progress."""
    until: float
    """The time at which the request is given up."""
    take: Callable[[Message], Awaitable[None]]
    """Called with the answer."""


@dataclass(slots=True)
class PendingResult:
    """A result on its way through the session."""

    call: RoutedCall
    message: Message
    is_cancelled: bool = False


class Relay:
    """Stands between a host and its servers.

    It keeps, by request id, each request without an answer (`waiting`), each result that is not
    delivered yet (`encoding`), and the numbers of texts in the latest results (`sent`).
    """

    def __init__(
        self,
        read: Reading,
        write: MessageWriter,
        links: Mapping[str, Link],
        desk: Desk,
        connect: Connect | None = None,
    ) -> None:
        """Prepare to relay; `connect`, if given, starts a server again that has ended."""
        self._read, self._write = read, write
        self.links, self.desk = dict(links), desk
        self.is_lost = False
        self._first_name = next(iter(links))
        self._revivals = Revivals(self, connect)
        self.waiting: dict[RequestId, Waiting] = {}
        self._questions = Questions(desk.has_several_servers)
        self.encoding: dict[RequestId, PendingResult] = {}
        self.sent: OrderedDict[RequestId, list[int]] = OrderedDict()
        self._result_sender, self._result_receiver = anyio.create_memory_object_stream[
            PendingResult | None
        ](64)
        self.tasks = anyio.create_task_group()
        self._delivery_limiter = anyio.CapacityLimiter(_MAX_AT_ONCE)
        self._many: ManyServers | None = None
        self._is_called = False
        self._running_task_count = 0
        if desk.has_several_servers:
            from mckp.agents.mcp.many import ManyServers

            self._many = ManyServers(self)

    async def run(self) -> None:
        """Relay until the host ends, or until all servers have ended, which sets `is_lost`."""
        with _quick_turns():
            await self._run()

    async def _run(self) -> None:
        """Run the tasks of the relay until the host ends or one of them cancels the others."""
        async with self._result_sender, self._result_receiver, self.tasks:
            for link in self.links.values():
                self.tasks.start_soon(link.pump)
                self.tasks.start_soon(self.follow, link)
            self.tasks.start_soon(self._encode_results)
            self.tasks.start_soon(self._watch_deadlines)
            async for item in self._read:
                if isinstance(item, Exception):
                    _LOG.warning("the host sent an invalid message: %s", item)
                else:
                    await self.handle_host_message(item)
            self.tasks.cancel_scope.cancel()

    # From the host.

    async def handle_host_message(self, message: Message) -> None:
        """Handle a message from the host."""
        if is_request(message):
            await self._handle_request(message)
        elif "method" in message:
            self._handle_notification(message)
        elif closed_request := self._questions.close(message["id"]):
            link, request_id = closed_request
            link.send({**message, "id": request_id})

    async def _handle_request(self, message: Message) -> None:
        """Answer a request from the host, or forward it to a server."""
        self.desk.note_host(client_name(message))
        if message["method"] == "initialize":
            self._revivals.greeting = params_of(message)
        if message["method"] == "tools/call":
            await self._handle_call(message)
        elif message["method"] == "tools/list":
            self.start_task(self._list_tools, message)
        elif self._many is not None:
            self.start_task(self._many.request, message)
        else:
            self._forward_to(self._first_name, message)

    def start_task(self, answer: Callable[..., Awaitable[None]], *args: Any) -> None:
        """Answer a request in a task of its own, which calls `answer` with `args`."""

        async def work() -> None:
            """Answer, and count the task as done."""
            try:
                await answer(*args)
            finally:
                self._running_task_count -= 1

        self._running_task_count += 1
        self.tasks.start_soon(work)

    def _handle_notification(self, message: Message) -> None:
        """Pass a notification of the host to all servers, or cancel the request that it names."""
        if message["method"] == CANCELLED:
            self._cancel(message, params_of(message).get("requestId"))
            return
        if is_compaction(message):
            self.desk.compact()
        for link in self.links.values():
            link.send(message)

    def _cancel(self, message: Message, request_id: Any) -> None:
        """Cancel a request of the host; `message` is the notification that cancels it."""
        if not isinstance(request_id, int | str):
            return
        waiting, result = self.waiting.pop(request_id, None), self.encoding.get(request_id)
        if waiting is not None:
            waiting.link.send(message)
        elif result is not None:
            result.is_cancelled = True
        else:
            # A host that cancels no longer waits, and drops a result that came meanwhile.
            self.desk.gone(self.sent.pop(request_id, []))

    def forward(self, message: Message, link: Link, call: RoutedCall | None = None) -> None:
        """Pass a request on to a server; its answer goes back to the host.

        `call` is the tool call, if the request is one.
        """
        until = math.inf if message["method"] == _ENDLESS else self._deadline()
        take = partial(self._pass_back, link, message["method"], call)
        self._send_request(message, Waiting(link, progress_token(message), until, take))

    def _forward_to(self, name: str, message: Message, call: RoutedCall | None = None) -> None:
        """Pass a request on to a server by its name; one that has ended is started again first."""
        if (link := self.links.get(name)) is not None:
            self.forward(message, link, call)
        else:
            self.start_task(self._revive_and_forward, name, message, call)

    async def _revive_and_forward(
        self, name: str, message: Message, call: RoutedCall | None
    ) -> None:
        """Start a server again and pass a request on to it, or answer that it has ended."""
        link = await self._revivals.link(name)
        if link is not None:
            self.forward(message, link, call)
            return
        why = f"the server {name!r} has ended"
        await self.send_to_host(failure(message["id"], Code.CONNECTION_CLOSED, why))

    def _send_request(self, message: Message, waiting: Waiting) -> None:
        """Send a request to a server, and keep it until it is answered."""
        self.waiting[message["id"]] = waiting
        waiting.link.send(message)

    async def _handle_call(self, message: Message) -> None:
        """Handle a tool call: answer it here, or forward it to the server of the tool."""
        params = params_of(message)
        name, args = params.get("name"), params.get("arguments")
        function = self.desk.own_function(name)
        if function:
            self.start_task(self._answer_own, message, function, args)
            return
        route = self.desk.find_tool(name)
        servers = {*self.links, *self._revivals.names}
        if route is None or route.server not in servers:
            error = failure(message["id"], Code.INVALID_PARAMS, f"Unknown tool: {name}")
            self.start_task(self.send_to_host, error)
            return
        try:
            own_args, fields = self.desk.split_arguments(route, args)
            server_args = self.desk.with_ids(own_args)
        except MckpError as error:
            self.start_task(self.reply, message, text_result(str(error), is_error=True))
            return
        if name != route.tool or server_args is not args:
            args = server_args
            arguments = {} if args is None else {"arguments": args}
            params = {**params, "name": route.tool, **arguments}
            message = {**message, "params": params}
        if not self._is_called:
            self._is_called = True
            self.tasks.start_soon(anyio.to_thread.run_sync, self.desk.prepare)
        self._forward_to(route.server, message, self.desk.new_call(route, args, fields))

    async def _answer_own(self, message: Message, function: str, args: Any) -> None:
        """Answer a call of our own tool; `function` is what the tool does, such as ``recall``."""
        answer = await anyio.to_thread.run_sync(self.desk.answer, function, args)
        await self.reply(message, answer)

    async def reply(self, message: Message, result: dict[str, Any]) -> None:
        """Answer a request of the host with a result."""
        if VERSION_KEY in meta_of(message):
            result = {"resultType": "complete", **result}
        await self.send_to_host(response(message["id"], result))

    async def send_to_host(self, message: Message) -> None:
        """Send the host a message; do nothing if the host is gone, since its stream ends soon."""
        with suppress(*GONE):
            await self._write.send(message)

    # Lists of tools.

    async def _list_tools(self, message: Message) -> None:
        """Answer a request for the list of tools, and keep the schemas of their arguments."""
        for name in self._revivals.names:
            await self._revivals.link(name)
        try:
            if self._many is not None:
                answers = await self._many.ask_all(message)
            else:
                servers = list(self.links.values())
                answers = {link.name: await self.fetch_pages(link, message) for link in servers}
        except RefusedError as refused:
            await self.send_to_host({"jsonrpc": "2.0", "id": message["id"], "error": refused.error})
            return
        by_server: dict[str, list[Any]] = {
            name: answer["tools"] for name, answer in answers.items()
        }
        for name in by_server.keys() & self.links.keys():
            self.links[name].schemas.update(
                (tool["name"], tool.get("inputSchema"))
                for tool in by_server[name]
                if is_object(tool) and isinstance(tool.get("name"), str)
                if is_object(tool.get("inputSchema"))
            )
        tools = await anyio.to_thread.run_sync(self.desk.list, by_server)
        # The other members of a list are passed on if there is only one server.
        single_answer = {} if self._many is not None else next(iter(answers.values()))
        other_members = {key: value for key, value in single_answer.items() if key != "nextCursor"}
        await self.send_to_host(response(message["id"], {**other_members, "tools": tools}))

    async def fetch_pages(self, link: Link, message: Message) -> dict[str, Any]:
        """Return a server's list in one answer, with the items of all its pages.

        `message` is the request for the list. A `RefusedError` is raised as by `ask`.
        """
        method, kind = message["method"], LISTS[message["method"]]
        options = {key: value for key, value in params_of(message).items() if key != "cursor"}
        answer = page = await self.ask(link, method, options)
        items = page_items(page, kind)
        for _ in range(_MAX_PAGES):
            if not page.get("nextCursor"):
                break
            page = await self.ask(link, method, {**options, "cursor": page["nextCursor"]})
            items += page_items(page, kind)
        return {**answer, kind: items}

    async def ask(self, link: Link, method: str, params: dict[str, Any] | None) -> dict[str, Any]:
        """Return a server's answer; raise `RefusedError` if it is an error, late or missing."""
        request_id = secret_id()
        message, answered = request(request_id, method, params), anyio.Event()
        answers: list[Message] = []

        async def take(answer: Message) -> None:
            """Keep the answer, and wake up the caller."""
            answers.append(answer)
            answered.set()

        self._send_request(message, Waiting(link, progress_token(message), self._deadline(), take))
        try:
            await answered.wait()
        finally:
            self.waiting.pop(request_id, None)
        (answer,) = answers
        if "error" in answer:
            raise RefusedError(answer["error"])
        result: dict[str, Any] = answer["result"]
        return result

    # From servers.

    async def follow(self, link: Link) -> None:
        """Handle the messages of a server until it ends, then drop it."""
        async for item in link.read:
            if isinstance(item, Exception):
                await self._handle_unreadable(link, item)
            else:
                await self._handle_server_message(link, item)
        await self._drop_server(link)

    async def _handle_server_message(self, link: Link, message: Message) -> None:
        """Handle a message from a server."""
        is_used = self.links.get(link.name) is link or self._revivals.is_starting(link)
        if not is_used:
            return  # it was left out, so nobody waits for its answers
        if "method" not in message:
            await self._take_answer(link, message)
        elif is_request(message):
            await self._ask_host(link, message)
        elif (for_host := self._notification_for_host(link, message)) is not None:
            await self.send_to_host(for_host)

    async def _ask_host(self, link: Link, message: Message) -> None:
        """Pass a server's request on to the host; refuse it if its id cannot be used."""
        request_id = self._questions.ask(link, message["id"])
        if request_id is None:
            why = f"{message['id']!r} is the id of an open request, or too many are open"
            link.send(failure(message["id"], Code.INVALID_REQUEST, why))
            return
        await self.send_to_host({**message, "id": request_id})

    def _notification_for_host(self, link: Link, message: Message) -> Message | None:
        """Return a notification with the host's ids; None if another server's request is meant."""
        params = params_of(message)
        if message["method"] == CANCELLED and "requestId" in params:
            request_id = self._questions.withdraw(link, params["requestId"])
            return (
                None
                if request_id is None
                else {**message, "params": {**params, "requestId": request_id}}
            )
        is_own = True
        if message["method"] == _PROGRESS:
            is_own = self._prolong(link, params.get("progressToken"))
        elif message["method"] == _UPDATED and self._many is not None:
            is_own = self._many.may_own(link, params.get("uri"))
        if is_own or self._many is None:
            return message
        _LOG.debug(
            "%s sent %s for a request or resource of another server", link.name, message["method"]
        )
        return None

    def _prolong(self, link: Link, token: Any) -> bool:
        """Extend the deadlines of a server's requests with a token; return whether any has it."""
        waiting = self.waiting.values()
        own_requests = [
            pending
            for pending in waiting
            if pending.link is link and is_same_token(pending.token, token)
        ]
        for pending in own_requests:
            pending.until = max(pending.until, self._deadline())
        return bool(own_requests)

    def _deadline(self) -> float:
        """Return the time at which a request that begins now is given up."""
        return anyio.current_time() + self.desk.settings.timeout

    async def _watch_deadlines(self) -> None:
        """Give up requests that a server does not answer in time, and notify both sides."""
        settings = self.desk.settings
        while True:
            await anyio.sleep(min(settings.timeout, settings.patience) / 4)
            time_now = anyio.current_time()
            late = [
                request_id
                for request_id, pending in self.waiting.items()
                if pending.until < time_now
            ]
            for request_id in late:
                # A server that has asked the host waits for an answer, perhaps from a person.
                link = self.waiting[request_id].link if request_id in self.waiting else None
                if link is not None and not self._questions.open_ids(link):
                    link.send(cancellation(request_id))
                    why = f"{link.name} sent neither an answer nor progress in time"
                    await self._fail(request_id, Code.REQUEST_TIMEOUT, why)

    async def _fail(self, request_id: RequestId, code: int, why: str) -> None:
        """Answer a request with an error, in place of the server; do nothing if it is not open."""
        waiting = self.waiting.pop(request_id, None)
        if waiting is not None:
            await waiting.take(failure(request_id, code, why))

    async def _take_answer(self, link: Link, message: Message) -> None:
        """Pass a server's answer to the request that waits for it; log it if there is none.

        An answer without an id goes to the host if there is only one server, else it is dropped.
        """
        request_id = message["id"]
        if request_id is None:
            if self._many is None:
                await self.send_to_host(message)
            return
        waiting = self.waiting.get(request_id)
        if waiting is not None and waiting.link is link:
            await self.waiting.pop(request_id).take(message)
        else:
            _LOG.debug("%s answered %r, which was not requested", link.name, request_id)

    async def _pass_back(
        self, link: Link, method: str, call: RoutedCall | None, message: Message
    ) -> None:
        """Send a server's answer to the host; a tool result goes through the session first.

        `method` is that of the request, and `call` is the tool call, if it was one.
        """
        if "result" in message and method in _GREETINGS:
            link.note_greeting(message["result"])
            message = {**message, "result": self.desk.greet(message["result"])}
        if "result" in message and call is not None:
            result = self.encoding[message["id"]] = PendingResult(call, message)
            await self._result_sender.send(result)
            return
        if "error" in message and call is not None:
            message = {**message, "error": self.desk.safe_error(message["error"])}
        await self.send_to_host(message)

    async def _encode_results(self) -> None:
        """Pass results through the session in order, but let none wait long for a slow one.

        None in place of a result ends the relay once all results before it are delivered.
        """
        async for result in self._result_receiver:
            if result is None:
                break
            done = anyio.Event()
            self.tasks.start_soon(self._deliver, result, done)
            with anyio.move_on_after(OVERTAKEN_SECONDS):
                await done.wait()
        while self.encoding:
            await anyio.sleep(0.01)
        self.tasks.cancel_scope.cancel()

    async def _deliver(self, result: PendingResult, done: anyio.Event) -> None:
        """Deliver a result, and set an event when it is done."""
        try:
            if not result.is_cancelled:
                await self._shorten_and_send(result)
        finally:
            self.encoding.pop(result.message["id"], None)
            done.set()

    async def _shorten_and_send(self, result: PendingResult) -> None:
        """Shorten a result, and send it unless its request was cancelled."""
        call, message = result.call, result.message
        request_id: RequestId = message["id"]
        delivered = await anyio.to_thread.run_sync(
            self.desk.deliver, call, message["result"], limiter=self._delivery_limiter
        )
        if result.is_cancelled:
            self.desk.gone(delivered.numbers)
            return
        if delivered.result is not message["result"]:
            message = {**message, "result": delivered.result}
        self.sent[request_id] = delivered.numbers
        if len(self.sent) > _REMEMBERED_REQUESTS:
            self.sent.popitem(last=False)
        await self.send_to_host(message)

    async def _handle_unreadable(self, link: Link, error: Exception) -> None:
        """Log an unreadable message, and fail the request that waits for it, if that is known.

        If a message may be the answer to any of several requests, all are given up soon.
        """
        link.noise += 1
        await anyio.sleep(0)  # noise comes in many lines at once; let others work
        # A server may write its log here, which would fill the host's log. So only the 1st, 2nd,
        # 4th, 8th line and so on are logged.
        if link.noise & (link.noise - 1) == 0:
            _LOG.warning("%s sent an invalid message (number %d): %s", link.name, link.noise, error)
        if not isinstance(error, Unreadable):
            return
        request_id = error.id
        open_ids = [open_id for open_id, waiting in self.waiting.items() if waiting.link is link]
        if request_id is None and error.is_message:
            if len(open_ids) == 1:
                (request_id,) = open_ids
            soon = anyio.current_time() + self.desk.settings.patience
            for open_id in open_ids:  # the answer may be to any of them
                waiting = self.waiting[open_id]
                waiting.until = min(waiting.until, soon)
        if request_id in open_ids:
            why = f"{link.name} sent a damaged answer"
            await self._fail(request_id, Code.CONNECTION_CLOSED, why)

    async def _drop_server(self, link: Link) -> None:
        """Answer all open requests to a server that has ended; the other servers go on.

        If it was the last one and cannot be started again, the relay ends.
        """
        _LOG.error("%s has ended", link.name)
        was_used = self.links.get(link.name) is link
        if was_used:
            del self.links[link.name]
        may_return = self._revivals.note_end(link)
        advice = "; the next call starts it again" if may_return else ""
        for host_id in self._questions.open_ids(link):
            self._questions.close(host_id)
            await self.send_to_host(cancellation(host_id))
        open_ids = [open_id for open_id, waiting in self.waiting.items() if waiting.link is link]
        for open_id in open_ids:
            why = f"the server {link.name!r} has ended{advice}"
            await self._fail(open_id, Code.CONNECTION_CLOSED, why)
        await self.end_if_lost()
        if self.links and self._many is not None and was_used and not may_return:
            await self._many.report_changes(link)

    async def end_if_lost(self) -> None:
        """End the relay once all answers are sent, if no server is left or can be started again."""
        if not (self.links or self._revivals.names or self.is_lost):
            self.is_lost = True
            with anyio.move_on_after(self.desk.settings.patience):  # let the answers go out first
                while self._running_task_count:
                    await anyio.sleep(0.01)
            await self._result_sender.send(None)

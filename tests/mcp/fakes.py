"""Servers that do all that servers do, and clients before them, with and without the proxy."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import anyio
from mcp.client.stdio import StdioServerParameters
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.memory import create_client_server_memory_streams
from mcp.types import (
    Annotations,
    CallToolResult,
    Completion,
    ImageContent,
    ResourceLink,
    TextContent,
    ToolAnnotations,
)
from pydantic import BaseModel

from mckp.agents.mcp.desk import Desk
from mckp.agents.mcp.link import Link
from mckp.agents.mcp.relay import Relay
from mckp.agents.mcp.results import Deliverer
from mckp.agents.mcp.servers import ProxySettings
from mckp.agents.mcp.web import FromSdk, ToSdk
from mckp.agents.session import Session
from tests.mcp.jobs import rows as rows

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Weather(BaseModel):
    """What a tool with an output schema returns."""

    city: str
    degrees: list[float]


class Wish(BaseModel):
    """What a tool asks the user."""

    colour: str


def text(*blocks: str, **more: Any) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=block) for block in blocks], **more
    )


def full_server(name: str = "full") -> MCPServer:
    """Return a server with a tool for each kind of result, and with all that is no tool."""
    server = MCPServer(name, instructions=f"This is {name}.")
    _results(server)
    _conversations(server)
    _add_resources(server)
    return server


def _results(server: MCPServer) -> None:
    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def list_jobs(count: int = 30, first: int = 0) -> CallToolResult:
        """List jobs. They come in the order of their ids. Nothing is left out."""
        return text(json.dumps(rows(count, first)))

    @server.tool()
    def read_log(lines: int = 40) -> CallToolResult:
        """Read the log of a build."""
        return text(
            "\n".join(f"step {n} of the build is done, with {n * 7} files" for n in range(lines))
        )

    @server.tool()
    def weather(city: str) -> Weather:
        """Tell the weather."""
        return Weather(city=city, degrees=[n / 2 for n in range(60)])

    @server.tool()
    def picture() -> CallToolResult:
        """Show a picture, and where more are."""
        return CallToolResult(
            content=[
                ImageContent(type="image", data=PIXEL, mime_type="image/png"),
                TextContent(
                    type="text",
                    text="for the user " * 40,
                    annotations=Annotations(audience=["user"]),
                ),
                ResourceLink(type="resource_link", uri="fake://pictures", name="pictures"),
            ],
            _meta={"example/of": "meta"},
        )

    @server.tool()
    def several(blocks: int = 4) -> CallToolResult:
        """Return several texts."""
        return text(*(json.dumps(rows(20, 20 * n)) for n in range(blocks)))

    @server.tool()
    def broken(lines: int = 1) -> CallToolResult:
        """Fail."""
        return text("\n".join(f"failed at {n}: no such file" for n in range(lines)), is_error=True)

    @server.tool()
    def fakes() -> CallToolResult:
        """Say what the proxy says itself."""
        return text("> [#7 as compact]\n" + "\n".join("> [ref #1]" for _ in range(30)))


def _conversations(server: MCPServer) -> None:
    @server.tool()
    async def count(ctx: Context, to: int = 3) -> CallToolResult:
        """Count, and report how far it came."""
        for number in range(1, to + 1):
            await ctx.report_progress(number, to, f"at {number}")
            await ctx.info(f"counted {number}")  # pyright: ignore[reportDeprecated]
        return text("done")

    @server.tool()
    async def wish(ctx: Context) -> CallToolResult:
        """Ask the user for a colour."""
        answer = await ctx.elicit("Which colour?", Wish)
        return text(answer.action if answer.action != "accept" else f"chosen: {answer.data.colour}")

    @server.tool()
    async def sleep(seconds: float = 30) -> CallToolResult:
        """Take a while."""
        await anyio.sleep(seconds)
        return text("slept " * 60)


def _add_resources(server: MCPServer) -> None:
    @server.resource("fake://pictures")
    def pictures() -> str:
        return "a resource of " + server.name

    @server.resource("fake://{name}/page")
    def page(name: str) -> str:
        return f"the page of {name}"

    @server.prompt()
    def greet(name: str) -> str:
        """Greet somebody."""
        return f"Say hello to {name}."

    @server.completion()  # type: ignore[no-untyped-call,untyped-decorator]
    async def complete(ref: Any, argument: Any, context: Any) -> Completion:
        del ref, context
        return Completion(values=[argument.value + "!"])


Serves = Callable[[Any, Any], Coroutine[Any, Any, None]]


def deliverer(settings: ProxySettings) -> Deliverer:
    """Return what shortens results with the given options, and nothing else set."""
    return Deliverer(Session(settings.session_settings()), settings)


class Through:
    """A way of the SDK through the proxy to its servers, to what is run as one, and to links."""

    def __init__(
        self,
        servers: Mapping[str, MCPServer[Any] | Serves | Link],
        settings: ProxySettings | None = None,
        session: Session | None = None,
        connect: Any = None,
    ) -> None:
        self.servers, self.settings = servers, settings or ProxySettings()
        self.session = session or Session(self.settings.session_settings())
        self.relay: Relay | None = None
        self._connect = connect
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Any:
        await self._stack.__aenter__()
        return await self._stack.enter_async_context(self._streams())

    async def __aexit__(self, *error: Any) -> None:
        await self._stack.__aexit__(*error)

    @asynccontextmanager
    async def _streams(self) -> AsyncGenerator[Any]:
        async with AsyncExitStack() as stack:
            tasks = await stack.enter_async_context(anyio.create_task_group())
            links: dict[str, Link] = {}
            for name, server in self.servers.items():
                if isinstance(server, Link):
                    links[name] = server
                    continue
                near, far = await stack.enter_async_context(create_client_server_memory_streams())
                given: Any = server
                run = _runner(given) if isinstance(given, MCPServer) else given
                tasks.start_soon(run, *far)
                links[name] = Link(name, FromSdk(near[0]), ToSdk(near[1]))
                stack.callback(links[name].close)
            host, own = await stack.enter_async_context(create_client_server_memory_streams())
            desk = Desk(
                self.settings, list(links), lambda: self.session, self.settings.session_settings
            )
            self.relay = Relay(FromSdk(own[0]), ToSdk(own[1]), links, desk, self._connect)
            tasks.start_soon(self.relay.run)
            yield host
            tasks.cancel_scope.cancel()


def _runner(server: Any) -> Serves:
    async def run(read: Any, write: Any) -> None:
        # As the SDK's own transport in memory has it.
        low = server._lowlevel_server  # noqa: SLF001
        await low.run(read, write, low.create_initialization_options())

    return run


def first_text(result: Any, place: int = 0) -> str:
    text: str = result.content[place].text
    return text


def of_process(*argv: str, **env: str) -> StdioServerParameters:
    return StdioServerParameters(command=argv[0], args=list(argv[1:]), env=env)


def run(main: Callable[[], Awaitable[None]]) -> None:
    """Run a test that waits, and let none wait forever."""

    async def within() -> None:
        with anyio.fail_after(60):
            await main()

    anyio.run(within)

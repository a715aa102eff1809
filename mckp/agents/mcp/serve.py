"""Runs the proxy, which starts the servers and talks to the host on standard input and output."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import stat
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import anyio

from mckp.agents.mcp.link import link_to
from mckp.agents.mcp.pipes import READ_BYTES, Incoming, Outgoing
from mckp.errors import MckpError

# What results need is imported with the first result, so that servers start sooner; many hosts
# start proxies that they never call.
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Sequence

    from mckp.agents.config import Config, SessionSettings
    from mckp.agents.mcp.link import Link, MessageWriter, Reading
    from mckp.agents.mcp.relay import Relay
    from mckp.agents.mcp.servers import ProxySettings, ServerSpec
    from mckp.agents.session import Session
    from mckp.agents.telemetry import Recorder, Uses


@asynccontextmanager
async def host_streams() -> AsyncGenerator[tuple[Reading, MessageWriter]]:
    """Yield the streams from and to the host, which started this process.

    Meanwhile, what other code prints goes to standard error.
    """
    if sys.platform == "win32" or not (_is_waitable(0) and _is_waitable(1)):
        from mcp.server.stdio import stdio_server

        from mckp.agents.mcp.web import FromSdk, ToSdk

        async with stdio_server() as (reading, writing), writing:  # it ends once that is closed
            yield FromSdk(reading), ToSdk(writing)
        return
    wire = os.dup(1)
    os.dup2(2, 1)
    try:
        async with _pipe_streams(os.dup(0), os.dup(wire)) as streams:
            yield streams
    finally:
        os.dup2(wire, 1)
        os.close(wire)


def _is_waitable(number: int) -> bool:
    """Whether a descriptor can be waited for: a pipe, a socket or a terminal, but not a file."""
    mode = os.fstat(number).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(number)


@asynccontextmanager
async def _pipe_streams(source: int, target: int) -> AsyncGenerator[tuple[Incoming, Outgoing]]:
    """Yield the streams that read one descriptor and write another; both can be waited for."""
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    input_transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(source, "rb", 0)
    )
    output_transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop), os.fdopen(target, "wb", 0)
    )
    output_transport.set_write_buffer_limits(0)  # so that `send` waits until the bytes are written
    writer = asyncio.StreamWriter(output_transport, protocol, None, loop)

    async def send(raw: bytes) -> None:
        """Write bytes, and wait until they are written."""
        writer.write(raw)
        await writer.drain()

    async def close() -> None:
        """Close the output."""
        output_transport.close()

    try:
        yield Incoming(lambda: reader.read(READ_BYTES)), Outgoing(send, close)
    finally:
        input_transport.close()
        output_transport.close()


_LOG: Final = logging.getLogger(__name__)

FLUSH_SECONDS: Final = 0.2
"""Seconds to wait for the last messages: on Windows, the SDK does not say when they are written."""


class Sessions:
    """Opens the session of a proxy with the configured settings, and closes its telemetry."""

    def __init__(self, settings: ProxySettings, config: Config | None = None) -> None:
        self._settings = settings
        self._given_config = config
        self._recorder: Recorder | None = None
        self._uses: Uses | None = None

    @cached_property
    def _config(self) -> Config:
        """Return the given configuration, or that of the user and the project."""
        from mckp.agents.config import in_project

        asked = self._settings.telemetry is not None
        return (
            in_project(Path.cwd(), asked=asked)
            if self._given_config is None
            else self._given_config
        )

    def settings(self) -> SessionSettings:
        """Return the settings of sessions: those of files, of the servers' entries and options."""
        return self._session_settings

    @cached_property
    def _session_settings(self) -> SessionSettings:
        from mckp.agents.config import effective

        resolved = effective(self._config, tokenizer=self._settings.tokenizer)
        return self._settings.session_settings(resolved.settings.rules)

    def open(self) -> Session:
        """Return a session."""
        from mckp.agents.session import Session, SessionSettings
        from mckp.agents.telemetry import Anonymiser, Uses, recorder_for

        settings = SessionSettings(rules=self._session_settings.rules, salt=self._salt())
        session_id, anonymiser = uuid4().hex, Anonymiser(settings.salt)
        telemetry = self._config.telemetry
        if self._settings.telemetry is not None:
            path = self._settings.telemetry or telemetry.path
            telemetry = replace(telemetry, enabled=True, path=path)
        self._recorder = recorder_for(telemetry, anonymiser.session(session_id))
        self._uses = Uses(anonymiser.tool) if telemetry.enabled else None
        return Session(
            settings,
            tokenizer=self._settings.tokenizer,
            session_id=session_id,
            on_event=self._recorder.record,
            uses=self._uses,
        )

    def close(self) -> None:
        """Record how often results were used, if telemetry is on."""
        if self._recorder is not None and self._uses is not None:
            self._recorder.record_uses(self._uses.counts())

    def _salt(self) -> str:
        """Return the salt of the installation; a random one if it cannot be read."""
        from mckp.agents.places import user_folder
        from mckp.agents.telemetry import installation_salt

        try:
            return installation_salt(user_folder() / "salt")
        except (OSError, ValueError) as error:
            _LOG.warning(
                "telemetry uses a temporary salt, so its hashes differ in each run: %s", error
            )
            return uuid4().hex


@asynccontextmanager
async def running_relay(
    read: Any, write: Any, specs: Sequence[ServerSpec], settings: ProxySettings, sessions: Sessions
) -> AsyncGenerator[Relay]:
    """Start servers, and yield the relay between them and a host, whose streams are given.

    An `MckpError` is raised if no server can be started.
    """
    async with AsyncExitStack() as stack:
        links: dict[str, Link] = {}
        for spec in specs:
            try:
                links[spec.name] = await stack.enter_async_context(link_to(spec))
            except OSError as error:
                _LOG.error("%s cannot be started: %s", spec.name, error)
        if not links:
            raise MckpError("no server could be started; the lines above say why")
        from mckp.agents.mcp.desk import Desk
        from mckp.agents.mcp.relay import Relay

        stack.callback(sessions.close)
        names = [spec.name for spec in specs]
        desk = Desk(settings, names, sessions.open, sessions.settings)
        stack.callback(desk.close)
        try:
            by_name = {spec.name: spec for spec in specs}
            yield Relay(read, write, links, desk, lambda name: link_to(by_name[name]))
        finally:
            if desk.shadow is not None:
                sys.stderr.write(f"mckp: {desk.shadow}\n")
            for link in links.values():  # so that all end at the same time
                await link.write.aclose()


async def serve(specs: Sequence[ServerSpec], settings: ProxySettings) -> int:
    """Serve the host on standard streams until it ends.

    The exit code is returned: 1 if all servers ended first or none could be started, else 0.
    """
    sessions, code = Sessions(settings), None
    # Signals are held back until the very end: a proxy that dies earlier leaves servers running.
    async with signals() as caught_signals, host_streams() as (read, write):
        try:
            async with running_relay(read, write, specs, settings, sessions) as relay:
                code = await _run_relay(relay, caught_signals)
        except MckpError as error:
            _LOG.error("%s", error)
            code = 1
        if code is not None and sys.platform == "win32":
            # A thread of the SDK waits for input that may never come, and cannot be stopped.
            await anyio.sleep(FLUSH_SECONDS)
            logging.shutdown()
            sys.stderr.flush()
            os._exit(code)
    return code or 0


@asynccontextmanager
async def signals() -> AsyncGenerator[AsyncIterator[object] | None]:
    """Yield the signals that would end the process, which are held back; None on Windows."""
    if sys.platform == "win32":
        yield None
        return
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as receiver:
        yield receiver


async def _run_relay(relay: Relay, caught_signals: AsyncIterator[object] | None) -> int | None:
    """Run the relay; return an exit code if a signal or the servers ended it, else None."""
    is_stopped = False
    async with anyio.create_task_group() as tasks:

        async def watch() -> None:
            """Wait for a signal, and stop the relay."""
            nonlocal is_stopped
            if caught_signals is not None:
                await anext(caught_signals)
                is_stopped = True
                tasks.cancel_scope.cancel()

        tasks.start_soon(watch)
        await relay.run()
        tasks.cancel_scope.cancel()
    if relay.is_lost:
        return 1
    return 0 if is_stopped else None
